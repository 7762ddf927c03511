// SPDX-License-Identifier: Apache-2.0
// What a sweep costs beyond its cases.
//   build/bench/sweep [ROUNDS]                  (default 5)
// Cases of a double pendulum by vi that take some 10 us, 100 us, 1 ms and 10 ms, us a case by the
// time of the processor: by a plain loop over the C API, one sim started again for each case and
// looked at when its run is over, by the same loop taking all rows, and by cardan_sweep_run with
// one job, journals and the merge included. ratio: the first loop's time to the sweep's. Of two
// jobs the processor time of both over that of one, and how much sooner they are done by the clock,
// which needs two idle cores to mean anything. The best round of each; they take turns.
//   build/bench/sweep --memory CASES            the most memory that a sweep of short cases takes
//   build/bench/sweep --kept CASES              the time that motions of all cases add
#define _DEFAULT_SOURCE // mkdtemp
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cardan/cardan.h"

static char folder[] = "/tmp/cardan-sweep-XXXXXX";

static void stop(const char *message)
{
  fprintf(stderr, "sweep: %s\n", message);
  exit(1);
}

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* What a call took, by the processor and by the clock [s]. */
typedef struct {
  double processor, clock;
} cost;

static cost begin(void)
{
  return (cost){now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_MONOTONIC)};
}

static cost since(cost start)
{
  const cost end = begin();
  return (cost){end.processor - start.processor, end.clock - start.clock};
}

static void keep_least(cost *least, cost one)
{
  least->processor = fmin(least->processor, one.processor);
  least->clock = fmin(least->clock, one.clock);
}

/* One size of cases: so many, each of so many steps. */
typedef struct {
  int cases, steps;
  char plan[256];
  char *text;
  size_t length;
  cardan_options options;
} work;

static work make_work(int cases, int steps)
{
  work w = {.cases = cases, .steps = steps, .options = cardan_options_defaults()};
  w.options.dt = 0.001;
  w.options.time = steps * 0.001;
  snprintf(w.plan, sizeof w.plan,
           "(plan (range \"q.q1\" -3 3 (count %d)) (collect (end \"q.q1\" \"q.q2\") drift))",
           cases);
  if (cardan_load_text("double-pendulum", NULL, &w.text, &w.length, NULL) != CARDAN_OK) {
    stop("the model cannot be read");
  }
  return w;
}

/* ---- by hand ---- */

static cardan_status take_row(void *user, const double *row, cardan_report *report)
{
  (void)report;
  memcpy(user, row, 3 * sizeof *row);
  return CARDAN_OK;
}

/* rows: all of them are taken, as a table would; else the state is looked at when a run is over. */
static cost by_loop(const work *w, bool rows, double *sum)
{
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  const cost start = begin();
  if (cardan_model_from_text(w->text, w->length, "double-pendulum", NULL, 0, NULL, &model, NULL) ||
      cardan_sim_create(model, &w->options, NULL, &sim, NULL)) {
    stop("the loop has no sim");
  }
  cardan_data *data = cardan_sim_data(sim);
  for (int i = 0; i < w->cases; i++) {
    double last[3];
    const cardan_sink sink = {.user = last, .row = take_row};
    cardan_data_reset(model, data);
    data->q[0] = -3 + 6.0 * i / (w->cases - 1);
    data->q_given[0] = true;
    if (cardan_sim_start(sim, NULL) || cardan_run(sim, w->steps, &sink, rows, NULL, NULL)) {
      stop("a case of the loop fails");
    }
    *sum += (rows ? last[1] : data->q[0]) + cardan_sim_stats(sim).drift_max;
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return since(start);
}

/* ---- by the sweep ---- */

static cost by_sweep(const work *w, int jobs, const char *keep)
{
  char path[256];
  cardan_sweep *sweep;
  cardan_report report = {.message = ""};
  cardan_sweep_progress end;
  const cardan_record base = {
      .model = "double-pendulum", .text = w->text, .length = w->length, .options = &w->options};
  snprintf(path, sizeof path, "%s/r.h5", folder);
  const cost start = begin();
  if (cardan_sweep_create(&base, w->plan, strlen(w->plan), "plan", NULL, &sweep, &report)) {
    stop(report.message);
  }
  const cardan_sweep_run_options how = {.out = path, .jobs = jobs, .keep = keep};
  if (cardan_sweep_run(sweep, &how, &end, &report) || end.failed > 0) {
    stop(report.message);
  }
  cardan_sweep_destroy(sweep);
  const cost all = since(start);
  unlink(path);
  return all;
}

static void compare(int cases, int steps, int rounds)
{
  work w = make_work(cases, steps);
  cost loop = {HUGE_VAL, HUGE_VAL}, table = loop, one = loop, two = loop;
  double sum = 0;
  for (int r = 0; r < rounds; r++) {
    keep_least(&loop, by_loop(&w, false, &sum));
    keep_least(&table, by_loop(&w, true, &sum));
    keep_least(&one, by_sweep(&w, 1, NULL));
    keep_least(&two, by_sweep(&w, 2, NULL));
  }
  const double n = cases;
  printf("%7d  %9.1f  %9.1f  %9.1f  %6.3f  %7.2f  %9.2f  %8.2f\n", cases, 1e6 * loop.processor / n,
         1e6 * table.processor / n, 1e6 * one.processor / n, loop.processor / one.processor,
         1e6 * (one.processor - loop.processor) / n, two.processor / one.processor,
         one.clock / two.clock);
  cardan_free_text(NULL, w.text);
}

int main(int argc, char **argv)
{
  static const int sizes[][2] = {{20000, 8}, {4000, 100}, {500, 1100}, {50, 11000}};
  const bool memory = argc == 3 && strcmp(argv[1], "--memory") == 0;
  const bool kept = argc == 3 && strcmp(argv[1], "--kept") == 0;
  if (mkdtemp(folder) == NULL) {
    stop("there is no place for results in /tmp");
  }
  cardan_blas_one_thread();
  if (memory || kept) {
    work w = make_work(atoi(argv[2]), memory ? 1 : 400);
    const cost plain = by_sweep(&w, 2, NULL);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%d cases: %.1f s, at most %.1f MB\n", w.cases, plain.processor,
           (double)usage.ru_maxrss / 1024);
    if (kept) {
      const cost all = by_sweep(&w, 2, "all");
      printf("with all motions %.1f s\n", all.processor);
    }
    cardan_free_text(NULL, w.text);
  } else {
    printf("  cases  loop [us]  with rows  sweep [us]  ratio  us more  2 jobs: cpu  by clock\n");
    for (int i = 0; i < 4; i++) {
      compare(sizes[i][0], sizes[i][1], argc > 1 ? atoi(argv[1]) : 5);
    }
  }
  rmdir(folder);
  return 0;
}
