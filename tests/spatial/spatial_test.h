/* SPDX-License-Identifier: Apache-2.0
 * Helpers of the spatial tests: random values, dense 6 x 6 matrices, tolerances in eps. */
#pragma once
#include <float.h>
#include <math.h>

#include "spatial/spatial.h"
#include "support.h"

static inline double test_number(support_rng *rng)
{
  return support_random_in(rng, -1.0, 1.0);
}

static inline cardan_vec3 test_vec3(support_rng *rng)
{
  double a[3];
  support_random_vec(rng, a, 3, 1.0);
  return (cardan_vec3){a[0], a[1], a[2]};
}

/* Unit vector. */
static inline cardan_vec3 test_axis(support_rng *rng)
{
  cardan_vec3 a = test_vec3(rng);
  while (cardan__vec3_norm(a) < 0.1) {
    a = test_vec3(rng);
  }
  return cardan__vec3_normalize(a);
}

static inline cardan_quat test_quat(support_rng *rng)
{
  const cardan_vec3 u = test_vec3(rng);
  return cardan__quat_normalize((cardan_quat){u.x, u.y, u.z, 0.5});
}

static inline cardan_xform test_xform(support_rng *rng)
{
  const cardan_quat q = test_quat(rng);
  return cardan__xform_from_quat(q, test_vec3(rng));
}

static inline cardan_twist test_motion(support_rng *rng)
{
  cardan_twist x;
  x.w = test_vec3(rng);
  x.v = test_vec3(rng);
  return x;
}

static inline cardan_force test_force(support_rng *rng)
{
  cardan_force F;
  F.t = test_vec3(rng);
  F.f = test_vec3(rng);
  return F;
}

/* Dense 6 x 6 matrices and 6-vectors, [angular; linear]: the slow way, written with loops only. */
typedef struct {
  double m[6][6];
} test_mat6;

typedef struct {
  double x[6];
} test_vec6;

static inline test_vec6 test_vec6_of(cardan_vec3 a, cardan_vec3 b)
{
  return (test_vec6){{a.x, a.y, a.z, b.x, b.y, b.z}};
}

static inline test_mat6 test_mat6_mul(const test_mat6 *A, const test_mat6 *B)
{
  test_mat6 C = {0};
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      for (int k = 0; k < 6; k++) {
        C.m[i][j] += A->m[i][k] * B->m[k][j];
      }
    }
  }
  return C;
}

static inline test_mat6 test_mat6_transpose(const test_mat6 *A)
{
  test_mat6 C;
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) {
      C.m[i][j] = A->m[j][i];
    }
  }
  return C;
}

static inline test_vec6 test_mat6_mulv(const test_mat6 *A, test_vec6 x)
{
  test_vec6 y = {0};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) {
      y.x[i] += A->m[i][k] * x.x[k];
    }
  }
  return y;
}

/* [a 0; c b] from three 3 x 3 blocks */
static inline test_mat6 test_mat6_lower(const cardan_mat3 *a, const cardan_mat3 *c,
                                        const cardan_mat3 *b)
{
  test_mat6 A = {0};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      A.m[i][j] = a->m[i][j];
      A.m[i + 3][j] = c->m[i][j];
      A.m[i + 3][j + 3] = b->m[i][j];
    }
  }
  return A;
}

/* Ad_T = [R 0; p^R R] */
static inline test_mat6 test_mat6_Ad(const cardan_xform *T)
{
  const cardan_mat3 P = cardan__mat3_skew(T->p), PR = cardan__mat3_mul(&P, &T->R);
  return test_mat6_lower(&T->R, &PR, &T->R);
}

/* ad_x = [w^ 0; v^ w^] */
static inline test_mat6 test_mat6_ad(cardan_twist x)
{
  const cardan_mat3 W = cardan__mat3_skew(x.w), V = cardan__mat3_skew(x.v);
  return test_mat6_lower(&W, &V, &W);
}

/* Largest |a - b| of n numbers. */
static inline double test_distance(const double *a, const double *b, int n)
{
  double worst = 0.0;
  for (int i = 0; i < n; i++) {
    const double e = fabs(a[i] - b[i]);
    if (!(e <= worst)) {
      worst = e; // also when e is not a number
    }
  }
  return worst;
}

/* Fails unless n numbers agree within count * eps * scale. */
#define CLOSE_N(a, b, n, count, scale) assert_near_vec((a), (b), (n), (count)*DBL_EPSILON *(scale))
#define CLOSE(a, b, count, scale) assert_near((a), (b), (count)*DBL_EPSILON *(scale))

/* The same for structs made of doubles only: pass two lvalues of one type. */
#define CLOSE_STRUCT(a, b, count, scale)                                          \
  CLOSE_N((const double *)(const void *)&(a), (const double *)(const void *)&(b), \
          (int)(sizeof(a) / sizeof(double)), (count), (scale))
