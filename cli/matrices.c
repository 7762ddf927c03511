// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cli.h"
#include "say.h"
#include "still.h"

/* cardan matrices: inertia, damping, stiffness, gravity and constraints of a model at its start,
 * and the linear system of its true degrees of freedom. */

static int write_matrices(const cli_still *still, bool json)
{
  cardan_report report = {0};
  char *text = NULL;
  snprintf(report.file, sizeof report.file, "%.200s", still->source.given);
  const cardan_status status = cardan_describe_matrices(
      still->model, still->data, still->source.name, json, NULL, &text, &report);
  if (status == CARDAN_OK) {
    fputs(text, stdout);
  }
  cardan_free_text(NULL, text);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

static int matrices(const cli_args *args)
{
  cli_still still;
  int exit = cli_still_open(&still, args);
  if (exit == CLI_DONE) {
    exit = cli_still_settle(&still, args);
  }
  if (exit == CLI_DONE) {
    exit = write_matrices(&still, cli_args_value(args, "json") != NULL);
  }
  cli_still_close(&still);
  return exit;
}

static const cli_option options[] = {
    CLI_AT_OPTION,
    CLI_STILL_OPTIONS,
    {"json", NULL, "one JSON object, with all digits"},
    {NULL, NULL, NULL},
};

const cli_command cli_matrices = {
    .name = "matrices",
    .words = "MODEL",
    .nword = 1,
    .help =
        "a model at its start: inertia M, forces by velocities C and coordinates K, rows G; A, B",
    .text = "M, C, K, gravity are of the tree, G the rows of the constraints, Kc their own\n"
            "stiffness: multipliers times second derivatives of rows. About an equilibrium\n"
            "small motions x have M x'' + C x' + (K + Kc) x = 0 along N, where G N = 0.\n"
            "A, B, Cy, D: rates of the true degrees of freedom (q, v) by themselves and by\n"
            "forces and inputs, and the model's outputs.\n"
            "\n"
            "examples\n"
            "  cardan matrices arm.urdf --json\n"
            "  cardan matrices go2.xml --keyframe home\n"
            "  cardan matrices closed-chain --init q.j1=0.3\n",
    .option = options,
    .run = matrices,
};
