/* SPDX-License-Identifier: Apache-2.0
 * cardan/constraints.h - loops, couplings and drivers: how far they are violated, and closing them.
 *
 *   Phi(q, t) = 0,   J v + Phi_t = 0,   J a = gamma            model->nrow scalar rows
 *   cardan_constraints     all of these at data's state        O(rows)
 *   cardan_assemble        q and v that satisfy them           dense, at load
 *   cardan_inverse_kinematics           q that has frames at given poses    dense, at load
 *
 * One data per thread. What is "at load" allocates and may take long; the rest does not. */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Values, rows and rates of all constraints at data's t, q, v.
 * needs   cardan_kinematics (poses, velocities, bias accelerations)
 * writes  data->rows */
CARDAN_API void cardan_constraints(const cardan_model *model, cardan_data *data);

/* Largest violation |Phi| over all rows [m or rad]; 0 without constraints, NaN when one is NaN.
 * needs   cardan_poses;  writes  data->rows.phi */
CARDAN_API double cardan_constraint_max(const cardan_model *model, cardan_data *data);

/* Dense Jacobian of the rows in v, kinematic coordinates included: dPhi/dt = J v + Phi_t.
 * needs   cardan_poses;  writes  data->rows.w and c;  J: nrow x nv row-major, out */
CARDAN_API void cardan_jacobian(const cardan_model *model, cardan_data *data, double *J);

/* A start value that was given and not kept: which (-1: none), and what became of it. */
typedef struct {
  int index;
  double given, used, change; // change: of the angle, for a quaternion
} cardan_lost;

/* What assembly did. Indices are -1 where there is nothing to say. */
typedef struct {
  int iterations;   // Newton steps for positions
  int kicks;        // times it had to leave a dead point: the branch was a toss-up
  double violation; // largest |Phi| left [m or rad]
  double open;      // the same where data contradict one another, within model->closing; else 0
  double q_change;  // largest change of a coordinate (of the angle, for a quaternion) [rad or m]
  int q_index;      // where
  double v_change; // largest change of a velocity, kinematic coordinates not counted [rad/s or m/s]
  int v_index;     // where
  bool fixed_velocity; // a velocity of a coordinate marked `fixed` had to change
  double
      driver_change; // largest change of a driven velocity, by motion on either kind of coordinate
  int driver;        // its v index: data started at another speed than its driver's
  bool driver_given; // that speed was given
  cardan_lost q_lost, v_lost; // of the values that were given, those that changed most
} cardan_assembly;

/* Closes the loops at data's t, starting from its q and v, which are seeds: the result is the
 * branch near to them. Kinematic coordinates are set from their motions; coordinates marked `fixed`
 * in the model keep their values (joints with a quaternion as a whole). A velocity is given when
 * data->v_given says so, from the file or since, or when it is not the model's own.
 *   positions   Newton steps of least length, rank-revealing; lengths count relative to the size of
 *               the mechanism; largest violation at the end 1e-12 (1 + size_length)
 *               pairs are closed as their joints turn, never half a turn off
 *   velocities  J v = -Phi_t: those that are given change least, and not at all if that can be;
 *               then those of `fixed` coordinates; then the kinetic energy of the change is least
 * Where the model has poses, the first call after cardan_data_reset goes to them before that
 * (cardan_inverse_kinematics; data->posed): frames are where they are to be, and move as they are
 * to, to 1e-9 of the mechanism or what the digits of the file leave.
 * writes  q, v and all of cardan_kinematics
 * result  out, may be NULL;  report  out, may be NULL: which constraint stays open, and by how much
 * returns CARDAN_ERR_ASSEMBLY, or CARDAN_ERR_MEMORY, with q and v as before */
CARDAN_API cardan_status cardan_assemble(const cardan_model *model, cardan_data *data,
                                         cardan_assembly *result,
                                         cardan_report *report) CARDAN_MUST_USE;

/* What an assembly changed of what was given, in words for the user; "" where that is nothing to
 * speak of.
 * data    as cardan_assemble left it
 * text    out, cut to size */
CARDAN_API void cardan_assembly_words(const cardan_model *model, const cardan_data *data,
                                      const cardan_assembly *assembly, char *text, size_t size);

/* Where a frame is to be: its pose in the world, or the place or the turn of it alone. */
typedef struct {
  int frame;
  cardan_xform pose;
  bool place, turn; // which parts of the pose count
} cardan_goal;

/* How near it came. */
typedef struct {
  int iterations;
  double place, turn; // of the goals, the largest miss [m, rad]
  double violation;   // of the constraints, the largest [m or rad]
  int worst;          // the goal that is missed most, -1: none
  int limited;        // coordinates at an end of their limit
} cardan_inverse_kinematics_result;

/* Inverse kinematics: from data's q the configuration near it that has n frames where they are to
 * be, loops closed, limits kept, prescribed and `fixed` coordinates unchanged. To 1e-10 rad and
 * of the mechanism's length. Where many configurations do, the one that short steps lead to.
 * writes  q, and all of cardan_kinematics
 * result  out, may be NULL;  report  out, may be NULL
 * returns CARDAN_ERR_NO_CONVERGENCE, with data as near as it came and a sentence in report;
 *         CARDAN_ERR_ARGUMENT, CARDAN_ERR_MEMORY with data as it was
 * Dense; takes work space of the data's allocator and gives it back. */
CARDAN_API cardan_status cardan_inverse_kinematics(const cardan_model *model, cardan_data *data,
                                                   const cardan_goal *goal, int n,
                                                   cardan_inverse_kinematics_result *result,
                                                   cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
