/* SPDX-License-Identifier: Apache-2.0
 * cardan/kinematics.h - coordinates, and poses, twists and Jacobians of bodies and frames.
 *
 * A configuration q has nq numbers; a change of it has nv, as velocities have: one for each scalar
 * joint, a rotation vector in body axes for a spherical joint, a twist in body axes for a free
 * joint. Configurations are not added and subtracted, but moved and compared:
 *   cardan_q_move        q1 = q0 (+) part dq         T <- T exp(part dq)
 *   cardan_q_difference  dq = q1 (-) q0              dq = log(T0^-1 T1)
 * Both are exact on SO(3) and SE(3), and each is the other's inverse to rounding.
 *
 * Calls here allocate nothing, have no global state, and may run at the same time on one model if
 * each thread has its own data. */
#pragma once
#include <stdint.h>

#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- coordinates ---- */

/* Moves q by part times dq (nv); q_out may be q. Quaternions are treated as normalised and returned
 * normalised; their sign does not jump. */
CARDAN_API void cardan_q_move(const cardan_model *model, const double *q, const double *dq,
                              double part, double *q_out);
/* dq (nv, out) that moves q0 to q1. For quaternions, of any sign and length, it is the shorter
 * rotation, of at most pi; at half a turn rounding decides the direction. */
CARDAN_API void cardan_q_difference(const cardan_model *model, const double *q0, const double *q1,
                                    double *dq);
/* Interpolates from q0 to q1 on the shortest path, q0 (+) part (q1 (-) q0): part 0 gives q0, part 1
 * gives q1 to rounding, other values extrapolate. q_out (nq) may be q0 or q1. */
CARDAN_API void cardan_q_interpolate(const cardan_model *model, const double *q0, const double *q1,
                                     double part, double *q_out);
/* The neutral configuration, all coordinates 0, quaternions 1: nq, out. */
CARDAN_API void cardan_q_zero(const cardan_model *model, double *q);
/* A random configuration, the same for a seed on every machine: nq, out. Coordinates with limits
 * are uniform between them, other angles between -pi and pi, lengths between -1 and 1 m;
 * orientations of spherical and free joints are uniform over all rotations. Loops are not closed
 * (cardan_assemble), and prescribed motions are ignored (cardan_prescribe). */
CARDAN_API void cardan_q_random(const cardan_model *model, uint64_t seed, double *q);
/* dq/dt from v (quaternion rates included); qdot: nq, out. */
CARDAN_API void cardan_q_dot(const cardan_model *model, const double *q, const double *v,
                             double *qdot);
/* Normalises the quaternions of q; false when one is zero or not finite. */
CARDAN_API bool cardan_q_normalize(const cardan_model *model, double *q);

/* ---- bodies ---- */

/* Positions: data->X and cos_sin from q. Quaternions are treated as normalised. */
CARDAN_API void cardan_joints(const cardan_model *model, cardan_data *data);
/* World poses X_W from X. needs cardan_joints */
CARDAN_API void cardan_poses(const cardan_model *model, cardan_data *data);
/* Twists V from X and v. needs cardan_joints */
CARDAN_API void cardan_velocities(const cardan_model *model, cardan_data *data);
/* A0 from X, V and v. needs cardan_velocities. Prescribed accelerations of kinematic coordinates
 * are included; they are read from data->a. */
CARDAN_API void cardan_bias_accelerations(const cardan_model *model, cardan_data *data);
/* Sets prescribed coordinates from their motions at data->t, then makes the four calls above. */
CARDAN_API void cardan_kinematics(const cardan_model *model, cardan_data *data);

/* Sets q, v and a of the kinematic coordinates from their prescribed motions at data->t. */
CARDAN_API void cardan_prescribe(const cardan_model *model, cardan_data *data);

/* A table (docs/format.md) that is evaluated outside its points: its argument x is beyond the point
 * at `end`. */
typedef struct {
  int line; // of the model file; 0: the expression is not from a file
  double x, end;
} cardan_exceeded_table;

/* Finds the first expression that evaluates a table outside its points at data's state, where it is
 * extrapolated linearly or held. Sensors that an output reads are not checked.
 * needs   cardan_kinematics
 * returns false, with zeros in out, if there is none */
CARDAN_API bool cardan_table_exceeded(const cardan_model *model, const cardan_data *data,
                                      cardan_exceeded_table *out);

/* Describes it for the user, at time t; text: out, cut to size. */
CARDAN_API void cardan_exceeded_table_text(const cardan_exceeded_table *left, double t, char *text,
                                           size_t size);

/* ---- frames ----
 * Poses, twists, accelerations and Jacobians of the frames of the file, O(depth) each. The six
 * numbers of a twist, angular then linear, are expressed in one of three kinds of axes:
 *   LOCAL    the frame's own axes, at its own origin
 *   WORLD    the world's axes, at the world's origin: v is that of the point of the body there
 *   ALIGNED  the world's axes, at the frame's own origin: v is the velocity of that origin
 * Every call here needs cardan_joints, and except for LOCAL also cardan_poses. */
typedef enum { CARDAN_LOCAL, CARDAN_WORLD, CARDAN_ALIGNED } cardan_axes;

/* World pose of a frame. needs cardan_poses */
CARDAN_API cardan_xform cardan_frame_pose(const cardan_model *model, const cardan_data *data,
                                          int frame);
/* Twist of a frame. needs cardan_velocities */
CARDAN_API cardan_twist cardan_frame_twist(const cardan_model *model, const cardan_data *data,
                                           int frame, cardan_axes axes);
/* Rates of the twist's six numbers in the same axes: J a + Jdot v with a = data->a, and Jdot v
 * alone. ALIGNED: the angular acceleration, and the acceleration of the frame's origin; in the
 * frame's own axes that is LOCAL's v plus w x v. Gravity is not included.
 * needs cardan_velocities */
CARDAN_API cardan_twist cardan_frame_acceleration(const cardan_model *model,
                                                  const cardan_data *data, int frame,
                                                  cardan_axes axes);
CARDAN_API cardan_twist cardan_frame_bias(const cardan_model *model, const cardan_data *data,
                                          int frame, cardan_axes axes);
/* Jacobian J of the twist J v, kinematic coordinates included: 6 x nv row-major, out, rows w then
 * v; and its time derivative, which needs cardan_velocities. O(depth), plus O(nv) to clear J. */
CARDAN_API void cardan_frame_jacobian(const cardan_model *model, const cardan_data *data, int frame,
                                      cardan_axes axes, double *J);
CARDAN_API void cardan_frame_jacobian_rate(const cardan_model *model, const cardan_data *data,
                                           int frame, cardan_axes axes, double *J_rate);

/* Twist of a frame relative to another frame, the reference, and its Jacobian. In axes, WORLD means
 * the reference's axes and origin, ALIGNED the reference's axes at the frame's own origin.
 * Reference 0 is the world.
 * needs cardan_poses; the twist cardan_velocities too */
CARDAN_API cardan_twist cardan_relative_twist(const cardan_model *model, const cardan_data *data,
                                              int reference, int frame, cardan_axes axes);
CARDAN_API void cardan_relative_jacobian(const cardan_model *model, const cardan_data *data,
                                         int reference, int frame, cardan_axes axes, double *J);

#ifdef __cplusplus
}
#endif
