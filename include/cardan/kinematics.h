/* SPDX-License-Identifier: Apache-2.0
 * cardan/kinematics.h - coordinates, and where they put the bodies.
 *
 * A configuration q has nq numbers; a change of it has nv, as the velocities have: one for each
 * scalar joint, a rotation vector in body axes for a spherical joint, a twist in body axes for a
 * free one. Configurations are not added and subtracted but moved and compared:
 *   cardan_q_move        q1 = q0 (+) part dq         T <- T exp(part dq)
 *   cardan_q_difference  dq = q1 (-) q0              dq = log(T0^-1 T1)
 * Both are exact on SO(3) and SE(3), and each is the other's inverse to rounding.
 *
 * Calls here allocate nothing, hold no global state, and may run at the same time on one model as
 * long as each thread has its own data. */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- coordinates ---- */

/* q moved by part times dq (nv); q_out may be q. Quaternions count as normalised and come out
 * normalised; their sign does not jump. */
CARDAN_API void cardan_q_move(const cardan_model *model, const double *q, const double *dq,
                              double part, double *q_out);
/* dq (nv, out) that moves q0 to q1: the shorter way round for quaternions, turns of at most pi,
 * whatever their signs and lengths; at half a turn rounding decides which way. */
CARDAN_API void cardan_q_difference(const cardan_model *model, const double *q0, const double *q1,
                                    double *dq);
/* The configuration of all coordinates 0, quaternions 1: nq, out. */
CARDAN_API void cardan_q_zero(const cardan_model *model, double *q);
/* dq/dt from v (quaternion rates included); qdot: nq, out. */
CARDAN_API void cardan_q_dot(const cardan_model *model, const double *q, const double *v,
                             double *qdot);
/* Normalises the quaternions of q; false when one is zero or not finite. */
CARDAN_API bool cardan_q_normalize(const cardan_model *model, double *q);

/* ---- bodies ---- */

/* Positions: data->X and cos_sin from q. Quaternions are used as if normalised. */
CARDAN_API void cardan_joints(const cardan_model *model, cardan_data *data);
/* World poses X_W from X. needs cardan_joints */
CARDAN_API void cardan_poses(const cardan_model *model, cardan_data *data);
/* Twists V from X and v. needs cardan_joints */
CARDAN_API void cardan_velocities(const cardan_model *model, cardan_data *data);
/* A0 from X, V and v. needs cardan_velocities. Kinematic coordinates count with their prescribed
 * acceleration, read from data->a. */
CARDAN_API void cardan_bias_accelerations(const cardan_model *model, cardan_data *data);
/* All four of the above; prescribed coordinates are set from their motion at data->t first. */
CARDAN_API void cardan_kinematics(const cardan_model *model, cardan_data *data);

/* Sets q, v and a of the kinematic coordinates from their prescribed motions at data->t. */
CARDAN_API void cardan_prescribe(const cardan_model *model, cardan_data *data);

/* ---- frames ---- */

/* World pose of a frame. needs cardan_poses */
CARDAN_API cardan_xform cardan_frame_pose(const cardan_model *model, const cardan_data *data,
                                          int frame);
/* Twist of a frame, in its own coordinates. needs cardan_velocities */
CARDAN_API cardan_motion cardan_frame_twist(const cardan_model *model, const cardan_data *data,
                                            int frame);
/* Jacobian of a frame's twist (its own coordinates): 6 x nv row-major, rows w then v. needs
 * joints */
CARDAN_API void cardan_frame_jacobian(const cardan_model *model, const cardan_data *data, int frame,
                                      double *J);

#ifdef __cplusplus
}
#endif
