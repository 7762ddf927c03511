// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "methods/continuous/ode_method.h"

/* The implicit trapezoidal rule with a fixed step, solved by modified Newton iteration.
 *
 *   g(z)  = z - y - h/2 (f(t, y) + f(t + h, z)) = 0     (E1)   y_new = z
 *   dz    = -(I - h/2 J)^-1 g(z)                        (E2)   J = df/dy, by difference quotients
 *
 * Order 2, A-stable. J and its LU factors stay from step to step. Where the iteration leaves more
 * than half of its last change, or h is another one, J is recomputed at the predicted state
 * y + h f(t, y), and the step's iteration begins again. Cost of a step: 1 + one evaluation an
 * iteration, O(n^2); of a new J: n + 1 evaluations and O(n^3). Memory: n^2 numbers. J of a quiet
 * component is left out: it depends on the others, and none on it. */

typedef struct {
  double *lu;      // m x m, row-major: I - h/2 J, factored; m = ncount
  int *pivot;      // m: row exchanged with row k at step k
  double lu_h;     // the h of lu; 0: there is none
  double *f0, *f1; // f(t, y) and f(t + h, z), n each
  double *z, *dz;  // n each
} trapezoid;

static cardan_status trapezoid_create(cardan__ode *ode)
{
  const size_t n = (size_t)ode->n, m = (size_t)ode->ncount;
  trapezoid *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  own->lu = cardan__ode_take(ode, m * m);
  own->pivot = cardan__arena_take(&ode->arena, m, sizeof(*own->pivot));
  own->f0 = cardan__ode_take(ode, n);
  own->f1 = cardan__ode_take(ode, n);
  own->z = cardan__ode_take(ode, n);
  own->dz = cardan__ode_take(ode, n);
  for (size_t i = 0; own->pivot != NULL && i < m; i++) {
    own->pivot[i] = cardan__lu_first((int)m); // a state has them before there are factors
  }
  const bool complete = own->lu && own->pivot && own->f0 && own->f1 && own->z && own->dz;
  return complete ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

static cardan_status trapezoid_begin(cardan__ode *ode, double h)
{
  trapezoid *own = ode->own;
  (void)h;
  own->lu_h = 0.0;
  return CARDAN_OK;
}

// z := y + h f(t, y)
static void predict(cardan__ode *ode, double h)
{
  const trapezoid *own = ode->own;
  for (int i = 0; i < ode->n; i++) {
    own->z[i] = ode->y[i] + h * own->f0[i];
  }
}

// I - h/2 J at the predicted z, factored
static cardan__ode_result make_jacobian(cardan__ode *ode, double h)
{
  trapezoid *own = ode->own;
  const size_t n = (size_t)ode->ncount;

  own->lu_h = 0.0;
  predict(ode, h);
  ode->counters.jacobian_evaluations++;
  cardan__ode_result result = cardan__ode_eval(ode, ode->t + h, own->z, own->f1);
  if (cardan__ode_is_done(result)) {
    result = cardan__ode_jacobian(ode, ode->t + h, own->z, own->f1, own->dz, own->lu, n, 1);
  }
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      own->lu[i * n + j] = (i == j ? 1.0 : 0.0) - 0.5 * h * own->lu[i * n + j];
    }
  }
  if (cardan__lu(ode->ncount, own->lu, own->pivot) >= 0) {
    return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
  }
  own->lu_h = h;
  return cardan__ode_result_of(CARDAN_OK);
}

/* Newton's iteration from the predicted z. returns CARDAN_ERR_NO_CONVERGENCE when max_iter is used
 * up or, unless patient, as soon as it is slow */
static cardan__ode_result iterate(cardan__ode *ode, double h, bool patient)
{
  trapezoid *own = ode->own;
  cardan__ode_progress progress = {.last = -1.0, .newton = true, .before = HUGE_VAL};
  cardan__ode_verdict verdict = CARDAN__ODE_GO_ON;

  predict(ode, h);
  for (int iter = 0; iter < ode->options.max_iter; iter++) {
    ode->counters.iterations++;
    const cardan__ode_result result = cardan__ode_eval(ode, ode->t + h, own->z, own->f1);
    if (result.outcome == CARDAN__ODE_RETRY && verdict == CARDAN__ODE_SLOW) {
      break; // f failed where the iterates had run away to
    }
    if (!cardan__ode_is_done(result)) {
      return result;
    }
    for (int i = 0; i < ode->n; i++) {
      own->dz[i] = ode->y[i] + 0.5 * h * (own->f0[i] + own->f1[i]) - own->z[i]; // -(E1)
    }
    cardan__lu_solve(ode->ncount, own->lu, own->pivot, own->dz); // (E2)
    for (int i = 0; i < ode->n; i++) {
      own->z[i] += own->dz[i];
    }
    const double r = cardan__ode_change(ode, own->dz, own->f1, h);
    verdict = cardan__ode_judge(ode, &progress, r);
    if (verdict == CARDAN__ODE_CONVERGED) {
      return cardan__ode_result_of(CARDAN_OK);
    }
    if (verdict == CARDAN__ODE_SLOW && !patient) {
      break;
    }
  }
  return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
}

static cardan__ode_result trapezoid_advance(cardan__ode *ode, double t_target)
{
  trapezoid *own = ode->own;
  const double h = t_target - ode->t;

  cardan__ode_result result = cardan__ode_eval(ode, ode->t, ode->y, own->f0);
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  // rows at t = k dt make steps that differ by rounding: those share their factors
  bool solved = false;
  if (own->lu_h != 0.0 && fabs(own->lu_h - h) <= 1e-6 * fabs(h)) {
    result = iterate(ode, h, false);
    solved = cardan__ode_is_done(result);
    if (!solved && result.status != CARDAN_ERR_NO_CONVERGENCE) {
      return result;
    }
  }
  if (!solved) {
    result = make_jacobian(ode, h);
    if (cardan__ode_is_done(result)) {
      result = iterate(ode, h, true);
    }
  }
  if (!cardan__ode_is_done(result)) {
    own->lu_h = 0.0;
    ode->counters.rejected += result.status == CARDAN_ERR_NO_CONVERGENCE;
    return result;
  }
  return cardan__ode_finish(ode, t_target, &own->z);
}

static void trapezoid_spans(cardan__ode *ode, cardan__spans *list)
{
  trapezoid *own = ode->own;
  const size_t n = (size_t)ode->ncount;
  cardan__spans_add(list, own->lu, n * n, sizeof *own->lu);
  const int first = cardan__lu_first(ode->ncount);
  cardan__spans_ints(list, own->pivot, n, first, first + ode->ncount - 1);
  CARDAN__SPANS_ONE(list, own->lu_h);
}

const cardan__ode_method cardan__ode_trapezoid = {
    .name = "trapezoid",
    .order = 2,
    .create = trapezoid_create,
    .begin = trapezoid_begin,
    .advance = trapezoid_advance,
    .spans = trapezoid_spans,
};
