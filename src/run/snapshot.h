/* SPDX-License-Identifier: Apache-2.0
 * run/snapshot.h - the node of a sim, saved to come back to it within a step: steps that are tried.
 *
 * Unlike a saved state it is for the same sim, and keeping disturbs nothing: an integrator with a
 * history of its own starts anew only where it comes back. */
#pragma once
#include "cardan/sim.h"

typedef struct {
  char *node; // NULL: none
  size_t bytes;
} cardan__snapshot;

/* _create   takes the memory; returns CARDAN_ERR_MEMORY
 * _node     keeps the node;  _back  goes back to it: data's kinematics are then not fresh */
cardan_status cardan__snapshot_create(cardan_sim *sim, cardan__snapshot *snapshot) CARDAN_MUST_USE;
void cardan__snapshot_destroy(cardan_sim *sim, cardan__snapshot *snapshot);
void cardan__snapshot_save(cardan_sim *sim, const cardan__snapshot *snapshot);
void cardan__snapshot_restore(cardan_sim *sim, const cardan__snapshot *snapshot);
