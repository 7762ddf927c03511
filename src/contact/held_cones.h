/* SPDX-License-Identifier: Apache-2.0
 * contact/held_cones.h - which features the rows of a step are of (constraints/held_rows.h).
 *
 * Index j counts held contacts, as the cones of the rows do. */
#pragma once
#include "contact/feature.h"

typedef struct {
  int *index;      // of held contact j: its feature
  double force;    // rows: largest force that holds, or floor where all are less
  double *carried; // rows: by feature: mass that its joint carries, of a turn times the size
  double *here;    // rows: forces of held features at the node, by feature

  // cones only
  cardan__feature *feature; // j: as the first half of the step sees it
  bool *sticks;             // j: by static friction
  bool *broke;              // by feature: static friction was overcome in a trial of this step
  bool *jumped;             // by feature: its place jumped in a trial of this step
  double *mean;             // by row: mean velocity over the step, out
  double *node, *step;      // nv: velocities of the node, means over the step; with dry friction
  int resting;              // held contacts of the last step, which was one at rest
  int jumps;                // how many trials of this step of the run ended at a jump
} cardan__contact_cones;
