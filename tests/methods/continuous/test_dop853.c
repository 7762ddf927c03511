// SPDX-License-Identifier: Apache-2.0
// dop853: its coefficients by the order conditions of all rooted trees, its order, its rows within
// steps, its counts, and its step control.
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/continuous/dop853_table.h"
#include "test_ode_problems.h"

enum { STEP = CARDAN__DOP853_STEP, STAGES = CARDAN__DOP853_STAGES, VERTICES = 8 };

/* A rooted tree by the levels of its vertices in preorder, the root's being 1. */
typedef struct {
  int n, level[VERTICES];
} tree;

static tree first_tree(int n)
{
  tree t = {.n = n};
  for (int i = 0; i < n; i++) {
    t.level[i] = i + 1;
  }
  return t;
}

/* The next tree in the order of Beyer and Hedetniemi (SIAM J. Comput. 9, 1980), which goes from the
 * path to the star; false: there is none. */
static bool next_tree(tree *t)
{
  int p = t->n - 1;
  while (p > 0 && t->level[p] <= 2) {
    p--;
  }
  if (p <= 0) {
    return false;
  }
  int q = p - 1;
  while (t->level[q] != t->level[p] - 1) {
    q--;
  }
  for (int i = p; i < t->n; i++) {
    t->level[i] = t->level[i - (p - q)];
  }
  return true;
}

static int parent(const tree *t, int v)
{
  int u = v - 1;
  while (t->level[u] != t->level[v] - 1) {
    u--;
  }
  return u;
}

/* Phi_i(t), i < STAGES: products over the tree of sums with a; density gamma(t); and the sum of the
 * sizes of the terms of Phi, for its rounding. */
typedef struct {
  double phi[STAGES], size[STAGES], gamma;
} weights;

static weights weigh(const tree *t)
{
  double u[VERTICES][STAGES], s[VERTICES][STAGES];
  int below[VERTICES];
  weights w = {.gamma = 1.0};
  for (int v = 0; v < t->n; v++) {
    below[v] = 1;
    for (int i = 0; i < STAGES; i++) {
      u[v][i] = s[v][i] = 1.0;
    }
  }
  for (int v = t->n - 1; v > 0; v--) { // what hangs on v is complete
    const int above = parent(t, v);
    below[above] += below[v];
    w.gamma *= below[v];
    for (int i = 0; i < STAGES; i++) {
      double sum = 0.0, size = 0.0;
      for (int j = 0; j < i; j++) {
        sum += cardan__dop853.rk.a[i][j] * u[v][j];
        size += fabs(cardan__dop853.rk.a[i][j]) * s[v][j];
      }
      u[above][i] *= sum;
      s[above][i] *= size;
    }
  }
  w.gamma *= below[0];
  memcpy(w.phi, u[0], sizeof w.phi);
  memcpy(w.size, s[0], sizeof w.size);
  return w;
}

/* How far sum_i b_i Phi_i(t) is from theta^|t| / gamma(t) at worst over the trees of n vertices, in
 * units of the rounding of its terms; count out: the number of trees. */
static double order_defect(int n, const double *b, double theta, int *count)
{
  double worst = 0.0;
  *count = 0;
  tree t = first_tree(n);
  do {
    const weights w = weigh(&t);
    double sum = 0.0, size = 0.0;
    for (int i = 0; i < STAGES; i++) {
      sum += b[i] * w.phi[i];
      size += fabs(b[i]) * w.size[i];
    }
    worst = fmax(worst, fabs(sum - pow(theta, n) / w.gamma) / (DBL_EPSILON * size));
    (*count)++;
  } while (next_tree(&t));
  return worst;
}

/* Weights b less e, over all stages; e NULL: b. */
static void less(const double *e, double *b)
{
  memset(b, 0, STAGES * sizeof *b);
  for (int i = 0; i < STEP; i++) {
    b[i] = cardan__dop853.rk.b[i] - (e ? e[i] : 0.0);
  }
}

// A coefficient is right to half an eps of it, and a tree of n vertices multiplies n of them: the
// defect is below a unit where the condition holds, and 1e9 or more where it does not.
static const double HOLDS = 1.0, FAILS = 1e9;

static void stages_are_where_they_are(void **state)
{
  const cardan__rk_table *rk = &cardan__dop853.rk;
  (void)state;
  for (int i = 0; i < STAGES; i++) {
    double sum = 0.0, size = DBL_EPSILON;
    for (int j = 0; j < STAGES; j++) {
      sum += rk->a[i][j];
      size += fabs(rk->a[i][j]);
      assert_true(j < i || rk->a[i][j] == 0.0);
    }
    assert_near(sum, rk->c[i], HOLDS * size * DBL_EPSILON);
  }
  assert_memory_equal(rk->a[STEP], rk->b, STEP * sizeof(double));
}

// all 200 trees of up to 8 vertices; of those with 9 some condition fails
static void weights_have_order_8(void **state)
{
  static const int trees[] = {0, 1, 1, 2, 4, 9, 20, 48, 115};
  double b[STAGES];
  (void)state;
  less(NULL, b);
  for (int n = 1; n <= 8; n++) {
    int count;
    const double defect = order_defect(n, b, 1.0, &count);
    print_message("order %d: %d trees, defect %.2g\n", n, count, defect);
    assert_int_equal(count, trees[n]);
    assert_true(defect < HOLDS);
  }
}

static void companions_have_orders_5_and_3(void **state)
{
  const double *const e[] = {cardan__dop853.rk.e, cardan__dop853.e3};
  static const int order[] = {5, 3};
  (void)state;
  for (int k = 0; k < 2; k++) {
    double b[STAGES];
    int count;
    less(e[k], b);
    for (int n = 1; n <= order[k]; n++) {
      assert_true(order_defect(n, b, 1.0, &count) < HOLDS);
    }
    assert_true(order_defect(order[k] + 1, b, 1.0, &count) > FAILS);
  }
}

/* The interpolant as weights b(theta) of the stages: (E8) of dop853.c with y0 = 0, h = 1. */
static void dense_weights(double s, double *b)
{
  const cardan__dop853_table *table = &cardan__dop853;
  const double r = 1.0 - s;
  for (int i = 0; i < STAGES; i++) {
    const double d = i < STEP ? table->rk.b[i] : 0.0, p = (i == 0) - d;
    const double high =
        table->dense[0][i] +
        s * (table->dense[1][i] + r * (table->dense[2][i] + s * table->dense[3][i]));
    b[i] = s * (d + r * (p + s * (d - (i == STEP) - p + r * high)));
  }
}

static void rows_have_order_7(void **state)
{
  (void)state;
  double failing = 0.0;
  for (int k = 1; k < 10; k++) {
    const double theta = 0.1 * k;
    double b[STAGES];
    int count;
    dense_weights(theta, b);
    for (int n = 1; n <= 7; n++) {
      const double defect = order_defect(n, b, theta, &count);
      if (defect > 100 * HOLDS) { // D has terms a hundred times what they add up to
        fail_msg("theta %g, order %d: defect %g", theta, n, defect);
      }
    }
    failing = fmax(failing, order_defect(8, b, theta, &count));
  }
  assert_true(failing > FAILS);
}

static cardan__ode *make(const cardan__ode_problem *problem, const cardan__ode_options *options)
{
  cardan__ode *ode;
  assert_int_equal(
      cardan__ode_create(NULL, cardan__ode_method_find("dop853"), problem, options, &ode),
      CARDAN_OK);
  return ode;
}

static cardan__ode_options tolerance(double tol)
{
  cardan__ode_options options = cardan__ode_defaults();
  options.rtol = options.atol = tol;
  return options;
}

// The error of one step falls as h^9, that of a row in its middle as h^8, and the two meet at the
// step's end.
static void one_step_and_its_rows(void **state)
{
  double middle[2], end[2];
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double h = i == 0 ? 0.8 : 0.4;
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
    const cardan__ode_options options = tolerance(0.5);
    const double t0 = 2.5, y0 = exp(sin(t0));
    cardan__ode *ode = make(&problem, &options);
    assert_int_equal(cardan__ode_begin(ode, t0, &y0, 100.0, h), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(ode, t0 + 0.5 * h), CARDAN_OK);
    assert_int_equal(ode->counters.accepted, 1);
    assert_int_equal(ode->counters.evaluations, 1 + 12 + 3);
    middle[i] = fabs(ode->y[0] - exp(sin(t0 + 0.5 * h)));
    assert_int_equal(cardan__ode_advance(ode, nextafter(t0 + h, 0.0)), CARDAN_OK);
    const double before = ode->y[0];
    assert_int_equal(cardan__ode_advance(ode, t0 + h), CARDAN_OK);
    assert_int_equal(ode->counters.evaluations, 1 + 12 + 3);
    assert_near(before, ode->y[0], 8 * DBL_EPSILON); // an ulp of t, sums of a few terms of size 1
    end[i] = fabs(ode->y[0] - exp(sin(t0 + h)));
    cardan__ode_destroy(ode);
  }
  print_message("error of a step %.3g, %.3g, of its middle %.3g, %.3g\n", end[0], end[1], middle[0],
                middle[1]);
  assert_near(log2(end[0] / end[1]), 9.0, 0.9);
  assert_near(log2(middle[0] / middle[1]), 8.0, 0.3);
}

/* Largest error at the known time after n steps of one size, each a run of its own. */
static double fixed_error(problem_kind kind, int n)
{
  problem_context context = problem_context_plain();
  const cardan__ode_problem problem = problem_make(kind, &context);
  const cardan__ode_options options = tolerance(0.5);
  double time, y[PROBLEM_MAX], known[PROBLEM_MAX], error = 0.0;
  cardan__ode *ode = make(&problem, &options);
  problem_start(kind, y);
  problem_known(kind, &time, known);
  for (int i = 0; i < n; i++) {
    assert_int_equal(cardan__ode_begin(ode, time * i / n, y, 100 * time, time / n), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(ode, ode->t + time / n), CARDAN_OK);
    assert_int_equal(ode->counters.accepted, 1);
    memcpy(y, ode->y, (size_t)ode->n * sizeof *y);
  }
  for (int j = 0; j < ode->n; j++) {
    error = fmax(error, fabs(y[j] - known[j]));
  }
  cardan__ode_destroy(ode);
  return error;
}

static void equal_steps_have_order_8(void **state)
{
  static const problem_kind kinds[] = {EXPONENTIAL, PENDULUM, KEPLER};
  static const int steps[] = {2, 6, 29};
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double coarse = fixed_error(kinds[k], steps[k]);
    const double fine = fixed_error(kinds[k], 2 * steps[k]);
    print_message("problem %d: errors %.3g, %.3g, order %.2f\n", kinds[k], coarse, fine,
                  log2(coarse / fine));
    assert_near(log2(coarse / fine), 8.0, 0.5);
  }
}

// Ten orbits: the number of steps grows as tol^(-1/8), and the error falls as the tolerance.
static void steps_grow_with_the_eighth_root_of_the_tolerance(void **state)
{
  const double time = 20 * acos(-1.0);
  double error[2], steps[2], y[PROBLEM_MAX];
  (void)state;
  problem_start(KEPLER, y);
  for (int i = 0; i < 2; i++) {
    const cardan__ode_options options = tolerance(i == 0 ? 1e-6 : 1e-11);
    problem_context context = problem_context_plain();
    cardan__ode *ode = problem_run("dop853", KEPLER, &context, &options, time, 1);
    error[i] = 0.0;
    for (int j = 0; j < 4; j++) {
      error[i] = fmax(error[i], fabs(ode->y[j] - y[j]));
    }
    steps[i] = (double)ode->counters.accepted;
    cardan__ode_destroy(ode);
  }
  const double growth = log10(steps[1] / steps[0]) / 5.0, slope = log10(error[0] / error[1]) / 5.0;
  print_message("steps %g, %g: exponent %.4f; errors %.2g, %.2g: slope %.3f\n", steps[0], steps[1],
                growth, error[0], error[1], slope);
  assert_near(growth, 0.125, 0.0125);
  assert_near(slope, 1.0, 0.2);
}

// rows change no step and no state at the end: they cost three evaluations a step that has some
static void rows_do_not_change_the_steps(void **state)
{
  (void)state;
  problem_context context = problem_context_plain();
  cardan__ode *one = problem_run("dop853", KEPLER, &context, NULL, 5.0, 1);
  cardan__ode *many = problem_run("dop853", KEPLER, &context, NULL, 5.0, 500);
  const cardan__ode_counters *n = &one->counters;
  assert_int_equal(n->accepted, many->counters.accepted);
  assert_int_equal(n->evaluations, 2 + 11 * (n->accepted + n->rejected) + n->accepted);
  const int64_t more = many->counters.evaluations - n->evaluations; // the first steps are short
  assert_int_equal(more % 3, 0);
  assert_in_range(more / 3, n->accepted - 3, n->accepted);
  assert_memory_equal(one->y, many->y, 4 * sizeof(double));
  cardan__ode_destroy(one);
  cardan__ode_destroy(many);
}

// the norm of what is kept as the error is what the step control looked at: below 1, and with the
// next step's size that it leads to
static void estimate_is_that_of_the_control(void **state)
{
  problem_context context = problem_context_plain();
  const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
  const cardan__ode_options options = tolerance(1e-6);
  const double y0 = 1.0, h = 0.3;
  cardan__ode *ode = make(&problem, &options);
  (void)state;
  assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 100.0, h), CARDAN_OK);
  assert_int_equal(cardan__ode_advance(ode, h), CARDAN_OK);
  assert_int_equal(ode->counters.accepted, 1);
  const double err = fabs(ode->error[0]) / (options.atol + options.rtol * ode->y[0]);
  const double next = h * fmin(6.0, 0.8 * pow(err, -0.125));
  assert_int_equal(cardan__ode_advance(ode, 1.01 * h), CARDAN_OK);
  assert_int_equal(ode->counters.accepted, 2);
  assert_near(ode->counters.last_step, next, 1e-12);
  cardan__ode_destroy(ode);
}

// a row's stages at which f is not defined make the step a failed one, and the run continues
typedef struct {
  double from, to; // f asks for smaller steps than 0.1 at these times
  double last;     // time of the last call
} hole;

static cardan__ode_result with_hole(void *ctx, double t, const double *y, double *ydot)
{
  hole *h = ctx;
  const bool far = fabs(t - h->last) > 0.1;
  h->last = t;
  ydot[0] = y[0] * cos(t);
  return far && t > h->from && t < h->to ? cardan__ode_retry(CARDAN_ERR_STEP_TOO_SMALL)
                                         : cardan__ode_result_of(CARDAN_OK);
}

static void stages_of_rows_may_fail(void **state)
{
  hole context = {.from = 1.0, .to = 2.0};
  const cardan__ode_problem problem = {.nq = 1, .ctx = &context, .f = with_hole};
  const cardan__ode_options options = tolerance(1e-5);
  const double y0 = 1.0;
  cardan__ode *ode = make(&problem, &options);
  (void)state;
  assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 5.0, 0.0), CARDAN_OK);
  for (int i = 1; i <= 50; i++) {
    assert_int_equal(cardan__ode_advance(ode, 0.1 * i), CARDAN_OK);
    assert_near(ode->y[0], exp(sin(0.1 * i)), 100 * options.rtol);
  }
  assert_true(ode->counters.rejected > 0);
  cardan__ode_destroy(ode);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stages_are_where_they_are),
      cmocka_unit_test(weights_have_order_8),
      cmocka_unit_test(companions_have_orders_5_and_3),
      cmocka_unit_test(rows_have_order_7),
      cmocka_unit_test(one_step_and_its_rows),
      cmocka_unit_test(equal_steps_have_order_8),
      cmocka_unit_test(steps_grow_with_the_eighth_root_of_the_tolerance),
      cmocka_unit_test(rows_do_not_change_the_steps),
      cmocka_unit_test(estimate_is_that_of_the_control),
      cmocka_unit_test(stages_of_rows_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
