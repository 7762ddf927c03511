// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "dynamics/factor.h"
#include "dynamics/loops.h"
#include "methods/discrete/discrete.h"
#include "spatial/spatial.h"

/* What belongs to a node.
 *
 * Its velocity is that of its momentum, the discrete Legendre transform:
 *   M(q^k) v = p + sum J_i^T P_i + G^T nu,   G v = -Phi_t                                    (N1)
 * with the momentum as the equation has it, joint parts p and wrenches P of bodies. It is computed
 * when a caller reads it. */

void cardan__node_enter(cardan__discrete *d)
{
  d->node->fresh = 0;
  d->equation->enter(d);
}

void cardan__node_place(cardan__discrete *d)
{
  if (!(d->node->fresh & CARDAN_FRESH_JOINTS)) {
    cardan_joints(d->model, d->node);
  }
}

void cardan__node_pose(cardan__discrete *d)
{
  cardan__node_place(d);
  if (!(d->node->fresh & CARDAN_FRESH_POSES)) {
    cardan_poses(d->model, d->node);
  }
}

/* The node's configuration stays: poses, rows and factors are of it, and its prescribed coordinates
 * are where the step put them, at their motions to rounding. */
void cardan__node_rates(const cardan__discrete *d)
{
  const cardan_model *model = d->model;
  for (int i = 0; i < model->nprescribed; i++) {
    d->prescribed[i] = d->node->q[model->body[model->prescribed[i].body].qadr];
  }
  cardan_prescribe(model, d->node);
  for (int i = 0; i < model->nprescribed; i++) {
    d->node->q[model->body[model->prescribed[i].body].qadr] = d->prescribed[i];
  }
}

cardan_status cardan__node_factor(cardan__discrete *d)
{
  cardan__node_place(d);
  return d->node->fresh & CARDAN_FRESH_FACTOR ? CARDAN_OK : cardan_factor(d->model, d->node);
}

/* wrench -= the momentum of the prescribed motion alone; node->v keeps only that. */
static void subtract_prescribed(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan_data *node = d->node;
  for (int k = 0; k < model->nv; k++) {
    node->v[k] = cardan__prescribed(model, k) ? node->v[k] : 0;
  }
  cardan_velocities(model, node);
  for (int i = 1; i < model->nbody; i++) {
    d->wrench[i] =
        cardan__force_sub(d->wrench[i], cardan__inertia_mul(&model->body[i].inertia, node->V[i]));
  }
}

/* node->v on the rows; in a singular position on those a little further on, which say what it may
 * be there (node_rows.c). */
static cardan_status project(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  const size_t nv = (size_t)model->nv;
  cardan_data *node = d->node, *trial = d->trial;
  const cardan__extrapolation *history = &d->stages.history[d->stages.n - 1];
  const cardan_status status = cardan__project_velocities(model, node);
  if (status != CARDAN_ERR_SINGULAR || history->have == 0 ||
      !cardan__rows_beside(d, node->q, history->D)) {
    return status;
  }
  trial->t = node->t;
  memcpy(trial->v, node->v, nv * sizeof *trial->v);
  if (cardan__project_velocities(model, trial) != CARDAN_OK) {
    return status;
  }
  memcpy(node->v, trial->v, nv * sizeof *node->v);
  return CARDAN_OK;
}

/* To the caller's data, where that is at the node and has what goes with it: a contact that reads
 * velocities between its steps reads responses next. */
static void share_factor(const cardan__discrete *d, cardan_data *data)
{
  const size_t bytes = (size_t)d->model->nq * sizeof *data->q;
  if ((data->fresh & CARDAN_FRESH_JOINTS) && memcmp(data->q, d->node->q, bytes) == 0) {
    cardan__factor_copy(d->model, d->node, data);
  }
}

/* The same of the joints, where the data has none: a caller that reads velocities of a node reads
 * its poses next. Prescribed coordinates may differ by rounding. */
static void share_joints(const cardan__discrete *d, cardan_data *data)
{
  const size_t n = (size_t)d->model->nbody;
  const size_t bytes = (size_t)d->model->nq * sizeof *data->q;
  if (!(data->fresh & CARDAN_FRESH_JOINTS) && d->model->nprescribed == 0 &&
      memcmp(data->q, d->node->q, bytes) == 0) {
    memcpy(data->X, d->node->X, n * sizeof *data->X);
    memcpy(data->cos_sin, d->node->cos_sin, 2 * n * sizeof *data->cos_sin);
    data->fresh = CARDAN_FRESH_JOINTS;
  }
}

cardan_status cardan__node_velocity(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  cardan_data *node = d->node;
  double *v = d->momentum;
  cardan__node_rates(d);
  cardan_status status = cardan__node_factor(d);
  if (status == CARDAN_OK) {
    memset(d->wrench, 0, (size_t)model->nbody * sizeof *d->wrench);
    const bool wrenches = d->equation->momentum(d, d->wrench, d->momentum);
    if (model->nprescribed > 0) {
      subtract_prescribed(d);
    }
    cardan_factor_solve(model, node, wrenches || model->nprescribed > 0 ? d->wrench : NULL,
                        d->momentum, v); // (N1)
    for (int k = 0; k < model->nv; k++) {
      node->v[k] = cardan__prescribed(model, k) ? node->v[k] : v[k];
    }
  }
  return status;
}

cardan_status cardan__discrete_velocity(cardan__stepper *stepper, cardan_data *data)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  const cardan_model *model = d->model;
  cardan_data *node = d->node;
  cardan_status status = cardan__node_velocity(d);
  if (status == CARDAN_OK && d->border.nloop > 0) {
    cardan__node_pose(d);
    status = project(d);
  }
  if (status == CARDAN_OK) {
    cardan__ledger_node(d);
    memcpy(data->v, node->v, (size_t)model->nv * sizeof *data->v);
    share_factor(d, data);
    share_joints(d, data);
  } else {
    data->info = node->info;
  }
  return status;
}

/* With joints that friction holds at rest: they have an infinite armature, and r is what they need
 * for that,
 *   M v = p + dp + r,   v_k = 0                                                              (N2)
 * from the articulated inertia that each of them carries. */
cardan_status cardan__discrete_node_held(cardan__stepper *stepper, cardan_data *data,
                                         const double *dp, double *r)
{
  cardan__discrete *d = (cardan__discrete *)stepper;
  const cardan_model *model = d->model;
  const cardan__border *b = &d->border;
  cardan_data *node = d->node;
  for (int k = 0; k < model->nv; k++) {
    b->armature[k] = b->held[k] ? HUGE_VAL : model->armature[k];
  }
  node->armature = b->armature;
  node->fresh &= ~(unsigned)CARDAN_FRESH_FACTOR;
  const cardan_status status = cardan__node_factor(d);
  node->armature = model->armature;
  if (status == CARDAN_OK) {
    memset(d->wrench, 0, (size_t)model->nbody * sizeof *d->wrench);
    const bool wrenches = d->equation->momentum(d, d->wrench, d->momentum);
    for (int k = 0; k < model->nv; k++) {
      d->momentum[k] += dp[k];
    }
    cardan_factor_solve(model, node, wrenches ? d->wrench : NULL, d->momentum, node->v);
    for (int k = 0; k < model->nv; k++) {
      const int i = model->v_body[k];
      r[k] = b->held[k] ? cardan__power(node->A[i], node->factor[i].U) - node->rest[k] : 0;
    }
    memcpy(data->v, node->v, (size_t)model->nv * sizeof *data->v);
    share_joints(d, data);
  }
  node->fresh &= ~(unsigned)(CARDAN_FRESH_FACTOR | CARDAN_FRESH_INERTIAS);
  return status;
}

/* Multipliers, reactions and drivers are those of continuous time at the node's state. */
cardan_status cardan__discrete_publish(cardan__stepper *stepper, cardan_data *data)
{
  cardan__loops_sizes(stepper->model, ((cardan__discrete *)stepper)->node, data);
  cardan__held_rows *held = stepper->held;
  const cardan_status status = held != NULL && held->calls->publish != NULL
                                   ? held->calls->publish(held, data)
                                   : cardan_forward(stepper->model, data, 0, 0);
  cardan_poses(stepper->model, data);
  return status;
}
