// SPDX-License-Identifier: Apache-2.0
// Whole motions with method vi: what it keeps, what its options do, and how it fails.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "spatial/spatial.h"

/* A free tree of all kinds of joints, without gravity, tumbling and drifting. */
static const char free_tree[] =
    "(system (joint free \"base\" (mass 3 0.4 0.5 0.6)"
    "  (place (0.3 0.1 0) (joint revolute \"r\" (axis 1 2 0) (tx 0.4 (mass 1 0.05 0.06 0.07)"
    "    (joint spherical \"s\" (tz 0.3 (mass 0.5 0.02 0.03 0.02))))))"
    "  (place (-0.2 0 0.3) (joint prismatic \"p\" (axis 0 1 1) (mass 0.7 0.03 0.02 0.04)"
    "    (joint universal \"u\" (ty 0.2 (mass 0.4 0.01 0.02 0.03)))))"
    "  (place (0 -0.4 0) (joint helical \"h\" (axis 0 0 1) (pitch 0.1) (mass 0.6 0.02 0.02 0.01))))"
    " (initial (\"base\" (0 0 0 1 0 0 0) (1 2 -1.5 0.5 -0.3 0.2)) (\"r\" 0.3 -2) (\"p\" 0.1 0.05)"
    "  (\"s\" (1 0 0 0) (3 1 2)) (\"u\" (0.2 -0.4) (1 -2)) (\"h\" 0.5 4))"
    " (joint-spring \"p\" 40 0.1) (joint-spring \"h\" 2 0))";

/* Linear and angular momentum over 1e5 steps. Each step rounds the momentum of every body as it
 * turns: a walk of steps of a few eps. About the world's origin what it leaves in the linear
 * momentum has the way of the tree as its lever. */
static void test_momentum(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 1e-3, 0);
  run m = run_begin(free_tree, NULL, &o);
  const cardan_force start = cardan_total_momentum(m.model, m.data);
  double linear = 0, angular = 0;
  const double size = fmax(cardan__vec3_norm(start.t), cardan__vec3_norm(start.f));
  for (int k = 0; k < 100; k++) {
    run_steps(&m, 1000);
    const cardan_force now = cardan_total_momentum(m.model, m.data);
    linear = fmax(linear, cardan__vec3_norm(cardan__vec3_sub(now.f, start.f)));
    angular = fmax(angular, cardan__vec3_norm(cardan__vec3_sub(now.t, start.t)));
  }
  const cardan_stats stats = cardan_sim_stats(m.sim);
  const double walk = 8 * DBL_EPSILON * sqrt(1e5) * size;
  const double way = cardan__vec3_norm(cardan__vec3(m.data->q[0], m.data->q[1], m.data->q[2]));
  print_message("momentum over 1e5 steps and %.0f m: linear off by %.1e, angular by %.1e of %.3g; "
                "energy within %.1e of %.3g; %.2f evaluations\n",
                way, linear / size, angular / size, size, stats.drift_max, stats.energy_initial,
                stats.iterations_mean);
  assert_near(linear, 0, walk);
  assert_near(angular, 0, walk * (1 + way));
  run_free(&m);
}

/* All root finders and all guesses find the same motion. */
static void test_solvers_agree(void **state)
{
  (void)state;
  static const char *const models[] = {"chain:6",      "top",        "closed-chain",
                                       "slider-crank", "fourbar-3d", free_tree};
  static const char *const solvers[] = {"newton", "riqn", "newton-dense", "broyden"};
  static const char *const guesses[] = {"extrapolate", "current", "euler", "dynamics"};
  for (int i = 0; i < 6; i++) {
    double first[64];
    for (int k = 0; k < 8; k++) {
      cardan_options o = run_options("vi", 2e-3, 0);
      o.solver = k < 4 ? solvers[k] : "newton";
      o.guess = k < 4 ? NULL : guesses[k - 4];
      run m = run_begin(models[i], NULL, &o);
      run_steps(&m, 100);
      const cardan_data *data = m.data;
      if (k == 0) {
        memcpy(first, data->q, (size_t)m.model->nq * sizeof *first);
      }
      // the tolerance, 1e-12 of a momentum, moves a coordinate by about that much each step
      assert_near_vec(data->q, first, m.model->nq, 1e-9);
      const cardan_stats stats = cardan_sim_stats(m.sim);
      assert_true(stats.constraint_max <= 1e-12 * (1 + m.model->size_length));
      if (i < 4) {
        print_message("%-14.14s %-12s %-11s %.2f evaluations\n", models[i], o.solver,
                      o.guess ? o.guess : "extrapolate", stats.iterations_mean);
      }
      run_free(&m);
    }
  }
}

/* Thrown at 200 m/s: 0.2 m a step. The logarithm on SE(3) does not know that a common translation
 * is nothing; exact Newton does not mind. */
static void test_thrown(void **state)
{
  (void)state;
  static const char *const models[] = {"tumbler", "humanoid"};
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options("vi", 1e-3, 0);
    run m = run_load(models[i], NULL, &o);
    cardan_data *data = m.data;
    for (int k = 0; k < m.model->nv; k++) {
      data->v[k] += k < 3 ? 1.0 : k < 6 ? 115.0 : 0.3 * sin(k); // 200 m/s across the axes
    }
    run_start(&m);
    const double energy = run_energy(&m);
    run_steps(&m, 1000);
    const cardan_stats stats = cardan_sim_stats(m.sim);
    print_message("%s at 200 m/s: %.2f evaluations, at most %d; energy off by %.1e\n", models[i],
                  stats.iterations_mean, stats.iterations_max, fabs(run_energy(&m) / energy - 1));
    assert_true(stats.iterations_mean < 3.5);
    assert_near(run_energy(&m), energy, 1e-3 * energy);
    run_free(&m);
  }
}

/* A body that turns by 1 rad a step, and by 2. */
static void test_fast_spin(void **state)
{
  (void)state;
  for (int i = 1; i <= 2; i++) {
    const cardan_options o = run_options("vi", i / 3.0, 0);
    run m = run_begin("tumbler", NULL, &o);
    const cardan_force start = cardan_total_momentum(m.model, m.data);
    run_steps(&m, 300);
    const cardan_force end = cardan_total_momentum(m.model, m.data);
    const cardan_stats stats = cardan_sim_stats(m.sim);
    print_message("%d rad a step: %.2f evaluations, at most %d\n", i, stats.iterations_mean,
                  stats.iterations_max);
    assert_near(cardan__vec3_norm(cardan__vec3_sub(end.t, start.t)), 0,
                1e-12 * cardan__vec3_norm(start.t));
    run_free(&m);
  }
}

/* The mechanisms of the papers run, their loops stay closed. Time steps as they ask for. */
static void test_mechanisms(void **state)
{
  (void)state;
  static const struct {
    const char *name, *set;
    double dt;
    int steps;
  } runs[] = {{"slider-crank", NULL, 1e-3, 1000},
              {"slider-crank", "driven=0", 1e-3, 1000},
              {"slider-crank", "mu=0.2", 1e-3, 1000},
              {"four-link", NULL, 1e-3, 1000},
              {"four-link", "driven=0", 1e-3, 1000},
              {"fourbar-3d", NULL, 1e-3, 1000},
              {"ring", NULL, 1e-2, 1000},
              {"ring:12", NULL, 1e-2, 500},
              {"biped", NULL, 1e-3, 850},
              {"scissor:5", NULL, 1e-3, 1000},
              {"pinned-chain", NULL, 1e-3, 1000},
              {"screw", NULL, 1e-3, 500},
              {"gear", NULL, 1e-3, 500},
              {"cam", NULL, 1e-3, 500},
              {"wire", NULL, 1e-3, 500},
              {"lower-pairs", NULL, 1e-3, 500},
              {"human", NULL, 1e-3, 500},
              {"kepler", NULL, 1e-3, 2000}};
  for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
    const cardan_options o = run_options("vi", runs[i].dt, 0);
    run m = run_begin(runs[i].name, runs[i].set, &o);
    for (int k = 0; k < 10; k++) {
      run_steps(&m, runs[i].steps / 10);
      assert_int_equal(cardan_sim_observe(m.sim), CARDAN_OK);
    }
    const cardan_stats stats = cardan_sim_stats(m.sim);
    print_message("%-13s %-9s %.2f evaluations, loops within %.1e, balance off by %.1e of %.3g J\n",
                  runs[i].name, runs[i].set ? runs[i].set : "", stats.iterations_mean,
                  stats.constraint_max, stats.drift_max, stats.energy_initial);
    assert_near(stats.constraint_max, 0, 1e-12 * (1 + m.model->size_length));
    run_free(&m);
  }
}

/* Multipliers, reactions and driver forces come with a row; they are those of continuous time, up
 * to dt^2. */
static void test_forces_of_a_row(void **state)
{
  (void)state;
  double row[2][256];
  char name[256][32];
  int n = 0;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(i ? "vi" : "aba:rk4", 1e-3, 0);
    run m = run_load("slider-crank", NULL, &o);
    n = cardan_sim_columns(m.sim, 15);
    assert_true(n <= 256);
    run_start(&m);
    run_steps(&m, 200);
    assert_int_equal(cardan_sim_row(m.sim, 15, row[i]), CARDAN_OK);
    for (int k = 0; k < n; k++) {
      cardan_sim_column(m.sim, 15, k, name[k], sizeof name[k]);
    }
    run_free(&m);
  }
  for (int k = 0; k < n; k++) {
    // dt^2 times third derivatives: the crank turns at 6 rad/s, so some 1e-4 of the largest force
    const double tol = 1e-3 * (1 + fabs(row[0][k]));
    if (strcmp(name[k], "iterations") != 0 && !(fabs(row[0][k] - row[1][k]) <= tol)) {
      fail_msg("%s is %g with aba and %g with vi", name[k], row[0][k], row[1][k]);
    }
  }
}

static void expect_refused(const char *name, const char *set, const cardan_options *o,
                           const char *why)
{
  cardan_report report = {.message = ""};
  run m = {.model = NULL};
  const cardan_setting setting = {.name = set != NULL ? set : "", .value = 0.2};
  assert_int_equal(cardan_model_load(name, &setting, set != NULL, NULL, &m.model, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_sim_create(m.model, o, NULL, &m.sim, &report), CARDAN_ERR_UNSUPPORTED);
  if (strstr(report.message, why) == NULL) {
    fail_msg("expected \"%s\" in: %s", why, report.message);
  }
  cardan_model_destroy(m.model);
}

static void test_refusals(void **state)
{
  (void)state;
  cardan_options o = run_options("vi", 1e-3, 0);
  o.order = 4;
  expect_refused("slider-crank", "mu", &o, "backwards in time");
  o.start = "two-point";
  expect_refused("pendulum", NULL, &o, "two configurations");
  o = run_options("vi", 1e-3, 0);
  o.order = 3;
  expect_refused("pendulum", NULL, &o, "order is 3");
}

/* No root: the last good state stays, and the message says when, where and what to try. */
static void test_failure(void **state)
{
  (void)state;
  cardan_options o = run_options("vi", 0.5, 0);
  run m = run_load("chain:10", NULL, &o);
  cardan_report report = {.message = ""};
  cardan_status status = CARDAN_OK;
  double t = 0, q[10];
  run_start(&m);
  for (int k = 0; k < 200 && status == CARDAN_OK; k++) {
    m.data = cardan_sim_data(m.sim);
    t = m.data->t;
    memcpy(q, m.data->q, sizeof q);
    status = cardan_sim_step(m.sim, &report);
  }
  m.data = cardan_sim_data(m.sim);
  print_message("%s\n", report.message);
  assert_int_equal(status, CARDAN_ERR_NO_ROOT);
  assert_true(m.data->t == t);
  assert_memory_equal(m.data->q, q, sizeof q);
  assert_non_null(strstr(report.message, "at t = "));
  assert_non_null(strstr(report.message, "joint \"q"));
  assert_non_null(strstr(report.message, "try a smaller dt"));
  run_free(&m);
}

static void test_same_bits_no_memory(void **state)
{
  (void)state;
  static const char *const models[] = {"chain:10", "closed-chain", "slider-crank", free_tree};
  for (int i = 0; i < 4; i++) {
    double q[2][64] = {{0}};
    for (int k = 0; k < 2; k++) {
      const cardan_options o = run_options("vi", 1e-3, 0);
      run m = run_begin(models[i], i == 2 ? "mu=0.1" : NULL, &o);
      const long before = support_alloc_count();
      run_steps(&m, 200);
      if (support_alloc_counts()) {
        assert_int_equal(support_alloc_count(), before);
      }
      memcpy(q[k], m.data->q, (size_t)m.model->nq * sizeof q[k][0]);
      run_free(&m);
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
  }
}

/* Order 6 at 1 ms: the energy of ten links stays within 1e-10 of M g L, M g L = 10 kg 9.81 10 m /
 * 2 .. here taken as the whole chain hanging from its full length. */
static void test_order6_band(void **state)
{
  (void)state;
  cardan_options o = run_options("vi", 1e-3, 0);
  o.order = 6;
  run m = run_begin("chain:10", NULL, &o);
  const double MgL = 10 * 9.81 * 10;
  for (int k = 0; k < 1000; k++) {
    run_steps(&m, 10);
    assert_int_equal(cardan_sim_observe(m.sim), CARDAN_OK);
  }
  const cardan_stats stats = cardan_sim_stats(m.sim);
  print_message("chain:10, order 6, 10,000 steps of 1 ms: energy within %.1e of M g L, %.1f "
                "evaluations a step\n",
                stats.drift_max / MgL, stats.iterations_mean);
  assert_near(stats.drift_max / MgL, 0, 1e-10);
  run_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_momentum),
      cmocka_unit_test(test_solvers_agree),
      cmocka_unit_test(test_thrown),
      cmocka_unit_test(test_fast_spin),
      cmocka_unit_test(test_mechanisms),
      cmocka_unit_test(test_forces_of_a_row),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_failure),
      cmocka_unit_test(test_same_bits_no_memory),
      cmocka_unit_test(test_order6_band),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
