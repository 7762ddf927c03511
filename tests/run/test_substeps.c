// SPDX-License-Identifier: Apache-2.0
// Option adapt: a step in parts where it has no root, or changes the energy too much.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lift.h"
#include "run.h"
#include "support.h"

static cardan_options options(const char *method, double dt, double adapt)
{
  cardan_options o = run_options(method, dt, 100);
  o.adapt = adapt;
  return o;
}

/* ---- where nothing is hard, nothing changes ---- */

static void test_same_bits(void **state)
{
  static const char *const methods[] = {"vi", "svi", "rattle", "half-implicit"};
  static const char *const models[] = {"four-link", "double-pendulum", "slider-crank"};
  (void)state;
  for (int i = 0; i < 12; i++) {
    const cardan_options plain = options(methods[i % 4], 0.005, 0);
    const cardan_options parts = options(methods[i % 4], 0.005, 0.1);
    run a = run_begin(models[i / 4], NULL, &plain), b = run_begin(models[i / 4], NULL, &parts);
    for (int k = 0; k < 200; k++) {
      run_steps(&a, 1);
      run_steps(&b, 1);
      assert_memory_equal(a.data->q, b.data->q, (size_t)a.model->nq * sizeof *a.data->q);
    }
    assert_int_equal(cardan_sim_stats(b.sim).parted, 0);
    assert_true(cardan_sim_stats(a.sim).evaluations == cardan_sim_stats(b.sim).evaluations);
    run_free(&a);
    run_free(&b);
  }
}

/* ---- over folds ---- */

/* Lifts whose whole step has a fold at 90 deg. Energy within 2 % of the kinetic one there: it walks
 * by about 0.1 % a passage; half-implicit has velocities of the middle of steps, whose energies are
 * half a step apart. */
static void test_lift(void **state)
{
  static const struct {
    const char *method;
    double energy, branch;
  } cases[] = {{"vi", 0.02, 1e-10},
               {"svi", 0.02, 1e-10},
               {"rattle", 0.02, 1e-9},
               {"half-implicit", 0.03, 1e-9}};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = options(cases[i].method, 0.01, 1e-3);
    const lift_figures f = lift_run("scissor:15", &o, 500);
    lift_print("scissor:15", &o, &f);
    assert_true(f.energy < cases[i].energy && f.off_branch < cases[i].branch);
    assert_in_range(f.parted, 5, 100);
  }
}

/* The built-in lift of many rows runs with its own options: at 0.01 s whole steps end at 0.78 s. */
static void test_own_options(void **state)
{
  cardan_report report = {.message = ""};
  cardan_options o = cardan_options_defaults();
  cardan_model *model = NULL;
  (void)state;
  assert_int_equal(cardan_model_load("scissor:15", NULL, 0, NULL, &model, &report), CARDAN_OK);
  assert_int_equal(cardan_options_apply_model(&o, model, CARDAN_OPTIONS_OF_METHOD, &report),
                   CARDAN_OK);
  cardan_model_destroy(model);
  run r = run_begin("scissor:15", NULL, &o);
  run_steps(&r, 100);
  assert_true(cardan_sim_stats(r.sim).parted > 0);
  run_free(&r);
}

/* There and back: the choice of parts is the same question both ways. */
static void test_there_and_back(void **state)
{
  static const struct {
    const char *model, *method;
    double dt;
    int steps;
  } cases[] = {{"scissor:12", "vi", 0.01, 200},
               {"scissor:12", "svi", 0.01, 200},
               {"scissor:12", "rattle", 0.01, 200},
               {"chain:10", "vi", 0.1, 20}};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = options(cases[i].method, cases[i].dt, 1e-3);
    int64_t parted[2];
    const double off = lift_there_and_back(cases[i].model, &o, cases[i].steps, parted);
    print_message("%s %s: %lld steps in parts there, %lld back, off by %.1e\n", cases[i].model,
                  cases[i].method, (long long)parted[0], (long long)parted[1], off);
    assert_true(parted[0] > 0 && parted[0] == parted[1]);
    assert_true(off < 1e-6);
  }
}

/* ---- work ---- */

/* Dampers, a driver, and the caller's forces do work: (A1) uses the energy less that work, and the
 * balance holds to its tolerance. */
static void test_work(void **state)
{
  static const char damped[] =
      "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 .1 .1 .1) (ry \"b\" (tz -1 (mass 1 .1 "
      ".1 "
      ".1) (ry \"c\" (tz -1 (mass 1 .1 .1 .1))))))) (damping 0.05) (torque \"c\" (* 0.3 (sin t)))"
      " (initial (\"a\" 2) (\"b\" 1)))";
  static const char driven[] =
      "(system (gravity 0 0 -9.81) (ry (k \"a\") (tz -1 (mass 1 .1 .1 .1) (ry \"b\" (tz -1 (mass 1 "
      ".1 "
      ".1 .1) (ry \"c\" (tz -1 (mass 1 .1 .1 .1))))))) (motion \"a\" (sin (* 2 t)))"
      " (initial (\"b\" 2)))";
  static const char *const models[] = {damped, driven}, *const methods[] = {"vi", "svi", "rattle"};
  (void)state;
  for (int i = 0; i < 6; i++) {
    const cardan_options o = options(methods[i % 3], 0.1, 1e-3);
    run r = run_begin(models[i / 3], NULL, &o);
    r.data->tau_in[1] = 0.5;
    double kinetic = 0;
    for (int k = 0; k < 50; k++) {
      run_steps(&r, 1);
      kinetic = fmax(kinetic, cardan_kinetic(r.model, cardan_sim_data(r.sim)));
    }
    const cardan_stats s = cardan_sim_stats(r.sim);
    print_message("%s %s: balance within %.2g of %.3g J, %lld of 50 steps in parts\n",
                  i < 3 ? "damped" : "driven", methods[i % 3], s.drift_max, kinetic,
                  (long long)s.parted);
    assert_true(s.parted > 10);
    assert_true(s.drift_max < 0.02 * kinetic);
    run_free(&r);
  }
}

/* ---- the state ---- */

/* A state saved on the way, and restored in another sim, continues to the same bits. */
static void test_saved(void **state)
{
  static const char *const methods[] = {"vi", "svi", "rattle", "half-implicit"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = options(methods[i], 0.05, 1e-3);
    run a = run_begin("chain:10", NULL, &o), b = run_load("chain:10", NULL, &o);
    run_steps(&a, 20);
    const size_t size = cardan_sim_snapshot_size(a.sim);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(cardan_sim_snapshot_save(a.sim, bytes, size, NULL), CARDAN_OK);
    assert_int_equal(cardan_sim_snapshot_load(b.sim, bytes, size, NULL), CARDAN_OK);
    run_steps(&a, 20);
    run_steps(&b, 20);
    assert_memory_equal(a.data->q, b.data->q, (size_t)a.model->nq * sizeof *a.data->q);
    assert_true(cardan_sim_stats(a.sim).parted == cardan_sim_stats(b.sim).parted);
    free(bytes);
    run_free(&a);
    run_free(&b);
  }
}

/* All levels fail: the node is as before, and the message is of the last part. */
static void test_used_up(void **state)
{
  static const char leash[] =
      "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (name \"A\") (mass 1 .1 .1 .1)))"
      " (ry \"b\" (tz -1 (name \"B\") (mass 1 .1 .1 .1)))"
      " (wire \"A\" \"B\" (+ 1 t) (name \"leash\")) (initial (\"a\" 0.5) (\"b\" -0.5)))";
  (void)state;
  const cardan_options o = options("vi", 0.013, 0.5);
  cardan_report report = {.message = ""};
  run r = run_begin(leash, NULL, &o);
  cardan_status status = CARDAN_OK;
  double q[2] = {0}, t = 0;
  while (status == CARDAN_OK && t < 2) {
    t = cardan_sim_data(r.sim)->t;
    memcpy(q, r.data->q, sizeof q);
    status = cardan_sim_step(r.sim, &report);
  }
  print_message("%s\n", report.message);
  assert_true(status != CARDAN_OK && t < 1.01);
  assert_true(r.data->t == t);
  assert_memory_equal(r.data->q, q, sizeof q);
  run_free(&r);
}

static void test_no_memory(void **state)
{
  static const char *const methods[] = {"vi", "svi", "rattle", "half-implicit"};
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i < 4; i++) {
    const cardan_options o = options(methods[i], 0.1, 1e-3);
    run r = run_begin("chain:10", NULL, &o);
    run_steps(&r, 1);
    const long before = support_alloc_count();
    run_steps(&r, 20);
    assert_int_equal(support_alloc_count(), before);
    assert_true(cardan_sim_stats(r.sim).parted > 5);
    run_free(&r);
  }
}

static void test_refused(void **state)
{
  static const struct {
    const char *method, *start;
    int order;
  } cases[] = {{"vi", NULL, 4}, {"svi", "two-point", 2}, {"aba", NULL, 2}, {"baraff", NULL, 2}};
  (void)state;
  cardan_model *model = load_model("pendulum", NULL);
  for (int i = 0; i < 4; i++) {
    cardan_options o = options(cases[i].method, 0.01, 1e-3);
    cardan_report report = {.message = ""};
    cardan_sim *sim = NULL;
    o.order = cases[i].order;
    o.start = cases[i].start;
    assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
    assert_non_null(strstr(report.message, "adapt"));
  }
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),      cmocka_unit_test(test_lift),
      cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_work),
      cmocka_unit_test(test_saved),          cmocka_unit_test(test_used_up),
      cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_own_options)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
