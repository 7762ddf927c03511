// SPDX-License-Identifier: Apache-2.0
#include "methods/continuous/ode.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "methods/continuous/ode_method.h"

const char *cardan__ode_method_name(const cardan__ode_method *method)
{
  return method->name;
}

int cardan__ode_method_order(const cardan__ode_method *method)
{
  return method->order;
}

bool cardan__ode_method_adaptive(const cardan__ode_method *method)
{
  return method->adaptive;
}

bool cardan__ode_method_foreign(const cardan__ode_method *method)
{
  return method->leave != NULL;
}

cardan__ode_options cardan__ode_defaults(void)
{
  return (cardan__ode_options){
      .rtol = 1e-6,
      .atol = 1e-9,
      .error_control = CARDAN__ODE_FULL,
      .max_steps = 100000,
      .max_iter = 100,
      .iter_tol = 0.0,
  };
}

static bool arguments_valid(const cardan__ode_method *method, const cardan__ode_problem *problem,
                            const cardan__ode_options *options)
{
  const bool sizes = problem->nq >= 0 && problem->nv >= problem->nquiet &&
                     problem->nq <= INT_MAX / 2 && problem->nv <= INT_MAX / 2 &&
                     (problem->nquiet == 0 || problem->nquiet == 1);
  const bool calls = method->split ? problem->kick && problem->drift : problem->f != NULL;
  const bool tolerances = options->rtol > 0.0 && options->rtol < 1.0 && options->atol > 0.0 &&
                          isfinite(options->atol) && options->iter_tol >= 0.0 &&
                          options->iter_tol < 1.0;
  return sizes && calls && tolerances && options->max_steps > 0 && options->max_iter > 0;
}

cardan_status cardan__ode_create(const cardan_allocator *alloc, const cardan__ode_method *method,
                                 const cardan__ode_problem *problem,
                                 const cardan__ode_options *options, cardan__ode **out)
{
  const cardan__ode_options chosen = options ? *options : cardan__ode_defaults();
  CARDAN_ASSERT(method && problem && out);

  *out = NULL;
  if (!arguments_valid(method, problem, &chosen)) {
    return CARDAN_ERR_ARGUMENT;
  }
  cardan__ode *ode = cardan__resize(alloc, NULL, sizeof(*ode));
  if (!ode) {
    return CARDAN_ERR_MEMORY;
  }
  *ode = (cardan__ode){.method = method, .problem = *problem, .options = chosen};
  ode->n = problem->nq + problem->nv;
  ode->ncount = ode->n - problem->nquiet;
  if (alloc) {
    ode->alloc = *alloc;
  }
  cardan__arena_init(&ode->arena, alloc);
  ode->y = cardan__ode_take(ode, (size_t)ode->n);
  if (method->estimates) {
    ode->error = cardan__ode_take(ode, (size_t)ode->n);
  }
  cardan_status status =
      ode->y && (ode->error || !method->estimates) ? CARDAN_OK : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK && method->create) {
    status = method->create(ode);
  }
  if (status != CARDAN_OK) {
    cardan__ode_destroy(ode);
    return status;
  }
  *out = ode;
  return CARDAN_OK;
}

void cardan__ode_destroy(cardan__ode *ode)
{
  if (!ode) {
    return;
  }
  if (ode->method->destroy) {
    ode->method->destroy(ode);
  }
  cardan__arena_free(&ode->arena);
  const cardan_allocator alloc = ode->alloc;
  cardan__resize(&alloc, ode, 0);
}

// puts the integrator at (t, y) with nothing carried over from before
static cardan_status stand_at(cardan__ode *ode, double t, const double *y, double h)
{
  if (!isfinite(t)) {
    return CARDAN_ERR_ARGUMENT;
  }
  if (!cardan__ode_finite(ode->n, y)) {
    return CARDAN_ERR_NOT_FINITE;
  }
  ode->t = t;
  memmove(ode->y, y, (size_t)ode->n * sizeof(*y));
  if (ode->error) {
    memset(ode->error, 0, (size_t)ode->n * sizeof(*y));
  }
  return ode->method->begin ? ode->method->begin(ode, h) : CARDAN_OK;
}

cardan_status cardan__ode_begin(cardan__ode *ode, double t0, const double *y0, double t_final,
                                double h)
{
  CARDAN_ASSERT(ode && (y0 || ode->n == 0));
  if (!isfinite(t_final) || !isfinite(h) || h < 0.0) {
    return CARDAN_ERR_ARGUMENT;
  }
  ode->counters = (cardan__ode_counters){0};
  ode->t_begin = t0;
  ode->t_final = t_final;
  ode->t_wall = HUGE_VAL;
  return stand_at(ode, t0, y0, h);
}

cardan_status cardan__ode_restart(cardan__ode *ode, double t, const double *y)
{
  CARDAN_ASSERT(ode && (y || ode->n == 0));
  ode->counters.restarts++;
  return stand_at(ode, t, y, 0.0);
}

cardan_status cardan__ode_jump(cardan__ode *ode)
{
  if (!ode->method->adaptive) {
    return CARDAN_OK;
  }
  ode->stop = true;
  return cardan__ode_restart(ode, ode->t, ode->y);
}

cardan_status cardan__ode_advance(cardan__ode *ode, double t_target)
{
  if (!isfinite(t_target)) {
    return CARDAN_ERR_ARGUMENT;
  }
  if (t_target == ode->t) {
    return CARDAN_OK;
  }
  if (ode->method->adaptive) {
    // a run goes one way; a target beyond its end moves the end
    const double way = t_target - ode->t;
    const double run = ode->t_final - ode->t_begin;
    if ((way > 0.0 && run < 0.0) || (way < 0.0 && run > 0.0)) {
      return CARDAN_ERR_ARGUMENT;
    }
    if (way > 0.0 ? t_target > ode->t_final : t_target < ode->t_final) {
      ode->t_final = t_target;
    }
  }
  ode->stop = ode->stop || ode->options.stops;
  const cardan__ode_result result = ode->method->advance(ode, t_target);
  ode->stop = false;
  return result.status;
}

void cardan__ode_spans(cardan__ode *ode, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, ode->t);
  cardan__spans_add(list, ode->y, (size_t)ode->n, sizeof(double));
  if (ode->error) {
    cardan__spans_add(list, ode->error, (size_t)ode->n, sizeof(double));
  }
  CARDAN__SPANS_ONE(list, ode->counters);
  if (ode->method->adaptive) { // no other method reads them
    CARDAN__SPANS_ONE(list, ode->t_begin);
    CARDAN__SPANS_ONE(list, ode->t_final);
    CARDAN__SPANS_ONE(list, ode->t_wall);
  }
  if (ode->method->spans) {
    ode->method->spans(ode, list);
  }
}

void cardan__ode_rejoin(cardan__ode *ode)
{
  if (ode->method->leave) {
    ode->counters.restarts++;
    ode->method->leave(ode);
  }
}

double *cardan__ode_take(cardan__ode *ode, size_t n)
{
  return cardan__arena_take(&ode->arena, n, sizeof(double));
}

bool cardan__ode_finite(int n, const double *x)
{
  long long other = 0; // as wide as a number, and the loop goes to the end: for vector registers
  for (int i = 0; i < n; i++) {
    other |= !(fabs(x[i]) <= DBL_MAX);
  }
  return other == 0;
}

int cardan__ode_counted(const cardan__ode *ode)
{
  return ode->options.error_control == CARDAN__ODE_PARTIAL ? ode->problem.nq : ode->ncount;
}

double cardan__ode_bound(const cardan__ode *ode, double t_target)
{
  const bool walled = ode->t_wall < ode->t_final && t_target > ode->t;
  return ode->stop ? t_target : walled ? fmax(ode->t_wall, t_target) : ode->t_final;
}

double cardan__ode_least_step(double t)
{
  return 16.0 * (nextafter(fabs(t), HUGE_VAL) - fabs(t));
}

cardan__ode_result cardan__ode_eval(cardan__ode *ode, double t, const double *y, double *ydot)
{
  ode->counters.evaluations++;
  const cardan__ode_result result = ode->problem.f(ode->problem.ctx, t, y, ydot);
  return cardan__ode_is_done(result) && !cardan__ode_finite(ode->n, ydot)
             ? cardan__ode_retry(CARDAN_ERR_NOT_FINITE)
             : result;
}

static double largest(int from, int to, const double *x)
{
  double size = 0.0;
  for (int i = from; i < to; i++) {
    size = fmax(size, fabs(x[i]));
  }
  return size;
}

/* The increment is sqrt(eps), where truncation and rounding weigh the same, times the component, or
 * times a thousandth of the largest one of its part (q or v) where that is more; sqrt(eps) itself
 * where all of the part are zero. */
cardan__ode_result cardan__ode_jacobian(cardan__ode *ode, double t, double *y, const double *f,
                                        double *tmp, double *J, size_t row, size_t column)
{
  const int n = ode->ncount, nq = ode->problem.nq;
  const double size[2] = {largest(0, nq, y), largest(nq, n, y)};
  for (int j = 0; j < n; j++) {
    const double y_j = y[j], part = size[j >= nq];
    y[j] += sqrt(DBL_EPSILON) * (part > 0.0 ? fmax(fabs(y_j), 1e-3 * part) : 1.0);
    const double step = y[j] - y_j;
    ode->counters.jacobian_evaluations++;
    const cardan__ode_result result = cardan__ode_eval(ode, t, y, tmp);
    y[j] = y_j;
    if (!cardan__ode_is_done(result)) {
      return result;
    }
    for (int i = 0; i < n; i++) {
      J[(size_t)i * row + (size_t)j * column] = (tmp[i] - f[i]) / step;
    }
  }
  return cardan__ode_result_of(CARDAN_OK);
}

cardan__ode_result cardan__ode_check(cardan__ode *ode, double t, double *y, bool *changed)
{
  *changed = false;
  cardan__ode_result result = cardan__ode_result_of(CARDAN_OK);
  bool finite = cardan__ode_finite(ode->n, y);
  if (finite && ode->problem.accepted) {
    result = ode->problem.accepted(ode->problem.ctx, t, y, changed);
    finite = !cardan__ode_is_done(result) || !*changed || cardan__ode_finite(ode->n, y);
  }
  return finite ? result : cardan__ode_retry(CARDAN_ERR_NOT_FINITE);
}

cardan__ode_result cardan__ode_finish(cardan__ode *ode, double t_target, double **y_new)
{
  bool changed;
  double *y = *y_new;
  const cardan__ode_result result = cardan__ode_check(ode, t_target, y, &changed);
  if (!cardan__ode_is_done(result)) {
    ode->counters.rejected++;
    return result;
  }
  *y_new = ode->y;
  ode->y = y;
  ode->counters.accepted++;
  ode->counters.last_step = t_target - ode->t;
  ode->t = t_target;
  return result;
}

/* Round-off: an iterate is a sum of a few terms, each rounded, so 4 eps is as small as a change
 * gets when f itself is exact. f is not: it may repeat no better than its own rounding, which
 * no-one here knows. Where the change has stopped falling and is under 1e4 eps, that is taken to be
 * the reason. At rest nothing but rounding is left of the velocities, whatever their size: where
 * the coordinates have stopped changing, theirs counts as noise at most.
 * A stiff spring makes the rounding of f larger: its stiffness times that of a place. Changes of
 * Newton's iteration that are below 1e-9 and STALLS times not half of the last are that.
 * Where f jumps (a joint comes to stick, or slips) the solution may lie in the jump: iterates then
 * go from one side to the other for ever. CYCLE changes of one size, below JUMP, are that: either
 * side is as good. */
static const double round_off = 4.0 * DBL_EPSILON, noise = 1e4 * DBL_EPSILON, jump = 1e-5;
static const double newton_noise = 1e-9;

enum { CYCLE = 10, STALLS = 3 };

// largest |x_i| over largest |y_i| + |h s_i|, of components from .. to - 1; no change at all is 0
static double part_change(int from, int to, const double *x, const double *y, const double *s,
                          double h)
{
  double change = 0.0, size = 0.0;
  for (int i = from; i < to; i++) {
    change = fmax(change, fabs(x[i]));
    size = fmax(size, fabs(y[i]) + fabs(h * s[i]));
  }
  return change > 0.0 ? change / size : 0.0;
}

double cardan__ode_change(const cardan__ode *ode, const double *change, const double *slope,
                          double h)
{
  const int nq = ode->problem.nq;
  if (!cardan__ode_finite(ode->n, change)) {
    return HUGE_VAL;
  }
  const double q = part_change(0, nq, change, ode->y, slope, h);
  const double v = part_change(nq, ode->ncount, change, ode->y, slope, h);
  return q > round_off ? fmax(q, v) : (nq > 0 ? fmin(v, noise) : v);
}

cardan__ode_verdict cardan__ode_judge(cardan__ode *ode, cardan__ode_progress *progress, double r)
{
  const double tol = fmax(ode->options.iter_tol, round_off);
  const double last = progress->last;
  const bool last_one = ++progress->iterations >= ode->options.max_iter;
  progress->last = ode->change = r;
  progress->same = fabs(r - last) <= 1e-3 * r ? progress->same + 1 : 0;
  progress->stalls += progress->newton && r > 0.5 * progress->before && r <= newton_noise;
  progress->before = r;
  if (r <= tol || (((last >= 0.0 && r >= last) || (last_one && last <= jump)) && r <= noise) ||
      (progress->same >= CYCLE && r <= jump) || progress->stalls >= STALLS) {
    return CARDAN__ODE_CONVERGED;
  }
  return last >= 0.0 && r > noise && r > 0.5 * last ? CARDAN__ODE_SLOW : CARDAN__ODE_GO_ON;
}
