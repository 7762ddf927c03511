/* SPDX-License-Identifier: Apache-2.0
 * dynamics/aux_rates.h - how the auxiliary states of a model change: z' = f(t, q, v, u, z). */
#pragma once
#include "kinematics/view.h"

/* zdot (nrate, out): f at a view.
 * returns the first that is not finite, -1: all are numbers */
int cardan__aux_rates(const cardan_model *model, const cardan__view *view, double *zdot);

/* J (nrate x nrate, out): df/dz, exact. */
void cardan__aux_rates_slope(const cardan_model *model, const cardan__view *view, double *J);

/* Derivatives of the rate of state k by coordinates (in velocities), velocities (nv each) and
 * inputs and auxiliary states (ninput + nz), out. Needs cardan_slopes_reserve; computes
 * kinematics. */
void cardan__aux_rate_slopes(const cardan_model *model, cardan_data *data, int k, double *by_q,
                             double *by_v, double *by_u);

/* The same at data's t, q, v, u and z, whose joints are placed: zdot as above.
 * returns CARDAN_ERR_NOT_FINITE with a sentence in data->info */
cardan_status cardan__aux_rates_at(const cardan_model *model, cardan_data *data,
                                   double *zdot) CARDAN_MUST_USE;

/* For analyses of a mechanism alone, `what` "statics is": does nothing move or act beside it?
 * returns CARDAN_ERR_UNSUPPORTED and a sentence that names it */
cardan_status cardan__aux_rates_none(const cardan_model *model, const char *what,
                                     cardan_report *report) CARDAN_MUST_USE;

/* Writes to info that the derivative of auxiliary state k is NaN. */
cardan_status cardan__aux_rates_not_finite(const cardan_model *model, int k, cardan_info *info);
