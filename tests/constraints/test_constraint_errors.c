// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "loops.h"

/* Two moving frames "P" and "Q", a ball "s", and one line more, which is line 4. */
static const char frame[] =
    "(system (tx \"x\" (ty \"y\" (mass 1) (name \"P\")))\n"
    "  (rx \"r\" (mass 1 1 1 1) (ty 1 (name \"Q\")))\n"
    "  (joint spherical \"s\" (mass 1 1 1 1)) (joint free \"f\" (mass 1 1 1 1))\n"
    "  %s)\n";

static void expect(const char *item, const char *words)
{
  char text[1024];
  cardan_report report = {.message = ""};
  snprintf(text, sizeof text, frame, item);
  if (loops_try(text, &report) != CARDAN_ERR_MODEL) {
    fail_msg("no error for %s", item);
  }
  if (!strstr(report.message, words) || report.pos.line != 4 || report.pos.column < 3) {
    fail_msg("%s gave %d:%d: %s", item, report.pos.line, report.pos.column, report.message);
  }
}

static void errors_have_a_place_and_a_sentence(void **state)
{
  (void)state;
  expect("(wire \"P\" \"Q\" (- (cos t) 3))", "length of this wire is -2");
  expect("(gear \"r\" \"s.qx\" 2)", "\"s.qx\" has no velocity of its own");
  expect("(screw \"r\" \"f.x\" 2)", "\"f.x\" has no velocity of its own");
  expect("(motion \"s.qw\" t)", "\"s.qw\" has no velocity of its own");
  expect("(motion \"r\" t) (motion \"r\" (* 2 t))", "\"r\" has two motions");
  expect("(equation (- t 1))", "holds nothing that moves");
  expect("(gear \"r\" \"x\" 1 (name \"wire1\")) (wire \"P\" \"Q\" 1)", "\"wire1\" is already used");
}

static void names_are_counted_by_kind(void **state)
{
  (void)state;
  char text[1024];
  snprintf(text, sizeof text, frame,
           "(wire \"P\" \"Q\" 1) (coincide \"P\" \"Q\") (wire \"P\" \"Q\" 1 (name \"mine\")) (wire "
           "\"P\" \"Q\" 1)"
           " (point-constraint \"P\" \"Q\" 1 0 0) (motion \"r\" t)");
  fixture f = fixture_load(text);
  const char *const want[] = {"wire1", "coincide1",         "mine",
                              "wire3", "point-constraint1", "motion1"};
  const int nrow[] = {1, 3, 1, 1, 1, 1};
  assert_int_equal(f.model->nconstraint, 6);
  for (int i = 0, row = 0; i < 6; row += nrow[i], i++) {
    const cardan_constraint *c = &f.model->constraint[i];
    assert_string_equal(c->name, want[i]);
    assert_int_equal(c->row, row);
    assert_int_equal(c->nrow, nrow[i]);
    for (int r = c->row; r < c->row + c->nrow; r++) {
      assert_int_equal(f.model->row[r].constraint, i);
    }
  }
  fixture_free(&f);
}

// the start leaves q_b - ratio q_a = 0.3 - 2 * 0.1
static void gear_keeps_what_the_start_leaves(void **state)
{
  (void)state;
  char text[1024];
  snprintf(text, sizeof text, frame, "(gear \"r\" \"x\" 2) (initial (\"x\" 0.3) (\"r\" 0.1))");
  fixture f = fixture_load(text);
  cardan_kinematics(f.model, f.data);
  assert_near(cardan_constraint_max(f.model, f.data), 0.0, 1e-16);
  f.data->q[cardan_model_q(f.model, "r")] += 1.0;
  f.data->q[cardan_model_q(f.model, "x")] += 2.0;
  cardan_kinematics(f.model, f.data);
  assert_near(cardan_constraint_max(f.model, f.data), 0.0, 1e-15);
  fixture_free(&f);
}

static void expect_warning(const char *item, const char *words)
{
  char text[1024];
  snprintf(text, sizeof text, frame, item);
  fixture f = fixture_load(text);
  bool found = words == NULL && f.model->nwarning == 0;
  for (int i = 0; i < f.model->nwarning && words != NULL; i++) {
    found = found || strstr(f.model->warning[i], words) != NULL;
  }
  assert_true(found);
  fixture_free(&f);
}

static void idle_constraints_are_warned_about(void **state)
{
  (void)state;
  expect_warning("(wire \"P\" \"Q\" 1)", NULL);
  expect_warning("(coincide \"r\" \"Q\")", "two frames of one body");
  expect_warning("(rx (k \"k\") (mass 1 1 1 1) (rx \"l\" (mass 1 1 1 1))) (motion \"k\" t)"
                 " (wire \"k\" \"world\" 1)",
                 "prescribed motions");
  expect_warning("(rx (k \"k\") (mass 1 1 1 1) (rx \"l\" (mass 1 1 1 1))) (motion \"k\" t)"
                 " (wire \"l\" \"world\" 1)",
                 NULL);
}

// numbers that a model may have, and hardly means
static void numbers_hardly_meant_are_warned_about(void **state)
{
  (void)state;
  expect_warning("(spring \"P\" \"Q\" -5 1)", "the stiffness of a spring is -5");
  expect_warning("(joint-spring \"r\" -5 1)", "the stiffness of a joint-spring is -5");
  expect_warning("(damper \"P\" \"Q\" -5)", "the coefficient of a damper is -5");
  expect_warning("(damping -5)", "the coefficient of a damping is -5");
  expect_warning("(gear \"r\" \"x\" 0)", "a gear of 0 holds \"x\"");
  expect_warning("(screw \"r\" \"x\" 0)", "a screw of 0 holds \"x\"");
  expect_warning("(rz \"m\" (mass 0 0 0 1))", "has moments of inertia and no mass");
  expect_warning("(friction \"r\" 0.1 (radius 1)) (friction \"r\" 0.1 (radius 1))",
                 "\"r\" has a friction already (line ");
  expect_warning("(dry-friction \"r\" 1) (dry-friction \"r\" 1)",
                 "\"r\" has a dry-friction already");
  expect_warning("(dry-friction \"r\" 1) (dry-friction \"x\" 1) (friction \"r\" 0.1 (radius 1))"
                 " (spring \"P\" \"Q\" 0 1) (damping 0) (gear \"r\" \"x\" -1)",
                 NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(errors_have_a_place_and_a_sentence),
      cmocka_unit_test(names_are_counted_by_kind),
      cmocka_unit_test(gear_keeps_what_the_start_leaves),
      cmocka_unit_test(idle_constraints_are_warned_about),
      cmocka_unit_test(numbers_hardly_meant_are_warned_about),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
