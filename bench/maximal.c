// SPDX-License-Identifier: Apache-2.0
// What methods in maximal coordinates cost: growth of the multipliers' time, ladders with many
// loops. Tables and figures of the papers: cardan reproduce huang, cardan reproduce fang.
//   build/bench/maximal [PART ..]      parts: growth scissor; all by default
// Times are the best of several batches; what lasts are slopes of log time against log size, and
// ratios.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/cardan.h"
#include "reproduce/motion.h"
#include "reproduce/multipliers.h"
#include "run/sim.h"

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
      expect_ok(cardan__multipliers_seconds(&s, rows[r].kind, 5, &t, &report), report.message);
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
  double iterations;
} cost;

/* Steps of dt until the angle a1 passes 80 deg; best of three runs. */
static cost run_steps(const char *model, const char *method, double dt)
{
  enum { RUNS = 3 };
  const double until = 80 * 3.14159265358979 / 180;
  char options[32];
  cost c = {.seconds = HUGE_VAL};
  snprintf(options, sizeof options, "method=%s", method);
  for (int k = 0; k < RUNS; k++) {
    cardan_report report = {.message = ""};
    cardan__motion m;
    expect_ok(cardan__motion_open(model, options, dt, &m, &report), report.message);
    const int q = cardan_model_q(m.model, "a1");
    int i = 0;
    const double start = cardan__clock();
    for (; m.sim->data->q[q] < until; i++) {
      expect_ok(cardan_sim_step(m.sim, &report), report.message);
    }
    c.seconds = fmin(c.seconds, (cardan__clock() - start) / i);
    c.iterations = cardan_sim_stats(m.sim).iterations_mean;
    cardan__motion_close(&m);
  }
  return c;
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
    for (int k = 0; k < 2; k++) {
      const cost c = run_steps(rows[i].name, methods[k], rows[i].dt);
      per_cell[k][i] = c.seconds / rows[i].n;
      printf("%-13s %-14s 45 to 80 deg: %.2f iterations, %.0f us a step, %.2f us a cell\n",
             rows[i].name, methods[k], c.iterations, 1e6 * c.seconds, 1e6 * per_cell[k][i]);
    }
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
  } parts[] = {{"growth", print_growth}, {"scissor", print_scissor}};
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
