/* SPDX-License-Identifier: Apache-2.0
 * reproduce/naudet_runs.h - the biped of Naudet and Lefeber by accelerations and by momenta.
 *
 * The built-in model biped over 0.85 s, from rest; accelerations are method aba, momenta method
 * hamilton in form reduced, loops not stabilised. The paper's means are over the coordinates q1,
 * q2, q3 and their velocities or momenta. docs/methods/hamilton.md says how the model was
 * identified. */
#pragma once
#include <stdint.h>

#include "reproduce/paper.h"

enum { CARDAN__ACCELERATIONS, CARDAN__MOMENTA, CARDAN__FORMULATIONS };
enum { CARDAN__BIPED_FREE = 3, CARDAN__BIPED_ROWS = 85 }; // rows of 0.01 s
static const double cardan__biped_end = 0.85;             // [s]

typedef struct {
  const char *integrator, *control; // control NULL: full
  double dt, tol;
} cardan__biped_options;

/* One run. */
typedef struct {
  double end;        // mean |error| of the coordinates at the end [rad]
  double truncation; // mean estimated local error of the coordinates [rad]: over all steps, or over
                     // rows of an adaptive integrator
  double conjugate;  // the same of velocities [rad/s] or momenta [N m s]
  double violation;  // largest, of the loop [m]
  int64_t evaluations, jacobian, rejected; // evaluations for Jacobians among all of them
} cardan__biped_run;

typedef struct {
  double q[CARDAN__BIPED_FREE]; // at the end
} cardan__biped_reference;

/* Accelerations, the loop projected, at tolerances near rounding. */
cardan_status cardan__biped_begin(cardan__biped_reference *ref,
                                  cardan_report *report) CARDAN_MUST_USE;

/* row: called after every interval of dt with what it took; NULL */
typedef struct {
  void *user;
  void (*row)(void *user, double t, int64_t evaluations, const double *q, const double *v,
              const double *x, double violation);
} cardan__biped_watch;

cardan_status cardan__biped_run_one(const cardan__biped_reference *ref, int formulation,
                                    const cardan__biped_options *o,
                                    const cardan__biped_watch *watch, cardan__biped_run *out,
                                    cardan_report *report) CARDAN_MUST_USE;

/* Fehlberg's pair under a rule that never lengthens a step: every 0.01 s in N equal parts, N one
 * more (and the interval repeated) when the largest estimated error of a part exceeds tol (of 1, or
 * of the component where that is larger). */
cardan_status cardan__biped_run_parts(const cardan__biped_reference *ref, int formulation,
                                      const cardan__biped_options *o, cardan__biped_run *out,
                                      cardan_report *report) CARDAN_MUST_USE;
