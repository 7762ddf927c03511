// SPDX-License-Identifier: Apache-2.0
// Small motions of a four-bar that hangs in its spring: its matrices through the loop, its
// frequency, and the same from a run.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

static const char text[] =
    "(system \"four-bar\" (gravity 0 0 -9.81) (tx 0.8 (name \"B\"))"
    "(ry \"a\" (tz -0.25 (mass 1 0.1 0.02 0.1)) (tz -0.5 (ry \"c\""
    "  (tx 0.4 (mass 3 0.1 0.2 0.1)) (tx 0.8 (name \"P\")))))"
    "(at \"B\" (ry \"b\" (tz -0.25 (mass 1 0.1 0.02 0.1)) (tz -0.5 (name \"Q\"))))"
    "(coincide \"P\" \"Q\") (joint-spring \"a\" 7 0) (damping 0.1))";

/* Seconds from one passage of 0 to the second one after it, in a run from a small displacement. */
static double period(const cardan_model *model, cardan_report *report)
{
  cardan_options options = cardan_options_defaults();
  cardan_sim *sim = NULL;
  double first = -1, last = 0, before = 0;
  options.method = "vi";
  options.dt = 1e-3;
  if (cardan_sim_create(model, &options, NULL, &sim, report) != CARDAN_OK) {
    return -1;
  }
  cardan_data *data = cardan_sim_data(sim);
  data->q[0] = 1e-3;
  data->q_given[0] = true;
  cardan_status status = cardan_sim_start(sim, report);
  for (int passed = 0; passed < 3 && status == CARDAN_OK;) {
    before = data->q[0];
    status = cardan_sim_step(sim, report);
    if (before * data->q[0] < 0) { // between two nodes, where a line through them is 0
      last = data->t - options.dt * data->q[0] / (data->q[0] - before);
      first = passed++ == 0 ? last : first;
    }
  }
  cardan_sim_destroy(sim);
  return status == CARDAN_OK ? last - first : -1;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  cardan_data *data = NULL;
  cardan_modes *modes = NULL;
  cardan_status status =
      cardan_model_from_text(text, strlen(text), "four-bar", NULL, 0, NULL, &model, &report);
  if (status == CARDAN_OK) {
    status = cardan_data_create(model, NULL, &data);
  }
  if (status == CARDAN_OK) {
    status = cardan_assemble(model, data, NULL, &report);
  }
  if (status == CARDAN_OK) {
    status = cardan_modes_create(model, data, NULL, &modes, &report);
  }
  if (status != CARDAN_OK) {
    printf("%s: %s\n", cardan_status_text(status), report.message);
    return 1;
  }
  const cardan_matrices *m = modes->matrices;
  const double run = period(model, &report);
  printf("%d velocities, %d degree of freedom: %s\n", m->nv, m->n, model->v_name[m->dof[0]]);
  printf("inertia %.4f kg m^2, stiffness %.4f N m\n", m->Mr[0], m->Kr[0]);
  printf("%.5f Hz, damping %.4f; in a run %.5f Hz\n", modes->mode[0].frequency,
         modes->mode[0].damping, 1 / run);
  const bool agrees = fabs(modes->mode[0].frequency * run - 1) < 1e-4;
  cardan_modes_destroy(modes);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
  return agrees ? 0 : 1;
}
