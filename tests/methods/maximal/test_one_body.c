// SPDX-License-Identifier: Apache-2.0
// Constraints between two frames of one body: rows that are the same wherever the body is. Those
// that hold change nothing; those that do not are errors of the model.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "maximal_fixture.h"

#define SWINGING                                                                              \
  "(gravity 0 0 -9.81) (ry \"a\" (tz -0.5 (mass 1 0.1 0.2 0.15)) (tz -1 (name \"p\")"         \
  " (rx \"b\" (tz -0.4 (mass 0.5 0.02 0.03 0.04)) (tz 0 (name \"s\"))))"                      \
  " (place (0.3 0.4 -0.3) (rpy 1 2 3) (name \"q\")) (tz -1 (name \"p2\")) (tz -1 rx 0 (name " \
  "\"p3\")))"                                                                                 \
  " (initial (\"a\" 0.5 1) (\"b\" 0.3 -2))"

static const char *const extra[] = {
    "(coincide \"p\" \"p2\")",
    "(wire \"p\" \"q\" (sqrt 0.74))",
    "(wire \"world\" \"o\" 2) (tx 2 (name \"o\"))",
    "(point-constraint \"p\" \"q\" (0.4 -0.3 0) (in \"p\"))",
    "(close universal \"p\" \"p3\" (axis 1 0 0) (axis2 0 1 0))",
    "(weld \"p\" \"p2\")",
    "(close cylindrical \"p\" \"p3\" (axis 0 0 1))",
};

// with each of them, in space: the motion is that without it
static void constraints_that_hold_change_nothing(void **state)
{
  static const char *const methods[] = {
      "baraff", "baraff:semi-implicit", "half-implicit", "fully-implicit", "rattle", "vi"};
  (void)state;
  for (int m = 0; m < 6; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 0.5);
    run plain = run_whole("(system " SWINGING ")", NULL, &o);
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
      char text[1024];
      snprintf(text, sizeof text, "(system %s %s)", SWINGING, extra[i]);
      run r = run_whole(text, NULL, &o);
      // 50 steps, each solved to some 1e-12 of turns of 1 rad, and errors that grow tenfold
      assert_near(run_q(&r, "a"), run_q(&plain, "a"), 50 * 10 * 1e-12);
      assert_near(run_q(&r, "b"), run_q(&plain, "b"), 50 * 10 * 1e-12);
      run_free(&r);
    }
    run_free(&plain);
  }
}

static void expect_error(const char *constraint, const char *words)
{
  char text[1024];
  cardan_report report = {.message = ""};
  snprintf(text, sizeof text, "(system %s %s)", SWINGING, constraint);
  cardan_model *model = NULL;
  cardan_status status =
      cardan_model_from_text(text, strlen(text), "test.mbs", NULL, 0, NULL, &model, &report);
  if (status == CARDAN_OK) {
    const cardan_options o = run_options("half-implicit", 0.01, 1);
    cardan_sim *sim = NULL;
    status = cardan_sim_create(model, &o, NULL, &sim, &report);
    status = status == CARDAN_OK ? cardan_sim_start(sim, &report) : status;
    cardan_sim_destroy(sim);
  }
  cardan_model_destroy(model);
  assert_int_not_equal(status, CARDAN_OK);
  assert_non_null(strstr(report.message, "two frames of one body"));
  assert_non_null(strstr(report.message, words));
}

static void constraints_that_do_not_hold_are_errors(void **state)
{
  (void)state;
  expect_error("(coincide \"p\" \"q\")", "wherever that body is");
  expect_error("(wire \"p\" \"q\" 0.5)", "correct it, or leave it out");
  expect_error("(wire \"p\" \"q\" (+ (sqrt 0.74) (^ t 2)))", "does not depend on t");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constraints_that_hold_change_nothing),
      cmocka_unit_test(constraints_that_do_not_hold_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
