// SPDX-License-Identifier: Apache-2.0
// Copies in the lanes of vector registers.
//   build/bench/lanes [MODEL ..]          (default chain:10, chain:100, humanoid)
// ns a body and copy: inverse and forward dynamics, the semi-implicit step and 200 variational ones
// with their evaluations in a step, of every width that this processor has; then steps a second of
// cardan_rollout with both methods, 512 copies, on one thread copy by copy, on one in lanes, and on
// two: what two cores would do by the time of the processor, and what the clock says, which depends
// on what else runs. The best round of each.
// --difference and --rows are of the semi-implicit step; of the variational one after --vi.
//   build/bench/lanes --difference COPIES STEPS [MODEL ..]
// The largest difference of q and v between lanes and copy by copy, all rows, and where the largest
// numbers are; then the same with one copy that diverges: bits of the others must stay.
//   build/bench/lanes --rows THREADS COPIES STEPS [MODEL ..] | sha256sum
// All rows as bytes.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "batch/lanes/lanes.h"
#include "cardan/cardan.h"

enum { ROUNDS = 40, PART = 125 };

static double now(clockid_t clock)
{
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const char *message)
{
  fprintf(stderr, "lanes: %s: %s\n", what, message);
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

static cardan_model *load(const char *name)
{
  cardan_model *model;
  cardan_report report = {.message = ""};
  if (cardan_model_load(name, NULL, 0, NULL, &model, &report) != CARDAN_OK) {
    stop(name, report.message);
  }
  return model;
}

/* ---- kernels ---- */

typedef struct {
  const cardan__lanes_model *flat;
  const cardan__lanes_kernels *k;
  cardan__lanes *lanes;
} bench;

static void once(const bench *b, int which)
{
  switch (which) {
  case 0:
    b->k->inverse(b->flat, b->lanes);
    break;
  case 1:
    b->k->forward(b->flat, b->lanes);
    break;
  default:
    b->k->semi_implicit.step(b->flat, b->lanes, 1e-6);
    break;
  }
}

/* dt of all steps but those of the kernels. */
static const double dt = 1e-3;

/* Starts of the lanes: the model's own, and velocities about it. */
static void put_starts(const bench *b, const cardan_model *m)
{
  const int width = b->k->width;
  for (int i = 0; i < m->nq * width; i++) {
    b->lanes->q[i] = m->q0[i / width];
  }
  for (int i = 0; i < m->nv * width; i++) {
    b->lanes->v[i] = m->v0[i / width] + 0.1 * sin(i);
  }
}

/* Seconds of one variational step of 200, and evaluations in it. */
static double best_vi(bench *b, const cardan_model *m, double *evaluations)
{
  enum { STEPS = 200 };
  const cardan_options o = {.dt = dt};
  double best = HUGE_VAL;
  cardan__lanes_destroy(b->lanes);
  b->lanes = cardan__lanes_create(b->flat, b->k->width, b->k->vi.size(b->flat));
  if (b->lanes == NULL) {
    stop("memory", "out of it");
  }
  for (int r = 0; r < ROUNDS; r++) {
    put_starts(b, m);
    b->k->vi.start(b->flat, b->lanes, &o);
    const double from = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < STEPS; i++) {
      b->k->vi.step(b->flat, b->lanes, dt);
    }
    best = fmin(best, (now(CLOCK_PROCESS_CPUTIME_ID) - from) / STEPS);
  }
  *evaluations = (double)*b->lanes->evaluations / STEPS;
  return best;
}

/* Seconds of one call, best of the rounds. */
static double best_of(const bench *b, int which, int calls)
{
  double best = HUGE_VAL;
  for (int r = 0; r < ROUNDS; r++) {
    const double from = now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < calls; i++) {
      once(b, which);
    }
    best = fmin(best, (now(CLOCK_PROCESS_CPUTIME_ID) - from) / calls);
  }
  return best;
}

static void measure_kernels(const char *name)
{
  cardan_model *m = load(name);
  cardan__lanes_model *flat = cardan__lanes_model_create(m);
  bench b = {.flat = flat};
  for (int w = 0; flat != NULL && (b.k = cardan__lanes_kernels_at(w)) != NULL; w++) {
    const int width = b.k->width;
    b.lanes = cardan__lanes_create(flat, width, b.k->size(flat));
    if (b.lanes == NULL) {
      stop("memory", "out of it");
    }
    put_starts(&b, m);
    printf("%-20s %5d", name, width);
    for (int which = 0; which < 3; which++) {
      const double t = best_of(&b, which, 20000 / m->nbody + 1);
      printf(" %9.2f", 1e9 * t / (width * (m->nbody - 1)));
    }
    double evaluations;
    const double t = best_vi(&b, m, &evaluations);
    printf(" %9.2f (%.2f)\n", 1e9 * t / (width * (m->nbody - 1)), evaluations);
    cardan__lanes_destroy(b.lanes);
  }
  cardan__lanes_model_destroy(flat);
  cardan_model_destroy(m);
}

/* ---- rollouts ---- */

typedef struct {
  cardan_model *model;
  cardan_options options;
  int nbatch, nstep;
  size_t nrow;
  double *v0, *q, *v;
} job;

static const char *method = "aba"; // or vi

/* Copies first .. first + nbatch - 1 of as many as one likes: they differ by their velocities. */
static job make_job(const char *name, int first, int nbatch, int nstep, int every)
{
  job j = {.model = load(name), .options = cardan_options_defaults(), .nbatch = nbatch};
  const size_t nq = (size_t)j.model->nq, nv = (size_t)j.model->nv, n = (size_t)nbatch;
  j.nstep = nstep;
  j.nrow = (size_t)(nstep / every) + 1;
  j.options.method = method;
  j.options.integrator = strcmp(method, "aba") == 0 ? "semi-implicit" : NULL;
  j.options.dt = dt;
  j.options.every = every;
  j.v0 = numbers(n * nv);
  j.q = numbers(n * j.nrow * nq);
  j.v = numbers(n * j.nrow * nv);
  for (size_t i = 0; i < n * nv; i++) {
    j.v0[i] = j.model->v0[i % nv] + 0.1 * sin((double)((size_t)first * nv + i));
  }
  return j;
}

static void free_job(job *j)
{
  free(j->v0);
  free(j->q);
  free(j->v);
  cardan_model_destroy(j->model);
}

typedef struct {
  double processor, wall;
} spent;

/* Seconds: of the processor, on all threads together, and by the clock. failed, out: copies. */
static spent roll(job *j, const char *lanes, int nthread, int *failed)
{
  cardan_report report = {.message = ""};
  cardan_status *status = calloc((size_t)j->nbatch, sizeof *status);
  j->options.lanes = lanes;
  const spent from = {now(CLOCK_PROCESS_CPUTIME_ID), now(CLOCK_MONOTONIC)};
  const cardan_status found = status == NULL
                                  ? CARDAN_ERR_MEMORY
                                  : cardan_rollout(&(cardan_rollout_args){.model = j->model,
                                                                          .options = &j->options,
                                                                          .nthread = nthread,
                                                                          .nbatch = j->nbatch,
                                                                          .nstep = j->nstep,
                                                                          .v0 = j->v0,
                                                                          .q = j->q,
                                                                          .v = j->v,
                                                                          .status = status},
                                                   &report);
  const spent took = {now(CLOCK_PROCESS_CPUTIME_ID) - from.processor,
                      now(CLOCK_MONOTONIC) - from.wall};
  *failed = 0;
  for (int i = 0; i < j->nbatch && status != NULL; i++) {
    *failed += status[i] != CARDAN_OK;
  }
  if (found != CARDAN_OK && *failed == 0) {
    stop(j->model->name, report.message);
  }
  free(status);
  return took;
}

static void measure_rollout(const char *name)
{
  job j = make_job(name, 0, 512, 100, 100);
  double best[4] = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  int failed;
  for (int r = 0; r < 24; r++) {
    best[0] = r % 8 == 0 ? fmin(best[0], roll(&j, "off", 1, &failed).processor) : best[0];
    best[1] = fmin(best[1], roll(&j, "auto", 1, &failed).processor);
    const spent two = roll(&j, "auto", 2, &failed);
    best[2] = fmin(best[2], two.processor);
    best[3] = fmin(best[3], two.wall);
  }
  const double steps = (double)j.nbatch * j.nstep;
  printf("%-20s %12.0f %12.0f %12.0f %12.0f\n", name, steps / best[0], steps / best[1],
         2 * steps / best[2], steps / best[3]);
  free_job(&j);
}

/* ---- differences ---- */

static double largest(const double *a, const double *b, size_t n, double *size)
{
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    most = fmax(most, fabs(a[i] - b[i]));
    *size = fmax(*size, fabs(a[i]));
  }
  return most;
}

/* One copy made to diverge: false where another one's bits have changed. */
static int disturb(const job *lanes, int nbatch, int nstep, const char *name)
{
  job j = make_job(name, 0, nbatch, nstep, 1);
  const size_t nq = j.nrow * (size_t)j.model->nq, bad = (size_t)nbatch / 2;
  int failed, same = 1;
  j.v0[bad * (size_t)j.model->nv] = 1e120;
  roll(&j, "auto", 2, &failed);
  for (size_t i = 0; i < (size_t)nbatch; i++) {
    same &= i == bad || memcmp(j.q + i * nq, lanes->q + i * nq, nq * sizeof *j.q) == 0;
  }
  printf("%-20s with one that diverges: %d of %d failed, bits of the others %s\n", name, failed,
         nbatch, same ? "as before" : "CHANGED");
  free_job(&j);
  return same;
}

/* In parts, for the memory that rows take. */
static int difference(const char *name, int nbatch, int nstep)
{
  double size_q = 0, size_v = 0, q = 0, v = 0;
  int failed, same = 1;
  for (int first = 0; first < nbatch; first += PART) {
    const int n = nbatch - first < PART ? nbatch - first : PART;
    job lanes = make_job(name, first, n, nstep, 1), plain = make_job(name, first, n, nstep, 1);
    const size_t all = (size_t)n * lanes.nrow;
    roll(&lanes, "auto", 2, &failed);
    roll(&plain, "off", 2, &failed);
    q = fmax(q, largest(lanes.q, plain.q, all * (size_t)lanes.model->nq, &size_q));
    v = fmax(v, largest(lanes.v, plain.v, all * (size_t)lanes.model->nv, &size_v));
    same &= first > 0 || disturb(&lanes, n, nstep, name);
    free_job(&lanes);
    free_job(&plain);
  }
  printf("%-20s %d copies, %d steps: q differs by %.2g (of up to %.2g), v by %.2g (%.2g)\n", name,
         nbatch, nstep, q, size_q, v, size_v);
  return same;
}

static void write_rows(const char *name, int nthread, int nbatch, int nstep)
{
  job j = make_job(name, 0, nbatch, nstep, 1);
  const size_t n = (size_t)nbatch * j.nrow;
  int failed;
  roll(&j, "auto", nthread, &failed);
  fwrite(j.q, sizeof *j.q, n * (size_t)j.model->nq, stdout);
  fwrite(j.v, sizeof *j.v, n * (size_t)j.model->nv, stdout);
  free_job(&j);
}

static void measure_rollouts(int n, const char *const *name)
{
  static const char *const methods[] = {"aba", "vi"};
  for (int k = 0; k < 2; k++) {
    method = methods[k];
    printf("\n%-20s %12s %12s %12s %12s   %s steps a second\n", "", "one by one", "lanes",
           "on two cores", "by the clock", k == 0 ? "semi-implicit" : "variational");
    for (int i = 0; i < n; i++) {
      measure_rollout(name[i]);
    }
  }
}

int main(int argc, char **argv)
{
  static const char *const usual[] = {"chain:10", "chain:100", "humanoid"};
  if (argc > 1 && strcmp(argv[1], "--vi") == 0) {
    method = "vi";
    argc--;
    argv++;
  }
  const int rows = argc > 4 && strcmp(argv[1], "--rows") == 0;
  const int differ = argc > 3 && strcmp(argv[1], "--difference") == 0;
  const int from = rows ? 5 : differ ? 4 : 1, n = argc > from ? argc - from : 3;
  const char *const *name = argc > from ? (const char *const *)argv + from : usual;
  int same = 1;
  cardan_blas_one_thread();
  if (!rows && !differ) {
    printf("%-20s %5s %9s %9s %9s %9s   ns a body and copy (evaluations)\n", "", "width", "inverse",
           "forward", "step", "vi step");
    for (int i = 0; i < n; i++) {
      measure_kernels(name[i]);
    }
    measure_rollouts(n, name);
    return 0;
  }
  for (int i = 0; i < n; i++) {
    if (rows) {
      write_rows(name[i], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
    } else {
      same &= difference(name[i], atoi(argv[2]), atoi(argv[3]));
    }
  }
  return same ? 0 : 1;
}
