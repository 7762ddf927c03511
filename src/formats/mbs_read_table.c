// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "expr/lookup_table.h"
#include "formats/csv_read.h"
#include "formats/mbs_read.h"

/* The points of (table "data.csv" x): two columns of a CSV text, x the first of its columns and
 * increasing, y the one that is requested. A header is there where the first field is NaN;
 * empty lines and those that start with # do not count. A column that is requested again is not
 * read again. */

struct cardan__mbs_table {
  const char *file, *column; // column NULL: by number
  int number;                // of the column, from 1; 0: the only one beside x
  const double *x, *y;
  int n;
  cardan__mbs_table *before;
};

typedef struct {
  cardan__csv csv;
  int nfield; // of each line
  int column; // of y, from 0
} points;

static bool is_comment(const cardan__csv *csv)
{
  return csv->text < csv->end && *csv->text == '#';
}

/* Passes over lines that do not count; false at the end of the text. */
static bool to_line(cardan__csv *csv)
{
  while (csv->text < csv->end && (cardan__csv_line_end(csv) || is_comment(csv))) {
    while (!cardan__csv_line_end(csv)) {
      cardan__csv_pass(csv, 1);
    }
    cardan__csv_next_line(csv);
  }
  return csv->text < csv->end;
}

/* The fields of the first line, which are names or numbers; *found: that of the wanted name. */
static cardan_status read_header(points *p, const char *name, bool *header, int *found)
{
  cardan__csv at = p->csv;
  cardan__csv_part part;
  cardan_report none = {0};
  double value;
  cardan__csv probe = at;
  probe.report = &none;
  *header = cardan__csv_number(&probe, &value) != CARDAN_OK;
  *found = -1;
  for (p->nfield = 0;; p->nfield++) {
    cardan__csv_pass(&at, p->nfield > 0);
    const cardan_status status = cardan__csv_take(&at, &part);
    if (status != CARDAN_OK) {
      return status;
    }
    if (name && *header && part.length == strlen(name) &&
        memcmp(part.text, name, part.length) == 0) {
      if (*found >= 0) {
        return cardan_fail(at.report, CARDAN_ERR_MODEL, part.pos,
                           "found a second column \"%s\"; expected one of this name, or its number",
                           cardan__show(name).text);
      }
      *found = p->nfield;
    }
    if (cardan__csv_line_end(&at)) {
      p->nfield++;
      break;
    }
  }
  if (*header) {
    p->csv = at;
    cardan__csv_next_line(&p->csv);
  }
  return CARDAN_OK;
}

/* Which column is y? */
static cardan_status find_column(points *p, const cardan__mbs_table *want)
{
  bool header;
  int found;
  const cardan_pos top = p->csv.pos;
  const cardan_status status = read_header(p, want->column, &header, &found);
  if (status != CARDAN_OK) {
    return status;
  }
  if (want->column && found < 0) {
    return cardan_fail(p->csv.report, CARDAN_ERR_MODEL, top,
                       "found no column \"%s\" in the first line; expected one of this name%s",
                       cardan__show(want->column).text,
                       header ? "" : ": the first line has numbers, so that columns have no names");
  }
  if (want->number > p->nfield || p->nfield < 2) {
    return cardan_fail(p->csv.report, CARDAN_ERR_MODEL, top, "found %d column%s; expected %d",
                       p->nfield, p->nfield == 1 ? "" : "s", want->number > 2 ? want->number : 2);
  }
  if (!want->column && want->number == 0 && p->nfield > 2) {
    return cardan_fail(p->csv.report, CARDAN_ERR_MODEL, top,
                       "found %d columns; expected two, or (column \"name\") or (column 3) in the "
                       "table to say which one counts",
                       p->nfield);
  }
  p->column = want->column ? found : want->number > 0 ? want->number - 1 : 1;
  return CARDAN_OK;
}

static cardan_status read_row(points *p, double *x, double *y, const double *before)
{
  const cardan_pos start = p->csv.pos;
  double value;
  for (int k = 0; k < p->nfield; k++) {
    const cardan_status status = cardan__csv_next(&p->csv, k, p->nfield, &value);
    if (status != CARDAN_OK) {
      return status;
    }
    *x = k == 0 ? value : *x;
    *y = k == p->column ? value : *y;
  }
  if (before && *x <= *before) {
    return cardan_fail(p->csv.report, CARDAN_ERR_MODEL, start,
                       "found %g after %g in the first column; expected it to increase", *x,
                       *before);
  }
  return cardan__csv_row_end(&p->csv, p->nfield);
}

/* All rows to the arena. */
static cardan_status read_rows(cardan_spec *spec, points *p, cardan__mbs_table *table)
{
  const size_t most = cardan__csv_lines(&p->csv);
  double *x = most <= CARDAN__TABLE_MOST
                  ? cardan__arena_take(&spec->arena, 2 * most, sizeof(double))
                  : NULL;
  double *y = x ? x + most : NULL;
  int n = 0;
  if (most > CARDAN__TABLE_MOST) {
    return cardan_fail(p->csv.report, CARDAN_ERR_MODEL, p->csv.pos,
                       "found %zu lines; expected at most %d", most, CARDAN__TABLE_MOST);
  }
  if (!x) {
    return CARDAN_ERR_MEMORY;
  }
  for (; to_line(&p->csv); n++) {
    const cardan_status status = read_row(p, &x[n], &y[n], n > 0 ? &x[n - 1] : NULL);
    if (status != CARDAN_OK) {
      return status;
    }
    cardan__csv_next_line(&p->csv);
  }
  *table = (cardan__mbs_table){table->file, table->column, table->number, x, y, n, table->before};
  return n >= 2 ? CARDAN_OK
                : cardan_fail(p->csv.report, CARDAN_ERR_MODEL, p->csv.pos,
                              "found %d row(s) of numbers; expected at least two", n);
}

static bool read_file(cardan__mbs *reader, cardan_pos pos, cardan__mbs_table *table)
{
  cardan_spec *spec = reader->spec;
  cardan_report report = {0};
  char *data;
  size_t size;
  cardan_spec_at(spec, pos);
  if (!cardan__spec_open(spec, table->file, &data, &size)) {
    return false;
  }
  points p = {.csv = cardan__csv_begin(data, size, &report)};
  cardan_status status = CARDAN_OK;
  if (!to_line(&p.csv)) {
    status = cardan_fail(&report, CARDAN_ERR_MODEL, p.csv.pos, "found no rows; expected numbers");
  }
  if (status == CARDAN_OK) {
    status = find_column(&p, table);
  }
  if (status == CARDAN_OK) {
    status = read_rows(spec, &p, table);
  }
  cardan__spec_close(spec, data);
  if (status == CARDAN_ERR_MEMORY) {
    return cardan__spec_memory(spec, status);
  }
  if (status != CARDAN_OK) {
    cardan__spec_fail_at(spec, status, report.pos, "%s", report.message);
    cardan__report_file(&spec->report, table->file);
  }
  return status == CARDAN_OK;
}

static bool same_column(const cardan__mbs_table *a, const cardan__mbs_table *b)
{
  return a->number == b->number && strcmp(a->file, b->file) == 0 && !a->column == !b->column &&
         (!a->column || strcmp(a->column, b->column) == 0);
}

/* What (column ..) says, to want; node -1: there is none. */
static bool read_column(cardan__mbs *reader, int node, cardan__mbs_table *want)
{
  if (node >= 0 && cardan__mbs_is_string(reader, node)) {
    want->column = cardan__mbs_repeat_string(reader, node);
    return want->column != NULL;
  }
  const double number = node >= 0 ? reader->tree.nodes[node].number : 0.0;
  if (node >= 0 && !(number >= 2.0 && number <= 1e6 && number == floor(number))) {
    return cardan__mbs_fail(reader, node,
                            "found column %g; expected the number of a column, from 2: the first "
                            "is x",
                            number);
  }
  want->number = (int)number;
  return true;
}

/* A table that is not there yet, kept with copies of its names. */
static cardan__mbs_table *add_table(cardan__mbs *reader, cardan_pos pos, cardan__mbs_table *want)
{
  cardan__arena *arena = &reader->spec->arena;
  const char *column = want->column;
  want->file = cardan__arena_text(arena, want->file, strlen(want->file));
  want->column = column ? cardan__arena_text(arena, column, strlen(column)) : NULL;
  cardan__mbs_table *table = cardan__arena_take(arena, 1, sizeof *table);
  if (!cardan__spec_memory(reader->spec, table && want->file && (!column || want->column)
                                             ? CARDAN_OK
                                             : CARDAN_ERR_MEMORY)) {
    return NULL;
  }
  want->before = reader->table;
  *table = *want;
  if (!read_file(reader, pos, table)) {
    return NULL;
  }
  reader->table = table;
  return table;
}

cardan_status cardan__mbs_table_points(void *context, int file, int column, const double **x,
                                       const double **y, int *n)
{
  cardan__mbs *reader = context;
  cardan__mbs_table want = {.file = cardan__mbs_repeat_string(reader, file)};
  if (!want.file || !read_column(reader, column, &want)) {
    return CARDAN_ERR_MODEL;
  }
  cardan__mbs_table *table = reader->table;
  while (table && !same_column(table, &want)) {
    table = table->before;
  }
  table = table ? table : add_table(reader, cardan__mbs_pos(reader, file), &want);
  if (!table) {
    return reader->spec->status;
  }
  reader->table_rows += table->n;
  if (reader->table_rows > CARDAN__TABLE_MOST) {
    cardan__mbs_fail(reader, file,
                     "found tables of more than %d rows in all, each counted wherever it stands; "
                     "expected fewer",
                     CARDAN__TABLE_MOST);
    return CARDAN_ERR_MODEL;
  }
  *x = table->x;
  *y = table->y;
  *n = table->n;
  return CARDAN_OK;
}
