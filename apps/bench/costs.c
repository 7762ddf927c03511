// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/program.h"
#include "cardan/data.h"
#include "cardan/load.h"
#include "cardan/output.h"
#include "cardan/run.h"
#include "reproduce/motion.h"

/* What a model costs around its steps: memory, loading, starting the command, rows of a table. */

/* ---- memory ---- */

static cardan_status memory_of_sim(const cardan__motion *m, double *bytes, cardan_report *report)
{
  cardan__bench_account account = {0};
  const cardan_allocator counting = cardan__bench_counting(&account);
  cardan_sim *sim = NULL;
  cardan_status status =
      cardan_sim_create(m->model, cardan_sim_options(m->sim), &counting, &sim, report);
  if (status == CARDAN_OK) {
    status = cardan_sim_start(sim, report);
  }
  *bytes = (double)account.bytes;
  cardan_sim_destroy(sim);
  return status;
}

static void memory_column(cardan__bench *b, cardan__bench_table *t, const char *name, int column)
{
  bool first = true;
  const cardan__bench_method *method;
  for (int k = 0; (method = cardan__bench_method_at(k)) != NULL; k++) {
    cardan__motion m;
    cardan_report report = {.message = ""};
    double bytes = NAN, per = NAN;
    cardan_status status = cardan__motion_open(name, method->options, 1e-3, &m, &report);
    if (status == CARDAN_OK) {
      const int n = m.model->nbody - 1;
      if (first) {
        const cardan_data *data = cardan_sim_data(m.sim);
        const int model = cardan__bench_row_of(b, t, "model", "");
        cardan__bench_set(b, t, model, column, (double)m.model->size / n, NULL);
        const int own = cardan__bench_row_of(b, t, "data", "");
        cardan__bench_set(b, t, own, column, (double)data->size / n, NULL);
        first = false;
      }
      status = memory_of_sim(&m, &bytes, &report);
      per = bytes / n;
      cardan__motion_close(&m);
    }
    char label[80];
    snprintf(label, sizeof label, "simulation by %s", method->label);
    const int row = cardan__bench_row_of(b, t, label, "");
    cardan__bench_set(b, t, row, column, status == CARDAN_OK ? per : (double)NAN, report.message);
  }
}

cardan_status cardan__bench_memory(cardan__bench *b, cardan_report *report)
{
  static const char *const models[] = {"chain:1000", "humanoid", "scissor:100"};
  cardan__bench_table *t = cardan__bench_table_new(
      b, "memory", "Memory, bytes a body",
      "A simulation holds its data; the model is shared by all simulations on it.", models, 3);
  cardan_status status = CARDAN_OK;
  (void)report;
  for (int i = 0; i < 3 && status == CARDAN_OK; i++) {
    status = cardan__bench_progress(b, i / 3.0);
    memory_column(b, t, models[i], i);
  }
  cardan__bench_table_done(b, t);
  return status;
}

/* ---- from text to model ---- */

typedef struct {
  char name[32], file[40];
  char *text;
  size_t length;
  cardan_spec *spec;
} text_subject;

static cardan_status read_text(void *user, int n, cardan_report *report)
{
  text_subject *s = user;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    cardan_spec_destroy(s->spec);
    s->spec = NULL;
    status = cardan_spec_read(s->text, s->length, s->file, NULL, 0, NULL, &s->spec, report);
  }
  return status;
}

static cardan_status build_model(void *user, int n, cardan_report *report)
{
  const text_subject *s = user;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    cardan_model *model = NULL;
    status = cardan_model_build(s->spec, NULL, &model, report);
    cardan_model_destroy(model);
  }
  return status;
}

static cardan_status make_data(void *user, int n, cardan_report *report)
{
  const text_subject *s = user;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    cardan_model *model = NULL;
    cardan_data *data = NULL;
    status = cardan_model_load(s->name, NULL, 0, NULL, &model, report);
    if (status == CARDAN_OK) {
      status = cardan_data_create(model, NULL, &data);
    }
    cardan_data_destroy(data);
    cardan_model_destroy(model);
  }
  return status;
}

static cardan_status load_column(cardan__bench *b, cardan__bench_table *t, const char *name,
                                 int column, cardan_report *report)
{
  static const struct {
    const char *label;
    cardan_status (*run)(void *user, int n, cardan_report *report);
  } list[] = {{"text to spec", read_text},
              {"spec to model", build_model},
              {"name to model and data", make_data}};
  cardan__bench_cases cases = {0};
  text_subject s = {.text = NULL};
  snprintf(s.name, sizeof s.name, "%s", name);
  snprintf(s.file, sizeof s.file, "%s.mbs", name);
  cardan_status status = cardan_load_text(name, NULL, &s.text, &s.length, report);
  for (int k = 0; k < 3; k++) {
    cardan__bench_case *c = cardan__bench_case_new(&cases, list[k].label, "");
    c->timed = (cardan__timed){.subject = &s, .run = list[k].run, .pieces = 1, .n = 1};
  }
  if (status == CARDAN_OK) {
    status = cardan__bench_measure(b, &cases, t, column, 1e3);
  }
  cardan_spec_destroy(s.spec);
  cardan_free_text(NULL, s.text);
  return status;
}

/* ---- the command ---- */

typedef struct {
  const char *const *words; // of the command line, NULL after the last
  double seconds;           // of the last runs
  double processor;         // least processor time of a run [s]
} start_subject;

static cardan_status start_once(void *user, int n, cardan_report *report)
{
  start_subject *s = user;
  cardan_status status = CARDAN_OK;
  s->seconds = 0;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    cardan__program_time time;
    status = cardan__program_run(s->words, &time, report);
    s->seconds += time.wall;
    s->processor = fmin(s->processor, time.processor);
  }
  return status;
}

static double start_seconds(const void *user)
{
  return ((const start_subject *)user)->seconds;
}

static cardan_status start_up(cardan__bench *b)
{
  const char *const words[][8] = {
      {b->options->command, "--version", NULL},
      {b->options->command, "check", "chain:10", NULL},
      {b->options->command, "run", "pendulum", "--time", "0.01", "--quiet", NULL}};
  static const char *const labels[] = {"cardan --version", "cardan check chain:10",
                                       "cardan run pendulum --time 0.01"};
  static const char *const columns[] = {"by the clock", "processor"};
  enum { RUNS = sizeof labels / sizeof labels[0] };
  start_subject s[RUNS];
  cardan__timed timed[RUNS];
  cardan__bench_table *t =
      cardan__bench_table_new(b, "start-up", "Start-up of the command, ms",
                              "The whole process, output discarded.", columns, 2);
  for (int i = 0; i < RUNS; i++) {
    s[i] = (start_subject){words[i], 0, HUGE_VAL};
    timed[i] = (cardan__timed){
        .subject = &s[i], .run = start_once, .seconds = start_seconds, .pieces = 1, .n = 1};
  }
  const cardan_status status = cardan__time(b, timed, RUNS, b->options->quick ? 5 : 40, 2);
  for (int i = 0; i < RUNS; i++) {
    const int row = cardan__bench_row_of(b, t, labels[i], "");
    cardan__bench_set(b, t, row, 0, 1e3 * cardan__timed_seconds(&timed[i]), timed[i].message);
    cardan__bench_set(b, t, row, 1, timed[i].failed ? (double)NAN : 1e3 * s[i].processor, NULL);
  }
  cardan__bench_table_done(b, t);
  return status;
}

cardan_status cardan__bench_load(cardan__bench *b, cardan_report *report)
{
  static const char *const models[] = {"chain:1000", "humanoid", "scissor:100", "chain:10000",
                                       "chain:100000"};
  const int n = b->options->quick ? 3 : 5;
  cardan__bench_table *t =
      cardan__bench_table_new(b, "load", "Load: from text to model, ms", "", models, n);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    b->part_done = (double)i / (n + 1);
    status = load_column(b, t, models[i], i, report);
  }
  cardan__bench_table_done(b, t);
  if (status == CARDAN_OK && b->options->command != NULL) {
    status = start_up(b);
  }
  return status;
}

/* ---- rows ---- */

typedef enum { BARE, ROWS, TABLE } rows_way;

typedef struct {
  cardan__motion motion;
  cardan_table *table;
  void *state;
  size_t size;
  rows_way way;
} rows_subject;

static cardan_status rows_begin(void *user, cardan_report *report)
{
  rows_subject *s = user;
  return cardan_sim_snapshot_load(s->motion.sim, s->state, s->size, report);
}

static cardan_status drop_row(void *user, const double *row, cardan_report *report)
{
  (void)user;
  (void)row;
  (void)report;
  return CARDAN_OK;
}

static cardan_status rows_run(void *user, int n, cardan_report *report)
{
  rows_subject *s = user;
  cardan_status status = CARDAN_OK;
  if (s->way == BARE) {
    for (int i = 0; i < n && status == CARDAN_OK; i++) {
      status = cardan_sim_step(s->motion.sim, report);
    }
    return status;
  }
  const cardan_sink sink =
      s->way == TABLE ? cardan_table_sink(s->table, 0) : (cardan_sink){.every = 1, .row = drop_row};
  return cardan_run(s->motion.sim, n, &sink, 1, NULL, report);
}

static void rows_close(void *user)
{
  rows_subject *s = user;
  cardan_report report;
  if (s->table != NULL) { // a device: nothing that could be left over
    const cardan_status status = cardan_table_close(s->table, false, &report);
    (void)status;
  }
  cardan__motion_close(&s->motion);
  cardan__resize(NULL, s->state, 0);
}

static cardan_status rows_open(const char *model, const char *options, rows_way way,
                               rows_subject *s, cardan_report *report)
{
  *s = (rows_subject){.way = way};
  cardan_status status = cardan__motion_open(model, options, 1e-3, &s->motion, report);
  for (int i = 0; i < 20 && status == CARDAN_OK; i++) {
    status = cardan_sim_step(s->motion.sim, report);
  }
  if (status == CARDAN_OK) {
    s->size = cardan_sim_snapshot_size(s->motion.sim);
    s->state = cardan__resize(NULL, NULL, s->size);
    status = s->state != NULL ? cardan_sim_snapshot_save(s->motion.sim, s->state, s->size, report)
                              : CARDAN_ERR_MEMORY;
  }
  if (status == CARDAN_OK && way == TABLE) {
    const cardan_record record = {.options = cardan_sim_options(s->motion.sim)};
    status = cardan_table_of_sim("/dev/null", s->motion.sim, &record, NULL, &s->table, report);
  }
  return status;
}

/* One row of the table: the three ways on one model, in turn. */
static cardan_status rows_line(cardan__bench *b, cardan__bench_table *t, const char *label,
                               const char *model, const char *options)
{
  rows_subject s[3];
  cardan__timed timed[3];
  for (int k = 0; k < 3; k++) {
    cardan_report report = {.message = ""};
    const cardan_status status = rows_open(model, options, (rows_way)k, &s[k], &report);
    timed[k] = (cardan__timed){
        .subject = &s[k], .begin = rows_begin, .run = rows_run, .pieces = 10, .n = 20};
    if (status != CARDAN_OK) {
      cardan__timed_fail(&timed[k], status, &report);
    }
  }
  const bool quick = b->options->quick;
  const cardan_status status = cardan__time(b, timed, 3, quick ? 3 : 11, quick ? 0.05 : 1);
  const int row = cardan__bench_row_of(b, t, label, "");
  const double bare = cardan__timed_seconds(&timed[0]);
  for (int k = 0; k < 3; k++) {
    const double seconds = cardan__timed_seconds(&timed[k]);
    cardan__bench_set(b, t, row, k, 1e6 * seconds, timed[k].message);
    if (k > 0) {
      cardan__bench_set(b, t, row, k + 2, seconds / bare, NULL);
    }
    rows_close(&s[k]);
  }
  return status;
}

cardan_status cardan__bench_rows(cardan__bench *b, cardan_report *report)
{
  static const char *const models[] = {"humanoid", "chain:100"};
  static const int chosen[] = {0, 3, 4, 5, 7}; // vi, aba by two, hamilton, half-implicit
  static const char *const columns[] = {"bare steps", "with rows", "with a table", "rows over bare",
                                        "table over bare"};
  cardan__bench_table *t = cardan__bench_table_new(
      b, "rows", "A run with a row every step, compared with steps only, us a step",
      "A row: coordinates, velocities, energies, constraint error; a table: as CSV, to a device "
      "that discards it.",
      columns, 5);
  cardan_status status = CARDAN_OK;
  (void)report;
  for (int i = 0; i < 10 && status == CARDAN_OK; i++) {
    const cardan__bench_method *method = cardan__bench_method_at(chosen[i % 5]);
    char label[80];
    snprintf(label, sizeof label, "%s %s", models[i / 5], method->label);
    b->part_done = i / 10.0;
    status = rows_line(b, t, label, models[i / 5], method->options);
  }
  cardan__bench_table_done(b, t);
  return status;
}
