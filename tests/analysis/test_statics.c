// SPDX-License-Identifier: Apache-2.0
// Equilibria against closed forms: catenaries, a four-bar with a spring, a three-hinge arch; and
// what there is to say of stability, friction, stops, ropes, drivers, and of places that are none.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "cardan/statics.h"
#include "fixture.h"
#include "random_loops.h"

static const double pi = 3.14159265358979323846, g = 9.81;

static cardan_statics *find(const fixture *f, const cardan_statics_options *options)
{
  cardan_report report = {.message = ""};
  cardan_statics *s = NULL;
  expect_ok(cardan_statics_find(f->model, f->data, options, NULL, &s, &report), &report, "statics");
  return s;
}

static void refused(const char *text, cardan_status status, const char *part)
{
  fixture f = fixture_load(text);
  cardan_report report = {.message = ""};
  cardan_statics *s = NULL;
  assert_int_equal(cardan_statics_find(f.model, f.data, NULL, NULL, &s, &report), status);
  assert_null(s);
  if (strstr(report.message, part) == NULL) {
    print_error("%s\n", report.message);
  }
  assert_non_null(strstr(report.message, part));
  fixture_free(&f);
}

static double q_of(const cardan_statics *s, const char *name)
{
  const int i = cardan_model_q(s->model, name);
  assert_true(i >= 0);
  return s->q[i];
}

/* ---- the catenary ---- */

enum { LINKS = 100 };

/* Slope (down positive) of link i of n equal links between pins at one height, with a pull H along:
 * tan = V / H, V half of the weight less that of the links before it and half of its own. */
static double link_slope(int i, double H, double weight)
{
  return atan((0.5 * LINKS - i - 0.5) * weight / H);
}

/* H for the span, by bisection of sum L cos(slope) = span. */
static double link_pull(double L, double span, double weight)
{
  double low = 1e-6 * weight, high = 1e6 * weight;
  for (int k = 0; k < 200; k++) {
    const double H = sqrt(low * high);
    double sum = 0;
    for (int i = 0; i < LINKS; i++) {
      sum += L * cos(link_slope(i, H, weight));
    }
    *(sum < span ? &low : &high) = H;
  }
  return low;
}

/* Largest error of the links' slopes, and the pull H of the pin. */
static double catenary_error(const cardan_statics *s, double H)
{
  double slope = 0, worst = 0;
  for (int i = 0; i < LINKS; i++) {
    slope += s->q[i]; // angles from link to link, about y: down is positive
    worst = fmax(worst, fabs(remainder(slope - link_slope(i, H, g), 2 * pi)));
  }
  return worst;
}

// links of 0.25 m and 1 kg; the span is the chord of the arc that the built-in model starts as
static double span_of_arc(double L)
{
  const double turn = 2 * (60 * pi / 180) / (LINKS - 1);
  return L * sin(LINKS * 0.5 * turn) / sin(0.5 * turn);
}

// The discrete chain, by its own root. The forces are balanced to 1e-9 and then to rounding: 1e-10
// is what rounding of 981 N leaves of a slope whose stiffness is some N m.
static void test_catenary(void **state)
{
  (void)state;
  fixture f = fixture_load("pinned-chain:100");
  const double L = 0.25, span = span_of_arc(L), H = link_pull(L, span, g);
  cardan_statics *s = find(&f, NULL);
  const double error = catenary_error(s, H);
  assert_true(error < 1e-10);
  assert_int_equal(s->nnegative, 0);
  assert_int_equal(s->nzero, 0);
  assert_int_equal(s->nfree, LINKS - 2);
  // the pin's pull along x is H, and carries half of the weight
  assert_near(fabs(s->lambda[0]), H, 1e-9 * H);
  assert_near(fabs(s->lambda[1]), 0.5 * LINKS * g, 1e-9 * LINKS * g);
  // the continuous catenary: sag a (cosh(span / 2a) - 1), 2 a sinh(span / 2a) = length; the links
  // are its chords, so that it differs by some 1 / n^2 of the length
  double low = 1e-3, high = 1e3;
  for (int k = 0; k < 200; k++) {
    const double a = sqrt(low * high);
    *(2 * a * sinh(span / (2 * a)) > LINKS * L ? &low : &high) = a;
  }
  double depth = 0, slope = 0;
  for (int i = 0; i < LINKS / 2; i++) {
    slope += s->q[i];
    depth += L * sin(slope);
  }
  const double sag = low * (cosh(span / (2 * low)) - 1);
  assert_near(depth, sag, LINKS * L / (LINKS * LINKS));
  print_message(
      "%d links: slopes to %.2g rad of the discrete catenary in %d iterations, sag %.6f m, "
      "continuous %.6f m\n",
      LINKS, error, s->iterations, depth, sag);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* From crooked starts, closed by assembly, to the same place. */
static void test_catenary_from_anywhere(void **state)
{
  (void)state;
  fixture f = fixture_load("pinned-chain:100");
  const double L = 0.25, H = link_pull(L, span_of_arc(L), g);
  support_rng rng = {7};
  int most = 0;
  for (int n = 0; n < 3; n++) {
    cardan_data_reset(f.model, f.data);
    for (int i = 0; i < f.model->nq; i++) {
      f.data->q[i] += support_random_in(&rng, -0.8, 0.8);
    }
    cardan_statics *s = find(&f, NULL);
    assert_int_equal(s->nnegative, 0);
    assert_true(catenary_error(s, H) < 1e-9);
    most = s->iterations > most ? s->iterations : most;
    cardan_statics_destroy(s);
  }
  print_message("from crooked starts: %d iterations at most\n", most);
  fixture_free(&f);
}

/* Mirrored it balances as an arch: that is reported, and with leave_unstable it falls. */
static void test_arch_of_chain(void **state)
{
  (void)state;
  fixture f = fixture_load("pinned-chain:100");
  cardan_statics *s = find(&f, NULL);
  const cardan_statics_options leave = {.leave_unstable = true};
  const double hanging = s->energy;
  cardan_statics_destroy(s);
  for (int i = 0; i < f.model->nq; i++) {
    f.data->q[i] = -f.data->q[i];
  }
  s = find(&f, NULL);
  assert_true(s->at_start);
  assert_int_equal(s->nnegative, LINKS - 2); // the mirror of a minimum is a maximum
  assert_near(s->energy, -hanging, 1e-9 * fabs(hanging));
  cardan_statics_destroy(s);
  s = find(&f, &leave);
  assert_int_equal(s->nnegative, 0);
  assert_near(s->energy, hanging, 1e-9 * fabs(hanging));
  print_message("from the arch: %d iterations\n", s->iterations);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* ---- a four-bar with a spring ---- */

/* Crank a, coupler b, rocker c, ground d: the rocker's and coupler's angles from the crank's, in
 * the x-z plane, counted from x towards -z as ry does. */
static void fourbar(double crank, double *coupler_abs, double *rocker)
{
  const double a = 0.5, b = 1.25, c = 1, d = 1;
  const double x = a * cos(crank), z = -a * sin(crank);     // end of the crank
  const double dx = d - x, dz = -z, r2 = dx * dx + dz * dz; // to the rocker's pin
  const double r = sqrt(r2), along = (r2 + b * b - c * c) / (2 * r);
  const double up = sqrt(b * b - along * along);
  // of the two places the one above the line from the crank to the pin
  const double px = x + (along * dx - up * dz) / r, pz = z + (along * dz + up * dx) / r;
  *coupler_abs = atan2(-(pz - z), px - x);
  *rocker = atan2(-pz, px - d);
}

static double fourbar_energy(double crank)
{
  double coupler, rocker;
  fourbar(crank, &coupler, &rocker);
  const double xc = 0.5 * cos(crank), zc = -0.5 * sin(crank);  // 1 kg
  const double xk = xc + cos(coupler), zk = zc - sin(coupler); // 0.5 kg
  const double xr = 1 + cos(rocker), zr = -sin(rocker);        // 1 kg
  const double length = hypot(xk - 0.2, zk + 1.0) - 0.6;       // from (0.2, 0, -1), x0 = 0.6
  (void)xr;
  return g * (zc + 0.5 * zk + zr) + 0.5 * 40 * length * length;
}

// energy of one coordinate, its slope by differences of order 8, whose root by bisection: 1e-9
static double fourbar_slope(double crank)
{
  static const double c[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  double sum = 0;
  for (int k = 1; k <= 4; k++) {
    sum += c[k] * (fourbar_energy(crank + k * 0.005) - fourbar_energy(crank - k * 0.005)) / 0.005;
  }
  return sum;
}

static void test_fourbar(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system (gravity 0 0 -9.81) (tx 0.2 tz -1 (name \"P\"))"
                   " (ry \"crank\" (tx 0.5 (mass 1) (ry \"coupler\" (tx 1 (mass 0.5) (name \"K\")"
                   "  (tx 0.25 (name \"B\"))))))"
                   " (tx 1 (ry \"rocker\" (tx 1 (name \"C\") (mass 1))))"
                   " (coincide \"B\" \"C\") (spring \"P\" \"K\" 40 0.6)"
                   " (initial ((\"crank\" -1) fixed) (\"coupler\" 0.6) (\"rocker\" -1.5)))");
  cardan_statics *s = find(&f, NULL);
  const double at = q_of(s, "crank");
  double coupler, rocker;
  double low = at - 0.1, high = at + 0.1; // a minimum: the slope rises
  assert_true(fourbar_slope(low) < 0 && fourbar_slope(high) > 0);
  for (int k = 0; k < 60; k++) {
    const double middle = 0.5 * (low + high);
    *(fourbar_slope(middle) < 0 ? &low : &high) = middle;
  }
  fourbar(at, &coupler, &rocker);
  assert_near(at, low, 1e-9);
  assert_near(at + q_of(s, "coupler"), coupler, 1e-12);
  assert_near(q_of(s, "rocker"), rocker, 1e-12);
  assert_near(s->energy, fourbar_energy(at), 1e-12);
  assert_int_equal(s->nnegative + s->nzero, 0);
  assert_int_equal(s->nfree, 1);
  print_message("four-bar with a spring: crank %.12f, closed form %.12f\n", at, low);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* ---- the three-hinge arch ---- */

/* Two bars from pins at (0, 0) and (4, 0) m to the crown at (2, 1); 3 kg at the middle of the left
 * one, 5 kg at a quarter of the right one from its pin. Moments about a pin, and of one bar about
 * the crown:  V_B 4 = 3 g 1 + 5 g 3.5,  H 1 = V_A 2 - 3 g 1. */
static void test_three_hinge_arch(void **state)
{
  (void)state;
  fixture f = fixture_load(
      "(system (gravity 0 0 -9.81) (define up (neg (atan 0.5)))"
      " (ry \"left\" (tx (/ (sqrt 5) 2) (mass 3)) (tx (sqrt 5) (name \"A\")))"
      " (tx 4 (ry \"right\" (tx (/ (sqrt 5) -4) (mass 5)) (tx (neg (sqrt 5)) (name \"B\"))))"
      " (coincide \"A\" \"B\" (name \"crown\"))"
      " (initial (\"left\" up) (\"right\" (neg up))))");
  cardan_statics *s = find(&f, NULL);
  const double VB = (3 * g * 1 + 5 * g * 3.5) / 4, VA = 8 * g - VB, H = 2 * VA - 3 * g;
  const double angle = atan(0.5);
  assert_int_equal(s->nfree, 0);
  assert_true(s->at_start);
  // in the axes of the bars: x along them, y out of the plane; right angle up
  const cardan_force left = s->reaction[cardan_model_joint(f.model, "left")];
  const cardan_force right = s->reaction[cardan_model_joint(f.model, "right")];
  const double tol = 1e-13 * 8 * g * 10; // ten roundings of the weight
  assert_near(left.f.x, H * cos(angle) + VA * sin(angle), tol);
  assert_near(left.f.z, VA * cos(angle) - H * sin(angle), tol);
  assert_near(right.f.x, -H * cos(angle) - VB * sin(angle), tol);
  assert_near(right.f.z, VB * cos(angle) - H * sin(angle), tol);
  assert_near(fabs(s->lambda[0]), H, tol);
  assert_near(fabs(s->lambda[2]), fabs(VA - 3 * g), tol);
  print_message("three-hinge arch: H = %.12f N, by hand %.12f N\n", fabs(s->lambda[0]), H);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* ---- stability ---- */

static void test_stability(void **state)
{
  (void)state;
  // a pendulum: k = m g L over m L^2 a kg, so that a metre of the mass costs m g / L
  fixture f = fixture_load("(system (gravity 0 0 -9.81) (ry \"a\" (tz -2 (mass 3)))"
                           " (initial (\"a\" 0.3)))");
  cardan_statics *s = find(&f, NULL);
  assert_near(s->q[0], 0, 1e-14);
  assert_near(s->stiffness[0], 3 * g / 2, 1e-7); // the metric has 1e-9 of another
  cardan_statics_destroy(s);
  f.data->q[0] = pi;
  s = find(&f, NULL);
  assert_true(s->at_start);
  assert_int_equal(s->nnegative, 1);
  cardan_statics_destroy(s);
  fixture_free(&f);
  // a ball joint: turning about the vertical is free, and the quaternion ends down
  f = fixture_load(
      "(system (gravity 0 0 -9.81) (joint spherical \"b\" (tz -1 (mass 1 0.1 0.1 0.1)))"
      " (initial (\"b\" (0.1 0.9 0.3 0.2))))");
  s = find(&f, NULL);
  assert_near(s->energy, -g, 1e-12);
  assert_int_equal(s->nfree, 3);
  assert_int_equal(s->nzero, 1);
  assert_int_equal(s->nnegative, 0);
  assert_near(fabs(s->shape[2]) + fabs(s->shape[5]) + fabs(s->shape[8]), fabs(s->shape[2]), 1e-6);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

static void test_none(void **state)
{
  (void)state;
  refused("(system (gravity 0 0 -9.81) (tx \"x\" (tz \"fall\" (mass 1))))", CARDAN_ERR_NO_ROOT,
          "\"fall\", towards smaller values");
  refused("(system (rz \"wheel\" (tx 0.1 (mass 1))) (torque \"wheel\" 2))", CARDAN_ERR_NO_ROOT,
          "\"wheel\", towards larger values");
  refused("(system (gravity 0 0 -9.81) (tz \"z\" (mass 1) (solid sphere 0.1))"
          " (place (0 0 -1) (name \"floor\") (solid plane)) (contact \"z\" \"floor\")"
          " (spring \"z\" \"floor\" 1 0.1))",
          CARDAN_ERR_UNSUPPORTED, "touch");
  // what moves or acts beside the mechanism would push it elsewhere
  refused("(system (tx \"x\" (mass 1)) (torque \"x\" z.f)"
          " (state \"f\" (derivative (- 5 z.f))))",
          CARDAN_ERR_UNSUPPORTED, "auxiliary state \"f\"");
  refused("(system (tx \"x\" (mass 1)) (input \"f\") (torque \"x\" u.f)"
          " (controller \"f\" (every 0.1) 5))",
          CARDAN_ERR_UNSUPPORTED, "controller of input \"f\"");
}

/* ---- forces without a potential ---- */

// a torque along the velocity: the stiffness is that of a stable place, and motions grow; against
// it they do not
static void test_fed(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    fixture f = fixture_load(i == 0 ? "(system (tx \"x\" (mass 1)) (joint-spring \"x\" 10 0)"
                                      " (torque \"x\" (* 3 v.x)))"
                                    : "(system (tx \"x\" (mass 1)) (joint-spring \"x\" 10 0)"
                                      " (damping \"x\" 1) (torque \"x\" (* -3 v.x)))");
    cardan_statics *s = find(&f, NULL);
    char *text = NULL;
    assert_int_equal(s->fed, i == 0);
    assert_int_equal(s->nnegative, 0);
    assert_int_equal(cardan_describe_statics(s, "m", false, NULL, &text), CARDAN_OK);
    assert_non_null(strstr(text, i == 0 ? "stability not known" : "at rest, stable"));
    cardan_free_text(NULL, text);
    cardan_statics_destroy(s);
    fixture_free(&f);
  }
}

// k = 10 in all directions and a force across the motion: it spirals out, s^2 = -10 +- 2 i, though
// the symmetric part of the stiffness is that of a stable place
static void test_flutter(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (tx \"x\" (ty \"y\" (mass 1)))"
                           " (joint-spring \"x\" 10 0) (joint-spring \"y\" 10 0)"
                           " (torque \"x\" (* 2 q.y)) (torque \"y\" (* -2 q.x)))");
  cardan_statics *s = find(&f, NULL);
  char *text = NULL;
  assert_int_equal(s->nnegative, 0);
  assert_true(s->skew);
  assert_int_equal(cardan_describe_statics(s, "m", true, NULL, &text), CARDAN_OK);
  assert_non_null(strstr(text, "\"not known\""));
  cardan_free_text(NULL, text);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* A follower load at the tip of a pendulum with a joint spring: k a = F L (straight across the bar)
 * - m g L sin a. */
static void test_follower(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (name \"tip\") (mass 1)))"
                           " (joint-spring \"a\" 30 0) (wrench body \"tip\" (-6 0 0) (0 0 0)))");
  cardan_statics *s = find(&f, NULL);
  double low = 0, high = 1;
  for (int k = 0; k < 100; k++) {
    const double a = 0.5 * (low + high);
    *(30 * a + g * sin(a) < 6 ? &low : &high) = a;
  }
  assert_near(s->q[0], low, 1e-13);
  assert_false(s->conservative);
  cardan_statics_destroy(s);
  fixture_free(&f);
  // two bars with springs under a follower load along the last: H is not symmetric
  f = fixture_load("(system (gravity 0 0 -1) (ry \"a\" (tz -1 (mass 1) (ry \"b\" (tz -1 (mass 1)"
                   " (name \"tip\"))))) (joint-spring \"a\" 5 0.2) (joint-spring \"b\" 5 -0.4)"
                   " (wrench body \"tip\" (0.5 0 1.5) (0 0 0)))");
  s = find(&f, NULL);
  const double a = s->q[0], b = s->q[1];
  // moments about the hinges: the load in the last bar's axes, arms from its geometry
  const double about_b = -0.5, about_a = about_b - 0.5 * cos(b) - 1.5 * sin(b);
  assert_near(-5 * (b + 0.4) - sin(a + b) + about_b, 0, 1e-12);
  assert_near(-5 * (a - 0.2) - 2 * sin(a) - sin(a + b) + about_a, 0, 1e-12);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* ---- one-sided rows, drivers, friction ---- */

static void test_bounds(void **state)
{
  (void)state;
  // a stop carries a pendulum that leans on it; the force is m g L sin over 1 rad
  fixture f = fixture_load("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 2)))"
                           " (stop \"a\" 0.3 2 (name \"wall\")) (initial (\"a\" 1)))");
  cardan_statics *s = find(&f, NULL);
  assert_near(s->q[0], 0.3, 1e-12);
  assert_near(s->side[0], 2 * g * sin(0.3), 1e-11);
  assert_near(s->side[1], 0, 0);
  cardan_statics_destroy(s);
  fixture_free(&f);
  // a limit of the joint does the same, and a start beyond it goes there
  f = fixture_load("(system (gravity 0 0 -9.81) (joint prismatic \"z\" (axis 0 0 1) (limit -0.2 1)"
                   " (mass 2 1 1 1)) (initial (\"z\" 0.5)))");
  s = find(&f, NULL);
  char name[32];
  assert_near(s->q[0], -0.2, 1e-12);
  assert_near(s->side[0], 2 * g, 1e-11);
  cardan_statics_side_name(s, 0, name, sizeof name);
  assert_string_equal(name, "z.low");
  cardan_statics_side_name(s, 1, name, sizeof name);
  assert_string_equal(name, "z.high");
  cardan_statics_destroy(s);
  cardan_data_reset(f.model, f.data);
  f.data->q[0] = -1;
  s = find(&f, NULL);
  assert_near(s->q[0], -0.2, 1e-12);
  cardan_statics_destroy(s);
  fixture_free(&f);
  // it does not pull: from the wall it falls away
  f = fixture_load("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 2)))"
                   " (stop \"a\" -0.5 0.3) (initial (\"a\" 0.3)))");
  s = find(&f, NULL);
  assert_near(s->q[0], 0, 1e-12);
  cardan_statics_destroy(s);
  fixture_free(&f);
  // a weight on a rope, and one on a slack rope that a spring carries
  f = fixture_load("(system (gravity 0 0 -9.81) (tx 0 (name \"O\"))"
                   " (tx \"x\" (tz \"z\" (mass 2) (name \"m\"))) (rope \"O\" \"m\" 1.5)"
                   " (initial (\"x\" 0.7) (\"z\" -0.4)))");
  s = find(&f, NULL);
  assert_near(s->q[1], -1.5, 1e-11);
  assert_near(s->side[0], 2 * g, 1e-10);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

static void test_drivers(void **state)
{
  (void)state;
  // held at 0.5 rad at t = 2, whatever the speed there
  fixture f = fixture_load("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 2) (ry \"b\" (tz -1"
                           " (mass 1))))) (motion \"a\" (* 0.25 t)))");
  f.data->t = 2;
  cardan_statics *s = find(&f, NULL);
  assert_near(s->q[0], 0.5, 1e-12);
  assert_near(s->q[0] + s->q[1], 0, 1e-12);
  assert_near(s->driver[0], 3 * g * sin(0.5), 1e-10);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

static void test_friction(void **state)
{
  (void)state;
  // a block on a slope of 20 deg: needs m g sin, can give mu m g cos
  char text[512];
  snprintf(text, sizeof text,
           "(system (gravity 0 0 -9.81) (ry (deg 20) (joint prismatic \"s\" (axis 1 0 0) (mass 3 1 "
           "1 1)))"
           " (friction \"s\" 0.5 (vs 1e-3)) (tx 0 (name \"O\")) (joint-spring \"s\" 2 0))");
  fixture f = fixture_load(text);
  cardan_statics *s = find(&f, NULL);
  const double tilt = 20 * pi / 180;
  assert_true(s->friction[0].holds && s->at_start);
  assert_near(fabs(s->friction[0].needed), 3 * g * sin(tilt), 1e-11);
  assert_near(s->friction[0].limit, 0.5 * 3 * g * cos(tilt), 1e-11);
  cardan_statics_destroy(s);
  // pulled further than it holds: the place where it needs none
  f.data->q[0] = 20;
  s = find(&f, NULL);
  assert_false(s->friction[0].holds);
  assert_near(s->q[0], 3 * g * sin(tilt) / 2, 1e-9);
  assert_near(s->friction[0].needed, 0, 1e-9);
  assert_near(fabs(s->friction[0].start), 40 - 3 * g * sin(tilt), 1e-10);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* A torque that a program computes: its slope is not known, and differences take its place. */
static void pull(void *user, const cardan_instant *at, cardan_force *f, double *tau)
{
  (void)user;
  (void)f;
  tau[0] += -5 * (at->q[0] - 1);
}

static void test_program(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1))) (program \"p\"))");
  const cardan_program program = {.force = pull};
  f.data->program = &program;
  cardan_statics *s = find(&f, NULL);
  assert_near(-5 * (s->q[0] - 1) - g * sin(s->q[0]), 0, 1e-9 * s->scale);
  assert_true(s->q[0] > 0.1);
  cardan_statics_destroy(s);
  fixture_free(&f);
}

/* Random mechanisms with loops, redundant rows and drivers: forward dynamics finds no acceleration
 * where they come to rest, and nothing there is unstable; the others fall for ever. */
static void test_random_loops(void **state)
{
  (void)state;
  int rest = 0, fall = 0;
  for (uint64_t seed = 0; seed < 40; seed++) {
    loops_kind kind;
    char *text = loops_random_text(seed, &kind);
    fixture f = fixture_load(text);
    cardan_report report = {.message = ""};
    cardan_statics *s = NULL;
    const cardan_status status = cardan_statics_find(f.model, f.data, NULL, NULL, &s, &report);
    if (status == CARDAN_OK) {
      assert_int_equal(s->nnegative, 0);
      assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
      // 1e-9 of the weight over the least inertia, 0.02 of a mass
      assert_true(support_max_abs(f.data->a, f.model->nv) < 1e-7);
      rest++;
    } else {
      assert_int_equal(status, CARDAN_ERR_NO_ROOT);
      fall++;
    }
    cardan_statics_destroy(s);
    fixture_free(&f);
    free(text);
  }
  assert_true(rest > 30);
  print_message("random loops: %d at rest, %d fall\n", rest, fall);
}

static void test_too_large(void **state)
{
  (void)state;
  refused("pendulum:3001", CARDAN_ERR_UNSUPPORTED, "3000 velocities at most");
}

static cardan_status scenario(const cardan_allocator *allocator, void *user)
{
  const fixture *f = user;
  cardan_report report = {.message = ""};
  cardan_statics *s = NULL;
  char *text = NULL;
  cardan_data_reset(f->model, f->data);
  cardan_status status = cardan_statics_find(f->model, f->data, NULL, allocator, &s, &report);
  if (status == CARDAN_OK) {
    status = cardan_describe_statics(s, "m", true, allocator, &text);
    cardan_free_text(allocator, text);
  }
  cardan_statics_destroy(s);
  return status;
}

static void test_memory(void **state)
{
  (void)state;
  fixture f = fixture_load("closed-chain");
  support_fail_each(scenario, &f);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_catenary),
      cmocka_unit_test(test_catenary_from_anywhere),
      cmocka_unit_test(test_arch_of_chain),
      cmocka_unit_test(test_fourbar),
      cmocka_unit_test(test_three_hinge_arch),
      cmocka_unit_test(test_stability),
      cmocka_unit_test(test_none),
      cmocka_unit_test(test_follower),
      cmocka_unit_test(test_flutter),
      cmocka_unit_test(test_fed),
      cmocka_unit_test(test_bounds),
      cmocka_unit_test(test_drivers),
      cmocka_unit_test(test_friction),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_program),
      cmocka_unit_test(test_random_loops),
      cmocka_unit_test(test_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
