// SPDX-License-Identifier: Apache-2.0
#include "methods/options.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "expr/number.h"
#include "methods/method.h"

static const char *const contacts[] = {"on", "auto", "off", NULL};
static const char *const lanes[] = {"auto", "off", NULL};

/* What every method has. */
static const cardan__option common[] = {
    {"method", CARDAN__WORD, CARDAN__FIELD(method), .word = cardan_method_name,
     .help = "how the motion is computed"},
    {"dt", CARDAN__NUMBER, CARDAN__FIELD(dt), .high = DBL_MAX, .above = true, .initial = 0.01,
     .help = "step, or interval between rows where the integrator chooses its own steps [s]"},
    {"time", CARDAN__NUMBER, CARDAN__FIELD(time), .high = DBL_MAX, .initial = 10,
     .help = "length of the run [s]"},
    {"begin", CARDAN__NUMBER, CARDAN__FIELD(begin), .low = -DBL_MAX, .high = DBL_MAX,
     .help = "t at the start [s]"},
    {"every", CARDAN__COUNT, CARDAN__FIELD(every), .low = 1, .high = INT_MAX, .initial = 1,
     .help = "steps from one row to the next"},
    {"no-assemble", CARDAN__OFF, CARDAN__FIELD(assemble),
     .help = "do not close loops at the start"},
    {"closing", CARDAN__NUMBER, CARDAN__FIELD(closing), .high = DBL_MAX, .above = true,
     .unset = "by the digits of the file, at least 1e-7 of the mechanism",
     .help = "largest violation of a loop that counts as closed, if its data are inconsistent [m "
             "or rad]"},
    {"rank-tol", CARDAN__NUMBER, CARDAN__FIELD(rank_tol), .high = 0.1, .above = true,
     .unset = "by the digits of the file, at least 1e-5",
     .help =
         "a constraint row is redundant if a smaller fraction of it is independent of the others"},
    {"keyframe", CARDAN__TEXT, CARDAN__FIELD(keyframe), .unset = "(initial ..)",
     .help = "start from this (keyframe ..) of the model"},
    {"max-error", CARDAN__NUMBER, CARDAN__FIELD(max_error), .high = DBL_MAX, .above = true,
     .unset = "7 % of the coordinate's range",
     .help = "warn if the estimated error of a coordinate at the end is larger [rad or m]"},
    {"strict", CARDAN__ON, CARDAN__FIELD(strict),
     .help = "a warning about the start or the result is an error"},
    {"contacts", CARDAN__WORD, CARDAN__FIELD(contacts), .words = contacts,
     .help = "enforce contacts and stops; auto: if the method can, otherwise ignore them with a "
             "warning"},
    {"max-impacts", CARDAN__COUNT, CARDAN__FIELD(max_impacts), .low = 1, .high = 1000, .initial = 8,
     .help = "impacts of a contact in one step that have restitution; later ones have none"},
    {"lanes", CARDAN__WORD, CARDAN__FIELD(lanes), .words = lanes,
     .help = "many copies: several at once in vector registers; off: the same bits as single runs"},
    {.name = NULL}};

/* ---- rows of all tables ---- */

enum { NCOMMON = sizeof common / sizeof common[0] - 1, MOST_ROWS = 128 };

typedef struct {
  int n;
  const cardan__option *row[MOST_ROWS];
} row_list;

static void add_table(row_list *list, const cardan__option *table)
{
  for (int i = 0; i < list->n; i++) {
    if (list->row[i] == table) {
      return; // shared with a method before
    }
  }
  for (; table != NULL && table->name != NULL; table++) {
    CARDAN_ASSERT(list->n < MOST_ROWS);
    list->row[list->n++] = table;
  }
}

/* The rows of a method after those that all have; NULL: those of every method, each row once. */
static row_list rows_of(const cardan__method *method)
{
  row_list list = {0};
  const cardan__method *one = method;
  add_table(&list, common);
  for (int i = 0; method != NULL ? i < 1 : (one = cardan__method_at(i)) != NULL; i++) {
    for (int k = 0; k < CARDAN__OPTION_TABLES; k++) {
      add_table(&list, one->options[k]);
    }
  }
  return list;
}

static bool is_named(const cardan__option *row, const char *name)
{
  return strcmp(row->name, name) == 0;
}

/* The first row of a name at or after place k; NULL: none. */
static const cardan__option *find_from(const row_list *list, int k, const char *name)
{
  while (k < list->n && !is_named(list->row[k], name)) {
    k++;
  }
  return k < list->n ? list->row[k] : NULL;
}

const cardan__option *cardan__option_find(const cardan__method *method, const char *name)
{
  const row_list list = rows_of(method);
  return find_from(&list, 0, name);
}

/* ---- fields ---- */

static const void *field_of(const cardan_options *options, const cardan__option *row)
{
  return (const char *)options + row->field;
}

static void *field_in(cardan_options *options, const cardan__option *row)
{
  return (char *)options + row->field;
}

static double number_in(const cardan_options *options, const cardan__option *row)
{
  const void *field = field_of(options, row);
  return row->kind == CARDAN__COUNT ? *(const int *)field : *(const double *)field;
}

static const char *word_in(const cardan_options *options, const cardan__option *row)
{
  return *(const char *const *)field_of(options, row);
}

static bool is_switch(const cardan__option *row)
{
  return row->kind == CARDAN__OFF || row->kind == CARDAN__ON;
}

/* Sets the field to its default. */
static void reset(cardan_options *options, const cardan__option *row)
{
  void *field = field_in(options, row);
  switch (row->kind) {
  case CARDAN__WORD:
    *(const char **)field = NULL;
    break;
  case CARDAN__NUMBER:
    *(double *)field = row->initial;
    break;
  case CARDAN__COUNT:
    *(int *)field = (int)row->initial;
    break;
  case CARDAN__TEXT:
    *(char *)field = '\0';
    break;
  case CARDAN__OFF:
  case CARDAN__ON:
    *(bool *)field = row->kind == CARDAN__OFF;
    break;
  }
}

static bool is_set(const cardan_options *options, const cardan__option *row)
{
  switch (row->kind) {
  case CARDAN__WORD:
    return word_in(options, row) != NULL;
  case CARDAN__TEXT:
    return *(const char *)field_of(options, row) != '\0';
  case CARDAN__OFF:
  case CARDAN__ON:
    return *(const bool *)field_of(options, row) == (row->kind == CARDAN__ON);
  default:
    return !(number_in(options, row) == row->initial);
  }
}

/* The field as a text that cardan_options_set reads back, cut to size; a word that is not set and a
 * switch that is on: "". */
static void value_text(const cardan_options *options, const cardan__option *row, char *value,
                       size_t size)
{
  char number[CARDAN__NUMBER_SIZE];
  if (row->kind == CARDAN__WORD) {
    const char *word = word_in(options, row);
    snprintf(value, size, "%s", word != NULL ? word : "");
  } else if (row->kind == CARDAN__TEXT) {
    snprintf(value, size, "%s", (const char *)field_of(options, row));
  } else if (is_switch(row)) {
    snprintf(value, size, "%s", is_set(options, row) ? "yes" : "");
  } else {
    cardan__format_number(number, number_in(options, row), 0);
    snprintf(value, size, "%s", number);
  }
}

cardan_options cardan_options_defaults(void)
{
  cardan_options options = {0};
  const row_list all = rows_of(NULL);
  for (int i = 0; i < all.n; i++) {
    reset(&options, all.row[i]);
  }
  return options;
}

/* ---- words for messages ---- */

/* Appends a word to a list with commas, cut to size. */
static void append(char *list, size_t size, const char *word)
{
  const size_t used = strlen(list);
  snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

enum { LIST_SIZE = 256 };

/* The words of all rows of a name, each once, into list (most of them); returns how many. */
static int words_of(const char *name, const char **list, int most)
{
  const row_list all = rows_of(NULL);
  int n = 0;
  for (int i = 0; i < all.n; i++) {
    const char *word;
    for (int k = 0;
         is_named(all.row[i], name) && (word = cardan__option_word_at(all.row[i], k)) != NULL;
         k++) {
      bool there = false;
      for (int j = 0; j < n; j++) {
        there = there || strcmp(list[j], word) == 0;
      }
      if (!there && n < most) {
        list[n++] = word;
      }
    }
  }
  return n;
}

/* The methods that have an option, with this word of it unless NULL. */
static void methods_with(const char *name, const char *word, char list[LIST_SIZE])
{
  const cardan__method *method;
  list[0] = '\0';
  for (int i = 0; (method = cardan__method_at(i)) != NULL; i++) {
    const cardan__option *row = cardan__option_find(method, name);
    if (row != NULL && (word == NULL || cardan__option_index(row, word) >= 0)) {
      append(list, LIST_SIZE, method->name);
    }
  }
}

/* ---- setting ---- */

static cardan_status wrong(cardan_report *report, const char *name, const char *value,
                           const char *const *list, int n)
{
  char all[LIST_SIZE] = "";
  const char *near = cardan__nearest(value, list, n);
  if (near != NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%s is \"%.40s\"; did you mean \"%s\"?", name, value, near);
  }
  for (int i = 0; i < n; i++) {
    append(all, sizeof all, list[i]);
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "%s is \"%.40s\", expected one of: %s", name, value, all);
}

static cardan_status out_of_bounds(cardan_report *report, const cardan__option *row, double x)
{
  const char *bound = row->above ? "more than" : "at least";
  char most[64] = "";
  if (row->high == DBL_MAX) {
    snprintf(most, sizeof most, "%s", x > row->high ? " and finite" : "");
  } else if (row->kind == CARDAN__NUMBER || x > row->high) {
    snprintf(most, sizeof most, " and at most %.12g", row->high);
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "%s is %.12g, expected %s %g%s", row->name, x, bound, row->low, most);
}

static bool is_within(const cardan__option *row, double x)
{
  return x >= row->low && x <= row->high && !(row->above && x == row->low);
}

static cardan_status set_word(cardan_options *options, const cardan__option *row, const char *value,
                              cardan_report *report)
{
  const char *list[64];
  const int n = words_of(row->name, list, 64);
  for (int i = 0; i < n; i++) {
    if (strcmp(list[i], value) == 0) {
      *(const char **)field_in(options, row) = list[i];
      return CARDAN_OK;
    }
  }
  return wrong(report, row->name, value, list, n);
}

static cardan_status set_number(cardan_options *options, const cardan__option *row,
                                const char *value, cardan_report *report)
{
  double x = 0;
  const char *list[64];
  const int n = words_of(row->name, list, 64);
  const cardan__number_result read = cardan__number_read(value, strlen(value), &x);
  if (read != CARDAN__NUMBER_OK || (row->kind == CARDAN__COUNT && x != floor(x))) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%s is \"%.40s\", expected a %s", row->name, value,
                       row->kind == CARDAN__COUNT ? "whole number" : "number");
  }
  bool known = n == 0;
  for (int i = 0; i < n && !known; i++) {
    double one = 0;
    known = cardan__number_read(list[i], strlen(list[i]), &one) == CARDAN__NUMBER_OK && one == x;
  }
  if (!known) {
    return wrong(report, row->name, value, list, n);
  }
  if (n == 0 && !is_within(row, x)) {
    return out_of_bounds(report, row, x);
  }
  if (row->kind == CARDAN__COUNT) {
    *(int *)field_in(options, row) = (int)x;
  } else {
    *(double *)field_in(options, row) = x;
  }
  return CARDAN_OK;
}

static cardan_status set_text(cardan_options *options, const cardan__option *row, const char *value,
                              cardan_report *report)
{
  const size_t length = strlen(value);
  if (length >= CARDAN_OPTION_TEXT) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%s is \"%.40s..\", of %zu bytes; expected at most %d", row->name, value,
                       length, CARDAN_OPTION_TEXT - 1);
  }
  memcpy(field_in(options, row), value, length + 1);
  return CARDAN_OK;
}

/* Names of all options, each once. */
static int names_of(const row_list *all, const char *list[MOST_ROWS])
{
  int n = 0;
  for (int i = 0; i < all->n; i++) {
    if (find_from(all, 0, all->row[i]->name) == all->row[i]) {
      list[n++] = all->row[i]->name;
    }
  }
  return n;
}

static cardan_status unknown_option(cardan_report *report, const row_list *all, const char *name)
{
  const char *list[MOST_ROWS];
  const char *near = cardan__nearest(name, list, names_of(all, list));
  return near != NULL
             ? cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                           "there is no option \"%.40s\"; did you mean \"%s\"?", name, near)
             : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                           "there is no option \"%.40s\"", name);
}

cardan_status cardan_options_set(cardan_options *options, const char *name, const char *value,
                                 cardan_report *report)
{
  const row_list all = rows_of(NULL);
  const cardan__option *row = find_from(&all, 0, name);
  if (row == NULL) {
    return unknown_option(report, &all, name);
  }
  if (is_switch(row) && value != NULL && strcmp(value, "yes") != 0) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%s takes no value, found \"%.40s\"", name, value);
  }
  if (is_switch(row)) {
    *(bool *)field_in(options, row) = row->kind == CARDAN__ON;
    return CARDAN_OK;
  }
  if (value == NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0}, "%s needs a value", name);
  }
  return row->kind == CARDAN__WORD   ? set_word(options, row, value, report)
         : row->kind == CARDAN__TEXT ? set_text(options, row, value, report)
                                     : set_number(options, row, value, report);
}

/* ---- what a method has ---- */

const cardan__method *cardan__method_of(const cardan_options *options)
{
  return options->method != NULL ? cardan__method_find(options->method) : cardan__method_at(0);
}

void cardan__option_counts(const cardan__method *method, const cardan_options *options, int index,
                           char *value, size_t size)
{
  const cardan__option *row = cardan__option_find(method, cardan_option_name(index));
  const char *word = NULL;
  if (row != NULL && row->kind == CARDAN__WORD && word_in(options, row) == NULL) {
    word = is_named(row, "method") ? cardan_method_name(0) : cardan__option_row_word(row, options);
  }
  if (word != NULL) {
    snprintf(value, size, "%s", word);
  } else {
    cardan__option_stored(options, index, value, size);
  }
}

void cardan__option_shown(const cardan__method *method, const cardan_options *options, int index,
                          char *value, size_t size)
{
  const cardan__option *row = cardan__option_find(method, cardan_option_name(index));
  if (row == NULL) {
    cardan_option_value(options, index, value, size);
  } else if (is_switch(row)) {
    snprintf(value, size, "%s", is_set(options, row) ? "yes" : "no");
  } else if (!is_set(options, row) && row->unset != NULL) {
    snprintf(value, size, "%s", row->unset);
  } else {
    cardan__option_counts(method, options, index, value, size);
  }
}

void cardan__option_quoted(const cardan__method *method, const cardan_options *options, int index,
                           char *value, size_t size)
{
  const cardan__option *row = cardan__option_find(method, cardan_option_name(index));
  char text[CARDAN_OPTION_TEXT + 64];
  cardan__option_counts(method, options, index, text, sizeof text);
  const bool given = text[0] != '\0' && (row == NULL || row->kind == CARDAN__WORD ||
                                         is_set(options, row) || row->unset == NULL);
  snprintf(value, size, given ? "\"%s\"" : "not given", text);
}

static cardan_status lacks_option(cardan_report *report, const cardan__method *method,
                                  const char *name)
{
  char has[LIST_SIZE] = "", others[LIST_SIZE];
  const row_list own = rows_of(method);
  for (int i = NCOMMON; i < own.n; i++) {
    if (own.row[i]->idle == NULL) {
      append(has, sizeof has, own.row[i]->name);
    }
  }
  methods_with(name, NULL, others);
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "method %s has no option %s, which is for %s; it has %s", method->name, name,
                     others, has);
}

static cardan_status lacks_word(cardan_report *report, const cardan__method *method,
                                const cardan__option *row, const char *value)
{
  char has[LIST_SIZE] = "", others[LIST_SIZE];
  const char *word;
  for (int k = 0; (word = cardan__option_word_at(row, k)) != NULL; k++) {
    append(has, sizeof has, word);
  }
  methods_with(row->name, value, others);
  const char *quote =
      row->kind == CARDAN__WORD && others[0] == '\0' ? "\"" : ""; // no method has this word
  return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                     "%s is %s%.40s%s%s%s; method %s has %s", row->name, quote, value, quote,
                     others[0] != '\0' ? ", which is for " : "", others, method->name, has);
}

/* One row of the method, whose field is set. */
static cardan_status check_row(const cardan_options *options, const cardan__method *method,
                               const cardan__option *row, cardan_report *report)
{
  char value[64];
  value_text(options, row, value, sizeof value);
  if (cardan__option_word_at(row, 0) != NULL) {
    return cardan__option_index(row, value) >= 0 ? CARDAN_OK
                                                 : lacks_word(report, method, row, value);
  }
  const bool number = row->kind == CARDAN__NUMBER || row->kind == CARDAN__COUNT;
  const double x = number ? number_in(options, row) : 0;
  return !number || is_within(row, x) ? CARDAN_OK : out_of_bounds(report, row, x);
}

cardan_status cardan_options_check(const cardan_options *options, cardan_report *report)
{
  const row_list all = rows_of(NULL);
  const cardan__method *method = cardan__method_of(options);
  cardan_status status = CARDAN_OK;
  if (method == NULL) { // a word that a program set by hand goes through the check of a user's
    cardan_options copy = *options;
    return cardan_options_set(&copy, "method", options->method, report);
  }
  for (int i = 0; i < all.n && status == CARDAN_OK; i++) {
    const cardan__option *row = all.row[i];
    if (find_from(&all, 0, row->name) != row || !is_set(options, row)) {
      continue;
    }
    const cardan__option *own = cardan__option_find(method, row->name);
    status = own != NULL ? check_row(options, method, own, report)
                         : lacks_option(report, method, row->name);
  }
  return status;
}

/* Is the option one of adaptive integrators, or of implicit ones with fixed steps, and the
 * integrator none of them? why: a clause */
static bool is_of_other_integrators(const cardan_options *options, const cardan__option *row,
                                    char *why, size_t size)
{
  const cardan__method *method = cardan__method_of(options);
  if (method == NULL || cardan__option_own(method, row->name) == NULL ||
      cardan__option_own(method, "integrator") == NULL ||
      (options->integrator != NULL &&
       cardan__option_index(cardan__option_own(method, "integrator"), options->integrator) < 0)) {
    return false;
  }
  const int k = cardan__option_choice(method, "integrator", options);
  const bool adaptive =
      is_named(row, "rtol") || is_named(row, "atol") || is_named(row, "error-control");
  const bool implicit = is_named(row, "tol") || is_named(row, "max-iter");
  if (adaptive && !cardan_integrator_adaptive(k)) {
    snprintf(why, size, "integrator %s takes steps of dt, and has no tolerance of their errors",
             cardan_integrator_name(k));
    return true;
  }
  if (implicit && !cardan__integrator_iterates(k)) {
    snprintf(why, size, "it is for integrators trapezoid, midpoint and gauss4, and this is %s",
             cardan_integrator_name(k));
    return true;
  }
  return false;
}

bool cardan_options_notice(const cardan_options *options, int index, char *text, size_t size)
{
  const row_list all = rows_of(NULL);
  for (int i = 0; i < all.n; i++) {
    const cardan__option *row = all.row[i];
    char why[160];
    if (find_from(&all, 0, row->name) != row || !is_set(options, row)) {
      continue;
    }
    const bool idle = row->idle != NULL || is_of_other_integrators(options, row, why, sizeof why);
    if (idle && index-- == 0) {
      snprintf(text, size, "option %s has no effect: %s", row->name,
               row->idle != NULL ? row->idle : why);
      return true;
    }
  }
  return false;
}

cardan_status cardan_method_has_option(const char *method, const char *name, cardan_report *report)
{
  const row_list all = rows_of(NULL);
  const cardan__method *m = method != NULL ? cardan__method_find(method) : cardan__method_at(0);
  if (m == NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "there is no method \"%.40s\"", method);
  }
  if (find_from(&all, 0, name) == NULL) {
    return unknown_option(report, &all, name);
  }
  return cardan__option_find(m, name) != NULL ? CARDAN_OK : lacks_option(report, m, name);
}

void cardan_options_drop_unused(cardan_options *options)
{
  const row_list all = rows_of(NULL);
  const cardan__method *method = cardan__method_of(options);
  for (int i = 0; i < all.n && method != NULL; i++) {
    const cardan__option *own = cardan__option_find(method, all.row[i]->name);
    if (own == NULL ||
        (is_set(options, own) && check_row(options, method, own, NULL) == CARDAN_ERR_UNSUPPORTED)) {
      reset(options, all.row[i]);
    }
  }
}

/* ---- for help, for saving ---- */

const char *cardan_option_name(int index)
{
  const row_list all = rows_of(NULL);
  const char *list[MOST_ROWS];
  return index >= 0 && index < names_of(&all, list) ? list[index] : NULL;
}

/* Is its initial value one that a user cannot set: 0 for "not given", where 0 is out of bounds? */
static bool has_no_initial(const cardan__option *row)
{
  const bool number = row->kind == CARDAN__NUMBER || row->kind == CARDAN__COUNT;
  return number && !is_within(row, row->initial);
}

void cardan_option_value(const cardan_options *options, int index, char *value, size_t size)
{
  const row_list all = rows_of(NULL);
  const cardan__option *row = find_from(&all, 0, cardan_option_name(index));
  if (has_no_initial(row) && !is_set(options, row)) {
    snprintf(value, size, "%s", "");
  } else {
    value_text(options, row, value, size);
  }
}

void cardan__option_stored(const cardan_options *options, int index, char *value, size_t size)
{
  const row_list all = rows_of(NULL);
  value_text(options, find_from(&all, 0, cardan_option_name(index)), value, size);
}

cardan_status cardan__option_set_stored(cardan_options *options, const char *name,
                                        const char *value, cardan_report *report)
{
  const row_list all = rows_of(NULL);
  const cardan__option *row = find_from(&all, 0, name);
  double x;
  if (row != NULL && has_no_initial(row) &&
      cardan__number_read(value, strlen(value), &x) == CARDAN__NUMBER_OK && x == row->initial) {
    reset(options, row);
    return CARDAN_OK;
  }
  return cardan_options_set(options, name, value, report);
}

/* What an option takes: "a|b|c", "X", "N", "NAME"; "" for a switch. */
static void takes_text(const cardan__option *row, char *text, size_t size)
{
  const char *word;
  snprintf(text, size, "%s",
           cardan__option_word_at(row, 0) != NULL ? ""
           : row->kind == CARDAN__NUMBER          ? "X"
           : row->kind == CARDAN__COUNT           ? "N"
           : row->kind == CARDAN__TEXT            ? "NAME"
                                                  : "");
  for (int k = 0; (word = cardan__option_word_at(row, k)) != NULL; k++) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", k > 0 ? "|" : "", word);
  }
}

static bool shares(const cardan__method *method, const cardan__option *row)
{
  const row_list own = rows_of(method);
  for (int i = 0; i < own.n; i++) {
    if (own.row[i] == row) {
      return true;
    }
  }
  return false;
}

/* The row of option `index` among those that have an effect; all->n: there is none. */
static int effective_row(const row_list *all, int index)
{
  int at = 0;
  while (at < all->n && (all->row[at]->idle != NULL || index-- > 0)) {
    at++;
  }
  return at;
}

bool cardan_option_at(int index, cardan_option_info *out)
{
  const row_list all = rows_of(NULL);
  const cardan_options defaults = cardan_options_defaults();
  const cardan__method *method;
  const int at = effective_row(&all, index);
  if (index < 0 || at >= all.n) {
    return false;
  }
  const cardan__option *row = all.row[at];
  *out = (cardan_option_info){.name = row->name, .help = row->help};
  takes_text(row, out->takes, sizeof out->takes);
  if (row->unset != NULL) {
    snprintf(out->initial, sizeof out->initial, "%s", row->unset);
  } else if (row->kind == CARDAN__WORD) {
    snprintf(out->initial, sizeof out->initial, "%s", cardan__option_word_at(row, 0));
  } else if (!is_switch(row)) {
    value_text(&defaults, row, out->initial, sizeof out->initial);
  }
  for (int i = 0; at >= NCOMMON && (method = cardan__method_at(i)) != NULL; i++) {
    if (shares(method, row)) {
      append(out->methods, sizeof out->methods, method->name);
    }
  }
  return true;
}

/* ---- (simulate ..) of a model ---- */

static cardan_status apply_all(cardan_options *options, const cardan_model *model,
                               cardan_report *report)
{
  cardan_report why = {.message = ""};
  for (int i = 0; i < model->ndefault; i++) {
    const cardan_default *d = &model->defaults[i];
    const char *value = d->value[0] != '\0' ? d->value : NULL;
    if (cardan_options_set(options, d->key, value, &why) != CARDAN_OK) {
      return cardan_fail(report, CARDAN_ERR_MODEL, d->pos, "(simulate ..): %s", why.message);
    }
  }
  return CARDAN_OK;
}

cardan_status cardan_options_apply_model(cardan_options *options, const cardan_model *model,
                                         cardan_options_scope scope, cardan_report *report)
{
  if (scope == CARDAN_OPTIONS_OF_ALL_METHODS) {
    return apply_all(options, model, report);
  }
  const char *chosen = options->method;
  cardan_report why = {.message = ""};
  options->method = NULL;
  if (apply_all(options, model, report) != CARDAN_OK) {
    return CARDAN_ERR_MODEL;
  }
  const cardan__method *own = cardan__method_of(options);
  options->method = chosen != NULL ? chosen : options->method;
  if (cardan__method_of(options) != own) {
    cardan_options_drop_unused(options);
    return CARDAN_OK;
  }
  for (int i = 0; i < model->ndefault; i++) {
    const cardan_default *d = &model->defaults[i];
    const cardan__option *row = cardan__option_find(own, d->key);
    const cardan_status status = row == NULL            ? lacks_option(&why, own, d->key)
                                 : is_set(options, row) ? check_row(options, own, row, &why)
                                                        : CARDAN_OK;
    if (status != CARDAN_OK) {
      return cardan_fail(report, CARDAN_ERR_MODEL, d->pos, "(simulate ..): %s", why.message);
    }
  }
  return CARDAN_OK;
}
