/* SPDX-License-Identifier: Apache-2.0
 * sweep/merge.h - from journals to the result: rows in the order of numbers, and motions. */
#pragma once
#include "sweep/folder.h"

/* Can what a program asks for be? Numbers alone. returns CARDAN_ERR_ARGUMENT */
cardan_status cardan__sweep_check(const cardan_sweep_run_options *how,
                                  cardan_report *report) CARDAN_MUST_USE;

/* Counts a case that is done. */
void cardan__sweep_count(cardan_sweep_progress *state, const cardan__case *one);

/* Writes the result of a folder that is held alone, gives it its name, and removes the folder.
 * state  out: how all cases ended; may be NULL
 * returns as cardan_sweep_merge */
cardan_status cardan__merge(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                            cardan__folder *folder, cardan_sweep_progress *state,
                            cardan_report *report) CARDAN_MUST_USE;

/* How the cases of a result that is there ended; and removes what a kill has left of its folder.
 * returns CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
cardan_status cardan__merge_complete(const cardan_sweep *sweep, cardan__folder *folder,
                                     cardan_sweep_progress *state,
                                     cardan_report *report) CARDAN_MUST_USE;

/* ---- motions that are kept ---- */

/* One of them, and how bad it is. */
typedef struct {
  int64_t number;
  cardan_status status;
  double measure; // larger is worse
} cardan__kept;

/* Which: the `most` worst by a column of the result, or all. */
typedef struct {
  bool all;
  int64_t most; // 0: none
  int column;
  cardan__kept *list; // n of them, while they are chosen a heap: the first is the least bad
  int n, capacity;
} cardan__keep;

/* Reads how->keep, and whether how->out can have it.
 * returns CARDAN_ERR_ARGUMENT */
cardan_status cardan__keep_read(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                                cardan__keep *keep, cardan_report *report) CARDAN_MUST_USE;

/* Checks a case with its row: is it one of the worst so far? */
cardan_status cardan__keep_look(cardan__keep *keep, const cardan_allocator *alloc,
                                const cardan__case *one, const double *row,
                                cardan_report *report) CARDAN_MUST_USE;

/* Runs them again, ascending by number, and writes their motions.
 * returns CARDAN_ERR_IO also for one that ends otherwise than before; what how->look returns */
cardan_status cardan__keep_write(cardan__keep *keep, const cardan_sweep *sweep,
                                 const cardan_sweep_run_options *how,
                                 const cardan_sweep_progress *state, cardan_table *table,
                                 cardan_report *report) CARDAN_MUST_USE;
