// SPDX-License-Identifier: Apache-2.0
// Starts from rest, and motion in which some joints carry nothing: their remaining residual
// is rounding of what passes elsewhere, and must count as nothing, at any dt, tolerance and solver.
#include <math.h>
#include <string.h>

#include "run.h"

static const struct {
  const char *name, *text;
  bool quaternions; // not for svi
  const char *idle; // a coordinate that stays where it is; NULL: none does
} cases[] = {
    {"a wheel that falls",
     "(system (gravity 0 0 -9.81) (tz \"z\" (mass 1) (rx \"a\" (mass 1 .1 .1 .1))))", false, "a"},
    {"an arm as UR10 is built",
     "(system (gravity 0 0 -9.81) (tz 0.1273 (joint revolute \"pan\" (axis 0 0 1)"
     " (mass 7.778 .0314743 .0314743 .0218756) (place (0 0.220941 0) (rpy 0 (/ pi 2) 0)"
     " (joint revolute \"lift\" (axis 0 1 0) (tz .306 (mass 12.93 .421754 .421754 .0363656))"
     " (place (0 -0.1719 0.612) (joint revolute \"elbow\" (axis 0 1 0)"
     " (tz .28615 (mass 3.87 .11107 .11107 .0108844)) (place (0 0 0.5723) (rpy 0 (/ pi 2) 0)"
     " (joint revolute \"wrist1\" (axis 0 1 0) (mass 1.96 .00510825 .00510825 .0055125)"
     " (ty 0.1149 (joint revolute \"wrist2\" (axis 0 0 1) (mass 1.96 .00510825 .00510825 .0055125)"
     " (tz 0.1157 (joint revolute \"wrist3\" (axis 0 1 0)"
     " (mass 0.202 .000526462 .000526462 .000568125))))))))))))))",
     false, NULL},
    {"an arm that stands upright",
     "(system (gravity 0 0 -9.81) (joint revolute \"j1\" (tz .1 (mass 4 .02 .02 .01))"
     " (tz .2 (joint revolute \"j2\" (axis 0 1 0) (tz .1 (mass 3 .02 .02 .01))"
     " (tz .2 (joint revolute \"j3\" (tz .1 (mass 2 .02 .02 .01))"
     " (tz .2 (joint revolute \"j4\" (axis 0 1 0) (tz .1 (mass 1 .02 .02 .01)))))))))"
     " (initial (\"j2\" 0.3)))",
     false, NULL},
    {"a free body on a spring through its centre",
     "(system (gravity 0 0 -9.81) (place (.3 .2 2) (name \"top\")) (joint free \"b\""
     " (place (.1 .2 .3) (mass 1 .1 .2 .3) (name \"c\"))) (spring \"top\" \"c\" 100 1))",
     true, NULL},
    {"a free body on a wire through its centre",
     "(system (gravity 0 0 -9.81) (place (.3 .2 2) (name \"top\")) (joint free \"b\""
     " (mass 1 .1 .2 .3) (name \"c\")) (wire \"top\" \"c\" (sqrt 4.13)))",
     true, "b.qx"},
    {"a body of transforms on a spring through its centre",
     "(system (gravity 0 0 -9.81) (place (.3 .2 2) (name \"top\")) (tx \"x\" ty \"y\" tz \"z\""
     " rx \"a\" ry \"b\" rz \"c\" (mass 1 .1 .2 .3) (name \"C\")) (spring \"top\" \"C\" 100 1))",
     false, "b"},
};

static const struct {
  const char *method, *solver;
  int order;
} ways[] = {{"vi", "newton", 2},       {"vi", "riqn", 2},   {"vi", "broyden", 2},
            {"vi", "newton-dense", 2}, {"vi", "newton", 4}, {"vi", "newton", 6},
            {"svi", "newton", 2},      {"svi", "riqn", 2},  {"svi", "broyden", 2},
            {"svi", "newton", 4}};

/* 40 steps; what they cost is what a motion in full swing costs: two to three evaluations a stage,
 * quasi-Newton up to eight. */
static void expect_rest(int i, int w, double dt, double tol)
{
  static const int stages[] = {1, 5, 9};
  cardan_options o = run_options(ways[w].method, dt, 1);
  cardan_report report = {.message = ""};
  o.solver = ways[w].solver;
  o.order = ways[w].order;
  o.tol = tol;
  run r = run_begin(cases[i].text, NULL, &o);
  for (int k = 0; k < 40; k++) {
    if (cardan_sim_step(r.sim, &report) != CARDAN_OK) {
      fail_msg("%s, %s %s order %d, dt %g, tol %g: %s", cases[i].name, ways[w].method,
               ways[w].solver, ways[w].order, dt, tol, report.message);
    }
  }
  const bool newton = strncmp(ways[w].solver, "newton", 6) == 0;
  assert_in_range(cardan_sim_stats(r.sim).evaluations, 40,
                  40 * (newton ? 4 : 8) * stages[ways[w].order / 2 - 1]);
  if (cases[i].idle != NULL) { // rounding of momenta, over 40 steps and a moment of 0.1
    assert_near(run_q(&r, cases[i].idle), 0, 40 * 40 * 2.3e-16 * 10);
  }
  run_free(&r);
}

static void test_rest(void **state)
{
  static const double dts[] = {1e-6, 1e-4, 1e-3, 1e-2};
  static const double tols[] = {1e-12, 1e-15, 1e-6};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
      for (int k = 0; k < 4 && !(cases[i].quaternions && strcmp(ways[w].method, "svi") == 0); k++) {
        expect_rest((int)i, (int)w, dts[k], tols[k % 3]);
        expect_rest((int)i, (int)w, dts[k], tols[(k + 1) % 3]);
      }
    }
  }
}

/* What is small beside what is large keeps its own size: momenta of the one are no measure of the
 * other. Of two wheels on springs one turns through 1e6 times the other's angle; the other goes as
 * if it were alone, to the tolerance 1e-12 of each of 1000 steps. */
static void test_small_beside_large(void **state)
{
  static const char *const methods[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(methods[i], 1e-3, 1);
    run r = run_begin("(system (ry \"a\" (mass 1 .1 .1 .1)) (ty 1 (ry \"b\" (mass 1 .1 .1 .1)))"
                      " (joint-spring \"a\" 10 0) (joint-spring \"b\" 10 0)"
                      " (initial (\"a\" 1) (\"b\" 1e-6)))",
                      NULL, &o);
    run alone = run_begin("(system (ry \"b\" (mass 1 .1 .1 .1)) (joint-spring \"b\" 10 0)"
                          " (initial (\"b\" 1e-6)))",
                          NULL, &o);
    run_steps(&r, 1000);
    run_steps(&alone, 1000);
    assert_near(run_q(&r, "b"), run_q(&alone, "b"), 1e-9 * 1e-6);
    run_free(&r);
    run_free(&alone);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest),
                                     cmocka_unit_test(test_small_beside_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
