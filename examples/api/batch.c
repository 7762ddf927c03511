// SPDX-License-Identifier: Apache-2.0
// A pendulum that its motor is too weak to lift, swung up by trial: 64 courses of the torque at a
// time, run on all cores; the next ones scatter around the best. Outputs say how high each came.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

enum { COPIES = 64, STEPS = 200, PIECES = 8, ROUNDS = 8 };

static const char text[] = "(system \"pendulum\" (gravity 0 0 -9.81) (input \"torque\")"
                           " (ry \"angle\" (tz -1 (mass 1) (name \"bob\")))"
                           " (torque \"angle\" u.torque) (output \"height\" (pz \"bob\")))";

/* -1 to 1, the same on every machine. */
static double scatter(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

/* Courses around the best one, which is the first, as inputs of all steps: u, COPIES x STEPS.
 * Torques of 3 N m at most; 9.81 would hold the pendulum out. */
static void try_around(double course[COPIES][PIECES], double width, unsigned *seed, double *u)
{
  for (int i = 0; i < COPIES; i++) {
    for (int k = 0; k < PIECES && i > 0; k++) {
      course[i][k] = fmax(-3.0, fmin(3.0, course[0][k] + width * scatter(seed)));
    }
    for (int k = 0; k < STEPS; k++) {
      u[i * STEPS + k] = course[i][k * PIECES / STEPS];
    }
  }
}

/* The copy whose bob is highest at the end; the one of two rows of each. */
static int highest(const double *y)
{
  int best = 0;
  for (int i = 1; i < COPIES; i++) {
    best = y[2 * i + 1] > y[2 * best + 1] ? i : best;
  }
  return best;
}

/* Rounds of trials; the height that the last came to, NAN after a failure. */
static double search(const cardan_model *model, int nthread, cardan_report *report)
{
  static double u[COPIES * STEPS], course[COPIES][PIECES];
  double y[COPIES * 2] = {0}, width = 3.0;
  unsigned seed = 1;
  cardan_options options = cardan_options_defaults();
  int best = 0;
  options.dt = 0.02;
  options.every = STEPS; // rows: the start and the end
  memset(course, 0, sizeof course);
  for (int round = 0; round < ROUNDS; round++, width *= 0.8) {
    try_around(course, width, &seed, u);
    if (cardan_rollout(&(cardan_rollout_args){.model = model,
                                              .options = &options,
                                              .nthread = nthread,
                                              .nbatch = COPIES,
                                              .nstep = STEPS,
                                              .u = u,
                                              .y = y},
                       report) != CARDAN_OK) {
      return (double)NAN;
    }
    best = highest(y);
    memmove(course[0], course[best], sizeof course[0]);
    printf("round %2d: %.4f m\n", round + 1, y[2 * best + 1]);
  }
  return y[2 * best + 1];
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  if (cardan_model_from_text(text, strlen(text), "batch", NULL, 0, NULL, &model, &report)) {
    fprintf(stderr, "%s\n", report.message);
    return 1;
  }
  const double all = search(model, 0, &report), one = search(model, 1, &report);
  const bool good = all > 0.99 && all == one; // the same bits by one thread
  if (!good) {
    fprintf(stderr, "%.17g and %.17g m %s\n", all, one, report.message);
  }
  cardan_model_destroy(model);
  return good ? 0 : 1;
}
