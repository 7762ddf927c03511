// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "sweep/plan_inside.h"

/* One more axis of the grid, in the plan with the names that go along it. */
static bool add_axis(cardan__plan_form *form, const cardan__plan_axis *axis,
                     const cardan__varied *names)
{
  cardan__plan_reader *reader = form->reader;
  cardan__plan *plan = reader->plan;
  if (reader->status != CARDAN_OK) {
    return false;
  }
  if (axis->n > CARDAN__PLAN_CASES / plan->points) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, form->list),
                             "with this axis the grid has more than 2^53 points; expected fewer");
  }
  if (cardan__grow(&plan->arena.alloc, (void **)&plan->axis, &plan->cap_axis, plan->naxis + 1,
                   sizeof *plan->axis) != CARDAN_OK) {
    return cardan__plan_memory(reader);
  }
  plan->points *= axis->n;
  plan->axis[plan->naxis++] = *axis;
  for (int k = 0; k < axis->nname; k++) {
    const cardan__plan_source source = {
        .way = CARDAN__PLAN_GRID, .axis = plan->naxis - 1, .column = k};
    if (!cardan__plan_add_random(reader, &names[k], &source)) {
      return false;
    }
  }
  return true;
}

static double *take_values(cardan__plan_reader *reader, int n, int nname)
{
  double *value =
      cardan__arena_take(&reader->plan->arena, (size_t)n * (size_t)nname, sizeof *value);
  if (value == NULL) {
    cardan__plan_memory(reader);
  }
  return value;
}

/* Siblings from a node on. */
static int count_from(const cardan__plan_reader *reader, int node)
{
  int n = 0;
  for (; node >= 0; node = reader->tree.nodes[node].next) {
    n++;
  }
  return n;
}

/* ---- one name ---- */

bool cardan__plan_grid(cardan__plan_form *form, const cardan__varied *to)
{
  const int n = count_from(form->reader, form->next);
  if (n == 0) {
    return cardan__plan_expected(form, "its values");
  }
  double *value = take_values(form->reader, n, 1);
  for (int i = 0; i < n && value != NULL; i++) {
    if (!cardan__plan_number(form, "a number", &value[i])) {
      return false;
    }
  }
  return add_axis(form, &(cardan__plan_axis){.n = n, .nname = 1, .value = value}, to);
}

bool cardan__plan_set(cardan__plan_form *form, const cardan__varied *to)
{
  double *value = take_values(form->reader, 1, 1);
  return value != NULL && cardan__plan_number(form, "its value, or how it gets one", value) &&
         cardan__plan_close(form) &&
         add_axis(form, &(cardan__plan_axis){.n = 1, .nname = 1, .value = value}, to);
}

/* (count N) within a form. */
static bool read_count(cardan__plan_form *form, int64_t *n)
{
  cardan__plan_reader *reader = form->reader;
  if (!cardan__sexpr_is_form(&reader->tree, form->next, "count")) {
    return cardan__plan_expected(form, "how many values");
  }
  cardan__plan_form inner = cardan__plan_open(reader, form->next, form->usage);
  cardan__plan_advance(form);
  return cardan__plan_whole(&inner, "how many values", 2, CARDAN__PLAN_CASES, n) &&
         cardan__plan_close(&inner);
}

bool cardan__plan_range(cardan__plan_form *form, const cardan__varied *to)
{
  cardan__plan_reader *reader = form->reader;
  cardan__plan_axis axis = {.nname = 1};
  const int first = form->next;
  if (!cardan__plan_number(form, "the beginning", &axis.a) ||
      !cardan__plan_number(form, "the end", &axis.b) || !read_count(form, &axis.n)) {
    return false;
  }
  if (cardan__sexpr_is(&reader->tree, form->next, "log")) {
    axis.log = true;
    cardan__plan_advance(form);
  }
  if (!cardan__plan_close(form)) {
    return false;
  }
  if (axis.a == axis.b || !(axis.b - axis.a > -1e308 && axis.b - axis.a < 1e308)) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, first),
                             "found ends %g and %g; expected two that differ, by less than 1e308",
                             axis.a, axis.b);
  }
  if (axis.log && !(axis.a > 0 && axis.b > 0)) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, first),
                             "found ends %g and %g; expected both above 0, with log", axis.a,
                             axis.b);
  }
  return add_axis(form, &axis, to);
}

/* ---- several names, and words ---- */

/* Rows of values, each with one cell for each of nname names. */
typedef struct {
  cardan__plan_form *form;
  int first;   // node of the first row
  int nrow;    //
  int nname;   //
  bool single; // a row is its cell, no list
} rows;

static int cell_of(const rows *r, int row, int k)
{
  return r->single ? row : cardan__sexpr_child(&r->form->reader->tree, row, k);
}

static int row_after(const rows *r, int row)
{
  return r->form->reader->tree.nodes[row].next;
}

/* Index of a word in a list, to which it is added. */
static bool intern(cardan__plan_reader *reader, int node, const char **words, int *n, double *index)
{
  const char *text = cardan__sexpr_text(&reader->tree, node);
  int i = 0;
  while (i < *n && strcmp(words[i], text) != 0) {
    i++;
  }
  *index = i;
  if (i < *n) {
    return true;
  }
  if (i == CARDAN__PLAN_WORDS) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, node),
                             "found more than %d different words; expected fewer",
                             CARDAN__PLAN_WORDS);
  }
  return cardan__plan_text_at(reader, node, &words[(*n)++]);
}

/* Column k as words; numbers among them count as they are written. */
static bool read_words(const rows *r, int k, cardan__varied *to, double *value)
{
  cardan__plan_reader *reader = r->form->reader;
  const char **words = cardan__arena_take(&reader->plan->arena, CARDAN__PLAN_WORDS, sizeof *words);
  if (words == NULL) {
    return cardan__plan_memory(reader);
  }
  to->word = words;
  int row = r->first;
  for (int i = 0; i < r->nrow; i++, row = row_after(r, row)) {
    const int cell = cell_of(r, row, k);
    if (cardan__plan_is(reader, cell, CARDAN__SEXPR_LIST)) {
      char found[CARDAN__DESCRIBE_SIZE];
      return cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, cell),
                               "found %s among words; expected a word, as in %s",
                               cardan__sexpr_describe(&reader->tree, cell, found), r->form->usage);
    }
    if (!intern(reader, cell, words, &to->nword, &value[i * r->nname + k])) {
      return false;
    }
  }
  return true;
}

/* Are the values of column k of an option words? */
static bool has_words(const rows *r, int k)
{
  int row = r->first;
  for (int i = 0; i < r->nrow; i++, row = row_after(r, row)) {
    const int cell = cell_of(r, row, k);
    if (cardan__plan_is(r->form->reader, cell, CARDAN__SEXPR_SYMBOL) ||
        cardan__plan_is(r->form->reader, cell, CARDAN__SEXPR_STRING)) {
      return true;
    }
  }
  return false;
}

static bool read_numbers(const rows *r, int k, double *value)
{
  cardan__plan_reader *reader = r->form->reader;
  int row = r->first;
  for (int i = 0; i < r->nrow; i++, row = row_after(r, row)) {
    cardan__plan_form at = {reader, row, cell_of(r, row, k), r->form->usage};
    if (!cardan__plan_number(&at, "a number", &value[i * r->nname + k])) {
      return false;
    }
  }
  return true;
}

static bool check_rows(const rows *r)
{
  cardan__plan_reader *reader = r->form->reader;
  int row = r->first;
  for (int i = 0; i < r->nrow && !r->single; i++, row = row_after(r, row)) {
    const bool list = cardan__plan_is(reader, row, CARDAN__SEXPR_LIST);
    if (!list || reader->tree.nodes[row].count != r->nname) {
      char found[CARDAN__DESCRIBE_SIZE];
      return cardan__plan_fail(reader, CARDAN_ERR_SYNTAX, cardan__plan_pos(reader, row),
                               "found %s with %d values; expected a list of %d, as in %s",
                               cardan__sexpr_describe(&reader->tree, row, found),
                               list ? reader->tree.nodes[row].count : 1, r->nname, r->form->usage);
    }
  }
  return true;
}

/* The rows from the form's next argument on as one axis. */
static bool add_rows(cardan__plan_form *form, cardan__varied *names, int nname, bool single)
{
  cardan__plan_reader *reader = form->reader;
  const rows r = {form, form->next, count_from(reader, form->next), nname, single};
  if (r.nrow == 0) {
    return cardan__plan_expected(form, "its values");
  }
  if (!check_rows(&r)) {
    return false;
  }
  double *value = take_values(reader, r.nrow, nname);
  bool good = value != NULL;
  for (int k = 0; k < nname && good; k++) {
    good = names[k].kind == CARDAN__VARIED_OPTION && has_words(&r, k)
               ? read_words(&r, k, &names[k], value)
               : read_numbers(&r, k, value);
  }
  return good &&
         add_axis(form, &(cardan__plan_axis){.n = r.nrow, .nname = nname, .value = value}, names);
}

bool cardan__plan_choice(cardan__plan_form *form, const cardan__varied *to)
{
  cardan__varied copy = *to;
  const int n = count_from(form->reader, form->next), first = form->next;
  if (!add_rows(form, &copy, 1, true)) {
    return false;
  }
  if (copy.nword > 0 && copy.nword < n) {
    return cardan__plan_fail(form->reader, CARDAN_ERR_ARGUMENT,
                             cardan__plan_pos(form->reader, first),
                             "found a word twice; expected each once");
  }
  return true;
}

bool cardan__plan_list(cardan__plan_form *form)
{
  cardan__plan_reader *reader = form->reader;
  const int names = form->next;
  const bool single = !cardan__plan_is(reader, names, CARDAN__SEXPR_LIST) ||
                      cardan__sexpr_is_form(&reader->tree, names, "option");
  if (names < 0 || cardan__plan_is(reader, names, CARDAN__SEXPR_NUMBER)) {
    return cardan__plan_expected(form, "a name, or a list of names");
  }
  const int n = single ? 1 : reader->tree.nodes[names].count;
  if (n == 0 || n > CARDAN__PLAN_VARIED) {
    return cardan__plan_fail(reader, CARDAN_ERR_ARGUMENT, cardan__plan_pos(reader, names),
                             "found %d names; expected 1 to %d", n, CARDAN__PLAN_VARIED);
  }
  cardan__varied *to = cardan__arena_take(&reader->plan->arena, (size_t)n, sizeof *to);
  if (to == NULL) {
    return cardan__plan_memory(reader);
  }
  int node = single ? names : cardan__sexpr_first(&reader->tree, names);
  for (int k = 0; k < n; k++, node = reader->tree.nodes[node].next) {
    if (!cardan__plan_target(reader, node, &to[k])) {
      return false;
    }
  }
  cardan__plan_advance(form);
  return add_rows(form, to, n, single);
}
