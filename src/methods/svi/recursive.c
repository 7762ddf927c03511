// SPDX-License-Identifier: Apache-2.0
#include "methods/svi/svi.h"

/* The equation of a step of svi by recursion, O(n): mid.c evaluates, svi_sweep.c eliminates. The
 * elimination holds of the elements' slopes the diagonal; where there is more, apply is exact. */

static cardan_status residual(cardan__discrete *d, double *r)
{
  cardan__svi *s = (cardan__svi *)d;
  const cardan_status status = cardan__svi_enter_middle(s);
  cardan__mid_eval(&s->mid, s->a, s->b);
  cardan__svi_combine(s, r);
  return status;
}

static cardan_status factor(cardan__discrete *d)
{
  cardan__svi *s = (cardan__svi *)d;
  const cardan__mid_weights w = cardan__svi_weights(s);
  const cardan_status status = cardan__mid_factor(&s->mid, &w);
  if (status != CARDAN_OK) {
    d->node->info = s->mid.data->info;
  }
  return status;
}

static void solve(cardan__discrete *d, int k, double *X)
{
  const cardan__svi *s = (const cardan__svi *)d;
  const cardan__mid_weights w = cardan__svi_weights(s);
  const size_t n = (size_t)d->model->nv * (size_t)k;
  for (size_t i = 0; i < n; i++) {
    X[i] = -X[i]; // what svi_sweep.c eliminates is -dr/dd
  }
  if (k == 1) {
    cardan__mid_solve(&s->mid, &w, X, X);
  } else {
    cardan__mid_solve_many(&s->mid, &w, k, X);
  }
}

static void apply(cardan__discrete *d, const double *x, double *y)
{
  cardan__svi *s = (cardan__svi *)d;
  const cardan__mid_weights w = cardan__svi_weights(s);
  const int nv = d->model->nv;
  for (int k = 0; k < nv; k++) {
    const bool given = cardan__prescribed(d->model, k);
    s->work_q[k] = given ? 0 : w.kq * x[k];
    s->work_v[k] = given ? 0 : w.kv * x[k];
  }
  cardan__mid_slope(&s->mid, s->work_q, s->work_v, s->work, y);
  for (int k = 0; k < nv; k++) {
    y[k] = cardan__prescribed(d->model, k) ? x[k] : s->work[k] - w.kb * y[k];
  }
}

static void factors(cardan__discrete *d, cardan__spans *list)
{
  cardan__svi *s = (cardan__svi *)d;
  cardan__spans_add(list, s->mid.sweep, (size_t)d->model->nbody, sizeof *s->mid.sweep);
}

const cardan__equation cardan__equation_svi = {
    .size = sizeof(cardan__svi),
    .layout = cardan__svi_layout,
    .make = cardan__svi_make,
    .close = cardan__svi_close,
    .residual = residual,
    .factor = factor,
    .solve = solve,
    .apply = apply,
    .factors = factors,
    CARDAN__SVI_ENTRIES,
};
