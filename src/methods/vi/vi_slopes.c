// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/arena.h"
#include "cardan/dynamics.h"
#include "constraints/rows.h"
#include "forces/forces.h"
#include "forces/gravity.h"
#include "kinematics/joint.h"
#include "methods/vi/vi.h"
#include "model/data.h"

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
 * A unit of one velocity moves a body and those below it, and what changes of them is felt there
 * and above: only these are visited. Forces between bodies may be felt anywhere.
 * Q is at the middle, q_m = q Exp(d/2), v_m = d/h. For a joint that moves by e at node k and by e'
 * at k+1:
 *   y_j = -e + Ad_Exp(d) e',   dd = dlog_d y_j
 *   e_m = Ad_Exp(-d/2) e + dexp_{-d/2} dd/2,   dv_m = dd/h                                  (L5) */

typedef struct {
  cardan__vi *s;
  cardan_data *next, *mid;   // at node k+1: trial; in the middle, NULL: there is no Q
  cardan__mat6 *K;           // nbody
  cardan_xform *dT;          // nbody: from node k to k+1
  cardan_force *L, *L1, *Lm; // nbody: loads at node k, at k+1, and in the middle
  cardan_force *S, *S1;      // nbody: the first two, summed over a body and all below it
  cardan_force *dL, *C, *C_hat;
  cardan_twist *z, *zm, *dV; // nbody; z and C_hat are 0 between directions
  int *order;                // nbody: bodies, each behind its parent and before its sisters
  int *place, *below;        // nbody: its index there, and the size of its subtree, itself too
  double *e, *e1, *em, *dvm; // nv: of the joints
  double *tau, *W1j;         // nv
  cardan_force *W1;          // nbody
  void *block;
} slopes;

static void layout(void *what, cardan__carver *c)
{
  slopes *a = what;
  const cardan_model *model = a->s->base.model;
  const size_t nb = (size_t)model->nbody, nv = (size_t)model->nv;
  cardan_force **const forces[] = {&a->L,  &a->L1, &a->Lm,    &a->S, &a->S1,
                                   &a->dL, &a->C,  &a->C_hat, &a->W1};
  cardan_twist **const motions[] = {&a->z, &a->zm, &a->dV};
  int **const lists[] = {&a->order, &a->place, &a->below};
  double **const vectors[] = {&a->e, &a->e1, &a->em, &a->dvm, &a->tau, &a->W1j};
  a->K = cardan__carve(c, nb, sizeof *a->K);
  a->dT = cardan__carve(c, nb, sizeof *a->dT);
  for (size_t i = 0; i < sizeof forces / sizeof *forces; i++) {
    *forces[i] = cardan__carve(c, nb, sizeof(cardan_force));
  }
  for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
    *motions[i] = cardan__carve(c, nb, sizeof(cardan_twist));
  }
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    *vectors[i] = cardan__carve(c, nv, sizeof(double));
  }
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    *lists[i] = cardan__carve(c, nb, sizeof(int));
  }
}

static void destroy(slopes *a)
{
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
  a->next = s->base.trial;
  return cardan__vi_acts(s) ? cardan_data_create(model, allocator, &a->mid) : CARDAN_OK;
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
  if (a->s->has_elastic) {
    cardan__elastic_load(a->s, &view, &to);
  } else {
    cardan__forces_add_potential(model, &view, &to);
  }
}

/* order, place and below: parents have smaller numbers than their children. */
static void list_bodies(slopes *a)
{
  const cardan_model *model = a->s->base.model;
  int *end = a->order; // for a moment: where the next child of a body is to stand
  for (int i = 0; i < model->nbody; i++) {
    a->below[i] = 1;
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    a->below[model->body[i].parent] += a->below[i];
  }
  end[0] = 1;
  for (int i = 1; i < model->nbody; i++) {
    const int parent = model->body[i].parent;
    a->place[i] = end[parent];
    end[parent] += a->below[i];
    end[i] = a->place[i] + 1;
  }
  for (int i = 0; i < model->nbody; i++) {
    a->order[a->place[i]] = i;
  }
}

/* S: each body's load and those below it. */
static void sum_loads(const cardan_model *model, const cardan_data *data, const cardan_force *L,
                      cardan_force *S)
{
  memcpy(S, L, (size_t)model->nbody * sizeof *S);
  for (int i = model->nbody - 1; i > 0; i--) {
    const int parent = model->body[i].parent;
    S[parent] = cardan__force_add(S[parent], cardan__force_to_parent(&data->X[i], S[i]));
  }
}

/* Configuration in the middle, and the loads of Q there. */
static void enter_middle(slopes *a)
{
  cardan__vi *s = a->s;
  const cardan_model *model = s->base.model;
  cardan_q_move(model, s->base.node->q, s->base.x.dq, 0.5, a->mid->q);
  a->mid->t = s->base.t + 0.5 * s->base.h;
  cardan__data_caller(model, s->base.node, a->mid);
  for (int k = 0; k < model->nv; k++) {
    a->mid->v[k] = s->base.x.dq[k] / s->base.h;
  }
  cardan_joints(model, a->mid);
  cardan_poses(model, a->mid);
  cardan_velocities(model, a->mid);
  const cardan__view view = cardan__data_view(model, a->mid);
  cardan__loads to = {.f_ext = a->Lm, .tau = a->mid->tau};
  memset(a->mid->tau, 0, (size_t)model->nv * sizeof *a->mid->tau);
  cardan__forces_add(model, &view, CARDAN_FORCE_POTENTIAL, &to);
}

/* Configuration at k+1, K, and the loads of (L1), (L2). */
static void enter(slopes *a)
{
  cardan__vi *s = a->s;
  const cardan_model *model = s->base.model;
  const double half = 0.5 * s->base.h;
  cardan_q_move(model, s->base.node->q, s->base.x.dq, 1, a->next->q);
  a->next->t = s->base.t + s->base.h;
  cardan_joints(model, s->base.node);
  cardan_poses(model, s->base.node);
  cardan_joints(model, a->next);
  cardan_poses(model, a->next);
  if (a->mid != NULL) {
    enter_middle(a);
  }
  if (s->has_elastic) {
    cardan__elastic_between(s, a->next);
  }
  potentials(a, a->next, a->W1, a->W1j);
  potentials(a, s->base.node, a->L, a->tau); // W at node k, for a moment
  for (int i = 1; i < model->nbody; i++) {
    const cardan_force mu = cardan__vi_mu(s, i);
    const cardan_force W = cardan__force_add(a->L[i], s->base.f_in[i]);
    const cardan_force W1 = cardan__force_add(a->W1[i], s->base.f_in[i]);
    const cardan__screw Q = cardan__vi_displaced(s, i);
    a->dT[i] = (cardan_xform){.R = cardan__quat_to_mat3(Q.r), .p = cardan__screw_translation(&Q)};
    a->K[i] = cardan__vi_kinetic_slope(s, i);
    a->L[i] = cardan__force_axpy(half, W, cardan__force_scale(-1, mu));
    a->L1[i] = cardan__force_axpy(half, W1, cardan__vi_next(s, i));
  }
  list_bodies(a);
  sum_loads(model, s->base.node, a->L, a->S);
  sum_loads(model, a->next, a->L1, a->S1);
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
    out->p_next[k] = half * (a->W1j[k] + s->base.tau_in[k] + (cardan__vi_acts(s) ? s->Q[k] : 0)) +
                     model->armature[k] * s->base.x.dq[k] / s->base.h;
  }
  memcpy(a->C, a->L1, (size_t)model->nbody * sizeof *a->C);
  cardan__tree_pull(model, a->next, a->C, out->p_next);
  memcpy(out->q_next, a->next->q, (size_t)model->nq * sizeof *out->q_next);
}

/* ---- along a direction ---- */

/* (L4): out = change of J^T L at data's configuration. */
static void change_of_sum(slopes *a, const cardan_data *data, const cardan_force *L,
                          const cardan_twist *z, double *out)
{
  const cardan_model *model = a->s->base.model;
  for (int i = 1; i < model->nbody; i++) {
    a->C[i] = L[i];
    a->C_hat[i] = cardan__force_sub(a->dL[i], cardan__twist_ad_transpose(z[i], L[i]));
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const cardan_xform *X = &data->X[i];
    const cardan_force turn = cardan__twist_ad_transpose(z[i], a->C[i]);
    cardan__joint_project(b, cardan__force_add(a->C_hat[i], turn), out + b->vadr);
    if (b->parent > 0) {
      cardan_force *C = &a->C[b->parent], *C_hat = &a->C_hat[b->parent];
      *C = cardan__force_add(*C, cardan__force_to_parent(X, a->C[i]));
      *C_hat = cardan__force_add(*C_hat, cardan__force_to_parent(X, a->C_hat[i]));
    }
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
  const cardan_twist d = cardan__joint_twist(b, s->base.x.dq + b->vadr);
  const cardan_twist minus = cardan__twist_scale(-0.5, d);
  const cardan_xform whole = cardan_se3_exp(d), back = cardan_se3_exp(minus);
  const cardan_twist m = cardan__joint_twist(b, e), m1 = cardan__joint_twist(b, e1);
  const cardan_twist y = cardan__twist_sub(cardan__twist_to_parent(&whole, m1), m);
  const cardan_twist dd = cardan__se3_dlog_mul(d, y);
  const cardan_twist part = cardan__se3_dexp_mul(minus, cardan__twist_scale(0.5, dd));
  const cardan_twist mm = cardan__twist_add(cardan__twist_to_parent(&back, m), part);
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
  cardan__tree_twists(model, mid, a->em, false, a->zm);
  a->dV[0] = (cardan_twist){.w = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_twist from = cardan__twist_to_child(&mid->X[i], mid->V[b->parent]);
    const cardan_twist turn = cardan__twist_cross(from, cardan__joint_twist(b, a->em + b->vadr));
    const cardan_twist own = cardan__twist_add(turn, cardan__joint_twist(b, a->dvm + b->vadr));
    a->dV[i] = cardan__twist_add(cardan__twist_to_child(&mid->X[i], a->dV[b->parent]), own);
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
static cardan_force transpose_mul(const cardan__mat6 *K, cardan_twist y)
{
  const cardan_force F = {
      .t = cardan__vec3_add(cardan__mat3_tmulv(&K->tw, y.w), cardan__mat3_tmulv(&K->fw, y.v)),
      .f = cardan__vec3_add(cardan__mat3_tmulv(&K->tv, y.w), cardan__mat3_tmulv(&K->fv, y.v))};
  return F;
}

/* z of body b, which a unit of velocity j moves, and of those below it. */
static void move_bodies(slopes *a, const cardan_data *data, int b, int j)
{
  const cardan_model *model = a->s->base.model;
  const cardan_body *body = &model->body[b];
  double unit[6] = {0};
  unit[j - body->vadr] = 1;
  a->z[b] = cardan__joint_twist_at(body, data->q + body->qadr, unit);
  for (int p = a->place[b] + 1; p < a->place[b] + a->below[b]; p++) {
    const int i = a->order[p];
    a->z[i] = cardan__twist_to_child(&data->X[i], a->z[model->body[i].parent]);
  }
}

/* Column j of M (nv x nv) at body i: S^T F. */
static void put_column(const cardan_model *model, int i, cardan_force F, int j, double *M)
{
  const cardan_body *b = &model->body[i];
  double part[6] = {0};
  cardan__joint_project(b, F, part);
  for (int k = 0; k < b->nv; k++) {
    M[(b->vadr + k) * model->nv + j] = part[k];
  }
}

/* (L4) to column j of M, of the loads L with their sums S and changes dL, of body b and those below
 * it. They move by z, or (moves false) stay where they are. */
static void change_of_bodies(slopes *a, const cardan_data *data, const cardan_force *L,
                             const cardan_force *S, bool moves, int b, int j, double *M)
{
  const cardan_model *model = a->s->base.model;
  for (int p = a->place[b] + a->below[b] - 1; p >= a->place[b]; p--) {
    const int i = a->order[p];
    cardan_force C_hat = cardan__force_add(a->C_hat[i], a->dL[i]), F;
    a->C_hat[i] = (cardan_force){.t = {0, 0, 0}}; // for the next time
    if (moves) {
      C_hat = cardan__force_sub(C_hat, cardan__twist_ad_transpose(a->z[i], L[i]));
      F = cardan__force_add(C_hat, cardan__twist_ad_transpose(a->z[i], S[i]));
    } else {
      F = C_hat;
    }
    put_column(model, i, F, j, M);
    const int parent = model->body[i].parent;
    a->C_hat[parent] =
        cardan__force_add(a->C_hat[parent], cardan__force_to_parent(&data->X[i], C_hat));
  }
  for (int i = model->body[b].parent; i > 0; i = model->body[i].parent) {
    const cardan_force C_hat = a->C_hat[i];
    const int parent = model->body[i].parent;
    a->C_hat[i] = (cardan_force){.t = {0, 0, 0}};
    put_column(model, i, C_hat, j, M);
    a->C_hat[parent] = cardan__force_to_parent(&data->X[i], C_hat);
  }
  a->C_hat[0] = (cardan_force){.t = {0, 0, 0}};
}

/* h/2 of the change of gravity on body i: a field of fixed direction g turns by g x w in the body's
 * axes. */
static cardan_force change_of_weight(const slopes *a, const cardan_data *data, int i)
{
  const cardan_inertia *I = &a->s->base.model->body[i].inertia;
  const cardan_vec3 dg =
      cardan__vec3_scale(0.5 * a->s->base.h, cardan__vec3_cross(data->g[i], a->z[i].w));
  return (cardan_force){.t = cardan__vec3_cross(I->h, dg), .f = cardan__vec3_scale(I->m, dg)};
}

/* Columns j of dr and dp' by momenta and weights, when node k (side 0) or k+1 moves. */
static void along_bodies(slopes *a, int side, int j, double *R, double *P)
{
  const cardan_model *model = a->s->base.model;
  const cardan_data *node = a->s->base.node, *moved = side == 0 ? node : a->next;
  const int b = model->v_body[j], from = a->place[b], to = from + a->below[b];
  move_bodies(a, moved, b, j);
  for (int p = from; p < to; p++) {
    const int i = a->order[p];
    const cardan_twist y =
        side == 0 ? cardan__twist_scale(-1, a->z[i]) : cardan__twist_to_parent(&a->dT[i], a->z[i]);
    a->dL[i] = cardan__force_scale(-1, cardan__mat6_mul(&a->K[i], y)); // (L3)
    a->C[i] = cardan__force_to_child(&a->dT[i], transpose_mul(&a->K[i], y));
    cardan_force *own = side == 0 ? &a->dL[i] : &a->C[i];
    *own = cardan__force_add(*own, change_of_weight(a, moved, i));
  }
  change_of_bodies(a, node, a->L, a->S, side == 0, b, j, R);
  for (int p = from; p < to; p++) {
    a->dL[a->order[p]] = a->C[a->order[p]];
  }
  change_of_bodies(a, a->next, a->L1, a->S1, side == 1, b, j, P);
}

/* out (column j of a matrix) += h/2 J^T F at data's configuration, tau added; F is spoilt. */
static void add_half(const slopes *a, const cardan_data *data, cardan_force *F, double *tau, int j,
                     double *M)
{
  const cardan_model *model = a->s->base.model;
  cardan__tree_pull(model, data, F, tau);
  for (int k = 0; k < model->nv; k++) {
    M[k * model->nv + j] += 0.5 * a->s->base.h * tau[k];
  }
}

/* The change of forces by mean strains, to column j of M where the node is that moves by z and e,
 * and to that of other, by the stress alone. */
static void change_elastic(slopes *a, int side, const double *e, int j, double *M, double *other)
{
  cardan__vi *s = a->s;
  const cardan_model *model = s->base.model;
  const cardan_data *data[2] = {side == 0 ? s->base.node : a->next,
                                side == 0 ? a->next : s->base.node};
  const cardan__view view[2] = {cardan__data_view(model, data[0]),
                                cardan__data_view(model, data[1])};
  const cardan__change change = {.X = a->z, .q = e};
  cardan__loads moved = {.f_ext = a->C, .tau = a->tau};
  cardan__loads still = {.f_ext = s->elastic.load, .tau = s->elastic.tau};
  memset(a->C, 0, (size_t)model->nbody * sizeof *a->C);
  memset(a->tau, 0, (size_t)model->nv * sizeof *a->tau);
  memset(still.tau, 0, (size_t)model->nv * sizeof *still.tau);
  cardan__elastic_change(s, view, &change, &moved, &still);
  add_half(a, data[0], moved.f_ext, moved.tau, j, M);
  add_half(a, data[1], still.f_ext, still.tau, j, other);
  memset(still.f_ext, 0, (size_t)model->nbody * sizeof *still.f_ext);
}

/* Adds h/2 of the change of forces with a potential to column j of M, when the node of data moves
 * by z and e. */
static void change_potentials(slopes *a, const cardan_data *data, const double *e, int j, double *M)
{
  const cardan_model *model = a->s->base.model;
  const cardan__view view = cardan__data_view(model, data);
  const cardan__change change = {.X = a->z, .q = e};
  cardan__loads to = {.f_ext = a->C, .tau = a->tau};
  memset(a->C, 0, (size_t)model->nbody * sizeof *a->C);
  memset(a->tau, 0, (size_t)model->nv * sizeof *a->tau);
  cardan__forces_add_potential_slope(model, &view, &change, &to);
  add_half(a, data, a->C, a->tau, j, M);
}

/* Columns j of dr and dp', when node k (side 0) or k+1 moves: (L1), (L2). */
static void along(slopes *a, int side, int j, double *R, double *P)
{
  cardan__vi *s = a->s;
  const cardan_model *model = s->base.model;
  double *e = side == 0 ? a->e : a->e1, *dQ = s->u;
  const int nv = model->nv, b = model->v_body[j];
  const double stiff = (side == 0 ? -1 : 1) * model->armature[j] / s->base.h;
  e[j] = 1;
  along_bodies(a, side, j, R, P);
  if (s->has_elastic) {
    change_elastic(a, side, e, j, side == 0 ? R : P, side == 0 ? P : R);
  } else if (model->nforce > 0) {
    change_potentials(a, side == 0 ? s->base.node : a->next, e, j, side == 0 ? R : P);
  }
  R[j * nv + j] -= stiff;
  P[j * nv + j] += stiff;
  if (cardan__vi_acts(s)) {
    memset(dQ, 0, (size_t)nv * sizeof *dQ);
    change_forces(a, dQ);
    memset(a->C_hat, 0, (size_t)model->nbody * sizeof *a->C_hat);
    for (int k = 0; k < nv; k++) {
      R[k * nv + j] += 0.5 * s->base.h * dQ[k];
      P[k * nv + j] += 0.5 * s->base.h * dQ[k];
    }
  }
  e[j] = 0;
  for (int p = a->place[b]; p < a->place[b] + a->below[b]; p++) {
    a->z[a->order[p]] = (cardan_twist){.w = {0, 0, 0}};
  }
}

static void differentiate(slopes *a, cardan__slopes *out)
{
  const int nv = a->s->base.model->nv;
  double *const all[] = {out->r_q, out->p_q, out->r_q1, out->p_q1};
  memset(a->z, 0, (size_t)a->s->base.model->nbody * sizeof *a->z);
  memset(a->C_hat, 0, (size_t)a->s->base.model->nbody * sizeof *a->C_hat);
  for (int i = 0; i < 4; i++) {
    memset(all[i], 0, (size_t)nv * (size_t)nv * sizeof *all[i]);
  }
  for (int j = 0; j < nv; j++) {
    along(a, 0, j, out->r_q, out->p_q);
    along(a, 1, j, out->r_q1, out->p_q1);
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
    states(&a, out);
  }
  destroy(&a);
  out->p = s->u;
  return status;
}
