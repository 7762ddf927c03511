// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/matrices.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "expr/expr.h"
#include "forces/forces.h"
#include "linalg/linalg.h"
#include "model/joint_table.h"

/* The equations of the true degrees of freedom as a linear system about the state.
 *   x'' = -Mr^-1 (Cr x' + Kr x - N^T du-forces)                                            (E1)
 * Changes count from the motion of the state itself, T = T0(t) exp(d), as cardan_q_difference has
 * them. For a joint of several velocities that moves, d' = dv + [d, v]:
 *   A11 = E [N, v],   0 elsewhere                                                          (E2)
 * Outputs that no exact derivative is known of, and what inputs do to them directly, are
 * differences of order 4. */

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
      const cardan_motion x = {{d[0], d[1], d[2]}, {d[3], d[4], d[5]}};
      const cardan_motion y = {{v[0], v[1], v[2]}, {v[3], v[4], v[5]}};
      const cardan_motion xy = cardan__motion_cross(x, y);
      const double bracket[6] = {xy.w.x, xy.w.y, xy.w.z, xy.v.x, xy.v.y, xy.v.z};
      m->A[i * nx + j] = bracket[m->dof[i] - b->vadr];
    }
  }
}

/* f (nv, out): what a unit of an input changes in the forces on the velocities. */
static void input_force(const cardan_matrices *m, cardan__matrices_work *w, int input, double *f)
{
  const cardan_model *model = m->model;
  const cardan__view view = cardan__data_view(model, w->node);
  double *by_u = w->f2, *none = w->f2 + model->ninput;
  memset(w->f2, 0, ((size_t)model->ninput + (size_t)m->nv) * sizeof *w->f2);
  memset(f, 0, (size_t)m->nv * sizeof *f);
  memset(w->df, 0, (size_t)model->nbody * sizeof *w->df);
  by_u[input] = 1;
  cardan__loads loads = {.f_ext = w->df, .tau = f};
  const cardan__change change = {.X = w->still, .q = none, .u = by_u};
  cardan__forces_add_slope(model, &view, &change, 0, &loads);
  cardan__tree_pull(model, w->node, w->df, f);
}

/* Right-hand sides of (E1) to T: n x (2 n + nu). */
static void right_sides(const cardan_matrices *m, cardan__matrices_work *w)
{
  const size_t n = (size_t)m->n, nu = (size_t)m->nu, columns = 2 * n + nu;
  double *T = w->T;
  memset(T, 0, n * columns * sizeof *T);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      T[i * columns + j] = 0 - m->Kr[i * n + j];
      T[i * columns + n + j] = 0 - m->Cr[i * n + j];
    }
    for (size_t k = 0; k < (size_t)m->nforced; k++) {
      T[i * columns + 2 * n + k] = m->N[(size_t)m->forced[k] * n + i];
    }
  }
  for (int k = 0; k < m->model->ninput; k++) {
    input_force(m, w, k, w->f);
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t r = 0; r < (size_t)m->nv; r++) {
        sum += m->N[r * n + i] * w->f[r];
      }
      T[i * columns + 2 * n + (size_t)(m->nforced + k)] = sum;
    }
  }
}

/* A and B. returns false where Mr is not positive */
static bool fill_system(cardan_matrices *m, cardan__matrices_work *w)
{
  const size_t n = (size_t)m->n, nu = (size_t)m->nu, nx = (size_t)m->nx, columns = 2 * n + nu;
  cardan__matrices_place(m, w, 0, NULL, NULL, NULL);
  cardan_kinematics(m->model, w->node);
  memcpy(w->square, m->Mr, n * n * sizeof *w->square);
  right_sides(m, w);
  if (cardan__lu(m->n, w->square, w->pivot) >= 0) {
    m->status = CARDAN_ERR_NOT_POSDEF;
    snprintf(m->why, sizeof m->why, "no inertia to push against: N^T M N is singular");
    return false;
  }
  cardan__lu_solve_many(m->n, w->square, w->pivot, (int)columns, w->T, w->f);
  for (size_t i = 0; i < n; i++) {
    const double *from = w->T + i * columns;
    m->A[i * nx + n + i] = 1;
    memcpy(m->A + (n + i) * nx, from, nx * sizeof *m->A); // (E1)
    memcpy(m->B + (n + i) * nu, from + nx, nu * sizeof *m->B);
  }
  fill_turning(m);
  return true;
}

/* row (stride 1) [index] = dy/ds along (dq, dv, du), by differences; NaN where y is not defined. */
static double output_difference(const cardan_matrices *m, cardan__matrices_work *w, int y,
                                const double *dq, const double *dv, const double *du)
{
  static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
  const double h = 1e-3;
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    cardan__matrices_place(m, w, at[k] * h, dq, dv, du);
    const cardan_status status = cardan_outputs(m->model, w->node);
    sum += status == CARDAN_OK ? weight[k] * w->node->y[y] / (12 * h) : (double)NAN;
  }
  return sum;
}

/* Row y of Cy and D by differences: along states, along forces on velocities, along inputs. */
static void difference_row(const cardan_matrices *m, cardan__matrices_work *w, int y, bool inputs)
{
  const size_t n = (size_t)m->n, nv = (size_t)m->nv;
  double *Cy = m->Cy + (size_t)y * (size_t)m->nx, *D = m->D + (size_t)y * (size_t)m->nu;
  for (size_t j = 0; j < 2 * n && !inputs; j++) {
    const bool by_v = j >= n;
    for (size_t k = 0; k < nv; k++) {
      w->f[k] = m->N[k * n + j % n];
      w->f2[k] = by_v ? w->f[k] : w->P[k * n + j];
    }
    Cy[j] = output_difference(m, w, y, by_v ? NULL : w->f, w->f2, NULL);
  }
  for (int k = 0; k < m->nforced && !inputs; k++) {
    const double before = w->node->tau_in[m->forced[k]];
    w->node->tau_in[m->forced[k]] = before + 1; // of accelerations, which are linear in it
    cardan__matrices_place(m, w, 0, NULL, NULL, NULL);
    const double up = cardan_outputs(m->model, w->node) == CARDAN_OK ? w->node->y[y] : (double)NAN;
    w->node->tau_in[m->forced[k]] = before - 1;
    cardan__matrices_place(m, w, 0, NULL, NULL, NULL);
    const bool fine = cardan_outputs(m->model, w->node) == CARDAN_OK;
    D[k] = fine ? (up - w->node->y[y]) / 2 : (double)NAN;
    w->node->tau_in[m->forced[k]] = before;
  }
  memset(w->f, 0, (size_t)(m->model->ninput) * sizeof *w->f);
  for (int k = 0; k < m->model->ninput; k++) {
    w->f[k] = 1;
    D[m->nforced + k] = output_difference(m, w, y, NULL, NULL, w->f);
    w->f[k] = 0;
  }
}

static void fill_outputs(cardan_matrices *m, cardan__matrices_work *w)
{
  const cardan_model *model = m->model;
  const size_t n = (size_t)m->n, nv = (size_t)m->nv;
  for (int y = 0; y < m->ny; y++) {
    double *row = m->Cy + (size_t)y * (size_t)m->nx;
    cardan__matrices_place(m, w, 0, NULL, NULL, NULL);
    const bool known = cardan_output_slopes(model, w->node, y, w->f, w->f2);
    const bool direct = model->expr[model->output[y].expr].expr->uses & CARDAN__LEAVES_U;
    m->y_exact[y] = known && !direct;
    for (size_t k = 0; k < nv && known; k++) {
      for (size_t j = 0; j < n; j++) {
        row[j] += w->f[k] * m->N[k * n + j] + w->f2[k] * w->P[k * n + j];
        row[n + j] += w->f2[k] * m->N[k * n + j];
      }
    }
    if (!m->y_exact[y]) {
      difference_row(m, w, y, known);
    }
  }
}

/* Is there an acceleration beyond what a displacement by rounding makes? It is compared with that
 * of a displacement by 1 (an angle, or the mechanism's length), and with gravity. */
static void weigh(cardan_matrices *m)
{
  const double part = 1e-9;
  const cardan_model *model = m->model;
  const size_t n = (size_t)m->n, nx = (size_t)m->nx;
  double worst = 0;
  m->balanced = true;
  m->unbalanced = n > 0 ? m->dof[0] : 0;
  for (size_t i = 0; i < n; i++) {
    const double unit = cardan__velocity_unit(model, m->dof[i]);
    const double length = model->size_length > 0 ? model->size_length : 1;
    double scale = cardan__vec3_norm(model->gravity) / length * unit;
    for (size_t j = 0; j < n; j++) {
      scale += fabs(m->A[(n + i) * nx + j]) * cardan__velocity_unit(model, m->dof[j]);
    }
    const double a = fabs(m->a[m->dof[i]]), ratio = a > 0 ? a / scale : 0;
    if (ratio > worst) {
      worst = ratio;
      m->unbalanced = m->dof[i];
      m->balanced = m->balanced && !(ratio > part);
    }
  }
}

bool cardan__matrices_linear(cardan_matrices *m, cardan__matrices_work *w)
{
  if (!fill_system(m, w)) {
    return false;
  }
  fill_outputs(m, w);
  weigh(m);
  return true;
}
