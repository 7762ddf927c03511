// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "methods/continuous/dop853_table.h"

/* The method of order 8 with errors of order 5 and 3, and dense output of order 7, with the step
 * control of Hairer and Wanner's code; references: dop853_table.h.
 *
 *   w_i = atol + rtol max(|y_i|, |ynew_i|),   |x|_w = sqrt(mean_i (x_i / w_i)^2)          (E1)
 *   E5 = |h sum_s e5_s k_s|_w,   E3 = |h sum_s e3_s k_s|_w
 *   err = E5 E5 / sqrt(E5^2 + E3^2 / 100) = O(h^8)                                        (E2)
 *   good: err <= 1; then   h := h min(6, max(1/3, 0.8 err^(-1/8)))                        (E3)
 *                          but not more than h after a failure
 *   not good:              h := h max(1/3, 0.8 err^(-1/8))                                (E4)
 *   at the start, with one trial by Euler's method over h0 = |y|_w / (100 |f|_w):
 *     h = min(100 h0, (0.01 / max(|f|_w, |f(h0) - f|_w / h0))^(1/8))                      (E5)
 *   always   16 eps(t) <= h <= T / 10,   T = |t_final - t0|                               (E6)
 *   a step that would leave less than a hundredth of itself ends at t_final (E7), or where it is to
 *   stop, after f has jumped
 *
 * Rows within a step, at s = (t - t0) / h of it, r = 1 - s:
 *   d = y_end - y0,   p = h k_0 - d,   D_m = h sum_s dense_ms k_s
 *   y = y0 + s (d + r (p + s ((d - h k_12 - p) + r (D_0 + s (D_1 + r (D_2 + s D_3))))))   (E8)
 *
 * `accepted` may change y_end to y1 by more than the error (momenta along the normals of loops),
 * so (E8) is of the state before, and the next step's first slope of the one after. Evaluations: 1
 * at the start and 1 for (E5), 11 for every step tried, 1 more for one that is accepted, 3 more
 * for one that has a row within, and then another one if y_end was changed: where no row looks, a
 * change costs nothing. Rows do not influence the steps. rtol is raised to 100 eps where it is
 * smaller.
 * Theirs has 0.9 for 0.8 in (E3) and (E4), which rejects 16 % of the steps of chains and mechanisms
 * in place of 6 %, and costs 6 % more evaluations for the same error, and T for T / 10 in (E6).
 * A trial at which f is not finite or asks for a smaller step is a failure: h := h / 2.
 * ode->error is h sum_s e5_s k_s times err / E5: the norm of it is (E2). */

enum { STEP = CARDAN__DOP853_STEP, STAGES = CARDAN__DOP853_STAGES, DENSE = CARDAN__DOP853_DENSE };

typedef struct {
  cardan__rk_last last;
  double *f1;        // slope at t1, y1, until it moves to k[0]
  double *k[STAGES]; // of the step being tried; k[0] is the slope at its start
  double *y_end;     // of the last accepted step where it went beyond a target, with k[0], k[STEP]
  double *D[DENSE];  // and the terms of (E8)
  double *e, *e3;    // estimates of the step being tried: what ode->error gets; work
  bool failed;       // a step from t1 has failed
} dop853;

static cardan_status dop853_create(cardan__ode *ode)
{
  const size_t n = (size_t)ode->n;
  dop853 *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  own->f1 = cardan__ode_take(ode, n);
  own->y_end = cardan__ode_take(ode, n);
  own->e = cardan__ode_take(ode, n);
  own->e3 = cardan__ode_take(ode, n);
  bool complete = cardan__rk_take(ode, &own->last) && own->f1 && own->y_end && own->e && own->e3;
  for (int s = 0; s < STAGES; s++) {
    own->k[s] = cardan__ode_take(ode, n);
    complete = complete && own->k[s];
  }
  for (int m = 0; m < DENSE; m++) {
    own->D[m] = cardan__ode_take(ode, n);
    complete = complete && own->D[m];
  }
  return complete ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

static cardan_status dop853_begin(cardan__ode *ode, double h)
{
  dop853 *own = ode->own;
  cardan__rk_begin(ode, &own->last, h);
  own->failed = false;
  return CARDAN_OK;
}

// |x|_w of (E1), w from y1 and y_new
static double norm(const cardan__ode *ode, const double *x, const double *y_new)
{
  const dop853 *own = ode->own;
  const int n = cardan__ode_counted(ode);
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    const double size = fmax(fabs(own->last.y1[i]), fabs(y_new[i]));
    const double part = x[i] / (ode->options.atol + ode->options.rtol * size);
    sum += part * part;
  }
  return n > 0 ? sqrt(sum / n) : 0.0;
}

static double eighth_root(double x)
{
  return sqrt(sqrt(sqrt(x)));
}

/* (E5); its trial goes at most half of the way to t_end. The slope is in k[0]; k[1], y_try: work.
 * h out: small where f asks for a smaller step. returns a failure of f, if it is another one */
static cardan__ode_result first_step(cardan__ode *ode, double t_end, double *h)
{
  dop853 *own = ode->own;
  const double one = 1.0, least = 1e-6, left = t_end - own->last.t1;
  const double rate = norm(ode, own->k[0], own->last.y1),
               size = norm(ode, own->last.y1, own->last.y1);
  double trial = rate > 1e-5 && size > 1e-5 ? 0.01 * size / rate : least;
  trial = fmin(trial, 0.5 * fabs(left));
  const double signed_trial = copysign(trial, left);
  cardan__rk_combine(ode->n, 1, own->last.y1, signed_trial, &one, own->k, own->last.y_try);
  const cardan__ode_result result =
      cardan__ode_eval(ode, own->last.t1 + signed_trial, own->last.y_try, own->k[1]);
  if (!cardan__ode_is_done(result)) {
    *h = 0.01 * trial;
    return result.outcome == CARDAN__ODE_FAILED ? result : cardan__ode_result_of(CARDAN_OK);
  }
  for (int i = 0; i < ode->n; i++) {
    own->last.y_try[i] = own->k[1][i] - own->k[0][i];
  }
  const double bend = fmax(rate, norm(ode, own->last.y_try, own->last.y1) / trial);
  *h = bend > 1e-15 ? eighth_root(0.01 / bend) : fmax(least, 1e-3 * trial);
  *h = fmin(*h, 100.0 * trial);
  return cardan__ode_result_of(CARDAN_OK);
}

/* (E2) of a step by h from y1 to y_try, of which k has all stages; e out: what ode->error is. */
static double estimate(cardan__ode *ode, double h)
{
  const cardan__dop853_table *table = &cardan__dop853;
  dop853 *own = ode->own;
  cardan__rk_combine(ode->n, STEP, NULL, h, table->rk.e, own->k, own->e);
  cardan__rk_combine(ode->n, STEP, NULL, h, table->e3, own->k, own->e3);
  const double e5 = norm(ode, own->e, own->last.y_try), e3 = norm(ode, own->e3, own->last.y_try);
  const double both = hypot(e5, 0.1 * e3);
  const double share = both > 0.0 ? e5 / both : 1.0;
  for (int i = 0; i < ode->n; i++) {
    own->e[i] *= share;
  }
  return isfinite(both) ? share * e5 : HUGE_VAL;
}

/* The stages and the terms of (E8) for the step from (t1, y1) to (t_new, y_try). */
static cardan__ode_result fill_dense(cardan__ode *ode, double t_new)
{
  const cardan__dop853_table *table = &cardan__dop853;
  dop853 *own = ode->own;
  memcpy(own->y_end, own->last.y_try, (size_t)ode->n * sizeof(double));
  const cardan__ode_result result = cardan__rk_stages(ode, &table->rk, STEP, STAGES, own->last.t1,
                                                      t_new, own->last.y1, own->k, own->e3);
  for (int m = 0; m < DENSE && cardan__ode_is_done(result); m++) {
    cardan__rk_combine(ode->n, STAGES, NULL, t_new - own->last.t1, table->dense[m], own->k,
                       own->D[m]);
  }
  return result;
}

/* Tries the step from (t1, y1) to t_new; rows: some lie within it.
 * err out: (E2). returns CARDAN__ODE_RETRY only where the step fails by something else than its
 * error */
static cardan__ode_result try_step(cardan__ode *ode, double t_new, bool rows, double *err)
{
  const cardan__rk_table *rk = &cardan__dop853.rk;
  dop853 *own = ode->own;
  const double h = t_new - own->last.t1;
  bool changed = false;
  *err = 0.0;
  cardan__ode_result result = cardan__rk_stages(ode, rk, 1, STEP, own->last.t1, t_new, own->last.y1,
                                                own->k, own->last.y_try);
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  cardan__rk_combine(ode->n, STEP, own->last.y1, h, rk->b, own->k, own->last.y_try);
  *err = estimate(ode, h);
  if (*err > 1.0) {
    return cardan__ode_result_of(CARDAN_OK);
  }
  result = rows ? fill_dense(ode, t_new) : result;
  if (cardan__ode_is_done(result)) {
    result = cardan__ode_check(ode, t_new, own->last.y_try, &changed);
  }
  if (cardan__ode_is_done(result) && rows && !changed) {
    memcpy(own->f1, own->k[STEP], (size_t)ode->n * sizeof(double));
    return result;
  }
  return cardan__ode_is_done(result) ? cardan__ode_eval(ode, t_new, own->last.y_try, own->f1)
                                     : result;
}

static void accept(cardan__ode *ode, double t_new)
{
  dop853 *own = ode->own;
  cardan__rk_accept(&own->last, t_new);
  own->last.slope = CARDAN__SLOPE_IN_LAST;
  own->failed = false;
  memcpy(ode->error, own->e, (size_t)ode->n * sizeof(double));
  ode->counters.accepted++;
  ode->counters.last_step = own->last.t1 - own->last.t0;
}

static cardan__ode_result step(cardan__ode *ode, double t_end, double t_target, int *tries)
{
  dop853 *own = ode->own;
  const double left = fabs(t_end - own->last.t1), way = t_end > own->last.t1 ? 1.0 : -1.0;
  const double h_max = 0.1 * fabs(ode->t_final - ode->t_begin);
  const double h_min = cardan__ode_least_step(own->last.t1);
  cardan__ode_result result = cardan__rk_slope(ode, &own->last, &own->k[0], &own->f1);
  if (cardan__ode_is_done(result) && !(own->last.h_next > 0.0)) {
    result = first_step(ode, t_end, &own->last.h_next);
  }
  while (cardan__ode_is_done(result)) {
    if ((*tries)-- <= 0) {
      return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
    }
    const double wished = fmin(h_max, fmax(h_min, own->last.h_next)); // (E6)
    const bool last = 1.01 * wished >= left;                          // (E7)
    const double size = last ? left : wished, t_new = last ? t_end : own->last.t1 + way * size;
    double err;
    result = try_step(ode, t_new, way * (t_new - t_target) > 0.0, &err);
    const double factor = fmax(1.0 / 3.0, 0.8 / eighth_root(err));
    if (cardan__ode_is_done(result) && err <= 1.0) {
      own->last.h_next = size * fmin(own->failed ? 1.0 : 6.0, factor); // (E3)
      accept(ode, t_new);
      return cardan__ode_result_of(CARDAN_OK);
    }
    if (result.outcome != CARDAN__ODE_FAILED) {
      ode->counters.rejected++;
      own->failed = true;
      own->last.h_next = size * (cardan__ode_is_done(result) ? factor : 0.5); // (E4)
      if (size <= h_min) {
        return cardan__ode_is_done(result) ? cardan__ode_retry(CARDAN_ERR_STEP_TOO_SMALL) : result;
      }
      result = cardan__ode_result_of(CARDAN_OK);
    }
  }
  return result;
}

// (E8) at t, which lies in the last step
static void interpolate(const cardan__ode *ode, double t, double *y)
{
  const dop853 *own = ode->own;
  const double h = own->last.t1 - own->last.t0, s = (t - own->last.t0) / h, r = 1.0 - s;
  for (int i = 0; i < ode->n; i++) {
    const double d = own->y_end[i] - own->last.y0[i], p = h * own->k[0][i] - d;
    const double high = own->D[0][i] + s * (own->D[1][i] + r * (own->D[2][i] + s * own->D[3][i]));
    y[i] = own->last.y0[i] + s * (d + r * (p + s * (d - h * own->k[STEP][i] - p + r * high)));
  }
}

static cardan__ode_result dop853_advance(cardan__ode *ode, double t_target)
{
  static const cardan__rk_stepping by = {step, interpolate};
  const dop853 *own = ode->own;
  return cardan__rk_advance(ode, &own->last, &by, t_target);
}

static void dop853_spans(cardan__ode *ode, cardan__spans *list)
{
  dop853 *own = ode->own;
  const size_t n = (size_t)ode->n;
  cardan__rk_spans(ode, &own->last, list);
  cardan__spans_flag(list, &own->failed);
  cardan__spans_add(list, own->f1, n, sizeof(double));
  cardan__spans_add(list, own->y_end, n, sizeof(double));
  cardan__spans_add(list, own->k[0], n, sizeof(double));
  cardan__spans_add(list, own->k[STEP], n, sizeof(double));
  for (int m = 0; m < DENSE; m++) {
    cardan__spans_add(list, own->D[m], n, sizeof(double));
  }
}

const cardan__ode_method cardan__ode_dop853 = {
    .name = "dop853",
    .order = 8,
    .adaptive = true,
    .estimates = true,
    .create = dop853_create,
    .begin = dop853_begin,
    .advance = dop853_advance,
    .spans = dop853_spans,
};
