// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/matrices.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/aux_rates.h"
#include "dynamics/outputs.h"
#include "expr/expr.h"
#include "forces/forces.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"

/* The equations of the true degrees of freedom as a linear system about the state, with auxiliary
 * states z' = f(q, v, u, z) beside them.
 *   x'' = -Mr^-1 (Cr x' + Kr x - N^T du-forces - N^T dz-forces)                            (E1)
 * Changes count from the motion of the state itself, T = T0(t) exp(d), as cardan_q_difference has
 * them. For a joint of several velocities that moves, d' = dv + [d, v]:
 *   A11 = E [N, v],   0 elsewhere                                                          (E2)
 * With rows of velocity level x' is not y (matrices_true.c): A11 += E P, A12 = E W.
 *   z' = f_q N x + f_v (N x' + P x) + f_z z + f_u u                                        (E3)
 * Outputs are as f is. Those that no exact derivative is known of (of accelerations, energies ..)
 * are differences of order 4: nothing says over which length they bend, so of steps that are each a
 * quarter of the last the two that agree best are taken, and how far apart they are is reported. */

/* (E2) */
static void fill_turning(const cardan_matrices *m)
{
  const cardan_model *model = m->model;
  const size_t n = (size_t)m->n, nx = (size_t)m->nx;
  for (size_t i = 0; i < n; i++) {
    const cardan_body *b = &model->body[model->v_body[m->dof[i]]];
    for (size_t j = 0; j < n && b->nv > 1; j++) {
      double d[6] = {0}, v[6] = {0};
      for (int k = 0; k < b->nv; k++) {
        d[k] = m->N[(size_t)(b->vadr + k) * n + j];
        v[k] = m->v[b->vadr + k];
      }
      const cardan_twist x = {{d[0], d[1], d[2]}, {d[3], d[4], d[5]}};
      const cardan_twist y = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
      const cardan_twist xy = cardan__twist_cross(x, y);
      const double bracket[6] = {xy.w.x, xy.w.y, xy.w.z, xy.v.x, xy.v.y, xy.v.z};
      m->A[i * nx + j] = bracket[m->dof[i] - b->vadr];
    }
  }
}

/* The rows of x': y itself, or what the bases make of x and y. */
static void fill_rates(const cardan_matrices *m, const cardan__matrices_work *w)
{
  const size_t n = (size_t)m->n, nw = (size_t)m->nw, nx = (size_t)m->nx;
  fill_turning(m);
  for (size_t i = 0; i < n; i++) {
    const size_t k = (size_t)m->dof[i];
    if (m->W == m->N) {
      m->A[i * nx + n + i] = 1;
      continue;
    }
    for (size_t j = 0; j < n; j++) {
      m->A[i * nx + j] += w->P[k * n + j];
    }
    memcpy(m->A + i * nx + n, m->W + k * nw, nw * sizeof *m->A);
  }
}

/* f (nv, out): what a unit of an input changes in the forces on the velocities. */
static void input_force(const cardan_matrices *m, cardan__matrices_work *w, int input, double *f)
{
  const cardan_model *model = m->model;
  const cardan__view view = cardan__data_view(model, w->node);
  double *by_u = w->f2, *none = w->f2 + model->ninput + model->nz;
  memset(w->f2, 0, ((size_t)(model->ninput + model->nz) + (size_t)m->nv) * sizeof *w->f2);
  memset(f, 0, (size_t)m->nv * sizeof *f);
  memset(w->df, 0, (size_t)model->nbody * sizeof *w->df);
  by_u[input] = 1;
  cardan__loads loads = {.f_ext = w->df, .tau = f};
  const cardan__change change = {.X = w->still, .q = none, .u = by_u};
  cardan__forces_add_slope(model, &view, &change, 0, &loads);
  cardan__tree_pull(model, w->node, w->df, f);
}

/* Column `at` of T (nw x columns) = W^T of what input or auxiliary state u does. */
static void input_column(const cardan_matrices *m, cardan__matrices_work *w, int u, size_t columns,
                         size_t at)
{
  const size_t nw = (size_t)m->nw;
  input_force(m, w, u, w->f);
  for (size_t i = 0; i < nw; i++) {
    double sum = 0;
    for (size_t r = 0; r < (size_t)m->nv; r++) {
      sum += m->W[r * nw + i] * w->f[r];
    }
    w->T[i * columns + at] = sum;
  }
}

/* Right-hand sides of (E1) to T: nw x (nx + nu). */
static void right_sides(const cardan_matrices *m, cardan__matrices_work *w)
{
  const size_t n = (size_t)m->n, nw = (size_t)m->nw, nx = (size_t)m->nx;
  const size_t columns = nx + (size_t)m->nu;
  double *T = w->T;
  memset(T, 0, nw * columns * sizeof *T);
  for (size_t i = 0; i < nw; i++) {
    for (size_t j = 0; j < n; j++) {
      T[i * columns + j] = 0 - m->Kr[i * n + j];
    }
    for (size_t j = 0; j < nw; j++) {
      T[i * columns + n + j] = 0 - m->Cr[i * nw + j];
    }
    for (size_t k = 0; k < (size_t)m->nforced; k++) {
      T[i * columns + nx + k] = m->W[(size_t)m->forced[k] * nw + i];
    }
  }
  for (int k = 0; k < m->nz; k++) {
    input_column(m, w, m->model->ninput + k, columns, n + nw + (size_t)k);
  }
  for (int k = 0; k < m->model->ninput; k++) {
    input_column(m, w, k, columns, nx + (size_t)(m->nforced + k));
  }
}

/* An expression's derivatives by q, v and u, in w->f, f2 and by_u, as rows by states and inputs:
 * x (nx), u (nu) (E3). */
static void fill_row(const cardan_matrices *m, const cardan__matrices_work *w, double *x, double *u)
{
  const size_t n = (size_t)m->n, nw = (size_t)m->nw, ninput = (size_t)m->model->ninput;
  for (size_t k = 0; k < (size_t)m->nv; k++) {
    for (size_t j = 0; j < n; j++) {
      x[j] += w->f[k] * m->N[k * n + j] + w->f2[k] * w->P[k * n + j];
    }
    for (size_t j = 0; j < nw; j++) {
      x[n + j] += w->f2[k] * m->W[k * nw + j];
    }
  }
  memcpy(x + n + nw, w->by_u + ninput, (size_t)m->nz * sizeof *x);
  memcpy(u + m->nforced, w->by_u, ninput * sizeof *u);
}

/* The rows of the auxiliary states, and whether one of them changes by more than rounding of what
 * its rate is made of. returns false where f is not finite */
static bool fill_states(cardan_matrices *m, cardan__matrices_work *w)
{
  const double part = 1e-9;
  const cardan_model *model = m->model;
  const size_t first = (size_t)m->n + (size_t)m->nw, nx = (size_t)m->nx, nu = (size_t)m->nu;
  for (int k = 0; k < m->nz; k++) {
    double *x = m->A + (first + (size_t)k) * nx, *u = m->B + (first + (size_t)k) * nu, scale = 0;
    cardan__aux_rate_slopes(model, w->node, k, w->f, w->f2, w->by_u);
    fill_row(m, w, x, u);
    for (int j = 0; j < model->ninput + model->nz; j++) {
      scale += fabs(w->by_u[j] * w->u[j]);
    }
    for (int j = 0; j < model->nv; j++) {
      scale += fabs(w->f[j]) * cardan__velocity_unit(model, j) + fabs(w->f2[j] * m->v[j]);
    }
    const cardan__view view = cardan__data_view(model, w->node);
    (void)cardan__aux_rates(model, &view, w->dz);
    const double rate = w->dz[k];
    if (!isfinite(rate)) {
      m->status = cardan__aux_rates_not_finite(model, k, &w->node->info);
      snprintf(m->why, sizeof m->why, "%.300s", w->node->info.message);
      return false;
    }
    if (fabs(rate) > part * scale && m->changing < 0) {
      m->changing = k;
      m->change = rate;
    }
  }
  return true;
}

/* A and B. returns false where Mr is not positive */
static bool fill_system(cardan_matrices *m, cardan__matrices_work *w)
{
  const size_t n = (size_t)m->n, nw = (size_t)m->nw, nu = (size_t)m->nu, nx = (size_t)m->nx;
  const size_t columns = nx + nu;
  cardan__matrices_place(m, w, 0, NULL, NULL, NULL);
  cardan_kinematics(m->model, w->node);
  memcpy(w->square, m->Mr, nw * nw * sizeof *w->square);
  right_sides(m, w);
  if (cardan__lu(m->nw, w->square, w->pivot) >= 0) {
    m->status = CARDAN_ERR_NOT_POSDEF;
    snprintf(m->why, sizeof m->why, "no inertia to push against: N^T M N is singular");
    return false;
  }
  cardan__lu_solve_many(m->nw, w->square, w->pivot, (int)columns, w->T, w->f);
  for (size_t i = 0; i < nw; i++) {
    const double *from = w->T + i * columns;
    memcpy(m->A + (n + i) * nx, from, nx * sizeof *m->A); // (E1)
    memcpy(m->B + (n + i) * nu, from + nx, nu * sizeof *m->B);
  }
  fill_rates(m, w);
  return fill_states(m, w);
}

/* A way in which the state or what acts on it changes: along (dq, dv), inputs and auxiliary states
 * du, or a force on velocity `force`, -1: none. */
typedef struct {
  const double *dq, *dv, *du;
  int force;
} direction;

/* d (ny, out): outputs' change along a direction, by differences of step h. */
static void difference(const cardan_matrices *m, cardan__matrices_work *w, const direction *along,
                       double h, double *d)
{
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  memset(d, 0, (size_t)m->ny * sizeof *d);
  for (int k = 0; k < 4; k++) {
    cardan__matrices_place(m, w, at[k] * h, along->dq, along->dv, along->du);
    const double before = along->force >= 0 ? w->node->tau_in[along->force] : 0;
    if (along->force >= 0) {
      w->node->tau_in[along->force] = before + at[k] * h;
    }
    const bool fine = cardan_outputs(m->model, w->node) == CARDAN_OK;
    for (int y = 0; y < m->ny; y++) {
      d[y] += fine ? weight[k] * w->node->y[y] / (12 * h) : (double)NAN;
    }
    if (along->force >= 0) {
      w->node->tau_in[along->force] = before;
    }
  }
}

/* Entry `column` of the rows of outputs that are not exact, X ny x stride, by steps from h down. */
static void difference_column(cardan_matrices *m, cardan__matrices_work *w, const direction *along,
                              double h, double *X, int stride, int column)
{
  enum { STEPS = 12 };
  const size_t ny = (size_t)m->ny;
  double *d = w->dy, *next = d + ny, *best = next + ny, *least = best + ny;
  bool going = true;
  difference(m, w, along, h, d);
  for (size_t y = 0; y < ny; y++) {
    best[y] = d[y];
    least[y] = HUGE_VAL;
  }
  for (int i = 0; i < STEPS && going; i++) {
    h *= 0.25;
    difference(m, w, along, h, next);
    going = false;
    for (size_t y = 0; y < ny; y++) {
      const double apart = fabs(next[y] - d[y]);
      best[y] = apart < least[y] ? next[y] : best[y];
      least[y] = apart < least[y] ? apart : least[y];
      going = going || (!m->y_exact[y] && !(least[y] <= 1e-13 * fabs(best[y])));
      d[y] = next[y];
    }
  }
  for (size_t y = 0; y < ny; y++) {
    if (!m->y_exact[y]) {
      X[y * (size_t)stride + (size_t)column] = best[y];
      m->y_error[y] = fmax(m->y_error[y], least[y]);
    }
  }
}

/* The first step along dq: what moves furthest moves by a tenth of its unit. */
static double first_step(const cardan_matrices *m, const double *dq)
{
  double most = 0;
  for (int k = 0; k < m->nv; k++) {
    most = fmax(most, fabs(dq[k]) / cardan__velocity_unit(m->model, k));
  }
  return most > 0 ? 0.1 / most : 0.1;
}

/* Rows of Cy and D by differences: along states, along forces on velocities, along inputs. */
static void difference_rows(cardan_matrices *m, cardan__matrices_work *w)
{
  const cardan_model *model = m->model;
  const int n = m->n, nw = m->nw, ninput = model->ninput;
  const double force = fmax(1, m->mass * cardan__vec3_norm(model->gravity));
  for (int j = 0; j < n + nw; j++) {
    for (int k = 0; k < m->nv; k++) {
      w->f[k] = j < n ? m->N[k * n + j] : m->W[k * nw + j - n];
      w->f2[k] = j >= n ? w->f[k] : w->P[k * n + j];
    }
    const direction along = {j < n ? w->f : NULL, w->f2, NULL, -1};
    difference_column(m, w, &along, first_step(m, w->f), m->Cy, m->nx, j);
  }
  memset(w->by_u, 0, (size_t)(ninput + model->nz) * sizeof *w->by_u);
  for (int k = 0; k < ninput + m->nz; k++) {
    const direction along = {NULL, NULL, w->by_u, -1};
    const bool z = k >= ninput;
    w->by_u[k] = 1;
    difference_column(m, w, &along, fmax(0.1, 0.1 * fabs(w->u[k])), z ? m->Cy : m->D,
                      z ? m->nx : m->nu, z ? n + nw + k - ninput : m->nforced + k);
    w->by_u[k] = 0;
  }
  for (int k = 0; k < m->nforced; k++) {
    const direction along = {NULL, NULL, NULL, m->forced[k]};
    difference_column(m, w, &along, force, m->D, m->nu, k);
  }
}

static void fill_outputs(cardan_matrices *m, cardan__matrices_work *w)
{
  const cardan_model *model = m->model;
  bool all = true;
  for (int y = 0; y < m->ny; y++) {
    cardan__matrices_place(m, w, 0, NULL, NULL, NULL);
    m->y_exact[y] =
        cardan__expr_slopes(model, w->node, model->output[y].expr, w->f, w->f2, w->by_u);
    if (m->y_exact[y]) {
      fill_row(m, w, m->Cy + (size_t)y * (size_t)m->nx, m->D + (size_t)y * (size_t)m->nu);
    }
    all = all && m->y_exact[y];
  }
  if (!all) {
    difference_rows(m, w);
  }
}

/* Is there an acceleration beyond what a displacement by rounding makes? It is compared with that
 * of a displacement by 1 (an angle, or the mechanism's length), and with gravity. */
static void check_balance(cardan_matrices *m)
{
  const double part = 1e-9;
  const cardan_model *model = m->model;
  const size_t n = (size_t)m->n, nw = (size_t)m->nw, nx = (size_t)m->nx;
  double worst = 0;
  bool rests = true;
  m->unbalanced = nw > 0 ? m->wdof[0] : 0;
  for (size_t i = 0; i < nw; i++) {
    const double unit = cardan__velocity_unit(model, m->wdof[i]);
    const double length = model->size_length > 0 ? model->size_length : 1;
    double scale = cardan__vec3_norm(model->gravity) / length * unit;
    for (size_t j = 0; j < n; j++) {
      scale += fabs(m->A[(n + i) * nx + j]) * cardan__velocity_unit(model, m->dof[j]);
    }
    for (size_t j = 0; j < nw && m->W != m->N; j++) { // coordinates by which nothing bends
      scale += fabs(m->A[(n + i) * nx + n + j]) * cardan__velocity_unit(model, m->wdof[j]);
    }
    const double a = fabs(m->a[m->wdof[i]]), ratio = a > 0 ? a / scale : 0;
    if (ratio > worst) {
      worst = ratio;
      m->unbalanced = m->wdof[i];
      rests = rests && !(ratio > part);
    }
  }
  m->unbalanced = rests && m->changing >= 0 ? -1 : m->unbalanced;
  m->balanced = rests && m->changing < 0;
}

bool cardan__matrices_linear(cardan_matrices *m, cardan__matrices_work *w)
{
  if (!fill_system(m, w)) {
    return false;
  }
  fill_outputs(m, w);
  check_balance(m);
  return true;
}
