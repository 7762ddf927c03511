// SPDX-License-Identifier: Apache-2.0
// What every run promises: the same bits each time, no allocation in a step, the last good state
// after a failure, and every lack of memory an error without a leak.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char *const models[] = {
    "pendulum:5", "closed-chain", "slider-crank", "spherical-chain:4",
    "fourbar-3d", "lower-pairs",  "human"};
enum { NMODEL = sizeof models / sizeof models[0] };

static void test_no_allocation(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i < NMODEL; i++) {
    for (int k = 0; cardan_integrator_name(k) != NULL; k++) {
      cardan_options o = run_options("aba", 1e-3, 1);
      o.integrator = cardan_integrator_name(k);
      run r = run_load(models[i], NULL, &o);
      double *row = calloc((size_t)cardan_sim_columns(r.sim, 15), sizeof *row);
      run_start(&r);
      const long before = support_alloc_count();
      run_steps(&r, 5);
      if (support_alloc_count() != before) {
        fail_msg("%s with %s: %ld allocations in 5 steps", models[i], cardan_integrator_name(k),
                 support_alloc_count() - before);
      }
      assert_int_equal(cardan_sim_row(r.sim, 15, row), CARDAN_OK);
      assert_int_equal(support_alloc_count(), before);
      free(row);
      run_free(&r);
    }
  }
}

static void test_same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    const cardan_options o = run_options("aba:rk4", 1e-3, 0.1);
    run a = run_whole(models[i], NULL, &o), b = run_whole(models[i], NULL, &o);
    assert_memory_equal(a.data->q, b.data->q, (size_t)a.model->nq * sizeof(double));
    assert_memory_equal(a.data->v, b.data->v, (size_t)a.model->nv * sizeof(double));
    run_free(&a);
    run_free(&b);
  }
}

/* A spring that is far too stiff for the step: not finite soon, and the state before it is kept. */
static void test_failure_keeps_state(void **state)
{
  (void)state;
  static const char text[] =
      "(system (tx \"x\" (mass 1)) (joint-spring \"x\" 1e200 0) (initial (\"x\" 1)))";
  cardan_report report = {.message = ""};
  cardan_model *model;
  cardan_sim *sim;
  const cardan_options o = run_options("aba:euler", 1, 100);
  assert_int_equal(
      cardan_model_from_text(text, strlen(text), "t.mbs", NULL, 0, NULL, &model, &report),
      CARDAN_OK);
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  cardan_status status = CARDAN_OK;
  double t = 0, x = 0;
  const cardan_data *data = cardan_sim_data(sim); // t and q follow; no node is observed
  for (int i = 0; i < 100 && status == CARDAN_OK; i++) {
    t = data->t;
    x = data->q[0];
    status = cardan_sim_step(sim, &report);
  }
  assert_int_equal(status, CARDAN_ERR_NOT_FINITE);
  assert_true(cardan_sim_data(sim)->t == t && cardan_sim_data(sim)->q[0] == x);
  assert_true(isfinite(x));
  assert_non_null(strstr(report.message, "at t = "));
  assert_non_null(strstr(report.message, "try"));
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
}

static cardan_status load_and_step(const cardan_allocator *alloc, void *user)
{
  cardan_model *model;
  cardan_sim *sim = NULL;
  cardan_options o = run_options("aba:rk4", 1e-3, 1);
  cardan_status status = cardan_model_load(user, NULL, 0, alloc, &model, NULL);
  if (status == CARDAN_OK) {
    status = cardan_sim_create(model, &o, alloc, &sim, NULL);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_start(sim, NULL);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_step(sim, NULL);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status;
}

static void test_no_memory(void **state)
{
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s", models[i]);
    const long n = support_fail_each(load_and_step, name);
    assert_true(n > 5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_allocation),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_failure_keeps_state),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
