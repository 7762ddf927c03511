// SPDX-License-Identifier: Apache-2.0
// An arm of three links whose centre of mass is held at a place by J^T f, and which is pushed
// at the elbow for a while: it gives way, and comes back.
#include <math.h>
#include <stdio.h>

#include "cardan/cardan.h"

enum { NV = 3 };

static const char text[] = "(system \"arm\" (gravity 0 0 -9.81)"
                           " (ry \"a\" (mass 1 0.02 0.02 0.02) (tz 0.5 (mass 1)"
                           "  (ry \"b\" (name \"elbow\") (tz 0.4 (mass 1)"
                           "   (ry \"c\" (tz 0.3 (mass 1)))))))"
                           " (initial (\"a\" 0.5) (\"b\" 0.6) (\"c\" 0.4)))";

/* Gravity's torques, a spring and a damper on the centre of mass, and damping in the joints for
 * what the centre does not see. */
static cardan_vec3 control(const cardan_model *model, cardan_data *data, cardan_vec3 target)
{
  double J[3 * NV], hold[NV];
  cardan_vec3 v;
  const cardan_vec3 c = cardan_com(model, data, 0, &v);
  cardan_com_jacobian(model, data, 0, J);
  cardan_gravity_torques(model, data, hold);
  const double f[3] = {400 * (target.x - c.x) - 60 * v.x, 0, 400 * (target.z - c.z) - 60 * v.z};
  for (int k = 0; k < NV; k++) {
    data->tau_in[k] = hold[k] - 0.5 * data->v[k] + J[k] * f[0] + J[2 * NV + k] * f[2];
  }
  return (cardan_vec3){c.x - target.x, 0, c.z - target.z};
}

/* Six seconds; a push of 30 N along x at the elbow between the second and the third. Returns how
 * far the centre was off, at most and at the end. */
static cardan_status run(const cardan_model *model, cardan_sim *sim, double *most, double *last,
                         cardan_report *report)
{
  const int elbow = cardan_model_frame(model, "elbow");
  const cardan_vec3 target = {0.3, 0, 0.45}, here = {0, 0, 0};
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 6000 && status == CARDAN_OK; i++) {
    cardan_data *data = cardan_sim_data(sim);
    const cardan_vec3 off = control(model, data, target);
    *last = hypot(off.x, off.z);
    *most = i > 2000 ? fmax(*most, *last) : 0;
    cardan_clear_forces(model, data);
    if (i >= 2000 && i < 3000) {
      cardan_apply_force(model, data, elbow, here, (cardan_force){.f = {30, 0, 0}}, CARDAN_ALIGNED);
    }
    status = cardan_sim_step(sim, report);
  }
  return status;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_options options = cardan_options_defaults();
  cardan_model *model = NULL;
  cardan_spec *spec = NULL;
  cardan_sim *sim = NULL;
  double most = 0, last = INFINITY;
  options.method = "aba";
  options.dt = 0.001;
  cardan_status status =
      cardan_spec_read(text, sizeof text - 1, NULL, NULL, 0, NULL, &spec, &report);
  status = status ? status : cardan_model_build(spec, NULL, &model, &report);
  status = status ? status : cardan_sim_create(model, &options, NULL, &sim, &report);
  status = status ? status : cardan_sim_start(sim, &report);
  status = status ? status : run(model, sim, &most, &last, &report);
  if (status == CARDAN_OK) {
    printf("pushed aside by %.4f m, back within %.1e m\n", most, last);
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  cardan_spec_destroy(spec);
  return status == CARDAN_OK && most > 0.01 && last < 1e-3 ? 0 : 1;
}
