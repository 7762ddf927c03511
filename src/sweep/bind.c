// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "expr/sexpr.h"
#include "sweep/cases.h"

/* From the names of a plan to places in the model, before any case is run: whatever can be seen to
 * be wrong is reported here, once, with its place in the plan. */

/* ---- names ---- */

/* Can the model follow the parameter, without its text? */
static bool is_tunable(const cardan_model *model, const char *name)
{
  const int i = cardan_model_parameter(model, name);
  return i >= 0 && !model->parameter[i].derived && model->parameter[i].rigid_pos.line == 0;
}

/* Has the text such a constant? Whether it can have the value, a case says. */
static cardan_status check_name(const cardan_sweep *sweep, const cardan__varied *varied,
                                double value, cardan_report *report)
{
  const cardan_setting one = {varied->name, value};
  const cardan_record *base = &sweep->base;
  cardan_spec *spec = NULL;
  cardan_report why = {.message = ""};
  const cardan_status status = cardan_spec_read(base->text, base->length, base->model, &one, 1,
                                                &sweep->arena.alloc, &spec, &why);
  cardan_spec_destroy(spec);
  return status == CARDAN_ERR_ARGUMENT && why.pos.line == 0
             ? cardan_fail(report, status, varied->pos, "%s", why.message)
         : status == CARDAN_ERR_MEMORY ? cardan__no_memory(report)
                                       : CARDAN_OK;
}

/* The index of a name in a list, which gets longer where it is new. */
static int index_in(cardan_setting *list, int *n, const char *name, bool words)
{
  for (int i = 0; i < *n; i++) {
    if (words ? cardan__same_word(list[i].name, name) : strcmp(list[i].name, name) == 0) {
      return i;
    }
  }
  list[*n] = (cardan_setting){.name = name};
  return (*n)++;
}

/* ---- options ---- */

static bool begins(const char *option)
{
  return strcmp(option, "keyframe") == 0 || strcmp(option, "rank-tol") == 0 ||
         strcmp(option, "closing") == 0;
}

static const char *option_text(const cardan__varied *varied, double value,
                               char number[CARDAN__NUMBER_SIZE])
{
  if (varied->nword > 0) {
    return varied->word[(int)value];
  }
  cardan__format_number(number, value, 0);
  return number;
}

static cardan_status set_option(const cardan__varied *varied, double value, cardan_options *options,
                                cardan_report *report)
{
  char number[CARDAN__NUMBER_SIZE];
  return cardan_options_set(options, varied->name, option_text(varied, value, number), report);
}

cardan_status cardan__case_options(const cardan_sweep *sweep, const cardan__worker_setup *setup,
                                   const double *value, cardan_options *options,
                                   cardan_report *report)
{
  const cardan__varied *varied;
  cardan_status first = CARDAN_OK;
  *options = setup->options;
  const int m = cardan__plan_method(sweep->plan);
  if (m >= 0) {
    first = set_option(cardan__plan_varied(sweep->plan, m), value[m], options, report);
    cardan_options_drop_unused(options);
  }
  for (int k = 0; (varied = cardan__plan_varied(sweep->plan, k)) != NULL; k++) {
    if (varied->kind == CARDAN__VARIED_OPTION) {
      cardan_report *to = first == CARDAN_OK ? report : NULL;
      cardan_status status = set_option(varied, value[k], options, to);
      status = status ? status : cardan_method_has_option(options->method, varied->name, to);
      first = first == CARDAN_OK ? status : first;
    }
  }
  return first;
}

int64_t cardan__case_steps(const cardan_options *options)
{
  const double n = floor(options->time / options->dt + 1e-9);
  return n < 0x1p53 ? (int64_t)n : -1;
}

static cardan_status check_keyframe(const cardan_sweep *sweep, const cardan__varied *varied,
                                    const char *word, cardan_report *report)
{
  const cardan_model *m = sweep->setup.model;
  const char *near = NULL;
  if (cardan_model_keyframe(m, word) >= 0) {
    return CARDAN_OK;
  }
  for (int i = 0; i < m->nkeyframe; i++) {
    const char *const pair[2] = {near != NULL ? near : m->keyframe[i].name, m->keyframe[i].name};
    const char *nearer = cardan__nearest(word, pair, 2);
    near = nearer != NULL ? nearer : near;
  }
  return cardan_fail(report, CARDAN_ERR_ARGUMENT, varied->pos,
                     "the model has no keyframe \"%.60s\"%s%.60s%s", word,
                     near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                     near != NULL ? "\"?" : "");
}

/* One value of an option: can it be? */
static cardan_status check_option(const cardan_sweep *sweep, const cardan__varied *varied,
                                  double value, cardan_report *report)
{
  cardan_options scratch = cardan_options_defaults();
  cardan_report why = {.message = ""};
  const cardan_status status = set_option(varied, value, &scratch, &why);
  if (status != CARDAN_OK) {
    return cardan_fail(report, status, varied->pos, "%s", why.message);
  }
  return strcmp(varied->name, "keyframe") == 0
             ? check_keyframe(sweep, varied, scratch.keyframe, report)
             : CARDAN_OK;
}

/* The values of an option that differs, as many as take no time: what is wrong with a later one,
 * its case says. */
static cardan_status check_options(const cardan_sweep *sweep, int k, cardan_report *report)
{
  enum { CHECKED = 10000 };
  double value;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < CHECKED && !status && cardan__plan_value(sweep->plan, k, i, &value); i++) {
    status = check_option(sweep, cardan__plan_varied(sweep->plan, k), value, report);
  }
  return status;
}

/* ---- all that differs ---- */

/* Has its axis one point? */
static bool is_fixed(const cardan__plan *plan, int k)
{
  double value;
  return cardan__plan_value(plan, k, 0, &value) && !cardan__plan_value(plan, k, 1, &value);
}

/* Slots, and whether names and words are there. value: of case 0. */
static cardan_status find_slots(cardan_sweep *sweep, const double *value, cardan_report *report)
{
  const cardan__varied *varied;
  cardan_status status = CARDAN_OK;
  for (int k = 0; (varied = cardan__plan_varied(sweep->plan, k)) != NULL && !status; k++) {
    cardan__slot *slot = &sweep->slot[k];
    *slot = (cardan__slot){CARDAN__ANEW_START, -1, is_fixed(sweep->plan, k)};
    if (varied->kind == CARDAN__VARIED_NAME && is_tunable(sweep->setup.model, varied->name)) {
      slot->anew = CARDAN__ANEW_MODEL;
    } else if (varied->kind == CARDAN__VARIED_NAME) {
      slot->anew = CARDAN__ANEW_TEXT;
      status = check_name(sweep, varied, value[k], report);
    } else if (varied->kind == CARDAN__VARIED_OPTION) {
      slot->anew = begins(varied->name) ? CARDAN__ANEW_MODEL : CARDAN__ANEW_SIM;
      status = check_options(sweep, k, report);
    }
    sweep->texts = sweep->texts || slot->anew == CARDAN__ANEW_TEXT;
    sweep->copies = sweep->copies || slot->anew == CARDAN__ANEW_MODEL;
  }
  return status;
}

/* Names that go to one list, of the slots of one kind. */
static void list_names(cardan_sweep *sweep, cardan__anew anew)
{
  const cardan__varied *varied;
  for (int k = 0; (varied = cardan__plan_varied(sweep->plan, k)) != NULL; k++) {
    cardan__slot *slot = &sweep->slot[k];
    if (slot->anew != anew || varied->kind == CARDAN__VARIED_OPTION) {
      continue;
    }
    slot->at = varied->kind == CARDAN__VARIED_NAME
                   ? index_in(sweep->setting, &sweep->nsetting, varied->name, true)
                   : index_in(sweep->initial, &sweep->ninitial, varied->name, false);
  }
}

static cardan_status make_lists(cardan_sweep *sweep, cardan_report *report)
{
  const cardan_record *base = &sweep->base;
  const size_t n = (size_t)cardan__plan_nvaried(sweep->plan);
  sweep->setting =
      cardan__arena_take(&sweep->arena, (size_t)base->nsetting + n, sizeof *sweep->setting);
  sweep->initial =
      cardan__arena_take(&sweep->arena, (size_t)base->ninitial + n, sizeof *sweep->initial);
  if (sweep->setting == NULL || sweep->initial == NULL) {
    return cardan__no_memory(report);
  }
  for (int i = 0; i < base->nsetting; i++) {
    sweep->setting[sweep->nsetting++] = base->setting[i];
  }
  for (int i = 0; i < base->ninitial; i++) {
    sweep->initial[sweep->ninitial++] = base->initial[i];
  }
  list_names(sweep, CARDAN__ANEW_TEXT);
  sweep->ntext = sweep->nsetting;
  list_names(sweep, CARDAN__ANEW_MODEL);
  list_names(sweep, CARDAN__ANEW_START);
  return CARDAN_OK;
}

/* ---- inputs and times ---- */

/* An input that differs may not be in the table of inputs, which would go over it. */
static cardan_status check_inputs(const cardan_sweep *sweep, cardan_report *report)
{
  const cardan__worker_setup *g = &sweep->setup;
  const cardan__varied *varied;
  cardan_status status = CARDAN_OK;
  if (g->signals == NULL) {
    return CARDAN_OK;
  }
  double *u = cardan__zeros(&sweep->arena.alloc, ((size_t)g->model->ninput + 1) * sizeof *u);
  if (u == NULL) {
    return cardan__no_memory(report);
  }
  for (int i = 0; i < g->model->ninput; i++) {
    u[i] = (double)NAN;
  }
  const double begin = cardan_signals_begin(g->signals);
  cardan_signals_mean(g->signals, begin, begin + 1, u);
  for (int k = 0; (varied = cardan__plan_varied(sweep->plan, k)) != NULL && !status; k++) {
    if (varied->kind == CARDAN__VARIED_INPUT && !isnan(u[g->place[sweep->slot[k].at].index])) {
      status = cardan_fail(report, CARDAN_ERR_ARGUMENT, varied->pos,
                           "\"%.60s\" differs between cases and has a column in the table of "
                           "inputs, expected one of these",
                           varied->name);
    }
  }
  cardan__resize(&sweep->arena.alloc, u, 0);
  return status;
}

/* Does a run have another length in each case? */
static bool time_differs(const cardan_sweep *sweep)
{
  const cardan__varied *varied;
  bool differs = sweep->texts; // (simulate (time T))
  for (int k = 0; (varied = cardan__plan_varied(sweep->plan, k)) != NULL; k++) {
    const bool time = strcmp(varied->name, "time") == 0 || strcmp(varied->name, "dt") == 0;
    differs = differs || (varied->kind == CARDAN__VARIED_OPTION && time && !sweep->slot[k].fixed);
  }
  return differs;
}

/* Are all times within the run? value: of case 0. */
static cardan_status check_times(const cardan_sweep *sweep, const double *value,
                                 cardan_report *report)
{
  cardan_options o;
  const cardan__collect *c;
  (void)!cardan__case_options(sweep, &sweep->setup, value, &o, NULL); // what cannot be, it says
  const double end = (double)cardan__case_steps(&o) * o.dt;
  for (int i = 0; (c = cardan__plan_collect(sweep->plan, i)) != NULL && !time_differs(sweep); i++) {
    if (c->kind == CARDAN__COLLECT_AT && c->at > end + 1e-9 * o.dt) {
      return cardan_fail(report, CARDAN_ERR_ARGUMENT, c->pos,
                         "found a value at t = %g s, expected a time from 0 to the end of the run, "
                         "%g s",
                         c->at, end);
    }
  }
  return CARDAN_OK;
}

/* ---- all of it ---- */

static cardan_status bind_plan(cardan_sweep *sweep, const double *value, cardan_report *report)
{
  cardan_status status = find_slots(sweep, value, report);
  status = status ? status : make_lists(sweep, report);
  status =
      status ? status : cardan__worker_setup_add(sweep, sweep->setup.model, &sweep->add, report);
  status = status ? status : cardan__worker_setup_names(sweep, &sweep->setup, report);
  status = status ? status : check_inputs(sweep, report);
  return status ? status : check_times(sweep, value, report);
}

cardan_status cardan__sweep_bind(cardan_sweep *sweep, cardan_report *report)
{
  const cardan_record *base = &sweep->base;
  const size_t n = (size_t)cardan__plan_nvaried(sweep->plan);
  double *value = cardan__arena_take(&sweep->arena, n, sizeof *value);
  sweep->slot = cardan__arena_take(&sweep->arena, n, sizeof *sweep->slot);
  if (value == NULL || sweep->slot == NULL ||
      cardan__collector_create(sweep->plan, &sweep->arena.alloc, &sweep->collector) != CARDAN_OK) {
    return cardan__no_memory(report);
  }
  cardan_status status = cardan__worker_setup_read(sweep, base->setting, base->nsetting,
                                                   &sweep->arena.alloc, &sweep->setup, report);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan__plan_values(sweep->plan, 0, value);
  cardan__report_file(report, sweep->plan_file);
  status = bind_plan(sweep, value, report);
  if (status == CARDAN_OK) {
    cardan__report_file(report, base->model);
    status = cardan__worker_setup_given(sweep, report);
  }
  if (status == CARDAN_OK && !sweep->copies) {
    status = cardan_options_prepare(&sweep->setup.options, sweep->setup.model, report);
  }
  return status;
}
