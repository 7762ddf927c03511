// SPDX-License-Identifier: Apache-2.0
// The table of integrators, the fixed-step ones, and what holds for all of them.
#include <float.h>
#include <math.h>
#include <string.h>

#include "test_ode_problems.h"

static void table_has_every_integrator(void **state)
{
  static const char *const names[] = {"euler",    "semi-implicit", "rk2",   "rk4",    "rkf45-fixed",
                                      "rkf45",    "dopri5",        "ode45", "dop853", "trapezoid",
                                      "midpoint", "gauss4",        "adams", "bdf"};
  static const int orders[] = {1, 1, 2, 4, 4, 5, 5, 5, 8, 2, 2, 4, 12, 5};
  (void)state;
  assert_int_equal(cardan__ode_method_count(), sizeof(names) / sizeof(names[0]));
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    const cardan__ode_method *method = cardan__ode_method_find(names[i]);
    assert_ptr_equal(method, cardan__ode_method_at(i));
    assert_string_equal(cardan__ode_method_name(method), names[i]);
    assert_int_equal(cardan__ode_method_order(method), orders[i]);
  }
  assert_null(cardan__ode_method_find("rk45"));
  assert_true(cardan__ode_method_adaptive(cardan__ode_method_find("ode45")));
  assert_false(cardan__ode_method_adaptive(cardan__ode_method_find("rk4")));
}

static void create_refuses_bad_arguments(void **state)
{
  const cardan__ode_method *rk4 = cardan__ode_method_find("rk4");
  const cardan__ode_method *split = cardan__ode_method_find("semi-implicit");
  problem_context context = problem_context_plain();
  const cardan__ode_problem good = problem_make(PENDULUM, &context);
  const cardan__ode_options defaults = cardan__ode_defaults();
  cardan__ode_problem problem;
  cardan__ode_options options;
  cardan__ode *ode;
  (void)state;

#define REFUSED(method, change)                                                \
  problem = good;                                                              \
  options = defaults;                                                          \
  change;                                                                      \
  assert_int_equal(cardan__ode_create(NULL, method, &problem, &options, &ode), \
                   CARDAN_ERR_ARGUMENT);                                       \
  assert_null(ode)

  REFUSED(rk4, problem.nq = -1);
  REFUSED(rk4, problem.nv = -1);
  REFUSED(rk4, problem.f = NULL);
  REFUSED(split, problem.kick = NULL);
  REFUSED(split, problem.drift = NULL);
  REFUSED(rk4, options.rtol = 0.0);
  REFUSED(rk4, options.rtol = nan(""));
  REFUSED(rk4, options.atol = 0.0);
  REFUSED(rk4, options.atol = HUGE_VAL);
  REFUSED(rk4, options.max_steps = 0);
  REFUSED(rk4, options.max_iter = 0);
  REFUSED(rk4, options.iter_tol = -1.0);
}

static void begin_and_advance_refuse_bad_arguments(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    const cardan__ode_method *method = cardan__ode_method_at(i);
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(PENDULUM, &context);
    const double y[2] = {2.0, 0.0}, bad[2] = {2.0, nan("")};
    cardan__ode *ode;
    assert_int_equal(cardan__ode_create(NULL, method, &problem, NULL, &ode), CARDAN_OK);
    assert_int_equal(cardan__ode_begin(ode, nan(""), y, 1.0, 0.0), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y, HUGE_VAL, 0.0), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y, 1.0, -1.0), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan__ode_begin(ode, 0.0, bad, 1.0, 0.0), CARDAN_ERR_NOT_FINITE);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y, 1.0, 0.0), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(ode, nan("")), CARDAN_ERR_ARGUMENT);
    assert_int_equal(cardan__ode_advance(ode, 0.0), CARDAN_OK);
    assert_int_equal(ode->counters.accepted, 0);
    if (cardan__ode_method_adaptive(method)) {
      assert_int_equal(cardan__ode_advance(ode, -0.1), CARDAN_ERR_ARGUMENT);
    }
    cardan__ode_destroy(ode);
  }
  cardan__ode_destroy(NULL);
}

// The error at a known state must fall as h^order. The number of steps is such that the next term
// of the error is a few per cent of the first, which is what the slope may be off; and where the
// first term of order 4 is still 1e4 times round-off.
static void fixed_steps_have_their_order(void **state)
{
  static const char *const names[] = {"euler",       "semi-implicit", "rk2",      "rk4",
                                      "rkf45-fixed", "trapezoid",     "midpoint", "gauss4"};
  static const problem_kind kinds[] = {EXPONENTIAL, GROWTH, PENDULUM, KEPLER};
  static const int steps[] = {40, 40, 150, 400};
  (void)state;
  for (size_t m = 0; m < sizeof(names) / sizeof(names[0]); m++) {
    const int order = cardan__ode_method_order(cardan__ode_method_find(names[m]));
    for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
      const int n = order == 1 ? 20 * steps[k] : steps[k];
      const double coarse = problem_error(names[m], kinds[k], NULL, n);
      const double fine = problem_error(names[m], kinds[k], NULL, 2 * n);
      const double slope = log2(coarse / fine);
      if (fabs(slope - order) > 0.1) {
        fail_msg("%s, problem %d: order %g (errors %g, %g)", names[m], kinds[k], slope, coarse,
                 fine);
      }
    }
  }
}

// Where the steps are known, so are the evaluations; callbacks count for themselves.
static void evaluations_of_fixed_steps(void **state)
{
  static const struct {
    const char *name;
    int each;
  } rows[] = {{"euler", 1}, {"semi-implicit", 1}, {"rk2", 2}, {"rk4", 4}, {"rkf45-fixed", 6}};
  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    problem_context context = problem_context_plain();
    cardan__ode *ode = problem_run(rows[i].name, KEPLER, &context, NULL, 1.0, 50);
    assert_int_equal(ode->counters.evaluations, 50 * rows[i].each);
    assert_int_equal(ode->counters.accepted, 50);
    assert_int_equal(ode->counters.restarts, 0);
    assert_near(ode->counters.last_step, 0.02, 2 * DBL_EPSILON); // t = k/50 is rounded twice
    cardan__ode_destroy(ode);
  }
}

static void evaluations_are_calls(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    const char *name = cardan__ode_method_name(cardan__ode_method_at(i));
    problem_context context = problem_context_plain();
    cardan__ode *ode = problem_run(name, PENDULUM, &context, NULL, 3.0, 30);
    assert_int_equal(ode->counters.evaluations, context.f_calls + context.v_calls);
    assert_true(ode->counters.evaluations > 0);
    assert_true(ode->counters.accepted > 0);
    if (!cardan__ode_method_adaptive(ode->method)) {
      assert_int_equal(ode->counters.accepted, 30);
      assert_int_equal(context.accept_calls, 30);
    }
    cardan__ode_destroy(ode);
  }
}

// Local error of Fehlberg's pair on q' = q cos t: the estimate is y4 - y5, and y5 is an order
// better, so it must agree with y4 - exact to O(h) = 5 per cent at h = 0.05.
static void fehlberg_estimates_its_error(void **state)
{
  const double h = 0.05, y0 = 1.0;
  problem_context context = problem_context_plain();
  const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
  cardan__ode *ode;
  (void)state;
  assert_int_equal(
      cardan__ode_create(NULL, cardan__ode_method_find("rkf45-fixed"), &problem, NULL, &ode),
      CARDAN_OK);
  assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 1.0, 0.0), CARDAN_OK);
  assert_int_equal(cardan__ode_advance(ode, h), CARDAN_OK);
  const double error = ode->y[0] - exp(sin(h));
  assert_true(fabs(error) > 100 * DBL_EPSILON);
  assert_near(ode->error[0], error, h * fabs(error) + 4 * DBL_EPSILON);
  cardan__ode_destroy(ode);
}

// One Newton iteration solves a linear system; a stiff one stays bounded at any step. The map is
// y_new = y (1 - z) / (1 + z) with z = lambda h / 2.
static cardan__ode_result stiff(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  (void)t;
  ydot[0] = -1e6 * y[0];
  return cardan__ode_result_of(CARDAN_OK);
}

static void trapezoid_takes_stiff_steps(void **state)
{
  const cardan__ode_problem problem = {.nq = 1, .f = stiff};
  const double y0 = 1.0, h = 0.01, z = 0.5e6 * h;
  cardan__ode *ode;
  (void)state;
  assert_int_equal(
      cardan__ode_create(NULL, cardan__ode_method_find("trapezoid"), &problem, NULL, &ode),
      CARDAN_OK);
  assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 1.0, 0.0), CARDAN_OK);
  double expected = 1.0;
  for (int i = 1; i <= 10; i++) {
    assert_int_equal(cardan__ode_advance(ode, i * h), CARDAN_OK);
    expected *= (1.0 - z) / (1.0 + z);
    // f turns a rounding of y into 1e6 of it, of which the solution divides z = 5e3 back out, a
    // step
    assert_near(ode->y[0], expected, i * 200 * DBL_EPSILON);
  }
  assert_int_equal(ode->counters.jacobian_evaluations, 2); // one Jacobian: n + 1 evaluations
  cardan__ode_destroy(ode);
}

/* The fixed-point iteration of Gauss's methods diverges there, and Newton's finds the step:
 * midpoint R(z) = (1 + z/2) / (1 - z/2), gauss4 R(z) = (1 + z/2 + z^2/12) / (1 - z/2 + z^2/12), z =
 * -1e4. */
static void gauss_takes_stiff_steps(void **state)
{
  static const char *const names[] = {"midpoint", "gauss4"};
  const cardan__ode_problem problem = {.nq = 1, .f = stiff};
  const double y0 = 1.0, h = 0.01, z = -1e6 * h;
  const double R[] = {(1 + z / 2) / (1 - z / 2),
                      (1 + z / 2 + z * z / 12) / (1 - z / 2 + z * z / 12)};
  (void)state;
  for (int m = 0; m < 2; m++) {
    cardan__ode *ode;
    double expected = 1.0;
    assert_int_equal(
        cardan__ode_create(NULL, cardan__ode_method_find(names[m]), &problem, NULL, &ode),
        CARDAN_OK);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 1.0, 0.0), CARDAN_OK);
    for (int i = 1; i <= 10; i++) {
      assert_int_equal(cardan__ode_advance(ode, i * h), CARDAN_OK);
      expected *= R[m];
      assert_near(ode->y[0], expected, i * 200 * DBL_EPSILON); // as of the trapezoidal rule
    }
    // one step of sweeps, which fail; then 3 rounds: the solution, its rounding, nothing
    assert_true(ode->counters.iterations <= 100 + 10 * 4);
    cardan__ode_destroy(ode);
  }
}

// Collocation at Gauss points keeps quadratic invariants: the harmonic oscillator's energy.
static cardan__ode_result oscillator(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  (void)t;
  ydot[0] = y[1];
  ydot[1] = -y[0];
  return cardan__ode_result_of(CARDAN_OK);
}

static void gauss_keeps_quadratic_invariants(void **state)
{
  static const char *const names[] = {"midpoint", "gauss4"};
  const cardan__ode_problem problem = {.nq = 1, .nv = 1, .f = oscillator};
  const double y0[2] = {1.0, 0.0};
  (void)state;
  for (int m = 0; m < 2; m++) {
    cardan__ode *ode;
    assert_int_equal(
        cardan__ode_create(NULL, cardan__ode_method_find(names[m]), &problem, NULL, &ode),
        CARDAN_OK);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y0, 100.0, 0.0), CARDAN_OK);
    for (int i = 1; i <= 1000; i++) {
      assert_int_equal(cardan__ode_advance(ode, 0.1 * i), CARDAN_OK);
    }
    const double energy = ode->y[0] * ode->y[0] + ode->y[1] * ode->y[1];
    // each step ends its iteration at 4 eps and rounds as much again
    assert_near(energy, 1.0, 1000 * 8 * DBL_EPSILON);
    cardan__ode_destroy(ode);
  }
}

// Linear in the velocity, semi-implicit Euler is a product of two shears: by hand.
static void semi_implicit_by_hand(void **state)
{
  problem_context context = problem_context_plain();
  cardan__ode *ode = problem_run("semi-implicit", PENDULUM, &context, NULL, 0.25, 1);
  const double v = -0.25 * sin(2.0);
  (void)state;
  assert_true(ode->y[1] == v);
  assert_true(ode->y[0] == 2.0 + 0.25 * v);
  cardan__ode_destroy(ode);
}

static void all_run_backwards(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(GROWTH, &context);
    const double y1 = exp(sin(1.0));
    const int order = cardan__ode_method_order(cardan__ode_method_at(i));
    cardan__ode *ode;
    assert_int_equal(cardan__ode_create(NULL, cardan__ode_method_at(i), &problem, NULL, &ode),
                     CARDAN_OK);
    assert_int_equal(cardan__ode_begin(ode, 1.0, &y1, 0.0, 0.0), CARDAN_OK);
    for (int k = 99; k >= 0; k--) {
      assert_int_equal(cardan__ode_advance(ode, k / 100.0), CARDAN_OK);
    }
    // order 1: about h / 2 times the mean of |y''| < 3; others: their square, or rtol times some
    // steps
    assert_near(ode->y[0], 1.0, order == 1 ? 1.5e-2 : 1e-4);
    assert_true(ode->counters.last_step < 0.0);
    cardan__ode_destroy(ode);
  }
}

static void nothing_to_integrate(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    const char *name = cardan__ode_method_name(cardan__ode_method_at(i));
    for (int partial = 0; partial < 2; partial++) {
      problem_context context = problem_context_plain();
      cardan__ode_options options = cardan__ode_defaults();
      options.error_control = partial ? CARDAN__ODE_PARTIAL : CARDAN__ODE_FULL;
      context.touch = true;
      cardan__ode *ode = problem_run(name, EMPTY, &context, &options, 1.0, 10);
      assert_true(ode->t == 1.0);
      assert_true(context.accept_calls >= 10);
      cardan__ode_destroy(ode);
    }
  }
}

// the same input: two integrators, and one that begins again after another run
static void same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    const char *name = cardan__ode_method_name(cardan__ode_method_at(i));
    problem_context context = problem_context_plain();
    cardan__ode *first = problem_run(name, KEPLER, &context, NULL, 5.0, 77);
    cardan__ode *second = problem_run(name, KEPLER, &context, NULL, 5.0, 77);
    assert_memory_equal(first->y, second->y, 4 * sizeof(double));

    const double elsewhere[4] = {2.0, 0.0, 0.0, 0.5};
    double y[PROBLEM_MAX];
    assert_int_equal(cardan__ode_begin(second, 3.0, elsewhere, 9.0, 0.01), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(second, 3.05), CARDAN_OK);
    problem_start(KEPLER, y);
    assert_int_equal(cardan__ode_begin(second, 0.0, y, 5.0, 0.0), CARDAN_OK);
    for (int k = 1; k <= 77; k++) {
      assert_int_equal(cardan__ode_advance(second, k < 77 ? 5.0 * k / 77 : 5.0), CARDAN_OK);
    }
    assert_memory_equal(first->y, second->y, 4 * sizeof(double));
    assert_int_equal(first->counters.evaluations, second->counters.evaluations);
    assert_int_equal(first->counters.accepted, second->counters.accepted);
    assert_int_equal(first->counters.rejected, second->counters.rejected);
    cardan__ode_destroy(first);
    cardan__ode_destroy(second);
  }
}

static void no_allocation_after_create(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(KEPLER, &context);
    double y[PROBLEM_MAX];
    cardan__ode *ode;
    const long at_start = support_alloc_count();
    assert_int_equal(cardan__ode_create(NULL, cardan__ode_method_at(i), &problem, NULL, &ode),
                     CARDAN_OK);
    const long before = support_alloc_count();
    assert_true(before > at_start);
    problem_start(KEPLER, y);
    for (int run = 0; run < 2; run++) {
      context.touch = run == 1;
      assert_int_equal(cardan__ode_begin(ode, 0.0, y, 6.0, 0.0), CARDAN_OK);
      for (int k = 1; k <= 600; k++) {
        assert_int_equal(cardan__ode_advance(ode, k / 100.0), CARDAN_OK);
      }
      assert_int_equal(cardan__ode_restart(ode, 6.0, y), CARDAN_OK);
      assert_int_equal(cardan__ode_advance(ode, 6.01), CARDAN_OK);
    }
    const long made = support_alloc_count() - before;
    if (made != 0) {
      fail_msg("%s: %ld allocations", cardan__ode_method_name(cardan__ode_method_at(i)), made);
    }
    cardan__ode_destroy(ode);
  }
}

static cardan_status create_one(const cardan_allocator *alloc, void *user)
{
  const int *index = user;
  const cardan__ode_method *method = cardan__ode_method_at(*index);
  problem_context context = problem_context_plain();
  const cardan__ode_problem problem = problem_make(KEPLER, &context);
  cardan__ode *ode;
  const cardan_status status = cardan__ode_create(alloc, method, &problem, NULL, &ode);
  cardan__ode_destroy(ode);
  return status;
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    assert_true(support_fail_each(create_one, &i) >= 2);
  }
}

// a Jacobian of 2^30 numbers squared is no memory, not a wrapped size
static void sizes_do_not_wrap(void **state)
{
  problem_context context = problem_context_plain();
  cardan__ode_problem problem = problem_make(PENDULUM, &context);
  support_memory memory = {.fail_at = 1, .fail_after = true};
  cardan__ode *ode;
  (void)state;
  problem.nq = problem.nv = 1 << 30;
  assert_int_equal(cardan__ode_create(NULL, cardan__ode_method_find("rk4"), &problem, NULL, &ode),
                   CARDAN_ERR_ARGUMENT);
  problem.nq = problem.nv = (1 << 30) - 1;
  const cardan_allocator alloc = support_allocator(&memory);
  assert_int_equal(
      cardan__ode_create(&alloc, cardan__ode_method_find("trapezoid"), &problem, NULL, &ode),
      CARDAN_ERR_MEMORY);
  assert_null(ode);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(table_has_every_integrator),
      cmocka_unit_test(create_refuses_bad_arguments),
      cmocka_unit_test(begin_and_advance_refuse_bad_arguments),
      cmocka_unit_test(fixed_steps_have_their_order),
      cmocka_unit_test(evaluations_of_fixed_steps),
      cmocka_unit_test(evaluations_are_calls),
      cmocka_unit_test(fehlberg_estimates_its_error),
      cmocka_unit_test(trapezoid_takes_stiff_steps),
      cmocka_unit_test(gauss_takes_stiff_steps),
      cmocka_unit_test(gauss_keeps_quadratic_invariants),
      cmocka_unit_test(semi_implicit_by_hand),
      cmocka_unit_test(all_run_backwards),
      cmocka_unit_test(nothing_to_integrate),
      cmocka_unit_test(same_bits),
      cmocka_unit_test(no_allocation_after_create),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(sizes_do_not_wrap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
