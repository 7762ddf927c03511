// SPDX-License-Identifier: Apache-2.0
#include "spatial/se3.h"

cardan_twist cardan__se3_dexp_mul(cardan_twist x, cardan_twist y)
{
  const cardan__dexp_coeffs k = cardan__so3_dexp_coeffs(cardan__vec3_dot(x.w, x.w));
  const double wv = 2.0 * cardan__vec3_dot(x.w, x.v);
  const cardan_twist y1 = cardan__twist_cross(x, y), y2 = cardan__twist_cross(x, y1);
  cardan_twist z = cardan__twist_axpy(k.g, y2, cardan__twist_axpy(k.b, y1, y));
  z.v = cardan__vec3_axpy(wv * k.b_s, y1.w, cardan__vec3_axpy(wv * k.g_s, y2.w, z.v));
  return z;
}

cardan_force cardan__se3_dexp_tmul(cardan_twist x, cardan_force F)
{
  const cardan__dexp_coeffs k = cardan__so3_dexp_coeffs(cardan__vec3_dot(x.w, x.w));
  const double wv = 2.0 * cardan__vec3_dot(x.w, x.v);
  const cardan_force F1 = cardan__twist_ad_transpose(x, F);
  const cardan_force F2 = cardan__twist_ad_transpose(x, F1);
  cardan_force Z = cardan__force_axpy(k.g, F2, cardan__force_axpy(k.b, F1, F));
  Z.t = cardan__vec3_axpy(wv * k.b_s, F1.f, cardan__vec3_axpy(wv * k.g_s, F2.f, Z.t));
  return Z;
}

/* T = (exp w, dexp_w v) */
cardan_xform cardan_se3_exp(cardan_twist x)
{
  return (cardan_xform){cardan_so3_exp(x.w), cardan__so3_dexp_mulv(x.w, x.v)};
}

/* x = (w, dlog_w p), w = log R: dlog of SO(3) is regular at half a turn. */
cardan_twist cardan_se3_log(const cardan_xform *T)
{
  const cardan_vec3 w = cardan_so3_log(&T->R);
  return (cardan_twist){w, cardan__so3_dlog_mulv(w, T->p)};
}
