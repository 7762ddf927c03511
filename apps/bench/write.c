// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "output/json.h"

/* A result as text for a terminal, as JSON, as CSV. */

void cardan__bench_number(double value, char text[CARDAN__BENCH_NUMBER])
{
  if (isnan(value)) {
    text[0] = '\0';
  } else if (fabs(value) >= 100 && fabs(value) < 1e9) {
    snprintf(text, CARDAN__BENCH_NUMBER, "%.0f", value);
  } else {
    cardan__format_number(text, value, 3);
  }
}

void cardan__bench_cell(const cardan__bench_row *row, int k, char text[CARDAN__BENCH_CELL])
{
  char now[CARDAN__BENCH_NUMBER], before[CARDAN__BENCH_NUMBER];
  cardan__bench_number(row->value[k], now);
  cardan__bench_number(row->before[k], before);
  snprintf(text, CARDAN__BENCH_CELL, "%s%s%s%s",
           now[0] != '\0'         ? now
           : row->note[k] != NULL ? "-"
                                  : "",
           before[0] != '\0' ? " (" : "", before, before[0] != '\0' ? ")" : "");
}

static int widest(const cardan__bench_table *t, int k)
{
  int width = (int)strlen(t->column[k]);
  for (int r = 0; r < t->nrow; r++) {
    char cell[CARDAN__BENCH_CELL];
    cardan__bench_cell(&t->row[r], k, cell);
    const int n = (int)strlen(cell);
    width = n > width ? n : width;
  }
  return width;
}

/* Does the row have this note at an earlier column? */
static bool said(const cardan__bench_row *row, int k)
{
  bool found = false;
  for (int j = 0; j < k; j++) {
    found = found || (row->note[j] != NULL && strcmp(row->note[j], row->note[k]) == 0);
  }
  return found;
}

bool cardan__bench_note(const cardan__bench_table *t, int *row, int *column, char *text,
                        size_t size)
{
  for (; *row < t->nrow; *row += 1, *column = 0) {
    const cardan__bench_row *r = &t->row[*row];
    for (; *column < t->ncolumn; *column += 1) {
      const int k = *column;
      if (r->note[k] == NULL || said(r, k)) {
        continue;
      }
      int used = snprintf(text, size, "%s", r->label);
      for (int j = k; j < t->ncolumn && used < (int)size; j++) {
        if (r->note[j] != NULL && strcmp(r->note[j], r->note[k]) == 0) {
          used += snprintf(text + used, size - (size_t)used, ", %s", t->column[j]);
        }
      }
      if (used < (int)size) {
        snprintf(text + used, size - (size_t)used, ": %s", r->note[k]);
      }
      *column += 1;
      return true;
    }
  }
  return false;
}

void cardan__bench_table_text(const cardan__bench_table *t, cardan__text *text)
{
  int first = 0;
  for (int r = 0; r < t->nrow; r++) {
    const int n = (int)strlen(t->row[r].label);
    first = n > first ? n : first;
  }
  cardan__text_printf(text, "%s\n%-*s", t->title, first, "");
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__text_printf(text, "  %*s", widest(t, k), t->column[k]);
  }
  cardan__text_printf(text, "\n");
  for (int r = 0; r < t->nrow; r++) {
    cardan__text_printf(text, "%-*s", first, t->row[r].label);
    for (int k = 0; k < t->ncolumn; k++) {
      char cell[CARDAN__BENCH_CELL];
      cardan__bench_cell(&t->row[r], k, cell);
      cardan__text_printf(text, "  %*s", widest(t, k), cell);
    }
    cardan__text_printf(text, "%s%s\n", t->row[r].how[0] != '\0' ? "  " : "", t->row[r].how);
  }
  if (t->words[0] != '\0') {
    cardan__text_printf(text, "  %s\n", t->words);
  }
  char note[CARDAN__BENCH_NOTE];
  for (int r = 0, k = 0; cardan__bench_note(t, &r, &k, note, sizeof note);) {
    cardan__text_printf(text, "  %s\n", note);
  }
  cardan__text_printf(text, "\n");
}

void cardan__bench_text(const cardan_bench_result *r, cardan__text *text)
{
  const cardan__bench_machine *m = &r->machine;
  cardan__text_printf(text, "cardan %s, %s%s\n%s, %d cores; %s; BLAS: %s\n%s\n\n", cardan_version(),
                      m->date, r->quick ? ", a quick look" : "", m->processor, m->cores,
                      m->compiler, m->blas, m->flags);
  for (int k = 0; k < r->ntable; k++) {
    cardan__bench_table_text(&r->table[k], text);
  }
}

void cardan__bench_csv(const cardan_bench_result *r, cardan__text *text)
{
  const cardan__bench_machine *m = &r->machine;
  cardan__text_printf(text, "# cardan %s, %s; %s; %s\ntable,row,column,value\n", cardan_version(),
                      m->date, m->processor, m->compiler);
  for (int i = 0; i < r->ntable; i++) {
    const cardan__bench_table *t = &r->table[i];
    for (int j = 0; j < t->nrow; j++) {
      for (int k = 0; k < t->ncolumn; k++) {
        if (isfinite(t->row[j].value[k])) {
          char number[CARDAN__NUMBER_SIZE];
          cardan__format_number(number, t->row[j].value[k], 6);
          cardan__text_printf(text, "%s,%s,%s,%s\n", t->name, t->row[j].label, t->column[k],
                              number);
        }
      }
    }
  }
}

/* ---- JSON ---- */

static void json_row(cardan__json *json, const cardan__bench_table *t, const cardan__bench_row *row)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "label", row->label);
  cardan__json_string(json, "how", row->how);
  cardan__json_open(json, "values", '[');
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__json_short(json, NULL, row->value[k]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "before", '[');
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__json_short(json, NULL, row->before[k]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "notes", '[');
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__json_string(json, NULL, row->note[k]);
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

static void json_table(cardan__json *json, const cardan__bench_table *t)
{
  cardan__json_open(json, NULL, '{');
  cardan__json_string(json, "part", t->part);
  cardan__json_string(json, "name", t->name);
  cardan__json_string(json, "title", t->title);
  cardan__json_string(json, "words", t->words);
  cardan__json_open(json, "columns", '[');
  for (int k = 0; k < t->ncolumn; k++) {
    cardan__json_string(json, NULL, t->column[k]);
  }
  cardan__json_close(json, ']');
  cardan__json_open(json, "rows", '[');
  for (int r = 0; r < t->nrow; r++) {
    json_row(json, t, &t->row[r]);
  }
  cardan__json_close(json, ']');
  cardan__json_close(json, '}');
}

void cardan__bench_json(const cardan_bench_result *r, cardan__text *text)
{
  const cardan__bench_machine *m = &r->machine;
  cardan__json json;
  cardan__json_init(&json, &text->alloc);
  cardan__json_open(&json, NULL, '{');
  cardan__json_string(&json, "version", cardan_version());
  cardan__json_string(&json, "date", m->date);
  cardan__json_bool(&json, "quick", r->quick);
  cardan__json_string(&json, "processor", m->processor);
  cardan__json_int(&json, "cores", m->cores);
  cardan__json_string(&json, "compiler", m->compiler);
  cardan__json_string(&json, "flags", m->flags);
  cardan__json_string(&json, "blas", m->blas);
  cardan__json_open(&json, "tables", '[');
  for (int k = 0; k < r->ntable; k++) {
    json_table(&json, &r->table[k]);
  }
  cardan__json_close(&json, ']');
  cardan__json_close(&json, '}');
  cardan__text_add(text, json.text.data, json.text.length);
  cardan__text_printf(text, "\n");
  text->failed = text->failed || json.text.failed;
  cardan__text_free(&json.text);
}
