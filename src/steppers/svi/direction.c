// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "linalg/linalg.h"
#include "steppers/svi/svi.h"

/* Directions of the root finder: (d, lambda) changes by (step, sigma).
 *
 *   J step + G_k^T sigma = -r,   G_n step = -Phi            J = D2 D1 L_d + D2 f^-  [1] (46)   (E1)
 * By recursion J is never formed. With Y = J^-1 G_k^T and u = -J^-1 r:
 *   (G_n Y) sigma = Phi + G_n u,   step = u - Y sigma  (E2)
 * By the tree [1] (46) is a matrix, with the two mixed terms of [1] (22) transposes of each other:
 *   J = kb (kq L_qq + kv L_qv) - (kq L_qv^T + kv L_vv) + kb (kq f_q + kv f_v)  (E3)
 * riqn and broyden take -M / h for J: M(q_k) by recursion, M at the guess by the tree.
 * The elimination holds of the elements' slopes the diagonal; where there is more, GMRES over the
 * exact operator uses it as a preconditioner: two or three products are typical, since what is left
 * out is of the order h^2 times a stiffness over a mass.
 * regularise adds that part of its diagonal to G_n Y. */

static const double newton_forcing =
    1e-9; // of GMRES in a Newton step: the direction's relative error

/* ---- J^-1 by recursion ---- */

static void apply_slope(void *context, const double *x, double *y)
{
  cardan__svi *s = context;
  const cardan__mid_weights w = cardan__svi_weights(s);
  const int nv = s->base.model->nv;
  double *dq = s->work_v, *dv = s->work_w, *da = s->slope_a;
  for (int k = 0; k < nv; k++) {
    const bool given = cardan__svi_given(s->base.model, k);
    dq[k] = given ? 0 : w.kq * x[k];
    dv[k] = given ? 0 : w.kv * x[k];
  }
  cardan__mid_slope(&s->mid, dq, dv, da, y);
  for (int k = 0; k < nv; k++) {
    y[k] = cardan__svi_given(s->base.model, k) ? x[k] : w.kb * y[k] - da[k];
  }
}

/* The elimination, and the identity for prescribed coordinates. */
static void precondition(void *context, const double *x, double *y)
{
  const cardan__svi *s = context;
  double *given = s->slope_a;
  memcpy(given, x, (size_t)s->base.model->nv * sizeof *given);
  cardan__mid_solve(&s->mid, x, y);
  for (int k = 0; k < s->base.model->nv; k++) {
    y[k] = cardan__svi_given(s->base.model, k) ? given[k] : y[k];
  }
}

static cardan_status solve_coupled(cardan__svi *s, const double *r, double tol, double *x)
{
  const cardan__operator A = {apply_slope, precondition, s};
  const int nv = s->base.model->nv;
  for (int k = 0; k < nv; k++) {
    s->rhs[k] = cardan__svi_given(s->base.model, k) ? 0 : r[k];
  }
  const int used = cardan__gmres(&A, nv, s->rhs, x, tol, s->max_gmres, s->gmres);
  // a looser direction is still one: the root finder sees what it is worth
  return used >= 0 || tol >= newton_forcing ? CARDAN_OK : CARDAN_ERR_NO_CONVERGENCE;
}

cardan_status cardan__svi_solve(cardan__svi *s, const double *r, double tol, double *x)
{
  const cardan_model *model = s->base.model;
  if (s->solver != CARDAN__SVI_NEWTON) {
    cardan_factor_solve(model, s->node, NULL, r, x);
    for (int k = 0; k < model->nv; k++) {
      x[k] *= -s->h;
    }
    return CARDAN_OK;
  }
  if (s->couples) {
    return solve_coupled(s, r, tol, x);
  }
  cardan__mid_solve(&s->mid, r, x);
  return CARDAN_OK;
}

/* ---- loops over it ---- */

static double dot(const double *a, const double *b, int n)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

static cardan_status lost_rank(cardan__svi *s, int j)
{
  const cardan_model *model = s->base.model;
  cardan_info *info = &s->node->info;
  info->row = s->row[j];
  snprintf(
      info->message, sizeof info->message,
      "constraint \"%.60s\" has become redundant, a singular position: option regularise 1e-8 may "
      "pass it",
      model->constraint[model->row[info->row].constraint].name);
  return CARDAN_ERR_SINGULAR;
}

/* Y = J^-1 G_k^T, nv x m: by eight columns at a time where the elimination alone is J. */
static cardan_status responses(cardan__svi *s)
{
  const int m = s->nindependent, nv = s->base.model->nv;
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < nv; k++) {
    for (int j = 0; j < m; j++) {
      s->Y[k * m + j] = s->Gk[j * nv + k];
    }
  }
  if (s->solver == CARDAN__SVI_NEWTON && !s->couples) {
    cardan__mid_solve_many(&s->mid, m, s->Y);
    return status;
  }
  for (int j = 0; j < m && status == CARDAN_OK; j++) {
    status = cardan__svi_solve(s, s->Gk + (size_t)j * (size_t)nv, newton_forcing, s->step);
    for (int k = 0; k < nv; k++) {
      s->Y[k * m + j] = s->step[k];
    }
  }
  return status;
}

/* Y and the factors of G_n Y (E2). */
static cardan_status factor_loops(cardan__svi *s)
{
  const int m = s->nindependent, nv = s->base.model->nv;
  cardan__svi_rows(s, s->trial, s->Gn);
  const cardan_status status = responses(s);
  memset(s->S, 0, (size_t)m * (size_t)m * sizeof *s->S);
  for (int i = 0; i < m; i++) {
    double *S = s->S + (size_t)i * (size_t)m;
    for (int k = 0; k < nv; k++) {
      const double g = s->Gn[(size_t)i * (size_t)nv + (size_t)k], *Y = s->Y + (size_t)k * (size_t)m;
      for (int j = 0; j < m && g != 0; j++) {
        S[j] += g * Y[j];
      }
    }
    S[i] *= 1 + s->base.options->regularise;
  }
  const int bad = status == CARDAN_OK ? cardan__lu(m, s->S, s->pivot) : -1;
  return bad >= 0 ? lost_rank(s, bad) : status;
}

static cardan_status direct_by_recursion(cardan__svi *s)
{
  const int m = s->nindependent, nv = s->base.model->nv;
  const cardan_status status = cardan__svi_solve(s, s->r, newton_forcing, s->step);
  for (int k = 0; k < nv; k++) {
    s->step[k] = -s->step[k];
  }
  for (int j = 0; j < m; j++) {
    s->sigma[j] = s->phi[s->row[j]] + dot(s->Gn + (size_t)j * (size_t)nv, s->step, nv);
  }
  if (m > 0) {
    cardan__lu_solve(m, s->S, s->pivot, s->sigma);
  }
  for (int k = 0; k < nv && m > 0; k++) {
    s->step[k] -= dot(s->Y + (size_t)k * (size_t)m, s->sigma, m);
  }
  return status;
}

/* ---- by the tree ---- */

/* J of (E3) to L_qq. */
static void tree_jacobian(cardan__svi *s)
{
  const cardan__mid_weights w = cardan__svi_weights(s);
  const int nv = s->base.model->nv;
  double *J = s->L_qq, *L_qv = s->L_qv, *L_vv = s->L_vv;
  cardan__tree_second(s->tree, s->L_qq, L_qv, L_vv);
  const bool exact = s->solver == CARDAN__SVI_NEWTON;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      const double own =
          exact ? w.kb * (w.kq * J[i * nv + j] + w.kv * L_qv[i * nv + j]) - w.kq * L_qv[j * nv + i]
                : 0;
      J[i * nv + j] = own - w.kv * L_vv[i * nv + j];
    }
  }
  if (exact && (s->mid.elements || s->mid.inputs)) {
    double *f_q = s->L_qv, *f_v = s->L_vv;
    memset(f_q, 0, (size_t)nv * (size_t)nv * sizeof *f_q);
    memset(f_v, 0, (size_t)nv * (size_t)nv * sizeof *f_v);
    cardan__tree_forces_second(s->tree, s->mid.data, s->mid.limit, f_q, f_v);
    for (int i = 0; i < nv * nv; i++) {
      J[i] += w.kb * (w.kq * f_q[i] + w.kv * f_v[i]);
    }
  }
}

/* [1] (46), factored; prescribed coordinates get rows and columns of the identity. */
static cardan_status factor_by_tree(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const int nv = model->nv, m = s->nindependent, n = nv + m;
  double *K = s->K;
  tree_jacobian(s);
  memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
  for (int i = 0; i < nv; i++) {
    const bool given_i = cardan__svi_given(model, i);
    for (int j = 0; j < nv; j++) {
      K[i * n + j] = given_i || cardan__svi_given(model, j) ? i == j : s->L_qq[i * nv + j];
    }
    for (int j = 0; j < m && !given_i; j++) {
      K[i * n + nv + j] = s->Gk[j * nv + i];
      K[(nv + j) * n + i] = s->Gn[j * nv + i];
    }
  }
  const int bad = cardan__lu(n, K, s->pivot);
  if (bad < 0) {
    return CARDAN_OK;
  }
  if (bad >= nv) {
    return lost_rank(s, bad - nv);
  }
  s->node->info.body = model->v_body[bad];
  s->node->info.joint = model->body[model->v_body[bad]].joint;
  return CARDAN_ERR_NOT_POSDEF;
}

static void direct_by_tree(cardan__svi *s)
{
  const int nv = s->base.model->nv, m = s->nindependent;
  double *x = s->rhs;
  for (int k = 0; k < nv; k++) {
    x[k] = cardan__svi_given(s->base.model, k) ? 0 : -s->r[k];
  }
  for (int j = 0; j < m; j++) {
    x[nv + j] = -s->phi[s->row[j]];
  }
  cardan__lu_solve(nv + m, s->K, s->pivot, x);
  memcpy(s->step, x, (size_t)nv * sizeof *x);
  memcpy(s->sigma, x + nv, (size_t)m * sizeof *x);
}

/* ---- all of them ---- */

cardan_status cardan__svi_factor(cardan__svi *s)
{
  const cardan__mid_weights w = cardan__svi_weights(s);
  cardan_status status = CARDAN_OK;
  if (s->tree != NULL) {
    return factor_by_tree(s);
  }
  if (s->solver == CARDAN__SVI_NEWTON) {
    status = cardan__mid_factor(&s->mid, &w);
    if (status != CARDAN_OK) {
      s->node->info = s->mid.data->info;
    }
  } else if (!s->mass_factored) {
    cardan_joints(s->base.model, s->node);
    status = cardan_factor(s->base.model, s->node);
    s->mass_factored = status == CARDAN_OK;
  }
  return status == CARDAN_OK && s->nindependent > 0 ? factor_loops(s) : status;
}

/* Broyden's improvement of the direction; a multiplier counts in the units of the motion it makes,
 * h / M: taken as the mean step over the mean multiplier of the first direction. */
static void improve(cardan__svi *s)
{
  const int nv = s->base.model->nv, m = s->nindependent, n = nv + m;
  if (s->nbroyden == s->max_broyden) {
    s->nbroyden = 0; // full: start over
  }
  double *z = s->broyden + (size_t)s->nbroyden * (size_t)n;
  if (s->nbroyden == 0 && m > 0) {
    const double steps = sqrt(dot(s->step, s->step, nv)), forces = sqrt(dot(s->sigma, s->sigma, m));
    s->unit = steps > 0 && forces > 0 ? steps / forces : 1;
  }
  memcpy(z, s->step, (size_t)nv * sizeof *z);
  for (int j = 0; j < m; j++) {
    z[nv + j] = s->unit * s->sigma[j];
  }
  cardan__broyden(n, s->nbroyden, s->broyden);
  memcpy(s->step, z, (size_t)nv * sizeof *z);
  for (int j = 0; j < m; j++) {
    s->sigma[j] = z[nv + j] / s->unit;
  }
  s->nbroyden++;
}

cardan_status cardan__svi_direction(cardan__svi *s)
{
  cardan_status status = CARDAN_OK;
  if (s->tree != NULL) {
    direct_by_tree(s);
  } else {
    status = direct_by_recursion(s);
  }
  if (s->solver == CARDAN__SVI_BROYDEN) {
    improve(s);
  }
  return status;
}
