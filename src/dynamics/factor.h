/* SPDX-License-Identifier: Apache-2.0
 * dynamics/factor.h - the articulated-body factorisation of the mass matrix, as cardan_data keeps it. */
#pragma once
#include "cardan/data.h"
#include "spatial/spatial.h"

/* A body whose joint has one velocity: U = IA S, inv_d = 1 / (S^T U). */
struct cardan_factor_body {
  cardan__abi IA; // articulated inertia of the body with everything below it
  cardan_force U;
  double inv_d;
};

/* A body with a spherical or free joint: the same with S of 3 or 6 columns. */
struct cardan_factor_multi {
  cardan_force U[6];
  double inv_D[36]; // inverse of S^T U, row-major nv x nv
};
