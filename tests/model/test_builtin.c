// SPDX-License-Identifier: Apache-2.0
// The built-in models as texts: that they are well formed, named right and the same as the files of
// examples/models. What they mean is tested where texts are read.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/builtin.h"
#include "model/builtin_parts.h"
#include "support.h"

enum { LINE_MOST = 110, DEPTH_MOST = 40, NAME_MOST = 64 };

static void make_text(const char *spec, cardan__text *out)
{
  cardan_report report = {0};
  cardan__text_init(out, NULL);
  if (cardan__builtin_text(spec, out, &report) != CARDAN_OK) {
    fail_msg("%s: %s", spec, report.message);
  }
}

// NAME or NAME:size, as users call an entry
static void spec_of(const cardan__builtin *info, int size, char *spec, size_t room)
{
  if (size > 0) {
    snprintf(spec, room, "%s:%d", info->name, size);
  } else {
    snprintf(spec, room, "%s", info->name);
  }
}

/* A list of names, as they come; unlike the reader it is far simpler: a name is what
 * stands between quotes after certain words. */
typedef struct {
  char (*name)[NAME_MOST];
  size_t count, room;
} name_list;

static void add_name(name_list *list, const char *start, size_t length)
{
  assert_in_range(length, 1, NAME_MOST - 1);
  if (list->count == list->room) {
    list->room = 2 * list->room + 64;
    list->name = realloc(list->name, list->room * sizeof *list->name);
    assert_non_null(list->name);
  }
  memcpy(list->name[list->count], start, length);
  list->name[list->count++][length] = '\0';
}

static int by_name(const void *a, const void *b)
{
  return strcmp(a, b);
}

static void check_unique(const char *spec, const char *what, name_list *list)
{
  if (list->count > 0) {
    qsort(list->name, list->count, sizeof *list->name, by_name);
  }
  for (size_t i = 1; i < list->count; i++) {
    if (strcmp(list->name[i - 1], list->name[i]) == 0) {
      fail_msg("%s: the %s \"%s\" is repeated", spec, what, list->name[i]);
    }
  }
}

static bool ends_with(const char *text, const char *end, const char *word)
{
  const size_t length = strlen(word);
  return (size_t)(end - text) >= length && memcmp(end - length, word, length) == 0;
}

// whether the quote at c follows a word that makes a coordinate of the name
static bool is_variable(const char *text, const char *c)
{
  static const char *const words[] = {"tx ", "ty ", "tz ", "rx ", "ry ", "rz "};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    if (ends_with(text, c, words[i])) {
      return true;
    }
  }
  const char *space = c - 1;
  while (space > text && space[-1] != ' ' && space[-1] != '(') {
    space--;
  }
  return *(c - 1) == ' ' && ends_with(text, space, "(joint ");
}

// one S-expression after a comment, lines not too long, no letters but ASCII, unique names
static void check_text(const char *spec, const cardan__text *text)
{
  name_list frames = {0}, variables = {0};
  int depth = 0, lists = 0, column = 0, widest = 0, deepest = 0;
  assert_int_equal(strlen(text->data), text->length);
  assert_int_equal(text->data[0], ';');
  assert_int_equal(text->data[text->length - 1], '\n');
  for (const char *c = text->data; *c; c++) {
    assert_true(*c == '\n' || (*c >= ' ' && *c <= '~' && *c != '\''));
    column = *c == '\n' ? 0 : column + 1;
    widest = column > widest ? column : widest;
    if (*c == ';') {
      const size_t rest = strcspn(c, "\n");
      widest = column + (int)rest > widest ? column + (int)rest : widest;
      c += rest;
      column = 0;
    } else if (*c == '"') {
      const size_t length = strcspn(c + 1, "\"\n");
      assert_int_equal(c[1 + length], '"');
      if (ends_with(text->data, c, "(name ")) {
        add_name(&frames, c + 1, length);
      } else if (is_variable(text->data, c)) {
        add_name(&variables, c + 1, length);
      }
      c += length + 1;
      column += (int)length + 1;
    } else if (*c == '(') {
      lists += depth == 0;
      depth++;
      deepest = depth > deepest ? depth : deepest;
    } else if (*c == ')') {
      assert_true(--depth >= 0);
    }
  }
  assert_int_equal(depth, 0);
  assert_int_equal(lists, 1);
  assert_in_range(widest, 1, LINE_MOST);
  assert_in_range(deepest, 2, DEPTH_MOST);
  assert_true(variables.count > 0);
  check_unique(spec, "frame", &frames);
  check_unique(spec, "variable", &variables);
  free(frames.name);
  free(variables.name);
}

static void every_model_is_well_formed(void **state)
{
  (void)state;
  assert_int_equal(cardan__builtin_count(), 61);
  for (int i = 0; i < cardan__builtin_count(); i++) {
    const cardan__builtin *info = cardan__builtin_at(i);
    const int middle = info->size_max < 137 ? 5 : 137;
    const int sizes[] = {info->default_size, info->size_min, info->default_size > 0 ? middle : 0};
    assert_true(strlen(info->description) > 0 && strlen(info->description) < 80);
    for (int k = 0; k < 3; k++) {
      char spec[64], head[80];
      cardan__text text;
      spec_of(info, sizes[k], spec, sizeof spec);
      make_text(spec, &text);
      check_text(spec, &text);
      // the comment and the system both say which model it is, and how to run it is said too
      snprintf(head, sizeof head, "; %s - ", spec);
      assert_memory_equal(text.data, head, strlen(head));
      snprintf(head, sizeof head, "system \"%s\"\n", spec);
      assert_non_null(strstr(text.data, head));
      assert_non_null(strstr(text.data, "(simulate (dt "));
      cardan__text_free(&text);
    }
  }
}

static void a_size_is_optional(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__builtin_count(); i++) {
    const cardan__builtin *info = cardan__builtin_at(i);
    if (info->default_size > 0 && strcmp(info->name, "pendulum") != 0) {
      char spec[64];
      cardan__text with, without;
      spec_of(info, info->default_size, spec, sizeof spec);
      make_text(spec, &with);
      make_text(info->name, &without);
      assert_string_equal(with.data, without.data);
      cardan__text_free(&with);
      cardan__text_free(&without);
    }
  }
}

static void pendulum_is_two_models(void **state)
{
  (void)state;
  cardan__text one, links;
  make_text("pendulum", &one);
  make_text("pendulum:1", &links);
  assert_non_null(strstr(one.data, "(ry \"theta\""));
  assert_null(strstr(one.data, "\"q1\""));
  assert_non_null(strstr(links.data, "(ry \"q1\""));
  assert_null(strstr(links.data, "theta"));
  cardan__text_free(&one);
  cardan__text_free(&links);
}

static void wrong_specs_get_clear_messages(void **state)
{
  (void)state;
  static const struct {
    const char *spec, *message;
  } cases[] = {
      {"pendlum", "no built-in model is called 'pendlum'; did you mean 'pendulum'?"},
      {"Chain:3", "no built-in model is called 'Chain'; did you mean 'chain'?"},
      {"xyzzy", "no built-in model is called 'xyzzy'; `cardan list` shows them all"},
      {"", "no built-in model is called ''; `cardan list` shows them all"},
      {"chain:0", "'chain' has no size 0, expected a size from 1 to 1000000"},
      {"chain:1000001", "'chain' has no size 1000001, expected a size from 1 to 1000000"},
      {"bintree:20", "'bintree' has no size 20, expected a size from 1 to 19"},
      {"ring:3", "'ring' has no size 3, expected a size from 4 to 1000000"},
      {"chain:99999999999999999999",
       "'chain' has no size 99999999999999999999, expected a size from 1 to 1000000"},
      {"chain:", "the size of 'chain' is '', expected a whole number, as in 'chain:10'"},
      {"chain:-3", "the size of 'chain' is '-3', expected a whole number, as in 'chain:10'"},
      {"chain:3.5", "the size of 'chain' is '3.5', expected a whole number, as in 'chain:10'"},
      {"chain:1e3", "the size of 'chain' is '1e3', expected a whole number, as in 'chain:10'"},
      {"chain:3:4", "the size of 'chain' is '3:4', expected a whole number, as in 'chain:10'"},
      {"top:3", "the model 'top' takes no size; leave out ':3'"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cardan_report report = {.file = "kept"};
    cardan__text text;
    cardan__text_init(&text, NULL);
    assert_int_equal(cardan__builtin_text(cases[i].spec, &text, &report), CARDAN_ERR_ARGUMENT);
    assert_string_equal(report.message, cases[i].message);
    assert_string_equal(report.file, "kept");
    assert_int_equal(report.pos.line, 0);
    assert_int_equal(text.length, 0);
    assert_int_equal(cardan__builtin_text(cases[i].spec, &text, NULL), CARDAN_ERR_ARGUMENT);
  }
}

static void a_long_name_is_cut(void **state)
{
  (void)state;
  char spec[5000];
  cardan_report report = {0};
  cardan__text text;
  memset(spec, 'a', sizeof spec - 1);
  spec[sizeof spec - 1] = '\0';
  cardan__text_init(&text, NULL);
  assert_int_equal(cardan__builtin_text(spec, &text, &report), CARDAN_ERR_ARGUMENT);
  assert_in_range(strlen(report.message), 60, 200);
  memcpy(spec, "chain:", 6);
  assert_int_equal(cardan__builtin_text(spec, &text, &report), CARDAN_ERR_ARGUMENT);
  assert_in_range(strlen(report.message), 60, 200);
}

// The files are what users read first. Those of models of one size are embedded; those of the
// others are written by `cardan make`.
static void example_files_hold_these_texts(void **state)
{
  (void)state;
  for (int i = 0; i < cardan__builtin_count(); i++) {
    const cardan__builtin *info = cardan__builtin_at(i);
    const bool second = info->default_size > 0 && strcmp(info->name, "pendulum") == 0;
    char spec[64], path[1024];
    cardan__text text;
    spec_of(info, info->default_size, spec, sizeof spec);
    snprintf(path, sizeof path, "%s/%s%s.mbs", CARDAN_EXAMPLE_MODELS, info->name,
             second ? "-5" : "");
    make_text(spec, &text);
    FILE *file = fopen(path, "rb");
    if (!file) {
      fail_msg("%s is missing; `cardan make %s` writes it", path, spec);
      return;
    }
    char *held = malloc(text.length + 2);
    assert_non_null(held);
    const size_t length = fread(held, 1, text.length + 1, file);
    fclose(file);
    if (length != text.length || memcmp(held, text.data, length) != 0) {
      fail_msg("%s differs from the text of `cardan make %s`", path, spec);
    }
    free(held);
    cardan__text_free(&text);
  }
}

// a text grows by doubling: its allocations are counted, since times depend on the machine
static void long_chains_are_written(void **state)
{
  (void)state;
  static const char *const specs[] = {"chain:100000", "lee-chain:100000", "ring:100000",
                                      "tree:100000", "bintree:16"};
  for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
    cardan__text text;
    const long before = support_alloc_count();
    make_text(specs[i], &text);
    assert_in_range(support_alloc_count() - before, 0, 64);
    check_text(specs[i], &text);
    cardan__text_free(&text);
  }
}

static void random_numbers_are_splitmix64(void **state)
{
  (void)state;
  // first output for seed 0 is e220a8397b1dcdaf; its top 31 bits are what a range of 2^31 gives
  uint64_t seed = 0;
  assert_int_equal(cardan__builtin_random(&seed, 0, INT_MAX), 0x7110541c);
  int count[3] = {0};
  for (int i = 0; i < 3000; i++) {
    const int k = cardan__builtin_random(&seed, -1, 1);
    assert_in_range(k + 1, 0, 2);
    count[k + 1]++;
  }
  // 1000 each, and 5 standard deviations of sqrt(3000 * 1/3 * 2/3) = 26
  for (int k = 0; k < 3; k++) {
    assert_in_range(count[k], 870, 1130);
  }
}

static void decimals_are_short(void **state)
{
  (void)state;
  static const struct {
    int value, places;
    const char *text;
  } cases[] = {{0, 3, "0"},          {-2500, 4, "-0.25"}, {1570796, 6, "1.570796"},
               {-1, 6, "-0.000001"}, {1000, 3, "1"},      {-3000, 3, "-3"},
               {100, 3, "0.1"},      {-100, 2, "-1"},     {1050, 3, "1.05"},
               {7, 1, "0.7"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[CARDAN__DECIMAL_SIZE];
    assert_string_equal(cardan__builtin_decimal(text, cases[i].value, cases[i].places),
                        cases[i].text);
  }
}

typedef struct {
  int left; // allocations that still succeed
} limited;

static void *limited_resize(void *user, void *old, size_t size)
{
  limited *l = user;
  if (size == 0) {
    free(old);
    return NULL;
  }
  return l->left-- > 0 ? realloc(old, size) : NULL;
}

static void running_out_of_memory_is_reported(void **state)
{
  (void)state;
  int failures = 0;
  for (int n = 0;; n++) {
    limited l = {n};
    const cardan_allocator alloc = {limited_resize, &l};
    cardan_report report = {0};
    cardan__text text;
    cardan__text_init(&text, &alloc);
    const cardan_status status = cardan__builtin_text("scissor:40", &text, &report);
    cardan__text_free(&text);
    if (status == CARDAN_OK) {
      break;
    }
    assert_int_equal(status, CARDAN_ERR_MEMORY);
    assert_string_equal(report.message, "no memory for the text of the model 'scissor:40'");
    failures++;
  }
  assert_true(failures > 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model_is_well_formed),
      cmocka_unit_test(a_size_is_optional),
      cmocka_unit_test(pendulum_is_two_models),
      cmocka_unit_test(wrong_specs_get_clear_messages),
      cmocka_unit_test(a_long_name_is_cut),
      cmocka_unit_test(example_files_hold_these_texts),
      cmocka_unit_test(long_chains_are_written),
      cmocka_unit_test(random_numbers_are_splitmix64),
      cmocka_unit_test(decimals_are_short),
      cmocka_unit_test(running_out_of_memory_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
