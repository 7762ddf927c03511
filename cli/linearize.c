// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/linearize.h"
#include "cardan/load.h"
#include "cardan/run.h"
#include "cli.h"
#include "outputs.h"
#include "run_job.h"
#include "say.h"

/* cardan linearize: the exact derivatives of one step. */

/* Steps to the node nearest to the time requested; none: the first. */
static int step_to(cli_job *job, const char *at)
{
  cardan_report report = {0};
  char *end = NULL;
  const double first = job->options.begin, t = at != NULL ? strtod(at, &end) : first;
  if (at != NULL && (end == at || *end != '\0' || !(t >= first) || !isfinite(t))) {
    cli_error("at is \"%.40s\", expected a time >= %g", at, first);
    return CLI_USAGE;
  }
  const double steps = floor((t - first) / job->options.dt + 0.5);
  if (!(steps < CLI_MOST_STEPS)) {
    cli_error("at %g s is more steps of dt %g s than can be counted", t, job->options.dt);
    return CLI_USAGE;
  }
  const int exit = cli_job_start(job);
  if (exit != CLI_DONE) {
    return exit;
  }
  const cardan_status status = cardan_run(job->sim, (int64_t)steps, NULL, 0, NULL, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_job_failed(status, &report, false);
}

/* What the derivatives leave out. */
static void say_held(const cardan_model *model)
{
  if (model->ncontroller > 0) {
    cli_warning("controllers do not act: the inputs that they set are inputs of the step");
  }
  if (model->nz > model->nrate) {
    cli_warning("memories stay as they are: samples are not part of the step");
  }
}

static int write_slopes(cli_job *job)
{
  cardan_report report = {0};
  cardan_linearization *linear = NULL;
  char *text = NULL;
  cardan_status status = cardan_linearize(job->sim, NULL, &linear, &report);
  if (status != CARDAN_OK && report.pos.line > 0) {
    snprintf(report.file, sizeof report.file, "%.200s", job->source.given);
    return cli_load_failed(status, &report);
  }
  if (status != CARDAN_OK) {
    cli_error("%s", report.message);
    return status == CARDAN_ERR_UNSUPPORTED ? CLI_USAGE : CLI_STOPPED;
  }
  say_held(job->model);
  status = cardan_describe_linearization(linear, job->json, NULL, &text);
  cardan_linearization_destroy(linear);
  if (status == CARDAN_OK) {
    status =
        cardan_write_text(job->out != NULL ? job->out : "-", text, strlen(text), NULL, &report);
  }
  cardan_free_text(NULL, text);
  const int exit = status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
  cli_wrote(job->out != NULL ? job->out : "-", exit, job->quiet);
  return exit;
}

static int linearize(const cli_args *args)
{
  cli_job job;
  int exit = cli_job_prepare(&job, args, NULL);
  if (exit == CLI_DONE) {
    exit = step_to(&job, cli_args_value(args, "at"));
  }
  if (exit == CLI_DONE) {
    exit = write_slopes(&job);
  }
  cli_job_free(&job);
  return exit;
}

static const cli_option options[] = {
    {"at", "T", "time of the step's first node [s] (as a run starts)"},
    {"init", "q.J=0.5,v.J=1", "start values, over those of the model"},
    CLI_SETTING_OPTIONS,
    {"out", "FILE.csv", "where the matrices go, - for the standard output (the default)"},
    {"json", NULL, "one JSON object in place of CSV"},
    {"quiet", NULL, "no warnings"},
    {NULL, NULL, NULL},
};

const cli_command cli_linearize = {
    .name = "linearize",
    .words = "MODEL",
    .nword = 1,
    .help = "the exact derivatives of one step of the methods svi and vi: A and B",
    .text =
        "The rows are the next coordinates, momenta and multipliers, the columns the "
        "coordinates and\n"
        "momenta of the step's first node, then forces u on each velocity and, for kinematic\n"
        "variables, their next values: [A B; lambda_x lambda_u]. Multipliers of the first step\n"
        "of a run are half of those that follow: where there are loops, take --at DT or later\n"
        "for the eigenvalues of the motion.\n"
        "\n"
        "examples\n"
        "  cardan linearize pendulum:2 --method svi --dt 0.01\n"
        "  cardan linearize closed-chain --at 1.5 --json\n",
    .option = options,
    .simulates = true,
    .method = cardan_has_slopes,
    .run = linearize,
};
