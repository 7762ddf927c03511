// SPDX-License-Identifier: Apache-2.0
// Motions that are known in closed form. Tolerances are those a user is promised with dopri5 at
// rtol 1e-12: that is the local error; over the times here it adds up to the figures requested.
#include <math.h>

#include "run.h"
#include "spatial/spatial.h"

static const double pi = 3.14159265358979323846;

/* Arithmetic-geometric mean: quadratic convergence, 10 rounds are more than enough for doubles. */
static double agm(double a, double b)
{
  for (int i = 0; i < 10; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return a;
}

/* Period of a pendulum of 1 m from amplitude theta0: 2 pi sqrt(L/g) / agm(1, cos(theta0/2)). A
 * quarter period after the start it hangs straight down; how far it is off then is the error in
 * time, times its speed. */
static void pendulum_period(double degrees, double tolerance)
{
  const double theta0 = degrees * pi / 180, T = 2 * pi / sqrt(9.81) / agm(1, cos(theta0 / 2));
  const cardan_options o = run_options("aba:dopri5", T / 4, T / 4);
  run r = run_load("pendulum", NULL, &o);
  r.data->q[0] = theta0;
  run_start(&r);
  run_steps(&r, 1);
  const double period_error = 4 * r.data->q[0] / r.data->v[0];
  print_message("pendulum, %g deg: period %.10f s, error %.1e of it\n", degrees, T,
                fabs(period_error) / T);
  assert_near(period_error / T, 0, tolerance);
  run_free(&r);
}

static void test_pendulum(void **state)
{
  (void)state;
  pendulum_period(45, 1e-10);
  pendulum_period(90, 1e-10);
  pendulum_period(170, 1e-9);
}

static void test_tumbler(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:dopri5", 1, 100);
  run r = run_load("tumbler", NULL, &o);
  run_start(&r);
  const double E0 = run_energy(&r);
  const cardan_force L0 = cardan_total_momentum(r.model, r.data);
  double worst_E = 0, worst_L = 0;
  for (int i = 0; i < 100; i++) {
    run_steps(&r, 1);
    const cardan_force L = cardan_total_momentum(r.model, r.data);
    worst_E = fmax(worst_E, fabs(run_energy(&r) - E0) / E0);
    worst_L =
        fmax(worst_L, cardan__vec3_norm(cardan__vec3_sub(L.t, L0.t)) / cardan__vec3_norm(L0.t));
  }
  print_message("tumbler, 100 s: energy %.1e, angular momentum %.1e (relative)\n", worst_E,
                worst_L);
  assert_near(worst_E, 0, 1e-9);
  assert_near(worst_L, 0, 1e-9);
  run_free(&r);
}

static void test_kepler(void **state)
{
  (void)state;
  const double period = 2 * pi / sqrt(3.0);
  const cardan_options o = run_options("aba:dopri5", period, period);
  run r = run_load("kepler", NULL, &o);
  double start[4];
  run_start(&r);
  for (int k = 0; k < 4; k++) {
    start[k] = r.data->q[k];
  }
  run_steps(&r, 1);
  double worst = 0;
  for (int k = 0; k < 4; k++) {
    worst = fmax(worst, fabs(r.data->q[k] - start[k]));
  }
  print_message("kepler, one period: back to %.1e m\n", worst);
  assert_near_vec(r.data->q, start, 4, 1e-8);
  run_free(&r);
}

/* A symmetric top keeps energy, the momentum about the vertical and about its own axis. */
static void test_top(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:dopri5", 0.5, 5);
  run r = run_load("top", NULL, &o);
  run_start(&r);
  const double E0 = run_energy(&r), Lz0 = cardan_total_momentum(r.model, r.data).t.z,
               wz0 = run_v(&r, "top.wz");
  run_steps(&r, 10);
  assert_near(run_energy(&r), E0, 1e-9 * fabs(E0));
  assert_near(cardan_total_momentum(r.model, r.data).t.z, Lz0, 1e-9 * fabs(Lz0));
  assert_near(run_v(&r, "top.wz"), wz0, 1e-9 * fabs(wz0));
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum),
      cmocka_unit_test(test_tumbler),
      cmocka_unit_test(test_kepler),
      cmocka_unit_test(test_top),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
