// SPDX-License-Identifier: Apache-2.0
// Vectors, matrices, quaternions: against loops, against each other, against closed forms.
#include "spatial_test.h"

enum { TRIALS = 200 };

static void test_vectors(void **state)
{
  (void)state;
  support_rng rng = {1};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_vec3 a = test_vec3(&rng), b = test_vec3(&rng), c = test_vec3(&rng);
    // a x (b x c) = (a.c) b - (a.b) c: 6 products of entries <= 1 on either side
    const cardan_vec3 left = cardan__vec3_cross(a, cardan__vec3_cross(b, c));
    const cardan_vec3 right = cardan__vec3_sub(cardan__vec3_scale(cardan__vec3_dot(a, c), b),
                                               cardan__vec3_scale(cardan__vec3_dot(a, b), c));
    CLOSE_STRUCT(left, right, 12, 1.0);

    const cardan_mat3 A = cardan__mat3_skew(a);
    const cardan_vec3 skew = cardan__mat3_mulv(&A, b), cross = cardan__vec3_cross(a, b);
    CLOSE_STRUCT(skew, cross, 2, 1.0);

    const cardan_vec3 sum = cardan__vec3_add(cardan__vec3_axpy(2.0, a, b), cardan__vec3_neg(b));
    const cardan_vec3 twice = cardan__vec3_scale(2.0, a);
    CLOSE_STRUCT(sum, twice, 4, 1.0);
    CLOSE(cardan__vec3_norm(cardan__vec3_normalize(a)), 1.0, 4, 1.0);
  }
}

static void test_matrix_products(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_mat3 A =
        cardan__mat3_from_columns(test_vec3(&rng), test_vec3(&rng), test_vec3(&rng));
    const cardan_mat3 B =
        cardan__mat3_from_columns(test_vec3(&rng), test_vec3(&rng), test_vec3(&rng));
    const cardan_vec3 x = test_vec3(&rng);
    const double y[3] = {x.x, x.y, x.z};
    cardan_mat3 AB = {0}, AtB = {0}, ABt = {0};
    double Ax[3] = {0}, Atx[3] = {0};
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        Ax[i] += A.m[i][k] * y[k];
        Atx[i] += A.m[k][i] * y[k];
        for (int j = 0; j < 3; j++) {
          AB.m[i][j] += A.m[i][k] * B.m[k][j];
          AtB.m[i][j] += A.m[k][i] * B.m[k][j];
          ABt.m[i][j] += A.m[i][k] * B.m[j][k];
        }
      }
    }
    // three products of entries <= 1, in the same or another order
    const cardan_mat3 mul = cardan__mat3_mul(&A, &B), tmul = cardan__mat3_tmul(&A, &B);
    const cardan_mat3 mult = cardan__mat3_mult(&A, &B), At = cardan__mat3_transpose(&A);
    for (int i = 0; i < 3; i++) {
      CLOSE_N(At.m[i], ((double[]){A.m[0][i], A.m[1][i], A.m[2][i]}), 3, 0, 1.0);
    }
    const cardan_vec3 mulv = cardan__mat3_mulv(&A, x), tmulv = cardan__mat3_tmulv(&A, x);
    CLOSE_STRUCT(mul, AB, 4, 1.0);
    CLOSE_STRUCT(tmul, AtB, 4, 1.0);
    CLOSE_STRUCT(mult, ABt, 4, 1.0);
    CLOSE_N(&mulv.x, Ax, 3, 4, 1.0);
    CLOSE_N(&tmulv.x, Atx, 3, 4, 1.0);
  }
}

// rotations about axes: rpy = Rz Ry Rx, a turn about z = the general axis; 10 eps: up to three
// matrix products, each entry a sum of three products
static void test_axis_rotations(void **state)
{
  (void)state;
  support_rng rng = {3};
  const cardan_vec3 ex = {1.0, 0.0, 0.0}, ey = {0.0, 1.0, 0.0}, ez = {0.0, 0.0, 1.0};
  for (int trial = 0; trial < TRIALS; trial++) {
    const double r = 4.0 * test_number(&rng), p = 4.0 * test_number(&rng);
    const double y = 4.0 * test_number(&rng);
    const cardan_vec3 a = test_vec3(&rng);
    const cardan_mat3 Rx = cardan__mat3_axis_angle(ex, r), Ry = cardan__mat3_axis_angle(ey, p);
    const cardan_mat3 Rz = cardan__mat3_axis_angle(ez, y), Rzy = cardan__mat3_mul(&Rz, &Ry);
    const cardan_mat3 R = cardan__mat3_mul(&Rzy, &Rx), rpy = cardan__mat3_from_rpy(r, p, y);
    CLOSE_STRUCT(R, rpy, 10, 1.0);

    const cardan_mat3 RRz = cardan__mat3_mul(&R, &Rz);
    const cardan_mat3 turned = cardan__mat3_mul_rot_z(&R, cos(y), sin(y));
    CLOSE_STRUCT(RRz, turned, 4, 1.0);

    // an axis is left where it is; a vector across it turns by the angle
    const cardan_vec3 n = test_axis(&rng), b = cardan__vec3_cross(n, a);
    const cardan_mat3 Rn = cardan__mat3_axis_angle(n, y);
    const cardan_vec3 same = cardan__mat3_mulv(&Rn, n), moved = cardan__mat3_mulv(&Rn, b);
    const cardan_vec3 closed =
        cardan__vec3_axpy(cos(y), b, cardan__vec3_scale(sin(y), cardan__vec3_cross(n, b)));
    CLOSE_STRUCT(same, n, 10, 1.0);
    CLOSE_STRUCT(moved, closed, 20, 1.0);
  }
}

// a quaternion and its matrix must be the same rotation: products, inverse, vectors
static void test_quaternion_is_matrix(void **state)
{
  (void)state;
  support_rng rng = {4};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_quat p = test_quat(&rng), q = test_quat(&rng);
    const cardan_vec3 a = test_vec3(&rng);
    const cardan_mat3 P = cardan_quat_to_mat3(p), Q = cardan_quat_to_mat3(q);
    const cardan_mat3 PQ = cardan__mat3_mul(&P, &Q), one = cardan__mat3_identity();
    const cardan_mat3 pq = cardan_quat_to_mat3(cardan_quat_mul(p, q));
    const cardan_mat3 unit = cardan__mat3_tmul(&P, &P);
    CLOSE_STRUCT(pq, PQ, 12, 1.0);
    CLOSE_STRUCT(unit, one, 12, 1.0);

    const cardan_mat3 Pt = cardan__mat3_transpose(&P);
    const cardan_mat3 conj = cardan_quat_to_mat3(cardan_quat_conj(p));
    CLOSE_STRUCT(Pt, conj, 1, 1.0);
    const cardan_vec3 Pa = cardan__mat3_mulv(&P, a), pa = cardan_quat_rotate(p, a);
    CLOSE_STRUCT(Pa, pa, 12, 1.0);
  }
}

// q -> R -> q, up to sign, in all four branches: each component in turn is made the largest, and
// half turns (w = 0) are included. A rounded R has entries off by eps, divided by 4 * 1/2.
static void test_quaternion_from_matrix(void **state)
{
  (void)state;
  support_rng rng = {5};
  for (int trial = 0; trial < TRIALS; trial++) {
    double c[4];
    for (int i = 0; i < 4; i++) {
      c[i] = 0.9 * test_number(&rng);
    }
    c[trial % 4] = trial % 8 < 4 ? 1.0 : -1.0;
    if (trial % 3 == 0) {
      c[0] = 0.0;
      c[1 + trial % 2] += 1.0;
    }
    const cardan_quat q = cardan_quat_normalize((cardan_quat){c[0], c[1], c[2], c[3]});
    const cardan_mat3 R = cardan_quat_to_mat3(q);
    cardan_quat back = cardan_quat_from_mat3(&R);
    const double dot = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z;
    if (dot < 0.0) {
      back = (cardan_quat){-back.w, -back.x, -back.y, -back.z};
    }
    CLOSE_STRUCT(q, back, 6, 1.0);
  }
  const cardan_mat3 one = cardan__mat3_identity();
  const cardan_quat unit = cardan_quat_from_mat3(&one), expected = {1.0, 0.0, 0.0, 0.0};
  CLOSE_STRUCT(unit, expected, 0, 1.0);
}

// qdot = 1/2 q (0, w) against central differences of the exact drift q exp(h w): the error must
// fall by 4 when h is halved; and drifting twice is drifting once for as long
static void test_quaternion_rate(void **state)
{
  (void)state;
  support_rng rng = {6};
  for (int trial = 0; trial < 20; trial++) {
    const cardan_quat q = test_quat(&rng);
    const cardan_vec3 w = cardan__vec3_scale(3.0, test_axis(&rng));
    const cardan_quat rate = cardan__quat_deriv(q, w);
    double error[2];
    for (int i = 0; i < 2; i++) {
      const double h = i == 0 ? 2e-3 : 1e-3;
      const cardan_quat a = cardan__quat_drift(q, w, h), b = cardan__quat_drift(q, w, -h);
      const cardan_quat fd = {(a.w - b.w) / (2.0 * h), (a.x - b.x) / (2.0 * h),
                              (a.y - b.y) / (2.0 * h), (a.z - b.z) / (2.0 * h)};
      error[i] = test_distance(&fd.w, &rate.w, 4);
    }
    assert_true(error[0] / error[1] > 3.9 && error[0] / error[1] < 4.1);

    const cardan_quat twice = cardan__quat_drift(cardan__quat_drift(q, w, 0.3), w, 0.4);
    const cardan_quat once = cardan__quat_drift(q, w, 0.7);
    CLOSE_STRUCT(twice, once, 8, 1.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_vectors),
      cmocka_unit_test(test_matrix_products),
      cmocka_unit_test(test_axis_rotations),
      cmocka_unit_test(test_quaternion_is_matrix),
      cmocka_unit_test(test_quaternion_from_matrix),
      cmocka_unit_test(test_quaternion_rate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
