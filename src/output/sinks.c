// SPDX-License-Identifier: Apache-2.0
#include "output/sinks.h"

#include <string.h>

#include "output/result_table.h"
#include "run/sim_access.h"

/* Tables, films and traces at the end of cardan_run. */

/* The name of one column, whole: requested again with more room until it fits. */
static const char *column_name(const cardan_model *model, int add, int k, cardan__arena *arena)
{
  for (size_t size = 128;; size *= 2) {
    char *name = cardan__arena_take(arena, size, 1);
    if (!name) {
      return NULL;
    }
    cardan__column_name(model, add, k, name, size);
    if (strlen(name) + 1 < size) {
      return name;
    }
  }
}

const char *const *cardan__column_names(const cardan_model *model, int add, cardan__arena *arena)
{
  const int n = cardan__column_count(model, add);
  const char **name = cardan__arena_take(arena, (size_t)n, sizeof *name);
  for (int k = 0; name && k < n; k++) {
    name[k] = column_name(model, add, k, arena);
    if (!name[k]) {
      return NULL;
    }
  }
  return name;
}

/* ---- the table of a sim ---- */

cardan_status cardan_table_of_sim(const char *path, const cardan_sim *sim,
                                  const cardan_record *record, const cardan_allocator *allocator,
                                  cardan_table **out, cardan_report *report)
{
  cardan__arena arena;
  cardan__arena_init(&arena, allocator);
  const int add = record->add | record->beside;
  const char *const *name = cardan__column_names(cardan__sim_model(sim), add, &arena);
  *out = NULL;
  const cardan_status status = name ? cardan_table_open(path, name, cardan_sim_columns(sim, add),
                                                        record, allocator, out, report)
                                    : cardan__no_memory(report);
  cardan__arena_free(&arena);
  return status;
}

static cardan_status table_row(void *user, const double *row, cardan_report *report)
{
  return cardan_table_row(user, row, report);
}

cardan_sink cardan_table_sink(cardan_table *table, int add)
{
  return (cardan_sink){.user = table, .add = add, .row = table_row};
}

/* ---- the trace of a root finder ---- */

static const char *const trace_columns[] = {"step", "t", "evaluation", "residual"};
enum { TRACE_COLUMNS = sizeof trace_columns / sizeof trace_columns[0] };

cardan_status cardan_trace_open(const char *path, const cardan_allocator *allocator,
                                cardan_table **out, cardan_report *report)
{
  return cardan__table_open(path, CARDAN__FILE_SEEN, &cardan__table_csv, trace_columns,
                            TRACE_COLUMNS, NULL, allocator, out, report);
}

static cardan_status trace_step(void *user, cardan_sim *sim, const cardan_run_state *at,
                                cardan_report *report)
{
  int n;
  const double *residual = cardan_sim_trace(sim, &n);
  const int64_t step = at->step + (at->status != CARDAN_OK); // one that failed was not taken
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    const double row[TRACE_COLUMNS] = {(double)step, at->t, i + 1, residual[i]};
    status = cardan_table_row(user, row, report);
  }
  return status;
}

cardan_sink cardan_trace_sink(cardan_table *trace)
{
  return (cardan_sink){.user = trace, .step = trace_step};
}
