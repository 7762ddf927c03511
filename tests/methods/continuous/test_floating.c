// SPDX-License-Identifier: Apache-2.0
// Floating bodies under an integrator: translation is a matter of its own, however fast a body
// spins.
#include <math.h>
#include <string.h>

#include "fixture.h"
#include "methods/continuous/floating.h"
#include "run.h"
#include "run/sim_access.h"

static const char *const INTEGRATORS[] = {
    "euler",  "semi-implicit", "rk2",   "rk4",    "rkf45-fixed", "trapezoid", "midpoint",
    "gauss4", "ode45",         "rkf45", "dopri5", "dop853",      "adams",     "bdf"};

enum { NINTEGRATOR = sizeof INTEGRATORS / sizeof *INTEGRATORS };

// a ball of 1 kg at 1 m/s along x, spinning at 105 rad/s: a radian a step
static const char BALL[] = "(system (gravity 0 0 0) (joint free \"b\" (mass 1 0.1 0.1 0.1))"
                           " (initial (\"b\" (0 0 0 1 0 0 0) (0 0 105 1 0 0))))";
// the same with its centre of mass 0.3 m from the joint, moving at 1 m/s along x
static const char OFF[] = "(system (gravity 0 0 0) (joint free \"b\" (tx 0.3 (mass 1 0.1 0.1 0.1)))"
                          " (initial (\"b\" (0 0 0 1 0 0 0) (0 0 105 1 -31.5 0))))";

static run run_text_whole(const char *text, const char *method, const char *integrator)
{
  cardan_options o = run_options("aba", 0.01, 1);
  o.method = method;
  o.integrator = integrator;
  o.rtol = 1e-6;
  o.atol = 1e-9;
  return run_whole(text, NULL, &o);
}

/* P stays to rounding: 100 steps of 50 stages at most, each of a few rounding errors of |v| and,
 * off the centre, of w c = 31.5 m/s. BDF and Adams add and take away whole histories: ten times
 *
 * that. */
static void momentum_stays(const char *text, double size, bool place)
{
  static const char *const methods[] = {"aba", "hamilton"};
  for (int m = 0; m < 2; m++) {
    for (int i = 0; i < NINTEGRATOR; i++) {
      run r = run_text_whole(text, methods[m], INTEGRATORS[i]);
      const double x = run_column(&r, CARDAN_ADD_MOMENTUM, "P.x");
      const double y = run_column(&r, CARDAN_ADD_MOMENTUM, "P.y");
      const double off = fmax(fabs(x - 1), fabs(y)), tol = 1e5 * 2.2e-16 * size;
      print_message("%s/%s: P off by %.1e, x by %.1e\n", methods[m], INTEGRATORS[i], off,
                    run_q(&r, "b.x") - 1);
      assert_true(off < tol);
      assert_true(!place || fabs(run_q(&r, "b.x") - 1) < tol);
      assert_string_equal(cardan_sim_warning(r.sim), "");
      run_free(&r);
    }
  }
}

static void test_momentum_of_a_spinning_ball(void **state)
{
  (void)state;
  momentum_stays(BALL, 1, true);
}

static void test_momentum_off_the_centre(void **state)
{
  static const char *const large[] = {"rk4", "gauss4", "ode45", "dop853", "dopri5"};
  (void)state;
  for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
    for (int m = 0; m < 2; m++) {
      run r = run_text_whole(OFF, m == 0 ? "aba" : "hamilton", large[i]);
      assert_near(run_column(&r, CARDAN_ADD_MOMENTUM, "P.x"), 1, 1e5 * 2.2e-16 * 31.5);
      assert_near(run_energy(&r), 551.75, 1e-9 * 551.75);
      run_free(&r);
    }
  }
}

/* A velocity given to everything changes nothing of the joints: a tree that tumbles, thrown at 50
 * m/s and not. The stages are the same in exact arithmetic; 30 steps of rounding of 50 m/s by 20
 *
 * rad/s. */
static void test_thrown(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 0) (joint free \"b\" (mass 3 0.1 0.15 0.12 0 0.01 0)"
      " (tx 0.2 (joint spherical \"s\" (tx 0.2 (mass 1 0.01 0.02 0.03))))"
      " (ty 0.3 (rz \"h\" (tx 0.1 (mass 0.5 0.01 0.01 0.01)))))"
      " (define u 0) (initial (\"b\" (0 0 0 1 0 0 0) (2 20 3 u 0 0)) (\"h\" 0.2 3)))";
  static const char *const methods[] = {"aba:rk4", "aba:gauss4", "aba:semi-implicit"};
  (void)state;
  for (int m = 0; m < 3; m++) {
    const cardan_options o = run_options(methods[m], 0.01, 0.3);
    run slow = run_whole(text, NULL, &o), fast = run_whole(text, "u=50", &o);
    print_message("%s: h apart by %.1e\n", methods[m], run_q(&slow, "h") - run_q(&fast, "h"));
    assert_near(run_q(&slow, "h"), run_q(&fast, "h"), 1e5 * 2.2e-16 * 50);
    assert_near(run_q(&slow, "s.qw"), run_q(&fast, "s.qw"), 1e5 * 2.2e-16 * 50);
    run_free(&slow);
    run_free(&fast);
  }
}

/* (F1) against (F2), (F3) by differences along a motion, and (F7) by a small change of the
 * state. */
static void test_conversions(void **state)
{
  const cardan_options o = run_options("aba", 0.01, 1);
  cardan__floating one;
  (void)state;
  run r = run_load(OFF, NULL, &o);
  double q[7] = {1, 2, 3, 0.5, -0.5, 0.1, 0.7}, v[6] = {1, -2, 3, 0.4, 0.5, -0.6}, x[6], b[6];
  double a[6] = {0.3, 0.2, -0.1, 1, 2, -1}, rate[6];
  assert_int_equal(cardan__floating_list(r.model, NULL), 1);
  cardan__floating_list(r.model, &one);
  cardan__floating_place(1, &one, q);
  memcpy(x, v, sizeof x);
  cardan__floating_to_world(1, &one, x);
  memcpy(b, x, sizeof b);
  cardan__floating_to_body(1, &one, b);
  assert_near_vec(b, v, 6, 1e-14);
  memcpy(rate, a, sizeof rate);
  cardan__floating_rates(1, &one, v, rate);
  const double h = 1e-5; // central differences: h^2 of third derivatives of order 100
  double side[2][6];
  for (int s = 0; s < 2; s++) {
    double moved[7], w[6];
    const double step = s == 0 ? h : -h;
    cardan_q_normalize(r.model, q);
    for (int k = 0; k < 6; k++) {
      w[k] = step * v[k];
      side[s][k] = v[k] + step * a[k];
    }
    cardan_q_move(r.model, q, w, 1, moved);
    cardan__floating_place(1, &one, moved);
    cardan__floating_to_world(1, &one, side[s]);
  }
  for (int k = 3; k < 6; k++) {
    assert_near((side[0][k] - side[1][k]) / (2 * h), rate[k], 1e-6);
  }
  run_free(&r);
}

/* Estimated errors of velocities, from those of the state: of both forms they are errors of what
 * the columns are, 100 times smaller than what a tolerance 100 times larger allows. */
static void test_errors(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++) {
    cardan_options o = run_options("aba", 0.01, 0.1);
    o.method = m == 0 ? "aba" : "hamilton";
    o.integrator = "ode45";
    o.rtol = 1e-6;
    o.atol = 1e-9;
    run r = run_whole(OFF, NULL, &o);
    double e_q[7], e_v[6], e_p[6];
    assert_true(r.sim != NULL);
    const cardan__method *method = cardan__sim_stepper(r.sim)->method;
    assert_true(method->errors(cardan__sim_stepper(r.sim), e_q, e_v, e_p));
    // v of a point on a circle of 0.3 m at 105 rad/s: an error of the angle turns it by 31.5 m/s
    const double turn =
        2 * sqrt(e_q[3] * e_q[3] + e_q[4] * e_q[4] + e_q[5] * e_q[5] + e_q[6] * e_q[6]);
    const double most = turn * 1.001 + 0.3 * fabs(e_v[2]) + 1e-12;
    assert_true(hypot(e_v[3], e_v[4]) < most);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momentum_of_a_spinning_ball),
      cmocka_unit_test(test_momentum_off_the_centre),
      cmocka_unit_test(test_thrown),
      cmocka_unit_test(test_conversions),
      cmocka_unit_test(test_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
