/* SPDX-License-Identifier: Apache-2.0
 * cardan/forces.h - forces of a model's springs, dampers, torques and wrenches.
 *
 * Forces are computed in the two forms that cardan/dynamics.h uses: wrenches on bodies (body
 * coordinates, about the body frame's origin) and forces on velocities. Gravity is not included,
 * since it is part of the dynamics; nor is friction, which depends on reactions (cardan_forward).
 * Calls here allocate nothing, have no global state, and may run at the same time on one model if
 * each thread has its own data. docs/forces.md has the formulas. */
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

/* Adds an external wrench to data->f_in, which cardan_forward and the steps of every method apply
 * until cardan_clear_forces sets it to 0. As f_in, the wrench is fixed in the body; to keep a force
 * fixed in the world, clear it and apply it again before each step.
 * point, w  point of application, and torque about that point with force, both in the coordinates
 *           of axes: the frame's own (LOCAL), the world's (WORLD), the world's axes from the
 *           frame's
 *           origin (ALIGNED)
 * needs     cardan_poses, except for LOCAL;  O(1) */
CARDAN_API void cardan_apply_force(const cardan_model *model, cardan_data *data, int frame,
                                   cardan_vec3 point, cardan_force w, cardan_axes axes);
CARDAN_API void cardan_clear_forces(const cardan_model *model, cardan_data *data);

#ifdef __cplusplus
}
#endif
