// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/output.h"

struct cardan_recorder {
  cardan_sim *sim;
  int add;
  cardan_table *table;
  cardan_allocator alloc;
  double row[]; // values of all columns
};

/* The name of one column, whole: asked for again with more room until it fits. */
static char *column_name(const cardan_sim *sim, int add, int k, cardan__arena *arena)
{
  for (size_t size = 128;; size *= 2) {
    char *name = cardan__arena_take(arena, size, 1);
    if (!name) {
      return NULL;
    }
    cardan_sim_column(sim, add, k, name, size);
    if (strlen(name) + 1 < size) {
      return name;
    }
  }
}

static cardan_status open_table(const char *path, const cardan_sim *sim,
                                const cardan_record *record, const cardan_allocator *allocator,
                                cardan_table **table, cardan_report *report)
{
  const int n = cardan_sim_columns(sim, record->add);
  cardan__arena arena;
  cardan__arena_init(&arena, allocator);
  const char **name = cardan__arena_take(&arena, (size_t)n, sizeof *name);
  bool good = name != NULL;
  for (int k = 0; k < n && good; k++) {
    name[k] = column_name(sim, record->add, k, &arena);
    good = name[k] != NULL;
  }
  const cardan_status status =
      good ? cardan_table_open(path, name, n, record, allocator, table, report)
           : cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
  cardan__arena_free(&arena);
  return status;
}

cardan_status cardan_recorder_open(const char *path, cardan_sim *sim, const cardan_record *record,
                                   const cardan_allocator *allocator, cardan_recorder **out,
                                   cardan_report *report)
{
  *out = NULL;
  const size_t n = (size_t)cardan_sim_columns(sim, record->add);
  cardan_recorder *recorder =
      cardan__resize(allocator, NULL, sizeof *recorder + n * sizeof recorder->row[0]);
  if (!recorder) {
    return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
  }
  *recorder = (cardan_recorder){.sim = sim, .add = record->add};
  recorder->alloc = allocator ? *allocator : (cardan_allocator){0};
  const cardan_status status = open_table(path, sim, record, allocator, &recorder->table, report);
  if (status != CARDAN_OK) {
    cardan__resize(allocator, recorder, 0);
    return status;
  }
  *out = recorder;
  return CARDAN_OK;
}

cardan_status cardan_recorder_row(cardan_recorder *recorder, cardan_report *report)
{
  const cardan_status status = cardan_sim_row(recorder->sim, recorder->add, recorder->row);
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, (cardan_pos){0, 0}, "at t = %g, for the table: %s",
                       cardan_sim_data(recorder->sim)->t, cardan_status_text(status));
  }
  return cardan_table_row(recorder->table, recorder->row, report);
}

int64_t cardan_recorder_rows(const cardan_recorder *recorder)
{
  return cardan_table_rows(recorder->table);
}

cardan_status cardan_recorder_close(cardan_recorder *recorder, bool keep, cardan_report *report)
{
  if (!recorder) {
    return CARDAN_OK;
  }
  const cardan_status status = cardan_table_close(recorder->table, keep, report);
  const cardan_allocator alloc = recorder->alloc;
  cardan__resize(&alloc, recorder, 0);
  return status;
}
