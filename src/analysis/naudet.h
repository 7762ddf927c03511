/* SPDX-License-Identifier: Apache-2.0
 * analysis/naudet.h - the tables of J. Naudet, D. Lefeber, Recursive algorithm based on canonical
 * momenta for forward dynamics of multibody systems: numerical results (DETC2005-84915), computed
 * anew.
 *
 * The built-in model biped over 0.85 s, method aba (accelerations, [0] below) against method
 * hamilton in form reduced (momenta, [1]), loops not stabilised. Means are over the coordinates q1,
 * q2, q3 and their velocities or momenta; ends are against a reference of tighter tolerance. Calls
 * run whole simulations: they allocate, and take seconds at most. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"

enum { CARDAN__NAUDET_ACC, CARDAN__NAUDET_HAM };

/* One run of each formulation. */
typedef struct {
  double end[2]; // mean |error| of the coordinates at 0.85 s [rad]
  double
      truncation[2];   // mean estimated local error of the coordinates [rad]; fixed steps: over all
                       // steps, adaptive: over rows of 0.01 s; 0 where not measured
  double conjugate[2]; // the same of velocities [0] [rad/s] and momenta [1] [N m s]
  double violation[2]; // largest constraint violation [m]
  int64_t evaluations[2], jacobian[2]; // of the equations of motion; those for Jacobians among them
  int64_t accepted[2], rejected[2];
} cardan__naudet_runs;

/* Table 1, Fehlberg's 4(5) with fixed steps. */
typedef struct {
  double dt;
  cardan__naudet_runs ours;
  double end[2], truncation[2]; // the paper's
} cardan__naudet_row1;
enum { CARDAN__NAUDET_ROWS1 = 5 };

/* Table 2, adaptive steps, both tolerances alike. */
typedef struct {
  double tol;
  const char *integrator; // ours; "ode45" for ODE45, "bdf" for ODE15S
  cardan__naudet_runs ours;
  double end; // the paper's; 0: not given
  int evaluations[2];
} cardan__naudet_row2;
enum { CARDAN__NAUDET_ROWS2 = 10 };

/* Table 3, full and partial error control at 1e-6, Fehlberg's 4(5) with adaptive steps. */
typedef struct {
  const char *control;
  cardan__naudet_runs ours;
  double end[2], truncation[2];
  int evaluations[2];
} cardan__naudet_row3;
enum { CARDAN__NAUDET_ROWS3 = 2 };

/* rows: as many as there are, out; report may be NULL. returns what the simulations return */
cardan_status cardan__naudet_table1(cardan__naudet_row1 *rows,
                                    cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__naudet_table2(cardan__naudet_row2 *rows,
                                    cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__naudet_table3(cardan__naudet_row3 *rows,
                                    cardan_report *report) CARDAN_MUST_USE;
