// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "linalg/linalg.h"
#include "steppers/vi/vi.h"

/* Loops, couplings, and derivatives of forces between frames, over whatever solves J x = r in O(n).
 *
 *   f - G_k^T lambda = 0,   Phi(q^{k+1}) = 0            lambda: impulses at node k             (B1)
 * Newton for (dq, lambda), with G_n the rows at the iterate, Y = J^-1 [G_k^T, beta], u = -J^-1 f:
 *   dq = u + Y sigma,   ([G_n; alpha] Y - [0; 1]) sigma = [-Phi; 0] - [G_n; alpha] u           (B2)
 * A force channel is a scalar force s that acts along beta (h/2 of it in this step) and changes by
 * alpha . dq: it adds -beta alpha^T to J, of rank 1, and sigma is its change.
 * Only independent rows are here (model->row_redundant); G is kept dense, O(rows (nv + depth)).
 * regularise adds that part of its diagonal to S: near a singular position multipliers stay
 * bounded, and Phi = 0 is reached by more iterations. */

/* x = J^-1 r, by the solver's own J; riqn and broyden take M(q^k) / h for it, [1] (25). */
static void base_solve(cardan__vi *s, const double *r, double *x)
{
  const cardan_model *model = s->base.model;
  const size_t nv = (size_t)model->nv;
  switch (s->solver) {
  case CARDAN__VI_NEWTON:
    cardan__vi_solve(s, r, x);
    break;
  case CARDAN__VI_DENSE:
    if (x != r) {
      memcpy(x, r, nv * sizeof *x);
    }
    for (size_t k = 0; k < nv; k++) {
      if (model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC) {
        x[k] = 0;
      }
    }
    cardan__lu_solve(model->nv, s->jacobian, s->pivot, x);
    break;
  case CARDAN__VI_RIQN:
  case CARDAN__VI_BROYDEN:
    cardan_factor_solve(model, s->node, NULL, r, x);
    for (size_t k = 0; k < nv; k++) {
      x[k] *= s->h;
    }
    break;
  }
}

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

void cardan__vi_rows(cardan__vi *s, cardan_data *data, double *G)
{
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  const size_t nv = (size_t)model->nv;
  cardan__rows_jacobian(&set, &view, &data->rows);
  cardan__rows_dense(&set, data, &data->rows, G);
  for (int j = 0; j < s->nindependent; j++) {
    if (s->row[j] != j) {
      memcpy(G + (size_t)j * nv, G + (size_t)s->row[j] * nv, nv * sizeof *G);
    }
  }
}

void cardan__vi_constraints(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_data *trial = s->trial;
  trial->t = s->t + s->h;
  cardan__vi_move_by(model, s->node->q, s->dq, 1, trial->q);
  cardan_joints(model, trial);
  cardan_poses(model, trial);
  const cardan__view view = cardan__data_view(model, trial);
  cardan__rows_value(&set, &view, s->phi);
  cardan__vi_rows(s, trial, s->Gn);
}

/* Row j of [G_n; alpha], column j of [G_k^T, beta]. */
static const double *border_row(const cardan__vi *s, int j)
{
  const size_t nv = (size_t)s->base.model->nv;
  return j < s->nindependent ? s->Gn + (size_t)j * nv
                             : s->alpha + (size_t)(j - s->nindependent) * nv;
}

static const double *border_column(const cardan__vi *s, int j)
{
  const size_t nv = (size_t)s->base.model->nv;
  return j < s->nindependent ? s->Gk + (size_t)j * nv
                             : s->beta + (size_t)(j - s->nindependent) * nv;
}

cardan_status cardan__vi_border_factorise(cardan__vi *s)
{
  cardan_status status = CARDAN_OK;
  if (s->solver == CARDAN__VI_NEWTON) {
    status = cardan__vi_factorise(s);
  } else if (s->solver == CARDAN__VI_DENSE) {
    status = cardan__vi_dense_factorise(s);
  } else if (!s->mass_factored) {
    status = cardan_factor(s->base.model, s->node);
    s->mass_factored = status == CARDAN_OK;
  }
  for (int j = 0; j < s->nborder && status == CARDAN_OK; j++) {
    base_solve(s, border_column(s, j), s->Y + (size_t)j * (size_t)s->base.model->nv);
  }
  return status;
}

static cardan_status lost_rank(cardan__vi *s, int j)
{
  const cardan_model *model = s->base.model;
  cardan_info *info = &s->node->info;
  info->row = j < s->nindependent ? s->row[j] : -1;
  if (info->row >= 0) {
    snprintf(
        info->message, sizeof info->message,
        "constraint \"%.60s\" has become redundant, a singular position: option regularise 1e-8 "
        "may pass it",
        model->constraint[model->row[info->row].constraint].name);
  }
  return CARDAN_ERR_SINGULAR;
}

/* (B2): sigma and step from u, which stands in step. */
static cardan_status border_solve(cardan__vi *s)
{
  const int n = s->nborder, nv = s->base.model->nv;
  const double eps = s->base.options->regularise;
  for (int i = 0; i < n; i++) {
    const double *row = border_row(s, i);
    for (int j = 0; j < n; j++) {
      s->S[i * n + j] = dot(row, s->Y + (size_t)j * (size_t)nv, nv);
    }
    s->S[i * n + i] = i < s->nindependent ? (1 + eps) * s->S[i * n + i] : s->S[i * n + i] - 1;
    s->sigma[i] = (i < s->nindependent ? -s->phi[s->row[i]] : 0) - dot(row, s->step, nv);
  }
  const int bad = cardan__lu(n, s->S, s->border_pivot);
  if (bad >= 0) {
    return lost_rank(s, bad);
  }
  cardan__lu_solve(n, s->S, s->border_pivot, s->sigma);
  for (int j = 0; j < n; j++) {
    const double *Yj = s->Y + (size_t)j * (size_t)nv;
    for (int k = 0; k < nv; k++) {
      s->step[k] += s->sigma[j] * Yj[k];
    }
  }
  return CARDAN_OK;
}

cardan_status cardan__vi_direction(cardan__vi *s)
{
  const int nv = s->base.model->nv;
  for (int k = 0; k < nv; k++) {
    s->step[k] = -s->f[k];
  }
  base_solve(s, s->step, s->step);
  const cardan_status status = s->nborder > 0 ? border_solve(s) : CARDAN_OK;
  if (status == CARDAN_OK && s->solver == CARDAN__VI_BROYDEN) {
    cardan__vi_broyden(s);
  }
  return status;
}
