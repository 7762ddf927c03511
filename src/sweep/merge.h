/* SPDX-License-Identifier: Apache-2.0
 * sweep/merge.h - writes the result from journals: rows sorted by case number, and kept motions. */
#pragma once
#include "sweep/folder.h"

/* Checks the numbers of a program's options. returns CARDAN_ERR_ARGUMENT */
cardan_status cardan__sweep_check(const cardan_sweep_run_options *how,
                                  cardan_report *report) CARDAN_MUST_USE;

/* Adds a finished case to the progress. */
void cardan__sweep_count(cardan_sweep_progress *state, const cardan__case *one);

/* Writes the result of a folder for which the caller has an exclusive lock, renames it to its final
 * name, and removes the folder.
 * state  out: counts of all cases by status; may be NULL
 * returns as cardan_sweep_merge */
cardan_status cardan__merge(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                            cardan__folder *folder, cardan_sweep_progress *state,
                            cardan_report *report) CARDAN_MUST_USE;

/* Counts the cases of an existing result by status, and removes the rest of its folder that a
 * killed process has left.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
cardan_status cardan__merge_complete(const cardan_sweep *sweep, cardan__folder *folder,
                                     cardan_sweep_progress *state,
                                     cardan_report *report) CARDAN_MUST_USE;

/* ---- cases whose motions are stored in the result ---- */

/* One of them. */
typedef struct {
  int64_t number;
  cardan_status status;
  double measure; // larger is worse
} cardan__kept;

/* Selects the `most` worst cases by a column of the result, or all. */
typedef struct {
  bool all;
  int64_t most; // 0: none
  int column;
  cardan__kept *list; // n cases; during the selection a heap whose first is the least bad
  int n, capacity;
} cardan__keep;

/* Reads how->keep, and checks that the format of how->out can store motions.
 * returns CARDAN_ERR_ARGUMENT */
cardan_status cardan__keep_read(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                                cardan__keep *keep, cardan_report *report) CARDAN_MUST_USE;

/* Adds a case with its row if it is among the worst so far. */
cardan_status cardan__keep_add(cardan__keep *keep, const cardan_allocator *alloc,
                               const cardan__case *one, const double *row,
                               cardan_report *report) CARDAN_MUST_USE;

/* Runs the selected cases again, in ascending order, and writes their motions.
 * returns CARDAN_ERR_IO also if a case ends with another status than before; what how->look
 *         returns */
cardan_status cardan__keep_write(cardan__keep *keep, const cardan_sweep *sweep,
                                 const cardan_sweep_run_options *how,
                                 const cardan_sweep_progress *state, cardan_table *table,
                                 cardan_report *report) CARDAN_MUST_USE;
