// SPDX-License-Identifier: Apache-2.0
#include "methods/vi/vi_blocks.h"

#include <stdint.h>
#include <string.h>

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

/* x of one body, and the coefficients of its momenta where series hold; returns whether they do. */
CARDAN__INLINE bool place_small(const cardan__screw *Q, const cardan__central *b,
                                cardan__swing_place *at, double *c, double *phi)
{
  const double s = Q->r.x * Q->r.x + Q->r.y * Q->r.y + Q->r.z * Q->r.z;
  const double A = cardan__small_arc(s);
  *at = cardan__swing_at(Q, A, b->c);
  *c = cardan__so3_dlog_coeffs_small(4 * A * A * s).c;
  *phi = cardan__swing_phi(cardan__swing_sigma(at->r, b->s));
  return s < 0.015 && Q->r.w > 0;
}

/* Bodies that turn by more than the series hold for. */
static void wide_momenta(const cardan__central_lanes *restrict b, double inv_h,
                         cardan__vi_lanes *restrict o)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw Q = cardan__lane_screw(o->Q, l);
    if (!cardan__screw_is_small(&Q)) {
      const cardan__central own = cardan__lane_central(b, l);
      const cardan__central over = cardan__central_over(inv_h, &own);
      const cardan__swing_place at = cardan__swing_at(&Q, cardan__screw_arc(&Q), own.c);
      const cardan__swing_coeffs k = cardan__swing_coeffs_of(&at, own.s);
      cardan_force mu, next;
      cardan__swing_momenta(&over, &at, k.c, k.phi, &mu, &next);
      cardan__lane_set_pair(o->x, l, at.theta, at.way);
      cardan__lane_set_force(o->mu, l, mu);
      cardan__lane_set_force(o->next, l, next);
    }
  }
}

void cardan__lanes_momenta(const cardan__central_lanes *restrict b, double inv_h,
                           cardan__vi_lanes *restrict o)
{
  int64_t wide = 0;
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw Q = cardan__lane_screw(o->Q, l);
    const cardan__central own = cardan__lane_central(b, l);
    const cardan__central over = cardan__central_over(inv_h, &own);
    cardan__swing_place at;
    cardan_force mu, next;
    double c, phi;
    wide |= place_small(&Q, &own, &at, &c, &phi) ? 0 : 1;
    cardan__swing_momenta(&over, &at, c, phi, &mu, &next);
    cardan__lane_set_pair(o->x, l, at.theta, at.way);
    cardan__lane_set_force(o->mu, l, mu);
    cardan__lane_set_force(o->next, l, next);
  }
  if (wide) {
    wide_momenta(b, inv_h, o);
  }
}

CARDAN__INLINE void set_coeffs(cardan__lane c[4], int l, cardan__swing_coeffs k)
{
  c[0].at[l] = k.c;
  c[1].at[l] = k.c_s;
  c[2].at[l] = k.phi;
  c[3].at[l] = k.psi;
}

/* Where the last residual left a body. */
CARDAN__INLINE cardan__swing_place place_again(const cardan__vi_lanes *o, int l)
{
  return (cardan__swing_place){.w = o->Q[0].at[l],
                               .r = cardan__lane_vec3(o->Q + 1, l),
                               .theta = cardan__lane_vec3(o->x, l),
                               .way = cardan__lane_vec3(o->x + 3, l)};
}

/* Coefficients of slopes. */
static void coefficients(const cardan__central_lanes *restrict b,
                         const cardan__vi_lanes *restrict o, cardan__lane c[4])
{
  int64_t wide = 0;
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__swing_place at = place_again(o, l);
    const double s = cardan__vec3_dot(at.theta, at.theta);
    const double x = cardan__swing_sigma(at.r, cardan__lane_vec3(b->s, l));
    const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs_small(s);
    const double phi = cardan__swing_phi(x), psi = cardan__swing_psi(x);
    set_coeffs(c, l, (cardan__swing_coeffs){k.c, k.c_s, phi, psi});
    wide |= s > 0.0625 ? 1 : 0;
  }
  for (int l = 0; l < CARDAN__LANES && wide; l++) {
    const cardan__swing_place at = place_again(o, l);
    if (cardan__vec3_dot(at.theta, at.theta) > 0.0625) {
      set_coeffs(c, l, cardan__swing_coeffs_of(&at, cardan__lane_vec3(b->s, l)));
    }
  }
}

/* Four components of eight bodies, n apart, to four pairs of bodies: 0 and 2, 4 and 6, 1 and 3, 5
 * and 7. */
static inline void interleave(const cardan__lane *in, int n, cardan__vec8 out[4])
{
  cardan__vec8 a, b, c, d;
  memcpy(&a, &in[0], sizeof a);
  memcpy(&b, &in[n], sizeof b);
  memcpy(&c, &in[2 * n], sizeof c);
  memcpy(&d, &in[3 * n], sizeof d);
  const cardan__vec8 t0 = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const cardan__vec8 t1 = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const cardan__vec8 t2 = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const cardan__vec8 t3 = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  out[0] = __builtin_shufflevector(t0, t2, 0, 1, 8, 9, 2, 3, 10, 11);
  out[1] = __builtin_shufflevector(t0, t2, 4, 5, 12, 13, 6, 7, 14, 15);
  out[2] = __builtin_shufflevector(t1, t3, 0, 1, 8, 9, 2, 3, 10, 11);
  out[3] = __builtin_shufflevector(t1, t3, 4, 5, 12, 13, 6, 7, 14, 15);
}

void cardan__lanes_put_slopes(const cardan__lane K[36], const cardan__vi_lanes *restrict o,
                              cardan__slope_lanes *restrict out)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw Q = cardan__lane_screw(o->Q, l);
    cardan__lane_set_twist(out->S, l, cardan__screw_carry_z(&Q));
  }
  for (int e = 0; e < 9; e++) {
    cardan__vec8 pair[4];
    interleave(K + e, 9, pair);
    for (int p = 0; p < 4; p++) {
      out->K[p][e].both = pair[p];
    }
  }
}

void cardan__lanes_slopes(const cardan__central_lanes *restrict b, double inv_h,
                          const cardan__vi_lanes *restrict o, cardan__slope_lanes *restrict out)
{
  cardan__lane K[36], c[4]; // K by blocks tw, tv, fw, fv
  coefficients(b, o, c);
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__central own = cardan__lane_central(b, l);
    const cardan__central over = cardan__central_over(inv_h, &own);
    const cardan__swing_place at = place_again(o, l);
    const cardan__swing_coeffs k = {c[0].at[l], c[1].at[l], c[2].at[l], c[3].at[l]};
    const cardan__mat6 A = cardan__swing_slope(&over, &at, &k, cardan__lane_vec3(o->mu, l));
    cardan__lane_set_mat3(K, l, &A.tw);
    cardan__lane_set_mat3(K + 9, l, &A.tv);
    cardan__lane_set_mat3(K + 18, l, &A.fw);
    cardan__lane_set_mat3(K + 27, l, &A.fv);
  }
  cardan__lanes_put_slopes(K, o, out);
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
