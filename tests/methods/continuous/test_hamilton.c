// SPDX-License-Identifier: Apache-2.0
// Whole motions with canonical momenta: the same as with accelerations, through the singular
// position of the reduced form, symplectic where it should be, and what every run promises.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hard.h"
#include "run.h"

static cardan_options hamilton(const char *integrator, double dt, double time, const char *form,
                               const char *stabilise)
{
  cardan_options o = run_options("aba", dt, time);
  o.integrator = integrator;
  o.method = "hamilton";
  o.form = form;
  o.stabilise = stabilise;
  return o;
}

static double difference(const run *a, const run *b)
{
  double worst = 0;
  for (int k = 0; k < a->model->nq; k++) {
    worst = fmax(worst, fabs(a->data->q[k] - b->data->q[k]));
  }
  return worst;
}

/* Both formulations at rtol = atol = 1e-12 over a second (the biped up to its singular position).
 * The bound is a thousand tolerances. */
static void test_same_motion(void **state)
{
  static const char *const models[] = {"pendulum:5", "chain:20",     "spherical-chain:4",
                                       "top",        "tumbler",      "spring",
                                       "arm",        "screw",        "bintree",
                                       "human",      "lower-pairs",  "kepler",
                                       "cam",        "gear",         "wire",
                                       "ring",       "slider-crank", "closed-chain",
                                       "fourbar-3d", "biped",        "pinned-chain"};
  (void)state;
  for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
    const double T = strcmp(models[i], "biped") == 0 ? 0.8 : 1;
    cardan_options o = run_options("aba:dopri5", 0.1, T);
    run aba = run_whole(models[i], NULL, &o);
    o.method = "hamilton";
    run ham = run_whole(models[i], NULL, &o);
    const double off = difference(&aba, &ham), drift = cardan_sim_stats(ham.sim).drift_max;
    print_message("%-18s off by %.1e, balance by %.1e J\n", models[i], off, drift);
    assert_true(off < 1e-9);
    assert_true(drift < 1e-8 * (1 + fabs(run_energy(&ham))));
    run_free(&aba);
    run_free(&ham);
  }
}

/* Prescribed motion and friction, by the momenta of the rest. */
static void test_drivers_and_friction(void **state)
{
  (void)state;
  const cardan_options o = run_options("aba:dopri5", 0.05, 0.5);
  cardan_options h = o;
  h.method = "hamilton";
  run aba = run_whole("slider-crank", "mu=0.2", &o), ham = run_whole("slider-crank", "mu=0.2", &h);
  print_message("slider-crank, mu = 0.2: off by %.1e, balance by %.1e J\n", difference(&aba, &ham),
                cardan_sim_stats(ham.sim).drift_max);
  assert_true(difference(&aba, &ham) < 1e-9);
  assert_true(cardan_sim_stats(ham.sim).drift_max < 1e-8);
  run_free(&aba);
  run_free(&ham);
}

/* The paper's elimination against the multipliers, on the chain of its Fig. 3 and the biped. */
static void test_reduced(void **state)
{
  static const char *const models[] = {"pinned-chain", "pinned-chain:3", "pinned-chain:40", "biped",
                                       "fourbar-3d"};
  static const double T[] = {1, 1, 0.2, 0.8, 1};
  (void)state;
  for (int i = 0; i < 5; i++) {
    const cardan_options a = hamilton("dopri5", 0.1, T[i], "augmented", "none");
    const cardan_options r = hamilton("dopri5", 0.1, T[i], "reduced", "none");
    run augmented = run_whole(models[i], NULL, &a), reduced = run_whole(models[i], NULL, &r);
    print_message("%s: forms differ by %.1e\n", models[i], difference(&augmented, &reduced));
    assert_true(difference(&augmented, &reduced) < 1e-9);
    run_free(&augmented);
    run_free(&reduced);
  }
}

/* Thigh and shank of the second leg come into line at 0.8935 s. */
static void test_biped_passes(void **state)
{
  static const char *const stabilise[] = {"none", "project"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = hamilton("ode45", 1e-3, 2, "augmented", stabilise[i]);
    run r = run_load("biped", NULL, &o);
    double aligned = -1, before = 0;
    run_start(&r);
    for (int k = 0; k < 2000; k++) {
      run_steps(&r, 1);
      const double now = sin(run_q(&r, "q5"));
      if (aligned < 0 && k > 0 && before * now <= 0) {
        aligned = r.data->t - 1e-3 * now / (now - before);
      }
      before = now;
    }
    const double drift = cardan_sim_stats(r.sim).drift_max;
    print_message("biped, %s: in line at %.6f s, energy off by %.1e J until 2 s\n", stabilise[i],
                  aligned, drift);
    assert_near(aligned, 0.8935, 5e-5); // four digits as printed, and the secant's h^2
    assert_true(drift < 1e-8);
    run_free(&r);
  }
}

/* Linkages in space with rows to spare, which are redundant one after the other as they move: the
 * elimination takes those that it finds best at every node. */
static void test_reduced_spare_rows(void **state)
{
  static const char *const names[] = {"bennett-50-80", "bennett-40-110", "bricard-line-1"};
  (void)state;
  for (int i = 0; i < 3; i++) {
    const hard_case *c = hard_find(names[i]);
    char *text = hard_model(c);
    const cardan_options a = hamilton("dopri5", c->dt, c->time, "augmented", "project");
    const cardan_options r = hamilton("dopri5", c->dt, c->time, "reduced", "project");
    run augmented = run_whole(text, NULL, &a), reduced = run_whole(text, NULL, &r);
    print_message("%s: forms differ by %.1e\n", names[i], difference(&augmented, &reduced));
    assert_true(difference(&augmented, &reduced) < 1e-8);
    run_free(&augmented);
    run_free(&reduced);
    free(text);
  }
}

static void test_reduced_stops(void **state)
{
  static const char *const integrators[] = {"ode45", "dopri5", "bdf", "rk4", "gauss4", "dop853"};
  (void)state;
  for (int i = 0; i < 6; i++) {
    const cardan_options o = hamilton(integrators[i], 1e-3, 2, "reduced", "none");
    cardan_report report = {.message = ""};
    cardan_status status = CARDAN_OK;
    run r = run_load("biped", NULL, &o);
    double t = 0, q5 = 0;
    run_start(&r);
    for (int k = 0; k < 2000 && status == CARDAN_OK; k++) {
      t = r.data->t;
      q5 = run_q(&r, "q5");
      status = cardan_sim_step(r.sim, &report);
    }
    assert_int_equal(status, CARDAN_ERR_SINGULAR);
    assert_true(t > 0.88 && t < 0.8936);
    assert_true(r.data->t == t && run_q(&r, "q5") == q5);
    assert_non_null(strstr(report.message, "in line"));
    assert_non_null(strstr(report.message, "augmented"));
    run_free(&r);
  }
}

/* What the reduced form cannot take is reported before the run. */
static void test_refusals(void **state)
{
  static const char *const models[] = {"wire", "gear", "ring"};
  const cardan_options o = hamilton("rk4", 1e-3, 1, "reduced", "none");
  cardan_report report = {.message = ""};
  (void)state;
  for (int i = 0; i < 3; i++) {
    cardan_model *model = NULL;
    cardan_sim *sim = NULL;
    assert_int_equal(cardan_model_load(models[i], NULL, 0, NULL, &model, &report), CARDAN_OK);
    assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
    assert_null(sim);
    assert_non_null(strstr(report.message, "reduced"));
    assert_non_null(strstr(report.message, "augmented"));
    cardan_model_destroy(model);
  }
}

/* ---- symplecticity ---- */

enum { N = 2 }; // joints of the double pendulum

/* One step in canonical coordinates z = (q, p). */
static void step_map(const cardan_options *o, const cardan_model *model, const double *z,
                     double *out)
{
  cardan_report report = {.message = ""};
  cardan_sim *sim;
  assert_int_equal(cardan_sim_create(model, o, NULL, &sim, &report), CARDAN_OK);
  cardan_data *data = cardan_sim_data(sim);
  memcpy(data->q, z, N * sizeof *z);
  cardan_joints(model, data);
  assert_int_equal(cardan_factor(model, data), CARDAN_OK);
  cardan_momenta_velocities(model, data, z + N, data->v);
  assert_int_equal(cardan_sim_start(sim, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_step(sim, &report), CARDAN_OK);
  memcpy(out, data->q, N * sizeof *z);
  cardan_joints(model, data);
  cardan_velocities(model, data);
  cardan_momenta(model, data, out + N);
  cardan_sim_destroy(sim);
}

/* Largest entry of A^T J A - J, A the derivative of the step by fourth-order differences. */
static double defect(const char *method, const char *integrator)
{
  cardan_options o = run_options("aba", 0.05, 1);
  o.integrator = integrator;
  cardan_model *model = NULL;
  o.method = method;
  assert_int_equal(cardan_model_load("double-pendulum", NULL, 0, NULL, &model, NULL), CARDAN_OK);
  assert_int_equal(model->nv, N);
  const double z[2 * N] = {0.7, -0.4, 0.3, 0.2}, h = 1e-3;
  double A[2 * N][2 * N], worst = 0;
  for (int j = 0; j < 2 * N; j++) {
    double side[4][2 * N];
    for (int s = 0; s < 4; s++) {
      double moved[2 * N];
      memcpy(moved, z, sizeof z);
      moved[j] += (s % 2 ? -h : h) / (s < 2 ? 1 : 2);
      step_map(&o, model, moved, side[s]);
    }
    for (int i = 0; i < 2 * N; i++) {
      A[i][j] = (4 * (side[2][i] - side[3][i]) / h - (side[0][i] - side[1][i]) / (2 * h)) / 3;
    }
  }
  for (int i = 0; i < 2 * N; i++) {
    for (int j = 0; j < 2 * N; j++) {
      double sum = i + N == j ? -1 : i == j + N ? 1 : 0;
      for (int k = 0; k < N; k++) {
        sum += A[k][i] * A[k + N][j] - A[k + N][i] * A[k][j];
      }
      worst = fmax(worst, fabs(sum));
    }
  }
  cardan_model_destroy(model);
  return worst;
}

/* (q, p) is canonical for joints of one variable: midpoint and gauss4 keep dq ^ dp to the error of
 * the differences: 1e-3^4 times fifth derivatives, and eps / 1e-3. With (q, v) they do not, nor
 * does rk4. */
static void test_symplectic(void **state)
{
  static const char *const keeps[] = {"midpoint", "gauss4"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const double d = defect("hamilton", keeps[i]), v = defect("aba", keeps[i]);
    print_message("%s: %.1e with momenta, %.1e with velocities\n", keeps[i], d, v);
    assert_true(d < 1e-9);
    assert_true(v > 100 * d);
  }
  const double rk4 = defect("hamilton", "rk4");
  print_message("rk4: %.1e with momenta\n", rk4);
  assert_true(rk4 > 1e-8);
}

/* Energy stays in its band: the second half of a long run is no worse than the first. */
static void test_energy_band(void **state)
{
  (void)state;
  cardan_options o = hamilton("gauss4", 0.02, 200, NULL, NULL);
  run r = run_load("double-pendulum", NULL, &o);
  run_start(&r);
  run_steps(&r, 5000);
  const double first = cardan_sim_stats(r.sim).drift_max;
  run_steps(&r, 5000);
  const double both = cardan_sim_stats(r.sim).drift_max;
  print_message("gauss4, 100 s: energy within %.1e J, 200 s: %.1e J\n", first, both);
  assert_true(both < 1.5 * first);
  run_free(&r);
}

/* ---- orders, errors, feedback, resets ---- */

static double end_error(const char *model, const char *integrator, double T, int steps,
                        const run *reference)
{
  const cardan_options o = hamilton(integrator, T / steps, T, NULL, NULL);
  run r = run_whole(model, NULL, &o);
  const double error = difference(&r, reference);
  run_free(&r);
  return error;
}

static void test_orders(void **state)
{
  static const struct {
    const char *model, *integrator;
    int steps, order;
  } cases[] = {{"pendulum:5", "semi-implicit", 2000, 1},
               {"pendulum:5", "rk2", 400, 2},
               {"pendulum:5", "rk4", 100, 4},
               {"pendulum:5", "trapezoid", 200, 2},
               {"pendulum:5", "midpoint", 200, 2},
               {"pendulum:5", "gauss4", 60, 4},
               {"top", "rk4", 400, 4},
               {"top", "midpoint", 800, 2},
               {"biped", "rk4", 100, 4},
               {"biped", "midpoint", 200, 2}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const double T = strcmp(cases[i].model, "biped") == 0 ? 0.4 : 0.5;
    const cardan_options o = run_options("aba:dopri5", T, T);
    run reference = run_whole(cases[i].model, NULL, &o);
    const double coarse =
        end_error(cases[i].model, cases[i].integrator, T, cases[i].steps, &reference);
    const double fine =
        end_error(cases[i].model, cases[i].integrator, T, 2 * cases[i].steps, &reference);
    print_message("%-12s %-14s order %.2f\n", cases[i].model, cases[i].integrator,
                  log2(coarse / fine));
    assert_near(log2(coarse / fine), cases[i].order, 0.2); // what the next term leaves
    run_free(&reference);
  }
}

/* One pendulum has p = I v with constant I: the errors of velocity and momentum must say the same,
 * and that of the coordinate what one step is off. */
static void test_error_columns(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    cardan_options o = run_options("aba:rkf45-fixed", 0.05, 1);
    o.method = i == 0 ? "aba" : "hamilton";
    run r = run_load("pendulum", NULL, &o);
    char name[32];
    double row[64], p, I;
    const int n = cardan_sim_columns(r.sim, CARDAN_ADD_ERRORS);
    assert_true(n == cardan_sim_columns(r.sim, 0) + 3 && n < 64);
    cardan_sim_column(r.sim, CARDAN_ADD_ERRORS, n - 1, name, sizeof name);
    assert_int_equal(strncmp(name, "e.p.", 4), 0);
    r.data->q[0] = 1;
    r.data->v[0] = 2;
    run_start(&r);
    run_steps(&r, 1);
    assert_int_equal(cardan_sim_row(r.sim, CARDAN_ADD_ERRORS, row), CARDAN_OK);
    cardan_joints(r.model, r.data);
    cardan_velocities(r.model, r.data);
    cardan_momenta(r.model, r.data, &p);
    I = p / r.data->v[0];
    const double *e = row + n - 3;
    assert_near(e[2], I * e[1], 1e-8 * fabs(e[2])); // the difference that one of them comes from
    cardan_options tight = run_options("aba:dopri5", 0.05, 0.05);
    run exact = run_load("pendulum", NULL, &tight);
    exact.data->q[0] = 1;
    exact.data->v[0] = 2;
    run_start(&exact);
    run_steps(&exact, 1);
    const double off = r.data->q[0] - exact.data->q[0];
    print_message("%s: local error %.3e, estimated %.3e\n", o.method, off, e[0]);
    assert_near(e[0], off, 0.3 * fabs(off)); // the estimate's own error is one power of h smaller
    run_free(&exact);
    run_free(&r);
  }
}

/* Feedback J v = -phi_t - alpha phi lets a violation decay as exp(-alpha t), alpha = sqrt(kq). */
static void test_feedback(void **state)
{
  (void)state;
  cardan_options o = hamilton("dopri5", 0.1, 0.5, NULL, "baumgarte");
  o.kq = 400;
  o.assemble = false;
  run r = run_load("pinned-chain", NULL, &o);
  r.data->q[0] += 1e-4;
  run_start(&r);
  cardan_kinematics(r.model, r.data);
  const double before = cardan_constraint_max(r.model, r.data);
  run_steps(&r, 1);
  const double after = cardan_constraint_max(r.model, r.data);
  print_message("feedback: violation times %.4f in 0.1 s, exp(-2) = %.4f\n", after / before,
                exp(-2.0));
  // both rows decay alike, but which of them is the larger may change
  assert_near(log(after / before), -2, 0.02);
  run_free(&r);
}

/* Without projection the impulse of the loop grows; the reset takes it away, and with it the state
 * stays as small as the motion. */
static void test_reset(void **state)
{
  (void)state;
  const cardan_options o = hamilton("ode45", 0.5, 20, NULL, "none");
  run r = run_whole("closed-chain", NULL, &o);
  const cardan_stats stats = cardan_sim_stats(r.sim);
  print_message(
      "closed-chain, 20 s, none: %lld resets in %lld steps, drift %.1e J, violation %.1e m\n",
      (long long)stats.restarts, (long long)stats.accepted, stats.drift_max, stats.constraint_max);
  assert_true(stats.restarts > 0 && stats.restarts < stats.accepted / 10);
  run_free(&r);
}

/* ---- what every run promises ---- */

static const char *const kinds[] = {"pendulum:5", "slider-crank", "spherical-chain:4",
                                    "lower-pairs", "biped"};
enum { NKIND = sizeof kinds / sizeof kinds[0] };

static void test_no_allocation(void **state)
{
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i <= NKIND; i++) { // the last one twice: in both forms
    const char *model = kinds[i < NKIND ? i : NKIND - 1];
    for (int k = 0; cardan_integrator_name(k) != NULL; k++) {
      const cardan_options o =
          hamilton(cardan_integrator_name(k), 1e-3, 1, i < NKIND ? NULL : "reduced", NULL);
      run r = run_load(model, NULL, &o);
      double *row = calloc((size_t)cardan_sim_columns(r.sim, 31), sizeof *row);
      run_start(&r);
      const long before = support_alloc_count();
      run_steps(&r, 5);
      assert_int_equal(cardan_sim_row(r.sim, 31, row), CARDAN_OK);
      if (support_alloc_count() != before) {
        fail_msg("%s with %s: %ld allocations in 5 steps", model, o.integrator,
                 support_alloc_count() - before);
      }
      free(row);
      run_free(&r);
    }
  }
}

static void test_same_bits(void **state)
{
  (void)state;
  for (int i = 0; i < NKIND; i++) {
    const cardan_options o = hamilton("ode45", 1e-2, 0.1, NULL, NULL);
    run a = run_whole(kinds[i], NULL, &o), b = run_whole(kinds[i], NULL, &o);
    assert_memory_equal(a.data->q, b.data->q, (size_t)a.model->nq * sizeof(double));
    assert_memory_equal(a.data->v, b.data->v, (size_t)a.model->nv * sizeof(double));
    run_free(&a);
    run_free(&b);
  }
}

static cardan_status load_and_step(const cardan_allocator *alloc, void *user)
{
  const cardan_options o = hamilton("rk4", 1e-3, 1, user, NULL);
  cardan_model *model;
  cardan_sim *sim = NULL;
  cardan_status status = cardan_model_load("biped", NULL, 0, alloc, &model, NULL);
  if (status == CARDAN_OK) {
    status = cardan_sim_create(model, &o, alloc, &sim, NULL);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_start(sim, NULL);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_step(sim, NULL);
  }
  cardan_sim_destroy(sim);
  cardan_model_destroy(model);
  return status;
}

static void test_no_memory(void **state)
{
  char augmented[] = "augmented", reduced[] = "reduced";
  (void)state;
  assert_true(support_fail_each(load_and_step, augmented) > 5);
  assert_true(support_fail_each(load_and_step, reduced) > 5);
}

/* Bars on balls: the state keeps the spin of each apart from the momenta of what hangs on it, so
 * that hamilton needs no shorter steps than aba. With the momenta themselves as state its drift is
 * 6000 times that of aba here, and ode45 takes 9 times the evaluations. */
static void test_balls(void **state)
{
  (void)state;
  double drift[2];
  int64_t evaluations[2];
  for (int i = 0; i < 2; i++) {
    const cardan_options fixed = run_options(i ? "hamilton:rk4" : "aba:rk4", 1e-3, 2);
    run r = run_whole("spherical-chain:8", NULL, &fixed);
    drift[i] = cardan_sim_stats(r.sim).drift_max;
    run_free(&r);
    cardan_options adaptive = run_options(i ? "hamilton:ode45" : "aba:ode45", 1e-2, 2);
    adaptive.rtol = 1e-8;
    adaptive.atol = 1e-10;
    r = run_whole("spherical-chain:8", NULL, &adaptive);
    evaluations[i] = cardan_sim_stats(r.sim).evaluations;
    run_free(&r);
  }
  print_message("spherical-chain:8, drift in 2 s, rk4 at 1 ms: aba %.1e J, hamilton %.1e J; "
                "evaluations of ode45 %lld and %lld\n",
                drift[0], drift[1], (long long)evaluations[0], (long long)evaluations[1]);
  assert_true(drift[1] < 2 * drift[0]);
  assert_true((double)evaluations[1] < 1.5 * (double)evaluations[0]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_motion),
      cmocka_unit_test(test_drivers_and_friction),
      cmocka_unit_test(test_balls),
      cmocka_unit_test(test_reduced),
      cmocka_unit_test(test_biped_passes),
      cmocka_unit_test(test_reduced_stops),
      cmocka_unit_test(test_reduced_spare_rows),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_symplectic),
      cmocka_unit_test(test_energy_band),
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_error_columns),
      cmocka_unit_test(test_feedback),
      cmocka_unit_test(test_reset),
      cmocka_unit_test(test_no_allocation),
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
