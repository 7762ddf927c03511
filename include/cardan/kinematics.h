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
#include <stdint.h>

#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- coordinates ---- */

/* q moved by part times dq (nv); q_out may be q. Quaternions count as normalised and are returned
 * normalised; their sign does not jump. */
CARDAN_API void cardan_q_move(const cardan_model *model, const double *q, const double *dq,
                              double part, double *q_out);
/* dq (nv, out) that moves q0 to q1: the shorter way round for quaternions, turns of at most pi,
 * whatever their signs and lengths; at half a turn rounding decides which way. */
CARDAN_API void cardan_q_difference(const cardan_model *model, const double *q0, const double *q1,
                                    double *dq);
/* From q0 to q1 on the shortest way: q0 (+) part (q1 (-) q0); part 0 and 1 are the ends (1 to
 * rounding), and others go beyond. q_out (nq) may be q0 or q1. */
CARDAN_API void cardan_q_interpolate(const cardan_model *model, const double *q0, const double *q1,
                                     double part, double *q_out);
/* The neutral configuration, all coordinates 0, quaternions 1: nq, out. */
CARDAN_API void cardan_q_zero(const cardan_model *model, double *q);
/* A random configuration, the same for a seed on every machine: nq, out. Coordinates with a limit
 * are even between its ends, other angles between -pi and pi, lengths between -1 and 1 m;
 * attitudes of spherical and free joints are even over all there are. Loops are not closed
 * (cardan_assemble), and motions not looked at (cardan_prescribe). */
CARDAN_API void cardan_q_random(const cardan_model *model, uint64_t seed, double *q);
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

/* A table (docs/format.md) that an expression has left: its argument x is beyond the point at
 * `end`. */
typedef struct {
  int line; // of the model file; 0: the expression is of none
  double x, end;
} cardan_left_table;

/* Does an expression lead beyond the points of a table at data's state, where it is extrapolated
 * linearly or held? The first that does; sensors that an output reads are not checked.
 * needs   cardan_kinematics
 * returns false, and zeros, where none does */
CARDAN_API bool cardan_table_left(const cardan_model *model, const cardan_data *data,
                                  cardan_left_table *out);

/* That in words for the user, at time t; text: out, cut to size. */
CARDAN_API void cardan_left_words(const cardan_left_table *left, double t, char *text, size_t size);

/* ---- frames ----
 * Poses, twists, accelerations and Jacobians of the frames of the file, O(depth) each. The six
 * numbers of a twist, angular then linear, are taken in one of three kinds of axes:
 *   LOCAL    the frame's own axes, at its own origin
 *   WORLD    the world's axes, at the world's origin: v is that of the point of the body there
 *   ALIGNED  the world's axes, at the frame's own origin: v is the velocity of that origin
 * Every call here needs cardan_joints, and cardan_poses too but for LOCAL. */
typedef enum { CARDAN_LOCAL, CARDAN_WORLD, CARDAN_ALIGNED } cardan_axes;

/* World pose of a frame. needs cardan_poses */
CARDAN_API cardan_xform cardan_frame_pose(const cardan_model *model, const cardan_data *data,
                                          int frame);
/* Twist of a frame. needs cardan_velocities */
CARDAN_API cardan_twist cardan_frame_twist(const cardan_model *model, const cardan_data *data,
                                           int frame, cardan_axes axes);
/* Rates of the twist's six numbers in the same axes: J a + Jdot v with a = data->a, and Jdot v
 * alone. ALIGNED: the angular acceleration, and the acceleration of the frame's origin; in the
 * frame's own axes that is LOCAL's v plus w x v. Gravity is not in it.
 * needs cardan_velocities */
CARDAN_API cardan_twist cardan_frame_acceleration(const cardan_model *model,
                                                  const cardan_data *data, int frame,
                                                  cardan_axes axes);
CARDAN_API cardan_twist cardan_frame_bias(const cardan_model *model, const cardan_data *data,
                                          int frame, cardan_axes axes);
/* Jacobian of the twist, J v; kinematic coordinates included: 6 x nv row-major, out, rows w then
 * v; and its rate along the motion, which needs cardan_velocities. O(nv) for the zeros. */
CARDAN_API void cardan_frame_jacobian(const cardan_model *model, const cardan_data *data, int frame,
                                      cardan_axes axes, double *J);
CARDAN_API void cardan_frame_jacobian_rate(const cardan_model *model, const cardan_data *data,
                                           int frame, cardan_axes axes, double *J_rate);

/* A frame as seen from another one that moves: twist, and its Jacobian, relative to the reference.
 * The reference takes the world's part in axes: WORLD is the reference's axes and origin, ALIGNED
 * its axes at the frame's own origin. Reference 0 is the world itself.
 * needs cardan_poses; the twist cardan_velocities too */
CARDAN_API cardan_twist cardan_relative_twist(const cardan_model *model, const cardan_data *data,
                                              int reference, int frame, cardan_axes axes);
CARDAN_API void cardan_relative_jacobian(const cardan_model *model, const cardan_data *data,
                                         int reference, int frame, cardan_axes axes, double *J);

#ifdef __cplusplus
}
#endif
