// SPDX-License-Identifier: Apache-2.0
// A Stewart platform built in code: a plate on six legs, each a universal joint, a slide and a ball
// that closes a loop. Frames are identified by the index that making them gave: nothing needs a
// name.
#include <math.h>
#include <stdio.h>

#include "cardan/cardan.h"

static const double pi = 3.14159265358979323846;

/* Corner k of a hexagon with three short and three long sides. */
static cardan_vec3 corner(int k, double radius, double offset, double z)
{
  const int pair = k / 2;
  const double angle = 2 * pi / 3 * pair + (k % 2 == 0 ? -offset : offset);
  return (cardan_vec3){radius * cos(angle), radius * sin(angle), z};
}

/* One leg: from the ground at A to the plate at B, which stand below each other at the start but
 * for the lean that assembly finds. Returns the frame of its slide. */
static int add_leg(cardan_spec *spec, int plate, int k, double height)
{
  const cardan_joint_def universal = {.kind = CARDAN_JOINT_UNIVERSAL};
  const cardan_joint_def slide = {.kind = CARDAN_JOINT_PRISMATIC};
  const cardan_mass barrel = {.m = 2, .xx = 0.02, .yy = 0.02, .zz = 0.002};
  const cardan_mass rod = {.m = 1, .xx = 0.01, .yy = 0.01, .zz = 0.001};
  cardan_xform at = cardan_xform_identity();
  at.p = corner(k, 0.6, 0.2, 0);
  const int ground = cardan_spec_place(spec, 0, &at);
  const int lower = cardan_spec_joint(spec, ground, &universal);
  const int upper = cardan_spec_joint(spec, lower, &slide);
  cardan_spec_mass(spec, lower, &barrel);
  cardan_spec_mass(spec, upper, &rod);
  at.p = corner(k, 0.4, pi / 3 - 0.2, 0);
  const int ball = cardan_spec_place(spec, plate, &at);
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_CLOSE,
                                          .frame_at = {upper, ball},
                                          .joint = {.kind = CARDAN_JOINT_SPHERICAL}});
  cardan_spec_initial(spec, &(cardan_initial){.var_at = upper, .nvalue = 1, .value = {height}});
  return upper;
}

static cardan_status build(cardan_model **model, int leg[6], int *plate, cardan_report *report)
{
  cardan_spec *spec;
  const cardan_status made = cardan_spec_create(NULL, &spec);
  if (made != CARDAN_OK) {
    return made;
  }
  const double height = 0.8;
  cardan_spec_gravity(spec, (cardan_vec3){0, 0, -9.81});
  *plate = cardan_spec_joint(spec, 0, &(cardan_joint_def){.kind = CARDAN_JOINT_FREE});
  cardan_spec_mass(spec, *plate, &(cardan_mass){.m = 20, .xx = 1, .yy = 1, .zz = 2});
  cardan_spec_initial(
      spec, &(cardan_initial){
                .var_at = *plate, .nvalue = 7, .value = {0, 0, height, 1, 0, 0, 0}, .fixed = true});
  for (int k = 0; k < 6; k++) {
    leg[k] = add_leg(spec, *plate, k, height);
  }
  const cardan_status status = cardan_model_build(spec, NULL, model, report);
  cardan_spec_destroy(spec);
  return status;
}

/* The forces in the slides that hold the plate still; their sum upwards is the weight. */
static double hold(const cardan_model *model, cardan_data *data, const int leg[6])
{
  int actuated[6];
  double tau[6], upwards = 0;
  for (int k = 0; k < 6; k++) {
    actuated[k] = model->body[model->frame[leg[k]].body].vadr;
  }
  // nothing moves and nothing is to: a = 0 keeps the loops
  if (cardan_inverse_loops(model, data, data->a, actuated, 6, tau, NULL) != CARDAN_OK) {
    fprintf(stderr, "%s\n", data->info.message);
    return NAN;
  }
  for (int k = 0; k < 6; k++) {
    const cardan_xform T = cardan_frame_pose(model, data, leg[k]);
    printf("leg %d: %.4f m long, %.3f N\n", k + 1,
           data->q[model->body[model->frame[leg[k]].body].qadr], tau[k]);
    upwards += tau[k] * T.R.m[2][2];
  }
  return upwards;
}

int main(void)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  cardan_data *data = NULL;
  int leg[6], plate;
  cardan_status status = build(&model, leg, &plate, &report);
  status = status ? status : cardan_data_create(model, NULL, &data);
  status = status ? status : cardan_assemble(model, data, NULL, &report);
  bool right = false;
  if (status == CARDAN_OK) {
    const double upwards = hold(model, data, leg);
    printf("mobility %d; the legs push up with %.3f N\n", model->mobility, upwards);
    // lifting the plate lifts the rods' upper ends, where their mass is, and nothing else
    right = model->mobility == 6 && fabs(upwards - (20 + 6 * 1) * 9.81) < 1e-9;
  } else {
    fprintf(stderr, "%s\n", report.message);
  }
  cardan_data_destroy(data);
  cardan_model_destroy(model);
  return right ? 0 : 1;
}
