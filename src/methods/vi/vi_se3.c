// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>

#include "methods/vi/vi_blocks.h"

/* Momenta of eight bodies and their derivative for the published kinetic energy, x.G x / (2 h) of
 * the logarithm on SE(3) (option kinetic, se3), as vi_blocks.c has those of `swing`. */

/* mu and next from x and the coefficients of its dlog. */
CARDAN__INLINE void momenta_at(const cardan__inertia_lanes *G, double inv_h, int l, cardan_twist x,
                               const cardan__dlog_coeffs *k, cardan__vi_lanes *o)
{
  const cardan_inertia I = cardan__lane_inertia(G, l);
  cardan_force mu, next;
  cardan__step_momenta(&I, x, k, inv_h, &mu, &next);
  cardan__lane_set_force(o->mu, l, mu);
  cardan__lane_set_force(o->next, l, next);
}

static void wide_momenta(const cardan__inertia_lanes *restrict G, double inv_h,
                         cardan__vi_lanes *restrict o)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw q = cardan__lane_screw(o->Q, l);
    if (!cardan__screw_is_small(&q)) {
      cardan__dlog_coeffs k;
      const cardan_twist x = cardan__screw_log(&q, &k);
      cardan__lane_set_twist(o->x, l, x);
      momenta_at(G, inv_h, l, x, &k, o);
    }
  }
}

void cardan__lanes_momenta_se3(const cardan__inertia_lanes *restrict G, double inv_h,
                               cardan__vi_lanes *restrict o)
{
  int64_t wide = 0;
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw q = cardan__lane_screw(o->Q, l);
    const double s = q.r.x * q.r.x + q.r.y * q.r.y + q.r.z * q.r.z, A = cardan__small_arc(s);
    const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs_small(4 * A * A * s);
    const cardan_twist x = cardan__screw_log_from(&q, A, k.c);
    cardan__lane_set_twist(o->x, l, x);
    momenta_at(G, inv_h, l, x, &k, o);
    wide |= s < 0.015 && q.r.w > 0 ? 0 : 1;
  }
  if (wide) {
    wide_momenta(G, inv_h, o);
  }
}

static inline void set_coeffs(cardan__lane c[3], int l, const cardan__dlog_coeffs *k)
{
  c[0].at[l] = k->c;
  c[1].at[l] = k->c_s;
  c[2].at[l] = k->c_ss;
}

/* Coefficients of dlog. */
static void coefficients(const cardan__lane w[3], cardan__lane c[3])
{
  int64_t wide = 0;
  for (int l = 0; l < CARDAN__LANES; l++) {
    const double s = w[0].at[l] * w[0].at[l] + w[1].at[l] * w[1].at[l] + w[2].at[l] * w[2].at[l];
    const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs_small(s);
    set_coeffs(c, l, &k);
    wide |= s > 0.0625 ? 1 : 0;
  }
  for (int l = 0; l < CARDAN__LANES && wide; l++) {
    const double s = w[0].at[l] * w[0].at[l] + w[1].at[l] * w[1].at[l] + w[2].at[l] * w[2].at[l];
    if (s > 0.0625) {
      const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs_wide(s);
      set_coeffs(c, l, &k);
    }
  }
}

void cardan__lanes_slopes_se3(const cardan__inertia_lanes *restrict G, double inv_h,
                              const cardan__vi_lanes *restrict o, cardan__slope_lanes *restrict out)
{
  cardan__lane K[36], c[3]; // K by blocks tw, tv, fw, fv
  coefficients(o->x, c);
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_inertia I = cardan__lane_inertia(G, l);
    const cardan__dlog_coeffs k = {c[0].at[l], c[1].at[l], c[2].at[l]};
    const cardan_twist x = cardan__lane_twist(o->x, l);
    const cardan__mat6 A = cardan__step_slope(&I, x, &k, inv_h, cardan__lane_force(o->mu, l));
    cardan__lane_set_mat3(K, l, &A.tw);
    cardan__lane_set_mat3(K + 9, l, &A.tv);
    cardan__lane_set_mat3(K + 18, l, &A.fw);
    cardan__lane_set_mat3(K + 27, l, &A.fv);
  }
  cardan__lanes_put_slopes(K, o, out);
}
