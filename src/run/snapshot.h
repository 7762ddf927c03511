/* SPDX-License-Identifier: Apache-2.0
 * run/snapshot.h - the state of a sim at a node, in memory, for rollback within a step.
 *
 * Unlike a saved state it belongs to one sim, and saving it changes nothing. An integrator with a
 * history of its own restarts only after a rollback. */
#pragma once
#include "cardan/sim.h"

typedef struct {
  char *bytes; // NULL: none was created
  size_t size; // [bytes]
  bool whole;  // with inputs, statistics and the watch
} cardan__snapshot;

/* _create   allocates it; returns CARDAN_ERR_MEMORY
 * whole     the node is that of a step, from which the run is seen: with what samples and looks
 *           within the step change
 * _save     copies the node into it
 * _restore  copies it back into the sim; data's kinematics are then not fresh, its info stays */
cardan_status cardan__snapshot_create(cardan_sim *sim, bool whole,
                                      cardan__snapshot *snapshot) CARDAN_MUST_USE;
void cardan__snapshot_destroy(cardan_sim *sim, cardan__snapshot *snapshot);
void cardan__snapshot_save(cardan_sim *sim, const cardan__snapshot *snapshot);
void cardan__snapshot_restore(cardan_sim *sim, const cardan__snapshot *snapshot);
