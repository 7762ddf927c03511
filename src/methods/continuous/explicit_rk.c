// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/continuous/ode_method.h"

/* Explicit Runge-Kutta methods with a fixed step, O(stages) evaluations.
 * [1] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 1993.
 * [2] E. Fehlberg, Low-order classical Runge-Kutta formulas with stepsize control, NASA TR R-315,
 *     1969: formula 4(5), whose solution of order 4 is advanced.
 *
 *   k_i   = f(t + c_i h, y + h sum_j<i a_ij k_j)     (E1)
 *   y_new = y + h sum_i b_i k_i                      (E2)
 *   error = h sum_i e_i k_i,  e = b - b of order 5   (E3) */

static const cardan__rk_table EULER = {.stages = 1, .b = {1.0}};

// of the methods of two stages and order 2, the explicit midpoint rule
static const cardan__rk_table RK2 = {
    .stages = 2, .c = {0.0, 0.5}, .a = {{0.0}, {0.5}}, .b = {0.0, 1.0}};

static const cardan__rk_table RK4 = {
    .stages = 4,
    .c = {0.0, 0.5, 0.5, 1.0},
    .a = {{0.0}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}},
    .b = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0},
};

static const cardan__rk_table FEHLBERG = {
    .stages = 6,
    .c = {0.0, 1.0 / 4.0, 3.0 / 8.0, 12.0 / 13.0, 1.0, 1.0 / 2.0},
    .a = {{0.0},
          {1.0 / 4.0},
          {3.0 / 32.0, 9.0 / 32.0},
          {1932.0 / 2197.0, -7200.0 / 2197.0, 7296.0 / 2197.0},
          {439.0 / 216.0, -8.0, 3680.0 / 513.0, -845.0 / 4104.0},
          {-8.0 / 27.0, 2.0, -3544.0 / 2565.0, 1859.0 / 4104.0, -11.0 / 40.0}},
    .b = {25.0 / 216.0, 0.0, 1408.0 / 2565.0, 2197.0 / 4104.0, -1.0 / 5.0, 0.0},
    .e = {-1.0 / 360.0, 0.0, 128.0 / 4275.0, 2197.0 / 75240.0, -1.0 / 50.0, -2.0 / 55.0},
};

typedef struct {
  double *k[CARDAN__RK_STAGES], *tmp;
} explicit_rk;

void cardan__rk_combine(int n, int s, const double *base, double h, const double *w,
                        double *const *k, double *out)
{
  for (int j = 0; j < n; j++) {
    double sum = 0.0;
    for (int i = 0; i < s; i++) {
      sum += w[i] * k[i][j];
    }
    out[j] = (base ? base[j] : 0.0) + h * sum;
  }
}

cardan__ode_result cardan__rk_stages(cardan__ode *ode, const cardan__rk_table *table, int first,
                                     int end, double t, double t_new, const double *y,
                                     double *const *k, double *tmp)
{
  const double h = t_new - t;
  for (int i = first; i < end; i++) {
    cardan__rk_combine(ode->n, i, y, h, table->a[i], k, tmp);
    const double t_i = table->c[i] < 1.0 ? t + table->c[i] * h : t_new;
    const cardan__ode_result result = cardan__ode_eval(ode, t_i, tmp, k[i]); // (E1)
    if (!cardan__ode_is_done(result)) {
      return result;
    }
  }
  return cardan__ode_result_of(CARDAN_OK);
}

bool cardan__rk_take(cardan__ode *ode, cardan__rk_last *last)
{
  const size_t n = (size_t)ode->n;
  ode->options.rtol = fmax(ode->options.rtol, 100.0 * DBL_EPSILON);
  last->y0 = cardan__ode_take(ode, n);
  last->y1 = cardan__ode_take(ode, n);
  last->y_try = cardan__ode_take(ode, n);
  return last->y0 && last->y1 && last->y_try;
}

void cardan__rk_begin(const cardan__ode *ode, cardan__rk_last *last, double h)
{
  last->t0 = last->t1 = ode->t;
  memcpy(last->y1, ode->y, (size_t)ode->n * sizeof(double));
  last->h_next = h;
  last->slope = CARDAN__SLOPE_NOWHERE;
}

cardan__ode_result cardan__rk_slope(cardan__ode *ode, cardan__rk_last *last, double **k,
                                    double **end)
{
  cardan__ode_result result = cardan__ode_result_of(CARDAN_OK);
  if (last->slope == CARDAN__SLOPE_IN_LAST) {
    double *swap = *k;
    *k = *end;
    *end = swap;
  } else if (last->slope == CARDAN__SLOPE_NOWHERE) {
    result = cardan__ode_eval(ode, last->t1, last->y1, *k);
  }
  last->slope = cardan__ode_is_done(result) ? CARDAN__SLOPE_IN_FIRST : CARDAN__SLOPE_NOWHERE;
  return result;
}

void cardan__rk_spans(const cardan__ode *ode, cardan__rk_last *last, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, last->t0);
  CARDAN__SPANS_ONE(list, last->t1);
  cardan__spans_ints(list, (int *)&last->slope, 1, 0, CARDAN__SLOPE_NOWHERE);
  CARDAN__SPANS_ONE(list, last->h_next);
  cardan__spans_add(list, last->y0, (size_t)ode->n, sizeof(double));
  cardan__spans_add(list, last->y1, (size_t)ode->n, sizeof(double));
}

void cardan__rk_accept(cardan__rk_last *last, double t_new)
{
  double *swap = last->y0;
  last->y0 = last->y1;
  last->y1 = last->y_try;
  last->y_try = swap;
  last->t0 = last->t1;
  last->t1 = t_new;
}

cardan__ode_result cardan__rk_advance(cardan__ode *ode, const cardan__rk_last *last,
                                      const cardan__rk_stepping *by, double t_target)
{
  const double way = t_target > ode->t ? 1.0 : -1.0;
  int tries = ode->options.max_steps;
  while (way * (t_target - last->t1) > 0.0) {
    const cardan__ode_result result =
        by->step(ode, cardan__ode_bound(ode, t_target), t_target, &tries);
    if (!cardan__ode_is_done(result)) {
      ode->t = last->t1;
      memcpy(ode->y, last->y1, (size_t)ode->n * sizeof(double));
      return result;
    }
  }
  if (t_target == last->t1) {
    memcpy(ode->y, last->y1, (size_t)ode->n * sizeof(double));
  } else {
    by->interpolate(ode, t_target, ode->y);
  }
  ode->t = t_target;
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan_status explicit_rk_create(cardan__ode *ode)
{
  const cardan__rk_table *table = ode->method->data;
  explicit_rk *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  own->tmp = cardan__ode_take(ode, (size_t)ode->n);
  bool complete = own->tmp != NULL;
  for (int i = 0; i < table->stages; i++) {
    own->k[i] = cardan__ode_take(ode, (size_t)ode->n);
    complete = complete && own->k[i];
  }
  return complete ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

static cardan__ode_result explicit_rk_advance(cardan__ode *ode, double t_target)
{
  const cardan__rk_table *table = ode->method->data;
  explicit_rk *own = ode->own;
  const double h = t_target - ode->t;

  cardan__ode_result result =
      cardan__rk_stages(ode, table, 0, table->stages, ode->t, t_target, ode->y, own->k, own->tmp);
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  cardan__rk_combine(ode->n, table->stages, ode->y, h, table->b, own->k, own->tmp); // (E2)
  result = cardan__ode_finish(ode, t_target, &own->tmp);
  if (cardan__ode_is_done(result) && ode->error) {
    cardan__rk_combine(ode->n, table->stages, NULL, h, table->e, own->k, ode->error); // (E3)
  }
  return result;
}

#define EXPLICIT_RK_ROW(method_name, method_order, table, estimate)                            \
  {                                                                                            \
    .name = (method_name), .order = (method_order), .estimates = (estimate), .data = &(table), \
    .create = explicit_rk_create, .advance = explicit_rk_advance                               \
  }

const cardan__ode_method cardan__ode_euler = EXPLICIT_RK_ROW("euler", 1, EULER, false);
const cardan__ode_method cardan__ode_rk2 = EXPLICIT_RK_ROW("rk2", 2, RK2, false);
const cardan__ode_method cardan__ode_rk4 = EXPLICIT_RK_ROW("rk4", 4, RK4, false);
const cardan__ode_method cardan__ode_rkf45_fixed =
    EXPLICIT_RK_ROW("rkf45-fixed", 4, FEHLBERG, true);
