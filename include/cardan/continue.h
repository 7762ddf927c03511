/* SPDX-License-Identifier: Apache-2.0
 * cardan/continue.h - continuing a run that was cut off, or to a later time than it had.
 *
 *   cardan_result_open -> a sim of the result's model, options, start values and inputs
 *   -> cardan_result_continue -> cardan_table_continue
 *   -> cardan_run with the table and its checkpoint
 *
 * The bits are those of a run that was never cut off. A result keeps snapshots of its run
 * (cardan_sim_snapshot_save) where a checkpoint is among the sinks; from the last of them the run
 * continues, and rows behind it are computed again and compared. Without one (an integrator whose
 * history is not ours, a file that has none) the run is done again from its start, and all its rows
 * are compared: slower, and as sure.
 * These calls allocate and wait for the disk; a sim and its table belong to one thread. */
#pragma once
#include "cardan/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a sim was brought to where a result ends. */
typedef struct {
  int64_t row, step; // rows of the result that are kept; steps that the sim has taken
  bool restored;     // from a snapshot of the result; false: from the start
  bool anew;         // no row is kept: another end makes other steps of this integrator
  int64_t compared;  // rows that were computed again, and are the same
} cardan_continuation;

/* Can the sim continue the result, by options and columns, and how? Writes restored and `anew`.
 * returns CARDAN_ERR_ARGUMENT and a sentence */
CARDAN_API cardan_status cardan_result_continue_mode(const cardan_sim *sim,
                                                     const cardan_result *result,
                                                     cardan_continuation *out,
                                                     cardan_report *report) CARDAN_MUST_USE;

/* Brings a sim to the last row of a result, or to its state behind that.
 * sim     made of the result's model, with its options but for `time`; start values and inputs set
 *         as for cardan_sim_start, which is called here where it is needed
 * sinks   nsink: observers of the steps that are repeated
 * returns CARDAN_ERR_ARGUMENT and a sentence for other options, a time before what is there, a
 *         state of another version or level of the library;
 *         CARDAN_ERR_IO for rows that cannot be read, or are not the ones that are computed;
 *         what cardan_sim_start, a step or a sink returns. The sim is then of no more use */
CARDAN_API cardan_status cardan_result_continue(cardan_sim *sim, cardan_result *result,
                                                const cardan_sink *sinks, int nsink,
                                                cardan_continuation *out,
                                                cardan_report *report) CARDAN_MUST_USE;

/* Keeps snapshots of a run in its table, now and then and at its end.
 * seconds  by the clock, from one to the next; after a step that took long there is one too; 0: at
 *          the end alone
 * returns CARDAN_ERR_ARGUMENT for seconds below 0 or not finite, CARDAN_ERR_MEMORY */
typedef struct cardan_checkpoint cardan_checkpoint;
CARDAN_API cardan_status cardan_checkpoint_create(cardan_table *table, cardan_sim *sim,
                                                  double seconds, const cardan_allocator *allocator,
                                                  cardan_checkpoint **out,
                                                  cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_checkpoint_destroy(cardan_checkpoint *checkpoint); // NULL is fine
/* Behind the table's own sink. */
CARDAN_API cardan_sink cardan_checkpoint_sink(cardan_checkpoint *checkpoint);
/* One now: for a sink that is about to end the run in good order. Between steps, before
 * cardan_run returns: its end evaluates the last node once more than a continued run would. */
CARDAN_API cardan_status cardan_checkpoint_keep(cardan_checkpoint *checkpoint,
                                                cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
