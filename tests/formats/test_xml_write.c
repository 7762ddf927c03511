// SPDX-License-Identifier: Apache-2.0
// Models as URDF and MJCF: read back, the same; and what such files cannot hold, at its place.
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/data.h"
#include "cardan/dynamics.h"
#include "cardan/load.h"
#include "support.h"

enum { MOST = 16 };

static cardan_model *load(const char *text, const char *file)
{
  cardan_report report = {.message = ""};
  cardan_model *model = NULL;
  if (cardan_model_from_text(text, strlen(text), file, NULL, 0, NULL, &model, &report) !=
      CARDAN_OK) {
    fail_msg("%s:%d:%d: %s\n%s", file, report.pos.line, report.pos.column, report.message, text);
  }
  return model;
}

/* Mass matrix and accelerations, at a place that is the same for both. */
static void look(const cardan_model *model, double *M, double *a)
{
  cardan_data *data = NULL;
  assert_true(model->nv <= MOST);
  assert_int_equal(cardan_data_create(model, NULL, &data), CARDAN_OK);
  for (int k = 0; k < model->nq && model->nq == model->nv; k++) {
    data->q[k] = (k % 2 == 0 ? 0.3 : -0.2) + 0.05 * k;
    data->v[k] = 0.1 * k;
  }
  assert_int_equal(cardan_assemble(model, data, NULL, NULL), CARDAN_OK);
  cardan_crba(model, data, M);
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
  memcpy(a, data->a, (size_t)model->nv * sizeof *a);
  cardan_data_destroy(data);
}

static void same_through(const char *file, const char *mbs)
{
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  char *text = NULL;
  double M[2][MOST * MOST] = {{0}}, a[2][MOST] = {{0}};
  assert_int_equal(cardan_spec_read(mbs, strlen(mbs), "m", NULL, 0, NULL, &spec, &report),
                   CARDAN_OK);
  if (cardan_spec_write_as(spec, file, &text, &report) != CARDAN_OK) {
    fail_msg("%d:%d: %s", report.pos.line, report.pos.column, report.message);
  }
  cardan_model *was = load(mbs, "m"), *is = load(text, file);
  assert_int_equal(was->nv, is->nv);
  assert_int_equal(was->nrow, is->nrow);
  assert_int_equal(was->nforce, is->nforce);
  assert_int_equal(was->ninput, is->ninput);
  assert_int_equal(was->nshape, is->nshape);
  for (int i = 0; i < was->nq; i++) {
    assert_string_equal(was->q_name[i], is->q_name[i]);
  }
  look(was, M[0], a[0]);
  look(is, M[1], a[1]);
  // the same numbers, placed once more: a rounding for each of a few frames
  const int n = was->nv;
  assert_near_vec(M[0], M[1], n * n, 1e-14 * (1 + support_max_abs(M[0], n * n)));
  assert_near_vec(a[0], a[1], n, 1e-12 * (1 + support_max_abs(a[0], n)));
  cardan_model_destroy(was);
  cardan_model_destroy(is);
  cardan_free_text(NULL, text);
  cardan_spec_destroy(spec);
}

#define SYSTEM(items) "(system \"it's <a> & \\\"b\\\"\" (gravity 0 0 -9.81)\n" items ")"

static void through_urdf(void **state)
{
  (void)state;
  // a body of two masses, places in places, transforms, shapes
  same_through(
      "m.urdf",
      SYSTEM(
          "(tz 0.5 rx 0.2 (joint revolute \"a<b\" (axis 0 1 2) (limit -1 2) (effort 3) (mass 1 1 2 "
          "2)"
          " (shape box 1 2 3) (color \"#336699\") (tx 0.5 (mass 0.5) (ry \"swing\" (tz -1 (mass 2"
          " 0.1 0.2 0.25 0.01 0.02 0.03) (shape cylinder 0.1 1)))) (place (0 0.3 0) (rotvec 1 2 3)"
          " (name \"tip\") (shape mesh \"package://p/a.stl\" 2 2 -2) (tx \"slide\" (mass 1)))))"
          "(damping \"swing\" 0.5) (dry-friction \"slide\" 0.1)"));
  // couplings that are mimic joints, chains of them, either way round
  same_through(
      "m.urdf",
      SYSTEM("(rx \"a\" (ty 1 (mass 1)) (rx \"b\" (ty 1 (mass 1)) (rx \"c\" (ty 1 (mass 1))"
             " (rx \"d\" (ty 1 (mass 1))))))"
             "(gear \"a\" \"b\" 1) (equation (- (* 2 q.b) (/ q.c 4) (neg 0.3)))"
             "(equation (- (neg q.c) (* 3 q.d)))"));
  // joints of several coordinates
  same_through("m.urdf", SYSTEM("(joint free \"base\" (mass 2 1 1 1) (tx 1 (joint planar \"p\""
                                " (mass 1 1 1 1))))"));
  same_through("m.urdf", SYSTEM("(tx 1 (name \"world\") (ty 1 (mass 1)) (tz 1 (name \"fixed-1\")"
                                " (rx \"frame-2\" (ty 1 (mass 1)))))"));
  same_through("m.urdf", SYSTEM("(joint fixed \"bolt\" (rx \"q\" (ty 1 (mass 1))))"));
  // a motor
  same_through("m.urdf", SYSTEM("(joint revolute \"j\" (effort 12) (ty 1 (mass 1))) (input \"j\")"
                                "(actuator \"m\" \"j\" \"j\" (gear -3) (limit -4 4))"));
}

static void through_mjcf(void **state)
{
  (void)state;
  // a turn so small that its quaternion begins with 1
  same_through("m.xml", SYSTEM("(place (0 0 0) (rpy 1e-9 0 0)"
                               " (joint revolute \"j\" (place (1 0 0) (mass 1 1 1 1))))"));
  // places, transforms, shapes, and joints of several coordinates
  same_through(
      "m.xml",
      SYSTEM(
          "(tz 0.5 rx 0.2 (joint revolute \"a<b\" (axis 0 1 2) (limit -9 9) (mass 1 1 2 2)"
          " (shape box 1 2 3) (color \"#336699\") (tx 0.5 (mass 0.5) (ry \"swing\" (tz -1 (mass 2"
          " 0.1 0.2 0.25 0.01 0.02 0.03) (shape cylinder 0.1 1)))) (place (0 0.3 0) (rotvec 1 2 3)"
          " (name \"tip\") (tx \"slide\" (mass 1)))))"
          "(joint universal \"v\" (axis 0 0 1) (axis2 1 0 0) (ty 1 (mass 1 1 1 1)))"
          "(joint planar \"p\" (mass 1 1 1 1))"
          "(damping \"swing\" 0.5) (damping \"v.b\" 0.5) (dry-friction \"slide\" 0.1)"
          "(joint-spring \"slide\" 10 0.1) (armature \"p.a\" 0.3)"));
  same_through("m.xml", "(system (gravity 0 -1 2) (joint free \"base\" (mass 2 1 1 1)"
                        " (tx 1 (joint spherical \"s\" (ty 1 (mass 1 1 1 1))))))");
  // loops and couplings
  same_through("m.xml", SYSTEM("(ry \"a\" (tz 1 (mass 1)) (tz 1 (ry \"b\" (tx 1 (mass 1)) (tx 1"
                               " (name \"E\"))))) (tx 1 (ry \"c\" (tz 0.5 (mass 1 1 1 1)) (tz 1"
                               " (name \"F\")))) (coincide \"E\" \"F\")"));
  same_through("m.xml", SYSTEM("(rx \"a\" (ty 1 (mass 1)) (rx \"b\" (ty 1 (mass 1)) (rx \"c\""
                               " (ty 1 (mass 1))))) (gear \"a\" \"b\" 2)"
                               "(equation (- (* 2 q.b) (/ q.c 4) (neg 0.3)))"));
  // a motor and a servo
  same_through("m.xml", SYSTEM("(rx \"j\" (ty 1 (mass 1)) (rx \"k\" (ty 1 (mass 1))))"
                               "(input \"u\" (limit -2 2)) (input \"w\")"
                               "(actuator \"u\" \"j\" \"u\" (gear -3) (limit -4 4))"
                               "(actuator \"w\" \"k\" \"w\" (gear 2) (servo 10 1))"));
}

typedef struct {
  const char *items;
  int line, column;
  const char *part;
} refusal;

static const refusal not_urdf[] = {
    {"(joint spherical \"s\" (mass 1 1 1 1))", 2, 1, "spherical joint \"s\""},
    {"(joint helical \"h\" (pitch 1) (mass 1 1 1 1))", 2, 1, "helical joint \"h\""},
    {"(rx (k \"k\") (mass 1)) (motion \"k\" t)", 2, 1, "kinematic joint \"k\""},
    {"(rx \"q\" (ty 1 (mass 1)))\n(joint-spring \"q\" 1 0)", 3, 1, "(joint-spring ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(torque \"q\" 1)", 3, 1, "(torque ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(equation (sin q.q))", 3, 1, "(equation ..)"},
    {"(rx \"q\" (ty 1 (mass 1)) (rx \"p\" (ty 1 (mass 1))))\n(equation (- q.q (* q.p q.p)))", 3, 1,
     "(equation ..)"},
    {"(rx \"q\" (ty 1 (mass 1) (name \"A\")))\n(coincide \"A\" \"world\")", 3, 1, "(coincide ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(initial (\"q\" 1))", 3, 11, "(initial ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(input \"u\")", 3, 8, "(input ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(armature \"q\" 1)", 3, 11, "(armature ..)"},
    {"(joint revolute \"q\" (ty 1 (mass 1))) (input \"q\")\n(actuator \"a\" \"q\" \"q\" (servo 1 "
     "1))",
     3, 1, "(actuator ..)"},
    {"(joint revolute \"q\" (effort 2) (ty 1 (mass 1))) (input \"q\")\n(actuator \"a\" \"q\" \"q\""
     " (limit -1 1))",
     3, 1, "(actuator ..)"},
};

static const refusal not_mjcf[] = {
    {"(joint helical \"h\" (pitch 1) (mass 1 1 1 1))", 2, 1, "helical joint \"h\""},
    {"(rx (k \"k\") (mass 1)) (motion \"k\" t)", 2, 1, "kinematic joint \"k\""},
    {"(tx 1 (joint free \"f\" (mass 1 1 1 1)))", 2, 7, "at the world's origin"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(torque \"q\" 1)", 3, 1, "(torque ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(equation (sin q.q))", 3, 1, "(equation ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(initial (\"q\" 1))", 3, 11, "(initial ..)"},
    {"(joint revolute \"q\" (limit 1 1) (ty 1 (mass 1)))", 2, 1, "ends are the same"},
    {"(joint spherical \"s\" (mass 1 1 1 1))\n(damping \"s.wx\" 1)", 3, 1, "(damping ..)"},
    {"(rx \"q\" (ty 1 (mass 1)))\n(joint-spring \"q\" 1 0) (joint-spring \"q\" 2 1)", 3, 24,
     "(joint-spring ..)"},
};

static void expect_refusal(const char *file, const refusal *r)
{
  char text[400];
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  char *out = NULL;
  snprintf(text, sizeof text, "(system (gravity 0 0 -9.81)\n%s)", r->items);
  if (cardan_spec_read(text, strlen(text), "m.mbs", NULL, 0, NULL, &spec, &report) != CARDAN_OK) {
    fail_msg("%s: %s", text, report.message);
  }
  assert_int_equal(cardan_spec_write_as(spec, file, &out, &report), CARDAN_ERR_UNSUPPORTED);
  assert_null(out);
  assert_string_equal(report.file, "m.mbs");
  if (report.pos.line != r->line || report.pos.column != r->column ||
      strstr(report.message, r->part) == NULL) {
    fail_msg("%s\nfound %d:%d: %s\nexpected %d:%d: %s", text, report.pos.line, report.pos.column,
             report.message, r->line, r->column, r->part);
  }
  cardan_spec_destroy(spec);
}

static void refusals(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof not_urdf / sizeof *not_urdf; i++) {
    expect_refusal("m.urdf", &not_urdf[i]);
  }
  for (size_t i = 0; i < sizeof not_mjcf / sizeof *not_mjcf; i++) {
    expect_refusal("m.xml", &not_mjcf[i]);
  }
}

/* A chain that is longer than XML may be deep. */
static void too_deep(void **state)
{
  cardan_spec *spec = NULL;
  cardan_report report = {.message = ""};
  char *out = NULL;
  int frame = 0;
  (void)state;
  assert_int_equal(cardan_spec_create(NULL, &spec), CARDAN_OK);
  for (int i = 0; i < 600; i++) {
    char name[16];
    snprintf(name, sizeof name, "q%d", i);
    frame = cardan_spec_variable(spec, frame, CARDAN_TRANSFORM_RX, name, false);
  }
  assert_int_equal(cardan_spec_write_as(spec, "m.xml", &out, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "one below the other"));
  cardan_spec_destroy(spec);
}

static void gravity(void **state)
{
  static const char text[] = "(system (gravity 0 -9.81 0) (rx \"q\" (ty 1 (mass 1))))";
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  char *out = NULL;
  (void)state;
  assert_int_equal(cardan_spec_read(text, strlen(text), "m", NULL, 0, NULL, &spec, NULL),
                   CARDAN_OK);
  assert_int_equal(cardan_spec_write_as(spec, "m.urdf", &out, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "gravity"));
  assert_int_equal(cardan_spec_write_as(spec, "m.txt", &out, &report), CARDAN_ERR_UNSUPPORTED);
  cardan_spec_destroy(spec);
}

static cardan_status read_and_write(const cardan_allocator *alloc, void *user)
{
  const char *text = user;
  cardan_spec *spec = NULL;
  char *out = NULL;
  cardan_status status = cardan_spec_read(text, strlen(text), "m", NULL, 0, alloc, &spec, NULL);
  if (status == CARDAN_OK) {
    status = cardan_spec_write_as(spec, "m.urdf", &out, NULL);
    cardan_free_text(alloc, out);
  }
  if (status == CARDAN_OK) {
    status = cardan_spec_write_as(spec, "m.xml", &out, NULL);
    cardan_free_text(alloc, out);
  }
  cardan_spec_destroy(spec);
  return status;
}

static void without_memory(void **state)
{
  char text[] = SYSTEM("(rx \"a\" (ty 1 (mass 1) (shape sphere 1)) (rx \"b\" (ty 1 (mass 1))))"
                       "(gear \"a\" \"b\" 1)");
  (void)state;
  support_fail_each(read_and_write, text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(through_urdf), cmocka_unit_test(through_mjcf),
      cmocka_unit_test(too_deep),     cmocka_unit_test(refusals),
      cmocka_unit_test(gravity),      cmocka_unit_test(without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
