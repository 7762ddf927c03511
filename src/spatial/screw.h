/* SPDX-License-Identifier: Apache-2.0
 * spatial/screw.h - rigid displacements as unit dual quaternions.
 *
 * Q = r + e d, e^2 = 0: a turn by the unit quaternion r and the translation p = 2 d r*. Over a step
 * everything is near the identity, and Q keeps what a matrix loses there: its vector parts are half
 * the angle and half the translation to full relative precision, so that log needs no difference.
 *
 * A dual quaternion is the exponential of half a twist: with u = x / 2, t = |u.w| and dual numbers
 * throughout, Q = cos t + (sin t / t) u. Hence, with n = |vec r|, t = atan2(n, r.w):
 *   x = log Q = 2 (A vec r; A vec d - d.w E vec r), A = t / sin t, E = (1 - t cot t) / sin^2 t (E1)
 * since over the dual numbers vec r . vec d = -r.w d.w and the dual part of A is -d.w E. E is 4
 * A^2 c with c of dlog (so3.h), which a step needs anyway. (E1) holds up to a full turn, t < pi: r
 * and -r are kept apart, so that a body may turn by more than half a turn in a step. */
#pragma once
#include <stdbool.h>

#include "spatial/se3.h"

typedef struct {
  cardan_quat r, d;
} cardan__screw;

static inline cardan__screw cardan__screw_identity(void)
{
  return (cardan__screw){.r = {1, 0, 0, 0}, .d = {0, 0, 0, 0}};
}

static inline cardan__screw cardan__screw_mul(cardan__screw a, cardan__screw b)
{
  const cardan_quat x = cardan__quat_mul(a.r, b.d), y = cardan__quat_mul(a.d, b.r);
  return (cardan__screw){.r = cardan__quat_mul(a.r, b.r),
                         .d = {x.w + y.w, x.x + y.x, x.y + y.y, x.z + y.z}};
}

/* T^-1 Q T: scalars stay, vector parts go to the child as a twist does. */
static inline cardan__screw cardan__screw_to_child(const cardan_xform *T, const cardan__screw *Q)
{
  const cardan_twist u = {.w = {Q->r.x, Q->r.y, Q->r.z}, .v = {Q->d.x, Q->d.y, Q->d.z}};
  const cardan_twist c = cardan__twist_to_child(T, u);
  return (cardan__screw){.r = {Q->r.w, c.w.x, c.w.y, c.w.z}, .d = {Q->d.w, c.v.x, c.v.y, c.v.z}};
}

/* S and C of sin a = a + a y S, cos a = 1 + y C, for y = a^2 <= 1/16, cut off below 1e-17. */
static inline void cardan__sincos_terms(double y, double *S, double *C)
{
  // pairs of terms first: short chains instead of a long one
  const double y2 = y * y, y4 = y2 * y2;
  const double s0 = -1.0 / 6 + y * (1.0 / 120), s1 = -1.0 / 5040 + y * (1.0 / 362880);
  const double s2 = -1.0 / 39916800 + y * (1.0 / 6227020800);
  const double c0 = -0.5 + y * (1.0 / 24), c1 = -1.0 / 720 + y * (1.0 / 40320);
  const double c2 = -1.0 / 3628800 + y * (1.0 / 479001600);
  *S = s0 + y2 * s1 + y4 * s2;
  *C = c0 + y2 * c1 + y4 * c2;
}

/* sin and cos for |a| <= 1/4. */
static inline void cardan__sincos_series(double a, double *s, double *c)
{
  const double y = a * a;
  double S, C;
  cardan__sincos_terms(y, &S, &C);
  *s = a + a * y * S;
  *c = 1 + y * C;
}

/* The same without a call where it holds; any other a by libm. */
static inline void cardan__small_sincos(double a, double *s, double *c)
{
  if (__builtin_expect(a * a > 0.0625, 0)) {
    *s = sin(a);
    *c = cos(a);
  } else {
    cardan__sincos_series(a, s, c);
  }
}

/* Q Rz(2 a), s = sin a, c = cos a */
static inline cardan__screw cardan__screw_turned_z(cardan__screw Q, double s, double c)
{
  const cardan_quat r = Q.r, d = Q.d;
  return (cardan__screw){
      .r = {c * r.w - s * r.z, c * r.x + s * r.y, c * r.y - s * r.x, c * r.z + s * r.w},
      .d = {c * d.w - s * d.z, c * d.x + s * d.y, c * d.y - s * d.x, c * d.z + s * d.w}};
}

/* Q Rz(2 a) */
static inline cardan__screw cardan__screw_turn_z(cardan__screw Q, double a)
{
  double s, c;
  cardan__small_sincos(a, &s, &c);
  return cardan__screw_turned_z(Q, s, c);
}

/* Q Trans_z(2 a) */
static inline cardan__screw cardan__screw_slide_z(cardan__screw Q, double a)
{
  const cardan_quat r = Q.r, d = Q.d;
  return (cardan__screw){.r = r, .d = {d.w - a * r.z, d.x + a * r.y, d.y - a * r.x, d.z + a * r.w}};
}

/* d(sin t / t) / d(t^2) for t^2 <= 1/4, by its series, cut off below 1e-17. */
static inline double cardan__sinc_slope(double y)
{
  return -1.0 / 6 +
         y * (1.0 / 60 + y * (-1.0 / 1680 +
                              y * (1.0 / 90720 + y * (-1.0 / 7983360 +
                                                      y * (1.0 / 1037836800 - y / 186810624000)))));
}

/* exp(x): by dual numbers, cos t and sin t / t of t = |x.w| / 2. */
static inline cardan__screw cardan__screw_exp(cardan_twist x)
{
  const cardan_twist u = cardan__twist_scale(0.5, x);
  const double t2 = cardan__vec3_dot(u.w, u.w), uv = cardan__vec3_dot(u.w, u.v), t = sqrt(t2);
  // sinc and its derivative by t^2, (cos t - sinc) / (2 t^2)
  const double c = cos(t), sinc = t2 > 0 ? sin(t) / t : 1;
  const double slope = t2 > 0.25 ? (c - sinc) / (2 * t2) : cardan__sinc_slope(t2);
  const double k = 2 * uv * slope;
  return (cardan__screw){.r = {c, sinc * u.w.x, sinc * u.w.y, sinc * u.w.z},
                         .d = {-sinc * uv, sinc * u.v.x + k * u.w.x, sinc * u.v.y + k * u.w.y,
                               sinc * u.v.z + k * u.w.z}};
}

/* exp(w) of a turn alone, without a call where the series holds. */
static inline cardan_quat cardan__turn_exp(cardan_vec3 w)
{
  const cardan_vec3 u = cardan__vec3_scale(0.5, w);
  const double y = cardan__vec3_dot(u, u);
  double S, C;
  cardan__sincos_terms(y, &S, &C);
  double c = 1 + y * C, sinc = 1 + y * S;
  if (__builtin_expect(y > 0.0625, 0)) {
    const double t = sqrt(y);
    c = cos(t);
    sinc = sin(t) / t;
  }
  return (cardan_quat){c, sinc * u.x, sinc * u.y, sinc * u.z};
}

/* t / sin t from s = sin^2 t < 0.015 by the arc sine's series: terms fall by 66 or more, cut off
 * below 1e-17. */
static inline double cardan__small_arc(double s)
{
  const double y = s * s, y2 = y * y;
  const double a0 = 1 + s * (1.0 / 6), a1 = 3.0 / 40 + s * (5.0 / 112);
  const double a2 = 35.0 / 1152 + s * (63.0 / 2816), a3 = 231.0 / 13312 + s * (143.0 / 10240);
  return (a0 + y * a1) + y2 * ((a2 + y * a3) + y2 * (6435.0 / 557056));
}

/* May the series serve for this displacement? */
static inline bool cardan__screw_is_small(const cardan__screw *Q)
{
  return Q->r.x * Q->r.x + Q->r.y * Q->r.y + Q->r.z * Q->r.z < 0.015 && Q->r.w > 0;
}

/* t / sin t of any displacement, up to a full turn. */
static inline double cardan__screw_arc(const cardan__screw *Q)
{
  const double s = Q->r.x * Q->r.x + Q->r.y * Q->r.y + Q->r.z * Q->r.z, n = sqrt(s);
  return cardan__screw_is_small(Q) ? cardan__small_arc(s) : n > 0 ? atan2(n, Q->r.w) / n : 1;
}

/* (E1) of a turn alone. */
static inline cardan_vec3 cardan__turn_log(const cardan__screw *Q)
{
  return cardan__vec3_scale(2 * cardan__screw_arc(Q), cardan__vec3(Q->r.x, Q->r.y, Q->r.z));
}

/* (E1) from A = t / sin t; k: the coefficients of dlog_x. */
static inline cardan_twist cardan__screw_log_from(const cardan__screw *Q, double A, double c)
{
  const cardan_vec3 r = {Q->r.x, Q->r.y, Q->r.z}, d = {Q->d.x, Q->d.y, Q->d.z};
  const double A2 = 2 * A, E = A2 * A2 * c * 2 * Q->d.w;
  return (cardan_twist){.w = cardan__vec3_scale(A2, r),
                        .v = cardan__vec3_axpy(-E, r, cardan__vec3_scale(A2, d))};
}

/* (E1); k: the coefficients of dlog_x, which the caller has use for. */
static inline cardan_twist cardan__screw_log(const cardan__screw *Q, cardan__dlog_coeffs *k)
{
  const cardan_vec3 r = {Q->r.x, Q->r.y, Q->r.z};
  const double s = cardan__vec3_dot(r, r), A = cardan__screw_arc(Q);
  *k = cardan__so3_dlog_coeffs(4 * A * A * s);
  return cardan__screw_log_from(Q, A, k->c);
}

/* Ad_T S for the displacement T of Q: the axis S before the step, seen where the step ends. */
static inline cardan_twist cardan__screw_carry(const cardan__screw *Q, cardan_twist S)
{
  const cardan_vec3 r = {Q->r.x, Q->r.y, Q->r.z}, d = {Q->d.x, Q->d.y, Q->d.z};
  // p = 2 d r*, its vector part
  const cardan_vec3 half = cardan__vec3_sub(
      cardan__vec3_axpy(Q->r.w, d, cardan__vec3_scale(-Q->d.w, r)), cardan__vec3_cross(d, r));
  const cardan_vec3 w = cardan__quat_rotate(Q->r, S.w);
  return (cardan_twist){
      .w = w,
      .v = cardan__vec3_axpy(2, cardan__vec3_cross(half, w), cardan__quat_rotate(Q->r, S.v))};
}

/* The same of S = (z; 0), the axis of a turn about z. */
static inline cardan_twist cardan__screw_carry_z(const cardan__screw *Q)
{
  const cardan_quat r = Q->r, d = Q->d;
  const cardan_vec3 w = {2 * (r.x * r.z + r.w * r.y), 2 * (r.y * r.z - r.w * r.x),
                         1 - 2 * (r.x * r.x + r.y * r.y)};
  const cardan_vec3 p = {2 * (r.w * d.x - d.w * r.x - (d.y * r.z - d.z * r.y)),
                         2 * (r.w * d.y - d.w * r.y - (d.z * r.x - d.x * r.z)),
                         2 * (r.w * d.z - d.w * r.z - (d.x * r.y - d.y * r.x))};
  return (cardan_twist){.w = w, .v = cardan__vec3_cross(p, w)};
}

/* Translation p = 2 d r*. */
static inline cardan_vec3 cardan__screw_translation(const cardan__screw *Q)
{
  const cardan_vec3 r = {Q->r.x, Q->r.y, Q->r.z}, d = {Q->d.x, Q->d.y, Q->d.z};
  return cardan__vec3_scale(
      2, cardan__vec3_sub(cardan__vec3_axpy(Q->r.w, d, cardan__vec3_scale(-Q->d.w, r)),
                          cardan__vec3_cross(d, r)));
}
