/* SPDX-License-Identifier: Apache-2.0
 * dynamics/factor.h - the articulated-body factorisation of the mass matrix, as cardan_data keeps
 * it. */
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

/* One body's joint gives way: U, D^-1 to data->factor[i] (multi), Ia out; a kinematic one does not.
 * reads   data->factor[i].IA
 * returns CARDAN_ERR_NOT_POSDEF and the body in data->info */
cardan_status cardan__factor_joint(const cardan_model *model, cardan_data *data, int i,
                                   cardan__abi *Ia) CARDAN_MUST_USE;
