// SPDX-License-Identifier: Apache-2.0
#include "dynamics/factor.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/inline.h"
#include "cardan/dynamics.h"
#include "dynamics/momenta_joint.h"
#include "dynamics/rnea.h"
#include "kinematics/joint.h"
#include "kinematics/link.h"

/* M(q)^-1 without M: articulated-body factorisation and its solve, O(nbody).
 * [1] R. Featherstone, Rigid Body Dynamics Algorithms, Springer 2008, ch. 7.
 *
 *   leaf to root:  IA_i = I_i + sum over children of X_c^T Ia_c X_c                     (E1)
 *                  U_i = IA_i S_i,  D_i = S_i^T U_i + the joint's armature              (E2)
 *                  Ia_i = IA_i - U_i D_i^-1 U_i^T                                       (E3)
 * and, where wrenches p_i on the bodies and joint forces tau_i are to be balanced in the same
 * sweep,
 *                  p_i += sum over children of X_c^T pa_c,   u_i = tau_i - S_i^T p_i    (E4)
 *                  pa_i = p_i + U_i D_i^-1 u_i                                          (E5)
 *
 * Kinematic joints are locked: Ia = IA. Revolute, prismatic and helical bodies go to their parent
 * by two or three plane rotations (cardan_body) in place of a general one. */

/* Smallest D that counts as inertia, relative to the inertia it is a part of: with everything on
 * the joint axis D is left with rounding only, a few eps of that. */
static const double floor_ratio = 64 * DBL_EPSILON;

cardan_status cardan__no_inertia(const cardan_model *model, cardan_info *info, int i)
{
  info->body = i;
  info->joint = model->body[i].joint;
  snprintf(info->message, sizeof info->message, "joint \"%.60s\" has no inertia to push against",
           model->joint[info->joint].name);
  return CARDAN_ERR_NOT_POSDEF;
}

/* U, D and Ia of a joint with one velocity (E2, E3); false when D is not positive. */
static inline bool eliminate(const cardan_body *b, const double *q, double armature,
                             const cardan__abi *I, cardan_factor_body *f, cardan__abi *Ia)
{
  double d, scale;
  f->U = cardan__joint_push(b, q, I, &d, &scale);
  d += armature;
  f->inv_d = 1 / d;
  *Ia = cardan__abi_sub_rank1(I, f->inv_d, f->U);
  return d > floor_ratio * scale;
}

/* S^-1 = L^T diag(k) L of a symmetric matrix, L lower triangular with unit diagonal. */
typedef struct {
  double k0, k1, k2, l10, l20, l21;
} inverse3;

/* scale: what S is a part of; false when S is not positive definite, by that measure. */
CARDAN__INLINE bool invert(const cardan__sym3 *S, const cardan__sym3 *scale, inverse3 *o)
{
  const double k0 = 1 / S->xx, l10 = -S->xy * k0, g20 = S->xz * k0;
  const double d1 = S->yy + l10 * S->xy, k1 = 1 / d1, e = S->yz + l10 * S->xz, l21 = -e * k1;
  const double d2 = S->zz - g20 * S->xz + l21 * e;
  *o = (inverse3){k0, k1, 1 / d2, l10, l21 * l10 - g20, l21};
  return S->xx > floor_ratio * scale->xx && d1 > floor_ratio * scale->yy &&
         d2 > floor_ratio * scale->zz;
}

CARDAN__INLINE cardan__sym3 product(const inverse3 *o)
{
  const double m20 = o->k2 * o->l20, m21 = o->k2 * o->l21;
  return (cardan__sym3){.xx = o->k0 + o->l10 * o->l10 * o->k1 + o->l20 * m20,
                        .yy = o->k1 + o->l21 * m21,
                        .zz = o->k2,
                        .xy = o->l10 * o->k1 + o->l20 * m21,
                        .xz = m20,
                        .yz = m21};
}

/* The same for a ball: S = (1; 0), so U = (A; B^T) and D = A, and nothing but C - (L B)^T diag(k)
 * (L B) is left. */
CARDAN__INLINE bool eliminate_ball(const cardan__abi *I, cardan_factor_multi *m, cardan__abi *Ia)
{
  const cardan__sym3 *A = &I->A;
  const double(*b)[3] = I->B.m;
  inverse3 o;
  if (!invert(A, A, &o)) {
    return false;
  }
  const cardan__sym3 D = product(&o);
  const cardan_vec3 x = {b[0][0], b[0][1], b[0][2]}; // rows of L B
  const cardan_vec3 y = {b[1][0] + o.l10 * x.x, b[1][1] + o.l10 * x.y, b[1][2] + o.l10 * x.z};
  const cardan_vec3 z = {b[2][0] + o.l21 * b[1][0] + o.l20 * x.x,
                         b[2][1] + o.l21 * b[1][1] + o.l20 * x.y,
                         b[2][2] + o.l21 * b[1][2] + o.l20 * x.z};
  m->U[0] = (cardan_force){{A->xx, A->xy, A->xz}, x};
  m->U[1] = (cardan_force){{A->xy, A->yy, A->yz}, {b[1][0], b[1][1], b[1][2]}};
  m->U[2] = (cardan_force){{A->xz, A->yz, A->zz}, {b[2][0], b[2][1], b[2][2]}};
  m->inv_D[0] = D.xx;
  m->inv_D[4] = D.yy;
  m->inv_D[8] = D.zz;
  m->inv_D[1] = m->inv_D[3] = D.xy;
  m->inv_D[2] = m->inv_D[6] = D.xz;
  m->inv_D[5] = m->inv_D[7] = D.yz;
  cardan__sym3 C = cardan__sym3_sub_rank1(&I->C, o.k0, x);
  C = cardan__sym3_sub_rank1(&C, o.k1, y);
  *Ia = (cardan__abi){.C = cardan__sym3_sub_rank1(&C, o.k2, z)};
  return true;
}

/* k M S, S symmetric; and M N^T where it is symmetric. */
static inline cardan_mat3 times_sym3(double k, const cardan_mat3 *M, const cardan__sym3 *S)
{
  const double xy = k * S->xy, xz = k * S->xz, yz = k * S->yz;
  const cardan_mat3 full = {{{k * S->xx, xy, xz}, {xy, k * S->yy, yz}, {xz, yz, k * S->zz}}};
  return cardan__mat3_mul(M, &full);
}

static inline cardan__sym3 sym3_product(const cardan_mat3 *M, const cardan_mat3 *N)
{
  const double(*a)[3] = M->m, (*b)[3] = N->m;
  return (cardan__sym3){.xx = a[0][0] * b[0][0] + a[0][1] * b[0][1] + a[0][2] * b[0][2],
                        .yy = a[1][0] * b[1][0] + a[1][1] * b[1][1] + a[1][2] * b[1][2],
                        .zz = a[2][0] * b[2][0] + a[2][1] * b[2][1] + a[2][2] * b[2][2],
                        .xy = a[0][0] * b[1][0] + a[0][1] * b[1][1] + a[0][2] * b[1][2],
                        .xz = a[0][0] * b[2][0] + a[0][1] * b[2][1] + a[0][2] * b[2][2],
                        .yz = a[1][0] * b[2][0] + a[1][1] * b[2][1] + a[1][2] * b[2][2]};
}

/* [A B; B^T C], row-major, to 36 numbers. */
static inline void put_blocks(const cardan__sym3 *A, const cardan_mat3 *B, const cardan__sym3 *C,
                              void *out)
{
  const double(*b)[3] = B->m;
  const double all[36] = {A->xx,   A->xy,   A->xz,   b[0][0], b[0][1], b[0][2], //
                          A->xy,   A->yy,   A->yz,   b[1][0], b[1][1], b[1][2], //
                          A->xz,   A->yz,   A->zz,   b[2][0], b[2][1], b[2][2], //
                          b[0][0], b[1][0], b[2][0], C->xx,   C->xy,   C->xz,   //
                          b[0][1], b[1][1], b[2][1], C->xy,   C->yy,   C->yz,   //
                          b[0][2], b[1][2], b[2][2], C->xz,   C->yz,   C->zz};
  memcpy(out, all, sizeof all);
}

/* The same for a free body: S = 1, so U = D = IA, and nothing is left. With W = -B C^-1 and
 * N = (A + W B^T)^-1:   D^-1 = [N  N W; W^T N  C^-1 + W^T N W] */
static bool eliminate_free(const cardan__abi *I, cardan_factor_multi *m, cardan__abi *Ia)
{
  inverse3 c, a;
  if (!invert(&I->C, &I->C, &c)) {
    return false;
  }
  const cardan__sym3 inv_C = product(&c);
  const cardan_mat3 W = times_sym3(-1, &I->B, &inv_C), Wt = cardan__mat3_transpose(&W);
  const cardan__sym3 WB = sym3_product(&W, &I->B), rest = cardan__sym3_add(&I->A, &WB);
  if (!invert(&rest, &I->A, &a)) {
    return false;
  }
  const cardan__sym3 N = product(&a);
  const cardan_mat3 WtN = times_sym3(1, &Wt, &N), NW = cardan__mat3_transpose(&WtN);
  const cardan__sym3 WNW = sym3_product(&WtN, &Wt), mass = cardan__sym3_add(&inv_C, &WNW);
  put_blocks(&I->A, &I->B, &I->C, m->U);
  put_blocks(&N, &NW, &mass, m->inv_D);
  *Ia = (cardan__abi){.A = {0}};
  return true;
}

/* (E2), (E3) of any joint that is solved for; false when it has nothing to push against. */
static bool eliminate_any(const cardan_model *model, cardan_data *data, int i, const cardan__abi *I,
                          cardan__abi *Ia)
{
  const cardan_body *b = &model->body[i];
  if (b->nv == 1) {
    return eliminate(b, data->q + b->qadr, data->armature[b->vadr], I, &data->factor[i], Ia);
  }
  cardan_factor_multi *m = &data->multi[data->multi_of[i]];
  return b->nv == 3 ? eliminate_ball(I, m, Ia) : eliminate_free(I, m, Ia);
}

/* [0 0; 0 C] in the parent's frame. */
static inline cardan__abi ball_to_parent(const cardan_xform *X, const cardan__sym3 *C)
{
  const cardan__sym3 turned = cardan__sym3_rotate(&X->R, C);
  return cardan__abi_from_mass(X->p, &turned);
}

/* Ia in the parent's frame. */
static cardan__abi to_parent(const cardan_body *b, const cardan_data *data, int i,
                             const cardan__abi *Ia)
{
  const cardan_xform *X = &data->X[i];
  if (b->nv == 6) {
    return *Ia; // nothing
  }
  if (b->nv == 3) {
    return ball_to_parent(X, &Ia->C);
  }
  if (!cardan__joint_is_z(b)) {
    return cardan__abi_to_parent(X, Ia);
  }
  cardan__abi I = cardan__abi_rot_z(data->cos_sin[2 * i], data->cos_sin[2 * i + 1], Ia);
  I = cardan__abi_rot_x(b->cos_alpha, b->sin_alpha, &I);
  if (b->flags & CARDAN_LINK_TURNED) {
    I = cardan__abi_rot_z(b->cos_phi, b->sin_phi, &I);
  }
  return cardan__abi_shift(X->p, &I);
}

cardan_status cardan__factor_joint(const cardan_model *model, cardan_data *data, int i,
                                   cardan__abi *Ia)
{
  const cardan_body *b = &model->body[i];
  const cardan__abi IA = data->factor[i].IA;
  *Ia = IA;
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    return CARDAN_OK;
  }
  const bool ok = eliminate_any(model, data, i, &IA, Ia);
  return ok ? CARDAN_OK : cardan__no_inertia(model, &data->info, i);
}

/* What a body has to carry, and what it passes to its parent: inertia, and wrench where asked. */
typedef struct {
  cardan__abi I;
  cardan_force p;
} load;

/* (Rz x; Rz y) of a wrench, c and s of the angle; Rx likewise. */
CARDAN__INLINE cardan_force force_rot_z(double c, double s, cardan_force F)
{
  return (cardan_force){{c * F.t.x - s * F.t.y, s * F.t.x + c * F.t.y, F.t.z},
                        {c * F.f.x - s * F.f.y, s * F.f.x + c * F.f.y, F.f.z}};
}

CARDAN__INLINE cardan_force force_rot_x(double c, double s, cardan_force F)
{
  return (cardan_force){{F.t.x, c * F.t.y - s * F.t.z, s * F.t.y + c * F.t.z},
                        {F.f.x, c * F.f.y - s * F.f.z, s * F.f.y + c * F.f.z}};
}

/* Rx by a right angle. */
CARDAN__INLINE cardan_force force_rot_x_right(double s, cardan_force F)
{
  return (cardan_force){{F.t.x, -s * F.t.z, s * F.t.y}, {F.f.x, -s * F.f.z, s * F.f.y}};
}

/* What goes from a body to its parent: what remains of its load, and U of its joint. */
typedef struct {
  load rest;
  cardan_force U;
} passing;

/* Rx(alpha) of it; whole: row z of the inertia is not 0. */
CARDAN__INLINE void twist(const cardan_body *b, bool whole, passing *o)
{
  const double c = b->cos_alpha, s = b->sin_alpha;
  if ((b->flags & CARDAN_LINK_RIGHT) && !whole) {
    o->rest.I = cardan__abi_rot_x_rest_right(s, &o->rest.I);
    o->rest.p = force_rot_x_right(s, o->rest.p);
    o->U = force_rot_x_right(s, o->U);
    return;
  }
  if ((b->flags & CARDAN_LINK_PARALLEL)) {
    return;
  }
  o->rest.I =
      whole ? cardan__abi_rot_x(c, s, &o->rest.I) : cardan__abi_rot_x_rest(c, s, &o->rest.I);
  o->rest.p = force_rot_x(c, s, o->rest.p);
  o->U = force_rot_x(c, s, o->U);
  if (b->flags & CARDAN_LINK_TURNED) {
    o->rest.I = cardan__abi_rot_z(b->cos_phi, b->sin_phi, &o->rest.I);
    o->rest.p = force_rot_z(b->cos_phi, b->sin_phi, o->rest.p);
    o->U = force_rot_z(b->cos_phi, b->sin_phi, o->U);
  }
}

/* About the parent's origin, along one axis after the other where there is something between. */
CARDAN__INLINE void shift(const cardan_body *b, passing *o)
{
  const cardan_vec3 p = b->X.p;
  if (b->flags & CARDAN_LINK_ALONG_X) {
    cardan__abi_shift_x(p.x, &o->rest.I);
    o->rest.p = cardan__force_shift_x(p.x, o->rest.p);
    o->U = cardan__force_shift_x(p.x, o->U);
  }
  if (b->flags & CARDAN_LINK_ALONG_Y) {
    cardan__abi_shift_y(p.y, &o->rest.I);
    o->rest.p = cardan__force_shift_y(p.y, o->rest.p);
    o->U = cardan__force_shift_y(p.y, o->U);
  }
  if (b->flags & CARDAN_LINK_ALONG_Z) {
    cardan__abi_shift_z(p.z, &o->rest.I);
    o->rest.p = cardan__force_shift_z(p.z, o->rest.p);
    o->U = cardan__force_shift_z(p.z, o->U);
  }
}

/* (E2) .. (E5) of a revolute joint that is solved for, in the parent's frame; false when D is not
 * positive. forces: a constant of the caller's. The inertia turns by the joint's angle before the
 * joint gives way, U with it: the turn does not wait for the division. */
CARDAN__INLINE bool pass_hinge(const cardan_model *model, cardan_data *data, int i,
                               const double *tau, const bool forces, const load *own, load *up)
{
  const cardan_body *b = &model->body[i];
  const cardan__abi *I = &own->I;
  const double c = data->cos_sin[2 * i], s = data->cos_sin[2 * i + 1];
  const double armature = data->armature[b->vadr], d = I->A.zz + armature, inv_d = 1 / d;
  cardan_factor_body *f = &data->factor[i];
  if (!(d > floor_ratio * (I->A.xx + I->A.yy + I->A.zz))) {
    return false;
  }
  const cardan__abi turned = cardan__abi_rot_z(c, s, I);
  passing o = {.U = cardan__abi_mul_z(&turned)};
  f->U = cardan__abi_mul_z(I);
  f->inv_d = inv_d;
  if (forces) {
    o.rest.p = force_rot_z(c, s, own->p);
  }
  if (armature == 0) {
    o.rest.I = cardan__abi_give_way(&turned, inv_d);
    twist(b, false, &o);
  } else {
    o.rest.I = cardan__abi_sub_rank1(&turned, inv_d, o.U);
    twist(b, true, &o);
  }
  shift(b, &o);
  f->Y = o.U;
  *up = o.rest;
  if (forces) {
    const double u = tau[b->vadr] - own->p.t.z;
    data->rest[b->vadr] = u;
    up->p = cardan__force_axpy(inv_d * u, o.U, o.rest.p);
  }
  return true;
}

/* The same of a ball. */
CARDAN__INLINE bool pass_ball(const cardan_model *model, cardan_data *data, int i,
                              const double *tau, const bool forces, const load *own, load *up)
{
  const cardan_xform *X = &data->X[i];
  cardan_factor_multi *m = &data->multi[data->multi_of[i]];
  cardan__abi Ia;
  if (!eliminate_ball(&own->I, m, &Ia)) {
    return false;
  }
  up->I = ball_to_parent(X, &Ia.C);
  if (forces) {
    const int k = model->body[i].vadr;
    const cardan_vec3 t = {tau[k], tau[k + 1], tau[k + 2]};
    up->p = cardan__force_to_parent(X, cardan__ball_reduce(m, t, own->p, data->rest + k));
  }
  return true;
}

/* The same of any joint, from and to memory. */
static CARDAN__NOINLINE bool pass_other(const cardan_model *model, cardan_data *data, int i,
                                        const double *tau, bool forces, load *up)
{
  const cardan_body *b = &model->body[i];
  cardan__abi Ia;
  if (cardan__factor_joint(model, data, i, &Ia) != CARDAN_OK) {
    return false;
  }
  up->I = to_parent(b, data, i, &Ia);
  if (forces) {
    const cardan_force pa = cardan__joint_reduce(b, data, i, tau, data->p[i]);
    up->p = cardan__force_to_parent(&data->X[i], pa);
  }
  return true;
}

/* p of (E4): the body's own, what came from the next body, and from others. */
CARDAN__INLINE cardan_force wrench_on(const cardan_data *data, const cardan_body *b, int i,
                                      cardan_force carry)
{
  cardan_force p = cardan__force_add(carry, cardan__own_wrench(data, i));
  p = cardan__force_sub(p, data->f_ext[i]);
  if (b->flags & CARDAN_LINK_FORKED) {
    p = cardan__force_add(p, data->p[i]);
  }
  return p;
}

/* Leaf to root, (E1) to (E3), and with forces (E4), (E5). */
CARDAN__INLINE cardan_status inward(const cardan_model *model, cardan_data *data, const double *tau,
                                    const bool forces)
{
  static const load none = {.p = {.t = {0}}};
  cardan_factor_body *factor = data->factor;
  load carry = none; // from body i + 1 to its parent i, in registers
  cardan__made(data, 0, CARDAN_FRESH_FACTOR | CARDAN_FRESH_INERTIAS);
  data->p[0] = none.p; // what reaches the world is not needed
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    const bool hinge = cardan__joint_is_hinge(b) && !(b->flags & CARDAN_LINK_KINEMATIC);
    load own = {.I = cardan__abi_add_inertia(&carry.I, &b->inertia)}; // (E1)
    bool ok;
    if (b->flags & CARDAN_LINK_FORKED) {
      own.I = cardan__abi_add(&own.I, &factor[i].IA);
    }
    if (forces) {
      own.p = wrench_on(data, b, i, carry.p); // (E4)
    }
    if (!forces || !(hinge || cardan__joint_is_ball(b))) {
      factor[i].IA = own.I;
    }
    if (hinge) {
      ok = pass_hinge(model, data, i, tau, forces, &own, &carry);
    } else if (cardan__joint_is_ball(b)) {
      ok = pass_ball(model, data, i, tau, forces, &own, &carry);
    } else {
      load up = none;
      if (forces) {
        data->p[i] = own.p;
      }
      ok = pass_other(model, data, i, tau, forces, &up);
      carry = up;
    }
    if (!ok) {
      return cardan__no_inertia(model, &data->info, i);
    }
    if (b->parent != i - 1) {
      factor[b->parent].IA =
          b->flags & CARDAN_LINK_LAST ? carry.I : cardan__abi_add(&factor[b->parent].IA, &carry.I);
      if (forces) {
        data->p[b->parent] =
            b->flags & CARDAN_LINK_LAST ? carry.p : cardan__force_add(data->p[b->parent], carry.p);
      }
      carry = none;
    }
  }
  cardan__made(data, CARDAN_FRESH_FACTOR | (forces ? 0 : CARDAN_FRESH_INERTIAS), 0);
  return CARDAN_OK;
}

cardan_status cardan_factor(const cardan_model *model, cardan_data *data)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  return inward(model, data, NULL, false);
}

cardan_status cardan__factor_reduce(const cardan_model *model, cardan_data *data, const double *tau)
{
  CARDAN__NEEDS(data, CARDAN_FRESH_JOINTS);
  return inward(model, data, tau, true);
}

void cardan__factor_copy(const cardan_model *model, const cardan_data *from, cardan_data *to)
{
  CARDAN__NEEDS(from, CARDAN_FRESH_FACTOR);
  CARDAN__NEEDS(to, CARDAN_FRESH_JOINTS);
  if (!(to->fresh & CARDAN_FRESH_FACTOR)) {
    memcpy(to->factor, from->factor, (size_t)model->nbody * sizeof *to->factor);
    memcpy(to->multi, from->multi, (size_t)model->nmulti * sizeof *to->multi);
    cardan__made(to, from->fresh & (CARDAN_FRESH_FACTOR | CARDAN_FRESH_INERTIAS), 0);
  }
}
