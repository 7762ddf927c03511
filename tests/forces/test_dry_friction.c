// SPDX-License-Identifier: Apache-2.0
// Friction of given size, by every method that steps: closed forms of sliding, stopping, holding.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run.h"

static const char *const methods[] = {
    "vi",           "svi",        "aba:rk4", "aba:semi-implicit", "aba:midpoint",  "aba:trapezoid",
    "hamilton:rk4", "baraff:rk4", "rattle",  "half-implicit",     "fully-implicit"};
enum { METHODS = sizeof methods / sizeof methods[0] };

/* h v of methods of order 1, h^2 a of the others: what the step in which something stops makes. */
static double within(const char *method, double dt, double v, double a)
{
  const bool first = strstr(method, "implicit") != NULL;
  return first ? dt * v : 2 * a * dt * dt + 1e-7;
}

static const double vs = 1e-6;
#define BLOCK(load, v0)                                                                       \
  "(system (joint prismatic \"x\" (axis 1 0 0) (mass 2 .1 .1 .1)) (dry-friction \"x\" 6 (vs " \
  "1e-6)) (torque \"x\" " load ") (initial (\"x\" 0 " v0 ")))"

// v0^2 / (2 a) and no further; the work is the energy lost
static void a_block_stops(void **state)
{
  const double dt = 1e-3, a = 3, v0 = 0.9;
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], dt, 0);
    run r = run_begin(BLOCK("0", "0.9"), NULL, &o);
    run_steps(&r, 500);
    const double x = run_q(&r, "x");
    assert_near(x, v0 * v0 / (2 * a), within(methods[i], dt, v0, a));
    run_steps(&r, 500);
    assert_near(run_q(&r, "x"), x, vs * 0.5);
    // of the remaining sliding of the last step vi and svi keep the momentum, which comes and goes
    assert_near(run_column(&r, CARDAN_ADD_WORK, "work"), -v0 * v0, 2 * dt * v0 * a + dt);
    run_free(&r);
  }
}

// a load below c is held, from rest and after sliding; one above it moves with (load - c) / m
static void a_load_is_held_or_not(void **state)
{
  const double dt = 1e-2;
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    if (strcmp(methods[i], "aba:midpoint") == 0 || strcmp(methods[i], "aba:trapezoid") == 0) {
      continue; // their iterations go to the rounding of a state that is all but 0
    }
    const cardan_options o = run_options(methods[i], dt, 0);
    run held = run_begin(BLOCK("5.9", "0"), NULL, &o);
    run_steps(&held, 200);
    assert_near(run_q(&held, "x"), 0, 2 * vs);
    run_free(&held);
    run moves = run_begin(BLOCK("7", "0"), NULL, &o);
    run_steps(&moves, 100);
    assert_near(run_q(&moves, "x"), 0.25, within(methods[i], dt, 0.5, 0.5));
    assert_near(run_v(&moves, "x"), 0.5, 1e-6);
    run_free(&moves);
  }
}

// a mass on a spring loses 2 c / k of its amplitude in every half of a swing, and stays where the
// spring can no longer move it: 0.52, -0.42, 0.32, -0.22, 0.12, -0.02
static void a_swing_dies(void **state)
{
  static const char text[] = "(system (rz \"a\" (mass 0 0 0 1)) (joint-spring \"a\" 100 0)"
                             " (dry-friction \"a\" 5 (vs 1e-6)) (initial (\"a\" 0.52)))";
  const double dt = 1e-3;
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    if (strstr(methods[i], "rattle") || strstr(methods[i], "baraff") ||
        strcmp(methods[i], "half-implicit") == 0 || strcmp(methods[i], "fully-implicit") == 0) {
      continue; // take no body without a mass
    }
    const cardan_options o = run_options(methods[i], dt, 0);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, (int)lround(5 * 0.1 * acos(-1) / dt) + 200);
    const double a = run_q(&r, "a");
    print_message("%-18s rests at %.6f rad, -0.02 exactly\n", methods[i], a);
    assert_near(a, -0.02, strstr(methods[i], "implicit") ? 2e-3 : 2e-4);
    run_steps(&r, 300);
    assert_near(run_q(&r, "a"), a, vs);
    run_free(&r);
  }
}

// two velocities of a ball, a pendulum: what slides does so alike in all methods
static void pendulums_agree(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 .1 .1 .1) (rx \"b\" (tz -0.7"
      " (mass 0.5 .05 .05 .05))))) (dry-friction \"a\" 0.8 (vs 1e-6)) (dry-friction \"b\" 0.3 (vs "
      "1e-6))"
      " (initial (\"a\" 1.2) (\"b\" 0.7)))";
  const double dt = 1e-3;
  double q[2] = {0, 0};
  (void)state;
  for (int i = 0; i < METHODS; i++) {
    const cardan_options o = run_options(methods[i], dt, 0);
    run r = run_begin(text, NULL, &o);
    run_steps(&r, 400); // before anything stops
    if (i == 0) {
      memcpy(q, r.data->q, sizeof q);
    }
    const bool first = strstr(methods[i], "implicit") != NULL;
    assert_near_vec(r.data->q, q, 2, first ? 5e-3 : 1e-4);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, first ? 0.05 : 2e-4);
    run_free(&r);
  }
  const cardan_options o = run_options("vi", dt, 0);
  run ball = run_begin("(system (joint spherical \"s\" (mass 1 1 1 1)) (dry-friction \"s.wz\" 0.5)"
                       " (initial (\"s\" (1 0 0 0) (0 0 1))))",
                       NULL, &o);
  run_steps(&ball, 1000);
  assert_near(run_v(&ball, "s.wz"), 0.5, 1e-9);
  run_free(&ball);
}

// friction that is small beside what the joints bear stops a joint, alike in all methods
static void small_beside_the_loads(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (rz 0.5 (ry \"a\" (ty 0.02 (tz 0.1 (rz \"b\" (ty -0.02 (tz -0.3"
      " (mass 1.6 .02 .02 .002) (tz -0.2 (ry \"c\" (tz -0.2 (mass 0.7 .01 .01 .0005)"
      " (tz -0.1 (tz \"d\" (tx 0.1 (mass 0.2 .002 .001 .0015))))))))))))))"
      " (damping \"a\" 0.1) (damping \"b\" 0.1) (damping \"c\" 0.2) (damping \"d\" 3)"
      " (joint-spring \"b\" 3 (deg 20)) (joint-spring \"c\" 2 (deg -10)) (joint-spring \"d\" 50 0)"
      " (dry-friction \"b\" 0.1 (vs 1e-6)))"; // vi sticks, others creep
  static const char *const some[] = {"vi", "aba:rk4", "hamilton:rk4", "baraff:rk4"};
  double q[4] = {0, 0, 0, 0};
  (void)state;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 2; k++) {
      const double dt = k == 0 ? 1e-3 : 1e-2;
      const cardan_options o = run_options(some[i], dt, 0);
      run r = run_begin(text, NULL, &o);
      run_steps(&r, (int)lround(3 / dt));
      memcpy(q, i + k == 0 ? r.data->q : q, sizeof q);
      assert_near_vec(r.data->q, q, 4, k == 0 ? 1e-4 : 1e-2); // h^2, and h of where it sticks
      run_free(&r);
    }
  }
}

// derivatives of a step of vi and svi, sliding, against differences of steps; and of what sticks,
// which the law holds nearly
static void derivatives(void **state)
{
  static const char *const two[] = {"vi", "svi"};
  static const char text[] = "(system (define v0 0) (rz \"a\" (mass 0 0 0 2)) (torque \"a\" 1)"
                             " (dry-friction \"a\" 3 (vs 1e-3)) (initial (\"a\" 0 v0)))";
  const double dt = 0.02, e = 1e-6;
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(two[i], dt, 0);
    run r = run_begin(text, "v0=0.1", &o);
    run sticks = run_begin(text, NULL, &o);
    cardan_linearization *linear = NULL, *held = NULL;
    cardan_report report = {.message = ""};
    run_steps(&sticks, 1);
    expect_ok(cardan_linearize(r.sim, NULL, &linear, &report), &report, "linearize");
    expect_ok(cardan_linearize(sticks.sim, NULL, &held, &report), &report, "linearize");
    double q[2];
    for (int side = 0; side < 2; side++) {
      run s = run_load(text, "v0=0.1", &o);
      s.data->v[0] = 0.1 + (side ? e : -e) / 2; // of momentum by e
      run_start(&s);
      run_steps(&s, 1);
      q[side] = s.data->q[0];
      run_free(&s);
    }
    assert_near((q[1] - q[0]) / (2 * e), linear->A[1], 1e-8);
    assert_near(held->A[1], 0, 0.05 * linear->A[1]);
    run_steps(&r, 1); // derivatives have no effect on it
    assert_near(run_v(&r, "a"), 0.1 - dt, 1e-15);
    cardan_linearization_destroy(linear);
    cardan_linearization_destroy(held);
    run_free(&r);
    run_free(&sticks);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_block_stops), cmocka_unit_test(a_load_is_held_or_not),
      cmocka_unit_test(a_swing_dies),  cmocka_unit_test(pendulums_agree),
      cmocka_unit_test(derivatives),   cmocka_unit_test(small_beside_the_loads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
