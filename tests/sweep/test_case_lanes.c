// SPDX-License-Identifier: Apache-2.0
// Cases side by side, in lanes: what a run alone gives, to round-off, and the same bits whoever
// their neighbours are, however many are requested at once, and where some of them fail.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/sweep.h"
#include "run.h"
#include "sweep/case_lanes.h"
#include "sweep/cases.h"

enum { CASES = 40, NUMBERS = 12 };

static const char two[] =
    "(system (parameter M 1) (define far 0.5) (input \"push\" 0.5) (gravity 0 0 -9.81)"
    " (ry \"a\" (tz (neg far) (mass M) (ry \"b\" (tz -0.4 (mass 0.7)))))"
    " (actuator \"motor\" \"b\" \"push\") (damping \"a\" 0.02)"
    " (output \"tip\" (* 0.5 (sin q.a))) (initial (\"a\" 0.6 0.2)))";
static const char ball[] =
    "(system (gravity 0 0 -9.81) (joint spherical \"s\" (tz -0.3 (mass 1 0.1 0.2 0.3)))"
    " (initial (\"s\" (1 0 0 0) (0.3 0.2 1))))";

typedef struct {
  cardan__case end[CASES];
  double value[CASES][NUMBERS];
} results;

static cardan_options options_of(const char *method, const char *integrator, const char *lanes)
{
  cardan_options o = cardan_options_defaults();
  o.method = method;
  o.integrator = integrator;
  o.dt = 0.01;
  o.time = 0.3;
  o.lanes = lanes;
  return o;
}

/* All cases, n at a time, from the last on. */
static void run_all(const char *model, const cardan_options *options, const char *forms, int n,
                    double seconds, results *out)
{
  char plan[1100];
  cardan_sweep *sweep;
  cardan__worker *w;
  cardan_report report = {0};
  const cardan_record base = {
      .model = "test.mbs", .text = model, .length = strlen(model), .options = options};
  snprintf(plan, sizeof plan, "(plan %s)", forms);
  expect_ok(cardan_sweep_create(&base, plan, strlen(plan), "plan", NULL, &sweep, &report), &report,
            "sweep");
  assert_int_equal(cardan_sweep_case_count(sweep), CASES);
  assert_true(cardan__plan_ncollect(sweep->plan) <= NUMBERS);
  memset(out->value, 0, sizeof out->value);
  expect_ok(cardan__worker_create(sweep, &sweep->arena.alloc, &w, &report), &report, "worker");
  for (int i = 0; i < CASES; i++) {
    out->end[i].value = out->value[i];
  }
  for (int i = (CASES - 1) / n * n; i >= 0; i -= n) {
    const int some = CASES - i < n ? CASES - i : n;
    expect_ok(cardan__worker_run(w, i, some, seconds, NULL, &out->end[i], &report), &report, "");
  }
  cardan__worker_destroy(w);
  cardan_sweep_destroy(sweep);
}

static void expect_same(const results *a, const results *b)
{
  for (int i = 0; i < CASES; i++) {
    assert_int_equal(a->end[i].number, i);
    assert_int_equal(a->end[i].status, b->end[i].status);
    assert_string_equal(a->end[i].message, b->end[i].message);
    assert_memory_equal(a->value[i], b->value[i], sizeof a->value[i]);
  }
}

static const char all[] = "(collect (end \"q.a\") (start \"v.a\") (min \"q.b\") (max \"v.a\") (mean"
                          " \"y.tip\") (rms \"q.a\") (integral \"q.b\") (at 0.123 \"q.a\")"
                          " (cross \"q.a\" 0) (cross \"q.b\" 0.3 up) steps)";

static void test_same(void **state)
{
  (void)state;
  static const char *const methods[][2] = {{"vi", NULL}, {"aba", "rk4"}, {"aba", "semi-implicit"}};
  static results alone, eights, ones, fives;
  char forms[1024];
  snprintf(forms, sizeof forms,
           "(random \"q.a\" (uniform -1 1)) (random \"v.b\" (normal 0 1)) (input \"u.push\" (grid 0"
           " 1)) (count 20) (set M 0.8) (set far 0.4) (option time 0.5) %s",
           all);
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    const cardan_options off = options_of(methods[m][0], methods[m][1], "off");
    const cardan_options on = options_of(methods[m][0], methods[m][1], NULL);
    run_all(two, &off, forms, 8, 0, &alone);
    run_all(two, &on, forms, 8, 0, &eights);
    run_all(two, &on, forms, 1, 0, &ones);
    run_all(two, &on, forms, 5, 100, &fives);
    expect_same(&eights, &ones);
    expect_same(&eights, &fives);
    bool differ = false;
    for (int i = 0; i < CASES; i++) {
      assert_int_equal(eights.end[i].status, CARDAN_OK);
      for (int k = 0; k < NUMBERS; k++) {
        const double a = alone.value[i][k], b = eights.value[i][k];
        assert_true(isnan(a) == isnan(b));
        if (!isnan(a)) {
          // vi: its root's tolerance of 1e-12 or so, in 50 steps
          assert_near(a, b, 1e-9 * (1 + fabs(a)));
        }
        differ = differ || a != b;
      }
    }
    assert_true(differ); // else they did not go in lanes
  }
}

/* A quaternion of length 0 among them: a failure of its own, and the others as ever. */
static void test_trouble(void **state)
{
  (void)state;
  static results mixed, good;
  const cardan_options on = options_of("vi", NULL, NULL);
  run_all(ball, &on,
          "(list (\"q.s.qw\" \"q.s.qx\") (1 0.1) (1 0.2) (1 0.3) (0 0)) (range \"v.s.wx\" 0 9"
          " (count 10)) (collect (max \"q.s.qx\") (end \"v.s.wx\"))",
          8, 0, &mixed);
  run_all(ball, &on,
          "(list (\"q.s.qw\" \"q.s.qx\") (1 0.1) (1 0.2) (1 0.3) (1 0.5)) (range \"v.s.wx\" 0 9"
          " (count 10)) (collect (max \"q.s.qx\") (end \"v.s.wx\"))",
          3, 0, &good);
  for (int i = 0; i < CASES; i++) {
    if (i >= 30) { // a worker meets these first
      assert_int_equal(mixed.end[i].status, CARDAN_ERR_ARGUMENT);
      assert_non_null(strstr(mixed.end[i].message, "quaternion whose length is 0"));
      assert_true(isnan(mixed.value[i][0]));
    } else {
      assert_int_equal(mixed.end[i].status, CARDAN_OK);
      assert_memory_equal(mixed.value[i], good.value[i], 2 * sizeof(double));
    }
  }
}

/* Too long, all of them; and a motion that lanes give up. */
static void test_over(void **state)
{
  (void)state;
  static results late;
  cardan_options on = options_of("vi", NULL, NULL);
  on.time = 1e6;
  run_all(two, &on, "(range \"q.a\" 0 1 (count 40)) (collect (end \"q.a\") steps)", 40, 1e-4,
          &late);
  for (int i = 0; i < CASES; i++) {
    assert_int_equal(late.end[i].status, CARDAN_ERR_STOPPED);
    assert_string_equal(late.end[i].message, "took more than 0.0001 s");
    assert_true(isnan(late.value[i][0]) && isnan(late.value[i][1]));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same),
      cmocka_unit_test(test_trouble),
      cmocka_unit_test(test_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
