// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // ftruncate
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/text.h"
#include "output/print_double.h"
#include "output/result_table.h"

/* Text tables (RFC 4180, lines ending in a newline alone). Rows are gathered in a buffer and
 * written when it is full: one call to the system for many rows. */

enum { BUFFER_SIZE = 1 << 18 };

typedef struct {
  cardan_table table;
  size_t used;
  char buffer[BUFFER_SIZE];
} csv_table;

static cardan_status flush(csv_table *csv, cardan_report *report)
{
  const size_t used = csv->used;
  csv->used = 0;
  return cardan__file_write(&csv->table.file, csv->buffer, used, report);
}

/* Room for size more bytes, size <= BUFFER_SIZE. */
static cardan_status reserve(csv_table *csv, size_t size, cardan_report *report)
{
  return size <= BUFFER_SIZE - csv->used ? CARDAN_OK : flush(csv, report);
}

static cardan_status add_char(csv_table *csv, char c, cardan_report *report)
{
  const cardan_status status = reserve(csv, 1, report);
  csv->buffer[csv->used++] = c;
  return status;
}

/* Must a name be in quotes? Where readers would split it, or strip its spaces. */
static bool needs_quotes(const char *name)
{
  const size_t length = strlen(name);
  return length == 0 || strpbrk(name, ",;\"\r\n\t") != NULL || name[0] == ' ' ||
         name[length - 1] == ' ';
}

void cardan__csv_field(cardan__text *text, const char *field)
{
  const size_t quotes = needs_quotes(field) ? 1 : 0;
  cardan__text_add(text, "\"", quotes);
  for (const char *c = field; *c != '\0'; c++) {
    cardan__text_add(text, "\"", *c == '"' ? 1 : 0);
    cardan__text_add(text, c, 1);
  }
  cardan__text_add(text, "\"", quotes);
}

/* A text that fields were made in, and what follows the last. */
static cardan_status add_text(csv_table *csv, cardan__text *text, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  if (text->failed) {
    status = cardan__no_memory(report);
  }
  for (size_t i = 0; i < text->length && status == CARDAN_OK; i++) {
    status = add_char(csv, text->data[i], report);
  }
  cardan__text_free(text);
  return status;
}

static cardan_status add_header(csv_table *csv, const char *const *column, cardan_report *report)
{
  cardan__text text;
  cardan__text_init(&text, &csv->table.file.alloc);
  for (int k = 0; k < csv->table.ncolumn; k++) {
    cardan__csv_field(&text, column[k]);
    cardan__text_add(&text, k + 1 < csv->table.ncolumn ? "," : "\n", 1);
  }
  return add_text(csv, &text, report);
}

/* The words of a column; NULL: it has numbers. */
static const cardan__table_words *words_of(const cardan_table *table, int column)
{
  for (int i = 0; i < table->nwords; i++) {
    if (table->words[i].column == column) {
      return &table->words[i];
    }
  }
  return NULL;
}

/* The word that a number stands for; what is none of them has none. */
static cardan_status add_word(csv_table *csv, const cardan__table_words *words, double value,
                              cardan_report *report)
{
  cardan__text text;
  cardan__text_init(&text, &csv->table.file.alloc);
  if (value >= 0 && value < words->n) {
    cardan__csv_field(&text, words->word[(int)value]);
  }
  return add_text(csv, &text, report);
}

static cardan_status csv_create(const cardan__file *file, const char *const *column, int ncolumn,
                                const cardan_record *record, cardan_table **out,
                                cardan_report *report)
{
  (void)record;
  csv_table *csv = cardan__resize(&file->alloc, NULL, sizeof *csv);
  if (!csv) {
    return cardan__no_memory(report);
  }
  csv->table = (cardan_table){.kind = &cardan__table_csv, .file = *file, .ncolumn = ncolumn};
  csv->used = 0;
  const cardan_status status = add_header(csv, column, report);
  if (status != CARDAN_OK) {
    cardan__resize(&file->alloc, csv, 0);
    return status;
  }
  *out = &csv->table;
  return CARDAN_OK;
}

/* How many columns from k on have numbers, of which one call writes at most so many. */
static int numbers_from(const cardan_table *table, int k)
{
  const int left = table->ncolumn - k, most = left < CARDAN__MOST_17 ? left : CARDAN__MOST_17;
  int n = 0;
  while (n < most && words_of(table, k + n) == NULL) {
    n++;
  }
  return n;
}

static cardan_status csv_row(cardan_table *table, const double *row, cardan_report *report)
{
  csv_table *csv = (csv_table *)table;
  for (int k = 0; k < table->ncolumn;) {
    const int n = numbers_from(table, k);
    const cardan__table_words *words = n == 0 ? words_of(table, k) : NULL;
    cardan_status status = words ? add_word(csv, words, row[k], report) : CARDAN_OK;
    status = status ? status : reserve(csv, (size_t)(n + 1) * CARDAN__ROOM_17, report);
    if (status != CARDAN_OK) {
      return status;
    }
    if (words) {
      csv->buffer[csv->used++] = ',';
    } else {
      csv->used += cardan__format_17(csv->buffer + csv->used, row + k, n);
    }
    k += words ? 1 : n;
  }
  csv->buffer[csv->used - 1] = '\n';
  return CARDAN_OK;
}

/* A line that is half there, because the buffer was full, waits in the file for its rest. */
static cardan_status csv_flush(cardan_table *table, cardan_report *report)
{
  return flush((csv_table *)table, report);
}

/* Whole lines behind the first; *end: where they end. */
static int64_t count_rows(int fd, uint64_t *end)
{
  char bytes[4096];
  int64_t lines = 0;
  size_t n;
  *end = 0;
  for (uint64_t at = 0; (n = cardan__read_at(fd, bytes, sizeof bytes, at)) > 0; at += n) {
    for (size_t i = 0; i < n; i++) {
      if (bytes[i] == '\n') {
        lines++;
        *end = at + i + 1;
      }
    }
  }
  return lines > 0 ? lines - 1 : 0;
}

/* A line alone may be the names of columns, or anything of another program: it is kept too. */
static bool csv_worth(const char *name, int fd, char *what, size_t size)
{
  uint64_t end;
  const int64_t rows = count_rows(fd, &end);
  (void)name;
  if (rows == 0) {
    snprintf(what, size, "is there, without a row but not empty: rename or remove it first");
  } else {
    snprintf(what, size,
             "has %" PRId64 " row%s of a table that was not closed: rename or remove it first",
             rows, rows == 1 ? "" : "s");
  }
  return true;
}

/* Cuts the file behind its last whole line, and counts what it has. */
static bool csv_rescue(cardan_table *table)
{
  uint64_t end;
  table->nrow = count_rows(table->file.fd, &end);
  return ftruncate(table->file.fd, (off_t)end) == 0 && table->nrow > 0;
}

static cardan_status csv_finish(cardan_table *table, bool keep, cardan_report *report)
{
  return keep ? flush((csv_table *)table, report) : CARDAN_OK;
}

static void csv_free(cardan_table *table)
{
  const cardan_allocator alloc = table->file.alloc;
  cardan__resize(&alloc, table, 0);
}

const cardan__table_kind cardan__table_csv = {csv_create, NULL,       csv_row,    csv_flush, NULL,
                                              csv_worth,  csv_rescue, csv_finish, csv_free};
