/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/forward.h - forward dynamics in lanes: dynamics/factor.c and dynamics/aba.c have the
 * equations. One pass inwards does the inertias and the biases.
 *
 * Where a revolute joint without armature gives way, Ia has no z row and column in A and no z row
 * in B; behind a spherical joint C alone is left, C - B^T A^-1 B, and behind a free one nothing. */
#pragma once
#include "batch/lanes/inverse.h"

/* Smallest pivot that counts as inertia, relative to what it is a part of (dynamics/factor.c). */
#define CARDAN__LANES_FLOOR 0x1p-46

/* The body's own inertia, added to I; to may be I. */
static inline void add_own(const cardan__lanes_body *b, const abi *I, abi *to)
{
  const sym3 J = own_tensor(b);
  const real3 h = real3_of(b->h);
  const real m = real_of(b->m);
  const mat3 *B = &I->B;
  const sym3 *C = &I->C;
  to->A = sym3_add(&I->A, &J);
  to->B.x = (real3){B->x.x, B->x.y - h.z, B->x.z + h.y};
  to->B.y = (real3){B->y.x + h.z, B->y.y, B->y.z - h.x};
  to->B.z = (real3){B->z.x - h.y, B->z.y + h.x, B->z.z};
  to->C = (sym3){C->xx + m, C->yy + m, C->zz + m, C->xy, C->xz, C->yz};
}

/* What body b, whose children are done, has to push or to hand on: theirs and its own. The wrench
 * lacks what its own velocity calls for. */
static inline const handed *gather(const cardan__lanes_body *b, const passes *s)
{
  handed *h = &s->slot[b->slot];
  if (b->flags & CARDAN__LANES_LEAF) {
    const real zero = real_of(0);
    const real3 none = {zero, zero, zero};
    h->I = (abi){{zero, zero, zero, zero, zero, zero},
                 {none, none, none},
                 {zero, zero, zero, zero, zero, zero}};
    h->f = (real6){none, none};
    add_own(b, &h->I, &h->I);
  }
  return h;
}

/* Adds inertia and wrench of a body to its parent, in the parent's frame. */
static inline void add_to_parent(const cardan__lanes_model *m, const cardan__lanes_body *b,
                                 const passes *s, const abi *I, real6 f)
{
  const cardan__lanes_body *up = &m->body[b->parent];
  handed *to = &s->slot[up->slot];
  if (b->flags & CARDAN__LANES_FIRST) {
    add_own(up, I, &to->I);
    to->f = f;
  } else {
    abi_add_to(I, &to->I);
    to->f = add6(to->f, f);
  }
}

/* ---- about and along z ---- */

/* Ia of a plain revolute joint: A in x and y, two rows of B, and C. */
typedef struct {
  real xx, yy, xy;
  real3 x, y;
  sym3 C;
} flat_abi;

static inline sym3 sym3_less(const sym3 *S, real3 a, real3 b)
{
  return (sym3){nmadd(a.x, b.x, S->xx), nmadd(a.y, b.y, S->yy), nmadd(a.z, b.z, S->zz),
                nmadd(a.x, b.y, S->xy), nmadd(a.x, b.z, S->xz), nmadd(a.y, b.z, S->yz)};
}

/* R Ia R^T, R = Rx(alpha) Rz(q). */
static inline abi rotate_flat(const cardan__lanes_body *b, const link *l, const flat_abi *F)
{
  const real c = l->c, s = l->s, ca = real_of(b->cos_alpha), sa = real_of(b->sin_alpha);
  const real zero = real_of(0);
  const real3 none = {zero, zero, zero};
  // about z, as sym3_rot_z and mat3_rot_z
  const real e = msub(c, F->xx - F->yy, s * (F->xy + F->xy));
  const real xx = madd(c, e, F->yy), yy = nmadd(c, e, F->xx), xy = madd(s, e, F->xy);
  const real g = msub(c, F->x.x - F->y.y, s * (F->x.y + F->y.x));
  const real3 x = {madd(c, g, F->y.y), madd(s, g, F->x.y), msub(c, F->x.z, s * F->y.z)};
  const real3 y = {madd(s, g, F->y.x), nmadd(c, g, F->x.x), madd(s, F->x.z, c * F->y.z)};
  const sym3 C = sym3_rot_z(c, s, &F->C);
  if (b->tilt == CARDAN__TILT_NONE) {
    return (abi){{xx, yy, zero, xy, zero, zero}, {x, y, none}, C};
  }
  if (b->tilt == CARDAN__TILT_QUARTER) {
    return (abi){{xx, zero, yy, zero, xy, zero},
                 {{x.x, -x.z, x.y}, none, {y.x, -y.z, y.y}},
                 sym3_quarter_x(&C)};
  }
  // about x: rows y and z come from y alone
  const real3 row = {y.x, msub(ca, y.y, sa * y.z), madd(sa, y.y, ca * y.z)};
  const real cy = ca * yy;
  return (abi){
      {xx, ca * cy, nmadd(ca, cy, yy), ca * xy, sa * xy, sa * cy},
      {{x.x, msub(ca, x.y, sa * x.z), madd(sa, x.y, ca * x.z)}, scale3(ca, row), scale3(sa, row)},
      sym3_rot_x(ca, sa, &C)};
}

/* The same about the parent's origin. */
static inline abi move_origin(const cardan__lanes_body *b, real3 p, const abi *I)
{
  switch (b->shift) {
  case CARDAN__SHIFT_NONE:
    return *I;
  case CARDAN__SHIFT_X:
    return abi_shift_x(p.x, I);
  case CARDAN__SHIFT_Y:
    return abi_shift_y(p.y, I);
  case CARDAN__SHIFT_Z:
    return abi_shift_z(p.z, I);
  default:
    return abi_shift(p, I);
  }
}

/* Rotates an inertia about the parent's z and moves it to the parent's origin. */
static inline abi move_to_parent(const cardan__lanes_body *b, real3 p, abi I)
{
  if (b->flags & CARDAN__LANES_TURNED) {
    const real c = real_of(b->cos_phi), s = real_of(b->sin_phi);
    I = (abi){sym3_rot_z(c, s, &I.A), mat3_rot_z(c, s, &I.B), sym3_rot_z(c, s, &I.C)};
  }
  return move_origin(b, p, &I);
}

static inline mask reduce_revolute(const cardan__lanes_model *m, const cardan__lanes_body *b,
                                   const passes *s, link *l, const real *tau)
{
  const handed *h = gather(b, s);
  const real6 pf = gyroscopic_add(b, l->w, h->f);
  const sym3 *A = &h->I.A;
  const real3 Uf = h->I.B.z, c = l->A.v;
  const real d = A->zz, inv_d = real_of(1) / d, T = tau[b->vadr];
  const mask left = ~is_less(real_of(CARDAN__LANES_FLOOR) * ((A->xx + A->yy) + d), d);
  l->U = (real6){{A->xz, A->yz, d}, Uf};
  l->inv_d = inv_d;
  l->u = T - pf.w.z;
  if (b->flags & CARDAN__LANES_ROOT) {
    return left;
  }
  const real nx = A->xz * inv_d, ny = A->yz * inv_d, k = l->u * inv_d;
  const flat_abi F = {nmadd(nx, A->xz, A->xx), nmadd(ny, A->yz, A->yy),
                      nmadd(nx, A->yz, A->xy), less3(nx, Uf, h->I.B.x),
                      less3(ny, Uf, h->I.B.y), sym3_less(&h->I.C, scale3(inv_d, Uf), Uf)};
  const real wx = l->A.w.x, wy = l->A.w.y;
  real6 f = {{madd(F.xx, wx, madd(F.xy, wy, madd(k, A->xz, pf.w.x))),
              madd(F.xy, wx, madd(F.yy, wy, madd(k, A->yz, pf.w.y))), T},
             axpy3(wx, F.x, axpy3(wy, F.y, axpy3(k, Uf, pf.v)))};
  if (b->shift != CARDAN__SHIFT_NONE) {
    f.w.x = dot3_add(F.x, c, f.w.x);
    f.w.y = dot3_add(F.y, c, f.w.y);
    f.v = sym3_mul_add(&F.C, c, f.v);
  }
  const real3 p = real3_of(b->p);
  const abi I = move_to_parent(b, p, rotate_flat(b, l, &F));
  f = wrench_to_parent(b, s, l, p, f);
  add_to_parent(m, b, s, &I, f);
  return left;
}

/* U, d without armature, and the inertia that d is a part of. */
static inline real6 push_joint(const cardan__lanes_body *b, const abi *I, real *d, real *scale)
{
  const real6 turn = {{I->A.xz, I->A.yz, I->A.zz}, I->B.z};
  const real6 slide = {{I->B.x.z, I->B.y.z, I->B.z.z}, {I->C.xz, I->C.yz, I->C.zz}};
  const real turning = (I->A.xx + I->A.yy) + I->A.zz, sliding = (I->C.xx + I->C.yy) + I->C.zz;
  const real pitch = real_of(b->pitch);
  if (b->kind == CARDAN_LINK_REVOLUTE) {
    *d = I->A.zz;
    *scale = turning;
    return turn;
  }
  if (b->kind == CARDAN_LINK_PRISMATIC) {
    *d = I->C.zz;
    *scale = sliding;
    return slide;
  }
  const real6 U = axpy6(pitch, slide, turn);
  *d = madd(pitch, U.v.z, U.w.z);
  *scale = madd(pitch * pitch, sliding, turning);
  return U;
}

/* An inertia behind a joint of one velocity, in the parent's frame. */
static inline abi turn_z(const cardan__lanes_body *b, const link *l, real3 p, abi I)
{
  const real ca = real_of(b->cos_alpha), sa = real_of(b->sin_alpha);
  I = (abi){sym3_rot_z(l->c, l->s, &I.A), mat3_rot_z(l->c, l->s, &I.B),
            sym3_rot_z(l->c, l->s, &I.C)};
  if (b->tilt == CARDAN__TILT_QUARTER) {
    I = (abi){sym3_quarter_x(&I.A), mat3_quarter_x(&I.B), sym3_quarter_x(&I.C)};
  } else if (b->tilt == CARDAN__TILT_ANY) {
    I = (abi){sym3_rot_x(ca, sa, &I.A), mat3_rot_x(ca, sa, &I.B), sym3_rot_x(ca, sa, &I.C)};
  }
  return move_to_parent(b, p, I);
}

/* Any joint of one velocity. */
static inline mask reduce_z(const cardan__lanes_model *m, const cardan__lanes_body *b,
                            const passes *s, link *l, const real *q, const real *tau)
{
  const handed *h = gather(b, s);
  const real6 pf = gyroscopic_add(b, l->w, h->f);
  real d, scale, Sf;
  const real6 U = push_joint(b, &h->I, &d, &scale);
  d = d + real_of(b->armature);
  Sf = b->kind == CARDAN_LINK_PRISMATIC ? pf.v.z
       : b->kind == CARDAN_LINK_HELICAL ? madd(real_of(b->pitch), pf.v.z, pf.w.z)
                                        : pf.w.z;
  const mask left = ~is_less(real_of(CARDAN__LANES_FLOOR) * scale, d);
  l->U = U;
  l->inv_d = real_of(1) / d;
  l->u = tau[b->vadr] - Sf;
  if (b->flags & CARDAN__LANES_ROOT) {
    return left;
  }
  const real3 n = scale3(l->inv_d, U.w), g = scale3(l->inv_d, U.v);
  abi I = {sym3_less(&h->I.A, n, U.w),
           {less3(n.x, U.v, h->I.B.x), less3(n.y, U.v, h->I.B.y), less3(n.z, U.v, h->I.B.z)},
           sym3_less(&h->I.C, g, U.v)};
  const real6 f = axpy6(l->u * l->inv_d, U, add6(pf, abi_mul(&I, l->A)));
  const real3 p = origin_of(b, s, q);
  I = turn_z(b, l, p, I);
  add_to_parent(m, b, s, &I, wrench_to_parent(b, s, l, p, f));
  return left;
}

/* ---- spherical and free ---- */

/* L of D = L L^T, rows of the lower triangles, in place; 1 / L_kk on the diagonal.
 * returns lanes where D is not positive definite */
static inline mask cholesky(int n, real *L)
{
  mask left = mask_of(0);
  for (int j = 0; j < n; j++) {
    real *row = L + j * (j + 1) / 2, d = row[j];
    for (int k = 0; k < j; k++) {
      d = nmadd(row[k], row[k], d);
    }
    left |= ~is_less(real_of(CARDAN__LANES_FLOOR) * row[j], d);
    row[j] = real_of(1) / root(d);
    for (int i = j + 1; i < n; i++) {
      real *other = L + i * (i + 1) / 2, x = other[j];
      for (int k = 0; k < j; k++) {
        x = nmadd(other[k], row[k], x);
      }
      other[j] = x * row[j];
    }
  }
  return left;
}

/* x := L^-T L^-1 x */
static inline void cholesky_solve(int n, const real *L, real *x)
{
  for (int j = 0; j < n; j++) {
    const real *row = L + j * (j + 1) / 2;
    for (int k = 0; k < j; k++) {
      x[j] = nmadd(row[k], x[k], x[j]);
    }
    x[j] = x[j] * row[j];
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int k = j + 1; k < n; k++) {
      x[j] = nmadd(L[k * (k + 1) / 2 + j], x[k], x[j]);
    }
    x[j] = x[j] * L[j * (j + 1) / 2 + j];
  }
}

static inline real3 solve3(const real *L, real3 a)
{
  real x[3] = {a.x, a.y, a.z};
  cholesky_solve(3, L, x);
  return (real3){x[0], x[1], x[2]};
}

/* A, or all of [A B; B^T C], as rows of the lower triangle. */
static inline void put_triangle(int n, const abi *I, real *L)
{
  const sym3 *A = &I->A, *C = &I->C;
  const mat3 *B = &I->B;
  const real rows[21] = {A->xx,  A->xy,  A->yy,  A->xz,  A->yz,  A->zz,  B->x.x,
                         B->y.x, B->z.x, C->xx,  B->x.y, B->y.y, B->z.y, C->xy,
                         C->yy,  B->x.z, B->y.z, B->z.z, C->xz,  C->yz,  C->zz};
  memcpy(L, rows, (size_t)(n * (n + 1) / 2) * sizeof *L);
}

/* C - B^T A^-1 B, A = L L^T */
static inline sym3 spherical_rest(const real *L, const abi *I)
{
  const mat3 *B = &I->B;
  const sym3 *C = &I->C;
  const real3 bx = {B->x.x, B->y.x, B->z.x}, by = {B->x.y, B->y.y, B->z.y};
  const real3 bz = {B->x.z, B->y.z, B->z.z};
  const real3 x = solve3(L, bx), y = solve3(L, by), z = solve3(L, bz);
  return (sym3){C->xx - dot3(bx, x), C->yy - dot3(by, y), C->zz - dot3(bz, z),
                C->xy - dot3(bx, y), C->xz - dot3(bx, z), C->yz - dot3(by, z)};
}

static inline mask reduce_spherical(const cardan__lanes_model *m, const cardan__lanes_body *b,
                                    const passes *s, link *l, const real *tau)
{
  const handed *h = gather(b, s);
  const real6 pf = gyroscopic_add(b, l->w, h->f);
  multi_link *M = &s->multi[b->multi];
  const real3 T = {tau[b->vadr], tau[b->vadr + 1], tau[b->vadr + 2]};
  const real3 u = sub3(T, pf.w);
  put_triangle(3, &h->I, M->L);
  const mask left = cholesky(3, M->L);
  M->B = h->I.B;
  M->u[0] = u.x;
  M->u[1] = u.y;
  M->u[2] = u.z;
  if (b->flags & CARDAN__LANES_ROOT) {
    return left;
  }
  const real3 k = solve3(M->L, u);
  const sym3 Ca = spherical_rest(M->L, &h->I);
  const real6 f = {T, sym3_mul_add(&Ca, l->A.v, mat3_tmul_add(&h->I.B, k, pf.v))};
  const real zero = real_of(0);
  const real3 none = {zero, zero, zero}, p = real3_of(b->p);
  const abi turned = {
      {zero, zero, zero, zero, zero, zero}, {none, none, none}, sym3_rotate(&M->R, &Ca)};
  const abi I = move_origin(b, p, &turned);
  add_to_parent(m, b, s, &I, wrench_to_parent(b, s, l, p, f));
  return left;
}

static inline mask reduce_free(const cardan__lanes_model *m, const cardan__lanes_body *b,
                               const passes *s, link *l, const real *tau)
{
  const handed *h = gather(b, s);
  const real6 pf = gyroscopic_add(b, l->w, h->f);
  multi_link *M = &s->multi[b->multi];
  const real *T = tau + b->vadr;
  const real p[6] = {pf.w.x, pf.w.y, pf.w.z, pf.v.x, pf.v.y, pf.v.z};
  for (int k = 0; k < 6; k++) {
    M->u[k] = T[k] - p[k];
  }
  put_triangle(6, &h->I, M->L);
  const mask left = cholesky(6, M->L);
  if (!(b->flags & CARDAN__LANES_ROOT)) {
    abi none;
    memset(&none, 0, sizeof none);
    const real6 f = {{T[0], T[1], T[2]}, {T[3], T[4], T[5]}};
    add_to_parent(m, b, s, &none, wrench_to_parent(b, s, l, M->p, f));
  }
  return left;
}

/* ---- the passes ---- */

/* Leaf to root. returns lanes that have no pivot */
static inline mask reduce(const cardan__lanes_model *m, const passes *s, const real *q,
                          const real *tau)
{
  mask left = mask_of(0);
  for (int i = m->nbody - 1; i > 0; i--) {
    const cardan__lanes_body *b = &m->body[i];
    link *l = &s->link[i];
    if (b->kind == CARDAN_LINK_REVOLUTE && !(b->flags & CARDAN__LANES_ROTOR)) {
      left |= reduce_revolute(m, b, s, l, tau);
    } else if (is_z(b)) {
      left |= reduce_z(m, b, s, l, q, tau);
    } else if (b->kind == CARDAN_LINK_SPHERICAL) {
      left |= reduce_spherical(m, b, s, l, tau);
    } else {
      left |= reduce_free(m, b, s, l, tau);
    }
  }
  return left;
}

/* Accelerations of a spherical or free joint, and of its body in A: there the parent's. */
static inline real6 accelerate_multi(const cardan__lanes_body *b, const multi_link *M, real6 A,
                                     real *a)
{
  if (b->kind == CARDAN_LINK_SPHERICAL) {
    const real3 u = {M->u[0], M->u[1], M->u[2]};
    const real3 w = solve3(M->L, sub3(u, mat3_mul(&M->B, A.v)));
    a[0] = w.x - A.w.x;
    a[1] = w.y - A.w.y;
    a[2] = w.z - A.w.z;
    return (real6){w, A.v};
  }
  real x[6];
  memcpy(x, M->u, sizeof x);
  cholesky_solve(6, M->L, x);
  a[0] = x[0] - A.w.x;
  a[1] = x[1] - A.w.y;
  a[2] = x[2] - A.w.z;
  a[3] = x[3] - A.v.x;
  a[4] = x[4] - A.v.y;
  a[5] = x[5] - A.v.z;
  return (real6){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

/* Root to leaf. */
static inline void accelerate(const cardan__lanes_model *m, const passes *s, const real *q, real *a)
{
  const real zero = real_of(0);
  s->link[0].A = (real6){{zero, zero, zero}, scale3(real_of(-1), real3_of(m->gravity))};
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    link *l = &s->link[i];
    const real3 p = origin_of(b, s, q);
    real6 A = add6(acceleration_to_child(b, s, l, p, s->link[b->parent].A), l->A);
    if (is_z(b)) {
      a[b->vadr] = l->inv_d * (l->u - dot6(l->U, A));
      A = add_joint(b, a, A);
    } else {
      A = accelerate_multi(b, &s->multi[b->multi], A, a + b->vadr);
    }
    l->A = A;
  }
}

static inline void forward_dynamics(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  const passes s = passes_in(m, lanes->work);
  const real *q = reals(lanes->q), *tau = reals(lanes->tau);
  const mask large = velocities(m, &s, q, reals(lanes->v));
  *(mask *)(void *)lanes->left |= large | reduce(m, &s, q, tau);
  accelerate(m, &s, q, reals(lanes->a));
}
