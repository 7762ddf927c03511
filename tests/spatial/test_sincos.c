// SPDX-License-Identifier: Apache-2.0
#include "spatial/sincos.h"

#include <float.h>
#include <math.h>

#include "support.h"

/* Against the C library's long double functions, for angles of every size: in the first turn,
 * thousands of turns away, next to multiples of a quarter turn, tiny, and past the bound where the
 * C library takes over. 1 eps: rounding of the reduced angle and of the result, half an eps
 * each. */
static void test_against_long_double(void **state)
{
  enum { N = 64 };
  support_rng rng = {.state = 5};
  double x[N], c[N], s[N];
  (void)state;
  for (int round = 0; round < 20000; round++) {
    for (int i = 0; i < N; i++) {
      const double u = support_random_in(&rng, -1, 1);
      const double kinds[] = {4 * u,     1e3 * u,
                              1.6e6 * u, rint(1e5 * u) * 0x1.921fb54442d18p+0 + 1e-8 * u,
                              1e-5 * u,  1e9 * u};
      x[i] = kinds[round % 6];
    }
    cardan__sincos(N, x, c, s);
    for (int i = 0; i < N; i++) {
      assert_near(c[i], (double)cosl((long double)x[i]), DBL_EPSILON);
      assert_near(s[i], (double)sinl((long double)x[i]), DBL_EPSILON);
    }
  }
}

static void test_special(void **state)
{
  const double x[4] = {0, -0.0, (double)INFINITY, (double)NAN};
  double c[4], s[4];
  (void)state;
  cardan__sincos(4, x, c, s);
  assert_true(c[0] == 1 && s[0] == 0 && c[1] == 1 && s[1] == 0);
  assert_true(isnan(c[2]) && isnan(s[2]) && isnan(c[3]) && isnan(s[3]));
}

/* Against the C library's, all round, near the axes and the octants' borders, of any length. 2 eps
 * of the angle: rounding of the quotient, of its series and of two sums, half an eps each. */
static void test_angles(void **state)
{
  enum { N = 64 };
  support_rng rng = {.state = 6};
  double s[N], c[N], x[N];
  (void)state;
  for (int round = 0; round < 20000; round++) {
    for (int i = 0; i < N; i++) {
      const double u = support_random_in(&rng, -1, 1), pi = 0x1.921fb54442d18p+1;
      const double kinds[] = {pi * u, rint(8 * u) * pi / 16 + 1e-9 * u, 1e-5 * u, 1e-12 * u};
      const double length = exp(20 * support_random_in(&rng, -1, 1));
      s[i] = length * sin(kinds[round % 4]);
      c[i] = length * cos(kinds[round % 4]);
    }
    cardan__angles(N, s, c, x);
    for (int i = 0; i < N; i++) {
      const double expected = (double)atan2l((long double)s[i], (long double)c[i]);
      assert_near(x[i], expected, 2 * DBL_EPSILON * fabs(expected));
    }
  }
}

static void test_special_angles(void **state)
{
  const double inf = (double)INFINITY, nan = (double)NAN;
  const double s[8] = {0, 0, 0, 1, -1, nan, 1, inf}, c[8] = {0, 1, -1, 0, 0, 1, nan, inf};
  double x[8];
  (void)state;
  cardan__angles(8, s, c, x);
  for (int i = 0; i < 5; i++) {
    assert_true(x[i] == atan2(s[i], c[i]));
  }
  assert_true(isnan(x[5]) && isnan(x[6]) && isnan(x[7]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_against_long_double),
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_angles),
      cmocka_unit_test(test_special_angles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
