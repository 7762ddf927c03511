// SPDX-License-Identifier: Apache-2.0
#include "spatial/so3.h"

#include "spatial/so3_coeffs.h"

#define PI_SQUARED 9.869604401089358

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* sum of k[i] s^i, i < n, by Horner */
static double poly(double s, const double *k, int n)
{
  double y = k[n - 1];
  for (int i = n - 2; i >= 0; i--) {
    y = y * s + k[i];
  }
  return y;
}

/* b, g, db/ds, dg/ds.
 *   b_s = (a - 2 b) / (2 s),   g_s = (b - 3 g) / (2 s),   a = sin t / t
 * All are entire functions of s. Up to t = pi the power series serve: they lose nothing at small
 * angles, where the closed forms cancel, and at t = pi the sum of the terms' sizes is at most 6
 * times the value. From there on the closed forms no longer cancel. */
cardan__dexp_coeffs cardan__so3_dexp_coeffs(double s)
{
  if (s <= PI_SQUARED) {
    return (cardan__dexp_coeffs){poly(s, dexp_b, COUNT(dexp_b)), poly(s, dexp_g, COUNT(dexp_g)),
                                 poly(s, dexp_b_s, COUNT(dexp_b_s)),
                                 poly(s, dexp_g_s, COUNT(dexp_g_s))};
  }
  const double half = 0.5 * sqrt(s), sinc = sin(half) / half, a = sinc * cos(half);
  const double b = 0.5 * sinc * sinc, g = (1.0 - a) / s;
  return (cardan__dexp_coeffs){b, g, (a - 2.0 * b) / (2.0 * s), (b - 3.0 * g) / (2.0 * s)};
}

/* c, dc/ds, d2c/ds2. The partial fractions of the cotangent give
 *   c(s) = sum over j >= 1 of 2 / (4 pi^2 j^2 - s)                                       (E1)
 * The two nearest poles are summed as they are, the rest is a power series that converges well
 * up to 4 pi^2 and beyond. Every term of (E1) and of its derivatives is positive, so nothing
 * cancels anywhere in 0 <= s < 4 pi^2, and there is no angle at which to change formula. */
cardan__dlog_coeffs cardan__so3_dlog_coeffs_wide(double s)
{
  const double p = 1.0 / ((CARDAN__POLE1_HI - s) + CARDAN__POLE1_LO);
  const double q = 1.0 / ((CARDAN__POLE2_HI - s) + CARDAN__POLE2_LO);
  return (cardan__dlog_coeffs){2.0 * (p + q) + poly(s, dlog_rest, COUNT(dlog_rest)),
                               2.0 * (p * p + q * q) + poly(s, dlog_rest_s, COUNT(dlog_rest_s)),
                               4.0 * (p * p * p + q * q * q) +
                                   poly(s, dlog_rest_ss, COUNT(dlog_rest_ss))};
}

/* 1 + b w^ + g w^2, with w^2 = w w^T - s 1 written out so that the diagonal does not cancel */
static cardan_mat3 matrix_poly(cardan_vec3 w, double b, double g)
{
  const cardan_vec3 n = cardan__vec3_scale(b, w), u = cardan__vec3_scale(g, w);
  const double xx = u.x * w.x, yy = u.y * w.y, zz = u.z * w.z;
  const double xy = u.x * w.y, xz = u.x * w.z, yz = u.y * w.z;
  return (cardan_mat3){{{1.0 - (yy + zz), xy - n.z, xz + n.y},
                        {xy + n.z, 1.0 - (xx + zz), yz - n.x},
                        {xz - n.y, yz + n.x, 1.0 - (xx + yy)}}};
}

cardan_mat3 cardan__so3_dexp(cardan_vec3 w)
{
  const cardan__dexp_coeffs k = cardan__so3_dexp_coeffs(cardan__vec3_dot(w, w));
  return matrix_poly(w, k.b, k.g);
}

cardan_mat3 cardan__so3_dlog(cardan_vec3 w)
{
  const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(w, w));
  return matrix_poly(w, -0.5, k.c);
}

cardan_quat cardan_quat_mul(cardan_quat a, cardan_quat b)
{
  return cardan__quat_mul(a, b);
}

cardan_quat cardan_quat_conj(cardan_quat q)
{
  return cardan__quat_conj(q);
}

cardan_quat cardan_quat_normalize(cardan_quat q)
{
  return cardan__quat_normalize(q);
}

cardan_vec3 cardan_quat_rotate(cardan_quat q, cardan_vec3 a)
{
  return cardan__quat_rotate(q, a);
}

cardan_mat3 cardan_quat_to_mat3(cardan_quat q)
{
  return cardan__quat_to_mat3(q);
}

cardan_quat cardan_quat_from_mat3(const cardan_mat3 *R)
{
  return cardan__quat_from_mat3(R);
}

cardan_quat cardan_quat_exp(cardan_vec3 w)
{
  return cardan__quat_from_rotvec(w);
}

/* w = 2 atan(|u| / q.w) u / |u|, u the vector part. The arc tangent of two arguments is accurate
 * for every angle: near 0 where the arc cosine of q.w would not be, and near pi where the arc sine
 * of |u| would not be. -q gives the same w. */
cardan_vec3 cardan_quat_log(cardan_quat q)
{
  const cardan_vec3 u = {q.x, q.y, q.z};
  const double n = cardan__vec3_norm(u);
  const double k = n > 0.0 ? 2.0 * atan2(n, fabs(q.w)) / n : 2.0;
  return cardan__vec3_scale(q.w < 0.0 ? -k : k, u);
}

/* By way of the quaternion: sin(t/2)/t is the only function of the angle that is divided. */
cardan_mat3 cardan_so3_exp(cardan_vec3 w)
{
  return cardan__quat_to_mat3(cardan__quat_from_rotvec(w));
}

/* By way of the quaternion: its largest component fixes the axis, also at half a turn, where the
 * antisymmetric part of R, which other formulas divide by, vanishes. */
cardan_vec3 cardan_so3_log(const cardan_mat3 *R)
{
  return cardan_quat_log(cardan__quat_from_mat3(R));
}
