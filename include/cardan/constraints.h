/* SPDX-License-Identifier: Apache-2.0
 * cardan/constraints.h - loops, couplings and drivers: violations, assembly, inverse kinematics.
 *
 *   Phi(q, t) = 0,   J v + Phi_t = 0,   J a = gamma            model->nrow scalar rows
 *   cardan_constraints     all of these at data's state        O(rows)
 *   cardan_assemble        q and v that satisfy them           dense, at load
 *   cardan_inverse_kinematics           q that has frames at given poses    dense, at load
 *
 * One data per thread. Calls marked "at load" allocate and may be slow; the others do neither. */
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

/* A given start value that assembly changed. index -1: none. */
typedef struct {
  int index;
  double given, used, change; // change: for a quaternion, of the angle
} cardan_lost;

/* Result of an assembly. An index of -1 means "none". */
typedef struct {
  int iterations;      // Newton steps for positions
  int kicks;           // perturbations out of a dead point, where the branch is arbitrary
  double violation;    // largest remaining |Phi| [m or rad]
  double open;         // the same if data contradict one another, up to model->closing; otherwise 0
  double q_change;     // largest change of a coordinate (for a quaternion, of the angle) [rad or m]
  int q_index;         // its index
  double v_change;     // largest change of a velocity that is not kinematic [rad/s or m/s]
  int v_index;         // its index
  bool fixed_velocity; // a velocity of a coordinate marked `fixed` had to change
  double
      driver_change; // largest change of a driven velocity, by motion on either kind of coordinate
  int driver;        // its v index: its start speed differed from its driver's
  bool driver_given; // that speed was given
  cardan_lost q_lost, v_lost; // the given values that changed most
} cardan_assembly;

/* Closes the loops at data's t. q and v are the initial guess; the result is on the branch nearest
 * to them. Kinematic coordinates are set from their motions; coordinates marked `fixed` in the
 * model keep their values (joints with a quaternion as a whole). A velocity counts as given if
 * data->v_given is set or if it differs from the model's own start value.
 *   positions   rank-revealing minimum-norm Newton steps; lengths are scaled by the size of the
 *               mechanism; the largest violation at the end is 1e-12 (1 + size_length).
 *               Pairs close in the sense in which their joints turn, never half a turn off
 *   velocities  J v = -Phi_t. In order of priority: least change of given velocities (none if
 *               possible), least change of velocities of `fixed` coordinates, least kinetic energy
 *               of the change
 * If the model has poses, the first call after cardan_data_reset first moves the frames to them
 * (cardan_inverse_kinematics; data->posed): poses and velocities of these frames are reached to
 * 1e-9 of the size of the mechanism, or to the precision of the numbers in the file.
 * writes  q, v and all of cardan_kinematics
 * result  out, may be NULL;  report  out, may be NULL: the constraint with the largest violation
 * returns CARDAN_ERR_ASSEMBLY or CARDAN_ERR_MEMORY; q and v are then unchanged */
CARDAN_API cardan_status cardan_assemble(const cardan_model *model, cardan_data *data,
                                         cardan_assembly *result,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Describes for the user which given values an assembly changed; "" if no change is significant.
 * data    after cardan_assemble
 * text    out, cut to size */
CARDAN_API void cardan_assembly_text(const cardan_model *model, const cardan_data *data,
                                     const cardan_assembly *assembly, char *text, size_t size);

/* Goal of a frame: its pose in the world, or only its position or its orientation. */
typedef struct {
  int frame;
  cardan_xform pose;
  bool place, turn; // the goal includes the position, the orientation
} cardan_goal;

/* Remaining errors of inverse kinematics. */
typedef struct {
  int iterations;
  double place, turn; // largest error of position and orientation over the goals [m, rad]
  double violation;   // largest violation of the constraints [m or rad]
  int worst;          // index of the goal with the largest error, -1: none
  int limited;        // number of coordinates at an end of their limit
} cardan_inverse_kinematics_result;

/* Inverse kinematics: moves data's q to a configuration near it in which n frames reach their
 * goals. Loops are closed, limits are respected, prescribed and `fixed` coordinates do not change.
 * Tolerance: 1e-10 rad and 1e-10 of the mechanism's length. If several configurations reach the
 * goals, the result is the one that short steps lead to.
 * writes  q, and all of cardan_kinematics
 * result  out, may be NULL;  report  out, may be NULL
 * returns CARDAN_ERR_NO_CONVERGENCE with the best configuration in data and a sentence in report;
 *         CARDAN_ERR_ARGUMENT, CARDAN_ERR_MEMORY with data unchanged
 * Dense; allocates work space from the data's allocator and frees it. */
CARDAN_API cardan_status cardan_inverse_kinematics(const cardan_model *model, cardan_data *data,
                                                   const cardan_goal *goal, int n,
                                                   cardan_inverse_kinematics_result *result,
                                                   cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
