// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/factor.h"
#include "dynamics/inverse_slopes.h"
#include "forces/forces.h"
#include "kinematics/joint.h"
#include "kinematics/view.h"
#include "linalg/linalg.h"

/* Derivatives of forward dynamics, M a + c = tau + Q(q, v):
 *   da/dtau = M^-1,   da/dx = -M^-1 (d(M a + c)/dx - dQ/dx)                               (E1)
 * M = L^T D L by the branches of the tree, in place (R. Featherstone, Rigid Body Dynamics
 * Algorithms, Springer 2008, Table 6.3), then all columns at once; where that leaves few zeros,
 * M^-1 and two products by LAPACK. Velocities that are prescribed are left out: their accelerations
 * do not change. */

/* M -> L, D. returns the velocity whose D is not positive, -1: none */
static int factor(int nv, const cardan_slopes *w)
{
  const int *up = w->up;
  for (int n = w->nsolved - 1; n >= 0; n--) {
    const int k = w->order[n];
    double *row = w->L + (size_t)k * (size_t)nv;
    if (!(row[k] > 0.0)) {
      return k;
    }
    for (int i = up[k]; i >= 0; i = up[i]) {
      const double l = row[i] / row[k];
      for (int j = i; j >= 0; j = up[j]) {
        w->L[(size_t)i * (size_t)nv + (size_t)j] -= l * row[j];
      }
      row[i] = l;
    }
  }
  return -1;
}

/* y -= l x */
static inline void subtract(int n, double l, const double *restrict x, double *restrict y)
{
  for (int c = 0; c < n; c++) {
    y[c] -= l * x[c];
  }
}

/* X <- (L^T D L)^-1 X, nv x n; rows of prescribed velocities become 0. */
static void solve(const cardan_model *model, const cardan_slopes *w, int n, double *X)
{
  const int nv = model->nv, *up = w->up;
  for (int k = w->nsolved - 1; k >= 0; k--) {
    const int i = w->order[k];
    const double *l = w->L + (size_t)i * (size_t)nv, scale = 1.0 / l[i];
    double *x = X + (size_t)i * (size_t)n;
    for (int j = up[i]; j >= 0; j = up[j]) {
      subtract(n, l[j], x, X + (size_t)j * (size_t)n);
    }
    for (int c = 0; c < n; c++) {
      x[c] *= scale;
    }
  }
  for (int k = 0; k < w->nsolved; k++) {
    const int i = w->order[k];
    for (int j = up[i]; j >= 0; j = up[j]) {
      subtract(n, w->L[(size_t)i * (size_t)nv + (size_t)j], X + (size_t)j * (size_t)n,
               X + (size_t)i * (size_t)n);
    }
  }
  for (int k = 0; k < nv; k++) {
    if (model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC) {
      memset(X + (size_t)k * (size_t)n, 0, (size_t)n * sizeof *X);
    }
  }
}

/* Below body i, on: a twist fixed there, in each body's own coordinates; 0 elsewhere. */
static void carry(const cardan_model *model, const cardan_data *data, int i, cardan_twist x,
                  cardan_twist *out)
{
  memset(out, 0, (size_t)model->nbody * sizeof *out);
  out[i] = x;
  for (int at = i + 1; at < model->nbody; at++) {
    const int before = model->body[at].parent;
    if (before >= i) {
      out[at] = cardan__twist_to_child(&data->X[at], out[before]);
    }
  }
}

/* Column j of T -= dQ/dx, where x changes as `change` says. */
static void force_column(const cardan_model *model, const cardan_data *data,
                         const cardan__view *view, const cardan__change *change, int j, double *T)
{
  const cardan_slopes *w = data->slopes;
  cardan__loads loads = {.f_ext = w->df, .tau = w->dtau};
  memset(w->df, 0, (size_t)model->nbody * sizeof *w->df);
  memset(w->dtau, 0, (size_t)model->nv * sizeof *w->dtau);
  cardan__forces_add_slope(model, view, change, 0, &loads);
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    double pulled[6] = {0};
    cardan__joint_project(b, w->df[i], pulled);
    for (int k = 0; k < b->nv; k++) {
      T[(size_t)(b->vadr + k) * (size_t)model->nv + (size_t)j] -= pulled[k] + w->dtau[b->vadr + k];
    }
    const cardan_force up = cardan__force_to_parent(&data->X[i], w->df[i]);
    w->df[b->parent] = cardan__force_add(w->df[b->parent], up);
  }
}

/* A unit of coordinate j (in velocities) to w's dX, dV and unit; then of velocity j to dX and
 * dV. */
static void change_q(const cardan_model *model, const cardan_data *data, int j)
{
  const cardan_slopes *w = data->slopes;
  const int i = model->v_body[j];
  const cardan_body *b = &model->body[i];
  const cardan_twist S = cardan__joint_axis(b, j - b->vadr);
  const cardan_twist V_p = cardan__twist_to_child(&data->X[i], data->V[b->parent]);
  w->unit[j] = 1.0;
  carry(model, data, i, S, w->dX);
  carry(model, data, i, cardan__twist_cross(V_p, S), w->dV);
}

static void change_v(const cardan_model *model, const cardan_data *data)
{
  const cardan_slopes *w = data->slopes;
  memcpy(w->dV, w->dX, (size_t)model->nbody * sizeof *w->dV);
  memset(w->dX, 0, (size_t)model->nbody * sizeof *w->dX);
}

/* tau_q -= dQ/dq, tau_v -= dQ/dv: on the diagonal alone where forces stay within their joints, else
 * a sweep for each column. */
static void subtract_forces(const cardan_model *model, const cardan_data *data)
{
  const cardan_slopes *w = data->slopes;
  const cardan__view view = cardan__data_view(model, data);
  const size_t nv = (size_t)model->nv;
  if (!cardan__forces_couple(model)) {
    cardan__forces_diagonal(model, &view, w->dtau, w->unit);
    for (size_t k = 0; k < nv; k++) {
      w->tau_q[k * nv + k] -= w->dtau[k];
      w->tau_v[k * nv + k] -= w->unit[k];
    }
    return;
  }
  memset(w->unit, 0, nv * sizeof *w->unit);
  for (int j = 0; j < model->nv; j++) {
    const cardan__change by_q = {.X = w->dX, .V = w->dV, .q = w->unit};
    const cardan__change by_v = {.X = w->dX, .V = w->dV, .q = w->zero, .v = w->unit};
    change_q(model, data, j);
    force_column(model, data, &view, &by_q, j, w->tau_q);
    change_v(model, data);
    force_column(model, data, &view, &by_v, j, w->tau_v);
    w->unit[j] = 0.0;
  }
}

void cardan__force_rate_slopes(const cardan_model *model, cardan_data *data, int element, int state,
                               double *by_q, double *by_v)
{
  const cardan_slopes *w = data->slopes;
  const cardan__view view = cardan__data_view(model, data);
  const cardan__change q = {.X = w->dX, .V = w->dV, .q = w->unit};
  const cardan__change v = {.X = w->dX, .V = w->dV, .q = w->zero, .v = w->unit};
  double rate[CARDAN_NELEMENT_STATE];
  memset(w->unit, 0, (size_t)model->nv * sizeof *w->unit);
  for (int j = 0; j < model->nv; j++) {
    change_q(model, data, j);
    cardan__force_rates_slope(model, &view, &q, element, rate);
    by_q[j] = rate[state];
    change_v(model, data);
    cardan__force_rates_slope(model, &view, &v, element, rate);
    by_v[j] = rate[state];
    w->unit[j] = 0.0;
  }
}

static cardan_status refuse(cardan_data *data, const char *why)
{
  snprintf(data->info.message, sizeof data->info.message,
           "derivatives of the accelerations do not take %s", why);
  return CARDAN_ERR_UNSUPPORTED;
}

cardan_status cardan__residual_slopes(const cardan_model *model, cardan_data *data, const double *a,
                                      const cardan_force *own, double *K, double *C)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_VELOCITIES);
  const cardan__view view = cardan__data_view(model, data);
  const size_t size = (size_t)model->nv * (size_t)model->nv * sizeof(double);
  if (model->has_program) {
    return refuse(data, "the forces of a program");
  }
  if (!(data->fresh & CARDAN_FRESH_POSES)) {
    cardan_poses(model, data);
  }
  cardan__forces_apply(model, &view, data->f_ext, data->tau);
  for (int i = 1; own != NULL && i < model->nbody; i++) {
    data->f_ext[i] = cardan__force_add(data->f_ext[i], own[i]);
  }
  const cardan_status status = cardan__tree_slopes(model, data, a);
  if (status == CARDAN_OK) {
    subtract_forces(model, data);
    memcpy(K, data->slopes->tau_q, size);
    memcpy(C, data->slopes->tau_v, size);
  }
  return status;
}

cardan_status cardan_stiffness(const cardan_model *model, cardan_data *data, double *K, double *C)
{
  return cardan__residual_slopes(model, data, NULL, NULL, K, C);
}

/* out: -M^-1 [tau_q tau_v -1] along the branches. returns as factor */
static int solve_by_branches(const cardan_model *model, const cardan_slopes *w,
                             double *const out[3])
{
  const size_t nv = (size_t)model->nv;
  const int bad = factor(model->nv, w);
  if (bad >= 0) {
    return bad;
  }
  // side by side: rows are long, and each entry of L is read once for all three
  for (size_t i = 0; i < nv; i++) {
    double *row = w->X + i * 3 * nv;
    memcpy(row, w->tau_q + i * nv, nv * sizeof *row);
    memcpy(row + nv, w->tau_v + i * nv, nv * sizeof *row);
    memset(row + 2 * nv, 0, nv * sizeof *row);
    row[2 * nv + i] = -1.0;
  }
  solve(model, w, 3 * model->nv, w->X);
  for (size_t k = 0; k < 3 * nv; k++) { // rows of the three, one after the other
    const double *row = w->X + (k % nv) * 3 * nv + (k / nv) * nv;
    double *to = out[k / nv] + (k % nv) * nv;
    for (size_t c = 0; c < nv; c++) {
      to[c] = -row[c];
    }
  }
  return -1;
}

/* Row and column of every prescribed velocity: 0, and so on the diagonal. */
static void leave_out_prescribed(const cardan_model *model, double diagonal, double *M)
{
  const size_t nv = (size_t)model->nv;
  for (size_t k = 0; k < nv; k++) {
    if (model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC) {
      memset(M + k * nv, 0, nv * sizeof *M);
      for (size_t i = 0; i < nv; i++) {
        M[i * nv + k] = 0.0;
      }
      M[k * nv + k] = diagonal;
    }
  }
}

/* The same where M has few zeros: M^-1 as it is, and two products. */
static int solve_dense(const cardan_model *model, const cardan_slopes *w, double *const out[3])
{
  const int nv = model->nv;
  memcpy(out[2], w->L, (size_t)nv * (size_t)nv * sizeof *w->L);
  leave_out_prescribed(model, 1.0, out[2]);
  const int bad = cardan__positive_inverse(nv, out[2]);
  if (bad >= 0) {
    return bad;
  }
  leave_out_prescribed(model, 0.0, out[2]);
  cardan__symmetric_mul(nv, -1.0, out[2], w->tau_q, out[0]);
  cardan__symmetric_mul(nv, -1.0, out[2], w->tau_v, out[1]);
  return -1;
}

cardan_status cardan_forward_slopes(const cardan_model *model, cardan_data *data, double *a_dq,
                                    double *a_dv, double *a_dtau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_FORWARD);
  if (model->nrow > 0 || model->has_friction || model->has_program) {
    return refuse(data, model->nrow > 0       ? "constraints"
                        : model->has_friction ? "friction"
                                              : "the forces of a program");
  }
  const cardan_status status = cardan__tree_slopes(model, data, data->a);
  if (status != CARDAN_OK) {
    return status;
  }
  subtract_forces(model, data);
  const cardan_slopes *w = data->slopes;
  double *const out[3] = {a_dq, a_dv, a_dtau};
  const int bad = w->dense ? solve_dense(model, w, out) : solve_by_branches(model, w, out);
  return bad < 0 ? CARDAN_OK : cardan__no_inertia(model, &data->info, model->v_body[bad]);
}
