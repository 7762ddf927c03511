// SPDX-License-Identifier: Apache-2.0
// exp, log, dexp, dlog on SE(3): against tables of 50 digits, dense series, and by identities.
// The table tests print the largest error they met: ctest -R test_se3 -V
#include "spatial/se3.h"

#include "table_test.h"

#define PI 3.141592653589793

static cardan_twist unit_motion(int k)
{
  double x[6] = {0};
  x[k] = 1.0;
  return (cardan_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

static cardan_force unit_force(int k)
{
  double x[6] = {0};
  x[k] = 1.0;
  return (cardan_force){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

/* The matrix of a linear map of twists: its columns are the images of the unit twists. */
static test_mat6 matrix_of(cardan_twist (*map)(cardan_twist, cardan_twist), cardan_twist x)
{
  test_mat6 A;
  for (int k = 0; k < 6; k++) {
    const cardan_twist y = map(x, unit_motion(k));
    const double column[6] = {y.w.x, y.w.y, y.w.z, y.v.x, y.v.y, y.v.z};
    for (int i = 0; i < 6; i++) {
      A.m[i][k] = column[i];
    }
  }
  return A;
}

/* The transposed matrix of a map of wrenches. */
static test_mat6 transpose_of(cardan_force (*map)(cardan_twist, cardan_force), cardan_twist x)
{
  test_mat6 A;
  for (int k = 0; k < 6; k++) {
    const cardan_force F = map(x, unit_force(k));
    const double row[6] = {F.t.x, F.t.y, F.t.z, F.f.x, F.f.y, F.f.z};
    for (int i = 0; i < 6; i++) {
      A.m[k][i] = row[i];
    }
  }
  return A;
}

/* 1 / (1 - s / 4 pi^2): how dlog grows towards a full turn. */
static double pole(cardan_twist x)
{
  return 1.0 / (1.0 - cardan__vec3_dot(x.w, x.w) / (4.0 * PI * PI));
}

/* Random twist with |w| <= angle, |v| of order 1. */
static cardan_twist random_twist(support_rng *rng, double angle)
{
  const double t = angle * fabs(test_number(rng));
  cardan_twist x;
  x.w = cardan__vec3_scale(t, test_axis(rng));
  x.v = test_vec3(rng);
  return x;
}

// p of exp, v of log, and the 6 x 6 tangents with their transposes; |v| < sqrt 3, t up to 6.2.
// The scale is 1 + t; for dlog its largest entry, times pole(x) for the rounding of s = t^2.
// measured (gcc 12, clang 14, x86-64): exp 0.5, log 0.5, dexp 0.4, dlog 0.6 eps.
static void test_table(void **state)
{
  (void)state;
  measure p_m = {0}, v_m = {0}, dexp_m[2] = {0}, dlog_m[2] = {0};
  for (int i = 0; i < NGROUP; i++) {
    const table_row row = table_read(i);
    const cardan_twist x = {row.w, row.v};
    const cardan_xform T = {row.R, row.p};
    const test_mat6 dexp_ref = test_mat6_lower(&row.dexp_ww, &row.dexp_vw, &row.dexp_ww);
    const test_mat6 dlog_ref = test_mat6_lower(&row.dlog_ww, &row.dlog_vw, &row.dlog_ww);
    const test_mat6 dexp[2] = {matrix_of(cardan__se3_dexp_mul, x),
                               transpose_of(cardan__se3_dexp_tmul, x)};
    const test_mat6 dlog[2] = {matrix_of(cardan__se3_dlog_mul, x),
                               transpose_of(cardan__se3_dlog_tmul, x)};
    const double t = cardan__vec3_norm(row.w);
    const double largest = support_max_abs(dlog_ref.m[0], 36) * pole(x);
    const cardan_xform E = cardan_se3_exp(x);
    measure_add(&p_m, i, &E.p.x, &row.p.x, 3, 1.0 + t);
    for (int k = 0; k < 2; k++) {
      measure_add(&dexp_m[k], i, dexp[k].m[0], dexp_ref.m[0], 36, 1.0 + t);
      measure_add(&dlog_m[k], i, dlog[k].m[0], dlog_ref.m[0], 36, largest);
    }
    if (t < PI - 1e-15) {
      const cardan_twist back = cardan_se3_log(&T);
      measure_add(&v_m, i, &back.v.x, &row.v.x, 3, 1.0 + t);
    }
  }
  measure_end(&p_m, "exp, position", 2.0);
  measure_end(&v_m, "log of the rounded transform", 2.0);
  measure_end(&dexp_m[0], "dexp", 2.0);
  measure_end(&dexp_m[1], "dexp transposed", 2.0);
  measure_end(&dlog_m[0], "dlog", 2.0);
  measure_end(&dlog_m[1], "dlog transposed", 2.0);
}

// Ad of exp(x) is the power series of ad_x, summed with dense matrices: 60 terms for |ad| < 8;
// the terms reach 8^8/8! = 416, which is what their rounding is measured against
static void test_exp_is_series(void **state)
{
  (void)state;
  support_rng rng = {1};
  for (int trial = 0; trial < 100; trial++) {
    const cardan_twist x = random_twist(&rng, 6.0);
    const cardan_xform T = cardan_se3_exp(x);
    const test_mat6 Ad = test_mat6_Ad(&T), ad = test_mat6_ad(x);
    test_mat6 sum = {0}, term = {0};
    for (int i = 0; i < 6; i++) {
      term.m[i][i] = 1.0;
    }
    for (int j = 1; j <= 60; j++) {
      for (int i = 0; i < 36; i++) {
        sum.m[i / 6][i % 6] += term.m[i / 6][i % 6];
      }
      term = test_mat6_mul(&term, &ad);
      for (int i = 0; i < 36; i++) {
        term.m[i / 6][i % 6] /= j;
      }
    }
    CLOSE_STRUCT(sum, Ad, 12, 416.0);
  }
}

static void test_log_inverts_exp(void **state)
{
  (void)state;
  support_rng rng = {2};
  for (int trial = 0; trial < 1000; trial++) {
    // half of them within 1e-1 .. 1e-12 of half a turn
    const double gap = pow(10.0, -(double)(1 + trial % 12));
    cardan_twist x = random_twist(&rng, PI);
    if (trial % 2 == 0) {
      x.w = cardan__vec3_scale(PI - gap, test_axis(&rng));
    }
    const cardan_xform T = cardan_se3_exp(x);
    const cardan_twist back = cardan_se3_log(&T);
    const cardan_xform again = cardan_se3_exp(back);
    CLOSE_STRUCT(back, x, 16, PI);
    CLOSE_STRUCT(again, T, 16, PI);
  }
}

// a constant twist makes a one-parameter group: exp(a x) exp(b x) = exp((a + b) x)
static void test_one_parameter_group(void **state)
{
  (void)state;
  support_rng rng = {3};
  for (int trial = 0; trial < 200; trial++) {
    const cardan_twist x = random_twist(&rng, 6.0);
    const cardan_xform A = cardan_se3_exp(cardan__twist_scale(0.75, x));
    const cardan_xform B = cardan_se3_exp(cardan__twist_scale(0.5, x));
    const cardan_xform AB = cardan__xform_mul(&A, &B);
    const cardan_xform C = cardan_se3_exp(cardan__twist_scale(1.25, x));
    CLOSE_STRUCT(AB, C, 16, 8.0);
  }
}

// dlog dexp = 1, dlog_-x = dlog_x Ad_T, and the pair of transposes is that of x and -x
static void test_tangent_identities(void **state)
{
  (void)state;
  support_rng rng = {4};
  for (int trial = 0; trial < 500; trial++) {
    const cardan_twist x = random_twist(&rng, 5.0), minus = cardan__twist_neg(x);
    const double size = 6.0 * pole(x) * pole(x) * pole(x);
    const cardan_xform T = cardan_se3_exp(x);
    const test_mat6 D = matrix_of(cardan__se3_dexp_mul, x), L = matrix_of(cardan__se3_dlog_mul, x);
    const test_mat6 Lm = matrix_of(cardan__se3_dlog_mul, minus), Ad = test_mat6_Ad(&T);
    const test_mat6 DL = test_mat6_mul(&D, &L), LAd = test_mat6_mul(&L, &Ad);
    test_mat6 one = {0};
    for (int i = 0; i < 6; i++) {
      one.m[i][i] = 1.0;
    }
    CLOSE_STRUCT(DL, one, 12, size);
    CLOSE_STRUCT(LAd, Lm, 12, size);

    const cardan_force F = test_force(&rng);
    const cardan_twist y = test_motion(&rng);
    cardan_force plus, other;
    cardan__se3_dlog_tmul_both(x, F, &plus, &other);
    const cardan_force expected = cardan__se3_dlog_tmul(minus, F);
    CLOSE_STRUCT(other, expected, 0, 1.0);
    CLOSE(cardan__power(y, plus), cardan__power(cardan__se3_dlog_mul(x, y), F), 12, 6.0 * size);
    CLOSE(cardan__power(y, cardan__se3_dexp_tmul(x, F)),
          cardan__power(cardan__se3_dexp_mul(x, y), F), 12, 36.0);
    // the momentum carried to the end of the step: Ad_T^T dlog_x^T F = dlog_-x^T F
    const cardan_force carried = cardan__force_to_child(&T, plus);
    CLOSE_STRUCT(carried, other, 12, 6.0 * size);
  }
}

// the definitions, by central differences: the error must fall by 4 when h is halved
//   log(exp(x + h d) exp(-x)) / h -> dexp_x d,   (log(exp(h z) T) - x) / h -> dlog_x z,
//   (log(T exp(h z)) - x) / h -> dlog_-x z
static cardan_twist difference(int what, cardan_twist x, cardan_twist d, double h)
{
  const cardan_xform T = cardan_se3_exp(x), step = cardan_se3_exp(cardan__twist_scale(h, d));
  const cardan_xform Ti = cardan__xform_inverse(&T);
  const cardan_xform near = cardan_se3_exp(cardan__twist_axpy(h, d, x));
  const cardan_xform moved = what == 0   ? cardan__xform_mul(&near, &Ti)
                             : what == 1 ? cardan__xform_mul(&step, &T)
                                         : cardan__xform_mul(&T, &step);
  return cardan_se3_log(&moved);
}

static void test_tangents_are_derivatives(void **state)
{
  (void)state;
  support_rng rng = {5};
  for (int trial = 0; trial < 90; trial++) {
    const int what = trial % 3;
    cardan_twist x = random_twist(&rng, 2.5);
    const cardan_twist d = test_motion(&rng);
    const cardan_twist closed = what == 0   ? cardan__se3_dexp_mul(x, d)
                                : what == 1 ? cardan__se3_dlog_mul(x, d)
                                            : cardan__se3_dlog_mul(cardan__twist_neg(x), d);
    double error[2];
    for (int i = 0; i < 2; i++) {
      const double h = i == 0 ? 4e-3 : 2e-3;
      const cardan_twist fd = cardan__twist_scale(
          0.5 / h, cardan__twist_sub(difference(what, x, d, h), difference(what, x, d, -h)));
      error[i] = test_distance(&fd.w.x, &closed.w.x, 6);
    }
    assert_true(error[0] < 1e-3);
    assert_true(error[0] / error[1] > 3.8 && error[0] / error[1] < 4.2);
  }
}

/* mu(zeta) = dlog_x^T G x with x = log(exp(zeta) T) */
static cardan_force momentum(const cardan_inertia *G, const cardan_xform *T, cardan_twist zeta)
{
  const cardan_xform step = cardan_se3_exp(zeta), moved = cardan__xform_mul(&step, T);
  const cardan_twist x = cardan_se3_log(&moved);
  return cardan__se3_dlog_tmul(x, cardan__inertia_mul(G, x));
}

// K = d mu / d zeta is not symmetric, and its antisymmetric part is known: K - K^T = -abar(mu),
// abar(t, f) = [t^ f^; f^ 0]. Fourth-order differences with h = 2^-9: the truncation is about
// h^4 / 30 = 5e-13 and the rounding 20 eps / h = 2e-12 of the momentum's size, here below 10.
static void test_momentum_derivative(void **state)
{
  (void)state;
  support_rng rng = {6};
  const cardan__sym3 Ic = {1.0, 1.5, 2.0, 0.1, -0.2, 0.3};
  const double h = 0x1p-9;
  for (int trial = 0; trial < 20; trial++) {
    const cardan_inertia G = cardan__inertia_from_com(1.0, test_vec3(&rng), &Ic);
    const cardan_xform T = cardan_se3_exp(random_twist(&rng, 1.5));
    const cardan_force mu = momentum(&G, &T, (cardan_twist){0});
    test_mat6 K, left, right = {0};
    for (int k = 0; k < 6; k++) {
      cardan_force sum = {0};
      const double weights[4] = {1.0 / 12.0, -2.0 / 3.0, 2.0 / 3.0, -1.0 / 12.0};
      const double steps[4] = {-2.0, -1.0, 1.0, 2.0};
      for (int i = 0; i < 4; i++) {
        const cardan_twist zeta = cardan__twist_scale(h * steps[i], unit_motion(k));
        sum = cardan__force_axpy(weights[i] / h, momentum(&G, &T, zeta), sum);
      }
      const double column[6] = {sum.t.x, sum.t.y, sum.t.z, sum.f.x, sum.f.y, sum.f.z};
      for (int i = 0; i < 6; i++) {
        K.m[i][k] = column[i];
      }
    }
    const cardan_mat3 t = cardan__mat3_skew(mu.t), f = cardan__mat3_skew(mu.f);
    for (int i = 0; i < 6; i++) {
      for (int j = 0; j < 6; j++) {
        left.m[i][j] = K.m[i][j] - K.m[j][i];
      }
    }
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) {
        right.m[i][j] = -t.m[i][j];
        right.m[i + 3][j] = right.m[i][j + 3] = -f.m[i][j];
      }
    }
    CLOSE_STRUCT(left, right, 20.0 / h, 10.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_exp_is_series),
      cmocka_unit_test(test_log_inverts_exp),
      cmocka_unit_test(test_one_parameter_group),
      cmocka_unit_test(test_tangent_identities),
      cmocka_unit_test(test_tangents_are_derivatives),
      cmocka_unit_test(test_momentum_derivative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
