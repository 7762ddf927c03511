/* SPDX-License-Identifier: Apache-2.0
 * variational/kernel.h - one rigid body over one step: momenta and their derivative.
 *
 * x = log of the displacement, h the step, G the inertia, p = G x / h:
 *   mu   = dlog_x^T p      momentum as the step begins,  -D1 of x.G x / (2 h)          (K1)
 *   next = dlog_-x^T p     momentum as it ends,           D2, in the body's new axes    (K2)
 *   K    = d mu / d zeta   for the displacement exp(zeta) exp(x), dx = dlog_x zeta      (K3)
 *
 * dlog_x = [A 0; B A],  A = 1 - w^/2 + c w^2,  B = -v^/2 + c (w^v^ + v^w^) + c1 w^2,  c1 = 2 (w.v) c'.
 * (K1) in two parts, p = (t, f):  mu.t = A^T t + B^T f,  mu.f = A^T f. So, with J, h (first moment,
 * called s below) and m of the body, and D(f) = d(A^T f)/dw at fixed f:
 *   D(f) = -f^/2 - c ((w x f)^ + w^f^) + 2 c' (w x (w x f)) w^T                                (K4)
 *   L = d mu.f / dw = -A^T s^ / h + D(f)             d mu.f / dv = m A^T / h
 *   N = d mu.t / dv = (A^T s^ + m B^T) / h + D(f)
 *   E = d mu.t / dw = (A^T J - B^T s^) / h + D(t) + d(B^T f)/dw
 *   K_fv = m A^T A / h,   K_fw = L A + m A^T B / h,   K_tw = E A + N B                           (K5)
 * K - K^T = -abar(mu), abar(t, f) = [t^ f^; f^ 0]: so K_tv = K_fw^T - mu.f^, and of K_tw only the upper
 * triangle is computed.                                                                          (K6) */
#pragma once
#include "spatial/inertia.h"
#include "steppers/variational/screw.h"

/* A 6 x 6 matrix that takes twists (w, v) to wrenches (t, f), by blocks; not symmetric. */
typedef struct {
  cardan_mat3 tw, tv, fw, fv;
} cardan__mat6;

static inline cardan_force cardan__mat6_mul(const cardan__mat6 *A, cardan_motion V)
{
  return (cardan_force){
      cardan__vec3_add(cardan__mat3_mulv(&A->tw, V.w), cardan__mat3_mulv(&A->tv, V.v)),
      cardan__vec3_add(cardan__mat3_mulv(&A->fw, V.w), cardan__mat3_mulv(&A->fv, V.v))};
}

/* (K1), (K2) from x and the coefficients of its dlog. */
static inline void cardan__step_momenta(const cardan_inertia *G, cardan_motion x,
                                        const cardan__dlog_coeffs *k, double inv_h, cardan_force *mu,
                                        cardan_force *next)
{
  const cardan_force p = cardan__force_scale(inv_h, cardan__inertia_mul(G, x));
  const double c1 = 2 * cardan__vec3_dot(x.w, x.v) * k->c_s;
  const cardan_force p1 = cardan__motion_ad_transpose(x, p);
  const cardan_force p2 = cardan__motion_ad_transpose(x, p1);
  cardan_force even = cardan__force_axpy(k->c, p2, p);
  even.t = cardan__vec3_axpy(c1, p2.f, even.t);
  *mu = cardan__force_axpy(-0.5, p1, even);
  *next = cardan__force_axpy(0.5, p1, even);
}

/* k a b^T added to M */
static inline void cardan__mat3_add_outer(cardan_mat3 *M, double k, cardan_vec3 a, cardan_vec3 b)
{
  const double u[3] = {k * a.x, k * a.y, k * a.z}, n[3] = {b.x, b.y, b.z};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      M->m[i][j] += u[i] * n[j];
    }
  }
}

/* a^ added to M */
static inline void cardan__mat3_add_skew(cardan_mat3 *M, cardan_vec3 a)
{
  M->m[0][1] -= a.z;
  M->m[0][2] += a.y;
  M->m[1][0] += a.z;
  M->m[1][2] -= a.x;
  M->m[2][0] -= a.y;
  M->m[2][1] += a.x;
}

/* k (a^ b^) = k (b a^T - (a.b) 1) added to M */
static inline void cardan__mat3_add_skew2(cardan_mat3 *M, double k, cardan_vec3 a, cardan_vec3 b)
{
  const double d = k * cardan__vec3_dot(a, b);
  cardan__mat3_add_outer(M, k, b, a);
  M->m[0][0] -= d;
  M->m[1][1] -= d;
  M->m[2][2] -= d;
}

/* A b^: rows of A, each crossed with b from the right: row_i x b. */
static inline cardan_mat3 cardan__mat3_mul_skew(const cardan_mat3 *A, cardan_vec3 b)
{
  cardan_mat3 M;
  for (int i = 0; i < 3; i++) {
    const double *a = A->m[i];
    M.m[i][0] = a[1] * b.z - a[2] * b.y;
    M.m[i][1] = a[2] * b.x - a[0] * b.z;
    M.m[i][2] = a[0] * b.y - a[1] * b.x;
  }
  return M;
}

/* (K4) */
static inline cardan_mat3 cardan__dlog_slope(cardan_vec3 w, const cardan__dlog_coeffs *k, cardan_vec3 f)
{
  const cardan_vec3 wf = cardan__vec3_cross(w, f);
  cardan_mat3 M = {{{0}}};
  cardan__mat3_add_skew(&M, cardan__vec3_axpy(-0.5, f, cardan__vec3_scale(-k->c, wf)));
  cardan__mat3_add_skew2(&M, -k->c, w, f);
  cardan__mat3_add_outer(&M, 2 * k->c_s, cardan__vec3_cross(w, wf), w);
  return M;
}

/* A = 1 - w^/2 + c w^2 and B, the blocks of dlog_x. */
static inline void cardan__dlog_blocks(cardan_motion x, const cardan__dlog_coeffs *k, cardan_mat3 *A,
                                       cardan_mat3 *B)
{
  const double c1 = 2 * cardan__vec3_dot(x.w, x.v) * k->c_s;
  *A = cardan__mat3_identity();
  *B = (cardan_mat3){{{0}}};
  cardan__mat3_add_skew(A, cardan__vec3_scale(-0.5, x.w));
  cardan__mat3_add_skew2(A, k->c, x.w, x.w);
  cardan__mat3_add_skew(B, cardan__vec3_scale(-0.5, x.v));
  cardan__mat3_add_skew2(B, k->c, x.w, x.v);
  cardan__mat3_add_skew2(B, k->c, x.v, x.w);
  cardan__mat3_add_skew2(B, c1, x.w, x.w);
}

/* d(B^T f)/dw at fixed f, added to E: B^T f = v x f / 2 + c (v x (w x f) + w x (v x f)) + c1 w x (w x f). */
static inline void cardan__dlog_slope_linear(cardan_motion x, const cardan__dlog_coeffs *k,
                                             cardan_vec3 f, cardan_mat3 *E)
{
  const cardan_vec3 w = x.w, v = x.v;
  const double wv = 2 * cardan__vec3_dot(w, v), c1 = wv * k->c_s;
  const cardan_vec3 wf = cardan__vec3_cross(w, f), vf = cardan__vec3_cross(v, f);
  const cardan_vec3 mixed = cardan__vec3_add(cardan__vec3_cross(v, wf), cardan__vec3_cross(w, vf));
  cardan__mat3_add_skew2(E, -k->c, v, f);
  cardan__mat3_add_skew(E, cardan__vec3_axpy(-k->c, vf, cardan__vec3_scale(-c1, wf)));
  cardan__mat3_add_skew2(E, -c1, w, f);
  cardan__mat3_add_outer(E, 2 * k->c_s, mixed, w);
  // d c1 / dw = 2 c' v + 2 (w.v) c'' 2 w
  const cardan_vec3 dc1 = cardan__vec3_axpy(2 * k->c_s, v, cardan__vec3_scale(2 * wv * k->c_ss, w));
  cardan__mat3_add_outer(E, 1, cardan__vec3_cross(w, wf), dc1);
}

/* (K3), exactly. mu is that of (K1) at the same x. */
static inline cardan__mat6 cardan__step_slope(const cardan_inertia *G, cardan_motion x,
                                              const cardan__dlog_coeffs *k, double inv_h,
                                              cardan_force mu)
{
  const cardan_force p = cardan__force_scale(inv_h, cardan__inertia_mul(G, x));
  const double m = inv_h * G->m;
  const cardan_vec3 s = cardan__vec3_scale(inv_h, G->h);
  const cardan_mat3 J = {{{inv_h * G->xx, inv_h * G->xy, inv_h * G->xz},
                          {inv_h * G->xy, inv_h * G->yy, inv_h * G->yz},
                          {inv_h * G->xz, inv_h * G->yz, inv_h * G->zz}}};
  cardan_mat3 A, B;
  cardan__dlog_blocks(x, k, &A, &B);
  const cardan_mat3 At = cardan__mat3_transpose(&A), Bt = cardan__mat3_transpose(&B);
  const cardan_mat3 Ats = cardan__mat3_mul_skew(&At, s), Bts = cardan__mat3_mul_skew(&Bt, s);
  const cardan_mat3 Df = cardan__dlog_slope(x.w, k, p.f);

  const cardan_mat3 L = cardan__mat3_axpy(-1, &Ats, &Df);
  cardan_mat3 N = cardan__mat3_axpy(m, &Bt, &Ats);
  N = cardan__mat3_axpy(1, &Df, &N);
  cardan_mat3 E = cardan__mat3_mul(&At, &J);
  E = cardan__mat3_axpy(-1, &Bts, &E);
  const cardan_mat3 Dt = cardan__dlog_slope(x.w, k, p.t);
  E = cardan__mat3_axpy(1, &Dt, &E);
  cardan__dlog_slope_linear(x, k, p.f, &E);

  cardan__mat6 K;
  // (K5); A^T A = 1 + (2 c - 1/4 - c^2 |w|^2) w^2
  const double g = 2 * k->c - 0.25 - k->c * k->c * cardan__vec3_dot(x.w, x.w);
  K.fv = (cardan_mat3){{{m, 0, 0}, {0, m, 0}, {0, 0, m}}};
  cardan__mat3_add_skew2(&K.fv, m * g, x.w, x.w);
  const cardan_mat3 LA = cardan__mat3_mul(&L, &A), AtB = cardan__mat3_mul(&At, &B);
  K.fw = cardan__mat3_axpy(m, &AtB, &LA);
  // (K6)
  K.tv = cardan__mat3_transpose(&K.fw);
  cardan__mat3_add_skew(&K.tv, cardan__vec3_neg(mu.f));
  for (int i = 0; i < 3; i++) {
    for (int j = i; j < 3; j++) {
      K.tw.m[i][j] = E.m[i][0] * A.m[0][j] + E.m[i][1] * A.m[1][j] + E.m[i][2] * A.m[2][j] +
                     (N.m[i][0] * B.m[0][j] + N.m[i][1] * B.m[1][j] + N.m[i][2] * B.m[2][j]);
    }
  }
  // below the diagonal: K^T = K + mu.t^, entry by entry
  K.tw.m[1][0] = K.tw.m[0][1] - mu.t.z;
  K.tw.m[2][0] = K.tw.m[0][2] + mu.t.y;
  K.tw.m[2][1] = K.tw.m[1][2] - mu.t.x;
  return K;
}
