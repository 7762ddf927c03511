// SPDX-License-Identifier: Apache-2.0
// Method fully-implicit: backward Euler with all derivatives, so that steps may be long.
#include <math.h>
#include <string.h>

#include "run.h"

static const double g = 9.81;

/* Torque of the residual of m (v_1 - v_0) = h m g and I (w_1 - w_0) about a hinge, at the angle b
 * of a pendulum with its centre at distance 1; before: where its centre was, and the angle. */
typedef struct {
  double m, I, h, x, z, a; // centre and angle at the beginning
  double vx, vz, w;        // velocities there
} swing;

static double left(const swing *s, double b)
{
  const double ax = (sin(b) - s->x) / s->h - s->vx, az = (-cos(b) - s->z) / s->h - s->vz;
  return s->m * (ax * cos(b) + (az + s->h * g) * sin(b)) + s->I * ((b - s->a) / s->h - s->w);
}

/* The first root from a on, the way the pendulum falls. */
static double next_angle(const swing *s)
{
  const double way = left(s, s->a) > 0 ? -1e-3 : 1e-3;
  double near = s->a, far = s->a + way;
  while (left(s, far) * left(s, s->a) > 0) {
    near = far;
    far += way;
  }
  for (int i = 0; i < 60; i++) {
    const double mid = 0.5 * (near + far);
    if (left(s, mid) * left(s, near) > 0) {
      near = mid;
    } else {
      far = mid;
    }
  }
  return 0.5 * (near + far);
}

// a pendulum has one unknown: its equation solved by bisection, steps from 10 ms to half a period
static void pendulum(void **state)
{
  (void)state;
  static const char text[] = "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 2 .1 .3 .1)))"
                             " (initial (\"a\" -1)))";
  static const double step[] = {0.01, 0.03, 0.09, 0.27, 0.81};
  for (size_t i = 0; i < sizeof step / sizeof *step; i++) {
    const double h = step[i];
    const cardan_options o = run_options("fully-implicit", h, 0);
    run r = run_begin(text, NULL, &o);
    swing s = {.m = 2, .I = 0.3, .h = h, .x = sin(1), .z = -cos(1), .a = 1};
    for (int k = 0; k < 10; k++) {
      const double b = next_angle(&s);
      run_steps(&r, 1);
      assert_near(-run_q(&r, "a"), b, 1e-9); // the last correction is below 1e-10
      s.vx = (sin(b) - s.x) / h;
      s.vz = (-cos(b) - s.z) / h;
      s.w = (b - s.a) / h;
      s.x = sin(b);
      s.z = -cos(b);
      s.a = b;
    }
    run_free(&r);
  }
}

// long steps: they are found, energy falls, and it does not take many corrections
static void long_steps(void **state)
{
  (void)state;
  static const struct {
    const char *model;
    double h, most; // corrections in a step, in the mean
  } cases[] = {{"double-pendulum", 0.1, 8},
               {"double-pendulum", 0.5, 14},
               {"chain:10", 0.1, 8},
               {"chain:10", 0.2, 10},
               {"spherical-chain:8", 0.02, 9},
               {"spherical-chain:8", 0.1, 40},
               {"top", 0.1, 7},
               {"top", 0.5, 12},
               {"scissor:5", 0.05, 8}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cardan_options o = run_options("fully-implicit", cases[i].h, 0);
    run r = run_begin(cases[i].model, NULL, &o);
    double energy = run_energy(&r);
    const double start = energy;
    for (int k = 0; k < 25; k++) {
      run_steps(&r, 1);
      const double now = run_energy(&r);
      assert_true(now < energy + 1e-9 * fabs(start));
      energy = now;
    }
    const double mean = cardan_sim_stats(r.sim).iterations_mean;
    print_message("%-18s h %.2f s: energy from %.1f to %.1f J, %.2f corrections a step\n",
                  cases[i].model, cases[i].h, start, energy, mean);
    assert_true(mean < cases[i].most);
    run_free(&r);
  }
}

// drivers alone move these: their constraints are closed however far a step goes
static void driven(void **state)
{
  (void)state;
  static const struct {
    const char *model;
    double h;
  } cases[] = {
      {"slider-crank", 0.2}, {"slider-crank", 0.5}, {"four-link", 0.1}, {"four-link", 0.2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const cardan_options o = run_options("fully-implicit", cases[i].h, 0);
    run r = run_begin(cases[i].model, NULL, &o);
    run_steps(&r, 10);
    assert_near(run_column(&r, 0, "constraint"), 0, 1e-9);
    run_free(&r);
  }
}

// near the root the residual falls as its square: a tighter tolerance costs a correction, not more
static void quadratic(void **state)
{
  (void)state;
  double mean[2];
  for (int i = 0; i < 2; i++) {
    cardan_options o = run_options("fully-implicit", 0.1, 0);
    o.tol = i ? 1e-12 : 1e-6;
    run r = run_begin("top", NULL, &o);
    run_steps(&r, 20);
    mean[i] = cardan_sim_stats(r.sim).iterations_mean;
    run_free(&r);
  }
  print_message("top, h 0.1 s: %.2f corrections to 1e-6, %.2f to 1e-12\n", mean[0], mean[1]);
  assert_true(mean[1] < mean[0] + 1.5);
}

// where it finds nothing it names the body whose equations stay open, not a row that is closed
static void says_what_is_open(void **state)
{
  (void)state;
  const cardan_options o = run_options("fully-implicit", 0.5, 0);
  run r = run_begin("spherical-chain:8", NULL, &o);
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NO_CONVERGENCE);
  assert_non_null(strstr(report.message, "the equations of motion stay open at the body"));
  assert_true(r.data->info.joint >= 0);
  run_free(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum),  cmocka_unit_test(long_steps),        cmocka_unit_test(driven),
      cmocka_unit_test(quadratic), cmocka_unit_test(says_what_is_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
