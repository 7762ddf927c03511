// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/threads.h"
#include "bench/bench.h"
#include "cardan/load.h"
#include "cardan/rollout.h"

/* Many copies of one model, which differ by their velocities: one after the other by cardan_sim,
 * and by cardan_rollout: one by one, then several at once in the lanes of vector registers where
 * the method has them, on one thread and on all cores. */

enum { PLAIN, SINGLE, LANES, CORES, WAYS };

typedef struct {
  cardan_model *model;
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
  const cardan_model *model = j->model;
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
  const size_t nq = (size_t)j->model->nq;
  double *rows = cardan__resize(NULL, NULL, 2 * (size_t)j->ncopy * nq * sizeof *rows);
  if (rows == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  const cardan_status status = cardan_rollout(&(cardan_rollout_args){.model = j->model,
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

/* What is run: a built-in model or a text, the method, its integrator; and how it is called. slow:
 * the largest velocity at the start, 0: 3 rad/s; steps: how many, 0: 100. */
typedef struct {
  const char *model, *method, *integrator, *label;
  double slow;
  int steps;
} subject_of;

/* An arm of six joints with limits that it does not reach in this time. */
#define LINK(name, axis, at, mass) \
  " (joint revolute \"" name "\" (axis " axis ") (limit -6.3 6.3) " at " " mass
static const char arm[] = "(system \"arm\" (gravity 0 0 -9.81)" LINK("j1", "0 0 1", "(tz 0.13",
                                                                     "(mass 7.8 0.03 0.03 0.02)")
    LINK("j2", "0 1 0", "(tz 0.61", "(mass 12.9 0.42 0.42 0.04)")
        LINK("j3", "0 1 0", "(tz 0.57", "(mass 3.9 0.11 0.11 0.01)")
            LINK("j4", "0 1 0", "(ty 0.11", "(mass 2 0.005 0.003 0.005)")
                LINK("j5", "0 0 1", "(tz 0.11", "(mass 2 0.005 0.005 0.003)")
                    LINK("j6", "0 1 0", "(ty 0.09",
                         "(mass 0.4 4e-4 4e-4 4e-4)") "))))))))))))"
                                                      " (actuator \"m2\" \"j2\" \"push\") (input "
                                                      "\"push\" 20) (armature \"j6\" 0.01))";

/* A quadruped of twelve joints with limits, dry friction and rotors: in flight, standing on ball
 * feet by springs, on straight legs and without dry friction, and by servos on bent legs. */
#define ROTOR(name) " (armature \"" name "\" 0.01)"
#define FRICTION(name) " (dry-friction \"" name "\" 0.2)"
#define SPRING(name) " (joint-spring \"" name "\" 300 0)"
#define LEG(name, x, y, side, foot)                                              \
  " (tx " x " (ty " y " (joint revolute \"" name "1\" (axis 1 0 0) (limit -2 2)" \
  " (ty " side "0.05 (mass 0.68 5e-4 9e-4 7e-4) (joint revolute \"" name         \
  "2\" (axis 0 1 0) (limit -4 4) (tz -0.1 (mass 1.15 6e-3 6e-3 1e-3) (tz -0.11"  \
  " (joint revolute \"" name                                                     \
  "3\" (axis 0 1 0) (limit -3.5 3.5) (tz -0.1 (mass 0.19 1e-3 1e-3 4e-5)" foot ")))))))))"
#define OF_LEG(of, name) of(name "1") of(name "2") of(name "3")
#define OF_LEGS(of) OF_LEG(of, "a") OF_LEG(of, "b") OF_LEG(of, "c") OF_LEG(of, "d")
#define QUADRUPED(foot)                                                                   \
  "(system \"quadruped\" (gravity 0 0 -9.81) (joint free \"base\" (mass 6.9 0.024 0.098 " \
  "0.11)" LEG("a", "0.19", "0.05", "", foot) LEG("b", "0.19", "-0.05", "-", foot)         \
      LEG("c", "-0.19", "0.05", "", foot) LEG("d", "-0.19", "-0.05", "-", foot) ")" OF_LEGS(ROTOR)
static const char flying[] = QUADRUPED("") OF_LEGS(FRICTION) ")";
#define FOOT " (tz -0.1 (solid sphere 0.02))"
#define FLOOR(z)                                    \
  " (place (0 0 0) (name \"floor\") (solid plane))" \
  " (contact \"floor\" all (friction 0.8)) (initial (\"base.z\" " z ")))"
static const char standing[] = QUADRUPED(FOOT) OF_LEGS(SPRING) " (damping 3)" FLOOR("0.43");
#define SERVO(name, angle)                                                              \
  " (input \"u" name "\" " angle ") (actuator \"s" name "\" \"" name "\" \"u" name "\"" \
  " (servo 60 3) (limit -40 40)) (initial (\"" name "\" " angle "))"
#define BENT(name) SERVO(name "1", "0") SERVO(name "2", "0.8") SERVO(name "3", "-1.6")
static const char bent[] = QUADRUPED(FOOT) OF_LEGS(FRICTION) BENT("a") BENT("b") BENT("c")
    BENT("d") " (damping 0.1)" FLOOR("0.306");

static cardan_status open_model(const subject_of *of, job *j, cardan_report *report)
{
  j->options = cardan_options_defaults();
  j->options.method = of->method;
  cardan_status status = of->integrator != NULL
                             ? cardan_options_set(&j->options, "integrator", of->integrator, report)
                             : CARDAN_OK;
  if (status != CARDAN_OK) {
    return status;
  }
  return of->model[0] == '(' ? cardan_model_from_text(of->model, strlen(of->model), "arm", NULL, 0,
                                                      NULL, &j->model, report)
                             : cardan_model_load(of->model, NULL, 0, NULL, &j->model, report);
}

/* Copies start at 1 to 3 rad/s or m/s, in either direction: a step of slow ones would be cheaper
 * than in a motion. */
static double speed_of(size_t i)
{
  const double x = sin(3.7 * (double)i);
  return x < 0 ? -1 + 2 * x : 1 + 2 * x;
}

static cardan_status open_job(const subject_of *of, double dt, bool quick, job *j,
                              cardan_report *report)
{
  *j = (job){.ncopy = quick ? 16 : 128,
             .nstep = quick && of->steps == 0 ? 50
                      : of->steps > 0         ? of->steps
                                              : 100};
  const cardan_status status = open_model(of, j, report);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan_model *m = j->model;
  const size_t n = (size_t)j->ncopy, nq = n * (size_t)m->nq, nv = n * (size_t)m->nv;
  j->options.dt = dt;
  j->options.every = j->nstep;
  j->v0 = cardan__resize(NULL, NULL, (nv + WAYS * nq + 1) * sizeof *j->v0);
  if (j->v0 == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (size_t i = 0; i < nv; i++) {
    j->v0[i] = m->v0[i % (size_t)m->nv] + (of->slow > 0 ? of->slow / 3 : 1) * speed_of(i);
  }
  for (int k = 0; k < WAYS; k++) {
    j->end[k] = j->v0 + nv + (size_t)k * nq;
  }
  return CARDAN_OK;
}

static double largest_difference(const job *j, int a, int b)
{
  double most = 0;
  for (int i = 0; i < j->ncopy * j->model->nq; i++) {
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

/* One row: a model and a step. */
static cardan_status measure_row(cardan__bench *b, cardan__bench_table *t, const subject_of *of,
                                 double dt, cardan_report *report)
{
  const bool quick = b->options->quick;
  job j;
  char label[96], how[96];
  cardan_status status = open_job(of, dt, quick, &j, report);
  subject s[WAYS] = {{&j, PLAIN, 0, 0, HUGE_VAL},
                     {&j, SINGLE, 1, 0, HUGE_VAL},
                     {&j, LANES, 1, 0, HUGE_VAL},
                     {&j, CORES, cardan__cores(), 0, HUGE_VAL}};
  cardan__timed timed[WAYS];
  for (int k = 0; k < WAYS; k++) {
    timed[k] =
        (cardan__timed){.subject = &s[k], .run = run, .seconds = seconds_of, .pieces = 1, .n = 1};
  }
  if (status == CARDAN_OK) {
    status = cardan__time(b, timed, WAYS, quick ? 3 : 11, quick ? 0.1 : 1);
  }
  if (status == CARDAN_OK) {
    snprintf(label, sizeof label, "%s, %g ms", of->label, 1e3 * dt);
    snprintf(how, sizeof how, "%d copies; %d steps; %d cores", j.ncopy, j.nstep, cardan__cores());
    fill(b, t, label, how, &j, timed, s);
  }
  cardan__resize(NULL, j.v0, 0);
  cardan_model_destroy(j.model);
  return status;
}

cardan_status cardan__bench_batches(cardan__bench *b, cardan_report *report)
{
  static const subject_of list[] = {
      {"humanoid", "aba", "semi-implicit", "humanoid aba semi-implicit", 0, 0},
      {"humanoid", "vi", NULL, "humanoid vi", 0, 0},
      {"chain:10", "aba", "semi-implicit", "chain:10 aba semi-implicit", 0, 0},
      {"chain:10", "vi", NULL, "chain:10 vi", 0, 0},
      {arm, "vi", NULL, "arm with limits vi", 0, 0},
      {flying, "vi", NULL, "quadruped in flight, dry friction, limits vi", 0, 0},
      {standing, "vi", NULL, "quadruped on four feet, limits vi", 0.1, 1000},
      {bent, "vi", NULL, "quadruped on servos, dry friction, limits vi", 0.3, 1000},
      {"closed-chain", "vi", NULL, "closed-chain vi", 0, 0}};
  static const double steps[] = {2e-3, 5e-3};
  static const char *const columns[] = {
      "plain loop [us]",          "1 thread no lanes [us]",   "1 thread [us]",
      "all cores [us]",           "speed-up by the clock",    "steps a second by the clock",
      "no lanes less plain loop", "1 thread less plain loop", "all cores less 1 thread"};
  enum { MODELS = sizeof list / sizeof list[0], STEPS = sizeof steps / sizeof steps[0] };
  cardan__bench_table *t = cardan__bench_table_new(
      b, "batches", "Many copies of one model, us of the processor for one step of one copy",
      "`cardan bench batches` prints this table. Copies start at 1 to 3 rad/s. The plain loop "
      "makes "
      "a simulation for each copy; the others are cardan_rollout, in lanes where the method has "
      "them. The last three columns: the largest difference of a coordinate at the end of the run.",
      columns, WAYS + 5);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < MODELS * STEPS && status == CARDAN_OK; i++) {
    b->part_done = (double)i / (MODELS * STEPS);
    status = measure_row(b, t, &list[i / STEPS], steps[i % STEPS], report);
  }
  cardan__bench_table_done(b, t);
  return status;
}
