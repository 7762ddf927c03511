// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loops.h"

static const char pins[] = "(point-constraint \"B\" \"C\" 1 0 0 (name \"px\")) (point-constraint "
                           "\"B\" \"C\" 0 0 1 (name \"pz\"))";

static double closed(const fixture *f)
{
  return 1e-12 * (1.0 + f->model->size_length);
}

static void assemble(fixture *f, cardan_assembly *result)
{
  cardan_report report = {.message = ""};
  if (cardan_assemble(f->model, f->data, result, &report) != CARDAN_OK) {
    fail_msg("%s", report.message);
  }
  assert_true(cardan_constraint_max(f->model, f->data) <= closed(f));
}

// the crank of a four-bar is held; the rocker's two positions are reached from seeds near to them.
// With crank up (q1 = -90 deg about y), B = C is an intersection of two circles: closed form.
static void nearest_branch(void **state)
{
  (void)state;
  for (int side = 0; side < 2; side++) {
    char text[1024], initial[128];
    snprintf(initial, sizeof initial,
             "((\"q1\" -1.5707963267948966) fixed) (\"q2\" %g) (\"q3\" %g)", side == 0 ? 1.0 : 2.6,
             side == 0 ? -1.2 : 2.1);
    loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins, initial);
    fixture f = fixture_load(text);
    cardan_assembly result;
    assemble(&f, &result);
    assert_true(result.iterations > 0 && result.iterations < 12 && result.kicks == 0);
    assert_true(f.data->q[0] == f.model->q0[0]);
    // circles about (0, 1) with radius 2.5 and (2, 0) with radius 2: 20 z^2 - 11 z = 56.4375
    const cardan_xform C = cardan_frame_pose(f.model, f.data, cardan_model_frame(f.model, "C"));
    const double z = (11.0 + (side == 0 ? 1.0 : -1.0) * sqrt(121.0 + 80.0 * 56.4375)) / 40.0;
    assert_near(C.p.z, z, 2.0 * closed(&f));
    assert_near(C.p.x, (5.25 + 2.0 * z) / 4.0, 2.0 * closed(&f));
    assert_true(result.q_index >= 1 && result.q_change > 0.0 && result.q_change < 0.5);
    fixture_free(&f);
  }
}

// a crank that is given stays, to the bit, as a fixed one does, and the others come to it; two
// values that do not go together give way to each other, and the third comes
static void given_positions_lead(void **state)
{
  (void)state;
  static const struct {
    const char *initial;
    double q1, q3, tol;
  } starts[] = {{"(\"q1\" -1.2)", -1.2, 0, 0.0}, // rocker: wherever it closes
                {"(\"q1\" 0)", 0, 0, 0.0},       // all in line: with a kick to the others
                {"(\"q1\" -1.2) (\"q3\" -1.16)", -1.2, -1.16, 0.1}};
  for (int i = 0; i < 3; i++) {
    char text[1024];
    loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins, starts[i].initial);
    fixture f = fixture_load(text);
    cardan_assembly result;
    assemble(&f, &result);
    print_message("%s: q1 %.4f, q3 %.4f\n", starts[i].initial, f.data->q[0], f.data->q[2]);
    assert_true(fabs(f.data->q[0] - starts[i].q1) <= starts[i].tol);
    if (starts[i].tol > 0) {
      assert_near(f.data->q[2], starts[i].q3, starts[i].tol);
    }
    fixture_free(&f);
  }
}

// a free body that hangs on a ball turns about the place that is given, or comes as it is turned
static void given_places_and_turns_lead(void **state)
{
  (void)state;
  static const struct {
    const char *ball, *initial;
    int first, n; // coordinates that are given
    double q[4];
  } starts[] = {{"(0.2 1 0)",
                 "(\"b.x\" 0.2) (\"b.y\" 0) (\"b.z\" 0)", // the place, and not how it is turned
                 0,
                 3,
                 {0.2, 0, 0}},
                {"(1.2 0.9 0)", "(\"b.qw\" 0.8) (\"b.qz\" 0.6)", 3, 4, {0.8, 0, 0, 0.6}}};
  for (int i = 0; i < 2; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "(system (place %s (name \"P\"))"
             " (joint free \"b\" (mass 1 1 1 1) (tx 1 (name \"B\")))"
             " (close spherical \"P\" \"B\") (initial %s))",
             starts[i].ball, starts[i].initial);
    fixture f = fixture_load(text);
    cardan_assembly result;
    assemble(&f, &result);
    for (int k = 0; k < starts[i].n; k++) { // to rounding of a quaternion's length
      assert_near(f.data->q[starts[i].first + k], starts[i].q[k], 1e-15);
    }
    fixture_free(&f);
  }
}

// the branch of the built-in model, to the digits it is known to
static void closed_chain(void **state)
{
  (void)state;
  fixture f = fixture_load("closed-chain");
  const char *const name[] = {"J", "H", "A", "K", "M", "C", "E"};
  const double want[] = {0.1, 0.4, 0.4, 0.1039, -0.8099, 0.2749, 1.4843};
  assemble(&f, NULL);
  assert_true(cardan_constraint_max(f.model, f.data) < 1e-12);
  for (int i = 0; i < 7; i++) {
    const double q = f.data->q[cardan_model_q(f.model, name[i])];
    assert_near(q, want[i], i < 3 ? 0.0 : 1e-4);
  }
  fixture_free(&f);
}

// a state that is closed is left as it is, to the last bit
static void closed_state_is_untouched(void **state)
{
  (void)state;
  fixture f = fixture_load("scissor:5");
  cardan_assembly result;
  assemble(&f, &result);
  assert_memory_equal(f.data->q, f.model->q0, (size_t)f.model->nq * sizeof(double));
  assert_int_equal(result.iterations, 0);
  assert_int_equal(result.q_index, -1);
  assert_true(result.q_change == 0.0 && result.v_change == 0.0);
  fixture_free(&f);
}

// all links in line, and the loop open: no small motion closes it, a kick does
static void dead_point(void **state)
{
  (void)state;
  char text[1024];
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins, "");
  fixture f = fixture_load(text);
  cardan_assembly result;
  assemble(&f, &result);
  assert_true(result.kicks > 0);
  fixture_free(&f);
}

static void unreachable(void **state)
{
  (void)state;
  char text[1024];
  cardan_report report = {.message = ""};
  loops_fourbar_text(text, sizeof text, 1.0, 2.0, 1.0, 9.0, pins,
                     "((\"q1\" 0.25) fixed) (\"q2\" 0.5 2) (\"q3\" 0.75)");
  fixture f = fixture_load(text);
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  // 9 m to span with 4 m: 5 m are missing, or more with the first link fixed
  assert_non_null(strstr(report.message, "\"px\""));
  assert_non_null(strstr(report.message, "fixed are \"q1\""));
  assert_int_equal(report.pos.line, 5);
  assert_memory_equal(f.data->q, f.model->q0, 3 * sizeof(double));
  assert_memory_equal(f.data->v, f.model->v0, 3 * sizeof(double));
  fixture_free(&f);
}

// two wires of different length between the same points
static void contradiction(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  fixture f =
      fixture_load("(system (tx \"x\" (ty \"y\" (mass 1) (name \"P\")))"
                   " (wire \"world\" \"P\" 1) (wire \"world\" \"P\" 1.5) (initial (\"x\" 1.2)))");
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "contradict"));
  fixture_free(&f);
}

static void not_a_number(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  fixture f = fixture_load("(system (tx \"x\" (mass 1)) (equation (- (sqrt q.x) 2) (name \"root\"))"
                           " (initial (\"x\" -1)))");
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "root"));
  fixture_free(&f);
}

// quaternions move on the sphere; a fixed one does not move at all
static void quaternions(void **state)
{
  (void)state;
  fixture f =
      fixture_load("(system (joint spherical \"s\" (tx 1 (mass 1 1 1 1) (name \"P\")))"
                   " (place (0.6 0 0) (joint free \"b\" (mass 1 1 1 1) (ty 0.5 (name \"Q\"))))"
                   " (weld \"P\" \"Q\") (initial (\"s\" (1 0.2 0.1 0.3)) ((\"b\" (0.2 -0.3 0 1 "
                   "0.1 0 0.2)) fixed)))");
  cardan_report report = {.message = ""};
  // the fixed body is where the spherical one cannot reach
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  for (int i = 0; i < f.model->nq; i++) {
    f.model->q_fixed[i] = false;
  }
  cardan_assembly result;
  assemble(&f, &result);
  double square = 0.0;
  for (int i = 0; i < 4; i++) {
    square += f.data->q[i] * f.data->q[i];
  }
  assert_near(square, 1.0, 8.0 * DBL_EPSILON);
  assert_true(result.q_change > 0.0 && result.q_change < 2.0);
  // P and Q coincide as frames, not only as points: the same turn, not a half turn off
  const cardan_xform P = cardan_frame_pose(f.model, f.data, cardan_model_frame(f.model, "P"));
  const cardan_xform Q = cardan_frame_pose(f.model, f.data, cardan_model_frame(f.model, "Q"));
  for (int i = 0; i < 3; i++) {
    assert_near_vec(P.R.m[i], Q.R.m[i], 3, 1e-12);
  }
  fixture_free(&f);
}

// the slider-crank turns at its driver's speed: x' from the closed form of the loop
static void velocities(void **state)
{
  (void)state;
  fixture f = fixture_load("slider-crank");
  const double pi = 3.141592653589793;
  cardan_assembly result;
  memset(f.data->v, 0, (size_t)f.model->nv * sizeof(double));
  assemble(&f, &result);
  const int crank = cardan_model_v(f.model, "crank"), x = cardan_model_v(f.model, "x");
  assert_near(f.data->v[crank], -2.0 * pi, 1e-12);
  assert_int_equal(result.driver, crank);
  assert_near(result.driver_change, 2.0 * pi, 1e-12);
  // pin at (0, 0.1 - 0.08 sin a, 0.12 + 0.08 cos a), distance 0.3 to (x, 0, 0): at a = 0, x = 0.2
  // x x' + py py' + pz pz' = 0 with py' = -0.08 a', pz' = 0
  assert_near(f.data->v[x], 0.1 * 0.08 * -2.0 * pi / 0.2, 1e-12);
  fixture_free(&f);
}

// the velocity of a fixed coordinate is kept, the others follow
static void fixed_velocity_leads(void **state)
{
  (void)state;
  char text[1024];
  cardan_assembly result;
  loops_fourbar_text(text, sizeof text, 1.0, 2.5, 2.0, 2.0, pins,
                     "((\"q1\" -1 3) fixed) (\"q2\" 1) (\"q3\" -1)");
  fixture f = fixture_load(text);
  assemble(&f, &result);
  assert_true(f.data->v[0] == 3.0 && !result.fixed_velocity);
  assert_true(result.v_index > 0 && result.v_change > 0.1);
  assert_int_equal(result.driver, -1);
  fixture_free(&f);
  // a gear of ratio 2 on two fixed coordinates at speeds 1 and 1: one of them must give way
  f = fixture_load(
      "(system (rx \"a\" (mass 1 1 1 1)) (rx \"b\" (mass 1 1 1 1)) (gear \"a\" \"b\" 2)"
      " (initial ((\"a\" 0 1) fixed) ((\"b\" 0 1) fixed)))");
  assemble(&f, &result);
  assert_true(result.fixed_velocity);
  // least change: (1, 1) to the line b = 2 a, at a = 3/5
  assert_near(f.data->v[0], 0.6, 1e-15);
  assert_near(f.data->v[1], 1.2, 1e-15);
  fixture_free(&f);
}

static void drivers_that_contradict(void **state)
{
  (void)state;
  cardan_report report = {.message = ""};
  fixture f = fixture_load(
      "(system (rx \"a\" (mass 1 1 1 1)) (rx \"b\" (mass 1 1 1 1)) (gear \"a\" \"b\" 2)"
      " (motion \"a\" t) (motion \"b\" (* 3 t)))");
  assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_ERR_ASSEMBLY);
  assert_non_null(strstr(report.message, "velocities"));
  fixture_free(&f);
}

// kinematic coordinates are where their motions put them, and loops close around that
static void prescribed_coordinates(void **state)
{
  (void)state;
  fixture f = fixture_load("(system (rx (k \"a\") (mass 1 1 1 1)) (rx \"b\" (mass 1 1 1 "
                           "1)) (equation (- (q \"b\") (sin (q \"a\"))))"
                           " (motion \"a\" (+ 0.5 (* 2 t))))");
  cardan_assembly result;
  assemble(&f, &result);
  assert_near(f.data->q[0], 0.5, 0.0);
  assert_near(f.data->q[1], sin(0.5), 1e-15);
  assert_near(f.data->v[1], 2.0 * cos(0.5), 1e-15);
  assert_int_equal(result.driver, 0);
  assert_near(result.driver_change, 2.0, 0.0);
  fixture_free(&f);
}

// a chain of 450 links pinned at both ends, from seeds that are off: the path for large models
static void large_model(void **state)
{
  (void)state;
  fixture f = fixture_load("pinned-chain:450");
  support_rng rng = {31};
  double x[450];
  assert_int_equal(f.model->nv, 450);
  support_random_vec(&rng, x, 450, 1e-2);
  cardan_q_move(f.model, f.data->q, x, 1.0, f.data->q);
  support_random_vec(&rng, f.data->v, 450, 1.0);
  cardan_assembly result;
  assemble(&f, &result);
  assert_true(result.iterations > 0);
  fixture_free(&f);
}

// loops of which there are many are closed without dense matrices, coordinates marked fixed and
// velocities that were given kept
static void many_loops(void **state)
{
  (void)state;
  fixture f = fixture_load("ladder:200");
  support_rng rng = {32};
  double x[600];
  const int given = cardan_model_v(f.model, "v0.1");
  assert_int_equal(f.model->nv, 600);
  support_random_vec(&rng, x, 600, 1e-3);
  cardan_q_move(f.model, f.data->q, x, 1.0, f.data->q);
  f.data->v[given] = 0.25;
  const int fixed = cardan_model_q(f.model, "v1.7");
  const double held = f.data->q[fixed];
  f.model->q_fixed[fixed] = true;
  cardan_assembly result;
  assemble(&f, &result);
  assert_in_range(result.iterations, 1, 6);
  assert_true(f.data->q[fixed] == held && f.data->v[given] == 0.25);
  fixture_free(&f);
}

static cardan_status with_memory(const cardan_allocator *alloc, void *user)
{
  fixture *f = user;
  cardan_data *data = NULL;
  cardan_status status = cardan_data_create(f->model, alloc, &data);
  if (status == CARDAN_OK) {
    status = cardan_assemble(f->model, data, NULL, NULL);
  }
  cardan_data_destroy(data);
  return status;
}

static void memory_may_fail(void **state)
{
  (void)state;
  fixture f = fixture_load("closed-chain");
  assert_true(support_fail_each(with_memory, &f) >= 3);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nearest_branch),
      cmocka_unit_test(given_positions_lead),
      cmocka_unit_test(given_places_and_turns_lead),
      cmocka_unit_test(closed_chain),
      cmocka_unit_test(closed_state_is_untouched),
      cmocka_unit_test(dead_point),
      cmocka_unit_test(unreachable),
      cmocka_unit_test(contradiction),
      cmocka_unit_test(not_a_number),
      cmocka_unit_test(quaternions),
      cmocka_unit_test(velocities),
      cmocka_unit_test(fixed_velocity_leads),
      cmocka_unit_test(drivers_that_contradict),
      cmocka_unit_test(prescribed_coordinates),
      cmocka_unit_test(large_model),
      cmocka_unit_test(many_loops),
      cmocka_unit_test(memory_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
