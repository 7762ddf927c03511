// SPDX-License-Identifier: Apache-2.0
// Many copies of one model: microseconds for one step of one copy, by a plain loop over create,
// start and step, and by cardan_rollout on 1 and 2 threads.
//   build/bench/rollout [COPIES [STEPS [ROUNDS]]]      (default 16, 50, 20)
// The three take turns; the best round of each counts. First the processor's time, of all threads
// together, which does not depend much on what else runs; then how much sooner 2 threads are done,
// which does. Rows of q and v after every step, or at the end alone. All three come to the same
// bits, or the program says so and returns 1.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cardan/cardan.h"

typedef struct {
  cardan_model *model;
  cardan_options options;
  int nbatch, nstep;
  size_t nrow;
  double *v0; // nbatch x nv
} job;

typedef struct {
  double *q, *v;
} rows;

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const char *message)
{
  fprintf(stderr, "rollout: %s: %s\n", what, message);
  exit(1);
}

static double *numbers(size_t n)
{
  double *x = calloc(n + 1, sizeof *x);
  if (x == NULL) {
    stop("memory", "out of it");
  }
  return x;
}

static void keep(const job *j, cardan_sim *sim, size_t row, rows *out)
{
  const size_t nq = (size_t)j->model->nq, nv = (size_t)j->model->nv;
  const cardan_data *data = cardan_sim_data(sim);
  memcpy(out->q + row * nq, data->q, nq * sizeof *data->q);
  memcpy(out->v + row * nv, data->v, nv * sizeof *data->v);
}

static cardan_status plain_copy(const job *j, int i, cardan_sim **sim, rows *out,
                                cardan_report *report)
{
  const size_t nv = (size_t)j->model->nv, first = (size_t)i * j->nrow;
  cardan_status status = cardan_sim_create(j->model, &j->options, NULL, sim, report);
  if (status == CARDAN_OK) {
    memcpy(cardan_sim_data(*sim)->v, j->v0 + (size_t)i * nv, nv * sizeof *j->v0);
    status = cardan_sim_start(*sim, report);
  }
  for (int k = 0; k <= j->nstep && status == CARDAN_OK; k++) {
    status = k > 0 ? cardan_sim_step(*sim, report) : CARDAN_OK;
    if (status == CARDAN_OK && k % j->options.every == 0) {
      keep(j, *sim, first + (size_t)(k / j->options.every), out);
    }
  }
  return status;
}

/* Seconds: of the processor, and by the clock on the wall. */
typedef struct {
  double processor, wall;
} spent;

/* All copies; nthread 0: by the plain loop. */
static spent run(const job *j, int nthread, rows *out)
{
  cardan_report report = {.message = ""};
  cardan_status status = CARDAN_OK;
  const double processor = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
  if (nthread > 0) {
    status = cardan_rollout(j->model, &j->options, nthread, j->nbatch, j->nstep, NULL, j->v0, NULL,
                            NULL, out->q, out->v, NULL, NULL, &report);
  }
  for (int i = 0; nthread == 0 && i < j->nbatch && status == CARDAN_OK; i++) {
    cardan_sim *sim = NULL;
    status = plain_copy(j, i, &sim, out, &report);
    cardan_sim_destroy(sim);
  }
  if (status != CARDAN_OK) {
    stop(j->model->name, report.message);
  }
  return (spent){now(CLOCK_PROCESS_CPUTIME_ID) - processor, now(CLOCK_MONOTONIC) - wall};
}

/* One line; false: bits differ. */
static bool measure(const job *j, const char *label, int rounds)
{
  const size_t all = (size_t)j->nbatch * j->nrow;
  const size_t nq = all * (size_t)j->model->nq, nv = all * (size_t)j->model->nv;
  const double steps = (double)j->nbatch * j->nstep;
  spent best[3];
  rows out[3];
  bool same = true;
  for (int k = 0; k < 3; k++) {
    best[k] = (spent){HUGE_VAL, HUGE_VAL};
    out[k] = (rows){numbers(nq), numbers(nv)};
  }
  for (int r = 0; r < rounds; r++) {
    for (int k = 0; k < 3; k++) {
      const spent s = run(j, k, &out[k]);
      best[k].processor = fmin(best[k].processor, s.processor);
      best[k].wall = fmin(best[k].wall, s.wall);
    }
  }
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < nq; i++) {
      same = same && out[k].q[i] == out[0].q[i];
    }
    for (size_t i = 0; i < nv; i++) {
      same = same && out[k].v[i] == out[0].v[i];
    }
  }
  printf("%-28s", label);
  for (int k = 0; k < 3; k++) {
    printf(" %8.3f", 1e6 * best[k].processor / steps);
  }
  printf(" %8.3f %8.2f%s\n", best[1].processor / best[0].processor, best[1].wall / best[2].wall,
         same ? "" : "   other bits");
  for (int k = 0; k < 3; k++) {
    free(out[k].q);
    free(out[k].v);
  }
  return same;
}

/* Copies that differ by their velocities; a row after every step, then one at the end. */
static bool measure_model(const char *name, const char *method, int nbatch, int nstep, int rounds)
{
  cardan_report report = {.message = ""};
  job j = {.options = cardan_options_defaults(), .nbatch = nbatch, .nstep = nstep};
  bool same = true;
  if (cardan_model_load(name, NULL, 0, NULL, &j.model, &report) != CARDAN_OK) {
    stop(name, report.message);
  }
  const int nv = j.model->nv;
  j.options.method = method;
  j.options.lanes = "off"; // bench/lanes has these
  j.options.dt = 1e-3;
  j.options.lanes = "off"; // bench/lanes has those
  j.v0 = numbers((size_t)nbatch * (size_t)nv);
  for (int i = 0; i < nbatch * nv; i++) {
    j.v0[i] = j.model->v0[i % nv] + 0.01 * sin(i);
  }
  for (int k = 0; k < 2; k++) {
    char label[64];
    j.options.every = k == 0 ? 1 : nstep;
    j.nrow = (size_t)(nstep / j.options.every) + 1;
    snprintf(label, sizeof label, "%s, %s%s", name, method, k == 0 ? ", all rows" : "");
    same = measure(&j, label, rounds) && same;
  }
  free(j.v0);
  cardan_model_destroy(j.model);
  return same;
}

int main(int argc, char **argv)
{
  const int nbatch = argc > 1 ? atoi(argv[1]) : 16, nstep = argc > 2 ? atoi(argv[2]) : 50;
  const int rounds = argc > 3 ? atoi(argv[3]) : 20;
  static const char *const list[][2] = {{"chain:10", "vi"},      {"human", "vi"},
                                        {"human", "aba"},        {"closed-chain", "vi"},
                                        {"closed-chain", "aba"}, {"quadruped", "vi"}};
  bool same = true;
  if (nbatch < 1 || nstep < 1 || rounds < 1) {
    stop("arguments", "expected whole numbers above 0");
  }
  cardan_blas_one_thread();
  printf("%d copies, %d steps; us for one step of one copy, best of %d\n", nbatch, nstep, rounds);
  printf("%-28s %8s %8s %8s %8s %8s\n", "", "plain", "1", "2", "1/plain", "sooner");
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    same = measure_model(list[i][0], list[i][1], nbatch, nstep, rounds) && same;
  }
  return same ? 0 : 1;
}
