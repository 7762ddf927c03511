// SPDX-License-Identifier: Apache-2.0
// Tables of inputs along straight lines, under integrators that choose their own steps: exact, and
// without a new start but at the table's own rows.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/signals.h"
#include "run.h"

enum { NROW = 5 };
static const double T[NROW] = {0.13, 0.5, 0.5004, 0.9, 1.7};
static const double F[NROW] = {0, 2, 1, -1, 0.5};
static const char TABLE[] = "t,f\n0.13,0\n0.5,2\n0.5004,1\n0.9,-1\n1.7,0.5\n";
// 2 kg on a slider, pushed by the input; before the table it is 0.25 N
static const char SLIDER[] = "(system (input \"f\" 0.25) (tx \"x\" (mass 2)) (torque \"x\" u.f))";

/* x and v of the slider at t, from rest: cubics between the rows. */
static void slide(double t, double *x, double *v)
{
  *x = *v = 0;
  double from = 0;
  for (int i = -1; i < NROW && from < t; i++) {
    const double end = i + 1 < NROW ? fmin(T[i + 1], t) : t, h = end - from;
    const double f = i < 0 ? 0.25 : F[i];
    const double slope = i < 0 || i + 1 == NROW ? 0 : (F[i + 1] - F[i]) / (T[i + 1] - T[i]);
    *x += h * *v + (f * h * h / 2 + slope * h * h * h / 6) / 2;
    *v += (f * h + slope * h * h / 2) / 2;
    from = end;
  }
}

static run begin(const char *method, double dt, cardan_signals **signals)
{
  cardan_report report = {0};
  const cardan_options o = run_options(method, dt, 2);
  run r = run_load(SLIDER, NULL, &o);
  assert_int_equal(
      cardan_signals_read(r.model, TABLE, strlen(TABLE), "in.csv", true, NULL, signals, &report),
      CARDAN_OK);
  cardan_sim_signals(r.sim, *signals);
  run_start(&r);
  return r;
}

/* Tolerances are 1e-12 relative; a thousand of them over a run of a few hundred steps. */
static void test_exact_between_rows(void **state)
{
  static const char *const methods[] = {"aba:bdf",    "aba:adams",  "aba:ode45", "aba:rkf45",
                                        "aba:dopri5", "aba:dop853", "hamilton"};
  (void)state;
  for (int m = 0; m < 7; m++) {
    cardan_signals *signals;
    run r = begin(methods[m], 0.01, &signals);
    for (int k = 1; k <= 200; k++) {
      double x, v;
      run_steps(&r, 1);
      slide(0.01 * k, &x, &v);
      const double tol = strncmp(methods[m], "aba", 3) == 0 ? 1e-9 : 1e-4;
      assert_near(run_q(&r, "x"), x, tol);
      assert_near(run_v(&r, "x"), v, tol);
    }
    const int64_t restarts = cardan_sim_stats(r.sim).restarts;
    print_message("%s: %d evaluations, %d restarts\n", methods[m],
                  (int)cardan_sim_stats(r.sim).evaluations, (int)restarts);
    assert_int_equal(restarts, m < 6 ? NROW : 0);
    run_free(&r);
    cardan_signals_destroy(signals);
  }
}

/* Inputs beside the table are held, and a change of one is a new start. */
static void test_others_are_held(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:bdf", 0.1, 2);
  cardan_report report = {0};
  cardan_signals *signals;
  run r = run_load("(system (input \"f\" 0) (input \"g\" 1) (tx \"x\" (mass 1))"
                   " (torque \"x\" (+ u.f u.g)))",
                   NULL, &o);
  assert_int_equal(
      cardan_signals_read(r.model, "t,f\n0,0\n2,2\n", 12, "in.csv", true, NULL, &signals, &report),
      CARDAN_OK);
  cardan_sim_signals(r.sim, signals);
  run_start(&r);
  run_steps(&r, 10);
  assert_int_equal(cardan_sim_stats(r.sim).restarts, 0);
  assert_near(run_v(&r, "x"), 0.5 + 1, 1e-9); // integral of t + 1
  r.data->u[1] = -1;
  run_steps(&r, 10);
  assert_int_equal(cardan_sim_stats(r.sim).restarts, 1);
  assert_near(run_v(&r, "x"), 2 + 1 - 1, 1e-9);
  run_free(&r);
  cardan_signals_destroy(signals);
}

/* A saved run, of an integrator whose history is ours, continues to the same bits. */
static void test_snapshot(void **state)
{
  (void)state;
  cardan_signals *of_a, *of_b;
  run a = begin("aba:dop853", 0.07, &of_a), b = begin("aba:dop853", 0.07, &of_b);
  run_steps(&a, 9);
  const size_t size = cardan_sim_snapshot_size(a.sim);
  void *bytes = malloc(size);
  assert_non_null(bytes);
  assert_int_equal(cardan_sim_snapshot_save(a.sim, bytes, size, NULL), CARDAN_OK);
  assert_int_equal(cardan_sim_snapshot_load(b.sim, bytes, size, NULL), CARDAN_OK);
  run_steps(&a, 9);
  run_steps(&b, 9);
  assert_true(run_q(&a, "x") == run_q(&b, "x") && run_v(&a, "x") == run_v(&b, "x"));
  assert_true(cardan_sim_stats(a.sim).evaluations == cardan_sim_stats(b.sim).evaluations);
  free(bytes);
  run_free(&a);
  run_free(&b);
  cardan_signals_destroy(of_a);
  cardan_signals_destroy(of_b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact_between_rows),
      cmocka_unit_test(test_others_are_held),
      cmocka_unit_test(test_snapshot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
