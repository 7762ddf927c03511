// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "forces/forces.h"
#include "steppers/discrete.h"
#include "steppers/svi/svi.h"

/* What belongs to a node, and the way from one to the next.
 *
 * A start from (q0, v0) is p_0 = L_v(q0, v0), the continuous momentum: order 2 from the first step
 * on. A start from two configurations takes q_1 = q_0 + h v_0 as given, [1] V-A, and is of order 1
 * unless (q_1 - q_0) / h is the velocity of the first step's middle.
 * The velocity of a node is that of its momentum: M(q_k) v = p_k + G^T nu, G v = -Phi_t; [1] leaves
 * (q_{k+1} - q_k) / h, which is that of a point between nodes. */

static void enter(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *node = s->node;
  s->mass_factored = false;
  if (s->tree != NULL) {
    cardan__tree_write(s->tree, node->q, s->mid.data->v);
    cardan__tree_need(s->tree, CARDAN__TREE_G);
  } else if (model->nrow > 0) {
    cardan_joints(model, node);
    cardan_poses(model, node);
  }
}

cardan_status cardan__svi_start_node(cardan__svi *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan_data *node = s->node;
  node->t = data->t;
  memcpy(node->q, data->q, (size_t)model->nq * sizeof *node->q);
  memcpy(node->v, data->v, (size_t)model->nv * sizeof *node->v);
  memcpy(s->mid.data->v, data->v, (size_t)model->nv * sizeof *node->v);
  cardan_joints(model, node);
  cardan_velocities(model, node);
  cardan_momenta(model, node, s->p);
  enter(s);
  if (s->nindependent > 0) {
    cardan__svi_rows(s, node, s->Gk);
  }
  memset(s->lambda, 0, (size_t)s->nindependent * sizeof *s->lambda);
  s->history.have = 0;
  s->factored = false;
  s->wait = 0;
  s->patience = 1;
  s->work_done = s->h_before = 0;
  s->ndrive = 0;
  // a joint without inertia shows here, not in the middle of a step
  const cardan_status status = cardan_factor(model, node);
  s->mass_factored = status == CARDAN_OK;
  data->info = node->info;
  return status;
}

/* ---- the guess ---- */

/* a at node k and velocities over * v, to trial->a. */
static cardan_status accelerate(cardan__svi *s, const double *v, double over)
{
  const cardan_model *model = s->base.model;
  cardan_data *trial = s->trial;
  trial->t = s->t;
  memcpy(trial->q, s->node->q, (size_t)model->nq * sizeof *trial->q);
  for (int k = 0; k < model->nv; k++) {
    trial->v[k] = over * v[k];
  }
  memcpy(trial->tau_in, s->mid.data->tau_in, (size_t)model->nv * sizeof *trial->tau_in);
  memcpy(trial->f_in, s->mid.data->f_in, (size_t)model->nbody * sizeof *trial->f_in);
  return cardan_forward(model, trial, 0, 0);
}

cardan_status cardan__svi_make_guess(cardan__svi *s)
{
  const int nv = s->base.model->nv;
  const double h = s->h;
  cardan_status status = CARDAN_OK;
  if (s->guess == CARDAN__SVI_CURRENT || s->guess == CARDAN__SVI_ZERO) {
    for (int k = 0; k < nv; k++) {
      s->d[k] = s->guess == CARDAN__SVI_ZERO ? -s->node->q[k] : 0;
    }
  } else if (s->history.have == 0) {
    // a start at which accelerations have no solution (a singular position) does without them
    const bool known = accelerate(s, s->node->v, 1) == CARDAN_OK;
    for (int k = 0; k < nv; k++) {
      s->d[k] = h * s->node->v[k] + (known ? 0.5 * h * h * s->trial->a[k] : 0);
    }
  } else if (s->guess == CARDAN__SVI_EXTRAPOLATE) {
    cardan__extrapolate(&s->history, s->d);
  } else {
    memcpy(s->d, s->history.D, (size_t)nv * sizeof *s->d);
    if (s->guess == CARDAN__SVI_DYNAMICS) {
      status = accelerate(s, s->d, 1 / h);
      for (int k = 0; k < nv; k++) {
        s->d[k] += h * h * s->trial->a[k];
      }
      s->node->info = s->trial->info;
    }
  }
  cardan__prescribed_moves(s->base.model, s->trial, s->node, s->t + s->h, s->d);
  return status;
}

cardan_status cardan__svi_given_step(cardan__svi *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan_data *trial = s->trial;
  cardan_status status = CARDAN_OK;
  trial->t = s->t + s->h;
  for (int k = 0; k < model->nv; k++) {
    trial->q[k] = s->node->q[k] + s->h * s->node->v[k];
  }
  cardan_prescribe(model, trial);
  if (model->nrow > 0) {
    memcpy(trial->v, s->node->v, (size_t)model->nv * sizeof *trial->v);
    status = cardan__project(model, trial); // loops are closed by the least change
  }
  if (status != CARDAN_OK) {
    data->info = trial->info;
    return status;
  }
  for (int k = 0; k < model->nv; k++) {
    s->d[k] = trial->q[k] - s->node->q[k];
  }
  return cardan__svi_evaluate(s, true);
}

/* ---- work ---- */

/* Rates of the drivers at the node: velocities of prescribed coordinates, -Phi_t of rows. */
static void driver_rates(const cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_data *node = s->node;
  cardan_prescribe(model, node);
  for (int i = 0; i < model->nprescribed; i++) {
    s->rate[i] = node->v[model->body[model->prescribed[i].body].vadr];
  }
  if (s->nindependent > 0) {
    const cardan__view view = cardan__data_view(model, node);
    cardan__rows_rates(&set, &view, node->rows.phi_t, NULL);
  }
  for (int j = 0; j < s->nindependent; j++) {
    s->rate[model->nprescribed + j] = -node->rows.phi_t[s->row[j]];
  }
}

/* Work of the step: forces over d, and the drivers' impulses at the node it starts from. */
static void add_work(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const cardan_data *mid = s->mid.data;
  const int n = model->nprescribed + s->nindependent;
  const double weight = s->alpha * s->h_before + (1 - s->alpha) * s->h;
  cardan__view view = cardan__data_view(model, mid);
  if (s->tree != NULL) {
    view.X_W = s->tree->g;
    view.V = s->tree->V;
  }
  s->work_done += s->h * cardan__forces_power(model, &view, s->mid.limit);
  if (n == 0) {
    return;
  }
  if (s->tree == NULL || model->nrow == 0) {
    cardan_joints(model, s->node);
  }
  cardan_poses(model, s->node);
  driver_rates(s);
  memcpy(s->drive_before, s->drive, (size_t)n * sizeof *s->drive);
  for (int i = 0; i < n; i++) {
    const int j = i - model->nprescribed;
    const double impulse =
        j >= 0 ? s->lambda[j] : -s->r[model->body[model->prescribed[i].body].vadr];
    s->work_done += impulse * s->rate[i];
    s->drive[i] = impulse / weight;
  }
  s->ndrive = s->ndrive < 2 ? s->ndrive + 1 : 2;
}

/* The part alpha of the node's impulse comes from the step before: its force is extrapolated from
 * the last two nodes, with an error of h^3 that does not add up. */
double cardan__svi_work(const cardan__svi *s)
{
  const int n = s->base.model->nprescribed + s->nindependent;
  double work = s->work_done;
  if (!s->works || n == 0 || s->ndrive == 0) {
    return work;
  }
  cardan_joints(s->base.model, s->node);
  cardan_poses(s->base.model, s->node);
  driver_rates(s);
  for (int i = 0; i < n; i++) {
    const double force = s->ndrive > 1 ? 2 * s->drive[i] - s->drive_before[i] : s->drive[i];
    work += s->alpha * s->h_before * force * s->rate[i];
  }
  return work;
}

/* ---- the next node ---- */

void cardan__svi_accept(cardan__svi *s)
{
  const cardan_model *model = s->base.model;
  const cardan_data *mid = s->mid.data;
  const double ka = s->alpha * s->h;
  if (s->works) {
    add_work(s);
  }
  for (int k = 0; k < model->nv; k++) {
    s->p[k] = s->a[k] + ka * s->b[k]; // [1] (21), with f^+
    s->node->q[k] += s->d[k];
    s->work_done += s->mid.inputs ? mid->tau_in[k] * s->d[k] : 0;
  }
  for (int i = 1; i < model->nbody && s->mid.inputs; i++) {
    const cardan_motion V = s->tree != NULL ? s->tree->V[i] : mid->V[i];
    s->work_done += s->h * cardan__power(V, mid->f_in[i]);
  }
  s->h_before = s->h;
  s->node->t = s->t + s->h;
  cardan__extrapolate_remember(&s->history, s->d);
  if (s->nindependent > 0) {
    if (s->tree == NULL) {
      cardan__svi_rows(s, s->trial, s->Gn); // trial stands at the new node
    }
    double *swap = s->Gk;
    s->Gk = s->Gn;
    s->Gn = swap;
  }
  enter(s);
}

cardan_status cardan__svi_velocity(cardan__svi *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan_data *node = s->node;
  cardan_status status = CARDAN_OK;
  cardan_prescribe(model, node); // v of prescribed coordinates
  cardan_joints(model, node);
  if (!s->mass_factored) {
    status = cardan_factor(model, node);
    s->mass_factored = status == CARDAN_OK;
  }
  if (status == CARDAN_OK) {
    cardan_momenta_velocities(model, node, s->p, node->v);
  }
  if (status == CARDAN_OK && s->nindependent > 0) {
    cardan_poses(model, node);
    status = cardan__project_velocities(model, node);
  }
  if (status != CARDAN_OK) {
    data->info = node->info;
  }
  memcpy(data->v, node->v, (size_t)model->nv * sizeof *data->v);
  return status;
}
