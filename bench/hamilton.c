// SPDX-License-Identifier: Apache-2.0
// What one evaluation of Hamilton's equations costs beside one of accelerations, open trees and
// loops.
//   build/bench/hamilton [LARGEST]      (largest chain, default 10000)
// Both start from q and the other half of the state. Times are the best of interleaved batches;
// what lasts are the ratios and the growth exponent.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cardan/cardan.h"
#include "dynamics/momenta.h"
#include "methods/continuous/continuous.h"
#include "run/sim.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A method at the model's start, as the integrator calls it. */
typedef struct {
  cardan_sim *sim;
  double *y, *ydot;
} bench_case;

static void expect_ok(cardan_status status, const char *message)
{
  if (status != CARDAN_OK) {
    fprintf(stderr, "hamilton: %s: %s\n", cardan_status_text(status), message);
    exit(1);
  }
}

static bench_case make(const cardan_model *model, const char *method, const char *form)
{
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  bench_case b = {.sim = NULL};
  o.method = method;
  o.form = form;
  expect_ok(cardan_sim_create(model, &o, NULL, &b.sim, &report), report.message);
  for (int k = 0; k < model->nv && model->nrow == 0; k++) {
    cardan_sim_data(b.sim)->v[k] = 0.1 * sin(k);
  }
  expect_ok(cardan_sim_start(b.sim, &report), report.message);
  const cardan__ode *ode = ((cardan__continuous *)b.sim->stepper)->ode;
  b.y = calloc(2 * (size_t)ode->n + 1, sizeof *b.y);
  if (b.y == NULL) {
    exit(1);
  }
  b.ydot = b.y + ode->n;
  memcpy(b.y, ode->y, (size_t)ode->n * sizeof *b.y);
  return b;
}

static void drop(bench_case *b)
{
  free(b->y);
  cardan_sim_destroy(b->sim);
}

/* n evaluations of y'; the last coordinate changes, so that nothing is taken from before. */
static void evaluate(bench_case *b, int n)
{
  if (b->sim == NULL) {
    return; // a form that this model does not have
  }
  const cardan__ode *ode = ((cardan__continuous *)b->sim->stepper)->ode;
  for (int i = 0; i < n; i++) {
    b->y[ode->problem.nq - 1] += i % 2 ? -1e-9 : 1e-9;
    expect_ok(ode->problem.f(ode->problem.ctx, ode->t, b->y, b->ydot).status, "evaluation");
  }
}

enum { NCASE = 3, BATCHES = 80 };

/* Seconds of one evaluation of each case: best of batches of about 1 ms, in turn. */
static void best_times(bench_case *cases, int ncase, double *best)
{
  for (int k = 0; k < ncase; k++) {
    best[k] = HUGE_VAL;
  }
  int n = 1;
  for (double start = now(); now() - start < 0.001; n *= 2) {
    evaluate(&cases[0], n);
  }
  for (int batch = 0; batch < BATCHES; batch++) {
    for (int k = 0; k < ncase; k++) {
      const double start = now();
      evaluate(&cases[k], n);
      best[k] = fmin(best[k], (now() - start) / n);
    }
  }
}

static double per_model(const char *name, bool loops, double best[NCASE])
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  expect_ok(cardan_model_load(name, NULL, 0, NULL, &model, &report), report.message);
  bench_case cases[NCASE] = {make(model, "aba", NULL), make(model, "hamilton", "augmented")};
  if (loops) {
    cases[2] = make(model, "hamilton", "reduced");
  }
  const int ncase = loops ? 3 : 2, n = model->nbody - 1;
  best_times(cases, ncase, best);
  printf("%-18s%8d%12.1f%12.1f%9.2f", name, n, 1e9 * best[0] / n, 1e9 * best[1] / n,
         best[1] / best[0]);
  if (loops) {
    printf("%12.1f%9.2f", 1e9 * best[2] / n, best[2] / best[0]);
  }
  printf("\n");
  for (int k = 0; k < ncase; k++) {
    drop(&cases[k]);
  }
  cardan_model_destroy(model);
  return best[1];
}

/* ---- the sweeps one by one ---- */

typedef struct {
  const cardan_model *model;
  cardan_data *data;
  double *p, *pdot;
} sweep_case;

static void run_joints(const sweep_case *c)
{
  cardan_joints(c->model, c->data);
}

static void run_factor(const sweep_case *c)
{
  expect_ok(cardan_factor(c->model, c->data), c->data->info.message);
}

static void run_velocities(const sweep_case *c)
{
  cardan_momenta_velocities(c->model, c->data, c->p, c->data->v);
}

static void run_rates(const sweep_case *c)
{
  cardan_momenta_rates(c->model, c->data, c->data->tau, c->pdot);
}

/* Spoils what the rates left in data->f, which changes no operation. */
static void run_accelerations(const sweep_case *c)
{
  cardan_momenta_accelerations(c->model, c->data, c->pdot, c->data->a);
}

static void pieces(const char *name)
{
  static const struct {
    const char *name;
    void (*run)(const sweep_case *c);
  } list[] = {{"joints", run_joints},
              {"factorisation", run_factor},
              {"v from p", run_velocities},
              {"p'", run_rates},
              {"a and reactions", run_accelerations}};
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  cardan_data *data = NULL;
  expect_ok(cardan_model_load(name, NULL, 0, NULL, &model, &report), report.message);
  expect_ok(cardan_data_create(model, NULL, &data), "data");
  for (int k = 0; k < model->nv; k++) {
    data->v[k] = 0.1 * sin(k);
  }
  cardan_joints(model, data);
  cardan_velocities(model, data);
  double *p = calloc(2 * (size_t)model->nv, sizeof *p);
  if (p == NULL) {
    exit(1);
  }
  const sweep_case c = {model, data, p, p + model->nv};
  cardan_momenta(model, data, p);
  printf("%s, sweeps, ns per body:", name);
  for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
    double best = HUGE_VAL;
    for (int batch = 0; batch < BATCHES; batch++) {
      const double start = now();
      for (int k = 0; k < 50; k++) {
        list[i].run(&c);
      }
      best = fmin(best, (now() - start) / 50);
    }
    printf("  %s %.1f", list[i].name, 1e9 * best / (model->nbody - 1));
  }
  printf("\n");
  free(p);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

int main(int argc, char **argv)
{
  static const char *const open[] = {"humanoid", "human", "spherical-chain:100", "bintree:7"};
  static const char *const closed[] = {"biped", "pinned-chain:6", "pinned-chain:40"};
  const int largest = argc > 1 ? atoi(argv[1]) : 10000;
  double best[NCASE], at_100 = 0, at_10000 = 0;
  printf("one evaluation of y', ns per body, one core\n%-18s%8s%12s%12s%9s%12s%9s\n", "model",
         "bodies", "aba", "hamilton", "ratio", "reduced", "ratio");
  for (int n = 10; n <= largest; n *= 10) {
    char name[32];
    snprintf(name, sizeof name, "chain:%d", n);
    const double t = per_model(name, false, best);
    at_100 = n == 100 ? t : at_100;
    at_10000 = n == 10000 ? t : at_10000;
  }
  for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
    per_model(open[i], false, best);
  }
  for (size_t i = 0; i < sizeof closed / sizeof closed[0]; i++) {
    per_model(closed[i], true, best);
  }
  pieces("chain:100");
  if (at_10000 > 0) {
    printf("growth exponent of hamilton's time from 100 to 10000 bodies: %.3f\n",
           log(at_10000 / at_100) / log(100.0));
  }
  return 0;
}
