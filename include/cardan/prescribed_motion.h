/* SPDX-License-Identifier: Apache-2.0
 * cardan/prescribed_motion.h - kinematics and inverse dynamics of a known motion.
 *
 *   Phi(q, t) = 0,  J v = -Phi_t,  J a = gamma         with some coordinates known over time
 *   known     prescribed coordinates, those with a (motion ..), those of a recording
 *   computed  all others: positions by Newton's method from the configuration before, velocities
 *             and accelerations exactly, from the rows. Positions that rows of velocity level move
 *             (roll, skate, velocity) are integrals of the velocities, each step off by some 1e-11
 *   forces    M a + c = Q + G^T lambda + tau: of drivers, and tau on the recorded coordinates
 *
 * docs/kinematics.md has the method. Dense, O(nv^3) for each configuration. A mechanism belongs to
 * one thread at a time; a recording is constant and may be shared. */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- measured motion ---- */

typedef struct cardan_recording cardan_recording;

/* Reads a table: a header with t and columns q.NAME, v.NAME, a.NAME of scalar coordinates (not of
 * quaternions), then rows of increasing t. Between rows q is a spline of degree 5 with four
 * continuous derivatives (not-a-knot at its ends; of lower degree with fewer than 6 rows), and v
 * and a are its derivatives. A column v.NAME or a.NAME is interpolated by a spline of its own
 * instead; with v.NAME alone, a is the derivative of that spline. Coordinates without a column
 * q.NAME are not recorded. Other columns are ignored.
 * returns CARDAN_ERR_SYNTAX for a text that is not such a table, with the position;
 *         CARDAN_ERR_MODEL if no column is a coordinate of the model; CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_recording_read(const cardan_model *model, const char *text,
                                               size_t length, const char *file,
                                               const cardan_allocator *allocator,
                                               cardan_recording **out,
                                               cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_recording_destroy(cardan_recording *motion); // NULL is fine

/* Number of rows; time of a row; q index of recorded coordinate k. */
CARDAN_API int cardan_recording_row_count(const cardan_recording *motion);
CARDAN_API double cardan_recording_time(const cardan_recording *motion, int row);
CARDAN_API int cardan_recording_coordinate(const cardan_recording *motion, int k);

/* Finds an angle that changes by more than half a turn from one row to the next. Such an angle was
 * probably recorded modulo whole turns, and the motion between these rows is then wrong.
 * k, row  out: the first such coordinate and the row before the jump; written only if there is one
 * returns whether there is one */
CARDAN_API bool cardan_recording_find_jump(const cardan_model *model,
                                           const cardan_recording *motion, int *k, int *row);

/* Value, velocity and acceleration of recorded coordinate k at t; constant beyond the first and
 * last row. O(log rows) */
CARDAN_API void cardan_recording_at(const cardan_recording *motion, int k, double t, double out[3]);

/* ---- the mechanism ---- */

typedef struct cardan_prescribed_motion cardan_prescribed_motion;

typedef struct {
  const cardan_recording *motion; // NULL: none; must outlive the mechanism
  bool hold; // true: coordinates without a known motion are constant; false: they are an error
} cardan_prescribed_motion_options;

/* How the coordinates are used. */
typedef struct {
  int nheld;       // coordinates that are held
  const int *held; // v index of each
  int nused;       // recorded coordinates that are used
  const int *used; // v index of each
  int nspare;      // recorded coordinates that are not used, since others determine them
  const int *spare;
} cardan_prescribed_motion_facts;

/* Closes the loops at data's t from its q, and determines which coordinates are known. data belongs
 * to the caller; every move writes its q, v and a.
 * returns CARDAN_ERR_UNSUPPORTED if coordinates are free, with their names; CARDAN_ERR_ASSEMBLY,
 *         CARDAN_ERR_SINGULAR, CARDAN_ERR_MEMORY; with a sentence in report; *out is then NULL */
CARDAN_API cardan_status cardan_prescribed_motion_create(
    const cardan_model *model, cardan_data *data, const cardan_prescribed_motion_options *options,
    const cardan_allocator *allocator, cardan_prescribed_motion **out,
    cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void
cardan_prescribed_motion_destroy(cardan_prescribed_motion *mechanism); // NULL is fine
CARDAN_API cardan_prescribed_motion_facts
cardan_prescribed_motion_about(const cardan_prescribed_motion *mechanism);

/* Moves the mechanism from its current configuration to time t, on the same branch, in steps that
 * are short enough to stay on it. writes q, v, a of data, and all of cardan_kinematics and the
 * rows.
 * returns CARDAN_ERR_SINGULAR where branches meet or a position is singular, and CARDAN_ERR_NO_ROOT
 *         where the motion cannot continue, both with the time and a sentence; data is then at the
 *         last time that was reached */
CARDAN_API cardan_status cardan_prescribed_motion_move(cardan_prescribed_motion *mechanism,
                                                       double t,
                                                       cardan_report *report) CARDAN_MUST_USE;

/* Inverse dynamics at the current configuration: forces on the recorded coordinates that are used,
 * and on those that are held. Also writes data->lambda; cardan_reactions and cardan_driver_forces
 * may be called after it.
 * tau     nv, out: 0 for all other coordinates
 * returns CARDAN_ERR_UNSUPPORTED with friction, which depends on the forces to be computed;
 *         CARDAN_ERR_SINGULAR, CARDAN_ERR_NOT_FINITE, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_prescribed_motion_forces(cardan_prescribed_motion *mechanism,
                                                         double *tau,
                                                         cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
