/* SPDX-License-Identifier: Apache-2.0
 * vi/lanes.h - what is each body's own in a step, for several bodies at once.
 *
 * Logarithm, momenta and their derivative of one body do not depend on another's. Written as loops
 * over lanes, the compiler turns them into vector instructions; the mathematics stays in kernel.h
 * and screw.h. Bodies go in and out of lanes from where the recursions keep them. */
#pragma once
#include "steppers/vi/kernel.h"

enum { CARDAN__LANES = 8 };

/* Inertias of 8 bodies in a row, zero where there is none. */
typedef struct {
  double m[CARDAN__LANES], h[3][CARDAN__LANES], J[6][CARDAN__LANES];
} cardan__inertia_lanes;

/* One component of 8 bodies. */
typedef double cardan__lane[CARDAN__LANES];

/* 8 bodies in a step: what goes in, Q, and what comes out. */
typedef struct {
  cardan__lane Q[8]; // r, d
  cardan__lane x[6], mu[6], next[6];
  cardan__lane c[3];  // coefficients of dlog
  cardan__lane K[36]; // by blocks tw, tv, fw, fv
} cardan__vi_lanes;

static inline cardan_inertia cardan__lane_inertia(const cardan__inertia_lanes *G, int l)
{
  return (cardan_inertia){G->m[l],    {G->h[0][l], G->h[1][l], G->h[2][l]},
                          G->J[0][l], G->J[1][l],
                          G->J[2][l], G->J[3][l],
                          G->J[4][l], G->J[5][l]};
}

/* lanes.c
 * _momenta  x, mu and next from Q and the inertias
 * _slopes   K from x and mu */
void cardan__lanes_momenta(const cardan__inertia_lanes *restrict G, double inv_h,
                           cardan__vi_lanes *restrict o);
void cardan__lanes_slopes(const cardan__inertia_lanes *restrict G, double inv_h,
                          cardan__vi_lanes *restrict o);
