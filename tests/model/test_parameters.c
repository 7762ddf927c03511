// SPDX-License-Identifier: Apache-2.0
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "model/fingerprint.h"

/* A parameter that is set in a compiled model leaves the model that reading the text with the value
 * leaves, to the last bit, wherever it stands. */

typedef struct {
  const char *what, *text;
  double value;
} item;

static const item items[] = {
    {"mass",
     "(parameter p 2) (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass p) (ry \"b\" (tz -0.5 (mass "
     "1)))))",
     0.3},
    {"inertia",
     "(parameter p 2) (gravity 0 0 -9.81) (joint spherical \"s\" (mass 1 p (+ p 0.1) p 0.01 0 0)"
     " (tx 0.3 (mass (* 0.1 p)))) (initial (\"s\" (1 0 0 0) (1 2 3)))",
     0.7},
    {"length",
     "(parameter p 1) (define half (/ p 2)) (gravity 0 0 -9.81) (ry \"a\" (tz (neg half) (mass 1)"
     " (shape box 0.1 0.1 p)) (tz (neg p) (rx \"b\" (tz (neg p) (mass 1)))))"
     " (initial (\"a\" 0.3) (\"b\" 0.2 1))",
     0.37},
    {"angle",
     "(parameter p 0) (gravity 0 -9.81 0) (rz \"a\" (tx 1 rx p (mass 1 1 1 1) (rz \"b\" (tx 1 "
     "(mass 1)"
     " (ry \"c\" (tx 0.4 (mass 1)))))))",
     0.4},
    {"place",
     "(parameter p 0.5) (gravity 0 0 -9.81) (place (0 p 0) (rpy p 0 (* 2 p)) (joint revolute \"a\""
     " (axis 1 2 3) (place (0.2 0 (- p)) (quat 1 p 0 p) (mass 1 0.1 0.1 0.1)"
     " (place (p 0 0) (rotvec 0 p 0) (joint universal \"u\" (tx 0.2 (mass 0.5 0.01 0.01 "
     "0.01)))))))",
     -0.25},
    {"gravity", "(parameter p 9.81) (gravity 0 0 (- p)) (tz \"z\" (mass 1))", 1.62},
    {"pitch and limits",
     "(parameter p 0.1) (gravity 0 0 -9.81) (joint helical \"h\" (pitch p) (limit -1000 (* 1000 p))"
     " (mass 1 1 1 1))",
     -0.2},
    {"elements",
     "(parameter p 3) (gravity 0 0 -9.81) (rx \"a\" (tz -1 (mass 1) (name \"A\")))"
     " (place (0 0.2 -2) (name \"W\")) (spring \"A\" \"W\" (* 10 p) (/ p 10)) (damper \"A\" \"W\" "
     "p)"
     " (joint-spring \"a\" p (/ 1 p)) (damping \"a\" (* 0.1 p)) (friction \"a\" (* 0.1 p)"
     " (radius (* 0.01 p))) (tx \"b\" (mass (* 2 p) 1 1 1) (name \"B\"))"
     " (newton-gravity \"A\" \"B\" p) (dry-friction \"b\" p)",
     1.1},
    {"armature",
     "(parameter p 2) (rz \"a\" (mass 1 1 1 1)) (armature \"a\" (* 0.1 p)) (torque \"a\" 1)", 3},
    {"expressions",
     "(parameter p 2) (define q2 (* p p)) (ty \"y\" (mass 1) (name \"Y\")) (rz \"a\" (mass 1 1 1 "
     "1))"
     " (torque \"y\" (* q2 (sin (+ t p)))) (potential (* p (^ q.y p)))"
     " (wrench world \"Y\" (0 (- p) 0) (0 0 p)) (initial (\"y\" (* 0.1 p) p))",
     3.0},
    {"inputs",
     "(parameter p 2) (input \"u\" 0.5) (rz \"a\" (mass 1 1 1 1)) (torque \"a\" (* p u.u))"
     " (actuator \"m\" \"a\" \"u\" (gear p) (servo (* 3 p) p) (limit (- p) p))",
     0.7},
    {"damping of a servo",
     "(parameter p 0) (input \"u\" 0.5) (rz \"a\" (mass 1 1 1 1))"
     " (actuator \"m\" \"a\" \"u\" (servo 3 p))",
     0.7},
    {"loop",
     "(parameter p 1) (gravity 0 0 -9.81) (ry \"a\" (tz p (mass 1) (ry \"b\" (tx 2 (mass 1)"
     " (ry \"c\" (tz (- p) (mass 1) (name \"E\"))))))) (place (2 0 0) (name \"G\"))"
     " (coincide \"E\" \"G\") (initial (\"a\" 0.1))",
     1.25},
    {"couplings",
     "(parameter p 2) (rz \"a\" (mass 1 1 1 1)) (rz \"b\" (mass 1 1 1 1)) (tz \"d\" (mass 1))"
     " (gear \"a\" \"b\" p) (screw \"a\" \"d\" (* 0.1 p)) (torque \"a\" 1)"
     " (initial (\"a\" (* 0.2 p)) (\"b\" 0.3))",
     -3.0},
    {"wire and point",
     "(parameter p 1) (gravity 0 0 -9.81) (joint free \"f\" (mass 1 0.1 0.1 0.1) (tx 0.1 (name "
     "\"A\")))"
     " (wire \"A\" \"world\" (* p (+ 1 (* 0.1 t)))) (point-constraint \"A\" \"world\" (0 p 1))"
     " (initial (\"f\" (0 0 -1 1 0 0 0)))",
     1.5},
    {"motion",
     "(parameter p 1) (gravity 0 0 -9.81) (rx (k \"w\") (tz -1 (rx \"a\" (tz -1 (mass 1)))))"
     " (rx \"b\" (mass 1 1 1 1)) (motion \"w\" (* p (sin t))) (motion \"b\" (* p t t))",
     2.0},
    {"start",
     "(parameter p 1) (joint spherical \"s\" (mass 1 1 2 3)) (rx \"a\" (mass 1 1 1 1))"
     " (initial (\"s\" (1 p 0 0) (p 0 1)) (\"a\" (* 2 p) p))",
     0.3},
    {"contacts",
     "(parameter p 0.6) (gravity 0 0 -9.81) (material \"m\" (friction p) (static (+ p 0.1)))"
     " (place (0 0 (- p)) (name \"g\") (solid plane (material \"m\")))"
     " (joint free \"f\" (mass 1 1 1 1) (tz (* 0.1 p) (name \"F\") (solid box p 1 (* 2 p)"
     " (material \"m\")))) (joint free \"h\" (mass 1 1 1 1) (solid ellipsoid p 1 1 (material "
     "\"m\")))"
     " (contact all (restitution (- 1 p))) (no-contact \"g\" \"h\") (contact \"F\" \"h\""
     " (rolling (* 0.1 p))) (initial (\"h\" (9 0 5 1 0 0 0)) (\"f\" (0 0 5 1 0 0 0)))",
     0.8},
    {"bounds",
     "(parameter p 1) (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1) (name \"A\")))"
     " (tz \"b\" (mass 1)) (place (0 0 0.5) (name \"W\")) (stop \"a\" (- p) (* 2 p)"
     " (restitution (/ p 4))) (rope \"A\" \"W\" (* 2 p)) (inequality (+ p q.b) (restitution (/ p "
     "8)))",
     1.5},
    {"closing helically",
     "(parameter p 0.2) (gravity 0 0 -9.81) (joint free \"f\" (mass 1 0.1 0.1 0.2) (name \"F\"))"
     " (close helical \"world\" \"F\" (pitch p))",
     0.5},
};
enum { NITEM = sizeof items / sizeof items[0] };

static cardan_model *load(const item *it, bool set)
{
  char text[2048], setting[64];
  snprintf(text, sizeof text, "(system %s)", it->text);
  snprintf(setting, sizeof setting, "p=%.17g", it->value);
  return load_model(text, set ? setting : NULL);
}

static void same(const double *a, const double *b, int n, const char *what, const char *field)
{
  for (int i = 0; i < n; i++) {
    if (memcmp(&a[i], &b[i], sizeof a[i]) != 0) {
      fail_msg("%s: %s %d is %.17g, of the text with the value %.17g", what, field, i, a[i], b[i]);
    }
  }
}

static void same_tree(const cardan_model *a, const cardan_model *b, const char *what)
{
  for (int i = 1; i < a->nbody; i++) {
    const cardan_body *x = &a->body[i], *y = &b->body[i];
    assert_int_equal(x->flags, y->flags);
    same(&x->cos_phi, &y->cos_phi, 6, what, "angles of body");
    same(&x->X.R.m[0][0], &y->X.R.m[0][0], 12, what, "placement of body");
    same(&x->inertia.m, &y->inertia.m, sizeof x->inertia / sizeof(double), what, "inertia of body");
  }
  for (int i = 0; i < a->nframe; i++) {
    same(&a->frame[i].X_BF.R.m[0][0], &b->frame[i].X_BF.R.m[0][0], 12, what, "frame");
    same(&a->frame[i].mass.m, &b->frame[i].mass.m, 7, what, "mass");
  }
  for (int i = 0; i < a->njoint; i++) {
    same(&a->joint[i].pitch, &b->joint[i].pitch, 1, what, "pitch");
    same(a->joint[i].limit, b->joint[i].limit, 2, what, "limit");
  }
  for (int i = 0; i < a->nshape; i++) {
    same(a->shape[i].size, b->shape[i].size, 3, what, "shape");
  }
}

static void same_contacts(const cardan_model *a, const cardan_model *b, const char *what)
{
  assert_int_equal(a->nsolid, b->nsolid);
  assert_int_equal(a->npair, b->npair);
  assert_int_equal(a->nbound, b->nbound);
  for (int i = 0; i < a->nsolid; i++) {
    const cardan_solid *s = &a->solid[i], *t = &b->solid[i];
    same(s->size, t->size, 3, what, "size of solid");
    same(&s->radius, &t->radius, 1, what, "radius of solid");
    same(&s->X_BS.R.m[0][0], &t->X_BS.R.m[0][0], 12, what, "place of solid");
    same(&s->surface.friction, &t->surface.friction, 5, what, "surface of solid");
  }
  for (int i = 0; i < a->npair; i++) {
    assert_memory_equal(a->pair[i].solid, b->pair[i].solid, sizeof a->pair[i].solid);
    same(&a->pair[i].friction, &b->pair[i].friction, 5, what, "numbers of pair");
  }
  for (int i = 0; i < a->nbound; i++) {
    const cardan_row *r = &a->bound_row[a->bound[i].row], *s = &b->bound_row[b->bound[i].row];
    same(&a->bound[i].sign, &b->bound[i].sign, 2, what, "sign and restitution of bound");
    same(&r->value, &s->value, 1, what, "value of bound");
    same(&r->length, &s->length, 1, what, "length of bound");
  }
}

static void same_model(const cardan_model *a, const cardan_model *b, const char *what)
{
  const double x[] = {a->mass,      a->size_length,  a->closing,      a->open,
                      a->gravity.x, a->gravity.y,    a->gravity.z,    a->plane_normal.x,
                      a->planar,    a->has_friction, a->has_armature, a->rank,
                      a->mobility};
  const double y[] = {b->mass,      b->size_length,  b->closing,      b->open,
                      b->gravity.x, b->gravity.y,    b->gravity.z,    b->plane_normal.x,
                      b->planar,    b->has_friction, b->has_armature, b->rank,
                      b->mobility};
  same(x, y, sizeof x / sizeof x[0], what, "of the whole");
  same_tree(a, b, what);
  same_contacts(a, b, what);
  same(a->q0, b->q0, a->nq, what, "q0");
  same(a->v0, b->v0, a->nv, what, "v0");
  same(a->armature, b->armature, a->nv, what, "armature");
  for (int i = 0; i < a->nrow; i++) {
    const cardan_row *r = &a->row[i], *s = &b->row[i];
    same(&r->u.x, &s->u.x, 9, what, "direction of row");
    same(&r->value, &s->value, 1, what, "value of row");
    same(r->coef, s->coef, 2, what, "factor of row");
    same(&r->length, &s->length, 1, what, "length of row");
    assert_int_equal(a->row_redundant[i], b->row_redundant[i]);
    assert_int_equal(a->row_shared[i], b->row_shared[i]);
  }
  for (int i = 0; i < a->nforce; i++) {
    same(a->force[i].value, b->force[i].value, 6, what, "value of force");
    assert_int_equal(a->force[i].flags, b->force[i].flags);
  }
}

/* All numbers that a run can depend on; same_model says which differ. */
static void same_fingerprint(const cardan_model *a, const cardan_model *b, const char *what)
{
  if (cardan__model_fingerprint(a) != cardan__model_fingerprint(b)) {
    fail_msg("%s: the fingerprint is not that of the text with the value", what);
  }
}

// twenty steps by one method; fewer where it does not take the model
static int motion(const cardan_model *model, const char *method, double *q)
{
  cardan_options options = cardan_options_defaults();
  cardan_report report = {.message = ""};
  cardan_sim *sim;
  int n = 0;
  options.method = method;
  options.dt = 0.01;
  if (cardan_sim_create(model, &options, NULL, &sim, &report) != CARDAN_OK) {
    return 0;
  }
  if (cardan_sim_start(sim, &report) == CARDAN_OK) {
    while (n < 20 && cardan_sim_step(sim, &report) == CARDAN_OK) {
      n++;
    }
  }
  memcpy(q, cardan_sim_data(sim)->q, (size_t)model->nq * sizeof *q);
  cardan_sim_destroy(sim);
  return n;
}

static void as_read_with_the_value(void **state)
{
  static const char *const methods[] = {"vi", "aba", "svi", "rattle"};
  (void)state;
  for (int i = 0; i < NITEM; i++) {
    const item *it = &items[i];
    cardan_model *model = load(it, false), *before = load(it, false), *other = load(it, true),
                 *copy;
    cardan_report report = {.message = ""};
    const double old = model->parameter[cardan_model_parameter(model, "P")].value;
    assert_int_equal(cardan_model_copy(model, NULL, &copy), CARDAN_OK);
    expect_ok(cardan_model_set(copy, "p", it->value, &report), &report, it->what);
    same_model(copy, other, it->what);
    same_fingerprint(copy, other, it->what);
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
      double q[2][16] = {{0}};
      const int n = motion(copy, methods[m], q[0]);
      assert_int_equal(n, motion(other, methods[m], q[1]));
      assert_true(m > 0 || n == 20 || model->has_armature);
      same(q[0], q[1], model->nq, it->what, "coordinate after a motion");
    }
    // back again, and the original has not moved
    expect_ok(cardan_model_set(copy, "p", old, &report), &report, it->what);
    same_model(copy, before, it->what);
    same_fingerprint(copy, before, it->what);
    same_model(model, before, it->what);
    cardan_model_destroy(model);
    cardan_model_destroy(before);
    cardan_model_destroy(other);
    cardan_model_destroy(copy);
  }
}

// no word of a copy is an address in the model that it was made from
static void copies_stand_alone(void **state)
{
  (void)state;
  for (int i = 0; i < NITEM; i++) {
    cardan_model *model = load(&items[i], false), *copy;
    assert_int_equal(cardan_model_copy(model, NULL, &copy), CARDAN_OK);
    const uintptr_t from = (uintptr_t)model->block, end = from + model->size;
    const size_t used = model->size - 64;
    for (size_t k = 0; k + sizeof from <= used; k += sizeof from) {
      uintptr_t word;
      memcpy(&word, (const char *)copy + k, sizeof word);
      if (word >= from && word < end) {
        fail_msg("%s: byte %zu of the copy points into the model", items[i].what, k);
      }
    }
    memset(model, 0xFF, used);
    double q[16];
    if (motion(copy, "vi", q) != 20 && !copy->has_armature) {
      fail_msg("%s: a copy does not run", items[i].what);
    }
    free((void *)from);
    cardan_model_destroy(copy);
  }
}

static void refuse(const char *text, const char *name, double value, cardan_status status,
                   const char *says)
{
  cardan_report report = {.message = ""};
  cardan_model *model = load_model(text, NULL), *before = load_model(text, NULL);
  assert_int_equal(cardan_model_set(model, name, value, &report), status);
  if (strstr(report.message, says) == NULL) {
    fail_msg("\"%s\" does not say \"%s\"", report.message, says);
  }
  same_model(model, before, text);
  cardan_model_destroy(model);
  cardan_model_destroy(before);
}

static void refusals(void **state)
{
  static const char text[] =
      "(system (parameter m 1) (parameter n 1) (parameter w 1) (parameter l 1) (define d (* 2 m))"
      " (joint revolute \"a\" (axis 0 n 0) (limit (- l) 1) (tz -1 (mass d) (shape sphere l)))"
      " (when w (tx 1)) (rz \"b\" (mass 0 (/ 1 m) 1 (+ 1 (/ 1 m)))))";
  (void)state;
  refuse(text, "x", 1, CARDAN_ERR_ARGUMENT, "no parameter \"x\"");
  refuse(text, "d", 1, CARDAN_ERR_ARGUMENT, "computed from parameters");
  refuse(text, "n", 1, CARDAN_ERR_ARGUMENT, "only reading the text again");
  refuse(text, "w", 0, CARDAN_ERR_ARGUMENT, "only reading the text again");
  refuse(text, "m", -1, CARDAN_ERR_MODEL, "not negative");
  refuse(text, "m", 0, CARDAN_ERR_NOT_FINITE, "not finite");
  refuse("(system (parameter k 1) (define d (/ 1 k)) (rx \"a\" (mass 1 1 1 1)) (torque \"a\" d))",
         "k", 0, CARDAN_ERR_NOT_FINITE, "\"d\" is not finite");
  refuse(text, "m", 0.0 / 0.0, CARDAN_ERR_NOT_FINITE, "not finite");
  refuse(text, "l", -2, CARDAN_ERR_MODEL, "lower end first");
  refuse(text, "l", -0.5, CARDAN_ERR_MODEL, "expected more than 0");
  refuse("(system (parameter k 1) (rx \"a\" (tz 1 (mass 1))) (friction \"a\" 0.1 (radius k)))", "k",
         0, CARDAN_ERR_MODEL, "more than 0");
  // 0 is what an actuator has that was given no gear, or no limit
  refuse(
      "(system (parameter k 1) (input \"u\") (rx \"a\" (mass 1 1 1 1)) (actuator \"m\" \"a\" \"u\""
      " (gear k)))",
      "k", 0, CARDAN_ERR_MODEL, "not 0");
  refuse(
      "(system (parameter k 1) (input \"u\") (rx \"a\" (mass 1 1 1 1)) (actuator \"m\" \"a\" \"u\""
      " (limit (- k) k)))",
      "k", 0, CARDAN_ERR_MODEL, "not both 0");
}

// a start at which all mass lies on an axis, and one at which it does not
static void starts_off_an_axis(void **state)
{
  cardan_report report = {.message = ""};
  cardan_model *model = load_model("(system (parameter p 0) (rz \"a\" (tx 1 (rz \"b\" (tx -1"
                                   " (mass 1))))) (torque \"a\" 1) (initial (\"b\" p)))",
                                   NULL);
  double q[2];
  (void)state;
  assert_int_equal(model->inert, CARDAN_INERT_AXIS);
  expect_ok(cardan_model_set(model, "p", 1, &report), &report, "set");
  assert_int_equal(motion(model, "aba", q), 20);
  cardan_model_destroy(model);
}

// a sim of the model as it was does not continue
static void sims_notice(void **state)
{
  cardan_model *model = load(&items[0], false);
  cardan_options options = cardan_options_defaults();
  cardan_report report = {.message = ""};
  cardan_sim *sim;
  (void)state;
  expect_ok(cardan_sim_create(model, &options, NULL, &sim, &report), &report, "sim");
  expect_ok(cardan_sim_start(sim, &report), &report, "start");
  expect_ok(cardan_model_set(model, "p", 3, &report), &report, "set");
  assert_int_equal(cardan_sim_step(sim, &report), CARDAN_ERR_ARGUMENT);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_ERR_ARGUMENT);
  assert_non_null(strstr(report.message, "cardan_model_set"));
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

// in models without constraints, and where only masses and forces change
static void without_allocation(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i < NITEM; i++) {
    cardan_model *model = load(&items[i], false);
    cardan_report report = {.message = ""};
    if (model->nrow == 0) {
      const long before = support_alloc_count();
      expect_ok(cardan_model_set(model, "p", items[i].value, &report), &report, items[i].what);
      assert_int_equal(support_alloc_count(), before);
    }
    cardan_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(as_read_with_the_value),
      cmocka_unit_test(copies_stand_alone),
      cmocka_unit_test(refusals),
      cmocka_unit_test(starts_off_an_axis),
      cmocka_unit_test(sims_notice),
      cmocka_unit_test(without_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
