/* SPDX-License-Identifier: Apache-2.0
 * contact/held_cones.h - the contacts that a step holds: rows, cones, warm start, impulses.
 *
 * The run fills it before a step. A method of discrete mechanics solves for the impulses r^- of the
 * rows in the step itself (methods/discrete/discrete_contact.c); a method of continuous time holds
 * the gaps by rows. Index j counts held contacts; rows of contact j begin at cone[j].row. */
#pragma once
#include "contact/feature.h"
#include "contact/ncp.h"

typedef struct {
  int n, *index;   // held contacts: their features
  double *target;  // n: gaps at the end of the step
  double *impulse; // rows: forces that held them; cones, nrow: r^- of the step, out
  double force;    // rows: largest force that holds
  double *here;    // rows: forces of held features at the node, by feature

  // cones only
  cardan__feature *feature; // n: as the first half of the step sees them
  cardan__cone *cone;       // n
  bool *sticks;             // n: by static friction
  bool *broke;              // by feature: static friction was overcome in a trial of this step
  int nrow;                 // rows of all
  double *rows;             // nrow x nv: J at the node
  double *start;            // nrow: warm start, impulses per second
  double *speed;            // nrow: velocities of the rows at the node
  double residue;           // error of (N) of the step: a displacement [m], out
  bool may_shorten;         // a failing trial may be repeated with a shorter step
  int long_searches;        // long searches for impulses (ncp_path.c) in this step
} cardan__contact_cones;
