// SPDX-License-Identifier: Apache-2.0
#include "cardan/signals.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "formats/csv_read.h"
#include "formats/signals_line.h"

/* Tables of inputs: CSV in, means over steps out. One pass counts the lines, one reads them. */

enum { NAME_SIZE = 256 };

struct cardan_signals {
  const cardan_model *model;
  bool linear;
  int ncolumn; // of inputs
  int *input;  // ncolumn: which input
  int64_t nrow;
  double *t;     // nrow
  double *value; // nrow x ncolumn
  cardan_allocator allocator;
  void *block;
};

typedef struct {
  cardan__csv csv;
  int nfield; // of the header
  int time;   // field with t
  int *field; // nfield: input, -1: t
} reader;

/* ---- the header ---- */

/* The input that a column is of: u.NAME, or NAME itself; -1: none. */
static int find_input(const cardan_model *model, const char *name)
{
  const int dotted = strncmp(name, "u.", 2) == 0 ? cardan_model_input(model, name + 2) : -1;
  return dotted >= 0 ? dotted : cardan_model_input(model, name);
}

static cardan_status no_such_input(const reader *r, const cardan_model *model,
                                   const cardan__csv_part *f)
{
  const char *near = NULL;
  char name[NAME_SIZE];
  const bool dotted = f->length > 2 && strncmp(f->text, "u.", 2) == 0;
  const size_t skip = dotted ? 2 : 0, length = f->length - skip;
  memcpy(name, f->text + skip, length < NAME_SIZE ? length : 0);
  name[length < NAME_SIZE ? length : 0] = '\0';
  for (int i = 0; i < model->ninput; i++) {
    const char *pair[2] = {near ? near : model->input[i].name, model->input[i].name};
    near = cardan__nearest(name, pair, 2);
  }
  return cardan_fail(
      r->csv.report, CARDAN_ERR_MODEL, f->pos,
      "found a column \"%.*s\"; expected t, or u.NAME for an input of this model%s%s%s",
      (int)(f->length < 60 ? f->length : 60), f->text, near ? "; did you mean u." : "",
      near ? near : "", near ? "?" : "");
}

/* What the column is, to *to: an input, or -1 for t. */
static cardan_status read_name(reader *r, const cardan_model *model, const cardan__csv_part *f,
                               int *to)
{
  char name[NAME_SIZE];
  r->csv.pos = f->pos;
  if (f->length >= NAME_SIZE) {
    return no_such_input(r, model, f);
  }
  memcpy(name, f->text, f->length);
  name[f->length] = '\0';
  const bool is_time = strcmp(name, "t") == 0;
  *to = is_time ? -1 : find_input(model, name);
  if (!is_time && *to < 0) {
    return no_such_input(r, model, f);
  }
  if (!is_time && cardan_model_controller(model, *to) >= 0) {
    return cardan_fail(r->csv.report, CARDAN_ERR_MODEL, f->pos,
                       "found a column \"%.60s\", an input that the controller in line %d of the "
                       "model sets; expected inputs without one",
                       name, model->controller[cardan_model_controller(model, *to)].pos.line);
  }
  for (int i = 0; i < r->nfield; i++) {
    if (r->field[i] == *to) {
      return cardan__csv_wrong(&r->csv, "a second column", f, "one for each input, and one t");
    }
  }
  r->time = is_time ? r->nfield : r->time;
  return CARDAN_OK;
}

static cardan_status read_header(reader *r, const cardan_model *model)
{
  r->time = -1;
  r->nfield = 0;
  for (;;) {
    cardan__csv_part f;
    cardan_status status = cardan__csv_take(&r->csv, &f);
    const cardan_pos behind = r->csv.pos;
    if (status == CARDAN_OK) {
      status = read_name(r, model, &f, &r->field[r->nfield]);
    }
    if (status != CARDAN_OK) {
      return status;
    }
    r->nfield++;
    r->csv.pos = behind;
    if (cardan__csv_line_end(&r->csv)) {
      break;
    }
    cardan__csv_pass(&r->csv, 1);
  }
  r->csv.pos = (cardan_pos){1, 1};
  if (r->time < 0) {
    return cardan__csv_wrong(&r->csv, "no column t", NULL, "the time of each row in a column t");
  }
  return r->nfield > 1
             ? CARDAN_OK
             : cardan__csv_wrong(&r->csv, "no column but t", NULL, "a column u.NAME for an input");
}

/* ---- rows ---- */

static cardan_status read_row(reader *r, cardan_signals *s)
{
  const int64_t row = s->nrow;
  for (int k = 0, c = 0; k < r->nfield; k++) {
    const cardan_pos at = r->csv.pos;
    double x = 0;
    const cardan_status status = cardan__csv_next(&r->csv, k, r->nfield, &x);
    if (status != CARDAN_OK) {
      return status;
    }
    if (k == r->time && row > 0 && !(x > s->t[row - 1])) {
      return cardan_fail(
          r->csv.report, CARDAN_ERR_SYNTAX, (cardan_pos){at.line, at.column + (k > 0)},
          "found t = %.17g after %.17g; expected times that increase", x, s->t[row - 1]);
    }
    *(k == r->time ? &s->t[row] : &s->value[row * s->ncolumn + c++]) = x;
  }
  s->nrow++;
  return cardan__csv_row_end(&r->csv, r->nfield);
}

static bool take_memory(cardan_signals *s, const reader *r, size_t nrow)
{
  const size_t ncolumn = (size_t)r->nfield - 1, row = (ncolumn + 1) * sizeof(double);
  const size_t head = (ncolumn + 1) / 2 * 2 * sizeof(int);
  s->block = cardan__resize(&s->allocator, NULL, head + nrow * row);
  if (s->block == NULL) {
    return false;
  }
  s->input = s->block;
  s->t = (double *)(void *)((char *)s->block + head);
  s->value = s->t + nrow;
  for (int k = 0; k < r->nfield; k++) {
    if (k != r->time) {
      s->input[s->ncolumn++] = r->field[k];
    }
  }
  return true;
}

static cardan_status read_table(reader *r, cardan_signals *s)
{
  if (r->csv.text == r->csv.end) {
    return cardan__csv_wrong(&r->csv, "nothing", NULL, "a header line with t and names of inputs");
  }
  cardan_status status = read_header(r, s->model);
  if (status != CARDAN_OK) {
    return status;
  }
  if (!take_memory(s, r, cardan__csv_lines(&r->csv))) {
    return cardan__no_memory(r->csv.report);
  }
  while (status == CARDAN_OK && cardan__csv_next_line(&r->csv)) {
    if (!cardan__csv_line_end(&r->csv)) { // an empty line says nothing
      status = read_row(r, s);
    }
  }
  if (status == CARDAN_OK && s->nrow == 0) {
    return cardan__csv_wrong(&r->csv, "no rows", NULL, "at least one below the header");
  }
  return status;
}

cardan_status cardan_signals_read(const cardan_model *model, const char *text, size_t length,
                                  const char *file, bool linear, const cardan_allocator *allocator,
                                  cardan_signals **out, cardan_report *report)
{
  reader r = {.csv = cardan__csv_begin(text, length, report)};
  *out = NULL;
  cardan__report_file(report, file ? file : "");
  if (model->ninput == 0) {
    return cardan_fail(
        report, CARDAN_ERR_MODEL, (cardan_pos){0},
        "found a table of inputs for a model without any; expected (input ..) in it");
  }
  cardan_signals *s = cardan__zeros(allocator, sizeof *s);
  // t, all inputs, and one that cannot be
  r.field = cardan__resize(allocator, NULL, ((size_t)model->ninput + 2) * sizeof *r.field);
  cardan_status status = CARDAN_ERR_MEMORY;
  if (s == NULL || r.field == NULL) {
    cardan__no_memory(report);
  } else {
    *s = (cardan_signals){.model = model, .linear = linear};
    s->allocator = allocator ? *allocator : (cardan_allocator){0};
    status = read_table(&r, s);
  }
  cardan__resize(allocator, r.field, 0);
  if (status != CARDAN_OK) {
    cardan__resize(allocator, s ? s->block : NULL, 0);
    cardan__resize(allocator, s, 0);
    return status;
  }
  *out = s;
  return CARDAN_OK;
}

void cardan_signals_destroy(cardan_signals *signals)
{
  if (signals != NULL) {
    const cardan_allocator allocator = signals->allocator;
    cardan__resize(&allocator, signals->block, 0);
    cardan__resize(&allocator, signals, 0);
  }
}

double cardan_signals_begin(const cardan_signals *signals)
{
  return signals->t[0];
}

double cardan_signals_end(const cardan_signals *signals)
{
  return signals->t[signals->nrow - 1];
}

/* ---- means ---- */

/* The last row at or before t; -1: none. */
static int64_t row_at(const cardan_signals *s, double t)
{
  int64_t low = -1, high = s->nrow;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    *(s->t[middle] <= t ? &low : &high) = middle;
  }
  return low;
}

/* Mean of column c over a part a .. b of the span that row i begins. */
static double part_mean(const cardan_signals *s, int64_t i, int c, double a, double b)
{
  if (i < 0) {
    return s->model->input[s->input[c]].value;
  }
  const double x = s->value[i * s->ncolumn + c];
  if (!s->linear || i + 1 == s->nrow) {
    return x;
  }
  const double middle = a + 0.5 * (b - a), y = s->value[(i + 1) * s->ncolumn + c];
  return x + (y - x) * ((middle - s->t[i]) / (s->t[i + 1] - s->t[i]));
}

/* Times of rows and of steps that are meant to be the same differ by rounding: a row nearer to an
 * end of the step than NEAR of it counts as there. */
static const double NEAR = 1e-6;

void cardan_signals_mean(const cardan_signals *s, double t0, double t1, double *u)
{
  const double h = t1 - t0;
  const int64_t first = row_at(s, t0 + NEAR * h), last = row_at(s, t1 - NEAR * h);
  for (int c = 0; c < s->ncolumn; c++) {
    double sum = 0;
    for (int64_t i = first; i < last; i++) {
      const double a = i == first ? t0 : s->t[i], b = s->t[i + 1];
      sum += (b - a) / h * part_mean(s, i, c, a, b);
    }
    const double a = first == last ? t0 : s->t[last], end = part_mean(s, last, c, a, t1);
    u[s->input[c]] = first == last ? end : sum + (t1 - a) / h * end;
  }
}

bool cardan__signals_linear(const cardan_signals *signals)
{
  return signals->linear;
}

void cardan__signals_line(const void *table, double t, double near, double *u, double *rate,
                          double *t0, double *until)
{
  const cardan_signals *s = table;
  const int64_t i = row_at(s, t + near);
  *t0 = i >= 0 ? s->t[i] : s->t[0];
  *until = i + 1 < s->nrow ? s->t[i + 1] : HUGE_VAL;
  for (int c = 0; c < s->ncolumn; c++) {
    const int k = s->input[c];
    u[k] = i >= 0 ? s->value[i * s->ncolumn + c] : s->model->input[k].value;
    rate[k] = i >= 0 && i + 1 < s->nrow
                  ? (s->value[(i + 1) * s->ncolumn + c] - u[k]) / (s->t[i + 1] - s->t[i])
                  : 0;
  }
}
