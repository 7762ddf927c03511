// SPDX-License-Identifier: Apache-2.0
#include "methods/vi/vi_blocks.h"

#include <stdint.h>

#include "forces/gravity.h"

/* The loops over lanes have no branches, so that they become vector code. Bodies that turn by more
 * than a quarter of a radian need another formula: where there are some, these are computed again,
 * one by one. */

void cardan__lanes_turns(const double dq[CARDAN__LANES], cardan__vi_lanes *o)
{
  int64_t wide = 0;
  for (int l = 0; l < CARDAN__LANES; l++) {
    const double a = 0.5 * dq[l];
    cardan__sincos_series(a, &o->half[0].at[l], &o->half[1].at[l]);
    wide |= a * a > 0.0625 ? 1 : 0;
  }
  for (int l = 0; l < CARDAN__LANES && wide; l++) {
    cardan__small_sincos(0.5 * dq[l], &o->half[0].at[l], &o->half[1].at[l]);
  }
}

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

void cardan__lanes_momenta(const cardan__inertia_lanes *restrict G, double inv_h,
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

static inline void set_block(cardan__lane K[9], int l, const cardan_mat3 *M)
{
  K[0].at[l] = M->m[0][0];
  K[1].at[l] = M->m[0][1];
  K[2].at[l] = M->m[0][2];
  K[3].at[l] = M->m[1][0];
  K[4].at[l] = M->m[1][1];
  K[5].at[l] = M->m[1][2];
  K[6].at[l] = M->m[2][0];
  K[7].at[l] = M->m[2][1];
  K[8].at[l] = M->m[2][2];
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

/* Four components of eight bodies, n apart, to four pairs of bodies: 0 and 2, 4 and 6, 1 and 3, 5
 * and 7. */
static inline void interleave(const cardan__vec8 *in, int n, cardan__vec8 out[4])
{
  const cardan__vec8 a = in[0], b = in[n], c = in[2 * n], d = in[3 * n];
  const cardan__vec8 t0 = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const cardan__vec8 t1 = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const cardan__vec8 t2 = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const cardan__vec8 t3 = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  out[0] = __builtin_shufflevector(t0, t2, 0, 1, 8, 9, 2, 3, 10, 11);
  out[1] = __builtin_shufflevector(t0, t2, 4, 5, 12, 13, 6, 7, 14, 15);
  out[2] = __builtin_shufflevector(t1, t3, 0, 1, 8, 9, 2, 3, 10, 11);
  out[3] = __builtin_shufflevector(t1, t3, 4, 5, 12, 13, 6, 7, 14, 15);
}

void cardan__lanes_slopes(const cardan__inertia_lanes *restrict G, double inv_h,
                          const cardan__vi_lanes *restrict o, cardan__slope_lanes *restrict out)
{
  union {
    cardan__vec8 v[36];
    cardan__lane x[36]; // by blocks tw, tv, fw, fv
  } K;
  cardan__lane c[3];
  coefficients(o->x, c);
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_inertia I = cardan__lane_inertia(G, l);
    const cardan__dlog_coeffs k = {c[0].at[l], c[1].at[l], c[2].at[l]};
    const cardan_twist x = cardan__lane_twist(o->x, l);
    const cardan__mat6 A = cardan__step_slope(&I, x, &k, inv_h, cardan__lane_force(o->mu, l));
    set_block(K.x, l, &A.tw);
    set_block(K.x + 9, l, &A.tv);
    set_block(K.x + 18, l, &A.fw);
    set_block(K.x + 27, l, &A.fv);
  }
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw Q = cardan__lane_screw(o->Q, l);
    cardan__lane_set_twist(out->S, l, cardan__screw_carry_z(&Q));
  }
  for (int e = 0; e < 9; e++) {
    cardan__vec8 pair[4];
    interleave(K.v + e, 9, pair);
    for (int p = 0; p < 4; p++) {
      out->K[p][e].both = pair[p];
    }
  }
}

void cardan__lanes_weights(const cardan__inertia_lanes *restrict G, const cardan__lane *restrict g,
                           cardan__force_lanes *restrict W)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_inertia I = cardan__lane_inertia(G, l);
    cardan__lane_set_force(W->F, l,
                           cardan__weight(&I, cardan__vec3(g[0].at[l], g[1].at[l], g[2].at[l])));
  }
}
