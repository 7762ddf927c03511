/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/inverse.h - inverse dynamics in lanes (dynamics/rnea.c has the equations). */
#pragma once
#include "batch/lanes/joints.h"

/* S a, added to an acceleration. */
static inline real6 add_joint(const cardan__lanes_body *b, const real *a, real6 A)
{
  a += b->vadr;
  switch (b->kind) {
  case CARDAN_LINK_HELICAL:
    A.v.z = madd(real_of(b->pitch), a[0], A.v.z);
    // fall through
  case CARDAN_LINK_REVOLUTE:
    A.w.z = A.w.z + a[0];
    break;
  case CARDAN_LINK_PRISMATIC:
    A.v.z = A.v.z + a[0];
    break;
  case CARDAN_LINK_FREE:
    A.v = add3(A.v, (real3){a[3], a[4], a[5]});
    // fall through
  default:
    A.w = add3(A.w, (real3){a[0], a[1], a[2]});
    break;
  }
  return A;
}

/* I A + F */
static inline real6 inertia_mul_add(const cardan__lanes_body *b, real6 A, real6 F)
{
  if (b->flags & CARDAN__LANES_LIGHT) {
    return F;
  }
  if (b->flags & CARDAN__LANES_DIAGONAL) {
    F.w = (real3){madd(real_of(b->J[0]), A.w.x, F.w.x), madd(real_of(b->J[1]), A.w.y, F.w.y),
                  madd(real_of(b->J[2]), A.w.z, F.w.z)};
  } else {
    const sym3 J = own_tensor(b);
    F.w = sym3_mul_add(&J, A.w, F.w);
  }
  F.v = axpy3(real_of(b->m), A.v, F.v);
  const real3 h = real3_of(b->h);
  F.w = arm_add(b->lever, h, A.v, F.w);
  F.v = arm_sub(b->lever, h, A.w, F.v);
  return F;
}

/* S^T F + armature a, to tau. */
static inline void project_joint(const cardan__lanes_body *b, real6 F, const real *a, real *tau)
{
  a += b->vadr;
  tau += b->vadr;
  switch (b->kind) {
  case CARDAN_LINK_REVOLUTE:
    tau[0] = F.w.z;
    break;
  case CARDAN_LINK_PRISMATIC:
    tau[0] = F.v.z;
    break;
  case CARDAN_LINK_HELICAL:
    tau[0] = madd(real_of(b->pitch), F.v.z, F.w.z);
    break;
  case CARDAN_LINK_FREE:
    tau[3] = F.v.x;
    tau[4] = F.v.y;
    tau[5] = F.v.z;
    // fall through
  default:
    tau[0] = F.w.x;
    tau[1] = F.w.y;
    tau[2] = F.w.z;
    break;
  }
  if (b->flags & CARDAN__LANES_ROTOR) {
    tau[0] = madd(real_of(b->armature), a[0], tau[0]);
  }
}

static inline void inverse_dynamics(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  const passes s = passes_in(m, lanes->work);
  const real *q = reals(lanes->q), *v = reals(lanes->v), *a = reals(lanes->a);
  const real zero = real_of(0);
  const real6 none = {{zero, zero, zero}, {zero, zero, zero}};
  mask left = mask_of(0);
  s.link[0].w = none.w;
  s.link[0].A = (real6){none.w, scale3(real_of(-1), real3_of(m->gravity))};
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    const link *up = &s.link[b->parent];
    link *l = &s.link[i];
    left |= place_joint(b, &s, l, q);
    const real3 p = origin_of(b, &s, q), w_p = up->w;
    // the parent's acceleration of this point, turned at once
    real3 at = up->A.v;
    if (b->shift != CARDAN__SHIFT_NONE) {
      at = add3(centripetal(b->shift, w_p, p), arm_sub(b->shift, p, up->A.w, at));
    }
    const real3 turn = to_child(b, &s, l, up->A.w);
    move_joint(b, l, v, to_child(b, &s, l, w_p), to_child(b, &s, l, at));
    l->A.w = add3(l->A.w, turn);
    l->A = add_joint(b, a, l->A);
    l->U = inertia_mul_add(b, l->A, gyroscopic_add(b, l->w, none));
  }
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    const link *l = &s.link[i];
    project_joint(b, l->U, a, reals(lanes->tau));
    if (!(b->flags & CARDAN__LANES_ROOT)) {
      link *up = &s.link[b->parent];
      up->U = add6(up->U, wrench_to_parent(b, &s, l, origin_of(b, &s, q), l->U));
    }
  }
  *(mask *)(void *)lanes->left |= left;
}
