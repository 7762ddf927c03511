// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "output/print_double.h"
#include "support.h"

/* cardan__format_17 against printf of the C library, digit for digit. */

/* One number, without its comma. */
static size_t format(char *text, double value)
{
  const size_t length = cardan__format_17(text, &value, 1);
  assert_int_equal(text[length - 1], ',');
  text[length - 1] = '\0';
  return length - 1;
}

static void check(double value)
{
  char ours[CARDAN__ROOM_17], expected[CARDAN__NUMBER_SIZE];
  const size_t length = format(ours, value);
  cardan__format_number(expected, value, 17);
  if (strcmp(ours, expected) != 0 || length != strlen(ours)) {
    fail_msg("found %s, expected %s", ours, expected);
  }
}

static void as_printed_by_hand(void **state)
{
  static const struct {
    double value;
    const char *text;
  } table[] = {{0.0, "0"},
               {-0.0, "-0"},
               {0.1, "0.10000000000000001"},
               {1.0, "1"},
               {-2.5, "-2.5"},
               {1e15, "1000000000000000"},
               {1e16, "10000000000000000"},
               {123456789012345680.0, "1.2345678901234568e+17"},
               {1e-4, "0.0001"},
               {1e-5, "1.0000000000000001e-05"},
               {1.0 / 3, "0.33333333333333331"},
               {DBL_MIN, "2.2250738585072014e-308"},
               {DBL_MAX, "1.7976931348623157e+308"},
               {INFINITY, "inf"}};
  (void)state;
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    char text[CARDAN__ROOM_17];
    format(text, table[i].value);
    assert_string_equal(text, table[i].text);
  }
}

// every power of two and of ten within reach, and the doubles next to them: where the number of
// digits changes, and where products with powers of five are ties
static void next_to_powers(void **state)
{
  (void)state;
  for (int k = -130; k <= 60; k++) {
    const int half = k / 2;
    const double powers[] = {ldexp(1, k), pow(10, half)};
    for (int p = 0; p < 2; p++) {
      double up = powers[p], down = powers[p];
      for (int i = 0; i < 50; i++) {
        check(up);
        check(-down);
        up = nextafter(up, INFINITY);
        down = nextafter(down, 0);
      }
    }
  }
}

static void random_numbers(void **state)
{
  support_rng rng = {1};
  (void)state;
  for (int i = 0; i < 300000; i++) {
    // any size within the fast range, any double at all, and short decimals
    check(ldexp((double)(support_random(&rng) >> 11), support_random_int(&rng, -180, 2)));
    const uint64_t bits = support_random(&rng);
    double any;
    memcpy(&any, &bits, sizeof any);
    if (!isnan(any)) {
      check(any);
    }
    check(support_random_int(&rng, -1000000, 1000000) / 1000.0);
  }
}

static void read_back(void **state)
{
  support_rng rng = {2};
  (void)state;
  for (int i = 0; i < 100000; i++) {
    char text[CARDAN__ROOM_17];
    const double value = support_random_in(&rng, -10, 10);
    format(text, value);
    assert_true(strtod(text, NULL) == value);
  }
}

// several in one call: as one after the other
static void many_at_once(void **state)
{
  support_rng rng = {3};
  (void)state;
  for (int i = 0; i < 10000; i++) {
    double value[CARDAN__MOST_17];
    char all[CARDAN__MOST_17 * CARDAN__ROOM_17], each[CARDAN__ROOM_17];
    const int n = support_random_int(&rng, 1, CARDAN__MOST_17);
    for (int k = 0; k < n; k++) {
      const int kind = support_random_int(&rng, 0, 3);
      value[k] = kind == 0 ? 0 : support_random_in(&rng, -1, 1) * pow(10, 25 * (kind - 2));
    }
    const size_t length = cardan__format_17(all, value, n);
    size_t used = 0;
    for (int k = 0; k < n; k++) {
      const size_t own = cardan__format_17(each, &value[k], 1);
      assert_memory_equal(all + used, each, own);
      used += own;
    }
    assert_int_equal(used, length);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_printed_by_hand), cmocka_unit_test(next_to_powers),
      cmocka_unit_test(random_numbers),     cmocka_unit_test(read_back),
      cmocka_unit_test(many_at_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
