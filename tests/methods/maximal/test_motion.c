// SPDX-License-Identifier: Apache-2.0
// Whole motions by the maximal methods: measured orders, energy, and the same motion as the tree's
// methods on mechanisms with loops.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "maximal_fixture.h"

/* A start: velocity of one coordinate on top of the model's own, NULL: none. */
typedef struct {
  const char *model, *setting, *v_name;
  double v;
} motion;

/* Coordinates at the end of a run of n steps, to q (up to 200); the run's statistics. */
static cardan_stats end_of(const motion *m, cardan_options o, int n, double *q)
{
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  mechanism f = load_mechanism(m->model, m->setting, true);
  o.dt = o.time / n;
  if (cardan_sim_create(f.model, &o, NULL, &sim, &report) != CARDAN_OK) {
    fail_msg("%s: %s", m->model, report.message);
  }
  cardan_data *data = cardan_sim_data(sim);
  if (m->v_name != NULL) {
    data->v[cardan_model_v(f.model, m->v_name)] = m->v;
  }
  assert_true(f.model->nq <= 200);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  for (int i = 0; i < n; i++) {
    if (cardan_sim_step(sim, &report) != CARDAN_OK) {
      fail_msg("%s, %s: %s", m->model, o.method, report.message);
    }
    if (i % 20 == 0) { // checks the node: the largest violation so far
      cardan_sim_stats(sim);
    }
  }
  data = cardan_sim_data(sim);
  memcpy(q, data->q, (size_t)f.model->nq * sizeof *q);
  cardan_stats stats = cardan_sim_stats(sim);
  cardan_sim_destroy(sim);
  free_mechanism(&f);
  return stats;
}

static double distance(const double *a, const double *b, int n)
{
  double worst = 0;
  for (int i = 0; i < n; i++) {
    worst = fmax(worst, fabs(a[i] - b[i]));
  }
  return worst;
}

static int count_q(const motion *m)
{
  mechanism f = load_mechanism(m->model, m->setting, true);
  const int n = f.model->nq;
  free_mechanism(&f);
  return n;
}

/* The end of the motion to about 1e-11. */
static void reference(const motion *m, double time, double *q)
{
  cardan_options o = run_options("aba", time, time);
  o.integrator = "dopri5";
  end_of(m, o, 1, q);
}

/* Order from errors at n and 2n steps; the band is what the next term of the error leaves. */
static void expect_order(const motion *m, const char *method, double time, int n, double order)
{
  double exact[200], coarse[200], fine[200];
  const int nq = count_q(m);
  cardan_options o = run_options(method, time, time);
  reference(m, time, exact);
  const cardan_stats few = end_of(m, o, n, coarse), many = end_of(m, o, 2 * n, fine);
  assert_true(few.constraint_max < 1e-9 && many.constraint_max < 1e-9);
  const double e1 = distance(coarse, exact, nq), e2 = distance(fine, exact, nq);
  print_message("%-18.18s %-14s errors %.2e, %.2e: order %.2f\n", m->model, method, e1, e2,
                log2(e1 / e2));
  assert_near(log2(e1 / e2), order, 0.1);
}

static void orders(void **state)
{
  (void)state;
  const motion chain = {"spherical-chain:3", NULL, NULL, 0},
               pendulum = {"double-pendulum", NULL, NULL, 0};
  expect_order(&chain, "half-implicit", 0.5, 2000, 1);
  expect_order(&chain, "fully-implicit", 0.5, 2000, 1);
  expect_order(&chain, "rattle", 0.5, 500, 2);
  // projected with the factors of the step's beginning, pairs that hold points and that do not
  const motion hinges = {"chain:4", NULL, NULL, 0};
  const motion slides = {"(system \"slides\" (gravity 1 0 -9.81) (ry \"a\" tx 1 (name \"A\")"
                         " (mass 1 .1 .2 .15)) (at \"A\" (rx \"b\" tz \"c\" tx .2"
                         " (mass 1 .1 .1 .2))))",
                         NULL, NULL, 0};
  expect_order(&chain, "baraff:semi-implicit", 0.5, 1000, 1);
  expect_order(&hinges, "baraff:semi-implicit", 0.5, 1000, 1);
  expect_order(&slides, "baraff:semi-implicit", 0.5, 1000, 1);
  expect_order(&pendulum, "half-implicit", 1, 2000, 1);
  expect_order(&pendulum, "rattle", 1, 500, 2);
  // with forces that depend on velocity, averaged
  const motion damped = {
      "(system \"damped\" (gravity 0 0 -9.81) (joint spherical \"a\" (tx 1 (mass 1 0.1 0.2 0.15)"
      " (name \"e\"))) (at \"e\" (joint universal \"u\" (tz -0.5 (mass 1 0.1 0.1 0.2))))"
      " (damping 0.8) (torque \"u.a\" (- (sin (* 3 t)) (* 0.5 v.u.a v.u.a)))"
      " (initial (\"a\" (1 0 0 0) (1 2 3))))",
      NULL, NULL, 0};
  expect_order(&damped, "rattle", 0.5, 250, 2);
  expect_order(&damped, "half-implicit", 0.5, 2000, 1);
}

// the paper's Fig. 3: over 8 s at h = 1e-3 half-implicit stays about its start (-382.6 J), within 3
// J, fully-implicit drains to -610 J, rattle's band is below 0.02 J
static void energy(void **state)
{
  (void)state;
  static const struct {
    const char *method;
    double low, high, last_low, last_high;
  } cases[] = {{"half-implicit", -385.5, -379.5, -385.5, -379.5},
               {"fully-implicit", -612, -382.5, -612, -608},
               {"rattle", -382.61, -382.57, -382.61, -382.57}};
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options(cases[i].method, 1e-3, 8);
    run r = run_begin("double-pendulum", NULL, &o);
    double low = HUGE_VAL, high = -HUGE_VAL, now = 0;
    for (int k = 0; k < 8000; k++) {
      run_steps(&r, 1);
      now = cardan_kinetic(r.model, r.data) + cardan_potential(r.model, r.data);
      low = fmin(low, now);
      high = fmax(high, now);
    }
    print_message("double-pendulum, 8 s, %-14s energy in [%.3f, %.3f] J, %.3f at the end\n",
                  cases[i].method, low, high, now);
    assert_true(low > cases[i].low && high < cases[i].high);
    assert_true(now > cases[i].last_low && now < cases[i].last_high);
    if (i == 2) {
      assert_true(high - low < 0.02);
    }
    run_free(&r);
  }
}

/* The motion of aba by every method: half-implicit with an error that falls at least with the step,
 * rattle and vi (of order 2 in other coordinates) with one that falls to a quarter, baraff with
 * rk4's; rows below 1e-9. Half-implicit takes `finer` times as many steps, to be where its
 * first-order term leads. */
static void expect_same(const motion *m, double time, int n, int finer)
{
  double exact[200], a[200], b[200];
  const int nq = count_q(m);
  static const struct {
    const char *method;
    double order;
  } methods[] = {{"half-implicit", 1}, {"rattle", 2}, {"vi", 2}, {"baraff", 4}};
  reference(m, time, exact);
  for (int i = 0; i < 4; i++) {
    const cardan_options o = run_options(methods[i].method, time, time);
    const int steps = i == 0 ? finer * n : n;
    const cardan_stats coarse = end_of(m, o, steps, a), fine = end_of(m, o, 2 * steps, b);
    const double e1 = distance(a, exact, nq), e2 = distance(b, exact, nq);
    print_message("%-14s %-14s errors %.1e, %.1e, rows %.1e\n", m->model, methods[i].method, e1, e2,
                  coarse.constraint_max);
    assert_true(coarse.constraint_max < 1e-9 && fine.constraint_max < 1e-9);
    if (e1 > 1e-7) { // below, the reference and what projection leaves show
      assert_true(log2(e1 / e2) > methods[i].order - 0.25);
    } else {
      assert_true(e2 < 1e-7);
    }
  }
}

static void loops(void **state)
{
  (void)state;
  const motion ring = {"ring", NULL, NULL, 0}, fourbar = {"fourbar-3d", NULL, "q1", 2.0};
  const motion biped = {"biped", NULL, NULL, 0}, closed = {"closed-chain", "I=0.01", NULL, 0};
  expect_same(&ring, 1, 500, 1);
  expect_same(&fourbar, 1, 1000, 1);
  expect_same(&biped, 0.3, 500, 4);
  expect_same(&closed, 1, 1000, 1);
}

// undriven slider-crank and four-link: the same motion as aba and vi as h falls
static void undriven(void **state)
{
  (void)state;
  const motion slider = {"slider-crank", "driven=0", "crank", -5.0};
  const motion link = {"four-link", "driven=0", NULL, 0};
  expect_same(&link, 1, 500, 1);
  expect_same(&slider, 0.5, 500, 16);
}

// planar or in space: the same steps, but for rounding that the motion magnifies
static void plane_and_space(void **state)
{
  (void)state;
  const motion m = {"biped", NULL, NULL, 0};
  static const char *const methods[] = {"half-implicit", "fully-implicit", "rattle", "baraff"};
  for (int i = 0; i < 4; i++) {
    double plane[200], space[200];
    cardan_options o = run_options(methods[i], 0.2, 0.2);
    end_of(&m, o, 200, plane);
    o.planar = "off";
    end_of(&m, o, 200, space);
    assert_near(distance(plane, space, 5), 0, 1e-8);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),   cmocka_unit_test(energy),          cmocka_unit_test(loops),
      cmocka_unit_test(undriven), cmocka_unit_test(plane_and_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
