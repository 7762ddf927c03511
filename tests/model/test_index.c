// SPDX-License-Identifier: Apache-2.0
// Mechanisms built with indices in place of names, names by index and back, and copies of data.
#include <string.h>

#include "cardan/cardan.h"
#include "fixture.h"
#include "random_tree.h"

static cardan_spec *new_spec(void)
{
  cardan_spec *spec;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  cardan_spec_gravity(spec, (cardan_vec3){0, 0, -9.81});
  return spec;
}

/* A four-bar in the x-z plane with a spring and a damped crank. named: by names, else by index. */
static cardan_spec *fourbar(bool named)
{
  cardan_spec *spec = new_spec();
  const cardan_joint_def crank_def = {
      .kind = CARDAN_JOINT_REVOLUTE, .name = named ? "joint1" : NULL, .axis = {0, 1, 0}};
  const cardan_mass mass = {.m = 1, .xx = 0.1, .yy = 0.1, .zz = 0.01};
  const int crank = cardan_spec_joint(spec, 0, &crank_def);
  const int tip = cardan_spec_transform(spec, crank, CARDAN_TRANSFORM_TX, 1.0);
  const int coupler =
      cardan_spec_variable(spec, tip, CARDAN_TRANSFORM_RY, named ? "joint3" : NULL, false);
  const int B = cardan_spec_transform(spec, coupler, CARDAN_TRANSFORM_TX, 2.5);
  const int pivot = cardan_spec_transform(spec, 0, CARDAN_TRANSFORM_TX, 2.0);
  const int rocker =
      cardan_spec_variable(spec, pivot, CARDAN_TRANSFORM_RY, named ? "joint6" : NULL, false);
  const int C = cardan_spec_transform(spec, rocker, CARDAN_TRANSFORM_TX, 2.0);
  cardan_spec_mass(spec, crank, &mass);
  cardan_spec_mass(spec, B, &mass);
  cardan_spec_mass(spec, C, &mass);
  if (named) {
    cardan_spec_frame_name(spec, B, "frame4");
    cardan_spec_frame_name(spec, C, "frame7");
    cardan_spec_frame_name(spec, pivot, "frame5");
  }
  cardan_element pin = {.kind = CARDAN_ELEMENT_COINCIDE},
                 damping = {.kind = CARDAN_ELEMENT_DAMPING};
  cardan_element spring = {.kind = CARDAN_ELEMENT_SPRING, .value = {5, 1}};
  cardan_initial start[2] = {{.nvalue = 1, .value = {-1.0}, .nvelocity = 1, .velocity = {0.7}},
                             {.nvalue = 1, .value = {1.0}}};
  damping.value[0] = 0.3;
  if (named) {
    pin.frame[0] = "frame4";
    pin.frame[1] = "frame7";
    spring.frame[0] = "frame5";
    spring.frame[1] = "joint3";
    damping.var[0] = "joint1";
    start[0].var = "joint1";
    start[1].var = "joint3";
  } else {
    pin.frame_at[0] = B;
    pin.frame_at[1] = C;
    spring.frame_at[0] = pivot;
    spring.frame_at[1] = coupler;
    damping.var_at[0] = crank;
    start[0].var_at = crank;
    start[1].var_at = coupler;
  }
  cardan_spec_add(spec, &pin);
  cardan_spec_add(spec, &spring);
  cardan_spec_add(spec, &damping);
  cardan_spec_initial(spec, &start[0]);
  cardan_spec_initial(spec, &start[1]);
  return spec;
}

// the same text is written, and is read back: the names are those of the text
static void indices_stand_for_names(void **state)
{
  (void)state;
  char *text[2];
  cardan_spec *spec[2], *again = NULL;
  for (int named = 0; named < 2; named++) {
    cardan_report report = {.message = ""};
    spec[named] = fourbar(named != 0);
    expect_ok(cardan_spec_status(spec[named], &report), &report, "spec");
    assert_int_equal(cardan_spec_write(spec[named], NULL, &text[named]), CARDAN_OK);
  }
  assert_string_equal(text[0], text[1]);
  cardan_report report = {.message = ""};
  expect_ok(cardan_spec_read(text[0], strlen(text[0]), NULL, NULL, 0, NULL, &again, &report),
            &report, "read");
  fixture f = fixture_build(again);
  assert_int_equal(f.model->mobility, 1);
  fixture_free(&f);
  for (int i = 0; i < 2; i++) {
    cardan_free_text(NULL, text[i]);
    cardan_spec_destroy(spec[i]);
  }
}

// a name that was taken is passed over, and the frame's index is that of the model
static void names_are_made_free(void **state)
{
  (void)state;
  cardan_spec *spec = new_spec();
  const int first = cardan_spec_variable(spec, 0, CARDAN_TRANSFORM_RZ, "joint2", false);
  const int second = cardan_spec_variable(spec, first, CARDAN_TRANSFORM_RZ, NULL, false);
  const int third = cardan_spec_transform(spec, second, CARDAN_TRANSFORM_TX, 1.0);
  cardan_spec_mass(spec, third, &(cardan_mass){.m = 1});
  cardan_spec_mass(spec, first, &(cardan_mass){.m = 1, .xx = 1, .yy = 1, .zz = 1});
  assert_string_equal(cardan_spec_frame_named(spec, second), "joint3");
  assert_string_equal(cardan_spec_frame_named(spec, third), "frame3");
  assert_string_equal(cardan_spec_frame_named(spec, third), "frame3");
  assert_string_equal(cardan_spec_frame_named(spec, 0), "world");
  fixture f = fixture_build(spec);
  assert_int_equal(cardan_model_frame(f.model, "frame3"), third);
  fixture_free(&f);
}

/* What a spec says that is given one wrong element. */
static void expect_wrong(cardan_element element, const char *text)
{
  cardan_spec *spec = fourbar(false);
  cardan_report report = {.message = ""};
  cardan_spec_add(spec, &element);
  assert_int_equal(cardan_spec_status(spec, &report), CARDAN_ERR_ARGUMENT);
  if (strstr(report.message, text) == NULL) {
    fail_msg("expected \"%s\" in: %s", text, report.message);
  }
  cardan_spec_destroy(spec);
}

static void wrong_indices_are_said(void **state)
{
  (void)state;
  expect_wrong((cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .value = {1}, .var_at = {2}},
               "found frame 2 for a coordinate or joint; expected one that carries it");
  expect_wrong((cardan_element){.kind = CARDAN_ELEMENT_COINCIDE, .frame_at = {2, 99}},
               "found 99 as index of a frame; expected a frame from 1 to 7");
  expect_wrong((cardan_element){.kind = CARDAN_ELEMENT_COINCIDE, .frame_at = {-1, 2}},
               "found -1 as index of a frame");
  expect_wrong(
      (cardan_element){.kind = CARDAN_ELEMENT_COINCIDE, .frame = {"frame4"}, .frame_at = {4, 2}},
      "found the name \"frame4\" and the index 4 for one thing; expected one of them");
}

// of everything that has one, and back
static void names_and_indices_go_both_ways(void **state)
{
  (void)state;
  fixture f = fixture_load(
      "(system \"s\" (joint universal \"u\" (mass 1 1 1 1) (name \"arm\") (tx 1 (name \"tip\")))"
      " (rz \"z\" (mass 1 1 1 1) (tx 1 (name \"end\")))"
      " (coincide \"tip\" \"end\" (name \"pin\")) (spring \"arm\" \"end\" 1 0) (damping 0.1)"
      " (spring \"world\" \"tip\" 1 0 (name \"hold\")))");
  const cardan_model *model = f.model;
  char name[64];
  assert_string_equal(cardan_body_name(model, 0), "world");
  for (int i = 0; i < model->nbody; i++) {
    assert_int_equal(cardan_model_body(model, cardan_body_name(model, i)), i);
  }
  assert_int_equal(cardan_model_body(model, "arm"), 2);
  assert_int_equal(cardan_model_body(model, "missing"), -1);
  for (int i = 0; i < model->nconstraint; i++) {
    assert_int_equal(cardan_model_constraint(model, model->constraint[i].name), i);
  }
  for (int i = 0; i < model->nforce; i++) {
    assert_int_equal(cardan_model_force(model, model->force[i].name), i);
  }
  assert_true(cardan_model_force(model, "hold") >= 0 && cardan_model_force(model, "spring1") >= 0);
  assert_int_equal(cardan_model_force(model, "pin"), -1);
  assert_int_equal(cardan_model_constraint(model, "hold"), -1);
  cardan_row_name(model, 1, name, sizeof name);
  assert_string_equal(name, "pin.2");
  fixture_free(&f);
}

static void columns_are_found(void **state)
{
  (void)state;
  cardan_model *model = load_model("four-link", NULL);
  const cardan_options options = cardan_options_defaults();
  const int add = CARDAN_ADD_MULTIPLIERS;
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  expect_ok(cardan_sim_create(model, &options, NULL, &sim, &report), &report, "create");
  for (int k = 0; k < cardan_sim_columns(sim, add); k++) {
    char name[128];
    cardan_sim_column(sim, add, k, name, sizeof name);
    assert_int_equal(cardan_sim_find_column(sim, add, name), k);
  }
  assert_int_equal(cardan_sim_find_column(sim, 0, "t"), 0);
  assert_int_equal(cardan_sim_find_column(sim, 0, "q.nothing"), -1);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

// a copy continues as the original does, to the bit, loops included
static void copies_are_the_same(void **state)
{
  (void)state;
  fixture f = fixture_build(fourbar(false));
  cardan_data *copy = NULL;
  double expected[3];
  assert_int_equal(cardan_data_create(f.model, NULL, &copy), CARDAN_OK);
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, NULL), CARDAN_OK);
  f.data->t = 0.3;
  f.data->tau_in[0] = 2;
  f.data->f_in[1].t.y = -3;
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  memcpy(expected, f.data->a, sizeof expected);

  cardan_data_copy(f.model, f.data, copy);
  assert_memory_equal(copy->a, expected, sizeof expected);
  assert_memory_equal(copy->X_W, f.data->X_W, (size_t)f.model->nbody * sizeof *copy->X_W);
  assert_true(copy->t == 0.3 && copy->q != f.data->q);
  assert_int_equal(copy->fresh & CARDAN_FRESH_POSES, CARDAN_FRESH_POSES);
  memset(f.data->q, 0, 3 * sizeof *f.data->q); // the copy does not read it
  memset(copy->a, 0, sizeof expected);
  assert_int_equal(cardan_forward(f.model, copy, 0, 0), CARDAN_OK);
  assert_memory_equal(copy->a, expected, sizeof expected);
  cardan_data_destroy(copy);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(indices_stand_for_names), cmocka_unit_test(names_are_made_free),
      cmocka_unit_test(wrong_indices_are_said),  cmocka_unit_test(names_and_indices_go_both_ways),
      cmocka_unit_test(columns_are_found),       cmocka_unit_test(copies_are_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
