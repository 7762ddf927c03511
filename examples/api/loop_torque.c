// SPDX-License-Identifier: Apache-2.0
// Inverse dynamics through a loop: the motor torque that turns the crank of a four-bar at constant
// speed, found along the motion and then tried out in a simulation.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/cardan.h"

enum { NV = 3, STEPS = 1500 };

static const double speed = 2.0, dt = 0.001; // of the crank [rad/s], and the step [s]

static const char text[] =
    "(system \"four-bar\" (gravity 0 0 -9.81)"
    " (ry \"crank\" (tx 0.5 (mass 1) (ry \"coupler\" (tx 1 (mass 0.5)"
    "  (tx 0.25 (name \"B\"))))))"
    " (tx 1 (ry \"rocker\" (tx 1 (name \"C\") (mass 1))))"
    " (coincide \"B\" \"C\" (name \"pin\"))"
    " (initial ((\"crank\" -1 2) fixed) (\"coupler\" 0.6) (\"rocker\" -1.5)))";

/* The torque now. The plan says of the crank only that it keeps its speed. What the others must do
 * follows: accelerations that keep the loop, plus as much of the one way to move, v, as takes the
 * crank's to 0. */
static cardan_status plan(const cardan_model *model, cardan_data *data, double *torque)
{
  const int crank = 0;
  double a[NV];
  memset(data->a, 0, sizeof a);
  const cardan_status status = cardan_close_accelerations(model, data);
  for (int k = 0; k < NV; k++) {
    a[k] = data->a[k] - data->a[crank] / data->v[crank] * data->v[k];
  }
  return status ? status : cardan_inverse_loops(model, data, a, &crank, 1, torque, NULL);
}

/* Steps with the torque of the plan; how far the crank's speed strays from the wanted one. */
static cardan_status run(const cardan_model *model, cardan_sim *sim, cardan_data *own, double *off,
                         double *largest, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < STEPS && status == CARDAN_OK; i++) {
    cardan_data *data = cardan_sim_data(sim);
    double torque = 0;
    cardan_data_copy(model, data, own); // the sim's data stays as it is
    status = plan(model, own, &torque);
    if (status != CARDAN_OK) {
      return cardan_fail(report, status, (cardan_pos){0, 0}, "%s", own->info.message);
    }
    data->tau_in[0] = torque;
    *largest = fmax(*largest, fabs(torque));
    status = cardan_sim_step(sim, report);
    *off = fmax(*off, fabs(cardan_sim_data(sim)->v[0] - speed));
  }
  return status;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_data *own = NULL;
  cardan_sim *sim = NULL;
  double off = 0, largest = 0;
  options.method = "aba";
  options.dt = dt;
  cardan_status status = cardan_spec_read(text, strlen(text), NULL, NULL, 0, NULL, &spec, &report);
  status = status ? status : cardan_model_build(spec, NULL, &model, &report);
  status = status ? status : cardan_data_create(model, NULL, &own);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  status = status ? status : run(model, sim, own, &off, &largest, &report);
  if (status == CARDAN_OK) {
    printf("%.1f turns with up to %.2f N m; the speed strays by %.1e rad/s\n",
           STEPS * dt * speed / 6.283185307179586, largest, off);
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_data_destroy(own);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  // the torque is held over a step: the speed strays by half a step of its change
  return status == CARDAN_OK && off < 0.05 ? 0 : 1;
}
