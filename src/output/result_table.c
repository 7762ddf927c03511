// SPDX-License-Identifier: Apache-2.0
#include "output/result_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/clock.h"

/* Seconds between two flushes, more or less: a quarter of the time so far, within these. */
static const double shortest = 0.1, longest = 1;

/* Numbers between two flushes, at most: a full disk takes those of the last one, at 8 bytes each.
 * */
enum { MOST_NUMBERS = 1 << 17 };

static const struct {
  const char *ending;
  const cardan__table_kind *kind;
} kinds[] = {
    {".csv", &cardan__table_csv},
    {".h5", &cardan__table_hdf5},
    {".hdf5", &cardan__table_hdf5},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const cardan__table_kind *cardan__table_kind_of(const char *path)
{
  const size_t length = strlen(path);
  for (int i = 0; i < KINDS; i++) {
    const size_t n = strlen(kinds[i].ending);
    if (length > n && strcmp(path + length - n, kinds[i].ending) == 0) {
      return kinds[i].kind;
    }
  }
  return NULL;
}

cardan_status cardan__table_open(const char *path, cardan__file_way way,
                                 const cardan__table_kind *other, const char *const *column,
                                 int ncolumn, const cardan_record *record,
                                 const cardan_allocator *allocator, cardan_table **out,
                                 cardan_report *report)
{
  CARDAN_ASSERT(ncolumn >= 1);
  const cardan_pos none = {0, 0};
  const cardan__table_kind *known = cardan__table_kind_of(path), *kind = known ? known : other;
  cardan__file file;
  *out = NULL;
  cardan_status status =
      cardan__file_open_as(&file, path, way, kind ? kind->worth : NULL, allocator, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (file.is_regular && !kind) {
    status =
        cardan_fail(report, CARDAN_ERR_ARGUMENT, none,
                    "cannot tell the kind of table from \"%.200s\", expected a name that ends in "
                    ".csv or .h5, or - for the standard output",
                    path);
  } else if (!file.is_regular && kind == &cardan__table_hdf5) {
    status = cardan_fail(report, CARDAN_ERR_IO, none,
                         "cannot write %.200s: an HDF5 file cannot be a pipe or device, expected a "
                         "place on a disk",
                         path);
  } else {
    kind = kind ? kind : &cardan__table_csv;
    status = kind->create(&file, column, ncolumn, record, out, report);
  }
  if (status != CARDAN_OK) {
    // what is removed has nothing left to fail
    (void)!cardan__file_close(&file, false, NULL);
  }
  return status;
}

cardan_status cardan_table_open(const char *path, const char *const *column, int ncolumn,
                                const cardan_record *record, const cardan_allocator *allocator,
                                cardan_table **out, cardan_report *report)
{
  return cardan__table_open(path, CARDAN__FILE_SEEN, NULL, column, ncolumn, record, allocator, out,
                            report);
}

cardan_status cardan__table_set_words(cardan_table *table, int column, const char *const *word,
                                      int n, cardan_report *report)
{
  CARDAN_ASSERT(column >= 0 && column < table->ncolumn && n > 0 && table->nrow == 0);
  cardan_status status =
      cardan__grow(&table->file.alloc, (void **)&table->words, &table->words_capacity,
                   table->nwords + 1, sizeof *table->words);
  if (status != CARDAN_OK) {
    cardan_fail(report, status, (cardan_pos){0, 0}, "out of memory");
  } else {
    table->words[table->nwords++] = (cardan__table_words){column, n, word};
    status = table->kind->words != NULL ? table->kind->words(table, report) : CARDAN_OK;
  }
  table->failed = table->failed || status != CARDAN_OK;
  return status;
}

cardan_status cardan_table_statuses(cardan_table *table, int column, cardan_report *report)
{
  static const char *const words[] = {
#define STATUS_WORD(name, value, word, text) [-(value)] = (word),
      CARDAN_STATUS_LIST(STATUS_WORD)
#undef STATUS_WORD
  };
  return cardan__table_set_words(table, column, words, sizeof words / sizeof *words, report);
}

/* ---- rows ---- */

/* A failure: what there is is made readable, once, and the message says where. */
static cardan_status fail(cardan_table *table, cardan_status status, cardan_report *report)
{
  if (!table->failed) {
    table->rescued = table->file.way == CARDAN__FILE_SEEN && table->kind->rescue(table);
  }
  table->failed = true;
  if (table->rescued && report) {
    const size_t used = strlen(report->message), left = sizeof report->message - used;
    snprintf(report->message + used, left, "; its first %" PRId64 " row%s in %.200s", table->nrow,
             table->nrow == 1 ? " is" : "s are", table->file.temporary);
  }
  return status;
}

/* Pipes, and files that are not visible yet, have no use for it. */
static bool is_due(cardan_table *table)
{
  if (table->file.way != CARDAN__FILE_SEEN) {
    return false;
  }
  const double now = cardan__seconds_about(), quarter = (now - table->begun) / 4;
  const double least = quarter > shortest ? quarter : shortest;
  const int64_t fresh = (table->nrow - table->flushed_rows) * table->ncolumn;
  if (table->begun > 0 && now - table->flushed < (least < longest ? least : longest) &&
      fresh < MOST_NUMBERS) {
    return false;
  }
  table->flushed_rows = table->nrow;
  table->begun = table->begun > 0 ? table->begun : now;
  table->flushed = now;
  return true;
}

cardan_status cardan_table_row(cardan_table *table, const double *row, cardan_report *report)
{
  cardan_status status = table->kind->row(table, row, report);
  if (status != CARDAN_OK) {
    return fail(table, status, report);
  }
  table->nrow++;
  if (is_due(table)) {
    status = table->kind->flush(table, report);
  }
  return status == CARDAN_OK ? CARDAN_OK : fail(table, status, report);
}

int64_t cardan_table_rows(const cardan_table *table)
{
  return table->nrow;
}

cardan_status cardan__table_flush(cardan_table *table, cardan_report *report)
{
  const cardan_status status = table->kind->flush(table, report);
  return status == CARDAN_OK ? CARDAN_OK : fail(table, status, report);
}

cardan_status cardan_table_snapshot(cardan_table *table, int64_t step, const void *state,
                                    size_t size, cardan_report *report)
{
  const cardan_status status = table->kind->state
                                   ? table->kind->state(table, step, state, size, report)
                                   : table->kind->flush(table, report);
  return status == CARDAN_OK ? CARDAN_OK : fail(table, status, report);
}

cardan_status cardan_table_close(cardan_table *table, bool keep, cardan_report *report)
{
  if (!table) {
    return CARDAN_OK;
  }
  const bool lost = keep && table->failed;
  cardan_status status = CARDAN_OK;
  keep = keep && !table->failed;
  status = table->kind->finish(table, keep, report);
  if (lost) {
    status = cardan__file_failed(table->file.target, "an earlier row could not be written", report);
  }
  if (status != CARDAN_OK) {
    fail(table, status, report);
    keep = false;
  }
  if (table->rescued || (!keep && table->adopted)) { // as the message said
    cardan__file_leave(&table->file);
  } else {
    const cardan_status closed = cardan__file_close(&table->file, keep, report);
    status = status != CARDAN_OK ? status : closed;
  }
  cardan__resize(&table->file.alloc, table->words, 0);
  table->kind->free(table);
  return status;
}
