// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "methods/continuous/ode_method.h"

/* Dormand and Prince's Runge-Kutta pair 5(4) with the step control of MATLAB's ode45, so that its
 * function evaluations can be compared with published ones.
 * [1] J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math.
 *     6, 1980: the pair RK5(4)7M, whose solution of order 5 is advanced.
 * [2] L. F. Shampine, M. W. Reichelt, The MATLAB ODE Suite, SIAM J. Sci. Comput. 18, 1997.
 * [3] L. F. Shampine, Some practical Runge-Kutta formulas, Math. Comp. 46, 1986: the interpolant.
 *
 *   err = |h| max_i |sum_s e_s k_si| / max(|y_i|, |ynew_i|, atol / rtol)       (E1)  good: <= rtol
 *   first failure of a step   h := h max(0.1, 0.8 (rtol / err)^(1/5))          (E2)
 *   later ones                h := h / 2                                       (E3)
 *   after a step that did not fail   h := h min(5, 0.8 (rtol / err)^(1/5))     (E4)
 *   at the start   h = min(hmax, T, 0.8 rtol^(1/5) / r),                       (E5)
 *                  r = max_i |f_i| / max(|y_i|, atol / rtol)
 *   always         16 eps(t) <= h <= hmax = T / 10,  T = |t_final - t0|        (E6)
 *   a step that would leave less than a tenth of itself ends at t_final (E7), or where it is to
 *   stop, after f has jumped
 *   y(t0 + theta h) = y0 + h sum_s b_s(theta) k_s                              (E8)  rows
 *
 * eps(t) is the distance from |t| to the next double. rtol is raised to 100 eps where it is
 * smaller. k_1 of a step is k_7 of the step before, so there is 1 evaluation at the start and 6 for
 * every step tried: the counts are 1 + 6 (accepted + rejected). With partial error control the
 * maxima in (E1) and (E5) are over the first nq components. Rows do not influence the steps.
 * Departures: a trial at which f is not finite or asks for a smaller step is a failure as (E3);
 * where `accepted` changes y, k_1 is evaluated again (one more evaluation, and one restart). */

static const cardan__rk_table PAIR = {
    .stages = 7,
    .c = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0},
    .a = {{0.0},
          {1.0 / 5.0},
          {3.0 / 40.0, 9.0 / 40.0},
          {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
          {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
          {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
          {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}},
    .b = {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0, 0.0},
    .e = {71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0,
          -1.0 / 40.0},
};

// b_s(theta) = sum_m DENSE[s][m] theta^(m + 1)
static const double DENSE[7][4] = {
    {1.0, -183.0 / 64.0, 37.0 / 12.0, -145.0 / 128.0},
    {0.0, 0.0, 0.0, 0.0},
    {0.0, 1500.0 / 371.0, -1000.0 / 159.0, 1000.0 / 371.0},
    {0.0, -125.0 / 32.0, 125.0 / 12.0, -375.0 / 64.0},
    {0.0, 9477.0 / 3392.0, -729.0 / 106.0, 25515.0 / 6784.0},
    {0.0, -11.0 / 7.0, 11.0 / 3.0, -55.0 / 28.0},
    {0.0, 3.0 / 2.0, -4.0, 5.0 / 2.0},
};

typedef struct {
  cardan__rk_last last;
  double *k[7]; // stages of the last accepted step, until the next one is tried
  double *e;    // error estimate of the step being tried, over h
} ode45;

static cardan_status ode45_create(cardan__ode *ode)
{
  const size_t n = (size_t)ode->n;
  ode45 *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  own->e = cardan__ode_take(ode, n);
  bool complete = cardan__rk_take(ode, &own->last) && own->e;
  for (int s = 0; s < PAIR.stages; s++) {
    own->k[s] = cardan__ode_take(ode, n);
    complete = complete && own->k[s];
  }
  return complete ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

static cardan_status ode45_begin(cardan__ode *ode, double h)
{
  ode45 *own = ode->own;
  cardan__rk_begin(ode, &own->last, h);
  return CARDAN_OK;
}

// (E5); its bound by the time that is left is the one of (E7)
static double first_step(const cardan__ode *ode, double h_max)
{
  const ode45 *own = ode->own;
  const double rtol = ode->options.rtol, threshold = ode->options.atol / rtol;
  double rate = 0.0;
  for (int i = 0; i < cardan__ode_counted(ode); i++) {
    rate = fmax(rate, fabs(own->k[0][i]) / fmax(fabs(own->last.y1[i]), threshold));
  }
  rate /= 0.8 * pow(rtol, 0.2);
  return h_max * rate > 1.0 ? 1.0 / rate : h_max;
}

// (E1) over |h|
static double error_rate(const cardan__ode *ode, const double *y_new)
{
  const ode45 *own = ode->own;
  const double threshold = ode->options.atol / ode->options.rtol;
  double rate = 0.0;
  for (int i = 0; i < cardan__ode_counted(ode); i++) {
    const double size = fmax(fmax(fabs(own->last.y1[i]), fabs(y_new[i])), threshold);
    rate = fmax(rate, fabs(own->e[i]) / size);
  }
  return rate;
}

/* Tries the step from (t1, y1) to t_new, of that size.
 * err out: (E1). returns CARDAN__ODE_RETRY only where the step fails by something else than its
 * error */
static cardan__ode_result try_step(cardan__ode *ode, double size, double t_new, double *err,
                                   bool *changed)
{
  ode45 *own = ode->own;
  *err = 0.0;
  // the argument of the last stage is the new state
  cardan__ode_result result = cardan__rk_stages(ode, &PAIR, 1, PAIR.stages, own->last.t1, t_new,
                                                own->last.y1, own->k, own->last.y_try);
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  cardan__rk_combine(ode->n, PAIR.stages, NULL, 1.0, PAIR.e, own->k, own->e);
  if (!cardan__ode_finite(ode->n, own->e)) {
    return cardan__ode_retry(CARDAN_ERR_NOT_FINITE);
  }
  *err = size * error_rate(ode, own->last.y_try);
  if (*err > ode->options.rtol) {
    return cardan__ode_result_of(CARDAN_OK);
  }
  return cardan__ode_check(ode, t_new, own->last.y_try, changed);
}

static void accept(cardan__ode *ode, double t_new, bool changed)
{
  ode45 *own = ode->own;
  const double h = t_new - own->last.t1;
  cardan__rk_accept(&own->last, t_new);
  own->last.slope = changed ? CARDAN__SLOPE_NOWHERE : CARDAN__SLOPE_IN_LAST;
  for (int i = 0; i < ode->n; i++) {
    ode->error[i] = h * own->e[i];
  }
  ode->counters.accepted++;
  ode->counters.restarts += changed;
  ode->counters.last_step = h;
}

// rows do not matter to it
static cardan__ode_result step(cardan__ode *ode, double t_end, double t_target, int *tries)
{
  (void)t_target;
  ode45 *own = ode->own;
  const double rtol = ode->options.rtol;
  const double way = t_end > own->last.t1 ? 1.0 : -1.0;
  const double h_max = 0.1 * fabs(ode->t_final - ode->t_begin);
  const double h_min = cardan__ode_least_step(own->last.t1);

  cardan__ode_result result = cardan__rk_slope(ode, &own->last, &own->k[0], &own->k[6]);
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  double size = own->last.h_next > 0.0 ? own->last.h_next : first_step(ode, h_max);
  size = fmin(h_max, fmax(h_min, size)); // (E6)
  bool failed = false;
  for (;; (*tries)--) {
    if (*tries <= 0) {
      own->last.h_next = size;
      return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
    }
    const double left = fabs(t_end - own->last.t1);
    const bool last = !failed && 1.1 * size >= left; // (E7)
    size = last ? left : size;
    const double t_new = last ? t_end : own->last.t1 + way * size;
    double err;
    bool changed = false;
    result = try_step(ode, size, t_new, &err, &changed);
    if (result.outcome == CARDAN__ODE_FAILED) {
      own->last.h_next = size;
      return result;
    }
    if (cardan__ode_is_done(result) && err <= rtol) {
      const double factor = 1.25 * pow(err / rtol, 0.2);
      own->last.h_next = failed ? size : size * (factor > 0.2 ? 1.0 / factor : 5.0); // (E4)
      accept(ode, t_new, changed);
      (*tries)--;
      return cardan__ode_result_of(CARDAN_OK);
    }
    ode->counters.rejected++;
    if (size <= h_min) {
      own->last.h_next = size;
      return cardan__ode_is_done(result) ? cardan__ode_retry(CARDAN_ERR_STEP_TOO_SMALL) : result;
    }
    const bool shrink = cardan__ode_is_done(result) && !failed;
    size = fmax(h_min, size * (shrink ? fmax(0.1, 0.8 * pow(rtol / err, 0.2)) : 0.5)); // (E2), (E3)
    failed = true;
  }
}

// (E8) at t, which lies in the last step
static void interpolate(const cardan__ode *ode, double t, double *y)
{
  const ode45 *own = ode->own;
  const double h = own->last.t1 - own->last.t0, theta = (t - own->last.t0) / h;
  double b[7];
  for (int s = 0; s < PAIR.stages; s++) {
    b[s] =
        theta * (DENSE[s][0] + theta * (DENSE[s][1] + theta * (DENSE[s][2] + theta * DENSE[s][3])));
  }
  cardan__rk_combine(ode->n, PAIR.stages, own->last.y0, h, b, own->k, y);
}

static cardan__ode_result ode45_advance(cardan__ode *ode, double t_target)
{
  static const cardan__rk_stepping by = {step, interpolate};
  const ode45 *own = ode->own;
  return cardan__rk_advance(ode, &own->last, &by, t_target);
}

static void ode45_spans(cardan__ode *ode, cardan__spans *list)
{
  ode45 *own = ode->own;
  const size_t n = (size_t)ode->n;
  cardan__rk_spans(ode, &own->last, list);
  for (int s = 0; s < 7; s++) {
    cardan__spans_add(list, own->k[s], n, sizeof(double));
  }
}

const cardan__ode_method cardan__ode_ode45 = {
    .name = "ode45",
    .order = 5,
    .adaptive = true,
    .estimates = true,
    .create = ode45_create,
    .begin = ode45_begin,
    .advance = ode45_advance,
    .spans = ode45_spans,
};
