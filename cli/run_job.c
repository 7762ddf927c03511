// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "run_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/dynamics.h"
#include "cardan/load.h"
#include "cli.h"
#include "options.h"
#include "say.h"

void cli_job_warn(cli_job *job, const char *format, ...)
{
  char text[CLI_WARNING_SIZE];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!job->quiet) {
    cli_warning("%s", text);
  }
  void *more = realloc(job->warning, (size_t)(job->nwarning + 1) * sizeof *job->warning);
  if (more) {
    job->warning = more;
    memcpy(job->warning[job->nwarning++], text, sizeof text);
  }
}

/* Returns whether every method has this option. */
static bool is_common(const char *name)
{
  cardan_option_info o;
  for (int i = 0; cardan_option_at(i, &o); i++) {
    if (strcmp(o.name, name) == 0) {
      return o.methods[0] == '\0';
    }
  }
  return false;
}

/* Reads --method auto and --accuracy, which require one another and exclude options of single
 * methods. */
static int read_accuracy(cli_job *job, const cli_args *args)
{
  const char *text = cli_args_value(args, "accuracy");
  char *end = NULL;
  if (!text && !args->automatic) {
    return CLI_DONE;
  }
  if (!text || !args->automatic) {
    cli_error(text ? "--accuracy is what --method auto chooses by, expected that too"
                   : "--method auto chooses by --accuracy E, expected that too");
    return CLI_USAGE;
  }
  job->accuracy = strtod(text, &end);
  if (end == text || *end != '\0' || !(job->accuracy > 0 && isfinite(job->accuracy))) {
    cli_error("--accuracy is \"%.40s\", expected a number above 0", text);
    return CLI_USAGE;
  }
  for (int i = 0; i < args->ngiven; i++) {
    const char *name = args->given[i].name;
    if (cli_is_sim_option(name) && !is_common(name)) {
      cli_error("--%s is not an option of every method, expected only those beside --method auto",
                name);
      return CLI_USAGE;
    }
  }
  return CLI_DONE;
}

/* Reads the command line; invalid values are reported before anything is loaded. */
static int read_args(cli_job *job, const cli_args *args)
{
  cardan_options scratch = cardan_options_defaults();
  cardan_report report = {0};
  job->out = cli_args_value(args, "out");
  job->json = cli_args_value(args, "json") != NULL;
  job->quiet = cli_args_value(args, "quiet") != NULL;
  const char *add = cli_args_value(args, "add");
  if (add && cardan_add_read(add, &job->add, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  if (!cli_settings_read(args, &job->settings)) {
    return CLI_USAGE;
  }
  for (int i = 0; i < args->ngiven; i++) {
    const struct cli_given *given = &args->given[i];
    if (strcmp(given->name, "init") == 0 &&
        !cli_pairs_read(&job->initial, given->name, given->value)) {
      return CLI_USAGE;
    }
  }
  if (cli_options_apply(args, &scratch, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  return read_accuracy(job, args);
}

/* Collects the options: defaults, then the model's or those of a result's run, then those of the
 * command line, which the method must have unless there are several methods. */
static int find_options(cli_job *job, const cli_args *args, bool several)
{
  cardan_report report = {0};
  char lost[CLI_LOST_SIZE] = "";
  const cardan_options *result = job->source.result ? &job->source.result->options : NULL;
  cardan_status status =
      several  ? cli_options_of_several(args, job->model, result, &job->options, &report)
      : result ? cli_options_of_result(args, result, &job->options, lost, &report)
               : cli_options_find(args, job->model, &job->options, &report);
  if (lost[0] && job->source.sweep) { // as in the sweep, where it failed
    cli_error("the method of %s does not have %s, expected another --method", job->source.given,
              lost);
    return CLI_USAGE;
  }
  if (lost[0]) {
    cli_job_warn(job, "of the result's options its method does not have %s: left out", lost);
  }
  if (result && job->source.result->assumed && job->options.kinetic == result->kinetic) {
    cli_job_warn(job, "%s: %s", job->source.given, job->source.result->assumed);
  }
  if (status == CARDAN_OK && job->source.sweep) { // what the case's settings make of (simulate ..)
    cardan_options own = cardan_options_defaults();
    status = cardan_options_apply_model(&own, job->model, CARDAN_OPTIONS_OF_ALL_METHODS, &report);
  }
  if (status == CARDAN_ERR_MODEL) {
    snprintf(report.file, sizeof report.file, "%.200s", job->source.given);
    return cli_load_failed(status, &report);
  }
  if (status == CARDAN_OK && !several) {
    status = cli_options_check(args, &job->options, &report);
  }
  if (status != CARDAN_OK) {
    cli_error("%s", report.message);
  }
  return status == CARDAN_OK ? CLI_DONE : CLI_USAGE;
}

/* Observing a node, with its velocities and energy, costs at least a third of a step. If neither
 * rows nor their number are requested, a long run observes only every tenth node for its
 * summary. */
static void set_observation_interval(cli_job *job, const cli_args *args)
{
  static const char *const takers[] = {"out", "report", "png", "svg", "film", "every", "continue"};
  bool taken = false;
  for (size_t i = 0; i < sizeof takers / sizeof takers[0]; i++) {
    taken = taken || cli_args_value(args, takers[i]) != NULL;
  }
  if (!taken && job->options.every == 1 && job->options.time >= 1000 * job->options.dt) {
    job->options.every = 10;
  }
}

/* Uses --init of a result's run; those of this command line override them. */
static bool use_result_start(cli_job *job, bool add_given)
{
  const cardan_result *result = job->source.result;
  cli_pairs both = {0};
  bool good = true;
  for (int i = 0; i < result->ninitial && good; i++) {
    good = cli_pairs_set(&both, result->initial[i].name, result->initial[i].value);
  }
  for (int i = 0; i < job->initial.n && good; i++) {
    good = cli_pairs_set(&both, job->initial.item[i].name, job->initial.item[i].value);
  }
  cli_pairs_free(&job->initial);
  job->initial = both;
  job->add = add_given ? job->add : result->add;
  return good;
}

/* Reports that there is no such start value, with similar names. */
static void report_unknown_start(const cardan_model *model, const char *name)
{
  const bool speed = name[0] == 'v' && name[1] == '.';
  const bool known = speed || (name[0] == 'q' && name[1] == '.');
  const char *rest = known ? name + 2 : name;
  const char *const *list = speed ? model->v_name : model->q_name;
  const int n = speed ? model->nv : model->nq;
  const int j = cardan_model_joint(model, rest);
  const char *near = cardan_nearest(rest, list, n);
  if (name[0] == 'z' && name[1] == '.' && model->nz > 0) {
    cli_error("--init has \"%s\", but the model has no auxiliary state of that name, expected one "
              "such as z.%s",
              name, model->state[0].name);
  } else if (name[0] == 'u' && name[1] == '.' && model->ninput > 0) {
    cli_error(
        "--init has \"%s\", but the model has no input of that name, expected one such as u.%s",
        name, model->input[0].name);
  } else if (!known) {
    cli_error("--init has \"%s\", expected a name such as q.%s or v.%s", name,
              model->nq > 0 ? model->q_name[0] : "NAME", model->nv > 0 ? model->v_name[0] : "NAME");
  } else if (j >= 0 && model->joint[j].nq > 1) {
    const int first = speed ? model->joint[j].vadr : model->joint[j].qadr;
    cli_error("--init has \"%s\", but the joint has more than one coordinate, expected %.2s%s, ..",
              name, name, list[first]);
  } else if (near) {
    cli_error("--init has \"%s\"; did you mean %.2s%s?", name, name, near);
  } else {
    cli_error("--init has \"%s\", but the model has no %s of that name; cardan run --out - shows "
              "them as columns",
              name, speed ? "velocity" : "coordinate");
  }
}

/* Sets start values by name in the sim's state. */
static int set_start(cli_job *job)
{
  const cardan_model *model = job->model;
  cardan_data *data = cardan_sim_data(job->sim);
  for (int i = 0; i < job->initial.n; i++) {
    const char *name = job->initial.item[i].name;
    const bool dotted = name[0] != '\0' && name[1] == '.';
    const int q = dotted && name[0] == 'q' ? cardan_model_q(model, name + 2) : -1;
    const int v = dotted && name[0] == 'v' ? cardan_model_v(model, name + 2) : -1;
    const int u = dotted && name[0] == 'u' ? cardan_model_input(model, name + 2) : -1;
    const int z = dotted && name[0] == 'z' ? cardan_model_z(model, name + 2) : -1;
    if (u >= 0 || z >= 0) {
      *(u >= 0 ? &data->u[u] : &data->z[z]) = job->initial.item[i].value;
      if (u >= 0 && cardan_model_controller(model, u) >= 0) {
        cli_job_warn(job, "--init %s has no effect: the input has a (controller ..)", name);
      }
      continue;
    }
    if (q < 0 && v < 0) {
      report_unknown_start(model, name);
      return CLI_USAGE;
    }
    const int body = q >= 0 ? model->q_body[q] : model->v_body[v];
    *(q >= 0 ? &data->q[q] : &data->v[v]) = job->initial.item[i].value;
    *(q >= 0 ? &data->q_given[q] : &data->v_given[v]) = true;
    if ((model->body[body].flags & CARDAN_LINK_KINEMATIC) != 0) {
      cli_job_warn(job, "--init %s has no effect: the coordinate follows its (motion ..)", name);
    }
  }
  if (job->initial.n > 0 && !cardan_q_normalize(model, data->q)) {
    cli_error("--init leaves a quaternion of length 0, expected one that can be normalised");
    return CLI_USAGE;
  }
  return CLI_DONE;
}

bool cli_touches(const cardan_model *model, const cardan_options *options)
{
  const char *contacts = options->contacts;
  bool any = model->npair > 0;
  for (int i = 0; i < model->nbound; i++) {
    any = any || model->bound[i].kind != CARDAN_ELEMENT_STOP;
  }
  return any && !(contacts && strcmp(contacts, "off") == 0);
}

static int make_sim(cli_job *job, const char *method)
{
  cardan_report report = {0};
  cardan_options options = job->options;
  if (method) {
    options.method = cli_touches(job->model, &job->options) ? "vi" : method;
    cardan_options_drop_unused(&options);
  }
  const cardan_status status = cardan_sim_create(job->model, &options, NULL, &job->sim, &report);
  if (status == CARDAN_OK) {
    return CLI_DONE;
  }
  cli_error("%s", report.message);
  return status == CARDAN_ERR_MEMORY ? CLI_STOPPED : CLI_USAGE;
}

/* Reads the table of inputs: of the command line, or of the result. */
static int read_input(cli_job *job, const cli_args *args, const char **name)
{
  const char *path = cli_args_value(args, "input"), *mode = cli_args_value(args, "input-mode");
  const cardan_result *result = job->source.result;
  cardan_report report = {0};
  if (mode && strcmp(mode, "held") != 0 && strcmp(mode, "linear") != 0) {
    cli_error("--input-mode is \"%.40s\", expected held or linear", mode);
    return CLI_USAGE;
  }
  if (path) {
    *name = path;
    const cardan_status status =
        cli_load_beside(path, &job->input_text, &job->input_length, &report);
    if (status != CARDAN_OK) {
      return cli_load_failed(status, &report);
    }
    job->input = job->input_text;
  } else if (result) {
    *name = job->source.given;
    job->input = result->input;
    job->input_length = result->input_length;
    job->input_linear = result->input_linear;
  }
  job->input_linear = mode ? strcmp(mode, "linear") == 0 : job->input_linear;
  if (mode && !job->input) {
    cli_error("--input-mode says how a table of inputs is read, expected --input FILE.csv too");
    return CLI_USAGE;
  }
  return CLI_DONE;
}

/* Sets the sim's table of inputs; warns if it does not cover the run. */
static int set_input(cli_job *job, const cli_args *args)
{
  const char *name = "";
  cardan_report report = {0};
  const int exit = read_input(job, args, &name);
  if (exit != CLI_DONE || !job->input) {
    return exit;
  }
  const cardan_status status = cardan_signals_read(job->model, job->input, job->input_length, name,
                                                   job->input_linear, NULL, &job->signals, &report);
  if (status != CARDAN_OK) {
    return cli_table_failed(status, &report);
  }
  const double begin = cardan_signals_begin(job->signals), end = cardan_signals_end(job->signals);
  cardan_sim_signals(job->sim, job->signals);
  if (begin > job->options.begin) {
    cli_job_warn(job, "%s begins at t = %g s: before that, inputs have the model's own values",
                 name, begin);
  }
  if (end < job->options.begin + job->options.time - job->options.dt) {
    cli_job_warn(job, "%s ends at t = %g s: its last row is held from there on", name, end);
  }
  return CLI_DONE;
}

/* Columns of the table that are one choice of many. */
static void warn_of_choice(cli_job *job)
{
  const cardan_model *model = job->model;
  const cardan_constraint *first = NULL;
  int n = 0;
  for (int c = 0; c < model->nconstraint; c++) {
    const cardan_constraint *k = &model->constraint[c];
    bool shared = false;
    for (int r = k->row; r < k->row + k->nrow; r++) {
      shared = shared || model->row_shared[r];
    }
    first = shared && n++ == 0 ? k : first;
  }
  if (first != NULL && (job->add & (CARDAN_ADD_MULTIPLIERS | CARDAN_ADD_REACTIONS))) {
    char more[32] = "";
    if (n > 1) {
      snprintf(more, sizeof more, " and %d more", n - 1);
    }
    cli_job_warn(job,
                 "multipliers of \"%.60s\"%s, and reactions that depend on them, are not unique: "
                 "the table has those of least norm",
                 first->name, more);
  }
}

/* Prints the warnings of the model and of the options. */
static void warn_of_model(cli_job *job)
{
  const cardan_model *model = job->model;
  char text[CLI_WARNING_SIZE];
  warn_of_choice(job);
  for (int i = 0; cardan_options_notice(cardan_sim_options(job->sim), i, text, sizeof text); i++) {
    cli_job_warn(job, "%s", text);
  }
  for (int i = 0; i < model->nwarning; i++) {
    cli_job_warn(job, "%s", model->warning[i]);
  }
}

/* Finds a method that supports the model, for a sim in which start values are set before the method
 * is chosen. */
static const char *find_supported_method(const cli_job *job)
{
  const char *name;
  for (int i = 0; (name = cardan_method_name(i)) != NULL; i++) {
    cardan_options own = job->options;
    own.method = name;
    cardan_options_drop_unused(&own);
    if (cardan_method_accepts(i, job->model, &own, NULL) == CARDAN_OK) {
      return name;
    }
  }
  return cardan_method_name(0);
}

/* Chooses method and step, and creates the sim again with them, at the same start. */
static int choose(cli_job *job)
{
  cardan_report report = {0};
  const cardan_model *m = job->model;
  cardan_sim *old = job->sim;
  const cardan_data *from = cardan_sim_data(old);
  job->choice = calloc(1, sizeof *job->choice);
  const cardan_status status = job->choice
                                   ? cardan_choose(m, from, job->signals, &job->options,
                                                   job->accuracy, NULL, job->choice, &report)
                                   : CARDAN_ERR_MEMORY;
  if (status != CARDAN_OK) {
    return cli_job_failed(status, &report, true);
  }
  snprintf(job->note, sizeof job->note, "--method auto --accuracy %g: %s, estimated error %.3g",
           job->accuracy, job->choice->tries[job->choice->chosen].label, job->choice->error);
  job->options = job->choice->options;
  const int exit = make_sim(job, NULL);
  if (exit == CLI_DONE) {
    cardan_data *to = cardan_sim_data(job->sim);
    memcpy(to->q, from->q, (size_t)m->nq * sizeof *to->q);
    memcpy(to->v, from->v, (size_t)m->nv * sizeof *to->v);
    memcpy(to->u, from->u, (size_t)(m->ninput + m->nz + m->nturning) * sizeof *to->u);
    memcpy(to->q_given, from->q_given, (size_t)m->nq * sizeof *to->q_given);
    memcpy(to->v_given, from->v_given, (size_t)m->nv * sizeof *to->v_given);
    cardan_sim_signals(job->sim, job->signals);
    cardan_sim_destroy(old);
  }
  return exit;
}

int cli_job_prepare(cli_job *job, const cli_args *args, const char *method)
{
  *job = (cli_job){0};
  int exit = read_args(job, args);
  if (exit == CLI_DONE) {
    exit = cli_source_open(&job->source, args->word[0], args);
  }
  if (exit == CLI_DONE && job->source.result && job->source.result->plan) {
    cli_error("%s is the result of a sweep, expected one of its cases: %s#0 to #%" PRId64,
              args->word[0], args->word[0], job->source.result->nrow - 1);
    exit = CLI_USAGE;
  }
  if (exit == CLI_DONE) {
    exit = cli_source_model(&job->source, &job->settings, &job->model);
  }
  if (exit == CLI_DONE) {
    exit = cli_source_dynamic(&job->source, job->model);
  }
  if (exit == CLI_DONE && job->source.result &&
      !use_result_start(job, cli_args_value(args, "add") != NULL)) {
    exit = CLI_STOPPED;
  }
  if (exit == CLI_DONE) {
    exit = find_options(job, args, method != NULL || job->accuracy > 0);
  }
  if (exit == CLI_DONE && method == NULL) {
    set_observation_interval(job, args);
  }
  if (exit == CLI_DONE) {
    exit = cli_source_begin(&job->source, &job->options, job->model);
  }
  if (exit == CLI_DONE) {
    const bool any = job->accuracy > 0 || (method && method[0] == '\0');
    exit = make_sim(job, any ? find_supported_method(job) : method);
  }
  if (exit == CLI_DONE) {
    warn_of_model(job);
  }
  if (exit == CLI_DONE) {
    exit = set_input(job, args);
  }
  if (exit == CLI_DONE) {
    exit = set_start(job);
  }
  return exit == CLI_DONE && job->accuracy > 0 ? choose(job) : exit;
}

int cli_job_failed(cardan_status status, const cardan_report *report, bool starting)
{
  cli_error("%s", report->message[0] ? report->message : cardan_status_text(status));
  if (status == CARDAN_ERR_IO || status == CARDAN_ERR_ARGUMENT ||
      status == CARDAN_ERR_UNSUPPORTED) {
    return CLI_USAGE;
  }
  const bool model = status == CARDAN_ERR_ASSEMBLY || status == CARDAN_ERR_NOT_POSDEF;
  return starting && model ? CLI_MODEL : CLI_STOPPED;
}

int cli_job_start(cli_job *job)
{
  cardan_report report = {0};
  const cardan_status status = cardan_sim_start(job->sim, &report);
  job->status = status;
  snprintf(job->error, sizeof job->error, "%s", report.message);
  if (status == CARDAN_ERR_ASSEMBLY) { // the model's fault, at its place in the text
    snprintf(report.file, sizeof report.file, "%s", job->source.name);
    return cli_load_failed(status, &report);
  }
  if (status != CARDAN_OK) {
    return cli_job_failed(status, &report, true);
  }
  if (cardan_sim_note(job->sim)[0] != '\0') {
    cli_job_warn(job, "%s", cardan_sim_note(job->sim));
  }
  return CLI_DONE;
}

int64_t cli_job_steps(cli_job *job)
{
  const double dt = job->options.dt, time = job->options.time;
  const double n = floor(time / dt + 1e-9);
  if (!(n < CLI_MOST_STEPS)) {
    cli_error("time %g s is more steps of dt %g s than can be counted", time, dt);
    return -1;
  }
  if (n < 1 && time > 0) {
    cli_job_warn(job,
                 "dt %g s is larger than the time %g s: no step is taken, and what there is is "
                 "the start alone",
                 dt, time);
    return 0;
  }
  // more than rounding of time / dt explains
  if (fabs(n * dt - time) > 1e-9 * dt * (1 + n)) {
    cli_job_warn(job, "time %g s is no multiple of dt %g s: the run ends at t = %g s", time, dt,
                 job->options.begin + n * dt);
  }
  return (int64_t)n;
}

cardan_record cli_job_record(const cli_job *job)
{
  return (cardan_record){.model = cli_source_text_name(&job->source),
                         .text = job->source.text,
                         .length = job->source.length,
                         .options = &job->options,
                         .add = job->add,
                         .beside = job->beside,
                         .setting = job->settings.item,
                         .nsetting = job->settings.n,
                         .initial = job->initial.item,
                         .ninitial = job->initial.n,
                         .input = job->input,
                         .input_length = job->input_length,
                         .input_linear = job->input_linear,
                         .note = job->note[0] ? job->note : NULL};
}

bool cli_job_taken(const cli_job *job)
{
  return job->out && (strcmp(job->out, "-") == 0 || strcmp(job->out, "/dev/stdout") == 0);
}

void cli_job_free(cli_job *job)
{
  cardan_sim_destroy(job->sim);
  cardan_signals_destroy(job->signals);
  cardan_free_text(NULL, job->input_text);
  cardan_model_destroy(job->model);
  cli_source_close(&job->source);
  cli_pairs_free(&job->settings);
  cli_pairs_free(&job->initial);
  free(job->warning);
  free(job->choice);
}
