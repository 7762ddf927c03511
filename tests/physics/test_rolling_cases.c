// SPDX-License-Identifier: Apache-2.0
// Motions of rolling bodies with closed forms, and the order at which every method of fixed steps
// follows them: forms of docs/methods/rolling.md in coordinates of joints and of bodies.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

typedef double (*error_of)(const run *r, double t);

typedef struct {
  const char *name, *model;
  double T, dt;   // of order 2; methods of order 1 take an eighth of dt
  error_of error; // of the closed form; NULL: there is none here
} motion_case;

static double norm2(double a, double b)
{
  return sqrt(a * a + b * b);
}

/* A ball on a turning table in a slope, which starts at rest in its centre: x' = d + exp(k J t)
 * (-d) with k = 2/7 of the table's rate, the drift d across the slope, 5 g sin s / (2 Om), and J a
 * quarter turn. It never runs down: its way down is at most 2 |d| / k. */
static const char slope_table[] =
    "(system (gravity 2 0 -9) (rz (k \"turn\") (name \"table\") (mass 1 1 1 1))"
    "  (motion \"turn\" (* 1.3 t))"
    "  (joint free \"b\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01)))"
    "  (roll \"b\" \"table\" (ball 0.1)) (initial (\"b\" (0 0 0.1 1 0 0 0) (0 0 0 0 0 0))))";

static double slope_table_error(const run *r, double t)
{
  const double k = 2.0 / 7 * 1.3, d = 5 * 2 / (2 * 1.3);
  const double x = d * (1 - cos(k * t)) / k, y = d * (t - sin(k * t) / k);
  return norm2(run_q(r, "b.x") - x, run_q(r, "b.y") - y);
}

/* A ball in a vertical cylinder goes round at rate w and swings up and down at sqrt(2/7) w: it never
 * falls out. Without spin about the normal, z = -5 g / (2 w^2) (1 - cos sqrt(2/7) w t). */
static const char cylinder[] =
    "(system (gravity 0 0 -9.81)"
    "  (joint free \"b\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01)))"
    "  (equation (- (+ (^ (px \"b\") 2) (^ (py \"b\") 2)) 0.25))"
    "  (velocity (+ (vz \"b\") (* 0.2 (- (* (wx \"b\") (py \"b\")) (* (wy \"b\") (px \"b\"))))))"
    "  (velocity (+ (* 2 (- (* (px \"b\") (vy \"b\")) (* (py \"b\") (vx \"b\")))) (* 0.1 (wz "
    "\"b\"))))"
    "  (initial (\"b\" (0.5 0 0 1 0 0 0) (0 0 -30 0 3 0))))";

static double cylinder_error(const run *r, double t)
{
  const double w = 6, z = -5 * 9.81 / (2 * w * w) * (1 - cos(sqrt(2.0 / 7) * w * t));
  return fabs(run_q(r, "b.z") - z);
}

/* Suslov's top, which cannot turn about its own z axis: w_y = W tanh(c t + d), c = J_xz W / J_xx
 * goes from one steady turn to the opposite one. */
static const char suslov[] =
    "(system (gravity 0 0 0)"
    "  (joint spherical \"s\" (mass 1 0.5 0.7 0.6 0 0.2 0)) (velocity v.s.wz)"
    "  (initial (\"s\" (1 0 0 0) (0.5 -1.2 0))))";

static double suslov_error(const run *r, double t)
{
  const double W = sqrt(1.2 * 1.2 + 0.5 / 0.7 * 0.25), c = 0.2 * W / 0.5;
  const double at = c * t + atanh(-1.2 / W), sign = 1;
  return norm2(run_v(r, "s.wy") - W * tanh(at),
               run_v(r, "s.wx") - sign * W * sqrt(0.7 / 0.5) / cosh(at));
}

/* A trailer on a straight pull: tan(angle / 2) falls as exp(-v t / L). */
static const char trailer[] =
    "(system (gravity 0 0 0) (tx (k \"x\") (mass 1 1 1 1) (rz \"a\" (mass 1 0.1 0.1 0.1)"
    "    (tx -0.8 (name \"axle\"))))"
    "  (motion \"x\" (* 1.5 t)) (skate \"axle\" \"world\") (initial (\"a\" 2.5 0)))";

static double trailer_error(const run *r, double t)
{
  return fabs(run_q(r, "a") - 2 * atan(tan(1.25) * exp(-1.5 * t / 0.8)));
}

/* An upright wheel on a hinge of a frame in the plane rolls on a circle. */
static const char wheel[] =
    "(system (gravity 0 0 -9.81) (joint planar \"p\" (mass 0.5 0.01 0.01 0.01)"
    "    (rx (deg -90) (joint revolute \"spin\" (axis 0 0 1) (mass 2 0.05 0.05 0.09)"
    "      (name \"w\"))))"
    "  (roll \"w\" \"world\" (disc 0.3) (flat))"
    "  (initial (\"p\" (0 0 0) (1.2 0 2)) (\"spin\" 0 4)))";

static double wheel_error(const run *r, double t)
{
  return norm2(run_q(r, "p.x") - 0.6 * sin(2 * t), run_q(r, "p.y") - 0.6 * (1 - cos(2 * t)));
}

/* A disc that leans and nods, away from a steady motion. */
static const char nodding[] =
    "(system (gravity 0 0 -9.81) (joint free \"d\" (mass 0.1 0.00025 0.00025 0.0005))"
    "  (roll \"d\" \"world\" (disc 0.1))"
    "  (initial (\"d\" (0 0 (* 0.1 (sin 1.2)) (cos 0.6) (sin 0.6) 0 0) (0.3 2 12 0 0 0))))";

static const char roller_racer[] =
    "(system (gravity 0 0 0) (joint planar \"p\" (mass 2 0.1 0.1 0.1) (name \"axle\")"
    "    (tx 0.6 (rz \"steer\" (tx -0.2 (mass 0.5 0.02 0.02 0.02) (name \"front\")))))"
    "  (skate \"axle\" \"world\") (skate \"front\" \"world\") (joint-spring \"steer\" 1 0)"
    "  (initial (\"p\" (0 0 0) (1 0 0.1)) (\"steer\" 0.4 0)))";

/* Blades on two links of a four-bar, with a spring and a damper. */
static const char four_bar[] =
    "(system (gravity 0 0 0)"
    "  (joint planar \"p\" (mass 1 0.1 0.1 0.1) (name \"A\")"
    "    (tx 1 (rz \"a\" (mass 0.5 0.05 0.05 0.05) (tx 0.5 (name \"blade1\")) (tx 1"
    "      (rz \"b\" (mass 0.5 0.05 0.05 0.05) (tx 1.1 (name \"end\"))))))"
    "    (rz \"c\" (mass 0.5 0.05 0.05 0.05) (tx 0.5 (name \"blade2\")) (tx 0.9 (name \"end2\"))))"
    "  (close revolute \"end\" \"end2\" (axis 0 0 1))"
    "  (skate \"blade1\" \"world\") (skate \"blade2\" \"world\") (joint-spring \"a\" 0.3 1.5)"
    "  (torque \"b\" (- (* 0.2 (sin (* 3 t))) (* 0.1 v.b)))"
    "  (initial (\"a\" 1.4 0.3) (\"b\" 1.9) (\"c\" 1.3) (\"p\" (0 0 0) (0.2 0.1 0.2))))";

static const motion_case cases[] = {
    {"ball on a table in a slope", slope_table, 2, 0.02, slope_table_error},
    {"ball in a cylinder", cylinder, 0.5, 0.01, cylinder_error},
    {"Suslov's top", suslov, 2, 0.02, suslov_error},
    {"trailer", trailer, 2, 0.02, trailer_error},
    {"wheel on a circle", wheel, 2, 0.02, wheel_error},
    {"disc in steady motion", "rolling-disc", 0.5, 0.005, NULL},
    {"disc that nods", nodding, 0.5, 0.005, NULL},
    {"snakeboard", "snakeboard", 1, 0.02, NULL},
    {"roller racer", roller_racer, 1, 0.02, NULL},
    {"four-bar on blades", four_bar, 1, 0.02, NULL},
    {"car", "car", 0.5, 0.005, NULL},
};

enum { NCASE = sizeof cases / sizeof *cases };

/* Adaptive integrators at rtol 1e-12 keep the closed forms to some hundred tolerances. */
static void closed_forms(void **state)
{
  static const char *const methods[] = {"aba:dopri5", "hamilton:dopri5", "baraff:dopri5"};
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    for (int k = 0; k < 3 && cases[i].error != NULL; k++) {
      const cardan_options o = run_options(methods[k], 0.05, cases[i].T);
      run r = run_whole(cases[i].model, NULL, &o);
      const double e = cases[i].error(&r, cases[i].T);
      print_message("%s, %s: %.1e\n", cases[i].name, methods[k], e);
      assert_near(e, 0, 1e-9);
      run_free(&r);
    }
  }
}

/* Largest difference of coordinates at the end from a run at rtol 1e-12. */
static double distance(const run *exact, const char *model, const char *method, double dt, double T)
{
  const cardan_options o = run_options(method, dt, T);
  double worst = 0;
  run r = run_whole(model, NULL, &o);
  for (int k = 0; k < r.model->nq; k++) {
    worst = fmax(worst, fabs(r.data->q[k] - exact->data->q[k]));
  }
  run_free(&r);
  return worst;
}

/* Two steps of the method, at which the error falls by its order; the band of 0.2 is what the next
 * term leaves. Without forces half-implicit has order 2, else 1. */
static void orders(void **state)
{
  static const struct {
    const char *name;
    int order;
  } methods[] = {{"vi", 2}, {"rattle", 2}, {"half-implicit", 1}, {"fully-implicit", 1}};
  (void)state;
  for (int i = 0; i < NCASE; i++) {
    const motion_case *c = &cases[i];
    const cardan_options tight = run_options("aba:dopri5", 0.05, c->T);
    run exact = run_whole(c->model, NULL, &tight);
    for (int k = 0; k < 4; k++) {
      const double dt = c->dt / (methods[k].order == 1 ? 8 : 1);
      const double coarse = distance(&exact, c->model, methods[k].name, dt, c->T);
      const double fine = distance(&exact, c->model, methods[k].name, 0.5 * dt, c->T);
      const double order = log2(coarse / fine);
      print_message("%-27s %-14s %.1e, order %.2f\n", c->name, methods[k].name, fine, order);
      assert_true(fine < 1e-9 || order > methods[k].order - 0.2);
    }
    run_free(&exact);
  }
}

/* A blade on a circle, 0.1 to 3 rad a step: heading, speed and energy are exact, and rattle is where
 * vi is. */
static void long_steps(void **state)
{
  static const char blade[] =
      "(system (gravity 0 0 -9.81) (joint planar \"p\" (mass 0.5 0.01 0.01 0.01) (name \"f\"))"
      "  (skate \"f\" \"world\") (initial (\"p\" (0 0 0) (1.2 0 2))))";
  static const double turn[] = {0.1, 0.5, 1, 2, 3};
  (void)state;
  for (int i = 0; i < 5; i++) {
    double x[2], y[2];
    for (int k = 0; k < 2; k++) {
      const cardan_options o = run_options(k == 0 ? "vi" : "rattle", 0.5 * turn[i], 0);
      run r = run_begin(blade, NULL, &o);
      run_steps(&r, 200);
      expect_ok(cardan_sim_observe(r.sim), NULL, "circle");
      const double E = run_energy(&r), a = run_q(&r, "p.a");
      x[k] = run_q(&r, "p.x");
      y[k] = run_q(&r, "p.y");
      assert_near(a, 200 * turn[i], 1e-10);
      assert_near(E, 0.25 * 1.44 + 0.02, 1e-10);
      assert_near(cos(a) * run_v(&r, "p.y") - sin(a) * run_v(&r, "p.x"), 0, 1e-13);
      print_message("%s, %.1f rad a step: energy off by %.1e\n", k == 0 ? "vi" : "rattle", turn[i],
                    E - 0.38);
      run_free(&r);
    }
    assert_near(norm2(x[1] - x[0], y[1] - y[0]), 0, 1e-8);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(closed_forms),
      cmocka_unit_test(orders),
      cmocka_unit_test(long_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
