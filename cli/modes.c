// SPDX-License-Identifier: Apache-2.0
#include "cardan/modes.h"

#include <stdio.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cardan/output.h"
#include "cli.h"
#include "say.h"
#include "still.h"

/* cardan modes: frequencies, damping and shapes of small motions about a model's start. */

static int find(cli_still *still, cardan_modes **modes)
{
  cardan_report report = {0};
  snprintf(report.file, sizeof report.file, "%.200s", still->source.given);
  const cardan_status status = cardan_modes_create(still->model, still->data, NULL, modes, &report);
  if (status == CARDAN_ERR_SINGULAR || status == CARDAN_ERR_NO_CONVERGENCE) {
    cli_error("%s: %s", still->source.given, report.message);
    return CLI_STOPPED;
  }
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static int write_modes(const cli_still *still, const cardan_modes *modes, int count,
                       cardan_modes_form form, const char *path)
{
  cardan_report report = {0};
  char *text = NULL;
  cardan_status status = cardan_describe_modes(modes, still->source.name, count, form, NULL, &text);
  if (status == CARDAN_OK) {
    status = cardan_write_text(path, text, strlen(text), NULL, &report);
  }
  cardan_free_text(NULL, text);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static int modes(const cli_args *args)
{
  cli_still still = {0};
  cardan_modes *found = NULL;
  uint64_t count = 0;
  const char *out = cli_args_value(args, "out");
  const bool json = cli_args_value(args, "json") != NULL;
  if (!cli_args_whole(args, "count", 1, 1000000, 0, &count)) {
    return CLI_USAGE;
  }
  int exit = cli_still_open(&still, args);
  if (exit == CLI_DONE) {
    exit = find(&still, &found);
  }
  if (exit == CLI_DONE && out != NULL) {
    exit = write_modes(&still, found, (int)count, json ? CARDAN_MODES_JSON : CARDAN_MODES_CSV, out);
  }
  if (exit == CLI_DONE && (out == NULL || strcmp(out, "-") != 0)) {
    const bool text = !json || out != NULL;
    exit =
        write_modes(&still, found, (int)count, text ? CARDAN_MODES_TEXT : CARDAN_MODES_JSON, "-");
  }
  cardan_modes_destroy(found);
  cli_still_close(&still);
  return exit;
}

static const cli_option options[] = {
    {"count", "N", "the first N modes, by rising frequency (all)"},
    CLI_STILL_OPTIONS,
    {"out", "FILE.csv", "a table of all digits, with the shapes; - for the standard output"},
    {"json", NULL, "one JSON object, with all digits and the shapes"},
    {NULL, NULL, NULL},
};

const cli_command cli_modes = {
    .name = "modes",
    .words = "MODEL",
    .nword = 1,
    .help = "small motions about the start: frequencies, damping, shapes, and which of them grow",
    .text = "Of the true degrees of freedom: loops are held, with the stiffness that their forces\n"
            "have; coordinates with a (motion ..) stand still; friction and contacts are left\n"
            "out. A mode swings, decays, grows, is rigid (moves on freely) or still (stays where\n"
            "it is put). Where the start is no equilibrium that is said: the modes are then those\n"
            "of the motion at that instant.\n"
            "\n"
            "examples\n"
            "  cardan modes pendulum:3\n"
            "  cardan modes arm.urdf --init q.elbow=0.4 --json\n",
    .option = options,
    .run = modes,
};
