// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "forces/forces.h"
#include "forces/gravity.h"
#include "kinematics/joint.h"
#include "model/data.h"
#include "steppers/vi/vi.h"

/* Derivatives of a step of vi, for cardan_linearize.
 *
 * In joint coordinates, with p the node's momentum and J, J' the bodies' Jacobians at the two
 * nodes,
 *   r  = p - J^T (mu - h/2 (W + f_in)) - I d/h + h/2 (Wj + tau_in + Q) + G^T lambda  (L1)
 *   p' = J'^T (next + h/2 (W' + f_in)) + I d/h + h/2 (Wj' + tau_in + Q)  (L2)
 * where I are the armatures.
 * Bodies move by z at node k and z' at node k+1 (body axes); the displacement dT = T^-1 T' by
 * y = -z + Ad_dT z', right-trivialised, and
 *   d mu = K y,   d next = Ad_dT^T K^T y        (next = Ad_dT^T mu and K + abar(mu) = K^T)  (L3)
 * A sum J^T L of wrenches changes by S^T (~C + ad_z^T C) with C the sum over a body and all below
 * it, and ~C that of ~L = dL - ad_z^T L: the change in world axes adds up as L does.        (L4)
 * Q is at the middle, q_m = q Exp(d/2), v_m = d/h. For a joint that moves by e at node k and by e'
 * at k+1:
 *   y_j = -e + Ad_Exp(d) e',   dd = dlog_d y_j
 *   e_m = Ad_Exp(-d/2) e + dexp_{-d/2} dd/2,   dv_m = dd/h                                  (L5) */

typedef struct {
  cardan__vi *s;
  cardan_data *next, *mid;   // at node k+1, and in the middle
  cardan__mat6 *K;           // nbody
  cardan_force *L, *L1, *Lm; // nbody: loads at node k, at k+1, and in the middle
  cardan_force *dL, *C, *C_hat;
  cardan_motion *z, *z1, *zm, *dV; // nbody
  double *e, *e1, *em, *dvm;       // nv: of the joints
  double *tau, *W1j;               // nv
  cardan_force *W1;                // nbody
  void *block;
} slopes;

static void layout(void *what, cardan__carver *c)
{
  slopes *a = what;
  const cardan_model *model = a->s->base.model;
  const size_t nb = (size_t)model->nbody, nv = (size_t)model->nv;
  cardan_force **const forces[] = {&a->L, &a->L1, &a->Lm, &a->dL, &a->C, &a->C_hat, &a->W1};
  cardan_motion **const motions[] = {&a->z, &a->z1, &a->zm, &a->dV};
  double **const vectors[] = {&a->e, &a->e1, &a->em, &a->dvm, &a->tau, &a->W1j};
  a->K = cardan__carve(c, nb, sizeof *a->K);
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    *forces[i] = cardan__carve(c, nb, sizeof(cardan_force));
  }
  for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
    *motions[i] = cardan__carve(c, nb, sizeof(cardan_motion));
  }
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = cardan__carve(c, nv, sizeof(double));
  }
}

static void destroy(slopes *a)
{
  cardan_data_destroy(a->next);
  cardan_data_destroy(a->mid);
  cardan__resize(&a->s->base.base.allocator, a->block, 0);
}

static cardan_status create(slopes *a, cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  const cardan_allocator *allocator = &s->base.base.allocator;
  *a = (slopes){.s = s};
  a->block = cardan__carve_block(allocator, layout, a);
  if (a->block == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  const cardan_status status = cardan_data_create(model, allocator, &a->next);
  return status == CARDAN_OK ? cardan_data_create(model, allocator, &a->mid) : status;
}

/* ---- at the root ---- */

/* Forces with a potential at a data's poses: W1 and W1j; gravity in each body's axes goes to
 * data->g. */
static void potentials(slopes *a, cardan_data *data, cardan_force *W, double *Wj)
{
  const cardan_model *model = a->s->base.model;
  data->g[0] = model->gravity;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    data->g[i] = cardan__mat3_tmulv(&data->X[i].R, data->g[b->parent]);
    W[i] = cardan__weight(&b->inertia, data->g[i]);
  }
  memset(Wj, 0, (size_t)model->nv * sizeof *Wj);
  const cardan__view view = cardan__data_view(model, data);
  cardan__loads to = {.f_ext = W, .tau = Wj};
  cardan__forces_add_potential(model, &view, &to);
}

/* Configurations at k+1 and in the middle, K, and the loads of (L1), (L2). */
static void enter(slopes *a)
{
  cardan__vi *s = a->s;
  const cardan_model *model = s->base.model;
  const double half = 0.5 * s->base.h;
  cardan_q_move(model, s->base.node->q, s->base.x.dq, 1, a->next->q);
  cardan_q_move(model, s->base.node->q, s->base.x.dq, 0.5, a->mid->q);
  a->next->t = s->base.t + s->base.h;
  a->mid->t = s->base.t + half;
  cardan__data_caller(model, s->base.node, a->mid);
  for (int k = 0; k < model->nv; k++) {
    a->mid->v[k] = s->base.x.dq[k] / s->base.h;
  }
  cardan_joints(model, s->base.node);
  cardan_poses(model, s->base.node);
  cardan_joints(model, a->next);
  cardan_poses(model, a->next);
  cardan_joints(model, a->mid);
  cardan_poses(model, a->mid);
  cardan_velocities(model, a->mid);
  const cardan__view view = cardan__data_view(model, a->mid);
  cardan__loads to = {.f_ext = a->Lm, .tau = a->mid->tau};
  memset(a->mid->tau, 0, (size_t)model->nv * sizeof *a->mid->tau);
  cardan__forces_add(model, &view, CARDAN_FORCE_POTENTIAL, &to);
  potentials(a, a->next, a->W1, a->W1j);
  potentials(a, s->base.node, a->L, a->tau); // W at node k, for a moment
  for (int i = 1; i < model->nbody; i++) {
    const cardan_motion x = cardan__vi_log(s, i);
    const cardan_force mu = cardan__vi_mu(s, i);
    const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(x.w, x.w));
    const cardan_force W = cardan__force_add(a->L[i], s->base.f_in[i]);
    const cardan_force W1 = cardan__force_add(a->W1[i], s->base.f_in[i]);
    a->K[i] = cardan__step_slope(&model->body[i].inertia, x, &k, 1 / s->base.h, mu);
    a->L[i] = cardan__force_axpy(half, W, cardan__force_scale(-1, mu));
    a->L1[i] = cardan__force_axpy(half, W1, cardan__vi_next(s, i));
  }
}

/* p, p' and q' themselves; p to s->u. */
static void states(slopes *a, cardan__slopes *out)
{
  cardan__vi *s = a->s;
  const cardan_model *model = s->base.model;
  const double half = 0.5 * s->base.h;
  for (int i = 1; i < model->nbody; i++) {
    a->C[i] = cardan__lane_force(s->P[cardan__block_of(i)].F, cardan__lane_of(i));
  }
  memcpy(s->u, s->pj, (size_t)model->nv * sizeof *s->u);
  cardan__tree_pull(model, s->base.node, a->C, s->u);
  for (int k = 0; k < model->nv; k++) {
    out->p_next[k] = half * (a->W1j[k] + s->base.tau_in[k] + (s->has_forces ? s->Q[k] : 0)) +
                     model->armature[k] * s->base.x.dq[k] / s->base.h;
  }
  memcpy(a->C, a->L1, (size_t)model->nbody * sizeof *a->C);
  cardan__tree_pull(model, a->next, a->C, out->p_next);
  memcpy(out->q_next, a->next->q, (size_t)model->nq * sizeof *out->q_next);
}

/* ---- along a direction ---- */

/* (L4): out = change of J^T L at data's configuration. */
static void change_of_sum(slopes *a, const cardan_data *data, const cardan_force *L,
                          const cardan_motion *z, double *out)
{
  const cardan_model *model = a->s->base.model;
  for (int i = 1; i < model->nbody; i++) {
    a->C[i] = L[i];
    a->C_hat[i] = cardan__force_sub(a->dL[i], cardan__motion_ad_transpose(z[i], L[i]));
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_xform *X = &data->X[i];
    const cardan_force turn = cardan__motion_ad_transpose(z[i], a->C[i]);
    cardan__joint_project(b, cardan__force_add(a->C_hat[i], turn), out + b->vadr);
    if (b->parent > 0) {
      cardan_force *C = &a->C[b->parent], *C_hat = &a->C_hat[b->parent];
      *C = cardan__force_add(*C, cardan__force_to_parent(X, a->C[i]));
      *C_hat = cardan__force_add(*C_hat, cardan__force_to_parent(X, a->C_hat[i]));
    }
  }
}

/* Adds h/2 of the change of forces with a potential to dL and, as tau, to a->tau. */
static void change_potentials(slopes *a, const cardan_data *data, const cardan_motion *z,
                              const double *e)
{
  const cardan_model *model = a->s->base.model;
  const double half = 0.5 * a->s->base.h;
  const cardan__view view = cardan__data_view(model, data);
  const cardan__change change = {.X = z, .q = e};
  cardan__loads to = {.f_ext = a->C, .tau = a->tau};
  memset(a->C, 0, (size_t)model->nbody * sizeof *a->C);
  memset(a->tau, 0, (size_t)model->nv * sizeof *a->tau);
  cardan__forces_add_potential_slope(model, &view, &change, &to);
  for (int i = 1; i < model->nbody; i++) {
    // a field of fixed direction g turns by g x w in the body's axes
    const cardan_inertia *I = &model->body[i].inertia;
    const cardan_vec3 dg = cardan__vec3_cross(data->g[i], z[i].w);
    const cardan_force dW = {.t = cardan__vec3_cross(I->h, dg), .f = cardan__vec3_scale(I->m, dg)};
    a->dL[i] = cardan__force_axpy(half, cardan__force_add(dW, a->C[i]), a->dL[i]);
  }
}

/* (L5) for one joint. */
static void middle_joint(slopes *a, int i)
{
  const cardan__vi *s = a->s;
  const cardan_body *b = &s->base.model->body[i];
  const double *e = a->e + b->vadr, *e1 = a->e1 + b->vadr;
  double *em = a->em + b->vadr, *dv = a->dvm + b->vadr;
  if (b->nv == 1) {
    em[0] = 0.5 * (e[0] + e1[0]);
    dv[0] = (e1[0] - e[0]) / s->base.h;
    return;
  }
  const cardan_motion d = cardan__joint_motion(b, s->base.x.dq + b->vadr);
  const cardan_motion minus = cardan__motion_scale(-0.5, d);
  const cardan_xform whole = cardan_se3_exp(d), back = cardan_se3_exp(minus);
  const cardan_motion m = cardan__joint_motion(b, e), m1 = cardan__joint_motion(b, e1);
  const cardan_motion y = cardan__motion_sub(cardan__motion_to_parent(&whole, m1), m);
  const cardan_motion dd = cardan__se3_dlog_mul(d, y);
  const cardan_motion part = cardan__se3_dexp_mul(minus, cardan__motion_scale(0.5, dd));
  const cardan_motion mm = cardan__motion_add(cardan__motion_to_parent(&back, m), part);
  const double all[2][6] = {{mm.w.x, mm.w.y, mm.w.z, mm.v.x, mm.v.y, mm.v.z},
                            {dd.w.x, dd.w.y, dd.w.z, dd.v.x, dd.v.y, dd.v.z}};
  for (int k = 0; k < b->nv; k++) {
    em[k] = all[0][k];
    dv[k] = all[1][k] / s->base.h;
  }
}

/* Change of Q along (e, e'), to out. */
static void change_forces(slopes *a, double *out)
{
  const cardan_model *model = a->s->base.model;
  cardan_data *mid = a->mid;
  for (int i = 1; i < model->nbody; i++) {
    middle_joint(a, i);
  }
  cardan__tree_motions(model, mid, a->em, false, a->zm);
  a->dV[0] = (cardan_motion){.w = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_motion from = cardan__motion_to_child(&mid->X[i], mid->V[b->parent]);
    const cardan_motion turn = cardan__motion_cross(from, cardan__joint_motion(b, a->em + b->vadr));
    const cardan_motion own = cardan__motion_add(turn, cardan__joint_motion(b, a->dvm + b->vadr));
    a->dV[i] = cardan__motion_add(cardan__motion_to_child(&mid->X[i], a->dV[b->parent]), own);
  }
  const cardan__view view = cardan__data_view(model, mid);
  const cardan__change change = {.X = a->zm, .V = a->dV, .q = a->em, .v = a->dvm};
  cardan__loads to = {.f_ext = a->dL, .tau = a->tau};
  memset(a->dL, 0, (size_t)model->nbody * sizeof *a->dL);
  memset(a->tau, 0, (size_t)model->nv * sizeof *a->tau);
  cardan__forces_add_slope(model, &view, &change, CARDAN_FORCE_POTENTIAL, &to);
  if (model->has_friction) { // of given size: others are refused
    cardan__friction_limits(model, mid->f, mid->friction);
    cardan__friction_slope(model, &view, &change, mid->friction, &to);
  }
  change_of_sum(a, mid, a->Lm, a->zm, out);
  for (int k = 0; k < model->nv; k++) {
    out[k] += a->tau[k];
  }
}

/* K^T y */
static cardan_force transpose_mul(const cardan__mat6 *K, cardan_motion y)
{
  const cardan_force F = {
      .t = cardan__vec3_add(cardan__mat3_tmulv(&K->tw, y.w), cardan__mat3_tmulv(&K->fw, y.v)),
      .f = cardan__vec3_add(cardan__mat3_tmulv(&K->tv, y.w), cardan__mat3_tmulv(&K->fv, y.v))};
  return F;
}

/* dr and dp' along (e, e'). */
static void along(slopes *a, double *dr, double *dp)
{
  cardan__vi *s = a->s;
  const cardan_model *model = s->base.model;
  const double half = 0.5 * s->base.h;
  double *dQ = s->u;
  cardan__tree_motions(model, s->base.node, a->e, false, a->z);
  cardan__tree_motions(model, a->next, a->e1, false, a->z1);
  memset(dQ, 0, (size_t)model->nv * sizeof *dQ);
  if (s->has_forces) {
    change_forces(a, dQ);
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan__screw Q = cardan__vi_displaced(s, i);
    const cardan_motion y = cardan__motion_sub(cardan__screw_carry(&Q, a->z1[i]), a->z[i]);
    a->dL[i] = cardan__force_scale(-1, cardan__mat6_mul(&a->K[i], y)); // (L3)
  }
  change_potentials(a, s->base.node, a->z, a->e);
  for (int k = 0; k < model->nv; k++) {
    dQ[k] *= half;
    a->W1j[k] = half * a->tau[k] + dQ[k];
  }
  change_of_sum(a, s->base.node, a->L, a->z, dr);
  for (int k = 0; k < model->nv; k++) {
    dr[k] += a->W1j[k] - model->armature[k] * (a->e1[k] - a->e[k]) / s->base.h; // (L1)
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan__screw Q = cardan__vi_displaced(s, i);
    const cardan_motion y = cardan__motion_sub(cardan__screw_carry(&Q, a->z1[i]), a->z[i]);
    const cardan_xform dT = {.R = cardan__quat_to_mat3(Q.r), .p = cardan__screw_translation(&Q)};
    a->dL[i] = cardan__force_to_child(&dT, transpose_mul(&a->K[i], y)); // (L3)
  }
  change_potentials(a, a->next, a->z1, a->e1);
  for (int k = 0; k < model->nv; k++) {
    a->W1j[k] = half * a->tau[k] + dQ[k];
  }
  change_of_sum(a, a->next, a->L1, a->z1, dp);
  for (int k = 0; k < model->nv; k++) {
    dp[k] += a->W1j[k] + model->armature[k] * (a->e1[k] - a->e[k]) / s->base.h; // (L2)
  }
}

static void differentiate(slopes *a, cardan__slopes *out)
{
  const int nv = a->s->base.model->nv;
  double *dr = a->s->base.root.step, *dp = a->s->base.momentum;
  for (int side = 0; side < 2; side++) {
    double *unit = side == 0 ? a->e : a->e1;
    double *R = side == 0 ? out->r_q : out->r_q1, *P = side == 0 ? out->p_q : out->p_q1;
    for (int j = 0; j < nv; j++) {
      unit[j] = 1;
      along(a, dr, dp);
      unit[j] = 0;
      for (int i = 0; i < nv; i++) {
        R[i * nv + j] = dr[i];
        P[i * nv + j] = dp[i];
      }
    }
  }
  out->r_u = out->p_u = 0.5 * a->s->base.h;
}

cardan_status cardan__vi_slopes(cardan__discrete *d, cardan__slopes *out)
{
  cardan__vi *s = (cardan__vi *)d;
  slopes a;
  const cardan_status status = create(&a, s);
  if (status == CARDAN_OK) {
    enter(&a);
    differentiate(&a, out);
    potentials(&a, a.next, a.W1, a.W1j); // W1j was scratch on the way
    states(&a, out);
  }
  destroy(&a);
  out->p = s->u;
  return status;
}
