// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "expr/number.h"

/* Tables under construction, and the numbers of an earlier result beside them. */

static const char *keep(cardan_bench_result *r, const char *text)
{
  const char *copy = cardan__arena_text(&r->figures.arena, text, strlen(text));
  r->figures.failed = r->figures.failed || copy == NULL;
  return copy != NULL ? copy : "";
}

cardan__bench_table *cardan__bench_table_new(cardan__bench *b, const char *name, const char *title,
                                             const char *words, const char *const *column,
                                             int ncolumn)
{
  cardan_bench_result *r = b->result;
  if (r->ntable == CARDAN__BENCH_TABLES) { // then there is no result, and the last one may go
    r->figures.failed = true;
    cardan__resize(&r->allocator, r->table[--r->ntable].row, 0);
  }
  cardan__bench_table *t = &r->table[r->ntable++];
  *t = (cardan__bench_table){.part = b->part,
                             .name = keep(r, name),
                             .title = keep(r, title),
                             .words = keep(r, words),
                             .ncolumn = ncolumn};
  for (int k = 0; k < ncolumn; k++) {
    t->column[k] = keep(r, column[k]);
  }
  return t;
}

int cardan__bench_row_of(cardan__bench *b, cardan__bench_table *t, const char *label,
                         const char *how)
{
  cardan_bench_result *r = b->result;
  for (int i = 0; i < t->nrow; i++) {
    if (strcmp(t->row[i].label, label) == 0) {
      return i;
    }
  }
  if (cardan__grow(&r->allocator, (void **)&t->row, &t->capacity, t->nrow + 1, sizeof *t->row) !=
      CARDAN_OK) {
    r->figures.failed = true;
    return 0;
  }
  cardan__bench_row *row = &t->row[t->nrow];
  row->label = keep(r, label);
  row->how = keep(r, how);
  t->told = t->told || how[0] != '\0';
  for (int k = 0; k < CARDAN__BENCH_COLUMNS; k++) {
    row->value[k] = row->before[k] = (double)NAN;
    row->note[k] = NULL;
  }
  for (int i = 0; i < r->nold; i++) {
    const cardan__bench_old *old = &r->old[i];
    for (int k = 0; k < t->ncolumn; k++) {
      if (strcmp(old->table, t->name) == 0 && strcmp(old->row, label) == 0 &&
          strcmp(old->column, t->column[k]) == 0) {
        row->before[k] = old->value;
      }
    }
  }
  return t->nrow++;
}

void cardan__bench_words(cardan__bench *b, cardan__bench_table *t, const char *words)
{
  t->words = keep(b->result, words);
}

void cardan__bench_set(cardan__bench *b, cardan__bench_table *t, int row, int column, double value,
                       const char *note)
{
  if (row < t->nrow && column < t->ncolumn) {
    t->row[row].value[column] = value;
    t->row[row].note[column] = note != NULL && note[0] != '\0' ? keep(b->result, note) : NULL;
  }
}

void cardan__bench_table_done(cardan__bench *b, const cardan__bench_table *t)
{
  if (b->options->table != NULL) {
    cardan__text text;
    cardan__text_init(&text, &b->result->allocator);
    cardan__bench_table_text(t, &text);
    if (!text.failed) {
      b->options->table(b->options->user, text.data);
    }
    cardan__text_free(&text);
  }
}

/* ---- an earlier result ---- */

enum { FIELDS = 4, LINE = 400 };

/* A line as its fields, in place. returns false when there are more, or fewer */
static bool split(char *line, char *field[FIELDS])
{
  int n = 0;
  for (char *at = line; at != NULL; n++) {
    char *comma = strchr(at, ',');
    if (comma != NULL) {
      *comma++ = '\0';
    }
    if (n == FIELDS) {
      return false;
    }
    field[n] = at;
    at = comma;
  }
  return n == FIELDS;
}

static cardan_status take_line(cardan_bench_result *r, const char *text, size_t length,
                               cardan_pos pos, cardan_report *report)
{
  char line[LINE], *field[FIELDS];
  cardan__bench_old old;
  snprintf(line, sizeof line, "%.*s", (int)length, text);
  if (length >= LINE || !split(line, field) ||
      cardan__number_read(field[3], strlen(field[3]), &old.value) != CARDAN__NUMBER_OK) {
    return cardan_fail(report, CARDAN_ERR_SYNTAX, pos,
                       "found \"%.*s\", expected table,row,column,value",
                       length < 40 ? (int)length : 40, text);
  }
  if (cardan__grow(&r->allocator, (void **)&r->old, &r->old_capacity, r->nold + 1,
                   sizeof *r->old) != CARDAN_OK) {
    return CARDAN_ERR_MEMORY;
  }
  old.table = keep(r, field[0]);
  old.row = keep(r, field[1]);
  old.column = keep(r, field[2]);
  r->old[r->nold++] = old;
  return CARDAN_OK;
}

cardan_status cardan__bench_read_before(cardan_bench_result *r, const char *text, const char *file,
                                        cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  cardan_pos pos = {.line = 1, .column = 1};
  for (const char *at = text; *at != '\0' && status == CARDAN_OK; pos.line++) {
    const size_t length = strcspn(at, "\n");
    // the head, and remarks on where the numbers come from
    if (length > 0 && at[0] != '#' && strncmp(at, "table,", 6) != 0) {
      status = take_line(r, at, length, pos, report);
    }
    at += length + (at[length] == '\n' ? 1 : 0);
  }
  if (status != CARDAN_OK) {
    cardan__report_file(report, file);
  }
  return status;
}
