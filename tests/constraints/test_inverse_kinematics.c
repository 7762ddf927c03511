// SPDX-License-Identifier: Apache-2.0
// Inverse kinematics: poses that are known to be reachable are reached, from near and from far,
// with loops and limits; what is out of reach is reported.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/kinematics.h"
#include "fixture.h"
#include "random_tree.h"
#include "spatial/spatial.h"

/* An arm of six hinges in space, the last with a hand. limit: of each, as text. */
static void arm_text(const char *limit, char *text, size_t size)
{
  static const char *const axis[6] = {"0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"};
  char part[256];
  snprintf(text, size, "(system \"arm\" ");
  for (int i = 0; i < 6; i++) {
    snprintf(part, sizeof part,
             "(joint revolute \"j%d\" (axis %s) %s (mass 1 0.1 0.1 0.1) (place (%g 0 %g) ", i + 1,
             axis[i], limit, i == 2 ? 0.4 : 0.05, i == 0 || i == 1 ? 0.4 : 0.02);
    strncat(text, part, size - strlen(text) - 1);
  }
  strncat(text, "(name \"hand\"))))))))))))))", size - strlen(text) - 1); // 6 x 2, and 1
}

static fixture arm(const char *limit)
{
  char text[2048];
  arm_text(limit, text, sizeof text);
  return fixture_load(text);
}

static cardan_goal goal_of(fixture *f, int frame)
{
  cardan_joints(f->model, f->data);
  cardan_poses(f->model, f->data);
  return (cardan_goal){.frame = frame,
                       .pose = cardan_frame_pose(f->model, f->data, frame),
                       .place = true,
                       .turn = true};
}

/* The pose of the goal's frame now, against what it is to be: 1e-10 of lengths near 1. */
static void assert_there(fixture *f, const cardan_goal *goal)
{
  const cardan_xform T = cardan_frame_pose(f->model, f->data, goal->frame);
  if (goal->place) {
    assert_near_vec(&T.p.x, &goal->pose.p.x, 3, 2e-10);
  }
  if (goal->turn) {
    assert_near_vec(&T.R.m[0][0], &goal->pose.R.m[0][0], 9, 2e-10);
  }
}

// poses of random configurations, from the neutral one: nearly all are found, and those that are
// not are reported; from 0.3 rad away, all
static void poses_are_reached(void **state)
{
  (void)state;
  fixture f = arm("");
  const int hand = cardan_model_frame(f.model, "hand");
  int found = 0;
  for (uint64_t seed = 0; seed < 100; seed++) {
    double q[6];
    cardan_inverse_kinematics_result end;
    cardan_report report = {.message = ""};
    support_rng rng = {seed};
    cardan_q_random(f.model, seed, f.data->q);
    memcpy(q, f.data->q, sizeof q);
    const cardan_goal goal = goal_of(&f, hand);

    for (int k = 0; k < 6; k++) {
      f.data->q[k] = q[k] + support_random_in(&rng, -0.3, 0.3);
    }
    expect_ok(cardan_inverse_kinematics(f.model, f.data, &goal, 1, &end, &report), &report,
              "from near");
    assert_there(&f, &goal);

    cardan_q_zero(f.model, f.data->q);
    const cardan_status status =
        cardan_inverse_kinematics(f.model, f.data, &goal, 1, &end, &report);
    if (status == CARDAN_OK) {
      assert_there(&f, &goal);
      found++;
    } else {
      assert_int_equal(status, CARDAN_ERR_NO_CONVERGENCE);
      assert_true(end.place > 1e-10 || end.turn > 1e-10);
      assert_non_null(strstr(report.message, "frame \"hand\" stays"));
    }
  }
  assert_true(found >= 80);
  fixture_free(&f);
}

// limits hold at every end, and what they forbid is reported
static void limits_are_kept(void **state)
{
  (void)state;
  fixture f = arm("(limit -1.2 1.2)");
  const int hand = cardan_model_frame(f.model, "hand");
  int found = 0;
  for (uint64_t seed = 0; seed < 60; seed++) {
    cardan_q_random(f.model, seed, f.data->q);
    for (int k = 0; k < 6; k++) {
      assert_true(fabs(f.data->q[k]) <= 1.2);
    }
    const cardan_goal goal = goal_of(&f, hand);
    cardan_q_zero(f.model, f.data->q);
    found += cardan_inverse_kinematics(f.model, f.data, &goal, 1, NULL, NULL) == CARDAN_OK;
    for (int k = 0; k < 6; k++) {
      assert_true(fabs(f.data->q[k]) <= 1.2);
    }
  }
  assert_true(found >= 45);

  // the hand behind the back: j1 would have to turn by pi
  cardan_report report = {.message = ""};
  cardan_inverse_kinematics_result end;
  const cardan_goal behind = {.frame = hand, .pose = {.p = {-0.6, 0, 0.3}}, .place = true};
  cardan_q_zero(f.model, f.data->q);
  assert_int_equal(cardan_inverse_kinematics(f.model, f.data, &behind, 1, &end, &report),
                   CARDAN_ERR_NO_CONVERGENCE);
  assert_true(end.limited > 0 && end.place > 0.01 && end.worst == 0);
  fixture_free(&f);
}

// every kind of joint, places alone and two frames at once
static void trees_reach(void **state)
{
  (void)state;
  for (int seed = 1; seed < 40; seed++) {
    support_rng rng = {(uint64_t)seed};
    fixture f = fixture_build(tree_spec(2 + seed % 12, &rng));
    double dq[128];
    cardan_report report = {.message = ""};
    assert_true(f.model->nv <= 128);
    tree_random_state(&f, &rng);
    cardan_goal goal[2] = {goal_of(&f, f.model->nframe - 1), goal_of(&f, f.model->nframe / 2)};
    goal[1].turn = false;
    support_random_vec(&rng, dq, f.model->nv, 0.1);
    cardan_q_move(f.model, f.data->q, dq, 1, f.data->q);
    expect_ok(cardan_inverse_kinematics(f.model, f.data, goal, 2, NULL, &report), &report, "tree");
    assert_there(&f, &goal[0]);
    assert_there(&f, &goal[1]);
    fixture_free(&f);
  }
}

// a four-bar's coupler point where its crank puts it: the loop stays closed on the way
static void loops_stay_closed(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system \"four-bar\" (ry \"crank\" (tx 0.5 (mass 1) (ry \"coupler\""
                   " (tx 0.6 (tz 0.3 (name \"tool\"))) (tx 1 (mass 0.5) (tx 0.25 (name \"B\"))))))"
                   " (tx 1 (ry \"rocker\" (tx 1 (name \"C\") (mass 1))))"
                   " (coincide \"B\" \"C\")"
                   " (initial ((\"crank\" -1) fixed) (\"coupler\" 0.6) (\"rocker\" -1.5)))");
  f.model->q_fixed[0] = false; // it held the crank for assembly only
  cardan_report report = {.message = ""};
  expect_ok(cardan_assemble(f.model, f.data, NULL, &report), &report, "assemble");
  double q[3];
  memcpy(q, f.data->q, sizeof q);
  cardan_goal goal = goal_of(&f, cardan_model_frame(f.model, "tool"));
  goal.turn = false;
  f.data->q[0] += 0.4;
  f.data->q[1] -= 0.2;
  expect_ok(cardan_inverse_kinematics(f.model, f.data, &goal, 1, NULL, &report), &report, "reach");
  assert_there(&f, &goal);
  // the condition of the loop is below 10
  assert_near_vec(f.data->q, q, 3, 1e-8);
  assert_true(cardan_constraint_max(f.model, f.data) < 3e-10);
  fixture_free(&f);
}

// a straight arm folds, though no small step brings it nearer; out of reach is out of reach
static void straight_arms_fold(void **state)
{
  (void)state;
  fixture f = fixture_load(
      "(system \"s\" (rz \"a\" (tx 1 (mass 1) (rz \"b\" (tx 1 (mass 1) (name \"tip\"))))))");
  const int tip = cardan_model_frame(f.model, "tip");
  const cardan_goal inside = {.frame = tip, .pose = {.p = {1, 0, 0}}, .place = true};
  const cardan_goal outside = {.frame = tip, .pose = {.p = {0, 3, 0}}, .place = true};
  cardan_report report = {.message = ""};
  cardan_inverse_kinematics_result end;
  expect_ok(cardan_inverse_kinematics(f.model, f.data, &inside, 1, &end, &report), &report, "fold");
  assert_there(&f, &inside);
  assert_int_equal(cardan_inverse_kinematics(f.model, f.data, &outside, 1, &end, &report),
                   CARDAN_ERR_NO_CONVERGENCE);
  assert_near(end.place, 1, 1e-6); // as near as it can come: a minimum, flat to second order
  // a frame that does not exist, and a goal that is not finite
  cardan_goal wrong = {.frame = 99};
  assert_int_equal(cardan_inverse_kinematics(f.model, f.data, &wrong, 1, NULL, &report),
                   CARDAN_ERR_ARGUMENT);
  wrong = (cardan_goal){.frame = tip, .turn = true}; // of a matrix of zeros
  assert_int_equal(cardan_inverse_kinematics(f.model, f.data, &wrong, 1, NULL, &report),
                   CARDAN_ERR_ARGUMENT);
  wrong = (cardan_goal){.frame = tip, .pose = {.p = {NAN, 0, 0}}, .place = true};
  assert_int_equal(cardan_inverse_kinematics(f.model, f.data, &wrong, 1, NULL, &report),
                   CARDAN_ERR_NO_CONVERGENCE);
  fixture_free(&f);
}

static cardan_status scenario(const cardan_allocator *allocator, void *user)
{
  const cardan_model *model = user;
  const cardan_goal goal = {
      .frame = cardan_model_frame(model, "tip"), .pose = {.p = {1.2, 0.5, 0}}, .place = true};
  cardan_data *data = NULL;
  cardan_status status = cardan_data_create(model, allocator, &data);
  status = status ? status : cardan_inverse_kinematics(model, data, &goal, 1, NULL, NULL);
  cardan_data_destroy(data);
  return status;
}

static void memory_may_fail(void **state)
{
  (void)state;
  fixture f = fixture_load(
      "(system \"s\" (rz \"a\" (tx 1 (mass 1) (rz \"b\" (tx 1 (mass 1) (name \"tip\"))))))");
  assert_int_equal(support_fail_each(scenario, f.model), 2);
  fixture_free(&f);
}

/* Loads a model and closes its start; returns the status. */
static cardan_status begin(const char *text, fixture *f, cardan_report *report)
{
  *f = fixture_load(text);
  return cardan_assemble(f->model, f->data, NULL, report);
}

// poses in the file are where the start is, from far, with their velocities: those of a random
// configuration of the arm and its rates
static void starts_are_at_their_poses(void **state)
{
  (void)state;
  for (int seed = 0; seed < 5; seed++) {
    char text[2048], start[1024];
    cardan_report report = {.message = ""};
    fixture f = arm("");
    const int hand = cardan_model_frame(f.model, "hand");
    for (int k = 0; k < 6; k++) {
      f.data->q[k] = sin(1.0 + 2.3 * k + seed);
      f.data->v[k] = cos(1.0 + 1.7 * k + seed);
    }
    cardan_kinematics(f.model, f.data);
    const cardan_twist V = cardan_frame_twist(f.model, f.data, hand, CARDAN_ALIGNED);
    const cardan_goal goal = goal_of(&f, hand); // makes the poses alone again
    const cardan_quat e = cardan__quat_from_mat3(&goal.pose.R);
    const cardan_vec3 p = goal.pose.p;
    snprintf(start, sizeof start,
             " (initial (pose \"hand\" (%.17g %.17g %.17g) (quat %.17g %.17g %.17g %.17g)"
             " (velocity (%.17g %.17g %.17g) (%.17g %.17g %.17g)))))",
             p.x, p.y, p.z, e.w, e.x, e.y, e.z, V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z);
    fixture_free(&f);
    arm_text("", text, sizeof text);
    text[strlen(text) - 1] = '\0'; // the start goes before the last parenthesis
    strncat(text, start, sizeof text - strlen(text) - 1);
    expect_ok(begin(text, &f, &report), &report, "arm");
    assert_there(&f, &goal);
    const cardan_twist W = cardan_frame_twist(f.model, f.data, hand, CARDAN_ALIGNED);
    assert_near_vec(&W.v.x, &V.v.x, 3, 1e-7); // configurations may be near singular ones
    assert_near_vec(&W.w.x, &V.w.x, 3, 1e-7);
    fixture_free(&f);
  }
}

/* An arm of two links of 1 m in the plane of x and z, its tip at (x, z) with elbow bent. */
#define PLANE                                                                     \
  "(system (ry \"a\" (tx 1 (mass 1) (ry \"b\" (tx 1 (mass 1) (name \"tip\"))))) " \
  "(place (0 0 0) (name \"O\"))\n"

// a place alone leaves the rotation; given values are where it sets out, those with fixed stay; the
// coordinates of a keyframe are as they are; loops are closed with it
static void places_alone_and_loops(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    double a, b;
  } cases[] = {
      {PLANE "(initial (\"b\" 1) (pose \"tip\" (1 0 -1))))", 0, 1.5707963267948966},
      {PLANE "(initial (\"b\" -1) (pose \"tip\" (1 0 -1))))", 1.5707963267948966,
       -1.5707963267948966},
      {PLANE "(initial ((\"a\" 0) fixed) (pose \"tip\" (1 0 -1))))", 0, 1.5707963267948966},
      {PLANE "(equation (- q.b (* 2 q.a)))"
             " (initial (\"a\" 0.4) (pose \"tip\" (0.86602540378443865 0 -1.5))))",
       0.52359877559829887, 1.0471975511965976},
      {PLANE "(motion \"a\" (* 3 t)) (initial (\"b\" 1) (pose \"tip\" (1 0 -1))))", 0,
       1.5707963267948966},
      {PLANE "(keyframe \"k\" (\"b\" 0.2)) (simulate (keyframe \"k\"))"
             " (initial (pose \"tip\" (1 0 -1))))",
       0, 0.2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_report report = {.message = ""};
    fixture f;
    expect_ok(begin(cases[i].text, &f, &report), &report, cases[i].text);
    assert_near(f.data->q[0], cases[i].a, 1e-9);
    assert_near(f.data->q[1], cases[i].b, 1e-9);
    assert_near(cardan_constraint_max(f.model, f.data), 0, 1e-11);
    fixture_free(&f);
  }
}

// what cannot be is refused with its line, and data as it was
static void poses_out_of_reach_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *words;
    int line;
  } cases[] = {
      {PLANE "(initial (pose \"tip\" (3 0 0))))", "the pose of \"tip\" cannot be reached", 2},
      {PLANE "(initial (pose \"tip\" (3 0 0))))", "stays 1 m", 2},
      {PLANE "(initial\n(pose \"tip\" (1 0.5 -1))))", "stays 0.5 m", 3},
      {PLANE "(initial (\"b\" 1) (pose \"tip\" (1 0 -1) (rpy 0 1 0))))", "cannot be reached", 2},
      {PLANE "(initial (\"b\" 1) (pose \"tip\" (1 0 -1) (velocity (1 1 0)))))",
       "the velocity of the pose of \"tip\" cannot be had: at best it stays 1 m/s", 2},
      {PLANE "(coincide \"tip\" \"O\") (initial (\"b\" 3) (pose \"tip\" (1 0 -1))))",
       "cannot be reached", 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cardan_report report = {.message = ""};
    fixture f;
    assert_int_equal(begin(cases[i].text, &f, &report), CARDAN_ERR_ASSEMBLY);
    if (strstr(report.message, cases[i].words) == NULL) {
      fail_msg("%s", report.message);
    }
    assert_int_equal(report.pos.line, cases[i].line);
    assert_memory_equal(f.data->q, f.model->q0, 2 * sizeof *f.data->q);
    fixture_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(poses_are_reached),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(trees_reach),
      cmocka_unit_test(loops_stay_closed),
      cmocka_unit_test(straight_arms_fold),
      cmocka_unit_test(memory_may_fail),
      cmocka_unit_test(starts_are_at_their_poses),
      cmocka_unit_test(places_alone_and_loops),
      cmocka_unit_test(poses_out_of_reach_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
