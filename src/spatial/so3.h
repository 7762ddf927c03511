/* SPDX-License-Identifier: Apache-2.0
 * spatial/so3.h - tangents of exp and log on SO(3); the scalar functions behind SO(3) and SE(3).
 *
 * w is a rotation vector, w^ its skew matrix, t = |w|, s = t^2.
 *   exp(w)  = 1 + a w^ + b w^2          a = sin t / t          b = (1 - cos t) / s
 *   dexp_w  = 1 + b w^ + g w^2          g = (t - sin t) / t^3
 *   dlog_w  = dexp_w^-1 = 1 - w^/2 + c w^2,    c = (1 - (t/2) cot(t/2)) / s,    t < 2 pi
 * Right-trivialised: d(exp w) exp(-w) = (dexp_w dw)^, and log(exp(z) R) = w + dlog_w z + ...
 * The left-trivialised ones, in child coordinates, are those of -w, which are also the transposes.
 *
 * exp and log are public: cardan_so3_exp, cardan_so3_log, cardan_quat_exp, cardan_quat_log. */
#pragma once
#include "spatial/rotation.h"

/* b, g and their derivatives with respect to s. */
typedef struct {
  double b, g, b_s, g_s;
} cardan__dexp_coeffs;

/* c and its first two derivatives with respect to s. */
typedef struct {
  double c, c_s, c_ss;
} cardan__dlog_coeffs;

/* s = |w|^2 >= 0, any size. */
cardan__dexp_coeffs cardan__so3_dexp_coeffs(double s);

/* 0 <= s < 4 pi^2, where c has a pole. */
cardan__dlog_coeffs cardan__so3_dlog_coeffs_wide(double s);

/* The same for |w| <= 1/4 rad, the usual size of a time step, by a short series without branches:
 * c = sum of |B_2k+2| / (2k+2)! s^k, whose terms fall by 632 or more there; what is cut off is
 * below 1e-17 of the value. What the caller does not read is not computed. */
static inline cardan__dlog_coeffs cardan__so3_dlog_coeffs_small(double s)
{
  const double k0 = 1.0 / 12.0, k1 = 1.0 / 720.0, k2 = 1.0 / 30240.0, k3 = 1.0 / 1209600.0;
  const double k4 = 1.0 / 47900160.0, k5 = 691.0 / 1307674368000.0, k6 = 1.0 / 74724249600.0;
  const double k7 = 3617.0 / 10670622842880000.0, k8 = 43867.0 / 5109094217170944000.0;
  // even and odd powers apart: two short chains instead of a long one
  const double r = s * s;
  return (cardan__dlog_coeffs){(k0 + r * (k2 + r * (k4 + r * k6))) + s * (k1 + r * (k3 + r * k5)),
                               (k1 + r * (3.0 * k3 + r * (5.0 * k5 + r * (7.0 * k7)))) +
                                   s * (2.0 * k2 + r * (4.0 * k4 + r * (6.0 * k6))),
                               (2.0 * k2 + r * (12.0 * k4 + r * (30.0 * k6 + r * (56.0 * k8)))) +
                                   s * (6.0 * k3 + r * (20.0 * k5 + r * (42.0 * k7)))};
}

/* Either of the two. */
static inline cardan__dlog_coeffs cardan__so3_dlog_coeffs(double s)
{
  return s > 0.0625 ? cardan__so3_dlog_coeffs_wide(s) : cardan__so3_dlog_coeffs_small(s);
}

/* phi = al / sin al - 1 and psi = (sin al - al cos al) / sin^3 al of kernels/swing_step.h from
 * x = sin^2(al/2), for al below half a turn and not near 0, where they have series. */
static inline void cardan__swing_wide(double x, double *phi, double *psi)
{
  const double y = fmax(1 - x, 0), al = 2 * atan2(sqrt(x), sqrt(y)), sine = 2 * sqrt(x * y);
  *phi = al / sine - 1;
  *psi = (sine - al * (1 - 2 * x)) / (sine * sine * sine);
}

/* dexp_w and dlog_w as matrices. */
cardan_mat3 cardan__so3_dexp(cardan_vec3 w);
cardan_mat3 cardan__so3_dlog(cardan_vec3 w);

/* x + b w x x + g w x (w x x): a polynomial of w^ applied to x. */
static inline cardan_vec3 cardan__so3_poly(cardan_vec3 w, double b, double g, cardan_vec3 x)
{
  const cardan_vec3 x1 = cardan__vec3_cross(w, x), x2 = cardan__vec3_cross(w, x1);
  return cardan__vec3_axpy(g, x2, cardan__vec3_axpy(b, x1, x));
}

/* dexp_w x */
static inline cardan_vec3 cardan__so3_dexp_mulv(cardan_vec3 w, cardan_vec3 x)
{
  const cardan__dexp_coeffs k = cardan__so3_dexp_coeffs(cardan__vec3_dot(w, w));
  return cardan__so3_poly(w, k.b, k.g, x);
}

/* dlog_w x */
static inline cardan_vec3 cardan__so3_dlog_mulv(cardan_vec3 w, cardan_vec3 x)
{
  const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(w, w));
  return cardan__so3_poly(w, -0.5, k.c, x);
}

/* dlog_w^T x = dlog_-w x */
static inline cardan_vec3 cardan__so3_dlog_tmulv(cardan_vec3 w, cardan_vec3 x)
{
  const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(w, w));
  return cardan__so3_poly(w, 0.5, k.c, x);
}
