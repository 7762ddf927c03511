// SPDX-License-Identifier: Apache-2.0
// Long runs with method vi: energy without a trend, loops that stay closed, evaluations per step.
#include <math.h>
#include <stdlib.h>

#include "run.h"

/* What the energy error of a long motion does: its largest size over the run, and how far its
 * trend takes it from the run's start to its end. */
typedef struct {
  double band, trend;
} energy_error;

enum { WINDOWS_MAX = 240 };

/* A trend that adds up to band / TREND_SHARE over the run is a drift.
 *
 * The energy error of a chaotic motion is a correlated series: the means of neighbouring windows
 * hang together, so the residuals of a fit do not tell how well its slope is known (they make it
 * 3 times too good here), and their correlation time cannot be had to better than half of itself
 * from one run. What can be known is the spread of the trend over motions that rounding tells
 * apart: 40 runs of test_energy and test_closed_chain, their starts 1e-14 .. 2e-12 apart, have
 * trends of up to 4.5 % of the band, with a standard deviation of 2.2 %. An eighth of the band
 * is more than five of those; a method that loses energy steadily has a trend of the size of its
 * band, as the same tests show beside it. */
static const double TREND_SHARE = 8;

static bool drifts(energy_error e)
{
  return fabs(e.trend) > e.band / TREND_SHARE;
}

/* n times the least-squares slope of y over 0, 1, .. n-1. */
static double trend_of(const double *y, int n)
{
  const double middle = 0.5 * (n - 1);
  double sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    sxx += (i - middle) * (i - middle);
    sxy += (i - middle) * y[i];
  }
  return n * sxy / sxx;
}

/* Goes through n windows of so many samples, each so many steps after the last; the swing within a
 * window is averaged out. loss: energy that is taken away on the way, evenly, as a method would
 * that drifts: what the test has to see. */
static energy_error follow(run *r, int n, int samples, int steps, double loss)
{
  const double start = run_energy(r);
  double mean[WINDOWS_MAX] = {0};
  energy_error e = {0, 0};
  assert_true(n <= WINDOWS_MAX);
  for (int k = 0; k < n * samples; k++) {
    run_steps(r, steps);
    const double error = run_energy(r) - start - loss * (k + 1) / (n * samples);
    mean[k / samples] += error / samples;
    e.band = fmax(e.band, fabs(error));
  }
  e.trend = trend_of(mean, n);
  return e;
}

static energy_error follow_new(const char *model, const char *method, double dt, int n, int samples,
                               int steps, double loss)
{
  const cardan_options o = run_options(method, dt, 0);
  run r = run_begin(model, NULL, &o);
  const energy_error e = follow(&r, n, samples, steps, loss);
  run_free(&r);
  return e;
}

/* chain:10, 1 ms, 1e6 steps: 50 windows of 20 s. Over a tenth of the time semi-implicit Euler
 * leaves that band, and Runge and Kutta's method, its error 10,000 times smaller, drifts. */
static void test_energy(void **state)
{
  (void)state;
  const double MgL = 10 * 9.81 * 10;
  const energy_error vi = follow_new("chain:10", "vi", 1e-3, 50, 400, 50, 0);
  print_message("vi, 1e6 steps: energy within %.1e of M g L, trend %.1e over the run\n",
                vi.band / MgL, vi.trend / MgL);
  assert_false(drifts(vi));
  assert_true(vi.band < 1e-3 * MgL);
  const energy_error euler = follow_new("chain:10", "aba:semi-implicit", 1e-3, 5, 400, 50, 0);
  print_message("semi-implicit Euler, 1e5 steps: energy within %.1e of M g L, trend %.1e\n",
                euler.band / MgL, euler.trend / MgL);
  assert_true(euler.band > 10 * vi.band);
  const energy_error rk4 = follow_new("chain:10", "aba:rk4", 1e-3, 5, 400, 50, 0);
  print_message("rk4, 1e5 steps: energy within %.1e of M g L, trend %.1e\n", rk4.band / MgL,
                rk4.trend / MgL);
  assert_true(drifts(rk4));
}

/* closed-chain at 10 ms: loops and band over the paper's 120 s, the trend over ten times that,
 * since its energy error swings slowly. */
static void test_closed_chain(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin("closed-chain", NULL, &o);
  const energy_error paper = follow(&r, 24, 500, 1, 0);
  const double violation = cardan_sim_stats(r.sim).constraint_max;
  run_free(&r);
  const energy_error vi = follow_new("closed-chain", "vi", 0.01, 240, 500, 1, 0);
  print_message(
      "closed-chain, 120 s: loops within %.1e m, energy within %.1e J; over 1200 s within "
      "%.1e J, trend %.1e J\n",
      violation, paper.band, vi.band, vi.trend);
  assert_near(violation, 0, 1e-11);
  assert_near(paper.band, 0, 0.01);
  assert_false(drifts(vi));
  const energy_error lossy = follow_new("closed-chain", "vi", 0.01, 240, 500, 1, vi.band / 4);
  const energy_error rk4 = follow_new("closed-chain", "aba:rk4", 0.01, 240, 500, 1, 0);
  print_message("  with a loss of a quarter of that band: trend %.1e J; rk4 within %.1e J, trend "
                "%.1e J\n",
                lossy.trend, rk4.band, rk4.trend);
  assert_true(drifts(lossy));
  assert_true(drifts(rk4));
}

static cardan_stats count(const char *name, const char *solver, int steps)
{
  cardan_options o = run_options("vi", 1e-3, 0);
  cardan_report report = {.message = ""};
  o.solver = solver;
  run r = run_begin(name, NULL, &o);
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < steps && status == CARDAN_OK; k++) {
    status = cardan_sim_step(r.sim, &report);
  }
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("%-20s %-7s %.2f +- %.2f evaluations, at most %d%s\n", name, solver,
                stats.iterations_mean, stats.iterations_std, stats.iterations_max,
                status == CARDAN_OK ? "" : ": stops there");
  run_free(&r);
  return stats;
}

/* Evaluations of the residual per step over the first 1,000 steps of 1 ms. */
static void test_evaluations(void **state)
{
  (void)state;
  static const char *const models[] = {"chain:10", "chain:100", "chain:1000",
                                       "spherical-chain:200"};
  for (int i = 0; i < 4; i++) {
    const cardan_stats stats = count(models[i], "newton", 1000);
    assert_int_equal(stats.steps, 1000);
    assert_true(stats.iterations_mean <= 3.5);
    count(models[i], "riqn", 1000);
  }
  count("chain:10000", "newton", 1000);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_closed_chain),
      cmocka_unit_test(test_evaluations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
