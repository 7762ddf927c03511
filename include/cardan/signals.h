/* SPDX-License-Identifier: Apache-2.0
 * cardan/signals.h - inputs of a model over time, from a table.
 *
 * A table in CSV: a header line with a column t and columns u.NAME (or NAME) of inputs, then rows
 * of increasing t. Between rows an input is constant (held) or interpolated linearly (linear).
 * After the last row it keeps the last value; before the first row it has the model's own value.
 * Inputs without a column are unchanged.
 *
 * Methods hold inputs over a step at their mean over the step. If the rows of a held table lie on
 * the nodes, that is the value itself; for linear interpolation within a step, the value at its
 * middle. Adaptive integrators of aba and hamilton follow the lines themselves, and restart at the
 * rows of the table. Only reading allocates. A table is constant and may be shared. */
#pragma once
#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_signals cardan_signals;

/* Reads a table. model must outlive it. file: for messages.
 * returns CARDAN_ERR_SYNTAX for a text that is no such table, CARDAN_ERR_MODEL for a column that is
 *         no input of the model, with file, line and column; CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_signals_read(const cardan_model *model, const char *text,
                                             size_t length, const char *file, bool linear,
                                             const cardan_allocator *allocator,
                                             cardan_signals **out,
                                             cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_signals_destroy(cardan_signals *signals); // NULL is fine

/* Times of the first and the last row. */
CARDAN_API double cardan_signals_begin(const cardan_signals *signals);
CARDAN_API double cardan_signals_end(const cardan_signals *signals);

/* Means over t0 .. t1, t0 < t1, of the inputs that have a column, to u (ninput).
 * O(log rows + rows between). */
CARDAN_API void cardan_signals_mean(const cardan_signals *signals, double t0, double t1, double *u);

/* Sets the table from which the sim reads its inputs, from its next start or step on. data->u is
 * set before a step, and after it for the next step; rows of the table of motion contain the
 * latter. NULL: no table. The table must outlive the sim, or be replaced before it is destroyed. */
CARDAN_API void cardan_sim_signals(cardan_sim *sim, const cardan_signals *signals);

#ifdef __cplusplus
}
#endif
