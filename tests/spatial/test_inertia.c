// SPDX-License-Identifier: Apache-2.0
// Rigid and articulated inertias: against clouds of point masses and dense 6 x 6 matrices.
#include "spatial_test.h"

enum { TRIALS = 200, POINTS = 8 };

/* A body made of point masses: nothing about it can be inadmissible. */
typedef struct {
  double m[POINTS];
  cardan_vec3 x[POINTS];
} cloud;

static cloud test_cloud(support_rng *rng)
{
  cloud c;
  for (int i = 0; i < POINTS; i++) {
    c.m[i] = 0.5 + 0.4 * test_number(rng);
    c.x[i] = test_vec3(rng);
  }
  return c;
}

static cardan_inertia cloud_inertia(const cloud *c)
{
  const cardan__sym3 none = {0};
  cardan_inertia G = {0};
  for (int i = 0; i < POINTS; i++) {
    const cardan_inertia point = cardan__inertia_from_com(c->m[i], c->x[i], &none);
    G = cardan__inertia_add(&G, &point);
  }
  return G;
}

/* [J h^; -h^ m] */
static test_mat6 dense_inertia(const cardan_inertia *G)
{
  const double J[3][3] = {{G->xx, G->xy, G->xz}, {G->xy, G->yy, G->yz}, {G->xz, G->yz, G->zz}};
  const cardan_mat3 H = cardan__mat3_skew(G->h);
  test_mat6 D = {0};
  for (int i = 0; i < 3; i++) {
    D.m[i + 3][i + 3] = G->m;
    for (int j = 0; j < 3; j++) {
      D.m[i][j] = J[i][j];
      D.m[i][j + 3] = H.m[i][j];
      D.m[i + 3][j] = -H.m[i][j];
    }
  }
  return D;
}

static test_mat6 dense_abi(const cardan__abi *I)
{
  const cardan__sym3 *A = &I->A, *C = &I->C;
  const double a[3][3] = {{A->xx, A->xy, A->xz}, {A->xy, A->yy, A->yz}, {A->xz, A->yz, A->zz}};
  const double c[3][3] = {{C->xx, C->xy, C->xz}, {C->xy, C->yy, C->yz}, {C->xz, C->yz, C->zz}};
  test_mat6 D;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      D.m[i][j] = a[i][j];
      D.m[i][j + 3] = D.m[j + 3][i] = I->B.m[i][j];
      D.m[i + 3][j + 3] = c[i][j];
    }
  }
  return D;
}

/* Any symmetric matrix: the change of frame does not ask for a positive one. */
static cardan__abi random_abi(support_rng *rng)
{
  cardan__abi I;
  double *x = (double *)&I;
  for (size_t i = 0; i < sizeof I / sizeof(double); i++) {
    x[i] = test_number(rng);
  }
  return I;
}

// momentum and energy of a cloud, summed point by point: velocity of x is v + w x x
// 60 eps: 8 points, each momentum a sum of a dozen products of size <= 3
static void test_momentum_of_points(void **state)
{
  (void)state;
  support_rng rng = {1};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cloud c = test_cloud(&rng);
    const cardan_inertia G = cloud_inertia(&c);
    const cardan_twist V = test_motion(&rng);
    cardan_force sum = {0};
    double energy = 0.0;
    for (int i = 0; i < POINTS; i++) {
      const cardan_vec3 u = cardan__vec3_add(V.v, cardan__vec3_cross(V.w, c.x[i]));
      const cardan_vec3 p = cardan__vec3_scale(c.m[i], u);
      sum = cardan__force_add(sum, (cardan_force){cardan__vec3_cross(c.x[i], p), p});
      energy += 0.5 * cardan__vec3_dot(u, p);
    }
    const cardan_force P = cardan__inertia_mul(&G, V);
    CLOSE_STRUCT(P, sum, 60, (double)POINTS);
    CLOSE(cardan__inertia_energy(&G, V), energy, 60, 3.0 * POINTS);

    const test_mat6 D = dense_inertia(&G);
    const test_vec6 dense = test_mat6_mulv(&D, test_vec6_of(V.w, V.v));
    CLOSE_N(&P.t.x, dense.x, 6, 60, (double)POINTS);
  }
}

// the body described in the parent frame must be the cloud with its points moved there, and its
// kinetic energy must not depend on the frame
static void test_change_of_frame(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cloud c = test_cloud(&rng);
    const cardan_xform T = test_xform(&rng);
    cloud moved = c;
    for (int i = 0; i < POINTS; i++) {
      moved.x[i] = cardan__xform_point(&T, c.x[i]);
    }
    const cardan_inertia G = cloud_inertia(&c), expected = cloud_inertia(&moved);
    const cardan_inertia up = cardan__inertia_to_parent(&T, &G);
    CLOSE_STRUCT(up, expected, 60, 4.0 * POINTS);

    const cardan_twist V = test_motion(&rng), W = cardan__twist_to_parent(&T, V);
    CLOSE(cardan__inertia_energy(&up, W), cardan__inertia_energy(&G, V), 60, 16.0 * POINTS);

    const cardan_force a = cardan__inertia_mul(&up, W);
    const cardan_force b = cardan__force_to_parent(&T, cardan__inertia_mul(&G, V));
    CLOSE_STRUCT(a, b, 60, 16.0 * POINTS);
  }
}

static void test_centre_of_mass(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan__sym3 Ic = {1.0 + test_number(&rng), 2.0, 2.5, test_number(&rng),
                             test_number(&rng),       0.25};
    const double m = 1.5 + test_number(&rng);
    const cardan_inertia G = cardan__inertia_from_com(m, test_vec3(&rng), &Ic);
    const cardan__sym3 back = cardan__inertia_about_com(&G);
    CLOSE_STRUCT(back, Ic, 10, 10.0); // 10: the size of the shifted tensor
  }
}

// Q diag Q^T has the eigenvalues it was made of, also when two or three are equal
static void test_eigenvalues(void **state)
{
  (void)state;
  const double cases[][3] = {{1.0, 2.0, 3.0},  {1.0, 1.0, 1.0},   {-2.0, 0.0, 5.0},
                             {4.0, 4.0, 7.0},  {0.0, 0.0, 0.0},   {1.0, 1.0, 1e-12},
                             {1e-9, 1.0, 1e9}, {-1e3, -1.0, 0.5}, {3.0, 1e-300, 1.0}};
  support_rng rng = {4};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int trial = 0; trial < 20; trial++) {
      const double *d = cases[i];
      const cardan__sym3 D = {d[0], d[1], d[2], 0.0, 0.0, 0.0};
      const cardan_mat3 Q = cardan__quat_to_mat3(test_quat(&rng));
      const cardan__sym3 S = trial == 0 ? D : cardan__sym3_rotate(&Q, &D);
      double lambda[3];
      const double lo = fmin(fmin(d[0], d[1]), d[2]), hi = fmax(fmax(d[0], d[1]), d[2]);
      const double sorted[3] = {lo, fmax(fmin(d[0], d[1]), fmin(fmax(d[0], d[1]), d[2])), hi};
      cardan__sym3_eigenvalues(&S, lambda);
      CLOSE_N(lambda, sorted, 3, 30, fmax(fabs(lo), fabs(hi)));
      assert_true(lambda[0] <= lambda[1] && lambda[1] <= lambda[2]);
    }
  }
}

static cardan_inertia box(double m, double xx, double yy, double zz)
{
  const cardan__sym3 Ic = {xx, yy, zz, 0.0, 0.0, 0.0};
  return cardan__inertia_from_com(m, (cardan_vec3){0.3, -2.0, 1.0}, &Ic);
}

static void test_faults(void **state)
{
  (void)state;
  support_rng rng = {5};
  double moments[3] = {0};
  cardan_inertia G = box(2.0, 1.0, 2.0, 2.5);
  assert_int_equal(cardan__inertia_check(&G, moments), CARDAN__INERTIA_OK);
  CLOSE_N(moments, ((double[]){1.0, 2.0, 2.5}), 3, 30, 12.0);

  G = box(1.0, 1.0, 2.0, 3.001);
  assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_TRIANGLE);
  G = box(1.0, 1.0, 2.0, 3.0); // a flat plate: exactly on the limit, and round-off is forgiven
  assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_OK);
  G = box(1.0, -1e-6, 1.0, 1.0);
  assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_MOMENT);
  G = box(-1.0, 1.0, 1.0, 1.0);
  assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_MASS);
  G = box(1.0, 1.0, 1.0, 1.0);
  G.yz = (double)NAN;
  assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_NOT_FINITE);
  G = (cardan_inertia){.h = {0.0, 1.0, 0.0}};
  assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_FIRST_MOMENT);
  G = (cardan_inertia){0};
  assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_OK);

  // clouds of points and single points (Ic = 0) seen from anywhere are admissible
  for (int trial = 0; trial < TRIALS; trial++) {
    cloud c = test_cloud(&rng);
    const cardan_xform T = test_xform(&rng);
    if (trial % 2 == 0) {
      for (int i = 1; i < POINTS; i++) {
        c.m[i] = 0.0;
      }
    }
    G = cloud_inertia(&c);
    G = cardan__inertia_to_parent(&T, &G);
    assert_int_equal(cardan__inertia_check(&G, NULL), CARDAN__INERTIA_OK);
  }
}

// X^T I X with dense matrices; 60 eps: two products of 6 terms, entries up to 3 after the shift
static void test_abi_change_of_frame(void **state)
{
  (void)state;
  support_rng rng = {6};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cardan_xform T = test_xform(&rng), Ti = cardan__xform_inverse(&T);
    const cardan__abi I = random_abi(&rng), up = cardan__abi_to_parent(&T, &I);
    const test_mat6 X = test_mat6_Ad(&Ti), Xt = test_mat6_transpose(&X), D = dense_abi(&I);
    const test_mat6 DX = test_mat6_mul(&D, &X), expected = test_mat6_mul(&Xt, &DX);
    const test_mat6 dense = dense_abi(&up);
    CLOSE_STRUCT(dense, expected, 60, 10.0);
  }
}

static void test_abi_plane_rotations(void **state)
{
  (void)state;
  support_rng rng = {7};
  for (int trial = 0; trial < TRIALS; trial++) {
    const double theta = 4.0 * test_number(&rng), c = cos(theta), s = sin(theta);
    const cardan__abi I = random_abi(&rng);
    const cardan_mat3 Rz = cardan__mat3_axis_cs((cardan_vec3){0.0, 0.0, 1.0}, c, s);
    const cardan_mat3 Rx = cardan__mat3_axis_cs((cardan_vec3){1.0, 0.0, 0.0}, c, s);
    const cardan__abi z = cardan__abi_rotate(&Rz, &I), x = cardan__abi_rotate(&Rx, &I);
    const cardan__abi z2 = cardan__abi_rot_z(c, s, &I), x2 = cardan__abi_rot_x(c, s, &I);
    CLOSE_STRUCT(z, z2, 20, 2.0);
    CLOSE_STRUCT(x, x2, 20, 2.0);
  }
}

// what a hinge leaves, and its turns, which know of the zeros; and one axis moved after the other
static void test_abi_hinge(void **state)
{
  (void)state;
  support_rng rng = {9};
  for (int trial = 0; trial < TRIALS; trial++) {
    const double theta = 4.0 * test_number(&rng), c = cos(theta), s = sin(theta);
    const double right = trial % 2 == 0 ? 1 : -1;
    cardan__abi I = random_abi(&rng);
    I.A.zz = 2 + I.A.zz; // no pivot is small
    const double k = 1 / I.A.zz;
    const cardan__abi left = cardan__abi_give_way(&I, k);
    const cardan__abi same = cardan__abi_sub_rank1(&I, k, cardan__abi_mul_z(&I));
    const cardan__abi x = cardan__abi_rot_x(c, s, &left), x2 = cardan__abi_rot_x_rest(c, s, &left);
    const cardan__abi y = cardan__abi_rot_x(0, right, &left);
    const cardan__abi y2 = cardan__abi_rot_x_rest_right(right, &left);
    CLOSE_STRUCT(left, same, 20, 2.0);
    CLOSE_STRUCT(x, x2, 20, 2.0);
    CLOSE_STRUCT(y, y2, 0, 1.0);

    const cardan_vec3 p = test_vec3(&rng);
    const cardan__abi all = cardan__abi_shift(p, &I);
    cardan__abi moved = I;
    cardan__abi_shift_z(p.z, &moved);
    cardan__abi_shift_x(p.x, &moved);
    cardan__abi_shift_y(p.y, &moved);
    CLOSE_STRUCT(all, moved, 60, 10.0);
  }
}

static void test_abi_algebra(void **state)
{
  (void)state;
  support_rng rng = {8};
  for (int trial = 0; trial < TRIALS; trial++) {
    const cloud cl = test_cloud(&rng);
    const cardan_inertia G = cloud_inertia(&cl);
    const cardan__abi I = random_abi(&rng), fromG = cardan__abi_from_inertia(&G);
    const cardan_twist V = test_motion(&rng);
    const cardan_force U = test_force(&rng);
    const double k = test_number(&rng), scale = (double)POINTS;

    const cardan_force a = cardan__abi_mul(&fromG, V), b = cardan__inertia_mul(&G, V);
    CLOSE_STRUCT(a, b, 30, scale);

    const test_mat6 D = dense_abi(&I);
    const test_vec6 dense = test_mat6_mulv(&D, test_vec6_of(V.w, V.v));
    const cardan_force IV = cardan__abi_mul(&I, V);
    CLOSE_N(&IV.t.x, dense.x, 6, 30, 3.0);

    const cardan__abi sum = cardan__abi_add(&I, &fromG);
    const cardan_force both = cardan__abi_mul(&sum, V), parts = cardan__force_add(IV, b);
    CLOSE_STRUCT(both, parts, 30, scale);

    // (I - k U U^T) V = I V - k (U.V) U
    const cardan__abi less = cardan__abi_sub_rank1(&I, k, U);
    const cardan_force lessV = cardan__abi_mul(&less, V);
    const cardan_force closed = cardan__force_axpy(-k * cardan__power(V, U), U, IV);
    CLOSE_STRUCT(lessV, closed, 30, 6.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momentum_of_points),
      cmocka_unit_test(test_change_of_frame),
      cmocka_unit_test(test_centre_of_mass),
      cmocka_unit_test(test_eigenvalues),
      cmocka_unit_test(test_faults),
      cmocka_unit_test(test_abi_change_of_frame),
      cmocka_unit_test(test_abi_plane_rotations),
      cmocka_unit_test(test_abi_hinge),
      cmocka_unit_test(test_abi_algebra),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
