/* SPDX-License-Identifier: Apache-2.0
 * batch/group.h - several copies of a batch at once, in lanes. */
#pragma once
#include "batch/batch.h"
#include "run/sim_access.h"

/* Why copies of sim's model, with its options, do not go in lanes, as the end of a sentence; NULL:
 * they do, by the stepper of kernels that is out. */
const char *cardan__group_takes(const cardan_sim *sim, const cardan__lanes_kernels *kernels,
                                const cardan__lanes_stepper **stepper);

/* Such a model in lanes; limits are watched if the sim holds them. returns NULL: no memory */
cardan__lanes_model *cardan__group_model(const cardan_sim *sim);

/* Room of a thread for b->kernels->width copies. returns NULL: no memory */
typedef struct cardan__group cardan__group;
cardan__group *cardan__group_create(const cardan__batch *b);
void cardan__group_destroy(cardan__group *group); // NULL is fine

/* Copies first .. first + n - 1, n at most the width, from their start to their end: their rows,
 * and where b has ends, what the watch saw at these. The rest of the width is filled with the
 * last copy again.
 * sim      of b's model and options, for outputs and energies; its data and statistics are used
 * returns  a bit for each copy that failed, and must be rerun by the scalar code; all of them
 *          where b->halt said so */
unsigned cardan__group_run(cardan__group *group, const cardan__batch *b, cardan_sim *sim, int first,
                           int n);

/* What the watch saw of a lane in the last run that was watched; "" when nothing. */
const char *cardan__group_watch(const cardan__group *group, int lane);

/* And its estimated error. */
cardan_error_estimate cardan__group_error(const cardan__group *group, int lane);
