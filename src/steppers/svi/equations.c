// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "forces/forces.h"
#include "steppers/svi/svi.h"

/* The equations of a step, [1] (45), at a trial d and lambda.
 *
 * Both evaluations write the configuration twice, in the order of [1] V-A: q_{k+1} for Phi (and, by
 * the tree, its Jacobian), then the point alpha of the way for the Lagrangian and the forces; so
 * that p_{k+1} needs no write of its own. Forces act there with weights (1 - alpha) h on node k and
 * alpha h on node k+1: the virtual work of the quadrature; [1] prints 1/2 and 1/2, the same for
 * alpha = 1/2. */

cardan__mid_weights cardan__svi_weights(const cardan__svi *s)
{
  return (cardan__mid_weights){.kb = (1 - s->alpha) * s->h, .kq = s->alpha, .kv = 1 / s->h};
}

/* ---- constraints ---- */

/* The rows' entries as dense rows, the independent ones moved to the front. */
static void dense_rows(cardan__svi *s, cardan_data *data, double *G)
{
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  const size_t nv = (size_t)model->nv;
  if (s->tree == NULL) {
    cardan__rows_dense(&set, data, &data->rows, G);
  } else {
    memset(G, 0, (size_t)model->nrow * nv * sizeof *G);
    for (int r = 0; r < model->nrow; r++) {
      const cardan_row *row = &model->row[r];
      for (int i = row->badr; i < row->badr + row->nb; i++) {
        cardan__tree_pull_one(s->tree, model->row_body[i], data->rows.w[i], 1, G + (size_t)r * nv);
      }
      for (int i = row->dadr; i < row->dadr + row->nd; i++) {
        G[(size_t)r * nv + (size_t)model->row_dof[i]] += data->rows.c[i];
      }
    }
  }
  for (int j = 0; j < s->nindependent; j++) {
    if (s->row[j] != j) {
      memcpy(G + (size_t)j * nv, G + (size_t)s->row[j] * nv, nv * sizeof *G);
    }
  }
}

void cardan__svi_rows(cardan__svi *s, cardan_data *data, double *G)
{
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan__view view = cardan__data_view(model, data);
  if (s->tree != NULL) {
    view.X_W = s->tree->g;
  }
  cardan__rows_jacobian(&set, &view, &data->rows);
  dense_rows(s, data, G);
}

/* Phi at node k+1, and by the tree the rows too, while it stands there. */
static void constraints(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_data *trial = s->trial;
  trial->t = s->t + s->h;
  for (int k = 0; k < model->nv; k++) {
    trial->q[k] = s->node->q[k] + s->d[k];
  }
  cardan__view view = cardan__data_view(model, trial);
  if (s->tree != NULL) {
    cardan__tree_write(s->tree, trial->q, s->mid.data->v);
    cardan__tree_need(s->tree, CARDAN__TREE_G);
    view.X_W = s->tree->g;
  } else {
    cardan_joints(model, trial);
    cardan_poses(model, trial);
  }
  cardan__rows_value(&set, &view, s->phi);
  if (s->tree != NULL) {
    cardan__svi_rows(s, trial, s->Gn);
  }
}

/* ---- the middle of the step ---- */

static void enter_middle(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *mid = s->mid.data;
  const double inv_h = 1 / s->h;
  mid->t = s->t + s->alpha * s->h;
  for (int k = 0; k < model->nv; k++) {
    mid->q[k] = s->node->q[k] + s->alpha * s->d[k];
    mid->v[k] = s->d[k] * inv_h;
  }
}

/* Friction presses with the reactions of the motion through the middle state, as cardan_forward has
 * them. */
static cardan_status friction_limits(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *mid = s->mid.data, *trial = s->trial;
  trial->t = mid->t;
  memcpy(trial->q, mid->q, (size_t)model->nq * sizeof *trial->q);
  memcpy(trial->v, mid->v, (size_t)model->nv * sizeof *trial->v);
  memcpy(trial->tau_in, mid->tau_in, (size_t)model->nv * sizeof *trial->tau_in);
  memcpy(trial->f_in, mid->f_in, (size_t)model->nbody * sizeof *trial->f_in);
  const cardan_status status = cardan_forward(model, trial, 0, 0);
  if (status != CARDAN_OK) {
    s->node->info = trial->info;
  }
  s->mid.limit = trial->friction;
  return status;
}

/* a and b by the tree. */
static void tree_lagrangian(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *mid = s->mid.data;
  cardan__tree_write(s->tree, mid->q, mid->v);
  cardan__tree_first(s->tree, s->b, s->a);
  memcpy(mid->tau, mid->tau_in, (size_t)model->nv * sizeof *mid->tau);
  memcpy(mid->f_ext, mid->f_in, (size_t)model->nbody * sizeof *mid->f_ext);
  if (s->mid.elements) {
    cardan__view view = cardan__data_view(model, mid);
    cardan__loads to = {.f_ext = mid->f_ext, .tau = mid->tau};
    cardan__tree_need(s->tree, CARDAN__TREE_G | CARDAN__TREE_V);
    view.X_W = s->tree->g;
    view.V = s->tree->V;
    cardan__forces_add(model, &view, 0, &to);
    if (s->mid.limit != NULL) {
      cardan__friction_apply(model, &view, s->mid.limit, &to);
    }
  }
  if (s->mid.elements || s->mid.inputs) {
    cardan__tree_forces(s->tree, mid->f_ext, mid->tau, s->b);
  }
}

/* ---- sizes ---- */

static double sum_abs(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* What rounding is relative to: the momenta and impulses of all bodies below a joint, each by its
 * size, so that what cancels counts too: force part, and torque part with levers. */
static void add_sizes(cardan__svi *s, cardan_vec3 *size)
{
  const cardan_model *model = s->base.model;
  const cardan_data *mid = s->mid.data;
  const cardan_xform *X = s->tree != NULL ? s->tree->X : mid->X;
  const cardan_motion *V = s->tree != NULL ? s->tree->V : mid->V;
  const double g = s->h * cardan__vec3_norm(model->gravity);
  for (int i = 0; i < model->nbody; i++) {
    size[i] = (cardan_vec3){0, 0, 0};
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_force mu = cardan__inertia_mul(&b->inertia, V[i]);
    const double f = sum_abs(mu.f) + g * b->inertia.m + s->h * sum_abs(mid->f_ext[i].f);
    const double t = sum_abs(mu.t) + g * sum_abs(b->inertia.h) + s->h * sum_abs(mid->f_ext[i].t);
    cardan_vec3 *to = &size[b->parent];
    size[i].x += f;
    size[i].y += t;
    to->x += size[i].x;
    to->y += size[i].y + sum_abs(X[i].p) * size[i].x;
  }
}

static void set_scale(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  cardan_vec3 *below = s->mid.turn;
  add_sizes(s, below);
  for (int k = 0; k < model->nv; k++) {
    const cardan_body *b = &model->body[model->v_body[k]];
    const cardan_vec3 *own = &below[model->v_body[k]];
    double size = fabs(s->p[k]) + s->h * fabs(s->mid.data->tau[k]);
    size += b->kind == CARDAN_LINK_PRISMATIC ? own->x : own->y + fabs(b->pitch) * own->x;
    for (int j = 0; j < s->nindependent; j++) {
      size += fabs(s->lambda[j] * s->Gk[(size_t)j * (size_t)model->nv + (size_t)k]);
    }
    s->inv_scale[k] = size > 0 && !cardan__svi_given(model, k) ? 1 / size : 0;
  }
}

static void measure(cardan__svi *s)
{
  double largest = 0, sum = 0;
  for (int k = 0; k < s->base.model->nv; k++) {
    const double e = fabs(s->r[k]) * s->inv_scale[k];
    largest = e > largest ? e : largest;
    sum += e * e;
  }
  s->error = largest / s->tol;
  for (int j = 0; j < s->nindependent; j++) {
    const double e = fabs(s->phi[s->row[j]]) / s->phi_tol;
    s->error = e > s->error ? e : s->error;
    sum += e * e * s->tol * s->tol;
  }
  s->merit = sum; // and this shows what is not a number
  if (!isfinite(sum)) {
    s->error = HUGE_VAL;
  }
}

cardan_status cardan__svi_evaluate(cardan__svi *s, bool first)
{
  const size_t nv = (size_t)s->base.model->nv;
  const double kb = (1 - s->alpha) * s->h;
  cardan_status status = CARDAN_OK;
  enter_middle(s);
  if (s->base.model->has_friction) {
    status = friction_limits(s);
  }
  if (s->nindependent > 0) {
    constraints(s);
  }
  if (s->tree != NULL) {
    tree_lagrangian(s);
  } else {
    cardan__mid_eval(&s->mid, s->a, s->b);
  }
  for (size_t k = 0; k < nv; k++) {
    s->r[k] = s->p[k] + kb * s->b[k] - s->a[k]; // [1] (45)
  }
  for (int j = 0; j < s->nindependent; j++) {
    const double *g = s->Gk + (size_t)j * nv;
    for (size_t k = 0; k < nv; k++) {
      s->r[k] += s->lambda[j] * g[k];
    }
  }
  if (first) {
    set_scale(s);
  }
  measure(s);
  s->base.iterations++;
  s->base.evaluations++;
  if (s->ntrace < s->max_trace) {
    s->trace[s->ntrace++] = s->error * s->tol;
  }
  return status;
}
