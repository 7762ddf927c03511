// SPDX-License-Identifier: Apache-2.0
// Transforms, twists and wrenches: against dense 6 x 6 matrices and by their invariants.
// Entries are at most 1 unless noted, and a number is a sum of at most a dozen products, so 30 eps
// of the scale covers every comparison here.
#include "spatial_test.h"

#define PI 3.141592653589793

enum { TRIALS = 200 };

static void test_transforms_compose(void **state)
{
  (void)state;
  support_rng rng = {1};
  const cardan_xform one = cardan__xform_identity();
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_xform A = test_xform(&rng), B = test_xform(&rng);
    const cardan_vec3 x = test_vec3(&rng);
    const cardan_xform AB = cardan__xform_mul(&A, &B), Ai = cardan__xform_inverse(&A);
    const cardan_xform AiA = cardan__xform_mul(&Ai, &A), B2 = cardan__xform_inv_mul(&A, &AB);
    const cardan_vec3 y = cardan__xform_point(&AB, x);
    const cardan_vec3 y2 = cardan__xform_point(&A, cardan__xform_point(&B, x));
    const cardan_vec3 back = cardan__xform_inv_point(&AB, y);
    CLOSE_STRUCT(AiA, one, 30, 1.0);
    CLOSE_STRUCT(B2, B, 30, 1.0);
    CLOSE_STRUCT(y, y2, 30, 3.0);
    CLOSE_STRUCT(back, x, 30, 3.0);
  }
}

static void test_transform_makers(void **state)
{
  (void)state;
  const cardan_vec3 p = {1.0, 2.0, 3.0}, x = {1.0, 0.0, 0.0};
  // a quarter turn about y takes x to -z; then one about z leaves it there
  const cardan_xform T = cardan__xform_from_rpy(p, 0.0, 0.5 * PI, 0.5 * PI);
  const cardan_vec3 y = cardan__xform_point(&T, x), expected = {1.0, 2.0, 2.0};
  CLOSE_STRUCT(y, expected, 4, 3.0);
  const cardan_xform Z = cardan__xform_rot((cardan_vec3){0.0, 0.0, 1.0}, 0.5 * PI);
  const cardan_vec3 z = cardan__xform_point(&Z, x), ey = {0.0, 1.0, 0.0};
  CLOSE_STRUCT(z, ey, 4, 1.0);
}

/* The public calls are the kernels, each of the right one. */
static void test_public_transforms(void **state)
{
  (void)state;
  support_rng rng = {7};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_xform A = test_xform(&rng), B = test_xform(&rng);
    const cardan_vec3 x = test_vec3(&rng);
    const cardan_twist V = test_motion(&rng);
    const cardan_force F = test_force(&rng);
    const cardan_xform AB = cardan_xform_mul(&A, &B), Bi = cardan_xform_inverse(&B);
    const cardan_xform A2 = cardan_xform_mul(&AB, &Bi), one = cardan_xform_identity();
    const cardan_xform same = cardan_xform_mul(&one, &A);
    CLOSE_STRUCT(A2, A, 30, 2.0);
    CLOSE_STRUCT(same, A, 0, 1.0);
    const cardan_vec3 y = cardan_xform_point(&AB, x);
    const cardan_vec3 y2 = cardan_xform_point(&A, cardan_xform_point(&B, x));
    CLOSE_STRUCT(y, y2, 30, 3.0);
    // a direction is the difference of two points
    const cardan_vec3 u = cardan_xform_vector(&A, x);
    const cardan_vec3 u2 = cardan__vec3_sub(cardan_xform_point(&A, x), A.p);
    CLOSE_STRUCT(u, u2, 30, 3.0);
    const cardan_twist V_A = cardan_xform_twist(&A, V), kernel = cardan__twist_to_parent(&A, V);
    CLOSE_STRUCT(V_A, kernel, 0, 1.0);
    const double power = cardan__power(V_A, cardan_xform_force(&A, F)), at = cardan__power(V, F);
    assert_near(power, at, 30 * DBL_EPSILON * 20);
    const cardan_quat q = cardan_quat_exp(x);
    const cardan_xform Q = cardan_xform_quat(x, q);
    const cardan_vec3 turned = cardan__vec3_add(cardan_quat_rotate(q, u), x);
    const cardan_vec3 moved = cardan_xform_point(&Q, u);
    CLOSE_STRUCT(moved, turned, 30, 3.0);
  }
  const cardan_vec3 p = {1.0, 2.0, 3.0};
  const cardan_xform T = cardan_xform_rpy(p, 0.0, 0.5 * PI, 0.5 * PI);
  const cardan_vec3 y = cardan_xform_point(&T, (cardan_vec3){1.0, 0.0, 0.0});
  const cardan_vec3 expected = {1.0, 2.0, 2.0};
  CLOSE_STRUCT(y, expected, 4, 3.0);
}

static void test_adjoints_are_dense(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_xform T = test_xform(&rng), Ti = cardan__xform_inverse(&T);
    const cardan_twist V = test_motion(&rng), U = test_motion(&rng);
    const cardan_force F = test_force(&rng);
    const test_mat6 Ad = test_mat6_Ad(&T), Adi = test_mat6_Ad(&Ti), ad = test_mat6_ad(V);
    const test_mat6 AdT = test_mat6_transpose(&Ad), AdiT = test_mat6_transpose(&Adi);
    const test_mat6 adT = test_mat6_transpose(&ad);
    const test_vec6 v = test_vec6_of(V.w, V.v), u = test_vec6_of(U.w, U.v);
    const test_vec6 f = test_vec6_of(F.t, F.f);
    const test_vec6 dense[6] = {test_mat6_mulv(&Ad, v),   test_mat6_mulv(&Adi, v),
                                test_mat6_mulv(&AdiT, f), test_mat6_mulv(&AdT, f),
                                test_mat6_mulv(&ad, u),   test_mat6_mulv(&adT, f)};
    const cardan_twist up = cardan__twist_to_parent(&T, V), down = cardan__twist_to_child(&T, V);
    const cardan_force Fup = cardan__force_to_parent(&T, F), Fdown = cardan__force_to_child(&T, F);
    const cardan_twist VU = cardan__twist_cross(V, U);
    const cardan_force adF = cardan__twist_ad_transpose(V, F);
    CLOSE_N(&up.w.x, dense[0].x, 6, 30, 3.0);
    CLOSE_N(&down.w.x, dense[1].x, 6, 30, 3.0);
    CLOSE_N(&Fup.t.x, dense[2].x, 6, 30, 3.0);
    CLOSE_N(&Fdown.t.x, dense[3].x, 6, 30, 3.0);
    CLOSE_N(&VU.w.x, dense[4].x, 6, 30, 3.0);
    CLOSE_N(&adF.t.x, dense[5].x, 6, 30, 3.0);
    const cardan_force crf = cardan__force_neg(cardan__twist_cross_force(V, F));
    CLOSE_N(&crf.t.x, dense[5].x, 6, 30, 3.0);
  }
}

// power is the same number in both frames; brackets go over into brackets; Jacobi's identity
static void test_invariants(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_xform T = test_xform(&rng);
    const cardan_twist V = test_motion(&rng), U = test_motion(&rng), W = test_motion(&rng);
    const cardan_force F = test_force(&rng);
    const cardan_twist TV = cardan__twist_to_parent(&T, V), TU = cardan__twist_to_parent(&T, U);
    const cardan_force TF = cardan__force_to_parent(&T, F);
    CLOSE(cardan__power(TV, TF), cardan__power(V, F), 30, 6.0);

    const cardan_twist bracket = cardan__twist_to_parent(&T, cardan__twist_cross(V, U));
    const cardan_twist bracket2 = cardan__twist_cross(TV, TU);
    CLOSE_STRUCT(bracket, bracket2, 30, 12.0);

    cardan_twist sum = cardan__twist_cross(V, cardan__twist_cross(U, W));
    sum = cardan__twist_add(sum, cardan__twist_cross(U, cardan__twist_cross(W, V)));
    sum = cardan__twist_add(sum, cardan__twist_cross(W, cardan__twist_cross(V, U)));
    const cardan_twist zero = {0};
    CLOSE_STRUCT(sum, zero, 30, 6.0);
  }
}

static void test_linear_operations(void **state)
{
  (void)state;
  support_rng rng = {4};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_twist V = test_motion(&rng), U = test_motion(&rng);
    const cardan_force F = test_force(&rng), G = test_force(&rng);
    const cardan_twist a = cardan__twist_sub(cardan__twist_axpy(2.0, V, U), U);
    const cardan_twist b = cardan__twist_neg(cardan__twist_scale(-2.0, V));
    const cardan_force c = cardan__force_sub(cardan__force_axpy(2.0, F, G), G);
    const cardan_force d = cardan__force_scale(2.0, F);
    CLOSE_STRUCT(a, b, 4, 1.0);
    CLOSE_STRUCT(c, d, 4, 1.0);
    const cardan_force sum = cardan__force_add(F, G);
    CLOSE(cardan__power(V, sum), cardan__power(V, F) + cardan__power(V, G), 30, 6.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_transforms_compose), cmocka_unit_test(test_transform_makers),
      cmocka_unit_test(test_public_transforms),  cmocka_unit_test(test_adjoints_are_dense),
      cmocka_unit_test(test_invariants),         cmocka_unit_test(test_linear_operations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
