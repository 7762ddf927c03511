// SPDX-License-Identifier: Apache-2.0
// Decimal to double: against the C library (in the "C" locale of a program that sets none), which
// rounds correctly, and on the points where rounding is decided.
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/number.h"
#include "support.h"

static void check_same(const char *text)
{
  double value = 0.0, expected = strtod(text, NULL);
  const cardan__number_result result = cardan__number_read(text, strlen(text), &value);

  if (isinf(expected)) {
    assert_int_equal(result, CARDAN__NUMBER_OVERFLOW);
    return;
  }
  if (result != CARDAN__NUMBER_OK || value != expected || signbit(value) != signbit(expected)) {
    fail_msg("%s: %a, expected %a", text, value, expected);
  }
}

static void forms(void **state)
{
  static const char *const good[] = {
      "0",   "-0",    "1",     "+3",  "5.",   ".5",    "-.5",    "1e5",
      "1E5", "1.e+5", ".1e-3", "007", "0e99", "0.000", "1e-400", "12345678901234567890123"};
  static const char *const bad[] = {"",    "+",   "-",     ".",   "-.",   "e5", ".e5",
                                    "1e",  "1e+", "1.2.3", "1,5", "1 2",  " 1", "0x10",
                                    "nan", "inf", "1f",    "--1", "1e5.", "1_0"};
  double value = 7.0;

  (void)state;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    check_same(good[i]);
  }
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_int_equal(cardan__number_read(bad[i], strlen(bad[i]), &value), CARDAN__NUMBER_MALFORMED);
  }
  // the length counts, not a NUL; a failure writes nothing
  assert_int_equal(cardan__number_read("1\0", 2, &value), CARDAN__NUMBER_MALFORMED);
  assert_true(value == 7.0);
  assert_int_equal(cardan__number_read("123", 2, &value), CARDAN__NUMBER_OK);
  assert_true(value == 12.0);
}

static void limits(void **state)
{
  static const char *const texts[] = {"1.7976931348623157e308",
                                      "1.7976931348623158e308",
                                      "1.7976931348623159e308",
                                      "1e309",
                                      "-1e309",
                                      "1e999999999999",
                                      "1e-999999999999",
                                      "2.2250738585072014e-308",
                                      "2.2250738585072011e-308",
                                      "4.9406564584124654e-324",
                                      "2.4703282292062327e-324",
                                      "2.4703282292062328e-324",
                                      "9007199254740993",
                                      "9007199254740992.9999999999999999999",
                                      "9007199254740993.0000000000000000000000000000000000000001",
                                      "1e23",
                                      "8.5e22",
                                      "1e22",
                                      "1e27",
                                      "18446744073709551615e-27",
                                      "99999999999999999999e-28"};

  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    check_same(texts[i]);
  }
}

// numbers of all sizes and lengths, those that %.17g writes among them
static void random_numbers(void **state)
{
  support_rng rng = {1};
  char text[1200];

  (void)state;
  for (int i = 0; i < 100000; i++) {
    const uint64_t bits = support_random(&rng);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) {
      snprintf(text, sizeof text, "%.*g", 1 + i % 30, x);
      check_same(text);
    }
    snprintf(text, sizeof text, "%llu.%llue%d", (unsigned long long)(bits >> (i % 64)),
             (unsigned long long)(support_random(&rng) >> (i % 61)),
             support_random_int(&rng, -45, 45));
    check_same(text);
  }
}

// the point halfway between two doubles, written in full (up to 767 digits), and a hair above it
static void halfway(void **state)
{
  support_rng rng = {2};
  char text[1300];

  (void)state;
  for (int i = 0; i < 2000; i++) {
    const uint64_t bits = support_random(&rng) & UINT64_C(0x7fffffffffffffff);
    double x;
    memcpy(&x, &bits, sizeof x);
    if (i % 4 == 0) {
      x = ldexp(1.0 + support_random_in(&rng, 0.0, 1.0), support_random_int(&rng, -1074, -1010));
    }
    const long double middle = (long double)x / 2 + (long double)nextafter(x, HUGE_VAL) / 2;
    if (!isfinite((double)middle)) {
      continue;
    }
    snprintf(text, sizeof text, "%.800Le", middle);
    check_same(text);
    char *exponent = strchr(text, 'e'), tail[16];
    snprintf(tail, sizeof tail, "%s", exponent);
    memset(exponent, '0', 300);
    snprintf(exponent + 300, 20, "1%s", tail);
    check_same(text);
  }
}

// a million zeros between the point and the first digit, and an exponent that makes up for them
static void long_numbers(void **state)
{
  enum { ZEROS = 1000000 };
  char *text = malloc(ZEROS + 32);
  double value = 0.0;

  (void)state;
  assert_non_null(text);
  memset(text, '0', ZEROS + 2);
  text[1] = '.';
  snprintf(text + ZEROS + 2, 30, "25e%d", ZEROS + 1);
  assert_int_equal(cardan__number_read(text, strlen(text), &value), CARDAN__NUMBER_OK);
  assert_true(value == 2.5);
  free(text);
}

static void decimal_comma(void **state)
{
  double value = 0.0;

  (void)state;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    skip();
  }
  assert_int_equal(cardan__number_read("0.5", 3, &value), CARDAN__NUMBER_OK);
  setlocale(LC_NUMERIC, "C");
  assert_true(value == 0.5);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forms),   cmocka_unit_test(limits),       cmocka_unit_test(random_numbers),
      cmocka_unit_test(halfway), cmocka_unit_test(long_numbers), cmocka_unit_test(decimal_comma),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
