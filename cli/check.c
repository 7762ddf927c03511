// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cli.h"
#include "say.h"
#include "source.h"

/* cardan check: what a model is, or what is wrong with it. */

/* --closing, checked as for a run; -1 and a message when it cannot be. */
static double closing_of(const cli_args *args)
{
  cardan_options options = cardan_options_defaults();
  cardan_report report = {0};
  const char *value = cli_args_value(args, "closing");
  if (value && cardan_options_set(&options, "closing", value, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return -1;
  }
  return options.closing;
}

static int check_source(cli_source *source, cli_pairs *settings, double closing, bool json)
{
  cardan_model *model;
  int exit = cli_source_model(source, settings, &model);
  if (exit != CLI_DONE) {
    return exit;
  }
  exit = cli_source_close_loops(source, closing, model);
  if (exit != CLI_DONE) {
    cardan_model_destroy(model);
    return exit;
  }
  char *text;
  cardan_report report = {0};
  snprintf(report.file, sizeof report.file, "%.200s", source->given);
  const cardan_status status =
      cardan_describe_model(model, source->name, json, NULL, &text, &report);
  if (status == CARDAN_OK) {
    fputs(text, stdout);
    cardan_free_text(NULL, text);
  } else {
    exit = cli_load_failed(status, &report);
  }
  cardan_model_destroy(model);
  return exit;
}

static int check(const cli_args *args)
{
  cli_pairs settings = {0};
  cli_source source;
  if (!cli_settings_read(args, &settings)) {
    cli_pairs_free(&settings);
    return CLI_USAGE;
  }
  const double closing = closing_of(args);
  int exit = closing < 0 ? CLI_USAGE : cli_source_open(&source, args->word[0], args);
  if (exit == CLI_DONE) {
    exit = check_source(&source, &settings, closing, cli_args_value(args, "json") != NULL);
    cli_source_close(&source);
  }
  cli_pairs_free(&settings);
  return exit;
}

static const cli_option options[] = {
    CLI_SETTING_OPTIONS,
    CLI_STRICT_OPTION,
    {"closing", "X", "violation with which a loop counts as closed, as of run"},
    {"json", NULL, "one JSON object"},
    {NULL, NULL, NULL},
};

const cli_command cli_check = {
    .name = "check",
    .words = "MODEL",
    .nword = 1,
    .help = "what a model is: bodies, joints, freedom, loops, which methods take it",
    .text = "examples\n"
            "  cardan check closed-chain\n"
            "  cardan check arm.mbs --set L=0.5 --json\n",
    .option = options,
    .run = check,
};
