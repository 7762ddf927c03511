// SPDX-License-Identifier: Apache-2.0
#include "sweep/summary.h"

#include <math.h>
#include <string.h>

/* A sweep's result, read into columns and counted. */

enum { ROWS_AT_ONCE = 4096 };
static const int64_t most_numbers = (int64_t)1 << 27; // that are held

static cardan_status damaged(const cardan_sweep_summary *s, const char *what, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0}, "cannot read %.200s: %s", s->path,
                     what);
}

const char *cardan__role_word(cardan__role role)
{
  static const char *const words[] = {"number", "status", "grid", "drawn", "collected"};
  return words[role];
}

/* What column k is, by its place; false: its name is not the plan's. */
static bool find_role(const cardan__plan *plan, int k, cardan__sweep_summary_column *c)
{
  const int nvaried = cardan__plan_nvaried(plan);
  const char *name = k == 0 ? "case" : "status";
  if (k < 2) {
    c->role = k == 0 ? CARDAN__ROLE_NUMBER : CARDAN__ROLE_STATUS;
  } else if (k < 2 + nvaried) {
    c->varied = cardan__plan_varied(plan, k - 2);
    c->role = c->varied->drawn ? CARDAN__ROLE_DRAWN : CARDAN__ROLE_GRID;
    name = c->varied->column;
  } else {
    c->collect = cardan__plan_collect(plan, k - 2 - nvaried);
    c->role = CARDAN__ROLE_COLLECTED;
    name = c->collect->column;
  }
  return strcmp(c->name, name) == 0;
}

static cardan_status make_columns(cardan_sweep_summary *s, cardan_report *report)
{
  const cardan_sweep_result *sweep_result = s->sweep_result;
  const cardan_result *result = sweep_result->result;
  s->ncolumn = result->ncolumn;
  s->ncase = result->nrow;
  s->status = 1;
  if (s->ncolumn != 2 + cardan__plan_nvaried(s->plan) + cardan__plan_ncollect(s->plan) ||
      s->ncase < 1 || s->ncase != cardan__plan_count(s->plan)) {
    return damaged(s, "its table is not that of its plan", report);
  }
  if (s->ncase > most_numbers / s->ncolumn) {
    return cardan_fail(report, CARDAN_ERR_UNSUPPORTED, (cardan_pos){0, 0},
                       "%.200s has %lld cases of %d columns, and statistics and pages hold at most "
                       "%lld numbers: the result itself is whole",
                       s->path, (long long)s->ncase, s->ncolumn, (long long)most_numbers);
  }
  s->column = cardan__arena_take(&s->arena, (size_t)s->ncolumn, sizeof *s->column);
  double *value =
      cardan__arena_take(&s->arena, (size_t)s->ncolumn * (size_t)s->ncase, sizeof *value);
  if (s->column == NULL || value == NULL) {
    return cardan__no_memory(report);
  }
  for (int k = 0; k < s->ncolumn; k++) {
    s->column[k].name = result->column[k];
    s->column[k].value = value + (size_t)k * (size_t)s->ncase;
    if (!find_role(s->plan, k, &s->column[k])) {
      return damaged(s, "it has a column that its plan does not have", report);
    }
  }
  for (int i = 0; i < sweep_result->nwords; i++) {
    if (sweep_result->words[i].column >= 0 && sweep_result->words[i].column < s->ncolumn) {
      s->column[sweep_result->words[i].column].word = sweep_result->words[i].word;
      s->column[sweep_result->words[i].column].nword = sweep_result->words[i].n;
    }
  }
  return s->column[s->status].nword > 0 ? CARDAN_OK
                                        : damaged(s, "its statuses have no words", report);
}

static cardan_status read_columns(cardan_sweep_summary *s, cardan_report *report)
{
  const size_t n = (size_t)s->ncolumn;
  double *rows = cardan__resize(&s->arena.alloc, NULL, ROWS_AT_ONCE * n * sizeof *rows);
  cardan_status status = CARDAN_OK;
  if (rows == NULL) {
    return cardan__no_memory(report);
  }
  for (int64_t at = 0; at < s->ncase && status == CARDAN_OK; at += ROWS_AT_ONCE) {
    const int64_t left = s->ncase - at, count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
    status = cardan_result_rows(s->sweep_result->result, at, count, rows, report);
    for (int64_t i = 0; i < count && status == CARDAN_OK; i++) {
      for (size_t k = 0; k < n; k++) {
        s->column[k].value[at + i] = rows[(size_t)i * n + k];
      }
    }
  }
  cardan__resize(&s->arena.alloc, rows, 0);
  return status;
}

/* Numbers of cases in order, and words that there are. */
static bool is_sound(const cardan_sweep_summary *s)
{
  for (int64_t i = 0; i < s->ncase; i++) {
    if (s->column[0].value[i] != (double)i) {
      return false;
    }
  }
  for (int k = 1; k < s->ncolumn; k++) {
    const cardan__sweep_summary_column *c = &s->column[k];
    for (int64_t i = 0; i < s->ncase && c->nword > 0; i++) {
      if (!(c->value[i] >= 0 && c->value[i] < c->nword && c->value[i] == floor(c->value[i]))) {
        return false;
      }
    }
  }
  return true;
}

const char *cardan__sweep_summary_message(const cardan_sweep_summary *summary, int64_t number)
{
  const cardan_sweep_result_message *message = summary->sweep_result->message;
  int64_t low = 0, high = summary->sweep_result->nmessage;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (message[middle].number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < summary->sweep_result->nmessage && message[low].number == number ? message[low].text
                                                                                : NULL;
}

static cardan_status count_endings(cardan_sweep_summary *s, cardan_report *report)
{
  const cardan__sweep_summary_column *status = &s->column[s->status];
  s->by_status = cardan__arena_take(&s->arena, (size_t)status->nword, sizeof *s->by_status);
  s->first_of_status =
      cardan__arena_take(&s->arena, (size_t)status->nword, sizeof *s->first_of_status);
  s->doubtful = cardan__arena_take(&s->arena, (size_t)s->ncase, sizeof *s->doubtful);
  if (s->by_status == NULL || s->first_of_status == NULL || s->doubtful == NULL) {
    return cardan__no_memory(report);
  }
  for (int64_t i = 0; i < s->ncase; i++) {
    const int word = (int)status->value[i];
    s->first_of_status[word] = s->by_status[word] == 0 ? i : s->first_of_status[word];
    s->by_status[word]++;
    s->failed += word != 0;
  }
  for (int64_t m = 0; m < s->sweep_result->nmessage; m++) {
    const int64_t number = s->sweep_result->message[m].number;
    if (number >= 0 && number < s->ncase && cardan__sweep_summary_ended(s, number)) {
      s->doubtful[number] = true;
      s->doubts++;
    }
  }
  return CARDAN_OK;
}

static cardan_status find_moments(cardan_sweep_summary *s, cardan_report *report)
{
  double *work = cardan__resize(&s->arena.alloc, NULL, (size_t)s->ncase * sizeof *work);
  if (work == NULL) {
    return cardan__no_memory(report);
  }
  for (int k = 0; k < s->ncolumn; k++) {
    cardan__sweep_summary_column *c = &s->column[k];
    int64_t n = 0;
    memcpy(work, c->value, (size_t)s->ncase * sizeof *work);
    c->all = cardan__moments_of(work, s->ncase);
    for (int64_t i = 0; i < s->ncase; i++) {
      if (cardan__sweep_summary_counts(s, i)) {
        work[n++] = c->value[i];
      }
    }
    c->moments = cardan__moments_of(work, n);
  }
  cardan__resize(&s->arena.alloc, work, 0);
  return CARDAN_OK;
}

/* Of two columns that differ the first is constant over ny cases, and the second repeats after
 * them. */
static void find_grid(cardan_sweep_summary *s)
{
  cardan__sweep_summary_grid g = {.x = -1, .y = -1};
  s->grid = g;
  for (int k = 0; k < s->ncolumn; k++) {
    const cardan__sweep_summary_column *c = &s->column[k];
    const bool differs = c->varied != NULL && c->all.min < c->all.max;
    if (differs && (c->role != CARDAN__ROLE_GRID || g.y >= 0)) {
      return;
    }
    g.y = differs && g.x >= 0 ? k : g.y;
    g.x = differs && g.x < 0 ? k : g.x;
  }
  if (g.y < 0) {
    return;
  }
  const double *x = s->column[g.x].value, *y = s->column[g.y].value;
  for (g.ny = 1; g.ny < s->ncase && x[g.ny] == x[0]; g.ny++) {
  }
  g.nx = s->ncase / g.ny;
  bool good = g.nx > 1 && g.ny > 1 && g.nx * g.ny == s->ncase;
  for (int64_t i = 0; i < s->ncase && good; i++) {
    good = x[i] == x[i / g.ny * g.ny] && y[i] == y[i % g.ny];
  }
  s->grid = good ? g : s->grid;
}

static cardan_status read_all(cardan_sweep_summary *s, cardan_report *report)
{
  const cardan_allocator *alloc = &s->arena.alloc;
  cardan_report plan = {0};
  cardan_status status = cardan_sweep_result_open(s->path, alloc, &s->sweep_result, report);
  if (status == CARDAN_OK) {
    status = cardan__plan_read(s->sweep_result->plan, s->sweep_result->plan_length, "the plan",
                               alloc, &s->plan, &plan);
    if (status != CARDAN_OK && status != CARDAN_ERR_MEMORY) {
      status = damaged(s, plan.message, report);
    }
  }
  status = status == CARDAN_OK ? make_columns(s, report) : status;
  status = status == CARDAN_OK ? read_columns(s, report) : status;
  if (status == CARDAN_OK && !is_sound(s)) {
    status = damaged(s, "its table is damaged", report);
  }
  status = status == CARDAN_OK ? count_endings(s, report) : status;
  status = status == CARDAN_OK ? find_moments(s, report) : status;
  if (status == CARDAN_OK) {
    find_grid(s);
    status = cardan__sweep_summary_influence(s);
  }
  return status == CARDAN_ERR_MEMORY ? cardan__no_memory(report) : status;
}

cardan_status cardan_sweep_summary_create(const char *path, const cardan_allocator *allocator,
                                          cardan_sweep_summary **out, cardan_report *report)
{
  *out = NULL;
  cardan_sweep_summary *s = cardan__zeros(allocator, sizeof *s);
  if (s == NULL) {
    return cardan__no_memory(report);
  }
  cardan__arena_init(&s->arena, allocator);
  s->path = cardan__arena_text(&s->arena, path, strlen(path));
  const cardan_status status = s->path != NULL ? read_all(s, report) : cardan__no_memory(report);
  if (status != CARDAN_OK) {
    cardan_sweep_summary_destroy(s);
    return status;
  }
  *out = s;
  return CARDAN_OK;
}

void cardan_sweep_summary_destroy(cardan_sweep_summary *summary)
{
  if (summary != NULL) {
    const cardan_allocator alloc = summary->arena.alloc;
    cardan__plan_destroy(summary->plan);
    cardan_sweep_result_close(summary->sweep_result);
    cardan__arena_free(&summary->arena);
    cardan__resize(&alloc, summary, 0);
  }
}
