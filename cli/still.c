// SPDX-License-Identifier: Apache-2.0
#include "still.h"

#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/kinematics.h"
#include "cardan/sampler.h"
#include "cardan/statics.h"
#include "cli.h"
#include "say.h"

static bool read_initial(cli_still *still, const cli_args *args)
{
  bool good = true;
  for (int i = 0; i < args->ngiven && good; i++) {
    const struct cli_given *given = &args->given[i];
    good = strcmp(given->name, "init") != 0 ||
           cli_pairs_read(&still->initial, given->name, given->value);
  }
  return good;
}

/* The start values of a result, with those of --init over them. */
static bool merge_initial(cli_still *still)
{
  const cardan_result *result = still->source.result;
  cli_pairs both = {0};
  bool good = true;
  for (int i = 0; result != NULL && i < result->ninitial && good; i++) {
    good = cli_pairs_set(&both, result->initial[i].name, result->initial[i].value);
  }
  for (int i = 0; i < still->initial.n && good; i++) {
    good = cli_pairs_set(&both, still->initial.item[i].name, still->initial.item[i].value);
  }
  cli_pairs_free(&still->initial);
  still->initial = both;
  return good;
}

/* One start value of --init into data. */
static int set_value(cli_still *still, const cardan_setting *given)
{
  cardan_report report = {0};
  cardan_data *data = still->data;
  cardan_place place;
  if (cardan_place_find(still->model, given->name, &place, &report) != CARDAN_OK) {
    cli_error("--init has \"%s\": %s", given->name, report.message);
    return CLI_USAGE;
  }
  switch (place.kind) {
  case CARDAN_PLACE_Q:
    data->q[place.index] = given->value;
    data->q_given[place.index] = true;
    return CLI_DONE;
  case CARDAN_PLACE_V:
    data->v[place.index] = given->value;
    data->v_given[place.index] = true;
    return CLI_DONE;
  case CARDAN_PLACE_INPUT:
    data->u[place.index] = given->value;
    return CLI_DONE;
  default:
    cli_error("--init has \"%s\", a parameter: expected a start value such as q.NAME; --set takes "
              "parameters",
              given->name);
    return CLI_USAGE;
  }
}

/* t at the start, as a run would have it. */
static cardan_status set_time(cli_still *still, cardan_report *report)
{
  const cardan_result *result = still->source.result;
  cardan_options options = result != NULL ? result->options : cardan_options_defaults();
  const cardan_status status =
      result != NULL ? CARDAN_OK
                     : cardan_options_apply_model(&options, still->model,
                                                  CARDAN_OPTIONS_OF_ALL_METHODS, report);
  still->data->t = status == CARDAN_OK ? options.begin : 0.0;
  return status;
}

/* Closes the loops, and says what that changed of what was given. */
static int close_loops(cli_still *still, cardan_report *report)
{
  cardan_assembly assembly;
  char words[512];
  const cardan_status status = cardan_assemble(still->model, still->data, &assembly, report);
  if (status != CARDAN_OK) {
    return cli_load_failed(status, report);
  }
  cardan_assembly_text(still->model, still->data, &assembly, words, sizeof words);
  if (words[0] != '\0') {
    cli_warning("%s", words);
  }
  return CLI_DONE;
}

/* The start, closed. */
static int assemble(cli_still *still)
{
  cardan_report report = {0};
  snprintf(report.file, sizeof report.file, "%.200s", still->source.given);
  cardan_status status = cardan_data_create(still->model, NULL, &still->data);
  status = status == CARDAN_OK ? set_time(still, &report) : status;
  for (int i = 0; status == CARDAN_OK && i < still->initial.n; i++) {
    const int exit = set_value(still, &still->initial.item[i]);
    if (exit != CLI_DONE) {
      return exit;
    }
  }
  if (status == CARDAN_OK && still->initial.n > 0 &&
      !cardan_q_normalize(still->model, still->data->q)) {
    cli_error("--init leaves a quaternion of length 0, expected one that can be normalised");
    return CLI_USAGE;
  }
  return status == CARDAN_OK ? close_loops(still, &report) : cli_load_failed(status, &report);
}

int cli_still_open(cli_still *still, const cli_args *args)
{
  cardan_options begin;
  *still = (cli_still){0};
  if (!cli_settings_read(args, &still->settings) || !cli_begin_read(args, &begin) ||
      !read_initial(still, args)) {
    return CLI_USAGE;
  }
  int exit = cli_source_open(&still->source, args->word[0], args);
  still->opened = exit == CLI_DONE;
  if (exit == CLI_DONE && !merge_initial(still)) {
    exit = CLI_USAGE;
  }
  if (exit == CLI_DONE) {
    exit = cli_source_model(&still->source, &still->settings, &still->model);
  }
  if (exit == CLI_DONE) {
    exit = cli_source_begin(&still->source, &begin, still->model);
  }
  return exit == CLI_DONE ? assemble(still) : exit;
}

void cli_still_tables(cli_still *still)
{
  cardan_exceeded_table left;
  cardan_kinematics(still->model, still->data);
  if (!still->left && cardan_table_exceeded(still->model, still->data, &left)) {
    char words[256];
    still->left = true;
    cardan_exceeded_table_text(&left, still->data->t, words, sizeof words);
    cli_warning("%s", words);
  }
}

int cli_still_settle(cli_still *still, const cli_args *args)
{
  const char *at = cli_args_value(args, "at");
  cardan_report report = {0};
  cardan_statics *found = NULL;
  if (at == NULL || strcmp(at, "start") == 0) {
    cli_still_tables(still);
    return CLI_DONE;
  }
  if (strcmp(at, "equilibrium") != 0) {
    cli_error("--at is \"%.40s\", expected start or equilibrium", at);
    return CLI_USAGE;
  }
  const cardan_status status =
      cardan_statics_find(still->model, still->data, NULL, NULL, &found, &report);
  cardan_statics_destroy(found);
  if (status != CARDAN_OK) {
    cli_error("%s: %s", still->source.given, report.message);
    return CLI_STOPPED;
  }
  cli_still_tables(still);
  return CLI_DONE;
}

cardan_page cli_still_page(const cli_still *still)
{
  return (cardan_page){.source = still->source.name,
                       .text = still->source.text,
                       .length = still->source.length,
                       .model = still->model,
                       .files = still->source.files,
                       .setting = still->settings.item,
                       .nsetting = still->settings.n};
}

void cli_still_close(cli_still *still)
{
  cardan_data_destroy(still->data);
  cardan_model_destroy(still->model);
  if (still->opened) {
    cli_source_close(&still->source);
  }
  cli_pairs_free(&still->settings);
  cli_pairs_free(&still->initial);
}
