// SPDX-License-Identifier: Apache-2.0
// Limits of joints as stops: closed forms, measured orders, methods against one another.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define SLIDER(e)                                                                            \
  "(system (gravity 0 0 -10) (joint prismatic \"z\" (axis 0 0 1) (limit 0 5 (restitution " e \
  ")) (mass 2)) (initial (\"z\" 0.8)))"
#define PENDULUM(e)                                                                              \
  "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) (limit -0.5 2 (restitution " e \
  ")) (tz -1 (mass 1))) (initial (\"a\" 1.2)))"
#define PAIR                                                                                \
  "(system (gravity 0 0 -9.81)"                                                             \
  " (joint revolute \"a\" (axis 0 1 0) (limit -0.4 1.5 (restitution 0.6)) (tz -1 (mass 1)"  \
  "  (joint revolute \"b\" (axis 0 1 0) (limit -0.3 0.7 (restitution 0.4)) (tz -0.8 (mass " \
  "0.5)))))"                                                                                \
  " (initial (\"a\" 1) (\"b\" 0.2)))"
#define FOURBAR                                                                            \
  "(system (gravity 0 0 -9.81)"                                                            \
  " (joint revolute \"crank\" (axis 0 1 0) (limit -0.3 3 (restitution 0.5))"               \
  "  (mass 0.1 0.01 0.01 0.01) (tz -0.5 (mass 0.5)"                                        \
  "   (joint revolute \"rod\" (axis 0 1 0) (mass 0.2 0.01 0.01 0.01)"                      \
  "    (tx 1.1 (name \"E\") (mass 0.3)))))"                                                \
  " (place (1 0 0) (joint revolute \"rock\" (axis 0 1 0) (limit -3 0.9 (restitution 0.3))" \
  "  (mass 0.1 0.01 0.01 0.01) (tz -0.5 (name \"F\") (mass 1))))"                          \
  " (point-constraint \"E\" \"F\" 1 0 0) (point-constraint \"E\" \"F\" 0 0 1)"             \
  " (initial ((\"crank\" 0.8) fixed) (\"rod\" -0.8) (\"rock\" 0.8)))"

static const char *const methods[] = {"vi",        "svi",          "aba:rk4",        "aba:dopri5",
                                      "aba:bdf",   "hamilton:rk4", "hamilton:ode45", "aba:adams",
                                      "aba:ode45", "aba:dop853"};
enum { NMETHOD = sizeof methods / sizeof *methods };

/* Height and velocity of a ball that falls from z0 under g with restitution e, at time t. */
static void bouncing(double z0, double g, double e, double t, double *z, double *v)
{
  double from = sqrt(2 * z0 / g), up = sqrt(2 * g * z0);
  if (t < from) {
    *z = z0 - 0.5 * g * t * t;
    *v = -g * t;
    return;
  }
  up *= e;
  while (up > 1e-12 && t >= from + 2 * up / g) {
    from += 2 * up / g;
    up *= e;
  }
  const double s = t - from;
  *z = up > 1e-12 ? up * s - 0.5 * g * s * s : 0;
  *v = up > 1e-12 ? up - g * s : 0;
}

// a slider falls on its stop, e = 0.8. All methods are exact for a constant force, but for bdf and
// adams, whose tolerance is 1e-12. The first impacts are at 0.4 + 0.64 + 0.512 + ..; at dt 0.01
// bounces shorter than dt / 8 are given up: below g dt^2 / 128 from 3.5 s on
static void falls_as_the_closed_form(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 5);
    run r = run_begin(SLIDER("0.8"), NULL, &o);
    double worst = 0;
    for (int k = 1; k <= 500; k++) {
      double z, v;
      run_steps(&r, 1);
      bouncing(0.8, 10, 0.8, 0.01 * k, &z, &v);
      const double off = fabs(run_q(&r, "z") - z);
      worst = fmax(worst, k < 340 ? off : 0);
      assert_true(off < 1e-5);
    }
    const cardan_stats stats = cardan_sim_stats(r.sim);
    print_message("%-15s worst %.1e, %d impacts, overlap %.1e, balance %.1e\n", methods[m], worst,
                  (int)stats.contact.impacts, stats.contact.overlap, stats.drift_max);
    assert_true(worst < (strstr(methods[m], "bdf") || strstr(methods[m], "adams") ? 1e-8 : 1e-9));
    assert_true(stats.contact.impacts >= 20);
    assert_true(stats.contact.overlap <= 1e-11);
    assert_near(stats.contact.lost, 16, 1e-6); // all of m g z0
    assert_near(run_q(&r, "z"), 0, 1e-11);
    assert_true(run_v(&r, "z") == 0);
    run_free(&r);
  }
}

// a flight of a whole number of steps ends exactly at a node: it must not lose its restitution
static void closes_at_a_node(void **state)
{
  (void)state;
  for (int m = 0; m < 3; m++) {
    const cardan_options o = run_options(methods[m], 0.1, 4);
    run r = run_begin(SLIDER("1"), NULL, &o);
    run_steps(&r, 40); // impacts at 0.4, 1.2, 2.0, ..
    assert_near(run_q(&r, "z"), 0.8, 1e-10);
    assert_near(run_v(&r, "z"), 0, 1e-9);
    assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 5);
    run_free(&r);
  }
}

// rests on its stop, exactly, for long; leaves when it is pushed away, by the closed form
static void rests_and_leaves(void **state)
{
  (void)state;
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 10);
    run r = run_begin(SLIDER("0"), NULL, &o);
    run_steps(&r, 300);
    assert_near(run_q(&r, "z"), 0, 1e-11);
    // impulses of m g h / 2 at both ends of a step differ by a rounding
    assert_true(fabs(run_v(&r, "z")) <= DBL_EPSILON * 10 * o.dt);
    const double z = run_q(&r, "z");
    run_steps(&r, 10);
    assert_true(run_q(&r, "z") == z);
    r.data->tau_in[0] = 19.9; // weight 20: stays
    run_steps(&r, 100);
    assert_near(run_q(&r, "z"), 0, 1e-11);
    r.data->tau_in[0] = 26; // up with 3 m/s^2
    run_steps(&r, 100);
    assert_near(run_q(&r, "z"), 1.5, 1e-8);
    assert_near(run_v(&r, "z"), 3, 1e-8);
    assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 1);
    run_free(&r);
  }
}

static void coordinates(const char *model, const char *method, int order, double dt, double T,
                        double *q)
{
  cardan_options o = run_options(method, dt, T);
  o.order = order;
  run r = run_begin(model, NULL, &o);
  run_steps(&r, (int)lround(T / dt));
  memcpy(q, r.data->q, (size_t)r.model->nq * sizeof *q);
  run_free(&r);
}

static double difference(const double *a, const double *b, int n)
{
  double most = 0;
  for (int k = 0; k < n; k++) {
    most = fmax(most, fabs(a[k] - b[k]));
  }
  return most;
}

/* Order from halving dt twice, against dopri5 at 1e-12. */
static void expect_order(const char *name, const char *model, int nq, const char *method, int order,
                         double dt, double T)
{
  double reference[8], q[8], error[3];
  coordinates(model, "aba:dopri5", 2, dt, T, reference);
  for (int i = 0; i < 3; i++) {
    coordinates(model, method, order, dt / (1 << i), T, q);
    error[i] = difference(q, reference, nq);
  }
  const double slope = 0.5 * log2(error[0] / error[2]);
  print_message("%-14s %-8s order %d: %.2f (%.1e, %.1e, %.1e)\n", name, method, order, slope,
                error[0], error[1], error[2]);
  assert_true(slope >= order - 0.1);
}

static void orders(void **state)
{
  (void)state;
  static const char *const e[] = {PENDULUM("1"), PENDULUM("0.8"), PENDULUM("0")};
  static const char *const names[] = {"pendulum 1", "pendulum 0.8", "pendulum 0"};
  for (int i = 0; i < 3; i++) {
    const double T = i == 2 ? 2.5 : 4; // without restitution it comes back to graze the stop at 2.7
    expect_order(names[i], e[i], 1, "vi", 2, 0.01, T);
    expect_order(names[i], e[i], 1, "svi", 2, 0.01, T);
  }
  expect_order("pendulum 0.8", PENDULUM("0.8"), 1, "vi", 4, 0.025, 4);
  expect_order("pair", PAIR, 2, "vi", 2, 0.0025, 1.5);
  expect_order("pair", PAIR, 2, "svi", 2, 0.0025, 1.5);
  expect_order("four-bar", FOURBAR, 3, "vi", 2, 0.0025, 1.5);
  expect_order("four-bar", FOURBAR, 3, "svi", 2, 0.0025, 1.5);
}

// 3000 elastic impacts: the energy stays in a band of O(dt^2), the last tenth where the first was
static void elastic_impacts_keep_the_energy(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(PENDULUM("1"), NULL, &o);
  double first = 0, last = 0, most = 0;
  const double start = run_energy(&r);
  const int steps = 400000;
  for (int k = 0; k < steps; k++) {
    run_steps(&r, 1);
    cardan_data *data = cardan_sim_data(r.sim);
    (void)data;
    const double off = run_energy(&r) - start;
    most = fmax(most, fabs(off));
    first += k < steps / 10 ? off : 0;
    last += k >= steps - steps / 10 ? off : 0;
  }
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("%d impacts: band %.2e J, means %.3e and %.3e\n", (int)stats.contact.impacts, most,
                first / (steps / 10), last / (steps / 10));
  assert_true(stats.contact.impacts > 2000);
  assert_true(most < 5e-3);
  assert_near(last / (steps / 10), first / (steps / 10), 1e-4);
  assert_near(stats.contact.lost, 0, 1e-10);
  run_free(&r);
}

// every method, one motion with impacts on several limits and in a loop: to the tolerance of the
// adaptive ones
static void methods_agree(void **state)
{
  (void)state;
  static const char *const models[] = {PAIR, FOURBAR};
  for (int i = 0; i < 2; i++) {
    double reference[8], q[8];
    const int nq = i == 0 ? 2 : 3;
    coordinates(models[i], "aba:dopri5", 2, 0.01, 1.5, reference);
    static const char *const others[] = {"hamilton:dopri5", "aba:ode45",  "aba:adams",
                                         "hamilton:bdf",    "aba:dop853", "hamilton:dop853"};
    for (int m = 0; m < 6; m++) {
      coordinates(models[i], others[m], 2, 0.01, 1.5, q);
      print_message("%s off by %.1e\n", others[m], difference(q, reference, nq));
      assert_true(difference(q, reference, nq) < 1e-7);
    }
  }
}

// a cart with two pendulums, mirrored, that meet their stops at one moment: they act together, and
// the cart stays where it is. To what location leaves of a gap, 1e-12, over some impacts
static void two_at_once(void **state)
{
  (void)state;
  static const char model[] =
      "(system (gravity 0 0 -9.81) (joint prismatic \"x\" (axis 1 0 0) (mass 2)"
      " (joint revolute \"l\" (axis 0 1 0) (limit -0.2 2 (restitution 0.7)) (tz -1 (mass 1)))"
      " (joint revolute \"r\" (axis 0 1 0) (limit -2 0.2 (restitution 0.7)) (tz -1 (mass 1))))"
      " (initial (\"l\" 1) (\"r\" -1)))";
  for (int m = 0; m < NMETHOD; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 4);
    run r = run_begin(model, NULL, &o);
    run_steps(&r, 400);
    print_message("%-15s cart at %.1e after %d impacts\n", methods[m], run_q(&r, "x"),
                  (int)cardan_sim_stats(r.sim).contact.impacts);
    assert_near(run_q(&r, "x"), 0, 1e-8);
    assert_near(run_q(&r, "l"), -run_q(&r, "r"), 1e-8);
    assert_true(cardan_sim_stats(r.sim).contact.impacts >= 2);
    run_free(&r);
  }
}

// crank and rocker of a parallelogram meet their stops together: one row follows from the other,
// and it comes to rest there, on both
static void redundant_stops(void **state)
{
  (void)state;
  static const char model[] =
      "(system (gravity 0 0 -9.81)"
      " (joint revolute \"c\" (axis 0 1 0) (limit 0.1 1 (restitution 0.4)) (mass 1 0.1 0.1 0.1)"
      "  (tz -0.5 (joint revolute \"d\" (axis 0 1 0) (mass 1 0.1 0.1 0.1) (tx 1 (name \"E\")))))"
      " (place (1 0 0) (joint revolute \"k\" (axis 0 1 0) (limit 0.1 1 (restitution 0.4))"
      "  (mass 1 0.1 0.1 0.1) (tz -0.5 (name \"F\"))))"
      " (point-constraint \"E\" \"F\" 1 0 0) (point-constraint \"E\" \"F\" 0 0 1)"
      " (initial (\"c\" 0.7) (\"d\" -0.7) (\"k\" 0.7)))";
  for (int m = 0; m < NMETHOD; m++) {
    cardan_options o = run_options(methods[m], 0.01, 4);
    o.impacts = m < 2 ? "located" : NULL; // option of vi and svi
    run r = run_begin(model, NULL, &o);
    run_steps(&r, 400);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    assert_near(run_q(&r, "c"), 0.1, 1e-10);
    assert_near(run_q(&r, "k"), 0.1, 1e-10);
    assert_near(run_v(&r, "c"), 0, 1e-10);
    assert_true(stats.contact.impacts >= 5 && stats.contact.overlap <= 1e-10);
    run_free(&r);
  }
}

// a gap that closes and opens again between two rows, far apart, is seen where velocities are known
static void rows_may_be_far_apart(void **state)
{
  (void)state;
  static const char model[] = "(system (gravity 0 0 -9.81) (joint revolute \"a\" (axis 0 1 0) "
                              "(limit -0.5 3 (restitution 0.9))"
                              " (tz -1 (mass 1))) (initial (\"a\" 0.6 -0.2)))";
  double fine[1], coarse[1];
  coordinates(model, "aba:dopri5", 2, 0.01, 4.2, fine);
  coordinates(model, "aba:dopri5", 2, 0.6, 4.2, coarse);
  assert_near(coarse[0], fine[0], 1e-9);
  coordinates(model, "hamilton:ode45", 2, 0.6, 4.2, coarse);
  assert_near(coarse[0], fine[0], 1e-9);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(falls_as_the_closed_form),
      cmocka_unit_test(closes_at_a_node),
      cmocka_unit_test(rests_and_leaves),
      cmocka_unit_test(orders),
      cmocka_unit_test(elastic_impacts_keep_the_energy),
      cmocka_unit_test(methods_agree),
      cmocka_unit_test(rows_may_be_far_apart),
      cmocka_unit_test(two_at_once),
      cmocka_unit_test(redundant_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
