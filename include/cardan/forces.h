/* SPDX-License-Identifier: Apache-2.0
 * cardan/forces.h - the forces that a model's springs, dampers, torques and wrenches make.
 *
 * They come out in the two forms that cardan/dynamics.h takes: wrenches on bodies (body
 * coordinates, about the body frame's origin) and forces on velocities. Gravity is not among them,
 * it is part of the dynamics; nor is friction, which depends on reactions (cardan_forward).
 * Calls here allocate nothing, hold no global state, and may run at the same time on one model as
 * long as each thread has its own data. docs/forces.md has the formulas. */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Forces of all elements but friction at data's t, q, v.
 * needs   cardan_kinematics(model, data)
 * writes  data->tau (nv) [N m | N], data->f_ext (nbody) [N m, N] */
CARDAN_API void cardan_forces(const cardan_model *model, cardan_data *data);

#ifdef __cplusplus
}
#endif
