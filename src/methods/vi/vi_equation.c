// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "cardan/kinematics.h"
#include "forces/forces.h"
#include "forces/gravity.h"
#include "kinematics/joint.h"
#include "linalg/linalg.h"
#include "linalg/small.h"
#include "methods/vi/vi.h"

/* The equation of a step of vi, for discrete/.
 *
 * Forces with a potential act at nodes, h/2 from the step before and h/2 from the step after:
 *   P_i = next_i + h/2 (W_i + f_in,i)           as the step before ends                        (P1)
 *   B_i = P_i + h/2 (W_i + f_in,i)              as the step after begins                       (P2)
 * so that unequal steps, and compositions, need nothing more. A start from (q0, v0) is P_i = G_i
 * V_i, pj = I v with I the armatures. The node's momentum is sum J_i^T P_i + pj, with
 *   pj = h/2 (Wj + tau_in + Q) - f + I dq / h     f what the root finder left of the residual (P3)
 * since the discrete Lagrangian of a rotor, I dq^2 / (2 h), has the momentum I dq / h at both ends.
 */

/* ---- at a node ---- */

/* Gravity's field in every body's axes, which follows its parent's: to lanes. */
static void turn_field(cardan__vi *s)
{
  const cardan_xform *X = s->base.node->X;
  cardan_vec3 g = s->base.model->gravity; // of body i - 1, mostly the parent
  cardan__lane *to = s->lanes[0].g;
  for (int k = 0; k < 3; k++) {
    to[k].at[0] = k == 0 ? g.x : k == 1 ? g.y : g.z;
  }
  for (int i = 1; i < s->base.model->nbody; i++) {
    const int l = cardan__lane_of(i);
    to = s->lanes[cardan__block_of(i)].g;
    if (!(s->kin[i].flags & CARDAN__VI_FOLLOWS)) {
      cardan__lane *from = s->lanes[cardan__block_of(s->kin[i].parent)].g;
      const int p = cardan__lane_of(s->kin[i].parent);
      g = cardan__vec3(from[0].at[p], from[1].at[p], from[2].at[p]);
    }
    g = cardan__mat3_tmulv(&X[i].R, g);
    to[0].at[l] = g.x;
    to[1].at[l] = g.y;
    to[2].at[l] = g.z;
  }
}

/* W of forces other than gravity, and Wj. */
static void add_potentials(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  const cardan__view view = cardan__data_view(model, s->base.node);
  cardan__loads loads = {.f_ext = s->loads, .tau = s->Wj};
  memset(s->loads, 0, (size_t)model->nbody * sizeof *s->loads);
  memset(s->Wj, 0, (size_t)model->nv * sizeof *s->Wj);
  cardan__forces_add_potential(model, &view, &loads);
  for (int i = 1; i < model->nbody; i++) {
    cardan__lane *W = s->W[cardan__block_of(i)].F;
    const int l = cardan__lane_of(i);
    const cardan_force weight = cardan__lane_force(W, l);
    cardan__lane_set_force(W, l,
                           s->has_gravity ? cardan__force_add(weight, s->loads[i]) : s->loads[i]);
  }
}

/* W and Wj at node's q. */
static void potentials(cardan__vi *s)
{
  if (s->has_gravity) {
    turn_field(s);
    for (int k = 0; k < s->nblock; k++) {
      cardan__lanes_weights(&s->base.model->inertia_lanes[k], s->lanes[k].g, &s->W[k]);
    }
  }
  if (s->has_potential) {
    add_potentials(s);
  }
}

static void enter(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  cardan__node_place(d);
  if (s->has_potential || s->elastic.ntouched > 0) {
    cardan__node_pose(d);
  }
  potentials(s);
}

static cardan_status start(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  for (int i = 1; i < d->model->nbody; i++) {
    cardan__lane_set_force(s->P[cardan__block_of(i)].F, cardan__lane_of(i),
                           cardan__inertia_mul(&d->model->body[i].inertia, d->node->V[i]));
  }
  for (int k = 0; k < d->model->nv; k++) {
    s->pj[k] = d->model->armature[k] * d->node->v[k];
  }
  return CARDAN_OK;
}

static bool momentum(cardan__discrete *d, cardan_force *P, double *p)
{
  const cardan__vi *s = (const cardan__vi *)d;
  for (int i = 1; i < d->model->nbody; i++) {
    P[i] = cardan__lane_force(s->P[cardan__block_of(i)].F, cardan__lane_of(i));
  }
  memcpy(p, s->pj, (size_t)d->model->nv * sizeof *p);
  return true;
}

static void push(cardan__discrete *d, const double *p)
{
  const cardan__vi *s = (const cardan__vi *)d;
  for (int k = 0; k < d->model->nv; k++) {
    s->pj[k] += p[k];
  }
}

static void state(cardan__discrete *d, cardan__spans *list)
{
  cardan__vi *s = (cardan__vi *)d;
  cardan__spans_add(list, s->P, (size_t)s->nblock, sizeof *s->P);
  cardan__spans_add(list, s->pj, (size_t)d->model->nv, sizeof *s->pj);
}

/* ---- the residual ---- */

/* to = from + h/2 (W + f_in), of the bodies' momenta. */
static void add_half(const cardan__vi *s, int block, const cardan__lane from[6], cardan__lane to[6])
{
  const double half = 0.5 * s->base.h;
  const cardan__force_lanes *W = &s->W[block];
  for (int k = 0; k < 6; k++) {
    for (int l = 0; l < CARDAN__LANES; l++) {
      to[k].at[l] = from[k].at[l] + half * W->F[k].at[l];
    }
  }
  const int first = block * CARDAN__LANES, left = s->base.model->nbody - first;
  for (int l = 0; s->base.has_inputs && l < CARDAN__LANES && l < left; l++) {
    const cardan_force F = cardan__lane_force(to, l);
    cardan__lane_set_force(to, l, cardan__force_axpy(half, s->base.f_in[first + l], F));
  }
}

static void begin(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  const double half = 0.5 * d->h;
  for (int k = 0; k < s->nblock; k++) {
    add_half(s, k, s->P[k].F, s->lanes[k].B); // (P2)
  }
  for (int k = 0; k < d->model->nv; k++) {
    s->c0[k] = s->pj[k] + half * (s->Wj[k] + d->tau_in[k]);
  }
  if (s->has_elastic) {
    cardan__elastic_begin(s);
  }
}

// NOLINTNEXTLINE(readability-non-const-parameter): the type is that of every equation
static cardan_status residual(cardan__discrete *d, double *r)
{
  cardan__vi *s = (cardan__vi *)d;
  cardan_status status = CARDAN_OK;
  CARDAN_ASSERT(r == d->r);
  if (cardan__vi_acts(s)) {
    status = cardan__vi_forces(s, false);
    for (int k = 0; k < d->model->nv; k++) {
      s->c[k] = s->c0[k] + 0.5 * d->h * s->Q[k];
    }
  } else if (d->model->has_friction) { // in held rows, and a force only of slopes
    memcpy(s->c, s->c0, (size_t)d->model->nv * sizeof *s->c);
    memset(s->Q, 0, (size_t)d->model->nv * sizeof *s->Q);
  }
  cardan__vi_residual(s);
  for (int k = 0; k < d->model->nv && d->model->has_armature; k++) {
    r[k] += d->model->armature[k] * d->x.dq[k] / d->h;
  }
  return status;
}

/* ---- its derivative ----
 * A force channel is a scalar force that acts along beta (h/2 of it in this step) and changes by
 * alpha . dq: it adds -beta alpha^T to J, of rank 1. Over J_0, the recursion's, with Z = J_0^-1
 * beta,
 *   x = u + Z c,   (1 - alpha^T Z) c = alpha^T u,   u = J_0^-1 r                            (C1) */

static cardan_status factor_channels(cardan__vi *s)
{
  const int nv = s->base.model->nv, n = s->nchannel;
  for (int j = 0; j < n; j++) {
    double *Z = s->Z + (size_t)j * (size_t)nv;
    cardan__vi_solve(s, 1, s->base.model->nbody, s->beta + (size_t)j * (size_t)nv, Z);
    for (int i = 0; i < n; i++) {
      s->T[i * n + j] = (i == j) - cardan__dot(nv, s->alpha + (size_t)i * (size_t)nv, Z);
    }
  }
  return cardan__lu(n, s->T, s->pivot) < 0 ? CARDAN_OK : CARDAN_ERR_SINGULAR;
}

/* Joints that friction holds: D is infinite. */
static void hold_boxes(cardan__vi *s)
{
  for (int k = 0; k < s->base.model->nv; k++) {
    s->slope[k] = s->base.border.held[k] ? -HUGE_VAL : s->slope[k];
  }
}

cardan_status cardan__vi_joint_slopes(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan_status status = CARDAN_OK;
  if (cardan__vi_acts(s)) {
    status = cardan__vi_forces(s, true);
  } else if (s->has_elastic || s->base.border.room.dry > 0) {
    memset(s->slope, 0, (size_t)model->nv * sizeof *s->slope);
  }
  for (int k = 0; k < model->nv && model->has_armature; k++) {
    s->slope[k] =
        (cardan__vi_acts(s) || s->has_elastic ? s->slope[k] : 0) - model->armature[k] / s->base.h;
  }
  if (s->has_elastic) {
    cardan__elastic_slopes(s);
  }
  if (s->base.border.nbox > 0) {
    hold_boxes(s);
  }
  return status;
}

static cardan_status factor(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  cardan_status status = cardan__vi_joint_slopes(s);
  if (status == CARDAN_OK) {
    status = cardan__vi_factorise(s);
  }
  if (status == CARDAN_OK && s->elastic.gmres) {
    cardan__vi_kernels(s);
  }
  return status == CARDAN_OK && s->nchannel > 0 ? factor_channels(s) : status;
}

static void solve_one(cardan__vi *s, double *x)
{
  const int nv = s->base.model->nv, n = s->nchannel;
  cardan__vi_solve(s, 1, s->base.model->nbody, x, x);
  if (n == 0) {
    return;
  }
  for (int i = 0; i < n; i++) {
    s->channel[i] = cardan__dot(nv, s->alpha + (size_t)i * (size_t)nv, x);
  }
  cardan__lu_solve(n, s->T, s->pivot, s->channel);
  for (int j = 0; j < n; j++) {
    const double *Z = s->Z + (size_t)j * (size_t)nv;
    for (int k = 0; k < nv; k++) {
      x[k] += s->channel[j] * Z[k]; // (C1)
    }
  }
}

static void solve(cardan__discrete *d, int k, double *X)
{
  cardan__vi *s = (cardan__vi *)d;
  const size_t nv = (size_t)d->model->nv, n = (size_t)k;
  if (n == 1) {
    solve_one(s, X);
    return;
  }
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < nv; i++) {
      s->column[i] = X[i * n + j];
    }
    solve_one(s, s->column);
    for (size_t i = 0; i < nv; i++) {
      X[i * n + j] = s->column[i];
    }
  }
}

static bool solve_part(cardan__discrete *d, const int body[2], int tip, int n, double *x,
                       const cardan__columns_room *room)
{
  cardan__vi *s = (cardan__vi *)d;
  if (s->nchannel > 0) { // these may act between trees
    return false;
  }
  if (tip > 0 && n > 1) {
    cardan__columns_solve(d->model, cardan__vi_link, s, body, tip, n, x, room);
    return true;
  }
  for (int k = 0; k < n; k++, x += d->model->nv) {
    if (tip > 0) {
      cardan__vi_solve_along(s, body[0], body[1], tip, x, x);
    } else {
      cardan__vi_solve(s, body[0], body[1], x, x);
    }
  }
  return true;
}

static cardan_status jacobian(cardan__discrete *d, double *J)
{
  cardan__vi *s = (cardan__vi *)d;
  const cardan_status status = cardan__vi_joint_slopes(s);
  cardan__vi_jacobian(s, J);
  return status;
}

/* What solve reads. */
static void factors(cardan__discrete *d, cardan__spans *list)
{
  cardan__vi *s = (cardan__vi *)d;
  const size_t n = (size_t)s->nchannel, nv = (size_t)d->model->nv;
  cardan__spans_add(list, s->factor, (size_t)d->model->nbody, sizeof *s->factor);
  cardan__spans_add(list, s->multi, (size_t)d->model->nmulti, sizeof *s->multi);
  cardan__spans_add(list, s->alpha, n * nv, sizeof *s->alpha);
  cardan__spans_add(list, s->Z, n * nv, sizeof *s->Z);
  cardan__spans_add(list, s->T, n * n, sizeof *s->T);
  const int first = cardan__lu_first((int)n);
  cardan__spans_ints(list, s->pivot, n, first, first + (int)n - 1);
  if (s->elastic.gmres) { // what its product reads
    cardan__spans_add(list, s->A, (size_t)d->model->nbody, sizeof *s->A);
    cardan__spans_add(list, s->slope, nv, sizeof *s->slope);
    cardan__spans_add(list, s->elastic.block, (size_t)36 * (size_t)d->model->nmulti,
                      sizeof *s->elastic.block);
    cardan__spans_add(list, s->elastic.numbers, s->elastic.nnumber, sizeof *s->elastic.numbers);
    cardan__spans_add(list, s->elastic.loads, s->elastic.nload, sizeof *s->elastic.loads);
  }
}

/* ---- the end of the step ---- */

/* Forces over dq, and the caller's over what the bodies did. */
static double work(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  double sum = cardan__vi_acts(s) ? cardan__dot(d->model->nv, s->Q, d->x.dq) : 0;
  if (d->has_inputs) {
    for (int i = 1; i < d->model->nbody; i++) {
      cardan__dlog_coeffs unused;
      const cardan__screw Q = cardan__vi_displaced(s, i);
      sum += cardan__power(cardan__screw_log(&Q, &unused), d->f_in[i]);
    }
    sum += cardan__dot(d->model->nv, d->tau_in, d->x.dq);
  }
  return sum;
}

/* What the root finder leaves of the residual is momentum that should not be there. It is taken
 * out at the next node (P3), so that it cannot add up: total momentum is then kept to rounding,
 * whatever the tolerance. For joints of several velocities f turns with the body, which stays in
 * space. */
static void accept(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  const cardan_model *model = d->model;
  for (int i = 1; i < model->nbody && model->nprescribed + model->nmulti > 0; i++) {
    const cardan_body *b = &model->body[i];
    double *f = d->r + b->vadr;
    if (b->flags & CARDAN_LINK_KINEMATIC) {
      f[0] = 0; // the driver's impulse
    } else if (b->nv > 1) {
      const cardan__screw Q = cardan__vi_displaced(s, i);
      const cardan_xform T = {.R = cardan__quat_to_mat3(Q.r), .p = cardan__screw_translation(&Q)};
      const cardan_force F = {
          .t = {f[0], f[1], f[2]},
          .f = {b->nv > 3 ? f[3] : 0, b->nv > 3 ? f[4] : 0, b->nv > 3 ? f[5] : 0}};
      cardan__joint_project(b, cardan__force_to_child(&T, F), f);
    }
  }
}

static void leave(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  const double half = 0.5 * d->h;
  for (int k = 0; k < s->nblock; k++) {
    add_half(s, k, s->lanes[k].next, s->P[k].F); // (P1)
  }
  for (int k = 0; k < d->model->nv; k++) {
    s->pj[k] = half * (s->Wj[k] + d->tau_in[k] + s->Q[k]) - d->r[k]; // (P3)
  }
  for (int k = 0; k < d->model->nv && d->model->has_armature; k++) {
    s->pj[k] += d->model->armature[k] * d->x.dq[k] / d->h;
  }
  if (s->has_elastic) {
    cardan__elastic_leave(s);
  }
}

const cardan__equation cardan__equation_vi = {
    .size = sizeof(cardan__vi),
    .read = cardan__vi_read,
    .layout = cardan__vi_layout,
    .make = cardan__vi_make,
    .start = start,
    .enter = enter,
    .begin = begin,
    .residual = residual,
    .sizes = cardan__vi_sizes,
    .factor = factor,
    .solve = solve,
    .solve_part = solve_part,
    .linearise = cardan__vi_linearise,
    .apply = cardan__vi_apply,
    .holds = true,
    .jacobian = jacobian,
    .work = work,
    .accept = accept,
    .leave = leave,
    .momentum = momentum,
    .push = push,
    .state = state,
    .factors = factors,
    .slopes = cardan__vi_slopes,
};
