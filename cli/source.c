// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <stdio.h>
#include <string.h>

#include "cardan/load.h"
#include "cli.h"
#include "say.h"

int cli_source_open(cli_source *source, const char *word)
{
  cardan_report report = {0};
  *source = (cli_source){.given = word, .name = word};
  if (cardan_is_result(word)) {
    const cardan_status status = cardan_result_open(word, NULL, &source->result, &report);
    if (status != CARDAN_OK) {
      return cli_load_failed(status, &report);
    }
    source->name = source->result->model;
    source->text = source->result->text;
    source->length = source->result->length;
    return CLI_DONE;
  }
  const cardan_status status =
      cardan_load_text(word, NULL, &source->loaded, &source->length, &report);
  source->text = source->loaded;
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

bool cli_settings_read(const cli_args *args, cli_pairs *settings)
{
  bool good = true;
  for (int i = 0; i < args->ngiven && good; i++) {
    const struct cli_given *given = &args->given[i];
    if (strcmp(given->name, "set") == 0) {
      good = cli_pairs_read(settings, "set", given->value);
    } else if (strcmp(given->name, "base") == 0) {
      const bool free_base = strcmp(given->value, "free") == 0;
      good = (free_base || strcmp(given->value, "fixed") == 0);
      if (!good) {
        cli_error("--base is \"%.40s\", expected fixed or free", given->value);
      } else {
        good = cli_pairs_set(settings, "base", free_base ? 1 : 0);
      }
    }
  }
  return good;
}

/* Adds those of a result that the command line does not say anew. */
static bool add_settings(cli_pairs *settings, const cardan_result *result)
{
  cli_pairs both = {0};
  bool good = true;
  for (int i = 0; i < result->nsetting && good; i++) {
    good = cli_pairs_set(&both, result->setting[i].name, result->setting[i].value);
  }
  for (int i = 0; i < settings->n && good; i++) {
    good = cli_pairs_set(&both, settings->item[i].name, settings->item[i].value);
  }
  cli_pairs_free(settings);
  *settings = both;
  return good;
}

int cli_source_model(const cli_source *source, cli_pairs *settings, cardan_model **model)
{
  cardan_report report = {0};
  *model = NULL;
  if (source->result && !add_settings(settings, source->result)) {
    return CLI_STOPPED;
  }
  const cardan_status status =
      cardan_model_from_text(source->text, source->length, source->name, settings->item,
                             settings->n, NULL, model, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

int cli_source_close_loops(const cli_source *source, double closing, cardan_model *model)
{
  cardan_report report = {0};
  if (closing == 0 || closing == model->closing) {
    return CLI_DONE;
  }
  snprintf(report.file, sizeof report.file, "%.200s", source->given);
  const cardan_status status = cardan_model_close(model, closing, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

void cli_source_close(cli_source *source)
{
  cardan_free_text(NULL, source->loaded);
  cardan_result_close(source->result);
  *source = (cli_source){0};
}
