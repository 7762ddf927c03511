// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/spec.h"
#include "random_tree.h"

/* j1 revolute, j2 spherical, j4 universal, j5 free, j7 helical, j8 planar (expr_tree.c). */
static void expect(cardan_element element, const char *text)
{
  support_rng rng = {1};
  cardan_spec *spec = tree_spec(8, &rng);
  tree_add(spec, element);
  tree_expect_error(spec, text);
}

// every fault of an element is reported at its own place, with what was expected
static void faults(void **state)
{
  (void)state;
  expect((cardan_element){.kind = CARDAN_ELEMENT_SPRING, .frame = {"f1", "f1"}, .value = {1.0}},
         "two different names");
  expect((cardan_element){.kind = CARDAN_ELEMENT_SPRING, .frame = {"f1", "f22"}, .value = {1.0}},
         "did you mean \"f2\"");
  expect((cardan_element){.kind = CARDAN_ELEMENT_NEWTON_GRAVITY,
                          .frame = {"f1", "world"},
                          .value = {1.0}},
         "\"world\", which has no mass");
  expect((cardan_element){.kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j2"}, .value = {1.0}},
         "\"j2.qw\"");
  expect((cardan_element){.kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j2.qx"}, .value = {1.0}},
         "part of a quaternion");
  expect((cardan_element){.kind = CARDAN_ELEMENT_JOINT_SPRING, .var = {"j5.qx"}, .value = {1.0}},
         "part of a quaternion");
  expect((cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .var = {"j2.qx"}, .value = {1.0}},
         "\"j2.wx\"");
  expect((cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {"j2"}, .expr = {"1"}},
         "\"j2.wx\"");
  expect((cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {"j5.x"}, .expr = {"1"}},
         "\"j5.vx\"");
  expect((cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {"j11"}, .expr = {"1"}},
         "did you mean \"j1\"");
}

static void friction_faults(void **state)
{
  (void)state;
  expect((cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j1"}, .value = {0.2}},
         "expected (radius r)");
  expect((cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j2"}, .value = {0.2}},
         "expected (radius r)");
  expect((cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j3"}, .value = {-0.2}},
         "not negative");
  expect(
      (cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j3"}, .value = {0.2, 0.0, -1.0}},
      "not negative");
  expect((cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j4"}, .value = {0.2}},
         "expected a revolute");
  expect((cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j5"}, .value = {0.2}},
         "expected a revolute");
  expect((cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j7"}, .value = {0.2}},
         "expected a revolute");
  expect((cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j8.x"}, .value = {0.2}},
         "the joint itself");
}

// mu = 0 is no friction, and then no radius is requested
static void no_friction(void **state)
{
  (void)state;
  support_rng rng = {1};
  cardan_spec *spec = tree_spec(1, &rng);
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_FRICTION, .var = {"j1"}, .value = {0.0}});
  fixture f = fixture_build(spec);
  assert_false(f.model->has_friction);
  fixture_free(&f);
}

// elements without a name are counted over their kind
static void names(void **state)
{
  (void)state;
  support_rng rng = {1};
  cardan_spec *spec = tree_spec(2, &rng);
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .value = {0.1}});
  tree_add(spec,
           (cardan_element){.kind = CARDAN_ELEMENT_SPRING, .frame = {"f1", "f2"}, .value = {1.0}});
  tree_add(spec, (cardan_element){.kind = CARDAN_ELEMENT_SPRING,
                                  .frame = {"f1", "f2"},
                                  .name = "own",
                                  .value = {1.0}});
  tree_add(spec,
           (cardan_element){.kind = CARDAN_ELEMENT_SPRING, .frame = {"f1", "f2"}, .value = {1.0}});
  fixture f = fixture_build(spec);
  assert_int_equal(f.model->nforce, 4);
  assert_string_equal(f.model->force[0].name, "damping1");
  assert_string_equal(f.model->force[1].name, "spring1");
  assert_string_equal(f.model->force[2].name, "own");
  assert_string_equal(f.model->force[3].name, "spring3");
  fixture_free(&f);
}

/* Reads and builds a model text; expects a fault at line and column with text in its message. */
static void expect_text(const char *model_text, int line, int column, const char *text)
{
  cardan_spec *spec = NULL;
  cardan_model *model = NULL;
  cardan_report report = {.message = ""};
  cardan_status status =
      cardan_spec_read(model_text, strlen(model_text), "test.mbs", NULL, 0, NULL, &spec, &report);
  if (status == CARDAN_OK) {
    status = cardan_model_build(spec, NULL, &model, &report);
  }
  cardan_spec_destroy(spec);
  assert_int_equal(status, CARDAN_ERR_MODEL);
  if (strstr(report.message, text) == NULL || report.pos.line != line ||
      report.pos.column != column) {
    print_error("%d:%d: %s\n", report.pos.line, report.pos.column, report.message);
  }
  assert_non_null(strstr(report.message, text));
  assert_int_equal(report.pos.line, line);
  assert_int_equal(report.pos.column, column);
}

// leaves of expressions are reported where they stand
static void leaves(void **state)
{
  (void)state;
  expect_text("(system (ry \"theta\" (tz -1 (name \"tip\") (mass 1)))\n"
              "  (torque \"theta\" (* 2 q.thet)))",
              2, 24, "did you mean \"theta\"");
  expect_text("(system (ry \"theta\" (tz -1 (name \"tip\") (mass 1)))\n"
              "  (torque \"theta\" (+ 1 (px \"tap\"))))",
              2, 24, "did you mean \"tip\"");
  expect_text("(system (joint spherical \"ball\" (mass 1 1 1 1))\n"
              "  (potential (+ 1 q.ball)))",
              2, 19, "\"ball.qw\"");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(faults), cmocka_unit_test(friction_faults), cmocka_unit_test(no_friction),
      cmocka_unit_test(names),  cmocka_unit_test(leaves),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
