// SPDX-License-Identifier: Apache-2.0
// Contact on this machine.
//   build/bench/contact growth            us a step against the number of contacts
//   build/bench/contact reach             what solids cost that nothing touches
//   build/bench/contact mujoco            the same things by MuJoCo, where it was found
//   build/bench/contact mujoco FILE.xml   time a step of a robot by both
// Times are the best of several runs over the same steps.
#define _POSIX_C_SOURCE 200809L
#include "bench/contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double contact_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void contact_stop(const char *what, const char *message)
{
  fprintf(stderr, "contact: %s: %s\n", what, message);
  exit(1);
}

cardan_model *contact_load(const char *name, const char *setting, double value)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  const cardan_setting set = {setting, value};
  if (cardan_model_load(name, &set, setting ? 1 : 0, NULL, &model, &report) != CARDAN_OK) {
    contact_stop(name, report.message);
  }
  return model;
}

cardan_model *contact_text(const char *text, const char *file)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  if (cardan_model_from_text(text, strlen(text), file, NULL, 0, NULL, &model, &report) !=
      CARDAN_OK) {
    contact_stop(file, report.message);
  }
  return model;
}

cardan_sim *contact_begin(const cardan_model *model, const cardan_options *options)
{
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  cardan_status status = cardan_sim_create(model, options, NULL, &sim, &report);
  status = status == CARDAN_OK ? cardan_sim_start(sim, &report) : status;
  if (status != CARDAN_OK) {
    contact_stop(model->name ? model->name : "model", report.message);
  }
  return sim;
}

void contact_steps(cardan_sim *sim, int n)
{
  cardan_report report = {.message = ""};
  for (int i = 0; i < n; i++) {
    if (cardan_sim_step(sim, &report) != CARDAN_OK) {
      contact_stop("step", report.message);
    }
  }
}

cardan_options contact_options(double dt)
{
  cardan_options o = cardan_options_defaults();
  o.dt = dt;
  o.time = 1e9;
  return o;
}

contact_cost contact_time(const cardan_model *model, const cardan_options *o, int before, int steps)
{
  contact_cost c = {.seconds = HUGE_VAL};
  for (int repeat = 0; repeat < 5; repeat++) {
    cardan_sim *sim = contact_begin(model, o);
    contact_steps(sim, before);
    const double start = contact_now();
    contact_steps(sim, steps);
    c.seconds = fmin(c.seconds, (contact_now() - start) / steps);
    c.stats = cardan_sim_stats(sim).contact;
    cardan_sim_destroy(sim);
  }
  return c;
}

/* Stacks: all contacts in one problem; and boxes side by side: as many, each by itself. */
static void growth(void)
{
  static const int sizes[] = {1, 2, 5, 10, 20, 40};
  double first[2] = {0, 0}, last[2] = {0, 0};
  const int n = (int)(sizeof sizes / sizeof *sizes);
  printf("a step of stack:N at rest, and of pile:N after 3 s, dt 0.01\n");
  printf("%6s%10s%12s%10s%10s%12s\n", "N", "contacts", "us a step", "sweeps", "newtons", "per us");
  for (int kind = 0; kind < 2; kind++) {
    for (int i = 0; i < n; i++) {
      char name[32];
      snprintf(name, sizeof name, "%s:%d", kind ? "pile" : "stack", sizes[i]);
      cardan_model *model = contact_load(name, NULL, 0);
      const cardan_options o = contact_options(0.01);
      const contact_cost c = contact_time(model, &o, kind ? 300 : 10, sizes[i] > 10 ? 10 : 50);
      const double solves = (double)c.stats.solves;
      printf("%6d%10d%12.1f%10.1f%10.1f%12.2f  %s\n", sizes[i], c.stats.closed, 1e6 * c.seconds,
             (double)c.stats.sweeps / solves, (double)c.stats.newtons / solves,
             1e6 * c.seconds / fmax(1, c.stats.closed), name);
      first[kind] = sizes[i] == 5 ? c.seconds : first[kind];
      last[kind] = c.seconds;
      cardan_model_destroy(model);
    }
    printf("growth exponent from N = 5 to %d: %.2f\n", sizes[n - 1],
           log(last[kind] / first[kind]) / log(sizes[n - 1] / 5.0));
  }
}

/* The same fall, far above the floor, with contacts and without. */
static void reach(void)
{
  static const struct {
    const char *model, *setting;
    double value;
  } cases[] = {
      {"quadruped", "drop", 1000}, {"floor-chain:20", "up", 1000}, {"pile:20", "up", 1000}};
  printf("a step of a fall from 1000 m, ns: contacts on, off, ratio\n");
  for (int i = 0; i < 3; i++) {
    cardan_model *model = contact_load(cases[i].model, cases[i].setting, cases[i].value);
    cardan_options on = contact_options(0.002), off = on;
    off.contacts = "off";
    double a = HUGE_VAL, b = HUGE_VAL;
    for (int repeat = 0; repeat < 5; repeat++) { // in turn, so that both see the same machine
      a = fmin(a, contact_time(model, &on, 10, 1000).seconds);
      b = fmin(b, contact_time(model, &off, 10, 1000).seconds);
    }
    printf("%-16s%10.0f%10.0f%8.3f\n", cases[i].model, 1e9 * a, 1e9 * b, a / b);
    cardan_model_destroy(model);
  }
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "growth") == 0) {
    growth();
  } else if (strcmp(what, "reach") == 0) {
    reach();
  } else if (strcmp(what, "mujoco") == 0) {
    contact_mujoco(argc > 2 ? argv[2] : NULL);
  } else {
    contact_stop("usage", "contact growth|reach|mujoco [FILE.xml]");
  }
  return 0;
}
