// SPDX-License-Identifier: Apache-2.0
// Impacts: what they keep, what they lose, and that they never gain.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contact_cases.h"
#include "run.h"

#define FLOOR "(place (0 0 0) (name \"floor\") (solid plane))"

static cardan_contact_stats contacts(const run *r)
{
  return cardan_sim_stats(r->sim).contact;
}

/* ---- One ball. */

#define BALL(e)                                                                          \
  "(system (gravity 0 0 -10) (define up 0.8) " FLOOR                                     \
  " (tz \"z\" (name \"ball\") (mass 1 1 1 1) (tz 0 (name \"skin\") (solid sphere 0.1)))" \
  " (contact \"skin\" \"floor\" (restitution " e ")) (initial (\"z\" (+ 0.1 up))))"

// 10,000 bounces at e = 1 and 50 ms, from 0.8 m: impacts at 0.4 + 0.8 k s, whole numbers of steps;
// and from 0.73 m, anywhere in a step. What remains are some 160,000 roundings of 1e-16
static void ball_keeps_its_energy(void **state)
{
  (void)state;
  static const char *const settings[] = {"up=0.8", "up=0.73"};
  const cardan_options o = run_options("vi", 0.05, 0);
  for (int i = 0; i < 2; i++) {
    const double up = i == 0 ? 0.8 : 0.73, flight = 2 * sqrt(0.2 * up);
    run r = run_begin(BALL("1"), settings[i], &o);
    const double start = run_energy(&r);
    run_steps(&r, (int)(1e4 * flight / 0.05) + 1);
    const double off = (run_energy(&r) - start) / (10 * up);
    print_message("ball, e 1, from %g m: %d bounces, energy %.1e of it\n", up,
                  (int)contacts(&r).impacts, off);
    assert_in_range(contacts(&r).impacts, 9999, 10001);
    assert_near(off, 0, 4e-13);
    if (i == 0) {
      // a gap of 1e-9 m counts as closed: up to 2.5e-10 s early, each time, at 0.5 m/s in the end
      assert_near(run_q(&r, "z"), 0.9 - 0.5 * 10 * 0.05 * 0.05, 1e-5);
    }
    run_free(&r);
  }
}

/* Height of a ball that fell from 0.8 m under 10 m/s^2, e 0.8, above where it rests. */
static double bouncing(double t)
{
  double from = 0.4, up = 0.8 * 4;
  if (t < from) {
    return 0.8 - 5 * t * t;
  }
  while (t >= from + 0.2 * up) {
    from += 0.2 * up;
    up *= 0.8;
  }
  return (up - 5 * (t - from)) * (t - from);
}

// its flights of 0.64, 0.512 .. s end at 3.6 s; of those shorter than dt / 8 some are given up
static void ball_comes_to_rest(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(BALL("0.8"), NULL, &o);
  double worst = 0;
  for (int k = 1; k <= 340; k++) {
    run_steps(&r, 1);
    worst = fmax(worst, fabs(run_q(&r, "z") - 0.1 - bouncing(0.01 * k)));
  }
  run_steps(&r, 200);
  print_message("ball, e 0.8: off by %.1e m, %d bounces, rests at %.1e m\n", worst,
                (int)contacts(&r).impacts, run_q(&r, "z") - 0.1);
  assert_true(worst < 1e-13);
  assert_true(contacts(&r).impacts >= 30);
  assert_near(run_q(&r, "z"), 0.1, 1e-15);
  assert_true(run_v(&r, "z") == 0);
  run_free(&r);
}

static void ball_stays(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 0);
  run r = run_begin(BALL("0"), NULL, &o);
  run_steps(&r, 1000);
  assert_int_equal(contacts(&r).impacts, 1);
  assert_near(run_q(&r, "z"), 0.1, 1e-15);
  assert_true(run_v(&r, "z") == 0);
  run_free(&r);
}

// a ball in a corner of three planes at right angles, each given three times, thrown into it: every
// component by itself turns round with e
#define CORNER(e)                                                                          \
  "(system (gravity 0 0 0)"                                                                \
  " (place (0 0 0) (name \"a\") (solid plane)) (place (0 0 0) (name \"b\") (solid plane))" \
  " (place (0 0 0) (name \"c\") (solid plane))"                                            \
  " (place (0 0 0) (rpy 0 (deg 90) 0) (name \"d\") (solid plane)"                          \
  "  (rz 0.1 (name \"e\") (solid plane)) (rz 0.2 (name \"f\") (solid plane)))"             \
  " (place (0 0 0) (rpy (deg -90) 0 0) (name \"g\") (solid plane)"                         \
  "  (rz 0.1 (name \"h\") (solid plane)) (rz 0.2 (name \"i\") (solid plane)))"             \
  " (tx \"x\" ty \"y\" tz \"z\" (name \"ball\") (mass 1) (solid sphere 0.1))"              \
  " (contact all (friction 0) (restitution " e "))"                                        \
  " (initial (\"x\" 0.6 -1) (\"y\" 0.6 -1) (\"z\" 0.6 -1)))"

static void corner_of_planes(void **state)
{
  (void)state;
  static const char *const texts[] = {CORNER("1"), CORNER("0.5"), CORNER("0")};
  static const double e[] = {1, 0.5, 0};
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options("vi", 0.03, 0);
    run r = run_begin(texts[i], NULL, &o);
    run_steps(&r, 30);
    for (int k = 0; k < 3; k++) {
      assert_near(r.data->v[k], e[i], 1e-12);
      assert_near(r.data->q[k], 0.1 + e[i] * 0.4, 1e-11);
    }
    run_free(&r);
  }
}

/* ---- Rocking block: the energy ratio of an impact is Housner's. */

// upright, turning about one edge as the other comes down
static void rocking_loses_as_housner(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.002, 0);
  run r = run_load(contact_planar[0].model, NULL, &o);
  const double q[3] = {0, 0.3, 0}, v[3] = {-0.3, -0.1, -1};
  memcpy(r.data->q, q, sizeof q);
  memcpy(r.data->v, v, sizeof v);
  run_start(&r);
  const double s = sin(atan2(0.1, 0.3)), factor = 1 - 1.5 * s * s;
  print_message("rocking block: rate after over before is Housner's to %.1e\n",
                -run_v(&r, "a") - factor);
  assert_near(-run_v(&r, "a"), factor, 1e-14);
  assert_near(contacts(&r).lost, (1 - factor * factor) * 0.5 * 4.0 / 3 * 0.1, 1e-14);
  run_free(&r);
}

/* ---- Newton's cradle. */

static void cradle(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.005, 0);
  run r = run_begin("cradle", NULL, &o);
  const double start = run_energy(&r);
  while (contacts(&r).impacts == 0) {
    run_steps(&r, 1);
  }
  double most = 0;
  for (int k = 0; k < 4; k++) {
    most = fmax(most, fabs(r.data->v[k] / r.data->v[4]));
  }
  print_message("cradle: the others have %.1e of the last one's speed\n", most);
  assert_true(r.data->v[4] * r.data->v[4] > 1);
  assert_true(most < 1e-13);
  run_steps(&r, 12000);
  const double off = (run_energy(&r) - start) / (0.5 * 9.81 * 0.5 * (1 - cos(0.6)));
  print_message("cradle, 60 s: %d impacts, energy %.1e\n", (int)contacts(&r).impacts, off);
  assert_true(contacts(&r).impacts > 50);
  assert_near(off, 0, 2e-4);
  run_free(&r);
}

/* ---- Energy never grows in an impact, whatever friction and restitution. */

/* A start at q with random velocities into the contacts, e and mu as given in the model: kinetic
 * energy before and after. */
static void strike(run *r, const double *q, support_rng *rng, double speed, double *before,
                   double *after)
{
  cardan_data *data = r->data;
  memcpy(data->q, q, (size_t)r->model->nq * sizeof *q);
  support_random_vec(rng, data->v, r->model->nv, speed);
  cardan_joints(r->model, data);
  cardan_velocities(r->model, data);
  *before = cardan_kinetic(r->model, data);
  run_start(r);
  *after = cardan_kinetic(r->model, r->data);
}

// T. Kane's double pendulum (Dynamics: Theory and Applications, 1985): Newton's restitution with
// friction may gain energy there; the guard takes so much of e that it does not
static void kanes_pendulum(void **state)
{
  (void)state;
  support_rng rng = {.state = 9};
  int guarded = 0, impacts = 0;
  double most = 0;
  for (int i = 0; i < 600; i++) {
    char text[1000];
    const double a = support_random_in(&rng, -1.2, 1.2), b = support_random_in(&rng, -1.2, 1.2);
    snprintf(text, sizeof text,
             "(system (gravity 0 0 0) " FLOOR " (tz (+ (cos %.17g) (cos (+ %.17g %.17g))) ry \"a\""
             "  (tz -0.5 (mass 1 (/ 12) (/ 12) (/ 12)))"
             "  (tz -1 ry \"b\" (tz -0.5 (mass 1 (/ 12) (/ 12) (/ 12)))"
             "   (tz -1 (name \"tip\") (solid point))))"
             " (contact \"tip\" \"floor\" (friction %.17g) (restitution %.17g)))",
             a, a, b, support_random_in(&rng, 0, 1), support_random_in(&rng, 0, 1));
    const double q[2] = {a, b};
    const cardan_options o = run_options("vi", 0.001, 1);
    run r = run_load(text, NULL, &o);
    double before, after;
    strike(&r, q, &rng, 3, &before, &after);
    most = fmax(most, after / before - 1);
    impacts += (int)contacts(&r).impacts;
    guarded += (int)contacts(&r).guarded;
    run_free(&r);
  }
  print_message("Kane: %d impacts, guard %d times, largest gain %.1e\n", impacts, guarded, most);
  assert_true(impacts > 250 && guarded > 5);
  assert_true(most < 1e-12);
}

// the quadruped thrown on its four feet at once, 13 bodies, 18 velocities: its friction and
// restitution replaced
static void random_impacts_of_a_robot(void **state)
{
  (void)state;
  support_rng rng = {.state = 3};
  int impacts = 0;
  double most = -1;
  const double h = 0.7, z = 0.02 + 0.4 * cos(h);
  const double q[19] = {0, 0, z,      1, 0, 0,      0, 0, h,     -2 * h,
                        0, h, -2 * h, 0, h, -2 * h, 0, h, -2 * h};
  const cardan_options o = run_options("vi", 0.001, 1);
  for (int i = 0; impacts < 1000; i++) {
    static const char *const settings[] = {"e=0", "e=0.3", "e=0.6", "e=1"};
    run r = run_load("quadruped", settings[i % 4], &o);
    double before, after;
    assert_int_equal(r.model->nq, 19);
    strike(&r, q, &rng, 3, &before, &after);
    most = fmax(most, after / before - 1);
    impacts += (int)contacts(&r).impacts;
    run_free(&r);
  }
  print_message("quadruped: %d impacts, largest gain %.1e\n", impacts, most);
  assert_true(most < 1e-12);
}

/* ---- Free systems keep their momentum. */

static void momentum_is_kept(void **state)
{
  (void)state;
  static const char model[] =
      "(system (gravity 0 0 0)"
      " (joint free \"a\" (mass 1 0.01 0.01 0.01) (solid box 0.3 0.2 0.2))"
      " (joint free \"b\" (mass 2 0.02 0.03 0.02) (solid sphere 0.15))"
      " (joint free \"c\" (mass 0.5 0.004 0.003 0.004) (solid capsule 0.05 0.2))"
      " (contact all (friction 0.4) (restitution 0.5))"
      " (initial (\"a\" (-0.5 0 0 1 0.1 0.2 0) (1 2 3 1 0 0))"
      "  (\"b\" (0 0.05 0 1 0 0 0) (0 0 1 0 0 0)) (\"c\" (0.5 0 0.02 1 0.5 0 0) (1 0 0 -1 0 0))))";
  static const char *const names[] = {"P.x", "P.y", "P.z", "L.x", "L.y", "L.z"};
  const cardan_options o = run_options("vi", 0.002, 0);
  run r = run_begin(model, NULL, &o);
  double start[6], most = 0;
  for (int k = 0; k < 6; k++) {
    start[k] = run_column(&r, CARDAN_ADD_MOMENTUM, names[k]);
  }
  run_steps(&r, 500);
  for (int k = 0; k < 6; k++) {
    most = fmax(most, fabs(run_column(&r, CARDAN_ADD_MOMENTUM, names[k]) - start[k]));
  }
  print_message("three free bodies, %d impacts: momentum to %.1e\n", (int)contacts(&r).impacts,
                most);
  assert_true(contacts(&r).impacts >= 2);
  assert_true(most < 1e-11);
  run_free(&r);
}

/* ---- The same mechanism twice: a hinge as a joint, and as points of free bodies. */

/* Largest difference of the angle in 3 s. */
static double hinge_off_points(const char *kinetic, double dt)
{
#define BODY "(mass 1 0.1 0.1 0.1) (tz -0.5 (name \"tip\") (solid point))"
#define REST " (contact \"tip\" \"floor\" (friction 0.3) (restitution 0.5))"
  static const char joint[] =
      "(system (gravity 0 0 -9.81) " FLOOR " (tz 0.9 ry \"a\" (tz -0.5 " BODY "))" REST
      " (initial (\"a\" 1.5)))";
  static const char points[] =
      "(system (gravity 0 0 -9.81) " FLOOR " (tz 0.9 (name \"pin\")"
      "  (tx \"x\" tz \"z\" ry \"a\" (tz 0 (name \"eye\")) (tz -0.5 " BODY ")))" REST
      " (point-constraint \"pin\" \"eye\" 1 0 0) (point-constraint \"pin\" \"eye\" 0 0 1)"
      " (initial (\"x\" 0) (\"z\" 0) (\"a\" 1.5)))";
  cardan_options o = run_options("vi", dt, 0);
  o.kinetic = kinetic;
  run r = run_begin(joint, NULL, &o), s = run_begin(points, NULL, &o);
  double most = 0;
  for (int k = 0; k < (int)(3 / dt + 0.5); k++) {
    run_steps(&r, 1);
    run_steps(&s, 1);
    most = fmax(most, fabs(run_q(&r, "a") - run_q(&s, "a")));
  }
  print_message("hinge and points, %s, dt %g: %d and %d impacts, off by %.1e\n", kinetic, dt,
                (int)contacts(&r).impacts, (int)contacts(&s).impacts, most);
  assert_true(contacts(&r).impacts > 3);
  run_free(&r);
  run_free(&s);
  return most;
}

// the same equations with `se3`; `swing` takes a hinge as an arc and what only a constraint holds
// as a free body, so that its errors, of order 2, differ
static void joint_as_constraint(void **state)
{
  (void)state;
  assert_true(hinge_off_points("se3", 0.002) < 1e-10);
  const double coarse = hinge_off_points("swing", 0.002), fine = hinge_off_points("swing", 0.0005);
  assert_true(coarse < 1e-4 && fine < coarse / 8);
}

/* ---- Chaos: a double pendulum between four elastic stops. The energy walks at random by steps of
 * O(dt^2), without a bias. */

static void walk_of_energy(double dt, int order, double *mean, double *deviation)
{
  static const char model[] =
      "(system (gravity 0 0 -9.81)"
      " (joint revolute \"a\" (axis 0 1 0) (limit -1 1 (restitution 1)) (tz -1 (mass 1)"
      "  (joint revolute \"b\" (axis 0 1 0) (limit -1 1 (restitution 1)) (tz -1 (mass 1))))))";
  enum { RUNS = 24 };
  double sum = 0, squares = 0;
  for (int i = 0; i < RUNS; i++) {
    cardan_options o = run_options("vi", dt, 0);
    o.order = order;
    run r = run_load(model, NULL, &o);
    support_rng rng = {.state = (uint64_t)i + 1};
    support_random_vec(&rng, r.data->q, 2, 0.9);
    r.data->v[0] = support_random_in(&rng, 7, 12) * (i % 2 ? 1 : -1);
    r.data->v[1] = support_random_in(&rng, -8, 8);
    run_start(&r);
    while (contacts(&r).impacts < 20) { // until the starts are forgotten
      run_steps(&r, 1);
    }
    const double start = run_energy(&r);
    while (contacts(&r).impacts < 120) {
      run_steps(&r, 1);
    }
    const double off = run_energy(&r) - start;
    sum += off;
    squares += off * off;
    run_free(&r);
  }
  *mean = sum / RUNS;
  *deviation = sqrt(squares / RUNS - *mean * *mean);
}

static void elastic_stops_have_no_bias(void **state)
{
  (void)state;
  double mean[3], dev[3];
  walk_of_energy(0.005, 2, &mean[0], &dev[0]);
  walk_of_energy(0.0025, 2, &mean[1], &dev[1]);
  walk_of_energy(0.005, 4, &mean[2], &dev[2]);
  for (int i = 0; i < 3; i++) {
    print_message("100 impacts between stops: %.3f +- %.3f J (std %.3f)\n", mean[i],
                  dev[i] / sqrt(24), dev[i]);
    assert_true(fabs(mean[i]) < 4 * dev[i] / sqrt(24) + 1e-6);
  }
  assert_true(dev[1] < 0.5 * dev[0]);
  assert_true(dev[2] < 0.2 * dev[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_keeps_its_energy),
      cmocka_unit_test(ball_comes_to_rest),
      cmocka_unit_test(ball_stays),
      cmocka_unit_test(corner_of_planes),
      cmocka_unit_test(rocking_loses_as_housner),
      cmocka_unit_test(cradle),
      cmocka_unit_test(kanes_pendulum),
      cmocka_unit_test(random_impacts_of_a_robot),
      cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(joint_as_constraint),
      cmocka_unit_test(elastic_stops_have_no_bias),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
