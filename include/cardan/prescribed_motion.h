/* SPDX-License-Identifier: Apache-2.0
 * cardan/prescribed_motion.h - a motion that is known: what follows from it, and the forces that it
 * takes.
 *
 *   Phi(q, t) = 0,  J v = -Phi_t,  J a = gamma         with some coordinates known over time
 *   known     prescribed ones, those under a (motion ..), those of a record of measured motion
 *   found     all others: positions by Newton from the place before, velocities and accelerations
 *             exactly, from the rows
 *   forces    M a + c = Q + G^T lambda + tau: of drivers, and tau on the recorded coordinates
 *
 * docs/kinematics.md has the method. Dense, O(nv^3) for each place. A mechanism belongs to one
 * thread at a time; a record is constant, and may be shared. */
#pragma once
#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- measured motion ---- */

typedef struct cardan_recording cardan_recording;

/* Reads a table: a header with t and columns q.NAME, v.NAME, a.NAME of coordinates that are numbers
 * (not of quaternions), then rows of increasing t. Between rows q is a spline of degree 5 with four
 * continuous derivatives (not-a-knot at its ends; less where there are fewer than 6 rows), v and a
 * its derivatives; where there is a column v.NAME or a.NAME, a spline of that takes its place, and
 * a follows from v where only that is there. A coordinate without q.NAME is not known by its
 * others. Other columns are passed over.
 * returns CARDAN_ERR_SYNTAX for a text that is no such table, with its place; CARDAN_ERR_MODEL
 *         where no column is a coordinate of the model; CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_recording_read(const cardan_model *model, const char *text,
                                               size_t length, const char *file,
                                               const cardan_allocator *allocator,
                                               cardan_recording **out,
                                               cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_recording_destroy(cardan_recording *motion); // NULL is fine

/* How many rows, and the time of one; the q index of recorded coordinate k. */
CARDAN_API int cardan_recording_row_count(const cardan_recording *motion);
CARDAN_API double cardan_recording_time(const cardan_recording *motion, int row);
CARDAN_API int cardan_recording_coordinate(const cardan_recording *motion, int k);

/* Finds an angle that changes by more than half a turn from one row to the next, as one does that
 * was recorded modulo whole turns: the motion between such rows is hardly what was meant.
 * k, row  out: the first such coordinate, and the row before; written where there is one
 * returns whether there is one */
CARDAN_API bool cardan_recording_find_jump(const cardan_model *model,
                                           const cardan_recording *motion, int *k, int *row);

/* Value, velocity and acceleration of its coordinate k at t, held at the ends. O(log rows) */
CARDAN_API void cardan_recording_at(const cardan_recording *motion, int k, double t, double out[3]);

/* ---- the mechanism ---- */

typedef struct cardan_prescribed_motion cardan_prescribed_motion;

typedef struct {
  const cardan_recording *motion; // NULL: none; must outlive the mechanism
  bool hold; // coordinates that nothing moves stay where they start; else they are an error
} cardan_prescribed_motion_options;

/* What became of the coordinates. */
typedef struct {
  int nheld;       // coordinates that are held
  const int *held; // v index of each
  int nused;       // recorded coordinates that are used
  const int *used; // v index of each
  int nspare;      // those that follow from others, and are not
  const int *spare;
} cardan_prescribed_motion_facts;

/* Closes the loops at data's t from its q, and finds what is known there. data stays the caller's:
 * its q, v and a are written by every move.
 * returns CARDAN_ERR_UNSUPPORTED when coordinates are free, with their names; CARDAN_ERR_ASSEMBLY,
 *         CARDAN_ERR_SINGULAR, CARDAN_ERR_MEMORY; with a sentence in report; *out is then NULL */
CARDAN_API cardan_status cardan_prescribed_motion_create(
    const cardan_model *model, cardan_data *data, const cardan_prescribed_motion_options *options,
    const cardan_allocator *allocator, cardan_prescribed_motion **out,
    cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void
cardan_prescribed_motion_destroy(cardan_prescribed_motion *mechanism); // NULL is fine
CARDAN_API cardan_prescribed_motion_facts
cardan_prescribed_motion_about(const cardan_prescribed_motion *mechanism);

/* The place, velocities and accelerations at time t, from where it is: on the same branch, in steps
 * as short as that takes. writes q, v, a of data, and all of cardan_kinematics and the rows.
 * returns CARDAN_ERR_SINGULAR where branches meet or a position is singular, and
 *         CARDAN_ERR_NO_ROOT where there is no place further on, both with the time and a sentence;
 *         data stays at the last time that was reached */
CARDAN_API cardan_status cardan_prescribed_motion_move(cardan_prescribed_motion *mechanism,
                                                       double t,
                                                       cardan_report *report) CARDAN_MUST_USE;

/* Inverse dynamics where it is: forces on the recorded coordinates that are used (and on those that
 * are held), tau: nv, out, 0 elsewhere; data->lambda, and cardan_reactions and cardan_driver_forces
 * may be called after it.
 * returns CARDAN_ERR_UNSUPPORTED with friction, which depends on the forces to be computed;
 *         CARDAN_ERR_SINGULAR, CARDAN_ERR_NOT_FINITE, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_prescribed_motion_forces(cardan_prescribed_motion *mechanism,
                                                         double *tau,
                                                         cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
