// SPDX-License-Identifier: Apache-2.0
// Contact that cannot be as it is requested: what is reported, where, and that nothing has moved.
#include <stdio.h>
#include <string.h>

#include "run.h"

#define FLOOR "(place (0 0 0) (name \"floor\") (solid plane)) "
#define CRATE "(joint free \"crate\" (mass 2 1 1 1) (solid box 0.4 0.3 0.2)) "
#define PRESS "(tz (k \"press\") (mass 1 1 1 1) (solid box 1 1 0.1)) "

/* Starts it: must be wrong, at that line, with all of part in the message. */
static void starts_badly(const char *model, const char *method, int line, const char *part)
{
  const cardan_options options = run_options(method, 0.01, 1);
  cardan_report report = {.message = ""};
  run r = run_load(model, NULL, &options);
  assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_ASSEMBLY);
  if (strstr(report.message, part) == NULL) {
    fail_msg("\"%s\" has no \"%s\"", report.message, part);
  }
  assert_int_equal(report.pos.line, line);
  assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_ARGUMENT);
  run_free(&r);
}

static void starts_that_overlap(void **state)
{
  (void)state;
  starts_badly(
      "(system " FLOOR CRATE "\n(contact all)\n(initial (\"crate.z\" 0.05)))", "vi", 2,
      "\"crate\" and \"floor\" overlap at the start by 0.05 m: move \"crate\" by (0 0 0.05),");
  starts_badly("(system " CRATE "(joint free \"ball\" (mass 1 1 1 1) (solid sphere 0.1))"
               "\n\n(contact \"ball\" \"crate\") (initial (\"ball.x\" 0.29)))",
               "vi", 3, "overlap at the start by 0.01 m: move \"crate\" by (-0.01 0 0),");
  starts_badly("(system (tx \"a\" (mass 1) (name \"a\")) (place (2 0 0) (name \"hook\"))"
               "\n(rope \"a\" \"hook\" 1.5))",
               "vi", 2, "the start is beyond rope \"rope1\"");
  starts_badly("(system (tx \"a\" (mass 1))\n(inequality (- q.a 1)))", "svi", 2,
               "the start is 1 m or rad beyond inequality \"inequality1\"");
  for (int m = 0; m < 4; m++) {
    starts_badly("(system (tx \"a\" (mass 1))\n(stop \"a\" -1 1) (initial (\"a\" 1.5)))",
                 (const char *const[]){"vi", "svi", "aba", "hamilton"}[m], 2,
                 "the start is 0.5 m or rad beyond stop \"stop1.high\"");
  }
}

// What rounding may leave is no mistake, and decays
static void small_overlaps_decay(void **state)
{
  (void)state;
  const cardan_options options = run_options("vi", 0.01, 1);
  run r = run_whole("(system (gravity 0 0 -10) " FLOOR CRATE
                    "(contact all) (initial (\"crate.z\" 0.0999999)))",
                    NULL, &options);
  assert_near(run_q(&r, "crate.z"), 0.1, 1e-12);
  run_free(&r);
}

// A start into the floor is an impact at t = 0, counted, and its node is the one after it
static void starts_that_strike(void **state)
{
  (void)state;
  const cardan_options options = run_options("vi", 0.01, 1);
  run r = run_begin("(system " FLOOR CRATE "(contact all (restitution 0.5))"
                    " (initial (\"crate\" (0 0 0.1 1 0 0 0) (0 0 0 0 0 -1))))",
                    NULL, &options);
  const cardan_contact_stats stats = cardan_sim_stats(r.sim).contact;
  assert_int_equal(stats.impacts, 1);
  assert_near(stats.lost, 0.75, 1e-12); // m v^2 (1 - e^2) / 2
  assert_near(run_v(&r, "crate.vz"), 0.5, 1e-12);
  run_free(&r);
}

/* Steps until it fails: with both parts in the message, later than t, and the node stays as it was,
 * however often it is tried. */
static void runs_badly(const char *model, double t, const char *part, const char *other)
{
  cardan_options options = run_options("vi", 0.01, 1);
  options.impacts = "located";
  cardan_report report = {.message = ""};
  run r = run_begin(model, NULL, &options);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 100 && status == CARDAN_OK; i++) {
    status = cardan_sim_step(r.sim, &report);
  }
  assert_int_not_equal(status, CARDAN_OK);
  if (strstr(report.message, part) == NULL || strstr(report.message, other) == NULL) {
    fail_msg("\"%s\" has no \"%s\" or no \"%s\"", report.message, part, other);
  }
  const double end = cardan_sim_data(r.sim)->t, q = r.data->q[0];
  assert_true(end >= t && end < t + 0.02);
  assert_int_equal(cardan_sim_step(r.sim, &report), status);
  assert_true(cardan_sim_data(r.sim)->t == end && r.data->q[0] == q);
  run_free(&r);
}

// Prescribed bodies follow their motion: into the floor, into one another, onto what has nowhere to
// go
static void driven_bodies_that_meet(void **state)
{
  (void)state;
  runs_badly("(system " FLOOR PRESS "(motion \"press\" (- 0.5 t)) (contact all))", 0.44,
             "\"press\"", "\"floor\"");
  runs_badly("(system " PRESS "(tz (k \"anvil\") (mass 1 1 1 1) (solid box 1 1 0.1))"
             "(motion \"press\" (- 0.5 t)) (motion \"anvil\" (* 0.5 t)) (contact all))",
             0.26, "\"press\"", "\"anvil\"");
  runs_badly("(system " FLOOR PRESS "(tz \"ball\" (mass 1 1 1 1) (solid sphere 0.1))"
             "(motion \"press\" (- 0.5 t)) (contact all) (initial (\"ball\" 0.1)))",
             0.24, "\"ball\"", "nothing can stop it");
}

// 250 sliders that meet their stops one after the other, all of them within a step
static void too_many_events(void **state)
{
  (void)state;
  static char text[32768] = "(system ";
  size_t used = strlen(text);
  for (int i = 0; i < 250; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "(tx \"s%d\" (mass 1)) (stop \"s%d\" -1 %g) (initial (\"s%d\" 0 1))",
                             i, i, 3e-5 * (i + 1), i);
  }
  assert_true(used + 2 < sizeof text);
  text[used++] = ')';
  text[used] = 0;
  runs_badly(text, 0, "of more than 200 events in a step", "stop \"stop");
}

// A gap that has no value is no open one: at the start, and where a run comes to that
static void gaps_without_value(void **state)
{
  (void)state;
  const cardan_options options = run_options("vi", 0.01, 1);
  cardan_report report = {.message = ""};
  run r = run_load("(system (tz \"a\" (mass 1)) (inequality (sqrt q.a)) (initial (\"a\" -1)))",
                   NULL, &options);
  assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_NOT_FINITE);
  assert_non_null(strstr(report.message, "inequality \"inequality1\" is not a number"));
  run_free(&r);
  runs_badly("(system (gravity 0 0 -10) (tz \"a\" (mass 1)) (inequality (+ 1 (sqrt q.a)))"
             "(initial (\"a\" 1)))",
             0.43, "inequality \"inequality1\"", "not a number");
}

// .. and what closes just before it has none is met: (log a) + 5 at e^-5, steps of 0.04 m
static void gaps_that_end(void **state)
{
  (void)state;
  const cardan_options options = run_options("vi", 0.01, 1);
  for (int i = 0; i < 10; i++) {
    char text[160];
    (void)snprintf(text, sizeof text,
                   "(system (gravity 0 0 -10) (tz \"a\" (mass 1)) (inequality (+ 5 (log q.a)))"
                   "(initial (\"a\" %g)))",
                   1 + 0.005 * i);
    run r = run_whole(text, NULL, &options);
    assert_near(run_q(&r, "a"), 0.006737946999085467, 1e-12);
    run_free(&r);
  }
}

// One body on many feet
static void many_feet(void **state)
{
  (void)state;
  const cardan_options options = run_options("vi", 0.01, 0.3);
  static char text[4096];
  size_t used = (size_t)snprintf(
      text, sizeof text, "(system (gravity 0 0 -10) " FLOOR "(joint free \"body\" (mass 1 1 1 1)");
  for (int i = 0; i < 12; i++) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "(place (%g %g -0.05) (name \"f%d\") (solid box 0.05 0.05 0.1))",
                             0.2 * (i % 4), 0.2 * (i / 4), i);
  }
  (void)snprintf(text + used, sizeof text - used, ") (contact all) (initial (\"body.z\" 0.11)))");
  run r = run_whole(text, NULL, &options);
  assert_near(run_q(&r, "body.z"), 0.1, 1e-9);
  run_free(&r);
}

// Tolerances are lengths: solids that are not much larger cause a warning
static void small_solids(void **state)
{
  (void)state;
  cardan_options options = run_options("vi", 0.01, 1);
  cardan_report report = {.message = ""};
  for (int small = 0; small < 2; small++) {
    char text[256];
    (void)snprintf(text, sizeof text,
                   "(system " FLOOR "(joint free \"ball\" (mass 1 1 1 1) (solid sphere %g))"
                   "(contact all) (initial (\"ball.z\" 1)))",
                   small ? 1e-6 : 1e-5);
    run r = run_begin(text, NULL, &options);
    assert_int_equal(strstr(cardan_sim_note(r.sim), "solid \"ball\" is 2e-06 m thick") != NULL,
                     small);
    run_free(&r);
    options.strict = true;
    r = run_load(text, NULL, &options);
    assert_int_equal(cardan_sim_start(r.sim, &report), small ? CARDAN_ERR_ASSEMBLY : CARDAN_OK);
    options.strict = false;
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_that_overlap), cmocka_unit_test(small_overlaps_decay),
      cmocka_unit_test(starts_that_strike),  cmocka_unit_test(driven_bodies_that_meet),
      cmocka_unit_test(too_many_events),     cmocka_unit_test(gaps_without_value),
      cmocka_unit_test(gaps_that_end),       cmocka_unit_test(many_feet),
      cmocka_unit_test(small_solids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
