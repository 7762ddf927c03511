// SPDX-License-Identifier: Apache-2.0
// Inputs, and actuators against their formula and against the same force as an expression.
#include <math.h>
#include <string.h>

#include "cardan/spec.h"
#include "fixture.h"
#include "forces/forces.h"

static const char arm[] =
    "(system (rz \"a\" (mass 1 1 1 1)) (tx \"s\" (mass 2))"
    " (input \"in\" 0.25 (limit -2 3)) (input \"free\" 7)"
    " (actuator \"motor\" \"s\" \"in\" (gear -4) (limit -1 2))"
    " (actuator \"servo\" \"a\" \"free\" (gear 2) (servo 10 3) (limit -5 60)))";

static const char expressions[] =
    "(system (rz \"a\" (mass 1 1 1 1)) (tx \"s\" (mass 2))"
    " (input \"in\" 0.25 (limit -2 3)) (input \"free\" 7)"
    " (torque \"s\" (* -4 (max -1 (min 2 u.in))))"
    " (torque \"a\" (* 2 (max -5 (min 60 (- (* 10 (- (u \"free\") (* 2 q.a))) (* 3 2 v.a)))))))";

static void inputs_start_at_their_values(void **state)
{
  (void)state;
  fixture f = fixture_load(arm);
  assert_int_equal(f.model->ninput, 2);
  assert_int_equal(cardan_model_input(f.model, "free"), 1);
  assert_int_equal(cardan_model_input(f.model, "none"), -1);
  assert_true(f.model->input[0].has_limit && f.model->input[0].limit[1] == 3);
  assert_true(f.data->u[0] == 0.25 && f.data->u[1] == 7);
  f.data->u[1] = 1;
  cardan_data_reset(f.model, f.data);
  assert_true(f.data->u[1] == 7);
  fixture_free(&f);
}

/* Forces on both joints with inputs u. */
static void forces(fixture *f, double in, double free, double tau[2])
{
  f->data->u[0] = in;
  f->data->u[1] = free;
  cardan_kinematics(f->model, f->data);
  cardan_forces(f->model, f->data);
  tau[0] = f->data->tau[0];
  tau[1] = f->data->tau[1];
}

// the same operations in the same order: the same bits
static void an_actuator_is_its_formula(void **state)
{
  (void)state;
  static const double inputs[][2] = {{0.25, 7},  {-1.5, 0.1}, {2.5, 0.2}, {-9, 0},
                                     {9, -0.01}, {0, -1},     {1, 0.3}};
  fixture f = fixture_load(arm), g = fixture_load(expressions);
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    double tau[2], same[2];
    f.data->q[0] = g.data->q[0] = 0.1;
    f.data->v[0] = g.data->v[0] = -0.2;
    forces(&f, inputs[i][0], inputs[i][1], tau);
    forces(&g, inputs[i][0], inputs[i][1], same);
    const double u = fmax(-2, fmin(3, inputs[i][0])); // the input's own limit comes first
    assert_near(tau[1], -4 * fmax(-1, fmin(2, u)), 0);
    const double F = 10 * (inputs[i][1] - 2 * 0.1) - 3 * 2 * -0.2;
    assert_near(tau[0], 2 * fmax(-5, fmin(60, F)), 1e-13); // 100 eps of its size
    assert_near(tau[0], same[0], 1e-13);
    assert_near(tau[1], same[1], 0);
  }
  fixture_free(&f);
  fixture_free(&g);
}

static void a_clamped_servo_has_no_slope(void **state)
{
  (void)state;
  fixture f = fixture_load(arm);
  double tau[2], tau_q[2], tau_v[2];
  for (int clamped = 0; clamped < 2; clamped++) {
    forces(&f, 0, clamped ? 7 : 0.3, tau);
    const cardan__view view = cardan__data_view(f.model, f.data);
    cardan__forces_diagonal(f.model, &view, tau_q, tau_v);
    assert_near(tau_q[0], clamped ? 0 : -40, 0);
    assert_near(tau_v[0], clamped ? 0 : -12, 0);
    assert_near(tau_q[1], 0, 0);
  }
  assert_false(cardan__forces_couple(f.model));
  assert_true(f.model->force[1].flags & CARDAN_FORCE_VELOCITY);
  assert_false(f.model->force[0].flags & CARDAN_FORCE_VELOCITY);
  fixture_free(&f);
}

/* A torque by an input alone moves with nothing, and couples nothing. */
static void an_input_couples_nothing(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (rz \"a\" (mass 1 1 1 1)) (input \"u\" 2)"
                           " (torque \"a\" (- (* 3 u.u) v.a)))");
  assert_false(cardan__forces_couple(f.model));
  assert_true(f.model->force[0].flags & CARDAN_FORCE_INPUT);
  fixture_free(&f);
}

static void a_servo_needs_a_coordinate(void **state)
{
  (void)state;
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_report report = {.message = ""};
  const char text[] = "(system (joint spherical \"b\" (mass 1 1 1 1)) (input \"u\")"
                      "(actuator \"a\" \"b.wx\" \"u\" (servo 1 1)))";
  expect_ok(cardan_spec_read(text, sizeof text - 1, NULL, NULL, 0, NULL, &spec, &report), &report,
            "read");
  assert_int_equal(cardan_model_build(spec, NULL, &model, &report), CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "without a coordinate of its own"));
  cardan_spec_destroy(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inputs_start_at_their_values), cmocka_unit_test(an_actuator_is_its_formula),
      cmocka_unit_test(a_clamped_servo_has_no_slope), cmocka_unit_test(an_input_couples_nothing),
      cmocka_unit_test(a_servo_needs_a_coordinate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
