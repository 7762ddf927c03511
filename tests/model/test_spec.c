// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/names.h"
#include "model/spec.h"
#include "support.h"

/* ---- the table of names ---- */

static void names_table(void **state)
{
  enum { N = 100000 };
  static char text[N][16];
  cardan__names names;
  (void)state;
  cardan__names_init(&names, NULL);
  assert_int_equal(cardan__names_get(&names, "q"), -1);
  assert_null(cardan__names_nearest(&names, "q"));
  for (int i = 0; i < N; i++) {
    snprintf(text[i], sizeof(text[i]), "q%d", i);
    assert_int_equal(cardan__names_set(&names, text[i], i), CARDAN_OK);
  }
  assert_int_equal(names.count, N);
  for (int i = 0; i < N; i++) {
    assert_int_equal(cardan__names_get(&names, text[i]), i);
  }
  assert_int_equal(cardan__names_get(&names, "q100000"), -1);
  assert_int_equal(cardan__names_get(&names, ""), -1);
  assert_int_equal(cardan__names_get_part(&names, "q12.a", 3), 12);
  assert_int_equal(cardan__names_set(&names, "q12", 7), CARDAN_OK);
  assert_true(cardan__names_get(&names, "q12") == 7 && names.count == N);

  // names spread: no chain of occupied slots is long; ten that follow one another stand together,
  // so that half of ten slots on average are another's, and one line of the cache holds four
  long chain = 0;
  for (int i = 0; i < names.capacity; i++) {
    if (names.slot[i].name) {
      const int home = (int)(names.slot[i].hash & ((uint32_t)names.capacity - 1U));
      chain += (i - home + names.capacity) % names.capacity;
    }
  }
  assert_true(chain < 5 * N);
  cardan__names_free(&names);
}

static void names_nearest(void **state)
{
  cardan__names names;
  (void)state;
  cardan__names_init(&names, NULL);
  assert_int_equal(cardan__names_set(&names, "shoulder", 0), CARDAN_OK);
  assert_int_equal(cardan__names_set(&names, "elbow", 1), CARDAN_OK);
  assert_string_equal(cardan__names_nearest(&names, "sholder"), "shoulder");
  assert_string_equal(cardan__names_nearest(&names, "Elbow"), "elbow");
  assert_null(cardan__names_nearest(&names, "knee"));
  cardan__names_free(&names);
}

/* ---- a spec made in code ---- */

// every call once, with everything given
static cardan_status build(const cardan_allocator *alloc, void *user)
{
  cardan_spec *spec;
  (void)user;
  const cardan_status status = cardan_spec_create(alloc, &spec);
  if (status) {
    assert_null(spec);
    return status;
  }
  const cardan_xform T = {{{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}}, {1, 2, 3}};
  cardan_spec_name(spec, "made in code");
  cardan_spec_gravity(spec, (cardan_vec3){0, 0, -9.81});
  cardan_spec_define(spec, "L", 0.5);
  const int a = cardan_spec_transform(spec, 0, CARDAN_TRANSFORM_TX, 1.0);
  cardan_spec_frame_name(spec, a, "A");
  const int b = cardan_spec_variable(spec, a, CARDAN_TRANSFORM_RY, "q", false);
  cardan_spec_mass(spec, b, &(cardan_mass){1, 2, 3, 4, 0.1, 0.2, 0.3});
  const int c = cardan_spec_place(spec, b, &T);
  cardan_spec_shape(spec, c, &(cardan_shape){.kind = CARDAN_SHAPE_BOX, .size = {1, 2, 3}});
  cardan_spec_shape(spec, c, &(cardan_shape){.kind = CARDAN_SHAPE_MESH, .file = "a.stl"});
  cardan_spec_color(spec, c, "#ffffff");
  cardan_spec_frame_name(spec, c, "C");
  cardan_spec_joint(spec, c, &(cardan_joint_def){.kind = CARDAN_JOINT_SPHERICAL, .name = "ball"});
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_WIRE,
                                          .name = "w",
                                          .frame = {"world", "C"},
                                          .expr = {"(+ 3 (* L (sin t)))"}});
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_WRENCH,
                                          .frame = {"C"},
                                          .in_world = true,
                                          .expr = {NULL, "v.q"}});
  cardan_spec_initial(spec, &(cardan_initial){.var = "ball", .nvelocity = 3, .velocity = {1}});
  cardan_spec_initial(spec, &(cardan_initial){.frame = "C", .pose = T});
  cardan_spec_default(spec, "dt", "0.01");
  cardan_spec_default(spec, "no-assemble", NULL);
  const cardan_status end = cardan__spec_check(spec, NULL);
  if (!end) {
    assert_int_equal(spec->nframe, 5);
    assert_int_equal(spec->nelement, 2);
    assert_int_equal(spec->ninitial, 2);
    assert_int_equal(spec->ndefault, 2);
    double zero = 1.0;
    assert_true(cardan__expr_is_constant(spec->element[1].expr[0], &zero) && zero == 0.0);
  }
  cardan_spec_destroy(spec);
  return end;
}

static void in_code(void **state)
{
  (void)state;
  assert_int_equal(build(NULL, NULL), CARDAN_OK);
  assert_true(support_fail_each(build, NULL) > 15);
  cardan_spec_destroy(NULL);
}

/* Inputs, parameters, outputs, rotors and keyframes in code, to a text and back; a model of it,
 * copied. */
static cardan_status build_living(const cardan_allocator *allocator, void *context)
{
  cardan_spec *spec, *again = NULL;
  cardan_model *model = NULL, *copy = NULL;
  char *text = NULL;
  (void)context;
  cardan_status status = cardan_spec_create(allocator, &spec);
  if (status) {
    return status;
  }
  const int q = cardan_spec_variable(spec, 0, CARDAN_TRANSFORM_RZ, NULL, false);
  cardan_spec_mass(spec, q, &(cardan_mass){.m = 1, .xx = 1, .yy = 1, .zz = 1});
  cardan_spec_input(spec, &(cardan_input_def){.name = "u", .value = 0.5});
  cardan_spec_parameter(spec, "gain", 2.0);
  const char *name = cardan_spec_frame_named(spec, q);
  cardan_spec_armature(spec, name, 0.1);
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_ACTUATOR,
                                          .var = {NULL, "u"},
                                          .var_at = {q},
                                          .value = {0, 3, 1}});
  cardan_spec_add(
      spec,
      &(cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var_at = {q}, .expr = {"(* gain u.u)"}});
  cardan_spec_output(spec, "power", "(* gain u.u (kinetic))");
  const cardan_initial key[2] = {{.var_at = q, .nvalue = 1, .value = {0.3}},
                                 {.input = "u", .nvalue = 1, .value = {1}}};
  cardan_spec_keyframe(spec, "home", key, 2);
  status = cardan_spec_write(spec, NULL, &text);
  status = status ? status
                  : cardan_spec_read(text, strlen(text), "a.mbs", NULL, 0, allocator, &again, NULL);
  status = status ? status : cardan_model_build(again, allocator, &model, NULL);
  status = status ? status : cardan_model_copy(model, allocator, &copy);
  status = status ? status : cardan_model_set(copy, "gain", 3.0, NULL);
  if (!status) {
    assert_true(copy->parameter[0].value == 3.0 && model->parameter[0].value == 2.0);
    assert_int_equal(cardan_model_force(copy, "actuator1"), 0);
    assert_true(copy->armature[0] == 0.1 && copy->keyframe[0].u[0] == 1.0);
    assert_int_equal(cardan_model_output(copy, "power"), 0);
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

static void living_in_code(void **state)
{
  (void)state;
  assert_int_equal(build_living(NULL, NULL), CARDAN_OK);
  assert_true(support_fail_each(build_living, NULL) > 15);
}

/* ---- sticky errors ---- */

static cardan_spec *start(void)
{
  cardan_spec *spec;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  cardan_spec_frame_name(spec, cardan_spec_transform(spec, 0, CARDAN_TRANSFORM_TX, 1.0), "A");
  cardan_spec_variable(spec, 1, CARDAN_TRANSFORM_RZ, "q", false);
  return spec;
}

// the spec has failed with this status and sentence; nothing more is added
static void finish(cardan_spec *spec, cardan_status status, const char *part)
{
  cardan_report report = {0};
  assert_int_equal(cardan_spec_status(spec, &report), status);
  if (!strstr(report.message, part)) {
    fail_msg("expected \"%s\" in: %s", part, report.message);
  }
  assert_int_equal(cardan_spec_transform(spec, 0, CARDAN_TRANSFORM_TX, 1.0), 0);
  assert_int_equal(cardan_spec_variable(spec, 0, CARDAN_TRANSFORM_TX, "new", false), 0);
  const int before = spec->nelement;
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .value = {1}});
  cardan_spec_mass(spec, 1, &(cardan_mass){.m = -1});
  assert_int_equal(spec->nelement, before);
  cardan_report again = {0};
  assert_int_equal(cardan_spec_status(spec, &again), status);
  assert_string_equal(report.message, again.message);
  char *text;
  assert_int_equal(cardan_spec_write(spec, NULL, &text), status);
  assert_null(text);
  cardan_spec_destroy(spec);
}

static void not_finite(void **state)
{
  (void)state;
  for (int i = 0; i < 12; i++) {
    const double bad = i % 3 == 0 ? (double)NAN : i % 3 == 1 ? (double)INFINITY : -(double)INFINITY;
    cardan_spec *spec = start();
    cardan_xform T = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, bad}};
    switch (i) {
    case 0:
      cardan_spec_gravity(spec, (cardan_vec3){0, bad, 0});
      break;
    case 1:
      cardan_spec_define(spec, "L", bad);
      break;
    case 2:
      cardan_spec_transform(spec, 0, CARDAN_TRANSFORM_RX, bad);
      break;
    case 3:
      cardan_spec_place(spec, 0, &T);
      break;
    case 4:
      cardan_spec_joint(
          spec, 0,
          &(cardan_joint_def){.name = "j", .kind = CARDAN_JOINT_REVOLUTE, .axis = {0, bad, 0}});
      break;
    case 5:
      cardan_spec_joint(
          spec, 0, &(cardan_joint_def){.name = "j", .kind = CARDAN_JOINT_HELICAL, .pitch = bad});
      break;
    case 6:
      cardan_spec_mass(spec, 1, &(cardan_mass){.m = 1, .yz = bad});
      break;
    case 7:
      cardan_spec_shape(spec, 1, &(cardan_shape){.kind = CARDAN_SHAPE_SPHERE, .size = {bad}});
      break;
    case 8:
      cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .value = {bad}});
      break;
    case 9:
      cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_POINT,
                                              .frame = {"A", "world"},
                                              .n = {1, bad, 0}});
      break;
    case 10:
      cardan_spec_initial(spec, &(cardan_initial){.var = "q", .nvalue = 1, .value = {bad}});
      break;
    default:
      cardan_spec_initial(spec, &(cardan_initial){.frame = "A", .pose = T});
      break;
    }
    finish(spec, CARDAN_ERR_NOT_FINITE, "not a finite number");
  }
}

static void wrong_arguments(void **state)
{
  cardan_spec *spec;
  (void)state;
  cardan_spec *silent = start();
  cardan_spec_output(silent, "o", NULL);
  finish(silent, CARDAN_ERR_SYNTAX, "expected");
  spec = start();
  cardan_spec_transform(spec, 3, CARDAN_TRANSFORM_TX, 1.0);
  finish(spec, CARDAN_ERR_ARGUMENT, "found 3 as parent");
  spec = start();
  cardan_spec_transform(spec, -1, CARDAN_TRANSFORM_TX, 1.0);
  finish(spec, CARDAN_ERR_ARGUMENT, "found -1 as parent");
  spec = start();
  cardan_spec_mass(spec, 0, &(cardan_mass){.m = 1});
  finish(spec, CARDAN_ERR_ARGUMENT, "option for frame 0");
  spec = start();
  cardan_spec_frame_name(spec, 1, "B");
  finish(spec, CARDAN_ERR_MODEL, "second name");
  spec = start();
  cardan_spec_name(spec, NULL);
  finish(spec, CARDAN_ERR_MODEL, "empty name");
  spec = start();
  cardan_spec_name(spec, "\xff");
  finish(spec, CARDAN_ERR_MODEL, "0xFF");
  spec = start();
  cardan_spec_define(spec, "two words", 1.0);
  finish(spec, CARDAN_ERR_MODEL, "plain word");
  spec = start();
  cardan_spec_define(spec, "-1x", 1.0);
  finish(spec, CARDAN_ERR_MODEL, "plain word");
  spec = start();
  cardan_spec_joint(spec, 0, &(cardan_joint_def){.kind = (cardan_joint_kind)99, .name = "j"});
  finish(spec, CARDAN_ERR_ARGUMENT, "found 99 as kind of a joint");
  spec = start();
  cardan_spec_joint(spec, 0,
                    &(cardan_joint_def){.kind = CARDAN_JOINT_FREE, .name = "j", .pitch = 1});
  finish(spec, CARDAN_ERR_MODEL, "(pitch ..) on a free joint");
  spec = start();
  cardan_spec_add(spec, &(cardan_element){.kind = (cardan_element_kind)99});
  finish(spec, CARDAN_ERR_ARGUMENT, "found 99 as kind of an element");
  spec = start();
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {"q"}});
  finish(spec, CARDAN_ERR_ARGUMENT, "torque without an expression");
  spec = start();
  cardan_spec_add(spec,
                  &(cardan_element){.kind = CARDAN_ELEMENT_TORQUE, .var = {"q"}, .expr = {"(sin"}});
  finish(spec, CARDAN_ERR_SYNTAX, "in the expression (sin: ");
  spec = start();
  cardan_spec_add(spec,
                  &(cardan_element){.kind = CARDAN_ELEMENT_MOTION, .var = {"q"}, .expr = {"v.q"}});
  finish(spec, CARDAN_ERR_MODEL, "may only depend on time t");
  spec = start();
  cardan_spec_add(spec, &(cardan_element){.kind = CARDAN_ELEMENT_COINCIDE, .frame = {"A", NULL}});
  finish(spec, CARDAN_ERR_MODEL, "empty frame's name");
  spec = start();
  cardan_spec_initial(spec, &(cardan_initial){.var = "q", .nvalue = 8});
  finish(spec, CARDAN_ERR_ARGUMENT, "at most 7 and 6");
  spec = start();
  cardan_spec_default(spec, "d t", "1");
  finish(spec, CARDAN_ERR_MODEL, "found the default \"d t\"");
  spec = start();
  cardan_spec_default(spec, "dt", "");
  finish(spec, CARDAN_ERR_MODEL, "empty value");
}

// a matrix that is no rotation
static void wrong_matrices(void **state)
{
  const cardan_xform sheared = {{{{1, 0.5, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  const cardan_xform mirrored = {{{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}}, {0, 0, 0}};
  const cardan_xform undefined = {{{{(double)NAN, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, {0, 0, 0}};
  (void)state;
  cardan_spec *spec = start();
  cardan_spec_place(spec, 0, &sheared);
  finish(spec, CARDAN_ERR_MODEL, "not a rotation");
  spec = start();
  cardan_spec_place(spec, 0, &mirrored);
  finish(spec, CARDAN_ERR_MODEL, "a reflection");
  spec = start();
  cardan_spec_place(spec, 0, &undefined);
  finish(spec, CARDAN_ERR_MODEL, "not a rotation");
}

// references are checked once the spec is whole, at the position of the call that made them
static void references(void **state)
{
  cardan_report report = {0};
  cardan_spec *spec = start();
  (void)state;
  cardan_spec_at(spec, (cardan_pos){7, 3});
  cardan_spec_add(spec,
                  &(cardan_element){.kind = CARDAN_ELEMENT_EQUATION, .expr = {"(- q.q q.late)"}});
  cardan_spec_at(spec, (cardan_pos){0, 0});
  assert_int_equal(cardan__spec_check(spec, &report), CARDAN_ERR_MODEL);
  assert_non_null(strstr(report.message, "no variable \"late\""));
  assert_true(report.pos.line == 7 && report.pos.column == 3);
  cardan_spec_variable(spec, 0, CARDAN_TRANSFORM_TX, "late", false);
  assert_int_equal(cardan__spec_check(spec, NULL), CARDAN_OK);
  cardan_spec_destroy(spec);
}

/* ---- names of variables ---- */

static void variables(void **state)
{
  cardan_spec *spec = start();
  (void)state;
  const int u =
      cardan_spec_joint(spec, 0, &(cardan_joint_def){.kind = CARDAN_JOINT_UNIVERSAL, .name = "u"});
  const int f =
      cardan_spec_joint(spec, 0, &(cardan_joint_def){.kind = CARDAN_JOINT_FREE, .name = "f.x"});
  static const struct {
    const char *name;
    int q, v;
  } known[] = {{"u", -1, -1},    {"u.a", 0, 0},     {"u.b", 1, 1},     {"f.x", -1, -1},
               {"f.x.x", 0, -1}, {"f.x.qz", 6, -1}, {"f.x.wx", -1, 0}, {"f.x.vz", -1, 5}};
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
    const cardan__var_ref ref = cardan__spec_find_var(spec, known[i].name);
    assert_int_equal(ref.frame, known[i].name[0] == 'u' ? u : f);
    assert_int_equal(ref.q, known[i].q);
    assert_int_equal(ref.v, known[i].v);
  }
  static const char *const unknown[] = {"a", "u.c", "u.", "q.a", ".", "", "u.a.b"};
  for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
    assert_int_equal(cardan__spec_find_var(spec, unknown[i]).frame, -1);
  }
  assert_int_equal(cardan_spec_find_frame(spec, NULL), -1);
  cardan_spec_destroy(spec);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_table),    cmocka_unit_test(names_nearest),
      cmocka_unit_test(in_code),        cmocka_unit_test(living_in_code),
      cmocka_unit_test(not_finite),     cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(wrong_matrices), cmocka_unit_test(references),
      cmocka_unit_test(variables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
