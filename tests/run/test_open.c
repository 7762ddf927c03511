// SPDX-License-Identifier: Apache-2.0
// A loop that opens ends a run, whatever the method.
#include <stdio.h>
#include <string.h>

#include "run.h"

/* A plate on six parallel rods that turns about them: rows hold a turn to second order only, three
 * of them are redundant, and no rigid plate moves so. */
static const char turning[] =
    "(system (gravity 0 0 -9.81)\n"
    "  (tx \"x\" ty \"y\" tz \"z\" rz \"c\" (mass 2 0.5 0.5 1)\n"
    "    (place (1 0 0) (name \"P0\")) (place (0.5 0.8 0) (name \"P1\"))\n"
    "    (place (-0.5 0.9 0) (name \"P2\")) (place (-1 0.1 0) (name \"P3\"))\n"
    "    (place (-0.4 -0.8 0) (name \"P4\")) (place (0.6 -0.9 0) (name \"P5\")))\n"
    "  (place (1 0 2) (name \"Q0\")) (place (0.5 0.8 2) (name \"Q1\"))\n"
    "  (place (-0.5 0.9 2) (name \"Q2\")) (place (-1 0.1 2) (name \"Q3\"))\n"
    "  (place (-0.4 -0.8 2) (name \"Q4\")) (place (0.6 -0.9 2) (name \"Q5\"))\n"
    "  (wire \"P0\" \"Q0\" 1.5 (name \"w0\")) (wire \"P1\" \"Q1\" 1.5 (name \"w1\"))\n"
    "  (wire \"P2\" \"Q2\" 1.5 (name \"w2\")) (wire \"P3\" \"Q3\" 1.5 (name \"w3\"))\n"
    "  (wire \"P4\" \"Q4\" 1.5 (name \"w4\")) (wire \"P5\" \"Q5\" 1.5 (name \"w5\"))\n"
    "  (initial (\"z\" 0.5) (\"c\" 0 0.5)))\n";

// rows up to the end are closed as well as the tolerance says, 1e-6 of the mechanism
static void a_plate_that_turns(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "svi", "aba:rk4", "aba:dopri5", "hamilton"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const cardan_options options = run_options(methods[i], 0.01, 1);
    run r = run_begin(turning, NULL, &options);
    cardan_report report = {.message = ""};
    const cardan_status status = cardan_run(r.sim, 100, NULL, 0, NULL, &report);
    assert_int_equal(status, CARDAN_ERR_JUMP);
    assert_non_null(strstr(report.message, "constraint \"w"));
    assert_true(r.data->t < 0.1);
    run_free(&r);
  }
}

// the user's choice: nothing holds the loops, and they open slowly
static void drift_that_is_asked_for(void **state)
{
  (void)state;
  cardan_options options = run_options("aba:rk2", 0.02, 4);
  options.stabilise = "none";
  run r = run_begin("closed-chain", NULL, &options);
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_run(r.sim, 200, NULL, 0, NULL, &report), CARDAN_OK);
  assert_true(cardan_sim_stats(r.sim).constraint_max > 1e-6);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_plate_that_turns),
                                     cmocka_unit_test(drift_that_is_asked_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
