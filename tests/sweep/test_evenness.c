// SPDX-License-Identifier: Apache-2.0
// What samples are good for, through plans as users write them: discrepancy, errors of integrals,
// moments and parts of distributions, indices of sensitivity. build/bench/samples prints more.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/sampler.h"
#include "evenness.h"
#include "support.h"
#include "sweep/plan.h"

enum { N = 256, DIMS = 5 };

static double discrepancy_square(points_kind kind, int d, int nseed)
{
  static double x[N * DIMS];
  double square = 0;
  for (int seed = 1; seed <= nseed; seed++) {
    points_make(kind, "0 1", (uint64_t)seed, N, d, x);
    square += pow(points_discrepancy(x, N, d), 2) / nseed;
  }
  return square;
}

// of random points as the closed form says: D^2 is spread by about its mean in 2 dimensions, and 20
// seeds are off by 4.5 / sqrt(20) of it once in 150,000 times. Sobol' points and those of a Latin
// hypercube are more even than that
static void test_discrepancy(void **state)
{
  (void)state;
  for (int d = 2; d <= DIMS; d += 3) {
    const double random = (pow(2, -d) - pow(3, -d)) / N;
    assert_near(discrepancy_square(POINTS_RANDOM, d, 20), random, 4.5 / sqrt(20) * random);
    assert_true(discrepancy_square(POINTS_LATIN, d, 5) < 0.8 * random);
    assert_true(discrepancy_square(POINTS_SOBOL, d, 5) < (d == 2 ? 0.05 : 0.3) * random);
  }
}

// of one point at the centre, by hand: D^2 = 3^-d - 2 (3/8)^d + 2^-d
static void test_discrepancy_of_one(void **state)
{
  const double centre[3] = {0.5, 0.5, 0.5};
  (void)state;
  for (int d = 1; d <= 3; d++) {
    const double square = pow(3, -d) - 2 * pow(0.375, d) + pow(2, -d);
    assert_near(points_discrepancy(centre, 1, d), sqrt(square), 1e-14);
  }
}

// the error of an integral goes as N^(-1/2), and of a smooth one over Sobol' points as N^(-3/2) but
// for logarithms: fitted over N = 2^4 .. 2^10, 20 seeds each, known to 0.08 or so
static void test_slopes(void **state)
{
  enum { NUMBERS = 4 };
  double n[NUMBERS], error[POINTS_KINDS][NUMBERS];
  (void)state;
  for (int i = 0; i < NUMBERS; i++) {
    n[i] = 16 << (2 * i);
    for (int kind = 0; kind < POINTS_KINDS; kind++) {
      error[kind][i] = points_error((points_kind)kind, (int)n[i], 3, 20);
    }
    assert_true(error[POINTS_LATIN][i] < 0.5 * error[POINTS_RANDOM][i]);
  }
  assert_near(points_slope(n, error[POINTS_RANDOM], NUMBERS), -0.5, 0.15);
  assert_true(points_slope(n, error[POINTS_SOBOL], NUMBERS) < -1.25);
}

// mean, variance and third moment of 4096 samples in each way, against closed forms: within 4.5
// standard errors of random ones, Sobol' points and those of a Latin hypercube within a tenth of
// that, which half of such random samples would miss
static void test_moments(void **state)
{
  points_law law[POINTS_LAWS];
  (void)state;
  points_laws(law);
  for (int i = 0; i < POINTS_LAWS; i++) {
    for (int kind = 0; kind < POINTS_KINDS; kind++) {
      double z[3];
      points_moments(&law[i], (points_kind)kind, 1, 4096, z);
      for (int k = 0; k < 3; k++) {
        if (!(fabs(z[k]) < (kind == POINTS_RANDOM ? 4.5 : 0.45))) {
          fail_msg("%s %s: moment %d is off by %g standard errors", points_word[kind], law[i].form,
                   k + 1, z[k]);
        }
      }
    }
  }
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// Kolmogorov's distance: the largest difference of the part of the samples below x from that of the
// distribution. Of n random ones it is over 2 / sqrt(n) once in 1500 times; of n strata 1 / n
static void test_kolmogorov(void **state)
{
  enum { COUNT = 4096 };
  static double x[COUNT];
  (void)state;
  for (int kind = 0; kind < POINTS_KINDS; kind++) {
    double distance = 0;
    points_make((points_kind)kind, "(normal 1 2)", 1, COUNT, 1, x);
    qsort(x, COUNT, sizeof *x, compare);
    for (int i = 0; i < COUNT; i++) {
      const double part = 0.5 * erfc((1 - x[i]) / 2 / sqrt(2));
      distance = fmax(distance,
                      fmax(fabs(part - (double)i / COUNT), fabs(part - (double)(i + 1) / COUNT)));
    }
    assert_true(distance < (kind == POINTS_RANDOM ? 2 / sqrt(COUNT) : 1.0001 / COUNT));
  }
}

/* ---- plans ---- */

static cardan__plan *read_good(const char *text)
{
  cardan_report report = {.message = ""};
  cardan__plan *plan = NULL;
  if (cardan__plan_read(text, strlen(text), "p.plan", NULL, &plan, &report) != CARDAN_OK) {
    fail_msg("%s: %s", text, report.message);
  }
  return plan;
}

// first and total order of f = a + 2 b + 4 a b over (-1, 1)^2 by Saltelli's estimates. Variances
// are 1/3 of a, 4/3 of b, 16/9 of both: 1/3 and 19/9. A sample's terms are spread by 4 or so, their
// means by 0.09; Sobol' points are within a tenth of that
static void test_sensitivity(void **state)
{
  static const char *const ways[] = {"random", "latin", "sobol"};
  (void)state;
  for (int w = 0; w < 3; w++) {
    enum { COUNT = 2048 };
    char text[160];
    snprintf(text, sizeof text,
             "(plan (%s a -1 1) (%s b -1 1) (sensitivity) (count %d) (collect drift))", ways[w],
             ways[w], COUNT);
    cardan__plan *plan = read_good(text);
    double first = 0, total = 0;
    assert_int_equal(cardan__plan_count(plan), 4 * COUNT);
    for (int j = 0; j < COUNT; j++) {
      double f[4];
      for (int k = 0; k < 4; k++) {
        double x[2];
        cardan__plan_values(plan, 4 * j + k, x);
        f[k] = x[0] + 2 * x[1] + 4 * x[0] * x[1];
      }
      first += f[1] * (f[2] - f[0]) / COUNT;
      total += 0.5 * (f[0] - f[2]) * (f[0] - f[2]) / COUNT;
    }
    assert_near(first, 1.0 / 3, w == 2 ? 0.009 : 0.3);
    assert_near(total, 19.0 / 9, w == 2 ? 0.009 : 0.3);
    cardan__plan_destroy(plan);
  }
}

// a number does not change when others are added behind it, or drawn in another way beside it; the
// same samples are at each point of the grid; Sobol' numbers do not depend on how many there are
static void test_independence(void **state)
{
  cardan__plan *alone = read_good("(plan (sobol a 0 1) (latin b 0 1) (count 64) (collect drift))");
  cardan__plan *more = read_good("(plan (sobol a 0 1) (random c 0 1) (grid M 1 2) (latin b 0 1) "
                                 "(sobol d (normal 0 1)) (count 64) (collect drift))");
  (void)state;
  for (int i = 0; i < 128; i++) {
    double x[2], y[5];
    cardan__plan_values(alone, i % 64, x);
    cardan__plan_values(more, i, y);
    assert_true(x[0] == y[0] && x[1] == y[3]);
  }
  cardan__plan_destroy(alone);
  cardan__plan_destroy(more);
}

static void test_note(void **state)
{
  cardan__plan *plan = read_good("(plan (sobol a 0 1) (count 1000) (collect drift))");
  (void)state;
  assert_non_null(strstr(cardan__plan_note(plan), "(count 512) or (count 1024)"));
  cardan__plan_destroy(plan);
  plan = read_good("(plan (sobol a 0 1) (count 1024) (collect drift))");
  assert_null(cardan__plan_note(plan));
  cardan__plan_destroy(plan);
  plan = read_good("(plan (latin a 0 1) (count 1000) (collect drift))");
  assert_null(cardan__plan_note(plan));
  cardan__plan_destroy(plan);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_discrepancy),  cmocka_unit_test(test_discrepancy_of_one),
      cmocka_unit_test(test_slopes),       cmocka_unit_test(test_moments),
      cmocka_unit_test(test_kolmogorov),   cmocka_unit_test(test_sensitivity),
      cmocka_unit_test(test_independence), cmocka_unit_test(test_note),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
