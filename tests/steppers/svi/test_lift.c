// SPDX-License-Identifier: Apache-2.0
// The examples of Johnson and Murphey's section VI as tests: the scissor lift beside its Lagrangian
// of one degree of freedom, the pendulum's energy, the closed chain. `cardan reproduce
// johnson` has the long runs.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lift.h"

static const double pi = 3.14159265358979323846;

static cardan_options options(double dt)
{
  cardan_options o = run_options("svi", dt, 1);
  o.tol = 0;
  return o;
}

/* M theta'' + M'/2 theta'^2 = Q of the lift: the paper's Lagrangian with sin^2 / 4 and I outside m
 * L^2. */
static double acceleration(int rows, double theta, double rate)
{
  const double s = sin(theta), c = cos(theta);
  double inertia = s * s, slope = 2 * s * c, force = 0;
  for (int n = 1; n <= rows; n++) {
    const double k = (n - 0.5) * (n - 0.5);
    inertia += 2 * (k * c * c + 0.25 * s * s + 1.0 / 12);
    slope += 4 * (0.25 - k) * s * c;
    force += 2 * 9.81 * (n - 0.5) * c;
  }
  return (force - 0.5 * slope * rate * rate) / inertia;
}

/* Runge-Kutta of order 4 with steps of 1e-4 s: off by less than 1e-9 rad over 10 s, by halving. */
static void advance(int rows, double dt, double *theta, double *rate)
{
  const int parts = (int)ceil(dt / 1e-4 - 1e-9);
  const double h = dt / parts;
  for (int i = 0; i < parts; i++) {
    const double x = *theta, v = *rate;
    const double a1 = acceleration(rows, x, v);
    const double v2 = v + h / 2 * a1, a2 = acceleration(rows, x + h / 2 * v, v2);
    const double v3 = v + h / 2 * a2, a3 = acceleration(rows, x + h / 2 * v2, v3);
    const double v4 = v + h * a3, a4 = acceleration(rows, x + h * v3, v4);
    *theta = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4);
    *rate = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
}

// 10 s of scissor:5 at dt = 0.01: never further than 0.02 rad from the benchmark, and on its branch
static void tracks_the_benchmark(void **state)
{
  (void)state;
  const cardan_options o = options(0.01);
  run r = run_load("scissor:5", NULL, &o);
  double theta = pi / 4, rate = 0, worst = 0, integral = 0;
  run_start(&r);
  for (int k = 0; k < 1000; k++) {
    run_steps(&r, 1);
    advance(5, 0.01, &theta, &rate);
    const double error = run_q(&r, "a1") - theta;
    worst = fmax(worst, fabs(error));
    integral += 0.01 * error * error;
  }
  print_message("scissor:5, 10 s: largest error %.4f rad, error (47) %.2e, off its branch %.1e, "
                "constraints %.1e\n",
                worst, integral, lift_off_branch(&r, 5), cardan_sim_stats(r.sim).constraint_max);
  assert_true(worst < 0.02);
  assert_true(lift_off_branch(&r, 5) < 1e-10);
  assert_true(cardan_sim_stats(r.sim).constraint_max < 1e-10);
  run_free(&r);
}

// the benchmark Lagrangian is the lift's: the error falls with dt^2
static void benchmark_is_right(void **state)
{
  (void)state;
  double error[2];
  for (int i = 0; i < 2; i++) {
    const double dt = 0.002 / (1 << i), T = 1;
    const cardan_options o = options(dt);
    run r = run_load("scissor:3", NULL, &o);
    double theta = pi / 4, rate = 0;
    run_start(&r);
    run_steps(&r, (int)lround(T / dt));
    advance(3, T, &theta, &rate);
    error[i] = fabs(run_q(&r, "a1") - theta);
    run_free(&r);
  }
  print_message("scissor:3, 1 s: %.2e rad, order %.2f\n", error[1], log2(error[0] / error[1]));
  assert_near(log2(error[0] / error[1]), 2, 0.1);
}

// 200 s here, 1000 s in the reproduction: the lift still swings from 45 to 135 degrees
static void keeps_amplitude(void **state)
{
  (void)state;
  const cardan_options o = options(0.01);
  run r = run_load("scissor:5", NULL, &o);
  double low = 10, high = 0;
  run_start(&r);
  run_steps(&r, 19000);
  for (int k = 0; k < 1000; k++) {
    run_steps(&r, 1);
    low = fmin(low, run_q(&r, "a1"));
    high = fmax(high, run_q(&r, "a1"));
  }
  print_message("scissor:5, after 200 s: from %.6f to %.6f rad\n", low, high);
  // a step near a turning point is off it by up to theta'' dt^2 / 8, some 2e-4 rad
  assert_near(low, pi / 4, 1e-3);
  assert_near(high, 3 * pi / 4, 1e-3);
  assert_true(lift_off_branch(&r, 5) < 1e-9);
  run_free(&r);
}

// fifty rows through the singular position at 90 degrees, at dt = 5e-4
static void fifty_rows(void **state)
{
  (void)state;
  const cardan_options o = options(5e-4);
  run r = run_load("scissor:50", NULL, &o);
  double worst = 0;
  bool passed = false;
  run_start(&r);
  for (int k = 0; k < 300; k++) {
    run_steps(&r, 20);
    worst = fmax(worst, lift_off_branch(&r, 50));
    passed = passed || run_q(&r, "a1") > pi / 2 + 0.1;
  }
  print_message("scissor:50, 3 s: off its branch %.1e, constraints %.1e\n", worst,
                cardan_sim_stats(r.sim).constraint_max);
  assert_true(passed);
  assert_true(worst < 1e-8);
  assert_true(cardan_sim_stats(r.sim).constraint_max < 1e-10);
  run_free(&r);
}

// energy of the pendulum within 4e-5 J of its start: 500 s here, 5000 s in the reproduction
static void pendulum_energy(void **state)
{
  (void)state;
  const cardan_options o = options(0.01);
  run r = run_load("pendulum", NULL, &o);
  run_start(&r);
  for (int k = 0; k < 50000; k++) {
    run_steps(&r, 1);
    (void)cardan_sim_stats(r.sim);
  }
  print_message("pendulum, 500 s: energy within %.2e J\n", cardan_sim_stats(r.sim).drift_max);
  assert_true(cardan_sim_stats(r.sim).drift_max < 4e-5);
  run_free(&r);
}

// the closed-chain device for 120 s: no drift of the energy beyond its bound, no error of the loops
static void closed_chain(void **state)
{
  (void)state;
  const cardan_options o = options(0.01);
  run r = run_load("closed-chain", NULL, &o);
  double early = 0, late = 0;
  run_start(&r);
  const double start = run_energy(&r);
  for (int k = 0; k < 12000; k++) {
    run_steps(&r, 1);
    if (k % 10 == 0) {
      double *side = k < 6000 ? &early : &late;
      *side = fmax(*side, fabs(cardan_sim_stats(r.sim).energy_final - start));
    }
  }
  print_message("closed-chain, 120 s: energy within %.2e J in the first half, %.2e in the second, "
                "constraints %.1e\n",
                early, late, cardan_sim_stats(r.sim).constraint_max);
  assert_true(late < 3 * early);
  assert_true(early < 5e-3);
  assert_true(cardan_sim_stats(r.sim).constraint_max < 1e-10);
  run_free(&r);
}

// the cam's follower sits on the disc: the distance of its wheel's centre from the disc's is rc +
// rr
static void cam_and_follower(void **state)
{
  (void)state;
  const cardan_options o = options(0.001);
  run r = run_load("cam", NULL, &o);
  double worst = 0, turned = 0;
  run_start(&r);
  for (int k = 0; k < 2000; k++) {
    run_steps(&r, 1);
    const double cam = run_q(&r, "cam"), x = 0.08 * sin(cam),
                 z = run_q(&r, "lift") - 0.08 * cos(cam);
    worst = fmax(worst, fabs(sqrt(x * x + z * z) - 0.26));
    turned = fmax(turned, fabs(cam));
  }
  print_message("cam, 2 s: contact off by %.1e m, energy by %.1e J\n", worst,
                cardan_sim_stats(r.sim).drift_max);
  assert_true(worst < 1e-11);
  assert_true(turned > 1);
  assert_true(cardan_sim_stats(r.sim).drift_max < 1e-4);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tracks_the_benchmark), cmocka_unit_test(benchmark_is_right),
      cmocka_unit_test(keeps_amplitude),      cmocka_unit_test(fifty_rows),
      cmocka_unit_test(pendulum_energy),      cmocka_unit_test(closed_chain),
      cmocka_unit_test(cam_and_follower),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
