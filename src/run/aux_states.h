/* SPDX-License-Identifier: Apache-2.0
 * run/aux_states.h - auxiliary states beside a method that steps the mechanism alone. */
#pragma once
#include "cardan/sim.h"
#include "run/snapshot.h"

typedef struct {
  double *b, *rate;    // nrate each: of a stage
  double *matrix, *dz; // nrate x nrate, nrate
  int *pivot;          // nrate
} cardan__aux_states;

/* Memory for a sim whose method does not integrate the auxiliary states itself, where the model has
 * some with a derivative; else nothing. */
cardan_status cardan__aux_states_create(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__aux_states_destroy(cardan_sim *sim);

/* Are they stepped here? */
static inline bool cardan__aux_states_apart(const cardan__aux_states *states)
{
  return states->b != NULL;
}

/* The mechanism and its auxiliary states from the node to t: cardan__sim_carry between two half
 * steps of the latter. After a failure the caller rolls back. */
cardan_status cardan__aux_states_step(cardan_sim *sim, double t) CARDAN_MUST_USE;
