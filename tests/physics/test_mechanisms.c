// SPDX-License-Identifier: Apache-2.0
// Mechanisms with loops, drivers and redundant constraints: assembled on the right branch, with the
// right mobility, and running.
#include <math.h>
#include <string.h>

#include "run.h"
#include "spatial/spatial.h"

static const double pi = 3.14159265358979323846;

/* Loops closed to rounding by assembly: 1e-12 (1 + length), as cardan_assemble promises. */
static void expect_closed(run *r)
{
  assert_near(cardan_constraint_max(r->model, r->data), 0, 1e-12 * (1 + r->model->size_length));
}

static void test_closed_chain(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    double value;
  } branch[] = {{"J", 0.1},     {"H", 0.4},    {"A", 0.4},   {"K", 0.1039},
                {"M", -0.8099}, {"C", 0.2749}, {"E", 1.4843}};
  const cardan_options o = run_options("aba:rk4", 0.001, 10);
  run r = run_load("closed-chain", NULL, &o);
  run_start(&r);
  for (int i = 0; i < 7;
       i++) { // the seeds have four digits; the loops magnify their rounding a little
    assert_near(run_q(&r, branch[i].name), branch[i].value, i < 3 ? 0 : 3e-4);
  }
  assert_near(cardan_constraint_max(r.model, r.data), 0, 1e-12);
  assert_int_equal(r.model->mobility, 3);
  run_steps(&r, 10000);
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("closed-chain, 10 s: drift %.1e J, violation %.1e m\n", stats.drift_max,
                stats.constraint_max);
  // rk4 at 1 ms: the drift is its own error; the violation is what projection leaves
  assert_near(stats.drift_max, 0, 1e-3);
  assert_near(stats.constraint_max, 0, 1e-9);
  run_free(&r);
}

/* Driven at a turn a second: after half a second the crank is half a turn on, and the work of the
 * driver is the change of energy. */
static void test_slider_crank(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:rk4", 0.001, 0.5);
  run r = run_load("slider-crank", NULL, &o);
  run_start(&r);
  expect_closed(&r);
  assert_near(run_q(&r, "x"), 0.2, 1e-6);
  run_steps(&r, 500);
  assert_near(run_q(&r, "crank"), -pi, 1e-9);
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("slider-crank, half a turn: balance off by %.1e J, violation %.1e m\n",
                stats.drift_max, stats.constraint_max);
  assert_near(stats.drift_max, 0, 1e-6);
  assert_near(stats.constraint_max, 0, 1e-9);
  run_free(&r);
}

static void test_four_link(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:rk4", 0.001, 1);
  run r = run_load("four-link", NULL, &o);
  run_start(&r);
  expect_closed(&r);
  const cardan_xform C = cardan_frame_pose(r.model, r.data, cardan_model_frame(r.model, "C"));
  const double place[3] = {C.p.x, C.p.y, C.p.z}, branch[3] = {-7.491, -8.5, 6.525};
  assert_near_vec(place, branch, 3, 1e-3);
  run_steps(&r, 1000);
  assert_near(run_q(&r, "rotor"), pi, 1e-9);
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("four-link, half a turn: balance off by %.1e J, violation %.1e m\n",
                stats.drift_max, stats.constraint_max);
  assert_near(stats.constraint_max, 0, 1e-9);
  run_free(&r);
}

/* Four hinges in 3-D: 5 loop rows on 3 coordinates, of which only two say something new. */
static void test_fourbar_redundancy(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:rk4", 0.001, 2);
  run r = run_whole("fourbar-3d", NULL, &o);
  int redundant = 0;
  for (int i = 0; i < r.model->nrow; i++) {
    redundant += r.model->row_redundant[i];
  }
  assert_int_equal(r.model->mobility, 1);
  assert_int_equal(redundant, 3);
  const cardan_stats stats = cardan_sim_stats(r.sim);
  assert_near(stats.drift_max, 0, 1e-6);
  assert_near(stats.constraint_max, 0, 1e-9);
  run_free(&r);
}

static void expect_runs(const char *model, double time, int mobility)
{
  const cardan_options o = run_options("aba:rk4", 0.001, time);
  run r = run_load(model, NULL, &o);
  run_start(&r);
  expect_closed(&r);
  assert_int_equal(r.model->mobility, mobility);
  run_steps(&r, (int)(time / 0.001 + 0.5));
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message("%s, %g s: drift %.1e J, violation %.1e m\n", model, time, stats.drift_max,
                stats.constraint_max);
  assert_near(stats.constraint_max, 0, 1e-9);
  assert_near(stats.drift_max, 0, 1e-4); // rk4's own error at 1 ms
  run_free(&r);
}

static void test_others_run(void **state)
{
  (void)state;
  expect_runs("biped", 0.8, 3);
  expect_runs("ring", 5, 4);
  expect_runs("pinned-chain", 2, 4);
  expect_runs("scissor:3", 0.3, 1);
  expect_runs("cam", 1, 1);
  expect_runs("screw", 1, 1);
  expect_runs("gear", 1, 1);
  expect_runs("wire", 1, 2);
}

/* dop853 closes loops after each of its steps, under every method; rows lie within steps and are as
 * closed as its tolerance of 1e-10 says, over the sine of a loop's angles; the motion is that of
 * another integrator, at 1e-12. Errors grow some hundred times over these motions. */
static void test_dop853(void **state)
{
  (void)state;
  static const char *const methods[] = {"aba:dop853", "hamilton:dop853", "baraff:dop853"};
  static const struct {
    const char *model, *setting;
    double time;
  } motions[] = {{"closed-chain", "I=0.01", 2},
                 {"biped", NULL, 0.8},
                 {"fourbar-3d", NULL, 2},
                 {"ring:4", NULL, 1}};
  for (int i = 0; i < 4; i++) {
    const cardan_options tight = run_options("aba:dopri5", 0.01, motions[i].time);
    run exact = run_whole(motions[i].model, motions[i].setting, &tight);
    for (int m = 0; m < 3; m++) {
      cardan_options o = run_options(methods[m], 0.01, motions[i].time);
      o.rtol = o.atol = 1e-10;
      run r = run_whole(motions[i].model, motions[i].setting, &o);
      const cardan_stats stats = cardan_sim_stats(r.sim);
      double off = 0;
      for (int k = 0; k < r.model->nq; k++) {
        off = fmax(off, fabs(r.data->q[k] - exact.data->q[k]));
      }
      print_message("%s, %g s, %s: off by %.1e, drift %.1e J, violation %.1e m, %lld evaluations\n",
                    motions[i].model, motions[i].time, methods[m], off, stats.drift_max,
                    stats.constraint_max, (long long)stats.evaluations);
      assert_true(off < 1e-7);
      assert_true(stats.constraint_max < 1e-9);
      run_free(&r);
    }
    run_free(&exact);
  }
}

/* Each joint of lower-pairs moves as its twin made of transforms: same pose of the frame it
 * carries, shifted by the 1 m that stands between them. Both are integrated to about 1e-12. */
static void test_lower_pairs(void **state)
{
  (void)state;
  static const char *const pairs[][2] = {{"R", "R-ry"}, {"P", "P-tx"}, {"H", "H-tz"},
                                         {"C", "C-tx"}, {"S", "S-rx"}, {"E", "E-rz"},
                                         {"U", "U-ry"}, {"F", "F-rx"}};
  const cardan_options o = run_options("aba:dopri5", 0.1, 1);
  run r = run_whole("lower-pairs", NULL, &o);
  for (int i = 0; i < 8; i++) {
    const cardan_xform a =
        cardan_frame_pose(r.model, r.data, cardan_model_frame(r.model, pairs[i][0]));
    const cardan_xform b =
        cardan_frame_pose(r.model, r.data, cardan_model_frame(r.model, pairs[i][1]));
    const cardan_vec3 d = cardan__vec3_sub(b.p, a.p);
    const double shift[3] = {d.x, d.y, d.z}, expected[3] = {0, 1, 0};
    assert_near_vec(shift, expected, 3, 1e-9);
    assert_near_vec(&a.R.m[0][0], &b.R.m[0][0], 9, 1e-9);
  }
  run_free(&r);
}

/* Energy of the slider-crank at time t from its kinematics alone: a driven mechanism of mobility 0
 * is where its drivers put it. */
static double driven_energy(const run *r, cardan_data *data, double t)
{
  memcpy(data->q, r->data->q, (size_t)r->model->nq * sizeof(double));
  memcpy(data->v, r->data->v, (size_t)r->model->nv * sizeof(double));
  data->t = t;
  assert_int_equal(cardan_assemble(r->model, data, NULL, NULL), CARDAN_OK);
  return cardan_kinetic(r->model, data) + cardan_potential(r->model, data);
}

/* Driving torque over a whole turn: torque * speed = dE/dt + mu |N| |v| (smoothed below vs = 1
 * mm/s, so not checked near there), with dE/dt by central differences of the kinematic motion:
 * their error is h^2 / 6 times the third derivative of E, about 1e-6 W here. Prints the range of
 * the torque. */
static void expect_torque(const char *setting, double mu)
{
  const double h = 1e-4, speed = -2 * pi;
  const cardan_options o = run_options("aba:rk4", 0.001, 1);
  run r = run_load("slider-crank", setting, &o);
  const int crank = cardan_model_joint(r.model, "crank"), slider = cardan_model_joint(r.model, "x");
  double force[8], range[2] = {HUGE_VAL, -HUGE_VAL};
  cardan_force reaction[8];
  cardan_data *other;
  assert_true(r.model->njoint <= 8);
  assert_int_equal(cardan_data_create(r.model, NULL, &other), CARDAN_OK);
  run_start(&r);
  for (int i = 0; i < 100; i++) {
    run_steps(&r, 10);
    assert_int_equal(cardan_forward(r.model, r.data, 0, 0), CARDAN_OK);
    cardan_driver_forces(r.model, r.data, force);
    cardan_reactions(r.model, r.data, reaction);
    const double t = r.data->t, v = run_v(&r, "x"), N = cardan__vec3_norm(reaction[slider].f);
    const double rate =
        (driven_energy(&r, other, t + h) - driven_energy(&r, other, t - h)) / (2 * h);
    range[0] = fmin(range[0], force[crank]);
    range[1] = fmax(range[1], force[crank]);
    if (mu == 0 || fabs(v) > 0.02) {
      assert_near(force[crank] * speed, rate + mu * N * fabs(v), 1e-5);
    }
  }
  print_message("slider-crank, %s: driving torque in [%.3f, %.3f] N m\n", setting, range[0],
                range[1]);
  cardan_data_destroy(other);
  run_free(&r);
}

static void test_friction(void **state)
{
  (void)state;
  expect_torque("mu=0", 0);
  expect_torque("mu=0.2", 0.2);
  expect_torque("mu=0.4", 0.4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closed_chain), cmocka_unit_test(test_slider_crank),
      cmocka_unit_test(test_four_link),    cmocka_unit_test(test_fourbar_redundancy),
      cmocka_unit_test(test_others_run),   cmocka_unit_test(test_lower_pairs),
      cmocka_unit_test(test_friction),     cmocka_unit_test(test_dop853),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
