// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "forces/channels.h"
#define CARDAN__WIDTH 1 // its rules for one simulation
#include "kernels/root_policy.h"
#include "methods/vi/vi.h"

/* Forces without a potential: dampers, torques, wrenches, friction, expressions of v and t.
 *
 * They act at the middle of the step, half on each node, in joint space:
 *   q_m = q^k moved by dq/2,   v_m = dq / h,   t_m = t + h/2,   Q = tau + sum J_i(q_m)^T f_i   (F1)
 * which is symmetric in the two nodes, so that the step keeps its order 2; forces at the velocity
 * of the step before would cost it. The work over the step is Q . dq.
 *
 * Derivatives for Newton's direction, h/2 dQ/ddq with d/ddq = 1/2 d/dq + 1/h d/dv: forces on a
 * joint that depend on that joint alone go into the recursion (slope); the others are channels
 * beta alpha^T of rank 1 (vi_equation.c). The change of a force's direction as the mechanism
 * moves is left out: it is smaller by h times the rate at which directions change.
 *
 * Friction presses with the reactions of the motion through the middle state, as cardan_forward
 * finds them: a function of q_m, v_m, t_m like any other force. What contacts press joints with is
 * that of the first half of the step, so that its change over a step counts to order 1. */

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
  if (s->base.friction_acts) {
    memcpy(trial->tau_in, s->base.tau_in, (size_t)model->nv * sizeof *trial->tau_in);
    memcpy(trial->f_in, s->base.f_in, (size_t)model->nbody * sizeof *trial->f_in);
    cardan__hold_load(&s->base, trial);
    trial->dry_friction = s->base.dry_held ? s->base.no_friction : NULL;
    const cardan_status status = cardan_forward(model, trial, 0, 0);
    trial->dry_friction = NULL;
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

/* Is friction in a joint of several velocities a channel too? */
static bool couples_velocities(const cardan_model *model, const cardan_force_element *e)
{
  double r[6];
  return (e->flags & CARDAN_FORCE_FRICTION) && cardan__friction_lengths(model, e, r) > 1;
}

/* Slope of friction at its present limits, exactly: that of a joint of one velocity is its own; of
 * others it is d and a channel, d 1 + b u u^T over the sliding velocities u_k = r_k v_k. With u = 0
 * but for one component, that component's slope is d + b u^2, and any other's d. */
static void friction_slopes(cardan__vi *s, int channel)
{
  const cardan_model *model = s->base.model;
  const cardan_data *trial = s->base.trial;
  const size_t nv = (size_t)model->nv;
  double r[6], u[6] = {0}, slope[36];
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (!(e->flags & CARDAN_FORCE_FRICTION)) {
      continue;
    }
    const int n = cardan__friction_lengths(model, e, r), adr = cardan__friction_adr(model, e);
    double speed2 = 0;
    for (int k = 0; k < n; k++) {
      u[k] = r[k] * trial->v[adr + k];
      speed2 += u[k] * u[k];
    }
    // along u, and across it
    const double along[2] = {sqrt(speed2), 0};
    cardan__friction_slides(e, trial->friction[i], 2, along, slope);
    const double d = n > 1 ? slope[3] : slope[0];
    for (int k = 0; k < n; k++) {
      s->slope_v[adr + k] -= r[k] * r[k] * d;
    }
    if (n > 1) {
      double *alpha = s->alpha + (size_t)channel * nv, *beta = s->beta + (size_t)channel * nv;
      const double b = speed2 > 0 ? (slope[0] - slope[3]) / speed2 : 0;
      memset(alpha, 0, nv * sizeof *alpha);
      memset(beta, 0, nv * sizeof *beta);
      for (int k = 0; k < n; k++) {
        alpha[adr + k] = r[k] * u[k] / s->base.h;
        beta[adr + k] = -0.5 * s->base.h * b * r[k] * u[k];
      }
      channel++;
    }
  }
}

static void derive(cardan__vi *s, const cardan__view *view)
{
  const cardan_model *model = s->base.model;
  const size_t nv = (size_t)model->nv;
  const double half = 0.5 * s->base.h;
  memset(s->slope_q, 0, nv * sizeof *s->slope_q);
  memset(s->slope_v, 0, nv * sizeof *s->slope_v);
  cardan__forces_slopes(model, view, s->slope_q, s->slope_v);
  int n = 0;
  for (int c = 0; c < CARDAN__FORCE_PARTS * model->nforce; c++) {
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
  if (s->base.friction_acts) {
    friction_slopes(s, n);
  }
  for (size_t k = 0; k < nv; k++) {
    s->slope[k] = half * (0.5 * s->slope_q[k] + s->slope_v[k] / s->base.h);
  }
}

int cardan__vi_channels(const cardan_model *model)
{
  int n = 0;
  for (int c = 0; c < CARDAN__FORCE_PARTS * model->nforce; c++) {
    n += cardan__force_channel(model, c);
  }
  for (int i = 0; i < model->nforce && model->has_friction; i++) {
    n += couples_velocities(model, &model->force[i]);
  }
  return n;
}

void cardan__vi_force_sizes(cardan__vi *s, double *scale)
{
  const cardan_model *model = s->base.model;
  const cardan_data *trial = s->base.trial;
  const cardan__view view = cardan__data_view(model, trial);
  const double place = CARDAN__PLACE_ROUNDING * DBL_EPSILON / s->base.root.tol;
  memset(s->slope_q, 0, (size_t)model->nv * sizeof *s->slope_q);
  memset(s->slope_v, 0, (size_t)model->nv * sizeof *s->slope_v);
  cardan__forces_slopes(model, &view, s->slope_q, s->slope_v);
  for (int k = 0; k < model->nv; k++) {
    const cardan_body *b = &model->body[model->v_body[k]];
    const double q = b->nq == b->nv ? fabs(trial->q[b->qadr + k - b->vadr]) : 0;
    scale[k] += 0.5 * fabs(s->base.h) * place * fabs(s->slope_q[k]) * q;
  }
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
  if (s->base.friction_acts) {
    cardan__friction_apply(model, &view, s->base.trial->friction, &loads);
  }
  pull(s, &loads, 1, s->Q);
  return CARDAN_OK;
}
