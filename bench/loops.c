// SPDX-License-Identifier: Apache-2.0
// Mechanisms with many loops: what a step costs with every method, in time and memory, and how both
// grow.
//   build/bench/loops [LARGEST [MODEL ..]]    largest number of loops, default 1000; ladder scissor
//                                             grid ring; "web": the linear solver alone
// Times are the best of several batches; what lasts are the exponents, of cost against loops from
// 100 to 1000, and the ratios. A method is left out where a step would take more than 2 s.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cardan/cardan.h"
#include "constraints/sparse_kkt.h"
#include "reproduce/motion.h"

enum { SIZES = 6, METHODS = 8 };

static const int sizes[SIZES] = {10, 30, 100, 300, 1000, 3000};
static const char *const methods[METHODS] = {
    "vi", "svi", "aba", "hamilton", "baraff", "half-implicit", "fully-implicit", "rattle"};
static const double too_long = 2; // [s]

/* ---- one run ---- */

/* The model with about so many loops; *loops says how many. */
static void name_of(const char *model, int n, char *name, size_t size, int *loops)
{
  int side = n;
  *loops = n;
  if (strcmp(model, "grid") == 0) {
    side = (int)lround(sqrt(n));
    *loops = side * side;
  } else if (strcmp(model, "ring") == 0) {
    *loops = 1; // of n bodies
  }
  snprintf(name, size, "%s:%d", model, side);
}

/* A step that every method can make: a ring of many bodies is large, and turns at 1 rad/s. */
static double dt_of(const char *model, int n)
{
  return strcmp(model, "ring") == 0 ? 0.01 / n : 1e-3;
}

typedef struct {
  double seconds, megabytes; // of a step, of a sim; 0: it could not be run
  char message[200];
} cost;

/* Seconds of a step: batches of about 50 ms, the best of five. */
static double step_time(cardan_sim *sim, cardan_report *report)
{
  double best = HUGE_VAL, spent = 0;
  int n = 1;
  for (int batch = 0; batch < 6 && spent < too_long; batch++) {
    const double start = cardan__clock();
    for (int i = 0; i < n; i++) {
      if (cardan_sim_step(sim, report) != CARDAN_OK) {
        return 0;
      }
    }
    const double seconds = cardan__clock() - start;
    best = batch > 0 || seconds > too_long ? fmin(best, seconds / n) : best;
    n = batch == 0 ? (int)fmin(100, 1 + 0.05 / seconds) : n;
    spent += seconds;
  }
  return best;
}

static cost run(const cardan_model *model, const char *method, double dt)
{
  cost c = {.message = ""};
  cardan__bench_account memory = {0};
  const cardan_allocator allocator = cardan__bench_counting(&memory);
  cardan_options options = cardan_options_defaults();
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  options.method = method;
  options.dt = dt;
  options.time = 1;
  cardan_status status = cardan_sim_create(model, &options, &allocator, &sim, &report);
  status = status == CARDAN_OK ? cardan_sim_start(sim, &report) : status;
  if (status == CARDAN_OK) {
    c.seconds = step_time(sim, &report);
    c.megabytes = 1e-6 * (double)memory.bytes;
  }
  snprintf(c.message, sizeof c.message, "%.190s", report.message);
  cardan_sim_destroy(sim);
  return c;
}

/* ---- tables ---- */

static cardan_model *load(const char *name)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  if (cardan_model_load(name, NULL, 0, NULL, &model, &report) != CARDAN_OK) {
    fprintf(stderr, "loops: %s: %s\n", name, report.message);
    exit(1);
  }
  return model;
}

static double exponent(const int *loops, const double *y, int from, int to)
{
  return y[from] > 0 && y[to] > 0 ? log(y[to] / y[from]) / log((double)loops[to] / loops[from])
                                  : (double)NAN;
}

static void table(const char *model, int largest)
{
  double seconds[METHODS][SIZES] = {{0}}, megabytes[METHODS][SIZES] = {{0}};
  int loops[SIZES], n = 0;
  char name[64];
  for (; n < SIZES && sizes[n] <= largest; n++) {
    name_of(model, sizes[n], name, sizeof name, &loops[n]);
    const double start = cardan__clock();
    cardan_model *m = load(name);
    printf("%s: %d bodies, %d rows, loaded in %.0f ms\n", name, m->nbody - 1, m->nrow,
           1e3 * (cardan__clock() - start));
    loops[n] = loops[n] == 1 ? sizes[n] : loops[n];
    for (int i = 0; i < METHODS; i++) {
      const double grown = n > 0 ? seconds[i][n - 1] * pow((double)sizes[n] / sizes[n - 1], 2) : 0;
      if (grown < too_long && (n == 0 || seconds[i][n - 1] > 0)) {
        const cost c = run(m, methods[i], dt_of(model, sizes[n]));
        seconds[i][n] = c.seconds;
        megabytes[i][n] = c.megabytes;
        if (c.seconds == 0) {
          printf("  %s: %s\n", methods[i], c.message);
        }
      }
    }
    cardan_model_destroy(m);
  }
  printf("\n%-15s us a step, MB\n%-15s", model, "method");
  for (int k = 0; k < n; k++) {
    printf(" %10d      ", loops[k]);
  }
  printf(" exponents\n");
  for (int i = 0; i < METHODS; i++) {
    printf("%-15s", methods[i]);
    for (int k = 0; k < n; k++) {
      printf(" %10.1f %5.1f", 1e6 * seconds[i][k], megabytes[i][k]);
    }
    if (n > 4) {
      printf("  %5.2f %5.2f", exponent(loops, seconds[i], 2, 4),
             exponent(loops, megabytes[i], 2, 4));
    }
    printf("  %.2f of rattle\n", seconds[i][n - 1] / seconds[METHODS - 1][n - 1]);
  }
  printf("\n");
}

/* ---- the linear solver ---- */

static void solver(const char *model, int n)
{
  char name[64];
  int loops;
  name_of(model, n, name, sizeof name, &loops);
  cardan_model *m = load(name);
  cardan_data *data = NULL;
  cardan__sparse_kkt *web = NULL;
  double best[2] = {HUGE_VAL, HUGE_VAL};
  if (cardan_data_create(m, NULL, &data) != CARDAN_OK ||
      cardan__sparse_kkt_create(m, NULL, NULL, &web) != CARDAN_OK || web == NULL) {
    printf("%s: no web\n", name);
    exit(1);
  }
  double *f = calloc(2 * (size_t)(m->nv + m->nrow), sizeof *f);
  for (int i = 0; i < m->nv + m->nrow && f != NULL; i++) {
    f[i] = sin(i);
  }
  cardan_kinematics(m, data);
  cardan_constraints(m, data);
  for (int i = 0; i < 20 && f != NULL; i++) {
    const double start = cardan__clock();
    if (cardan__sparse_kkt_factor(web, data) != CARDAN_OK) {
      exit(1);
    }
    const double half = cardan__clock();
    cardan__sparse_kkt_solve(web, f, f + m->nv, f + m->nv + m->nrow, f + 2 * m->nv + m->nrow);
    best[0] = fmin(best[0], half - start);
    best[1] = fmin(best[1], cardan__clock() - half);
  }
  const double left = cardan__sparse_kkt_refine(web, data, f, f + m->nv, f + m->nv + m->nrow,
                                                f + 2 * m->nv + m->nrow);
  printf("%-14s factor %8.1f us, solve %8.1f us; %6.3f and %6.3f us a loop; last correction %.2g\n",
         name, 1e6 * best[0], 1e6 * best[1], 1e6 * best[0] / loops, 1e6 * best[1] / loops, left);
  free(f);
  cardan__sparse_kkt_destroy(web);
  cardan_data_destroy(data);
  cardan_model_destroy(m);
}

int main(int argc, char **argv)
{
  static const char *const models[] = {"ladder", "scissor", "grid", "ring"};
  const int largest = argc > 1 ? atoi(argv[1]) : 1000;
  for (int i = 0; i < 4; i++) {
    bool asked = argc < 3, web = argc < 3;
    for (int k = 2; k < argc; k++) {
      asked = asked || strcmp(argv[k], models[i]) == 0;
      web = web || strcmp(argv[k], "web") == 0;
    }
    for (int n = 0; n < SIZES && web && i < 3; n++) {
      if (sizes[n] <= largest) {
        solver(models[i], sizes[n]);
      }
    }
    if (asked) {
      table(models[i], largest);
    }
  }
  return 0;
}
