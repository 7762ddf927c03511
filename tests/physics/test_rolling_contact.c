// SPDX-License-Identifier: Apache-2.0
// Wheels, blades and other constraints on velocities together with limits, stops, contacts and dry
// friction, in vi and svi: closed forms, aba and hamilton, orders, energy.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

static const char *const discrete[] = {"vi", "svi"};
static const char *const methods[] = {"vi", "svi", "aba:dopri5", "hamilton:dopri5"};

/* ---- an impact ---- */

/* A wheel of 1 kg and 0.02 kg m^2 rolls under a carriage of 3 kg, which meets a stop 2 m away at 2
 * m/s: after 1 s. Rolling makes m + J / r^2 of it, and the wheel turns round with the carriage. */
static void wheel_meets_stop(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 3; k++) {
      char text[600];
      const double e = 0.5 * k, mass = 4 + 0.02 / 0.09, speed = k == 0 ? 0 : -2 * e;
      snprintf(text, sizeof text,
               "(system (gravity 0 0 -9.81)"
               "  (joint prismatic \"x\" (axis 1 0 0) (limit -9 2 (restitution %g)) (mass 3 1 1 1)"
               "    (ry \"w\" (rx (deg 90) (name \"wheel\") (mass 1 0.01 0.01 0.02))))"
               "  (roll \"wheel\" \"world\" (disc 0.3) (flat))"
               "  (initial (\"x\" 0 2) (\"w\" 0 (/ 2 0.3))))",
               e);
      const cardan_options o = run_options(methods[i], 0.03, 2.1);
      run r = run_whole(text, NULL, &o);
      assert_near(run_q(&r, "x"), 2 + 1.1 * speed, 1e-12);
      assert_near(run_v(&r, "x"), speed, 1e-12);
      assert_near(0.3 * run_v(&r, "w"), speed, 1e-12);
      assert_near(cardan_sim_stats(r.sim).contact.lost, 2 * mass * (1 - e * e), 1e-11);
      run_free(&r);
    }
  }
}

/* An impact off the line of a blade turns the body about the point where the blade holds it: speeds
 * after it from momentum along the blade, and angular momentum about it, with the impulse known
 * from e. */
static void blade_meets_stop(void **state)
{
  // blade at the origin along x; m = 1.5, J = 0.2 at a = 0.3 ahead of it; the point (0.3, 0.2) of
  // the body meets a plane whose normal is (-1, 0): u = -(u_x - 0.2 w)
  static const char text[] =
      "(system (gravity 0 0 0) (place (0.32 0 0) (ry (deg -90) (name \"wall\") (solid plane)))"
      "  (tx \"x\" (ty \"y\" (rz \"a\" (name \"s\") (tx 0.3 (mass 1.5 0.1 0.1 0.2))"
      "    (place (0.3 0.2 0) (name \"tip\") (solid sphere 0.01)))))"
      "  (skate \"s\" \"world\") (contact \"tip\" \"wall\" (friction 0) (restitution 0.6))"
      "  (initial (\"x\" 0 1) (\"y\" 0 0) (\"a\" 0 0)))";
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(discrete[i], 0.001, 0.01);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 9);
    assert_near(run_v(&r, "x"), 1, 1e-12);
    run_steps(&r, 1); // the impact is at its end
    const double m = 1.5, I = 0.2 + m * 0.09, give = 1 / m + 0.04 / I, p = 1.6 / give;
    cardan_status status = cardan_sim_observe(r.sim);
    expect_ok(status, NULL, "blade");
    assert_near(run_v(&r, "x"), 1 - p / m, 1e-11);
    assert_near(run_v(&r, "a"), 0.2 * p / I, 1e-11);
    assert_near(run_v(&r, "y"), 0, 1e-12);
    assert_near(cardan_sim_stats(r.sim).contact.lost, 0.5 * (1 - 0.36) / give, 1e-11);
    run_free(&r);
  }
}

/* ---- a car ---- */

/* Rows of the car's wheels at the node: all velocities of the rows. */
static double car_slip(const run *r)
{
  const double a = run_q(r, "car.a"), L = 2.5, half = 0.75, radius = 0.3;
  const double vx = run_v(r, "car.x"), vy = run_v(r, "car.y"), w = run_v(r, "car.a");
  const double u = cos(a) * vx + sin(a) * vy, s = cos(a) * vy - sin(a) * vx; // at the rear axle
  const double l = run_q(r, "left"), k = run_q(r, "right");
  const double along[4] = {
      u - half * w - radius * run_v(r, "rl"), u + half * w - radius * run_v(r, "rr"),
      cos(l) * (u - half * w) + sin(l) * (s + L * w) - radius * run_v(r, "fl"),
      cos(k) * (u + half * w) + sin(k) * (s + L * w) - radius * run_v(r, "fr")};
  const double across[3] = {s, cos(l) * (s + L * w) - sin(l) * (u - half * w),
                            cos(k) * (s + L * w) - sin(k) * (u + half * w)};
  double most = 0;
  for (int i = 0; i < 4; i++) {
    most = fmax(most, fabs(along[i]));
    most = fmax(most, i < 3 ? fabs(across[i]) : 0);
  }
  return most;
}

/* Rows hold at every node, before and after the impact, and no impact or friction gives energy. */
static void watch_car(const char *setting, const char *method)
{
  const cardan_options o = run_options(method, 0.01, 0);
  run r = run_begin("car-stop", setting, &o);
  double lost = 0, slip = 0;
  for (int i = 0; i < 300; i++) {
    run_steps(&r, 1);
    expect_ok(cardan_sim_observe(r.sim), NULL, "car");
    const double now = cardan_sim_stats(r.sim).contact.lost;
    slip = fmax(slip, car_slip(&r));
    assert_true(now >= lost);
    lost = now;
  }
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("%s, %s: %.6g J lost, balance kept to %.1e J, slip of wheels %.1e m/s\n", setting,
                method, lost, stats.drift_max, slip);
  assert_true(lost > 1000);
  assert_near(slip, 0, 1e-13);
  assert_near(stats.drift_max, 0, 3e-3); // of 14 kJ, order 2
  run_free(&r);
}

static void car_meets_stop(void **state)
{
  static const char *const settings[] = {"e=0", "e=0.5"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    double *exact = NULL;
    watch_car(settings[i], "vi");
    watch_car(settings[i], "svi");
    const cardan_options o = run_options("aba:dopri5", 0.01, 0);
    run r = run_load("car-stop", settings[i], &o);
    const int nq = r.model->nq;
    run_free(&r);
    exact = calloc((size_t)nq, sizeof *exact);
    double *q = calloc((size_t)nq, sizeof *q);
    run_end("car-stop", settings[i], &o, 2.5, 250, exact);
    for (int j = 0; j < 3; j++) {
      double error[2] = {0};
      const char *method = j < 2 ? discrete[j] : "hamilton:dopri5";
      const cardan_options p = run_options(method, 0.01, 0);
      for (int k = 0; k < 2; k++) {
        run_end("car-stop", settings[i], &p, 2.5, 250 << k, q);
        for (int c = 0; c < nq; c++) {
          error[k] = fmax(error[k], fabs(q[c] - exact[c]));
        }
      }
      print_message("%s, %s: off by %.2e, %.2e\n", settings[i], method, error[0], error[1]);
      if (j < 2) {
        assert_near(log2(error[0] / error[1]), 2, 0.2);
      } else {
        assert_near(error[0], 0, 1e-7);
      }
    }
    free(exact);
    free(q);
  }
}

/* ---- orders ---- */

/* Difference of all coordinates and velocities from those of `exact` at the same time. */
static double error_of(const run *r, const double *exact)
{
  double most = 0;
  for (int k = 0; k < r->model->nq; k++) {
    most = fmax(most, fabs(r->data->q[k] - exact[k]));
  }
  for (int k = 0; k < r->model->nv; k++) {
    most = fmax(most, fabs(r->data->v[k] - exact[r->model->nq + k]));
  }
  return most;
}

static void state_at_end(const char *text, const cardan_options *o, double *state, double *error)
{
  run r = run_whole(text, NULL, o);
  if (error != NULL) {
    *error = error_of(&r, state);
  } else {
    memcpy(state, r.data->q, (size_t)r.model->nq * sizeof *state);
    memcpy(state + r.model->nq, r.data->v, (size_t)r.model->nv * sizeof *state);
  }
  run_free(&r);
}

/* Order from one halving, against `reference` at dt. */
static void expect_order(const char *text, const char *what, double T, double dt, int order,
                         double band, const char *reference, double reference_dt)
{
  for (int i = 0; i < 2; i++) {
    double exact[32], error[2];
    const bool own = strcmp(reference, "own") == 0;
    cardan_options o = run_options(own ? discrete[i] : reference, reference_dt, T);
    state_at_end(text, &o, exact, NULL);
    for (int k = 0; k < 2; k++) {
      o = run_options(discrete[i], dt / (1 << k), T);
      o.order = order;
      o.impacts = order > 2 ? "located" : NULL;
      state_at_end(text, &o, exact, &error[k]);
    }
    print_message("%s, %-3s order %d: errors %.2e, %.2e, order %.2f\n", what, discrete[i], order,
                  error[0], error[1], log2(error[0] / error[1]));
    assert_near(log2(error[0] / error[1]), order, band);
  }
}

/* A sleigh with an arm that meets the end of its hinge twice: impacts leave orders 4 and 6. */
static const char arm[] =
    "(system (gravity 0 0 -9.81) (tx \"x\" (ty \"y\" (rz \"theta\" (name \"blade\")"
    "  (mass 1 0.1 0.1 0.1) (tx 0.3 (joint revolute \"arm\" (axis 0 0 1)"
    "    (limit -0.5 0.5 (restitution 0.9)) (tx 0.3 (mass 0.5 0.1 0.1 0.02)))))))"
    "  (skate \"blade\" \"world\") (torque \"theta\" (cos (* 2 t))) (torque \"x\" 1)"
    "  (initial (\"x\" 0 1.5) (\"y\" 0 0) (\"theta\" 0 0.3) (\"arm\" 0 0.7)))";

/* A body on a blade that a field presses against a wall, along which it slides. */
static const char wall[] =
    "(system (gravity 0 10 0) (place (0 1 0) (rx (deg 90) (name \"wall\") (solid plane)))"
    "  (tx \"x\" (ty \"y\" (rz \"theta\" (name \"blade\")"
    "    (tx 0.3 (name \"body\") (mass 1.5 0.1 0.1 0.2) (solid sphere 0.2)))))"
    "  (skate \"blade\" \"world\") (contact \"body\" \"wall\" (friction 0.3)) (torque \"x\" 1)"
    "  (initial (\"x\" 0 (cos 0.4)) (\"y\" (- 0.8 (* 0.3 (sin 0.4))) (sin 0.4))"
    "    (\"theta\" 0.4 (/ (tan 0.4) -0.3))))";

/* A row that is moved, z' = y x' + b(t), and a limit that x is pressed against from 0.3 s on. */
static const char moved[] =
    "(system (gravity 0 0 0) (joint prismatic \"x\" (axis 1 0 0) (limit -0.4 0.5)"
    "  (ty \"y\" (tz \"z\" (mass 1 1 1 1))))"
    "  (velocity (- v.z (+ (* q.y v.x) (* 0.5 (cos (* 3 t))) 0.2)))"
    "  (joint-spring \"x\" 5 2) (joint-spring \"y\" 3 0) (joint-spring \"z\" 2 0)"
    "  (initial (\"x\" 0 1.7) (\"y\" 0.2 0.5) (\"z\" 0 1.04)))";

static void orders(void **state)
{
  (void)state;
  expect_order(arm, "arm", 1.5, 0.01, 4, 0.25, "aba:dopri5", 0.01);
  // 3e-11 is left of the moments of impacts, in both methods
  expect_order(arm, "arm", 1.5, 0.025, 6, 1, "aba:dopri5", 0.01);
  expect_order(wall, "wall", 0.4, 0.01, 2, 0.1, "own", 0.01 / 64);
  expect_order(moved, "moved row", 3, 0.01, 2, 0.1, "aba:dopri5", 0.01);
}

/* What moves a row does work beside a stop that is held, and in impacts: the balance of energy is
 * of order 2. */
static void balance_of_moved_row(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    double drift[2];
    for (int k = 0; k < 2; k++) {
      const cardan_options o = run_options(discrete[i], 0.01 / (1 << k), 3);
      run r = run_whole(moved, NULL, &o);
      drift[k] = cardan_sim_stats(r.sim).drift_max;
      run_free(&r);
    }
    print_message("%s: balance kept to %.1e J, %.1e J\n", discrete[i], drift[0], drift[1]);
    assert_near(log2(drift[0] / drift[1]), 2, 0.2);
  }
}

/* ---- a ball on an edge ---- */

/* Two balls side by side on a slope, one held by `roll`, one on a table by contact with friction:
 * the same motion, until the table ends. */
static void balls_beside(void **state)
{
  static const char text[] =
      "(system (gravity 0.6 0.3 -9.81) (place (0 0 -0.5) (name \"table\") (solid box 2 4 1))"
      "  (place (0 0 0) (name \"plane\"))"
      "  (joint free \"a\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01))"
      "    (solid sphere 0.1))"
      "  (joint free \"b\" (mass 2 (* 0.4 2 0.01) (* 0.4 2 0.01) (* 0.4 2 0.01)))"
      "  (roll \"b\" \"plane\" (ball 0.1)) (contact \"a\" \"table\" (friction 0.8))"
      "  (initial (\"a\" (0 0 0.1 1 0 0 0) (0 10 2 1 0 0))"
      "    (\"b\" (0 0 0.1 1 0 0 0) (0 10 2 1 0 0))))";
  double apart[2] = {0};
  (void)state;
  for (int k = 0; k < 2; k++) {
    const cardan_options o = run_options("vi", 0.02 / (1 << k), 0);
    run r = run_begin(text, NULL, &o);
    while (run_q(&r, "b.x") < 0.95) {
      run_steps(&r, 1);
      apart[k] = fmax(apart[k], fabs(run_q(&r, "a.x") - run_q(&r, "b.x")));
      apart[k] = fmax(apart[k], fabs(run_q(&r, "a.y") - run_q(&r, "b.y")));
      assert_near(run_q(&r, "a.z"), 0.1, 1e-12);
    }
    run_steps(&r, 40 << k);
    assert_near(run_q(&r, "b.z"), 0.1, 1e-12);
    assert_true(run_q(&r, "a.z") < 0); // the other one has left the table
    run_free(&r);
  }
  print_message("apart by %.1e, %.1e m\n", apart[0], apart[1]);
  assert_true(apart[0] < 2e-3 && apart[1] < 0.3 * apart[0] + 1e-12);
}

/* ---- dry friction ---- */

/* A wheel that rolls to a stop by dry friction c in its axle: (m + J / r^2) v' = -c / r. It stops
 * after v^2 (m + J / r^2) r / (2 c), and stays. */
static void wheel_coasts_to_rest(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (tx \"x\" (mass 3 1 1 1)"
      "    (ry \"w\" (rx (deg 90) (name \"wheel\") (mass 1 0.01 0.01 0.02))))"
      "  (roll \"wheel\" \"world\" (disc 0.3) (flat)) (dry-friction \"w\" 0.5)"
      "  (initial (\"x\" 0 1) (\"w\" 0 (/ 1 0.3))))";
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(discrete[i], 0.01, 0);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 200);
    const double mass = 4 + 0.02 / 0.09, rate = 0.5 / 0.3 / mass;
    assert_near(run_v(&r, "x"), 1 - 2 * rate, 1e-12);
    assert_near(run_q(&r, "x"), 2 - 2 * rate, 1e-12);
    run_steps(&r, 200);
    const double x = run_q(&r, "x");
    assert_near(x, 0.5 / rate, 1e-4); // of the step in which it stops: O(h^2)
    run_steps(&r, 1000);
    assert_near(run_q(&r, "x"), x, 1e-12); // the row is kept to 1 ulp of x a step
    assert_near(run_v(&r, "x"), 0, 1e-20);
    run_free(&r);
  }
}

/* The sleigh's arm with dry friction in its hinge and a limit that takes energy: the blade holds at
 * every node, no impact gives energy, and errors fall at least as h where the arm turns round. */
static void arm_with_friction_and_limit(void **state)
{
  char text[800];
  (void)state;
  snprintf(text, sizeof text, "%.*s (dry-friction \"arm\" 0.05))", (int)strlen(arm) - 1, arm);
  double exact[32];
  cardan_options o = run_options("vi", 0.01 / 32, 2);
  state_at_end(text, &o, exact, NULL);
  for (int i = 0; i < 2; i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      o = run_options(discrete[i], 0.01 / (1 << (2 * k)), 2);
      run r = run_begin(text, NULL, &o);
      double lost = 0;
      for (int n = 0; n < 200 << (2 * k); n++) {
        run_steps(&r, 1);
        expect_ok(cardan_sim_observe(r.sim), NULL, "arm");
        const double a = run_q(&r, "theta"), now = cardan_sim_stats(r.sim).contact.lost;
        assert_near(cos(a) * run_v(&r, "y") - sin(a) * run_v(&r, "x"), 0, 1e-13);
        assert_true(now >= lost);
        lost = now;
      }
      assert_true(lost > 0);
      error[k] = error_of(&r, exact);
      run_free(&r);
    }
    print_message("arm with friction, %-3s: errors %.1e, %.1e\n", discrete[i], error[0], error[1]);
    assert_true(error[1] < 0.35 * error[0]);
  }
}

/* ---- saved states ---- */

/* A saved state continues with the same bits, also where steps with contacts were rolled back. */
static void saved_state_continues(void **state)
{
  static const char *const models[] = {arm, wall, moved};
  (void)state;
  for (int i = 0; i < 6; i++) {
    cardan_options o = run_options(discrete[i % 2], 0.01, 0);
    o.impacts = i < 3 ? "step" : NULL;
    run r = run_begin(models[i / 2], NULL, &o);
    double first[16], second[16];
    for (int at = 0; at < 3; at++) {
      run_steps(&r, 17 + 10 * at);
      const size_t size = cardan_sim_snapshot_size(r.sim);
      char *kept = malloc(size);
      expect_ok(cardan_sim_snapshot_save(r.sim, kept, size, NULL), NULL, "save");
      for (int k = 0; k < 2; k++) {
        run_steps(&r, 40);
        r.data = cardan_sim_data(r.sim);
        memcpy(k == 0 ? first : second, r.data->q, (size_t)r.model->nq * sizeof *first);
        cardan_report report = {.message = ""};
        expect_ok(cardan_sim_snapshot_load(r.sim, kept, size, &report), &report, "load");
      }
      assert_memory_equal(first, second, (size_t)r.model->nq * sizeof *first);
      free(kept);
    }
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheel_meets_stop),      cmocka_unit_test(blade_meets_stop),
      cmocka_unit_test(car_meets_stop),        cmocka_unit_test(orders),
      cmocka_unit_test(balance_of_moved_row),  cmocka_unit_test(balls_beside),
      cmocka_unit_test(wheel_coasts_to_rest),  cmocka_unit_test(arm_with_friction_and_limit),
      cmocka_unit_test(saved_state_continues),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
