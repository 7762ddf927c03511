/* SPDX-License-Identifier: Apache-2.0
 * kernels/space.h - vectors, rotations, twists, wrenches and inertias over `real`, in the
 * conventions of spatial/spatial.h. */
#pragma once
#include "kernels/real.h"

typedef struct {
  real x, y, z;
} real3;

/* Twist or acceleration [w; v], wrench or momentum [t; f]: w and v stand for t and f too. */
typedef struct {
  real3 w, v;
} real6;

/* Symmetric 3 x 3. */
typedef struct {
  real xx, yy, zz, xy, xz, yz;
} sym3;

/* Rows. */
typedef struct {
  real3 x, y, z;
} mat3;

/* Articulated inertia [A B; B^T C] (spatial/abi.h). */
typedef struct {
  sym3 A;
  mat3 B;
  sym3 C;
} abi;

/* ---- vectors ---- */

static inline real3 real3_of(const double a[3])
{
  return (real3){real_of(a[0]), real_of(a[1]), real_of(a[2])};
}

static inline real3 add3(real3 a, real3 b)
{
  return (real3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline real3 sub3(real3 a, real3 b)
{
  return (real3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline real3 scale3(real k, real3 a)
{
  return (real3){k * a.x, k * a.y, k * a.z};
}

/* k a + b */
static inline real3 axpy3(real k, real3 a, real3 b)
{
  return (real3){madd(k, a.x, b.x), madd(k, a.y, b.y), madd(k, a.z, b.z)};
}

/* b - k a */
static inline real3 less3(real k, real3 a, real3 b)
{
  return (real3){nmadd(k, a.x, b.x), nmadd(k, a.y, b.y), nmadd(k, a.z, b.z)};
}

static inline real dot3(real3 a, real3 b)
{
  return madd(a.z, b.z, madd(a.y, b.y, a.x * b.x));
}

/* a . b + c */
static inline real dot3_add(real3 a, real3 b, real c)
{
  return madd(a.z, b.z, madd(a.y, b.y, madd(a.x, b.x, c)));
}

static inline real3 cross3(real3 a, real3 b)
{
  return (real3){msub(a.y, b.z, a.z * b.y), msub(a.z, b.x, a.x * b.z), msub(a.x, b.y, a.y * b.x)};
}

/* a x b + c, c - a x b */
static inline real3 cross3_add(real3 a, real3 b, real3 c)
{
  return (real3){madd(a.y, b.z, nmadd(a.z, b.y, c.x)), madd(a.z, b.x, nmadd(a.x, b.z, c.y)),
                 madd(a.x, b.y, nmadd(a.y, b.x, c.z))};
}

static inline real3 cross3_sub(real3 a, real3 b, real3 c)
{
  return cross3_add(b, a, c);
}

static inline real6 add6(real6 a, real6 b)
{
  return (real6){add3(a.w, b.w), add3(a.v, b.v)};
}

static inline real6 axpy6(real k, real6 a, real6 b)
{
  return (real6){axpy3(k, a.w, b.w), axpy3(k, a.v, b.v)};
}

/* <F, V> */
static inline real dot6(real6 a, real6 b)
{
  return dot3_add(a.v, b.v, dot3(a.w, b.w));
}

/* ---- matrices ---- */

/* S a, S a + b */
static inline real3 sym3_mul(const sym3 *S, real3 a)
{
  return (real3){madd(S->xz, a.z, madd(S->xy, a.y, S->xx * a.x)),
                 madd(S->yz, a.z, madd(S->yy, a.y, S->xy * a.x)),
                 madd(S->zz, a.z, madd(S->yz, a.y, S->xz * a.x))};
}

static inline real3 sym3_mul_add(const sym3 *S, real3 a, real3 b)
{
  return (real3){madd(S->xz, a.z, madd(S->xy, a.y, madd(S->xx, a.x, b.x))),
                 madd(S->yz, a.z, madd(S->yy, a.y, madd(S->xy, a.x, b.y))),
                 madd(S->zz, a.z, madd(S->yz, a.y, madd(S->xz, a.x, b.z)))};
}

/* M a, M^T a, and with b added */
static inline real3 mat3_mul(const mat3 *M, real3 a)
{
  return (real3){dot3(M->x, a), dot3(M->y, a), dot3(M->z, a)};
}

static inline real3 mat3_tmul(const mat3 *M, real3 a)
{
  return axpy3(a.z, M->z, axpy3(a.y, M->y, scale3(a.x, M->x)));
}

static inline real3 mat3_mul_add(const mat3 *M, real3 a, real3 b)
{
  return (real3){dot3_add(M->x, a, b.x), dot3_add(M->y, a, b.y), dot3_add(M->z, a, b.z)};
}

static inline real3 mat3_tmul_add(const mat3 *M, real3 a, real3 b)
{
  return axpy3(a.z, M->z, axpy3(a.y, M->y, axpy3(a.x, M->x, b)));
}

/* a b: rows of a times b */
static inline mat3 mat3_mul_mat3(const mat3 *a, const mat3 *b)
{
  return (mat3){mat3_tmul(b, a->x), mat3_tmul(b, a->y), mat3_tmul(b, a->z)};
}

/* R S R^T */
static inline sym3 sym3_rotate(const mat3 *R, const sym3 *S)
{
  const real3 x = sym3_mul(S, R->x), y = sym3_mul(S, R->y), z = sym3_mul(S, R->z);
  return (sym3){dot3(R->x, x), dot3(R->y, y), dot3(R->z, z),
                dot3(R->x, y), dot3(R->x, z), dot3(R->y, z)};
}

/* Of a unit quaternion w, (x, y, z). */
static inline mat3 mat3_of_quat(real w, real3 u)
{
  const real x2 = u.x + u.x, y2 = u.y + u.y, z2 = u.z + u.z, one = real_of(1);
  const real xy = u.x * y2, xz = u.x * z2, yz = u.y * z2;
  return (mat3){{nmadd(u.z, z2, nmadd(u.y, y2, one)), nmadd(w, z2, xy), madd(w, y2, xz)},
                {madd(w, z2, xy), nmadd(u.z, z2, nmadd(u.x, x2, one)), nmadd(w, x2, yz)},
                {nmadd(w, y2, xz), madd(w, x2, yz), nmadd(u.y, y2, nmadd(u.x, x2, one))}};
}

/* ---- plane rotations, c = cos theta, s = sin theta ---- */

/* Rz a and Rz^T a; Rx a and Rx^T a */
static inline real3 rot_z(real c, real s, real3 a)
{
  return (real3){msub(c, a.x, s * a.y), madd(s, a.x, c * a.y), a.z};
}

static inline real3 rot_z_back(real c, real s, real3 a)
{
  return (real3){madd(c, a.x, s * a.y), msub(c, a.y, s * a.x), a.z};
}

static inline real3 rot_x(real c, real s, real3 a)
{
  return (real3){a.x, msub(c, a.y, s * a.z), madd(s, a.y, c * a.z)};
}

static inline real3 rot_x_back(real c, real s, real3 a)
{
  return (real3){a.x, madd(c, a.y, s * a.z), msub(c, a.z, s * a.y)};
}

/* R S R^T, R = Rz or Rx: with e = c (xx - yy) - 2 s xy the turned pair is yy + c e, xx - c e,
 * xy + s e. */
static inline sym3 sym3_rot_z(real c, real s, const sym3 *S)
{
  const real e = msub(c, S->xx - S->yy, s * (S->xy + S->xy));
  return (sym3){madd(c, e, S->yy), nmadd(c, e, S->xx),        S->zz,
                madd(s, e, S->xy), msub(c, S->xz, s * S->yz), madd(s, S->xz, c * S->yz)};
}

static inline sym3 sym3_rot_x(real c, real s, const sym3 *S)
{
  const real e = msub(c, S->yy - S->zz, s * (S->yz + S->yz));
  return (sym3){S->xx,
                madd(c, e, S->zz),
                nmadd(c, e, S->yy),
                msub(c, S->xy, s * S->xz),
                madd(s, S->xy, c * S->xz),
                madd(s, e, S->yz)};
}

static inline mat3 mat3_rot_z(real c, real s, const mat3 *M)
{
  const real e = msub(c, M->x.x - M->y.y, s * (M->x.y + M->y.x));
  return (mat3){{madd(c, e, M->y.y), madd(s, e, M->x.y), msub(c, M->x.z, s * M->y.z)},
                {madd(s, e, M->y.x), nmadd(c, e, M->x.x), madd(s, M->x.z, c * M->y.z)},
                {msub(c, M->z.x, s * M->z.y), madd(s, M->z.x, c * M->z.y), M->z.z}};
}

static inline mat3 mat3_rot_x(real c, real s, const mat3 *M)
{
  const real e = msub(c, M->y.y - M->z.z, s * (M->y.z + M->z.y));
  return (mat3){{M->x.x, msub(c, M->x.y, s * M->x.z), madd(s, M->x.y, c * M->x.z)},
                {msub(c, M->y.x, s * M->z.x), madd(c, e, M->z.z), madd(s, e, M->y.z)},
                {madd(s, M->y.x, c * M->z.x), madd(s, e, M->z.y), nmadd(c, e, M->y.y)}};
}

/* ---- articulated inertias ---- */

/* I V */
static inline real6 abi_mul(const abi *I, real6 V)
{
  return (real6){mat3_mul_add(&I->B, V.v, sym3_mul(&I->A, V.w)),
                 mat3_tmul_add(&I->B, V.w, sym3_mul(&I->C, V.v))};
}

static inline sym3 sym3_add(const sym3 *a, const sym3 *b)
{
  return (sym3){a->xx + b->xx, a->yy + b->yy, a->zz + b->zz,
                a->xy + b->xy, a->xz + b->xz, a->yz + b->yz};
}

/* to + a */
static inline void abi_add_to(const abi *a, abi *to)
{
  to->A = sym3_add(&to->A, &a->A);
  to->B.x = add3(to->B.x, a->B.x);
  to->B.y = add3(to->B.y, a->B.y);
  to->B.z = add3(to->B.z, a->B.z);
  to->C = sym3_add(&to->C, &a->C);
}

/* The same about a new origin, p the old one in the new frame (spatial/abi.h). */
static inline abi abi_shift(real3 p, const abi *I)
{
  const sym3 *A = &I->A, *C = &I->C;
  const mat3 *b = &I->B;
  const mat3 n = {
      {madd(p.y, C->xz, nmadd(p.z, C->xy, b->x.x)), madd(p.y, C->yz, nmadd(p.z, C->yy, b->x.y)),
       madd(p.y, C->zz, nmadd(p.z, C->yz, b->x.z))},
      {madd(p.z, C->xx, nmadd(p.x, C->xz, b->y.x)), madd(p.z, C->xy, nmadd(p.x, C->yz, b->y.y)),
       madd(p.z, C->xz, nmadd(p.x, C->zz, b->y.z))},
      {madd(p.x, C->xy, nmadd(p.y, C->xx, b->z.x)), madd(p.x, C->yy, nmadd(p.y, C->xy, b->z.y)),
       madd(p.x, C->yz, nmadd(p.y, C->xz, b->z.z))}};
  return (abi){{madd(p.y, b->x.z + n.x.z, nmadd(p.z, b->x.y + n.x.y, A->xx)),
                madd(p.z, b->y.x + n.y.x, nmadd(p.x, b->y.z + n.y.z, A->yy)),
                madd(p.x, b->z.y + n.z.y, nmadd(p.y, b->z.x + n.z.x, A->zz)),
                madd(p.z, b->x.x - n.y.y, madd(p.y, n.y.z, nmadd(p.x, b->x.z, A->xy))),
                madd(p.y, n.z.z - b->x.x, madd(p.x, b->x.y, nmadd(p.z, n.z.y, A->xz))),
                madd(p.x, b->y.y - n.z.z, madd(p.z, n.z.x, nmadd(p.y, b->y.x, A->yz)))},
               n,
               *C};
}

/* The same with p along one axis. */
static inline abi abi_shift_x(real p, const abi *I)
{
  const sym3 *A = &I->A, *C = &I->C;
  const mat3 *b = &I->B;
  const real3 y = {nmadd(p, C->xz, b->y.x), nmadd(p, C->yz, b->y.y), nmadd(p, C->zz, b->y.z)};
  const real3 z = {madd(p, C->xy, b->z.x), madd(p, C->yy, b->z.y), madd(p, C->yz, b->z.z)};
  return (abi){{A->xx, nmadd(p, b->y.z + y.z, A->yy), madd(p, b->z.y + z.y, A->zz),
                nmadd(p, b->x.z, A->xy), madd(p, b->x.y, A->xz), madd(p, b->y.y - z.z, A->yz)},
               {b->x, y, z},
               *C};
}

static inline abi abi_shift_y(real p, const abi *I)
{
  const sym3 *A = &I->A, *C = &I->C;
  const mat3 *b = &I->B;
  const real3 x = {madd(p, C->xz, b->x.x), madd(p, C->yz, b->x.y), madd(p, C->zz, b->x.z)};
  const real3 z = {nmadd(p, C->xx, b->z.x), nmadd(p, C->xy, b->z.y), nmadd(p, C->xz, b->z.z)};
  return (abi){{madd(p, b->x.z + x.z, A->xx), A->yy, nmadd(p, b->z.x + z.x, A->zz),
                madd(p, b->y.z, A->xy), madd(p, z.z - b->x.x, A->xz), nmadd(p, b->y.x, A->yz)},
               {x, b->y, z},
               *C};
}

static inline abi abi_shift_z(real p, const abi *I)
{
  const sym3 *A = &I->A, *C = &I->C;
  const mat3 *b = &I->B;
  const real3 x = {nmadd(p, C->xy, b->x.x), nmadd(p, C->yy, b->x.y), nmadd(p, C->yz, b->x.z)};
  const real3 y = {madd(p, C->xx, b->y.x), madd(p, C->xy, b->y.y), madd(p, C->xz, b->y.z)};
  return (abi){{nmadd(p, b->x.y + x.y, A->xx), madd(p, b->y.x + y.x, A->yy), A->zz,
                madd(p, b->x.x - y.y, A->xy), nmadd(p, b->z.y, A->xz), madd(p, b->z.x, A->yz)},
               {x, y, b->z},
               *C};
}

/* Rx by a quarter turn. */
static inline sym3 sym3_quarter_x(const sym3 *S)
{
  return (sym3){S->xx, S->zz, S->yy, -S->xz, S->xy, -S->yz};
}

static inline mat3 mat3_quarter_x(const mat3 *M)
{
  return (mat3){{M->x.x, -M->x.z, M->x.y}, {-M->z.x, M->z.z, -M->z.y}, {M->y.x, -M->y.z, M->y.y}};
}
