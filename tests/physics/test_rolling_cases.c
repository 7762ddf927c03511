// SPDX-License-Identifier: Apache-2.0
// The order at which methods of fixed steps follow motions of rolling bodies, in coordinates of
// joints and of bodies, beside aba at 1e-12 (whose closed forms are in test_rolling, test_wheels).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

typedef struct {
  const char *name, *model;
  double T, dt; // of order 2; methods of order 1 take an eighth of dt
} motion_case;

/* A ball on a turning table in a slope, which starts at rest in its centre. */
static const char slope_table[] =
    "(system (gravity 2 0 -9) (rz (k \"turn\") (name \"table\") (mass 1 1 1 1))"
    "  (motion \"turn\" (* 1.3 t))"
    "  (joint free \"b\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01)))"
    "  (roll \"b\" \"table\" (ball 0.1)) (initial (\"b\" (0 0 0.1 1 0 0 0) (0 0 0 0 0 0))))";

/* A ball in a vertical cylinder, by an equation and two rows. */
static const char cylinder[] =
    "(system (gravity 0 0 -9.81)"
    "  (joint free \"b\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01)))"
    "  (equation (- (+ (^ (px \"b\") 2) (^ (py \"b\") 2)) 0.25))"
    "  (velocity (+ (vz \"b\") (* 0.2 (- (* (wx \"b\") (py \"b\")) (* (wy \"b\") (px \"b\"))))))"
    "  (velocity (+ (* 2 (- (* (px \"b\") (vy \"b\")) (* (py \"b\") (vx \"b\")))) (* 0.1 (wz "
    "\"b\"))))"
    "  (initial (\"b\" (0.5 0 0 1 0 0 0) (0 0 -30 0 3 0))))";

/* Suslov's top, which cannot turn about its own z axis. */
static const char suslov[] =
    "(system (gravity 0 0 0)"
    "  (joint spherical \"s\" (mass 1 0.5 0.7 0.6 0 0.2 0)) (velocity v.s.wz)"
    "  (initial (\"s\" (1 0 0 0) (0.5 -1.2 0))))";

/* A trailer on a straight pull. */
static const char trailer[] =
    "(system (gravity 0 0 0) (tx (k \"x\") (mass 1 1 1 1) (rz \"a\" (mass 1 0.1 0.1 0.1)"
    "    (tx -0.8 (name \"axle\"))))"
    "  (motion \"x\" (* 1.5 t)) (skate \"axle\" \"world\") (initial (\"a\" 2.5 0)))";

/* An upright wheel on a hinge of a frame in the plane rolls on a circle. */
static const char wheel[] =
    "(system (gravity 0 0 -9.81) (joint planar \"p\" (mass 0.5 0.01 0.01 0.01)"
    "    (rx (deg -90) (joint revolute \"spin\" (axis 0 0 1) (mass 2 0.05 0.05 0.09)"
    "      (name \"w\"))))"
    "  (roll \"w\" \"world\" (disc 0.3) (flat))"
    "  (initial (\"p\" (0 0 0) (1.2 0 2)) (\"spin\" 0 4)))";

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
    {"ball on a table in a slope", slope_table, 2, 0.02},
    {"ball in a cylinder", cylinder, 0.5, 0.01},
    {"Suslov's top", suslov, 2, 0.02},
    {"trailer", trailer, 2, 0.02},
    {"wheel on a circle", wheel, 2, 0.02},
    {"disc in steady motion", "rolling-disc", 0.5, 0.005},
    {"disc that nods", nodding, 0.5, 0.005},
    {"snakeboard", "snakeboard", 1, 0.02},
    {"roller racer", roller_racer, 1, 0.02},
    {"four-bar on blades", four_bar, 1, 0.02},
    {"car", "car", 0.5, 0.005},
};

enum { NCASE = sizeof cases / sizeof *cases };

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

/* A blade on a circle, 0.1 to 3 rad a step: heading, speed and energy are exact, and rattle is
 * where vi is. */
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
    assert_near(hypot(x[1] - x[0], y[1] - y[0]), 0, 1e-8);
  }
}

/* A row that follows from an equation: wherever it is in the file, the equation is the one that
 * holds positions, to the tolerance of closing, and every method takes the model. */
static void implied_rows(void **state)
{
  static const char before[] = "(velocity (+ (* q.x v.x) (* q.y v.y)))", none[] = "";
  static const char *const methods[] = {"aba:rk4", "hamilton:rk4",  "baraff:rk4",    "vi", "svi",
                                        "rattle",  "half-implicit", "fully-implicit"};
  (void)state;
  for (int i = 0; i < 16; i++) {
    char model[512];
    snprintf(model, sizeof model,
             "(system (gravity 0 -9.81 0) (tx \"x\" (mass 1 1 1 1) (rz \"a\" (mass 1 1 1 1)))"
             " (ty \"y\" (mass 1.5 1 1 1)) %s (velocity (- v.a (* (cos q.a) v.x)))"
             " (equation (- (+ (^ q.x 2) (^ q.y 2)) 1)) %s"
             " (initial (\"x\" 0.6 0.5) (\"y\" 0.8)))",
             i < 8 ? before : none, i < 8 ? none : before);
    const cardan_options o = run_options(methods[i % 8], 1e-3, 0.5);
    run r = run_whole(model, NULL, &o);
    assert_int_equal(r.model->rank, 2);
    assert_int_equal(r.model->position_rank, 1);
    assert_near(hypot(run_q(&r, "x"), run_q(&r, "y")), 1, 1e-11);
    assert_near(run_q(&r, "x"), 0.991213, i % 8 < 6 ? 1e-5 : 1e-3); // the order of the method
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),
      cmocka_unit_test(long_steps),
      cmocka_unit_test(implied_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
