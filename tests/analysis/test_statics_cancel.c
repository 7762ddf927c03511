// SPDX-License-Identifier: Apache-2.0
// Equilibria at which forces cancel on a body: what remains is measured by the forces themselves,
// not by their sum.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/statics.h"
#include "fixture.h"

static cardan_statics *find(const fixture *f)
{
  cardan_report report = {.message = ""};
  cardan_statics *s = NULL;
  expect_ok(cardan_statics_find(f->model, f->data, NULL, NULL, &s, &report), &report, "statics");
  return s;
}

static double q_of(const cardan_statics *s, const char *name)
{
  return s->q[cardan_model_q(s->model, name)];
}

/* A body between two springs on one line, from beside it, without gravity: their tensions are
 * equal, k1 (x + 0.9 - l1) = k2 (1.2 - x - l2). */
static void test_two_springs(void **state)
{
  static const double k[][2] = {{100, 70}, {1e5, 3e4}, {1, 1e3}, {1e-3, 1e-3}, {1e8, 1e8}};
  (void)state;
  for (size_t i = 0; i < sizeof k / sizeof *k; i++) {
    char text[700];
    snprintf(
        text, sizeof text,
        "(system (gravity 0 0 0) (place (-1 0 0) (name \"l\")) (place (1.3 0 0) (name \"r\"))"
        " (place (0.1 0.02 0.01) (joint free \"b\" (mass 1 0.1 0.1 0.1) (tx -0.1 (name \"bl\"))"
        " (tx 0.1 (name \"br\")))) (spring \"l\" \"bl\" %g 0.5) (spring \"br\" \"r\" %g 0.3))",
        k[i][0], k[i][1]);
    fixture f = fixture_load(text);
    cardan_statics *s = find(&f);
    const double x = (k[i][1] * 0.9 - k[i][0] * 0.4) / (k[i][0] + k[i][1]);
    const double pull = k[i][0] * (x + 0.4);
    print_message("x %g, residual %.1e of %g N\n", x, s->residual, s->scale);
    assert_near(q_of(s, "b.x"), x - 0.1, 1e-9);
    assert_near(q_of(s, "b.y"), -0.02, 1e-9);
    assert_near(s->scale, pull, 0.2 * pull);
    assert_true(s->residual <= 1e-9 * pull);
    cardan_statics_destroy(s);
    fixture_free(&f);
  }
}

/* A rod that 600 N pull at both ends, from across: along the pull, with neither a spring nor a
 * reaction to measure them by. */
static void test_pulled_rod(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (gravity 0 0 0)"
                           " (joint free \"b\" (mass 1 0.1 0.1 0.1) (tx 1 (name \"e\"))"
                           " (tx -1 (name \"a\")))"
                           " (wrench world \"e\" (600 0 0) (0 0 0))"
                           " (wrench world \"a\" (-600 0 0) (0 0 0))"
                           " (initial (\"b\" (0.1 0.2 0.3 0.8 0 0.36 0.48))))");
  cardan_statics *s = find(&f);
  // the x axis of the body along that of the world
  const double *e = s->q + cardan_model_q(s->model, "b.qw");
  assert_near(1 - 2 * (e[2] * e[2] + e[3] * e[3]), 1, 1e-12);
  assert_true(s->scale >= 600 && s->residual <= 1e-9 * 600);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* Forces that vanish with what they act on leave nothing to measure by, but the stiffness. */
static void test_slack_springs(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (gravity 0 0 0) (place (1 2 3) (name \"l\"))"
                           " (tx \"x\" (ty \"y\" (tz \"z\" (mass 1) (name \"b\"))))"
                           " (spring \"l\" \"b\" 1e5 0) (joint-spring \"x\" 300 1)"
                           " (joint-spring \"y\" 7 2))");
  cardan_statics *s = find(&f);
  assert_near(q_of(s, "x"), 1, 1e-12);
  assert_near(q_of(s, "y"), 2, 1e-12);
  assert_near(q_of(s, "z"), 3, 1e-12);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_two_springs),
      cmocka_unit_test(test_pulled_rod),
      cmocka_unit_test(test_slack_springs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
