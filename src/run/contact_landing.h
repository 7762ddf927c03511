/* SPDX-License-Identifier: Apache-2.0
 * run/contact_landing.h - the two parts of a step whose impacts act at its end, for each other:
 * contact_landing.c, flight and landing; contact_landed.c, the node that it leads to. */
#pragma once
#include "run/contact_run.h"

/* What a landing and the impact after it come to. */
typedef struct {
  double lift;   // (L2) of contact_landing.c, but for the impact [J]
  double gain;   // work of the impact [J]
  double driven; // of that, by drivers of bounds
  int fresh;     // contacts that are new at the node
  bool struck, guarded;
} cardan__landing_outcome;

#define CARDAN__LANDING_SMALL 1e-7   // [m or rad] of overlap, or
#define CARDAN__LANDING_REMAINS 1e-3 // of the deepest: what a landing may leave
#define CARDAN__LANDING_GAINED 1e-12 // of the energies that (L2) is a difference of

/* T + V at data's velocities, less the work that the method did. *size: of what it is made of, at
 * least what it was */
double cardan__landing_energy(cardan_sim *sim, double *size);

/* (N) and impacts at the node: r^+ of what was held first, then the impacts of what is new.
 * Momentum is p^-, velocities are of it. h: of the step */
cardan_status cardan__landing_strike(cardan_sim *sim, double h, double *size,
                                     cardan__landing_outcome *out) CARDAN_MUST_USE;
