/* SPDX-License-Identifier: Apache-2.0
 * vi/kernel.h - one rigid body over one step: momenta and their derivative, (S1) to (S5) of
 * kernels/swing_step.h and (K1) to (K7) of kernels/body_step.h, for doubles. Products and sums are
 * fused where the compiler likes. */
#pragma once
#include "base/inline.h"
#include "model/central.h"
#include "spatial/inertia.h"
#include "spatial/screw.h"

/* A 6 x 6 matrix that takes twists (w, v) to wrenches (t, f), by blocks; not symmetric. */
typedef struct {
  cardan_mat3 tw, tv, fw, fv;
} cardan__mat6;

static inline cardan_force cardan__mat6_mul(const cardan__mat6 *A, cardan_twist V)
{
  return (cardan_force){
      cardan__vec3_add(cardan__mat3_mulv(&A->tw, V.w), cardan__mat3_mulv(&A->tv, V.v)),
      cardan__vec3_add(cardan__mat3_mulv(&A->fw, V.w), cardan__mat3_mulv(&A->fv, V.v))};
}

/* M + a b^T */
CARDAN__INLINE cardan_mat3 cardan__mat3_add_outer(const cardan_mat3 *M, cardan_vec3 a,
                                                  cardan_vec3 b)
{
  const double(*m)[3] = M->m;
  return (cardan_mat3){{{m[0][0] + a.x * b.x, m[0][1] + a.x * b.y, m[0][2] + a.x * b.z},
                        {m[1][0] + a.y * b.x, m[1][1] + a.y * b.y, m[1][2] + a.y * b.z},
                        {m[2][0] + a.z * b.x, m[2][1] + a.z * b.y, m[2][2] + a.z * b.z}}};
}

/* k A + B */
CARDAN__INLINE cardan_mat3 cardan__mat3_axpy(double k, const cardan_mat3 *A, const cardan_mat3 *B)
{
  const double(*a)[3] = A->m, (*b)[3] = B->m;
  return (cardan_mat3){{{b[0][0] + k * a[0][0], b[0][1] + k * a[0][1], b[0][2] + k * a[0][2]},
                        {b[1][0] + k * a[1][0], b[1][1] + k * a[1][1], b[1][2] + k * a[1][2]},
                        {b[2][0] + k * a[2][0], b[2][1] + k * a[2][1], b[2][2] + k * a[2][2]}}};
}

/* M + a^ + k 1 */
CARDAN__INLINE cardan_mat3 cardan__mat3_add_skew(const cardan_mat3 *M, cardan_vec3 a, double k)
{
  const double(*m)[3] = M->m;
  return (cardan_mat3){{{m[0][0] + k, m[0][1] - a.z, m[0][2] + a.y},
                        {m[1][0] + a.z, m[1][1] + k, m[1][2] - a.x},
                        {m[2][0] - a.y, m[2][1] + a.x, m[2][2] + k}}};
}

/* M b^: rows of M, each crossed with b from the right: row_i x b. */
CARDAN__INLINE cardan_mat3 cardan__mat3_mul_skew(const cardan_mat3 *M, cardan_vec3 b)
{
  const double(*m)[3] = M->m;
  return (cardan_mat3){{{m[0][1] * b.z - m[0][2] * b.y, m[0][2] * b.x - m[0][0] * b.z,
                         m[0][0] * b.y - m[0][1] * b.x},
                        {m[1][1] * b.z - m[1][2] * b.y, m[1][2] * b.x - m[1][0] * b.z,
                         m[1][0] * b.y - m[1][1] * b.x},
                        {m[2][1] * b.z - m[2][2] * b.y, m[2][2] * b.x - m[2][0] * b.z,
                         m[2][0] * b.y - m[2][1] * b.x}}};
}

CARDAN__INLINE cardan_mat3 cardan__mat3_difference(const cardan_mat3 *A, const cardan_mat3 *B)
{
  const double(*a)[3] = A->m, (*b)[3] = B->m;
  return (cardan_mat3){{{a[0][0] - b[0][0], a[0][1] - b[0][1], a[0][2] - b[0][2]},
                        {a[1][0] - b[1][0], a[1][1] - b[1][1], a[1][2] - b[1][2]},
                        {a[2][0] - b[2][0], a[2][1] - b[2][1], a[2][2] - b[2][2]}}};
}

/* Entry (i, j) of E A + N B. */
CARDAN__INLINE double cardan__product_entry(const cardan_mat3 *E, const cardan_mat3 *A,
                                            const cardan_mat3 *N, const cardan_mat3 *B, int i,
                                            int j)
{
  return E->m[i][0] * A->m[0][j] + E->m[i][1] * A->m[1][j] + E->m[i][2] * A->m[2][j] +
         (N->m[i][0] * B->m[0][j] + N->m[i][1] * B->m[1][j] + N->m[i][2] * B->m[2][j]);
}

CARDAN__INLINE cardan_mat3 cardan__sym3_matrix(const cardan__sym3 *S)
{
  return (cardan_mat3){{{S->xx, S->xy, S->xz}, {S->xy, S->yy, S->yz}, {S->xz, S->yz, S->zz}}};
}

// what kernels/body_step.h and kernels/swing_step.h compute with
#define INLINE CARDAN__INLINE
#define NAME(f) cardan__##f
#define real double
#define real3 cardan_vec3
#define twist cardan_twist
#define wrench cardan_force
#define torque t
#define force f
#define mat3 cardan_mat3
#define mat6 cardan__mat6
#define dlog cardan__dlog_coeffs
#define real_of(x) (x)
#define madd(a, b, c) ((a) * (b) + (c))
#define nmadd(a, b, c) ((c) - (a) * (b))
#define add3 cardan__vec3_add
#define scale3 cardan__vec3_scale
#define axpy3 cardan__vec3_axpy
#define dot3 cardan__vec3_dot
#define cross3 cardan__vec3_cross
#define cross3_sum(a, b, c, d) cardan__vec3_add(cardan__vec3_cross(a, b), cardan__vec3_cross(c, d))
#define axpy6 cardan__force_axpy
#define ad_transpose cardan__twist_ad_transpose
#define AT_x 0
#define AT_y 1
#define AT_z 2
#define MAT3(...) ((cardan_mat3){{__VA_ARGS__}})
#define ENTRY(M, i, j) (M).m[AT_##i][AT_##j]
#define ENTRY_SUM(E, A, N, B, i, j) cardan__product_entry(&(E), &(A), &(N), &(B), AT_##i, AT_##j)
#define mat3_axpy cardan__mat3_axpy
#define mat3_sub cardan__mat3_difference
#define mat3_mul_mat3 cardan__mat3_mul
#define mat3_mul_skew cardan__mat3_mul_skew
#define mat3_add_outer cardan__mat3_add_outer
#define mat3_add_skew cardan__mat3_add_skew
#define central cardan__central
#define central_mass(b) (b)->m
#define central_k(b) (b)->k
#define central_c(b) (b)->c
#define central_s(b) (b)->s
#define central_mul(b, w) cardan__sym3_mulv(&(b)->J, w)
#define central_tensor(b) cardan__sym3_matrix(&(b)->J)
#define central_arm(b, f, t) cardan__vec3_add(t, cardan__vec3_cross((b)->c, f))
#define ENTRY_OF(E, A, i, j)                                                   \
  ((E).m[AT_##i][0] * (A).m[0][AT_##j] + (E).m[AT_##i][1] * (A).m[1][AT_##j] + \
   (E).m[AT_##i][2] * (A).m[2][AT_##j])
#include "kernels/body_step.h"
#include "kernels/swing_step.h"
#undef central
#undef central_mass
#undef central_k
#undef central_c
#undef central_s
#undef central_mul
#undef central_tensor
#undef central_arm
#undef ENTRY_OF
#undef INLINE
#undef NAME
#undef real
#undef real3
#undef twist
#undef wrench
#undef torque
#undef force
#undef mat3
#undef mat6
#undef dlog
#undef real_of
#undef madd
#undef nmadd
#undef add3
#undef scale3
#undef axpy3
#undef dot3
#undef cross3
#undef cross3_sum
#undef axpy6
#undef ad_transpose
#undef AT_x
#undef AT_y
#undef AT_z
#undef MAT3
#undef ENTRY
#undef ENTRY_SUM
#undef mat3_axpy
#undef mat3_sub
#undef mat3_mul_mat3
#undef mat3_mul_skew
#undef mat3_add_outer
#undef mat3_add_skew

/* Where a displacement takes a body, from theta = A 2 vec r. */
CARDAN__INLINE cardan__swing_place cardan__swing_at(const cardan__screw *Q, double A, cardan_vec3 c)
{
  const cardan_vec3 r = {Q->r.x, Q->r.y, Q->r.z}, d = {Q->d.x, Q->d.y, Q->d.z};
  return (cardan__swing_place){.w = Q->r.w,
                               .r = r,
                               .theta = cardan__vec3_scale(2 * A, r),
                               .way = cardan__swing_way(Q->r.w, r, Q->d.w, d, c)};
}

/* Coefficients of any turn; the series where they hold. */
static inline cardan__swing_coeffs cardan__swing_coeffs_of(const cardan__swing_place *at,
                                                           cardan_vec3 s)
{
  const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(at->theta, at->theta));
  const double x = cardan__swing_sigma(at->r, s);
  cardan__swing_coeffs to = {.c = k.c, .c_s = k.c_s};
  if (x < 0.015) {
    to.phi = cardan__swing_phi(x);
    to.psi = cardan__swing_psi(x);
  } else {
    cardan__swing_wide(x, &to.phi, &to.psi);
  }
  return to;
}

/* A body's constants over h. */
CARDAN__INLINE cardan__central cardan__central_over(double inv_h, const cardan__central *b)
{
  return (cardan__central){.m = inv_h * b->m,
                           .k = inv_h * b->k,
                           .c = b->c,
                           .s = b->s,
                           .J = {inv_h * b->J.xx, inv_h * b->J.yy, inv_h * b->J.zz, inv_h * b->J.xy,
                                 inv_h * b->J.xz, inv_h * b->J.yz}};
}

/* (K1), (K2) of a body with inertia G. */
CARDAN__INLINE void cardan__step_momenta(const cardan_inertia *G, cardan_twist x,
                                         const cardan__dlog_coeffs *k, double inv_h,
                                         cardan_force *mu, cardan_force *next)
{
  const cardan_force p = cardan__force_scale(inv_h, cardan__inertia_mul(G, x));
  cardan__momenta_of(x, p, k, mu, next);
}

/* (K3); mu is that of (K1) at the same x. */
CARDAN__INLINE cardan__mat6 cardan__step_slope(const cardan_inertia *G, cardan_twist x,
                                               const cardan__dlog_coeffs *k, double inv_h,
                                               cardan_force mu)
{
  const cardan_force p = cardan__force_scale(inv_h, cardan__inertia_mul(G, x));
  const cardan_mat3 J = {{{inv_h * G->xx, inv_h * G->xy, inv_h * G->xz},
                          {inv_h * G->xy, inv_h * G->yy, inv_h * G->yz},
                          {inv_h * G->xz, inv_h * G->yz, inv_h * G->zz}}};
  return cardan__slope_of(inv_h * G->m, cardan__vec3_scale(inv_h, G->h), &J, x, p, k, mu);
}
