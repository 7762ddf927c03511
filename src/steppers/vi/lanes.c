// SPDX-License-Identifier: Apache-2.0
#include "steppers/vi/lanes.h"

/* The loops over lanes have no branches, so that they become vector code. Bodies that turn by more
 * than a quarter of a radian need another formula: they are computed again, one by one. */

static inline cardan__screw screw_at(const cardan__vi_lanes *o, int l)
{
  return (cardan__screw){.r = {o->Q[0][l], o->Q[1][l], o->Q[2][l], o->Q[3][l]},
                         .d = {o->Q[4][l], o->Q[5][l], o->Q[6][l], o->Q[7][l]}};
}

static inline cardan_motion motion_at(const cardan__vi_lanes *o, int l)
{
  return (cardan_motion){{o->x[0][l], o->x[1][l], o->x[2][l]},
                         {o->x[3][l], o->x[4][l], o->x[5][l]}};
}

static inline void set_log(cardan__vi_lanes *o, int l, cardan_motion x,
                           const cardan__dlog_coeffs *k)
{
  o->x[0][l] = x.w.x;
  o->x[1][l] = x.w.y;
  o->x[2][l] = x.w.z;
  o->x[3][l] = x.v.x;
  o->x[4][l] = x.v.y;
  o->x[5][l] = x.v.z;
  o->c[0][l] = k->c;
  o->c[1][l] = k->c_s;
}

static inline void set_force(cardan__lane F[6], int l, cardan_force a)
{
  F[0][l] = a.t.x;
  F[1][l] = a.t.y;
  F[2][l] = a.t.z;
  F[3][l] = a.f.x;
  F[4][l] = a.f.y;
  F[5][l] = a.f.z;
}

void cardan__lanes_momenta(const cardan__inertia_lanes *restrict G, double inv_h,
                           cardan__vi_lanes *restrict o)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw q = screw_at(o, l);
    const double s = q.r.x * q.r.x + q.r.y * q.r.y + q.r.z * q.r.z, A = cardan__small_arc(s);
    const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs_small(4 * A * A * s);
    set_log(o, l, cardan__screw_log_from(&q, A, k.c), &k);
  }
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan__screw q = screw_at(o, l);
    if (!cardan__screw_is_small(&q)) {
      cardan__dlog_coeffs k;
      const cardan_motion x = cardan__screw_log(&q, &k);
      set_log(o, l, x, &k);
    }
  }
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_inertia I = cardan__lane_inertia(G, l);
    const cardan__dlog_coeffs k = {.c = o->c[0][l], .c_s = o->c[1][l]};
    cardan_force mu, next;
    cardan__step_momenta(&I, motion_at(o, l), &k, inv_h, &mu, &next);
    set_force(o->mu, l, mu);
    set_force(o->next, l, next);
  }
}

static inline void set_block(cardan__lane K[9], int l, const cardan_mat3 *M)
{
  K[0][l] = M->m[0][0];
  K[1][l] = M->m[0][1];
  K[2][l] = M->m[0][2];
  K[3][l] = M->m[1][0];
  K[4][l] = M->m[1][1];
  K[5][l] = M->m[1][2];
  K[6][l] = M->m[2][0];
  K[7][l] = M->m[2][1];
  K[8][l] = M->m[2][2];
}

static inline void set_coeffs(cardan__vi_lanes *o, int l, const cardan__dlog_coeffs *k)
{
  o->c[0][l] = k->c;
  o->c[1][l] = k->c_s;
  o->c[2][l] = k->c_ss;
}

void cardan__lanes_slopes(const cardan__inertia_lanes *restrict G, double inv_h,
                          cardan__vi_lanes *restrict o)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_vec3 w = motion_at(o, l).w;
    const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs_small(cardan__vec3_dot(w, w));
    set_coeffs(o, l, &k);
  }
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_vec3 w = motion_at(o, l).w;
    if (cardan__vec3_dot(w, w) > 0.0625) {
      const cardan__dlog_coeffs k = cardan__so3_dlog_coeffs_wide(cardan__vec3_dot(w, w));
      set_coeffs(o, l, &k);
    }
  }
  for (int l = 0; l < CARDAN__LANES; l++) {
    const cardan_inertia I = cardan__lane_inertia(G, l);
    const cardan__dlog_coeffs k = {o->c[0][l], o->c[1][l], o->c[2][l]};
    const cardan_force mu = {{o->mu[0][l], o->mu[1][l], o->mu[2][l]},
                             {o->mu[3][l], o->mu[4][l], o->mu[5][l]}};
    const cardan__mat6 A = cardan__step_slope(&I, motion_at(o, l), &k, inv_h, mu);
    set_block(o->K, l, &A.tw);
    set_block(o->K + 9, l, &A.tv);
    set_block(o->K + 18, l, &A.fw);
    set_block(o->K + 27, l, &A.fv);
  }
}
