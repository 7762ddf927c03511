/* SPDX-License-Identifier: Apache-2.0
 * spatial/se3.h - tangents of exp and log on SE(3), applied to twists and wrenches.
 *
 * x = (w, v) is a twist, t = |w|, s = t^2, ad = ad_x = [w^ 0; v^ w^].
 *   dexp_x = sum of ad^j / (j+1)!        d(exp x) exp(-x) = dexp_x dx     (right-trivialised)
 *   dlog_x = dexp_x^-1                   log(exp(z) T) = x + dlog_x z + ...,  t < 2 pi
 *   dlog_-x = dlog_x Ad_T,  T = exp x;   log(T exp(y)) = x + dlog_-x y + ...
 *
 * Closed forms. A twist is a rotation vector over the dual numbers, w + e v with e^2 = 0, and ad_x
 * is its skew matrix; e acts on twists as e (w, v) = (0, w). So every formula of SO(3) holds with
 * s replaced by s + 2 e (w.v), and f(s) by f + 2 e (w.v) f':
 *   dexp_x = 1 + (b + e b1) ad + (g + e g1) ad^2,   b1 = 2 (w.v) b_s,   g1 = 2 (w.v) g_s
 *   dlog_x = 1 - ad/2 + (c + e c1) ad^2,            c1 = 2 (w.v) c_s
 * This needs two brackets. The equal form 1 - ad/2 + A ad^2 + B ad^4 needs four, and since
 * A = c - s c_s, B = -c_s, its last two terms grow as 1/(2 pi - t)^2 towards a full turn, where the
 * w block they must cancel to grows only as 1/(2 pi - t).
 *
 * Transposes act on wrenches: <dlog_x^T F, y> = <F, dlog_x y>; e^T (t, f) = (f, 0).
 * exp and log are public: cardan_se3_exp, cardan_se3_log. */
#pragma once
#include <stddef.h>

#include "spatial/so3.h"
#include "spatial/twist.h"

/* dexp_x y */
cardan_twist cardan__se3_dexp_mul(cardan_twist x, cardan_twist y);

/* dexp_x^T F */
cardan_force cardan__se3_dexp_tmul(cardan_twist x, cardan_force F);

/* dlog_x y */
static inline cardan_twist cardan__se3_dlog_mul(cardan_twist x, cardan_twist y)
{
  const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(x.w, x.w));
  const double c1 = 2.0 * cardan__vec3_dot(x.w, x.v) * k.c_s;
  const cardan_twist y1 = cardan__twist_cross(x, y), y2 = cardan__twist_cross(x, y1);
  cardan_twist z = cardan__twist_axpy(k.c, y2, cardan__twist_axpy(-0.5, y1, y));
  z.v = cardan__vec3_axpy(c1, y2.w, z.v);
  return z;
}

/* dlog_x^T F and dlog_-x^T F at the price of one: they differ in the sign of the odd term. For
 * F = G x / h they are the momenta at the two ends of a step h. plus or minus may be NULL. */
static inline void cardan__se3_dlog_tmul_both(cardan_twist x, cardan_force F, cardan_force *plus,
                                              cardan_force *minus)
{
  const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs(cardan__vec3_dot(x.w, x.w));
  const double c1 = 2.0 * cardan__vec3_dot(x.w, x.v) * k.c_s;
  const cardan_force F1 = cardan__twist_ad_transpose(x, F);
  const cardan_force F2 = cardan__twist_ad_transpose(x, F1);
  cardan_force even = cardan__force_axpy(k.c, F2, F);
  even.t = cardan__vec3_axpy(c1, F2.f, even.t);
  if (plus != NULL) {
    *plus = cardan__force_axpy(-0.5, F1, even);
  }
  if (minus != NULL) {
    *minus = cardan__force_axpy(0.5, F1, even);
  }
}

/* dlog_x^T F */
static inline cardan_force cardan__se3_dlog_tmul(cardan_twist x, cardan_force F)
{
  cardan_force mu;
  cardan__se3_dlog_tmul_both(x, F, &mu, NULL);
  return mu;
}
