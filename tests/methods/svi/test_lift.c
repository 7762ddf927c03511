// SPDX-License-Identifier: Apache-2.0
// The examples of Johnson and Murphey's section VI as tests: the scissor lift beside its Lagrangian
// of one degree of freedom, the pendulum's energy, the closed chain. `cardan reproduce
// johnson` has the long runs.
#include <math.h>

#include "lift.h"
#include "reproduce/johnson_lift.h"

static const double pi = 3.14159265358979323846;

static cardan_options options(double dt)
{
  cardan_options o = run_options("svi", dt, 1);
  o.tol = 0;
  return o;
}

// 10 s of scissor:5 at dt = 0.01: never further than 0.02 rad from the benchmark, and on its branch
static void tracks_the_benchmark(void **state)
{
  (void)state;
  const cardan_options o = options(0.01);
  run r = run_load("scissor:5", NULL, &o);
  cardan__lift_state benchmark = {.theta = pi / 4};
  double worst = 0, integral = 0;
  run_start(&r);
  for (int k = 0; k < 1000; k++) {
    run_steps(&r, 1);
    cardan__lift_advance(5, false, 0.01, &benchmark);
    const double error = run_q(&r, "a1") - benchmark.theta;
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
    cardan__lift_state benchmark = {.theta = pi / 4};
    run_start(&r);
    run_steps(&r, (int)lround(T / dt));
    cardan__lift_advance(3, false, T, &benchmark);
    error[i] = fabs(run_q(&r, "a1") - benchmark.theta);
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
