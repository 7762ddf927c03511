// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "fixture.h"

/* Derivatives by parameters against differences of order 4 over models that are set. */

static const char text[] =
    "(system (parameter m 1.3) (parameter k 4) (parameter g 9.81) (parameter c 0.7) (define d (* k "
    "m))"
    " (gravity 0.2 0 (- g)) (joint free \"base\" (mass (* 2 m) 0.1 (+ 0.2 (* 0.1 m)) 0.25 0.01 0 "
    "0.02)"
    " (name \"B\") (place (0.1 0.2 0.3) (rpy 0.3 -0.4 0.5) (joint spherical \"s\" (mass 1 0.1 0.1 "
    "0.12)"
    " (tz -0.4 (mass (^ m 2)) (name \"S\") (joint revolute \"r\" (axis 1 2 -1) (place (0.2 0 0.1)"
    " (mass 0.7 0.02 (* 0.03 m) 0.03) (name \"F\") (tx \"x\" (mass m) (name \"X\"))))))))"
    " (place (1 0 2) (name \"W\")) (spring \"F\" \"W\" (* 3 k) (/ k 8)) (damper \"S\" \"W\" c)"
    " (joint-spring \"r\" d (* 0.1 k)) (damping (* c c)) (torque \"r\" (* k (sin (* c q.r)) v.x))"
    " (newton-gravity \"S\" \"X\" (* 0.5 k)) (armature \"x\" (* 0.3 m))"
    " (wrench body \"F\" ((* k t) 0 (* c v.r)) (0 (^ c k) 0))"
    " (torque \"x\" (let ((a (* c q.r))) (table (data (-9 1) (0 2) (1 -1) (9 3)) (* k a))))"
    " (potential (table (data (-9 1) (0 2) (1 -1) (9 3)) (* c q.x)))"
    " (potential (* d (^ q.x c) (dist \"F\" \"W\"))) (initial (\"x\" 0.6)))";

static void set_state(const cardan_model *model, cardan_data *data)
{
  support_rng rng = {11};
  support_random_vec(&rng, data->q, model->nq, 1.0);
  support_random_vec(&rng, data->v, model->nv, 2.0);
  data->q[cardan_model_q(model, "x")] = 0.6; // the potential is of its powers
  data->t = 0.4;
  assert_true(cardan_q_normalize(model, data->q));
}

/* r = M a + c - Q at the a that is given, and the model's own a. */
static void evaluate(const cardan_model *model, const double *a, double *r, double *own)
{
  cardan_data *data;
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  set_state(model, data);
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
  memcpy(own, data->a, (size_t)model->nv * sizeof *own);
  cardan_rnea(model, data, a, r); // less the wrenches
  for (int i = 0; i < model->nv; i++) {
    r[i] -= data->tau[i];
  }
  cardan_data_destroy(data);
}

static void against_differences(void **state)
{
  static const char *const names[] = {"m", "k", "g", "c"};
  static const double at[4] = {-2, -1, 1, 2};
  (void)state;
  fixture f = fixture_load(text);
  set_state(f.model, f.data);
  const int nv = f.model->nv;
  for (int p = 0; p < 4; p++) {
    double r_dp[32], a_dp[32], a[32], r[4][32], own[4][32];
    cardan_report report = {.message = ""};
    const int index = cardan_model_parameter(f.model, names[p]);
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    memcpy(a, f.data->a, (size_t)nv * sizeof *a);
    expect_ok(cardan_parameter_slopes(f.model, f.data, index, r_dp, a_dp, &report), &report,
              names[p]);
    const double value = f.model->parameter[index].value, h = 1e-3 * value;
    cardan_model *copy;
    assert_int_equal(cardan_model_copy(f.model, NULL, &copy), CARDAN_OK);
    for (int i = 0; i < 4; i++) {
      expect_ok(cardan_model_set(copy, names[p], value + at[i] * h, &report), &report, names[p]);
      evaluate(copy, a, r[i], own[i]);
    }
    for (int k = 0; k < nv; k++) {
      const double dr = (8 * (r[2][k] - r[1][k]) - (r[3][k] - r[0][k])) / (12 * h);
      const double da = (8 * (own[2][k] - own[1][k]) - (own[3][k] - own[0][k])) / (12 * h);
      // h^4 of the fifth derivative, and rounding of numbers of some hundreds over h
      assert_near(r_dp[k], dr, 1e-9 * (1 + 100 * fabs(dr)));
      assert_near(a_dp[k], da, 1e-9 * (1 + 100 * fabs(da)));
    }
    cardan_model_destroy(copy);
  }
  fixture_free(&f);
}

/* One mass on a slider under a spring: a = -k x / m. */
static void closed_form(void **state)
{
  fixture f = fixture_load("(system (parameter m 2) (parameter k 3) (tx \"x\" (mass m))"
                           " (joint-spring \"x\" k 0) (initial (\"x\" 0.5)))");
  cardan_report report = {.message = ""};
  double r, a;
  (void)state;
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  expect_ok(cardan_parameter_slopes(f.model, f.data, 0, &r, &a, &report), &report, "m");
  assert_near(a, 3 * 0.5 / 4, 1e-15);
  assert_near(r, -3 * 0.5 / 2, 1e-15);
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  expect_ok(cardan_parameter_slopes(f.model, f.data, 1, &r, &a, &report), &report, "k");
  assert_near(a, -0.25, 1e-15);
  fixture_free(&f);
}

static void what_is_refused(void **state)
{
  static const char *const texts[] = {
      "(system (parameter p 1) (rx \"a\" (tz p (mass 1))))",
      "(system (parameter p 1) (rx \"a\" (tz 1 (mass 1))) (rx \"b\" (tz 1 (mass 1))) (gear \"a\" "
      "\"b\" p))",
      "(system (parameter p 1) (rx \"a\" (tz 1 (mass p))) (dry-friction \"a\" 1))",
      "(system (parameter p 1) (rx (k \"a\") (tz 1 (rx \"b\" (tz 1 (mass 1))))) (motion \"a\" (* p "
      "t)))",
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    fixture f = fixture_load(texts[i]);
    cardan_report report = {.message = ""};
    double r[4];
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    assert_int_equal(cardan_parameter_slopes(f.model, f.data, 0, r, NULL, &report),
                     CARDAN_ERR_UNSUPPORTED);
    assert_true(strlen(report.message) > 20);
    fixture_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_differences),
      cmocka_unit_test(closed_form),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
