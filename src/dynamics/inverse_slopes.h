/* SPDX-License-Identifier: Apache-2.0
 * dynamics/inverse_slopes.h - derivatives of inverse dynamics, for those of forward dynamics. */
#pragma once
#include "model/data.h"

/* d tau/dq, d tau/dv and M to tau_q, tau_v and L of data->slopes; body, axis and o are left for the
 * caller. As cardan_inverse_slopes. */
cardan_status cardan__tree_slopes(const cardan_model *model, cardan_data *data,
                                  const double *a) CARDAN_MUST_USE;

/* K = dr/dq and C = dr/dv of r = M a + c - Q - sum J_i^T own_i, with Q the forces of the model's
 * elements (friction left out) and own wrenches that are fixed in their bodies; a, own: NULL, 0.
 * As cardan_stiffness. */
cardan_status cardan__residual_slopes(const cardan_model *model, cardan_data *data, const double *a,
                                      const cardan_force *own, double *K,
                                      double *C) CARDAN_MUST_USE;

/* by_q, by_v (nv, out): derivatives of the rate of an element's auxiliary state number `state`.
 * Needs cardan_slopes_reserve and kinematics. */
void cardan__force_rate_slopes(const cardan_model *model, cardan_data *data, int element, int state,
                               double *by_q, double *by_v);
