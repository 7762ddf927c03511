// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/load.h"
#include "cardan/output.h"
#include "cardan/statics.h"
#include "cli.h"
#include "outputs.h"
#include "say.h"
#include "still.h"

/* cardan statics: the equilibrium that a mechanism reaches from its start. */

typedef struct {
  cli_still still;
  cardan_statics_options options;
  double t; // NAN: as a run starts
  bool json;
  const char *write; // NULL: no file
} job;

static bool read_number(const cli_args *args, const char *name, double low, double *out)
{
  const char *text = cli_args_value(args, name);
  char *end = NULL;
  if (text == NULL) {
    return true;
  }
  *out = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(*out) || !(*out >= low)) {
    cli_error("--%s is \"%.40s\", expected a number >= %g", name, text, low);
    return false;
  }
  return true;
}

static bool read_args(job *j, const cli_args *args)
{
  uint64_t most = 0;
  j->json = cli_args_value(args, "json") != NULL;
  j->write = cli_args_value(args, "write");
  j->options.leave_unstable = cli_args_value(args, "stable") != NULL;
  j->options.no_friction = cli_args_value(args, "no-friction") != NULL;
  if (!cli_args_whole(args, "max-iter", 1, 1000000, 1000, &most) ||
      !read_number(args, "tol", 1e-14, &j->options.tol) || !read_number(args, "at", 0, &j->t)) {
    return false;
  }
  if (j->options.tol >= 1) {
    cli_error("--tol is %g, expected a part of the forces, less than 1", j->options.tol);
    return false;
  }
  const size_t length = j->write != NULL ? strlen(j->write) : 0;
  if (j->write != NULL && (length < 5 || strcmp(j->write + length - 4, ".mbs") != 0)) {
    cli_error("--write is \"%.200s\", expected a name that ends in .mbs", j->write);
    return false;
  }
  j->options.iterations = (int)most;
  return true;
}

/* Warns of the time and the inputs of the equilibrium, which the file that is written lacks. */
static void warn_of_settings(const job *j, double begin)
{
  const cardan_model *model = j->still.model;
  const cardan_data *data = j->still.data;
  if (data->t != begin) {
    cli_warning("the place is that of t = %g: run %s with --begin %g", data->t, j->write, data->t);
  }
  for (int i = 0; i < model->ninput; i++) {
    if (data->u[i] != model->input[i].value) {
      cli_warning("the place is that of %g for the input \"%.60s\", which is %g in the file: run "
                  "%s with --init u.%.60s=%g",
                  data->u[i], model->input[i].name, model->input[i].value, j->write,
                  model->input[i].name, data->u[i]);
    }
  }
}

/* Writes the model as a file that starts at the equilibrium, at rest. */
static int write_start(job *j, const cardan_statics *found)
{
  cardan_spec *spec;
  cardan_report report = {0};
  char *text = NULL;
  cardan_status status = cli_source_spec(&j->still.source, &j->still.settings, &spec, &report);
  if (status != CARDAN_OK) {
    return cli_load_failed(status, &report);
  }
  cardan_spec_forget_initial(spec);
  for (int i = 0; i < found->model->njoint; i++) {
    const cardan_joint *joint = &found->model->joint[i];
    if (!joint->kinematic && joint->nq > 0) {
      cardan_initial start = {.var = joint->name, .nvalue = joint->nq, .nvelocity = joint->nv};
      memcpy(start.value, found->q + joint->qadr, (size_t)joint->nq * sizeof(double));
      cardan_spec_initial(spec, &start);
    }
  }
  status = cardan_spec_write_as(spec, j->write, &text, &report);
  if (status == CARDAN_OK) {
    status = cardan_write_text(j->write, text, strlen(text), NULL, &report);
    cardan_free_text(NULL, text);
  }
  cardan_spec_destroy(spec);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

/* Reports why a search failed: the model's loops, an element that statics does not have, or no
 * equilibrium. */
static int report_failure(const job *j, cardan_status status, cardan_report *report)
{
  if (status == CARDAN_ERR_ASSEMBLY || (status == CARDAN_ERR_UNSUPPORTED && report->pos.line > 0)) {
    snprintf(report->file, sizeof report->file, "%.200s", j->still.source.given);
    return cli_load_failed(status, report);
  }
  cli_error("%s", report->message);
  return CLI_STOPPED;
}

/* A model whose (simulate ..) selects a keyframe cannot have another start. */
static bool can_write(const job *j, const cardan_model *model)
{
  for (int i = 0; i < model->ndefault && j->write != NULL; i++) {
    if (strcmp(model->defaults[i].key, "keyframe") == 0) {
      cli_error("--write cannot change the start: (simulate (keyframe ..)) of the model sets it");
      return false;
    }
  }
  return true;
}

static int find_equilibrium(job *j)
{
  cardan_report report = {0};
  cardan_statics *found = NULL;
  char *text = NULL;
  const double begin = j->still.data->t;
  j->still.data->t = isnan(j->t) ? begin : j->t;
  cardan_status status =
      cardan_statics_find(j->still.model, j->still.data, &j->options, NULL, &found, &report);
  int exit = status == CARDAN_OK ? CLI_DONE : report_failure(j, status, &report);
  if (exit == CLI_DONE &&
      cardan_describe_statics(found, j->still.source.name, j->json, NULL, &text) != CARDAN_OK) {
    cli_error("out of memory");
    exit = CLI_STOPPED;
  }
  if (exit == CLI_DONE) {
    cli_still_tables(&j->still);
    fputs(text, stdout);
    exit = j->write != NULL ? write_start(j, found) : CLI_DONE;
    if (j->write != NULL) {
      cli_wrote(j->write, exit, false);
    }
  }
  if (exit == CLI_DONE && j->write != NULL) {
    warn_of_settings(j, begin);
  }
  cardan_free_text(NULL, text);
  cardan_statics_destroy(found);
  return exit;
}

static int statics(const cli_args *args)
{
  job j = {.t = (double)NAN};
  if (!read_args(&j, args)) {
    return CLI_USAGE;
  }
  int exit = cli_still_open(&j.still, args);
  exit = exit == CLI_DONE && !can_write(&j, j.still.model) ? CLI_USAGE : exit;
  exit = exit == CLI_DONE ? find_equilibrium(&j) : exit;
  cli_still_close(&j.still);
  return exit;
}

static const cli_option options[] = {
    {"at", "T", "time of drivers and of what else depends on it [s] (as a run starts)"},
    {"stable", NULL, "of a start that is an unstable equilibrium: continue to a stable one"},
    {"no-friction", NULL, "friction does not hold the start"},
    {"tol", "E", "largest force left, of those that balance (1e-9)"},
    {"max-iter", "N", "iterations at most (1000)"},
    {"write", "FILE.mbs", "the model with this place as its start, at rest"},
    {"json", NULL, "one JSON object, with all digits"},
    CLI_STILL_OPTIONS,
    {NULL, NULL, NULL},
};

const cli_command cli_statics = {
    .name = "statics",
    .words = "MODEL",
    .nword = 1,
    .help = "the equilibrium that a model comes to from its start: forces, and is it stable?",
    .text =
        "Velocities are 0, drivers stay where they are at the time --at, inputs at their values.\n"
        "A start that is in balance is the result, stable or not; friction that can hold the "
        "start holds it.\n"
        "\n"
        "examples\n"
        "  cardan statics examples/statics/catenary.mbs\n"
        "  cardan statics arm.mbs --init q.elbow=0.5 --write rest.mbs\n",
    .option = options,
    .run = statics,
};
