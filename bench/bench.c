// SPDX-License-Identifier: Apache-2.0
// What the recursions cost on this machine: ns per body, how that grows, loading and memory.
//   make bench        or   build/bench/bench [LARGEST]      (largest chain, default 100000)
// Times are the best of several batches; the figure that lasts is the growth exponent.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cardan/cardan.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct {
  cardan_model *model;
  cardan_data *data;
  double *tau;
  double *D[3]; // nv x nv
} bench_case;

typedef void kernel(bench_case *b);

// each kernel starts from q and v, as a caller would
static void run_inverse(bench_case *b)
{
  cardan_inverse(b->model, b->data, b->data->a, b->tau);
}

static void run_solve(bench_case *b)
{
  cardan_factor_solve(b->model, b->data, NULL, b->data->tau, b->tau);
}

static void run_forward(bench_case *b)
{
  if (cardan_forward(b->model, b->data, 0, 0) != CARDAN_OK) {
    fprintf(stderr, "bench: %s\n", b->data->info.message);
    exit(1);
  }
}

static void run_inverse_slopes(bench_case *b)
{
  cardan_inverse(b->model, b->data, b->data->a, b->tau);
  if (cardan_inverse_slopes(b->model, b->data, b->data->a, b->D[0], b->D[1], NULL) != CARDAN_OK) {
    exit(1);
  }
}

static void run_forward_slopes(bench_case *b)
{
  run_forward(b);
  if (cardan_forward_slopes(b->model, b->data, b->D[0], b->D[1], b->D[2]) != CARDAN_OK) {
    exit(1);
  }
}

/* Seconds of one call: best of batches of about 20 ms. */
static double best_time(kernel *run, bench_case *b)
{
  double best = HUGE_VAL;
  int n = 1;
  for (;; n *= 2) { // a batch long enough for the clock
    const double start = now();
    for (int i = 0; i < n; i++) {
      run(b);
    }
    if (now() - start > 0.02) {
      break;
    }
  }
  for (int batch = 0; batch < 7; batch++) {
    const double start = now();
    for (int i = 0; i < n; i++) {
      run(b);
    }
    best = fmin(best, (now() - start) / n);
  }
  return best;
}

static bench_case load(const char *name, double *seconds)
{
  cardan_report report = {.message = ""};
  bench_case b = {.model = NULL};
  const double start = now();
  cardan_status status = cardan_model_load(name, NULL, 0, NULL, &b.model, &report);
  if (status == CARDAN_OK) {
    status = cardan_data_create(b.model, NULL, &b.data);
  }
  if (status != CARDAN_OK) {
    fprintf(stderr, "bench: %s: %s\n", name, report.message);
    exit(1);
  }
  *seconds = now() - start;
  b.tau = calloc((size_t)b.model->nv + 1, sizeof *b.tau);
  for (int k = 0; k < b.model->nv; k++) {
    b.data->v[k] = 0.1 * sin(k);
  }
  return b;
}

static void drop(bench_case *b)
{
  free(b->tau);
  cardan_data_destroy(b->data);
  cardan_model_destroy(b->model);
}

/* Derivatives, and what they cost against one evaluation of forward dynamics in the same run. */
static void slopes(const char *name)
{
  double seconds;
  bench_case b = load(name, &seconds);
  for (int k = 0; k < 3; k++) {
    b.D[k] = calloc((size_t)b.model->nv * (size_t)b.model->nv, sizeof(double));
  }
  const double aba = best_time(run_forward, &b), inverse = best_time(run_inverse_slopes, &b);
  const double forward = best_time(run_forward_slopes, &b);
  printf("%s (nv %d), derivatives with their evaluation, us and times aba:  inverse %.2f, %.2f"
         "  forward %.2f, %.2f\n",
         name, b.model->nv, 1e6 * inverse, inverse / aba, 1e6 * forward, forward / aba);
  for (int k = 0; k < 3; k++) {
    free(b.D[k]);
  }
  drop(&b);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *name;
    kernel *run;
  } kernels[] = {{"rnea", run_inverse}, {"aba", run_forward}, {"M^-1 x", run_solve}};
  enum { NKERNEL = sizeof kernels / sizeof kernels[0] };
  const int largest = argc > 1 ? atoi(argv[1]) : 100000;
  double at_100[NKERNEL] = {0}, at_10000[NKERNEL] = {0};

  printf("ns per body, serial chain of revolute joints (chain:N), one core\n");
  printf("%8s", "N");
  for (int k = 0; k < NKERNEL; k++) {
    printf("%10s", kernels[k].name);
  }
  printf("%12s%14s\n", "load [s]", "bytes/body");
  for (int n = 10; n <= largest; n *= 10) {
    char name[32];
    double seconds;
    snprintf(name, sizeof name, "chain:%d", n);
    bench_case b = load(name, &seconds);
    printf("%8d", n);
    for (int k = 0; k < NKERNEL; k++) {
      const double t = best_time(kernels[k].run, &b);
      at_100[k] = n == 100 ? t : at_100[k];
      at_10000[k] = n == 10000 ? t : at_10000[k];
      printf("%10.1f", 1e9 * t / n);
    }
    printf("%12.3f%14.0f\n", seconds, (double)(b.model->size + b.data->size) / n);
    drop(&b);
  }
  if (at_10000[0] > 0) {
    printf("growth exponent of time from N = 100 to 10000:");
    for (int k = 0; k < NKERNEL; k++) {
      printf("  %s %.3f", kernels[k].name, log(at_10000[k] / at_100[k]) / log(100.0));
    }
    printf("\n");
  }

  double seconds;
  bench_case b = load("humanoid", &seconds);
  printf("humanoid, us per call:");
  for (int k = 0; k < NKERNEL; k++) {
    printf("  %s %.2f", kernels[k].name, 1e6 * best_time(kernels[k].run, &b));
  }
  printf("\n");
  drop(&b);
  slopes("humanoid");
  slopes("chain:30");
  slopes("chain:100");
  return 0;
}
