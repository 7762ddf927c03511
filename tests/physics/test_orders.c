// SPDX-License-Identifier: Apache-2.0
// Measured orders of the fixed-step integrators on whole models: the error against a tight
// reference falls by 2^order when the step is halved.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* Largest difference of coordinates to the reference at time T. */
static double error_at(const char *model, const char *integrator, double T, int steps,
                       const double *reference)
{
  cardan_options o = run_options("aba", T / steps, T);
  o.integrator = integrator;
  run r = run_whole(model, NULL, &o);
  double worst = 0;
  for (int k = 0; k < r.model->nq; k++) {
    worst = fmax(worst, fabs(r.data->q[k] - reference[k]));
  }
  run_free(&r);
  return worst;
}

/* Order from the last of three halvings. The band of 0.15 is what the next term of the error leaves
 * at these steps. */
static void expect_order(const char *model, const char *integrator, double T, int steps,
                         double order)
{
  const cardan_options o = run_options("aba:dopri5", T, T);
  run r = run_whole(model, NULL, &o);
  double *reference = calloc((size_t)r.model->nq, sizeof *reference);
  assert_non_null(reference);
  memcpy(reference, r.data->q, (size_t)r.model->nq * sizeof *reference);
  run_free(&r);
  const double coarse = error_at(model, integrator, T, steps, reference);
  const double fine = error_at(model, integrator, T, 2 * steps, reference);
  const double measured = log2(coarse / fine);
  print_message("%-16s %-14s order %.2f\n", model, integrator, measured);
  assert_near(measured, order, 0.15);
  free(reference);
}

static void test_open(void **state)
{
  (void)state;
  expect_order("pendulum:5", "euler", 0.5, 4000, 1);
  expect_order("pendulum:5", "semi-implicit", 0.5, 2000, 1);
  expect_order("pendulum:5", "rk2", 0.5, 400, 2);
  expect_order("pendulum:5", "rk4", 0.5, 100, 4);
  expect_order("pendulum:5", "trapezoid", 0.5, 200, 2);
  expect_order("pendulum:5", "rkf45-fixed", 0.5, 100, 4);
}

static void test_quaternions(void **state)
{
  (void)state;
  expect_order("top", "euler", 0.5, 16000, 1);
  expect_order("top", "semi-implicit", 0.5, 4000, 1);
  expect_order("top", "rk2", 0.5, 1000, 2);
  expect_order("top", "rk4", 0.5, 400, 4);
}

static void test_closed(void **state)
{
  (void)state;
  expect_order("biped", "rk2", 0.4, 400, 2);
  expect_order("biped", "rk4", 0.4, 100, 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_open),
      cmocka_unit_test(test_quaternions),
      cmocka_unit_test(test_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
