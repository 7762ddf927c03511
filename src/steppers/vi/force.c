// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "forces/channels.h"
#include "steppers/vi/vi.h"

/* Forces without a potential: dampers, torques, wrenches, friction, expressions of v and t.
 *
 * They act at the middle of the step, half on each node, in joint space:
 *   q_m = q^k moved by dq/2,   v_m = dq / h,   t_m = t + h/2,   Q = tau + sum J_i(q_m)^T f_i   (F1)
 * which is symmetric in the two nodes, so that the step keeps its order 2; forces at the velocity
 * of the step before would cost it. The work over the step is Q . dq.
 *
 * Derivatives for Newton's direction, h/2 dQ/ddq with d/ddq = 1/2 d/dq + 1/h d/dv: forces on a
 * joint that depend on that joint alone go into the recursion (slope); the others are channels
 * beta alpha^T of rank 1 (equation.c). The change of a force's direction as the mechanism moves is
 * left out: it is smaller by h times the rate at which directions change.
 *
 * Friction presses with the reactions of the motion through the middle state, as cardan_forward
 * finds them: a function of q_m, v_m, t_m like any other force. */

/* The middle of the step, to trial. */
static cardan_status enter_middle(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *trial = s->base.trial;
  trial->t = s->base.t + 0.5 * s->base.h;
  cardan_q_move(model, s->base.node->q, s->base.x.dq, 0.5, trial->q);
  for (int k = 0; k < model->nv; k++) {
    trial->v[k] = s->base.x.dq[k] / s->base.h;
  }
  if (model->has_friction) {
    memcpy(trial->tau_in, s->base.tau_in, (size_t)model->nv * sizeof *trial->tau_in);
    memcpy(trial->f_in, s->base.f_in, (size_t)model->nbody * sizeof *trial->f_in);
    const cardan_status status = cardan_forward(model, trial, 0, 0);
    if (status != CARDAN_OK) {
      s->base.node->info = trial->info;
      return status;
    }
  }
  cardan_joints(model, trial);
  cardan_poses(model, trial);
  cardan_velocities(model, trial);
  return CARDAN_OK;
}

/* Bodies' wrenches and joint forces to joint space: tau += sum J_i^T f_i, and f_ext is spoilt. */
static void pull(cardan__vi *s, cardan__loads *loads, double factor, double *out)
{
  const cardan_model *model = s->base.model;
  cardan__tree_pull(model, s->base.trial, loads->f_ext, loads->tau);
  for (int k = 0; k < model->nv; k++) {
    out[k] = factor * loads->tau[k];
  }
}

static cardan__loads no_loads(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  memset(s->base.trial->f_ext, 0, (size_t)model->nbody * sizeof *s->base.trial->f_ext);
  memset(s->base.trial->tau, 0, (size_t)model->nv * sizeof *s->base.trial->tau);
  return (cardan__loads){.f_ext = s->base.trial->f_ext, .tau = s->base.trial->tau};
}

/* Slope of friction at its present limits. Exact for joints of one velocity; for others the sum of
 * a row stands for its diagonal. */
static void friction_slopes(cardan__vi *s, const cardan__view *view)
{
  const cardan_model *model = s->base.model;
  double *ones = s->column;
  for (int k = 0; k < model->nv; k++) {
    ones[k] = 1;
  }
  const cardan__change change = {.v = ones};
  cardan__loads loads = {.f_ext = s->base.trial->f_ext, .tau = s->slope_v};
  cardan__friction_slope(model, view, &change, s->base.trial->friction, &loads);
}

static void derive(cardan__vi *s, const cardan__view *view)
{
  const cardan_model *model = s->base.model;
  const size_t nv = (size_t)model->nv;
  const double half = 0.5 * s->base.h;
  memset(s->slope_q, 0, nv * sizeof *s->slope_q);
  memset(s->slope_v, 0, nv * sizeof *s->slope_v);
  cardan__forces_slopes(model, view, s->slope_q, s->slope_v);
  if (model->has_friction) {
    friction_slopes(s, view);
  }
  for (size_t k = 0; k < nv; k++) {
    s->slope[k] = half * (0.5 * s->slope_q[k] + s->slope_v[k] / s->base.h);
  }
  for (int c = 0, n = 0; n < s->nchannel; c++) {
    if (cardan__force_channel(model, c)) {
      cardan__loads loads = no_loads(s);
      cardan__force_direction(model, view, c, &loads);
      pull(s, &loads, half, s->beta + (size_t)n * nv);
      loads = no_loads(s);
      cardan__force_gradient(model, view, c, 0.5, 1 / s->base.h, &loads);
      pull(s, &loads, 1, s->alpha + (size_t)n * nv);
      n++;
    }
  }
}

int cardan__vi_channels(const cardan_model *model)
{
  int n = 0;
  for (int c = 0; c < CARDAN__FORCE_PARTS * model->nforce; c++) {
    n += cardan__force_channel(model, c);
  }
  return n;
}

cardan_status cardan__vi_forces(cardan__vi *s, bool derivatives)
{
  const cardan_model *model = s->base.model;
  const cardan_status status = enter_middle(s);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan__view view = cardan__data_view(model, s->base.trial);
  if (derivatives) {
    derive(s, &view);
    return CARDAN_OK;
  }
  cardan__loads loads = no_loads(s);
  cardan__forces_add(model, &view, CARDAN_FORCE_POTENTIAL, &loads);
  if (model->has_friction) {
    cardan__friction_apply(model, &view, s->base.trial->friction, &loads);
  }
  pull(s, &loads, 1, s->Q);
  return CARDAN_OK;
}
