// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "cardan/cardan.h"

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  cardan_status status = cardan_model_load("double-pendulum", NULL, 0, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  for (int i = 0; i < 800 && status == CARDAN_OK; i++) {
    status = cardan_sim_step(sim, &report);
  }
  if (status == CARDAN_OK) {
    const cardan_data *data = cardan_sim_data(sim);
    printf("t = %g s, q1 = %.6f rad, q2 = %.6f rad\n", data->t, data->q[0], data->q[1]);
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status == CARDAN_OK ? 0 : 1;
}
