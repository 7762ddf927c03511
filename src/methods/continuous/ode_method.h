/* SPDX-License-Identifier: Apache-2.0
 * methods/continuous/ode_method.h - what an integrator is made of: the row of the table, and the
 * few calls that the integrators share. For the files of this folder only; clients use ode.h. */
#pragma once
#include "methods/continuous/ode.h"

/* One integrator. A new one is a row like this in its file, and its name in the list below.
 * create takes memory from ode->arena; destroy gives back what did not come from there, also after
 * a create that failed half way. begin serves restart too: ode->t and y are set before. Each may be
 * NULL but advance. spans lists what advance keeps for the next one, beside what ode.h has. leave,
 * of those whose history is not ours to copy: the next advance restarts from ode->t, y. */
struct cardan__ode_method {
  const char *name;
  int order;
  bool adaptive;
  bool estimates;   // fills ode->error
  bool split;       // calls kick and drift, not f
  const void *data; // what tells the methods of one file apart
  cardan_status (*create)(cardan__ode *ode);
  cardan_status (*begin)(cardan__ode *ode, double h);
  cardan__ode_result (*advance)(cardan__ode *ode, double t_target);
  void (*destroy)(cardan__ode *ode);
  void (*spans)(cardan__ode *ode, cardan__spans *list);
  void (*leave)(cardan__ode *ode);
};

/* Every integrator: cardan__ode_euler and so on. */
#define CARDAN__ODE_LIST(X) \
  X(euler)                  \
  X(semi_implicit)          \
  X(rk2)                    \
  X(rk4)                    \
  X(rkf45_fixed)            \
  X(rkf45)                  \
  X(dopri5)                 \
  X(ode45)                  \
  X(dop853)                 \
  X(trapezoid)              \
  X(midpoint)               \
  X(gauss4)                 \
  X(adams)                  \
  X(bdf)
#define CARDAN__ODE_EXTERN(name) extern const cardan__ode_method cardan__ode_##name;
CARDAN__ODE_LIST(CARDAN__ODE_EXTERN)
#undef CARDAN__ODE_EXTERN

/* n doubles from the integrator's arena; NULL: no memory. */
double *cardan__ode_take(cardan__ode *ode, size_t n);

/* True when all n numbers are finite. */
bool cardan__ode_finite(int n, const double *x);

/* How many components, from the first on, the error norm of an adaptive integrator counts. */
int cardan__ode_counted(const cardan__ode *ode);

/* Where steps of an advance to t_target end at the latest. */
double cardan__ode_bound(const cardan__ode *ode, double t_target);

/* The smallest step that still moves t: 16 times the distance from |t| to the next double. */
double cardan__ode_least_step(double t);

/* f with its count and its check: CARDAN__ODE_RETRY when f asks for a smaller step or a derivative
 * is not finite. */
cardan__ode_result cardan__ode_eval(cardan__ode *ode, double t, const double *y, double *ydot);

/* Difference quotients of f at (t, y): J[i row + j column] = df_i / dy_j, i, j < ncount.
 * y   n: each component is moved and put back     f (n) = f(t, y)     tmp (n) work
 * returns what cardan__ode_eval does; ncount evaluations, counted as for a Jacobian */
cardan__ode_result cardan__ode_jacobian(cardan__ode *ode, double t, double *y, const double *f,
                                        double *tmp, double *J, size_t row, size_t column);

/* The check and the `accepted` callback on a new state y (n) at t, which the callback may change:
 * CARDAN__ODE_RETRY as above, also when y is not finite. changed out: whether y was changed. */
cardan__ode_result cardan__ode_check(cardan__ode *ode, double t, double *y, bool *changed);

/* Ends a fixed step: checks *y_new (n), and on success makes it the state at t_target; *y_new is
 * then the memory of the state before. */
cardan__ode_result cardan__ode_finish(cardan__ode *ode, double t_target, double **y_new);

/* Explicit Runge-Kutta coefficients, s stages:
 *   k_i = f(t + c_i h, y + h sum_j<i a_ij k_j),   y_new = y + h sum_i b_i k_i. */
enum { CARDAN__RK_STAGES = 16 }; // the most any table here has
typedef struct {
  int stages;
  double a[CARDAN__RK_STAGES][CARDAN__RK_STAGES], b[CARDAN__RK_STAGES], c[CARDAN__RK_STAGES];
  double e[CARDAN__RK_STAGES]; // error = h sum_i e_i k_i, where there is an estimate
} cardan__rk_table;

/* Fills k_i, i = first .. end - 1, of the step from t to t_new, from those before. A stage with
 * c_i = 1 is at t_new to the bit. y (n) the state at t, tmp (n) work: holds the argument of the
 * last stage when done. returns what cardan__ode_eval does */
cardan__ode_result cardan__rk_stages(cardan__ode *ode, const cardan__rk_table *table, int first,
                                     int end, double t, double t_new, const double *y,
                                     double *const *k, double *tmp);

/* out = base + h sum_i w_i k_i over n components and s stages; base NULL: zero; out may be base. */
void cardan__rk_combine(int n, int s, const double *base, double h, const double *w,
                        double *const *k, double *out);

/* Where the slope at a step's end, the first stage of the next one, is: in the first stage already,
 * in the last one, or to be evaluated. */
typedef enum {
  CARDAN__SLOPE_IN_FIRST,
  CARDAN__SLOPE_IN_LAST,
  CARDAN__SLOPE_NOWHERE
} cardan__ode_slope;

/* Steps of a method that goes beyond rows and looks back at them: the last accepted one, and what
 * the next begins with. */
typedef struct {
  double t0, t1;
  double *y0, *y1; // states there (n)
  double *y_try;   // the step being tried (n)
  cardan__ode_slope slope;
  double h_next; // size of the next step to try; 0: not chosen yet
} cardan__rk_last;

/* Its memory, and a relative tolerance that doubles can hold. returns false: out of memory */
bool cardan__rk_take(cardan__ode *ode, cardan__rk_last *last);
/* At the state of ode, with a step of h, or 0. f may still change before the first step, as a
 * contact closes: the slope is not evaluated yet. */
void cardan__rk_begin(const cardan__ode *ode, cardan__rk_last *last, double h);
/* f(t1, y1) into *k, the first stage; end: that of the last step's end, where it is there.
 * returns what cardan__ode_eval does */
cardan__ode_result cardan__rk_slope(cardan__ode *ode, cardan__rk_last *last, double **k,
                                    double **end);
void cardan__rk_spans(const cardan__ode *ode, cardan__rk_last *last, cardan__spans *list);

/* Of such a method. step: one accepted step from (t1, y1), with as many failures before it as it
 * takes, no further than t_end; t_target: where the next row is; tries in and out: how many more
 * steps may be tried. interpolate: the state at t, within the last step. */
typedef struct {
  cardan__ode_result (*step)(cardan__ode *ode, double t_end, double t_target, int *tries);
  void (*interpolate)(const cardan__ode *ode, double t, double *y);
} cardan__rk_stepping;

/* The step to (t_new, y_try) is the last one. */
void cardan__rk_accept(cardan__rk_last *last, double t_new);

/* Steps until t_target is within the last one, and the state there. After a failure the state is
 * that of t1. */
cardan__ode_result cardan__rk_advance(cardan__ode *ode, const cardan__rk_last *last,
                                      const cardan__rk_stepping *by, double t_target);

/* How far an implicit step's iteration has come. The change of an iterate is measured against the
 * size of the state and of its increment, separately for q and v, each by its largest component:
 *   r = max over both parts of max_i |change_i| / max_i (|y_i| + |h y'_i|). */
typedef struct {
  double last;    // r of the iteration before; < 0: there was none
  int iterations; // so far
  int same;       // the last of them that had the same r
  bool newton;    // it is Newton's: what does not halve any more is rounding of f
  double before;  // the last r, with any matrix
  int stalls;     // iterations of such a step that did not halve it
} cardan__ode_progress;

typedef enum { CARDAN__ODE_GO_ON, CARDAN__ODE_CONVERGED, CARDAN__ODE_SLOW } cardan__ode_verdict;

/* r of this iteration: change (n), and slope (n) with y' of the current iterate, times h. */
double cardan__ode_change(const cardan__ode *ode, const double *change, const double *slope,
                          double h);

/* CONVERGED: r is within iter_tol, or it is at the level of round-off and falls no more or has no
 * iteration left, or it stays as it is where f jumps a little, or Newton's changes no longer halve.
 * SLOW: more than half of the last r
 * is left, and that is not round-off. Writes ode->change. */
cardan__ode_verdict cardan__ode_judge(cardan__ode *ode, cardan__ode_progress *progress, double r);
