// SPDX-License-Identifier: Apache-2.0
// How far the solids of two frames are apart, against what can be written down.
#include <math.h>

#include "fixture.h"

#define SCENE                                                                               \
  "(system (place (0 0 0) (name \"ground\") (solid plane)) (place (0 0 5) (name \"bare\"))" \
  " (joint free \"ball\" (mass 1 1 1 1) (solid sphere 0.2))"                                \
  " (joint free \"pill\" (mass 1 1 1 1) (solid capsule 0.1 0.4))"                           \
  " (joint free \"pair\" (mass 1 1 1 1) (solid sphere 0.05)"                                \
  "   (place (0.5 0 0) (name \"tip\") (solid sphere 0.1) (solid point)))"                   \
  " (joint free \"box\" (mass 1 1 1 1) (solid box 0.4 0.6 0.2))"                            \
  " (contact \"ball\" \"ground\") (contact \"box\" \"ball\")"                               \
  " (initial (\"ball.z\" 1) (\"pill.x\" 1) (\"pill.z\" 1) (\"pair.y\" 2) (\"pair.z\" 1)"    \
  "   (\"box.x\" -1) (\"box.z\" 1)))"

/* The state above, poses made. */
static cardan_data *begin(cardan_model **model)
{
  cardan_data *data;
  *model = load_model(SCENE, NULL);
  assert_int_equal(cardan_data_create(*model, NULL, &data), CARDAN_OK);
  cardan_kinematics(*model, data);
  return data;
}

/* cardan_distance both ways: the same number, its ends exchanged, and as far apart as it says. */
static double apart(const cardan_model *model, const cardan_data *data, const char *first,
                    const char *second)
{
  cardan_vec3 p[4];
  const int f = cardan_model_frame(model, first), g = cardan_model_frame(model, second);
  assert_true(f >= 0 && g >= 0);
  const double there = cardan_distance(model, data, f, g, &p[0], &p[1]);
  const double back = cardan_distance(model, data, g, f, &p[2], &p[3]);
  assert_near(there, back, 1e-15);
  assert_near(there, cardan_distance(model, data, f, g, NULL, NULL), 0);
  const double d[3] = {p[0].x - p[1].x, p[0].y - p[1].y, p[0].z - p[1].z};
  assert_near(hypot(hypot(d[0], d[1]), d[2]), fabs(there), 1e-14);
  assert_near(p[0].x, p[3].x, 1e-14);
  assert_near(p[0].z, p[3].z, 1e-14);
  return there;
}

// tolerances: some roundings of lengths about 1
static void distances(void **state)
{
  (void)state;
  cardan_model *model;
  cardan_data *data = begin(&model);
  assert_near(apart(model, data, "ball", "ground"), 0.8, 1e-14);
  assert_near(apart(model, data, "pill", "ground"), 1 - 0.2 - 0.1, 1e-14);
  assert_near(apart(model, data, "ball", "pill"), 1 - 0.3, 1e-14);
  assert_near(apart(model, data, "box", "ball"), 1 - 0.2 - 0.2, 1e-14);
  assert_near(apart(model, data, "tip", "ground"), 0.9, 1e-14);
  assert_near(apart(model, data, "tip", "ball"), sqrt(4 + 0.25) - 0.3, 1e-14);
  // a body's own frame: the solids of that frame alone
  assert_near(apart(model, data, "pair", "ball"), 2 - 0.25, 1e-14);
  // two solids of one body are apart too, whatever may touch
  assert_near(apart(model, data, "pair", "tip"), 0.5 - 0.15, 1e-14);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

// Boxes corner to corner and corner over a face, a point off a corner, two points
static void corners(void **state)
{
  (void)state;
  cardan_data *data;
  cardan_model *model = load_model(
      "(system (place (0 0 0) (name \"cube\") (solid box 2 2 2))"
      " (place (2 2 2) (name \"dot\") (solid point)) (place (2 3 4) (name \"spot\") (solid point))"
      " (joint free \"box\" (mass 1 1 1 1) (solid box 0.4 0.6 0.2))"
      " (initial (\"box.x\" 2.2) (\"box.y\" 2.3) (\"box.z\" 2.1)))",
      NULL);
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  cardan_kinematics(model, data);
  assert_near(apart(model, data, "cube", "box"), sqrt(3), 1e-14);
  assert_near(apart(model, data, "cube", "dot"), sqrt(3), 1e-14);
  assert_near(apart(model, data, "spot", "dot"), sqrt(5), 1e-14);
  assert_near(apart(model, data, "box", "dot"), 0, 1e-15);
  const int cube = cardan_model_frame(model, "cube"), box = cardan_model_frame(model, "box");
  data->q[0] = data->q[1] = 0.5; // face over face: the nearest points are not the only ones
  cardan_kinematics(model, data);
  assert_near(cardan_distance(model, data, cube, box, NULL, NULL), 1, 1e-14);
  data->q[2] = 1;
  cardan_kinematics(model, data);
  assert_near(cardan_distance(model, data, cube, box, NULL, NULL), -0.1, 1e-14);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

static void nothing_to_measure(void **state)
{
  (void)state;
  cardan_model *model;
  cardan_data *data = begin(&model);
  const int ground = cardan_model_frame(model, "ground"), bare = cardan_model_frame(model, "bare");
  assert_true(cardan_distance(model, data, bare, ground, NULL, NULL) == HUGE_VAL);
  assert_true(cardan_distance(model, data, ground, ground, NULL, NULL) == HUGE_VAL);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
  model = load_model("pendulum", NULL);
  int pair = 5;
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  cardan_kinematics(model, data);
  assert_true(cardan_smallest_gap(model, data, &pair) == HUGE_VAL);
  assert_int_equal(pair, -1);
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

// of the pairs that have a contact the nearest, and overlap below 0
static void smallest_gap(void **state)
{
  (void)state;
  cardan_model *model;
  cardan_data *data = begin(&model);
  int pair = -1;
  assert_near(cardan_smallest_gap(model, data, &pair), 0.6, 1e-14);
  assert_true(pair >= 0 && pair < model->npair);
  assert_string_equal(model->contact[model->pair[pair].contact].name, "box-ball");
  data->q[2] = 0.15; // the ball's z
  cardan_kinematics(model, data);
  assert_near(cardan_smallest_gap(model, data, &pair), -0.05, 1e-14);
  assert_string_equal(model->contact[model->pair[pair].contact].name, "ball-ground");
  cardan_data_destroy(data);
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances),
      cmocka_unit_test(corners),
      cmocka_unit_test(nothing_to_measure),
      cmocka_unit_test(smallest_gap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
