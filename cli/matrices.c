// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/describe.h"
#include "cardan/kinematics.h"
#include "cardan/load.h"
#include "cli.h"
#include "say.h"
#include "source.h"

/* cardan matrices: inertia, damping, stiffness, gravity and constraints of a model at its start. */

static int write_matrices(const cli_source *source, const cardan_model *model, bool json)
{
  cardan_report report = {0};
  cardan_data *data = NULL;
  char *text = NULL;
  snprintf(report.file, sizeof report.file, "%.200s", source->given);
  cardan_status status = cardan_data_create(model, NULL, &data);
  if (status == CARDAN_OK) {
    status = cardan_assemble(model, data, NULL, &report);
  }
  if (status == CARDAN_OK) {
    cardan_kinematics(model, data);
    status = cardan_describe_matrices(model, data, source->name, json, NULL, &text, &report);
  }
  if (status == CARDAN_OK) {
    fputs(text, stdout);
  }
  cardan_free_text(NULL, text);
  cardan_data_destroy(data);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static int matrices(const cli_args *args)
{
  cli_pairs settings = {0};
  cli_source source;
  cardan_options begin;
  cardan_model *model = NULL;
  if (!cli_settings_read(args, &settings) || !cli_begin_read(args, &begin)) {
    cli_pairs_free(&settings);
    return CLI_USAGE;
  }
  int exit = cli_source_open(&source, args->word[0], args);
  if (exit == CLI_DONE) {
    exit = cli_source_model(&source, &settings, &model);
    exit = exit == CLI_DONE ? cli_source_begin(&source, &begin, model) : exit;
    exit = exit == CLI_DONE ? write_matrices(&source, model, cli_args_value(args, "json") != NULL)
                            : exit;
    cardan_model_destroy(model);
    cli_source_close(&source);
  }
  cli_pairs_free(&settings);
  return exit;
}

static const cli_option options[] = {
    CLI_SETTING_OPTIONS, CLI_STRICT_OPTION,
    CLI_BEGIN_OPTIONS,   {"json", NULL, "one JSON object, with all digits"},
    {NULL, NULL, NULL},
};

const cli_command cli_matrices = {
    .name = "matrices",
    .words = "MODEL",
    .nword = 1,
    .help = "a model at its start: mass, inertia M, forces by velocities C and coordinates K, "
            "gravity, rows G",
    .text = "Of the tree: constraints are the rows G. About an equilibrium small motions x have\n"
            "M x'' + C x' + K x = 0, where G x = 0.\n"
            "\n"
            "examples\n"
            "  cardan matrices arm.urdf --json\n"
            "  cardan matrices go2.xml --keyframe home\n",
    .option = options,
    .run = matrices,
};
