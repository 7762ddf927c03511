// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cardan/describe.h"
#include "cardan/load.h"
#include "cardan/rollout.h"
#include "cardan/sampler.h"
#include "cli.h"
#include "interrupt.h"
#include "progress.h"
#include "run_job.h"
#include "say.h"

/* cardan batch: many copies of a model. They are run some at a time, at most `chunk`: their rows
 * are written before the next ones begin. */

enum { CHUNK_MIN = 8, CHUNK_MAX = 4096, FAILURES_KEPT = 1000 };
static const double chunk_bytes = 256e6, chunk_seconds = 1.0;

typedef struct {
  cli_job job;
  cardan_sampler *vary;
  int nfixed; // of the numbers of vary, the first so many are those of --init
  uint64_t seed;
  int64_t count, steps;
  int threads;
  bool all; // rows of every node, not of the last alone
  cardan_options options;
  int64_t nrow;                // of a copy, as rollouts have them
  bool starts, inputs, tuned;  // copies have q and v, u, parameters of their own
  int chunk;                   // copies at a time, at most
  double *value;               // chunk x cardan_sampler_count
  double *q0, *v0, *u, *param; // chunk x ..
  double *signal;              // steps x ninput: of --input, NaN in other columns; NULL: none
  double *q, *v, *y;           // chunk x nrow x ..
  cardan_rollout_end *end;     // chunk
  cardan_table *table;         // NULL: not requested
  double *row;                 // of it
  cardan_batch_notes notes;
  cardan_copy_failure *failure; // FAILURES_KEPT
} batch;

static int out_of_memory(void)
{
  cli_error("out of memory");
  return CLI_STOPPED;
}

/* ---- the command line ---- */

static int read_words(batch *b, const cli_args *args)
{
  uint64_t count, threads;
  const char *rows = cli_args_value(args, "rows");
  if (!cli_args_whole(args, "count", 1, (uint64_t)CLI_MOST_STEPS, 0, &count) ||
      !cli_args_whole(args, "seed", 0, UINT64_MAX, 1, &b->seed) ||
      !cli_args_whole(args, "threads", 1, 256, 0, &threads)) {
    return CLI_USAGE;
  }
  if (rows && strcmp(rows, "all") != 0 && strcmp(rows, "final") != 0) {
    cli_error("--rows is \"%.40s\", expected final or all", rows);
    return CLI_USAGE;
  }
  const char *file = cli_args_value(args, "vary-file");
  if (file && count > 0) {
    cli_error("--count %" PRIu64 " and --vary-file are both given, expected one: each row of the "
              "file is a copy",
              count);
    return CLI_USAGE;
  }
  if (!file && count == 0) {
    cli_error("how many copies? expected --count N, or --vary-file FILE.csv with a row for each");
    return CLI_USAGE;
  }
  b->count = (int64_t)count;
  b->threads = (int)threads;
  b->all = rows && strcmp(rows, "all") == 0;
  return CLI_DONE;
}

/* ---- what differs ---- */

/* --vary NAME=SPREAD */
static int add_spread(batch *b, const char *text)
{
  cardan_distribution spread;
  cardan_report report = {0};
  char *name = malloc(strlen(text) + 1);
  if (!name) {
    return out_of_memory();
  }
  const char *after = cli_pairs_name(text, name);
  cardan_status status = CARDAN_ERR_ARGUMENT;
  if (!after || name[0] == '\0') {
    cli_error("--vary has \"%.100s\", expected NAME=FROM..TO, NAME=uniform:FROM:TO or "
              "NAME=normal:MEAN:SIGMA",
              text);
  } else {
    status = cardan_distribution_read(after, &spread, &report);
    status = status ? status : cardan_sampler_add(b->vary, name, &spread, &report);
    if (status != CARDAN_OK) {
      cli_error("--vary %.100s: %s", name, report.message);
    }
  }
  free(name);
  return status == CARDAN_OK ? CLI_DONE : status == CARDAN_ERR_MEMORY ? CLI_STOPPED : CLI_USAGE;
}

/* --vary-file: a row for each copy. */
static int add_table(batch *b, const char *path)
{
  char *text = NULL;
  size_t length = 0;
  cardan_report report = {0};
  cardan_status status = cli_load_beside(path, &text, &length, &report);
  if (status == CARDAN_OK) {
    status = cardan_sampler_table(b->vary, text, length, path, &report);
    b->count = cardan_sampler_rows(b->vary);
  }
  cardan_free_text(NULL, text);
  return status == CARDAN_OK ? CLI_DONE : cli_table_failed(status, &report);
}

static int find_variation(batch *b, const cli_args *args)
{
  cardan_report report = {0};
  if (cardan_sampler_create(b->job.model, b->seed, NULL, &b->vary, &report) != CARDAN_OK) {
    return out_of_memory();
  }
  for (int i = 0; i < b->job.initial.n; i++) {
    const cardan_setting *one = &b->job.initial.item[i];
    const cardan_distribution fixed = {
        .kind = CARDAN_DISTRIBUTION_EVEN, .a = one->value, .b = one->value};
    const cardan_status status = cardan_sampler_add(b->vary, one->name, &fixed, &report);
    if (status == CARDAN_ERR_MEMORY) {
      return out_of_memory();
    }
    // what is refused has no effect, of which --init has warned
  }
  b->nfixed = cardan_sampler_count(b->vary);
  int exit = CLI_DONE;
  for (int i = 0; i < args->ngiven && exit == CLI_DONE; i++) {
    if (strcmp(args->given[i].name, "vary") == 0) {
      exit = add_spread(b, args->given[i].value);
    }
  }
  const char *file = cli_args_value(args, "vary-file");
  if (exit == CLI_DONE && file) {
    exit = add_table(b, file);
  }
  for (int k = 0; k < cardan_sampler_count(b->vary); k++) {
    const cardan_place_kind kind = cardan_sampler_place(b->vary, k).kind;
    b->starts = b->starts || kind == CARDAN_PLACE_Q || kind == CARDAN_PLACE_V;
    b->inputs = b->inputs || kind == CARDAN_PLACE_INPUT;
    b->tuned = b->tuned || kind == CARDAN_PLACE_PARAMETER;
  }
  b->inputs = b->inputs || b->job.signals != NULL;
  return exit;
}

/* ---- memory ---- */

/* What a copy takes while its chunk is run. */
static double bytes_of_copy(const batch *b)
{
  const cardan_model *m = b->job.model;
  const double state = (double)m->nq + (double)m->nv;
  const double numbers = (double)cardan_sampler_count(b->vary) + (double)b->nrow * (state + m->ny) +
                         (b->starts ? state : 0) + (b->tuned ? (double)m->nparameter : 0) +
                         (b->inputs ? (double)b->steps * m->ninput : 0);
  return numbers * (double)sizeof(double) + (double)sizeof(cardan_rollout_end);
}

/* Room for copies x each x n numbers; NULL also where that is more than can be. */
static double *room(int copies, int64_t each, int n)
{
  const double size = (double)copies * (double)each * (double)n;
  const bool fits = size < (double)(SIZE_MAX / sizeof(double) / 2);
  return fits ? calloc((size_t)size + 1, sizeof(double)) : NULL;
}

static int take_memory(batch *b)
{
  const cardan_model *m = b->job.model;
  const double fit = chunk_bytes / bytes_of_copy(b);
  b->chunk = (int)fmin(fmax(fmin(fit, CHUNK_MAX), CHUNK_MIN), (double)b->count);
  b->value = room(b->chunk, 1, cardan_sampler_count(b->vary));
  b->q0 = b->starts ? room(b->chunk, 1, m->nq) : NULL;
  b->v0 = b->starts ? room(b->chunk, 1, m->nv) : NULL;
  b->param = b->tuned ? room(b->chunk, 1, m->nparameter) : NULL;
  b->u = b->inputs ? room(b->chunk, b->steps, m->ninput) : NULL;
  b->signal = b->job.signals ? room(1, b->steps, m->ninput) : NULL;
  b->q = room(b->chunk, b->nrow, m->nq);
  b->v = room(b->chunk, b->nrow, m->nv);
  b->y = room(b->chunk, b->nrow, m->ny);
  b->end = calloc((size_t)b->chunk, sizeof *b->end);
  b->failure = calloc(FAILURES_KEPT, sizeof *b->failure);
  const bool good = b->value && (!b->starts || (b->q0 && b->v0)) && (!b->tuned || b->param) &&
                    (!b->inputs || b->u) && (!b->job.signals || b->signal) && b->q && b->v &&
                    b->y && b->end && b->failure;
  return good ? CLI_DONE : out_of_memory();
}

static void free_batch(batch *b)
{
  double *const numbers[] = {b->value,  b->q0, b->v0, b->u, b->param,
                             b->signal, b->q,  b->v,  b->y, b->row};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    free(numbers[i]);
  }
  free(b->end);
  free(b->failure);
  cardan_sampler_destroy(b->vary);
  cli_job_free(&b->job);
}

/* ---- inputs over time ---- */

/* The table of --input, step by step. What it has may not differ between copies. */
static int spread_signals(batch *b)
{
  const int n = b->job.model->ninput;
  const double dt = b->job.options.dt, t0 = b->job.options.begin;
  for (int64_t k = 0; b->signal && k < b->steps; k++) {
    double *u = b->signal + k * n;
    for (int i = 0; i < n; i++) {
      u[i] = (double)NAN;
    }
    cardan_signals_mean(b->job.signals, t0 + (double)k * dt, t0 + (double)(k + 1) * dt, u);
  }
  for (int k = b->nfixed; b->signal && b->steps > 0 && k < cardan_sampler_count(b->vary); k++) {
    const cardan_place place = cardan_sampler_place(b->vary, k);
    if (place.kind == CARDAN_PLACE_INPUT && !isnan(b->signal[place.index])) {
      cli_error("%s differs between copies and has a column in the table of --input, expected one "
                "of these",
                cardan_sampler_name(b->vary, k));
      return CLI_USAGE;
    }
  }
  return CLI_DONE;
}

/* Inputs of all steps of a copy: those of its first row, and the table's. */
static void fill_inputs(const batch *b, double *u)
{
  const int n = b->job.model->ninput;
  for (int64_t k = b->steps - 1; k >= 0; k--) { // the first row last: it is what the others are of
    for (int i = 0; i < n; i++) {
      const double x = b->signal ? b->signal[k * n + i] : (double)NAN;
      u[k * n + i] = isnan(x) ? u[i] : x;
    }
  }
}

/* ---- the table ---- */

/* Columns of the table, or how many: copy, status, what differs, t, q, v, y. */
static int list_columns(const batch *b, char (*name)[256])
{
  const cardan_model *m = b->job.model;
  const int nvary = cardan_sampler_count(b->vary) - b->nfixed;
  const int n = 3 + nvary + m->nq + m->nv + m->ny;
  int k = 0;
  if (!name) {
    return n;
  }
  snprintf(name[k++], sizeof *name, "copy");
  snprintf(name[k++], sizeof *name, "status");
  for (int i = b->nfixed; i < b->nfixed + nvary; i++) {
    const cardan_place_kind kind = cardan_sampler_place(b->vary, i).kind;
    const bool start = kind == CARDAN_PLACE_Q || kind == CARDAN_PLACE_V;
    snprintf(name[k++], sizeof *name, "%s%s", start ? "start." : "",
             cardan_sampler_name(b->vary, i));
  }
  snprintf(name[k++], sizeof *name, "t");
  for (int i = 0; i < m->nq; i++) {
    snprintf(name[k++], sizeof *name, "q.%s", m->q_name[i]);
  }
  for (int i = 0; i < m->nv; i++) {
    snprintf(name[k++], sizeof *name, "v.%s", m->v_name[i]);
  }
  for (int i = 0; i < m->ny; i++) {
    snprintf(name[k++], sizeof *name, "%s", m->output[i].column);
  }
  return n;
}

static int open_table(batch *b)
{
  cardan_report report = {0};
  const cardan_record record = cli_job_record(&b->job);
  const int n = list_columns(b, NULL);
  char(*name)[256] = calloc((size_t)n, sizeof *name);
  const char **column = calloc((size_t)n, sizeof *column);
  b->row = calloc((size_t)n, sizeof *b->row);
  cardan_status status = CARDAN_ERR_MEMORY;
  if (name && column && b->row) {
    list_columns(b, name);
    for (int k = 0; k < n; k++) {
      column[k] = name[k];
    }
    status = cardan_table_open(b->job.out, column, n, &record, NULL, &b->table, &report);
  }
  if (status == CARDAN_OK) {
    status = cardan_table_statuses(b->table, 1, &report);
  }
  free(name);
  free(column);
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

/* Row r of copy i of the chunk, whose number is `copy`. */
static cardan_status write_row(batch *b, int i, int64_t copy, int64_t r, cardan_report *report)
{
  const cardan_model *m = b->job.model;
  const int nvary = cardan_sampler_count(b->vary), fixed = b->nfixed;
  const size_t at = (size_t)i * (size_t)b->nrow + (size_t)r;
  const double *q = b->q + at * (size_t)m->nq;
  double *row = b->row;
  int k = 0;
  row[k++] = (double)copy;
  row[k++] = -(double)b->end[i].status;
  memcpy(row + k, b->value + (size_t)i * (size_t)nvary + fixed,
         (size_t)(nvary - fixed) * sizeof *row);
  k += nvary - fixed;
  const double t = b->options.begin + (double)(r * b->options.every) * b->options.dt;
  row[k++] = isnan(q[0]) ? (double)NAN : t;
  memcpy(row + k, q, (size_t)m->nq * sizeof *row);
  memcpy(row + k + m->nq, b->v + at * (size_t)m->nv, (size_t)m->nv * sizeof *row);
  memcpy(row + k + m->nq + m->nv, b->y + at * (size_t)m->ny, (size_t)m->ny * sizeof *row);
  return cardan_table_row(b->table, row, report);
}

/* The rows of a copy: the last one, or all; of one that failed, those up to the first that is not
 * there, which reports it. */
static cardan_status write_copy(batch *b, int i, int64_t copy, cardan_report *report)
{
  const size_t nq = (size_t)b->job.model->nq;
  cardan_status status = CARDAN_OK;
  for (int64_t r = b->all ? 0 : b->nrow - 1; r < b->nrow && status == CARDAN_OK; r++) {
    status = write_row(b, i, copy, r, report);
    if (isnan(b->q[((size_t)i * (size_t)b->nrow + (size_t)r) * nq])) {
      break;
    }
  }
  return status;
}

/* ---- the copies ---- */

/* What goes into n copies from `first` on. */
static int fill_chunk(batch *b, int64_t first, int n)
{
  const cardan_model *m = b->job.model;
  const size_t nvary = (size_t)cardan_sampler_count(b->vary);
  for (int i = 0; i < n; i++) {
    cardan_report report = {0};
    const size_t at = (size_t)i;
    double *value = b->value + at * nvary;
    double *u = b->u ? b->u + at * (size_t)b->steps * (size_t)m->ninput : NULL;
    cardan_sampler_at(b->vary, first + i, b->count, value);
    const cardan_status status =
        cardan_sampler_apply(b->vary, value, b->q0 ? b->q0 + at * (size_t)m->nq : NULL,
                             b->v0 ? b->v0 + at * (size_t)m->nv : NULL, b->steps > 0 ? u : NULL,
                             b->param ? b->param + at * (size_t)m->nparameter : NULL, &report);
    if (status != CARDAN_OK) {
      cli_error("copy %" PRId64 ": %s", first + i, report.message);
      return status == CARDAN_ERR_MEMORY ? CLI_STOPPED : CLI_USAGE;
    }
    if (u) {
      fill_inputs(b, u);
    }
  }
  return CLI_DONE;
}

/* The largest estimated error is the batch's. */
static void note_error(batch *b, const cardan_error_estimate *error, int64_t copy)
{
  cardan_batch_notes *n = &b->notes;
  if (error->coordinate >= 0 && (n->error_name == NULL || error->value > n->error.value)) {
    n->error = *error;
    n->error_name = cardan_error_coordinate(b->job.model, error->coordinate);
    n->error_unit = cardan_coordinate_unit(b->job.model, error->coordinate);
    n->error_copy = copy;
  }
}

/* What became of copy i of a chunk, for the summary. */
static void note_copy(batch *b, int i, int64_t copy)
{
  const cardan_rollout_end *end = &b->end[i];
  cardan_batch_notes *n = &b->notes;
  cardan_copy_failure one = {.copy = copy, .status = end->status};
  n->copies++;
  if (end->status != CARDAN_OK) {
    memcpy(one.message, end->message, sizeof one.message);
    cli_dashes(one.message);
    n->failed++;
    if (n->nfailure < FAILURES_KEPT) {
      b->failure[n->nfailure++] = one;
    }
  } else if (end->note[0]) {
    memcpy(one.message, end->note, sizeof one.message);
    cli_dashes(one.message);
    n->note = n->noted++ == 0 ? one : n->note;
  }
  if (end->status == CARDAN_OK && (isnan(n->drift) || end->drift > n->drift)) {
    n->drift = end->drift;
    n->drift_copy = copy;
  }
  if (end->status == CARDAN_OK) {
    note_error(b, &end->error, copy);
  }
}

static int run_chunk(batch *b, int64_t first, int n)
{
  cardan_report report = {0};
  int exit = fill_chunk(b, first, n);
  if (exit != CLI_DONE) {
    return exit;
  }
  const int64_t failed = b->notes.failed;
  const double begin = cli_seconds();
  cardan_status status = cardan_rollout(&(cardan_rollout_args){.model = b->job.model,
                                                               .options = &b->options,
                                                               .nthread = b->threads,
                                                               .nbatch = n,
                                                               .nstep = b->steps,
                                                               .q0 = b->q0,
                                                               .v0 = b->v0,
                                                               .u = b->u,
                                                               .param = b->param,
                                                               .q = b->q,
                                                               .v = b->v,
                                                               .y = b->y,
                                                               .end = b->end},
                                        &report);
  b->notes.wall_seconds += cli_seconds() - begin;
  for (int i = 0; i < n; i++) {
    note_copy(b, i, first + i);
  }
  if (status != CARDAN_OK && b->notes.failed == failed) { // no copy's failure, but the call's
    return cli_job_failed(status, &report, true);
  }
  status = CARDAN_OK;
  for (int i = 0; b->table && i < n && status == CARDAN_OK; i++) {
    status = write_copy(b, i, first + i, &report);
  }
  return status == CARDAN_OK ? CLI_DONE : cli_load_failed(status, &report);
}

/* Copies at a time, after n that took so many seconds (n = 0: none yet): those of a second, since
 * Ctrl-C waits for them, but enough for all lanes of all cores. Copies do not depend on it. */
static int find_chunk(const batch *b, int n, double seconds)
{
  const double cores = b->threads > 0 ? b->threads : (double)sysconf(_SC_NPROCESSORS_ONLN);
  const double fit = CHUNK_MIN * floor(n * fmin(chunk_seconds / seconds, 4.0) / CHUNK_MIN);
  return (int)fmin(fmax(n > 0 ? fit : 0.0, CHUNK_MIN * fmax(cores, 1.0)), b->chunk);
}

static int run_copies(batch *b)
{
  cli_progress progress;
  int exit = CLI_DONE, n = find_chunk(b, 0, 0);
  cli_interrupt_begin("of the table there is what is on disk");
  cli_progress_begin(&progress, b->job.quiet);
  while (b->notes.copies < b->count && exit == CLI_DONE) {
    const int64_t left = b->count - b->notes.copies;
    const double begin = cli_seconds();
    n = left < n ? (int)left : n;
    exit = run_chunk(b, b->notes.copies, n);
    n = find_chunk(b, n, cli_seconds() - begin);
    cli_progress_show(&progress, cli_seconds(), (double)b->notes.copies / (double)b->count);
    if (exit == CLI_DONE && cli_interrupted() && b->notes.copies < b->count) {
      cli_progress_end(&progress);
      cli_error("stopped by a signal after %" PRId64 " of %" PRId64
                " copies; what is there is kept",
                b->notes.copies, b->count);
      exit = 128 + cli_interrupted();
    }
  }
  cli_interrupt_end();
  cli_progress_end(&progress);
  return exit;
}

/* ---- the end ---- */

static int close_table(batch *b, int exit)
{
  cardan_report report = {0};
  const bool keep = exit != CLI_USAGE && exit != CLI_MODEL && b->notes.copies > 0;
  b->notes.rows = b->table ? cardan_table_rows(b->table) : 0;
  const cardan_status status = cardan_table_close(b->table, keep, &report);
  b->table = NULL;
  return status == CARDAN_OK ? exit : cli_load_failed(status, &report);
}

static int print_summary(batch *b)
{
  cardan_batch_notes *n = &b->notes;
  const int nvary = cardan_sampler_count(b->vary) - b->nfixed;
  const char **text = calloc((size_t)(b->job.nwarning + nvary) + 1, sizeof *text);
  char *summary = NULL;
  if (!text) {
    return out_of_memory();
  }
  for (int k = 0; k < nvary; k++) {
    text[k] = cardan_sampler_name(b->vary, b->nfixed + k);
  }
  for (int i = 0; i < b->job.nwarning; i++) {
    text[nvary + i] = b->job.warning[i];
  }
  const bool taken = cli_job_taken(&b->job);
  n->varied = text;
  n->nvaried = nvary;
  n->warning = text + nvary;
  n->nwarning = b->job.nwarning;
  n->table = taken ? NULL : b->job.out;
  const cardan_status status = cardan_describe_batch(n, b->job.json, NULL, &summary);
  if (status == CARDAN_OK) {
    fputs(summary, taken ? stderr : stdout);
  }
  cardan_free_text(NULL, summary);
  free(text);
  return status == CARDAN_OK ? CLI_DONE : out_of_memory();
}

/* Copies that failed make the command's status, after all others were run; notes are warnings. */
static int verdict(const batch *b, int exit)
{
  const cardan_batch_notes *n = &b->notes;
  if (n->noted > 0 && !b->job.quiet) {
    cli_warning("copy %" PRId64 ": %s%s", n->note.copy, n->note.message,
                n->noted > 1 ? " (and others)" : "");
  }
  if (exit == CLI_DONE && n->failed > 0) {
    cli_error("%" PRId64 " of %" PRId64 " copies failed, the first of them copy %" PRId64 ": %s",
              n->failed, n->copies, b->failure[0].copy, b->failure[0].message);
    return CLI_STOPPED;
  }
  return exit;
}

static int run_batch(batch *b, const cli_args *args)
{
  int exit = find_variation(b, args);
  if (exit != CLI_DONE) {
    return exit;
  }
  b->steps = cli_job_steps(&b->job);
  if (b->steps < 0 || b->steps > INT_MAX) {
    if (b->steps > 0) {
      cli_error("a copy has %" PRId64 " steps, expected at most %d", b->steps, INT_MAX);
    }
    return CLI_USAGE;
  }
  b->options = b->job.options;
  if (!b->all) { // rows at the start and at the end
    b->options.every = b->steps > 0 ? (int)b->steps : 1;
  }
  b->nrow = b->steps / b->options.every + 1;
  const char *name = b->job.model->name;
  b->notes = (cardan_batch_notes){.model = name && name[0] ? name : b->job.source.name,
                                  .options = cardan_sim_options(b->job.sim),
                                  .steps = b->steps,
                                  .threads = b->threads,
                                  .choice = b->job.choice,
                                  .drift = (double)NAN};
  cardan_sampler_mark_given(b->vary, b->job.model);
  exit = take_memory(b);
  b->notes.failure = b->failure;
  exit = exit == CLI_DONE ? spread_signals(b) : exit;
  exit = exit == CLI_DONE && b->job.out ? open_table(b) : exit;
  const bool begun = exit == CLI_DONE;
  exit = begun ? run_copies(b) : exit;
  exit = close_table(b, exit);
  if (begun && b->notes.copies > 0 && exit != CLI_USAGE && (b->job.json || !b->job.quiet)) {
    const int printed = print_summary(b);
    exit = exit == CLI_DONE ? printed : exit;
  }
  return verdict(b, exit);
}

static int batch_model(const cli_args *args)
{
  batch b = {0};
  int exit = read_words(&b, args);
  if (exit != CLI_DONE) {
    return exit;
  }
  exit = cli_job_prepare(&b.job, args, NULL);
  if (exit == CLI_DONE) {
    exit = run_batch(&b, args);
  }
  free_batch(&b);
  return exit;
}

static const cli_option options[] = {
    CLI_ACCURACY_OPTION,
    {"count", "N", "how many copies, numbered from 0"},
    {"vary", "NAME=SPREAD",
     "what differs: FROM..TO, uniform:FROM:TO, normal:MEAN:SIGMA; may be repeated"},
    {"vary-file", "FILE.csv", "the same as a table: a column for each NAME, a row for each copy"},
    {"seed", "N", "of random numbers (1)"},
    {"threads", "N", "that take copies (as many as there are cores)"},
    {"rows", "final|all", "of each copy its last state, or all rows of a run (final)"},
    {"out", "FILE", "the rows as a table: FILE.csv, FILE.h5, or - (CSV to the standard output)"},
    {"init", "q.J=0.5,v.J=1", "start values by column name, over the model's; may be repeated"},
    {"input", "FILE.csv", "inputs over time: a table with a column t and columns u.NAME"},
    {"input-mode", "held|linear", "what they are between its rows (held)"},
    CLI_SETTING_OPTIONS,
    {"json", NULL, "the summary as one JSON object"},
    {"quiet", NULL, "no summary, warnings or progress; errors still, and --json"},
    {NULL, NULL, NULL},
};

const cli_command cli_batch = {
    .name = "batch",
    .words = "MODEL",
    .nword = 1,
    .help = "many copies of a model on all cores: starts, parameters, inputs differ",
    .text =
        "NAME is a start value q.J or v.J by its column's name, an input u.NAME, which is held\n"
        "over the run, or a (parameter NAME ..) of the model. FROM..TO is evenly spread, both\n"
        "ends among the copies. There are log-normal:MEAN:SIGMA and triangular:FROM:PEAK:TO too, "
        "and\n"
        "any that is random may be cut: normal:0:1:-2..2. Random numbers of a copy depend on "
        "--seed, NAME and the copy's\n"
        "number alone: not on how many there are, what else differs, or threads.\n"
        "\n"
        "The table has the columns copy, status, what differs (start values as start.q.J), t, q,\n"
        "v and the outputs y. A copy that fails has its status as a word, nan from there on, and\n"
        "its sentence in the summary; the others continue. The exit status is then 3.\n"
        "\n"
        "examples\n"
        "  cardan batch double-pendulum --count 1000 --vary q.q1=-3..3 --out ends.csv\n"
        "  cardan batch examples/models/swing.mbs --count 200 --vary L=normal:1:0.02\n"
        "      --vary v.angle=uniform:-1:1 --seed 7 --rows all --out swings.h5\n"
        "  cardan batch arm.mbs --vary-file cases.csv --threads 2 --json\n",
    .option = options,
    .simulates = true,
    .automatic = true,
    .run = batch_model,
};
