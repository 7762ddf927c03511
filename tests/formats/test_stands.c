// SPDX-License-Identifier: Apache-2.0
// examples/robots/quadruped.xml: from a keyframe whose feet are in the floor, and from above it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/contact.h"
#include "run.h"
#include "shell.h"

enum { LEGS = 4, MOST = 64 };
static const char *const leg[LEGS] = {"FL", "FR", "RL", "RR"};
static const double kp = 200, shin = 0.2; // servos [N m/rad]; mass of a shin [kg]
static const cardan_vec3 shin_centre = {0, 0, -0.08};

/* The start from a keyframe, by vi at 2 ms, with contacts as the file has them. */
static run begin(const char *keyframe)
{
  run r = {.model = NULL};
  cardan_report report = {.message = ""};
  cardan_options o = run_options("vi", 0.002, 0);
  expect_ok(
      cardan_model_load(CARDAN_EXAMPLE_ROBOTS "/quadruped.xml", NULL, 0, NULL, &r.model, &report),
      &report, "quadruped");
  expect_ok(cardan_model_set_start(r.model, keyframe, &report), &report, keyframe);
  o.contacts = "auto";
  expect_ok(cardan_sim_create(r.model, &o, NULL, &r.sim, &report), &report, "quadruped");
  r.data = cardan_sim_data(r.sim);
  run_start(&r);
  return r;
}

static cardan_vec3 cross(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static cardan_vec3 minus(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* Torque about the knee's axis of all that acts on a shin: force at the foot, weight, servo. */
static double at_knee(run *r, const char *name, const cardan_touching *foot)
{
  char joint[16], frame[16];
  snprintf(joint, sizeof joint, "%s.knee", name);
  snprintf(frame, sizeof frame, "%s.shin", name);
  const cardan_xform X = cardan_frame_pose(r->model, r->data, cardan_model_frame(r->model, frame));
  const cardan_vec3 weight = {0, 0, -9.81 * shin};
  const cardan_vec3 a = cross(minus(foot->x, X.p), foot->force);
  const cardan_vec3 b = cross(cardan_xform_vector(&X, shin_centre), weight);
  const cardan_vec3 axis = cardan_xform_vector(&X, (cardan_vec3){0, 1, 0});
  const cardan_vec3 sum = {a.x + b.x, a.y + b.y, a.z + b.z};
  const double servo = kp * (r->data->u[cardan_model_input(r->model, joint)] - run_q(r, joint));
  return sum.x * axis.x + sum.y * axis.y + sum.z * axis.z + servo;
}

/* It stands: nothing moves, on four feet, in balance as a whole and at every knee. speed: the
 * largest that is left [m/s, rad/s]. Forces are off by what still decays, kp and the damping
 * (12 N m s/rad) times little; the tolerance is 1e-6 N. */
static void assert_stands(run *r, double speed)
{
  cardan_touching touching[MOST];
  const int n = cardan_sim_touching(r->sim, touching, MOST);
  double weight = 0, across = 0, fastest = 0, knee = 0;
  int feet = 0;
  assert_true(n <= MOST);
  for (int i = 0; i < n; i++) {
    if (touching[i].pair < 0) { // limits
      assert_int_equal(touching[i].state, CARDAN_TOUCH_OPEN);
      continue;
    }
    const char *name = r->model->solid[r->model->pair[touching[i].pair].solid[0]].name;
    assert_true(feet < LEGS);
    assert_string_equal(name, leg[feet++]);
    assert_int_equal(touching[i].state, CARDAN_TOUCH_STICKS);
    assert_near(touching[i].gap, 0, 1e-12);
    assert_true(touching[i].normal > 20);
    weight += touching[i].normal;
    across += touching[i].force.x;
    knee = fmax(knee, fabs(at_knee(r, name, &touching[i])));
  }
  for (int k = 0; k < r->model->nv; k++) {
    fastest = fmax(fastest, fabs(r->data->v[k]));
  }
  print_message("height %.12f m, fastest %.1e, weight off by %.1e N, knees by %.1e N m\n",
                run_q(r, "base.z"), fastest, weight - 9.81 * r->model->mass, knee);
  assert_int_equal(feet, LEGS);
  assert_near(weight, 9.81 * r->model->mass, 1e-6);
  assert_near(across, 0, 1e-6);
  assert_true(knee < 1e-6);
  assert_true(fastest < speed);
}

// 2 mm in the floor: it starts on it, and sinks by what the servos give way
static void stands(void **state)
{
  (void)state;
  run r = begin("home");
  const double drawn = r.model->q0[2], z = run_q(&r, "base.z");
  const double legs = 0.4 * cos(0.8) + 0.02;
  assert_non_null(strstr(cardan_sim_note(r.sim), "\"trunk\" starts 0.00198 m higher, where its "
                                                 "\"FL\" does not overlap \"floor\""));
  assert_near(z, legs, 1e-15);
  assert_near(z - drawn, 0.00198, 1e-5);
  run_steps(&r, 1000);
  assert_stands(&r, 1e-9);
  const double after = run_q(&r, "base.z");
  assert_true(after < z && after > z - 0.005);
  run_steps(&r, 2000); // where it stands for good
  assert_near(run_q(&r, "base.z"), after, 1e-9);
  assert_stands(&r, 1e-12); // 1e-12 of m g h, over the inertia of a leg: steps at rest leave it
  run_free(&r);
}

// from 0.3 m above that: it lands, settles, stands
static void lands(void **state)
{
  (void)state;
  run r = begin("above");
  assert_string_equal(cardan_sim_note(r.sim), "");
  run_steps(&r, 1500);
  assert_true(cardan_sim_stats(r.sim).contact.impacts > 0);
  assert_true(cardan_sim_stats(r.sim).contact.overlap < 1e-8);
  assert_stands(&r, 1e-9);
  assert_near(run_q(&r, "base.z"), 0.2956, 1e-3);
  run_free(&r);
}

// the command says what it moved; with contacts on it does not
static void by_command(void **state)
{
  (void)state;
  const char *const line =
      "$CARDAN run " CARDAN_EXAMPLE_ROBOTS "/quadruped.xml --keyframe home --time 0.1";
  char on[4400];
  assert_non_null(strstr(shell_expect(0, line).err, "\"trunk\" starts 0.00198 m higher"));
  snprintf(on, sizeof on, "%s --contacts on", line);
  shell_refused(2, on, "or option contacts auto");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stands),
      cmocka_unit_test(lands),
      cmocka_unit_test(by_command),
  };
  return cmocka_run_group_tests(tests, shell_open, shell_close);
}
