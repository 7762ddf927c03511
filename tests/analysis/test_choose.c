// SPDX-License-Identifier: Apache-2.0
// Method and step for an accuracy: the error of a run is at most the requested one, by a reference
// that has no part in the choice; the choice is the same each time, and says what it tried.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/choose.h"
#include "run.h"

/* Coordinates of the rows of a run, dt apart. */
static double *rows_of(const cardan_model *model, const cardan_options *options, int n)
{
  cardan_sim *sim;
  const size_t nq = (size_t)model->nq;
  double *q = malloc((size_t)n * nq * sizeof *q);
  assert_non_null(q);
  expect_ok(cardan_sim_create(model, options, NULL, &sim, NULL), NULL, "create");
  expect_ok(cardan_sim_start(sim, NULL), NULL, "start");
  for (int r = 0; r < n; r++) {
    for (int k = 0; k < options->every; k++) {
      expect_ok(cardan_sim_step(sim, NULL), NULL, "step");
    }
    memcpy(q + (size_t)r * nq, cardan_sim_data(sim)->q, nq * sizeof *q);
  }
  cardan_sim_destroy(sim);
  return q;
}

static cardan_status choose(const cardan_model *model, const cardan_options *like, double accuracy,
                            cardan_choice *choice, cardan_report *report)
{
  cardan_data *data;
  expect_ok(cardan_data_create(model, NULL, &data), NULL, "data");
  const cardan_status status =
      cardan_choose(model, data, NULL, like, accuracy, NULL, choice, report);
  cardan_data_destroy(data);
  return status;
}

/* The choice for an accuracy, a coarse one made twice; what its run is off by, against the
 * reference. */
static void expect_accuracy(const char *name, double dt, double time, double accuracy,
                            const cardan_options *reference, const char *method)
{
  static cardan_choice choice, again;
  cardan_model *model = load_model(name, NULL);
  cardan_report report = {.message = ""};
  cardan_options like = cardan_options_defaults();
  like.dt = dt;
  like.time = time;
  expect_ok(choose(model, &like, accuracy, &choice, &report), &report, name);
  if (accuracy == 1e-3) {
    expect_ok(choose(model, &like, accuracy, &again, NULL), NULL, name);
    assert_memory_equal(&choice.tries, &again.tries, sizeof choice.tries);
    assert_true(choice.error == again.error);
  }
  assert_true(choice.error <= 0.6 * accuracy);
  assert_true(choice.chosen == choice.ntry - 1 && choice.tries[choice.chosen].whole);
  assert_true(choice.spent > choice.cost && choice.cost > 0);
  if (strcmp(choice.options.method, method) != 0) {
    fail_msg("%s: chosen %s, expected %s", name, choice.tries[choice.chosen].label, method);
  }
  const int n = (int)floor(time / dt + 1e-9);
  double *q = rows_of(model, &choice.options, n), *truth = rows_of(model, reference, n);
  double worst = 0;
  for (int i = 0; i < n * model->nq; i++) {
    worst = fmax(worst, fabs(q[i] - truth[i]));
  }
  if (!(worst <= accuracy)) {
    fail_msg("%s: %s is off by %g, estimated %g, expected %g", name,
             choice.tries[choice.chosen].label, worst, choice.error, accuracy);
  }
  free(q);
  free(truth);
  cardan_model_destroy(model);
}

/* A reference that is no candidate: dopri5 by momenta. */
static cardan_options tight(double dt)
{
  cardan_options o = run_options("hamilton:dopri5", dt, 0);
  o.every = 1;
  o.rtol = o.atol = 1e-11;
  return o;
}

static void test_smooth(void **state)
{
  (void)state;
  const cardan_options reference = tight(0.02);
  static const double accuracy[] = {1e-3, 1e-6};
  for (int k = 0; k < 2; k++) {
    expect_accuracy("pendulum", 0.02, 2, accuracy[k], &reference, "aba");
    expect_accuracy("chain:10", 0.02, 0.5, accuracy[k], &reference, "aba");
    expect_accuracy("closed-chain", 0.02, 1, accuracy[k], &reference, "aba");
    expect_accuracy("top", 0.02, 0.5, accuracy[k], &reference, "aba");
  }
}

static void test_driven(void **state)
{
  (void)state;
  const cardan_options reference = tight(0.02);
  expect_accuracy("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 1 1 1)"
                  " (ry \"b\" (tz -1 (mass 1 1 1 1))))) (motion \"a\" (sin (* 3 t)))"
                  " (torque \"b\" (cos (* 5 t))))",
                  0.02, 1, 1e-6, &reference, "aba");
}

// a ball in a corner: only vi takes it, and steps of 1/64 are its reference
static void test_contact(void **state)
{
  (void)state;
  cardan_options reference = run_options("vi", 0.02 / 64, 0);
  reference.every = 64;
  expect_accuracy("(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\") (solid plane))"
                  " (place (0 0 0.3) (ry \"swing\" (tx 0.3 (mass 1 .01 .01 .01)"
                  "  (ry \"wrist\" (tx 0.2 (mass 1 .01 .01 .01) (solid sphere 0.05))))))"
                  " (contact all (friction 0.3) (restitution 0.3)))",
                  0.02, 0.3, 1e-2, &reference, "vi");
}

static void test_refusals(void **state)
{
  (void)state;
  static cardan_choice choice;
  cardan_model *model = load_model("pendulum", NULL);
  cardan_options like = cardan_options_defaults();
  cardan_report report = {.message = ""};
  like.time = 1;
  assert_int_equal(choose(model, &like, 0, &choice, &report), CARDAN_ERR_ARGUMENT);
  assert_int_equal(choose(model, &like, NAN, &choice, &report), CARDAN_ERR_ARGUMENT);
  like.time = 0;
  assert_int_equal(choose(model, &like, 1e-3, &choice, &report), CARDAN_ERR_ARGUMENT);
  cardan_model_destroy(model);
  // a force that has no value beyond s = 1: no level gets there
  model = load_model("(system (tx \"s\" (mass 1 1 1 1)) (torque \"s\" (sqrt (- 1 q.s)))"
                     " (initial (\"s\" 0.9 3)))",
                     NULL);
  like.time = 0.2;
  assert_int_equal(choose(model, &like, 1e-3, &choice, &report), CARDAN_ERR_NOT_FINITE);
  assert_non_null(strstr(report.message, "nothing reaches an accuracy of 0.001; aba/dop853 at "));
  assert_int_equal(choice.chosen, -1);
  assert_true(choice.ntry > 0 && choice.tries[0].why[0] != '\0');
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_smooth),
      cmocka_unit_test(test_driven),
      cmocka_unit_test(test_contact),
      cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
