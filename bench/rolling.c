// SPDX-License-Identifier: Apache-2.0
// What a step of a bicycle and of a car costs with wheels that roll, beside the same mechanism
// without them, and beside wheels that are solids in contact with a floor.
//   build/bench/rolling [STEPS]      (of each run, default 200)
// Processor time, the best of runs that take turns; what lasts are the ratios. Without its wheels'
// constraints the mechanism falls, and the car slides: the steps are those of an open tree, and of
// the car's steering alone.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cardan/cardan.h"

enum { ROWS, NOTHING, CONTACT, VARIANTS, RUNS = 9, TEXT = 16384 };

static const char *const variants[] = {"rolling", "without", "contact"};

static double cpu_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what, const cardan_report *report)
{
  fprintf(stderr, "rolling: %s: %s\n", what, report->message);
  exit(1);
}

/* Cuts every line that begins with `start` out of a text. */
static void drop_lines(char *text, const char *start)
{
  for (char *line = text; (line = strstr(line, start)) != NULL;) {
    char *end = strchr(line, '\n');
    memmove(line, end, strlen(end) + 1);
  }
}

static void replace(char *text, const char *what, const char *with)
{
  char rest[TEXT];
  char *at = strstr(text, what);
  if (at == NULL) {
    fprintf(stderr, "rolling: the model has no %s\n", what);
    exit(1);
  }
  snprintf(rest, sizeof rest, "%s", at + strlen(what));
  snprintf(at, TEXT - (size_t)(at - text), "%s%s", with, rest);
}

/* The model as it is, without its wheels' constraints, or with solids in their place. */
static cardan_model *load(const char *name, int variant)
{
  cardan_report report = {.message = ""};
  char *made = NULL, text[TEXT];
  size_t length = 0;
  if (cardan_load_text(name, NULL, &made, &length, &report) != CARDAN_OK) {
    fail(name, &report);
  }
  snprintf(text, sizeof text, "%s", made);
  free(made);
  if (variant != ROWS) {
    drop_lines(text, "  (roll ");
  }
  if (variant == CONTACT && strcmp(name, "car") == 0) {
    replace(text, "joint planar \"car\"", "joint free \"car\"");
    replace(text, "(\"car\" (0 0 0) (5 0 0))", "(\"car\" (0 0 r 1 0 0 0) (0 0 0 5 0 0))");
    replace(text, "  (initial",
            "  (place (0 0 0) (name \"floor\") (solid plane))\n"
            "  (at \"rear left\" (place (0 0 0) (solid cylinder r 0.1))) (at \"rear right\" (place "
            "(0 0 0) (solid cylinder r 0.1)))\n"
            "  (at \"front left\" (place (0 0 0) (solid cylinder r 0.1))) (at \"front right\" "
            "(place (0 0 0) (solid cylinder r "
            "0.1)))\n"
            "  (contact all (friction 5))\n  (initial");
  } else if (variant == CONTACT) {
    replace(text, "  (initial",
            "  (place (0 0 0) (name \"floor\") (solid plane))\n"
            "  (at \"rear wheel\" (place (0 0 0) (solid cylinder 0.3 0.005)))\n"
            "  (at \"front wheel\" (place (0 0 0) (solid cylinder 0.35 0.005)))\n"
            "  (contact all (friction 5))\n  (initial");
  }
  cardan_model *model = NULL;
  if (cardan_model_from_text(text, strlen(text), name, NULL, 0, NULL, &model, &report) !=
      CARDAN_OK) {
    fail(variants[variant], &report);
  }
  return model;
}

/* Processor time of a step [s], from the start. */
static double time_steps(cardan_sim *sim, int steps, const char *what)
{
  cardan_report report = {.message = ""};
  if (cardan_sim_start(sim, &report) != CARDAN_OK) {
    fail(what, &report);
  }
  const double begin = cpu_time();
  for (int i = 0; i < steps; i++) {
    if (cardan_sim_step(sim, &report) != CARDAN_OK) {
      fail(what, &report);
    }
  }
  return (cpu_time() - begin) / steps;
}

static void measure(const char *name, const char *method, int steps)
{
  cardan_model *model[VARIANTS];
  cardan_sim *sim[VARIANTS];
  double best[VARIANTS] = {1e9, 1e9, 1e9};
  cardan_options o = cardan_options_defaults();
  o.method = method;
  o.dt = 0.005;
  o.time = steps * o.dt;
  for (int k = 0; k < VARIANTS; k++) {
    cardan_report report = {.message = ""};
    model[k] = load(name, k);
    if (cardan_sim_create(model[k], &o, NULL, &sim[k], &report) != CARDAN_OK) {
      printf("(%s, %s, %s: %s)\n", name, method, variants[k], report.message);
      sim[k] = NULL;
    }
  }
  for (int i = 0; i < RUNS; i++) {
    for (int k = 0; k < VARIANTS; k++) {
      if (sim[k] != NULL) {
        cardan_data_reset(model[k], cardan_sim_data(sim[k]));
        const double t = time_steps(sim[k], steps, variants[k]);
        best[k] = t < best[k] ? t : best[k];
      }
    }
  }
  printf("| %-7s | %-4s | %7.0f | %7.0f |", name, method, 1e9 * best[ROWS], 1e9 * best[NOTHING]);
  if (sim[CONTACT] != NULL) {
    printf(" %7.0f | %5.2f | %5.2f |\n", 1e9 * best[CONTACT], best[ROWS] / best[NOTHING],
           best[ROWS] / best[CONTACT]);
  } else {
    printf(" %7s | %5.2f | %5s |\n", "-", best[ROWS] / best[NOTHING], "-");
  }
  for (int k = 0; k < VARIANTS; k++) {
    cardan_sim_destroy(sim[k]);
    cardan_model_destroy(model[k]);
  }
}

int main(int argc, char **argv)
{
  const int steps = argc > 1 ? atoi(argv[1]) : 200;
  printf("ns a step of 5 ms, processor time, best of %d runs of %d steps\n"
         "| model | method | rolling | without | contact | rolling/without | rolling/contact |\n"
         "|---|---|---|---|---|---|---|\n",
         RUNS, steps);
  for (int m = 0; m < 2; m++) {
    const char *name = m == 0 ? "bicycle" : "car";
    measure(name, "vi", steps);
    measure(name, "svi", steps);
    measure(name, "aba", steps);
  }
  return 0;
}
