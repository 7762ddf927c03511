// SPDX-License-Identifier: Apache-2.0
// Rolling, blades and other constraints on velocities against closed forms, in every method that
// holds them.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* z' = y x', free: y = y0 + vy t, x = C/vy (asinh y - asinh y0), z = C/vy (sqrt(1 + y^2) - ..),
 * C = x'(0) sqrt(1 + y0^2). */
static const char particle[] =
    "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (tz \"z\" (mass 1 1 1 1))))"
    "  (velocity (- v.z (* q.y v.x)))"
    "  (initial (\"x\" 0 0.7) (\"y\" 0.2 0.5) (\"z\" 0 0.14)))";

static double particle_error(const run *r, double t)
{
  const double y0 = 0.2, vy = 0.5, y = y0 + vy * t, C = 0.7 * sqrt(1 + y0 * y0) / vy;
  const double x = C * (asinh(y) - asinh(y0)), z = C * (sqrt(1 + y * y) - sqrt(1 + y0 * y0));
  return fmax(fabs(run_q(r, "x") - x), fabs(run_q(r, "z") - z));
}

/* Chaplygin's sleigh with m, J, a: u = V tanh k (t - t0), w = wm sech k (t - t0). */
static const char sleigh[] =
    "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (rz \"theta\" (name \"s\")"
    "  (tx 0.3 (mass 1.5 0.1 0.1 0.2)))))"
    "  (skate \"s\" \"world\")"
    "  (initial (\"x\" 0 1) (\"y\" 0 0) (\"theta\" 0 3)))";

static double sleigh_error(const run *r, double t)
{
  const double m = 1.5, a = 0.3, I = 0.2 + m * a * a, u0 = 1, w0 = 3;
  const double V = sqrt(u0 * u0 + I * w0 * w0 / m), k = a * m * V / I, wm = V * sqrt(m / I);
  const double t0 = -atanh(u0 / V) / k;
  // the angle is the integral of wm sech
  const double turn = 2 * wm / k * (atan(tanh(0.5 * k * (t - t0))) - atan(tanh(-0.5 * k * t0)));
  const double w = wm / cosh(k * (t - t0));
  return fmax(fabs(run_q(r, "theta") - turn), fabs(run_v(r, "theta") - w));
}

typedef double (*error_of)(const run *r, double t);

static double error_after(const char *model, const cardan_options *options, error_of error)
{
  run r = run_whole(model, NULL, options);
  const double e = error(&r, options->time);
  run_free(&r);
  return e;
}

/* Orders from one halving. The band of 0.15 is what the next term of the error leaves. */
static void expect_orders(const char *model, const char *method, error_of error)
{
  const int steps[3] = {100, 20, 16}; // in 2 s
  for (int i = 0; i < 3; i++) {
    cardan_options o = run_options(method, 2.0 / steps[i], 2);
    o.order = 2 + 2 * i;
    const double coarse = error_after(model, &o, error);
    o.dt *= 0.5;
    const double fine = error_after(model, &o, error);
    print_message("%-4s order %d: errors %.2e, %.2e, order %.2f\n", method, o.order, coarse, fine,
                  log2(coarse / fine));
    assert_near(log2(coarse / fine), o.order, 0.25);
  }
}

static void orders(void **state)
{
  (void)state;
  expect_orders(particle, "vi", particle_error);
  expect_orders(particle, "svi", particle_error);
  expect_orders(sleigh, "vi", sleigh_error);
  expect_orders(sleigh, "svi", sleigh_error);
}

/* One halving of the step, of a method without compositions; band: what the next term leaves. */
static void expect_order(const char *model, const char *method, error_of error, double order,
                         double band)
{
  double e[2];
  for (int k = 0; k < 2; k++) {
    const cardan_options o = run_options(method, 0.01 / (1 + k), 2);
    e[k] = error_after(model, &o, error);
  }
  print_message("%s: errors %.2e, %.2e, order %.2f\n", method, e[0], e[1], log2(e[0] / e[1]));
  assert_near(log2(e[0] / e[1]), order, band);
}

/* Positions alone: velocities of half-implicit are the means of its steps. */
static double sleigh_angle_error(const run *r, double t)
{
  const double I = 0.2 + 1.5 * 0.09, V = sqrt(1 + I * 9 / 1.5), k = 0.3 * 1.5 * V / I;
  const double wm = V * sqrt(1.5 / I), t0 = -atanh(1 / V) / k;
  const double turn = 2 * wm / k * (atan(tanh(0.5 * k * (t - t0))) - atan(tanh(-0.5 * k * t0)));
  return fabs(run_q(r, "theta") - turn);
}

/* Without forces half-implicit has order 2 in positions, since its rows are those of the middle;
 * fully-implicit order 1, and it loses energy. */
static void orders_in_maximal_coordinates(void **state)
{
  (void)state;
  expect_order(particle, "rattle", particle_error, 2, 0.05);
  expect_order(sleigh, "rattle", sleigh_error, 2, 0.05);
  expect_order(particle, "half-implicit", particle_error, 2, 0.05);
  expect_order(sleigh, "half-implicit", sleigh_angle_error, 2, 0.05);
  expect_order(particle, "fully-implicit", particle_error, 1, 0.1);
  expect_order(sleigh, "fully-implicit", sleigh_error, 1, 0.1);
}

/* Adaptive integrators at rtol 1e-12 over 2 s: errors of some hundred tolerances. */
static void closed_forms(void **state)
{
  static const char *const methods[] = {"aba:dopri5", "hamilton:dopri5", "aba:dop853",
                                        "baraff:dopri5"};
  (void)state;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    const cardan_options o = run_options(methods[i], 0.1, 2);
    assert_near(error_after(particle, &o, particle_error), 0, 1e-9);
    assert_near(error_after(sleigh, &o, sleigh_error), 0, 1e-9);
  }
}

/* A sleigh that starts backwards turns round: the end of its way, 4.94837 rad at +1.5 m/s, is that
 * of the closed form with u0 = -1.5, w0 = 1e-3. rk4 keeps 1e-6 of it at 100 steps a second, vi and
 * svi their order: 2e-4. */
static void sleigh_turns_round(void **state)
{
  static const char backwards[] =
      "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (rz \"theta\" (name \"s\")"
      "  (tx 0.3 (mass 1.5 0.1 0.1 0.2)))))"
      "  (skate \"s\" \"world\") (initial (\"x\" 0 -1.5) (\"y\" 0 0) (\"theta\" 0 1e-3)))";
  static const char *const methods[] = {"aba:rk4", "hamilton:rk4", "baraff:rk4",
                                        "vi",      "svi",          "rattle"};
  (void)state;
  for (int i = 0; i < 6; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 40);
    run r = run_whole(backwards, NULL, &o);
    const double c = cos(run_q(&r, "theta")), s = sin(run_q(&r, "theta"));
    assert_near(run_q(&r, "theta"), 4.94837, i < 3 ? 1e-5 : 3e-4);
    assert_near(c * run_v(&r, "x") + s * run_v(&r, "y"), 1.5, 1e-6);
    assert_near(c * run_v(&r, "y") - s * run_v(&r, "x"), 0, 1e-11); // the row, at the node
    run_free(&r);
  }
}

/* The same particle on springs. */
static const char harmonic[] =
    "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (tz \"z\" (mass 1 1 1 1))))"
    "  (velocity (- v.z (* q.y v.x)))"
    "  (joint-spring \"x\" 1 0) (joint-spring \"y\" 1 0) (joint-spring \"z\" 1 0)"
    "  (initial (\"x\" 0.3 0.7) (\"y\" 0.2 0.5) (\"z\" 0.4 0.14)))";

/* Harmonic springs, constant mass: svi keeps the energy to rounding (no work of rows, and the kicks
 * take what they give); the band over 1e4 steps of h = 0.1 is some hundred roundings. */
static void energy_of_harmonic(void **state)
{
  (void)state;
  const cardan_options o = run_options("svi", 0.1, 0);
  run r = run_begin(harmonic, NULL, &o);
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int i = 0; i < 10000; i++) {
    run_steps(&r, 1);
    expect_ok(cardan_sim_observe(r.sim), NULL, "harmonic");
    const double E = run_energy(&r);
    low = fmin(low, E);
    high = fmax(high, E);
    const double row = run_v(&r, "z") - run_q(&r, "y") * run_v(&r, "x");
    assert_near(row, 0, 1e-13);
  }
  print_message("energy %.6f, band %.1e\n", low, high - low);
  assert_near(high - low, 0, 1e-11);
  run_free(&r);
}

/* A ball rolls straight: its way is its turn times the radius, and neither changes speed, whatever
 * the step, here up to 3 rad. */
static void ball_rolls_straight(void **state)
{
  static const char ball[] =
      "(system (gravity 0 0 -9.81)"
      "  (joint free \"b\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01)))"
      "  (roll \"b\" \"world\" (ball 0.1))"
      "  (initial (\"b\" (0 0 0.1 1 0 0 0) (0 5 0 0.5 0 0))))";
  static const char *const methods[] = {"vi", "rattle", "half-implicit"};
  (void)state;
  for (int i = 0; i < 12; i++) {
    const double turn = 0.1 * pow(3, i % 4), h = turn / 5;
    const cardan_options o = run_options(methods[i / 4], h, 0);
    run r = run_begin(ball, NULL, &o);
    run_steps(&r, 200);
    print_message("%s, %.2f rad a step: way over v t less 1: %.1e\n", methods[i / 4], turn,
                  run_q(&r, "b.x") / (0.5 * 200 * h) - 1);
    assert_near(run_q(&r, "b.x") / (0.5 * 200 * h), 1, 1e-11);
    assert_near(run_q(&r, "b.y"), 0, 1e-11);
    run_free(&r);
  }
}

/* On a turning table a ball goes round at 2/7 of the table's rate, whatever its start: x'' = k e_z
 * x x', with k 2/7 Om, so that x' turns by k t and x = x0 + R x'(0) / k .. */
static double table_error(const run *r, double t)
{
  const double k = 2.0 / 7 * 1.3, vx = 0.2,
               vy = 1.3 * 0.5; // rolls without slip at the start: w = 0
  const double x = 0.5 + (vx * sin(k * t) + vy * (cos(k * t) - 1)) / k;
  const double y = (vy * sin(k * t) + vx * (1 - cos(k * t))) / k;
  return fmax(fabs(run_q(r, "b.x") - x), fabs(run_q(r, "b.y") - y));
}

static void ball_on_turning_table(void **state)
{
  // place (0.5, 0): the table moves by (0, Om 0.5). With v = (0.2, Om/2) the ball's slip is that of
  // w: w x (-r n) = (0.2, 0) - .., so w = (0, 2, 0)
  static const char model[] =
      "(system (gravity 0 0 -9.81) (rz (k \"turn\") (name \"table\") (mass 1 1 1 1)) (motion "
      "\"turn\" (* 1.3 t))"
      "  (joint free \"b\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01)))"
      "  (roll \"b\" \"table\" (ball 0.1))"
      "  (initial (\"b\" (0.5 0 0.1 1 0 0 0) (0 2 0 0.2 0.65 0))))";
  static const char *const methods[] = {"aba:dopri5", "hamilton:dopri5", "vi", "rattle",
                                        "half-implicit"};
  (void)state;
  for (int i = 0; i < 5; i++) {
    const cardan_options o = run_options(methods[i], 0.005, 4);
    const double e = error_after(model, &o, table_error);
    print_message("%s: %.1e\n", methods[i], e);
    assert_near(e, 0, i < 2 ? 1e-9 : 2e-5);
  }
}

/* A blade on a slope does not run down: x = G sin^2(w t) / (2 w^2), y = G (w t - sin(2 w t) / 2) /
 * (2 w^2) with G the pull along x. */
static double slope_error(const run *r, double t)
{
  const double G = 2, w = 1.7;
  const double x = G * pow(sin(w * t), 2) / (2 * w * w);
  const double y = G * (w * t - 0.5 * sin(2 * w * t)) / (2 * w * w);
  return fmax(fabs(run_q(r, "x") - x), fabs(run_q(r, "y") - y));
}

static void blade_on_slope(void **state)
{
  static const char model[] =
      "(system (gravity 2 0 0) (tx \"x\" (ty \"y\" (rz \"a\" (name \"blade\") (mass 1 1 1 1))))"
      "  (skate \"blade\" \"world\") (initial (\"x\" 0 0) (\"y\" 0 0) (\"a\" 0 1.7)))";
  static const char *const methods[] = {"aba:dopri5",    "hamilton:dopri5", "vi", "svi", "rattle",
                                        "half-implicit", "fully-implicit"};
  (void)state;
  for (int i = 0; i < 7; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 20);
    const double e = error_after(model, &o, slope_error);
    print_message("%s: %.1e\n", methods[i], e);
    // order 2: (w h)^2 of 12 m; with forces half- and fully-implicit have order 1
    assert_near(e, 0, i < 2 ? 1e-8 : i < 5 ? 5e-3 : i < 6 ? 0.03 : 3);
  }
}

/* Two wheels on an axle hold the same lateral velocity: 4 rows of rank 3. With constant torques
 * both speeds grow in proportion to time. */
static void differential_drive(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 -9.81) (joint planar \"p\" (mass 4 0.1 0.1 0.2)"
      "   (ty 0.2 (rx (deg -90) (joint revolute \"l\" (axis 0 0 1) (mass 0.3 0.001 0.001 0.002)"
      "     (name \"left\"))))"
      "   (ty -0.2 (rx (deg -90) (joint revolute \"r\" (axis 0 0 1) (mass 0.3 0.001 0.001 0.002)"
      "     (name \"right\")))))"
      "  (roll \"left\" \"world\" (disc 0.1) (flat)) (roll \"right\" \"world\" (disc 0.1) (flat))"
      "  (torque \"l\" 0.02) (torque \"r\" 0.05))";
  static const char *const methods[] = {"aba:rk4", "hamilton:rk4", "baraff:rk4", "vi", "rattle"};
  (void)state;
  for (int i = 0; i < 5; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 2);
    run r = run_begin(model, NULL, &o);
    assert_int_equal(r.model->rank, 3);
    assert_int_equal(r.model->position_rank, 0);
    assert_int_equal(r.model->mobility, 2);
    // virtual work: (m + 2 J/r^2 + 2 mw) v' = sum of torques / r
    const double rate = 0.07 / 0.1 / (4 + 0.6 + 2 * 0.002 / 0.01);
    for (int k = 0; k < 4; k++) {
      run_steps(&r, 50);
      expect_ok(cardan_sim_observe(r.sim), NULL, "drive");
      const double v = 0.05 * (run_v(&r, "l") + run_v(&r, "r"));
      assert_near(v, rate * 0.5 * (k + 1), 5e-6); // vi and svi: order 2
      const double a = run_q(&r, "p.a");
      assert_near(cos(a) * run_v(&r, "p.y") - sin(a) * run_v(&r, "p.x"), 0, 1e-12);
    }
    run_free(&r);
  }
}

/* 1000 steps, then as many with velocities reversed: back to the start, to what rounding grows by
 * over 200 s. */
static void there_and_back(void **state)
{
  static const char *const methods[] = {"vi", "svi", "rattle"};
  static const double start[3] = {0.3, 0.2, 0.4};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options(methods[i], 0.1, 0);
    run r = run_begin(harmonic, NULL, &o), b = run_load(harmonic, NULL, &o);
    double worst = 0;
    run_steps(&r, 1000);
    expect_ok(cardan_sim_observe(r.sim), NULL, "there");
    for (int k = 0; k < 3; k++) {
      b.data->q[k] = r.data->q[k];
      b.data->v[k] = -r.data->v[k];
    }
    run_start(&b);
    run_steps(&b, 1000);
    for (int k = 0; k < 3; k++) {
      worst = fmax(worst, fabs(b.data->q[k] - start[k]));
    }
    print_message("%s: back to %.1e\n", methods[i], worst);
    assert_near(worst, 0, 1e-11);
    run_free(&r);
    run_free(&b);
  }
}

/* A row that moves, v_x = 0.3 sin t: what it does is counted, to the order of the method. */
static void work_of_moving_rows(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (rz \"a\" (name \"b\") (mass 1 1 1 1))))"
      "  (velocity (- (+ (* v.x (cos q.a)) (* v.y (sin q.a))) (* 0.3 (sin t)))) (joint-spring "
      "\"y\" 2 1)"
      "  (initial (\"x\" 0 0) (\"y\" 0 0) (\"a\" 0 0.8)))";
  static const char *const methods[] = {"vi", "svi", "rattle", "half-implicit", "fully-implicit"};
  (void)state;
  for (int i = 0; i < 5; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      const cardan_options o = run_options(methods[i], 0.02 / (1 + k), 3);
      run r = run_begin(model, NULL, &o);
      expect_ok(cardan_sim_observe(r.sim), NULL, "moving");
      const double start = run_energy(&r);
      run_steps(&r, 150 * (1 + k));
      expect_ok(cardan_sim_observe(r.sim), NULL, "moving");
      error[k] = run_energy(&r) - start - run_column(&r, CARDAN_ADD_WORK, "work");
      run_free(&r);
    }
    print_message("%s: energy less work %.2e, %.2e\n", methods[i], error[0], error[1]);
    assert_near(log2(fabs(error[0] / error[1])), i < 3 ? 2 : 1, 0.3);
  }
}

/* Blades on two links of a four-bar: rows of loops and of velocities, orders 2, 4 and 6. */
static void blades_on_a_loop(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 0)"
      "  (joint planar \"p\" (mass 1 0.1 0.1 0.1) (name \"A\")"
      "    (tx 1 (rz \"a\" (mass 0.5 0.05 0.05 0.05) (tx 0.5 (name \"blade1\")) (tx 1"
      "      (rz \"b\" (mass 0.5 0.05 0.05 0.05) (tx 1.1 (name \"end\"))))))"
      "    (rz \"c\" (mass 0.5 0.05 0.05 0.05) (tx 0.5 (name \"blade2\")) (tx 0.9 (name "
      "\"end2\"))))"
      "  (close revolute \"end\" \"end2\" (axis 0 0 1))"
      "  (skate \"blade1\" \"world\") (skate \"blade2\" \"world\") (joint-spring \"a\" 0.3 1.5)"
      "  (initial (\"a\" 1.4 0.3) (\"b\" 1.9) (\"c\" 1.3) (\"p\" (0 0 0) (0.2 0.1 0.2))))";
  static const char *const methods[] = {"vi", "svi"};
  const int steps[3] = {50, 20, 10};
  const cardan_options tight = run_options("aba:dopri5", 0.1, 1);
  (void)state;
  run r = run_whole(model, NULL, &tight);
  assert_int_equal(r.model->mobility, 2);
  assert_int_equal(r.model->nv - r.model->position_rank, 4);
  for (int i = 0; i < 6; i++) {
    double error[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      cardan_options o = run_options(methods[i / 3], 1.0 / (steps[i % 3] * (1 + k)), 1);
      o.order = 2 + 2 * (i % 3);
      run s = run_whole(model, NULL, &o);
      for (int j = 0; j < s.model->nq; j++) {
        error[k] = fmax(error[k], fabs(s.data->q[j] - r.data->q[j]));
      }
      run_free(&s);
    }
    print_message("%-4s order %d: %.2e, %.2e\n", methods[i / 3], 2 + 2 * (i % 3), error[0],
                  error[1]);
    assert_near(log2(error[0] / error[1]), 2 + 2 * (i % 3), 0.15);
  }
  run_free(&r);
}

/* z' = y x' while x and y go round a circle of radius 1: z falls by its area, pi, a turn. */
static void driven_round_a_circle(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 0) (tx (k \"x\") (ty (k \"y\") (tz \"z\" (mass 1 1 1 1))))"
      "  (motion \"x\" (cos t)) (motion \"y\" (sin t)) (velocity (- v.z (* q.y v.x))))";
  static const char *const methods[] = {"aba:dopri5",    "hamilton:dopri5", "vi", "svi", "rattle",
                                        "half-implicit", "fully-implicit"};
  const double pi = 3.14159265358979323846;
  (void)state;
  for (int i = 0; i < 7; i++) {
    const cardan_options o = run_options(methods[i], 2 * pi / 500, 2 * pi);
    run r = run_whole(model, NULL, &o);
    print_message("%s: %.1e\n", methods[i], run_q(&r, "z") + pi);
    assert_near(run_q(&r, "z"), -pi, i < 2 ? 1e-9 : 1e-3); // h^2 pi / 6 and the like
    run_free(&r);
  }
}

/* A blade whose direction a pendulum turns, which turns over in a potential that is not
 * symmetric: the energy of steps whose rows are not those of both nodes wanders off. Here it
 * keeps its band. */
static void asymmetric_drive(void **state)
{
  static const char model[] = "(system (gravity 0 0 0) (rz \"s\" (mass 1 1 1 1)) (tx \"y\" (mass 1 "
                              "1 1 1)) (tx \"z\" (mass 1 1 1 1))"
                              "  (velocity (- v.z (* (sin q.s) v.y)))"
                              "  (potential (- (* 0.5 (+ (^ q.y 2) (^ q.z 2))) (cos q.s)))"
                              "  (potential (* 0.25 (sin (* 2 q.s))))"
                              "  (initial (\"s\" 0 2.3) (\"y\" 0.3 0.4) (\"z\" 0.2 0)))";
  static const char *const methods[] = {"svi", "rattle"};
  enum { STEPS = 20000, TENTH = STEPS / 10 };
  (void)state;
  for (int k = 0; k < 2; k++) {
    const cardan_options o = run_options(methods[k], 0.1, 0);
    run r = run_begin(model, NULL, &o);
    double first = 0, last = 0;
    for (int i = 0; i < STEPS; i++) {
      run_steps(&r, 1);
      if (i < TENTH || i >= STEPS - TENTH) {
        expect_ok(cardan_sim_observe(r.sim), NULL, "drive");
        *(i < TENTH ? &first : &last) += run_energy(&r) / TENTH;
      }
    }
    print_message("%s, mean energy: last tenth less first %.1e of %.2f\n", methods[k], last - first,
                  first);
    assert_near(last - first, 0, 1e-4);
    run_free(&r);
  }
}

/* A start from two configurations: z' = y x' holds in the middle of the first step, and at its end;
 * order 1, as without rows. */
static void two_configurations(void **state)
{
  static const char *const discrete[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      cardan_options o = run_options(discrete[i], 0.02 / (1 << k), 2);
      o.start = "two-point";
      run r = run_begin(particle, NULL, &o);
      run_steps(&r, 1);
      const double x = run_q(&r, "x"), y = run_q(&r, "y"), z = run_q(&r, "z");
      assert_near(x, 0.7 * o.dt, 0.01 * o.dt);
      assert_near(z, 0.5 * (0.2 + y) * x, 1e-14);
      assert_near(run_v(&r, "z") - y * run_v(&r, "x"), 0, 1e-14);
      run_steps(&r, 100 * (1 << k) - 1);
      error[k] = particle_error(&r, 2);
      run_free(&r);
    }
    print_message("%s: off by %.1e, %.1e\n", discrete[i], error[0], error[1]);
    assert_true(error[1] < 0.6 * error[0]);
  }
}

/* A blade on rails, and a velocity that a blade, an equation and rails hold four times over: such
 * rows change nothing. Along x: m x'' = 3; z = x / 2, so (m + m / 4) x'' = 3 in the other. */
static void rows_that_positions_hold(void **state)
{
  static const char *const models[] = {
      "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (rz \"a\" (name \"b\") (mass 2 1 1 1))))"
      "  (equation q.y) (equation q.a) (skate \"b\" \"world\") (torque \"x\" 3))",
      "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (tz \"z\" (name \"b\") (mass 2 1 1 1))))"
      "  (equation (- q.z (* 0.5 q.x))) (equation q.y) (skate \"b\" \"world\")"
      "  (velocity (- v.x (* 2 v.z))) (velocity (+ v.x v.y (* -2 v.z))) (torque \"x\" 3))"};
  static const char *const methods[] = {"vi", "svi", "aba:rk4", "hamilton:rk4", "baraff:rk4"};
  (void)state;
  for (int i = 0; i < 10; i++) {
    const cardan_options o = run_options(methods[i / 2], 0.01, 2);
    run r = run_whole(models[i % 2], NULL, &o);
    assert_int_equal(r.model->rank, 2);
    assert_int_equal(r.model->position_rank, 2);
    assert_near(run_q(&r, "x"), 0.5 * 3 / (i % 2 == 0 ? 2 : 2.5) * 4, 1e-10);
    assert_near(run_q(&r, "y"), 0, 1e-12);
    run_free(&r);
  }
}

/* A snapshot in the middle continues to the same bits, at orders 2 and 4. */
static void snapshots_continue(void **state)
{
  static const char *const models[] = {"bicycle", "rolling-disc", "car"};
  static const char *const maximal[] = {"rattle", "half-implicit", "fully-implicit"};
  cardan_report report = {.message = ""};
  (void)state;
  for (int i = 0; i < 15; i++) {
    cardan_options o = run_options(i < 6 ? "vi" : maximal[i / 3 - 2], 0.004, 0);
    o.order = i < 3 || i > 4 ? 2 : 4; // the car is damped
    run a = run_begin(models[i % 3], NULL, &o), b = run_begin(models[i % 3], NULL, &o);
    run_steps(&a, 30);
    const size_t size = cardan_sim_snapshot_size(a.sim);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    expect_ok(cardan_sim_snapshot_save(a.sim, bytes, size, &report), &report, "save");
    expect_ok(cardan_sim_snapshot_load(b.sim, bytes, size, &report), &report, "load");
    run_steps(&a, 30);
    run_steps(&b, 30);
    expect_ok(cardan_sim_observe(a.sim), NULL, "a");
    expect_ok(cardan_sim_observe(b.sim), NULL, "b");
    assert_memory_equal(a.data->q, b.data->q, (size_t)a.model->nq * sizeof(double));
    assert_memory_equal(a.data->v, b.data->v, (size_t)a.model->nv * sizeof(double));
    free(bytes);
    run_free(&a);
    run_free(&b);
  }
}

/* A sleigh whose blade holds through an impact without loss on a stop: impulses go along the
 * motions that the row leaves. rk4 at 5 ms keeps 1e-9 of the energy. */
static void impact_on_a_stop(void **state)
{
  static const char model[] = "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (rz \"a\" (name \"s\")"
                              "  (tx 0.3 (mass 1.5 0.1 0.1 0.2)))))"
                              "  (skate \"s\" \"world\") (stop \"x\" -10 0.5 (restitution 1))"
                              "  (initial (\"x\" 0 1) (\"y\" 0 0) (\"a\" 0 1)))";
  static const char *const methods[] = {"aba:rk4", "hamilton:rk4"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(methods[i], 0.005, 3);
    run r = run_whole(model, NULL, &o);
    expect_ok(cardan_sim_observe(r.sim), NULL, "stop");
    const double a = run_q(&r, "a");
    assert_true(run_v(&r, "x") < 0); // it came back
    assert_near(cos(a) * run_v(&r, "y") - sin(a) * run_v(&r, "x"), 0, 1e-13);
    assert_near(run_energy(&r), 0.5 * 1.5 * (1 + 0.09) + 0.5 * 0.2, 1e-8);
    run_free(&r);
  }
}

/* What no method can continue is refused with the name: wheels that are steered parallel lock once
 * they turn. */
static void refusals(void **state)
{
  static const char parallel[] =
      "(system (gravity 0 0 0) (joint planar \"p\" (mass 4 1 1 1)"
      "  (ty 1 (name \"rl\")) (ty -1 (name \"rr\"))"
      "  (place (2 1 0) (rz \"a\" (mass 0.1 0.1 0.1 0.1) (name \"fl\")))"
      "  (place (2 -1 0) (rz \"b\" (mass 0.1 0.1 0.1 0.1) (name \"fr\"))))"
      "  (gear \"a\" \"b\" 1) (skate \"rl\" \"world\") (skate \"rr\" \"world\")"
      "  (skate \"fl\" \"world\") (skate \"fr\" \"world\")"
      "  (initial (\"p\" (0 0 0) (1 0 0)) (\"a\" 0 0.3)))";
  static const char *const takes[] = {"vi", "svi", "aba:rk4", "hamilton:rk4", "vi", "svi"};
  static const char *const maximal[] = {"rattle", "half-implicit", "fully-implicit"};
  cardan_report report = {.message = ""};
  (void)state;
  for (int i = 0; i < 6; i++) { // by rounding redundant rows may be what is seen first
    const cardan_options o = run_options(takes[i], i < 4 ? 0.01 : 0.005, 1);
    run r = run_begin(parallel, NULL, &o);
    cardan_status status = CARDAN_OK;
    for (int k = 0; k < 100 && status == CARDAN_OK; k++) {
      status = cardan_sim_step(r.sim, &report);
    }
    assert_int_equal(status, CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "constraint \"skate"));
    run_free(&r);
  }
  for (int i = 0; i < 3; i++) { // in maximal coordinates it is seen at the start
    const cardan_options o = run_options(maximal[i], 0.01, 1);
    run r = run_load(parallel, NULL, &o);
    assert_int_equal(cardan_sim_start(r.sim, &report), CARDAN_ERR_SINGULAR);
    assert_non_null(strstr(report.message, "constraint \"skate"));
    assert_non_null(strstr(report.message, "speeds would jump"));
    run_free(&r);
  }
}

/* A disc that lies has no lowest point: refused at the start, with or without a row on its height,
 * and said when a disc that tips over comes there (0.1 rad/s is far from a steady motion). */
static void lying_discs(void **state)
{
  static const char *const flat[] = {
      "(system (joint free \"a\" (mass 1 1 1 1)) (roll \"a\" \"world\" (disc 0.1) (name \"R\")))",
      "(system (joint free \"a\" (mass 1 1 1 1)) (roll \"a\" \"world\" (disc 0.1) (flat)"
      " (name \"R\")))"};
  static const char tips[] =
      "(system (gravity 0 0 -9.81) (tx \"x\" (ty \"y\" (rz \"yaw\" (rx \"tilt\" (tz \"z\""
      "  (rz \"spin\" (name \"d\") (mass 0.1 0.00025 0.00025 0.0005)))))))"
      "  (roll \"d\" \"world\" (disc 0.1) (name \"R\"))"
      "  (initial (\"tilt\" 0.6 0) (\"yaw\" 0 0.1)))";
  static const char free_disc[] = // the same tilt and turn
      "(system (gravity 0 0 -9.81) (joint free \"d\" (mass 0.1 0.00025 0.00025 0.0005))"
      "  (roll \"d\" \"world\" (disc 0.1) (name \"R\"))"
      "  (initial (\"d\" (0 0 (* 0.1 (sin 0.6)) (cos 0.3) (sin 0.3) 0 0)"
      "    (0 (* 0.1 (sin 0.6)) (* 0.1 (cos 0.6)) 0 0 0))))";
  static const char *const methods[] = {"vi",       "svi",    "aba:rk4",       "aba",
                                        "hamilton", "rattle", "half-implicit", "fully-implicit"};
  cardan_report report = {.message = ""};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options("vi", 0.01, 1);
    cardan_model *model = load_model(flat[i], NULL);
    cardan_sim *sim = NULL;
    cardan_status status = cardan_sim_create(model, &o, NULL, &sim, &report);
    status = status == CARDAN_OK ? cardan_sim_start(sim, &report) : status;
    assert_int_equal(status, CARDAN_ERR_ASSEMBLY);
    assert_non_null(strstr(report.message, "the disc of roll \"R\" lies flat at the start"));
    assert_non_null(strstr(report.message, "tilt it by more than 0.6 degrees"));
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
  for (int i = 0; i < 8; i++) {
    const cardan_options o = run_options(methods[i], 0.005, 1);
    run r = run_begin(i < 5 ? tips : free_disc, NULL, &o);
    cardan_status status = CARDAN_OK;
    for (int k = 0; k < 200 && status == CARDAN_OK; k++) {
      status = cardan_sim_step(r.sim, &report);
    }
    assert_int_not_equal(status, CARDAN_OK);
    print_message("%s: %s\n", methods[i], report.message);
    assert_non_null(strstr(report.message, "the disc of roll \"R\" would lie flat"));
    run_free(&r);
  }
}

/* Subdivided steps (option adapt) hold the rows at their nodes and are nearer to the motion: the
 * sleigh on a spring, against rk4 at 0.2 ms. Halved steps of order 2 leave a quarter of the error;
 * 0.5 allows for steps that stay whole. */
static void subdivided_steps(void **state)
{
  static const char model[] = "(system (gravity 0 0 0) (tx \"x\" (ty \"y\" (rz \"a\" (name \"s\")"
                              "  (tx 0.3 (mass 1.5 0.1 0.1 0.2)))))"
                              "  (skate \"s\" \"world\") (joint-spring \"x\" 40 0)"
                              "  (initial (\"x\" 0 1) (\"y\" 0 0) (\"a\" 0 3)))";
  static const char *const methods[] = {"vi", "svi", "rattle", "half-implicit"};
  cardan_options o = run_options("aba:rk4", 2e-4, 2);
  (void)state;
  run exact = run_whole(model, NULL, &o);
  for (int i = 0; i < 4; i++) {
    double error[2];
    int64_t parted = 0;
    for (int k = 0; k < 2; k++) {
      o = run_options(methods[i], 0.05, 2);
      o.adapt = k == 0 ? 0 : 1e-6;
      run r = run_whole(model, NULL, &o);
      expect_ok(cardan_sim_observe(r.sim), NULL, "adapt");
      const double a = run_q(&r, "a");
      parted = cardan_sim_stats(r.sim).parted;
      assert_true(k == 0 ? parted == 0 : parted > 20); // of 40
      const double row = cos(a) * run_v(&r, "y") - sin(a) * run_v(&r, "x");
      assert_near(i < 3 ? row : 0, 0, 1e-13); // velocities of half-implicit are means of steps
      error[k] = fmax(fabs(a - run_q(&exact, "a")), fabs(run_q(&r, "x") - run_q(&exact, "x")));
      run_free(&r);
    }
    print_message("%s: whole steps %.1e, %d of 40 subdivided %.1e\n", methods[i], error[0],
                  (int)parted, error[1]);
    assert_true(error[1] < 0.5 * error[0]);
  }
  run_free(&exact);
}

/* A row with constant coefficients of rates is the rate of an equation: a warning, of no others. */
static void integrable_rows(void **state)
{
  static const struct {
    const char *model;
    int warnings;
  } cases[] = {{"(system (tx \"x\" (ty \"y\" (mass 1))) (velocity (- v.x (* 2 v.y))))", 1},
               {"(system (define k 2) (tx \"x\" (mass 1)) (velocity (- v.x k)))", 1},
               {"(system (tx \"x\" (ty \"y\" (mass 1))) (velocity (- v.x (* q.x v.y))))", 0},
               {"(system (tx \"x\" (mass 1)) (velocity (- v.x (sin t))))", 0},
               {"(system (joint free \"f\" (mass 1 1 1 1)) (velocity (- v.f.wx v.f.wy)))", 0},
               {"(system (tx \"x\" (mass 1) (name \"A\")) (velocity (vx \"A\")))", 0}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_model *model = load_model(cases[i].model, NULL);
    int found = 0;
    for (int k = 0; k < model->nwarning; k++) {
      found += strstr(model->warning[k], "(equation ..) of the coordinates") != NULL;
    }
    assert_int_equal(found, cases[i].warnings);
    cardan_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),
      cmocka_unit_test(orders_in_maximal_coordinates),
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(sleigh_turns_round),
      cmocka_unit_test(energy_of_harmonic),
      cmocka_unit_test(ball_rolls_straight),
      cmocka_unit_test(ball_on_turning_table),
      cmocka_unit_test(blade_on_slope),
      cmocka_unit_test(differential_drive),
      cmocka_unit_test(there_and_back),
      cmocka_unit_test(work_of_moving_rows),
      cmocka_unit_test(blades_on_a_loop),
      cmocka_unit_test(driven_round_a_circle),
      cmocka_unit_test(asymmetric_drive),
      cmocka_unit_test(snapshots_continue),
      cmocka_unit_test(two_configurations),
      cmocka_unit_test(rows_that_positions_hold),
      cmocka_unit_test(impact_on_a_stop),
      cmocka_unit_test(refusals),
      cmocka_unit_test(lying_discs),
      cmocka_unit_test(subdivided_steps),
      cmocka_unit_test(integrable_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
