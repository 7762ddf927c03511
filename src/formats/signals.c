// SPDX-License-Identifier: Apache-2.0
#include "cardan/signals.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "expr/number.h"

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
  const char *text, *end; // what is left
  cardan_pos pos;         // where that stands
  cardan_report *report;
  int nfield; // of the header
  int time;   // field with t
  int *field; // nfield: input, -1: t
} reader;

/* ---- fields ---- */

static cardan_status wrong(const reader *r, const char *what, const char *field, size_t length,
                           const char *expected)
{
  return cardan_fail(r->report, CARDAN_ERR_SYNTAX, r->pos, "found %s%s%.*s%s; expected %s", what,
                     field ? " \"" : "", (int)(length < 60 ? length : 60), field ? field : "",
                     field ? "\"" : "", expected);
}

static bool at_line_end(const reader *r)
{
  return r->text == r->end || *r->text == '\n' ||
         (*r->text == '\r' && (r->text + 1 == r->end || r->text[1] == '\n'));
}

/* Passes over the line's end; false when the text ends there. */
static bool next_line(reader *r)
{
  r->text += r->text < r->end && *r->text == '\r';
  r->text += r->text < r->end && *r->text == '\n';
  r->pos = (cardan_pos){r->pos.line + 1, 1};
  return r->text < r->end;
}

static void pass(reader *r, size_t n)
{
  r->text += n;
  r->pos.column += (int)n;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t';
}

/* A field without the blanks around it. */
typedef struct {
  const char *text;
  size_t length;
  cardan_pos pos;
} field;

/* The field there; the reader goes behind it, to a comma or the line's end. A quoted one is given
 * as it stands between its quotes. */
static cardan_status take_field(reader *r, field *out)
{
  while (!at_line_end(r) && is_blank(*r->text)) {
    pass(r, 1);
  }
  *out = (field){.text = r->text, .pos = r->pos};
  const char quote = r->text < r->end && *r->text == '"' ? '"' : ',';
  if (quote == '"') {
    pass(r, 1);
    out->text = r->text;
  }
  while (!at_line_end(r) && *r->text != quote) {
    pass(r, 1);
  }
  out->length = (size_t)(r->text - out->text);
  if (quote == ',') {
    while (out->length > 0 && is_blank(out->text[out->length - 1])) {
      out->length--;
    }
    return CARDAN_OK;
  }
  if (at_line_end(r)) {
    return wrong(r, "the end of the line in a name", NULL, 0, "a closing quote");
  }
  pass(r, 1);
  while (!at_line_end(r) && is_blank(*r->text)) {
    pass(r, 1);
  }
  return at_line_end(r) || *r->text == ','
             ? CARDAN_OK
             : wrong(r, "more after a closing quote", NULL, 0, "a comma or the end of the line");
}

/* ---- the header ---- */

/* The input that a column is of: u.NAME, or NAME itself; -1: none. */
static int find_input(const cardan_model *model, const char *name)
{
  const int dotted = strncmp(name, "u.", 2) == 0 ? cardan_model_input(model, name + 2) : -1;
  return dotted >= 0 ? dotted : cardan_model_input(model, name);
}

static cardan_status no_such_input(const reader *r, const cardan_model *model, const field *f)
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
      r->report, CARDAN_ERR_MODEL, f->pos,
      "found a column \"%.*s\"; expected t, or u.NAME for an input of this model%s%s%s",
      (int)(f->length < 60 ? f->length : 60), f->text, near ? "; did you mean u." : "",
      near ? near : "", near ? "?" : "");
}

/* What the column is, to *to: an input, or -1 for t. */
static cardan_status read_name(reader *r, const cardan_model *model, const field *f, int *to)
{
  char name[NAME_SIZE];
  r->pos = f->pos;
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
  for (int i = 0; i < r->nfield; i++) {
    if (r->field[i] == *to) {
      return wrong(r, "a second column", f->text, f->length, "one for each input, and one t");
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
    field f;
    cardan_status status = take_field(r, &f);
    const cardan_pos behind = r->pos;
    if (status == CARDAN_OK) {
      status = read_name(r, model, &f, &r->field[r->nfield]);
    }
    if (status != CARDAN_OK) {
      return status;
    }
    r->nfield++;
    r->pos = behind;
    if (at_line_end(r)) {
      break;
    }
    pass(r, 1);
  }
  r->pos = (cardan_pos){1, 1};
  if (r->time < 0) {
    return wrong(r, "no column t", NULL, 0, "the time of each row in a column t");
  }
  return r->nfield > 1 ? CARDAN_OK
                       : wrong(r, "no column but t", NULL, 0, "a column u.NAME for an input");
}

/* ---- rows ---- */

static cardan_status read_number(reader *r, double *value)
{
  field f;
  const cardan_status status = take_field(r, &f);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_pos behind = r->pos;
  const cardan__number_result result = cardan__number_read(f.text, f.length, value);
  r->pos = f.pos;
  if (f.length == 0) {
    return wrong(r, "an empty field", NULL, 0, "a number");
  }
  if (result != CARDAN__NUMBER_OK) {
    const bool large = result == CARDAN__NUMBER_OVERFLOW;
    return wrong(r, large ? "the number" : "the field", f.text, f.length,
                 large ? "a finite one" : "a number");
  }
  r->pos = behind;
  return CARDAN_OK;
}

static cardan_status read_row(reader *r, cardan_signals *s)
{
  const int64_t row = s->nrow;
  for (int k = 0, c = 0; k < r->nfield; k++) {
    const cardan_pos at = r->pos;
    double x = 0;
    if (k > 0 && at_line_end(r)) {
      return cardan_fail(r->report, CARDAN_ERR_SYNTAX, r->pos,
                         "found %d fields; expected %d, as the header has", k, r->nfield);
    }
    pass(r, k > 0);
    const cardan_status status = read_number(r, &x);
    if (status != CARDAN_OK) {
      return status;
    }
    if (k == r->time && row > 0 && !(x > s->t[row - 1])) {
      return cardan_fail(r->report, CARDAN_ERR_SYNTAX, (cardan_pos){at.line, at.column + (k > 0)},
                         "found t = %.17g after %.17g; expected times that increase", x,
                         s->t[row - 1]);
    }
    *(k == r->time ? &s->t[row] : &s->value[row * s->ncolumn + c++]) = x;
  }
  if (!at_line_end(r)) {
    return cardan_fail(r->report, CARDAN_ERR_SYNTAX, r->pos,
                       "found more than %d fields; expected as many as the header has", r->nfield);
  }
  s->nrow++;
  return CARDAN_OK;
}

/* Lines from here on: no more rows than that. */
static size_t count_lines(const reader *r)
{
  size_t n = 1;
  for (const char *c = r->text; c < r->end; c++) {
    n += *c == '\n';
  }
  return n;
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
  if (r->text == r->end) {
    return wrong(r, "nothing", NULL, 0, "a header line with t and names of inputs");
  }
  cardan_status status = read_header(r, s->model);
  if (status != CARDAN_OK) {
    return status;
  }
  if (!take_memory(s, r, count_lines(r))) {
    return cardan_fail(r->report, CARDAN_ERR_MEMORY, (cardan_pos){0}, "out of memory");
  }
  while (status == CARDAN_OK && next_line(r)) {
    if (!at_line_end(r)) { // an empty line says nothing
      status = read_row(r, s);
    }
  }
  if (status == CARDAN_OK && s->nrow == 0) {
    return wrong(r, "no rows", NULL, 0, "at least one below the header");
  }
  return status;
}

cardan_status cardan_signals_read(const cardan_model *model, const char *text, size_t length,
                                  const char *file, bool linear, const cardan_allocator *allocator,
                                  cardan_signals **out, cardan_report *report)
{
  static const char mark[] = "\xEF\xBB\xBF";
  reader r = {.text = text, .end = text + length, .pos = {1, 1}, .report = report};
  r.text += length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  *out = NULL;
  cardan__report_file(report, file ? file : "");
  if (model->ninput == 0) {
    return cardan_fail(
        report, CARDAN_ERR_MODEL, (cardan_pos){0},
        "found a table of inputs for a model without any; expected (input ..) in it");
  }
  cardan_signals *s = cardan__resize(allocator, NULL, sizeof *s);
  // t, all inputs, and one that cannot be
  r.field = cardan__resize(allocator, NULL, ((size_t)model->ninput + 2) * sizeof *r.field);
  cardan_status status = CARDAN_ERR_MEMORY;
  if (s == NULL || r.field == NULL) {
    cardan_fail(report, status, (cardan_pos){0}, "out of memory");
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
