/* SPDX-License-Identifier: Apache-2.0
 * cardan/continue.h - continues a run that was interrupted, or extends it to a later time.
 *
 *   cardan_result_open -> a sim of the result's model, options, start values and inputs
 *   -> cardan_result_continue -> cardan_table_continue
 *   -> cardan_run with the table and its checkpoint
 *
 * The rows are bitwise those of a run that was not interrupted. If a checkpoint is among the sinks,
 * the result contains snapshots of its run (cardan_sim_snapshot_save). The run then continues from
 * the last snapshot; later rows are recomputed and compared. Without a snapshot (integrators of
 * external libraries, files without one) the run is repeated from its start and all rows are
 * compared, which is slower but equally reliable.
 * These calls allocate and wait for the disk; a sim and its table belong to one thread. */
#pragma once
#include "cardan/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How a sim was brought to the end of a result. */
typedef struct {
  int64_t row, step; // rows of the result that are kept; steps that the sim has taken
  bool restored;     // true: from a snapshot of the result; false: from the start
  bool anew;         // no row is kept, since the steps of this integrator depend on the end time
  int64_t compared;  // rows that were recomputed and agree
} cardan_continuation;

/* Checks by options and columns whether the sim can continue the result, and how. Writes restored
 * and `anew`.
 * returns CARDAN_ERR_ARGUMENT and a sentence */
CARDAN_API cardan_status cardan_result_continue_mode(const cardan_sim *sim,
                                                     const cardan_result *result,
                                                     cardan_continuation *out,
                                                     cardan_report *report) CARDAN_MUST_USE;

/* Brings a sim to the last row of a result, or to its snapshot after that row.
 * sim     created from the result's model and options (`time` may differ), with start values and
 *         inputs set as for cardan_sim_start, which is called here if needed
 * sinks   nsink: observers of the repeated steps
 * returns CARDAN_ERR_ARGUMENT and a sentence for other options, an end time before the last row, a
 *         snapshot of another version or CPU level of the library;
 *         CARDAN_ERR_IO for rows that cannot be read, or that differ from the recomputed ones;
 *         any status of cardan_sim_start, a step or a sink. After a failure the sim can only be
 *         destroyed */
CARDAN_API cardan_status cardan_result_continue(cardan_sim *sim, cardan_result *result,
                                                const cardan_sink *sinks, int nsink,
                                                cardan_continuation *out,
                                                cardan_report *report) CARDAN_MUST_USE;

/* Saves snapshots of a run in its table, periodically and at the end.
 * seconds  wall-clock time between snapshots; a step that takes longer is followed by one as well;
 *          0: at the end only
 * returns CARDAN_ERR_ARGUMENT for seconds below 0 or not finite, CARDAN_ERR_MEMORY */
typedef struct cardan_checkpoint cardan_checkpoint;
CARDAN_API cardan_status cardan_checkpoint_create(cardan_table *table, cardan_sim *sim,
                                                  double seconds, const cardan_allocator *allocator,
                                                  cardan_checkpoint **out,
                                                  cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_checkpoint_destroy(cardan_checkpoint *checkpoint); // NULL is fine
/* The sink of a checkpoint; place it after the table's own sink. */
CARDAN_API cardan_sink cardan_checkpoint_sink(cardan_checkpoint *checkpoint);
/* Saves a snapshot now: for a sink that is about to end the run. Call it between steps, before
 * cardan_run returns, since cardan_run evaluates the last node once more than a continued run. */
CARDAN_API cardan_status cardan_checkpoint_save(cardan_checkpoint *checkpoint,
                                                cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
