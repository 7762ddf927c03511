/* SPDX-License-Identifier: Apache-2.0
 * cardan/sweep_result.h - reads the result of a sweep (cardan/sweep.h).
 *
 *   cardan_sweep_result_open -> cardan_result_rows(sweep_result->result, ..), words, messages
 *                     -> cardan_sweep_result_motion of cases that were kept
 *                     -> cardan_sweep_result_close
 *
 * The table has a row for each case, by number. As for all HDF5 files, only one thread of a program
 * at a time may use it. */
#pragma once
#include <stdint.h>

#include "cardan/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words that the numbers 0 .. n - 1 of a column mean: status, method, keyframe. */
typedef struct {
  int column;
  int n;
  const char *const *word;
} cardan_sweep_result_labels;

/* Why a case failed, or its warning. */
typedef struct {
  int64_t number; // of the case
  const char *text;
} cardan_sweep_result_message;

/* A sweep's result. Everything belongs to it. */
typedef struct {
  cardan_result *result; // table; model, options, settings, start values and inputs of all cases
  const char *plan;      // its text, plan_length bytes
  size_t plan_length;
  const cardan_sweep_result_labels *words; // nwords, by column
  int nwords;
  const cardan_sweep_result_message *message; // nmessage, by number
  int64_t nmessage;
  const int64_t *kept; // nkept numbers of cases whose motions are here, ascending
  int nkept;
} cardan_sweep_result;

/* Opens the result of a sweep.
 * returns CARDAN_ERR_IO for a file that cannot be read or is not of a sweep; CARDAN_ERR_MEMORY;
 *         *out is then NULL */
CARDAN_API cardan_status cardan_sweep_result_open(const char *path,
                                                  const cardan_allocator *allocator,
                                                  cardan_sweep_result **out,
                                                  cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sweep_result_close(cardan_sweep_result *sweep_result); // NULL is fine

/* The recorded motion of a case, as cardan_run writes it. */
typedef struct {
  char **column;
  int ncolumn;
  int64_t nrow;
  double *row; // nrow x ncolumn
  void *memory;
} cardan_sweep_result_rows;

/* Reads the motion of case kept[k]; free it with cardan_sweep_result_motion_free.
 * returns CARDAN_ERR_ARGUMENT for a k out of range, CARDAN_ERR_IO, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sweep_result_motion(cardan_sweep_result *sweep_result, int k,
                                                    cardan_sweep_result_rows *out,
                                                    cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sweep_result_motion_free(cardan_sweep_result_rows *rows);

#ifdef __cplusplus
}
#endif
