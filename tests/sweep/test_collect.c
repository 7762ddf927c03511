// SPDX-License-Identifier: Apache-2.0
// What is collected of a motion, against closed forms, with its order, and against brute force over
// the same cubics.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "sweep/collect.h"

static const char plan_text[] =
    "(plan (grid M 1) (collect (end \"y\") (start \"y\") (min \"y\") (max \"y\") (mean \"y\")"
    " (rms \"y\") (integral \"y\") (at 1.23 \"y\") (cross \"y\" 0.3 up) (cross \"y\" 0.3 down)"
    " (cross \"y\" -0.95) steps time))";
enum { END, START, MIN, MAX, MEAN, RMS, INTEGRAL, AT, UP, DOWN, EITHER, STEPS, TIME, NUMBERS };

static cardan__plan *read_plan(const char *text)
{
  cardan__plan *plan;
  cardan_report report = {0};
  if (cardan__plan_read(text, strlen(text), "plan", NULL, &plan, &report) != CARDAN_OK) {
    fail_msg("%s", report.message);
  }
  return plan;
}

static cardan__collector *make(cardan__plan *plan)
{
  cardan__collector *c;
  assert_int_equal(cardan__collector_create(plan, NULL, &c), CARDAN_OK);
  return c;
}

/* y = sin(2 t + 0.1) over 0 .. 3 */
static double wave(double t)
{
  return sin(2 * t + 0.1);
}
static const double length = 3, phase = 0.1;

static void closed_forms(double value[NUMBERS])
{
  const double a = phase, b = 2 * length + phase;
  value[END] = wave(length);
  value[START] = wave(0);
  value[MIN] = -1;
  value[MAX] = 1;
  value[INTEGRAL] = (cos(a) - cos(b)) / 2;
  value[MEAN] = value[INTEGRAL] / length;
  value[RMS] = sqrt(0.5 - (sin(2 * b) - sin(2 * a)) / (8 * length));
  value[AT] = wave(1.23);
  value[UP] = (asin(0.3) - phase) / 2;
  value[DOWN] = (acos(-1.0) - asin(0.3) - phase) / 2;
  value[EITHER] = (acos(-1.0) + asin(0.95) - phase) / 2;
  value[STEPS] = 7;
  value[TIME] = length;
}

/* n pieces, even ones or with every other one longer by half. */
static void collect_wave(cardan__collector *c, int n, bool even, double value[NUMBERS])
{
  const cardan_stats stats = {.steps = 7};
  cardan__collector_begin(c);
  for (int i = 0; i <= n; i++) {
    const double part = (i + (even || i % 2 == 0 ? 0 : 0.25)) / n;
    const double t = i == n ? length : length * part, y = wave(t);
    cardan__collector_row(c, t, &y);
  }
  cardan__collector_end(c, &stats, length, true, value);
}

/* Errors fall by 2^4 at least when rows are twice as many, whatever is requested. */
static void test_order(void **state)
{
  (void)state;
  cardan__plan *plan = read_plan(plan_text);
  cardan__collector *c = make(plan);
  double exact[NUMBERS], value[NUMBERS];
  closed_forms(exact);
  for (int even = 0; even < 2; even++) {
    double coarse[NUMBERS] = {0}, fine[NUMBERS] = {0};
    // the largest of several numbers of rows: where rows lie by chance does not matter
    for (int n = 40; n < 60; n++) {
      collect_wave(c, n, even != 0, value);
      for (int k = 0; k < NUMBERS; k++) {
        coarse[k] = fmax(coarse[k], fabs(value[k] - exact[k]));
      }
      collect_wave(c, 4 * n, even != 0, value);
      for (int k = 0; k < NUMBERS; k++) {
        fine[k] = fmax(fine[k], fabs(value[k] - exact[k]));
      }
    }
    for (int k = 0; k < NUMBERS; k++) {
      const bool at_row = k == END || k == START || k == STEPS || k == TIME;
      // h = 0.075: errors of a cubic are (2 h)^4 / 24 and less, where curves are steep enough
      assert_true(coarse[k] <= (at_row ? 0 : 1e-4));
      if (!at_row && !(fine[k] < coarse[k] / pow(4, 3.7))) {
        fail_msg("number %d, rows %s: %g with few, %g with four times as many", k,
                 even ? "even" : "uneven", coarse[k], fine[k]);
      }
    }
  }
  cardan__collector_destroy(c);
  cardan__plan_destroy(plan);
}

/* A cubic is exact, whatever the number of rows from four on, and wherever they lie. */
static void test_cubic(void **state)
{
  (void)state;
  cardan__plan *plan = read_plan(plan_text);
  cardan__collector *c = make(plan);
  support_rng rng = {7};
  for (int trial = 0; trial < 200; trial++) {
    double a[4], value[NUMBERS], t = 0, low = HUGE_VAL, high = -HUGE_VAL;
    const cardan_stats stats = {.steps = 7};
    support_random_vec(&rng, a, 4, 1);
    const int n = support_random_int(&rng, 4, 9);
    double times[10], end = 0;
    for (int i = 0; i < n; i++, t += support_random_in(&rng, 0.3, 1)) {
      times[i] = end = t;
    }
    cardan__collector_begin(c);
    for (int i = 0; i < n; i++) {
      const double y = a[0] + times[i] * (a[1] + times[i] * (a[2] + times[i] * a[3]));
      cardan__collector_row(c, times[i], &y);
    }
    cardan__collector_end(c, &stats, end, true, value);
    for (int i = 0; i <= 20000; i++) {
      const double s = end * i / 20000, y = a[0] + s * (a[1] + s * (a[2] + s * a[3]));
      low = fmin(low, y);
      high = fmax(high, y);
    }
    const double scale = 1 + pow(end, 4), round = 1e-12 * scale;
    // the grid misses an extreme by half its square: (end / 40000)^2 times the curvature
    assert_near(value[MIN], low, 1e-6 * scale);
    assert_near(value[MAX], high, 1e-6 * scale);
    assert_true(value[MIN] <= low + round && value[MAX] >= high - round);
    assert_near(value[INTEGRAL],
                end * (a[0] + end * (a[1] / 2 + end * (a[2] / 3 + end * a[3] / 4))), round);
    if (end >= 1.23) {
      assert_near(value[AT], a[0] + 1.23 * (a[1] + 1.23 * (a[2] + 1.23 * a[3])), round);
    } else {
      assert_true(isnan(value[AT]));
    }
  }
  cardan__collector_destroy(c);
  cardan__plan_destroy(plan);
}

/* Few rows, and what is not there. */
static void test_few(void **state)
{
  (void)state;
  cardan__plan *plan = read_plan(plan_text);
  cardan__collector *c = make(plan);
  const cardan_stats stats = {.steps = 7};
  double value[NUMBERS];
  const double line[] = {0.1, 0.5};
  for (int n = 0; n <= 2; n++) {
    cardan__collector_begin(c);
    for (int i = 0; i < n; i++) {
      cardan__collector_row(c, 2.0 * i, &line[i]);
    }
    cardan__collector_end(c, &stats, 0, true, value);
    if (n == 0) {
      assert_true(isnan(value[END]) && isnan(value[MAX]) && isnan(value[MEAN]) && isnan(value[UP]));
    } else if (n == 1) {
      assert_true(value[MIN] == 0.1 && value[MEAN] == 0.1 && value[RMS] == 0.1);
      assert_true(value[INTEGRAL] == 0 && isnan(value[AT]) && isnan(value[UP]));
    } else {
      assert_true(value[MAX] == 0.5 && value[END] == 0.5 && isnan(value[DOWN]));
      assert_near(value[UP], 1, 1e-15);
      assert_near(value[AT], 0.1 + 0.4 * 1.23 / 2, 1e-15);
      assert_near(value[MEAN], 0.3, 1e-15);
    }
  }
  cardan__collector_begin(c);
  cardan__collector_row(c, 0, line);
  cardan__collector_end(c, NULL, 0, false, value); // it has not started
  for (int k = 0; k < NUMBERS; k++) {
    assert_true(isnan(value[k]));
  }
  cardan__collector_destroy(c);
  cardan__plan_destroy(plan);
}

/* A number that is none shows, whatever comes behind it. */
static void test_nan(void **state)
{
  (void)state;
  cardan__plan *plan = read_plan(plan_text);
  cardan__collector *c = make(plan);
  const cardan_stats stats = {.steps = 7};
  double value[NUMBERS];
  for (int bad = 0; bad < 9; bad++) {
    cardan__collector_begin(c);
    for (int i = 0; i < 9; i++) {
      const double y = i == bad ? (double)NAN : i;
      cardan__collector_row(c, 0.1 * i, &y);
    }
    cardan__collector_end(c, &stats, 0.8, true, value);
    assert_true(isnan(value[MIN]) && isnan(value[MAX]) && isnan(value[MEAN]) && isnan(value[RMS]));
  }
  cardan__collector_destroy(c);
  cardan__plan_destroy(plan);
}

/* Two crossings within one piece, a touch, a start at the level. */
static void test_crossings(void **state)
{
  (void)state;
  const cardan__cubic dip = {{1, -4, 4, 0}};                        // (1 - 2 s)^2: to 0 at 1/2
  assert_near(cardan__cubic_cross(&dip, 1, 0.25, -1), 0.25, 1e-15); // down first
  assert_near(cardan__cubic_cross(&dip, 1, 0.25, 1), 0.75, 1e-15);
  assert_near(cardan__cubic_cross(&dip, 1, 0.25, 0), 0.25, 1e-15);
  assert_true(cardan__cubic_cross(&dip, 1, -0.1, 0) < 0);
  assert_near(cardan__cubic_cross(&dip, 1, 1, 1), 1, 1e-15); // there at first, and again at the end
  assert_true(cardan__cubic_cross(&dip, 1, 1, -1) < 0);
  const cardan__cubic flat = {{0.5, 0, 0, 0}};
  assert_true(cardan__cubic_cross(&flat, 0.5, 0.5, 0) < 0);
  double s[2];
  assert_int_equal(cardan__cubic_turns(&flat, s), 0);
  const cardan__cubic wave_like = {{0, 3, -9, 6}}; // slope 3 - 18 s + 18 s^2
  assert_int_equal(cardan__cubic_turns(&wave_like, s), 2);
  assert_near(s[0], 0.5 - sqrt(1.0 / 12), 1e-15);
  assert_near(s[1], 0.5 + sqrt(1.0 / 12), 1e-15);
}

/* A level that a row has to the bit is met at that row, however its cubics round there. */
static void test_level_of_row(void **state)
{
  (void)state;
  support_rng rng = {11};
  for (int trial = 0; trial < 2000; trial++) {
    double t[9], y[9], value[1];
    const double sign = trial % 2 ? 1 : -1, dt = support_random_in(&rng, 0.001, 1);
    const double from = support_random_in(&rng, 0, 8); // where it is small, differences round
    for (int i = 0; i < 9; i++) {
      t[i] = i * dt;
      y[i] = sign * (trial % 4 < 2 ? 0.37 * (i - from) : sinh(0.3 * (i - from)));
    }
    const int row = support_random_int(&rng, 1, 8);
    char text[128], number[32];
    snprintf(number, sizeof number, "%.17g", y[row]);
    snprintf(text, sizeof text, "(plan (set M 1) (collect (cross y %s %s)))", number,
             sign > 0 ? "up" : "down");
    cardan__plan *plan = read_plan(text);
    cardan__collector *c = make(plan);
    const cardan_stats stats = {.steps = 8};
    cardan__collector_begin(c);
    for (int i = 0; i < 9; i++) {
      cardan__collector_row(c, t[i], &y[i]);
    }
    cardan__collector_end(c, &stats, t[8], true, value);
    assert_near(value[0], t[row], 1e-13 * t[8]); // values are at most 15 times a row's change
    cardan__collector_destroy(c);
    cardan__plan_destroy(plan);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order),     cmocka_unit_test(test_cubic),
      cmocka_unit_test(test_few),       cmocka_unit_test(test_nan),
      cmocka_unit_test(test_crossings), cmocka_unit_test(test_level_of_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
