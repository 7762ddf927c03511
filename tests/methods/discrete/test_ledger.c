// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run.h"

/* The work of drivers: the balance of energy closes to the order of the method. */

#define MOTION "(motion \"a\" (+ (* 0.5 (sin (* 3 t))) (* 0.3 t)))"
#define START "(gravity 0 0 -9.81) (initial (\"b\" 0.3 1))"

static const char *const driven[] = {
    // by a prescribed coordinate; by a row on a dynamic one; by a wire that is wound up; by a force
    "(system " START "(ry (k \"a\") (mass 1 .1 .1 .1)"
    " (tx 1 (ry \"b\" (mass 1 .1 .1 .1) (tx 0.5 (mass 1)))))" MOTION ")",
    "(system " START "(ry \"a\" (mass 1 .1 .1 .1)"
    " (tx 1 (ry \"b\" (mass 1 .1 .1 .1) (tx 0.5 (mass 1)))))" MOTION ")",
    "(system (gravity 0 0 -9.81) (ry \"a\" (mass 1 .1 .1 .1) (tx 1 (ry \"b\" (mass 1 .1 .1 .1)"
    " (tx 0.8 (mass 1) (name \"P\") (ry \"c\" (mass 1 .1 .1 .1) (tx 0.5 (mass 1)))))))"
    " (tx 2 (name \"Q\")) (wire \"P\" \"Q\" (+ 1.2 (* 0.2 (sin (* 3 t)))))"
    " (initial (\"a\" 0.3) (\"b\" 0.9) (\"c\" 0.3 1)))",
    "(system " START "(ry \"a\" (mass 1 .1 .1 .1)"
    " (tx 1 (ry \"b\" (mass 1 .1 .1 .1) (tx 0.5 (mass 1) (name \"P\")))))"
    " (wrench world \"P\" ((* 5 (sin (* 3 t))) 0 0) (0 0 0)))",
};

/* Largest |balance| over 1.2 s. */
static double imbalance(const char *text, const char *method, int order, double dt)
{
  cardan_options options = run_options(method, dt, 1.2);
  options.order = order;
  run r = run_begin(text, NULL, &options);
  for (int i = (int)lround(1.2 / dt); i > 0; i--) {
    run_steps(&r, 1);
    assert_int_equal(cardan_sim_observe(r.sim), CARDAN_OK);
  }
  const double drift = cardan_sim_stats(r.sim).drift_max;
  run_free(&r);
  return drift;
}

// halving dt of 0.04 (order 6: 0.06, above rounding) gains 2^order, to what higher terms leave
static void balance_has_the_order(void **state)
{
  (void)state;
  const char *const methods[] = {"vi", "svi"};
  for (int i = 0; i < 4; i++) {
    for (int m = 0; m < 2; m++) {
      for (int order = 2; order <= 6; order += 2) {
        const double dt = order == 6 ? 0.06 : 0.04;
        const double coarse = imbalance(driven[i], methods[m], order, dt);
        const double fine = imbalance(driven[i], methods[m], order, dt / 2);
        const double measured = log2(coarse / fine);
        print_message("model %d, %s order %d: %.2f, %.1e J\n", i, methods[m], order, measured,
                      fine);
        assert_true(measured > order - 0.35);
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(balance_has_the_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
