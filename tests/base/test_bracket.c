// SPDX-License-Identifier: Apache-2.0
#include "base/bracket.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "support.h"

/* The locator of events, on functions whose roots are known. */

enum { EVENTS = 3, MOST = 200 };

static const double root_tol = 4 * DBL_EPSILON;

typedef struct {
  const char *name;
  double (*f)(double t); // > 0 before its root, < 0 behind it
  double root;
  int most; // attempts that may be needed; measured, and twice as much
} event_case;

static double line(double t)
{
  return 0.3 - t;
}

static double parabola(double t)
{
  return 0.25 - t * t;
}

static double cubic(double t)
{
  return -pow(t - 0.7, 3); // a triple root
}

static double steep(double t)
{
  return -tanh(1e6 * (t - 0.123));
}

static double flat(double t)
{
  return exp(-20 * t) - exp(-20 * 0.9);
}

static double jump(double t)
{
  return t < 0.6 ? 1 : -1;
}

static const event_case cases[] = {
    {"line", line, 0.3, 8},       {"parabola", parabola, 0.5, 8}, {"cubic", cubic, 0.7, 200},
    {"steep", steep, 0.123, 120}, {"flat", flat, 0.9, 40},        {"jump", jump, 0.6, 120},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Locates the first of n events between 0 and 1, to root_tol; returns the attempts. */
static int locate(const event_case *const *event, int n, double *t)
{
  double value[3][EVENTS];
  cardan__bracket b = {.point = {{0, value[0]}, {1, value[1]}, {0, value[2]}}};
  for (int k = 0; k < n; k++) {
    value[0][k] = event[k]->f(0);
    value[1][k] = event[k]->f(1);
  }
  cardan__bracket_begin(&b, root_tol);
  while (b.tries < MOST && b.point[1].t - b.point[0].t > b.tol) {
    double first = b.point[1].t, at, now[EVENTS];
    bool behind = false;
    for (int k = 0; k < n; k++) {
      if (b.point[1].value[k] < 0) {
        first = fmin(first, cardan__bracket_root(&b, b.point[0].value[k], b.point[1].value[k],
                                                 b.point[2].value[k], NULL));
      }
    }
    at = cardan__bracket_next(&b, first);
    assert_true(at > b.point[0].t && at < b.point[1].t);
    for (int k = 0; k < n; k++) {
      now[k] = event[k]->f(at);
      behind = behind || now[k] < 0;
    }
    cardan__bracket_narrow(&b, behind, at);
    for (int k = 0; k < n; k++) {
      b.point[behind].value[k] = now[k];
    }
  }
  *t = b.point[0].t;
  return b.tries;
}

static void test_roots(void **state)
{
  (void)state;
  for (int i = 0; i < CASES; i++) {
    const event_case *event[1] = {&cases[i]};
    double t;
    const int tries = locate(event, 1, &t);
    printf("%-9s %3d attempts, error %.1e\n", cases[i].name, tries, fabs(t - cases[i].root));
    assert_true(tries <= cases[i].most);
    // the sign of a triple root of a cube is lost within cbrt(DBL_MIN) of it, far below the rest
    assert_true(fabs(t - cases[i].root) <= 2 * root_tol);
  }
}

/* Of several the earliest counts, whichever order they are in. */
static void test_first(void **state)
{
  (void)state;
  for (int i = 0; i < CASES; i++) {
    for (int j = 0; j < CASES; j++) {
      for (int k = 0; k < CASES; k++) {
        const event_case *event[EVENTS] = {&cases[i], &cases[j], &cases[k]};
        const double first = fmin(cases[i].root, fmin(cases[j].root, cases[k].root));
        double t;
        assert_true(locate(event, EVENTS, &t) < MOST);
        assert_true(fabs(t - first) <= 2 * root_tol);
      }
    }
  }
}

/* Without a tolerance of t the next attempt is the root of the parabola, or outside of the bracket
 * when no time is left. */
static void test_no_tolerance(void **state)
{
  (void)state;
  double value[3][1] = {{1}, {-1}, {0}};
  cardan__bracket b = {.point = {{1, value[0]}, {nextafter(1, 2), value[1]}, {1, value[2]}}};
  cardan__bracket_begin(&b, 0);
  const double t = cardan__bracket_next(&b, cardan__bracket_root(&b, 1, -1, 0, NULL));
  assert_false(t > b.point[0].t && t < b.point[1].t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_roots),
      cmocka_unit_test(test_first),
      cmocka_unit_test(test_no_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
