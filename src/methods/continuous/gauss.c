// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "methods/continuous/ode_method.h"

/* Gauss collocation with one stage (the implicit midpoint rule, order 2) and two (order 4), solved
 * by fixed-point iteration, and by Newton's where that does not contract. Symplectic and
 * time-reversible for canonical equations, as far as the iteration is carried: to round-off unless
 * iter_tol says otherwise.
 * [1] E. Hairer, C. Lubich, G. Wanner, Geometric Numerical Integration, 2nd ed., 2006.
 * [2] E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., 1996, IV.8.
 *
 *   k_i   = f(t + c_i h, y + h sum_j a_ij k_j)     (E1)   swept over i until nothing changes
 *   y_new = y + h sum_i b_i k_i                    (E2)
 *
 * The sweep uses each new k_i at once, and starts from k_i = f(t, y). With one stage it contracts
 * where h times the Lipschitz constant of f is under 2. From the first step on in which it fails,
 * steps are those of Newton's method for z_i = h sum_j a_ij k_j:
 *   (I - h A x J) dz = h (A x I) f(y + z) - z      (E3)   [2] (8.4)   J = df/dy at a stage in the
 *   y_new = y + sum_i d_i z_i,   d = b^T A^-1      (E4)   middle, by difference quotients
 * J is computed in every such step, and again where the iteration is slow: nothing is kept of it
 * from step to step. Cost: n evaluations and O((s n)^3). Memory: (s^2 + 1) n^2 numbers; systems of
 * more than NEWTON_MOST unknowns s n have the fixed-point iteration alone. */

enum { STAGES = 2, NEWTON_MOST = 1024, MOST_JACOBIANS = 8 };

typedef struct {
  int stages;
  double a[STAGES][STAGES], b[STAGES], c[STAGES], d[STAGES];
} gauss_table;

#define SQRT3 1.7320508075688772

static const gauss_table MIDPOINT = {.stages = 1, .c = {0.5}, .a = {{0.5}}, .b = {1.0}, .d = {2.0}};
static const gauss_table GAUSS4 = {
    .stages = 2,
    .c = {0.5 - SQRT3 / 6.0, 0.5 + SQRT3 / 6.0},
    .a = {{0.25, 0.25 - SQRT3 / 6.0}, {0.25 + SQRT3 / 6.0, 0.25}},
    .b = {0.5, 0.5},
    .d = {-SQRT3, SQRT3},
};

typedef struct {
  double *k[STAGES], *fresh, *tmp; // n each
  bool newton;                     // steps are Newton's: the fixed-point iteration failed
  // NULL where the system is too large
  double *z[STAGES], *x; // n each; s m: of (E3), m = ncount
  double *J, *lu;        // m x m; s m x s m, factored
  int *pivot;            // s m
} gauss;

static bool take_newton(cardan__ode *ode, int stages)
{
  gauss *own = ode->own;
  const size_t m = (size_t)ode->ncount, all = (size_t)stages * m;
  if (all > NEWTON_MOST) {
    return true;
  }
  for (int i = 0; i < STAGES; i++) {
    own->z[i] = cardan__ode_take(ode, (size_t)ode->n);
  }
  own->x = cardan__ode_take(ode, all);
  own->J = cardan__ode_take(ode, m * m);
  own->pivot = cardan__arena_take(&ode->arena, all, sizeof(*own->pivot));
  own->lu = cardan__ode_take(ode, all * all);
  return own->z[0] && own->z[1] && own->x && own->J && own->pivot && own->lu;
}

static cardan_status gauss_create(cardan__ode *ode)
{
  gauss *own = cardan__arena_take(&ode->arena, 1, sizeof(*own));
  if (!own) {
    return CARDAN_ERR_MEMORY;
  }
  ode->own = own;
  for (int i = 0; i < STAGES; i++) {
    own->k[i] = cardan__ode_take(ode, (size_t)ode->n);
  }
  own->fresh = cardan__ode_take(ode, (size_t)ode->n);
  own->tmp = cardan__ode_take(ode, (size_t)ode->n);
  const gauss_table *table = ode->method->data;
  const bool complete = own->k[0] && own->k[1] && own->fresh && own->tmp;
  return complete && take_newton(ode, table->stages) ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

static cardan_status gauss_begin(cardan__ode *ode, double h)
{
  gauss *own = ode->own;
  (void)h;
  own->newton = own->newton && ode->counters.evaluations > 0; // a restart of the same run
  return CARDAN_OK;
}

/* ---- Newton's method ---- */

/* The matrix of (E3), factored, with J at y + the mean of z. */
static cardan__ode_result factor(cardan__ode *ode, const gauss_table *table, double h)
{
  gauss *own = ode->own;
  const size_t m = (size_t)ode->ncount, s = (size_t)table->stages;
  double *y = own->tmp;
  for (int p = 0; p < ode->n; p++) {
    y[p] = ode->y[p] + (s == 1 ? own->z[0][p] : 0.5 * (own->z[0][p] + own->z[1][p]));
  }
  ode->counters.jacobian_evaluations++;
  const double t = ode->t + 0.5 * h;
  cardan__ode_result result = cardan__ode_eval(ode, t, y, own->k[0]);
  if (cardan__ode_is_done(result)) {
    result = cardan__ode_jacobian(ode, t, y, own->k[0], own->fresh, own->J, m, 1);
  }
  for (size_t i = 0; i < s && cardan__ode_is_done(result); i++) {
    for (size_t p = 0; p < m; p++) {
      double *row = own->lu + (i * m + p) * s * m;
      for (size_t j = 0; j < s; j++) {
        for (size_t q = 0; q < m; q++) {
          row[j * m + q] = (i == j && p == q ? 1.0 : 0.0) - h * table->a[i][j] * own->J[p * m + q];
        }
      }
    }
  }
  if (cardan__ode_is_done(result) && cardan__lu((int)(s * m), own->lu, own->pivot) >= 0) {
    result = cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
  }
  return result;
}

/* One step of (E3); r out: the largest change over all stages. */
static cardan__ode_result correct(cardan__ode *ode, const gauss_table *table, double h, double *r)
{
  gauss *own = ode->own;
  const int m = ode->ncount, s = table->stages;
  for (int i = 0; i < s; i++) {
    for (int p = 0; p < ode->n; p++) {
      own->tmp[p] = ode->y[p] + own->z[i][p];
    }
    const cardan__ode_result result =
        cardan__ode_eval(ode, ode->t + table->c[i] * h, own->tmp, own->k[i]);
    if (!cardan__ode_is_done(result)) {
      return result;
    }
  }
  for (int i = 0; i < s; i++) {
    cardan__rk_combine(ode->n, s, NULL, h, table->a[i], own->k, own->tmp);
    for (int p = 0; p < m; p++) {
      own->x[i * m + p] = own->tmp[p] - own->z[i][p];
    }
    if (m < ode->n) { // quiet: the others' iterates say it
      own->z[i][m] = own->tmp[m];
    }
  }
  cardan__lu_solve(s * m, own->lu, own->pivot, own->x);
  *r = 0.0;
  memset(own->fresh, 0, (size_t)ode->n * sizeof(double));
  for (int i = 0; i < s; i++) {
    memcpy(own->fresh, own->x + (size_t)i * (size_t)m, (size_t)m * sizeof(double));
    const double change = cardan__ode_change(ode, own->fresh, own->k[i], h);
    *r = change > *r ? change : *r;
    for (int p = 0; p < m; p++) {
      own->z[i][p] += own->fresh[p];
    }
  }
  return cardan__ode_result_of(CARDAN_OK);
}

/* The step by Newton's method from z = 0: up to MOST_JACOBIANS matrices, each for as long as the
 * changes halve at least. */
static cardan__ode_result newton(cardan__ode *ode, const gauss_table *table, double h)
{
  gauss *own = ode->own;
  for (int i = 0; i < STAGES; i++) {
    memset(own->z[i], 0, (size_t)ode->n * sizeof(double));
  }
  cardan__ode_progress progress = {.newton = true, .before = HUGE_VAL};
  for (int matrix = 0, iter = 0; matrix < MOST_JACOBIANS; matrix++) {
    progress.last = -1.0;
    cardan__ode_verdict verdict = CARDAN__ODE_GO_ON;
    cardan__ode_result result = factor(ode, table, h);
    while (cardan__ode_is_done(result) && verdict == CARDAN__ODE_GO_ON &&
           iter < ode->options.max_iter) {
      double r;
      iter++;
      ode->counters.iterations++;
      result = correct(ode, table, h, &r);
      verdict = cardan__ode_is_done(result) ? cardan__ode_judge(ode, &progress, r) : verdict;
    }
    if (!cardan__ode_is_done(result)) {
      return result;
    }
    if (verdict == CARDAN__ODE_CONVERGED) {
      cardan__rk_combine(ode->n, table->stages, ode->y, 1.0, table->d, own->z, own->tmp); // (E4)
      return cardan__ode_result_of(CARDAN_OK);
    }
  }
  return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
}

/* ---- fixed-point iteration ---- */

// one sweep of (E1); r out: the largest change over all stages
static cardan__ode_result sweep(cardan__ode *ode, const gauss_table *table, double h, double *r)
{
  gauss *own = ode->own;
  *r = 0.0;
  for (int i = 0; i < table->stages; i++) {
    cardan__rk_combine(ode->n, table->stages, ode->y, h, table->a[i], own->k, own->tmp);
    const cardan__ode_result result =
        cardan__ode_eval(ode, ode->t + table->c[i] * h, own->tmp, own->fresh);
    if (!cardan__ode_is_done(result)) {
      return result;
    }
    for (int j = 0; j < ode->n; j++) {
      own->tmp[j] = h * (own->fresh[j] - own->k[i][j]);
    }
    const double change = cardan__ode_change(ode, own->tmp, own->fresh, h);
    *r = change > *r ? change : *r;

    double *swap = own->k[i];
    own->k[i] = own->fresh;
    own->fresh = swap;
  }
  return cardan__ode_result_of(CARDAN_OK);
}

/* The step by sweeps. returns CARDAN_ERR_NO_CONVERGENCE also where f fails at an iterate beyond the
 * first, which has run away */
static cardan__ode_result iterate(cardan__ode *ode, const gauss_table *table, double h)
{
  gauss *own = ode->own;
  cardan__ode_result result = cardan__ode_eval(ode, ode->t, ode->y, own->k[0]);
  if (!cardan__ode_is_done(result)) {
    return result;
  }
  memcpy(own->k[1], own->k[0], (size_t)ode->n * sizeof(double));

  cardan__ode_progress progress = {.last = -1.0};
  for (int iter = 0; iter < ode->options.max_iter; iter++) {
    double r;
    ode->counters.iterations++;
    result = sweep(ode, table, h, &r);
    if (!cardan__ode_is_done(result)) {
      const bool lost =
          result.outcome == CARDAN__ODE_RETRY || result.status == CARDAN_ERR_NOT_FINITE;
      return lost && iter > 0 ? cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE) : result;
    }
    if (cardan__ode_judge(ode, &progress, r) == CARDAN__ODE_CONVERGED) {
      cardan__rk_combine(ode->n, table->stages, ode->y, h, table->b, own->k, own->tmp); // (E2)
      return cardan__ode_result_of(CARDAN_OK);
    }
  }
  return cardan__ode_result_of(CARDAN_ERR_NO_CONVERGENCE);
}

static double norm(int n, const double *x)
{
  double sum = 0.0;
  for (int p = 0; p < n; p++) {
    sum += x[p] * x[p];
  }
  return sqrt(sum);
}

/* The largest |eigenvalue| of J = df/dy at the state, by power iteration with J^2, whose largest
 * eigenvalue is real where those of J are a pair of an oscillation; J x by difference quotients. 0:
 * not found. For messages. */
static double estimate_rate(cardan__ode *ode)
{
  enum { ROUNDS = 12 };
  gauss *own = ode->own;
  const int n = ode->n;
  const double step = sqrt(DBL_EPSILON) * (1.0 + norm(n, ode->y));
  double square = 0.0, *x = own->fresh, *y = own->tmp, *f = own->k[0], *moved = own->k[1];
  if (!cardan__ode_is_done(cardan__ode_eval(ode, ode->t, ode->y, f))) {
    return 0.0;
  }
  for (int p = 0; p < n; p++) { // no eigenvector is orthogonal to numbers like these
    x[p] = cos(1.0 + p * p);
  }
  for (int round = 0; round < 2 * ROUNDS; round++) {
    const double size = norm(n, x);
    for (int p = 0; p < n; p++) {
      x[p] /= size > 0.0 ? size : 1.0;
      y[p] = ode->y[p] + step * x[p];
    }
    if (!(size > 0.0) || !cardan__ode_is_done(cardan__ode_eval(ode, ode->t, y, moved))) {
      return 0.0;
    }
    for (int p = 0; p < n; p++) {
      x[p] = (moved[p] - f[p]) / step;
    }
    square = round > 0 ? size * norm(n, x) : 0.0; // |J^2 x| / |x|
  }
  return sqrt(square);
}

/* Did the iteration of a fixed step not converge? */
static bool diverged(cardan__ode_result result)
{
  return result.outcome == CARDAN__ODE_FAILED && result.status == CARDAN_ERR_NO_CONVERGENCE;
}

static cardan__ode_result gauss_advance(cardan__ode *ode, double t_target)
{
  const gauss_table *table = ode->method->data;
  gauss *own = ode->own;
  const double h = t_target - ode->t;
  const bool by_sweeps = !own->newton || own->lu == NULL;
  cardan__ode_result result = by_sweeps ? iterate(ode, table, h) : newton(ode, table, h);
  if (by_sweeps && own->lu != NULL && (diverged(result) || result.outcome == CARDAN__ODE_RETRY)) {
    const cardan__ode_result again = newton(ode, table, h);
    own->newton = cardan__ode_is_done(again);
    result = cardan__ode_is_done(again) || diverged(result) ? again : result;
  }
  ode->rate = diverged(result) && own->lu == NULL ? estimate_rate(ode) : 0.0;
  if (!cardan__ode_is_done(result)) {
    ode->counters.rejected += diverged(result);
    return result;
  }
  return cardan__ode_finish(ode, t_target, &own->tmp);
}

static void gauss_spans(cardan__ode *ode, cardan__spans *list)
{
  gauss *own = ode->own;
  cardan__spans_flag(list, &own->newton);
}

const cardan__ode_method cardan__ode_midpoint = {
    .name = "midpoint",
    .order = 2,
    .data = &MIDPOINT,
    .create = gauss_create,
    .begin = gauss_begin,
    .advance = gauss_advance,
    .spans = gauss_spans,
};

const cardan__ode_method cardan__ode_gauss4 = {
    .name = "gauss4",
    .order = 4,
    .data = &GAUSS4,
    .create = gauss_create,
    .begin = gauss_begin,
    .advance = gauss_advance,
    .spans = gauss_spans,
};
