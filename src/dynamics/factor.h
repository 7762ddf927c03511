/* SPDX-License-Identifier: Apache-2.0
 * dynamics/factor.h - the articulated-body factorisation of the mass matrix, as cardan_data keeps
 * it. */
#pragma once
#include "model/data.h"

/* Joint of body i has no inertia to push against: body, joint and the sentence to info.
 * returns CARDAN_ERR_NOT_POSDEF */
cardan_status cardan__no_inertia(const cardan_model *model, cardan_info *info, int i);

/* One body's joint gives way: U, D^-1 to data->factor[i] (multi), Ia out; a kinematic one does not.
 * reads   data->factor[i].IA
 * returns CARDAN_ERR_NOT_POSDEF and the body in data->info */
cardan_status cardan__factor_joint(const cardan_model *model, cardan_data *data, int i,
                                   cardan__abi *Ia) CARDAN_MUST_USE;

/* cardan_factor, and in the same sweep the first half of a solve, for the wrenches that the bodies
 * need (rnea.h) less data->f_ext: u = tau - S^T p to data->rest. */
cardan_status cardan__factor_reduce(const cardan_model *model, cardan_data *data,
                                    const double *tau) CARDAN_MUST_USE;

/* The factors of one data to another at the same q, with joints, where that has none. */
void cardan__factor_copy(const cardan_model *model, const cardan_data *from, cardan_data *to);
