// SPDX-License-Identifier: Apache-2.0
// Loops that are redundant to within the digits of their data: mobility, and motion by every
// method.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

enum { TEXT = 20000 };

typedef struct {
  char text[TEXT];
  size_t used;
  support_rng rng;
  double error; // of every number
} model_text;

static double off(model_text *m)
{
  return m->error * support_random_in(&m->rng, -1, 1);
}

#define ADD(m, ...) \
  ((m)->used += (size_t)snprintf((m)->text + (m)->used, sizeof(m)->text - (m)->used, __VA_ARGS__))

/* A hinge about y, or nearly. */
static void add_axis(model_text *m)
{
  ADD(m, "(axis %.17g 1 %.17g)", off(m), off(m));
}

/* A coupler on n + 1 parallel cranks, which is drawn closed: all frames stand as the world's do. Of
 * the 5 n rows of its n loops n + 1 count. Far from where it is flat. */
static void parallelograms(model_text *m, int n, double error, const char *more)
{
  cardan_vec3 A[8], B[8];
  *m = (model_text){.rng = {17}, .error = error};
  for (int i = 0; i <= n; i++) {
    A[i] = (cardan_vec3){0.3 * i + off(m), off(m), off(m)};
    B[i] = (cardan_vec3){0.3 * i + 0.1 + off(m), off(m), 0.4 + off(m)};
  }
  ADD(m, "(system (gravity 0 0 0)");
  for (int i = 0; i <= n; i++) {
    const cardan_vec3 c = {B[i].x - A[i].x, B[i].y - A[i].y, B[i].z - A[i].z};
    ADD(m, "(place (%.17g %.17g %.17g) (joint revolute \"c%d\"", A[i].x, A[i].y, A[i].z, i);
    add_axis(m);
    ADD(m, "(place (%.17g %.17g %.17g) (mass 1 .01 .01 .01))", c.x / 2, c.y / 2, c.z / 2);
    ADD(m, "(place (%.17g %.17g %.17g) (name \"E%d\"", c.x, c.y, c.z, i);
    ADD(m, i == 0 ? ") (joint revolute \"k\"" : "))))\n");
    for (int j = 0; i == 0 && j <= n; j++) {
      if (j == 0) {
        add_axis(m);
        ADD(m, "(place (0.5 0 0) (mass 2 .1 .1 .1))");
      } else {
        ADD(m, "(place (%.17g %.17g %.17g) (name \"B%d\"))", B[j].x - B[0].x, B[j].y - B[0].y,
            B[j].z - B[0].z, j);
      }
    }
    ADD(m, i == 0 ? "))))\n" : "");
  }
  for (int i = 1; i <= n; i++) {
    ADD(m, "(close revolute \"B%d\" \"E%d\"", i, i);
    add_axis(m);
    ADD(m, ")\n");
  }
  ADD(m, "(initial (\"c0\" 0 0.5)) %s)", more);
}

// the digits say how much is rounding; without them it is locked, and the model says why
static void mobility(void **state)
{
  static const double errors[] = {0, 1e-7, 1e-6, 1e-5, 1e-4, 5e-4};
  static model_text m;
  (void)state;
  for (int n = 1; n <= 5; n += 2) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
      char more[80];
      snprintf(more, sizeof more, "(rounding %g %g)", errors[i], errors[i]);
      parallelograms(&m, n, errors[i], more);
      cardan_model *model = load_model(m.text, NULL);
      assert_int_equal(model->mobility, 1);
      assert_int_equal(model->rank, n + 1);
      assert_true((model->nnear > 0) == (errors[i] > 0));
      assert_true(model->near <= fmax(1e-5, 3 * errors[i]) && model->open < 1e-12);
      cardan_model_destroy(model);
    }
    parallelograms(&m, n, 1e-4, "");
    cardan_model *model = load_model(m.text, NULL);
    cardan_report report = {.message = ""};
    assert_true(model->mobility <= 0 && model->nnear == 0 && model->nalmost > 0);
    assert_true(model->almost > 1e-5 && model->almost < 3e-4);
    expect_ok(cardan_model_set_rank_tol(model, 2 * model->almost, &report), &report, "rank");
    assert_int_equal(model->mobility, 1);
    assert_true(model->nalmost == 0 && model->nnear > 0);
    assert_int_equal(cardan_model_set_rank_tol(model, 0.2, &report), CARDAN_ERR_ARGUMENT);
    cardan_model_destroy(model);
  }
}

// every method: the same motion, to what the digits leave of it, and loops open by no more
static void motion(void **state)
{
  static const char *const methods[] = {"vi",         "svi",          "aba:rk4",      "rattle",
                                        "baraff:rk4", "hamilton:rk4", "half-implicit"};
  static model_text m;
  const double error = 1e-4;
  (void)state;
  for (int n = 1; n <= 5; n += 4) {
    parallelograms(&m, n, error, "(rounding 1e-4 1e-4)");
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
      const cardan_options o = run_options(methods[i], 0.005, 0);
      run r = run_begin(m.text, NULL, &o);
      const double energy = run_energy(&r);
      assert_near(run_v(&r, "c0"), 0.5, 10 * error);
      run_steps(&r, 400);
      // cranks that swing by a radian without a load turn at their speed
      assert_near(run_q(&r, "c0"), 1, 20 * error);
      assert_near(run_q(&r, "k"), -1, 20 * error);
      assert_near(run_energy(&r), energy, 1e-3 * energy);
      const double open = run_column(&r, 0, "constraint");
      print_message("%-14s %d loops: open by %.1e\n", methods[i], n, open);
      assert_true(open > 1e-6 && open < 30 * error); // in maximal coordinates all of it in one loop
      run_free(&r);
    }
  }
}

// what is not of the digits' making is not taken for it: a start beside a singular position has its
// rank back around it, an equation has its own unit, and a hinge that is 0.02 off locks
// two gears that contradict one another by p, and what the digits say of it
static void tolerances_come_back(void **state)
{
  static const char text[] =
      "(system (rounding 1e-4 1e-4) (parameter p 1e-4) (parameter m 1) (tx 1 (rx \"k\" (mass m 1 1"
      " 1))) (rx \"l\" (mass 1 1 1 1)) (gear \"k\" \"l\" 1) (gear \"k\" \"l\" (+ 1 p)))";
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  cardan_model *model = load_model(text, NULL), *other = load_model(text, "p=0.5");
  cardan_sim *sim;
  (void)state;
  const double wide = model->closing;
  assert_true(model->nnear == 1 && wide > other->closing && other->nnear == 0);
  // a mass does not touch them, another ratio does
  expect_ok(cardan_model_set(model, "m", 2, &report), &report, "mass");
  assert_true(model->nnear == 1 && model->closing == wide);
  expect_ok(cardan_model_set(model, "p", 0.5, &report), &report, "ratio");
  assert_true(model->nnear == 0 && model->closing == other->closing);
  // nor does a tolerance stay that a coarser one has left
  expect_ok(cardan_model_set(model, "p", 1e-3, &report), &report, "ratio");
  expect_ok(cardan_model_set_rank_tol(model, 1e-2, &report), &report, "rank");
  assert_true(model->nnear == 1 && model->closing > wide);
  expect_ok(cardan_model_set_rank_tol(model, 1e-5, &report), &report, "rank");
  assert_true(model->nnear == 0 && model->closing == other->closing);
  // what is requested is what a sim compares
  expect_ok(cardan_model_set_rank_tol(model, 1e-2, &report), &report, "rank");
  expect_ok(cardan_model_set_closing(model, 1e-6, &report), &report, "close");
  assert_true(model->nnear == 1 && model->closing > wide);
  o.closing = 1e-6;
  expect_ok(cardan_sim_create(model, &o, NULL, &sim, &report), &report, "sim");
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  cardan_model_destroy(other);
}

static void no_mistakes(void **state)
{
  static const char flat[] =
      "(system (rounding 1e-4 1e-4) (ry \"a\" (tx 1 (mass 1) (ry \"b\" (tx 2 (mass 1)"
      " (ry \"c\" (tx 1 (mass 1) (name \"end\"))))))) (place (2 0 0.00001) (name \"pin\"))"
      " (point-constraint \"end\" \"pin\" (1 0 0)) (point-constraint \"end\" \"pin\" (0 0 1))"
      " (initial (\"a\" 1e-5 1) (\"b\" 0) (\"c\" 3.14158)))";
  static const char small[] =
      "(system (rounding 1e-4 1e-4) (rz \"a\" (mass 0 1 1 1)) (rz \"b\" (mass 0 1 1 1))"
      " (equation (* 1e-5 (- q.a (* 2 q.b)))))";
  static model_text m;
  (void)state;
  cardan_model *model = load_model(flat, NULL);
  assert_int_equal(model->rank, 2);
  assert_int_equal(model->nnear, 0);
  cardan_model_destroy(model);
  model = load_model(small, NULL);
  assert_int_equal(model->rank, 1);
  assert_int_equal(model->nnear, 0);
  cardan_model_destroy(model);
  parallelograms(&m, 1, 0.02, "(rounding 1e-4 1e-4)");
  model = load_model(m.text, NULL);
  assert_true(model->mobility <= 0 && model->nnear == 0);
  cardan_model_destroy(model);
}

/* A model text of another format, and the same written as .mbs. */
static void expect_mobility(const char *text, const char *file, int mobility)
{
  cardan_report report = {.message = ""};
  cardan_spec *spec = NULL;
  char *again = NULL;
  expect_ok(cardan_spec_read(text, strlen(text), file, NULL, 0, NULL, &spec, &report), &report,
            file);
  assert_int_equal(cardan_spec_write(spec, NULL, &again), CARDAN_OK);
  for (int i = 0; i < 2; i++) {
    cardan_model *model = NULL;
    if (i == 0) {
      expect_ok(cardan_model_build(spec, NULL, &model, &report), &report, file);
    } else {
      model = load_model(again, NULL);
    }
    assert_int_equal(model->mobility, mobility);
    assert_true(model->nnear > 0 && model->near > 1e-5 && model->rank_tol >= 3e-4 - 1e-18);
    cardan_model_destroy(model);
  }
  cardan_free_text(NULL, again);
  cardan_spec_destroy(spec);
}

// a four-bar in space, its frames turned by angles and quaternions of four decimals
static void robots(void **state)
{
#define BODY "<inertial><mass>1</mass></inertial></link>"
#define HINGE "<axis><xyz>0 0 1</xyz></axis></joint>"
  static const char sdf[] =
      "<sdf version='1.7'><model name='m'><link name='base'>" BODY
      "<joint name='f' type='fixed'><parent>world</parent><child>base</child></joint>"
      "<link name='crank'><pose>0 0 0 1.5707 0.2449 0</pose>" BODY
      "<link name='rod'><pose>0.1 0 0.4 1.5708 -0.3217 0.0001</pose>" BODY
      "<link name='rocker'><pose>1.2 0 0 1.5709 1.2925 0</pose>" BODY
      "<joint name='a' type='revolute'><parent>base</parent><child>crank</child>" HINGE
      "<joint name='b' type='revolute'><parent>crank</parent><child>rod</child>" HINGE
      "<joint name='d' type='revolute'><parent>base</parent><child>rocker</child>" HINGE
      "<joint name='c' type='revolute'><pose relative_to='__model__'>1 0 0.7 1.5707 0 0</pose>"
      "<parent>rod</parent><child>rocker</child>" HINGE "</model></sdf>";
  static const char mjcf[] =
      "<mujoco><compiler angle='radian'/><worldbody>"
      "<body name='crank' quat='0.7071 0.7071 0.0001 0'><joint name='a' axis='0 0 1'/>"
      "<geom size='0.05' mass='1' pos='0 0.2 0'/>"
      "<body name='rod' pos='0.1 0.4 0' quat='1 0.00008 0 0'><joint name='b' axis='0 0 1'/>"
      "<geom size='0.05' mass='1' pos='0.4 0 0'/></body></body>"
      "<body name='rocker' pos='1.2 0 0' quat='0.7072 0.7070 0 0'><joint name='d' axis='0 0 1'/>"
      "<geom size='0.05' mass='1' pos='0 0.3 0'/></body></worldbody>"
      "<equality><connect body1='rod' body2='rocker' anchor='0.9 0.3 0'/></equality></mujoco>";
  (void)state;
  expect_mobility(sdf, "m.sdf", 1);
  expect_mobility(mjcf, "m.xml", 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mobility),
      cmocka_unit_test(motion),
      cmocka_unit_test(tolerances_come_back),
      cmocka_unit_test(no_mistakes),
      cmocka_unit_test(robots),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
