/* SPDX-License-Identifier: Apache-2.0
 * vi/kernel.h - one rigid body over one step: momenta and their derivative.
 *
 * x = log of the displacement, h the step, G the inertia, p = G x / h:
 *   mu   = dlog_x^T p      momentum as the step begins,  -D1 of x.G x / (2 h)          (K1)
 *   next = dlog_-x^T p     momentum as it ends,           D2, in the body's new axes    (K2)
 *   K    = d mu / d zeta   for the displacement exp(zeta) exp(x), dx = dlog_x zeta      (K3)
 *
 * dlog_x = [A 0; B A],  A = 1 - w^/2 + c w^2,  B = -v^/2 + c (w^v^ + v^w^) + c1 w^2,
 * c1 = 2 (w.v) c'. (K1) in two parts, p = (t, f):  mu.t = A^T t + B^T f,  mu.f = A^T f. With J, s
 * (first moment) and m of the body over h, and D(f) = d(A^T f)/dw at fixed f, every derivative is
 * a skew matrix, an outer product and a multiple of 1:
 *   D(f) = (-f/2 - c w x f)^ + g(f) w^T + c (w.f) 1,   g(f) = -c f + 2 c' w x (w x f)          (K4)
 *   d(B^T f)/dw = (-c v x f - c1 w x f)^ + g(f) v^T + r w^T + (c v.f + c1 w.f) 1,
 *          r = -c1 f + 2 c' (v x (w x f) + w x (v x f)) + 4 (w.v) c'' w x (w x f)              (K5)
 *   N = d mu.t / dv = A^T s^ + m B^T + D(f)
 *   E = d mu.t / dw = A^T J - B^T s^ + D(t) + d(B^T f)/dw
 *   K_tv = N A,   K_tw = E A + N B,   K_fv = m A^T A                                           (K6)
 * K - K^T = -abar(mu), abar(t, f) = [t^ f^; f^ 0]: so K_fw = (K_tv + mu.f^)^T, and of K_tw only
 * the upper triangle is computed (K7). */
#pragma once
#include "base/inline.h"
#include "spatial/inertia.h"
#include "spatial/screw.h"

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
CARDAN__INLINE void cardan__step_momenta(const cardan_inertia *G, cardan_motion x,
                                         const cardan__dlog_coeffs *k, double inv_h,
                                         cardan_force *mu, cardan_force *next)
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

/* M + k a b^T */
CARDAN__INLINE cardan_mat3 cardan__mat3_add_outer(const cardan_mat3 *M, double k, cardan_vec3 a,
                                                  cardan_vec3 b)
{
  const double(*m)[3] = M->m;
  const cardan_vec3 u = cardan__vec3_scale(k, a);
  return (cardan_mat3){{{m[0][0] + u.x * b.x, m[0][1] + u.x * b.y, m[0][2] + u.x * b.z},
                        {m[1][0] + u.y * b.x, m[1][1] + u.y * b.y, m[1][2] + u.y * b.z},
                        {m[2][0] + u.z * b.x, m[2][1] + u.z * b.y, m[2][2] + u.z * b.z}}};
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

/* A = 1 - w^/2 + c w^2, or A^T with the sign of w^ turned. */
CARDAN__INLINE cardan_mat3 cardan__dlog_turn(cardan_vec3 w, double c, double sign)
{
  const double ww = c * cardan__vec3_dot(w, w), k = -0.5 * sign;
  const cardan_vec3 u = cardan__vec3_scale(c, w), n = cardan__vec3_scale(k, w);
  const double xy = u.x * w.y, xz = u.x * w.z, yz = u.y * w.z;
  return (cardan_mat3){{{1 - ww + u.x * w.x, xy - n.z, xz + n.y},
                        {xy + n.z, 1 - ww + u.y * w.y, yz - n.x},
                        {xz - n.y, yz + n.x, 1 - ww + u.z * w.z}}};
}

/* B = -v^/2 + (symmetric): c (w v^T + v w^T) + c1 w w^T - (2 c w.v + c1 w.w) 1, or B^T. */
CARDAN__INLINE cardan_mat3 cardan__dlog_shift(cardan_motion x, double c, double c1, double sign)
{
  const cardan_vec3 w = x.w, v = x.v, n = cardan__vec3_scale(-0.5 * sign, v);
  const cardan_vec3 a = cardan__vec3_axpy(0.5 * c1, w, cardan__vec3_scale(c, v)); // w a^T + a w^T
  const double d = -2 * cardan__vec3_dot(w, a);
  const double xy = w.x * a.y + a.x * w.y, xz = w.x * a.z + a.x * w.z, yz = w.y * a.z + a.y * w.z;
  return (cardan_mat3){{{d + 2 * w.x * a.x, xy - n.z, xz + n.y},
                        {xy + n.z, d + 2 * w.y * a.y, yz - n.x},
                        {xz - n.y, yz + n.x, d + 2 * w.z * a.z}}};
}

/* N and E of (K6); At = A^T, Bt = B^T. */
CARDAN__INLINE void cardan__momentum_slopes(const cardan_inertia *G, cardan_motion x,
                                            const cardan__dlog_coeffs *k, double inv_h,
                                            const cardan_mat3 *At, const cardan_mat3 *Bt,
                                            cardan_mat3 *N, cardan_mat3 *E)
{
  const cardan_vec3 w = x.w, v = x.v;
  const cardan_force p = cardan__force_scale(inv_h, cardan__inertia_mul(G, x));
  const cardan_vec3 s = cardan__vec3_scale(inv_h, G->h), f = p.f, t = p.t;
  const double c = k->c, d = 2 * k->c_s, wv = 2 * cardan__vec3_dot(w, v), c1 = wv * k->c_s;
  const double m = inv_h * G->m;
  const cardan_vec3 wf = cardan__vec3_cross(w, f), wwf = cardan__vec3_cross(w, wf);
  const cardan_vec3 wt = cardan__vec3_cross(w, t), wwt = cardan__vec3_cross(w, wt);
  const cardan_vec3 vf = cardan__vec3_cross(v, f);
  const cardan_vec3 g = cardan__vec3_axpy(d, wwf, cardan__vec3_scale(-c, f));

  // D(f), (K4)
  const cardan_mat3 Ats = cardan__mat3_mul_skew(At, s);
  const double(*b)[3] = Bt->m, (*a)[3] = Ats.m;
  *N = (cardan_mat3){{{a[0][0] + m * b[0][0], a[0][1] + m * b[0][1], a[0][2] + m * b[0][2]},
                      {a[1][0] + m * b[1][0], a[1][1] + m * b[1][1], a[1][2] + m * b[1][2]},
                      {a[2][0] + m * b[2][0], a[2][1] + m * b[2][1], a[2][2] + m * b[2][2]}}};
  *N = cardan__mat3_add_outer(N, 1, g, w);
  *N = cardan__mat3_add_skew(N, cardan__vec3_axpy(-c, wf, cardan__vec3_scale(-0.5, f)),
                             c * cardan__vec3_dot(w, f));

  // D(t) and (K5) together
  const cardan_vec3 mixed = cardan__vec3_add(cardan__vec3_cross(v, wf), cardan__vec3_cross(w, vf));
  cardan_vec3 r = cardan__vec3_axpy(d, cardan__vec3_add(mixed, wwt), cardan__vec3_scale(-c, t));
  r = cardan__vec3_axpy(2 * wv * k->c_ss, wwf, cardan__vec3_axpy(-c1, f, r));
  const cardan_vec3 e = cardan__vec3_axpy(-c, cardan__vec3_add(wt, vf),
                                          cardan__vec3_axpy(-c1, wf, cardan__vec3_scale(-0.5, t)));
  const double kappa =
      c * (cardan__vec3_dot(w, t) + cardan__vec3_dot(v, f)) + c1 * cardan__vec3_dot(w, f);
  const cardan_mat3 J = {{{inv_h * G->xx, inv_h * G->xy, inv_h * G->xz},
                          {inv_h * G->xy, inv_h * G->yy, inv_h * G->yz},
                          {inv_h * G->xz, inv_h * G->yz, inv_h * G->zz}}};
  const cardan_mat3 AtJ = cardan__mat3_mul(At, &J), Bts = cardan__mat3_mul_skew(Bt, s);
  *E = cardan__mat3_difference(&AtJ, &Bts);
  *E = cardan__mat3_add_outer(E, 1, r, w);
  *E = cardan__mat3_add_outer(E, 1, g, v);
  *E = cardan__mat3_add_skew(E, e, kappa);
}

/* Entry (i, j) of E A + N B. */
CARDAN__INLINE double cardan__product_entry(const cardan_mat3 *E, const cardan_mat3 *A,
                                            const cardan_mat3 *N, const cardan_mat3 *B, int i,
                                            int j)
{
  return E->m[i][0] * A->m[0][j] + E->m[i][1] * A->m[1][j] + E->m[i][2] * A->m[2][j] +
         (N->m[i][0] * B->m[0][j] + N->m[i][1] * B->m[1][j] + N->m[i][2] * B->m[2][j]);
}

/* (K3), exactly. mu is that of (K1) at the same x. */
CARDAN__INLINE cardan__mat6 cardan__step_slope(const cardan_inertia *G, cardan_motion x,
                                               const cardan__dlog_coeffs *k, double inv_h,
                                               cardan_force mu)
{
  const double c1 = 2 * cardan__vec3_dot(x.w, x.v) * k->c_s;
  const cardan_mat3 A = cardan__dlog_turn(x.w, k->c, 1), At = cardan__dlog_turn(x.w, k->c, -1);
  const cardan_mat3 B = cardan__dlog_shift(x, k->c, c1, 1),
                    Bt = cardan__dlog_shift(x, k->c, c1, -1);
  cardan_mat3 N, E;
  cardan__momentum_slopes(G, x, k, inv_h, &At, &Bt, &N, &E);
  const cardan_mat3 tv = cardan__mat3_mul(&N, &A); // (K6)
  const double xx = cardan__product_entry(&E, &A, &N, &B, 0, 0);
  const double yy = cardan__product_entry(&E, &A, &N, &B, 1, 1);
  const double zz = cardan__product_entry(&E, &A, &N, &B, 2, 2);
  const double xy = cardan__product_entry(&E, &A, &N, &B, 0, 1);
  const double xz = cardan__product_entry(&E, &A, &N, &B, 0, 2);
  const double yz = cardan__product_entry(&E, &A, &N, &B, 1, 2);
  // A^T A = 1 + g w^2
  const double ww = cardan__vec3_dot(x.w, x.w), m = inv_h * G->m;
  const double g = m * (2 * k->c - 0.25 - k->c * k->c * ww);
  const cardan_vec3 u = cardan__vec3_scale(g, x.w), f = mu.f, t = mu.t;
  const double d = m - g * ww, uxy = u.x * x.w.y, uxz = u.x * x.w.z, uyz = u.y * x.w.z;
  return (cardan__mat6){
      // (K7)
      .tw = {{{xx, xy, xz}, {xy - t.z, yy, yz}, {xz + t.y, yz - t.x, zz}}},
      .tv = tv,
      .fw = {{{tv.m[0][0], tv.m[1][0] + f.z, tv.m[2][0] - f.y},
              {tv.m[0][1] - f.z, tv.m[1][1], tv.m[2][1] + f.x},
              {tv.m[0][2] + f.y, tv.m[1][2] - f.x, tv.m[2][2]}}},
      .fv = {
          {{d + u.x * x.w.x, uxy, uxz}, {uxy, d + u.y * x.w.y, uyz}, {uxz, uyz, d + u.z * x.w.z}}}};
}
