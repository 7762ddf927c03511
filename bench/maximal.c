// SPDX-License-Identifier: Apache-2.0
// What methods in maximal coordinates cost: growth of the multipliers' time, the scaling of Fang et
// al., ladders with many loops. The tables of Huang and Zhang: cardan reproduce huang.
//   build/bench/maximal [PART ..]      parts: growth iterations chain scissor; all by default
// Times are the best of several batches; what lasts are slopes of log time against log size, and
// ratios.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cardan/cardan.h"
#include "reproduce/multipliers.h"
#include "steppers/maximal/stepper.h"
#include "steppers/sim.h"

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); // one thread; other programs do not count
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void expect_ok(cardan_status status, const char *message)
{
  if (status != CARDAN_OK) {
    fprintf(stderr, "maximal: %s: %s\n", cardan_status_text(status), message);
    exit(1);
  }
}

/* ---- the multipliers alone ---- */

static double slope(double t1, double t2, double n1, double n2)
{
  return log(t2 / t1) / log(n2 / n1);
}

/* Growth with n, in a plane and in space. */
static void print_growth(void)
{
  static const struct {
    const char *word, *model;
    cardan__kkt_kind kind;
    int n[6];
  } rows[] = {{"sparse, arm", "arm:%d", CARDAN__KKT_TREE, {50, 500, 5000, 20000, 100000}},
              {"sparse, bintree", "bintree:%d", CARDAN__KKT_TREE, {6, 9, 12, 15, 17}},
              {"sparse, 3-D", "spherical-chain:%d", CARDAN__KKT_TREE, {50, 500, 5000, 20000}},
              {"schur, arm", "arm:%d", CARDAN__KKT_SCHUR, {500, 1000, 2000, 4000}},
              {"dense, arm", "arm:%d", CARDAN__KKT_DENSE, {250, 500, 1000}}};
  printf("growth of the time to solve for lambda\n");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    double first = 0, last = 0, before = 0, n0 = 0, n1 = 0, n_before = 0;
    printf("%-16s", rows[r].word);
    for (int i = 0; i < 6 && rows[r].n[i] > 0; i++) {
      char name[32];
      const bool tree = strcmp(rows[r].model, "bintree:%d") == 0;
      snprintf(name, sizeof name,
               tree                      ? "bintree:%d"
               : rows[r].model[0] == 'a' ? "arm:%d"
                                         : "spherical-chain:%d",
               rows[r].n[i]);
      cardan_report report = {.message = ""};
      cardan__multipliers s;
      double t;
      expect_ok(cardan__multipliers_open(name, NULL, &s, &report), report.message);
      expect_ok(cardan__multipliers_seconds(&s, rows[r].kind, &t, &report), report.message);
      const double n = s.mx->nbody;
      printf("  n %6.0f: %.2e s (%.0f ns a body)", n, t, 1e9 * t / n);
      fflush(stdout);
      cardan__multipliers_close(&s);
      if (i == 0) {
        first = t;
        n0 = n;
      }
      before = i == 0 ? t : last;
      n_before = i == 0 ? n : n1;
      last = t;
      n1 = n;
    }
    printf("\n%-16s  slope %.2f over all, %.2f between the last two\n", "",
           slope(first, last, n0, n1), slope(before, last, n_before, n1));
  }
}

/* ---- whole steps ---- */

typedef struct {
  double seconds; // of a step
  double iterations, factorisations;
} cost;

/* Steps of dt up to time (or until coordinate `until` passes `value`); best of `repeat` runs. */
static cost run_steps(const cardan_model *model, const char *method, double dt, double time,
                      const char *until, double value, int repeat)
{
  cost c = {.seconds = HUGE_VAL};
  for (int k = 0; k < repeat; k++) {
    cardan_options o = cardan_options_defaults();
    cardan_report report = {.message = ""};
    cardan_sim *sim = NULL;
    o.method = method;
    o.dt = dt;
    o.time = time;
    expect_ok(cardan_sim_create(model, &o, NULL, &sim, &report), report.message);
    expect_ok(cardan_sim_start(sim, &report), report.message);
    const cardan__mx_stepper *s = (const cardan__mx_stepper *)sim->stepper;
    const int n = (int)(time / dt + 0.5), q = until != NULL ? cardan_model_q(model, until) : -1;
    const int64_t before = s->kkt->factorisations;
    int i = 0;
    const double start = now();
    for (; i < n && (q < 0 || sim->data->q[q] < value); i++) {
      expect_ok(cardan_sim_step(sim, &report), report.message);
    }
    c.seconds = fmin(c.seconds, (now() - start) / i);
    c.iterations = cardan_sim_stats(sim).iterations_mean;
    c.factorisations = (double)(s->kkt->factorisations - before) / i;
    cardan_sim_destroy(sim);
  }
  return c;
}

static cardan_model *load(const char *name)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  expect_ok(cardan_model_load(name, NULL, 0, NULL, &model, &report), report.message);
  return model;
}

/* Newton iterations a step over 8 s, ours (the paper's), and the time of a step. */
static void print_iterations(void)
{
  static const struct {
    const char *model;
    double half[3], fully[3];
  } rows[] = {{"double-pendulum", {3.68, 2.05, 1.0}, {6.48, 4.02, 2.82}},
              {"slider-crank", {5.59, 3.13, 2.0}, {7.27, 4.86, 2.93}},
              {"four-link", {6.86, 3.60, 2.0}, {8.14, 4.65, 3.0}}};
  static const double h[3] = {1e-2, 1e-3, 1e-4};
  printf("iterations a step over 8 s, ours (the paper's), and how much longer a fully implicit "
         "step takes\n");
  for (int i = 0; i < 3; i++) {
    cardan_model *model = load(rows[i].model);
    for (int k = 0; k < 3; k++) {
      const int repeat = k == 2 ? 1 : 5;
      const cost a = run_steps(model, "half-implicit", h[k], 8, NULL, 0, repeat);
      const cost b = run_steps(model, "fully-implicit", h[k], 8, NULL, 0, repeat);
      const cost c = run_steps(model, "rattle", h[k], 8, NULL, 0, repeat);
      printf("%-16s h %.0e: half-implicit %.2f (%.2f), fully-implicit %.2f (%.2f), rattle %.2f; "
             "steps of %.1f, "
             "%.1f, %.1f us, ratio %.2f\n",
             rows[i].model, h[k], a.iterations, rows[i].half[k], b.iterations, rows[i].fully[k],
             c.iterations, 1e6 * a.seconds, 1e6 * b.seconds, 1e6 * c.seconds,
             b.seconds / a.seconds);
    }
    cardan_model_destroy(model);
  }
}

/* Section 3.3: N bars on spherical joints, spinning. */
static void print_chain(void)
{
  static const int sizes[] = {1, 2, 4, 6, 8, 16, 32, 100, 316, 1000};
  static const char *const methods[] = {"half-implicit", "fully-implicit", "rattle"};
  enum { NSIZE = sizeof sizes / sizeof *sizes };
  double at[3][NSIZE], step[3][NSIZE];
  printf("spherical chain, h 1e-3: iterations and factorisations a step, time of a step [us]\n");
  for (int i = 0; i < NSIZE; i++) {
    char name[32];
    snprintf(name, sizeof name, "spherical-chain:%d", sizes[i]);
    cardan_model *model = load(name);
    printf("N %5d", sizes[i]);
    for (int k = 0; k < 3; k++) {
      const cost c = run_steps(model, methods[k], 1e-3, 0.05, NULL, 0, 20);
      at[k][i] = c.seconds / c.iterations;
      step[k][i] = c.seconds;
      printf("   %s %.2f, %.2f, %.1f", methods[k], c.iterations, c.factorisations, 1e6 * c.seconds);
    }
    printf("\n");
    cardan_model_destroy(model);
  }
  printf("growth exponent of the time of a step (of an iteration), N 8 to 1000:");
  for (int k = 0; k < 3; k++) {
    printf("  %s %.3f (%.3f)", methods[k], slope(step[k][4], step[k][NSIZE - 1], 8, 1000),
           slope(at[k][4], at[k][NSIZE - 1], 8, 1000));
  }
  printf("\n");
}

/* A ladder of loops: from 45 to 80 deg, in some hundreds of steps. */
static void print_scissor(void)
{
  static const struct {
    const char *name;
    int n;
    double dt;
  } rows[] = {{"scissor:100", 100, 4e-3}, {"scissor:1000", 1000, 8e-3}};
  static const char *const methods[] = {"half-implicit", "rattle"};
  double per_cell[2][2];
  for (int i = 0; i < 2; i++) {
    cardan_model *model = load(rows[i].name);
    for (int k = 0; k < 2; k++) {
      const cost c =
          run_steps(model, methods[k], rows[i].dt, 60, "a1", 80 * 3.14159265358979 / 180, 3);
      per_cell[k][i] = c.seconds / rows[i].n;
      printf("%-13s %-14s 45 to 80 deg: %.2f iterations, %.0f us a step, %.2f us a cell\n",
             rows[i].name, methods[k], c.iterations, 1e6 * c.seconds, 1e6 * per_cell[k][i]);
    }
    cardan_model_destroy(model);
  }
  for (int k = 0; k < 2; k++) {
    printf("%s: a cell of 1000 costs %.2f times one of 100\n", methods[k],
           per_cell[k][1] / per_cell[k][0]);
  }
}

int main(int argc, char **argv)
{
  static const struct {
    const char *word;
    void (*print)(void);
  } parts[] = {{"growth", print_growth},
               {"iterations", print_iterations},
               {"chain", print_chain},
               {"scissor", print_scissor}};
  cardan_blas_one_thread();
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    bool wanted = argc < 2;
    for (int k = 1; k < argc; k++) {
      wanted = wanted || strcmp(argv[k], parts[i].word) == 0;
    }
    if (wanted) {
      parts[i].print();
    }
  }
  return 0;
}
