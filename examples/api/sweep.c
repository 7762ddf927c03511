// SPDX-License-Identifier: Apache-2.0
// A pendulum whose length is a parameter: one model, copied and set for each length, and an output
// read after each run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

static const char text[] = "(system \"pendulum\" (parameter L 1) (gravity 0 0 -9.81)"
                           " (ry \"angle\" (tz (- L) (mass 1) (name \"bob\")))"
                           " (initial (\"angle\" 0.01))"
                           " (output \"height\" (pz \"bob\")) (output \"speed\" (vx \"bob\")))";

/* The speed of the bob after a quarter of a period, as the small swing has it: 0.01 sqrt(g L). */
static cardan_status swing(const cardan_model *model, double length, double *speed,
                           cardan_report *report)
{
  cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  const double quarter = 0.5 * acos(-1.0) * sqrt(length / 9.81);
  options.dt = quarter / 200;
  cardan_status status = cardan_sim_create(model, &options, NULL, &sim, report);
  status = status ? status : cardan_sim_start(sim, report);
  for (int i = 0; i < 200 && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, report);
  }
  if (status == CARDAN_OK) {
    cardan_data *data = cardan_sim_data(sim);
    status = cardan_outputs(model, data);
    *speed = fabs(data->y[cardan_model_output(model, "speed")]);
  }
  cardan_sim_destroy(sim);
  return status;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  cardan_model *shared = NULL, *own = NULL;
  cardan_status status =
      cardan_spec_read(text, strlen(text), "pendulum.mbs", NULL, 0, NULL, &spec, &report);
  status = status ? status : cardan_model_build(spec, NULL, &shared, &report);
  status = status ? status : cardan_model_copy(shared, NULL, &own);
  bool good = status == CARDAN_OK;
  for (int i = 1; i <= 4 && good; i++) {
    const double length = 0.5 * i, expected = 0.01 * sqrt(9.81 * length);
    double speed = 0;
    status = cardan_model_set(own, "L", length, &report);
    status = status ? status : swing(own, length, &speed, &report);
    printf("L = %.1f m: %.6f m/s, a small swing has %.6f m/s\n", length, speed, expected);
    // the swing is not that small: 0.01^2 / 16, and the step adds its own
    good = status == CARDAN_OK && fabs(speed / expected - 1) < 1e-4;
  }
  if (status != CARDAN_OK) {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_model_destroy(own);
  cardan_model_destroy(shared);
  cardan_spec_destroy(spec);
  return good ? 0 : 1;
}
