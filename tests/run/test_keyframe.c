// SPDX-License-Identifier: Apache-2.0
// Starts by name: of a model, of data, in a file, of loops.
#include <math.h>
#include <string.h>

#include "run.h"

#define BODIES                                                                             \
  "(ry \"a\" (tz -1 (mass 1 .1 .1 .1) (joint spherical \"s\" (tz -1 (mass 1 .1 .1 .1)))))" \
  " (input \"u\" 1) (input \"w\" 2) (torque \"a\" u.u) (initial ((\"a\" 0.5) fixed))"      \
  " (keyframe \"home\" (\"a\" 1 2) (\"s\" (2 0 0 0) (1 2 3)) (input \"u\" -3)) (keyframe " \
  "\"rest\")"

static void of_a_model(void **state)
{
  cardan_report report = {.message = ""};
  cardan_model *model = load_model("(system " BODIES ")", NULL);
  (void)state;
  assert_int_equal(model->nkeyframe, 2);
  assert_int_equal(model->start, -1);
  assert_int_equal(cardan_model_keyframe(model, "rest"), 1);
  assert_true(model->q0[0] == 0.5 && model->q_fixed[0] && model->keyframe[1].q[0] == 0);
  expect_ok(cardan_model_set_start(model, "home", &report), &report, "start");
  assert_true(model->q0[0] == 1 && model->v0[0] == 2 && model->q0[1] == 1 && model->v0[3] == 3);
  assert_true(model->q_given[0] && model->v_given[3] && !model->q_fixed[0]);
  assert_true(model->input[0].value == -3 && model->input[1].value == 2);
  assert_int_equal(model->start, 0);
  assert_int_equal(cardan_model_set_start(model, "hme", &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "did you mean \"home\""));
  assert_int_equal(model->start, 0);
  expect_ok(cardan_model_set_start(model, "rest", &report), &report, "start");
  assert_true(model->q0[0] == 0 && model->q0[1] == 1 && !model->q_given[0]);
  assert_true(model->input[0].value == 1);
  cardan_model_destroy(model);
}

static void of_data(void **state)
{
  fixture f = fixture_load("(system " BODIES ")");
  (void)state;
  cardan_keyframe_set(f.model, f.data, 0);
  assert_true(f.data->q[0] == 1 && f.data->v[0] == 2 && f.data->u[0] == -3 && f.data->u[1] == 2);
  assert_true(f.data->q_given[0] && f.data->v_given[1]);
  assert_true(f.model->q0[0] == 0.5);
  cardan_keyframe_set(f.model, f.data, 1);
  assert_true(f.data->q[0] == 0 && f.data->q[1] == 1 && f.data->u[0] == 1 && !f.data->q_given[0]);
  fixture_free(&f);
}

// a sim goes from the start that its model has; another keyframe among its options is refused
static void of_a_file(void **state)
{
  cardan_report report = {.message = ""};
  cardan_options o = run_options("vi", 0.01, 0);
  cardan_sim *sim = NULL;
  (void)state;
  run r = run_begin("(system " BODIES " (simulate (keyframe \"home\")))", NULL, &o);
  assert_true(run_q(&r, "a") == 1 && r.data->u[0] == -3);
  expect_ok(cardan_options_apply_model(&o, r.model, CARDAN_OPTIONS_OF_METHOD, &report), &report,
            "options");
  assert_string_equal(o.keyframe, "home");
  expect_ok(cardan_sim_create(r.model, &o, NULL, &sim, &report), &report, "sim");
  cardan_sim_destroy(sim);
  expect_ok(cardan_options_set(&o, "keyframe", "rest", &report), &report, "set");
  assert_int_equal(cardan_sim_create(r.model, &o, NULL, &sim, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "starts from \"home\""));
  char name[80];
  memset(name, 'x', sizeof name);
  name[79] = '\0';
  assert_int_equal(cardan_options_set(&o, "keyframe", name, &report), CARDAN_ERR_ARGUMENT);
  run_free(&r);

  static const char wrong[] = "(system " BODIES "\n (simulate (keyframe \"hom\")))";
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  expect_ok(cardan_spec_read(wrong, strlen(wrong), NULL, NULL, 0, NULL, &spec, &report), &report,
            "read");
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_ERR_MODEL);
  assert_int_equal(report.pos.line, 2);
  assert_non_null(strstr(report.message, "did you mean \"home\""));
  cardan_spec_destroy(spec);
}

// loops are closed from the keyframe: its branch, and the coordinate that it gives
static void of_a_loop(void **state)
{
  static const char bars[] =
      "(system (gravity 0 0 -9.81) (ry \"a\" (tz 1 (mass 1) (ry \"b\" (tz 1 (mass 1)"
      "  (name \"end\"))))) (place (0 0 1.5) (name \"pin\"))"
      " (point-constraint \"end\" \"pin\" (0 0 1)) (initial (\"a\" 0.3) (\"b\" -1))"
      " (keyframe \"left\" (\"a\" -0.5) (\"b\" 1.2)))";
  const cardan_options o = run_options("vi", 0.01, 0);
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  cardan_model *model = load_model(bars, NULL);
  (void)state;
  expect_ok(cardan_model_set_start(model, "left", &report), &report, "start");
  expect_ok(cardan_sim_create(model, &o, NULL, &sim, &report), &report, "sim");
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  const double *q = cardan_sim_data(sim)->q;
  assert_true(q[0] < -0.2 && q[1] > 0.5);
  assert_near(cos(q[0]) + cos(q[0] + q[1]), 1.5, 1e-12);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

// what (initial ..) leaves of a gear stays, however a keyframe becomes the start
static void of_a_gear(void **state)
{
#define GEAR                                                                                       \
  "(system (parameter p 1) (rz \"a\" (mass 1 1 1 1)) (rz \"b\" (mass 1 1 1 1))"                    \
  " (gear \"a\" \"b\" 2) (torque \"a\" p) (initial (\"b\" 0.5)) (keyframe \"k\" (\"a\" 1) (\"b\" " \
  "1))"
  cardan_report report = {.message = ""};
  cardan_model *model = load_model(GEAR ")", NULL);
  cardan_model *other = load_model(GEAR " (simulate (keyframe \"k\")))", NULL);
#undef GEAR
  (void)state;
  expect_ok(cardan_model_set_start(model, "k", &report), &report, "start");
  for (int i = 0; i < 2; i++) {
    assert_true(model->start == 0 && other->start == 0 && other->q0[1] == 1.0);
    assert_true(model->row[0].value == 0.5 && other->row[0].value == 0.5);
    expect_ok(cardan_model_set(model, "p", 2, &report), &report, "set");
    expect_ok(cardan_model_set(other, "p", 2, &report), &report, "set");
  }
  cardan_model_destroy(model);
  cardan_model_destroy(other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(of_a_model), cmocka_unit_test(of_data),   cmocka_unit_test(of_a_file),
      cmocka_unit_test(of_a_loop),  cmocka_unit_test(of_a_gear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
