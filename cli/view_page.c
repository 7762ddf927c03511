// SPDX-License-Identifier: Apache-2.0
#include "view_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cardan/output.h"
#include "cardan/page.h"
#include "cardan/sampler.h"
#include "cardan/signals.h"
#include "cardan/sweep_summary.h"
#include "options.h"
#include "pages.h"
#include "say.h"
#include "source.h"

/* A model is run with its own options, for at most this long [s]: the picture should be beside
 * the text as soon as the text is saved. */
static const double patience = 1.0;
static const int64_t rows_at_once = 1000;

/* Everything that a page is made of, to be given back together. */
typedef struct {
  cli_source source;
  cli_pairs settings; // of the text
  cardan_model *model;
  cardan_sim *sim;
  cardan_film *film;
  cardan_signals *signals; // inputs of a case of a sweep; NULL: none
  cardan_options options;
  cardan_page_run run;
  char label[64], error[600];
  cardan_report fault;
} shown;

static void clear(shown *s)
{
  cardan_film_destroy(s->film);
  cardan_sim_destroy(s->sim);
  cardan_signals_destroy(s->signals);
  cardan_model_destroy(s->model);
  cli_pairs_free(&s->settings);
  cli_source_close(&s->source);
}

/* Are there rows to be shown? A case of a sweep has none: it is run, as a model is. */
static bool has_rows(const shown *s)
{
  return s->source.result != NULL && s->source.sweep == NULL;
}

/* Text and model. The fault is filled when there is something wrong. */
static bool load(shown *s, const view_file *file)
{
  cardan_status status = cli_source_load(&s->source, file->path, file->args, &s->fault);
  for (int i = 0; i < file->settings.n && status == CARDAN_OK; i++) {
    const cardan_setting *given = &file->settings.item[i];
    const bool good = has_rows(s) || cli_pairs_set(&s->settings, given->name, given->value);
    status = good ? CARDAN_OK : CARDAN_ERR_MEMORY;
  }
  for (int i = 0; i < file->wishes.n && status == CARDAN_OK && !has_rows(s); i++) {
    const cardan_setting *wish = &file->wishes.item[i];
    status = cli_pairs_set(&s->settings, wish->name, wish->value) ? CARDAN_OK : CARDAN_ERR_MEMORY;
  }
  if (status == CARDAN_OK) {
    status = cli_source_build(&s->source, &s->settings, &s->model, &s->fault);
  }
  return status == CARDAN_OK;
}

/* The model's options, or those of a case, under those of the command line. */
static bool take_options(shown *s, const view_file *file)
{
  char lost[CLI_LOST_SIZE] = "";
  if (s->source.result == NULL) {
    return cli_options_find(file->args, s->model, &s->options, &s->fault) == CARDAN_OK;
  }
  const cardan_status status =
      cli_options_of_result(file->args, &s->source.result->options, &s->options, lost, &s->fault);
  if (status == CARDAN_OK && lost[0]) { // as in the sweep, where it failed
    cardan_fail(&s->fault, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                "the method of %.200s does not have %s, expected another --method", s->source.given,
                lost);
  }
  return status == CARDAN_OK && !lost[0];
}

static bool find_options(shown *s, const view_file *file)
{
  return take_options(s, file) &&
         cli_options_check(file->args, &s->options, &s->fault) == CARDAN_OK &&
         cardan_options_prepare(&s->options, s->model, &s->fault) == CARDAN_OK;
}

typedef struct {
  double begin;
  bool over;
} hurry;

static cardan_status look_on(void *user, cardan_sim *sim, const cardan_run_state *at,
                             cardan_report *report)
{
  hurry *h = user;
  (void)sim;
  (void)report;
  h->over = at->step < at->steps && at->now - h->begin >= patience;
  return h->over ? CARDAN_ERR_STOPPED : CARDAN_OK;
}

/* Steps until the time is over, something fails, or patience ends. */
static void step_all(shown *s)
{
  cardan_report report = {0};
  const int64_t n = (int64_t)fmin(floor(s->options.time / s->options.dt + 1e-9), 1e15);
  hurry h = {.begin = cli_seconds()};
  const cardan_sink sinks[] = {cardan_film_sink(s->film), {.user = &h, .step = look_on}};
  const cardan_status status = cardan_run(s->sim, n, sinks, 2, NULL, &report);
  s->run.wall_seconds = cli_seconds() - h.begin;
  if (h.over) {
    snprintf(s->error, sizeof s->error,
             "Only what could be computed in %g s is shown; cardan run --report shows all.",
             patience);
  } else if (status != CARDAN_OK) {
    snprintf(s->error, sizeof s->error, "%s", report.message);
  }
}

/* The one row of a sim that could not be started, if it has one. */
static void show_start(shown *s)
{
  const int add = cli_page_columns(s->sim);
  double *row = malloc((size_t)cardan_sim_columns(s->sim, add) * sizeof *row);
  if (row && cardan_sim_row(s->sim, add, row) == CARDAN_OK) {
    cardan_film_append(s->film, row);
  }
  free(row);
}

/* Start values and inputs of a case. */
static cardan_status take_start(shown *s, cardan_report *report)
{
  const cardan_result *r = s->source.result;
  cardan_data *data = cardan_sim_data(s->sim);
  double *const to[] = {
      [CARDAN_PLACE_Q] = data->q, [CARDAN_PLACE_V] = data->v, [CARDAN_PLACE_INPUT] = data->u};
  bool *const given[] = {[CARDAN_PLACE_Q] = data->q_given, [CARDAN_PLACE_V] = data->v_given};
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < r->ninitial && status == CARDAN_OK; i++) {
    cardan_place place;
    status = cardan_place_find(s->model, r->initial[i].name, &place, report);
    if (status == CARDAN_OK && place.kind != CARDAN_PLACE_PARAMETER) {
      to[place.kind][place.index] = r->initial[i].value;
    }
    if (status == CARDAN_OK && (place.kind == CARDAN_PLACE_Q || place.kind == CARDAN_PLACE_V)) {
      given[place.kind][place.index] = true;
    }
  }
  if (status == CARDAN_OK && r->ninitial > 0 && !cardan_q_normalize(s->model, data->q)) {
    status = cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                         "the start leaves a quaternion of length 0");
  }
  if (status == CARDAN_OK && r->input != NULL) {
    status = cardan_signals_read(s->model, r->input, r->input_length, s->source.given,
                                 r->input_linear, NULL, &s->signals, report);
    cardan_sim_signals(s->sim, s->signals);
  }
  return status;
}

/* The motion of a model. A start or method that fails leaves the start's pose, and says why. */
static bool simulate(shown *s)
{
  cardan_report report = {0};
  if (cardan_model_dynamic(s->model, &report) != CARDAN_OK) {
    snprintf(s->error, sizeof s->error, "%s", report.message);
    return cardan_film_of_start(s->model, NULL, &s->film, &s->fault) == CARDAN_OK;
  }
  cardan_status status = cardan_sim_create(s->model, &s->options, NULL, &s->sim, &report);
  if (status == CARDAN_ERR_UNSUPPORTED) {
    snprintf(s->error, sizeof s->error, "%s", report.message);
    s->options.method = cli_touches(s->model, &s->options) ? "vi" : "aba";
    cardan_options_drop_unused(&s->options);
    status = cardan_sim_create(s->model, &s->options, NULL, &s->sim, &s->fault);
  }
  if (status != CARDAN_OK) {
    s->fault = s->fault.message[0] ? s->fault : report;
    return false;
  }
  if (cardan_film_of_sim(s->sim, cli_page_columns(s->sim), 0, NULL, &s->film, &s->fault) !=
      CARDAN_OK) {
    return false;
  }
  status = s->source.sweep != NULL ? take_start(s, &report) : CARDAN_OK;
  status = status == CARDAN_OK ? cardan_sim_start(s->sim, &report) : status;
  if (status == CARDAN_OK) {
    step_all(s);
  } else {
    snprintf(s->error, sizeof s->error, "%s", report.message);
    cardan_data_reset(s->model, cardan_sim_data(s->sim));
    cardan_sim_data(s->sim)->t = s->options.begin;
    show_start(s);
  }
  s->run.stats = cardan_sim_stats(s->sim);
  s->run.note = cardan_sim_note(s->sim);
  return true;
}

/* Statistics of a result that came to its end, from the state of its run. Where there is none the
 * page makes do with the table. */
static void recall(shown *s)
{
  const cardan_result *r = s->source.result;
  if (!r->complete || r->state == NULL || r->state_row != r->nrow ||
      cardan_sim_create(s->model, &s->options, NULL, &s->sim, NULL) != CARDAN_OK) {
    return;
  }
  if (cardan_sim_snapshot_load(s->sim, r->state, r->state_size, NULL) == CARDAN_OK) {
    s->run.stats = cardan_sim_stats(s->sim);
    s->run.warning = cardan_sim_warning(s->sim);
  }
}

/* The motion of a result, from its rows. */
static bool replay(shown *s)
{
  cardan_result *result = s->source.result;
  const size_t n = (size_t)result->ncolumn;
  double *rows = malloc((size_t)rows_at_once * n * sizeof *rows);
  s->options = result->options;
  s->run.wall_seconds = -1;
  cardan_status status = rows ? CARDAN_OK : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    status = cardan_film_create(s->model, (const char *const *)result->column, result->ncolumn, 0,
                                NULL, &s->film, &s->fault);
  }
  for (int64_t first = 0; first < result->nrow && status == CARDAN_OK; first += rows_at_once) {
    const int64_t left = result->nrow - first, count = left < rows_at_once ? left : rows_at_once;
    status = cardan_result_rows(result, first, count, rows, &s->fault);
    for (int64_t i = 0; i < count && status == CARDAN_OK; i++) {
      cardan_film_append(s->film, rows + (size_t)i * n);
    }
  }
  free(rows);
  recall(s);
  if (status == CARDAN_ERR_MEMORY) {
    cardan_fail(&s->fault, status, (cardan_pos){0, 0}, "out of memory");
  }
  return status == CARDAN_OK;
}

static cardan_page make_page(shown *s, const view_file *file, bool good)
{
  cardan_page page = {.source = file->path,
                      .text = s->source.text,
                      .length = s->source.length,
                      .model = good ? s->model : NULL,
                      .fault = good ? NULL : &s->fault,
                      .files = s->source.files,
                      .setting = s->settings.item,
                      .nsetting = s->settings.n};
  if (good) {
    cardan_options_label(&s->options, s->label, sizeof s->label);
    s->run.label = s->label;
    s->run.film = s->film;
    s->run.options = &s->options;
    s->run.error = s->error[0] ? s->error : NULL;
    page.run = &s->run;
    page.nrun = 1;
  }
  return page;
}

bool cli_view_refused(const view_file *file, cardan_report *report)
{
  shown s = {0};
  const bool refused = load(&s, file) && !has_rows(&s) && take_options(&s, file) &&
                       cli_options_check(file->args, &s.options, report) != CARDAN_OK;
  clear(&s);
  return refused;
}

static bool is_sweep(const char *path)
{
  cardan_result *result = NULL;
  const bool opened =
      cardan_is_result(path) && cardan_result_open(path, NULL, &result, NULL) == CARDAN_OK;
  const bool is = opened && result->plan != NULL;
  cardan_result_close(result);
  return is;
}

static cardan_status sweep_page(const view_file *file, const char *live, char **html,
                                size_t *html_length, char **json, size_t *json_length,
                                cardan_report *report)
{
  cardan_sweep_summary *summary;
  cardan_status status = cardan_sweep_summary_create(file->path, NULL, &summary, report);
  if (status == CARDAN_OK) {
    status = cardan_sweep_summary_html(summary, live, NULL, html, html_length, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sweep_summary_json(summary, NULL, json, json_length, report);
    if (status != CARDAN_OK) {
      cardan_free_text(NULL, *html);
      *html = NULL;
    }
  }
  cardan_sweep_summary_destroy(summary);
  return status;
}

cardan_status cli_view_page(const view_file *file, const char *live, char **html,
                            size_t *html_length, char **json, size_t *json_length,
                            cardan_report *report)
{
  if (is_sweep(file->path)) {
    return sweep_page(file, live, html, html_length, json, json_length, report);
  }
  shown s = {.run = {.wall_seconds = -1}};
  bool good = load(&s, file);
  if (good) {
    good = has_rows(&s) ? replay(&s) : find_options(&s, file) && simulate(&s);
  }
  const cardan_page page = make_page(&s, file, good);
  *report = s.fault;
  cardan_status status = cardan_page_html(&page, live, NULL, html, html_length, report);
  if (status == CARDAN_OK) {
    status = cardan_page_json(&page, NULL, json, json_length, report);
    if (status != CARDAN_OK) {
      cardan_free_text(NULL, *html);
      *html = NULL;
    }
  }
  clear(&s);
  return status;
}
