// SPDX-License-Identifier: Apache-2.0
// Which root a step takes: the one that continues the motion, or none, and then it says where the
// branch of the motion ends.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* ---- against a branch that can be seen ----
 * One pendulum by svi: F(x) = I x / h - p + h/2 m g l sin(q + x/2), with one root as long as
 * h^2 m g l < 4 I. Beyond, F' may be negative at x = 0: the branch from there goes backwards, which
 * is refused, and what is found by its guess need not hang together with it. */

static const double inertia = 1.1, weight = 9.81; // m l^2 + .1 and m g l, with m = l = 1

static double residual(double q, double v, double h, double x)
{
  return inertia * (x / h - v) + 0.5 * h * weight * sin(q + 0.5 * x);
}

static double only_zero(double q, double v, double h)
{
  double low = -100, high = 100;
  for (int i = 0; i < 100; i++) {
    const double x = 0.5 * (low + high);
    *(residual(q, v, h, x) < 0 ? &low : &high) = x;
  }
  return low;
}

static void test_pendulum(void **state)
{
  static const char *const guesses[] = {"extrapolate", "current", "dynamics", "zero", "euler"};
  static const char *const solvers[] = {"newton", "riqn", "broyden"};
  int backwards = 0;
  (void)state;
  for (int i = 0; i < 600; i++) {
    const double q = -3 + 6 * (double)(i * 37 % 101) / 101,
                 v = -6 + 12 * (double)(i * 53 % 97) / 97;
    cardan_options o = run_options("svi", 0.2 + (double)(i % 9) * 0.1, 10);
    cardan_report report = {.message = ""};
    o.guess = guesses[i % 5];
    o.solver = solvers[i % 3];
    run r = run_load("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 .1 .1 .1))))", NULL, &o);
    r.data->q[0] = q;
    r.data->v[0] = v;
    run_start(&r);
    const cardan_status status = cardan_sim_step(r.sim, &report);
    const double x = r.data->q[0] - q, f0 = residual(q, v, o.dt, 0);
    if (o.dt * o.dt * weight < 4 * inertia) {
      assert_int_equal(status, CARDAN_OK);
      assert_near(x, only_zero(q, v, o.dt), 1e-11 * 10);
    } else if (status == CARDAN_OK) {
      assert_near(residual(q, v, o.dt, x), 0, 1e-10 * (inertia * fabs(v) + weight));
    } else {
      backwards += strstr(report.message, "outweigh") != NULL;
      assert_int_equal(status, CARDAN_ERR_NO_ROOT);
    }
    assert_true(fabs(f0) < 1 || status != CARDAN_OK || f0 * x < 0); // where momentum goes
    run_free(&r);
  }
  print_message("600 steps, of which %d are too long for the force's slope\n", backwards);
  assert_in_range(backwards, 1, 100);
}

/* ---- far roots are not taken ---- */

/* Steps at which an extrapolated guess leads, or would lead, to another root: all guesses find the
 * same motion, to what rounding becomes in it. */
static void expect_one_motion(const char *model, const char *method, int order, double dt,
                              int steps, double allowed)
{
  static const char *const guesses[] = {"extrapolate", "dynamics", "current"};
  double q[3][64], e[3];
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options(method, dt, 100);
    o.guess = guesses[i];
    o.order = order;
    run r = run_begin(model, NULL, &o);
    run_steps(&r, steps);
    assert_true(r.model->nq <= 64);
    memcpy(q[i], cardan_sim_data(r.sim)->q, (size_t)r.model->nq * sizeof **q);
    e[i] = cardan_sim_stats(r.sim).drift_max;
    for (int k = 0; k < r.model->nq && i > 0; k++) {
      assert_near(q[i][k], q[0][k], allowed);
    }
    run_free(&r);
  }
  print_message("%-16s %-4s dt %-8g %d steps: energy off by %.3g J at the end\n", model, method, dt,
                steps, e[0]);
}

static void test_far_roots(void **state)
{
  (void)state;
  expect_one_motion("chain:10", "vi", 2, 0.078, 30, 1e-7);
  expect_one_motion("chain-planar:10", "vi", 2, 0.03, 175, 1e-3);
  expect_one_motion("scissor:5", "svi", 2, 0.05012, 199, 1e-5);
  expect_one_motion("double-pendulum", "svi", 2, 0.1359, 20, 1e-9);
  expect_one_motion("biped", "vi", 4, 0.01053, 80, 1e-6);
  // a wild guess is near to a root that is a turn of the universal joint away, or half a turn
  expect_one_motion("four-link", "svi", 2, 0.06077, 40, 1e-9);
  expect_one_motion("four-link", "vi", 4, 0.08155, 40, 1e-9);
}

/* chain:10 at 5/64 s jumped by 345 J in its 25th step. riqn, which contracts only where the
 * derivative is near M / h, finds the same motion. */
static void test_chain(void **state)
{
  static const char *const solvers[] = {"newton", "riqn", "broyden"};
  double q[3][10];
  (void)state;
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options("vi", 0.078125, 10);
    o.solver = solvers[i];
    run r = run_begin("chain:10", NULL, &o);
    run_steps(&r, 60);
    memcpy(q[i], r.data->q, sizeof *q);
    for (int k = 0; k < 10; k++) {
      assert_near(q[i][k], q[0][k], 1e-8);
    }
    for (int k = 60; k < 128 && i == 0; k++) {
      run_steps(&r, 1);
      (void)cardan_sim_observe(r.sim);
    }
    assert_true(cardan_sim_stats(r.sim).drift_max < 1);
    run_free(&r);
  }
}

/* ---- folds ---- */

/* A run that stops at t where its branch ends, within 2 % of that part of the momentum. */
static void expect_fold(const char *model, const char *method, double dt, double t, int percent)
{
  const cardan_options o = run_options(method, dt, 10);
  cardan_report report = {.message = ""};
  run r = run_begin(model, NULL, &o);
  cardan_status status = CARDAN_OK;
  while (status == CARDAN_OK && r.data->t < 10) {
    status = cardan_sim_step(r.sim, &report);
  }
  print_message("%s\n", report.message);
  assert_int_equal(status, CARDAN_ERR_NO_ROOT);
  assert_near(r.data->t, t, 0.5 * dt);
  const char *part = strstr(report.message, "ends at ");
  assert_non_null(part);
  const double said = strtod(part + strlen("ends at "), NULL);
  assert_near(said, percent, 2);
  assert_non_null(strstr(report.message, "up to about "));
  run_free(&r);
  // what it says would do, does
  const char *length = strstr(report.message, "up to about ") + strlen("up to about ");
  cardan_options whole = run_options(method, dt, 10);
  run again = run_begin(model, NULL, &whole);
  run_steps(&again, (int)(t / dt + 0.5));
  again.data = cardan_sim_data(again.sim);
  cardan_options shorter = run_options(method, strtod(length, NULL), 10);
  run next = run_load(model, NULL, &shorter);
  memcpy(next.data->q, again.data->q, (size_t)again.model->nq * sizeof *next.data->q);
  memcpy(next.data->v, again.data->v, (size_t)again.model->nv * sizeof *next.data->v);
  run_start(&next);
  run_steps(&next, 1);
  run_free(&next);
  run_free(&again);
}

static void test_folds(void **state)
{
  (void)state;
  expect_fold("scissor:15", "vi", 0.01, 0.78, 85);
  expect_fold("scissor:15", "svi", 0.01, 0.78, 85);
  expect_fold("lee-chain:10", "vi", 0.08, 1.68, 46);
  expect_fold("chain:10", "vi", 0.15, 0.3, 95);
  expect_fold("chain:10", "svi", 0.2, 2.6, 88);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_pendulum),
                                     cmocka_unit_test(test_far_roots), cmocka_unit_test(test_chain),
                                     cmocka_unit_test(test_folds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
