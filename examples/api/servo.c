// SPDX-License-Identifier: Apache-2.0
// A joint on a servo whose target is an input of the model: data->u before a step moves it. After
// a step of the target the joint swings as a damped oscillator does, for which there is a formula.
#include <math.h>
#include <stdio.h>

#include "cardan/cardan.h"

static const char text[] = "(system \"servo\""
                           "  (input \"target\" 0 (limit -1 1))"
                           "  (rz \"q\" (mass 1 0.1 0.1 0.5))"
                           "  (actuator \"servo\" \"q\" \"target\" (servo 50 2)))";

/* I q'' = kp (u - q) - kd q' from rest at 0, u = 1. */
static double formula(double t)
{
  const double I = 0.5, kp = 50, kd = 2, decay = kd / (2 * I);
  const double w = sqrt(kp / I - decay * decay);
  return 1 - exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  double error = 0;
  options.dt = 0.001;
  cardan_status status =
      cardan_model_from_text(text, sizeof text - 1, "servo.mbs", NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  const int target = status ? -1 : cardan_model_input(model, "target");
  for (int i = 0; i < 2500 && status == CARDAN_OK; i++) {
    cardan_data *data = cardan_sim_data(sim);
    data->u[target] = i < 500 ? 0 : 2; // beyond its limit: 1 is what counts
    status = cardan_sim_step(sim, &report);
    if (i >= 500 && status == CARDAN_OK) {
      error = fmax(error, fabs(cardan_sim_data(sim)->q[0] - formula((i - 499) * options.dt)));
    }
  }
  if (status == CARDAN_OK) {
    printf("the joint ends at %.4f rad, and was never more than %.2g rad from the formula\n",
           cardan_sim_data(sim)->q[0], error);
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status == CARDAN_OK && error < 1e-4 ? 0 : 1;
}
