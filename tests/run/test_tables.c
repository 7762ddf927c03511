// SPDX-License-Identifier: Apache-2.0
// Tables in motions, torques, wrenches, potentials and constraints, by every method; and what a run
// says of a table that it left.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* A model in which six expressions are cubics, written out or as tables of their points. */
typedef struct {
  char text[4096];
} page;

static const double drive[4] = {0.1, 0.3, -0.2, 0.1}, push[4] = {0.5, -2, 1, 0.5};
static const double wind[4] = {1, 0.5, 0, -1}, well[4] = {0, 0.2, 0.5, 0.5};
static const double cam[4] = {0.05, 0.1, 0, 0.05}, rod[4] = {1.2, 0.1, 0.2, -0.1};

/* c0 + c1 x + c2 x^2 + c3 x^3 */
static void put(char *to, size_t size, const double c[4], const char *x, bool table)
{
  static const double at[] = {-3, -1.5, -1, 0.25, 0.5, 2, 3.5};
  if (!table) {
    snprintf(to, size, "(+ %.17g (* %s (+ %.17g (* %s (+ %.17g (* %s %.17g))))))", c[0], x, c[1], x,
             c[2], x, c[3]);
    return;
  }
  size_t n = (size_t)snprintf(to, size, "(table (data");
  for (int i = 0; i < 7; i++) {
    const double y = c[0] + at[i] * (c[1] + at[i] * (c[2] + at[i] * c[3]));
    n += (size_t)snprintf(to + n, size - n, " (%.17g %.17g)", at[i], y);
  }
  snprintf(to + n, size - n, ") %s)", x);
}

static page write_model(bool table)
{
  page p;
  char e[6][512];
  put(e[0], sizeof e[0], drive, "t", table);
  put(e[1], sizeof e[1], push, "q.b", table);
  put(e[2], sizeof e[2], wind, "t", table);
  put(e[3], sizeof e[3], well, "q.c", table);
  put(e[4], sizeof e[4], cam, "q.c", table);
  put(e[5], sizeof e[5], rod, "t", table);
  snprintf(p.text, sizeof p.text,
           "(system (gravity 0 0 -9.81)"
           " (ry \"a\" (tz -1 (mass 1 0.1 0.1 0.1) (ry \"b\" (tz -0.5 (mass 0.5 0.1 0.1 0.1)))))"
           " (tx 2 (ry \"c\" (tz -1 (mass 1 0.1 0.1 0.1)"
           "   (ry \"d\" (tz -0.5 (name \"D\") (mass 0.5 0.1 0.1 0.1))))))"
           " (tx 4 (tx \"s\" (mass 1 0.1 0.1 0.1)))"
           " (tx 6 (name \"E\") (ry \"e\" (tx \"r\" (name \"R\") (mass 1 0.1 0.1 0.1))))"
           " (motion \"a\" %s) (torque \"b\" %s) (wrench world \"D\" (%s 0 0) (0 0.1 0))"
           " (potential %s) (equation (- q.s %s)) (wire \"E\" \"R\" %s)"
           " (initial (\"b\" 0.2) (\"c\" 0.4 0.5) (\"d\" -0.2) (\"r\" 1.2) (\"e\" 1)))",
           e[0], e[1], e[2], e[3], e[4], e[5]);
  return p;
}

// the spline of a cubic is the cubic, so that both give one motion, but for rounding and what
// iterations leave: 1e-10 of a step, of which there are 20
static void one_motion_by_every_method(void **state)
{
  const page written = write_model(false), tables = write_model(true);
  (void)state;
  for (int i = 0; run_method(i) != NULL; i++) {
    enum { NQ = 7, STEPS = 20 };
    const cardan_options options = run_options(run_method(i), 0.01, 0.2);
    double p[NQ], q[NQ], moved = 0;
    run_end(written.text, NULL, &options, 0.2, STEPS, p);
    run_end(tables.text, NULL, &options, 0.2, STEPS, q);
    for (int k = 0; k < NQ; k++) {
      moved = fmax(moved, fabs(p[k]));
      if (!(fabs(p[k] - q[k]) < 1e-8)) {
        fail_msg("%s: coordinate %d is %.17g, by tables %.17g", run_method(i), k, p[k], q[k]);
      }
    }
    assert_true(moved > 0.5);
  }
}

// a run beyond the points reports it, once, and at the end of the points it does not
static void a_table_that_is_left(void **state)
{
  static const char text[] =
      "(system (tx \"x\" (mass 1))\n (torque \"x\" (table (data (0 1) (0.1 2)) t hold)))";
  static const struct {
    const char *method;
    int steps;
    const char *says;
  } cases[] = {
      {"vi", 10, ""},
      {"aba", 20,
       "at t = 0.11 a table of line 2 was left: 0.11 is beyond its point at 0.1, and what it "
       "says there is no data"}};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options options = run_options(cases[i].method, 0.01, 1);
    run r = run_begin(text, NULL, &options);
    assert_int_equal(cardan_run(r.sim, cases[i].steps, NULL, 0, NULL, NULL), CARDAN_OK);
    assert_string_equal(cardan_sim_warning(r.sim), cases[i].says);
    run_free(&r);
  }
}

// and so does one that continues from a state, of before it was left or after
static void a_run_that_goes_on_says_it_too(void **state)
{
  static const char text[] =
      "(system (tx \"x\" (mass 1))\n (torque \"x\" (table (data (0 1) (0.1 2)) t hold)))";
  static const int before[] = {5, 15};
  const cardan_options options = run_options("vi", 0.01, 1);
  (void)state;
  for (int i = 0; i < 2; i++) {
    run a = run_begin(text, NULL, &options), b = run_begin(text, NULL, &options);
    const size_t size = cardan_sim_snapshot_size(a.sim);
    void *kept = malloc(size);
    assert_int_equal(cardan_run(a.sim, before[i], NULL, 0, NULL, NULL), CARDAN_OK);
    assert_int_equal(cardan_sim_snapshot_save(a.sim, kept, size, NULL), CARDAN_OK);
    assert_int_equal(cardan_sim_snapshot_load(b.sim, kept, size, NULL), CARDAN_OK);
    assert_int_equal(cardan_run(b.sim, 20 - before[i], NULL, 0, NULL, NULL), CARDAN_OK);
    assert_non_null(strstr(cardan_sim_warning(b.sim), "at t = 0.11 a table of line 2 was left"));
    free(kept);
    run_free(&a);
    run_free(&b);
  }
}

// the examples that repeat are the built-in models: the same bits, or if coordinates have another
// order their rounding, grown over 50 steps by a factor of some hundred
static void examples_that_repeat(void **state)
{
  static const struct {
    const char *file, *model;
    double tolerance;
  } cases[] = {{CARDAN_EXAMPLE_MODELS "/repeat-chain.mbs", "chain:20", 0.0},
               {CARDAN_EXAMPLE_MODELS "/repeat-scissor.mbs", "scissor:10", 1e-12}};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options options = run_options("vi", 0.01, 0.5);
    run a = run_whole(cases[i].file, NULL, &options), b = run_whole(cases[i].model, NULL, &options);
    assert_int_equal(a.model->nq, b.model->nq);
    for (int k = 0; k < a.model->nq; k++) {
      assert_near(a.data->q[k], run_q(&b, a.model->q_name[k]), cases[i].tolerance);
    }
    run_free(&a);
    run_free(&b);
  }
}

// a motion that was measured: the driver follows the file, and the mass the driver
static void an_example_with_a_file(void **state)
{
  const cardan_options options = run_options("aba", 0.01, 2);
  run r = run_whole(CARDAN_EXAMPLE_MODELS "/shaker.mbs", NULL, &options);
  (void)state;
  // points of 10 (1 - cos(2 pi t / 4)) / 2 mm, 0.1 s apart: the spline is off by 5/384 h^4 of the
  // fourth derivative, 4e-8 m
  assert_near(run_q(&r, "table"), 0.01, 4e-8);
  assert_true(fabs(run_q(&r, "mass")) > 1e-4);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(examples_that_repeat), cmocka_unit_test(an_example_with_a_file),
      cmocka_unit_test(one_motion_by_every_method), cmocka_unit_test(a_table_that_is_left),
      cmocka_unit_test(a_run_that_goes_on_says_it_too)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
