// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "cardan/rollout.h"
#include "reproduce/motion.h"

/* Many copies of one model, which differ by their velocities: one after the other by cardan_sim,
 * and by cardan_rollout: one by one, then several at once in the lanes of vector registers where
 * the method has them, on one thread and on all cores. */

enum { PLAIN, SINGLE, LANES, CORES, WAYS };

typedef struct {
  cardan__motion motion; // model and options; its sim is not used
  cardan_options options;
  int ncopy, nstep;
  double *v0;        // ncopy x nv
  double *end[WAYS]; // ncopy x nq: coordinates at the end
} job;

typedef struct {
  job *j;
  int way, threads;
  double seconds; // of the processor in the last run, all threads
  double wall;    // least by the clock
} subject;

static cardan_status plain(job *j, double *q, cardan_report *report)
{
  const cardan_model *model = j->motion.model;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < j->ncopy && status == CARDAN_OK; i++) {
    cardan_sim *sim = NULL;
    status = cardan_sim_create(model, &j->options, NULL, &sim, report);
    if (status == CARDAN_OK) {
      memcpy(cardan_sim_data(sim)->v, j->v0 + (size_t)i * nv, nv * sizeof *j->v0);
      status = cardan_sim_start(sim, report);
    }
    for (int k = 0; k < j->nstep && status == CARDAN_OK; k++) {
      status = cardan_sim_step(sim, report);
    }
    if (status == CARDAN_OK) {
      memcpy(q + (size_t)i * nq, cardan_sim_data(sim)->q, nq * sizeof *q);
    }
    cardan_sim_destroy(sim);
  }
  return status;
}

/* rows of a rollout: the start and the end */
static cardan_status rollout(const job *j, bool lanes, int threads, double *q,
                             cardan_report *report)
{
  cardan_options options = j->options;
  options.lanes = lanes ? NULL : "off";
  const size_t nq = (size_t)j->motion.model->nq;
  double *rows = cardan__resize(NULL, NULL, 2 * (size_t)j->ncopy * nq * sizeof *rows);
  if (rows == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  const cardan_status status = cardan_rollout(&(cardan_rollout_args){.model = j->motion.model,
                                                                     .options = &options,
                                                                     .nthread = threads,
                                                                     .nbatch = j->ncopy,
                                                                     .nstep = j->nstep,
                                                                     .v0 = j->v0,
                                                                     .q = rows},
                                              report);
  for (int i = 0; i < j->ncopy; i++) {
    memcpy(q + (size_t)i * nq, rows + (2 * (size_t)i + 1) * nq, nq * sizeof *q);
  }
  cardan__resize(NULL, rows, 0);
  return status;
}

/* Of all threads. */
static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static cardan_status run(void *user, int n, cardan_report *report)
{
  subject *s = user;
  job *j = s->j;
  cardan_status status = CARDAN_OK;
  const double start = processor_seconds(), wall = cardan__seconds();
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = s->way == PLAIN ? plain(j, j->end[PLAIN], report)
                             : rollout(j, s->way >= LANES, s->threads, j->end[s->way], report);
  }
  s->seconds = processor_seconds() - start;
  s->wall = fmin(s->wall, (cardan__seconds() - wall) / n);
  return status;
}

static double seconds_of(const void *user)
{
  return ((const subject *)user)->seconds;
}

static cardan_status open_job(const char *model, const char *options, bool quick, job *j,
                              cardan_report *report)
{
  *j = (job){.ncopy = quick ? 16 : 128, .nstep = quick ? 50 : 100};
  cardan_status status = cardan__motion_open(model, options, 1e-3, &j->motion, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_model *m = j->motion.model;
  const size_t n = (size_t)j->ncopy, nq = n * (size_t)m->nq, nv = n * (size_t)m->nv;
  j->options = *cardan_sim_options(j->motion.sim);
  j->options.every = j->nstep;
  j->v0 = cardan__resize(NULL, NULL, (nv + WAYS * nq + 1) * sizeof *j->v0);
  if (j->v0 == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (size_t i = 0; i < nv; i++) {
    j->v0[i] = m->v0[i % (size_t)m->nv] + 0.01 * sin((double)i);
  }
  for (int k = 0; k < WAYS; k++) {
    j->end[k] = j->v0 + nv + (size_t)k * nq;
  }
  return CARDAN_OK;
}

static double largest_difference(const job *j, int a, int b)
{
  double most = 0;
  for (int i = 0; i < j->ncopy * j->motion.model->nq; i++) {
    most = fmax(most, fabs(j->end[a][i] - j->end[b][i]));
  }
  return most;
}

static void fill(cardan__bench *b, cardan__bench_table *t, const char *label, const char *how,
                 const job *j, const cardan__timed *timed, const subject *by)
{
  const double steps = (double)j->ncopy * j->nstep;
  const int row = cardan__bench_row_of(b, t, label, how);
  double s[WAYS];
  for (int k = 0; k < WAYS; k++) {
    s[k] = cardan__timed_seconds(&timed[k]);
    cardan__bench_set(b, t, row, k, 1e6 * s[k] / steps, timed[k].message);
  }
  if (isnan(s[PLAIN] + s[SINGLE] + s[LANES] + s[CORES])) {
    return;
  }
  cardan__bench_set(b, t, row, WAYS, by[LANES].wall / by[CORES].wall, NULL);
  cardan__bench_set(b, t, row, WAYS + 1, steps / by[CORES].wall, NULL);
  cardan__bench_set(b, t, row, WAYS + 2, largest_difference(j, SINGLE, PLAIN), NULL);
  cardan__bench_set(b, t, row, WAYS + 3, largest_difference(j, LANES, PLAIN), NULL);
  cardan__bench_set(b, t, row, WAYS + 4, largest_difference(j, CORES, LANES), NULL);
}

cardan_status cardan__bench_batches(cardan__bench *b, cardan_report *report)
{
  static const char *const list[][3] = {
      {"humanoid", "method=aba integrator=semi-implicit", "aba semi-implicit"},
      {"humanoid", "method=vi", "vi"},
      {"chain:10", "method=aba integrator=semi-implicit", "aba semi-implicit"},
      {"chain:10", "method=vi", "vi"},
      {"closed-chain", "method=vi", "vi"}};
  static const char *const columns[] = {
      "plain loop [us]",          "1 thread no lanes [us]",   "1 thread [us]",
      "all cores [us]",           "speed-up by the clock",    "steps a second by the clock",
      "no lanes less plain loop", "1 thread less plain loop", "all cores less 1 thread"};
  enum { ROWS = sizeof list / sizeof list[0] };
  const bool quick = b->options->quick;
  cardan__bench_table *t = cardan__bench_table_new(
      b, "batches", "Many copies of one model, us of the processor for one step of one copy",
      "The plain loop makes a simulation for each copy; the others are cardan_rollout, in lanes "
      "where "
      "the method has them. The last three columns: the largest difference of a coordinate at the "
      "end "
      "of the run.",
      columns, WAYS + 5);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < ROWS && status == CARDAN_OK; i++) {
    job j;
    char label[64], how[96];
    status = open_job(list[i][0], list[i][1], quick, &j, report);
    subject s[WAYS] = {{&j, PLAIN, 0, 0, HUGE_VAL},
                       {&j, SINGLE, 1, 0, HUGE_VAL},
                       {&j, LANES, 1, 0, HUGE_VAL},
                       {&j, CORES, cardan__cores(), 0, HUGE_VAL}};
    cardan__timed timed[WAYS];
    for (int k = 0; k < WAYS; k++) {
      timed[k] =
          (cardan__timed){.subject = &s[k], .run = run, .seconds = seconds_of, .pieces = 1, .n = 1};
    }
    b->part_done = (double)i / ROWS;
    if (status == CARDAN_OK) {
      status = cardan__time(b, timed, WAYS, quick ? 3 : 11, quick ? 0.1 : 1);
    }
    if (status == CARDAN_OK) {
      snprintf(label, sizeof label, "%s %s", list[i][0], list[i][2]);
      snprintf(how, sizeof how, "%d copies; %d steps of 1 ms; %d cores", j.ncopy, j.nstep,
               cardan__cores());
      fill(b, t, label, how, &j, timed, s);
    }
    cardan__resize(NULL, j.v0, 0);
    cardan__motion_close(&j.motion);
  }
  cardan__bench_table_done(b, t);
  return status;
}
