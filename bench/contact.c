// SPDX-License-Identifier: Apache-2.0
// Contact on this machine.
//   build/bench/contact growth            us a step against the number of contacts
//   build/bench/contact reach             what solids cost that nothing touches
//   build/bench/contact friction          a robot with dry friction in its joints, and at rest
//   build/bench/contact mujoco            the same things by MuJoCo, where it was found
//   build/bench/contact mujoco FILE.xml   time a step of a robot by both
// Processor times, the best of several runs over the same steps; with OPENBLAS_NUM_THREADS=1.
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
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
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
  enum { PIECES = 20 };
  double best[PIECES];
  contact_cost c = {.seconds = 0};
  const int piece = steps / PIECES > 0 ? steps / PIECES : 1;
  for (int repeat = 0; repeat < 7; repeat++) {
    cardan_sim *sim = contact_begin(model, o);
    contact_steps(sim, before);
    for (int p = 0; p < PIECES; p++) {
      const double start = contact_now();
      contact_steps(sim, piece);
      const double seconds = (contact_now() - start) / piece;
      best[p] = repeat == 0 ? seconds : fmin(best[p], seconds);
    }
    c.stats = cardan_sim_stats(sim).contact;
    cardan_sim_destroy(sim);
  }
  for (int p = 0; p < PIECES; p++) {
    c.seconds += best[p] / PIECES;
  }
  return c;
}

/* N boxes on a floor, apart from one another. */
static cardan_model *row_of_boxes(int n)
{
  static char text[40000];
  size_t at = (size_t)snprintf(text, sizeof text,
                               "(system (gravity 0 0 -9.81) (contact all (friction 0.5))"
                               " (place (0 0 0) (name \"floor\") (solid plane))");
  for (int i = 0; i < n && at < sizeof text; i++) {
    at += (size_t)snprintf(text + at, sizeof text - at,
                           " (place (%d 0 0.1) (joint free \"b%d\" (mass 1 0.0067 0.0067 0.0067)"
                           " (solid box 0.2 0.2 0.2)))",
                           i, i);
  }
  snprintf(text + at, sizeof text - at, ")");
  return contact_text(text, "row.mbs");
}

/* Stacks: all contacts in one problem; and boxes side by side: as many, each by itself. */
static void growth(void)
{
  static const int sizes[] = {1, 2, 5, 10, 20, 40};
  const int n = (int)(sizeof sizes / sizeof *sizes);
  for (int kind = 0; kind < 2; kind++) {
    double first = 0, last = 0;
    printf("a step of %s at rest, dt 0.01\n%6s%10s%12s%10s%10s\n",
           kind ? "N boxes side by side" : "stack:N", "N", "contacts", "us a step", "sweeps",
           "newtons");
    for (int i = 0; i < n; i++) {
      char name[32];
      snprintf(name, sizeof name, "stack:%d", sizes[i]);
      cardan_model *model = kind ? row_of_boxes(sizes[i]) : contact_load(name, NULL, 0);
      const cardan_options o = contact_options(0.01);
      const contact_cost c = contact_time(model, &o, 5, 20);
      const double solves = (double)c.stats.solves;
      printf("%6d%10d%12.1f%10.1f%10.1f\n", sizes[i], c.stats.closed, 1e6 * c.seconds,
             (double)c.stats.sweeps / solves, (double)c.stats.newtons / solves);
      first = sizes[i] == 5 ? c.seconds : first;
      last = c.seconds;
      cardan_model_destroy(model);
    }
    printf("growth exponent from N = 5 to %d: %.2f\n", sizes[n - 1],
           log(last / first) / log(sizes[n - 1] / 5.0));
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
    const double a = contact_time(model, &on, 10, 400).seconds,
                 b = contact_time(model, &off, 10, 400).seconds;
    printf("%-16s%10.0f%10.0f%8.3f\n", cases[i].model, 1e9 * a, 1e9 * b, a / b);
    cardan_model_destroy(model);
  }
}

/* Joints of friction c on arms of light links, on n legs of a free base, on a floor or falling. */
static cardan_model *robot(double c, bool falls)
{
  static char text[8000];
  size_t at = (size_t)snprintf(
      text, sizeof text,
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"floor\") (solid plane))"
      " (contact all (friction 0.8)) (place (0 0 %g) (joint free \"base\" (mass 6 .03 .08 .1)",
      falls ? 1000 : 0.42);
  for (int i = 0; i < 4; i++) {
    at += (size_t)snprintf(
        text + at, sizeof text - at,
        " (place (%g %g 0) (rx \"a%d\" (mass .5 5e-4 6e-4 5e-4) (ry \"b%d\" (tz -.1"
        " (mass .8 4e-3 4e-3 6e-4) (tz -.1 (ry \"c%d\" (tz -.1 (mass .2 1e-3 1e-3 1e-4) (tz -.1"
        " (solid sphere 0.02)))))))))",
        i & 2 ? -.2 : .2, i & 1 ? -.1 : .1, i, i, i);
  }
  at += (size_t)snprintf(text + at, sizeof text - at, "))");
  for (int k = 0; k < 12; k++) {
    const char joint[] = {(char)('a' + k % 3), (char)('0' + k / 3), 0};
    const double pose[] = {0, 0.7, -1.4};
    at += (size_t)snprintf(text + at, sizeof text - at,
                           " (joint-spring \"%s\" 200 %g) (damping \"%s\" 5) (armature \"%s\" .01)"
                           " (dry-friction \"%s\" %g) (initial (\"%s\" %g %g))",
                           joint, pose[k % 3], joint, joint, joint, c, joint, pose[k % 3],
                           falls ? 1.0 + 0.1 * k : 0.0);
  }
  snprintf(text + at, sizeof text - at, ")");
  return contact_text(text, "robot.mbs");
}

/* us a step of 2 ms: in the air with joints that move, coming to rest on its feet, and there. */
static void friction(void)
{
  static const char *const methods[] = {"vi", "aba", "hamilton"};
  printf(
      "quadruped of 12 joints, us a step of 2 ms: friction 0 and 0.2 N m in the air; on its feet\n"
      "after 0.2 s, after 20 s\n");
  for (int i = 0; i < 3; i++) {
    cardan_options o = contact_options(0.002);
    o.method = methods[i];
    o.contacts = "off";
    printf("%-10s", methods[i]);
    for (int k = 0; k < 2; k++) {
      cardan_model *model = robot(0.2 * k, true);
      printf("%8.2f", 1e6 * contact_time(model, &o, 5, 100).seconds);
      cardan_model_destroy(model);
    }
    o.contacts = "on";
    for (int k = 0; k < 4 && i == 0; k++) {
      cardan_model *model = robot(k < 2 ? 0 : 0.2, false);
      printf("%8.2f", 1e6 * contact_time(model, &o, k % 2 ? 10000 : 100, 200).seconds);
      cardan_model_destroy(model);
    }
    printf("\n");
  }
}

int main(int argc, char **argv)
{
  const char *what = argc > 1 ? argv[1] : "";
  setvbuf(stdout, NULL, _IOLBF, 0);
  if (strcmp(what, "growth") == 0) {
    growth();
  } else if (strcmp(what, "reach") == 0) {
    reach();
  } else if (strcmp(what, "friction") == 0) {
    friction();
  } else if (strcmp(what, "mujoco") == 0) {
    contact_mujoco(argc > 2 ? argv[2] : NULL);
  } else {
    contact_stop("usage", "contact growth|reach|friction|mujoco [FILE.xml]");
  }
  return 0;
}
