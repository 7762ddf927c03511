// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>

#include "run/trend.h"
#include "support.h"

/* Band and trend of values in one pass, against values whose both are known. */

static const double pi = 3.14159265358979323846;

/* x0 + rate t + size sin(2 pi t / period) at n times, h apart. */
static cardan__trend_fit fit_of(int n, double h, double rate, double size, double period)
{
  cardan__trend trend = {0};
  for (int i = 0; i < n; i++) {
    const double t = i * h;
    cardan__trend_add(&trend, t, 3.0 + rate * t + size * sin(2 * pi * t / period));
  }
  return cardan__trend_find(&trend);
}

// a line has no band, and no error but rounding: sums of n values below 3 + rate T
static void line(void **state)
{
  (void)state;
  for (int n = 2; n <= 100000; n *= 7) {
    const cardan__trend_fit fit = fit_of(n, 0.01, -0.25, 0, 1);
    const double T = 0.01 * n, size = 3.0 + 0.25 * T;
    assert_near(fit.rate, -0.25, (100 + n) * DBL_EPSILON * size / T);
    assert_near(fit.band, 0, (100 + n) * DBL_EPSILON * size);
  }
}

// an oscillation on a line: its band is twice its size, to the distance of a value from an extreme
// and what the line is off by; through whole periods that is less than 6 size / (pi T periods)
static void oscillation(void **state)
{
  (void)state;
  for (int periods = 5; periods <= 5000; periods *= 10) {
    const double h = 0.01, T = periods, size = 2.0;
    const cardan__trend_fit fit = fit_of(100 * periods + 1, h, 0.5, size, 1);
    print_message("%4d periods: rate %.9f +- %.1e, band %.6f\n", periods, fit.rate, fit.error,
                  fit.band);
    assert_near(fit.band, 2 * size, 2 * size * 2 * pi * pi * h * h + T * fabs(fit.rate - 0.5));
    assert_near(fit.rate, 0.5, 6 * size / (pi * T * periods));
    assert_true(fit.error > 0 && fit.error < 6 * size / T);
  }
}

// values of random signs: the true rate is within 4 standard errors of what is found, 39 times of
// 40
static void noise(void **state)
{
  (void)state;
  int beyond = 0;
  for (int seed = 1; seed <= 40; seed++) {
    support_rng rng = {.state = (uint64_t)seed};
    cardan__trend trend = {0};
    for (int i = 0; i < 2000; i++) {
      cardan__trend_add(&trend, 0.1 * i, 0.02 * i + support_random_in(&rng, -1, 1));
    }
    const cardan__trend_fit fit = cardan__trend_find(&trend);
    beyond += fabs(fit.rate - 0.2) > 4 * fit.error;
  }
  assert_in_range(beyond, 0, 1);
}

static void few_values(void **state)
{
  (void)state;
  cardan__trend trend = {0};
  assert_near(cardan__trend_find(&trend).band, 0, 0);
  cardan__trend_add(&trend, 1, 5);
  cardan__trend_add(&trend, 1, 7); // the same time: no line
  assert_near(cardan__trend_find(&trend).rate, 0, 0);
  assert_true(isinf(cardan__trend_find(&trend).error));
  cardan__trend_add(&trend, 3, 6);
  assert_true(isfinite(cardan__trend_find(&trend).rate));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(line),
      cmocka_unit_test(oscillation),
      cmocka_unit_test(noise),
      cmocka_unit_test(few_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
