// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

static cardan_status write_words(const cardan_allocator *alloc, void *user)
{
  (void)user;
  cardan__text text;
  cardan__text_init(&text, alloc);
  for (int i = 0; i < 500; i++) {
    cardan__text_printf(&text, "%d%s", i, i % 2 ? ", " : ";");
    cardan__text_add(&text, "<>", 2);
    cardan__text_number(&text, i / 8.0);
  }
  const cardan_status status = text.failed ? CARDAN_ERR_MEMORY : CARDAN_OK;
  if (!text.failed) {
    assert_int_equal(strlen(text.data), text.length);
    assert_memory_equal(text.data, "0;<>01, <>0.1252;<>0.25", 23);
    assert_string_equal(text.data + text.length - 13, "499, <>62.375");
  }
  cardan__text_free(&text);
  assert_null(text.data);
  return status;
}

static void text_grows_and_failure_sticks(void **state)
{
  (void)state;
  assert_true(support_fail_each(write_words, NULL) > 3);
}

static void text_starts_empty_and_takes_nothing(void **state)
{
  (void)state;
  cardan__text text;
  cardan__text_init(&text, NULL);
  assert_null(text.data);
  cardan__text_add(&text, NULL, 0);
  assert_string_equal(text.data, "");
  cardan__text_add(&text, "a\0b", 3);
  assert_int_equal(text.length, 3);
  assert_memory_equal(text.data, "a\0b", 4);
  cardan__text_add(&text, "x", SIZE_MAX - 2);
  assert_true(text.failed);
  cardan__text_free(&text);
  assert_false(text.failed);
}

static void numbers_read_back_to_the_same_bits(void **state)
{
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0.1, "0.1"},        {1.0, "1"},
               {-0.0, "-0"},        {1.0 / 3.0, "0.3333333333333333"},
               {1e300, "1e+300"},   {HUGE_VAL, "inf"},
               {-HUGE_VAL, "-inf"}, {0.1 + 0.2, "0.30000000000000004"},
               {9.80665, "9.80665"}};
  char text[CARDAN__NUMBER_SIZE];
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_int_equal(cardan__format_number(text, cases[i].value, 0), strlen(cases[i].text));
    assert_string_equal(text, cases[i].text);
  }
  cardan__format_number(text, (double)NAN, 17);
  assert_non_null(strstr(text, "nan"));
  cardan__format_number(text, 0.1, 17);
  assert_string_equal(text, "0.10000000000000001");
  assert_true(cardan__format_number(text, -DBL_MIN / 3.0, 17) < CARDAN__NUMBER_SIZE);

  support_rng rng = {7};
  for (int i = 0; i < 20000; i++) {
    // any bit pattern that is a finite number
    const uint64_t bits = support_random(&rng);
    double value;
    memcpy(&value, &bits, sizeof(value));
    if (isfinite(value)) {
      cardan__format_number(text, value, 0);
      const double back = strtod(text, NULL);
      assert_memory_equal(&back, &value, sizeof(value));
    }
  }
}

static void numbers_have_a_point_in_every_locale(void **state)
{
  (void)state;
  static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "ps_AF.UTF-8"};
  bool found = false;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (setlocale(LC_NUMERIC, names[i]) && strcmp(localeconv()->decimal_point, ".") != 0) {
      found = true;
      char text[CARDAN__NUMBER_SIZE];
      cardan__format_number(text, -1234.5e-20, 0);
      assert_string_equal(text, "-1.2345e-17");
    }
  }
  setlocale(LC_NUMERIC, "C");
  if (!found) {
    skip();
  }
}

static void nearest_word(void **state)
{
  (void)state;
  static const char *const words[] = {
      "aba", "hamilton", "baraff", "half-implicit", "fully-implicit", "rattle", "vi", "svi"};
  const int n = (int)(sizeof(words) / sizeof(words[0]));
  static const struct {
    const char *word, *nearest;
  } cases[] = {
      {"hamiltn", "hamilton"},
      {"Hamilton", "hamilton"},
      {"bararff", "baraff"},
      {"ratlte", "rattle"},
      {"abba", "aba"},
      {"half implicit", "half-implicit"},
      {"fuly-implict", "fully-implicit"},
      {"vii", "vi"},
      {"aba", "aba"},
      {"newton", NULL},
      {"", NULL},
      {"x", NULL},
      {"zzzzzzzzzzzz", NULL},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    const char *nearest = cardan__nearest(cases[i].word, words, n);
    if (cases[i].nearest) {
      assert_non_null(nearest);
      assert_string_equal(nearest, cases[i].nearest);
    } else {
      assert_null(nearest);
    }
  }
  assert_null(cardan__nearest("aba", words, 0));

  // lengths around the limit of 63 bytes
  char word[80] = {0};
  memset(word, 'a', 63);
  const char *const same[] = {word};
  assert_ptr_equal(cardan__nearest(word, same, 1), word);
  word[63] = 'a';
  assert_null(cardan__nearest(word, same, 1));
  assert_null(cardan__nearest("aaa", same, 1));
}

static void report_file_keeps_the_end_of_long_names(void **state)
{
  (void)state;
  cardan_report report = {0};
  cardan__report_file(NULL, "a.mbs");
  cardan__report_file(&report, "a.mbs");
  assert_string_equal(report.file, "a.mbs");

  char name[600];
  for (size_t shift = 0; shift < 2; shift++) {
    // letters of two bytes, so that the cut falls on each of their bytes in turn
    for (size_t i = 0; i < 500; i++) {
      name[i] = (i + shift) % 2 ? '\xA9' : '\xC3';
    }
    memcpy(name + 500, "/arm.mbs", 9);
    cardan__report_file(&report, name);
    const size_t length = strlen(report.file);
    assert_in_range(length, sizeof(report.file) - 2, sizeof(report.file) - 1);
    assert_memory_equal(report.file, "...\xC3", 4);
    assert_string_equal(report.file + length - 8, "/arm.mbs");
  }
  memset(name, 'n', 255);
  name[255] = '\0';
  cardan__report_file(&report, name);
  assert_string_equal(report.file, name);
}

// control characters of one and two bytes, and what turns the direction of reading; nothing beside
static void characters_that_names_do_not_have(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    unsigned code;
    bool hidden;
  } cases[] = {{"a", 0x61, false},
               {"\x1f", 0x1f, true},
               {"\x7f", 0x7f, true},
               {"\xc2\x80", 0x80, true},
               {"\xc2\x9f", 0x9f, true},
               {"\xc2\xa0", 0xa0, false},
               {"\xd8\x9c", 0x61c, true},
               {"\xe2\x80\x8d", 0x200d, false},
               {"\xe2\x80\x8e", 0x200e, true},
               {"\xe2\x80\x8f", 0x200f, true},
               {"\xe2\x80\xa9", 0x2029, false},
               {"\xe2\x80\xaa", 0x202a, true},
               {"\xe2\x80\xae", 0x202e, true},
               {"\xe2\x80\xaf", 0x202f, false},
               {"\xe2\x81\xa6", 0x2066, true},
               {"\xe2\x81\xa9", 0x2069, true},
               {"\xe2\x81\xaa", 0x206a, false},
               {"\xf0\x9f\x98\x80", 0x1f600, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const unsigned char *text = (const unsigned char *)cases[i].text;
    const size_t n = cardan__utf8_length(text, strlen(cases[i].text));
    assert_int_equal(n, strlen(cases[i].text));
    assert_int_equal(cardan__utf8_code(text, n), cases[i].code);
    assert_int_equal(cardan__utf8_hidden(text, n), cases[i].hidden);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_grows_and_failure_sticks),
      cmocka_unit_test(text_starts_empty_and_takes_nothing),
      cmocka_unit_test(numbers_read_back_to_the_same_bits),
      cmocka_unit_test(numbers_have_a_point_in_every_locale),
      cmocka_unit_test(nearest_word),
      cmocka_unit_test(report_file_keeps_the_end_of_long_names),
      cmocka_unit_test(characters_that_names_do_not_have),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
