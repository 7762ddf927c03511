// SPDX-License-Identifier: Apache-2.0
// Copies of models with constraints on velocities: lanes do not take them, so each has the bits of
// a run of its own, at any number of threads, and its own warning of a grip that would not hold.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch/lanes/model.h"
#include "run.h"

enum { COPIES = 6, STEPS = 50, MOST = 16, ROWS = 2 }; // rows: the start, and the end

typedef struct {
  double q0[COPIES * MOST], v0[COPIES * MOST];
  double q[COPIES * ROWS * MOST], v[COPIES * ROWS * MOST];
  cardan_rollout_end end[COPIES];
} copies;

static void roll_out(const cardan_model *model, const cardan_options *o, int nthread, copies *c)
{
  cardan_report report = {.message = ""};
  const cardan_rollout_args args = {.model = model,
                                    .options = o,
                                    .nthread = nthread,
                                    .nbatch = COPIES,
                                    .nstep = STEPS,
                                    .q0 = c->q0,
                                    .v0 = c->v0,
                                    .q = c->q,
                                    .v = c->v,
                                    .end = c->end};
  expect_ok(cardan_rollout(&args, &report), &report, "rollout");
}

/* Starts that differ in every velocity; assembly puts them on the rows. */
static void scatter(const cardan_model *model, copies *c)
{
  for (int i = 0; i < COPIES; i++) {
    memcpy(c->q0 + i * model->nq, model->q0, (size_t)model->nq * sizeof(double));
    for (int k = 0; k < model->nv; k++) {
      c->v0[i * model->nv + k] = model->v0[k] + 0.05 * sin(i + 3 * k);
    }
  }
}

static void bits_of_single_runs(void **state)
{
  static const struct {
    const char *model, *method;
  } cases[] = {{"car", "vi"},    {"car", "aba:rk4"},     {"bicycle", "svi"},
               {"segway", "vi"}, {"rolling-disc", "vi"}, {"trailer:4", "hamilton:rk4"}};
  static copies one, three;
  (void)state;
  for (size_t m = 0; m < sizeof cases / sizeof *cases; m++) {
    cardan_options o = run_options(cases[m].method, 0.005, 0);
    o.every = STEPS;
    run r = run_load(cases[m].model, NULL, &o);
    const size_t nq = (size_t)r.model->nq, nv = (size_t)r.model->nv;
    assert_in_range(nq, 1, MOST);
    assert_non_null(cardan__lanes_takes(r.model));
    scatter(r.model, &one);
    three = one;
    roll_out(r.model, &o, 1, &one);
    roll_out(r.model, &o, 3, &three);
    assert_memory_equal(one.q, three.q, COPIES * ROWS * nq * sizeof(double));
    assert_memory_equal(one.v, three.v, COPIES * ROWS * nv * sizeof(double));
    run_free(&r);
    for (size_t i = 0; i < COPIES; i++) {
      run s = run_load(cases[m].model, NULL, &o);
      memcpy(s.data->q, one.q0 + i * nq, nq * sizeof(double));
      memcpy(s.data->v, one.v0 + i * nv, nv * sizeof(double));
      run_start(&s);
      run_steps(&s, STEPS);
      expect_ok(cardan_sim_observe(s.sim), NULL, cases[m].model);
      assert_memory_equal(s.data->q, one.q + (ROWS * i + 1) * nq, nq * sizeof(double));
      assert_memory_equal(s.data->v, one.v + (ROWS * i + 1) * nv, nv * sizeof(double));
      run_free(&s);
    }
  }
}

/* A ball under a growing torque, which friction 0.3 holds for 0.16481 s, whatever its velocity: all
 * copies are warned of, those after one that has its warning too. */
static void warnings_of_each(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 -9.81) (joint free \"b\" (mass 2 0.008 0.008 0.008))"
      " (roll \"b\" \"world\" (ball 0.1) (grip 0.3))"
      " (wrench world \"b\" (0 0 0) (0 (* 5 t) 0)) (initial (\"b\" (0 0 0.1 1 0 0 0))))";
  static copies c;
  (void)state;
  const cardan_options o = run_options("vi", 0.005, 0);
  cardan_model *ball = load_model(model, NULL);
  cardan_options seldom = o;
  seldom.every = STEPS;
  scatter(ball, &c);
  roll_out(ball, &seldom, 2, &c);
  for (int i = 0; i < COPIES; i++) {
    assert_non_null(strstr(c.end[i].note, "at t = 0.165 \"roll1\" needs friction of"));
  }
  cardan_model_destroy(ball);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bits_of_single_runs),
      cmocka_unit_test(warnings_of_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
