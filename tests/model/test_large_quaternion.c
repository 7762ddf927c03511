// SPDX-License-Identifier: Apache-2.0
// A start of a quaternion of any length that is not 0 is a direction, however large or small its
// numbers are.
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "fixture.h"

static void any_length(void **state)
{
  static const char *const lengths[] = {"1e200", "1e308", "3", "1e-200", "5e-324"};
  (void)state;
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    char text[256];
    snprintf(text, sizeof text,
             "(system (joint spherical \"a\" (tx 1 (mass 1 1 1 1)))"
             " (initial (\"a\" (%s 0 0 %s))))",
             lengths[i], lengths[i]);
    fixture f = fixture_load(text);
    for (int k = 0; k < 4; k++) {
      // a quarter turn; each number is rounded twice
      assert_near(f.data->q[k], k % 3 == 0 ? sqrt(0.5) : 0, 4 * DBL_EPSILON);
    }
    fixture_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(any_length)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
