/* SPDX-License-Identifier: Apache-2.0
 * dynamics/momenta.h - pieces of the momentum recursions that the methods use beside the calls of
 * cardan/dynamics.h. Nothing here allocates. */
#pragma once
#include "cardan/data.h"

/* Momentum of each body alone to data->P, applied wrench and gravity to data->T.
 * needs cardan_joints, V, f_ext; writes g */
void cardan__momenta_bodies(const cardan_model *model, cardan_data *data);

/* tau (nv) += d/dt (J^T sigma) at constant sigma (nrow): O(nbody + entries).
 * needs   data->rows.w, v, X; w_rate, c_rate from cardan__rows_jacobian_rate
 * rate    nbody: work       writes  p */
void cardan__rows_rate_transpose(const cardan_model *model, cardan_data *data, const double *sigma,
                                 const cardan_force *w_rate, const double *c_rate,
                                 cardan_force *rate, double *tau);
