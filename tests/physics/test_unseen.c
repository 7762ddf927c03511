// SPDX-License-Identifier: Apache-2.0
// What closes and opens again within one step, and what is through before the step ends.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

#define SPRING                                                                          \
  "(system (gravity 0 0 0) (tz \"z\" (mass 1) (name \"b\")) (joint-spring \"z\" 100 0)" \
  " (stop \"z\" -0.9995 10 (restitution 1)) (initial (\"z\" 1)))"
#define PENDULUM                                                                            \
  "(system (gravity 0 0 -9.81) (place (0 0 -1.0999) (name \"floor\") (solid plane))"        \
  " (joint revolute \"a\" (axis 0 1 0) (tz -1 (name \"bob\") (mass 1) (solid sphere 0.1)))" \
  " (contact all (friction 0) (restitution 1)) (initial (\"a\" 1)))"
#define BULLET                                                                    \
  "(system (gravity 0 0 0) (place (1 0 0) (name \"plate\") (solid box 0.02 1 1))" \
  " (tx \"x\" (name \"ball\") (mass 1 0.1 0.1 0.1) (solid sphere 0.01))"          \
  " (contact all (friction 0) (restitution 1)) (initial (\"x\" 0 SPEED)))"

static int impacts_of(const char *model, double dt, double time, int order)
{
  cardan_options options = run_options("vi", dt, time);
  options.order = order;
  run r = run_whole(model, NULL, &options);
  const int impacts = (int)cardan_sim_stats(r.sim).contact.impacts;
  run_free(&r);
  return impacts;
}

// A spring that reaches 1, and a stop at 0.9995: it is beyond that for 0.0063 s of its period of
// 0.63 s, and meets it at 0.311, 0.936 and 1.562 s, whatever the step. With the spring at the
// middle of the step nodes reach 1 and no further (at its nodes: 1.03 at 0.05 s), and what a
// parabola through three of them leaves out, some (omega h)^3 / 15, has to be below those 5e-4: up
// to 0.03 s
static void spring_meets_its_stop(void **state)
{
  (void)state;
  static const double steps[] = {0.03, 0.02, 0.011, 0.005, 0.001};
  for (int i = 0; i < 5; i++) {
    assert_int_equal(impacts_of(SPRING, steps[i], 2, 2), 3);
  }
  assert_int_equal(impacts_of(SPRING, 0.02, 2, 4), 3);
}

// The same spring meets its stop at 0.311 s in a step at whose end a slider meets another one
static void spring_beside_an_impact(void **state)
{
  (void)state;
  static const char *const modes[] = {"located", "auto"};
  const char *const model =
      "(system (tz \"z\" (mass 1) (name \"b\")) (joint-spring \"z\" 100 0)"
      " (stop \"z\" -0.9995 10 (restitution 1)) (tx \"y\" (mass 1))"
      " (stop \"y\" -1 0.329 (restitution 1)) (initial (\"z\" 1) (\"y\" 0 1)))";
  for (int i = 0; i < 2; i++) {
    cardan_options options = run_options("vi", 0.03, 0.6);
    options.impacts = modes[i];
    run r = run_whole(model, NULL, &options);
    assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 2);
    run_free(&r);
  }
}

// A pendulum whose bob would be 0.1 mm below the floor at its lowest: it turns round there, 2.5
// times in 5 s each way
static void pendulum_meets_the_floor(void **state)
{
  (void)state;
  static const double steps[] = {0.02, 0.01, 0.005, 0.002};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(impacts_of(PENDULUM, steps[i], 5, 2), 5);
  }
}

// A ball of 0.01 m and a plate as thick, from 0.05 m to 100 m in a step: it comes back from where
// they touch, x = 0.98, to rounding
static void bullet_comes_back(void **state)
{
  (void)state;
  static const char *const speeds[] = {"5", "43", "100", "371", "2345", "1e4"};
  for (int i = 0; i < 6; i++) {
    char model[512];
    const double v = strtod(speeds[i], NULL);
    const char *at = strstr(BULLET, "SPEED");
    snprintf(model, sizeof model, "%.*s%s%s", (int)(at - BULLET), BULLET, speeds[i],
             at + strlen("SPEED"));
    for (int order = 2; order <= 6; order += 2) {
      cardan_options options = run_options("vi", 0.01, 1);
      options.order = order;
      run r = run_whole(model, NULL, &options);
      assert_near(run_q(&r, "x"), 2 * 0.98 - v, 1e-12 * v);
      assert_near(run_v(&r, "x"), -v, 1e-14 * v);
      run_free(&r);
    }
  }
}

// A bullet goes through a plate early in the step in which, far away, a ball meets a wall: where
// that is located says nothing of the bullet, which comes back as if it were alone
static void bullet_beside_an_impact(void **state)
{
  (void)state;
  static const char *const modes[] = {"located", "auto", "step"};
  const char *const model =
      "(system (gravity 0 0 0) (place (0.1 0 0) (name \"plate\") (solid box 0.01 1 1))"
      " (tx \"x\" (name \"bullet\") (mass 1 0.1 0.1 0.1) (solid sphere 0.01))"
      " (place (0 50 0) (tx \"y\" (name \"ball\") (mass 1 0.1 0.1 0.1) (solid sphere 0.2)))"
      " (place (0.29 50 0) (name \"wall\") (solid box 0.02 1 1))"
      " (contact all (friction 0) (restitution 1)) (initial (\"x\" 0 40) (\"y\" 0 8.9)))";
  for (int i = 0; i < 3; i++) {
    cardan_options options = run_options("vi", 0.01, 0.05);
    options.impacts = modes[i];
    run r = run_whole(model, NULL, &options);
    assert_near(run_v(&r, "x"), -40, 1e-12);
    assert_near(run_v(&r, "y"), -8.9, 1e-12);
    run_free(&r);
  }
}

// What touches at a node, within the 2e-7 m to which gaps of solids are watched, or has just come
// off, and falls through a thin shelf before the step ends: a ball of 5 mm on 2 mm, 0.05 to 0.2 s
static void ball_stays_on_the_shelf(void **state)
{
  (void)state;
  static const char *const starts[] = {
      "0.006 -0.00155", "0.00600011403 -0.00155", "0.0060001 0.2", "0.006 -2", "0.0062 0", "1 0"};
  static const char *const impacts[] = {"auto", "located", "step"};
  static const double steps[] = {0.05, 0.1, 0.2};
  for (int i = 0; i < 6 * 3 * 3 * 2; i++) {
    char model[500];
    cardan_options options = run_options(i % 2 > 0 ? "vi" : "svi", steps[i / 2 % 3], 1);
    options.impacts = impacts[i / 6 % 3];
    options.order = i % 4 < 2 ? 2 : 4;
    snprintf(model, sizeof model,
             "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"shelf\") (solid box 1 1 0.002))"
             " (tz \"z\" (mass 1 0.1 0.1 0.1) (name \"ball\") (solid sphere 0.005))"
             " (contact all (friction 0) (restitution 0.5)) (initial (\"z\" %s)))",
             starts[i / 18]);
    run r = run_whole(model, NULL, &options);
    if (!(run_q(&r, "z") > 0.006 - 1e-6)) {
      fail_msg("%s, dt %g, impacts %s, order %d: at %g", starts[i / 18], options.dt,
               options.impacts, options.order, run_q(&r, "z"));
    }
    run_free(&r);
  }
}

// Two bodies that turn by 1.7 and 1.1 rad in the step in which they come by one another: their
// centres go straight in flight, not along screws
static void spinning_bodies_meet(void **state)
{
  (void)state;
  const char *const model =
      "(system (material \"m\" (friction 0.2) (restitution 0.3)) (contact all)"
      " (joint free \"a\" (mass 0.4477 0.00047433 0.00047804 0.00030769)"
      "  (solid ellipsoid 0.0417 0.0412 0.06 (material \"m\")))"
      " (joint free \"b\" (mass 1.8254 0.00672173 0.00672173 0.00159240)"
      "  (solid capsule 0.0467 0.1614 (material \"m\")))"
      " (initial (\"a\" (-0.00385 0.02796 -0.08173 -0.44727 -0.56681 0.44936 0.52609)"
      "  (78 18 72 5.2011 6.2198 -12.0587))"
      " (\"b\" (0.2709 0.13855 0.27274 -0.0534 -0.51534 -0.8192 0.24594)"
      "  (-0.0384 0.0154 -0.1132 4.3751 -11.1207 21.0488))))";
  static const double steps[] = {0.014, 0.007, 0.0014};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(impacts_of(model, steps[i], 0.014, 2), 1);
  }
}

// A rod that turns through a post, and is beyond it after each step: with stages of higher orders,
// some of which are beyond it and come back, as with order 2
static void rod_meets_the_post(void **state)
{
  (void)state;
  const char *const model =
      "(system (gravity 0 0 -9.81) (place (0.8 0 0) (name \"post\") (solid sphere 0.01))"
      " (ry \"a\" (rz \"b\" (mass 1 0.1 0.1 0.1) (name \"rod\") (tx 0.5 (solid box 1 0.02 0.02))))"
      " (contact all (friction 0) (restitution 1)) (initial (\"a\" 0 0) (\"b\" 1 -60)))";
  for (int order = 2; order <= 6; order += 2) {
    for (int i = 0; i < 3; i++) {
      cardan_options options = run_options("svi", 0.003 + 0.003 * i, 0.09);
      options.order = order;
      run r = run_whole(model, NULL, &options);
      assert_int_equal(cardan_sim_stats(r.sim).contact.impacts, 1);
      assert_true(run_v(&r, "b") > 0);
      run_free(&r);
    }
  }
}

// A box passes by a hull with one corner beyond the end of a face of it, as an edge is about to
// strike: the corner is no event. Without loss, and back to where it began with the motion turned
static void corner_passes_by(void **state)
{
  (void)state;
  const char *const model =
      "(system (joint free \"a\" (mass 1 0.004 0.006 0.007) (solid box 0.3 0.2 0.1))"
      " (joint free \"b\" (mass 1.5 0.008 0.007 0.009) (solid hull (-0.1 -0.1 -0.1)"
      "  (0.1 -0.1 -0.1) (0 0.12 -0.1) (0 0 0.15) (0.1 0.1 0.1)))"
      " (contact all (restitution 1) (friction 0)) (initial"
      "  (\"a\" (-0.15 -0.03 -0.02 0.71 0.31 0.42 -0.48) (-2.85 1.78 -10.2 0.88 0.93 0.32))"
      "  (\"b\" (0.03 0.01 0.02 0.68 0.14 -0.37 -0.62) (-7.65 -2.27 -4.87 -0.17 0.71 -0.06))))";
  for (int i = 0; i < 3; i++) {
    cardan_report report = {.message = ""};
    const cardan_options options = run_options("vi", 0.002 + 0.0015 * i, 0);
    run r = run_begin(model, NULL, &options);
    const double x = run_q(&r, "a.x"), y = run_q(&r, "b.y");
    run_steps(&r, 12);
    const cardan_contact_stats stats = cardan_sim_stats(r.sim).contact;
    assert_true(stats.impacts >= 1);
    assert_near(stats.lost, 0, 1e-12);
    cardan_data *data = cardan_sim_data(r.sim);
    for (int k = 0; k < r.model->nv; k++) {
      data->v[k] = -data->v[k];
    }
    expect_ok(cardan_sim_start_from_current(r.sim, &report), &report, "back");
    run_steps(&r, 12);
    assert_near(run_q(&r, "a.x"), x, 1e-8); // an impact turns 1e-12 m into 1e-9: edges are round
    assert_near(run_q(&r, "b.y"), y, 1e-8);
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(spring_meets_its_stop),    cmocka_unit_test(spring_beside_an_impact),
      cmocka_unit_test(pendulum_meets_the_floor), cmocka_unit_test(bullet_comes_back),
      cmocka_unit_test(ball_stays_on_the_shelf),  cmocka_unit_test(bullet_beside_an_impact),
      cmocka_unit_test(spinning_bodies_meet),     cmocka_unit_test(rod_meets_the_post),
      cmocka_unit_test(corner_passes_by),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
