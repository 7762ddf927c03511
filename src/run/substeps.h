/* SPDX-License-Identifier: Apache-2.0
 * run/substeps.h - option adapt: a step in parts, over any method that keeps its state in spans.
 *
 * A method has it by the table cardan__substeps_options (methods/options.h) among its own. */
#pragma once
#include "methods/method.h"
#include "run/snapshot.h"

typedef struct {
  double energy;   // of a node, less the work done [J]
  double kinetic;  // [J]
  double rounding; // of its energy
  double largest;  // kinetic energy since the start
} cardan__substeps_node;

typedef struct {
  cardan__substeps_node now; // of the last node with a velocity
} cardan__substeps;

/* _start    at the sim's first node, its kinematics fresh
 * _step     to t_next, as method->step; kinematics in data are the node's when it has a velocity. A
 *           failure is that of the last part tried, or CARDAN_ERR_STEP_TOO_SMALL with the energy's
 *           change in data->info */
void cardan__substeps_start(cardan_sim *sim);
cardan_status cardan__substeps_step(cardan_sim *sim, double t_next) CARDAN_MUST_USE;
