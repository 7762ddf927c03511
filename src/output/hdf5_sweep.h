/* SPDX-License-Identifier: Apache-2.0
 * output/hdf5_sweep.h - what the file of a sweep has beyond its table: the plan, why cases failed,
 * motions that are kept. Of tables that are no HDF5 these calls do nothing. After a failure only
 * cardan_table_close is of use.
 *
 *   plan -> cardan_table_row .. -> messages, message ..
 *        -> (kept_open, kept_row .., kept_close) .. */
#pragma once
#include "cardan/output.h"

cardan_status cardan__table_plan(cardan_table *table, const char *text, size_t length,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Room for n >= 1 sentences of at most `longest` bytes; then n times one, by ascending number. */
cardan_status cardan__table_messages(cardan_table *table, int64_t n, size_t longest,
                                     cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__table_message(cardan_table *table, int64_t number, const char *text,
                                    cardan_report *report) CARDAN_MUST_USE;

/* The motion of case `number`, one after the other. */
cardan_status cardan__table_kept_open(cardan_table *table, int64_t number,
                                      const char *const *column, int ncolumn,
                                      cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__table_kept_row(cardan_table *table, const double *row,
                                     cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__table_kept_close(cardan_table *table, cardan_report *report) CARDAN_MUST_USE;
