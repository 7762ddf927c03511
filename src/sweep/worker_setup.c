// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "cardan/load.h"
#include "methods/options.h"
#include "output/sinks.h"
#include "run/sim_access.h"
#include "sweep/cases.h"

/* Reads the model of a sweep's text, and finds the names of the plan in it. */

/* ---- options of the text ---- */

static bool same_text(const char *a, const char *b)
{
  return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_defaults(const cardan_model *a, const cardan_model *b)
{
  bool same = a->ndefault == b->ndefault;
  for (int i = 0; same && i < a->ndefault; i++) {
    same = same_text(a->defaults[i].key, b->defaults[i].key) &&
           same_text(a->defaults[i].value, b->defaults[i].value);
  }
  return same;
}

/* Is the name in a list of names that commas separate? list: NULL is an empty one. */
static bool is_listed(const char *list, const char *name)
{
  const size_t length = strlen(name);
  const char *at = list;
  while (at != NULL) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 && (at[length] == '\0' || at[length] == ',')) {
      return true;
    }
    at = strchr(at, ',');
  }
  return false;
}

/* Reads the options of (simulate ..) that a run would use: those of the base's method, or, if the
 * plan varies the method, those of all methods, of which each case uses its own. */
static cardan_status read_defaults(const cardan_sweep *sweep, const cardan_model *model,
                                   cardan_options *out, cardan_report *report)
{
  const bool many_methods = cardan__plan_method(sweep->plan) >= 0;
  *out = cardan_options_defaults();
  out->method = many_methods ? NULL : sweep->base.options->method;
  return many_methods
             ? cardan_options_apply_model(out, model, CARDAN_OPTIONS_OF_ALL_METHODS, report)
             : cardan_options_apply_model(out, model, CARDAN_OPTIONS_OF_METHOD, report);
}

/* Does (simulate ..) of the model set this option? */
static bool has_default(const cardan_model *model, const char *name)
{
  bool found = false;
  for (int i = 0; i < model->ndefault; i++) {
    found = found || same_text(model->defaults[i].key, name);
  }
  return found;
}

cardan_status cardan__worker_setup_given(cardan_sweep *sweep, cardan_report *report)
{
  cardan_record *base = &sweep->base;
  const cardan_model *model = sweep->setup.model;
  const char *name;
  cardan__text list;
  cardan_options defaults;
  if (base->given == NULL || !sweep->texts) {
    base->given = NULL;
    return CARDAN_OK;
  }
  cardan__text_init(&list, &sweep->arena.alloc);
  const cardan_status status = read_defaults(sweep, model, &defaults, report);
  for (int i = 0; status == CARDAN_OK && (name = cardan_option_name(i)) != NULL; i++) {
    char by_model[128], used[128];
    cardan_option_value(&defaults, i, by_model, sizeof by_model);
    cardan_option_value(base->options, i, used, sizeof used);
    if (is_listed(base->given, name) && has_default(model, name) && strcmp(by_model, used) == 0) {
      cardan__text_printf(&list, "%s%s", list.length > 0 ? "," : "", name);
    }
  }
  base->given = list.length > 0 ? cardan__arena_text(&sweep->arena, list.data, list.length) : NULL;
  const bool failed = list.failed || (list.length > 0 && base->given == NULL);
  cardan__text_free(&list);
  return failed ? cardan__no_memory(report) : status;
}

/* Updates the options whose value in (simulate ..) differs between this text and the base's, as in
 * (simulate (dt h)) with another h, unless the user has set them. */
static cardan_status update_defaults(const cardan_sweep *sweep, const cardan_model *model,
                                     cardan_options *options, cardan_report *report)
{
  const char *name;
  cardan_options of_base, of_text;
  cardan_status status = read_defaults(sweep, sweep->setup.model, &of_base, report);
  status = status ? status : read_defaults(sweep, model, &of_text, report);
  for (int i = 0; status == CARDAN_OK && (name = cardan_option_name(i)) != NULL; i++) {
    char old[128], new[128], used[128];
    cardan__option_stored(&of_base, i, old, sizeof old);
    cardan__option_stored(&of_text, i, new, sizeof new);
    cardan__option_stored(options, i, used, sizeof used);
    const bool set_by_user = strcmp(used, old) != 0 || is_listed(sweep->base.given, name);
    if (!set_by_user && strcmp(old, new) != 0 && new[0] != '\0') {
      status = cardan__option_set_stored(options, name, new, report);
    }
  }
  return status;
}

/* ---- names ---- */

/* The varied quantity that sets start value k; NULL: none, its value is the base's. */
static const cardan__varied *varied_at(const cardan_sweep *sweep, int k)
{
  for (int i = 0; i < cardan__plan_nvaried(sweep->plan); i++) {
    if (sweep->slot[i].anew == CARDAN__ANEW_START && sweep->slot[i].at == k) {
      return cardan__plan_varied(sweep->plan, i);
    }
  }
  return NULL;
}

static cardan_status find_starts(const cardan_sweep *sweep, cardan__worker_setup *setup,
                                 cardan_report *report)
{
  for (int k = 0; k < sweep->ninitial; k++) {
    const cardan__varied *varied = varied_at(sweep, k);
    const cardan_pos pos = varied != NULL ? varied->pos : (cardan_pos){0, 0};
    const char *name = sweep->initial[k].name;
    cardan_place *place = &setup->place[k];
    cardan_report why = {.message = ""};
    const cardan_status status = cardan_place_find(setup->model, name, place, &why);
    if (place->kind == CARDAN_PLACE_PARAMETER) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, pos,
                         "found a start value for \"%.60s\", expected q.NAME, v.NAME or u.NAME",
                         name);
    }
    // a coordinate with a prescribed motion has no start value: the run warns about it
    if (status != CARDAN_OK && (varied != NULL || place->index < 0)) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, pos, "%s", why.message);
    }
  }
  return CARDAN_OK;
}

/* The index of the column of this name in rows with the columns of `add`; -1: there is none. */
static int find_column(const cardan_model *model, int add, const char *name)
{
  return cardan__column_find(model, add, name);
}

static const int all_columns = CARDAN_ADD_ALL;

/* Reports that the table of motion has no column `name`, at the collect that needs it. */
static cardan_status fail_no_column(const cardan_sweep *sweep, const cardan_model *model,
                                    const char *name, const cardan_allocator *alloc,
                                    cardan_report *report)
{
  const cardan__collect *c = cardan__plan_collect(sweep->plan, 0);
  cardan__arena arena;
  cardan__arena_init(&arena, alloc);
  const char *const *names = cardan__column_names(model, all_columns, &arena);
  const char *nearest =
      names != NULL ? cardan__nearest(name, names, cardan__column_count(model, all_columns)) : NULL;
  for (int i = 0; c->source == NULL || strcmp(c->source, name) != 0;) {
    c = cardan__plan_collect(sweep->plan, ++i);
  }
  cardan_fail(
      report, CARDAN_ERR_ARGUMENT, c->pos, "the table of motion has no column \"%.60s\"%s%.60s%s",
      name, nearest != NULL ? "; did you mean \"" : ", expected one that cardan run --out - shows",
      nearest != NULL ? nearest : "", nearest != NULL ? "\"?" : "");
  cardan__arena_free(&arena);
  return CARDAN_ERR_ARGUMENT;
}

cardan_status cardan__worker_setup_add(const cardan_sweep *sweep, const cardan_model *model,
                                       int *add, cardan_report *report)
{
  const char *name;
  *add = 0;
  for (int k = 0; (name = cardan__collector_source(sweep->collector, k)) != NULL; k++) {
    int flag = 0;
    while (flag <= all_columns && find_column(model, flag, name) < 0) {
      flag = flag == 0 ? 1 : 2 * flag;
    }
    if (flag > all_columns) {
      return fail_no_column(sweep, model, name, &sweep->arena.alloc, report);
    }
    *add |= flag;
  }
  return CARDAN_OK;
}

static cardan_status find_columns(const cardan_sweep *sweep, cardan__worker_setup *setup,
                                  cardan_report *report)
{
  const char *name;
  for (int k = 0; (name = cardan__collector_source(sweep->collector, k)) != NULL; k++) {
    setup->column[k] = find_column(setup->model, sweep->add, name);
    if (setup->column[k] < 0) {
      return fail_no_column(sweep, setup->model, name, &setup->arena.alloc, report);
    }
  }
  return CARDAN_OK;
}

cardan_status cardan__worker_setup_names(const cardan_sweep *sweep, cardan__worker_setup *setup,
                                         cardan_report *report)
{
  const int nvaried = cardan__plan_nvaried(sweep->plan);
  const int nsource = cardan__collector_sources(sweep->collector);
  setup->place = cardan__arena_take(&setup->arena, (size_t)sweep->ninitial, sizeof *setup->place);
  setup->parameter = cardan__arena_take(&setup->arena, (size_t)nvaried, sizeof *setup->parameter);
  setup->column = cardan__arena_take(&setup->arena, (size_t)nsource, sizeof *setup->column);
  if (setup->place == NULL || setup->parameter == NULL || setup->column == NULL) {
    return cardan__no_memory(report);
  }
  for (int k = 0; k < nvaried; k++) {
    const cardan__varied *varied = cardan__plan_varied(sweep->plan, k);
    const bool is_parameter =
        varied->kind == CARDAN__VARIED_NAME && sweep->slot[k].anew == CARDAN__ANEW_MODEL;
    setup->parameter[k] = is_parameter ? cardan_model_parameter(setup->model, varied->name) : -1;
  }
  const cardan_status status = find_columns(sweep, setup, report);
  return status == CARDAN_OK ? find_starts(sweep, setup, report) : status;
}

/* ---- create and destroy ---- */

void cardan__worker_setup_free(cardan__worker_setup *setup)
{
  cardan_signals_destroy(setup->signals);
  cardan_model_destroy(setup->model);
  cardan__arena_free(&setup->arena);
  *setup = (cardan__worker_setup){.model = NULL};
}

cardan_status cardan__worker_setup_read(const cardan_sweep *sweep, const cardan_setting *setting,
                                        int nsetting, const cardan_allocator *alloc,
                                        cardan__worker_setup *out, cardan_report *report)
{
  const cardan_record *base = &sweep->base;
  *out = (cardan__worker_setup){.options = *base->options};
  cardan__arena_init(&out->arena, alloc);
  cardan_status status = cardan_model_from_text(base->text, base->length, base->model, setting,
                                                nsetting, alloc, &out->model, report);
  if (status == CARDAN_OK && base->input != NULL) {
    status = cardan_signals_read(out->model, base->input, base->input_length, "the table of inputs",
                                 base->input_linear, alloc, &out->signals, report);
  }
  const cardan_model *own = sweep->setup.model;
  if (status == CARDAN_OK && own != NULL && !same_defaults(own, out->model)) {
    status = update_defaults(sweep, out->model, &out->options, report);
  }
  if (status != CARDAN_OK) {
    cardan__worker_setup_free(out);
  }
  return status;
}
