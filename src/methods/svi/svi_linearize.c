// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "methods/svi/svi.h"

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

cardan_status cardan__svi_slopes(cardan__discrete *d, cardan__slopes *out)
{
  cardan__svi *s = (cardan__svi *)d;
  const int nv = d->model->nv;
  const double kb = (1 - s->alpha) * d->h, ka = s->alpha * d->h;
  const double by_q[2] = {1 - s->alpha, s->alpha}, by_v[2] = {-1 / d->h, 1 / d->h};
  double *dq = s->work_q, *dv = s->work_v, *da = s->work, *db = d->root.step;
  double *const matrices[] = {out->r_q, out->r_q1, out->p_q, out->p_q1};
  for (int i = 0; i < 4; i++) {
    memset(matrices[i], 0, (size_t)nv * (size_t)nv * sizeof(double));
  }
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
    out->q_next[k] = d->node->q[k] + d->x.dq[k];
  }
  out->r_u = kb;
  out->p_u = ka;
  out->p = s->p;
  return CARDAN_OK;
}
