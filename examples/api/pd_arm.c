// SPDX-License-Identifier: Apache-2.0
// A two-link arm built in code, held by a controller of the caller's own: torques go into
// data->tau_in before each step.
#include <math.h>
#include <stdio.h>

#include "cardan/cardan.h"

/* Two links of 0.5 m and 1 kg that are attached to hinges about y. */
static cardan_status build_arm(cardan_model **model, cardan_report *report)
{
  cardan_spec *spec;
  const cardan_status made = cardan_spec_create(NULL, &spec);
  if (made != CARDAN_OK) {
    return made;
  }
  cardan_spec_gravity(spec, (cardan_vec3){0, 0, -9.81});
  int parent = 0;
  for (int i = 0; i < 2; i++) {
    const int hinge = cardan_spec_variable(spec, parent, CARDAN_TRANSFORM_RY,
                                           i == 0 ? "shoulder" : "elbow", false);
    const int centre = cardan_spec_transform(spec, hinge, CARDAN_TRANSFORM_TZ, -0.25);
    cardan_spec_mass(spec, centre, &(cardan_mass){.m = 1, .xx = 0.02, .yy = 0.02, .zz = 0.001});
    parent = cardan_spec_transform(spec, hinge, CARDAN_TRANSFORM_TZ, -0.5);
  }
  cardan_spec_frame_name(spec, parent, "hand");
  const cardan_status status =
      cardan_model_build(spec, NULL, model, report); // reports what failed above, too
  cardan_spec_destroy(spec);
  return status;
}

/* Gravity compensation and a spring with a damper towards the target. */
static void control(const cardan_model *model, cardan_data *data)
{
  const double target[2] = {1.0, -0.5}, k = 40, d = 8;
  double hold[2];
  cardan_gravity_torques(model, data, hold);
  for (int i = 0; i < 2; i++) {
    data->tau_in[i] = hold[i] + k * (target[i] - data->q[i]) - d * data->v[i];
  }
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  options.method = "aba";
  options.dt = 0.001;
  cardan_status status = build_arm(&model, &report);
  if (status == CARDAN_OK) {
    status = cardan_sim_create(model, &options, NULL, &sim, &report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_start(sim, &report);
  }
  for (int i = 0; i < 5000 && status == CARDAN_OK; i++) {
    control(model, cardan_sim_data(sim));
    status = cardan_sim_step(sim, &report);
  }
  bool there = false;
  if (status == CARDAN_OK) {
    const cardan_data *data = cardan_sim_data(sim);
    const cardan_xform hand = cardan_frame_pose(model, data, cardan_model_frame(model, "hand"));
    there = fabs(data->q[0] - 1.0) < 1e-3 && fabs(data->q[1] + 0.5) < 1e-3;
    printf("shoulder %.4f, elbow %.4f rad; hand at (%.3f, %.3f, %.3f) m\n", data->q[0], data->q[1],
           hand.p.x, hand.p.y, hand.p.z);
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return there ? 0 : 1;
}
