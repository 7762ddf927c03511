/* SPDX-License-Identifier: Apache-2.0
 * methods/discrete/extrapolate.h - the next of a sequence of vectors, from backward differences.
 *
 *   x = sum over j < m of D_j,   D_0 the last vector, D_j its j-th backward difference
 * The order m is off by the next difference D_m, so it is chosen with the smallest D_m seen: smooth
 * sequences are followed by many terms, violent ones by few. Nothing here allocates. */
#pragma once
#include "kernels/guess_orders.h"

typedef struct {
  int n, have;                              // length of a vector; differences known
  int settled;                              // vectors that came since the last change of length
  double *D;                                // CARDAN__EXTRAPOLATE_ORDERS x n
  double size2[CARDAN__EXTRAPOLATE_ORDERS]; // squares of the differences' sizes
} cardan__extrapolation;

/* x: n, out. e->have > 0. */
void cardan__extrapolate(const cardan__extrapolation *e, double *x);

/* The vector that came: n. */
void cardan__extrapolate_remember(cardan__extrapolation *e, const double *x);

/* The same sequence in steps of ratio times the length, where a vector is what a smooth curve gains
 * in a step: differences of the polynomial through what is known. */
void cardan__extrapolate_rescale(cardan__extrapolation *e, double ratio);
