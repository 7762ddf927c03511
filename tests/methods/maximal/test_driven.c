// SPDX-License-Identifier: Apache-2.0
// Driven mechanisms: the driving torque against inverse dynamics of the kinematic solution,
// friction that agrees with its reactions, prescribed coordinates.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maximal_fixture.h"

/* The slider-crank of the figures below: as the built-in one, but with the universal joint's axes
 * along the slider and across the rod, and moments of the rod in the order of the program they come
 * from. */
static const char variant[] =
    "(system \"variant\" (gravity 0 0 -9.81) (define mu 0)"
    " (place (0 0.1 0.12) (joint revolute \"crank\" (axis 1 0 0) (mass 0.12 1e-4 1e-5 1e-4) (tz "
    "0.08 (name "
    "\"pin\"))))"
    " (joint prismatic \"x\" (axis 1 0 0) (mass 2 1e-4 1e-4 1e-4)"
    "  (joint universal \"u\" (axis 1 0 0) (axis2 0 0 1) (ty 0.15 (mass 0.5 4e-3 4e-3 4e-4)) (ty "
    "0.3 (name "
    "\"end\"))))"
    " (coincide \"end\" \"pin\") (motion \"crank\" (* -2 pi t)) (friction \"x\" mu)"
    " (initial (\"crank\" 0 (* -2 pi)) (\"x\" 0.2) (\"u\" (1.1071487 0.7297277))))";

/* Torque of the driver at time t from the exact motion: the state that the driver fixes, inverse
 * dynamics of the tree. data is a start near by. */
static double exact_torque(const cardan_model *model, cardan_data *data, int joint, double t)
{
  double force[16];
  assert_true(model->njoint <= 16);
  data->t = t;
  assert_int_equal(cardan_assemble(model, data, NULL, NULL), CARDAN_OK);
  assert_int_equal(cardan_forward(model, data, 0, 0), CARDAN_OK);
  cardan_driver_forces(model, data, force);
  return force[joint];
}

static int by_size(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef struct {
  double median, largest, low, high; // errors of the torque; its range
  double exact_low, exact_high;
  double iterations;
} torque;

/* The driving torque over `time`, at every step from the third on. */
static torque drive(const char *model, const char *setting, const char *method, const char *joint,
                    double dt, double time)
{
  cardan_options o = run_options(method, dt, time);
  run r = run_begin(model, setting, &o);
  const int n = (int)(time / dt + 0.5), j = cardan_model_joint(r.model, joint);
  char column[32];
  double *error = calloc((size_t)n, sizeof *error);
  cardan_data *other = NULL;
  torque out = {.low = HUGE_VAL, .high = -HUGE_VAL, .exact_low = HUGE_VAL, .exact_high = -HUGE_VAL};
  assert_non_null(error);
  snprintf(column, sizeof column, "f.%s", joint);
  assert_int_equal(cardan_data_create(r.model, NULL, &other), CARDAN_OK);
  run_steps(&r, 2);
  memcpy(other->q, r.data->q, (size_t)r.model->nq * sizeof(double));
  for (int i = 2; i < n; i++) {
    run_steps(&r, 1);
    const double got = run_column(&r, CARDAN_ADD_REACTIONS, column);
    // from near by, and with nothing fixed: seeds of the model are far away by now
    memcpy(other->q, r.data->q, (size_t)r.model->nq * sizeof(double));
    memcpy(other->v, r.data->v, (size_t)r.model->nv * sizeof(double));
    const double want = exact_torque(r.model, other, j, r.data->t);
    error[i - 2] = fabs(got - want);
    out.largest = fmax(out.largest, error[i - 2]);
    out.low = fmin(out.low, got);
    out.high = fmax(out.high, got);
    out.exact_low = fmin(out.exact_low, want);
    out.exact_high = fmax(out.exact_high, want);
  }
  qsort(error, (size_t)(n - 2), sizeof *error, by_size);
  out.median = error[(n - 2) / 2];
  out.iterations = cardan_sim_stats(r.sim).iterations_mean;
  free(error);
  cardan_data_destroy(other);
  run_free(&r);
  return out;
}

// the torque at the nodes is that of their positions, which the driver has exactly
static void against_inverse_dynamics(void **state)
{
  (void)state;
  static const struct {
    const char *model, *joint;
  } cases[] = {{"slider-crank", "crank"}, {"four-link", "rotor"}};
  for (int i = 0; i < 2; i++) {
    static const char *const methods[] = {"half-implicit", "fully-implicit", "rattle"};
    for (int k = 0; k < 3; k++) {
      const torque a = drive(cases[i].model, NULL, methods[k], cases[i].joint, 2e-3, 1);
      const torque b = drive(cases[i].model, NULL, methods[k], cases[i].joint, 1e-3, 1);
      print_message(
          "%-13s %-14s torque in [%.3f, %.3f] N m; error at 2 ms %.1e, at 1 ms %.1e, median %.1e; "
          "%.2f iterations\n",
          cases[i].model, methods[k], b.low, b.high, a.largest, b.largest, b.median, b.iterations);
      // positions and velocities on the constraints: inverse dynamics of them
      assert_near(b.largest, 0, 1e-8 * fmax(fabs(b.low), fabs(b.high)));
    }
  }
}

/* Ranges for mu = 0, 0.2, 0.4 at h = 1e-3: within 1e-3 N m of the figures. */
static void expect_ranges(const char *model, const double low[3], const double high[3])
{
  static const char *const settings[] = {"mu=0", "mu=0.2", "mu=0.4"};
  for (int i = 0; i < 3; i++) {
    const torque t = drive(model, settings[i], "half-implicit", "crank", 1e-3, 1.05);
    print_message("%-12.12s %-6s torque in [%.4f, %.4f] N m, inverse dynamics [%.4f, %.4f]; median "
                  "error %.1e\n",
                  model, settings[i], t.low, t.high, t.exact_low, t.exact_high, t.median);
    assert_true(t.median < 5e-5);
    assert_near(t.low, low[i], 1e-3);
    assert_near(t.low, t.exact_low, 1e-3);
    // where the slider turns: friction is that of a step later, and a step changes this by 1.3e-3
    assert_near(t.high, high[i], 2e-3);
    assert_near(t.high, t.exact_high, 2e-3);
  }
}

static void friction(void **state)
{
  (void)state;
  // from an independent program, for the variant's moments
  const double low[3] = {-0.294, -0.453, -0.590}, high[3] = {0.209, 0.126, 0.126};
  expect_ranges(variant, low, high);
  // the built-in model: from its energy alone (tests/physics)
  const double own_low[3] = {-0.298, -0.450, -0.585}, own_high[3] = {0.203, 0.126, 0.125};
  expect_ranges("slider-crank", own_low, own_high);
}

/* Largest error of the driver's torque over 0.8 s in steps of h: against inverse dynamics of the
 * run's own positions, and of velocities from differences of these, off by O(h^2). */
static double torque_off(const char *text, const char *method, double h)
{
  enum { NQ = 2 };
  const cardan_options o = run_options(method, h, 0.8);
  const int n = (int)(0.8 / h + 0.5);
  double q[3][NQ], force[3], largest = 0;
  cardan_data *other = NULL;
  run r = run_begin(text, NULL, &o);
  assert_int_equal(cardan_data_create(r.model, NULL, &other), CARDAN_OK);
  for (int i = 1; i <= n; i++) {
    run_steps(&r, 1);
    memcpy(q[i % 3], r.data->q, sizeof q[0]);
    force[i % 3] = run_column(&r, CARDAN_ADD_REACTIONS, "f.a");
    if (i > 2) {
      for (int k = 0; k < NQ; k++) {
        other->q[k] = q[(i - 1) % 3][k];
        other->v[k] = (q[i % 3][k] - q[(i - 2) % 3][k]) / (2 * h);
      }
      const double want = exact_torque(r.model, other, 0, r.data->t - h);
      largest = fmax(largest, fabs(force[(i - 1) % 3] - want));
    }
  }
  cardan_data_destroy(other);
  run_free(&r);
  return largest;
}

// half-implicit knows velocities between the nodes: with those of the node, forces of velocity and
// the driver's torque are of order 2 in the positions that there are; fully-implicit has velocities
// of order 1
static void order_of_torque(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (ry \"a\" (tz -0.5 (mass 1 0.1 0.1 0.1)) (tz -1 (ry \"b\""
      " (tz -0.4 (mass 0.5 0.02 0.03 0.02))))) (motion \"a\" (* 0.7 (sin (* 6 t))))"
      " (damping \"b\" 0.05) (initial (\"a\" 0 4.2) (\"b\" 0.5)))";
  static const char *const methods[] = {"fully-implicit", "half-implicit"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double coarse = torque_off(text, methods[i], 2e-3);
    const double fine = torque_off(text, methods[i], 1e-3);
    print_message("%s: torque off by %.1e N m at 2 ms, %.1e at 1 ms\n", methods[i], coarse, fine);
    assert_near(log2(coarse / fine), i + 1, 0.15);
  }
}

// a driver that swings 30 rad/s at 0.3 rad a step: the torque at each node is that of the node
static void fast_driver(void **state)
{
  static const char text[] = "(system (gravity 0 0 0) (ry \"a\" (mass 1 0.1 0.1 0.1))"
                             " (motion \"a\" (sin (* 30 t))) (initial (\"a\" 0 30)))";
  static const char *const methods[] = {"half-implicit", "fully-implicit"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    const cardan_options o = run_options(methods[k], 0.01, 1);
    run r = run_begin(text, NULL, &o);
    for (int i = 1; i <= 100; i++) {
      run_steps(&r, 1);
      const double want = -0.1 * 900 * sin(30 * r.data->t);
      // the driver's second derivative times the inertia; rounding of 30 t turns it by 30 eps
      assert_near(run_column(&r, CARDAN_ADD_REACTIONS, "f.a"), want, 90 * 100 * DBL_EPSILON);
    }
    run_free(&r);
  }
}

/* A prescribed coordinate under a massless chain and a driven one: work is energy, for every
 * method. */
static void work(void **state)
{
  (void)state;
  static const char text[] =
      "(system \"shaken\" (gravity 0 0 -9.81) (tx (k \"x\") (ry \"a\" (tz -1 (mass 1 0.1 0.1 0.1) "
      "(name \"e\"))))"
      " (motion \"x\" (* 0.3 (sin (* 3 t)))) (at \"e\" (ry \"b\" (tz -1 (mass 1 0.1 0.1 0.1))))"
      " (motion \"b\" (* 0.5 (cos (* 2 t)))) (damping \"a\" 0.3) (torque \"a\" (sin t))"
      " (initial (\"a\" 0.5) (\"b\" 0.5)))";
  static const struct {
    const char *method;
    double order;
  } cases[] = {{"half-implicit", 1}, {"fully-implicit", 1}, {"rattle", 2}, {"baraff", 4}};
  for (int i = 0; i < 4; i++) {
    double off[2];
    for (int k = 0; k < 2; k++) {
      const cardan_options o = run_options(cases[i].method, k ? 2e-3 : 4e-3, 2);
      run r = run_whole(text, NULL, &o);
      off[k] = fabs(run_column(&r, CARDAN_ADD_WORK, "balance"));
      run_free(&r);
    }
    print_message("%-14s balance of work and energy %.1e, %.1e J\n", cases[i].method, off[0],
                  off[1]);
    assert_true(off[1] < 1e-8 || log2(off[0] / off[1]) > cases[i].order - 0.3);
  }
}

/* The angle a of link 3 of four-link at time t: link 2 of 12.2 m goes from B = 2 (0, -sin(pi t),
 * cos(pi t)) to C = D + 7.4 (sin a, 0, cos a), D = (-4, -8.5, 0). */
static double link_angle(double t)
{
  const double pi = 3.14159265358979323846, r = 7.4;
  const double dx = -4, dy = -8.5 + 2 * sin(pi * t), dz = -2 * cos(pi * t);
  const double K = (12.2 * 12.2 - r * r - dx * dx - dy * dy - dz * dz) / (2 * r);
  return atan2(dx, dz) + acos(K / hypot(dx, dz));
}

// all that a driver leaves has one position for each time, which steps of any length find: near 1 s
// link 2 spins, and turns by 1 to 3 rad in some of these
static void long_steps(void **state)
{
  (void)state;
  static const char *const methods[] = {"half-implicit", "rattle"};
  static const double dt[] = {0.04, 0.1, 0.2};
  for (int i = 0; i < 6; i++) {
    const double h = dt[i % 3];
    const cardan_options o = run_options(methods[i / 3], h, 8);
    run r = run_begin("four-link", NULL, &o);
    double off = 0;
    for (int k = 1; k <= (int)(8 / h + 0.5); k++) {
      run_steps(&r, 1);
      off = fmax(off, fabs(sin(0.5 * (run_q(&r, "l3") - link_angle(k * h)))));
    }
    print_message("four-link, %-14s at %.2f s: link 3 off by %.1e rad, %.1f iterations\n",
                  methods[i / 3], h, 2 * off, cardan_sim_stats(r.sim).iterations_mean);
    assert_near(off, 0, 1e-9); // the rows are closed to 1e-12 of 12 m, over 7 m
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_inverse_dynamics),
      cmocka_unit_test(order_of_torque),
      cmocka_unit_test(fast_driver),
      cmocka_unit_test(friction),
      cmocka_unit_test(work),
      cmocka_unit_test(long_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
