// SPDX-License-Identifier: Apache-2.0
// Nodes of vi and svi in singular positions, and rows that are chosen at the node.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

/* Links of 1 m between hinges 2 m apart, flat at 0; g: gravity. */
static const char parallelogram[] =
    "(system (define w 4) (define g 0) (gravity 0 0 (- g))\n"
    "  (ry \"q1\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (ry \"q2\"\n"
    "    (tx 1 (mass 1 0.01 0.33 0.33)) (tx 2 (name \"B\")))))\n"
    "  (tx 2 (ry \"q3\" (tx 0.5 (mass 1 0.01 0.08 0.08)) (tx 1 (name \"C\"))))\n"
    "  (point-constraint \"B\" \"C\" 1 0 0) (point-constraint \"B\" \"C\" 0 0 1)\n"
    "  (initial (\"q1\" 0 w) (\"q2\" 0 (- w)) (\"q3\" 0 w)))\n";

static double off_branch(const run *r)
{
  return fmax(fabs(run_q(r, "q1") + run_q(r, "q2")), fabs(run_q(r, "q1") - run_q(r, "q3")));
}

/* 5 s from the flat position; the energy stays within the part of the kinetic one, about 20 J. */
static void expect_branch(const char *method, int order, const char *setting, double dt,
                          double energy)
{
  cardan_options options = run_options(method, dt, 5);
  options.order = order;
  run r = run_begin(parallelogram, setting, &options);
  const double start = run_energy(&r);
  for (int k = 0; k < (int)lround(5 / dt); k++) {
    run_steps(&r, 1);
    cardan_sim_data(r.sim);
    // loops are closed to 1e-12 (1 + size); across the branch that is 1e-12 over the sine of rows,
    // which next to a singular node is 1e-2
    if (off_branch(&r) > 1e-9 || fabs(run_energy(&r) - start) > energy * 20) {
      fail_msg("%s at %g s: off the branch by %g, energy by %g", method, r.data->t, off_branch(&r),
               run_energy(&r) - start);
    }
  }
  run_free(&r);
}

// a start in line has rows that no impulse acts along: they are taken a little further on
static void start_in_line(void **state)
{
  (void)state;
  expect_branch("vi", 2, NULL, 0.01, 0.01);
  expect_branch("svi", 2, NULL, 0.01, 0.01);
  expect_branch("vi", 4, NULL, 0.01, 1e-3);
  expect_branch("vi", 2, "g=9.81", 0.01, 0.01);
  expect_branch("svi", 2, "g=9.81", 0.01, 0.01);
}

// 10 pi rad/s without gravity: flat at every tenth node, and at the start; velocities are there too
static void every_tenth_node(void **state)
{
  (void)state;
  expect_branch("vi", 2, "w=31.415926535897931", 0.01, 4);
  expect_branch("svi", 2, "w=31.415926535897931", 0.01, 4);
}

static void at_rest_there_is_no_way_on(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "svi"};
  for (int i = 0; i < 2; i++) {
    cardan_options options = run_options(methods[i], 0.01, 1);
    char text[sizeof parallelogram];
    memcpy(text, parallelogram, sizeof text);
    replace(text, "(define w 4) (define g 0)", "(define w 0) (define g 9)");
    run r = run_begin(text, NULL, &options);
    cardan_report report = {.message = ""};
    assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "singular position at t = 0 s"));
    assert_non_null(strstr(report.message, "no speed says how the motion continues"));
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(start_in_line),
                                     cmocka_unit_test(every_tenth_node),
                                     cmocka_unit_test(at_rest_there_is_no_way_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
