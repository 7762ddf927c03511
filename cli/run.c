// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cli.h"
#include "interrupt.h"
#include "pages.h"
#include "progress.h"
#include "run_job.h"
#include "say.h"
#include "trace.h"

/* cardan run: simulate a model. */

/* More steps than a double counts exactly. */
static const double most_steps = 9007199254740992.0;

enum { CLI_ERROR_SIZE = 512 };

typedef struct {
  cardan_recorder *recorder; // NULL: no table
  cli_pages pages;           // a copy: the film is the caller's
  cli_trace trace;
  char error[CLI_ERROR_SIZE]; // why it ended early
  int64_t steps, rows;
  double wall_seconds; // of the stepping alone
} run_state;

/* Steps of dt within the time asked for; -1 and a message when there are too many. */
static int64_t count_steps(cli_job *job)
{
  const double dt = job->options.dt, time = job->options.time;
  const double n = floor(time / dt + 1e-9);
  if (!(n < most_steps)) {
    cli_error("time %g s is more steps of dt %g s than can be counted", time, dt);
    return -1;
  }
  // more than rounding of time / dt explains
  if (fabs(n * dt - time) > 1e-9 * dt * (1 + n)) {
    cli_job_warn(job, "time %g s is no multiple of dt %g s: the run ends at t = %g s", time, dt,
                 n * dt);
  }
  return (int64_t)n;
}

static int open_table(cli_job *job, run_state *run)
{
  cardan_report report = {0};
  const cardan_record record = {.model = job->source.name,
                                .text = job->source.text,
                                .length = job->source.length,
                                .options = &job->options,
                                .add = job->add,
                                .setting = job->settings.item,
                                .nsetting = job->settings.n,
                                .initial = job->initial.item,
                                .ninitial = job->initial.n};
  if (!job->out) {
    return CLI_DONE;
  }
  const cardan_status status =
      cardan_recorder_open(job->out, job->sim, &record, NULL, &run->recorder, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

/* Why a step, a start or a row failed, as an exit status. */
static int failed(cardan_status status, const cardan_report *report, bool starting)
{
  cli_error("%s", report->message[0] ? report->message : cardan_status_text(status));
  if (status == CARDAN_ERR_IO || status == CARDAN_ERR_ARGUMENT ||
      status == CARDAN_ERR_UNSUPPORTED) {
    return CLI_USAGE;
  }
  const bool model = status == CARDAN_ERR_ASSEMBLY || status == CARDAN_ERR_NOT_POSDEF;
  return starting && model ? CLI_MODEL : CLI_STOPPED;
}

static int add_row(cli_job *job, run_state *run, bool starting)
{
  cardan_report report = {0};
  // drift and constraint error count at these nodes; one without velocities fails in its row
  (void)cardan_sim_observe(job->sim);
  cardan_status status = cli_pages_row(&run->pages, job->sim);
  if (status == CARDAN_OK && run->recorder) {
    status = cardan_recorder_row(run->recorder, &report);
  }
  return status == CARDAN_OK ? CLI_DONE : failed(status, &report, starting);
}

static int start(cli_job *job, run_state *run)
{
  cardan_report report = {0};
  const cardan_status status = cardan_sim_start(job->sim, &report);
  if (status == CARDAN_ERR_ASSEMBLY) { // the model's fault, at its place in the text
    snprintf(report.file, sizeof report.file, "%s", job->source.name);
    return cli_load_failed(status, &report);
  }
  if (status != CARDAN_OK) {
    return failed(status, &report, true);
  }
  if (cardan_sim_note(job->sim)[0] != '\0') {
    cli_job_warn(job, "%s", cardan_sim_note(job->sim));
  }
  return add_row(job, run, true);
}

/* All steps, with a row after every so many. */
static int step_all(cli_job *job, run_state *run)
{
  cli_progress progress;
  cardan_report report = {0};
  const int every = job->options.every;
  int exit = CLI_DONE;
  cli_interrupt_begin();
  cli_progress_begin(&progress, job->quiet);
  for (int64_t k = 1; k <= run->steps && exit == CLI_DONE; k++) {
    const double t = (double)(k - 1) * job->options.dt;
    const double before = cli_seconds();
    const cardan_status status = cardan_sim_step(job->sim, &report);
    const double after = cli_seconds();
    run->wall_seconds += after - before;
    cli_trace_step(&run->trace, job->sim, k, t);
    if (status != CARDAN_OK) {
      cli_progress_end(&progress);
      exit = failed(status, &report, false);
      snprintf(run->error, sizeof run->error, "%s", report.message);
    } else if (k % every == 0) {
      exit = add_row(job, run, false);
    }
    if (exit == CLI_DONE && cli_interrupted()) {
      cli_progress_end(&progress);
      cli_error("stopped by a signal at t = %g, after step %" PRId64 "; what is there is kept",
                cardan_sim_data(job->sim)->t, k);
      snprintf(run->error, sizeof run->error, "It was stopped by a signal.");
      exit = 128 + cli_interrupted();
    }
    cli_progress_show(&progress, after, (double)k / (double)run->steps);
  }
  cli_progress_end(&progress);
  return exit;
}

/* The summary: to the standard output, unless the table went there. */
static int print_summary(cli_job *job, const run_state *run)
{
  const char **warning = calloc((size_t)job->nwarning + 1, sizeof *warning);
  char *text = NULL;
  if (!warning) {
    cli_error("out of memory");
    return CLI_STOPPED;
  }
  for (int i = 0; i < job->nwarning; i++) {
    warning[i] = job->warning[i];
  }
  const bool taken =
      job->out && (strcmp(job->out, "-") == 0 || strcmp(job->out, "/dev/stdout") == 0);
  const cardan_run_notes notes = {.model = job->source.name,
                                  .wall_seconds = run->wall_seconds,
                                  .warning = warning,
                                  .nwarning = job->nwarning,
                                  .table = taken ? NULL : job->out,
                                  .rows = run->rows};
  const cardan_status status = cardan_describe_run(job->sim, &notes, job->json, NULL, &text);
  if (status == CARDAN_OK) {
    fputs(text, taken ? stderr : stdout);
  }
  cardan_free_text(NULL, text);
  free(warning);
  return status == CARDAN_OK ? CLI_DONE : CLI_STOPPED;
}

/* Closes the table: kept when there is a motion to keep, and a disk that took it. */
static int close_table(run_state *run, int exit)
{
  cardan_report report = {0};
  const bool keep = exit != CLI_USAGE && exit != CLI_MODEL;
  run->rows = run->recorder ? cardan_recorder_rows(run->recorder) : 0;
  const cardan_status status = cardan_recorder_close(run->recorder, keep, &report);
  return status == CARDAN_OK ? exit : cli_load_failed(status, &report);
}

static int simulate(cli_job *job, cli_pages *pages, const cli_args *args)
{
  run_state run = {.steps = count_steps(job)};
  if (run.steps < 0) {
    return CLI_USAGE;
  }
  int exit = cli_pages_open(pages, job->sim, job->add);
  if (exit == CLI_DONE) {
    exit = open_table(job, &run);
  }
  if (exit != CLI_DONE) {
    return exit;
  }
  run.pages = *pages;
  exit = cli_trace_open(&run.trace, args);
  if (exit == CLI_DONE) {
    exit = start(job, &run);
  }
  const bool started = exit == CLI_DONE;
  if (started) {
    exit = step_all(job, &run);
  }
  exit = cli_trace_close(&run.trace, close_table(&run, exit));
  if (started) {
    const char *error = run.error[0] ? run.error : NULL;
    const int written = cli_pages_write(pages, job, run.wall_seconds, error);
    exit = exit == CLI_DONE ? written : exit;
  }
  if (started && exit != CLI_USAGE && (job->json || !job->quiet)) {
    const int printed = print_summary(job, &run);
    exit = exit == CLI_DONE ? printed : exit;
  }
  return exit;
}

static int run_model(const cli_args *args)
{
  cli_job job;
  cli_pages pages;
  int exit = cli_pages_read(&pages, args);
  if (exit != CLI_DONE) {
    return exit;
  }
  exit = cli_job_prepare(&job, args, NULL);
  if (exit == CLI_DONE) {
    exit = simulate(&job, &pages, args);
  }
  cli_pages_free(&pages);
  cli_job_free(&job);
  return exit;
}

static const cli_option options[] = {
    {"init", "q.J=0.5,v.J=1", "start values by column name, over the model's; may be repeated"},
    {"set", "NAME=VALUE", "value of a (define NAME ..); may be repeated"},
    {"out", "FILE", "the motion as a table: FILE.csv, FILE.h5, or - (CSV to the standard output)"},
    {"add", "LIST", "more columns: momentum,reactions,multipliers,work,errors"},
    {"report", "FILE.html", "a page with the motion in 3-D, plots and facts: one file, no network"},
    {"png", "FILE.png", "a picture of the motion and its plots"},
    {"svg", "FILE.svg", "the same as a drawing"},
    {"trace", "FILE.csv", "the residual of every evaluation of the root finder"},
    {"json", NULL, "the summary as one JSON object"},
    {"quiet", NULL, "no summary, warnings or progress; errors still, and --json"},
    {NULL, NULL, NULL},
};

const cli_command cli_run = {
    .name = "run",
    .words = "MODEL",
    .nword = 1,
    .help = "simulate; a summary, and on request a table of the motion and an HTML report",
    .text =
        "Options given here override those of the model's (simulate ..), which override the\n"
        "defaults in brackets. MODEL may be a result (.h5): its model, options, settings and\n"
        "start values are taken again, and options given here override them.\n"
        "\n"
        "Steps are floor(time / dt); there is a row for t = 0 and one after every N-th step.\n"
        "A table appears under its name when the run is over. When a run stops (exit status 3,\n"
        "or Ctrl-C, status 130) the rows up to the last good step are kept. When the table\n"
        "cannot be written the exit status is 1, and a file that was there before stays.\n"
        "A name with commas, equals signs or quotes stands in double quotes: '\"q.a,b\"=1'.\n"
        "\n"
        "examples\n"
        "  cardan run pendulum:5 --time 20 --out motion.csv\n"
        "  cardan run arm.mbs --method aba --integrator dopri5 --rtol 1e-10 --init q.elbow=0.5\n"
        "  cardan run closed-chain --set I=0.01 --out run.h5\n"
        "  cardan run run.h5 --dt 0.001 --json\n"
        "  cardan run top --out - | head\n"
        "  cardan run closed-chain --report chain.html\n",
    .option = options,
    .simulates = true,
    .run = run_model,
};
