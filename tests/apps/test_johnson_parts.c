// SPDX-License-Identifier: Apache-2.0
// What the items of Johnson and Murphey stand on: the benchmark, thin curves, ODE's worlds.
#include <math.h>

#include "reproduce/johnson_lift.h"
#include "support.h"

// energy of the benchmark, from the Lagrangian with its sums written out: kept to RK4's 1e-8
static void benchmark_keeps_energy(void **state)
{
  (void)state;
  for (int rows = 1; rows <= 9; rows += 4) {
    cardan__lift_state s = {.theta = CARDAN__PI / 4};
    double energy[2];
    for (int i = 0; i < 2; i++) {
      const double x = sin(s.theta) * sin(s.theta), v2 = s.rate * s.rate;
      energy[i] = 0.5 * x * v2; // the slider
      for (int n = 1; n <= rows; n++) {
        energy[i] += ((n - 0.5) * (n - 0.5) * (1 - x) + 0.25 * x + 1.0 / 12) * v2 -
                     2 * 9.81 * (n - 0.5) * sin(s.theta);
      }
      for (int k = 0; k < 77 && i == 0; k++) {
        cardan__lift_advance(rows, false, 0.01, &s);
      }
    }
    assert_near(energy[1], energy[0], 1e-8 * rows * rows * 9.81);
  }
}

// what a region of fast swings becomes: few points, its extremes among them, in order
static void thin_keeps_extremes(void **state)
{
  (void)state;
  static cardan__outcome out;
  cardan__outcome_init(&out, NULL);
  cardan__plot *plot = cardan__outcome_plot(&out, "", "t", "x", "y", CARDAN__LINEAR);
  cardan__curve *curve = cardan__plot_curve(&out, plot, "c", false);
  cardan__thin thin = cardan__thin_begin(&out, curve, 0, 100, 10);
  double low = 9, high = -9;
  for (int k = 0; k < 100000; k++) {
    cardan__thin_add(&thin, 1e-3 * k, k == 54321 ? 3 : k == 54320 ? -2 : sin(k));
  }
  cardan__thin_end(&thin);
  assert_int_equal(curve->n, 20);
  for (int i = 0; i < curve->n; i++) {
    assert_true(i == 0 || curve->x[i] > curve->x[i - 1]);
    low = fmin(low, curve->y[i]);
    high = fmax(high, curve->y[i]);
  }
  assert_near(low, -2, 0);
  assert_near(high, 3, 0);
  cardan__outcome_free(&out);
}

// the worlds are the models: a small step from rest changes their energy by little, and the lift
// opens as the benchmark does
static void worlds_begin_as_models(void **state)
{
  (void)state;
  if (!cardan__ode_here()) {
    skip();
  }
  cardan_report report = {.message = ""};
  cardan__ode *ode = NULL;
  cardan__lift_state s = {.theta = CARDAN__PI / 4};
  assert_int_equal(cardan__world_lift(3, CARDAN__ODE_DOUBLE, &ode, &report), CARDAN_OK);
  for (int k = 0; k < 1000; k++) {
    cardan__ode_step(ode, 1e-4);
    cardan__lift_advance(3, false, 1e-4, &s);
  }
  // first order in the step: v dt = 2 * 1e-4 rad
  assert_near(CARDAN__PI / 4 + cardan__ode_turn(ode, 0), s.theta, 5e-4);
  cardan__ode_close(ode);

  assert_int_equal(cardan__world_closed_chain(CARDAN__ODE_DOUBLE, &ode, &report), CARDAN_OK);
  const double start = cardan__ode_energy(ode);
  assert_near(start, -107.3261, 1e-4); // the built-in model's, at the same start
  for (int k = 0; k < 1000; k++) {
    cardan__ode_step(ode, 1e-4);
  }
  assert_near(cardan__ode_energy(ode), start, 1e-2);
  cardan__ode_close(ode);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(benchmark_keeps_energy),
      cmocka_unit_test(thin_keeps_extremes),
      cmocka_unit_test(worlds_begin_as_models),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
