// SPDX-License-Identifier: Apache-2.0
// Measured orders of method vi: 2, 4 and 6 with and without loops, 2 with dampers, friction and
// drivers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

enum { MAX_Q = 64 };

/* Error of coordinates at T against a tight reference. */
static double error_at(const char *name, const char *set, const cardan_options *o, double T,
                       int steps, const double *reference, int nq)
{
  double q[MAX_Q], worst = 0;
  run_end(name, set, o, T, steps, q);
  for (int k = 0; k < nq; k++) {
    worst = fmax(worst, fabs(q[k] - reference[k]));
  }
  return worst;
}

/* The error falls by 2^order from steps to 2 steps; band: what its next term leaves. */
static void expect_order(const char *name, const char *set, int order, const char *start, double T,
                         int steps, double expected, double band)
{
  cardan_options o = run_options("vi", 0.01, 0);
  const cardan_options tight = run_options("aba:dopri5", T, 0);
  double reference[MAX_Q];
  run m = run_load(name, set, &o);
  const int nq = m.model->nq;
  run_free(&m);
  assert_true(nq <= MAX_Q);
  run_end(name, set, &tight, T, 1, reference);
  o.order = order;
  o.start = start;
  const double coarse = error_at(name, set, &o, T, steps, reference, nq);
  const double fine = error_at(name, set, &o, T, 2 * steps, reference, nq);
  const double measured = log2(coarse / fine);
  print_message("%-14.14s order %d: measured %.2f, error %.3e at dt %.2g\n", name, order, measured,
                fine, T / (2 * steps));
  assert_near(measured, expected, band);
}

static void test_conservative(void **state)
{
  (void)state;
  expect_order("pendulum:5", NULL, 2, NULL, 0.5, 200, 2, 0.1);
  expect_order("pendulum:5", NULL, 4, NULL, 0.5, 50, 4, 0.2);
  expect_order("pendulum:5", NULL, 6, NULL, 0.5, 20, 6, 0.4);
  expect_order("top", NULL, 2, NULL, 0.5, 500, 2, 0.1);
  expect_order("top", NULL, 4, NULL, 0.5, 100, 4, 0.2);
  expect_order("top", NULL, 6, NULL, 0.5, 40, 6, 0.4);
}

static void test_loops(void **state)
{
  (void)state;
  expect_order("biped", NULL, 2, NULL, 0.4, 200, 2, 0.1);
  expect_order("biped", NULL, 4, NULL, 0.4, 40, 4, 0.3);
  expect_order("biped", NULL, 6, NULL, 0.4, 20, 6, 0.5);
  expect_order("closed-chain", NULL, 2, NULL, 1, 200, 2, 0.1);
  expect_order("closed-chain", NULL, 4, NULL, 1, 100, 4, 0.3);
}

/* Damping, a damper between frames, a torque that depends on other joints' velocities. */
static const char damped[] =
    "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) (tz -1 (name \"A\") (mass 1 "
    "0.1 0.1 0.1)"
    " (joint spherical \"b\" (tz -0.7 (name \"B\") (mass 0.8 0.05 0.06 0.02))))))";

static void test_forces(void **state)
{
  (void)state;
  char text[1024];
  static const char *const forces[] = {
      "(damping 0.4)", "(place (0.5 0.3 -0.2) (name \"W\")) (damper \"B\" \"W\" 0.7)",
      "(torque \"a\" (- (* 0.5 (sin (* 3 t))) (* 0.6 v.a)))", "(torque \"a\" (* -0.3 v.b.wx q.a))",
      "(wrench world \"B\" ((* -0.5 v.a) 0.2 (sin t)) (0 0 0))"};
  for (int i = 0; i < 5; i++) {
    const int n = (int)strlen(damped) - 1; // without the last parenthesis
    snprintf(text, sizeof text,
             "%.*s%s (initial (\"a\" 0.6 1) (\"b\" (0.9 0.1 0.3 0.2) (1 2 -3))))", n, damped,
             forces[i]);
    expect_order(text, NULL, 2, NULL, 0.5, 100, 2, 0.12);
    print_message("  with %s\n", forces[i]);
  }
}

/* Where the driver leaves no freedom the order shows in its work: the balance of energy is off by
 * dt^2. */
static void expect_work_order(const char *name, const char *set, double T, int steps)
{
  double drift[2];
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options("vi", T / (steps << i), 0);
    run m = run_begin(name, set, &o);
    for (int k = 0; k < steps << i; k++) {
      run_steps(&m, 1);
      assert_int_equal(cardan_sim_observe(m.sim), CARDAN_OK);
    }
    drift[i] = cardan_sim_stats(m.sim).drift_max;
    run_free(&m);
  }
  print_message("%-14.14s %s balance of work: order %.2f, off by %.1e J at dt %.2g\n", name,
                set ? set : "", log2(drift[0] / drift[1]), drift[1], T / (2 * steps));
  // friction that passes through its bend is off by more at the coarse step
  assert_true(log2(drift[0] / drift[1]) > 1.8);
}

static void test_drivers(void **state)
{
  (void)state;
  expect_work_order("slider-crank", NULL, 0.3, 200);
  expect_work_order("slider-crank", "mu=0.2", 0.3, 200);
  expect_work_order("four-link", NULL, 0.3, 200);
  // a pendulum on a sledge that slides without stopping
  expect_order("(system (gravity 0 0 -9.81) (tx \"x\" (mass 2 0.1 0.1 0.1) (ry \"a\" (tz -1 (mass "
               "1 0.1 0.1 0.1)))) "
               "(friction \"x\" 0.2) (initial (\"x\" 0 4) (\"a\" 0.5)))",
               NULL, 2, NULL, 0.5, 100, 2, 0.1);
  // a prescribed pivot
  expect_order("(system (gravity 0 0 -9.81) (tx (k \"x\") (ry \"a\" (tz -1 (mass 1)))) (motion "
               "\"x\" (* 0.3 (sin "
               "(* 5 t)))) (initial (\"a\" 0.5)))",
               NULL, 2, NULL, 0.5, 100, 2, 0.1);
  expect_order("(system (gravity 0 0 -9.81) (tx (k \"x\") (ry \"a\" (tz -1 (mass 1)))) (motion "
               "\"x\" (* 0.3 (sin "
               "(* 5 t)))) (initial (\"a\" 0.5)))",
               NULL, 4, NULL, 0.5, 50, 4, 0.2);
}

/* From q0 and q0 + dt v0 the order is 1: the second configuration is off by dt^2 / 2 times the
 * acceleration. */
static void test_two_points(void **state)
{
  (void)state;
  expect_order("pendulum:5", NULL, 2, "two-point", 0.5, 400, 1, 0.1);
  expect_order("biped", NULL, 2, "two-point", 0.4, 400, 1, 0.15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_conservative), cmocka_unit_test(test_loops),
      cmocka_unit_test(test_forces),       cmocka_unit_test(test_drivers),
      cmocka_unit_test(test_two_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
