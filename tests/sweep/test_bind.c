// SPDX-License-Identifier: Apache-2.0
// A plan and its model: what is reported of a plan that does not fit, columns, cases as records,
// time limits, memory.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/sweep.h"
#include "run.h"
#include "sweep/cases.h"

static const char arm[] =
    "(system (define wide 0.2) (parameter M 1) (parameter twice 2) (define half (/ M 2))"
    " (input \"push\" 0.5) (input \"pull\" 1) (gravity 0 0 -9.81)"
    " (ry \"a\" (tz -0.5 (mass M) (ry \"b\" (tz -0.4 (mass 0.7 wide wide wide)))))"
    " (rz (k \"turn\") (mass 1 1 1 1)) (motion \"turn\" (* 2 t)) (torque \"b\" (* twice u.push))"
    " (torque \"a\" u.pull) (initial (\"a\" 0.6)) (keyframe \"up\" (\"a\" 3))"
    " (simulate (dt 0.01) (time 0.5)))";
static const char table[] = "t,u.pull\n0,1\n0.3,2\n";

static cardan_status create(const char *forms, const cardan_allocator *alloc, cardan_sweep **out,
                            cardan_report *report)
{
  static const cardan_setting settings[] = {{"wide", 0.3}}, starts[] = {{"v.b", 2}, {"q.a", 0.1}};
  char plan[1024];
  cardan_options options = cardan_options_defaults();
  options.dt = 0.01;
  options.time = 0.5;
  const cardan_record base = {.model = "arm.mbs",
                              .text = arm,
                              .length = strlen(arm),
                              .options = &options,
                              .setting = settings,
                              .nsetting = 1,
                              .initial = starts,
                              .ninitial = 2,
                              .input = table,
                              .input_length = strlen(table)};
  snprintf(plan, sizeof plan, "(plan\n %s)", forms);
  return cardan_sweep_create(&base, plan, strlen(plan), "plan.txt", alloc, out, report);
}

static cardan_sweep *make(const char *forms)
{
  cardan_sweep *sweep;
  cardan_report report = {0};
  expect_ok(create(forms, NULL, &sweep, &report), &report, forms);
  return sweep;
}

/* What can be seen to be wrong is reported when the sweep is made, with its place. */
static void test_messages(void **state)
{
  (void)state;
  static const struct {
    const char *forms, *message;
  } items[] = {
      {"(grid MM 1) (collect drift)", "plan.txt:2:8: found a value for the constant \"MM\""},
      {"(grid wibe 1) (collect drift)", "did you mean \"wide\"?"},
      {"(grid \"q.c\" 1) (collect drift)", "plan.txt:2:8: the model has no \"q.c\""},
      {"(grid \"v.torn\" 1) (collect drift)", "did you mean \"v.turn\"?"},
      {"(grid \"q.turn\" 1) (collect drift)", "plan.txt:2:8: \"q.turn\" follows its (motion ..)"},
      {"(input \"u.pusch\" 1) (collect drift)", "did you mean \"u.push\"?"},
      {"(input \"u.pull\" 1) (collect drift)", "has a column in the table of inputs"},
      {"(option dtt 1) (collect drift)", "there is no option \"dtt\"; did you mean \"dt\"?"},
      {"(option dt 0.1 -1 0.2) (collect drift)", "dt is -1, expected more than 0"},
      {"(option method vi abba) (collect drift)", "did you mean \"aba\"?"},
      {"(keyframe up op) (collect drift)", "no keyframe \"op\"; did you mean \"up\"?"},
      {"(grid M 1) (collect (end \"q.aa\"))", "no column \"q.aa\"; did you mean \"q.a\"?"},
      {"(grid M 1)\n (collect drift\n  (max \"nothing at all\"))",
       "plan.txt:4:8: the table of motion has no column \"nothing at all\""},
      {"(grid M 1) (collect (at 0.6 \"q.a\"))", "found a value at t = 0.6 s"},
  };
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    cardan_sweep *sweep = NULL;
    cardan_report report = {0};
    char text[1024];
    const cardan_status status = create(items[i].forms, NULL, &sweep, &report);
    cardan_report_format(&report, text, sizeof text);
    if (status != CARDAN_ERR_ARGUMENT || sweep != NULL) {
      fail_msg("%s: status %d, %s", items[i].forms, status, text);
    }
    if (strstr(text, items[i].message) == NULL || strncmp(text, "plan.txt:", 9) != 0) {
      fail_msg("%s: \"%s\", expected \"%s\"", items[i].forms, text, items[i].message);
    }
  }
}

/* Columns of --add are there when they are requested; a time may be beyond some of the runs. */
static void test_taken(void **state)
{
  (void)state;
  static const char *const columns[] = {"case", "status",  "M",           "start.q.a",  "u.push",
                                        "time", "end.L.x", "max.balance", "at.0.4.q.b", "last"};
  cardan_sweep *sweep = make("(grid M 1 2) (init \"q.a\" (grid 0 1 2)) (input \"u.push\" 3)"
                             " (option time 0.3 0.5)"
                             " (collect (end \"L.x\") (max \"balance\") (at 0.4 \"q.b\")"
                             " (end \"R.a.fx\" (as last)))");
  assert_int_equal(cardan_sweep_case_count(sweep), 12);
  assert_int_equal(cardan_sweep_column_count(sweep), 10);
  for (int k = 0; k < 10; k++) {
    assert_string_equal(cardan_sweep_column(sweep, k), columns[k]);
  }
  assert_null(cardan_sweep_column(sweep, 10));
  cardan__worker *w;
  cardan_report report = {0};
  double value[2][4];
  cardan__case end[2] = {{.value = value[0]}, {.value = value[1]}};
  expect_ok(cardan__worker_create(sweep, &sweep->arena.alloc, &w, &report), &report, "worker");
  expect_ok(cardan__worker_run(w, 0, 2, 0, NULL, end, &report), &report, "cases");
  assert_true(isnan(value[0][2]) && isfinite(value[1][2])); // 0.3 s and 0.5 s
  assert_true(isfinite(value[0][0]) && isfinite(value[0][3]));
  cardan__worker_destroy(w);
  cardan_sweep_destroy(sweep);
}

/* A case as a record: what the base has, with the values of the plan over it. */
static void test_record(void **state)
{
  (void)state;
  cardan_sweep *sweep = make("(grid WIDE 1 2) (grid M 3 4) (init \"q.a\" (grid 5 6))"
                             " (init \"q.b\" 7) (option dt 0.1 0.25) (collect drift)");
  cardan_record r;
  cardan_report report = {0};
  expect_ok(cardan_sweep_case(sweep, 13, &r, &report), &report, "case"); // 1 1 0 1 in twos
  assert_int_equal(r.nsetting, 2);
  assert_string_equal(r.setting[0].name, "wide");
  assert_true(r.setting[0].value == 2 && r.setting[1].value == 4);
  assert_int_equal(r.ninitial, 3);
  assert_true(r.initial[0].value == 2 && r.initial[1].value == 5 && r.initial[2].value == 7);
  assert_true(r.options->dt == 0.25 && r.options->time == 0.5);
  assert_string_equal(r.text, arm);
  assert_string_equal(r.input, table);
  cardan_sweep_case_free(sweep, &r);
  for (int i = 0; i < 2; i++) {
    report = (cardan_report){0};
    assert_int_equal(cardan_sweep_case(sweep, i == 0 ? -1 : 16, &r, &report), CARDAN_ERR_ARGUMENT);
    assert_non_null(strstr(report.message, "expected 0 to 15"));
  }
  cardan_sweep_destroy(sweep);
}

/* A case that takes too long is a row; one that is stopped by the caller is none. */
static void test_limits(void **state)
{
  (void)state;
  static const char *const plans[] = {
      "(input \"u.push\" 1) (option time 1e9) (collect (end \"q.a\") drift steps)",
      "(input \"u.push\" 1) (option time 0.1) (collect (end \"q.a\") drift steps)"};
  const atomic_int stop = 1;
  for (int i = 0; i < 2; i++) {
    cardan_sweep *sweep = make(plans[i]);
    cardan__worker *w;
    cardan_report report = {0};
    double value[3];
    cardan__case end = {.value = value};
    expect_ok(cardan__worker_create(sweep, &sweep->arena.alloc, &w, &report), &report, "worker");
    expect_ok(cardan__worker_run(w, 0, 1, i == 0 ? 0.01 : 100, NULL, &end, &report), &report, "");
    assert_int_equal(end.status, i == 0 ? CARDAN_ERR_STOPPED : CARDAN_OK);
    assert_string_equal(end.message, i == 0 ? "took more than 0.01 s" : "");
    for (int k = 0; k < 3; k++) {
      assert_true(isnan(value[k]) == (i == 0));
    }
    if (i == 0) {
      assert_int_equal(cardan__worker_run(w, 0, 1, 0, &stop, &end, &report), CARDAN_ERR_STOPPED);
    }
    cardan__worker_destroy(w);
    cardan_sweep_destroy(sweep);
  }
}

/* Everything that a sweep does, with memory that runs out. */
static cardan_status use_all(const cardan_allocator *alloc, void *user)
{
  cardan_sweep *sweep = NULL;
  cardan__worker *w = NULL;
  cardan_report report = {0};
  double value[4][2];
  cardan__case end[4];
  cardan_record record;
  cardan_status status = create(user, alloc, &sweep, &report);
  status = status ? status : cardan__worker_create(sweep, &sweep->arena.alloc, &w, &report);
  for (int i = 0; i < 4; i++) {
    end[i].value = value[i];
  }
  status = status ? status : cardan__worker_run(w, 0, 4, 0, NULL, end, &report);
  for (int i = 0; i < 4 && status == CARDAN_OK; i++) {
    assert_int_equal(end[i].status, CARDAN_OK);
  }
  cardan__worker_destroy(w);
  status = status ? status : cardan_sweep_case(sweep, 1, &record, &report);
  if (status == CARDAN_OK) {
    cardan_sweep_case_free(sweep, &record);
  }
  cardan_sweep_destroy(sweep);
  return status;
}

static void test_no_memory(void **state)
{
  (void)state;
  char all[] = "(grid wide 1 2) (grid M 1 2) (option time 0.02) (collect (end \"q.a\") drift)";
  char starts[] = "(range \"q.a\" 1 2 (count 4)) (set \"u.push\" 1) (option time 0.02)"
                  " (collect (max \"q.a\") (end \"v.b\"))";
  assert_true(support_fail_each(use_all, all) > 50);
  assert_true(support_fail_each(use_all, starts) > 20);
}

/* However many cases: a worker holds what it held before, whatever they create, and where they
 * fail. */
static void test_flat(void **state)
{
  (void)state;
  static const char *const plans[] = {
      "(range \"q.a\" 0 1 (count 100)) (collect (max \"energy\") drift)",
      "(range \"q.a\" 0 1 (count 100)) (collect (max \"q.a\") (end \"v.b\"))",
      "(grid M 1 -1) (range wide 0.1 0.2 (count 50)) (option time 0.05) (collect (end \"q.a\") "
      "drift)",
      "(range wide 0.1 0.2 (count 25)) (option method vi aba) (grid M 1 -1) (collect drift steps)"};
  for (size_t p = 0; p < sizeof plans / sizeof *plans; p++) {
    support_memory memory = {0};
    const cardan_allocator alloc = support_allocator(&memory);
    cardan_sweep *sweep;
    cardan__worker *w;
    cardan_report report = {0};
    double value[4][2];
    cardan__case end[4];
    expect_ok(create(plans[p], &alloc, &sweep, &report), &report, plans[p]);
    expect_ok(cardan__worker_create(sweep, &sweep->arena.alloc, &w, &report), &report, "worker");
    size_t bytes = 0;
    long blocks = 0;
    for (int i = 0; i < 100; i += 4) {
      for (int k = 0; k < 4; k++) {
        end[k].value = value[k];
      }
      expect_ok(cardan__worker_run(w, i, 4, 0, NULL, end, &report), &report, "cases");
      blocks = i == 0 ? memory.blocks : blocks;
      bytes = i == 0 ? memory.bytes : bytes;
      assert_true(memory.blocks <= blocks && memory.bytes <= bytes); // less after a failure
    }
    cardan__worker_destroy(w);
    cardan_sweep_destroy(sweep);
    assert_int_equal(memory.blocks, 0);
  }
}

/* An axis of an option of any length takes no time before the first case. */
static void test_long_axis(void **state)
{
  (void)state;
  cardan_sweep *sweep =
      make("(option dt (range 1e-3 1e-2 (count 1000000000000))) (collect (end \"q.a\"))");
  assert_int_equal(cardan_sweep_case_count(sweep), 1000000000000);
  cardan_sweep_destroy(sweep);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages),  cmocka_unit_test(test_taken),
      cmocka_unit_test(test_record),    cmocka_unit_test(test_limits),
      cmocka_unit_test(test_no_memory), cmocka_unit_test(test_flat),
      cmocka_unit_test(test_long_axis),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
