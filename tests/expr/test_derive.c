// SPDX-License-Identifier: Apache-2.0
// Derivatives of expressions: closed forms of every operator, finite differences, and the ways of
// differentiating against each other.
#include <float.h>
#include <math.h>

#include "expr_test.h"

enum { MAX_LEAF = 16 };

// everything that can be asked of an expression at one point
typedef struct {
  int n;
  double E, g[MAX_LEAF], H[MAX_LEAF * MAX_LEAF], scale;
} derivatives;

static derivatives derive(const cardan__expr *expr, const double *x)
{
  double *work = test_doubles(cardan__expr_work(expr)), g[MAX_LEAF];
  derivatives d = {.n = expr->nleaf};

  assert_true(expr->nleaf <= MAX_LEAF);
  d.E = cardan__expr_hessian(expr, x, work, d.g, d.H);
  assert_true(d.E == cardan__expr_value(expr, x, work) || isnan(d.E));
  d.scale = fmax(fabs(d.E), fmax(support_max_abs(d.g, d.n), support_max_abs(d.H, d.n * d.n)));
  // the gradient alone makes the same operations in the same order, but for fused ones
  cardan__expr_gradient(expr, x, work, g);
  if (isfinite(d.E)) {
    assert_near_vec(g, d.g, d.n, 100 * DBL_EPSILON * d.scale);
  }
  free(work);
  return d;
}

static derivatives derive_text(const char *text, const test_point *at)
{
  cardan__expr *expr = test_read(text);
  double x[MAX_LEAF];

  assert_true(expr->nleaf <= MAX_LEAF);
  test_leaves(expr, at, x);
  const derivatives d = derive(expr, x);
  test_drop(expr);
  return d;
}

// each operator of one argument: f, f', f''
static void closed_forms(void **state)
{
  static const char *const cases[][3] = {
      {"(neg q.x)", "(- 1)", "0"},
      {"(sin q.x)", "(cos q.x)", "(- (sin q.x))"},
      {"(cos q.x)", "(- (sin q.x))", "(- (cos q.x))"},
      {"(tan q.x)", "(/ (^ (cos q.x) 2))", "(/ (* 2 (sin q.x)) (^ (cos q.x) 3))"},
      {"(asin q.x)", "(^ (- 1 (* q.x q.x)) -0.5)", "(* q.x (^ (- 1 (* q.x q.x)) -1.5))"},
      {"(acos q.x)", "(- (^ (- 1 (* q.x q.x)) -0.5))", "(- (* q.x (^ (- 1 (* q.x q.x)) -1.5)))"},
      {"(atan q.x)", "(/ (+ 1 (* q.x q.x)))", "(/ (* -2 q.x) (^ (+ 1 (* q.x q.x)) 2))"},
      {"(sinh q.x)", "(cosh q.x)", "(sinh q.x)"},
      {"(cosh q.x)", "(sinh q.x)", "(cosh q.x)"},
      {"(tanh q.x)", "(/ (^ (cosh q.x) 2))", "(/ (* -2 (sinh q.x)) (^ (cosh q.x) 3))"},
      {"(exp q.x)", "(exp q.x)", "(exp q.x)"},
      {"(log q.x)", "(/ q.x)", "(- (/ (* q.x q.x)))"},
      {"(sqrt q.x)", "(/ 0.5 (sqrt q.x))", "(* -0.25 (^ q.x -1.5))"},
      {"(abs q.x)", "(if (< q.x 0) -1 1)", "0"},
      {"(step q.x)", "0", "0"},
      {"(< q.x 0.2)", "0", "0"},
      {"(^ q.x 5)", "(* 5 (^ q.x 4))", "(* 20 (^ q.x 3))"},
      {"(^ q.x -2)", "(* -2 (^ q.x -3))", "(* 6 (^ q.x -4))"},
      {"(^ q.x 2)", "(* 2 q.x)", "2"},
      {"(^ q.x 1)", "1", "0"},
      {"(^ q.x 0)", "0", "0"},
      {"(^ q.x 1.5)", "(* 1.5 (sqrt q.x))", "(/ 0.75 (sqrt q.x))"},
      {"(^ 2 q.x)", "(* (log 2) (^ 2 q.x))", "(* (log 2) (log 2) (^ 2 q.x))"},
      {"(^ q.x q.x)", "(* (^ q.x q.x) (+ 1 (log q.x)))",
       "(* (^ q.x q.x) (+ (^ (+ 1 (log q.x)) 2) (/ q.x)))"},
      {"(/ q.x)", "(- (^ q.x -2))", "(* 2 (^ q.x -3))"},
      {"(deg q.x)", "(/ pi 180)", "0"},
      {"(min q.x 0.2 1)", "(if (< q.x 0.2) 1 0)", "0"},
      {"(max q.x 0.2 -1)", "(if (>= q.x 0.2) 1 0)", "0"},
      {"(if (< q.x 0.2) (* q.x q.x) (sin q.x))", "(if (< q.x 0.2) (* 2 q.x) (cos q.x))",
       "(if (< q.x 0.2) 2 (- (sin q.x)))"},
      {"(* q.x q.x q.x)", "(* 3 q.x q.x)", "(* 6 q.x)"},
  };
  static const double points[] = {0.1, 0.45, 0.9, -0.6, -0.9};

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
      const test_point at = {.x = points[k]};
      const derivatives d = derive_text(cases[i][0], &at);
      const double first = test_value(cases[i][1], &at), second = test_value(cases[i][2], &at);
      // outside of the domain (log of -0.6) both must report it
      if (isnan(d.E)) {
        assert_true(isnan(first) || isnan(second) || points[k] < 0);
        continue;
      }
      // a handful of roundings on either side, of terms no larger than the results
      assert_near(d.g[0], first, 50 * DBL_EPSILON * fmax(fabs(first), d.scale));
      assert_near(d.H[0], second, 50 * DBL_EPSILON * fmax(fabs(second), d.scale));
    }
  }
}

// functions of two arguments, in both, and the distance of two frames
static void several_arguments(void **state)
{
  const double x = 0.7, y = -1.3, r2 = x * x + y * y;
  const test_point at = {.x = x, .y = y, .A = {1, 2, 3}, .B = {-1, 4, 4}}; // distance 3
  const double unit[3] = {2.0 / 3, -2.0 / 3, -1.0 / 3};

  (void)state;
  derivatives d = derive_text("(atan2 q.x q.y)", &at);
  const double atan_g[] = {y / r2, -x / r2};
  const double atan_H[] = {-2 * x * y / (r2 * r2), (x * x - y * y) / (r2 * r2),
                           (x * x - y * y) / (r2 * r2), 2 * x * y / (r2 * r2)};
  assert_near_vec(d.g, atan_g, 2, 10 * DBL_EPSILON);
  assert_near_vec(d.H, atan_H, 4, 10 * DBL_EPSILON);

  d = derive_text("(/ q.x q.y)", &at);
  const double div_g[] = {1 / y, -x / (y * y)},
               div_H[] = {0, -1 / (y * y), -1 / (y * y), 2 * x / (y * y * y)};
  assert_near_vec(d.g, div_g, 2, 10 * DBL_EPSILON);
  assert_near_vec(d.H, div_H, 4, 10 * DBL_EPSILON);

  // leaves in the order Ax Bx Ay By Az Bz
  d = derive_text("(dist \"A\" \"B\")", &at);
  assert_int_equal(d.n, 6);
  assert_near(d.E, 3.0, 4 * DBL_EPSILON);
  for (int i = 0; i < 6; i++) {
    const double si = i % 2 ? -1.0 : 1.0;
    assert_near(d.g[i], si * unit[i / 2], 10 * DBL_EPSILON);
    for (int j = 0; j < 6; j++) {
      const double sj = j % 2 ? -1.0 : 1.0, same = i / 2 == j / 2 ? 1.0 : 0.0;
      assert_near(d.H[i * 6 + j], si * sj * (same - unit[i / 2] * unit[j / 2]) / 3.0,
                  10 * DBL_EPSILON);
    }
  }
}

// what the header says of kinks and of branches that are not taken
static void special_points(void **state)
{
  const test_point zero = {0};
  static const struct {
    const char *text;
    double first;
  } cases[] = {
      {"(abs q.x)", 1.0},
      {"(max q.x 0)", 1.0},
      {"(min q.x 0)", 0.0},
      {"(step q.x)", 0.0},
      {"(^ q.x 2)", 0.0},
      {"(^ q.x 1)", 1.0},
      {"(^ q.x 0)", 0.0},
      {"(^ q.x 1.5)", 0.0},
      {"(if (> q.x 0) (sqrt q.x) (* 3 q.x))", 3.0},
      {"(if (<= q.x 0) 5 (log (neg q.x)))", 0.0},
      {"(+ q.x (if (< 0 q.x) (/ q.x) 0))", 1.0},
      {"(* 0 (if (< q.x 1) q.x (asin q.x)))", 0.0},
  };

  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const derivatives d = derive_text(cases[i].text, &zero);
    assert_true(isfinite(d.E));
    assert_true(d.g[0] == cases[i].first);
    if (!strstr(cases[i].text, "1.5")) { // whose curvature is infinite at 0
      assert_true(d.H[0] == (strstr(cases[i].text, "x 2)") ? 2.0 : 0.0));
    }
  }
  derivatives d = derive_text("(sqrt q.x)", &zero);
  assert_true(isinf(d.g[0]));
  d = derive_text("(asin q.x)", &(test_point){.x = 1.0});
  assert_true(isinf(d.g[0]));
  d = derive_text("(dist \"A\" \"B\")", &zero);
  assert_true(d.E == 0.0 && support_max_abs(d.g, 6) == 0.0 && support_max_abs(d.H, 36) == 0.0);
  // straight above one another: two of the three differences are 0, the distance is not
  d = derive_text("(dist \"A\" \"B\")", &(test_point){.A = {0, 0, 2}});
  assert_true(d.H[0] == 0.5 && d.H[28] == 0.0);
}

// expressions over several leaves, smooth around the points they are tried at
static const char *const smooth[] = {
    "(* (sin q.x) (cos q.y) (exp (* -0.5 q.z)))",
    "(/ (+ 1 (^ q.x 2)) (+ 2 (^ q.y 2) (* q.x q.z)))",
    "(* 50 (^ (- (dist \"A\" \"B\") L) 2))",
    "(+ (* 9.81 (pz \"A\")) (log (+ 3 (* (px \"B\") (px \"A\")))) (* t v.x))",
    "(atan2 (+ 2 q.x) (- q.y (sinh v.z)))",
    "(- (tanh (* q.x v.y t)) (^ (+ 2 (abs q.z)) (* 0.3 q.y)))",
    "(if (< q.x 5) (sqrt (+ 4 (* q.y q.z))) (/ 0 q.x))",
    "(max (* q.x q.y) (min (acos (/ q.z 4)) (+ 100 t)) -50)",
    "(* (tan (/ q.x 3)) (asin (/ q.y 3)) (atan q.z) (cosh t) (neg v.x))",
};
enum { NSMOOTH = sizeof smooth / sizeof smooth[0] };

// a point where none of them has a kink or leaves its domain
static test_point random_point(support_rng *rng)
{
  test_point at;

  at.t = support_random_in(rng, 0.1, 1.0);
  at.x = support_random_in(rng, 0.2, 1.0);
  at.y = support_random_in(rng, -1.0, -0.2);
  at.z = support_random_in(rng, 0.2, 1.0);
  support_random_vec(rng, at.A, 3, 1.0);
  support_random_vec(rng, at.B, 3, 1.0);
  at.B[1] += 3.0;
  return at;
}

/* Derivative by one leaf from four values: the error is h^4/30 of the fifth derivative, with h =
 * 1e-3 3e-14, and eps/h = 2e-13 of the values by rounding. Fifth derivatives may be some 1e4 times
 * the values (120 / x^6 for 1/x near 0.5), so 1e-9 of the scale is allowed. */
#define FD_STEP 1e-3
#define FD_TOL 1e-9

static void finite_differences(void **state)
{
  support_rng rng = {6};

  (void)state;
  for (int i = 0; i < 20 * NSMOOTH; i++) {
    static const double offset[] = {-2, -1, 1, 2},
                        weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    cardan__expr *expr = test_read(smooth[i % NSMOOTH]);
    const test_point at = random_point(&rng);
    double x[MAX_LEAF];
    test_leaves(expr, &at, x);
    const derivatives d = derive(expr, x);
    for (int k = 0; k < d.n; k++) {
      double slope = 0.0, row[MAX_LEAF] = {0};
      const double keep = x[k];
      for (int s = 0; s < 4; s++) {
        x[k] = keep + offset[s] * FD_STEP;
        const derivatives e = derive(expr, x);
        slope += weight[s] * e.E / FD_STEP;
        for (int j = 0; j < d.n; j++) {
          row[j] += weight[s] * e.g[j] / FD_STEP;
        }
      }
      x[k] = keep;
      assert_near(d.g[k], slope, FD_TOL * (1.0 + d.scale));
      assert_near_vec(d.H + k * d.n, row, d.n, FD_TOL * (1.0 + d.scale));
    }
    test_drop(expr);
  }
}

/* E' = g x', E'' = g x'' + x'^T H x', H u = H times u, and H = H^T to the last bit: reverse and
 * forward sweeps share only the partial derivatives of single instructions. */
static void chain_rule(void **state)
{
  support_rng rng = {7};

  (void)state;
  for (int i = 0; i < 50 * NSMOOTH; i++) {
    cardan__expr *expr = test_read(smooth[i % NSMOOTH]);
    const test_point at = random_point(&rng);
    double x[MAX_LEAF], x1[MAX_LEAF], x2[MAX_LEAF], g[MAX_LEAF], hu[MAX_LEAF], jet[3];
    double *work = test_doubles(cardan__expr_work(expr)), first = 0.0, second = 0.0, size = 1.0;

    test_leaves(expr, &at, x);
    support_random_vec(&rng, x1, expr->nleaf, 2.0);
    support_random_vec(&rng, x2, expr->nleaf, 2.0);
    const derivatives d = derive(expr, x);
    cardan__expr_jet(expr, x, x1, x2, work, jet);
    const double E = cardan__expr_hessian_times(expr, x, x1, work, g, hu);
    for (int j = 0; j < d.n; j++) {
      double row = 0.0, row_size = 1.0;
      for (int k = 0; k < d.n; k++) {
        assert_true(d.H[j * d.n + k] == d.H[k * d.n + j]);
        row += d.H[j * d.n + k] * x1[k];
        row_size += fabs(d.H[j * d.n + k] * x1[k]);
      }
      // sums of nins terms; inner terms may be some 10 times what they add up to
      assert_near(hu[j], row, 100 * DBL_EPSILON * expr->nins * row_size);
      first += d.g[j] * x1[j];
      second += d.g[j] * x2[j] + x1[j] * row;
      size += fabs(d.g[j]) * 2.0 + 2.0 * row_size;
    }
    assert_true(E == d.E && jet[0] == d.E);
    assert_near_vec(g, d.g, d.n, 100 * DBL_EPSILON * d.scale);
    assert_near(jet[1], first, 100 * DBL_EPSILON * expr->nins * size);
    assert_near(jet[2], second, 100 * DBL_EPSILON * expr->nins * size);
    free(work);
    test_drop(expr);
  }
}

// a driver's motion: position, velocity and acceleration of a sine
static void motion_in_time(void **state)
{
  cardan__expr *expr = test_read("(* 0.3 (sin (* 2 pi t)))");
  const double w = 2.0 * 3.14159265358979323846, t = 0.37, one = 1.0, none = 0.0;
  double work[64], E[3];

  (void)state;
  assert_true(cardan__expr_work(expr) <= 64);
  cardan__expr_jet(expr, &t, &one, &none, work, E);
  assert_near(E[0], 0.3 * sin(w * t), 4 * DBL_EPSILON);
  assert_near(E[1], 0.3 * w * cos(w * t), 4 * DBL_EPSILON * w);
  assert_near(E[2], -0.3 * w * w * sin(w * t), 4 * DBL_EPSILON * w * w);
  test_drop(expr);

  // at rest at distance 0 nothing moves; a branch not taken does not disturb
  expr = test_read("(+ (dist \"A\" \"B\") (if (< t 1) t (sqrt (- t))))");
  double x[MAX_LEAF] = {0}, x1[MAX_LEAF] = {0}, x2[MAX_LEAF] = {0};
  double *big = test_doubles(cardan__expr_work(expr));
  for (int i = 0; i < expr->nleaf; i++) {
    x1[i] = cardan__expr_leaf_at(expr, i)->kind == CARDAN__LEAF_T ? 1.0 : 0.0;
  }
  cardan__expr_jet(expr, x, x1, x2, big, E);
  assert_true(E[0] == 0.0 && E[1] == 1.0 && E[2] == 0.0);
  free(big);
  test_drop(expr);
}

// constants have neither slope nor curvature, and no leaves to store them in
static void constant(void **state)
{
  cardan__expr *expr = test_read("(* 2 pi)");
  double work[16], E[3] = {9, 9, 9};

  (void)state;
  assert_true(cardan__expr_work(expr) <= 16);
  assert_true(cardan__expr_gradient(expr, NULL, work, NULL) == 2 * 3.14159265358979323846);
  assert_true(cardan__expr_hessian(expr, NULL, work, NULL, NULL) == 2 * 3.14159265358979323846);
  cardan__expr_jet(expr, NULL, NULL, NULL, work, E);
  assert_true(E[1] == 0.0 && E[2] == 0.0);
  test_drop(expr);
}

static void no_allocation(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  cardan__expr *expr = test_read(smooth[1]);
  double *work = test_doubles(cardan__expr_work(expr)), g[MAX_LEAF], H[MAX_LEAF * MAX_LEAF], E[3];
  const double x[MAX_LEAF] = {0.1, 0.2, 0.3};
  const long before = support_alloc_count();
  cardan__expr_value(expr, x, work);
  cardan__expr_gradient(expr, x, work, g);
  cardan__expr_hessian(expr, x, work, g, H);
  cardan__expr_jet(expr, x, x, x, work, E);
  const long after = support_alloc_count();
  assert_true(after == before);
  free(work);
  test_drop(expr);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),   cmocka_unit_test(several_arguments),
      cmocka_unit_test(special_points), cmocka_unit_test(finite_differences),
      cmocka_unit_test(chain_rule),     cmocka_unit_test(motion_in_time),
      cmocka_unit_test(constant),       cmocka_unit_test(no_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
