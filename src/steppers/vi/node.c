// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "dynamics/loops.h"
#include "forces/forces.h"
#include "forces/gravity.h"
#include "kinematics/joint.h"
#include "steppers/vi/vi.h"

/* What belongs to a node.
 *
 * Forces with a potential act at nodes, h/2 from the step before and h/2 from the step after:
 *   P_i = next_i + h/2 (W_i + f_in,i)           as the step before ends                        (P1)
 *   B_i = P_i + h/2 (W_i + f_in,i)              as the step after begins                       (P2)
 * so that unequal steps, and compositions, need nothing more. A start from (q0, v0) is P_i = G_i
 * V_i. The velocity of the node is that of the momentum P, the discrete Legendre transform:
 *   M(q^k) v = sum J_i^T P_i + pj + G^T nu,   G v = -Phi_t                                     (P3)
 *   pj = h/2 (Wj + tau_in + Q) - f       what the root finder left of the residual          (P4) */

void cardan__vi_move_by(const cardan_model *model, const double *q, const double *dq, double part,
                        double *q_out)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *from = q + b->qadr;
    double *to = q_out + b->qadr;
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      to[0] = from[0] + part * dq[b->vadr];
      continue;
    }
    const cardan__screw Q =
        cardan__screw_exp(cardan__motion_scale(part, cardan__joint_motion(b, dq + b->vadr)));
    const cardan_quat e = cardan__quat_at(from + k);
    const cardan_quat n = cardan__quat_normalize(cardan__quat_mul(e, Q.r));
    if (b->kind == CARDAN_LINK_FREE) {
      const cardan_vec3 p = cardan__quat_rotate(e, cardan__screw_translation(&Q));
      to[0] = from[0] + p.x;
      to[1] = from[1] + p.y;
      to[2] = from[2] + p.z;
    }
    to[k] = n.w;
    to[k + 1] = n.x;
    to[k + 2] = n.y;
    to[k + 3] = n.z;
  }
}

/* W and Wj at node's q. */
static void potentials(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan_data *node = s->node;
  if (s->has_gravity) {
    cardan__gravity_weights(model, node->X, s->gravity, s->W);
  }
  if (!s->has_potential) {
    return;
  }
  if (!s->has_gravity) {
    memset(s->W, 0, (size_t)model->nbody * sizeof *s->W);
  }
  for (int k = 0; k < model->nv; k++) {
    s->Wj[k] = 0;
  }
  const cardan__view view = cardan__data_view(model, node);
  cardan__loads loads = {.f_ext = s->W, .tau = s->Wj};
  cardan__forces_add_potential(model, &view, &loads);
}

void cardan__vi_enter(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan_joints(model, s->node);
  if (s->has_potential || model->nrow > 0) {
    cardan_poses(model, s->node);
  }
  potentials(s);
  s->mass_factored = false;
}

void cardan__vi_start_node(cardan__vi *s, const cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan_data *node = s->node;
  node->t = data->t;
  memcpy(node->q, data->q, (size_t)model->nq * sizeof *node->q);
  memcpy(node->v, data->v, (size_t)model->nv * sizeof *node->v);
  cardan__vi_enter(s);
  cardan_velocities(model, node);
  for (int i = 1; i < model->nbody; i++) {
    s->P[i] = cardan__inertia_mul(&model->body[i].inertia, node->V[i]);
  }
  memset(s->pj, 0, (size_t)model->nv * sizeof *s->pj);
  memset(s->lambda, 0, (size_t)s->nindependent * sizeof *s->lambda);
  for (int i = 0; i < s->nstage; i++) {
    s->history[i].have = 0;
  }
  s->factored = false;
  s->wait = s->patience = 0;
  if (s->nindependent > 0) {
    cardan__vi_rows(s, node, s->Gk);
  }
  s->work = 0;
  s->h_before = 0;
  s->ndrive = 0;
}

/* Does the caller push? Most do not, and then nothing is read twice. */
static bool any_input(const cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  double sum = 0;
  for (int k = 0; k < model->nv; k++) {
    sum += fabs(s->tau_in[k]);
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_force *f = &s->f_in[i];
    sum += fabs(f->t.x) + fabs(f->t.y) + fabs(f->t.z) + fabs(f->f.x) + fabs(f->f.y) + fabs(f->f.z);
  }
  return sum != 0;
}

/* The caller's forces over half a step, onto the momenta (or B) and joint impulses of bodies. */
static inline cardan_force with_input(const cardan__vi *s, int i, double half, cardan_force F)
{
  return s->has_inputs ? cardan__force_axpy(half, s->f_in[i], F) : F;
}

void cardan__vi_begin(cardan__vi *s, double h)
{
  const cardan_model *model = s->base.model;
  const double half = 0.5 * h;
  s->h = h;
  s->t = s->node->t;
  s->has_inputs = any_input(s);
  for (int i = 1; i < model->nbody; i++) {
    s->body[i].B = with_input(s, i, half, cardan__force_axpy(half, s->W[i], s->P[i])); // (P2)
  }
  for (int k = 0; k < model->nv; k++) {
    s->c0[k] = s->pj[k] + half * (s->Wj[k] + s->tau_in[k]);
  }
}

/* ---- work ---- */

/* Rates of the drivers at the node: velocities of prescribed coordinates, -Phi_t of rows. */
static void driver_rates(const cardan__vi *s, double *rate)
{
  const cardan_model *model = s->base.model;
  const cardan__rowset set = cardan__model_rows(model);
  cardan_data *node = s->node;
  cardan_prescribe(model, node);
  for (int i = 0; i < model->nprescribed; i++) {
    rate[i] = node->v[model->body[model->prescribed[i].body].vadr];
  }
  if (s->nindependent > 0) {
    const cardan__view view = cardan__data_view(model, node);
    cardan__rows_rates(&set, &view, node->rows.phi_t, NULL);
  }
  for (int j = 0; j < s->nindependent; j++) {
    rate[model->nprescribed + j] = -node->rows.phi_t[s->row[j]];
  }
}

/* Work of the step: forces over dq, and the drivers' impulses at the node it starts from. */
static void add_work(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  const int n = model->nprescribed + s->nindependent;
  const double weight = 0.5 * (s->h_before + s->h);
  for (int k = 0; k < model->nv && s->has_forces; k++) {
    s->work += s->Q[k] * s->dq[k];
  }
  if (n == 0) {
    return;
  }
  driver_rates(s, s->rate);
  memcpy(s->drive_before, s->drive, (size_t)n * sizeof *s->drive);
  for (int i = 0; i < n; i++) {
    const int j = i - model->nprescribed;
    const double impulse =
        j >= 0 ? s->lambda[j] : s->f[model->body[model->prescribed[i].body].vadr];
    s->work += impulse * s->rate[i];
    s->drive[i] = weight != 0 ? impulse / weight : 0;
  }
  s->ndrive = s->ndrive < 2 ? s->ndrive + 1 : 2;
}

/* Work of the caller's forces over the step. */
static void add_input_work(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  for (int i = 1; i < model->nbody; i++) {
    s->work += cardan__power(s->end[i].x, s->f_in[i]);
  }
  for (int k = 0; k < model->nv; k++) {
    s->work += s->tau_in[k] * s->dq[k];
  }
}

/* Half of the node's impulse comes from the step before: its force is extrapolated from the last
 * two nodes, with an error of h^3 that does not add up. */
double cardan__vi_work(const cardan__vi *s)
{
  const int n = s->base.model->nprescribed + s->nindependent;
  double work = s->work;
  if (n == 0 || s->ndrive == 0) {
    return work;
  }
  driver_rates(s, s->rate);
  for (int i = 0; i < n; i++) {
    const double force = s->ndrive > 1 ? 2 * s->drive[i] - s->drive_before[i] : s->drive[i];
    work += 0.5 * s->h_before * force * s->rate[i];
  }
  return work;
}

/* ---- the next node ---- */

/* What the root finder leaves of the residual is momentum that should not be there. It is taken
 * out at the next node (P4), so that it cannot add up: total momentum is then kept to rounding,
 * whatever the tolerance. For joints of several velocities f turns with the body, which stays in
 * space. */
static void carry_residual(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  for (int i = 1; i < model->nbody && model->nprescribed + model->nmulti > 0; i++) {
    const cardan_body *b = &model->body[i];
    double *f = s->f + b->vadr;
    if (b->flags & CARDAN_LINK_KINEMATIC) {
      f[0] = 0; // the driver's impulse
    } else if (b->nv > 1) {
      const cardan_xform T = {.R = cardan__quat_to_mat3(s->body[i].Q.r),
                              .p = cardan__screw_translation(&s->body[i].Q)};
      const cardan_force F = {
          .t = {f[0], f[1], f[2]},
          .f = {b->nv > 3 ? f[3] : 0, b->nv > 3 ? f[4] : 0, b->nv > 3 ? f[5] : 0}};
      cardan__joint_project(b, cardan__force_to_child(&T, F), f);
    }
  }
}

void cardan__vi_accept(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  const double half = 0.5 * s->h;
  cardan__vi_finish(s);
  if (s->works) {
    add_work(s);
  }
  if (s->has_inputs) {
    add_input_work(s);
  }
  carry_residual(s);
  s->h_before = s->h;
  cardan__vi_move_by(model, s->node->q, s->dq, 1, s->node->q);
  s->node->t = s->t + s->h;
  cardan__vi_enter(s);
  for (int i = 1; i < model->nbody; i++) {
    s->P[i] = with_input(s, i, half, cardan__force_axpy(half, s->W[i], s->end[i].next)); // (P1)
  }
  for (int k = 0; k < model->nv; k++) {
    s->pj[k] = half * (s->Wj[k] + s->tau_in[k] + s->Q[k]) - s->f[k]; // (P4)
  }
  if (s->nindependent > 0) {
    double *swap = s->Gk; // the rows at the last iterate are those of the new node
    s->Gk = s->Gn;
    s->Gn = swap;
  }
}

cardan_status cardan__vi_velocity(cardan__vi *s, cardan_data *data)
{
  const cardan_model *model = s->base.model;
  cardan_data *node = s->node;
  cardan_prescribe(model, node); // v of prescribed coordinates
  for (int k = 0; k < model->nv; k++) {
    const bool given = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
    node->v[k] = given ? node->v[k] : 0;
  }
  cardan_velocities(model, node);
  for (int i = 1; i < model->nbody; i++) {
    node->f_ext[i] =
        cardan__force_sub(s->P[i], cardan__inertia_mul(&model->body[i].inertia, node->V[i]));
  }
  cardan_status status = s->mass_factored ? CARDAN_OK : cardan_factor(model, node);
  if (status == CARDAN_OK) {
    s->mass_factored = true;
    cardan_factor_solve(model, node, node->f_ext, s->pj, data->v); // (P3)
    for (int k = 0; k < model->nv; k++) {
      node->v[k] += data->v[k];
    }
    status = s->nindependent > 0 ? cardan__project_velocities(model, node) : CARDAN_OK;
  }
  if (status != CARDAN_OK) {
    data->info = node->info;
  }
  memcpy(data->v, node->v, (size_t)model->nv * sizeof *data->v);
  return status;
}
