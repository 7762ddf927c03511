// SPDX-License-Identifier: Apache-2.0
// Memory, failures, repetition and options of the maximal methods.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "maximal_fixture.h"

static const char *const methods[] = {"baraff", "half-implicit", "fully-implicit", "rattle"};

// a step takes no memory, whatever solver is under it
static void no_memory(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  static const char *const models[] = {"biped",       "slider-crank", "scissor:20",
                                       "lower-pairs", "bicycle",      "spherical-chain:5"};
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 6; k++) {
      const cardan_options o = run_options(methods[i], 1e-4, 1);
      run r = run_begin(models[k], NULL, &o);
      run_steps(&r, 2);
      const long before = support_alloc_count();
      run_steps(&r, 20);
      assert_int_equal(support_alloc_count(), before);
      run_free(&r);
    }
  }
}

// loading and running a lift of 1000 rows keeps nothing dense: one matrix of its 2000 constraint
// rows over 2001 coordinates would be 32 MB
static void long_lift_in_little_memory(void **state)
{
  (void)state;
  support_memory memory = {0};
  const cardan_allocator alloc = support_allocator(&memory);
  cardan_report report = {.message = ""};
  cardan_model *model;
  cardan_sim *sim;
  const cardan_options o = run_options("half-implicit", 1e-3, 1);
  assert_int_equal(cardan_model_load("scissor:1000", NULL, 0, &alloc, &model, &report), CARDAN_OK);
  assert_int_equal(model->rank, 2000);
  assert_int_equal(cardan_sim_create(model, &o, &alloc, &sim, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_step(sim, &report), CARDAN_OK);
  assert_true(memory.bytes_max < 30 << 20);
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  assert_int_equal(memory.blocks, 0);
}

typedef struct {
  const cardan_model *model;
  const char *method;
} scenario_of;

static cardan_status create_and_step(const cardan_allocator *alloc, void *user)
{
  const scenario_of *s = user;
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  const cardan_options o = run_options(s->method, 1e-3, 1);
  cardan_status status = cardan_sim_create(s->model, &o, alloc, &sim, &report);
  if (status == CARDAN_OK) {
    status = cardan_sim_start(sim, &report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_step(sim, &report);
  }
  cardan_sim_destroy(sim);
  return status;
}

// every allocation of creating a stepper may fail: nothing is lost, and the status reports it
static void failing_memory(void **state)
{
  (void)state;
  static const char *const models[] = {"biped", "scissor:20", "bicycle"};
  for (int k = 0; k < 3; k++) {
    mechanism f = load_mechanism(models[k], NULL, true);
    for (int i = 0; i < 4; i++) {
      scenario_of s = {f.model, methods[i]};
      assert_true(support_fail_each(create_and_step, &s) > 3);
    }
    free_mechanism(&f);
  }
}

// a step that does not converge leaves the node as it was, names the row; a smaller one continues
static void failed_step(void **state)
{
  (void)state;
  for (int i = 1; i < 4; i++) {
    cardan_options o = run_options(methods[i], 2, 10); // far too long a step
    cardan_report report = {.message = ""};
    run r = run_begin("biped", NULL, &o);
    double q[8], v[8];
    memcpy(q, r.data->q, 5 * sizeof *q);
    memcpy(v, r.data->v, 5 * sizeof *v);
    assert_true(cardan_sim_step(r.sim, &report) != CARDAN_OK);
    print_message("%s: %s\n", methods[i], report.message);
    r.data = cardan_sim_data(r.sim);
    assert_true(r.data->t == 0);
    assert_memory_equal(q, r.data->q, 5 * sizeof *q);
    assert_memory_equal(v, r.data->v, 5 * sizeof *v);
    assert_true(r.data->info.joint >= 0 || r.data->info.row >= 0);
    run_free(&r);
  }
}

// the same run gives the same bits, also after a restart of the same stepper
static void same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < 8; i++) {
    const char *model = i < 4 ? "biped" : "bicycle"; // which has constraints on velocities
    const cardan_options o = run_options(methods[i % 4], 1e-3, 0.1);
    cardan_report report = {.message = ""};
    run a = run_whole(model, NULL, &o), b = run_whole(model, NULL, &o);
    const size_t size = (size_t)a.model->nq * sizeof(double);
    assert_memory_equal(a.data->q, b.data->q, size);
    assert_memory_equal(a.data->v, b.data->v, size);
    cardan_data_reset(b.model, b.data);
    assert_int_equal(cardan_sim_start(b.sim, &report), CARDAN_OK);
    run_steps(&b, 100);
    assert_memory_equal(a.data->q, b.data->q, size);
    run_free(&a);
    run_free(&b);
  }
}

// all solvers take the same steps
static void solvers(void **state)
{
  (void)state;
  static const struct {
    const char *method, *solver[4];
  } cases[] = {{"baraff", {"sparse", "dense", "schur", NULL}},
               {"half-implicit", {"tree", "sparse", "dense", NULL}},
               {"fully-implicit", {"tree", "sparse", "dense", NULL}},
               {"rattle", {"tree", "sparse", "dense", NULL}}};
  for (int i = 0; i < 8; i++) { // the drive has a redundant row on velocities
    double first[8];
    for (int k = 0; k < 3; k++) {
      cardan_options o = run_options(cases[i % 4].method, 1e-3, 0.2);
      o.solver = cases[i % 4].solver[k];
      run r = run_whole(i < 4 ? "biped" : "differential-drive", NULL, &o);
      if (k == 0) {
        memcpy(first, r.data->q, 5 * sizeof *first);
      }
      assert_near_vec(r.data->q, first, 5, 1e-9); // rounding, magnified by 200 steps
      run_free(&r);
    }
  }
}

// words that do not belong to a method are refused by name, and so are models without inertia
static void refused(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  cardan_sim *sim = NULL;
  mechanism f = load_mechanism("biped", NULL, true);
  cardan_options o = run_options("half-implicit", 1e-3, 1);
  o.solver = "riqn";
  assert_int_equal(cardan_sim_create(f.model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
  print_message("%s\n", report.message);
  assert_non_null(strstr(report.message, "tree"));
  free_mechanism(&f);
  cardan_model *model = NULL;
  o.solver = NULL;
  assert_int_equal(cardan_model_load("pendulum", NULL, 0, NULL, &model, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "\"theta\""));
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_memory),      cmocka_unit_test(long_lift_in_little_memory),
      cmocka_unit_test(failing_memory), cmocka_unit_test(failed_step),
      cmocka_unit_test(same_bits),      cmocka_unit_test(solvers),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
