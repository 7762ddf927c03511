/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_mass.h - M(q^k)^-1 in lanes, as dynamics/factor.c has it: the direction of RIQN,
 * and velocities of a node. Pivots are kept where forward.h keeps its own. */
#pragma once
#include "batch/lanes/vi_tree.h"

/* ---- elimination: U, the pivot, and the remaining inertia, which is added to the parent ---- */

static inline void hand_inertia(const vi_lanes *s, const cardan__lanes_body *b, const abi *I)
{
  const cardan__lanes_body *up = &s->model->body[b->parent];
  abi *to = &s->pass.slot[up->slot].I;
  if (b->flags & CARDAN__LANES_FIRST) {
    add_own(up, I, to);
  } else {
    abi_add_to(I, to);
  }
}

static inline mask eliminate_revolute(const vi_lanes *s, const cardan__lanes_body *b, link *l)
{
  const abi *I = &gather(b, &s->pass)->I;
  const sym3 *A = &I->A;
  const real3 Uf = I->B.z;
  const real d = A->zz, inv_d = real_of(1) / d;
  const mask left = ~is_less(real_of(CARDAN__LANES_FLOOR) * ((A->xx + A->yy) + d), d);
  l->U = (real6){{A->xz, A->yz, d}, Uf};
  l->inv_d = inv_d;
  if (b->flags & CARDAN__LANES_ROOT) {
    return left;
  }
  const real nx = A->xz * inv_d, ny = A->yz * inv_d;
  const flat_abi F = {nmadd(nx, A->xz, A->xx), nmadd(ny, A->yz, A->yy),
                      nmadd(nx, A->yz, A->xy), less3(nx, Uf, I->B.x),
                      less3(ny, Uf, I->B.y),   sym3_less(&I->C, scale3(inv_d, Uf), Uf)};
  const abi T = move_to_parent(b, real3_of(b->p), rotate_flat(b, l, &F));
  hand_inertia(s, b, &T);
  return left;
}

/* 1 / pivot: 0 of a joint that dry friction holds. */
static inline real invert_pivot(const vi_lanes *s, const cardan__lanes_body *b, real d)
{
  const real inv_d = real_of(1) / d;
  return b->flags & CARDAN__LANES_DRY ? choose(s->box[b->dry].held, real_of(0), inv_d) : inv_d;
}

/* The displacement or velocity x of a joint; where dry friction holds it, the given one. */
static inline real held_or(const vi_lanes *s, const cardan__lanes_body *b, real x)
{
  if (!(b->flags & CARDAN__LANES_DRY)) {
    return x;
  }
  const vi_box *box = &s->box[b->dry];
  return choose(box->held, box->way, x);
}

/* Any joint of one velocity. */
static inline mask eliminate_z(const vi_lanes *s, const cardan__lanes_body *b, link *l,
                               vi_pivots pivots)
{
  const abi *I = &gather(b, &s->pass)->I;
  real d, scale;
  const real6 U = push_joint(b, I, &d, &scale);
  d = d + real_of(b->armature);
  if (pivots == VI_STEP_PIVOTS) {
    d = d + s->drag[b->vadr];
  }
  const mask left = ~is_less(real_of(CARDAN__LANES_FLOOR) * scale, d);
  l->U = U;
  l->inv_d = invert_pivot(s, b, d);
  if (b->flags & CARDAN__LANES_DRY) {
    s->box[b->dry].in_factor = s->box[b->dry].held;
  }
  if (b->flags & CARDAN__LANES_ROOT) {
    return left;
  }
  const real3 n = scale3(l->inv_d, U.w), g = scale3(l->inv_d, U.v);
  abi T = {sym3_less(&I->A, n, U.w),
           {less3(n.x, U.v, I->B.x), less3(n.y, U.v, I->B.y), less3(n.z, U.v, I->B.z)},
           sym3_less(&I->C, g, U.v)};
  T = turn_z(b, l, origin_of(b, &s->pass, s->q), T);
  hand_inertia(s, b, &T);
  return left;
}

static inline mask eliminate_multi(const vi_lanes *s, const cardan__lanes_body *b)
{
  const abi *I = &gather(b, &s->pass)->I;
  multi_link *M = &s->pass.multi[b->multi];
  const int n = joint_nv(b);
  const real none = real_of(0);
  const real3 zero = {none, none, none};
  put_triangle(n, I, M->L);
  const mask left = cholesky(n, M->L);
  M->B = I->B;
  if (b->flags & CARDAN__LANES_ROOT) {
    return left;
  }
  const sym3 empty = {none, none, none, none, none, none};
  abi T = {empty, {zero, zero, zero}, empty};
  if (n == 3) {
    const sym3 C = spherical_rest(M->L, I);
    T.C = sym3_rotate(&M->R, &C);
    T = move_origin(b, real3_of(b->p), &T);
  }
  hand_inertia(s, b, &T);
  return left;
}

/* With feet the same code makes both kinds of pivots: a lane does not know which others need. */
static inline mask factor_with(const vi_lanes *s, vi_pivots pivots)
{
  const cardan__lanes_model *m = s->model;
  mask left = mask_of(0);
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    link *l = &s->pass.link[i];
    if (pivots == VI_NODE_PIVOTS && b->kind == CARDAN_LINK_REVOLUTE &&
        !(b->flags & (CARDAN__LANES_ROTOR | CARDAN__LANES_DRY | CARDAN__LANES_OVER))) {
      left |= eliminate_revolute(s, b, l);
    } else {
      left |= is_z(b) ? eliminate_z(s, b, l, pivots) : eliminate_multi(s, b);
    }
  }
  s->head->factored = (int)pivots;
  return left;
}

/* Once for each node. returns lanes in which a joint has no inertia to push against */
CARDAN__WHOLE mask factor_mass(const vi_lanes *s)
{
  return factor_with(s, VI_NODE_PIVOTS);
}

/* The same with what joints have in a step beside inertia: s->drag. */
CARDAN__WHOLE mask factor_step(const vi_lanes *s)
{
  return factor_with(s, VI_STEP_PIVOTS);
}

/* ---- the solve ---- */

/* u = r - S^T b, r in u; b + U D^-1 u goes to the parent. */
static inline real6 reduce_right(const vi_lanes *s, const cardan__lanes_body *b, int i, real6 F,
                                 real *u)
{
  if (is_z(b)) {
    const link *l = &s->pass.link[i];
    u[0] = u[0] - project(b, F);
    return axpy6(held_or(s, b, l->inv_d * u[0]), l->U, F);
  }
  const multi_link *M = &s->pass.multi[b->multi];
  const real3 T = {u[0], u[1], u[2]};
  u[0] = u[0] - F.w.x;
  u[1] = u[1] - F.w.y;
  u[2] = u[2] - F.w.z;
  if (b->kind == CARDAN_LINK_SPHERICAL) {
    return (real6){T, mat3_tmul_add(&M->B, solve3(M->L, (real3){u[0], u[1], u[2]}), F.v)};
  }
  const real3 G = {u[3], u[4], u[5]};
  u[3] = u[3] - F.v.x;
  u[4] = u[4] - F.v.y;
  u[5] = u[5] - F.v.z;
  return (real6){T, G};
}

/* x: nv, = M^-1 x */
CARDAN__WHOLE void solve_mass(const vi_lanes *s, real *x)
{
  const cardan__lanes_model *m = s->model;
  const real6 none = {{real_of(0), real_of(0), real_of(0)}, {real_of(0), real_of(0), real_of(0)}};
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    const real6 F = b->flags & CARDAN__LANES_LEAF ? none : s->pass.slot[b->slot].f;
    const real6 up = reduce_right(s, b, i, F, x + b->vadr);
    if (!(b->flags & CARDAN__LANES_ROOT)) {
      hand_up(s, b, force_up(s, b, i, up));
    }
  }
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    link *l = &s->pass.link[i];
    real6 z = none;
    if (!(b->flags & CARDAN__LANES_ROOT)) {
      z = motion_down(s, b, i, s->pass.link[b->parent].A);
    }
    if (is_z(b)) {
      const real u = x[b->vadr] - dot6(l->U, z);
      if (b->flags & CARDAN__LANES_DRY) {
        s->box[b->dry].need = -u;
      }
      x[b->vadr] = held_or(s, b, l->inv_d * u);
      l->A = add_joint(b, x, z);
    } else {
      multi_link *M = &s->pass.multi[b->multi];
      memcpy(M->u, x + b->vadr, (size_t)joint_nv(b) * sizeof *x);
      l->A = accelerate_multi(b, M, z, x + b->vadr);
    }
  }
}
