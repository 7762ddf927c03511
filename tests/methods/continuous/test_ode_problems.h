/* SPDX-License-Identifier: Apache-2.0
 * test_ode_problems.h - small differential equations with known solutions, for the integrators. */
#pragma once
#include "methods/continuous/ode.h"
#include "support.h"

/* What a callback may do at a certain time; calls are counted. */
typedef struct {
  double wall;               // f misbehaves for t > wall; HUGE_VAL: never
  cardan__ode_result beyond; // what it returns there; done: a derivative that is NaN
  double fence;              // f asks for a smaller step where |y_0| is larger; HUGE_VAL: never
  bool touch;                // `accepted` says that it changed y, and leaves it as it is
  bool refuse;               // `accepted` returns `accept`
  cardan__ode_result accept;
  long f_calls, v_calls; // of f and of kick
  long accept_calls;
  int kind; // of the problem that was made with it
} problem_context;

problem_context problem_context_plain(void);

/* One of: exponential  q' = q cos t, q(0) = 1, so q = exp(sin t)                       nq 1, nv 0
 *         growth       the same equation, as a velocity                                nq 0, nv 1
 *         pendulum     q' = v, v' = -sin q, q(0) = 2, v(0) = 0                         nq 1, nv 1
 *         kepler       q'' = -q / |q|^3, eccentricity 0.3, period 2 pi, from periapsis nq 2, nv 2
 *         blowup       q' = q^2, q(0) = 1, infinite at t = 1                           nq 1, nv 0
 *         empty        nothing                                                         nq, nv 0 */
typedef enum { EXPONENTIAL, GROWTH, PENDULUM, KEPLER, BLOWUP, EMPTY } problem_kind;
enum { PROBLEM_MAX = 4 }; // the largest n

cardan__ode_problem problem_make(problem_kind kind, problem_context *context);

/* y at t = 0, and at t = *time, where the solution is known: exponential, growth, blowup 0.5;
 * pendulum a quarter, kepler half of a period. */
void problem_start(problem_kind kind, double *y);
void problem_known(problem_kind kind, double *time, double *y);

/* Period of the pendulum with amplitude a < pi, by the arithmetic-geometric mean. */
double pendulum_period(double a);

/* Runs the method from 0 to `time` in `rows` equal rows. Fails the test unless each ends well. */
cardan__ode *problem_run(const char *method, problem_kind kind, problem_context *context,
                         const cardan__ode_options *options, double time, int rows);

/* Largest difference from the known solution after `rows` rows up to its time. */
double problem_error(const char *method, problem_kind kind, const cardan__ode_options *options,
                     int rows);
