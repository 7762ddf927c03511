// SPDX-License-Identifier: Apache-2.0
// Long runs with method vi: energy without a trend, loops that stay closed, evaluations per step.
#include <math.h>
#include <stdlib.h>

#include "motion.h"

/* Least-squares slope of y over x = 0, 1, .. and its standard error. */
static double slope(const double *y, int n, double *error)
{
  double my = 0, sxx = 0, sxy = 0, rest = 0;
  const double mx = 0.5 * (n - 1);
  for (int i = 0; i < n; i++) {
    my += y[i] / n;
  }
  for (int i = 0; i < n; i++) {
    sxx += (i - mx) * (i - mx);
    sxy += (i - mx) * (y[i] - my);
  }
  for (int i = 0; i < n; i++) {
    const double r = y[i] - my - sxy / sxx * (i - mx);
    rest += r * r;
  }
  *error = sqrt(rest / (n - 2) / sxx);
  return sxy / sxx;
}

/* Mean energy error over windows: the swing within a window is averaged out. */
static void windows(const char *method, int n, int steps, double *mean, double *band)
{
  const cardan_options o = motion_options(method, 1e-3);
  motion m = motion_load("chain:10", NULL, &o);
  motion_start(&m);
  const double start = motion_energy(&m), MgL = 10 * 9.81 * 10;
  *band = 0;
  for (int w = 0; w < n; w++) {
    mean[w] = 0;
    const int samples = steps / 50;
    for (int k = 0; k < samples; k++) {
      motion_steps(&m, 50);
      const double e = (motion_energy(&m) - start) / MgL;
      mean[w] += e / samples;
      *band = fmax(*band, fabs(e));
    }
  }
  motion_free(&m);
}

/* chain:10, 1 ms, 1e6 steps: 50 windows of 20 s. The slope is that of a bounded quantity: within 3
 * of its own standard errors of zero. Semi-implicit Euler over a tenth of the time leaves that
 * band. */
static void test_energy(void **state)
{
  (void)state;
  double mean[50], band, error, band_euler;
  windows("vi", 50, 20000, mean, &band);
  const double trend = slope(mean, 50, &error);
  print_message("vi, 1e6 steps: energy within %.1e of M g L, slope %.1e +- %.1e a window of 20 s\n",
                band, trend, error);
  assert_true(fabs(trend) < 3 * error);
  assert_true(band < 1e-3);
  windows("aba:semi-implicit", 5, 20000, mean, &band_euler);
  double error_euler;
  const double trend_euler = slope(mean, 5, &error_euler);
  print_message(
      "semi-implicit Euler, 1e5 steps: energy off by up to %.1e of M g L, slope %.1e +- %.1e\n",
      band_euler, trend_euler, error_euler);
  assert_true(band_euler > 10 * band);
}

/* closed-chain at 10 ms: loops and band over the paper's 120 s, the trend over ten times that,
 * since its energy error swings slowly. */
static void test_closed_chain(void **state)
{
  (void)state;
  const cardan_options o = motion_options("vi", 0.01);
  motion m = motion_load("closed-chain", NULL, &o);
  motion_start(&m);
  const double start = motion_energy(&m);
  double mean[240], band = 0, violation = 0, error;
  for (int w = 0; w < 240; w++) {
    mean[w] = 0;
    for (int k = 0; k < 500; k++) {
      motion_steps(&m, 1);
      const double e = motion_energy(&m) - start;
      mean[w] += e / 500;
      band = w < 24 ? fmax(band, fabs(e)) : band;
    }
    violation = w < 24 ? cardan_sim_stats(m.sim).constraint_max : violation;
  }
  const double trend = slope(mean, 240, &error);
  print_message("closed-chain, 120 s: loops within %.1e m, energy within %.1e J; slope over 1200 s "
                "%.1e +- %.1e J "
                "a window of 5 s; %.2f evaluations\n",
                violation, band, trend, error, cardan_sim_stats(m.sim).iterations_mean);
  assert_near(violation, 0, 1e-11);
  assert_near(band, 0, 0.01);
  assert_true(fabs(trend) < 3 * error);
  motion_free(&m);
}

static cardan_stats count(const char *name, const char *solver, const char *guess, double tol,
                          int steps)
{
  cardan_options o = motion_options("vi", 1e-3);
  cardan_report report = {.message = ""};
  o.solver = solver;
  o.guess = guess;
  o.tol = tol;
  motion m = motion_load(name, NULL, &o);
  motion_start(&m);
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < steps && status == CARDAN_OK; k++) {
    status = cardan_sim_step(m.sim, &report);
  }
  const cardan_stats stats = cardan_sim_stats(m.sim);
  print_message("%-20s %-7s %-11s %.2f +- %.2f evaluations, at most %d%s\n", name, solver, guess,
                stats.iterations_mean, stats.iterations_std, stats.iterations_max,
                status == CARDAN_OK ? "" : ": stops there");
  motion_free(&m);
  return stats;
}

/* Evaluations of the residual per step over the first 1,000 steps of 1 ms. */
static void test_evaluations(void **state)
{
  (void)state;
  static const char *const models[] = {"chain:10", "chain:100", "chain:1000",
                                       "spherical-chain:200"};
  for (int i = 0; i < 4; i++) {
    const cardan_stats stats = count(models[i], "newton", "extrapolate", 0, 1000);
    assert_int_equal(stats.steps, 1000);
    assert_true(stats.iterations_mean <= 3.5);
    count(models[i], "riqn", "extrapolate", 0, 1000);
  }
  count("chain:10000", "newton", "extrapolate", 0, 1000);
}

/* Lee, Fig. 4b: from the current configuration, 5.69 +- 1.16 with RIQN and 4 +- 0 with Newton. */
static void test_paper_counts(void **state)
{
  (void)state;
  const cardan_stats riqn = count("lee-chain:10", "riqn", "current", 1e-10, 6000);
  const cardan_stats newton = count("lee-chain:10", "newton-dense", "current", 1e-10, 6000);
  assert_int_equal(riqn.steps, 6000);
  assert_int_equal(newton.steps, 6000);
  assert_near(riqn.iterations_mean, 5.69, 1.16);
  assert_near(newton.iterations_mean, 4, 0.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy),
      cmocka_unit_test(test_closed_chain),
      cmocka_unit_test(test_evaluations),
      cmocka_unit_test(test_paper_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
