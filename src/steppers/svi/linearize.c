// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "steppers/svi/svi.h"

/* Derivatives of a step of svi.
 *
 * r = p + kb b - a + G^T lambda and p' = a + ka b, with a and b at the point q + alpha (q' - q) and
 * the velocity (q' - q) / h. Along a unit of q_j and of v_j mid.c gives the columns a_q, b_q, a_v,
 * b_v; then
 *   r_q' = kb (alpha b_q + b_v / h) - (alpha a_q + a_v / h)
 *   p_q' = alpha (a_q + ka b_q) + (a_v + ka b_v) / h
 * and by q the same with 1 - alpha and -1 / h. */

static void add_column(cardan__slopes *out, int nv, int j, const double *da, const double *db,
                       const double weight[2], double kb, double ka)
{
  for (int i = 0; i < nv; i++) {
    const double r = kb * db[i] - da[i], p = da[i] + ka * db[i];
    out->r_q[i * nv + j] += weight[0] * r;
    out->r_q1[i * nv + j] += weight[1] * r;
    out->p_q[i * nv + j] += weight[0] * p;
    out->p_q1[i * nv + j] += weight[1] * p;
  }
}

/* The matrices at the root that was found. */
static void differentiate(cardan__svi *s, cardan__slopes *out)
{
  const int nv = s->base.model->nv;
  const double kb = (1 - s->alpha) * s->h, ka = s->alpha * s->h;
  const double by_q[2] = {1 - s->alpha, s->alpha}, by_v[2] = {-1 / s->h, 1 / s->h};
  double *dq = s->work_v, *dv = s->work_w, *da = s->step, *db = s->slope_a;
  const size_t size = (size_t)nv * (size_t)nv * sizeof(double);
  memset(out->r_q, 0, size);
  memset(out->r_q1, 0, size);
  memset(out->p_q, 0, size);
  memset(out->p_q1, 0, size);
  memset(dq, 0, (size_t)nv * sizeof *dq);
  memset(dv, 0, (size_t)nv * sizeof *dv);
  cardan__mid_eval(&s->mid, s->a, s->b); // by the tree nothing of it is there yet
  for (int j = 0; j < nv; j++) {
    dq[j] = 1;
    cardan__mid_slope(&s->mid, dq, dv, da, db);
    add_column(out, nv, j, da, db, by_q, kb, ka);
    dq[j] = 0;
    dv[j] = 1;
    cardan__mid_slope(&s->mid, dq, dv, da, db);
    add_column(out, nv, j, da, db, by_v, kb, ka);
    dv[j] = 0;
  }
  for (int k = 0; k < nv; k++) {
    out->p_next[k] = s->a[k] + ka * s->b[k];
    out->q_next[k] = s->node->q[k] + s->d[k];
  }
  out->r_u = kb;
  out->p_u = ka;
}

cardan_status cardan__svi_slopes(cardan__stepper *stepper, cardan_data *data, double h,
                                 cardan__slopes *out)
{
  cardan__svi *s = (cardan__svi *)stepper;
  const int iterations = s->base.iterations;
  const int64_t evaluations = s->base.evaluations;
  cardan__svi_take_inputs(s, data);
  s->h = h;
  s->t = data->t;
  data->info = s->node->info = s->mid.data->info =
      (cardan_info){.body = -1, .joint = -1, .row = -1};
  cardan_status status = cardan__svi_make_guess(s);
  if (status == CARDAN_OK) {
    s->base.iterations = 0;
    status = cardan__svi_find_root(s, data);
  } else {
    data->info = s->node->info;
  }
  if (status == CARDAN_OK && s->nindependent > 0 && s->tree == NULL) {
    cardan__svi_rows(s, s->trial, s->Gn);
  }
  if (status == CARDAN_OK) {
    differentiate(s, out);
  }
  out->nindependent = s->nindependent;
  out->row = s->row;
  out->Gk = s->Gk;
  out->Gn = s->Gn;
  out->lambda = s->lambda;
  out->p = s->p;
  s->factored = false;
  s->base.iterations = iterations;
  s->base.evaluations = evaluations;
  return status;
}
