// SPDX-License-Identifier: Apache-2.0
// How far the period of a pendulum scatters with the tolerance of its length: a sampler of a
// normal distribution gives each copy its length, and a rollout runs them all.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

enum { COPIES = 200, STEPS = 500 };

static const char text[] = "(system \"pendulum\" (parameter L 1) (gravity 0 0 -9.81)"
                           " (ry \"angle\" (tz (neg L) (mass 1))) (initial (\"angle\" 0.01)))";

/* Quarter of a period: the first time at which the angle passes 0; NAN: it does not. */
static double quarter(const double *q, double dt)
{
  for (int k = 1; k <= STEPS; k++) {
    if (q[k] <= 0) {
      return dt * (k - q[k] / (q[k] - q[k - 1]));
    }
  }
  return NAN;
}

/* Mean and standard deviation of the quarters of all copies. */
static bool scatter(const cardan_sampler *sampler, const cardan_model *model, double *mean,
                    double *deviation, cardan_report *report)
{
  static double param[COPIES], q[COPIES * (STEPS + 1)];
  cardan_options options = cardan_options_defaults();
  double value, sum = 0, squares = 0;
  options.dt = 0.002;
  for (int i = 0; i < COPIES; i++) {
    cardan_sampler_at(sampler, i, COPIES, &value);
    if (cardan_sampler_apply(sampler, &value, NULL, NULL, NULL, &param[i], report) != CARDAN_OK) {
      return false;
    }
  }
  const cardan_rollout_args args = {.model = model,
                                    .options = &options,
                                    .nbatch = COPIES,
                                    .nstep = STEPS,
                                    .param = param,
                                    .q = q};
  if (cardan_rollout(&args, report) != CARDAN_OK) {
    return false;
  }
  for (int i = 0; i < COPIES; i++) {
    const double t = quarter(q + i * (STEPS + 1), options.dt);
    sum += t;
    squares += t * t;
  }
  *mean = sum / COPIES;
  *deviation = sqrt(squares / COPIES - *mean * *mean);
  return true;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_distribution length;
  cardan_model *model = NULL;
  cardan_sampler *sampler = NULL;
  double mean = 0, deviation = 0;
  cardan_status status = cardan_distribution_read("normal:1:0.02", &length, &report);
  status = status ? status
                  : cardan_model_from_text(text, strlen(text), "tolerances", NULL, 0, NULL, &model,
                                           &report);
  status = status ? status : cardan_sampler_create(model, 7, NULL, &sampler, &report);
  status = status ? status : cardan_sampler_add(sampler, "L", &length, &report);
  bool good = status == CARDAN_OK && scatter(sampler, model, &mean, &deviation, &report);
  const double pi = acos(-1.0), exact = 0.5 * pi / sqrt(9.81);
  printf("quarter of a period: %.4f s, standard deviation %.4f s\n", mean, deviation);
  // the quantile of one standard deviation, and a number that depends on its index alone
  good = good && fabs(cardan_distribution_at(&length, 0.841344746068543) - 1.02) < 1e-9 &&
         cardan_random(7, 0, 3) == cardan_random(7, 0, 3);
  good = good && fabs(mean / exact - 1) < 0.01 && fabs(deviation / (0.01 * exact) - 1) < 0.2;
  if (!good) {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sampler_destroy(sampler);
  cardan_model_destroy(model);
  return good ? 0 : 1;
}
