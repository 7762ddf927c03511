// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cli.h"
#include "say.h"
#include "source.h"

/* cardan check: what a model is, or what is wrong with it. */

static int check_source(cli_source *source, cli_pairs *settings, const cardan_options *run,
                        bool json)
{
  cardan_model *model;
  int exit = cli_source_model(source, settings, &model);
  if (exit != CLI_DONE) {
    return exit;
  }
  exit = cli_source_begin(source, run, model);
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
  cardan_options run;
  if (!cli_settings_read(args, &settings) || !cli_begin_read(args, &run)) {
    cli_pairs_free(&settings);
    return CLI_USAGE;
  }
  int exit = cli_source_open(&source, args->word[0], args);
  if (exit == CLI_DONE) {
    exit = check_source(&source, &settings, &run, cli_args_value(args, "json") != NULL);
    cli_source_close(&source);
  }
  cli_pairs_free(&settings);
  return exit;
}

static const cli_option options[] = {
    CLI_SETTING_OPTIONS, CLI_STRICT_OPTION, CLI_BEGIN_OPTIONS, {"json", NULL, "one JSON object"},
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
