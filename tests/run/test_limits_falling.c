// SPDX-License-Identifier: Apache-2.0
// Joints that rest on their limits in free fall: nothing presses them, and the sum of the forces
// that cancel is rounding, of either sign.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "run.h"
#include "support.h"

enum { LEGS = 4, MOST = 4000 };

/* A body and legs of three hinges with other lengths and masses every time; the knees start on a
 * limit, as 0 is outside, and so do some hips. */
static void legged(support_rng *random, char *text)
{
  size_t at = (size_t)snprintf(text, MOST,
                               "(system (gravity 0 0 -9.81) (joint free \"b\" (tx %g tz -0.005"
                               " (mass 6.9 0.024 0.098 0.107 0.0001 0.0015 0))",
                               0.1 * support_random_in(random, -1, 1));
  for (int leg = 0; leg < LEGS; leg++) {
    double x[6];
    for (int k = 0; k < 6; k++) {
      x[k] = support_random_in(random, 0.05, 0.3);
    }
    at += (size_t)snprintf(
        text + at, MOST - at,
        " (tx %g ty %g (joint revolute \"hip%d\" (axis 1 0 0) (limit %g 1)"
        " (mass %g 0.0005 0.0009 0.0006) (ty %g (joint revolute \"thigh%d\" (axis 0 1 0)"
        " (limit -0.5 4.5) (tz %g (mass %g 0.006 0.006 0.001)) (tz %g (joint revolute \"calf%d\""
        " (axis 0 1 0) (limit -2.7 -0.84) (tx 0.0055 tz %g (mass %g 0.001 0.0011 0.00003))))))))",
        leg < 2 ? x[0] : -x[0], leg % 2 == 0 ? x[1] : -x[1], leg, leg == 0 ? 0.2 : -1.0, x[2], x[3],
        leg, -0.1 * x[4], 3 * x[4], -x[5], leg, -0.5 * x[3], 0.5 * x[2]);
  }
  snprintf(text + at, MOST - at, "))");
}

/* All joints stay where they are: no force acts on any. Rounding of forces, 1e-16 of weights of
 * some 10 N, moves a foot of 1e-4 kg m^2 by 1e-11 / 2 in a second where it is not held. */
static void test_joints_stay(void **state)
{
  static const char *const methods[] = {"aba", "hamilton", "aba:ode45", "aba:semi-implicit"};
  static const double steps[] = {0.01, 0.002};
  support_rng random = {5};
  char text[MOST];
  (void)state;
  for (int i = 0; i < 40; i++) {
    legged(&random, text);
    const cardan_options o = run_options(methods[i % 4], steps[i / 4 % 2], 0.5);
    run r = run_begin(text, NULL, &o);
    double start[7 + 3 * LEGS];
    memcpy(start, r.data->q, sizeof start);
    run_steps(&r, (int)(0.5 / o.dt + 0.5));
    assert_near_vec(r.data->q + 7, start + 7, 3 * LEGS, 1e-11);
    assert_near(r.data->q[2], start[2] - 0.5 * 9.81 * 0.25, i % 4 == 3 ? 0.03 : 1e-9);
    run_free(&r);
  }
}

/* A knee that is pushed off its limit, and then on to it, leaves it and stays. */
static void test_a_force_counts(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba", 0.01, 1);
  for (int side = 0; side < 2; side++) {
    run r = run_begin("(system (gravity 0 0 -9.81) (define m 1) (joint free \"b\" (mass 1 1 1 1)"
                      " (joint revolute \"knee\" (axis 0 1 0) (limit -2 0)"
                      " (tz -0.1 (mass 0.1 0.01 0.01 0.01)))) (torque \"knee\" (* m 1e-6)))",
                      side == 0 ? "m=1" : "m=-1", &o);
    run_steps(&r, 100);
    const double q = run_q(&r, "knee");
    print_message("knee at %g\n", q);
    // 1e-6 N m on 0.011 kg m^2 beside 1 kg m^2, for a second
    assert_true(side == 0 ? fabs(q) < 1e-15 : q < -4e-5 && q > -6e-5);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_stay),
      cmocka_unit_test(test_a_force_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
