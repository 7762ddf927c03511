// SPDX-License-Identifier: Apache-2.0
#include "cardan/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/load.h"
#include "cardan/page.h"
#include "cli.h"
#include "interrupt.h"
#include "options.h"
#include "outputs.h"
#include "pages.h"
#include "progress.h"
#include "run_job.h"
#include "say.h"

/* cardan compare: the same motion by several methods. */

enum { CONTENDERS_MAX = 256, DTS_MAX = 16, LIST_SIZE = 4096 };

typedef struct {
  cli_job job;
  const char *methods, *reference;
  double dt[DTS_MAX];
  int ndt;
  char first_dt[64]; // the list's first, in place of the list
  cardan_contender *contender;
  int n;
  char reference_label[64];
  cli_pages pages;    // --report alone
  cardan_film **film; // n + 1: motions for the page, NULL: none; the last is the reference's
  int nfilm;
  int *run;                      // n: index on the page
  int reference_run;             // that of the reference, -1: it is not there
  cardan_compare_errors *errors; // over time, for the page; NULL: not needed
  cli_progress progress;
  int current; // contender that runs, -1: the reference
} comparison;

static int out_of_memory(void)
{
  cli_error("out of memory");
  return CLI_STOPPED;
}

/* --dt may be a list: its numbers; the option itself becomes the first of them. */
static int read_steps(comparison *c, const cli_args *args)
{
  for (int i = 0; i < args->ngiven; i++) {
    struct cli_given *given = &args->given[i];
    if (strcmp(given->name, "dt") != 0 || !strchr(given->value, ',')) {
      continue;
    }
    c->ndt = 0;
    for (const char *at = given->value;;) {
      cardan_report report = {0};
      cardan_options scratch = cardan_options_defaults();
      const size_t length = strcspn(at, ",");
      char word[64];
      snprintf(word, sizeof word, "%.*s", length < 63 ? (int)length : 63, at);
      if (cardan_options_set(&scratch, "dt", word, &report) != CARDAN_OK) {
        cli_error("%s", report.message);
        return CLI_USAGE;
      }
      if (c->ndt == DTS_MAX) {
        cli_error("--dt has more than %d steps", DTS_MAX);
        return CLI_USAGE;
      }
      if (c->ndt == 0) {
        snprintf(c->first_dt, sizeof c->first_dt, "%s", word);
      }
      c->dt[c->ndt++] = scratch.dt;
      if (at[length] == '\0') {
        break;
      }
      at += length + 1;
    }
    given->value = c->first_dt;
  }
  return CLI_DONE;
}

/* One method of the list at every step size. */
static int add_method(comparison *c, const char *word)
{
  cardan_report report = {0};
  cardan_options options = c->job.options;
  if (cardan_options_set_label(&options, word, &report) != CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  cardan_options_drop_unused(&options);
  for (int i = 0; i < c->ndt; i++) {
    if (c->n == CONTENDERS_MAX) {
      cli_error("that is more than %d runs to compare", CONTENDERS_MAX);
      return CLI_USAGE;
    }
    options.dt = c->dt[i];
    c->contender[c->n++].options = options;
  }
  return CLI_DONE;
}

/* The methods requested, or all there are. */
static int list_contenders(comparison *c)
{
  int exit = CLI_DONE;
  c->contender = calloc(CONTENDERS_MAX, sizeof *c->contender);
  if (!c->contender) {
    return out_of_memory();
  }
  for (int i = 0; !c->methods && cardan_method_name(i) && exit == CLI_DONE; i++) {
    exit = add_method(c, cardan_method_name(i));
  }
  for (const char *at = c->methods; at && exit == CLI_DONE;) {
    const size_t length = strcspn(at, ",");
    char word[128];
    snprintf(word, sizeof word, "%.*s", length < 127 ? (int)length : 127, at);
    exit = add_method(c, word);
    at = at[length] ? at + length + 1 : NULL;
  }
  return exit;
}

/* Does the method have the option that is given, and the word? report: why not. */
static bool takes(const char *method, const struct cli_given *given, cardan_report *report)
{
  cardan_options one = cardan_options_defaults();
  if (cardan_options_set(&one, given->name, given->value, report) != CARDAN_OK) {
    return false;
  }
  one.method = method;
  return cardan_method_has_option(method, given->name, report) == CARDAN_OK &&
         cardan_options_check(&one, report) == CARDAN_OK;
}

/* Does a contender take it, or the reference that was requested? */
static bool is_taken(const comparison *c, const struct cli_given *given, cardan_report *report)
{
  cardan_options reference = cardan_options_defaults();
  bool taken = c->reference && // one that there is not is refused by its name, later
               cardan_options_set_label(&reference, c->reference, NULL) == CARDAN_OK &&
               takes(reference.method, given, report);
  for (int i = 0; i < c->n && !taken; i++) {
    taken = takes(c->contender[i].options.method, given, report);
  }
  return taken;
}

/* An option counts for the methods that have it; one that none of them has is a mistake. */
static int check_given(const comparison *c, const cli_args *args)
{
  for (int i = 0; i < args->ngiven; i++) {
    cardan_report report = {0};
    const struct cli_given *given = &args->given[i];
    if (cli_is_sim_option(given->name) && !is_taken(c, given, &report)) {
      cli_error("none of the methods compared takes this: %s", report.message);
      return CLI_USAGE;
    }
  }
  return CLI_DONE;
}

/* The motion of each label at its smallest step goes onto the page. */
static bool is_shown(const comparison *c, int k)
{
  const cardan_contender *all = c->contender;
  for (int i = 0; i < c->n; i++) {
    const bool same = strcmp(all[i].label, all[k].label) == 0;
    if (same && (all[i].options.dt < all[k].options.dt ||
                 (all[i].options.dt == all[k].options.dt && i < k))) {
      return false;
    }
  }
  return true;
}

/* After each step: the bar, and whether to stop. */
static cardan_status look_on(void *user, cardan_sim *sim, const cardan_run_state *at,
                             cardan_report *report)
{
  comparison *c = user;
  (void)sim;
  const double done = c->current + 1 + (double)at->step / (double)at->steps;
  cli_progress_show(&c->progress, at->now, done / (c->n + 1));
  return cli_interrupted()
             ? cardan_fail(report, CARDAN_ERR_STOPPED, (cardan_pos){0, 0}, "stopped by a signal")
             : CARDAN_OK;
}

/* Where the rows of a run go: those that the page shows, every node of them. */
static cardan_status begin(void *user, int k, cardan_sim *sim, cardan_sink *sinks, int *n,
                           cardan_report *report)
{
  comparison *c = user;
  c->current = k;
  cardan_sim_stop(sim, cli_interrupt_flag());
  sinks[(*n)++] = (cardan_sink){.user = c, .step = look_on};
  if (!c->pages.report || (k >= 0 && !is_shown(c, k))) {
    return CARDAN_OK;
  }
  int shown = 1; // the reference
  for (int i = 0; i < c->n; i++) {
    shown += is_shown(c, i) ? 1 : 0;
  }
  cardan_film **film = &c->film[k >= 0 ? k : c->n];
  const size_t budget = CARDAN_FILM_BUDGET / (size_t)shown;
  const int more = cli_page_columns(sim) & ~CARDAN_ADD_MOMENTUM;
  const cardan_status status =
      cardan_film_of_sim(sim, c->job.add | more, budget, NULL, film, report);
  if (status == CARDAN_OK) {
    sinks[*n] = cardan_film_sink(*film);
    sinks[(*n)++].every = 1;
  }
  return status;
}

static void keep_error(void *user, int k, double t, double error)
{
  const comparison *c = user;
  cardan_compare_errors_put(c->errors, k, t, error);
}

static int run_all(comparison *c)
{
  cardan_report report = {0};
  cardan_options reference;
  const cardan_data *start = cardan_sim_data(c->job.sim);
  const bool touches = cli_touches(c->job.model, &c->job.options);
  const char *name = c->reference ? c->reference : touches ? "vi" : NULL;
  if (cardan_reference_options(&c->job.options, name, c->contender, c->n, &reference, &report) !=
      CARDAN_OK) {
    cli_error("%s", report.message);
    return CLI_USAGE;
  }
  char label[48];
  cardan_options_label(&reference, label, sizeof label);
  snprintf(c->reference_label, sizeof c->reference_label,
           reference.rtol <= 1e-12 ? "%s at 1e-12" : "%s at dt %g", label, reference.dt);
  const cardan_compare_hooks hooks = {
      .user = c, .begin = begin, .error = c->errors ? keep_error : NULL};
  cli_interrupt_begin("nothing was kept");
  cli_progress_begin(&c->progress, c->job.quiet);
  const cardan_status status = cardan_compare(c->job.model, start->q, start->v, &reference,
                                              c->contender, c->n, &hooks, NULL, &report);
  cli_interrupt_end();
  cli_progress_end(&c->progress);
  if (cli_interrupted()) { // whichever motion it was that it ended
    cli_error("stopped by a signal; nothing was kept");
    return 128 + cli_interrupted();
  }
  if (status != CARDAN_OK) {
    cli_error("%s", report.message[0] ? report.message : cardan_status_text(status));
    return status == CARDAN_ERR_ARGUMENT ? CLI_USAGE : CLI_STOPPED;
  }
  if (report.message[0]) {
    cli_job_warn(&c->job, "%s; errors are left out", report.message);
  }
  return CLI_DONE;
}

/* The runs of the page, in the order of the contenders. */
static cardan_page_run *page_runs(comparison *c, int *n)
{
  cardan_page_run *runs = calloc((size_t)c->n + 2, sizeof *runs);
  *n = 0;
  for (int i = 0; runs && i < c->n; i++) {
    const cardan_contender *one = &c->contender[i];
    c->run[i] = c->film[i] ? *n : -1;
    if (c->film[i]) {
      runs[(*n)++] = (cardan_page_run){.label = one->label,
                                       .film = c->film[i],
                                       .options = &one->options,
                                       .stats = one->stats,
                                       .wall_seconds = one->wall_seconds,
                                       .warning = one->warning,
                                       .error = one->status != CARDAN_OK ? one->message : NULL,
                                       .status = one->status};
    }
  }
  if (runs && c->film[c->n]) { // behind all others, whose numbers stay
    c->reference_run = *n;
    runs[(*n)++] =
        (cardan_page_run){.label = c->reference_label, .film = c->film[c->n], .wall_seconds = -1};
  }
  return runs;
}

static int write_report(comparison *c)
{
  int n;
  char *json = NULL;
  cardan_report report = {0};
  cardan_page_run *runs = page_runs(c, &n);
  cardan_status status = runs ? cardan_describe_comparison_page(
                                    c->contender, c->n, c->job.source.name, c->reference_label,
                                    c->run, c->errors, c->reference_run, NULL, &json)
                              : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    const cardan_page page = {.source = c->job.source.name,
                              .text = c->job.source.text,
                              .length = c->job.source.length,
                              .model = c->job.model,
                              .files = c->job.source.files,
                              .setting = c->job.settings.item,
                              .nsetting = c->job.settings.n,
                              .run = runs,
                              .nrun = n,
                              .comparison = json};
    status = cardan_page_write(&page, c->pages.report, NULL, &report);
  }
  cardan_free_text(NULL, json);
  free(runs);
  if (status == CARDAN_OK) {
    return CLI_DONE;
  }
  return report.message[0] ? cli_load_failed(status, &report) : out_of_memory();
}

static int print_results(const comparison *c)
{
  char *text = NULL;
  if (c->job.quiet && !c->job.json) {
    return CLI_DONE;
  }
  if (cardan_describe_comparison(c->contender, c->n, c->job.source.name, c->reference_label, c->run,
                                 c->job.json, NULL, &text) != CARDAN_OK) {
    return out_of_memory();
  }
  fputs(text, stdout);
  cardan_free_text(NULL, text);
  return CLI_DONE;
}

/* Did every method that took the model get to the end? At least one must have. */
static int verdict(const comparison *c)
{
  int taken = 0, failed = 0;
  for (int i = 0; i < c->n; i++) {
    taken += c->contender[i].refused ? 0 : 1;
    failed += !c->contender[i].refused && c->contender[i].status != CARDAN_OK ? 1 : 0;
  }
  if (taken == 0) {
    cli_error("none of the methods takes this model");
  }
  return taken == 0 ? CLI_USAGE : failed > 0 ? CLI_STOPPED : CLI_DONE;
}

static int compare(comparison *c, const cli_args *args)
{
  if (c->ndt == 0) {
    c->dt[c->ndt++] = c->job.options.dt;
  }
  int exit = list_contenders(c);
  if (exit == CLI_DONE) {
    exit = check_given(c, args);
  }
  if (exit != CLI_DONE) {
    return exit;
  }
  c->film = calloc((size_t)c->n + 1, sizeof(cardan_film *));
  c->run = calloc((size_t)c->n + 1, sizeof *c->run);
  const cardan_status status =
      c->pages.report ? cardan_compare_errors_create(c->n, NULL, &c->errors) : CARDAN_OK;
  if (!c->film || !c->run || status != CARDAN_OK) {
    return out_of_memory();
  }
  c->reference_run = -1;
  memset(c->run, -1, ((size_t)c->n + 1) * sizeof *c->run);
  exit = run_all(c);
  if (exit == CLI_DONE && c->pages.report) {
    exit = write_report(c);
    cli_wrote(c->pages.report, exit, c->job.quiet);
  }
  if (exit == CLI_DONE) {
    exit = print_results(c);
  }
  return exit == CLI_DONE ? verdict(c) : exit;
}

static int compare_model(const cli_args *args)
{
  comparison c = {.methods = cli_args_value(args, "methods"),
                  .reference = cli_args_value(args, "reference")};
  int exit = cli_pages_read(&c.pages, args);
  if (exit == CLI_DONE) {
    exit = read_steps(&c, args);
  }
  if (exit != CLI_DONE) {
    return exit;
  }
  exit = cli_job_prepare(&c.job, args, "aba");
  if (exit == CLI_DONE) {
    exit = compare(&c, args);
  }
  for (int i = 0; c.film && i <= c.n; i++) {
    cardan_film_destroy(c.film[i]);
  }
  cardan_compare_errors_destroy(c.errors);
  free(c.film);
  free(c.run);
  free(c.contender);
  cli_job_free(&c.job);
  return exit;
}

static const cli_option options[] = {
    {"methods", "LIST", "METHOD or METHOD/INTEGRATOR, with commas between; all of them"},
    {"reference", "NAME", "METHOD or METHOD/INTEGRATOR to measure errors against [aba/dopri5]"},
    {"init", "q.J=0.5,v.J=1", "start values by column name, over the model's; may be repeated"},
    CLI_SETTING_OPTIONS,
    {"report", "FILE.html", "a page with the motions overlaid, work-precision and energy plots"},
    {"json", NULL, "the results as one JSON object"},
    {"quiet", NULL, "no table, warnings or progress; errors still, and --json"},
    {NULL, NULL, NULL},
};

const cli_command cli_compare = {
    .name = "compare",
    .words = "MODEL",
    .nword = 1,
    .help = "the same motion by several methods: error, energy, constraints, cost, side by side",
    .text =
        "Each method that can take the model runs it from the same start; for the others there\n"
        "is one line why not. --dt may be a list, such as 0.02,0.01,0.005: then the order is\n"
        "fitted, too. Steps must divide the largest of them.\n"
        "\n"
        "The error is how far the worst body is from the reference [m], a turn counting as its\n"
        "angle times the model's typical length. An adaptive reference runs at tolerances of\n"
        "1e-12, another at an eighth of the smallest step. Other options\n"
        "count for the methods that have them.\n"
        "The exit status is 3 when a method could not finish.\n"
        "\n"
        "examples\n"
        "  cardan compare pendulum:5 --time 2 --dt 0.02,0.01,0.005\n"
        "  cardan compare closed-chain --methods vi,aba/rk4,rattle --report c.html\n"
        "  cardan compare top --methods aba/rk4,hamilton/rk4 --reference aba/adams --json\n",
    .option = options,
    .simulates = true,
    .several = true,
    .run = compare_model,
};
