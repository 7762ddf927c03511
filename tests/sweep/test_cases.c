// SPDX-License-Identifier: Apache-2.0
// A case of a sweep is what a run by itself with its values is, to the bit: whatever differs, in
// whatever order cases are taken, and whatever became of the ones before.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/load.h"
#include "run.h"
#include "sweep/cases.h"

enum { MOST = 64 }; // cases of a sweep here

static const char *table; // the table of inputs of all sweeps; NULL: none

static cardan_sweep *make_sweep(const char *model, const cardan_options *options, const char *plan)
{
  cardan_sweep *sweep;
  cardan_report report = {0};
  char text[256];
  const cardan_record base = {.model = "test.mbs",
                              .text = model,
                              .length = strlen(model),
                              .options = options,
                              .input = table,
                              .input_length = table != NULL ? strlen(table) : 0,
                              .input_linear = true};
  const cardan_status status =
      cardan_sweep_create(&base, plan, strlen(plan), "plan", NULL, &sweep, &report);
  cardan_report_format(&report, text, sizeof text);
  if (status != CARDAN_OK) {
    fail_msg("%s", text);
  }
  assert_true(cardan_sweep_case_count(sweep) <= MOST);
  return sweep;
}

/* ---- a case by hand ---- */

/* A record's run through the public calls, as the command does it: (end COLUMN) and numbers of the
 * run, as the plan collects them. */
static cardan_status by_hand(const cardan_record *r, const cardan__plan *plan, double *value)
{
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  cardan_signals *signals = NULL;
  cardan_report report = {0};
  double row[256];
  const int add = CARDAN_ADD_MOMENTUM | CARDAN_ADD_CONTACTS;
  cardan_status status = cardan_model_from_text(r->text, r->length, r->model, r->setting,
                                                r->nsetting, NULL, &model, &report);
  status = status ? status : cardan_model_dynamic(model, &report);
  status = status ? status : cardan_options_prepare(r->options, model, &report);
  status = status ? status : cardan_sim_create(model, r->options, NULL, &sim, &report);
  if (status == CARDAN_OK && r->input != NULL) {
    status = cardan_signals_read(model, r->input, r->input_length, "table", r->input_linear, NULL,
                                 &signals, &report);
    cardan_sim_signals(sim, signals);
  }
  if (status == CARDAN_OK) {
    cardan_data *data = cardan_sim_data(sim);
    for (int i = 0; i < r->ninitial; i++) {
      cardan_place place;
      assert_int_equal(cardan_place_find(model, r->initial[i].name, &place, &report), CARDAN_OK);
      double *const to[] = {NULL, data->q, data->v, data->u};
      to[place.kind][place.index] = r->initial[i].value;
      if (place.kind != CARDAN_PLACE_INPUT) {
        (place.kind == CARDAN_PLACE_Q ? data->q_given : data->v_given)[place.index] = true;
      }
    }
    assert_true(r->ninitial == 0 || cardan_q_normalize(model, data->q));
    status = cardan_sim_start(sim, &report);
  }
  if (status == CARDAN_OK) {
    const int64_t steps = (int64_t)floor(r->options->time / r->options->dt + 1e-9);
    status = cardan_run(sim, steps, NULL, 0, NULL, &report);
    assert_true(cardan_sim_columns(sim, add) <= 256);
    assert_int_equal(cardan_sim_row(sim, add, row), CARDAN_OK);
    const cardan_stats stats = cardan_sim_stats(sim);
    const cardan__collect *c;
    for (int i = 0; (c = cardan__plan_collect(plan, i)) != NULL; i++) {
      value[i] = c->kind == CARDAN__COLLECT_END ? row[cardan_sim_find_column(sim, add, c->source)]
                 : c->kind == CARDAN__COLLECT_DRIFT      ? stats.drift_max
                 : c->kind == CARDAN__COLLECT_ERROR      ? stats.error.value
                 : c->kind == CARDAN__COLLECT_CONSTRAINT ? stats.constraint_max
                 : c->kind == CARDAN__COLLECT_ITERATIONS ? stats.iterations_mean
                                                         : (double)stats.evaluations;
    }
  }
  cardan_sim_destroy(sim);
  cardan_signals_destroy(signals);
  cardan_model_destroy(model);
  return status;
}

/* ---- all cases, in several orders ---- */

typedef struct {
  cardan__case end[MOST];
  double value[MOST][32];
} results;

/* Case (first + i stride) mod count for each i, n at a time. */
static void run_cases(const cardan_sweep *sweep, int64_t first, int64_t stride, int n, results *out)
{
  cardan__worker *w;
  cardan_report report = {0};
  const int64_t count = cardan_sweep_case_count(sweep);
  expect_ok(cardan__worker_create(sweep, &sweep->arena.alloc, &w, &report), &report, "worker");
  for (int64_t i = 0; i < count; i++) {
    out->end[i].value = out->value[i];
  }
  for (int64_t i = 0; i < count; i += n) {
    const int64_t at = (first + i * stride) % count;
    const int some = at + n <= count ? n : (int)(count - at);
    expect_ok(cardan__worker_run(w, at, some, 0, NULL, &out->end[at], &report), &report, "cases");
  }
  cardan__worker_destroy(w);
}

static void expect_same(const cardan_sweep *sweep, const results *a, const results *b)
{
  const size_t n = (size_t)cardan__plan_ncollect(sweep->plan);
  for (int64_t i = 0; i < cardan_sweep_case_count(sweep); i++) {
    assert_int_equal(a->end[i].number, i);
    assert_int_equal(a->end[i].status, b->end[i].status);
    assert_string_equal(a->end[i].message, b->end[i].message);
    if (memcmp(a->value[i], b->value[i], n * sizeof(double)) != 0) {
      fail_msg("case %d: %.17g and %.17g", (int)i, a->value[i][0], b->value[i][0]);
    }
  }
}

/* Of a sweep's cases as many fail as expected; the others are what they are by hand. */
static void check_sweep(const char *model, const cardan_options *options, const char *plan,
                        int failures)
{
  static results forth, back, mixed;
  cardan_sweep *sweep = make_sweep(model, options, plan);
  const int64_t count = cardan_sweep_case_count(sweep);
  const size_t n = (size_t)cardan__plan_ncollect(sweep->plan);
  run_cases(sweep, 0, 1, 5, &forth);
  run_cases(sweep, count - 1, count - 1, 1, &back);
  expect_same(sweep, &forth, &back);
  if (count > 4 && count % 7 != 0) {
    run_cases(sweep, 3, 7, 1, &mixed);
    expect_same(sweep, &forth, &mixed);
  }
  for (int64_t i = 0; i < count; i++) {
    double value[32];
    cardan_record record;
    cardan_report report = {0};
    expect_ok(cardan_sweep_case(sweep, i, &record, &report), &report, "case");
    const cardan_status status = by_hand(&record, sweep->plan, value);
    cardan_sweep_case_free(sweep, &record);
    failures -= status != CARDAN_OK;
    assert_int_equal(forth.end[i].status, status);
    assert_true((forth.end[i].message[0] == '\0') == (status == CARDAN_OK));
    if (status == CARDAN_OK && memcmp(value, forth.value[i], n * sizeof *value) != 0) {
      for (size_t k = 0; k < n; k++) {
        print_message("%zu: %.17g by hand, %.17g as a case\n", k, value[k], forth.value[i][k]);
      }
      fail_msg("case %d of %s", (int)i, plan);
    }
  }
  if (failures != 0) {
    fail_msg("%d failures more than of %s", -failures, plan);
  }
  cardan_sweep_destroy(sweep);
}

/* ---- what may differ ---- */

static const char two[] =
    "(system (define h 0.01) (define bodies 1) (parameter M 1) (parameter L 0.5) (parameter tilt "
    "0.1)"
    " (input \"push\" 0.5) (gravity 0 0 -9.81)"
    " (ry \"a\" (tz (neg L) (mass M) (joint revolute \"b\" (axis 0 1 tilt)"
    " (tz -0.4 (mass (* bodies 0.7) 0.01 0.02 0.03)))))"
    " (damping \"a\" 0.05) (torque \"b\" (* 0.3 u.push)) (output \"tip\" (* L (sin q.a)))"
    " (initial (\"a\" 0.6 0.2)) (keyframe \"up\" (\"a\" 3) (\"b\" 0.1))"
    " (keyframe \"side\" (\"a\" 1.5 -1)) (simulate (dt h) (time 0.5)))";

static cardan_options options_of(const char *model)
{
  cardan_report report = {0};
  cardan_options options = cardan_options_defaults();
  cardan_model *m = load_model(model, NULL);
  expect_ok(cardan_options_apply_model(&options, m, CARDAN_OPTIONS_OF_METHOD, &report), &report,
            "options");
  cardan_model_destroy(m);
  return options;
}

static void test_what_differs(void **state)
{
  (void)state;
  static const char collect[] = "(collect (end \"q.a\") (end \"v.b\") (end \"energy\") (end"
                                " \"y.tip\") (end \"L.y\") drift error iterations evaluations)";
  static const struct {
    const char *forms;
    int failures;
  } plans[] = {
      {"(grid \"q.a\" -0.5 0 0.5 1) (random \"v.b\" (uniform -1 1)) (count 3)", 0},
      {"(grid M 0.5 1 2) (range L 0.2 0.4 (count 4))", 0},         // parameters
      {"(grid M 1 -1 2 -3 3)", 2},                                 // of which two cannot be
      {"(grid bodies 1 2 0 3) (grid M 1 2)", 0},                   // a constant: the text again
      {"(grid tilt 0.1 0.3 0) (grid \"v.a\" 0 1)", 0},             // a parameter in an axis
      {"(grid h 0.01 0.005 0.02) (grid M 1 2)", 0},                // that options depend on
      {"(grid \"u.push\" 0 1 -1) (grid L 0.3 0.6)", 0},            // an input
      {"(keyframe up side) (grid M 1 3) (grid \"q.b\" 0 0.4)", 0}, // starts
      {"(option dt 0.01 0.002) (option method vi aba svi)", 0},
      {"(option method vi aba) (option integrator rk4 dopri5)", 2}, // vi has none
      {"(option method aba) (option integrator rk4 dopri5 dop853 bdf) (grid \"q.a\" 0 1)", 0},
      {"(option time 0.1 0.2 0.055)", 0},
      {"(option every 1 3 7)", 0},
      {"(option method vi) (option order 2 4 6) (grid M 1 1.5)", 4}, // they refuse damping
  };
  const cardan_options options = options_of(two);
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    char plan[1024];
    snprintf(plan, sizeof plan, "(plan %s %s)", plans[i].forms, collect);
    check_sweep(two, &options, plan, plans[i].failures);
  }
}

/* A table of inputs, which every model created again is given again. */
static void test_inputs(void **state)
{
  (void)state;
  const cardan_options options = options_of(two);
  table = "t,u.push\n0,1\n0.1,-2\n0.35,4\n";
  check_sweep(two, &options,
              "(plan (grid M 1 2) (grid bodies 1 2) (grid \"q.a\" 0 1)"
              " (collect (end \"q.a\") (end \"v.b\") drift))",
              0);
  table = NULL;
}

/* Loops: closed and ranked again with each geometry and tolerance; some cannot be closed. */
static void test_loops(void **state)
{
  (void)state;
  static const char loop[] =
      "(system (define far 0.5) (parameter M 1) (parameter W 0.5) (gravity 0 -9.81 0)"
      " (rz \"a\" (tx 0.2 (mass M 0.1 0.1 0.1) (rz \"b\" (tx far (mass 1 0.1 0.1 0.1) (rz \"c\""
      " (tx 0.4 (mass 0.5 0.1 0.1 0.1) (name \"P\"))))))) (place (W 0 0) (name \"Q\"))"
      " (coincide \"P\" \"Q\") (initial (\"a\" 1 2)) (simulate (time 0.1)))";
  static const char collect[] = "(collect (end \"q.b\") (end \"energy\") constraint evaluations)";
  const cardan_options options = options_of(loop);
  char plan[512];
  snprintf(plan, sizeof plan, "(plan (grid W 0.5 3 0.6) (grid M 1 2) (grid far 0.5 0.55) %s)",
           collect);
  check_sweep(loop, &options, plan, 4);
  snprintf(plan, sizeof plan,
           "(plan (grid W 0.5 0.6) (option closing 1e-6 1e-5) (option rank-tol 1e-4 1e-5) %s)",
           collect);
  check_sweep(loop, &options, plan, 0);
}

/* A tree with quaternions, a loop, a contact: what differs, and a coordinate. */
static const struct {
  const char *model, *vary, *q;
} items[] = {
    {"(system (gravity 0 0 -9.81) (joint spherical \"s\" (mass 1 0.02 0.03 0.04) (tx 0.2 (rx"
     " \"r\" (tz -0.3 (mass 0.5 0.01 0.01 0.01))))) (initial (\"s\" (1 0 0 0) (0.3 0.2 5))))",
     "(grid \"v.s.wz\" 5 -3) (grid \"q.s.qx\" 0.1 0.4)", "q.s.qw"},
    {"(system (gravity 0 -9.81 0) (rz \"a\" (tx 0.2 (mass 1 0.1 0.1 0.1) (rz \"b\" (tx 0.5"
     " (mass 1 0.1 0.1 0.1) (rz \"c\" (tx 0.4 (mass 0.5 0.1 0.1 0.1) (name \"P\")))))))"
     " (place (0.5 0 0) (name \"Q\")) (point-constraint \"P\" \"Q\" (1 0 0))"
     " (point-constraint \"P\" \"Q\" (0 1 0)) (initial (\"a\" 1 2)))",
     "(grid \"q.a\" 1 1.2) (grid \"v.a\" 2 -1)", "q.b"},
    {"(system (gravity 0 0 -9.81) (tz \"z\" (mass 1 0.1 0.1 0.1) (name \"A\") (solid sphere"
     " 0.1)) (place (0 0 0) (name \"floor\") (solid plane)) (contact \"A\" \"floor\""
     " (restitution 0.5)) (initial (\"z\" 0.3)))",
     "(grid \"q.z\" 0.3 0.12 0.5 0.2)", "q.z"},
};
enum { ITEMS = sizeof items / sizeof *items };

static bool method_takes(const char *text, const cardan_options *options)
{
  cardan_model *model = load_model(text, NULL);
  cardan_sim *sim;
  cardan_report report = {0};
  const cardan_status status = cardan_sim_create(model, options, NULL, &sim, &report);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status == CARDAN_OK;
}

/* Every method and integrator: a sim that is started again has forgotten all that it did before. */
static void test_methods(void **state)
{
  (void)state;
  const char *method;
  for (int k = 0; k < ITEMS; k++) {
    for (int i = 0; (method = run_method(i)) != NULL; i++) {
      char plan[512];
      cardan_options options = run_options(method, 0.01, 0.1);
      options.max_error = 1e9; // of ten steps by any method
      snprintf(plan, sizeof plan,
               "(plan %s (collect (end \"%s\") (end \"energy\") drift constraint evaluations))",
               items[k].vary, items[k].q);
      check_sweep(items[k].model, &options, plan, method_takes(items[k].model, &options) ? 0 : 4);
    }
  }
}

/* Coordinates that are taken as they are after a step are those of the table. */
static void test_plain(void **state)
{
  (void)state;
  static results plain, rows;
  const char *method;
  for (int k = 0; k < ITEMS; k++) {
    for (int i = 0; (method = run_method(i)) != NULL; i++) {
      cardan_options options = run_options(method, 0.01, 0.1);
      options.lanes = "off";
      for (int more = 0; more < 2; more++) {
        char plan[512];
        snprintf(plan, sizeof plan,
                 "(plan %s (collect (max \"%s\") (rms \"%s\") (mean t) (at 0.083 \"%s\") %s))",
                 items[k].vary, items[k].q, items[k].q, items[k].q,
                 more ? "(max energy) drift" : "");
        cardan_sweep *sweep = make_sweep(items[k].model, &options, plan);
        run_cases(sweep, 0, 1, 4, more ? &rows : &plain);
        cardan_sweep_destroy(sweep);
      }
      for (int c = 0; c < 4; c++) {
        assert_int_equal(plain.end[c].status, rows.end[c].status);
        assert_memory_equal(plain.value[c], rows.value[c], 4 * sizeof(double));
      }
    }
  }
}

/* A sentence names the file of its place, also where the text was not read for the case, and the
 * same one whichever case was before. */
static void test_sentences(void **state)
{
  (void)state;
  static const char model[] =
      "(system (define bodies 1) (parameter M 1) (input \"push\" 0)\n"
      "  (joint revolute \"a\" (axis 0 1 0) (limit -1 1) (tz -1 (name \"bob\")\n"
      "    (mass M 0.1 0.1 0.1)))\n"
      "  (when (> bodies 0) (tx \"b\" (mass 1))))";
  static const struct {
    const char *forms;
    int64_t number;
    const char *message;
  } plans[] = {
      {"(grid bodies 1 2) (grid \"q.a\" 0 7 8)", 2, "test.mbs:2:3: the start has joint \"a\" at 8"},
      {"(grid M 1 2 3) (grid \"q.a\" 0 7)", 1, "test.mbs:2:3: the start has joint \"a\" at 7"},
      {"(grid M 1 -2 3)", 1, "test.mbs:3:11: found the mass -2 kg"},
      {"(grid bodies 1 2) (option method aba vi) (option integrator rk4)", 3,
       "method vi has no option integrator"}, // which has no place
      {"(grid bodies 1 0)", 1, "the plan:1:39: the table of motion has no column \"q.b\""},
  };
  static const char input[] = "t,u.push\n0,1\n";
  static results forth, back;
  const cardan_options options = run_options("vi", 0.01, 0.05);
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
    char plan[256];
    cardan_sweep *sweep;
    cardan_report report = {0};
    const cardan_record base = {.model = "test.mbs",
                                .text = model,
                                .length = strlen(model),
                                .options = &options,
                                .input = input,
                                .input_length = strlen(input)};
    snprintf(plan, sizeof plan, "(plan %s (collect (end \"q.b\")))", plans[i].forms);
    expect_ok(cardan_sweep_create(&base, plan, strlen(plan), "plan", NULL, &sweep, &report),
              &report, plan);
    run_cases(sweep, 0, 1, 1, &forth);
    run_cases(sweep, cardan_sweep_case_count(sweep) - 1, cardan_sweep_case_count(sweep) - 1, 1,
              &back);
    expect_same(sweep, &forth, &back);
    assert_memory_equal(forth.end[plans[i].number].message, plans[i].message,
                        strlen(plans[i].message));
    cardan_sweep_destroy(sweep);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_what_differs), cmocka_unit_test(test_inputs),
      cmocka_unit_test(test_loops),        cmocka_unit_test(test_methods),
      cmocka_unit_test(test_plain),        cmocka_unit_test(test_sentences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
