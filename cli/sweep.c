// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/load.h"
#include "cardan/sweep.h"
#include "cardan/sweep_result.h"
#include "cli.h"
#include "interrupt.h"
#include "options.h"
#include "outputs.h"
#include "pages.h"
#include "progress.h"
#include "run_job.h"
#include "say.h"

/* cardan sweep: many runs of a model by a plan. */

enum { MOST_JOBS = 255, MOST_SHARDS = 1000000, MOST_NUMBERS = 4000000 };

typedef struct {
  cli_job job;
  const cli_fleet *fleet; // NULL: this process alone
  bool merge;             // that alone
  const char *report;     // FILE.html, NULL: none
  char *plan;
  size_t length;
  cardan_sweep *sweep;
  cardan_sweep_run_options how;
  cardan_sweep_progress end;
  cli_progress progress;
  bool was_there; // the result, before anything was done
} sweep;

/* ---- the command line ---- */

/* --shard K/N */
static int read_shard(cardan_sweep_run_options *how, const char *text)
{
  char rest = '\0';
  if (text && (strspn(text, "0123456789/") != strlen(text) ||
               sscanf(text, "%6d/%7d%c", &how->shard, &how->shards, &rest) != 2 ||
               how->shards < 1 || how->shards > MOST_SHARDS || how->shard >= how->shards)) {
    cli_error("--shard is \"%.40s\", expected K/N with K from 0 to N - 1, such as 0/4", text);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

static int read_timeout(cardan_sweep_run_options *how, const char *text)
{
  char *end = NULL;
  if (!text) {
    return CLI_DONE;
  }
  how->timeout = strtod(text, &end);
  if (end == text || *end != '\0' || !(how->timeout > 0 && isfinite(how->timeout))) {
    cli_error("--timeout is \"%.40s\", expected seconds above 0", text);
    return CLI_USAGE;
  }
  return CLI_DONE;
}

/* What does not go together. */
static int check_words(const sweep *s, const cli_args *args)
{
  const bool several = s->fleet && s->fleet->size > 1;
  if (!cli_args_value(args, "plan") || !s->how.out) {
    cli_error("a sweep needs %s", s->how.out ? "--plan FILE, which says what differs between cases"
                                             : "--out FILE.h5, where its result goes");
    return CLI_USAGE;
  }
  if (s->how.shards > 0 && (s->merge || several)) {
    cli_error("--shard is one part of a sweep, expected no %s beside it",
              s->merge ? "--merge" : "other processes");
    return CLI_USAGE;
  }
  const size_t length = strlen(s->how.out);
  if (s->report &&
      (s->how.shards > 0 || (length > 4 && strcmp(s->how.out + length - 4, ".csv") == 0))) {
    cli_error("--report is of a whole result with its model, expected %s beside it",
              s->how.shards > 0 ? "no --shard" : "--out FILE.h5");
    return CLI_USAGE;
  }
  if (s->merge && s->how.resume) {
    cli_error("--merge runs no case and --resume does, expected one of them");
    return CLI_USAGE;
  }
  return CLI_DONE;
}

static int read_words(sweep *s, const cli_args *args)
{
  uint64_t jobs;
  s->how.out = cli_args_value(args, "out");
  s->how.keep = cli_args_value(args, "keep-motion");
  s->how.resume = cli_args_value(args, "resume") != NULL;
  s->merge = cli_args_value(args, "merge") != NULL;
  s->report = cli_args_value(args, "report");
  if (!cli_args_whole(args, "jobs", 1, MOST_JOBS, s->fleet ? 1 : 0, &jobs)) {
    return CLI_USAGE;
  }
  s->how.jobs = (int)jobs;
  int exit = cli_report_check(s->report);
  exit = exit == CLI_DONE ? read_shard(&s->how, cli_args_value(args, "shard")) : exit;
  exit = exit == CLI_DONE ? read_timeout(&s->how, cli_args_value(args, "timeout")) : exit;
  return exit == CLI_DONE ? check_words(s, args) : exit;
}

static int read_plan(sweep *s, const char *path)
{
  cardan_report report = {0};
  const cardan_status status = cli_load_beside(path, &s->plan, &s->length, &report);
  return status == CARDAN_OK ? CLI_DONE : cli_table_failed(status, &report);
}

/* The model with the options of the command line: of one method, or of those of the plan. */
static int prepare(sweep *s, const cli_args *args)
{
  const char *method[CARDAN_SWEEP_PLAN_METHODS];
  cardan_report report = {0};
  const int n = cardan_sweep_plan_methods(s->plan, s->length, NULL, method);
  const int exit = cli_job_prepare(&s->job, args, n > 0 && !args->automatic ? "" : NULL);
  if (exit == CLI_DONE && n > 0 &&
      cli_options_check_several(args, method, n, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  return exit;
}

/* The plan over them. What the command line says, a result has, or was chosen, does not follow the
 * text, as in a run. */
static int create(sweep *s, const cli_args *args, const char *path)
{
  static const char chosen[] = "method,order,integrator,dt,every,rtol,atol";
  char own[CLI_GIVEN_SIZE], given[CLI_GIVEN_SIZE + sizeof chosen];
  cardan_report report = {0};
  cardan_record base = cli_job_record(&s->job);
  cli_options_given(args, s->job.source.result != NULL, own);
  snprintf(given, sizeof given, "%s%s", own, s->job.choice ? chosen : "");
  base.given = given;
  const cardan_status status =
      cardan_sweep_create(&base, s->plan, s->length, path, NULL, &s->sweep, &report);
  if (status != CARDAN_OK) {
    return cli_table_failed(status, &report);
  }
  if (cardan_sweep_note(s->sweep)) {
    cli_job_warn(&s->job, "%s", cardan_sweep_note(s->sweep));
  }
  return CLI_DONE;
}

/* ---- the cases ---- */

/* Now and then: the bar, and whether to stop. What was done before counts for neither. */
static cardan_status look_on(void *user, const cardan_sweep_progress *at)
{
  sweep *s = user;
  const double size = s->fleet ? s->fleet->size : 1;
  const double here = size * (double)(at->done - at->resumed);
  const double all = fmax((double)(at->cases - at->resumed), 1);
  s->progress.failed = at->failed;
  cli_progress_show(&s->progress, cli_seconds(), fmin(here / all, 1));
  return cli_interrupted() ? CARDAN_ERR_STOPPED : CARDAN_OK;
}

static int64_t next_numbers(void *user, int64_t n)
{
  const sweep *s = user;
  return s->fleet->next(s->fleet->user, n);
}

static int failed(const sweep *s, cardan_status status, const cardan_report *report)
{
  if (status == CARDAN_ERR_STOPPED && cli_interrupted()) {
    char how_far[64] = "what is done counts"; // by all processes
    if (!s->fleet) {
      snprintf(how_far, sizeof how_far, "%" PRId64 " of %" PRId64 " cases are done and count",
               s->end.done, s->end.cases);
    }
    cli_error("stopped by a signal: %s, the same command with --resume continues with the others",
              how_far);
    return 128 + cli_interrupted();
  }
  return cli_table_failed(status, report);
}

static int run_cases(sweep *s)
{
  cardan_report report = {0};
  cli_progress_begin(&s->progress, s->job.quiet);
  const cardan_status status = cardan_sweep_run(s->sweep, &s->how, &s->end, &report);
  cli_progress_end(&s->progress);
  return status == CARDAN_OK ? CLI_DONE : failed(s, status, &report);
}

static int merge(sweep *s)
{
  cardan_report report = {0};
  const double begin = cli_seconds();
  cardan_sweep_progress all;
  const cardan_status status = cardan_sweep_merge(s->sweep, &s->how, &all, &report);
  if (status != CARDAN_OK) {
    return failed(s, status, &report);
  }
  all.resumed = s->fleet && !s->merge ? s->end.resumed : all.done;
  all.torn = s->end.torn;
  all.seconds = s->end.seconds + cli_seconds() - begin;
  s->end = all;
  return CLI_DONE;
}

/* Several processes: the first one begins and merges, all take numbers from one counter. */
static int run_together(sweep *s)
{
  const cli_fleet *f = s->fleet;
  cardan_report report = {0};
  int exit = CLI_DONE;
  if (f->rank == 0) {
    const cardan_status status = cardan_sweep_begin(s->sweep, &s->how, &report);
    exit = status == CARDAN_OK ? CLI_DONE : failed(s, status, &report);
  }
  exit = f->agree(f->user, exit);
  if (exit != CLI_DONE) {
    return exit;
  }
  s->how.resume = true;
  s->how.next = next_numbers;
  s->how.shard = f->rank;
  s->how.shards = f->size;
  exit = f->agree(f->user, run_cases(s));
  return exit == CLI_DONE && f->rank == 0 ? merge(s) : exit;
}

static int run_or_merge(sweep *s)
{
  // a fleet stops together
  cli_interrupt_begin(s->fleet ? NULL
                               : "cases that were done count, --resume continues with the others");
  s->how.look = look_on;
  s->how.user = s;
  s->was_there = cardan_is_result(s->how.out);
  const int exit = !s->merge                          ? (s->fleet ? run_together(s) : run_cases(s))
                   : !s->fleet || s->fleet->rank == 0 ? merge(s)
                                                      : CLI_DONE;
  cli_interrupt_end();
  return exit;
}

/* ---- the end ---- */

static int print_summary(const sweep *s, const cardan_sweep_summary *summary)
{
  char *text = NULL;
  const cardan_status status =
      cardan_sweep_describe(s->sweep, &s->how, &s->end, summary, s->job.json, NULL, &text);
  if (status != CARDAN_OK) {
    cli_error("out of memory");
    return CLI_STOPPED;
  }
  fputs(text, stdout);
  cardan_free_text(NULL, text);
  return CLI_DONE;
}

/* A result that was complete stays as it is: also without the motions that are requested. */
static void warn_of_motions(sweep *s)
{
  cardan_sweep_result *sweep_result = NULL;
  const bool asked = s->how.keep && strcmp(s->how.keep, "none") != 0;
  if (s->was_there && asked &&
      cardan_sweep_result_open(s->how.out, NULL, &sweep_result, NULL) == CARDAN_OK &&
      sweep_result->nkept == 0) {
    cli_job_warn(&s->job,
                 "%s was complete before, has no motions and stays as it is: "
                 "--keep-motion is for a result that is written",
                 s->how.out);
  }
  cardan_sweep_result_close(sweep_result);
}

/* The summary, and the page: with what the result shows, where there is a file of all of it. For a
 * summary alone a large one is not read again: a sweep takes little memory however many cases. */
static int report_all(const sweep *s)
{
  const bool print = s->job.json || !s->job.quiet;
  const bool whole = s->end.merged && cardan_is_result(s->how.out);
  const bool small = s->end.cases <= MOST_NUMBERS / cardan_sweep_column_count(s->sweep);
  cardan_sweep_summary *summary = NULL;
  cardan_report report = {0};
  cardan_status status = CARDAN_OK;
  if (whole && ((print && small) || s->report)) {
    status = cardan_sweep_summary_create(s->how.out, NULL, &summary, &report);
  }
  if (status == CARDAN_ERR_UNSUPPORTED && !s->report) { // the result is there, and no less so
    cli_warning("there are no statistics: %s", report.message);
    status = CARDAN_OK;
  }
  int exit = print ? print_summary(s, summary) : CLI_DONE;
  if (whole && !small && !summary && !s->job.json && !s->job.quiet) {
    printf("statistics of so many come with --report FILE.html\n");
  }
  if (status == CARDAN_OK && s->report && summary) {
    status = cardan_sweep_summary_write(summary, s->report, NULL, &report);
    cli_wrote(s->report, status == CARDAN_OK ? CLI_DONE : CLI_USAGE, s->job.quiet);
  }
  cardan_sweep_summary_destroy(summary);
  return status == CARDAN_OK ? exit : cli_table_failed(status, &report);
}

/* Cases that failed make the command's status, after all others were run and written. */
static int verdict(const sweep *s)
{
  if (s->end.failed == 0) {
    return CLI_DONE;
  }
  cli_error("%" PRId64 " of %" PRId64 " cases failed, the first of them case %" PRId64 ": %s",
            s->end.failed, s->end.done, s->end.first,
            s->end.message[0] ? s->end.message : "its sentence is in the result");
  return CLI_STOPPED;
}

static int sweep_model(const cli_args *args)
{
  sweep s = {.fleet = args->fleet};
  const char *plan = cli_args_value(args, "plan");
  int exit = read_words(&s, args);
  exit = exit == CLI_DONE ? read_plan(&s, plan) : exit;
  const bool known = exit == CLI_DONE;
  exit = known ? prepare(&s, args) : exit;
  exit = exit == CLI_DONE ? create(&s, args, plan) : exit;
  exit = s.fleet ? s.fleet->agree(s.fleet->user, exit) : exit;
  exit = exit == CLI_DONE ? run_or_merge(&s) : exit;
  const bool first = !s.fleet || s.fleet->rank == 0;
  if (exit == CLI_DONE && first) {
    warn_of_motions(&s);
    exit = report_all(&s);
    exit = exit == CLI_DONE ? verdict(&s) : exit;
  }
  cardan_sweep_destroy(s.sweep);
  cardan_free_text(NULL, s.plan);
  if (known) {
    cli_job_free(&s.job);
  }
  return exit;
}

static const cli_option options[] = {
    CLI_ACCURACY_OPTION,
    {"plan", "FILE", "what differs between cases, and what is kept of each: docs/sweep.md"},
    {"out", "FILE.h5", "the result, a row for each case; FILE.csv for the table alone"},
    {"jobs", "N", "cases at a time (as many as there are cores)"},
    {"shard", "K/N", "part K of N alone, K from 0: for several machines; then --merge"},
    {"resume", NULL, "continue what FILE.h5.parts has, or begin"},
    {"merge", NULL, "run nothing: make FILE.h5 of what the shards have done"},
    {"timeout", "SECONDS", "a case that takes longer is a row with the status stopped"},
    {"keep-motion", "LIST",
     "motions in the result too: none, all, worst:N (failed, then largest drift), worst:N:COLUMN"},
    {"init", "q.J=0.5,v.J=1", "start values by column name, over the model's; may be repeated"},
    {"input", "FILE.csv", "inputs over time: a table with a column t and columns u.NAME"},
    {"input-mode", "held|linear", "what they are between its rows (held)"},
    CLI_SETTING_OPTIONS,
    {"report", "FILE.html", "a page of all cases: charts, statistics, what results depend on"},
    {"add", "LIST",
     "more columns of motions, with commas: momentum, reactions, multipliers, work, errors, "
     "contacts, tyres"},
    {"json", NULL, "the summary as one JSON object"},
    {"quiet", NULL, "no summary, warnings or progress; errors still, and --json"},
    {NULL, NULL, NULL},
};

const cli_command cli_sweep = {
    .name = "sweep",
    .words = "MODEL",
    .nword = 1,
    .help = "many runs by a plan, on all cores or many machines, none of them lost",
    .text =
        "Each case of the plan is a run by the options given here and the values of its number\n"
        "alone: the result is the same to the byte for any number of jobs, shards and restarts.\n"
        "\n"
        "Until all cases are done they are in the folder FILE.h5.parts. Ctrl-C, kill or a full\n"
        "disk loses at most the cases under way; the same command with --resume continues. A case\n"
        "that fails has its status and its sentence in the result, and the others continue; the\n"
        "exit status is then 3. cardan run FILE.h5#17 runs case 17 again.\n"
        "\n"
        "examples\n"
        "  cardan sweep double-pendulum --plan plan.txt --out flips.h5\n"
        "  cardan sweep arm.mbs --plan plan.txt --out arm.h5 --keep-motion worst:5\n"
        "  cardan sweep arm.mbs --plan plan.txt --out arm.h5 --report arm.html\n"
        "  cardan sweep arm.mbs --plan plan.txt --out arm.h5 --shard 0/3\n"
        "  cardan sweep arm.mbs --plan plan.txt --out arm.h5 --merge\n",
    .option = options,
    .simulates = true,
    .automatic = true,
    .run = sweep_model,
};
