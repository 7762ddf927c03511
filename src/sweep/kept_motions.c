// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/threads.h"
#include "output/hdf5_sweep.h"
#include "output/result_table.h"
#include "output/sinks.h"
#include "run/sim_access.h"
#include "sweep/merge.h"

/* Motions of some cases. They are run again when the result is written, some at a time on threads:
 * a case depends on its number alone, and journals stay small. */

enum { MOST_WORST = 1000000 };

/* ---- which ---- */

/* "N" or "N:COLUMN". */
static cardan_status read_worst(const cardan_sweep *sweep, const char *text, cardan__keep *keep,
                                cardan_report *report)
{
  char *after = NULL;
  const bool digit = text[0] >= '0' && text[0] <= '9';
  const long long n = digit ? strtoll(text, &after, 10) : 0;
  if (n < 1 || n > MOST_WORST || (*after != '\0' && *after != ':')) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "option keep-motion is \"worst:%.60s\", expected worst:N or worst:N:COLUMN "
                       "with N from 1 to %d",
                       text, MOST_WORST);
  }
  const char *column = *after == ':' ? after + 1 : "drift";
  keep->most = n;
  for (int k = 2; k < cardan_sweep_column_count(sweep); k++) {
    if (strcmp(cardan_sweep_column(sweep, k), column) == 0) {
      keep->column = k;
      return CARDAN_OK;
    }
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                     "option keep-motion goes by column %.100s, which the plan does not collect, "
                     "expected worst:N:COLUMN with one of its columns, or (collect drift)",
                     column);
}

cardan_status cardan__keep_read(const cardan_sweep *sweep, const cardan_sweep_run_options *how,
                                cardan__keep *keep, cardan_report *report)
{
  const cardan__table_kind *kind = cardan__table_kind_of(how->out);
  const char *text = how->keep != NULL ? how->keep : "none";
  *keep = (cardan__keep){.all = strcmp(text, "all") == 0};
  cardan_status status = CARDAN_OK;
  if (kind == NULL) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "cannot tell the kind of result from \"%.200s\", expected a name that ends "
                       "in .h5 or .csv",
                       how->out);
  }
  if (strncmp(text, "worst:", 6) == 0) {
    status = read_worst(sweep, text + 6, keep, report);
  } else if (!keep->all && strcmp(text, "none") != 0) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "option keep-motion is \"%.60s\", expected none, all or worst:N", text);
  }
  if (status == CARDAN_OK && (keep->all || keep->most > 0) && kind != &cardan__table_hdf5) {
    status =
        cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                    "option keep-motion needs a result that ends in .h5, found %.200s", how->out);
  }
  return status;
}

/* Is a worse than b? Those that failed are the worst, those without a number the least. */
static bool is_worse(const cardan__kept *a, const cardan__kept *b)
{
  const bool failed = a->status != CARDAN_OK, other = b->status != CARDAN_OK;
  if (failed || other) {
    return failed == other ? a->number < b->number : failed;
  }
  if (isnan(a->measure) || isnan(b->measure)) {
    return isnan(a->measure) == isnan(b->measure) ? a->number < b->number : isnan(b->measure);
  }
  return a->measure != b->measure ? a->measure > b->measure : a->number < b->number;
}

/* A heap of n entries: none is worse than the two below it, 2 i + 1 and 2 i + 2. One more of them,
 * and one in place of the first. */
static void push(cardan__kept *heap, int n, cardan__kept kept)
{
  int i = n;
  for (; i > 0 && is_worse(&heap[(i - 1) / 2], &kept); i = (i - 1) / 2) {
    heap[i] = heap[(i - 1) / 2];
  }
  heap[i] = kept;
}

static void replace_first(cardan__kept *heap, int n, cardan__kept kept)
{
  int i = 0;
  for (int child = 1; child < n; child = 2 * i + 1) {
    child += child + 1 < n && is_worse(&heap[child], &heap[child + 1]);
    if (!is_worse(&kept, &heap[child])) {
      break;
    }
    heap[i] = heap[child];
    i = child;
  }
  heap[i] = kept;
}

/* Can a case that ended so have a motion, and the same one again? */
static bool has_motion(cardan_status status)
{
  switch (status) {
  case CARDAN_ERR_STOPPED: // by the clock
  case CARDAN_ERR_ARGUMENT:
  case CARDAN_ERR_SYNTAX:
  case CARDAN_ERR_MODEL:
  case CARDAN_ERR_ASSEMBLY:
  case CARDAN_ERR_UNSUPPORTED: // before its first row
    return false;
  default:
    return true;
  }
}

cardan_status cardan__keep_add(cardan__keep *keep, const cardan_allocator *alloc,
                               const cardan__case *one, const double *row, cardan_report *report)
{
  const cardan__kept kept = {one->number, one->status, keep->most > 0 ? row[keep->column] : 0};
  const bool room = keep->all || keep->n < keep->most;
  if (!has_motion(one->status) || (!room && keep->n == 0)) {
    return CARDAN_OK;
  }
  if (!room) {
    if (is_worse(&kept, &keep->list[0])) {
      replace_first(keep->list, keep->n, kept);
    }
    return CARDAN_OK;
  }
  if (cardan__grow(alloc, (void **)&keep->list, &keep->capacity, keep->n + 1, sizeof *keep->list)) {
    return cardan__no_memory(report);
  }
  push(keep->list, keep->n++, kept);
  return CARDAN_OK;
}

/* ---- again ---- */

/* One motion in memory. */
typedef struct {
  const cardan__kept *kept;
  cardan__worker *worker; // stays from one motion to the next
  int add;
  cardan__arena arena; // of names
  const char *const *column;
  int ncolumn, nrow, capacity; // capacity: in doubles
  double *rows;                // nrow x ncolumn
  cardan__case end;
  cardan_status status; // of the call
  cardan_report report;
} motion;

typedef struct {
  const cardan_sweep *sweep;
  motion *motion; // at a time
} crew;

/* Before its first row: what columns it has. */
static cardan_status take_columns(void *user, cardan_sim *sim, cardan_report *report)
{
  motion *m = user;
  if (m->column == NULL) {
    m->column = cardan__column_names(cardan__sim_model(sim), m->add, &m->arena);
    m->ncolumn = cardan_sim_columns(sim, m->add);
  }
  return m->column != NULL ? CARDAN_OK : cardan__no_memory(report);
}

static cardan_status take_row(void *user, const double *row, cardan_report *report)
{
  motion *m = user;
  const size_t n = (size_t)m->ncolumn, at = (size_t)m->nrow * n;
  if (at + n > INT32_MAX / 2 ||
      cardan__grow_bare(NULL, (void **)&m->rows, &m->capacity, (int)(at + n), sizeof *m->rows)) {
    return cardan__no_memory(report);
  }
  memcpy(m->rows + at, row, n * sizeof *row);
  m->nrow++;
  return CARDAN_OK;
}

static void run_again(void *user, int k)
{
  const crew *c = user;
  motion *m = &c->motion[k];
  const cardan_sink sink = {.user = m, .add = m->add, .row = take_row, .node = take_columns};
  m->status = CARDAN_OK;
  if (m->worker == NULL) {
    m->status = cardan__worker_create(c->sweep, NULL, &m->worker, &m->report);
  }
  if (m->status == CARDAN_OK) {
    m->status = cardan__worker_motion(m->worker, m->kept->number, &sink, 1, &m->end, &m->report);
  }
}

static void drop(motion *m)
{
  cardan__arena_free(&m->arena);
  cardan__resize(NULL, m->rows, 0);
  *m = (motion){.worker = m->worker};
}

/* Into the file. One that did not come to its first row has no motion. */
static cardan_status write_motion(const motion *m, cardan_table *table, cardan_report *report)
{
  const int64_t number = m->kept->number;
  if (m->status != CARDAN_OK) {
    *report = m->report;
    return m->status;
  }
  if (m->end.status != m->kept->status) {
    return cardan_fail(report, CARDAN_ERR_IO, (cardan_pos){0, 0},
                       "case %" PRId64 ", run again for its motion, ends as %s, expected %s as "
                       "before: the sweep was not computed on machines of one kind",
                       number, cardan_status_word(m->end.status),
                       cardan_status_word(m->kept->status));
  }
  if (m->nrow == 0) {
    return CARDAN_OK;
  }
  cardan_status status = cardan__table_kept_open(table, number, m->column, m->ncolumn, report);
  for (int r = 0; r < m->nrow && status == CARDAN_OK; r++) {
    status = cardan__table_kept_row(table, m->rows + (size_t)r * (size_t)m->ncolumn, report);
  }
  return status ? status : cardan__table_kept_close(table, report);
}

/* n motions from the i-th on: all at once, then written one after the other. */
static cardan_status keep_some(const crew *c, const cardan__keep *keep, int i, int n,
                               cardan_table *table, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < n; k++) {
    c->motion[k].kept = &keep->list[i + k];
    c->motion[k].add = c->sweep->base.add;
    cardan__arena_init(&c->motion[k].arena, NULL);
  }
  cardan__on_threads(n, run_again, (void *)c);
  for (int k = 0; k < n; k++) {
    status = status ? status : write_motion(&c->motion[k], table, report);
    drop(&c->motion[k]);
  }
  return status;
}

static int by_number(const void *a, const void *b)
{
  const cardan__kept *x = a, *y = b;
  return x->number < y->number ? -1 : x->number > y->number;
}

cardan_status cardan__keep_write(cardan__keep *keep, const cardan_sweep *sweep,
                                 const cardan_sweep_run_options *how,
                                 const cardan_sweep_progress *state, cardan_table *table,
                                 cardan_report *report)
{
  const int jobs = cardan__jobs(how->jobs);
  const int n = jobs < keep->n ? jobs : keep->n;
  crew c = {.sweep = sweep};
  if (n == 0) {
    return CARDAN_OK;
  }
  qsort(keep->list, (size_t)keep->n, sizeof *keep->list, by_number);
  c.motion = cardan__zeros(&sweep->arena.alloc, (size_t)n * sizeof *c.motion);
  if (c.motion == NULL) {
    return cardan__no_memory(report);
  }
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < keep->n && status == CARDAN_OK; i += n) {
    status = keep_some(&c, keep, i, n < keep->n - i ? n : keep->n - i, table, report);
    if (status == CARDAN_OK && how->look != NULL) {
      status = how->look(how->user, state);
    }
  }
  for (int k = 0; k < n; k++) {
    cardan__worker_destroy(c.motion[k].worker);
  }
  cardan__resize(&sweep->arena.alloc, c.motion, 0);
  return status;
}
