// SPDX-License-Identifier: Apache-2.0
// Mechanisms that miss a singular position by a little turn off before it. Steps that are too long
// to see that stop, shorter ones follow the motion, and where branches cross all go straight on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hard.h"
#include "run.h"

typedef struct {
  const char *method;
  int order;
} way;

static const way ways[] = {{"vi", 2}, {"vi", 4}, {"vi", 6}, {"svi", 2}};
enum { NWAY = sizeof ways / sizeof *ways };

static cardan_options options(const way *w, double dt, double time)
{
  cardan_options o = run_options(w->method, dt, time);
  o.order = w->order;
  return o;
}

/* Steps up to the end of the run, or what stops it; *report says why. */
static cardan_status go(run *r, double time, cardan_report *report)
{
  cardan_status status = CARDAN_OK;
  while (status == CARDAN_OK && r->data->t < time - 1e-9) {
    status = cardan_sim_step(r->sim, report);
  }
  return status;
}

// the last node stays: closed, before the place; trying again does not help
static void too_long_steps_stop(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double from, to; // when the place is passed [s]
  } places[] = {{"nearly-2435-1e-5", 1.4, 1.41},
                {"nearly-2435-1e-7", 1.4, 1.41},
                {"nearly-2435-1e-5-start", 0, 0.005},
                {"nearly-slider-crank-1e-6", 0.31, 0.32},
                {"nearly-row-2-1e-6", 0.7, 0.72}};
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    const hard_case *c = hard_find(places[i].name);
    char *text = hard_model(c);
    for (int j = 0; j < NWAY; j++) {
      const cardan_options o = options(&ways[j], c->dt, c->time);
      run r = run_begin(text, NULL, &o);
      cardan_report report = {0};
      const cardan_status status = go(&r, c->time, &report);
      assert_int_equal(status, CARDAN_ERR_NO_ROOT);
      assert_non_null(strstr(report.message, "leap over"));
      assert_true(r.data->t >= places[i].from && r.data->t <= places[i].to);
      cardan_joints(r.model, r.data);
      cardan_poses(r.model, r.data);
      assert_near(cardan_constraint_max(r.model, r.data), 0, 1e-11); // 1e-12 (1 + size)
      for (int k = 0; k < 5; k++) {
        assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NO_ROOT);
      }
      run_free(&r);
    }
    free(text);
  }
}

// rows by the web of border_sparse.c: twenty four-bars, each of which misses
static void so_it_is_with_many_rows(void **state)
{
  (void)state;
  hard_case c = *hard_find("row-20");
  c.a[4] = 1e-6;
  char *text = hard_model(&c);
  for (int j = 0; j < NWAY; j++) {
    const cardan_options o = options(&ways[j], c.dt, c.time);
    run r = run_begin(text, NULL, &o);
    cardan_report report = {0};
    const cardan_status status = go(&r, c.time, &report);
    assert_int_equal(status, CARDAN_ERR_NO_ROOT);
    assert_non_null(strstr(report.message, "leap over"));
    run_free(&r);
  }
  free(text);
}

// the same motion by parts of steps, and by steps as short as the sentence says; they are of order
// 2 with some ten steps over the bend, of which 1e-2 rad remain at the end
static void shorter_steps_turn_off(void **state)
{
  (void)state;
  static const char *const names[] = {"nearly-2435-1e-5", "nearly-parallelogram-1e-6"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const hard_case *c = hard_find(names[i]);
    char *text = hard_model(c);
    cardan_options o = run_options("aba:dopri5", c->dt, c->time);
    run reference = run_whole(text, NULL, &o);
    for (int j = 0; j < 2; j++) {
      o = run_options("vi", j == 0 ? c->dt : 2e-4, c->time);
      o.adapt = j == 0 ? 1e-3 : 0;
      run r = run_whole(text, NULL, &o);
      assert_near_vec(r.data->q, reference.data->q, r.model->nq, 1e-2);
      run_free(&r);
    }
    run_free(&reference);
    free(text);
  }
}

// several places at once too, and many rows
static void branches_that_cross_are_passed(void **state)
{
  (void)state;
  static const char *const names[] = {"neutral-2435", "slider-crank-equal", "row-5", "row-20",
                                      "twofold",      "rhombus-beside-node"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const hard_case *c = hard_find(names[i]);
    char *text = hard_model(c);
    for (int j = 0; j < NWAY; j++) {
      const cardan_options o = options(&ways[j], c->dt, c->time);
      run r = run_whole(text, NULL, &o);
      run_free(&r);
    }
    free(text);
  }
}

/* A parallelogram with its crank driven through the flat position, in 0.36 s; where its coupler is
 * a little longer it turns off there. */
static run driven(const char *coupler, const way *w, double dt)
{
  char text[1024];
  const cardan_options o = options(w, dt, 1);
  snprintf(text, sizeof text,
           "(system (rz \"q1\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (rz \"q2\""
           " (tx 1 (mass 2 0.1 0.7 0.7)) (tx %s (name \"B\")))))"
           " (tx 2 (rz \"q3\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (name \"C\"))))"
           " (point-constraint \"B\" \"C\" (1 0 0)) (point-constraint \"B\" \"C\" (0 1 0))"
           " (motion \"q1\" (+ 2 (* 3 t) (* 0.5 t t)))"
           " (initial (\"q1\" 2 3) (\"q2\" -2) (\"q3\" 2)))",
           coupler);
  return run_begin(text, NULL, &o);
}

static void drivers_pass_and_stop(void **state)
{
  (void)state;
  static const double steps[] = {0.005, 0.02, 0.05};
  for (int j = 0; j < NWAY; j++) {
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      cardan_report report = {0};
      run r = driven("2", &ways[j], steps[i]);
      assert_int_equal(go(&r, 1, &report), CARDAN_OK);
      assert_near(run_q(&r, "q3"), 5.5, 1e-9); // the crank's angle
      run_free(&r);
      r = driven("2.000001", &ways[j], steps[i]);
      assert_int_equal(go(&r, 1, &report), CARDAN_ERR_NO_ROOT);
      assert_non_null(strstr(report.message, "leap over"));
      assert_true(r.data->t < 0.36);
      run_free(&r);
    }
  }
}

// an integrator of fixed steps that cannot follow two bends at once stops; where it names a time,
// that is where it stops
static void a_stop_is_where_it_stops(void **state)
{
  (void)state;
  static const char named[] = "singular position at t = ";
  const hard_case *c = hard_find("nearly-row-2-1e-6");
  char *text = hard_model(c);
  const cardan_options o = run_options("aba:rk4", c->dt, c->time);
  run r = run_begin(text, NULL, &o);
  cardan_report report = {0};
  const cardan_status status = go(&r, c->time, &report);
  const char *when = strstr(report.message, named);
  assert_int_equal(status == CARDAN_ERR_SINGULAR, when != NULL);
  if (when != NULL) {
    assert_near(strtod(when + strlen(named), NULL), r.data->t, c->dt);
  }
  run_free(&r);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(too_long_steps_stop),    cmocka_unit_test(so_it_is_with_many_rows),
      cmocka_unit_test(shorter_steps_turn_off), cmocka_unit_test(branches_that_cross_are_passed),
      cmocka_unit_test(drivers_pass_and_stop),  cmocka_unit_test(a_stop_is_where_it_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
