// SPDX-License-Identifier: Apache-2.0
// Threads that share one model: each has a sim of its own, all go at once, and every motion is the
// one that a single thread computes, to the bit. The thread sanitizer runs it in `make test`.
#define _POSIX_C_SOURCE 200809L // barriers
#include <pthread.h>
#include <string.h>

#include "run.h"

enum { MAX_THREADS = 32, STEPS = 60 };

typedef struct {
  const cardan_model *model;
  pthread_barrier_t *gate;
  cardan_options options;
  cardan_status status;
  uint64_t hash;
} job;

static void *work(void *argument)
{
  job *j = argument;
  pthread_barrier_wait(j->gate);
  j->status = run_hash(j->model, &j->options, STEPS, &j->hash);
  return NULL;
}

/* Each method twice, all at once, on one model; against each method alone. */
static void expect_same(const char *name, const char *setting, const char *const *methods)
{
  job jobs[MAX_THREADS] = {{.model = NULL}};
  pthread_t threads[MAX_THREADS];
  pthread_barrier_t gate;
  int n = 0;
  for (int i = 0; methods[i / 2] != NULL; i++) {
    assert_true(n < MAX_THREADS);
    cardan_options o = run_options(methods[i / 2], 2e-3, 0);
    o.rtol = o.atol = 1e-7; // the default of run.h is finer than CVODE can go
    cardan_options_drop_unused(&o);
    jobs[n++] = (job){.options = o, .gate = &gate};
  }
  run r = run_load(name, setting, &jobs[0].options);
  assert_int_equal(pthread_barrier_init(&gate, NULL, (unsigned)n), 0);
  for (int i = 0; i < n; i++) {
    jobs[i].model = r.model;
    assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
  }
  for (int i = 0; i < n; i++) {
    assert_int_equal(pthread_join(threads[i], NULL), 0);
  }
  for (int i = 0; i < n; i++) {
    uint64_t alone = 0;
    const cardan_status status = run_hash(r.model, &jobs[i].options, STEPS, &alone);
    if (status != CARDAN_OK || jobs[i].status != CARDAN_OK || jobs[i].hash != alone) {
      fail_msg("%s by %s: %016llx (%s) beside others, %016llx (%s) alone", name, methods[i / 2],
               (unsigned long long)jobs[i].hash, cardan_status_text(jobs[i].status),
               (unsigned long long)alone, cardan_status_text(status));
    }
  }
  pthread_barrier_destroy(&gate);
  run_free(&r);
}

static void test_tree(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi",        "svi",    "hamilton", "half-implicit",
                                        "rattle",    "baraff", "aba:rk4",  "aba:gauss4",
                                        "aba:ode45", NULL};
  expect_same("human", NULL, methods);
}

/* Loops of a plane; friction and a driver with an expression. */
static void test_loops(void **state)
{
  (void)state;
  static const char *const plane[] = {"vi", "svi", "hamilton", "aba:rk4", "aba:dopri5", NULL};
  static const char *const driven[] = {"vi",      "svi", "half-implicit", "rattle", "aba:rk4",
                                       "aba:bdf", NULL};
  expect_same("closed-chain", NULL, plane);
  expect_same("slider-crank", "mu=0.1", driven);
}

/* Quaternions; and enough rows for a matrix that LAPACK factors. */
static void test_large(void **state)
{
  (void)state;
  static const char *const spherical[] = {"vi", "hamilton", "rattle", "aba:semi-implicit", NULL};
  static const char *const dense[] = {"vi", "svi", "half-implicit", "aba:rk4", NULL};
  expect_same("spherical-chain:20", NULL, spherical);
  expect_same("scissor:24", NULL, dense);
}

/* Boxes and balls that fall on the floor and on one another, slide and bounce. */
static void test_contacts(void **state)
{
  (void)state;
  static const char *const methods[] = {"vi", "vi", "vi", NULL};
  expect_same("(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\") (solid plane))"
              " (place (0 0 0.1) (joint free \"crate\" (mass 2 .02 .02 .02) (solid box .4 .3 .2)))"
              " (place (0.1 0 0.31) (joint free \"b\" (mass 1 .02 .02 .02) (solid box .2 .2 .2)))"
              " (place (1 0 0.11) (joint free \"c\" (mass 1 .004 .004 .004) (solid sphere 0.1)))"
              " (contact all (friction 0.3) (restitution 0.6)))",
              NULL, methods);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree),
      cmocka_unit_test(test_loops),
      cmocka_unit_test(test_large),
      cmocka_unit_test(test_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
