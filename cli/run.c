// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cli.h"
#include "continue.h"
#include "interrupt.h"
#include "pages.h"
#include "progress.h"
#include "run_job.h"
#include "say.h"

/* cardan run: simulate a model. */

enum { MOST_SINKS = 5 };

typedef struct {
  cardan_table *table, *trace;   // NULL: not requested
  cardan_checkpoint *checkpoint; // of the table; NULL: none
  cli_progress progress;
  cardan_sink sink[MOST_SINKS];
  int nsink;
  cardan_run_state at; // where it ended
  int64_t steps, rows;
} run_state;

/* After each step: the bar, and whether to stop. */
static cardan_status look_on(void *user, cardan_sim *sim, const cardan_run_state *at,
                             cardan_report *report)
{
  run_state *run = user;
  (void)sim;
  cli_progress_show(&run->progress, at->now, (double)at->step / (double)at->steps);
  if (!cli_interrupted()) {
    return CARDAN_OK;
  }
  // a state of the last node, unless the step that follows it was cut short
  const bool whole = at->status == CARDAN_OK && run->checkpoint;
  const cardan_status status = whole ? cardan_checkpoint_save(run->checkpoint, report) : CARDAN_OK;
  return status == CARDAN_OK ? CARDAN_ERR_STOPPED : status;
}

/* The table, new or with the rows that a run had before; and its states. */
static cardan_status open_table(cli_job *job, run_state *run, const cli_continue *resume,
                                cardan_report *report)
{
  const cardan_record record = cli_job_record(job);
  cardan_status status =
      resume->asked ? cardan_table_continue(job->source.result, job->out, resume->at.row, &record,
                                            NULL, &run->table, report)
                    : cardan_table_of_sim(job->out, job->sim, &record, NULL, &run->table, report);
  if (status == CARDAN_OK) {
    status = cardan_checkpoint_create(run->table, job->sim, resume->checkpoint, NULL,
                                      &run->checkpoint, report);
  }
  if (status == CARDAN_OK && resume->asked && resume->at.step == run->steps) {
    status = cardan_checkpoint_save(run->checkpoint, report); // no step comes that would
  }
  return status;
}

/* A table that a signal finds before the first step is of no use. */
static void drop_early(const char *out)
{
  char name[CLI_PATH_SIZE];
  if (cli_partial_name(out, name, sizeof name)) {
    cli_interrupt_drop(name);
  }
}

/* Opens the files that rows go to: a long run must not end at a path that cannot be written. */
static int open_sinks(cli_job *job, run_state *run, cli_pages *pages, const char *trace,
                      const cli_continue *resume)
{
  cardan_report report = {0};
  cardan_status status = CARDAN_OK;
  const int exit = resume->asked ? cli_pages_go_on(pages, job, resume->at.row)
                                 : cli_pages_open(pages, job->sim, job->add);
  if (exit != CLI_DONE) {
    return exit;
  }
  cli_interrupt_hold(true);
  if (job->out && !cli_continue_done(resume, run->steps)) {
    status = open_table(job, run, resume, &report);
    if (status == CARDAN_OK && !resume->asked) {
      drop_early(job->out);
    }
  }
  if (status == CARDAN_OK && trace) {
    status = cardan_trace_open(trace, NULL, &run->trace, &report);
    if (status == CARDAN_OK) {
      drop_early(trace);
    }
  }
  cli_interrupt_hold(false);
  if (status != CARDAN_OK) {
    return cli_load_failed(status, &report);
  }
  if (pages->film) {
    run->sink[run->nsink++] = cli_pages_sink(pages, resume->asked, job->add | job->beside);
  }
  if (run->table) {
    run->sink[run->nsink++] = cardan_table_sink(run->table, job->add | job->beside);
    run->sink[run->nsink++] = cardan_checkpoint_sink(run->checkpoint);
  }
  if (run->trace) {
    run->sink[run->nsink++] = cardan_trace_sink(run->trace);
  }
  run->sink[run->nsink++] = (cardan_sink){.user = run, .step = look_on}; // last: it may end the run
  return CLI_DONE;
}

/* What there is of the run when it has to be ended inside a step. */
static void say_left(const cli_job *job, char *text, size_t size)
{
  char name[CLI_PATH_SIZE];
  if (!job->out || !cli_partial_name(job->out, name, sizeof name)) {
    snprintf(text, size, "nothing was kept");
    return;
  }
  const bool result = cli_names_result(name);
  snprintf(text, size, "its rows are in %s%s%s%s", name, result ? "; cardan run " : "",
           result ? name : "", result ? " --continue continues it" : "");
}

/* Observes without rows, while the steps that the file has are repeated. */
static int catch_up(cli_job *job, run_state *run, cli_continue *resume)
{
  const cardan_sink sink = {.user = run, .step = look_on};
  cli_interrupt_begin("the file is as it was");
  cli_progress_begin(&run->progress, job->quiet);
  cardan_sim_stop(job->sim, cli_interrupt_flag());
  const int exit = cli_continue_sim(resume, job, &sink);
  cli_progress_end(&run->progress);
  return exit;
}

static int step_all(cli_job *job, run_state *run, const cli_continue *resume)
{
  cardan_report report = {0};
  char left[2 * CLI_PATH_SIZE + 64];
  say_left(job, left, sizeof left);
  cli_interrupt_begin(left);
  cli_progress_begin(&run->progress, job->quiet);
  cardan_sim_stop(job->sim, cli_interrupt_flag());
  const cardan_status status =
      cardan_run(job->sim, run->steps - resume->at.step, run->sink, run->nsink, &run->at, &report);
  cli_interrupt_end();
  cli_progress_end(&run->progress);
  job->status = status;
  if (status == CARDAN_OK) {
    return CLI_DONE;
  }
  if (status == CARDAN_ERR_STOPPED) {
    const cardan_stats stats = cardan_sim_stats(job->sim);
    cli_error("stopped by a signal at t = %g, after step %" PRId64 "; what is there is kept",
              cardan_sim_data(job->sim)->t, stats.steps);
    snprintf(job->error, sizeof job->error, "It was stopped by a signal.");
    return 128 + cli_interrupted();
  }
  snprintf(job->error, sizeof job->error, "%s", report.message);
  return cli_job_failed(status, &report, run->at.step == 0 && run->at.status == CARDAN_OK);
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
  const bool taken = cli_job_taken(job);
  const cardan_run_notes notes = {.model = job->source.name,
                                  .wall_seconds = run->at.seconds,
                                  .wall_steps = run->at.step,
                                  .warning = warning,
                                  .nwarning = job->nwarning,
                                  .table = taken ? NULL : job->out,
                                  .rows = run->rows,
                                  .choice = job->choice,
                                  .status = job->status,
                                  .error = job->error[0] ? job->error : NULL};
  const cardan_status status = cardan_describe_run(job->sim, &notes, job->json, NULL, &text);
  if (status == CARDAN_OK) {
    fputs(text, taken ? stderr : stdout);
  }
  cardan_free_text(NULL, text);
  free(warning);
  return status == CARDAN_OK ? CLI_DONE : CLI_STOPPED;
}

/* Closes the files: kept when there is a motion to keep, and a disk that took it. */
static int close_sinks(run_state *run, int exit)
{
  cardan_table *const tables[] = {run->table, run->trace};
  const bool keep = exit != CLI_USAGE && exit != CLI_MODEL;
  run->rows = run->table ? cardan_table_rows(run->table) : run->rows;
  for (int i = 0; i < 2; i++) {
    cardan_report report = {0};
    const cardan_status status = cardan_table_close(tables[i], keep, &report);
    exit = status == CARDAN_OK ? exit : cli_load_failed(status, &report);
  }
  cardan_checkpoint_destroy(run->checkpoint);
  return exit;
}

/* The sim at its start, or where a result ends; and its files. */
static int begin(cli_job *job, run_state *run, cli_pages *pages, const char *trace,
                 cli_continue *resume)
{
  int exit = resume->asked ? catch_up(job, run, resume) : CLI_DONE;
  if (exit == CLI_DONE) {
    run->rows = resume->asked ? job->source.result->nrow : 0;
    exit = open_sinks(job, run, pages, trace, resume);
  }
  return exit == CLI_DONE && !resume->asked ? cli_job_start(job) : exit;
}

static int simulate(cli_job *job, cli_pages *pages, const char *trace, cli_continue *resume)
{
  run_state run = {.steps = cli_job_steps(job)};
  if (run.steps < 0) {
    return CLI_USAGE;
  }
  int exit = begin(job, &run, pages, trace, resume);
  const bool started = exit == CLI_DONE;
  if (started) {
    exit = step_all(job, &run, resume);
  }
  exit = close_sinks(&run, exit);
  const bool said = run.at.row == CARDAN_ERR_JUMP || run.at.row == CARDAN_ERR_BLEW_UP ||
                    run.at.row == CARDAN_ERR_STRICT;
  if (started && !said && cardan_sim_warning(job->sim)[0] != '\0') {
    cli_job_warn(job, "%s", cardan_sim_warning(job->sim));
  }
  if (started) {
    const char *error = job->error[0] ? job->error : NULL;
    const int written = cli_pages_write(pages, job, run.at.seconds, error);
    exit = exit == CLI_DONE ? written : exit;
  }
  // JSON reports a start that failed, too
  const bool failed = !started && job->status != CARDAN_OK;
  const bool asked =
      started ? exit != CLI_USAGE && (job->json || !job->quiet) : job->json && failed;
  if (asked && job->sim != NULL) {
    const int printed = print_summary(job, &run);
    exit = exit == CLI_DONE ? printed : exit;
  }
  return exit;
}

/* A result has what its page needs to compare energies with: the work that was done. One that is
 * continued keeps its columns. */
static int beside(const cli_job *job, const cli_continue *resume)
{
  const bool works = job->out && cli_names_result(job->out) && cardan_sim_does_work(job->sim);
  return resume->asked ? job->source.result->beside : works ? CARDAN_ADD_WORK & ~job->add : 0;
}

static int run_model(const cli_args *args)
{
  cli_job job;
  cli_pages pages;
  cli_continue resume;
  cli_args own = *args;
  int exit = cli_pages_read(&pages, args);
  exit = exit == CLI_DONE ? cli_continue_read(&resume, args) : exit;
  if (exit != CLI_DONE) {
    return exit;
  }
  own.word[0] = resume.asked ? resume.from : args->word[0];
  exit = cli_job_prepare(&job, &own, NULL);
  if (exit == CLI_DONE && resume.asked && job.source.result->note) {
    snprintf(job.note, sizeof job.note, "%s", job.source.result->note);
  }
  job.out = resume.asked ? resume.out : job.out;
  if (exit == CLI_DONE) {
    job.beside = beside(&job, &resume);
    exit = simulate(&job, &pages, cli_args_value(args, "trace"), &resume);
  }
  cli_pages_free(&pages);
  cli_job_free(&job);
  return exit;
}

static const cli_option options[] = {
    CLI_ACCURACY_OPTION,
    {"init", "q.J=0.5,v.J=1", "start values by column name, over the model's; may be repeated"},
    {"input", "FILE.csv", "inputs over time: a table with a column t and columns u.NAME"},
    {"input-mode", "held|linear", "what they are between its rows (held)"},
    CLI_SETTING_OPTIONS,
    {"out", "FILE", "the motion as a table: FILE.csv, FILE.h5, or - (CSV to the standard output)"},
    {"add", "LIST",
     "more columns, with commas: momentum, reactions, multipliers, work, errors, contacts, tyres"},
    {"report", "FILE.html", "a page with the motion in 3-D, plots and facts: one file, no network"},
    {"png", "FILE.png", "a picture of the motion and its plots"},
    {"svg", "FILE.svg", "the same as a drawing"},
    {"film", "FILE.gif", "the motion, in its own time, at most 240 frames of it"},
    {"forces", NULL, "forces and torques as arrows in the pictures and the film"},
    {"trace", "FILE.csv", "the residual of every evaluation of the root finder"},
    {"continue", NULL, "continue a result to its end, or to --time, with the bits of one run"},
    {"checkpoint", "SECONDS", "from one state in the result to the next (10); 0: at the end alone"},
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
        "start values are taken again, and options given here override them; or a case of a\n"
        "sweep by its number (.h5#17), likewise.\n"
        "\n"
        "Steps are floor(time / dt); there is a row for t = 0 and one after every N-th step.\n"
        "A table appears under its name when the run is over. When a run stops (exit status 3,\n"
        "or Ctrl-C, status 130) the rows up to the last good step are kept. When the table\n"
        "cannot be written the exit status is 1, and a file that was there before stays.\n"
        "A name with commas, equals signs or quotes is written in double quotes: '\"q.a,b\"=1'.\n"
        "\n"
        "examples\n"
        "  cardan run pendulum:5 --time 20 --out motion.csv\n"
        "  cardan run chain:10 --method auto --accuracy 1e-6\n"
        "  cardan run arm.mbs --method aba --integrator dopri5 --init q.elbow=0.5\n"
        "  cardan run closed-chain --set I=0.01 --out run.h5\n"
        "  cardan run run.h5 --dt 0.001 --json\n"
        "  cardan run run.h5 --continue --time 20\n"
        "  cardan run swings.h5#17 --report case.html\n"
        "  cardan run top --out - | head\n"
        "  cardan run closed-chain --report chain.html\n",
    .option = options,
    .simulates = true,
    .automatic = true,
    .run = run_model,
};
