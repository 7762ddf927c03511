// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

// Which solids of a model touch, and with which numbers.

/* "A-B:contact A-B:contact ..", in the order of the pairs. */
static void list(const cardan_model *model, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < model->npair; i++) {
    const cardan_pair *p = &model->pair[i];
    used += (size_t)snprintf(text + used, size - used, "%s%s-%s:%s", i > 0 ? " " : "",
                             model->solid[p->solid[0]].name, model->solid[p->solid[1]].name,
                             model->contact[p->contact].name);
  }
}

static void expect_pairs(const char *model_text, const char *pairs)
{
  char text[4096], found[1024];
  snprintf(text, sizeof text, "(system %s)", model_text);
  cardan_model *model = load_model(text, NULL);
  list(model, found, sizeof found);
  assert_string_equal(found, pairs);
  for (int i = 0; i < model->npair; i++) {
    const cardan_pair *p = &model->pair[i];
    assert_true(p->solid[0] < p->solid[1]);
    assert_true(i == 0 || p->solid[0] > p[-1].solid[0] || p->solid[1] > p[-1].solid[1]);
  }
  cardan_model_destroy(model);
}

#define WORLD                                                                                 \
  "(place (0 0 0) (name \"g\") (solid plane)) (place (1 0 0) (name \"w\") (solid box 1 1 1))" \
  "(joint free \"a\" (mass 1 1 1 1) (solid sphere 1)) (joint free \"b\" (mass 1 1 1 1)"       \
  "(solid sphere 1) (joint revolute \"c\" (mass 1 1 1 1) (solid point)))"

// moving bodies, then the world, then planes; bodies joined by a joint only where both are named
static void rules(void **state)
{
  (void)state;
  expect_pairs(WORLD, "");
  expect_pairs(WORLD "(contact all)", "a-b:all a-c:all a-w:all a-g:all b-w:all b-g:all c-w:all "
                                      "c-g:all");
  expect_pairs(WORLD "(contact \"g\" all)", "a-g:g-all b-g:g-all c-g:g-all");
  expect_pairs(WORLD "(contact \"g\" all) (contact \"b\" all)",
               "a-b:b-all a-g:g-all b-w:b-all b-g:b-all c-g:g-all");
  expect_pairs(WORLD "(contact \"b\" all) (contact \"g\" all)",
               "a-b:b-all a-g:g-all b-w:b-all b-g:g-all c-g:g-all");
  expect_pairs(WORLD "(contact \"c\" \"b\") (contact \"g\" \"a\")", "a-g:g-a b-c:c-b");
  expect_pairs(WORLD "(contact \"g\" \"a\" (name \"x\")) (contact all) (no-contact \"c\" all)"
                     "(no-contact \"w\" \"b\") (contact \"w\" \"b\")",
               "a-b:all a-w:all a-g:x b-g:all");
  expect_pairs(WORLD "(contact \"a\" \"b\") (contact \"a\" \"b\") (contact \"b\" \"a\")",
               "a-b:b-a");
  expect_pairs(WORLD "(contact \"a\" \"g\") (contact \"g\" \"a\" (name \"a-g\"))", "a-g:a-g");
  expect_pairs(WORLD "(contact all) (contact all)",
               "a-b:all-2 a-c:all-2 a-w:all-2 a-g:all-2 b-w:all-2 b-g:all-2 c-w:all-2 c-g:all-2");
}

// massless links count as none; a loop joint joins as well; the world is no body that joins
static void joined(void **state)
{
  (void)state;
  expect_pairs("(rz \"a\" (mass 1 1 1 1) (solid sphere 1) (tx \"m\" (ty \"n\" (rz \"b\" (mass 1 1 "
               "1 1) (solid sphere 1) (rz \"c\" (mass 1 1 1 1) (solid sphere 1))))))"
               "(contact all)",
               "a-c:all");
  expect_pairs("(joint free \"a\" (mass 1 1 1 1) (solid sphere 1)) (joint free \"b\" (mass 1 1 1 1)"
               "(solid sphere 1)) (joint free \"c\" (mass 1 1 1 1) (solid sphere 1))"
               "(close revolute \"c\" \"a\") (contact all) (initial (\"b\" (5 0 0 1 0 0 0)))",
               "a-b:all b-c:all");
  // several solids of a frame, a plane that moves, planes and points among themselves
  expect_pairs("(tz \"z\" (mass 1) (solid plane) (solid point)) (place (0 0 0) (name \"w\")"
               "(solid plane) (solid sphere 1) (solid point)) (contact \"z\" \"w\")",
               "z-w:z-w z-w:z-w w-z:z-w w-z:z-w");
}

static void numbers(void **state)
{
  cardan_model *model = load_model(
      "(system (material \"m\" (friction 0.8) (restitution 0.2) (rolling 0.1))"
      "(material \"n\" (friction 0.2) (static 0.9) (restitution 0.4) (spinning 0.3))"
      "(place (0 0 0) (name \"g\") (solid plane)) (joint free \"a\" (mass 1 1 1 1)"
      "(solid capsule 1 2 (material \"m\"))) (joint free \"b\" (mass 1 1 1 1)"
      "(solid cylinder 3 8 (material \"n\"))) (contact all) (contact \"b\" \"g\" (friction 0))"
      "(initial (\"a\" (0 0 9 1 0 0 0)) (\"b\" (9 0 9 1 0 0 0))))",
      NULL);
  (void)state;
  assert_int_equal(model->npair, 3);
  const cardan_pair *ab = &model->pair[0], *ag = &model->pair[1], *bg = &model->pair[2];
  assert_near(ab->friction, 0.4, 1e-15); // sqrt(0.8 0.2)
  assert_near(ab->statical, sqrt(0.8 * 0.9), 1e-15);
  assert_near(ab->restitution, 0.4, 0);
  assert_near(ab->rolling, 0.1, 0);
  assert_near(ab->spinning, 0.3, 0);
  assert_near(ag->friction, sqrt(0.8 * 0.5), 1e-15);
  assert_near(ag->statical, sqrt(0.8 * 0.5), 1e-15);
  assert_near(bg->friction, 0, 0);
  assert_near(bg->statical, 0, 0);
  assert_near(model->solid[0].radius, 2, 0);
  assert_near(model->solid[1].radius, 5, 0);
  assert_true(model->solid[2].radius == HUGE_VAL);
  assert_int_equal(model->shape[model->solid[1].shape].kind, CARDAN_SHAPE_CYLINDER);
  cardan_model_destroy(model);
}

static void expect_failure(const char *text, const char *part, int column)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  assert_int_equal(
      cardan_model_from_text(text, strlen(text), "t.mbs", NULL, 0, NULL, &model, &report),
      CARDAN_ERR_MODEL);
  assert_null(model);
  if (strstr(report.message, part) == NULL || report.pos.column != column) {
    fail_msg("column %d: %s", report.pos.column, report.message);
  }
}

static void what_cannot_be(void **state)
{
  (void)state;
  expect_failure("(system (place (0 0 0) (name \"a\") (solid plane)) (tz \"z\" (mass 1) (solid "
                 "plane)) (contact \"a\" \"z\"))",
                 "found a contact of the planes \"a\" and \"z\"", 82);
  expect_failure("(system (place (0 0 0) (name \"a\") (solid plane)) (tz \"z\" (mass 1) (solid "
                 "point)) (contact \"a\" \"z\" (static 0.4)))",
                 "found a static friction of 0.4 below the friction of 0.5 that the materials", 82);
  expect_failure("(system (tz \"z\" (mass 1)) (place (0 0 0) (name \"w\")) (inequality t))",
                 "this inequality holds nothing that moves", 54);
  expect_failure("(system (joint spherical \"s\" (mass 1 1 1 1)) (stop \"s.qx\" 0 1))",
                 "\"s.qx\" has no velocity of its own, expected an angle or a distance; an "
                 "(inequality ..) can hold it",
                 46);
}

static void warnings(void **state)
{
  cardan_model *model = load_model(
      "(system (material \"m\" (friction 11)) (tz \"z\" (mass 1) (name \"a\") (solid point)"
      "(tx 1 (name \"b\") (solid point (material \"m\")))) (contact \"a\" \"b\") (contact all)"
      "(tz (k \"k\")) (motion \"k\" t) (stop \"k\" 0 1))",
      NULL);
  (void)state;
  assert_int_equal(model->npair, 0);
  static const char *const parts[] = {"the material \"m\" has a friction of 11: is that meant?",
                                      "the contact \"a-b\" touches nothing: its two frames are of",
                                      "the contact \"all\" touches nothing: there are no such",
                                      "\"stop1.low\" (stop) holds nothing but prescribed motions"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    bool found = false;
    for (int k = 0; k < model->nwarning; k++) {
      found = found || strstr(model->warning[k], parts[i]) != NULL;
    }
    if (!found) {
      fail_msg("no warning with: %s", parts[i]);
    }
  }
  cardan_model_destroy(model);
}

// n free bodies that all touch: as many pairs as there may be, and more
static void many(void **state)
{
  enum { N = 1415 }; // N (N - 1) / 2 is 1000405; without the last, 998991
  cardan_report report = {.message = ""};
  (void)state;
  for (int n = N - 1; n <= N; n++) {
    cardan_model *model = NULL;
    cardan_spec *spec;
    assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
    for (int i = 0; i < n; i++) {
      const int frame = cardan_spec_variable(spec, 0, CARDAN_TRANSFORM_TZ, NULL, false);
      cardan_spec_mass(spec, frame, &(cardan_mass){.m = 1});
      cardan_spec_solid(spec, frame,
                        &(cardan_solid_def){.shape = {.kind = CARDAN_SHAPE_SPHERE, .size = {0.1}}});
    }
    cardan_spec_contact(spec, &(cardan_contact_def){.all = true});
    const cardan_status status = cardan_model_build(spec, NULL, &model, &report);
    if (n < N) {
      assert_int_equal(status, CARDAN_OK);
      assert_int_equal(model->npair, n * (n - 1) / 2);
    } else {
      assert_int_equal(status, CARDAN_ERR_MODEL);
      assert_non_null(strstr(report.message, "found more than 1000000 pairs"));
    }
    cardan_model_destroy(model);
    cardan_spec_destroy(spec);
  }
}

/* Solids in code, to a text and back, to a model and its copy. */
static cardan_status in_code(const cardan_allocator *allocator, void *context)
{
  static const cardan_vec3 point[5] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}};
  cardan_spec *spec, *again = NULL;
  cardan_model *model = NULL, *copy = NULL;
  char *text = NULL;
  (void)context;
  cardan_status status = cardan_spec_create(allocator, &spec);
  if (status) {
    return status;
  }
  const int a = cardan_spec_joint(spec, 0, &(cardan_joint_def){.kind = CARDAN_JOINT_FREE});
  cardan_spec_mass(spec, a, &(cardan_mass){.m = 1, .xx = 1, .yy = 1, .zz = 1});
  cardan_spec_material(spec, "ice", &(cardan_surface){.friction = 0.02, .has_friction = true});
  cardan_spec_solid(spec, a,
                    &(cardan_solid_def){.shape = {.kind = CARDAN_SHAPE_HULL, .hidden = true},
                                        .material = "ice",
                                        .npoint = 5,
                                        .point = point});
  const int b =
      cardan_spec_place(spec, 0, &(cardan_xform){.R = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}});
  cardan_spec_solid(spec, b,
                    &(cardan_solid_def){.shape = {.kind = CARDAN_SHAPE_BOX, .size = {1, 1, 1}}});
  cardan_spec_contact(spec, &(cardan_contact_def){.frame_at = {a, b}});
  cardan_spec_floor(spec, -2);
  status = cardan_spec_write(spec, NULL, &text);
  status = status ? status
                  : cardan_spec_read(text, strlen(text), "a.mbs", NULL, 0, allocator, &again, NULL);
  status = status ? status : cardan_model_build(again, allocator, &model, NULL);
  status = status ? status : cardan_model_copy(model, allocator, &copy);
  if (!status) {
    char pairs[256];
    list(copy, pairs, sizeof pairs);
    assert_string_equal(pairs, "joint1-frame2:joint1-frame2 joint1-floor:floor");
    assert_int_equal(copy->nhull, 2);
    assert_int_equal(copy->hull[0].nvertex, 4);
    assert_near(copy->solid[0].radius, 1, 0);
    assert_near(copy->solid[2].X_BS.p.z, -2, 0);
    assert_near(copy->pair[1].friction, 0.1, 1e-15); // sqrt(0.02 0.5)
    assert_true(copy->shape[copy->solid[0].shape].hidden);
  }
  if (text) {
    cardan_free_text(allocator, text);
  }
  cardan_model_destroy(copy);
  cardan_model_destroy(model);
  cardan_spec_destroy(again);
  cardan_spec_destroy(spec);
  return status;
}

static void made_in_code(void **state)
{
  (void)state;
  assert_int_equal(in_code(NULL, NULL), CARDAN_OK);
  assert_true(support_fail_each(in_code, NULL) > 15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules),          cmocka_unit_test(joined),   cmocka_unit_test(numbers),
      cmocka_unit_test(what_cannot_be), cmocka_unit_test(warnings), cmocka_unit_test(many),
      cmocka_unit_test(made_in_code),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
