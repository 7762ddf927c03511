// SPDX-License-Identifier: Apache-2.0
// What integrators do when they cannot continue: status, last good state, nothing printed.
#define _POSIX_C_SOURCE 200809L
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test_ode_problems.h"

static cardan__ode *make(int index, const cardan__ode_problem *problem,
                         const cardan__ode_options *options)
{
  cardan__ode *ode;
  assert_int_equal(cardan__ode_create(NULL, cardan__ode_method_at(index), problem, options, &ode),
                   CARDAN_OK);
  return ode;
}

// steps of h up to `end` until one fails; what it returned
static cardan_status run_until(cardan__ode *ode, double h, double end)
{
  cardan_status status = CARDAN_OK;
  for (int i = 1; status == CARDAN_OK && h * i < end + 0.5 * h; i++) {
    status = cardan__ode_advance(ode, h * i);
  }
  return status;
}

/* A wall at t = 1 behind which f fails. Every integrator must say why, and stand before the wall in
 * a state of the solution, q = exp(sin t): order 1 with h = 0.01 has an error of 0.03 at most.
 * Adaptive ones must have come close: SUNDIALS gives up after ten reductions of a step. */
static void check_wall(cardan__ode_result beyond, cardan_status expected)
{
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    const double y0 = 1.0;
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(GROWTH, &context);
    context.wall = 1.0;
    context.beyond = beyond;
    cardan__ode *ode = make(i, &problem, NULL);
    const char *name = cardan__ode_method_name(ode->method);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 2.0, 0.0), CARDAN_OK);
    const cardan_status status = run_until(ode, 0.01, 2.0);
    // a fixed step may evaluate at its start only
    const double latest = cardan__ode_method_adaptive(ode->method) ? 1.0 : 1.015;
    const double earliest = beyond.outcome == CARDAN__ODE_FAILED
                                ? 0.7
                                : 0.99; // a stop ends the step, of 0.2 at most, at once
    if (status != expected || !(ode->t > earliest && ode->t <= latest)) {
      fail_msg("%s: status %d at t = %.17g, expected %d", name, status, ode->t, expected);
    }
    assert_near(ode->y[0], exp(sin(ode->t)), 0.03);

    // the state is good, so a run can continue from it when the wall is removed
    context.wall = HUGE_VAL;
    for (int k = 2; k <= 100; k++) {
      assert_int_equal(cardan__ode_advance(ode, 1.0 + 0.01 * k), CARDAN_OK);
    }
    assert_near(ode->y[0], exp(sin(2.0)), 0.06);

    // nor does a failed run prevent another, which goes backwards
    const double y1 = exp(sin(1.0));
    context.wall = 1.0;
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 2.0, 0.0), CARDAN_OK);
    assert_int_equal(run_until(ode, 0.01, 2.0), expected);
    assert_int_equal(cardan__ode_begin(ode, 1.0, &y1, 0.0, 0.0), CARDAN_OK);
    for (int k = 99; k >= 0; k--) {
      assert_int_equal(cardan__ode_advance(ode, 0.01 * k), CARDAN_OK);
    }
    assert_near(ode->y[0], 1.0, 0.03);
    cardan__ode_destroy(ode);
  }
}

static void derivative_not_finite(void **state)
{
  (void)state;
  check_wall(cardan__ode_result_of(CARDAN_OK), CARDAN_ERR_NOT_FINITE);
}

static void callback_stops(void **state)
{
  (void)state;
  check_wall(cardan__ode_result_of(CARDAN_ERR_STOPPED), CARDAN_ERR_STOPPED);
  check_wall(cardan__ode_result_of(CARDAN_ERR_SINGULAR), CARDAN_ERR_SINGULAR);
}

static void callback_always_retries(void **state)
{
  (void)state;
  check_wall(cardan__ode_retry(CARDAN_ERR_STEP_TOO_SMALL), CARDAN_ERR_STEP_TOO_SMALL);
}

// a first step that is far too long leads out of where f is defined; smaller ones do not
static void retry_takes_a_smaller_step(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    if (!cardan__ode_method_adaptive(cardan__ode_method_at(i))) {
      continue;
    }
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(PENDULUM, &context);
    const double y0[2] = {2.0, 0.0};
    context.fence = 2.01;
    cardan__ode *ode = make(i, &problem, NULL);
    const double period = pendulum_period(2.0);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y0, 10.0 * period, 20.0), CARDAN_OK);
    const cardan_status status = cardan__ode_advance(ode, period);
    if (status != CARDAN_OK || ode->counters.rejected == 0) {
      fail_msg("%s: status %d at t = %.17g", cardan__ode_method_name(ode->method), status, ode->t);
    }
    // the integrators' tolerance of 1e-6 over a period, where errors grow with its hundred steps
    assert_near(ode->y[0], 2.0, 1e-4);
    cardan__ode_destroy(ode);
  }
}

// q' = q^2 has no solution beyond t = 1; the steps shrink with the remaining time
static void steps_shrink_at_a_pole(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    if (!cardan__ode_method_adaptive(cardan__ode_method_at(i))) {
      continue;
    }
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(BLOWUP, &context);
    const double y0 = 1.0;
    cardan__ode *ode = make(i, &problem, NULL);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 2.0, 0.0), CARDAN_OK);
    const cardan_status status = cardan__ode_advance(ode, 2.0);
    if (status != CARDAN_ERR_STEP_TOO_SMALL) {
      fail_msg("%s: status %d at t = %.17g", cardan__ode_method_name(ode->method), status, ode->t);
    }
    assert_near(ode->t, 1.0, 1e-3); // the pole, moved by the errors made on the way
    assert_true(isfinite(ode->y[0]) && ode->y[0] > 1e6);
    cardan__ode_destroy(ode);
  }
}

// the limit of internal steps ends an advance, and the next one continues: to the same end
static void too_many_steps(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    if (!cardan__ode_method_adaptive(cardan__ode_method_at(i))) {
      continue;
    }
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(KEPLER, &context);
    cardan__ode_options options = cardan__ode_defaults();
    double y[PROBLEM_MAX];
    problem_start(KEPLER, y);
    options.rtol = options.atol = 1e-9;
    cardan__ode *whole = problem_run(cardan__ode_method_name(cardan__ode_method_at(i)), KEPLER,
                                     &context, &options, 6.0, 1);
    options.max_steps = 4;
    cardan__ode *parts = make(i, &problem, &options);
    assert_int_equal(cardan__ode_begin(parts, 0.0, y, 6.0, 0.0), CARDAN_OK);
    int pauses = 0;
    cardan_status status = CARDAN_ERR_NO_CONVERGENCE;
    for (; status != CARDAN_OK && pauses < 1000; pauses++) {
      const double t = parts->t;
      status = cardan__ode_advance(parts, 6.0);
      assert_true(status == CARDAN_OK || status == CARDAN_ERR_NO_CONVERGENCE);
      assert_true(parts->t > t);
    }
    assert_true(pauses > 5);
    assert_memory_equal(whole->y, parts->y, 4 * sizeof(double));
    assert_int_equal(whole->counters.evaluations, parts->counters.evaluations);
    cardan__ode_destroy(whole);
    cardan__ode_destroy(parts);
  }
}

// `accepted` that fails: the step has not happened
static void accepted_stops(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    problem_context context = problem_context_plain();
    const cardan__ode_problem problem = problem_make(EXPONENTIAL, &context);
    const double y0 = 1.0;
    cardan__ode *ode = make(i, &problem, NULL);
    // ode45 has rows between its steps, of 0.2 at most, that `accepted` does not see
    const double next = cardan__ode_method_adaptive(ode->method) ? 0.6 : 0.2;
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 2.0, 0.0), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(ode, 0.1), CARDAN_OK);
    const double before = ode->y[0];
    context.accept = cardan__ode_result_of(CARDAN_ERR_SINGULAR);
    context.refuse = true;
    assert_int_equal(cardan__ode_advance(ode, next), CARDAN_ERR_SINGULAR);
    assert_true(ode->t < next);
    if (!cardan__ode_method_adaptive(ode->method)) {
      assert_true(ode->t == 0.1);
      assert_true(ode->y[0] == before);
    }
    context.refuse = false;
    assert_int_equal(cardan__ode_advance(ode, next), CARDAN_OK);
    assert_near(ode->y[0], exp(sin(next)), 0.02); // order 1, h = 0.1
    cardan__ode_destroy(ode);
  }
}

// implicit steps that do not converge: fixed-point iteration on a stiff system that is too large
// for Newton's method; Newton on a system without a solution
enum { LARGE = 1200 };

static cardan__ode_result stiff(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  (void)t;
  for (int i = 0; i < LARGE; i++) {
    ydot[i] = -(i == 7 ? 1e4 : 1.0) * y[i];
  }
  return cardan__ode_result_of(CARDAN_OK);
}

static cardan__ode_result square(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  (void)t;
  ydot[0] = 1.0 + y[0] * y[0];
  return cardan__ode_result_of(CARDAN_OK);
}

static void implicit_steps_may_not_converge(void **state)
{
  static const char *const names[] = {"midpoint", "gauss4", "trapezoid"};
  (void)state;
  for (int m = 0; m < 3; m++) {
    const cardan__ode_problem problem = {.nq = 1, .f = square};
    const double y0 = 1.0;
    cardan__ode *ode;
    assert_int_equal(
        cardan__ode_create(NULL, cardan__ode_method_find(names[m]), &problem, NULL, &ode),
        CARDAN_OK);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 10.0, 0.0), CARDAN_OK);
    // k = 1 + (1 + k)^2, and z = 1 + h/2 (2 + 1 + z^2), have no real root for h = 2
    assert_int_equal(cardan__ode_advance(ode, 2.0), CARDAN_ERR_NO_CONVERGENCE);
    assert_true(ode->t == 0.0 && ode->y[0] == 1.0);
    assert_int_equal(ode->counters.rejected, 1);
    assert_int_equal(cardan__ode_advance(ode, 1e-5), CARDAN_OK);
    cardan__ode_destroy(ode);
  }
}

static void large_stiff_systems(void **state)
{
  static const char *const names[] = {"midpoint", "gauss4"};
  double y0[LARGE];
  (void)state;
  for (int i = 0; i < LARGE; i++) {
    y0[i] = 1.0;
  }
  for (int m = 0; m < 2; m++) {
    const cardan__ode_problem problem = {.nq = LARGE, .f = stiff};
    cardan__ode *ode;
    assert_int_equal(
        cardan__ode_create(NULL, cardan__ode_method_find(names[m]), &problem, NULL, &ode),
        CARDAN_OK);
    assert_int_equal(cardan__ode_begin(ode, 0.0, y0, 10.0, 0.0), CARDAN_OK);
    assert_int_equal(cardan__ode_advance(ode, 0.1), CARDAN_ERR_NO_CONVERGENCE);
    assert_true(ode->t == 0.0 && ode->y[7] == 1.0);
    assert_near(ode->rate, 1e4, 1.0); // difference quotients of 1e4 y with rounding of 1e-8
    assert_int_equal(cardan__ode_advance(ode, 1.0 / ode->rate), CARDAN_OK);
    assert_true(ode->rate == 0.0);
    cardan__ode_destroy(ode);
  }
}

/* A force that jumps just before where a midpoint step of 0.02 looks: from either side
 * the iteration goes to the other. */
static cardan__ode_result jumps(void *ctx, double t, const double *y, double *ydot)
{
  (void)t;
  ydot[0] = y[0] > 1.0 + 0.01 * (1.0 - 0.5e-6) ? 1.0 - *(const double *)ctx : 1.0;
  return cardan__ode_result_of(CARDAN_OK);
}

// a small jump has two sides, and either will do; between those of a large one there is no saying
static void a_solution_in_a_jump(void **state)
{
  static double size[] = {1e-6, 0.1};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan__ode_problem problem = {.nq = 1, .f = jumps, .ctx = &size[i]};
    const double y0 = 1.0;
    cardan__ode *ode;
    assert_int_equal(
        cardan__ode_create(NULL, cardan__ode_method_find("midpoint"), &problem, NULL, &ode),
        CARDAN_OK);
    assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 1.0, 0.0), CARDAN_OK);
    const cardan_status status = cardan__ode_advance(ode, 0.02);
    print_message("a jump of %g: %d, %.12g\n", size[i], status, ode->y[0]);
    assert_int_equal(status, i == 0 ? CARDAN_OK : CARDAN_ERR_NO_CONVERGENCE);
    assert_near(ode->y[0], i == 0 ? 1.02 : 1.0, 0.021 * 1e-6);
    cardan__ode_destroy(ode);
  }
}

// overflow of a fixed step: the sum is not finite, though f is
static cardan__ode_result huge(void *ctx, double t, const double *y, double *ydot)
{
  (void)ctx;
  (void)t;
  (void)y;
  ydot[0] = DBL_MAX;
  return cardan__ode_result_of(CARDAN_OK);
}

static void state_not_finite(void **state)
{
  const cardan__ode_problem problem = {.nq = 1, .f = huge};
  const double y0 = 1.0;
  cardan__ode *ode;
  (void)state;
  assert_int_equal(cardan__ode_create(NULL, cardan__ode_method_find("rk4"), &problem, NULL, &ode),
                   CARDAN_OK);
  assert_int_equal(cardan__ode_begin(ode, 0.0, &y0, 10.0, 0.0), CARDAN_OK);
  assert_int_equal(cardan__ode_advance(ode, 10.0), CARDAN_ERR_NOT_FINITE);
  assert_true(ode->t == 0.0 && ode->y[0] == 1.0);
  cardan__ode_destroy(ode);
}

// walls, poles and too few steps with stdout and stderr in a file that must stay empty
static cardan_status fail_once(int index, problem_kind kind, cardan__ode_result beyond,
                               int max_steps)
{
  problem_context context = problem_context_plain();
  const cardan__ode_problem problem = problem_make(kind, &context);
  cardan__ode_options options = cardan__ode_defaults();
  const double y0 = 1.0;
  cardan__ode *ode;
  context.wall = kind == BLOWUP ? HUGE_VAL : 1.0;
  context.beyond = beyond;
  options.max_steps = max_steps;
  cardan_status status =
      cardan__ode_create(NULL, cardan__ode_method_at(index), &problem, &options, &ode);
  if (status == CARDAN_OK) {
    status = cardan__ode_begin(ode, 0.0, &y0, 2.0, 0.0);
    status = status == CARDAN_OK ? cardan__ode_advance(ode, 2.0) : status;
    cardan__ode_destroy(ode);
  }
  return status;
}

static void failures_are_silent(void **state)
{
  FILE *file = tmpfile();
  int failed = 0, expected = 0;
  (void)state;
  assert_non_null(file);
  fflush(stdout);
  fflush(stderr);
  const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  assert_true(out >= 0 && err >= 0);
  assert_true(dup2(fileno(file), STDOUT_FILENO) >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    if (cardan__ode_method_adaptive(cardan__ode_method_at(i))) {
      failed += fail_once(i, GROWTH, cardan__ode_result_of(CARDAN_OK), 100000) != CARDAN_OK;
      failed +=
          fail_once(i, GROWTH, cardan__ode_retry(CARDAN_ERR_STEP_TOO_SMALL), 100000) != CARDAN_OK;
      failed +=
          fail_once(i, GROWTH, cardan__ode_result_of(CARDAN_ERR_STOPPED), 100000) != CARDAN_OK;
      failed += fail_once(i, GROWTH, cardan__ode_result_of(CARDAN_ERR_STOPPED), 1) != CARDAN_OK;
      failed += fail_once(i, BLOWUP, cardan__ode_result_of(CARDAN_OK), 100000) != CARDAN_OK;
      expected += 5;
    }
  }
  fflush(stdout);
  fflush(stderr);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close(out);
  close(err);
  assert_int_equal(failed, expected);
  assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
  assert_int_equal(fclose(file), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(derivative_not_finite),   cmocka_unit_test(callback_stops),
      cmocka_unit_test(callback_always_retries), cmocka_unit_test(retry_takes_a_smaller_step),
      cmocka_unit_test(steps_shrink_at_a_pole),  cmocka_unit_test(too_many_steps),
      cmocka_unit_test(accepted_stops),          cmocka_unit_test(implicit_steps_may_not_converge),
      cmocka_unit_test(large_stiff_systems),     cmocka_unit_test(a_solution_in_a_jump),
      cmocka_unit_test(state_not_finite),        cmocka_unit_test(failures_are_silent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
