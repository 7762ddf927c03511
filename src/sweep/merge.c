// SPDX-License-Identifier: Apache-2.0
#include "sweep/merge.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "output/hdf5_sweep.h"
#include "output/result_table.h"
#include "sweep/share.h"
#include "sweep/streams.h"

/* Two walks over all journals: the first finds what is missing, how many sentences there are, and
 * which motions to keep; the second writes the table. Memory does not grow with the cases. */

enum { MOST_SHARDS = 4096, NAMED = 8, LIST_SIZE = 160 };

typedef struct {
  const cardan_sweep *sweep;
  const cardan_sweep_run_options *how;
  cardan__folder *folder;
  double *row; // ncolumn
  int nvaried, ncollect;
  cardan_sweep_progress state;
  int64_t expected;       // the number that comes next
  int64_t missing, first; // cases that are not there, and the first of them
  int shards;             // as which it was begun, 0: not known
  bool shard_misses[MOST_SHARDS];
  int64_t messages; // sentences, and the longest
  size_t longest;
  cardan__keep keep;
  cardan_table *table;
} merger;

/* case, status, what differs, what is collected. */
static void fill_row(merger *m, const cardan__case *one)
{
  m->row[0] = (double)one->number;
  m->row[1] = (double)-(int)one->status;
  cardan__plan_values(m->sweep->plan, one->number, m->row + 2);
  memcpy(m->row + 2 + m->nvaried, one->value, (size_t)m->ncollect * sizeof *m->row);
}

static cardan_status
walk(merger *m, cardan_status (*visit)(merger *m, const cardan__case *one, cardan_report *report),
     cardan_report *report)
{
  cardan__streams streams;
  cardan_status status = cardan__streams_open(&streams, m->sweep, m->folder, report);
  if (status != CARDAN_OK) {
    return status;
  }
  status = cardan__streams_next(&streams, report);
  while (status == CARDAN_OK && streams.one.number >= 0) {
    fill_row(m, &streams.one);
    status = visit(m, &streams.one, report);
    status = status ? status : cardan__streams_next(&streams, report);
  }
  cardan__streams_close(&streams);
  return status;
}

/* ---- the first walk ---- */

/* Counts the missing cases m->expected .. number - 1. */
static void count_missing(merger *m, int64_t number)
{
  const int64_t gap = number - m->expected, round = 8 * (int64_t)m->shards;
  m->first = m->missing == 0 && gap > 0 ? m->expected : m->first;
  m->missing += gap;
  for (int64_t k = 0; k < gap && k < round; k++) {
    m->shard_misses[cardan__share_shard(m->state.cases, m->shards, m->expected + k)] = true;
  }
}

static cardan_status summary(merger *m, const cardan__case *one, cardan_report *report)
{
  const size_t length = strlen(one->message);
  count_missing(m, one->number);
  m->expected = one->number + 1;
  cardan__sweep_count(&m->state, one);
  m->messages += length > 0;
  m->longest = length > m->longest ? length : m->longest;
  return cardan__keep_add(&m->keep, &m->sweep->arena.alloc, one, m->row, report);
}

/* ", of shards 1, 4 and 7 of 10", or "". */
static void name_shards(const merger *m, char text[LIST_SIZE])
{
  int named = 0, n = 0;
  text[0] = '\0';
  for (int k = 0; k < m->shards; k++) {
    n += m->shard_misses[k];
  }
  for (int k = 0; k < m->shards && named < NAMED; k++) {
    if (m->shard_misses[k]) {
      const size_t used = strlen(text);
      snprintf(text + used, LIST_SIZE - used, "%s%d", named++ > 0 ? ", " : ", of shards ", k);
    }
  }
  const size_t used = strlen(text);
  if (n > 0) {
    snprintf(text + used, LIST_SIZE - used, "%s of %d", n > NAMED ? ", .." : "", m->shards);
  }
}

static cardan_status first_walk(merger *m, cardan_report *report)
{
  char shards[LIST_SIZE];
  m->shards = cardan__folder_shards(m->folder);
  m->shards = m->shards <= MOST_SHARDS ? m->shards : 0;
  const cardan_status status = walk(m, summary, report);
  if (status != CARDAN_OK) {
    return status;
  }
  count_missing(m, m->state.cases);
  if (m->missing == 0) {
    return CARDAN_OK;
  }
  name_shards(m, shards);
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "%" PRId64 " of %" PRId64 " cases are missing in %.200s, the first of them "
                     "case %" PRId64 "%s: expected all, option resume continues with them",
                     m->missing, m->state.cases, m->folder->path, m->first, shards);
}

/* ---- the second ---- */

static cardan_status write_case(merger *m, const cardan__case *one, cardan_report *report)
{
  const cardan_status status = cardan_table_row(m->table, m->row, report);
  return status || one->message[0] == '\0'
             ? status
             : cardan__table_message(m->table, one->number, one->message, report);
}

/* Columns of statuses and of words. */
static cardan_status put_words(merger *m, cardan_report *report)
{
  cardan_status status = cardan_table_statuses(m->table, 1, report);
  for (int k = 0; k < m->nvaried && status == CARDAN_OK; k++) {
    const cardan__varied *varied = cardan__plan_varied(m->sweep->plan, k);
    if (varied->nword > 0) {
      status = cardan__table_set_words(m->table, 2 + k, varied->word, varied->nword, report);
    }
  }
  return status;
}

static cardan_status write_all(merger *m, const char *path, cardan_report *report)
{
  const cardan_sweep *sweep = m->sweep;
  const cardan_allocator *alloc = &sweep->arena.alloc;
  const int n = cardan_sweep_column_count(sweep);
  const char **column = cardan__zeros(alloc, (size_t)n * sizeof *column);
  if (column == NULL) {
    return cardan__no_memory(report);
  }
  for (int k = 0; k < n; k++) {
    column[k] = cardan_sweep_column(sweep, k);
  }
  cardan_status status = cardan__table_open(path, CARDAN__FILE_HIDDEN, NULL, column, n,
                                            &sweep->base, alloc, &m->table, report);
  cardan__resize(alloc, column, 0);
  if (status != CARDAN_OK) {
    return status;
  }
  status = put_words(m, report);
  status =
      status ? status : cardan__table_plan(m->table, sweep->plan_text, sweep->plan_length, report);
  if (status == CARDAN_OK && m->messages > 0) {
    status = cardan__table_messages(m->table, m->messages, m->longest, report);
  }
  status = status ? status : walk(m, write_case, report);
  status =
      status ? status : cardan__keep_write(&m->keep, sweep, m->how, &m->state, m->table, report);
  // a failure that has its sentence is not to be spoken of twice
  const cardan_status closed =
      cardan_table_close(m->table, status == CARDAN_OK, status == CARDAN_OK ? report : NULL);
  return status ? status : closed;
}

/* Into the folder, and from there to its place. No case is lost where there is no room. */
static cardan_status write_result(merger *m, const char *path, const char *name,
                                  cardan_report *report)
{
  cardan_report why = {.message = ""};
  cardan__folder_tidy(m->folder);
  cardan_status status = write_all(m, path, &why);
  status = status ? status : cardan__folder_keep(m->folder, name, &why);
  if (status == CARDAN_ERR_IO) {
    return cardan_fail(report, status, why.pos,
                       "%.400s; all cases are done and count: option resume writes the result",
                       why.message);
  }
  if (status != CARDAN_OK && report != NULL) {
    *report = why;
  }
  return status;
}

cardan_status cardan__merge(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                            cardan__folder *folder, cardan_sweep_progress *state,
                            cardan_report *report)
{
  char name[32];
  merger m = {.sweep = sweep, .how = how, .folder = folder};
  m.state = (cardan_sweep_progress){.cases = cardan_sweep_case_count(sweep), .first = -1};
  m.nvaried = cardan__plan_nvaried(sweep->plan);
  m.ncollect = cardan__plan_ncollect(sweep->plan);
  cardan_status status = cardan__keep_read(sweep, how, &m.keep, report);
  if (status != CARDAN_OK) {
    return status;
  }
  snprintf(name, sizeof name, "merged%.8s", strrchr(how->out, '.'));
  char *path = cardan__folder_file(folder, name);
  m.row =
      cardan__zeros(&sweep->arena.alloc, (size_t)cardan_sweep_column_count(sweep) * sizeof *m.row);
  status = path && m.row ? first_walk(&m, report) : cardan__no_memory(report);
  status = status ? status : write_result(&m, path, name, report);
  m.state.merged = status == CARDAN_OK;
  if (state != NULL) {
    *state = m.state;
  }
  cardan__resize(&sweep->arena.alloc, path, 0);
  cardan__resize(&sweep->arena.alloc, m.row, 0);
  cardan__resize(&sweep->arena.alloc, m.keep.list, 0);
  return status;
}

/* ---- a result that is there ---- */

/* Column `status` of the rows of a result. */
static cardan_status count_rows(cardan_result *result, cardan_sweep_progress *state,
                                const cardan_allocator *alloc, cardan_report *report)
{
  enum { ROWS = 256 };
  const size_t n = (size_t)result->ncolumn;
  double *rows = cardan__zeros(alloc, ROWS * n * sizeof *rows);
  cardan_status status = CARDAN_OK;
  if (rows == NULL) {
    return cardan__no_memory(report);
  }
  for (int64_t first = 0; first < result->nrow && status == CARDAN_OK; first += ROWS) {
    const int64_t left = result->nrow - first, count = left < ROWS ? left : ROWS;
    status = cardan_result_rows(result, first, count, rows, report);
    for (int64_t r = 0; r < count && status == CARDAN_OK; r++) {
      const double *row = rows + (size_t)r * n;
      const bool known = row[1] >= 0 && row[1] < CARDAN_SWEEP_STATUSES;
      const cardan__case one = {.number = first + r,
                                .status = known ? (cardan_status) - (int)row[1] : CARDAN_ERR_IO};
      cardan__sweep_count(state, &one);
    }
  }
  cardan__resize(alloc, rows, 0);
  return status;
}

cardan_status cardan__merge_complete(const cardan_sweep *sweep, cardan__folder *folder,
                                     cardan_sweep_progress *state, cardan_report *report)
{
  cardan_result *result;
  cardan_status status = cardan_result_open(folder->out, &sweep->arena.alloc, &result, report);
  if (status != CARDAN_OK) {
    return status;
  }
  *state =
      (cardan_sweep_progress){.cases = cardan_sweep_case_count(sweep), .first = -1, .merged = true};
  if (result->nrow != state->cases || result->ncolumn < 2) {
    status = cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                         "%.200s has %" PRId64 " rows, expected the %" PRId64 " cases of its plan",
                         folder->out, result->nrow, state->cases);
  }
  status = status ? status : count_rows(result, state, &sweep->arena.alloc, report);
  state->resumed = state->done;
  cardan_result_close(result);
  if (status == CARDAN_OK) {
    cardan__folder_clean(folder);
  }
  return status;
}

cardan_status cardan_sweep_merge(const cardan_sweep *sweep, const cardan_sweep_run_options *options,
                                 cardan_sweep_progress *progress, cardan_report *report)
{
  cardan__folder folder;
  cardan_sweep_progress state;
  cardan_sweep_run_options again = *options;
  cardan__keep keep;
  again.resume = true;
  cardan_status status = cardan__sweep_check(options, report);
  status = status ? status : cardan__keep_read(sweep, options, &keep, report);
  status =
      status ? status : cardan__folder_open(&folder, sweep, &again, CARDAN__HOLD_WHOLE, report);
  if (status != CARDAN_OK) {
    return status;
  }
  if (folder.complete) {
    status = cardan__merge_complete(sweep, &folder, &state, report);
  } else if (!folder.was_there) {
    cardan__folder_remove(&folder);
    status =
        cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                    "there is no %.300s to merge, expected one: no case was run yet", folder.path);
  } else {
    status = cardan__merge(sweep, options, &folder, &state, report);
  }
  if (progress != NULL && status == CARDAN_OK) {
    *progress = state;
  }
  cardan__folder_close(&folder);
  return status;
}
