// SPDX-License-Identifier: Apache-2.0
// Whole motions of Johnson and Murphey's section VI and Fig. 1.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "svi.h"

static const double pi = 3.14159265358979323846;

/* ---- the scissor lift as one degree of freedom ----
 * Their Lagrangian, corrected: the centre of a link is at x = L/2 cos theta, so sin^2 has the
 * factor 1/4, and the inertia I stands outside m L^2 (..):
 *   sum over n of { [m L^2 ((n - 1/2)^2 cos^2 + 1/4 sin^2) + I] theta'^2 + 2 m g (n - 1/2) L sin }
 *   + 1/2 ms L^2 sin^2 theta'^2 = 1/2 M(theta) theta'^2 - V(theta),   L = m = ms = 1, I = 1/12 */
static double acceleration(int rows, double theta, double rate)
{
  const double s = sin(theta), c = cos(theta);
  double inertia = s * s, slope = 2 * s * c, force = 0; // M, dM/dtheta, -dV/dtheta
  for (int n = 1; n <= rows; n++) {
    const double k = (n - 0.5) * (n - 0.5);
    inertia += 2 * (k * c * c + 0.25 * s * s + 1.0 / 12);
    slope += 4 * (0.25 - k) * s * c;
    force += 2 * 9.81 * (n - 0.5) * c;
  }
  return (force - 0.5 * slope * rate * rate) / inertia;
}

/* Classical Runge-Kutta over dt in `parts` steps. */
static void advance(int rows, double dt, int parts, double *theta, double *rate)
{
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

static int parts_of(double dt)
{
  const double n = ceil(dt / 2e-4);
  return n > 1 ? (int)n : 1;
}

/* Largest difference of any coordinate to the branch on which the lift is one degree of freedom. */
static double off_branch(const cardan_model *model, const double *q, int rows)
{
  const double theta = q[cardan_model_q(model, "a1")], fold = pi - 2 * theta;
  double worst = fabs(q[cardan_model_q(model, "s")] - cos(theta));
  worst = fmax(worst, fabs(q[cardan_model_q(model, "b1")] - (pi - theta)));
  for (int n = 2; n <= rows; n++) {
    const double sign = n % 2 == 0 ? 1 : -1;
    char name[16];
    snprintf(name, sizeof name, "a%d", n);
    worst = fmax(worst, fabs(q[cardan_model_q(model, name)] - sign * fold));
    name[0] = 'b';
    worst = fmax(worst, fabs(q[cardan_model_q(model, name)] + sign * fold));
  }
  return worst;
}

typedef struct {
  double time;       // reached, or until the error (47) passed the limit
  double worst;      // largest |theta - benchmark|
  double integral;   // (47)
  double branch;     // largest off_branch
  double constraint; // largest violation
  double amplitude;  // largest |theta - 90 deg| over the last 10 s
  double seconds;
  char message[256]; // why it ended early
} lift;

/* A lift of so many rows for a time, or until the error (47) passes limit (0: none); watch: look at
 * the branch every so many steps. */
static lift run_lift(int rows, const char *options, double dt, double time, double limit, int watch)
{
  char name[32];
  cardan_report report = {.message = ""};
  snprintf(name, sizeof name, "scissor:%d", rows);
  bench_run r = bench_start(name, options, dt);
  const int a1 = cardan_model_q(r.model, "a1"), parts = parts_of(dt);
  double theta = pi / 4, rate = 0;
  lift out = {.message = ""};
  const long steps = lround(time / dt);
  cardan_data *data = cardan_sim_data(r.sim);
  for (long k = 1; k <= steps; k++) {
    const double start = bench_now();
    if (cardan_sim_step(r.sim, &report) != CARDAN_OK) {
      snprintf(out.message, sizeof out.message, "%.255s", report.message);
      break;
    }
    out.seconds += bench_now() - start;
    advance(rows, dt, parts, &theta, &rate);
    const double error = data->q[a1] - theta;
    out.worst = fmax(out.worst, fabs(error));
    out.integral += error * error * dt;
    out.time = (double)k * dt;
    if (time - out.time <= 10) {
      out.amplitude = fmax(out.amplitude, fabs(data->q[a1] - pi / 2));
    }
    if (watch > 0 && k % watch == 0) {
      out.branch = fmax(out.branch, off_branch(r.model, data->q, rows));
      out.constraint = fmax(out.constraint, cardan_sim_stats(r.sim).constraint_max);
    }
    if (limit > 0 && out.integral > limit) {
      break;
    }
  }
  bench_end(&r);
  return out;
}

void bench_scissor(void)
{
  printf("scissor lift beside its one-degree-of-freedom Lagrangian (their Figs. 11 and 12)\n");
  lift l = run_lift(5, "method=svi", 0.01, 10, 0, 1);
  printf("  N = 5,  dt = 0.01,   10 s: largest error %.4f rad, error (47) %.2e, constraints %.1e, "
         "%.3f s\n",
         l.worst, l.integral, l.constraint, l.seconds);
  l = run_lift(5, "method=svi", 0.01, 1000, 0, 100);
  printf("  N = 5,  dt = 0.01, 1000 s: amplitude at the end %.6f rad of %.6f, off its branch %.1e, "
         "%.1f s\n",
         l.amplitude, pi / 4, l.branch, l.seconds);
  l = run_lift(50, "method=svi", 5e-4, 20, 0, 40);
  printf("  N = 50, dt = 0.0005, %.4g s: off its branch %.1e, constraints %.1e, error %.4f rad, "
         "%.1f s %s\n",
         l.time, l.branch, l.constraint, l.worst, l.seconds, l.message);
  printf(
      "  run time to an error (47) of 0.1 after 15 s (their Fig. 13): step and cost against N\n");
  for (int rows = 2; rows <= 12; rows += 2) {
    double low = 1e-4, high = 0.05; // the time reached falls as the step grows
    for (int i = 0; i < 9; i++) {
      const double dt = sqrt(low * high);
      const lift at = run_lift(rows, "method=svi", dt, 15 * 1.05, 0.1, 0);
      if (at.time < 15 || at.message[0] != 0) {
        high = dt;
      } else {
        low = dt;
      }
    }
    const lift at = run_lift(rows, "method=svi", low, 15, 0.1, 0);
    printf("    N = %2d  dt = %.5f  %.4f s\n", rows, low, at.seconds);
  }
}

void bench_survive(void)
{
  printf("largest lift that survives 120 s at dt = 0.01\n");
  for (int pass = 0; pass < 2; pass++) {
    const char *options = pass == 0 ? "method=svi" : "method=vi";
    int largest = 0, fails = 0;
    char why[256] = "";
    for (int rows = 1; rows <= 40 && fails < 3; rows++) {
      const lift l = run_lift(rows, options, 0.01, 120, 0, 1200);
      const bool alive = l.message[0] == 0 && l.branch < 1e-6;
      if (alive && fails == 0) {
        largest = rows;
      } else if (!alive) {
        snprintf(why, sizeof why, "N = %d after %.2f s: %.180s", rows, l.time,
                 l.message[0] != 0 ? l.message : "left its branch");
        printf("  %s: %s\n", options, why);
        fails++;
      }
    }
    printf("  %s: every N up to %d survives\n", options, largest);
  }
}

void bench_closed(void)
{
  static const char *const ways[] = {"method=svi",
                                     "method=aba integrator=semi-implicit stabilise=baumgarte"};
  printf("closed-chain device, 120 s at dt = 0.01 (their Fig. 8)\n");
  for (int i = 0; i < 2; i++) {
    bench_run r = bench_start("closed-chain", ways[i], 0.01);
    cardan_report report = {.message = ""};
    double seconds = 0;
    int k = 0;
    for (; k < 12000; k++) {
      const double start = bench_now();
      if (cardan_sim_step(r.sim, &report) != CARDAN_OK) {
        break;
      }
      seconds += bench_now() - start;
      if (k % 10 == 0) {
        (void)cardan_sim_stats(r.sim); // energy and constraints count at these nodes
      }
    }
    const cardan_stats s = cardan_sim_stats(r.sim);
    printf("  %-55s %.1f s of motion in %.3f s: energy %.6f to %.6f J, drift %.1e, constraints "
           "%.1e %s\n",
           ways[i], 0.01 * k, seconds, s.energy_initial, s.energy_final, s.drift_max,
           s.constraint_max, report.message);
    bench_end(&r);
  }
}

void bench_energy(void)
{
  printf("pendulum, 5000 s at dt = 0.01 (their Fig. 1): energy off its start\n");
  static const char *const ways[] = {"method=svi", "method=svi eval=tree", "method=vi"};
  for (int i = 0; i < 3; i++) {
    bench_run r = bench_start("pendulum", ways[i], 0.01);
    cardan_report report = {.message = ""};
    double low = 0, high = 0, early = 0;
    const double start = cardan_sim_stats(r.sim).energy_initial;
    for (int k = 1; k <= 500000; k++) {
      if (cardan_sim_step(r.sim, &report) != CARDAN_OK) {
        fprintf(stderr, "%s\n", report.message);
        exit(1);
      }
      const double off = cardan_sim_stats(r.sim).energy_final - start;
      low = fmin(low, off);
      high = fmax(high, off);
      early = k == 5000 ? fmax(-low, high) : early;
    }
    printf("  %-22s from %.2e to %.2e J; in the first 50 s %.2e J\n", ways[i], low, high, early);
    bench_end(&r);
  }
  bench_ode();
}
