// SPDX-License-Identifier: Apache-2.0
// Contact beside what else a model may have: reactions, friction in joints, bounds and solids that
// a driver moves. Closed forms throughout.
#include <math.h>

#include "run.h"

#define SYSTEM "(system (gravity 0 0 -10) "
#define FLOOR "(place (0 0 0) (name \"floor\") (solid plane)) "
#define BAR "(ry \"hinge\" (tx 0.5 (mass 2 0.1 0.1 0.1)) (tx 1 (name \"tip\") (solid point))) "

static const char *const methods[] = {"vi", "svi"};

static run go(const char *model, const char *method, double dt, double time)
{
  const cardan_options options = run_options(method, dt, time);
  return run_whole(model, NULL, &options);
}

// A bar of 20 N, held at one end by its hinge: the other half of the weight is carried by a rope,
// an inequality, the floor, a wire, and the hinge carries 10 N whoever it is
static void reactions_know_what_carries(void **state)
{
  (void)state;
  const char *const model[] = {
      SYSTEM BAR "(place (1 0 1) (name \"hook\")) (rope \"tip\" \"hook\" 1))",
      SYSTEM BAR "(inequality (pz \"tip\")))",
      SYSTEM BAR FLOOR "(contact all))",
      SYSTEM BAR "(place (1 0 1) (name \"hook\")) (wire \"tip\" \"hook\" 1))",
  };
  for (int i = 0; i < 4; i++) {
    for (int m = 0; m < 2; m++) {
      run r = go(model[i], methods[m], 0.01, 0.1);
      assert_near(run_column(&r, CARDAN_ADD_REACTIONS, "R.hinge.fz"), 10, 1e-9);
      assert_near(run_column(&r, CARDAN_ADD_REACTIONS, "R.hinge.fx"), 0, 1e-9);
      run_free(&r);
    }
  }
}

// A sled of 1 kg with a box of 3 kg on it, both at 1 m/s: what rubs in the sled's joint is pressed
// by both, so that they slow down together with mu g. They touch along the whole motion
static void joints_rub_under_what_lies_on_them(void **state)
{
  (void)state;
  const double mu = 0.2, g = 10, T = 0.3;
  for (int m = 0; m < 2; m++) {
    run r =
        go(SYSTEM "(tx \"s\" (name \"sled\") (mass 1 1 1 1) (solid box 1 1 0.1))"
                  "(friction \"s\" 0.2 (vs 1e-5))"
                  "(tx \"x\" tz \"z\" (name \"box\") (mass 3 1 1 1) (solid box 0.2 0.2 0.2))"
                  "(contact all (friction 0.9)) (initial (\"s\" 0 1) (\"x\" 0 1) (\"z\" 0.15)))",
           methods[m], 0.01, T);
    assert_near(run_q(&r, "s"), T - mu * g * T * T / 2, 1e-9);
    assert_near(run_q(&r, "x"), T - mu * g * T * T / 2, 1e-9);
    assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, 1e-9);
    run_free(&r);
  }
}

// A winch that begins to lift 2 kg from the floor at 0.5 m/s: the impact takes m v^2 / 2 and the
// winch gives that twice, then the weight times the way
static void winches_work(void **state)
{
  (void)state;
  run r = go(SYSTEM FLOOR "(joint free \"load\" (mass 2 0.1 0.1 0.1) (solid sphere 0.1))"
                          "(place (0 0 2) (name \"drum\")) (contact all)"
                          "(rope \"load\" \"drum\" (- 2.2 (* 0.5 t)))"
                          "(initial (\"load.z\" 0.1)))",
             "vi", 0.01, 2);
  assert_near(run_q(&r, "load.z"), 0.8, 1e-10); // 2.2 - 0.5 t is 1.2
  assert_near(run_column(&r, CARDAN_ADD_WORK, "lost.impact"), 0.25, 1e-10);
  assert_near(run_column(&r, CARDAN_ADD_WORK, "work"), 0.25 + 20 * 0.7, 1e-9);
  assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, 1e-9);
  run_free(&r);
}

// A bound that shakes 1 kg off and catches it again: the balance closes to order 2
static void shaking_bounds_balance(void **state)
{
  (void)state;
  double off[2];
  for (int i = 0; i < 2; i++) {
    run r = go(SYSTEM "(tz \"b\" (mass 1 1 1 1)) (inequality (- q.b (* 0.1 (sin (* 20 t))))))",
               "vi", i == 0 ? 0.002 : 0.001, 1);
    off[i] = fabs(run_column(&r, CARDAN_ADD_WORK, "balance"));
    assert_true(cardan_sim_stats(r.sim).contact.impacts >= 3);
    run_free(&r);
  }
  assert_true(off[0] < 1e-3);
  assert_true(off[1] < off[0] / 3);
}

// A block put on a belt at 0.7 m/s slides until it goes with it: mu g t = v. When that is, is known
// to the step: position to v dt^2 mu g
static void belts_carry(void **state)
{
  (void)state;
  const double mu = 0.4, g = 10, v = 0.7, dt = 0.01;
  run r = go(SYSTEM "(tx (k \"belt\") (mass 1 1 1 1) (solid plane)) (motion \"belt\" (* 0.7 t))"
                    "(tx \"x\" tz \"z\" ry \"p\" (name \"block\") (mass 1 1 0.01 1)"
                    " (solid box 0.2 0.2 0.2)) (contact all (friction 0.4)) (initial (\"z\" 0.1)))",
             "vi", dt, 1);
  assert_near(run_q(&r, "x"), v - v * v / (2 * mu * g), mu * g * dt * dt);
  assert_near(run_v(&r, "x"), v, 1e-12);
  assert_near(run_q(&r, "p"), 0, 1e-12);
  run_free(&r);
}

// A plate that comes up at 2 m/s strikes a ball in its fall, e = 0.5: v+ = 2 + e (2 - v-)
static void driven_plates_strike(void **state)
{
  (void)state;
  const double g = 10, h = 0.4, e = 0.5, T = 0.2;
  const double t = (sqrt(4 + 2 * g * h) - 2) / g, after = 2 + e * (2 + g * t), left = T - t;
  run r = go(SYSTEM "(tz (k \"plate\") (mass 1 1 1 1) (solid plane)) (motion \"plate\" (* 2 t))"
                    "(tz \"b\" (mass 1 1 1 1) (solid sphere 0.1)) (initial (\"b\" 0.5))"
                    "(contact all (restitution 0.5)))",
             "vi", 0.01, T);
  assert_near(run_v(&r, "b"), after - g * left, 1e-10);
  assert_near(run_q(&r, "b"), 0.1 + 2 * t + after * left - g * left * left / 2, 1e-10);
  assert_near(run_column(&r, CARDAN_ADD_WORK, "balance"), 0, 1e-10);
  run_free(&r);
}

// A ball with a sphere on a spring and a shaft at its side rolls and bounces: a cylindrical joint
// is a slide and a turn, but has its velocities in the other order. Both touch the floor, each by
// itself
static void cylindrical_joints_are_two(void **state)
{
  (void)state;
  static const char *const solver[] = {"newton", "riqn", "broyden"};
#define ARM "(tx 0.1 (mass 0.3 0.001 0.002 0.003) (solid sphere 0.06)))"
#define BASE                                                                               \
  SYSTEM FLOOR                                                                             \
      "(contact all (friction 0.5) (restitution 0.3)) (initial (\"f\" (0 0 0.12 1 0 0 0) " \
      "(0 3 0 1 0 -1))) (joint free \"f\" (name \"ball\") (mass 1 0.01 0.01 0.01)"         \
      "(solid sphere 0.1) (place (0.25 0 -0.02)"
  for (int k = 0; k < 3; k++) {
    cardan_options options = run_options("vi", 0.002, 0.5);
    options.solver = solver[k];
    run one = run_whole(BASE "(joint cylindrical \"c\" (axis 0 0 1)" ARM "))"
                             "(initial (\"c\" (0.3 0.02) (2 0.1)))"
                             "(potential (* 25 (^ q.c.d 2))))",
                        NULL, &options);
    run two = run_whole(BASE "(joint prismatic \"d\" (axis 0 0 1)"
                             "(joint revolute \"a\" (axis 0 0 1)" ARM ")))"
                             "(initial (\"a\" 0.3 2) (\"d\" 0.02 0.1))"
                             "(potential (* 25 (^ q.d 2))))",
                        NULL, &options);
    // rounding, which impacts magnify
    assert_near(run_q(&one, "f.x"), run_q(&two, "f.x"), 1e-9);
    assert_near(run_q(&one, "c.a"), run_q(&two, "a"), 1e-9);
    assert_near(run_q(&one, "c.d"), run_q(&two, "d"), 1e-9);
    run_free(&one);
    run_free(&two);
  }
#undef ARM
#undef BASE
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reactions_know_what_carries),
      cmocka_unit_test(joints_rub_under_what_lies_on_them),
      cmocka_unit_test(winches_work),
      cmocka_unit_test(shaking_bounds_balance),
      cmocka_unit_test(belts_carry),
      cmocka_unit_test(driven_plates_strike),
      cmocka_unit_test(cylindrical_joints_are_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
