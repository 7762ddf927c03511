// SPDX-License-Identifier: Apache-2.0
// Method vi on this machine: what a step costs beside an evaluation of aba, and how that grows.
//   build/bench/variational [LARGEST]      (largest chain, default 10000)
// Times are the best of several runs over the same steps; the figures that last are the ratio and
// the growth exponent.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cardan/cardan.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const char *message)
{
  fprintf(stderr, "variational: %s: %s\n", what, message);
  exit(1);
}

static cardan_model *load(const char *name)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  if (cardan_model_load(name, NULL, 0, NULL, &model, &report) != CARDAN_OK) {
    stop(name, report.message);
  }
  return model;
}

/* Seconds of one evaluation of aba from q and v: best of batches. */
static double aba_time(const cardan_model *model)
{
  cardan_data *data = NULL;
  if (cardan_data_create(model, NULL, &data) != CARDAN_OK) {
    stop("aba", "out of memory");
  }
  const int n = 10000 / model->nbody + 1; // a millisecond or so
  double best = HUGE_VAL;
  for (int batch = 0; batch < 60; batch++) {
    const double start = now();
    for (int i = 0; i < n; i++) {
      cardan_joints(model, data);
      cardan_velocities(model, data);
      if (cardan_factor(model, data) != CARDAN_OK) {
        stop("aba", data->info.message);
      }
      cardan_aba(model, data, data->tau, data->a);
    }
    best = fmin(best, (now() - start) / n);
  }
  cardan_data_destroy(data);
  return best;
}

typedef struct {
  double seconds, evaluations; // of one step, mean
} cost;

/* The same steps `repeat` times, in pieces of a millisecond or so; the best time of each piece, put
 * together, so that another program's share of the machine does not count. */
static cost step_cost(const cardan_model *model, const cardan_options *options, int steps,
                      int repeat)
{
  enum { MAX_PIECE = 4096 };
  static double best[MAX_PIECE];
  const int piece = 5000 / model->nbody > 1 ? 5000 / model->nbody : 1;
  const int pieces = steps / piece < 1 ? 1 : steps / piece < MAX_PIECE ? steps / piece : MAX_PIECE;
  cost c = {.seconds = 0};
  for (int r = 0; r < repeat; r++) {
    cardan_report report = {.message = ""};
    cardan_sim *sim = NULL;
    cardan_status status = cardan_sim_create(model, options, NULL, &sim, &report);
    status = status == CARDAN_OK ? cardan_sim_start(sim, &report) : status;
    for (int p = 0; p < pieces && status == CARDAN_OK; p++) {
      const int n = steps / pieces;
      const double start = now();
      for (int i = 0; i < n && status == CARDAN_OK; i++) {
        status = cardan_sim_step(sim, &report);
      }
      const double seconds = (now() - start) / n;
      best[p] = r == 0 ? seconds : fmin(best[p], seconds);
    }
    if (status != CARDAN_OK) {
      stop("step", report.message);
    }
    c.evaluations = cardan_sim_stats(sim).iterations_mean;
    cardan_sim_destroy(sim);
  }
  for (int p = 0; p < pieces; p++) {
    c.seconds += best[p] / pieces;
  }
  return c;
}

static cardan_options options_of(const char *solver)
{
  cardan_options o = cardan_options_defaults();
  o.method = "vi";
  o.solver = solver;
  o.dt = 1e-3;
  return o;
}

/* Cost of a converged step, all of it: guess, root finding, forces and poses of the next node. */
static void print_costs(int largest)
{
  double at_100 = 0, at_10000 = 0;
  printf(
      "a converged step of chain:N, dt 1 ms, first 1,000 steps (100 for N = 10,000), ns a body\n");
  printf("%8s%8s%10s%8s%8s%10s%8s\n", "N", "aba", "newton", "ratio", "evals", "riqn", "evals");
  for (int n = 10; n <= largest; n *= 10) {
    char name[32];
    snprintf(name, sizeof name, "chain:%d", n);
    cardan_model *model = load(name);
    const cardan_options newton = options_of("newton"), riqn = options_of("riqn");
    const int steps = n >= 10000 ? 100 : 1000, repeat = n >= 1000 ? 5 : 9;
    const double aba = aba_time(model);
    const cost a = step_cost(model, &newton, steps, repeat),
               b = step_cost(model, &riqn, steps, repeat);
    printf("%8d%8.1f%10.1f%8.2f%8.2f%10.1f%8.2f\n", n, 1e9 * aba / n, 1e9 * a.seconds / n,
           a.seconds / aba, a.evaluations, 1e9 * b.seconds / n, b.evaluations);
    at_100 = n == 100 ? a.seconds : at_100;
    at_10000 = n == 10000 ? a.seconds : at_10000;
    cardan_model_destroy(model);
  }
  if (at_10000 > 0) {
    printf("growth exponent from N = 100 to 10000: %.3f\n", log(at_10000 / at_100) / log(100.0));
  }
}

int main(int argc, char **argv)
{
  print_costs(argc > 1 ? atoi(argv[1]) : 10000);
  return 0;
}
