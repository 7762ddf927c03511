// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "analysis/statics_inside.h"
#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "dynamics/rnea.h"
#include "forces/forces.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "model/data.h"

/* Places of a mechanism at rest: forces, energy, rows, and moving along them. */

static size_t larger(size_t a, size_t b)
{
  return a > b ? a : b;
}

void cardan__statics_point_layout(void *rest, cardan__carver *c)
{
  cardan__statics_point *s = rest;
  const cardan_model *m = s->model;
  const size_t nv = (size_t)m->nv, square = nv * nv;
  s->nside = m->nbound;
  for (int i = 0; i < m->njoint; i++) {
    s->nside += cardan__statics_point_holds(&m->joint[i]) ? 2 : 0;
  }
  s->most = m->nrow + s->nside;
  const size_t most = (size_t)s->most;
  s->locked = CARDAN__CARVE(c, nv, bool);
  s->dof = CARDAN__CARVE(c, nv, int);
  s->limited = CARDAN__CARVE(c, (s->nside - m->nbound) / 2, int);
  s->gap = CARDAN__CARVE(c, s->nside, double);
  s->active = CARDAN__CARVE(c, s->nside, int);
  s->u2 = CARDAN__CARVE(c, nv, double);
  s->phi = CARDAN__CARVE(c, most, double);
  s->bound = CARDAN__CARVE(c, m->nbound_row, double);
  s->r = CARDAN__CARVE(c, nv, double);
  s->Q = CARDAN__CARVE(c, nv, double);
  s->M = CARDAN__CARVE(c, square, double);
  s->L = CARDAN__CARVE(c, square, double);
  s->dense = CARDAN__CARVE(c, most * nv, double);
  s->J = CARDAN__CARVE(c, most * nv, double);
  s->weight = CARDAN__CARVE(c, most, double);
  s->A = CARDAN__CARVE(c, most * nv, double);
  s->N = CARDAN__CARVE(c, square, double);
  s->P = CARDAN__CARVE(c, square, double);
  s->lambda = CARDAN__CARVE(c, most, double);
  s->g = CARDAN__CARVE(c, nv, double);
  s->K = CARDAN__CARVE(c, square, double);
  s->H = CARDAN__CARVE(c, square, double);
  s->V = CARDAN__CARVE(c, square, double);
  s->h = CARDAN__CARVE(c, nv, double);
  s->y = CARDAN__CARVE(c, nv, double);
  s->re = CARDAN__CARVE(c, nv, double);
  s->im = CARDAN__CARVE(c, nv, double);
  s->dq = CARDAN__CARVE(c, nv, double);
  s->bent = CARDAN__CARVE(c, nv, double);
  s->q = CARDAN__CARVE(c, m->nq, double);
  s->q_end = CARDAN__CARVE(c, m->nq, double);
  s->Q_before = CARDAN__CARVE(c, nv, double);
  s->part = CARDAN__CARVE(c, nv, double);
  s->b = CARDAN__CARVE(c, larger(nv, most), double);
  s->x = CARDAN__CARVE(c, larger(nv, most), double);
  size_t work = larger(cardan__solutions_work(s->most, m->nv), cardan__eigen_symmetric_work(m->nv));
  work = larger(work, cardan__min_norm_work(m->nv, s->most));
  work = larger(work, cardan__min_norm_work(s->most, m->nv));
  work = larger(work, cardan__min_norm_work(m->nv, m->nv));
  work = larger(work, nv + cardan__eigen_work(m->nv));
  s->work = CARDAN__CARVE(c, work, double);
  s->index = CARDAN__CARVE(c, larger(nv, most), int);
  s->row_slopes.model = m;
  cardan__row_slopes_layout(&s->row_slopes, c);
  s->side_model = *m;
  s->side_model.nrow = m->nbound_row;
  s->side_model.nrow_body = m->nbound_body;
  s->side_model.nrow_dof = m->nbound_dof;
  s->side_model.row = m->bound_row;
  s->side_model.row_body = m->bound_body;
  s->side_model.row_dof = m->bound_dof;
  s->side_slopes.model = &s->side_model;
  cardan__row_slopes_layout(&s->side_slopes, c);
}

void cardan__statics_point_free(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  s->n = s->nactive = 0;
  s->k = model->nrow;
  int count = 0;
  for (int i = 0; i < model->njoint; i++) {
    if (cardan__statics_point_holds(&model->joint[i])) {
      s->limited[count++] = i;
    }
  }
  for (int i = 0; i < model->nv; i++) {
    const cardan_body *b = &model->body[model->v_body[i]];
    const bool slides = cardan__joint_is_constant(b) && cardan__joint_slides(b, i - b->vadr);
    s->u2[i] = slides ? 1.0 : s->size * s->size;
    if (!s->locked[i] && !(b->flags & CARDAN_LINK_KINEMATIC)) {
      s->dof[s->n++] = i;
    }
  }
}

/* Q: forces without a potential, those of the caller too, on the velocities. */
static void take_driven(cardan__statics_point *s, const cardan__view *view)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  cardan__loads loads = {.f_ext = data->p, .tau = s->Q};
  memcpy(data->p, data->f_in, (size_t)model->nbody * sizeof *data->p);
  memcpy(s->Q, data->tau_in, (size_t)model->nv * sizeof *s->Q);
  cardan__forces_add(model, view, CARDAN_FORCE_POTENTIAL, &loads);
  cardan__tree_pull(model, data, data->p, s->Q);
}

void cardan__statics_point_look(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  memset(data->v, 0, (size_t)model->nv * sizeof *data->v);
  memset(data->a, 0, (size_t)model->nv * sizeof *data->a);
  cardan_joints(model, data);
  cardan_velocities(model, data);
  cardan_poses(model, data);
  const cardan__view view = cardan__data_view(model, data);
  memset(s->Q, 0, (size_t)model->nv * sizeof *s->Q);
  if (s->driven) {
    take_driven(s, &view);
  }
  cardan__forces_apply(model, &view, data->f_ext, data->tau);
  for (int i = 1; i < model->nbody; i++) {
    data->f_ext[i] = cardan__force_add(data->f_ext[i], data->f_in[i]);
  }
  cardan__rnea(model, data, data->f_ext, NULL, s->r);
  for (int i = 0; i < model->nv; i++) {
    data->tau[i] += data->tau_in[i];
    s->r[i] -= data->tau[i];
  }
  s->energy = cardan_potential(model, data);
  const cardan__rowset set = cardan__model_rows(model), bounds = cardan__bound_rows(model);
  cardan__rows_value(&set, &view, s->phi);
  cardan__rows_value(&bounds, &view, s->bound);
  for (int i = 0; i < s->nside; i++) {
    double sign;
    const int joint = cardan__statics_point_limit(s, i, &sign);
    s->gap[i] = joint < 0 ? model->bound[i].sign * s->bound[model->bound[i].row]
                          : sign * (data->q[model->joint[joint].qadr] -
                                    model->joint[joint].limit[sign > 0 ? 0 : 1]);
  }
  for (int i = 0; i < s->nactive; i++) {
    s->phi[model->nrow + i] = s->gap[s->active[i]];
  }
}

void cardan__statics_point_rows(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  cardan_data *data = s->data;
  const cardan__view view = cardan__data_view(model, data);
  const size_t nv = (size_t)model->nv;
  cardan_jacobian(model, data, s->dense);
  for (int r = 0; r < model->nrow; r++) {
    s->weight[r] = s->size / (model->row[r].length > 0 ? model->row[r].length : 1.0);
  }
  cardan__rowset one = cardan__bound_rows(model);
  cardan__rows_jacobian(&one, &view, &data->bounds);
  one.n = 1;
  for (int i = 0; i < s->nactive; i++) {
    double sign, *row = s->dense + (size_t)(model->nrow + i) * nv, length = 1.0;
    const int side = s->active[i], joint = cardan__statics_point_limit(s, side, &sign);
    if (joint >= 0) {
      const int k = model->joint[joint].vadr;
      memset(row, 0, nv * sizeof *row);
      row[k] = sign;
      length = s->u2[k] == 1.0 ? s->size : 1.0;
    } else {
      one.row = &model->bound_row[model->bound[side].row];
      cardan__rows_dense(&one, data, &data->bounds, row);
      for (size_t k = 0; k < nv; k++) {
        row[k] *= model->bound[side].sign;
      }
      length = one.row->length > 0 ? one.row->length : 1.0;
    }
    s->weight[model->nrow + i] = s->size / length;
  }
}

/* Largest violation, each over its length. */
static double violation(const cardan__statics_point *s)
{
  double largest = 0;
  for (int r = 0; r < s->k; r++) {
    const double x = fabs(s->phi[r]) * s->weight[r];
    largest = x <= largest ? largest : x; // what is not a number is the largest
  }
  return largest;
}

/* One step of Newton's towards the rows, the shortest in the metric; its length, or NaN. */
static double close_step(cardan__statics_point *s)
{
  const cardan_model *model = s->model;
  const int n = s->n;
  double length = 0;
  for (int r = 0; r < s->k; r++) {
    double *row = s->A + (size_t)r * (size_t)n;
    for (int j = 0; j < n; j++) {
      row[j] = s->weight[r] * s->dense[(size_t)r * (size_t)model->nv + (size_t)s->dof[j]];
    }
    cardan__statics_point_forward(n, s->L, row);
    s->b[r] = -s->weight[r] * s->phi[r];
  }
  if (cardan__min_norm(s->k, n, s->A, s->b, 1e-10, s->x, s->work, s->index) < 0) {
    return NAN;
  }
  for (int j = 0; j < n; j++) {
    length += s->x[j] * s->x[j];
  }
  cardan__statics_point_backward(n, s->L, s->x);
  memset(s->dq, 0, (size_t)model->nv * sizeof *s->dq);
  for (int j = 0; j < n; j++) {
    s->dq[s->dof[j]] = s->x[j];
  }
  cardan_q_move(model, s->data->q, s->dq, 1.0, s->data->q);
  return sqrt(length);
}

/* Newton to the rows. What drift leaves is second order in the step: a few iterations. */
static bool close_rows(cardan__statics_point *s, double most)
{
  enum { MOST = 20 };
  double way = 0, before = HUGE_VAL, far = s->size;
  cardan__statics_point_look(s);
  for (int i = 1; i < s->model->nbody; i++) {
    far = fmax(far, cardan__vec3_norm(s->data->X_W[i].p));
  }
  const double tol = 1e-13 * (1 + far) + s->model->open;
  for (int i = 0; i < MOST && s->k > 0; i++) {
    cardan__statics_point_rows(s);
    const double now = violation(s);
    if (now <= tol || (i > 3 && now >= 0.5 * before && now <= 1e3 * tol)) {
      return true;
    }
    way += close_step(s);
    if (!(way <= most)) {
      return false;
    }
    before = now;
    cardan__statics_point_look(s);
  }
  return s->k == 0 || violation(s) <= 1e3 * tol;
}

/* The one-sided row, not active, that is passed furthest; -1: none. */
static int passed(const cardan__statics_point *s)
{
  double least = -1e-11 * (1 + s->size);
  int at = -1;
  for (int i = 0; i < s->nside; i++) {
    bool active = false;
    for (int k = 0; k < s->nactive; k++) {
      active = active || s->active[k] == i;
    }
    if (!active && s->gap[i] < least) {
      least = s->gap[i];
      at = i;
    }
  }
  return at;
}

bool cardan__statics_point_move(cardan__statics_point *s, const double *dq, double most)
{
  if (s->model->nvelocity_row > 0) {
    memcpy(s->bent, dq, (size_t)s->model->nv * sizeof *s->bent);
    memcpy(s->q_end, s->data->q, (size_t)s->model->nq * sizeof *s->q_end);
    cardan__statics_point_bend(s, s->q_end, s->bent);
    memcpy(s->data->q, s->q_end, (size_t)s->model->nq * sizeof *s->q_end);
    dq = s->bent;
  }
  cardan_q_move(s->model, s->data->q, dq, 1.0, s->data->q);
  for (;;) {
    if (!close_rows(s, most) || !isfinite(s->energy)) {
      return false;
    }
    const int next = passed(s);
    if (next < 0) {
      return true;
    }
    s->active[s->nactive++] = next;
    s->k++;
    s->phi[s->k - 1] = s->gap[next];
  }
}
