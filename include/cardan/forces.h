/* SPDX-License-Identifier: Apache-2.0
 * cardan/forces.h - the forces that a model's springs, dampers, torques and wrenches make.
 *
 * They are given in the two forms that cardan/dynamics.h takes: wrenches on bodies (body
 * coordinates, about the body frame's origin) and forces on velocities. Gravity is not among them,
 * it is part of the dynamics; nor is friction, which depends on reactions (cardan_forward).
 * Calls here allocate nothing, hold no global state, and may run at the same time on one model as
 * long as each thread has its own data. docs/forces.md has the formulas. */
#pragma once
#include "cardan/data.h"
#include "cardan/kinematics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Forces of all elements but friction at data's t, q, v.
 * needs   cardan_kinematics(model, data)
 * writes  data->tau (nv) [N m | N], data->f_ext (nbody) [N m, N] */
CARDAN_API void cardan_forces(const cardan_model *model, cardan_data *data);

/* Adds a wrench of the caller's to data->f_in, which cardan_forward and every method's steps
 * apply, until cardan_clear_forces sets it to 0. The wrench is fixed in the body, as f_in is, from
 * then on: one that is to follow the world is cleared and given again before each step.
 * point, w  where, and torque about that point with force, both in the coordinates of axes: the
 *           frame's own (LOCAL), the world's (WORLD), the world's axes from the frame's origin
 *           (ALIGNED)
 * needs     cardan_poses, but for LOCAL;  O(1) */
CARDAN_API void cardan_apply_force(const cardan_model *model, cardan_data *data, int frame,
                                   cardan_vec3 point, cardan_force w, cardan_axes axes);
CARDAN_API void cardan_clear_forces(const cardan_model *model, cardan_data *data);

#ifdef __cplusplus
}
#endif
