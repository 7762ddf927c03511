// SPDX-License-Identifier: Apache-2.0
// Implicit integrators on a beam whose springs are stiffer than a step of a fixed-point iteration
// can take.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char BEAM[] =
    "(system (gravity 0 0 -9.81) (define c 1000) (place (0 0 0) (name \"p0\"))"
    " (repeat i 1 10 (at \"p{(- i 1)}\" (ry \"q{i}\" (tx 0.05 (mass 0.1 1e-4 1e-4 1e-4))"
    " (tx 0.1 (name \"p{i}\"))))) (repeat i 1 10 (joint-spring \"q{i}\" c 0)))";

/* omega h is about 15 for the fastest mode: the fixed-point iteration diverges. The beam sways as
 * bdf has it at a tolerance of 1e-12, and Gauss's methods keep its energy but for cubic terms. */
static void test_beam(void **state)
{
  static const char *const methods[] = {"aba:gauss4", "aba:midpoint", "hamilton:gauss4"};
  (void)state;
  const cardan_options exact = run_options("aba:bdf", 0.1, 1);
  run r = run_whole(BEAM, NULL, &exact);
  const double tip = run_q(&r, "q10"), root = run_q(&r, "q1");
  run_free(&r);
  for (int m = 0; m < 3; m++) {
    cardan_options o = run_options("aba", 0.002, 1);
    o.method = m < 2 ? "aba" : "hamilton";
    o.integrator = strchr(methods[m], ':') + 1;
    r = run_whole(BEAM, NULL, &o);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    print_message("%s: q1 %.3e off %.1e, drift %.1e J, %.1f rounds\n", methods[m], root,
                  run_q(&r, "q1") - root, stats.drift_max, stats.iterations_mean);
    assert_true(stats.drift_max < 1e-6);
    if (strcmp(o.integrator, "gauss4") == 0) { // the phases of the middle modes are off by less
      assert_near(run_q(&r, "q1"), root, 0.1 * fabs(root));
      assert_near(run_q(&r, "q10"), tip, 0.1 * fabs(root));
    }
    run_free(&r);
  }
}

/* From rest every other sweep of a linear vibration changes velocities alone: not the end of an
 * iteration that runs away, by 25 a sweep at omega h = 10. The amplitude stays, as Gauss's methods
 * have it of a linear vibration: to rounding. */
static void test_from_rest(void **state)
{
  static const char spring[] = "(system (tx \"x\" (mass 1 1 1 1)) (joint-spring \"x\" 1e6 0)"
                               " (initial (\"x\" 0.01)))";
  static const char *const methods[] = {"aba:midpoint", "aba:gauss4", "aba:trapezoid",
                                        "hamilton:midpoint", "baraff:midpoint"};
  (void)state;
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 1);
    run r = run_whole(spring, NULL, &o);
    const cardan_stats stats = cardan_sim_stats(r.sim);
    print_message("%s: drift %.1e of 50 J\n", methods[m], stats.drift_max);
    assert_true(stats.drift_max < 1e-9 * 50);
    run_free(&r);
  }
}

/* A run that continues from a snapshot has the bits of one that was not stopped: no matrix is
 * kept. */
static void test_snapshot(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:gauss4", 0.01, 1);
  run a = run_begin(BEAM, NULL, &o), b = run_begin(BEAM, NULL, &o);
  run_steps(&a, 7);
  const size_t size = cardan_sim_snapshot_size(a.sim);
  void *bytes = malloc(size);
  assert_non_null(bytes);
  assert_int_equal(cardan_sim_snapshot_save(a.sim, bytes, size, NULL), CARDAN_OK);
  assert_int_equal(cardan_sim_snapshot_load(b.sim, bytes, size, NULL), CARDAN_OK);
  run_steps(&a, 5);
  run_steps(&b, 5);
  assert_memory_equal(a.data->q, b.data->q, (size_t)a.model->nq * sizeof(double));
  free(bytes);
  run_free(&a);
  run_free(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_beam),
      cmocka_unit_test(test_from_rest),
      cmocka_unit_test(test_snapshot),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
