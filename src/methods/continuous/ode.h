/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/ode.h - integrators of ordinary differential equations y' = f(t, y).
 *
 * y = [q; v]: nq coordinates and nv velocities (or momenta), n = nq + nv; either may be 0.
 *
 *   fixed step   euler, semi-implicit, rk2, rk4, rkf45-fixed, trapezoid, midpoint, gauss4
 *   adaptive     ode45, dop853 of our own; rkf45, dopri5 (ARKODE), adams, bdf (CVODE)
 *
 *   create -> begin -> advance, advance, ... -> destroy; restart wherever the state jumps.
 *
 * All memory is taken by create; begin, advance and restart take none. No globals: each integrator
 * belongs to one thread at a time, and runs with the same input give the same bits. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "base/spans.h"
#include "cardan/base.h"

/* How a callback, or a part of a step, ended: done; not possible at this state, but perhaps with a
 * smaller step; or failed, which ends the advance. */
typedef enum { CARDAN__ODE_DONE, CARDAN__ODE_RETRY, CARDAN__ODE_FAILED } cardan__ode_outcome;

typedef struct {
  cardan__ode_outcome outcome;
  cardan_status status; // RETRY: what advance returns if no smaller step is possible; FAILED: why
} cardan__ode_result;

static inline cardan__ode_result cardan__ode_result_of(cardan_status status)
{
  return (cardan__ode_result){status == CARDAN_OK ? CARDAN__ODE_DONE : CARDAN__ODE_FAILED, status};
}

static inline cardan__ode_result cardan__ode_retry(cardan_status status)
{
  return (cardan__ode_result){CARDAN__ODE_RETRY, status};
}

static inline bool cardan__ode_is_done(cardan__ode_result result)
{
  return result.outcome == CARDAN__ODE_DONE;
}

/* What is integrated. A derivative that is not finite counts as CARDAN__ODE_RETRY; where no smaller
 * step helps it is reported as CARDAN_ERR_NOT_FINITE. */
typedef struct {
  int nq, nv;
  int nquiet; // 0 or 1: the last of the nv is an integral of the others, which no error norm, no
              // iteration and no Jacobian reads
  void *ctx;
  // y' (n) at y (n)
  cardan__ode_result (*f)(void *ctx, double t, const double *y, double *ydot);
  // only semi-implicit calls them, NULL otherwise. To y_new (n) from y (n): kick its last nv
  // components, v + h v'(t, q, v), then drift its first nq, q + h q'(t, q, v_new)
  cardan__ode_result (*kick)(void *ctx, double t, double h, const double *y, double *y_new);
  cardan__ode_result (*drift)(void *ctx, double t, double h, const double *y, double *y_new);
  // after a step to t: may change y, and then sets *changed (false before the call). May be NULL.
  // Called after every step of the fixed ones and every internal step of ode45 and dop853
  // (not for rows between two of them), at the end of every advance by those of SUNDIALS.
  cardan__ode_result (*accepted)(void *ctx, double t, double *y, bool *changed);
} cardan__ode_problem;

/* Which components the error norm of an adaptive integrator counts. */
typedef enum {
  CARDAN__ODE_FULL,    // all n
  CARDAN__ODE_PARTIAL, // the first nq; a mean is then over nq
} cardan__ode_error;

typedef struct {
  double rtol, atol;               // local error allowed [of |y|; units of y], both > 0
  cardan__ode_error error_control; // adaptive ones
  int max_steps;                   // internal steps in one advance, failed ones included
  int max_iter;                    // iterations in one step of an implicit fixed one
  double iter_tol;                 // last change of such an iteration, relative; 0: to round-off
  bool stops;                      // no step goes beyond the target of an advance
} cardan__ode_options;

/* rtol 1e-6, atol 1e-9, full, 100000 steps, 100 iterations to round-off. */
cardan__ode_options cardan__ode_defaults(void);

/* What was spent since begin. */
typedef struct {
  int64_t evaluations;          // of f (semi-implicit: of kick), those for Jacobians included
  int64_t jacobian_evaluations; // of those, the ones for Jacobians (trapezoid, bdf)
  int64_t accepted, rejected;   // steps, internal ones where there are
  int64_t restarts;   // calls of restart, and times `accepted` changed y under a method that
                      // carries derivatives from step to step (ode45 and SUNDIALS)
  int64_t iterations; // of the implicit fixed ones
  double last_step;   // signed size of the last accepted step, 0 before
} cardan__ode_counters;

typedef struct cardan__ode_method cardan__ode_method;

/* An integrator at work. Fields up to `counters` are for reading. */
typedef struct {
  const cardan__ode_method *method;
  cardan__ode_problem problem;
  cardan__ode_options options;
  int n, ncount; // components, and those of them that are not quiet
  double t;      // where y stands
  double *y;     // n; the last good state also after a failure; advance may move it
  double
      *error; // n: estimated local error of the last step (the solution that is advanced minus its
              // companion; SUNDIALS: its own estimate, sign included); NULL where there is none
  cardan__ode_counters counters;

  // for the methods
  double t_begin, t_final;
  double t_wall;       // no step of an adaptive one passes it, if it lies ahead: f changes there
  bool stop;           // the advance under way makes no step beyond its target
  double change;       // r of the last iteration of an implicit fixed one (ode_method.h)
  double rate;         // where a fixed-point iteration failed, largest |eigenvalue| of df/dy [1/s];
                       // 0: it did not, or that is not known
  void *own;           // the method's own struct
  cardan__arena arena; // every piece of memory, this struct excepted
  cardan_allocator alloc;
} cardan__ode;

/* The table of integrators. at: index from 0 to count - 1; find: NULL when there is none. */
int cardan__ode_method_count(void);
const cardan__ode_method *cardan__ode_method_at(int index);
const cardan__ode_method *cardan__ode_method_find(const char *name);
const char *cardan__ode_method_name(const cardan__ode_method *method);
int cardan__ode_method_order(const cardan__ode_method *method);
bool cardan__ode_method_adaptive(const cardan__ode_method *method);
/* Is its history not ours to copy, so that saving is a new start (cardan__ode_rejoin)? */
bool cardan__ode_method_foreign(const cardan__ode_method *method);

/* Makes an integrator; problem and options (NULL: defaults) are copied, ctx is the caller's.
 * alloc   for our own memory, NULL: malloc; SUNDIALS takes its share from malloc
 * out     NULL on failure
 * returns CARDAN_ERR_MEMORY; CARDAN_ERR_ARGUMENT: a size < 0, an option out of its range, or no
 *         kick and drift for semi-implicit */
cardan_status cardan__ode_create(const cardan_allocator *alloc, const cardan__ode_method *method,
                                 const cardan__ode_problem *problem,
                                 const cardan__ode_options *options,
                                 cardan__ode **out) CARDAN_MUST_USE;

/* Gives all memory back; ode may be NULL. */
void cardan__ode_destroy(cardan__ode *ode);

/* Starts at (t0, y0) with all counters at 0. May be called again for another run.
 * t_final  end of the whole run: no adaptive integrator evaluates beyond it, and ode45 and dop853
 *          bound their steps by a tenth of the run. A later advance beyond it moves it. May lie
 *          before t0.
 * h        first internal step of an adaptive integrator, 0: its own choice; others ignore it
 * returns  CARDAN_ERR_ARGUMENT for a time that is not finite or h < 0; CARDAN_ERR_NOT_FINITE for
 *          y0. Nothing is evaluated before the first advance. */
cardan_status cardan__ode_begin(cardan__ode *ode, double t0, const double *y0, double t_final,
                                double h) CARDAN_MUST_USE;

/* Brings y to t_target: a fixed-step integrator by one step of t_target - t, an adaptive one by as
 * many as it needs. On failure t and y are those of the last good state: the start of the step, or
 * the last internal step; a later advance continues from there.
 * returns CARDAN_ERR_ARGUMENT for a target that is not finite, or not on the way to t_final;
 *         CARDAN_ERR_NOT_FINITE, CARDAN_ERR_STEP_TOO_SMALL; CARDAN_ERR_NO_CONVERGENCE: an
 *         iteration, or max_steps internal steps did not get there; what a callback returned */
cardan_status cardan__ode_advance(cardan__ode *ode, double t_target) CARDAN_MUST_USE;

/* Continues from another state (after an event, say): as begin, keeping counters and t_final. */
cardan_status cardan__ode_restart(cardan__ode *ode, double t, const double *y) CARDAN_MUST_USE;

/* The right-hand side is another one from ode->t on (an input jumps): what was carried over of it
 * is forgotten, and the next advance makes no step beyond its target. Fixed steps carry nothing.
 * Counts as a restart; returns what that does. */
cardan_status cardan__ode_jump(cardan__ode *ode) CARDAN_MUST_USE;

/* What the next advance reads; and, after it was copied out or in: a method whose history is not in
 * it (SUNDIALS) restarts at the next advance, which is counted. */
void cardan__ode_spans(cardan__ode *ode, cardan__spans *list);
void cardan__ode_rejoin(cardan__ode *ode);
