// SPDX-License-Identifier: Apache-2.0
#include "cardan/sweep.h"

#include <string.h>

#include "base/text.h"
#include "sweep/cases.h"

/* A sweep as such: its base and its plan, and what a case of it is as a run. */

/* ---- methods ---- */

/* Is it among the values of what differs? */
static bool has_word(const cardan__varied *varied, const char *word)
{
  bool has = false;
  for (int i = 0; i < varied->nword; i++) {
    has = has || strcmp(varied->word[i], word) == 0;
  }
  return has;
}

int cardan_sweep_plan_methods(const char *plan, size_t length, const cardan_allocator *allocator,
                              const char *method[CARDAN_SWEEP_PLAN_METHODS])
{
  cardan__plan *read = NULL;
  const char *name;
  int n = 0;
  if (cardan__plan_read(plan, length, "", allocator, &read, NULL) != CARDAN_OK) {
    return 0;
  }
  const cardan__varied *varied = cardan__plan_varied(read, cardan__plan_method(read));
  for (int i = 0; varied != NULL && n < CARDAN_SWEEP_PLAN_METHODS; i++) {
    if ((name = cardan_method_name(i)) == NULL) {
      break;
    }
    if (has_word(varied, name)) {
      method[n++] = name;
    }
  }
  cardan__plan_destroy(read);
  return n;
}

/* ---- copies ---- */

static char *copy(cardan_sweep *sweep, const char *text, bool *good)
{
  char *own = text != NULL ? cardan__arena_text(&sweep->arena, text, strlen(text)) : NULL;
  *good = *good && (text == NULL || own != NULL);
  return own;
}

static cardan_setting *copy_list(cardan_sweep *sweep, const cardan_setting *list, int n, bool *good)
{
  cardan_setting *own = cardan__arena_take(&sweep->arena, (size_t)n, sizeof *own);
  *good = *good && own != NULL;
  for (int i = 0; i < n && *good; i++) {
    own[i] = (cardan_setting){copy(sweep, list[i].name, good), list[i].value};
  }
  return own;
}

/* The base in memory of the sweep's own. Words of options are the library's. */
static bool copy_base(cardan_sweep *sweep, const cardan_record *from)
{
  bool good = true;
  cardan_record *to = &sweep->base;
  cardan_options *options = cardan__arena_take(&sweep->arena, 1, sizeof *options);
  *to = *from;
  to->model = copy(sweep, from->model != NULL ? from->model : "model.mbs", &good);
  to->note = copy(sweep, from->note, &good);
  to->given = copy(sweep, from->given, &good);
  to->text = cardan__arena_text(&sweep->arena, from->text, from->length);
  to->input = from->input != NULL
                  ? cardan__arena_text(&sweep->arena, from->input, from->input_length)
                  : NULL;
  to->setting = copy_list(sweep, from->setting, from->nsetting, &good);
  to->initial = copy_list(sweep, from->initial, from->ninitial, &good);
  good = good && options != NULL && to->text != NULL && (from->input == NULL || to->input != NULL);
  if (good) {
    *options = *from->options;
    to->options = options;
  }
  return good;
}

/* ---- columns ---- */

static cardan_status list_columns(cardan_sweep *sweep, cardan_report *report)
{
  const int nvaried = cardan__plan_nvaried(sweep->plan);
  const int ncollect = cardan__plan_ncollect(sweep->plan);
  int n = 0;
  sweep->ncolumn = 2 + nvaried + ncollect;
  sweep->column = cardan__arena_take(&sweep->arena, (size_t)sweep->ncolumn, sizeof *sweep->column);
  if (sweep->column == NULL) {
    return cardan__no_memory(report);
  }
  sweep->column[n++] = "case";
  sweep->column[n++] = "status";
  for (int k = 0; k < nvaried; k++) {
    sweep->column[n++] = cardan__plan_varied(sweep->plan, k)->column;
  }
  for (int k = 0; k < ncollect; k++) {
    sweep->column[n++] = cardan__plan_collect(sweep->plan, k)->column;
  }
  return CARDAN_OK;
}

/* ---- the sweep ---- */

static cardan_status fill_sweep(cardan_sweep *sweep, const cardan_record *base, const char *plan,
                                size_t length, const char *file, cardan_report *report)
{
  bool good = copy_base(sweep, base);
  sweep->plan_text = cardan__arena_text(&sweep->arena, plan, length);
  sweep->plan_length = length;
  sweep->plan_file = copy(sweep, file != NULL ? file : "", &good);
  if (!good || sweep->plan_text == NULL) {
    return cardan__no_memory(report);
  }
  cardan_status status = cardan__plan_read(sweep->plan_text, length, sweep->plan_file,
                                           &sweep->arena.alloc, &sweep->plan, report);
  status = status ? status : cardan__sweep_bind(sweep, report);
  return status ? status : list_columns(sweep, report);
}

cardan_status cardan_sweep_create(const cardan_record *base, const char *plan, size_t length,
                                  const char *file, const cardan_allocator *allocator,
                                  cardan_sweep **out, cardan_report *report)
{
  cardan_sweep *sweep = *out = cardan__zeros(allocator, sizeof **out);
  if (sweep == NULL) {
    return cardan__no_memory(report);
  }
  cardan__arena_init(&sweep->arena, allocator);
  const cardan_status status = fill_sweep(sweep, base, plan, length, file, report);
  if (status != CARDAN_OK) {
    cardan_sweep_destroy(sweep);
    *out = NULL;
  }
  return status;
}

void cardan_sweep_destroy(cardan_sweep *sweep)
{
  if (sweep != NULL) {
    const cardan_allocator alloc = sweep->arena.alloc;
    cardan__worker_setup_free(&sweep->setup);
    cardan__collector_destroy(sweep->collector);
    cardan__plan_destroy(sweep->plan);
    cardan__arena_free(&sweep->arena);
    cardan__resize(&alloc, sweep, 0);
  }
}

const char *cardan_sweep_note(const cardan_sweep *sweep)
{
  return cardan__plan_note(sweep->plan);
}

int64_t cardan_sweep_case_count(const cardan_sweep *sweep)
{
  return cardan__plan_count(sweep->plan);
}

int cardan_sweep_column_count(const cardan_sweep *sweep)
{
  return sweep->ncolumn;
}

const char *cardan_sweep_column(const cardan_sweep *sweep, int k)
{
  return k >= 0 && k < sweep->ncolumn ? sweep->column[k] : NULL;
}

/* ---- a case as a run ---- */

/* Options of a case, as the text has them with its settings. What cannot be, a run of it says. */
static cardan_status case_options(const cardan_sweep *sweep, const double *value,
                                  const cardan_setting *setting, cardan_options *options)
{
  cardan__worker_setup own = {.model = NULL};
  const cardan__worker_setup *setup = &sweep->setup;
  if (sweep->texts) {
    const cardan_status status =
        cardan__worker_setup_read(sweep, setting, sweep->ntext, &sweep->arena.alloc, &own, NULL);
    if (status == CARDAN_ERR_MEMORY) {
      return status;
    }
    setup = status == CARDAN_OK ? &own : setup;
  }
  (void)!cardan__case_options(sweep, setup, value, options, NULL);
  cardan__worker_setup_free(&own);
  return CARDAN_OK;
}

/* A record's memory: the options, by which it is given back, the lists, and behind them the values
 * of the case, which are returned. NULL: no memory */
static double *take_record(const cardan_sweep *sweep, cardan_record *out)
{
  const size_t nsetting = (size_t)sweep->nsetting, ninitial = (size_t)sweep->ninitial;
  const size_t lists = (nsetting + ninitial) * sizeof(cardan_setting);
  const size_t numbers = (size_t)cardan__plan_nvaried(sweep->plan) * sizeof(double);
  cardan_options *options = cardan__zeros(&sweep->arena.alloc, sizeof *options + lists + numbers);
  if (options == NULL) {
    return NULL;
  }
  cardan_setting *list = (cardan_setting *)(options + 1);
  memcpy(list, sweep->setting, nsetting * sizeof *list);
  memcpy(list + nsetting, sweep->initial, ninitial * sizeof *list);
  *out = sweep->base;
  out->options = options;
  out->setting = list;
  out->nsetting = sweep->nsetting;
  out->initial = list + nsetting;
  out->ninitial = sweep->ninitial;
  return (double *)(list + nsetting + ninitial);
}

cardan_status cardan_sweep_case(const cardan_sweep *sweep, int64_t number, cardan_record *out,
                                cardan_report *report)
{
  const int64_t count = cardan_sweep_case_count(sweep);
  *out = (cardan_record){.model = NULL};
  if (number < 0 || number >= count) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "there is no case %lld, expected 0 to %lld", (long long)number,
                       (long long)count - 1);
  }
  double *value = take_record(sweep, out);
  if (value == NULL) {
    return cardan__no_memory(report);
  }
  cardan_setting *setting = (cardan_setting *)out->setting;
  cardan_setting *initial = (cardan_setting *)out->initial;
  cardan__plan_values(sweep->plan, number, value);
  for (int k = 0; k < cardan__plan_nvaried(sweep->plan); k++) {
    const cardan__slot slot = sweep->slot[k];
    if (slot.at >= 0) {
      (slot.anew == CARDAN__ANEW_START ? initial : setting)[slot.at].value = value[k];
    }
  }
  if (case_options(sweep, value, setting, (cardan_options *)out->options) != CARDAN_OK) {
    cardan_sweep_case_free(sweep, out);
    return cardan__no_memory(report);
  }
  return CARDAN_OK;
}

void cardan_sweep_case_free(const cardan_sweep *sweep, cardan_record *record)
{
  cardan__resize(&sweep->arena.alloc, (void *)record->options, 0);
  *record = (cardan_record){.model = NULL};
}
