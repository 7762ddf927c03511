// SPDX-License-Identifier: Apache-2.0
// Wheels, blades and balls that roll: closed forms and published numbers beyond those of
// test_rolling, the built-in models on wheels, and one motion by every method that holds them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static const double PI = 3.14159265358979323846;

typedef double (*error_of)(const run *r, double t);

/* The largest error at the end of a run. */
static double error_after(const char *model, const char *setting, const cardan_options *o,
                          error_of error)
{
  run r = run_whole(model, setting, o);
  const double e = error(&r, o->time);
  run_free(&r);
  return e;
}

/* Adaptive integrators to 1e-9, vi and svi to order 2: error at h, at h/2, their ratio 4 to what
 * the next order leaves. */
static void expect_closed_form(const char *model, double h, double time, error_of error,
                               const char *const *fixed)
{
  static const char *const tight[] = {"aba:dopri5", "hamilton:dopri5", "baraff:dopri5"};
  for (int i = 0; i < 3; i++) {
    const cardan_options o = run_options(tight[i], time / 10, time);
    const double e = error_after(model, NULL, &o, error);
    print_message("  %-15s %.1e\n", tight[i], e);
    assert_near(e, 0, 2e-9);
  }
  for (int i = 0; fixed[i] != NULL; i++) {
    double e[2];
    for (int k = 0; k < 2; k++) {
      const cardan_options o = run_options(fixed[i], h / (1 + k), time);
      e[k] = error_after(model, NULL, &o, error);
    }
    print_message("  %-15s %.1e, %.1e, order %.2f\n", fixed[i], e[0], e[1], log2(e[0] / e[1]));
    assert_near(log2(e[0] / e[1]), 2, 0.15);
  }
}

static const char *const both[] = {"vi", "svi", "rattle", NULL};
static const char *const free_joints[] = {"vi", "rattle", NULL}; // svi has none

/* ---- balls ---- */

/* A ball of radius r in a vertical cylinder, its centre at a from the axis, going round at rate W:
 *   7/5 z'' = -g - 2/5 W^2 z    for a ball without spin about the normal at the start, at z = 0,
 * so that it swings at sqrt(2/7) W and never falls out. */
static double cylinder_error(const run *r, double t)
{
  const double W = 4, z = -5 * 9.81 / (2 * W * W) * (1 - cos(sqrt(2.0 / 7) * W * t));
  const double x = run_q(r, "b.x") - 0.9 * cos(W * t), y = run_q(r, "b.y") - 0.9 * sin(W * t);
  return fmax(fabs(run_q(r, "b.z") - z), hypot(x, y));
}

static void ball_in_a_cylinder(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 -9.81) (define r 0.1) (define a 0.9) (define W 4)"
      "  (joint free \"b\" (name \"c\") (mass 2 0.008 0.008 0.008))"
      "  (equation (- (/ (+ (^ (px \"c\") 2) (^ (py \"c\") 2)) (* 2 a)) (* 0.5 a)))"
      "  (velocity (+ (/ (- (* (px \"c\") (vy \"c\")) (* (py \"c\") (vx \"c\"))) a) (* r (wz "
      "\"c\"))))"
      "  (velocity (- (vz \"c\") (* r (/ (- (* (px \"c\") (wy \"c\")) (* (py \"c\") (wx \"c\"))) "
      "a))))"
      "  (initial (\"b\" (a 0 0 1 0 0 0) (0 0 (/ (* -1 a W) r) 0 (* a W) 0))))";
  (void)state;
  expect_closed_form(model, 0.01, 2, cylinder_error, free_joints);
}

/* On a slope of a turning table it drifts across it by (5/2) g sin s / Om, and never down: with k =
 * 2/7 Om and G = 5/7 g sin s, x'' = -k y' + G, y'' = k x'. */
static double slope_error(const run *r, double t)
{
  const double Om = 3, s = 0.1, k = 2.0 / 7 * Om, G = 5.0 / 7 * 9.81 * sin(s);
  const double x = G / (k * k) * (1 - cos(k * t)), y = G / k * t - G / (k * k) * sin(k * t);
  return fmax(fabs(run_q(r, "b.x") - x), fabs(run_q(r, "b.y") - y));
}

static void ball_on_a_slope_of_a_table(void **state)
{
  static const char model[] =
      "(system (define s 0.1) (gravity (* 9.81 (sin s)) 0 (* -9.81 (cos s)))"
      "  (rz (k \"turn\") (name \"table\") (mass 1 1 1 1)) (motion \"turn\" (* 3 t))"
      "  (joint free \"b\" (mass 2 0.008 0.008 0.008))"
      "  (roll \"b\" \"table\" (ball 0.1)) (initial (\"b\" (0 0 0.1 1 0 0 0))))";
  (void)state;
  expect_closed_form(model, 0.01, 3, slope_error, free_joints);
}

/* ---- Suslov ---- */

/* A body about a fixed point without a turn about its own z, with the product of inertia K of x and
 * z: its angular velocity goes from one steady turn about y to the opposite one,
 *   wx = W1 cos b, wy = W2 sin b,   tan(b/2 + pi/4) = tan(b0/2 + pi/4) exp(c t),  c = K W2 / I1
 * with W1, W2 of the energy. */
static double suslov_error(const run *r, double t)
{
  const double I1 = 2, I2 = 3, K = 0.7, wx = 0.3, wy = -1.2;
  const double E = I1 * wx * wx + I2 * wy * wy, W1 = sqrt(E / I1), W2 = sqrt(E / I2);
  const double b0 = atan2(wy / W2, wx / W1), c = K * W2 / I1;
  const double b = 2 * (atan(tan(0.5 * b0 + 0.25 * PI) * exp(c * t)) - 0.25 * PI);
  return fmax(fabs(run_v(r, "b.wx") - W1 * cos(b)), fabs(run_v(r, "b.wy") - W2 * sin(b)));
}

static void suslov(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 0) (joint spherical \"b\" (mass 1 2 3 4 0 0.7 0))"
      "  (velocity v.b.wz) (initial (\"b\" (1 0 0 0) (0.3 -1.2 0))))";
  (void)state;
  expect_closed_form(model, 0.05, 6, suslov_error, free_joints);
}

/* ---- particles ---- */

/* z' = y x' with x = cos t, y = sin t: the row's force is m z'', z'' = -sin 2t, and the drivers
 * pull with m (x'' + y z'') and m y''. */
static void forces_of_drivers(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 0) (tx (k \"x\") (ty (k \"y\") (tz \"z\" (mass 2))))"
      "  (motion \"x\" (cos t)) (motion \"y\" (sin t)) (velocity (- v.z (* q.y v.x))))";
  static const char *const methods[] = {"aba:dopri5", "hamilton:dopri5", "vi", "svi"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 1);
    run r = run_whole(model, NULL, &o);
    const double z2 = -sin(2.0), fx = 2 * (-cos(1) + sin(1) * z2), fy = -2 * sin(1);
    const double ours[2] = {run_column(&r, CARDAN_ADD_REACTIONS, "f.x"),
                            run_column(&r, CARDAN_ADD_REACTIONS, "f.y")};
    print_message("%s: forces off by %.1e, %.1e N\n", methods[i], ours[0] - fx, ours[1] - fy);
    assert_near(ours[0], fx, 1e-9); // of the node's state, which is prescribed here
    assert_near(ours[1], fy, 1e-9);
    run_free(&r);
  }
}

/* ---- trailers and vehicles ---- */

/* tan(angle/2) = tan(angle0/2) exp(-v t/L) of the first trailer; of the others
 *   angle_i' = v_i / L sin(angle_(i-1) - angle_i),  v_(i+1) = v_i cos(..)
 * by fine steps of Runge and Kutta. */
static void trailer_rates(int n, const double *angle, double *rate)
{
  double speed = 1, before = 0;
  for (int i = 0; i < n; i++) {
    rate[i] = 0.5 * speed * sin(before - angle[i]);
    speed *= cos(before - angle[i]);
    before = angle[i];
  }
}

static void trailer_angles(int n, double time, double *angle)
{
  enum { STEPS = 20000, MOST = 8 };
  double k[4][MOST], at[MOST];
  static const double part[4] = {0, 0.5, 0.5, 1};
  const double h = time / STEPS;
  for (int s = 0; s < STEPS; s++) {
    for (int m = 0; m < 4; m++) {
      for (int i = 0; i < n; i++) {
        at[i] = angle[i] + (m > 0 ? part[m] * h * k[m - 1][i] : 0);
      }
      trailer_rates(n, at, k[m]);
    }
    for (int i = 0; i < n; i++) {
      angle[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
  }
}

static double trailer_error(const run *r, double t)
{
  double angle[4], sum = 0, worst;
  for (int i = 0; i < 4; i++) {
    angle[i] = 2 * PI / 3;
  }
  trailer_angles(4, t, angle);
  worst = fabs(run_q(r, "a1") - 2 * atan(tan(PI / 3) * exp(-t / 2)));
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "a%d", i + 1);
    sum += run_q(r, name);
    worst = fmax(worst, fabs(sum - angle[i]));
  }
  return worst;
}

static void trailers(void **state)
{
  const cardan_options any = run_options("vi", 0.01, 1);
  (void)state;
  run r = run_begin("trailer:4", NULL, &any);
  assert_int_equal(r.model->mobility, 0);
  assert_int_equal(r.model->nv - 1 - r.model->position_rank, 4); // the pull is prescribed
  run_free(&r);
  expect_closed_form("trailer:4", 0.05, 4, trailer_error, both);
}

/* Constant torques: speed and turning rate grow linearly. The lateral force m v w of the turn is
 * shared equally by the two wheels, whose lateral rows are the same. */
static double drive_error(const run *r, double t)
{
  const double radius = 0.1, half = 0.2, J = 0.002 + 0.001 * 0; // spin of a wheel
  const double m = 4.6 + 2 * J / (radius * radius);
  const double I = 0.2 + 2 * (0.001 + 0.3 * half * half) + 2 * J * half * half / (radius * radius);
  const double v = 0.07 / radius / m * t, w = 0.03 * half / radius / I * t;
  const double vx = run_v(r, "base.x"), vy = run_v(r, "base.y"), a = run_q(r, "base.a");
  return fmax(fabs(cos(a) * vx + sin(a) * vy - v), fabs(run_v(r, "base.a") - w));
}

static void differential_drive(void **state)
{
  static const char *const methods[] = {"aba:dopri5", "hamilton:dopri5", "baraff:dopri5", "vi",
                                        "svi",        "rattle"};
  (void)state;
  for (int i = 0; i < 6; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 3);
    run r = run_whole("differential-drive", NULL, &o);
    const double e = drive_error(&r, 3);
    assert_int_equal(r.model->rank, 3);
    const double a = run_q(&r, "base.a"), c = cos(a), s = sin(a);
    double side[2];
    for (int k = 0; k < 2; k++) {
      const char *x = k == 0 ? "lambda.left.1" : "lambda.right.1";
      const char *y = k == 0 ? "lambda.left.2" : "lambda.right.2";
      side[k] = c * run_column(&r, CARDAN_ADD_MULTIPLIERS, y) -
                s * run_column(&r, CARDAN_ADD_MULTIPLIERS, x);
    }
    const double v = hypot(run_v(&r, "base.x"), run_v(&r, "base.y"));
    const double turn = 4.6 * v * run_v(&r, "base.a");
    print_message("%-15s speeds off by %.1e, lateral forces %.6f, %.6f, m v w %.6f N\n", methods[i],
                  e, side[0], side[1], turn);
    assert_near(e, 0, i < 3 ? 1e-9 : 1e-4);
    assert_near(side[0], side[1], 1e-9);
    assert_near(side[0] + side[1], turn, 1e-8);
    run_free(&r);
  }
}

/* Front wheels that are both turned by 0.1 rad have normals that meet nowhere: no motion is left,
 * and a start that moves is refused or brought to rest. At Ackermann's angles they roll. */
static void four_wheels(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 0) (define left 0.1) (define right 0.1)"
      "  (joint planar \"p\" (mass 4 1 1 1) (ty 0.75 (name \"rl\")) (ty -0.75 (name \"rr\"))"
      "    (place (2.5 0.75 0) (rz left (name \"fl\")))"
      "    (place (2.5 -0.75 0) (rz right (name \"fr\"))))"
      "  (skate \"rl\" \"world\") (skate \"rr\" \"world\")"
      "  (skate \"fl\" \"world\") (skate \"fr\" \"world\") (initial (\"p\" (0 0 0) (1 0 0))))";
  static const char *const methods[] = {"vi",         "svi",    "aba:rk4",       "hamilton:rk4",
                                        "baraff:rk4", "rattle", "half-implicit", "fully-implicit"};
  (void)state;
  const double R = 2.5 / tan(0.1); // from the middle of a turn to the left wheel's track
  char ackermann[48];
  snprintf(ackermann, sizeof ackermann, "right=%.17g", atan(2.5 / (R + 1.5)));
  for (int i = 0; i < 8; i++) {
    const cardan_options o = run_options(methods[i], 0.01, 1);
    run r = run_load(model, NULL, &o);
    cardan_report report = {.message = ""};
    const cardan_status status = cardan_sim_start(r.sim, &report);
    assert_int_equal(r.model->mobility, 0);
    print_message("%s: %s\n", methods[i],
                  status == CARDAN_OK ? cardan_sim_note(r.sim) : report.message);
    if (status == CARDAN_OK) {
      assert_near(run_v(&r, "p.x"), 0, 1e-12); // and the note says that it was changed
      assert_non_null(strstr(cardan_sim_note(r.sim), "p.x"));
    }
    run_free(&r);
    r = run_whole(model, ackermann, &o);
    assert_int_equal(r.model->mobility, 1);
    // it goes round the common point (0, R + 0.75)
    const double x = run_q(&r, "p.x"), y = run_q(&r, "p.y") - (R + 0.75);
    assert_near(hypot(x, y) / (R + 0.75), 1, 1e-5);
    assert_near(run_q(&r, "p.a"), atan2(x, -y), 1e-5);
    assert_true(run_q(&r, "p.a") > 0.03);
    run_free(&r);
  }
}

/* Two axles and a rotor, or a joint: positions and velocities that are free, orders 2, 4, 6. */
static void boards(void **state)
{
  static const struct {
    const char *model;
    int positions, velocities;
    double time;
    int steps[3];
  } cases[] = {{"snakeboard", 6, 4, 2, {200, 40, 20}}, {"roller-racer", 4, 2, 2, {100, 40, 20}}};
  (void)state;
  for (int c = 0; c < 2; c++) {
    const cardan_options tight = run_options("aba:dop853", cases[c].time / 10, cases[c].time);
    run r = run_whole(cases[c].model, NULL, &tight);
    assert_int_equal(r.model->nv - r.model->position_rank, cases[c].positions);
    assert_int_equal(r.model->mobility, cases[c].velocities);
    for (int i = 0; i < 6; i++) {
      double error[2] = {0, 0};
      const int order = 2 + 2 * (i % 3);
      for (int k = 0; k < 2; k++) {
        cardan_options o = run_options(
            i < 3 ? "vi" : "svi", cases[c].time / (cases[c].steps[i % 3] * (1 + k)), cases[c].time);
        o.order = order;
        run s = run_whole(cases[c].model, NULL, &o);
        for (int j = 0; j < s.model->nq; j++) {
          error[k] = fmax(error[k], fabs(s.data->q[j] - r.data->q[j]));
        }
        run_free(&s);
      }
      print_message("%s, %-3s order %d: %.2e, %.2e, order %.2f\n", cases[c].model,
                    i < 3 ? "vi" : "svi", order, error[0], error[1], log2(error[0] / error[1]));
      assert_near(log2(error[0] / error[1]), order, 0.3);
    }
    run_free(&r);
  }
}

/* ---- wheels and discs ---- */

/* An upright wheel on a circle: its way is r times its own angle along the mean heading, to
 * rounding, and the energy stays, to what the iterations of 200 steps leave; svi at up to 3 rad of
 * heading and of its own angle a step. vi refuses more than 1 rad. */
static void wheel_on_a_circle(void **state)
{
  static const char model[] =
      "(system (gravity 0 0 -9.81) (joint planar \"p\""
      "    (ry \"s\" (rx (deg 90) (name \"w\") (mass 2 0.045 0.045 0.09))))"
      "  (roll \"w\" \"world\" (disc 0.3) (flat)) (initial (\"p\" (0 0 0) (0.3 0 1)) (\"s\" 0 1)))";
  (void)state;
  for (int i = 0; i < 8; i++) {
    static const double turns[8] = {0.1, 0.5, 0.1, 1, 2, 3, 0.1, 0.5}; // rad a step, of both
    const char *method = i < 2 ? "vi" : i < 6 ? "svi" : "rattle";
    const double h = turns[i];
    const cardan_options o = run_options(method, h, 0);
    run r = run_begin(model, NULL, &o);
    expect_ok(cardan_sim_observe(r.sim), NULL, "wheel");
    const double start = run_energy(&r);
    double energy = 0, way = 0, x = 0, y = 0, turn = 0;
    for (int k = 0; k < 200; k++) {
      run_steps(&r, 1);
      expect_ok(cardan_sim_observe(r.sim), NULL, "wheel");
      energy = fmax(energy, fabs(run_energy(&r) - start));
      way = fmax(way, fabs(hypot(run_q(&r, "p.x") - x, run_q(&r, "p.y") - y) -
                           0.3 * (run_q(&r, "s") - turn)));
      x = run_q(&r, "p.x");
      y = run_q(&r, "p.y");
      turn = run_q(&r, "s");
    }
    print_message("%-6s %.1f rad a step: energy %.1e of %.3f J, way %.1e m\n", method, h, energy,
                  start, way);
    assert_near(energy, 0, h < 1 ? 1e-10 : 1e-8);
    // a body's turn over a step has spin and heading in one, which the angles split to third order
    assert_near(way, 0, i < 6 ? 1e-12 : 0.3 * h * h * h / 8);
    run_free(&r);
  }
}

/* A disc that leans and nods: orders 2, 4, 6 of its place and turn. */
static void nodding_disc(void **state)
{
  static const int steps[3] = {100, 60, 40};
  (void)state;
  const cardan_options tight = run_options("aba:dop853", 0.1, 1);
  run r = run_whole("rolling-disc", NULL, &tight);
  for (int i = 0; i < 3; i++) {
    double error[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      cardan_options o = run_options("vi", 1.0 / (steps[i] * (1 + k)), 1);
      o.order = 2 + 2 * i;
      run s = run_whole("rolling-disc", NULL, &o);
      for (int j = 0; j < 7; j++) {
        error[k] = fmax(error[k], fabs(s.data->q[j] - r.data->q[j]));
      }
      run_free(&s);
    }
    print_message("vi order %d: %.2e, %.2e, order %.2f\n", 2 + 2 * i, error[0], error[1],
                  log2(error[0] / error[1]));
    assert_near(log2(error[0] / error[1]), 2 + 2 * i, 0.3);
  }
  run_free(&r);
}

/* The coin of the contact models, nodding, with its contact and with its lower rim on a roll: the
 * steps of the contact come to the motion of the rows at order 2. */
static void contact_beside_roll(void **state)
{
  static const char head[] =
      "(system (gravity 0 0 -9.81) (define m 0.1) (define r 0.1) (define half 0.005)"
      "  (define A (* m (+ (/ (* r r) 4) (/ (* half half) 3)))) (define C (* 0.5 m r r))"
      "  (define th 0.6) (define O 8) (define spin -3)"
      "  (place (0 0 0) (name \"table\") (solid plane))"
      "  (joint free \"coin\" (mass m A A C) (solid cylinder r (* 2 half)) (tz (neg half) (name "
      "\"rim\")))";
  static const char tail[] =
      "  (initial (\"coin\" (0 0 (+ (* r (sin th)) (* half (cos th))) (cos (/ th 2)) 0 (sin (/ th "
      "2)) 0) ((* -1 O (sin th)) 0 spin 0 (- (* half O (sin th)) (* r spin)) 0))))";
  char roll[2048], contact[2048];
  (void)state;
  snprintf(roll, sizeof roll, "%s(roll \"rim\" \"table\" (disc r))%s", head, tail);
  snprintf(contact, sizeof contact, "%s(contact \"coin\" \"table\" (friction 5))%s", head, tail);
  const cardan_options tight = run_options("aba:dop853", 0.1, 0.5);
  run r = run_whole(roll, NULL, &tight);
  double error[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    const cardan_options o = run_options("vi", 0.002 / (1 + k), 0.5);
    run s = run_whole(contact, NULL, &o);
    for (int j = 0; j < 7; j++) {
      error[k] = fmax(error[k], fabs(s.data->q[j] - r.data->q[j]));
    }
    run_free(&s);
  }
  print_message("contact beside roll: %.2e, %.2e, order %.2f\n", error[0], error[1],
                log2(error[0] / error[1]));
  assert_near(log2(error[0] / error[1]), 2, 0.3);
  run_free(&r);
}

/* ---- all methods ---- */

/* Rows that read what they do not move: the angle of a body beside, the place of a frame on a
 * massless link, its direction. With rk4 at 5 ms, whose stages are not at the node, methods agree
 * to 1e-7. */
static void rows_read_other_bodies(void **state)
{
  static const char *const rows[] = {
      "(velocity (- v.z (* (sin q.s) v.y)))", "(velocity (- v.z (* (px \"hand\") v.y)))",
      "(velocity (- v.z (* (rxx \"hand\") v.y)))", "(velocity (- v.s (* q.z v.y)))"};
  static const char *const methods[] = {"aba:rk4", "hamilton:rk4", "baraff:rk4"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    char model[1024];
    snprintf(
        model, sizeof model,
        "(system (gravity 0 0 0)"
        "  (rz \"s\" (mass 1 1 1 1) (rz \"e\" (tx 0.3 (name \"hand\") (mass 0.3 0.1 0.1 0.1))))"
        "  (tx \"y\" (mass 1 1 1 1)) (tz \"z\" (mass 1 1 1 1)) %s"
        "  (potential (- (* 0.5 (+ (^ q.y 2) (^ q.z 2))) (cos q.s)))"
        "  (initial (\"s\" 0.4 1.3) (\"e\" 0.1 0.7) (\"y\" 0.3 0.4) (\"z\" 0.2 0.1)))",
        rows[i]);
    const cardan_options o = run_options("aba:dopri5", 0.1, 3);
    run r = run_whole(model, NULL, &o);
    for (int k = 0; k < 3; k++) {
      const cardan_options at = run_options(methods[k], 0.005, 3);
      run s = run_whole(model, NULL, &at);
      double off = 0;
      for (int j = 0; j < r.model->nq; j++) {
        off = fmax(off, fabs(s.data->q[j] - r.data->q[j]));
      }
      print_message("%s, %s: %.1e\n", rows[i], methods[k], off);
      assert_near(off, 0, 1e-7);
      run_free(&s);
    }
    run_free(&r);
  }
}

/* One motion of every built-in model on wheels by the methods that hold it: adaptive ones together
 * to 1e-8 of the coordinates' size, others with a quarter of the error at half the step. */
static void one_motion(void **state)
{
  static const struct {
    const char *name;
    double time, dt;
    bool quaternions;
  } models[] = {{"sleigh", 2, 0.01, false},      {"car", 2, 0.01, false},
                {"car-trailer", 2, 0.01, false}, {"segway", 2, 0.01, false},
                {"bicycle", 1, 0.01, false},     {"differential-drive", 2, 0.01, false},
                {"rolling-disc", 1, 0.01, true}, {"ball-table", 2, 0.01, true}};
  static const char *const tight[] = {"hamilton:dopri5", "baraff:dopri5"};
  (void)state;
  for (size_t c = 0; c < sizeof models / sizeof *models; c++) {
    const cardan_options o = run_options("aba:dopri5", 0.05, models[c].time);
    run r = run_whole(models[c].name, NULL, &o);
    double size = 1, off[5] = {0};
    for (int j = 0; j < r.model->nq; j++) {
      size = fmax(size, fabs(r.data->q[j]));
    }
    for (int i = 0; i < 5; i++) {
      const bool fixed = i >= 2;
      if (i == 3 && models[c].quaternions) {
        continue;
      }
      double error[2] = {0, 0};
      for (int k = 0; k < 1 + fixed; k++) {
        const cardan_options at = run_options(
            fixed ? both[i - 2] : tight[i], fixed ? models[c].dt / (1 + k) : 0.05, models[c].time);
        run s = run_whole(models[c].name, NULL, &at);
        for (int j = 0; j < r.model->nq; j++) {
          error[k] = fmax(error[k], fabs(s.data->q[j] - r.data->q[j]) / size);
        }
        run_free(&s);
      }
      off[i] = error[0];
      if (!fixed) {
        assert_near(error[0], 0, 1e-8);
      } else if (error[1] > 1e-10) {
        assert_near(log2(error[0] / error[1]), 2, 0.3);
      }
    }
    print_message("%-18s hamilton %.0e, baraff %.0e; vi %.1e, svi %.1e, rattle %.1e\n",
                  models[c].name, off[0], off[1], off[2], off[3], off[4]);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ball_in_a_cylinder),
      cmocka_unit_test(ball_on_a_slope_of_a_table),
      cmocka_unit_test(suslov),
      cmocka_unit_test(forces_of_drivers),
      cmocka_unit_test(trailers),
      cmocka_unit_test(differential_drive),
      cmocka_unit_test(four_wheels),
      cmocka_unit_test(boards),
      cmocka_unit_test(wheel_on_a_circle),
      cmocka_unit_test(nodding_disc),
      cmocka_unit_test(contact_beside_roll),
      cmocka_unit_test(one_motion),
      cmocka_unit_test(rows_read_other_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
