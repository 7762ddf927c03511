/* SPDX-License-Identifier: Apache-2.0
 * vi/vi_ball.h - what (N3) to (N6) of vi_newton.c become for a ball joint on which nothing acts.
 *
 * With S = (1; 0), S' = Ad_dT S = (R; p^ R), p and R the displacement of the body, and A by blocks
 * of rows that make torques (t) and forces (f),
 *   U = E R,   E = A_w + A_v p^,   D = E_t R                                               (B1)
 * so R cancels from U D^-1 = (1; G), and W S' = D gives the two blocks that are left:
 *   G = E_f E_t^-1,   A - U D^-1 W = [0 0; -C p^  C],   C = A_fv - G A_tv                  (B2)
 * which act where p points. In the parent's axes, with C_l = X.R C X.R^T and d = X.p + X.R p,
 *   X^T (..) X = [-X.p^ C_l d^  X.p^ C_l; -C_l d^  C_l]                                    (B3)
 * And with y = E_t^-1 u, K = E_t^-1 A_tv, for which E_t^-1 A_tw = 1 - K p^, (N5) and (N6) are
 *   b = (r; b_f + G u)                                                                     (B4)
 *   a = z_v + z_w x p,   zeta_w = y - K a,   zeta_v = a + p x zeta_w,
 *   dq = R^T (zeta_w - z_w)                                                                (B5) */
#pragma once
#include <math.h>

#include "methods/vi/vi.h"

/* Is body i a ball joint without a slope of its own? Elements at the middle may give it one. */
static inline bool cardan__vi_ball_is_free(const cardan__vi *s, int i, int vadr)
{
  const double *slope = s->slope + vadr;
  double sum = fabs(slope[0]) + fabs(slope[1]) + fabs(slope[2]);
  if (s->has_elastic) {
    const double *block = s->elastic.block + (size_t)36 * (size_t)s->base.node->multi_of[i];
    for (int k = 0; k < 9; k++) {
      sum += fabs(block[k]);
    }
  }
  return sum == 0;
}

/* M^-1 = cofactors / det; false when there is none. */
static inline bool cardan__vi_ball_invert(const cardan_mat3 *M, cardan_mat3 *cofactors,
                                          double *inv_det)
{
  const cardan_vec3 a = cardan__mat3_column(M, 0), b = cardan__mat3_column(M, 1),
                    c = cardan__mat3_column(M, 2), bc = cardan__vec3_cross(b, c),
                    ca = cardan__vec3_cross(c, a), ab = cardan__vec3_cross(a, b);
  const double det = cardan__vec3_dot(a, bc), k = 1 / det;
  *cofactors = (cardan_mat3){{{bc.x, bc.y, bc.z}, {ca.x, ca.y, ca.z}, {ab.x, ab.y, ab.z}}};
  *inv_det = k;
  return fabs(det) > 0 && isfinite(k);
}

/* One block of A: 0 tw, 1 tv, 2 fw, 3 fv. block: a constant of the caller's */
CARDAN__INLINE cardan_mat3 cardan__vi_ball_block(const cardan__quad *A, const int block)
{
  const cardan__vec4(*m)[3] = A->m;
  return (cardan_mat3){{{m[0][0][block], m[0][1][block], m[0][2][block]},
                        {m[1][0][block], m[1][1][block], m[1][2][block]},
                        {m[2][0][block], m[2][1][block], m[2][2][block]}}};
}

static inline cardan_mat3 cardan__vi_ball_scale(double k, const cardan_mat3 *A)
{
  const cardan_mat3 zero = {{{0}}};
  return cardan__mat3_axpy(k, A, &zero);
}

/* C of (B2), and E_t^-1, G, K to f; false where E_t has no inverse. Numbers are divided by its
 * determinant last: a chain of bodies waits for the division. */
static inline bool cardan__vi_ball_eliminate(const cardan__quad *A, cardan_vec3 p,
                                             cardan__vi_ball *f, cardan_mat3 *C)
{
  const cardan_mat3 tv = cardan__vi_ball_block(A, 1), fv = cardan__vi_ball_block(A, 3);
  const cardan_mat3 tw = cardan__vi_ball_block(A, 0), fw = cardan__vi_ball_block(A, 2);
  const cardan_mat3 tp = cardan__mat3_mul_skew(&tv, p), fp = cardan__mat3_mul_skew(&fv, p);
  const cardan_mat3 Et = cardan__mat3_axpy(1, &tp, &tw), Ef = cardan__mat3_axpy(1, &fp, &fw);
  cardan_mat3 cofactors;
  double k;
  const bool pivot = cardan__vi_ball_invert(&Et, &cofactors, &k);
  const cardan_mat3 P = cardan__mat3_mul(&cofactors, &tv), taken = cardan__mat3_mul(&Ef, &P),
                    G = cardan__mat3_mul(&Ef, &cofactors);
  *C = cardan__mat3_axpy(-k, &taken, &fv);
  f->p = p;
  f->K = cardan__vi_ball_scale(k, &P);
  f->G = cardan__vi_ball_scale(k, &G);
  f->inv_E = cardan__vi_ball_scale(k, &cofactors);
  return pivot;
}

/* (B3) of a body whose joint is placed at X. */
static inline void cardan__vi_ball_to_parent(const cardan_xform *X, cardan_vec3 p,
                                             const cardan_mat3 *C, cardan__quad *out)
{
  const cardan_mat3 RC = cardan__mat3_mul(&X->R, C), Rt = cardan__mat3_transpose(&X->R);
  const cardan_mat3 fv = cardan__mat3_mul(&RC, &Rt);
  const cardan_vec3 r = X->p, d = cardan__vec3_add(r, cardan__mat3_mulv(&X->R, p));
  const cardan_mat3 fw = cardan__mat3_mul_skew(&fv, cardan__vec3_neg(d));
  const cardan__vec4 x = {r.x, r.x, 0, 0}, y = {r.y, r.y, 0, 0}, z = {r.z, r.z, 0, 0},
                     keep = {0, 0, 1, 1};
  for (int j = 0; j < 3; j++) {
    cardan__vec4 F[3];
    for (int i = 0; i < 3; i++) {
      F[i] = (cardan__vec4){fw.m[i][j], fv.m[i][j], fw.m[i][j], fv.m[i][j]};
    }
    out->m[0][j] = keep * F[0] + y * F[2] - z * F[1];
    out->m[1][j] = keep * F[1] + z * F[0] - x * F[2];
    out->m[2][j] = keep * F[2] + x * F[1] - y * F[0];
  }
}

/* (B4): u, and b of the parent; y in place of u. */
static inline cardan_force cardan__vi_ball_reduce(const cardan__vi_ball *f, const cardan_xform *X,
                                                  const double *r, cardan_force b, double *y)
{
  const cardan_vec3 t = {r[0], r[1], r[2]}, u = cardan__vec3_sub(t, b.t);
  const cardan_vec3 own = cardan__mat3_mulv(&f->inv_E, u);
  y[0] = own.x;
  y[1] = own.y;
  y[2] = own.z;
  return cardan__force_to_parent(
      X, (cardan_force){t, cardan__vec3_add(b.f, cardan__mat3_mulv(&f->G, u))});
}

/* (B5): dq, and zeta in place of that of the parent in the body's axes, z. */
static inline cardan_twist cardan__vi_ball_expand(const cardan__vi_ball *f, const double *y,
                                                  cardan_twist z, double *dq)
{
  const cardan_vec3 a = cardan__vec3_add(z.v, cardan__vec3_cross(z.w, f->p));
  const cardan_vec3 w =
      cardan__vec3_sub(cardan__vec3(y[0], y[1], y[2]), cardan__mat3_mulv(&f->K, a));
  const cardan_vec3 own = cardan__mat3_tmulv(&f->R, cardan__vec3_sub(w, z.w));
  dq[0] = own.x;
  dq[1] = own.y;
  dq[2] = own.z;
  return (cardan_twist){w, cardan__vec3_add(a, cardan__vec3_cross(f->p, w))};
}
