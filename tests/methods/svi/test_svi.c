// SPDX-License-Identifier: Apache-2.0
// Method svi as a whole: the two evaluations and the three solvers give one motion, its order, its
// agreement with vi and aba, what it keeps, what it refuses, and that a step allocates nothing.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "methods/svi/tree/tree_equation.h"
#include "run.h"
#include "run/sim.h"

static cardan_options options(const char *method, double dt, double time)
{
  cardan_options o = run_options("aba:dopri5", dt, time);
  o.method = method;
  o.tol = 0;
  cardan_options_drop_unused(&o);
  return o;
}

/* Largest difference of coordinates at the end of two runs. */
static double gap(const run *a, const run *b)
{
  double worst = 0;
  for (int k = 0; k < a->model->nq; k++) {
    worst = fmax(worst, fabs(a->data->q[k] - b->data->q[k]));
  }
  return worst;
}

/* Coordinates at T of a tight reference by aba; the caller frees. */
static double *reference(const char *model, double T)
{
  const cardan_options o = options("aba", T, T);
  run r = run_whole(model, NULL, &o);
  double *q = calloc((size_t)r.model->nq, sizeof *q);
  assert_non_null(q);
  memcpy(q, r.data->q, (size_t)r.model->nq * sizeof *q);
  run_free(&r);
  return q;
}

static double error_of(const char *model, cardan_options o, double T, int steps, const double *q)
{
  double worst = 0;
  o.dt = T / steps;
  o.time = T;
  run r = run_whole(model, NULL, &o);
  for (int k = 0; k < r.model->nq; k++) {
    worst = fmax(worst, fabs(r.data->q[k] - q[k]));
  }
  run_free(&r);
  return worst;
}

static void expect_order(const char *model, cardan_options o, const char *what, double T, int steps,
                         double order)
{
  double *q = reference(model, T);
  const double coarse = error_of(model, o, T, steps, q), fine = error_of(model, o, T, 2 * steps, q);
  print_message("%-14s %-28s error %.2e, order %.2f\n", model, what, fine, log2(coarse / fine));
  // what the next term of the error leaves at these steps
  assert_near(log2(coarse / fine), order, 0.15);
  free(q);
}

// alpha = 1/2 is of order 2, any other of order 1; from (q0, v0), and with loops, forces and
// drivers
static void orders(void **state)
{
  (void)state;
  cardan_options o = options("svi", 0.01, 1);
  expect_order("pendulum:5", o, "alpha 0.5", 0.5, 200, 2);
  expect_order("closed-chain", o, "alpha 0.5", 1, 200, 2);
  expect_order("human", o, "alpha 0.5", 0.5, 200, 2);
  expect_order("spring", o, "alpha 0.5", 1, 200, 2);
  expect_order("wire", o, "alpha 0.5", 1, 200, 2);
  expect_order("cam", o, "alpha 0.5", 0.5, 200, 2);
  o.alpha = 0.4;
  expect_order("pendulum:5", o, "alpha 0.4", 0.5, 800, 1);
  expect_order("closed-chain", o, "alpha 0.4", 1, 800, 1);
  o.alpha = 1;
  expect_order("pendulum:5", o, "alpha 1", 0.5, 1600, 1);
  o.alpha = 0.5;
  // q1 = q0 + h v0: with v0 = 0 the velocity of the middle is off by h a / 2
  o.start = "two-point";
  expect_order("pendulum:5", o, "two configurations", 0.5, 800, 1);
}

// svi and vi differ by a multiple of dt^2 that the two of them have against the truth too
static void agrees_with_vi(void **state)
{
  static const char *const models[] = {"pendulum:5", "chain:6", "closed-chain", "human", "biped"};
  (void)state;
  for (int i = 0; i < 5; i++) {
    double between[2];
    for (int k = 0; k < 2; k++) {
      const cardan_options a = options("svi", 0.004 / (1 << k), 0.4),
                           b = options("vi", 0.004 / (1 << k), 0.4);
      run x = run_whole(models[i], NULL, &a), y = run_whole(models[i], NULL, &b);
      between[k] = gap(&x, &y);
      run_free(&x);
      run_free(&y);
    }
    print_message("%-14s svi - vi: %.2e, order %.2f\n", models[i], between[1],
                  log2(between[0] / between[1]));
    assert_near(log2(between[0] / between[1]), 2, 0.15);
  }
}

// one set of equations: both evaluations, with and without a cache, and all solvers and guesses
// find the same root, to the tolerance of the root finder times what a second of motion makes of it
static void one_motion(void **state)
{
  static const char *const models[] = {"pendulum:5", "closed-chain", "scissor:3",    "human",
                                       "spring",     "gear",         "slider-crank", "cam",
                                       "four-link",  "arm"};
  static const struct {
    const char *eval, *solver, *guess;
    bool cache;
  } ways[] = {{"tree", "newton", NULL, true},
              {"tree", "newton", NULL, false},
              {"recursive", "riqn", NULL, true},
              {"recursive", "broyden", NULL, true},
              {"tree", "riqn", NULL, true},
              {"tree", "broyden", NULL, true},
              {"recursive", "newton", "current", true},
              {"recursive", "newton", "dynamics", true},
              {"recursive", "newton", "euler", true}};
  (void)state;
  for (int i = 0; i < 10; i++) {
    cardan_options o = options("svi", 0.005, 0.25);
    run base = run_whole(models[i], NULL, &o);
    double worst = 0;
    for (int k = 0; k < 9; k++) {
      o.eval = ways[k].eval;
      o.solver = ways[k].solver;
      o.guess = ways[k].guess;
      o.cache = ways[k].cache;
      run r = run_whole(models[i], NULL, &o);
      worst = fmax(worst, gap(&base, &r));
      assert_near(gap(&base, &r), 0, 1e-9);
      run_free(&r);
    }
    print_message("%-14s largest difference of nine ways %.1e\n", models[i], worst);
    run_free(&base);
  }
}

/* ---- what the tree does in a step ---- */

// one configuration write an evaluation; [1] V-A has two, and one more when the step is done, since
// there the constraints are the tree's too
static void one_write(void **state)
{
  (void)state;
  cardan_options o = options("svi", 0.01, 1);
  o.eval = "tree";
  run r = run_load("closed-chain", NULL, &o);
  run_start(&r);
  const cardan__svi_tree *s = (const cardan__svi_tree *)r.sim->stepper;
  int measured = 0; // steps that were also taken in halves (run/estimate.h)
  for (int k = 0; k < 50; k++) {
    const long before = s->tree->writes;
    const int samples = r.sim->estimate.sums.samples;
    run_steps(&r, 1);
    if (r.sim->estimate.sums.samples > samples) {
      measured++;
    } else {
      assert_int_equal(s->tree->writes - before, r.sim->stepper->iterations);
    }
  }
  assert_in_range(measured, 1, 8);
  run_free(&r);
}

/* ---- forces, drivers, friction against aba ---- */

static run run_text(const char *text, const cardan_options *o)
{
  run r = {NULL, NULL, NULL};
  cardan_report report = {.message = ""};
  cardan_status status =
      cardan_model_from_text(text, strlen(text), "text", NULL, 0, NULL, &r.model, &report);
  if (status == CARDAN_OK) {
    status = cardan_sim_create(r.model, o, NULL, &r.sim, &report);
  }
  if (status != CARDAN_OK) {
    print_error("%s\n", report.message);
  }
  assert_int_equal(status, CARDAN_OK);
  r.data = cardan_sim_data(r.sim);
  return r;
}

static const char *const forced[] = {
    // every force of IV-C to IV-E at once, on an open tree
    "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (name \"A\") (mass 1 0.1 0.1 0.1)"
    " (rx \"b\" (tz -0.7 (name \"B\") (mass 0.5 0.05 0.05 0.05) (tx \"c\" (name \"C\") (mass "
    "0.3))))))"
    " (tx 1 (name \"P\")) (damping 0.1) (damper \"P\" \"B\" 0.4) (spring \"P\" \"C\" 20 0.5)"
    " (joint-spring \"b\" 3 0.2) (newton-gravity \"A\" \"C\" 0.5) (torque \"a\" (* 0.5 (sin (* 3 "
    "t)) v.b))"
    " (potential (* 2 (^ q.c 4))) (joint-spring \"c\" 15 0)"
    " (wrench body \"B\" (0.2 0 (* 0.3 q.a)) (0 0.1 0)) (wrench world \"A\" (0 (cos t) 0) (0 0 "
    "0.2))"
    " (initial (\"a\" 0.6 1) (\"b\" 0.3 -1) (\"c\" 0.1)))",
    // a kinematic variable, a driven joint, a moving wire
    "(system (gravity 0 0 -9.81) (tx (k \"cart\") (mass 2) (name \"T\") (ry \"q\" (tz -1 (name "
    "\"E\")"
    " (mass 1 0.1 0.1 0.1) (ry \"r\" (tz -0.6 (mass 0.4 0.02 0.02 0.02))))))"
    " (motion \"cart\" (* 0.3 (sin (* 2 t)))) (motion \"q\" (+ 0.5 (* 0.2 (sin (* 3 t)))))"
    " (initial (\"q\" 0.5 0.6) (\"r\" 0.4)))",
    "(system (gravity 0 0 -9.81) (tx \"x\" ty \"y\" tz \"z\" (name \"M\") (mass 1 0.1 0.1 0.1))"
    " (wire \"world\" \"M\" (+ 1 (* 0.1 (sin (* 2 t))))) (initial (\"x\" 1) (\"y\" 0 0.5) (\"z\" "
    "0)))",
    // friction, smooth at these speeds
    ("(system (gravity 0 0 -9.81) (joint revolute \"h\" (axis 0 1 0) (tz -1 (mass 1 0.1 0.1 0.1)))"
     " (friction \"h\" 0.4 (radius 0.2) (vs 3)) (initial (\"h\" 1.2)))"),
};

// the same end as aba's, at order 2, and an energy balance that closes at order 2
static void forces_and_drivers(void **state)
{
  (void)state;
  for (int i = 0; i < 4; i++) {
    double error[2], balance[2];
    const double T = 0.8;
    const cardan_options tight = options("aba", T, T);
    run reference_run = run_text(forced[i], &tight);
    run_start(&reference_run);
    run_steps(&reference_run, 1);
    for (int k = 0; k < 2; k++) {
      const int steps = 200 << k;
      const cardan_options o = options("svi", T / steps, T);
      run r = run_text(forced[i], &o);
      run_start(&r);
      run_steps(&r, steps);
      error[k] = gap(&r, &reference_run);
      balance[k] = cardan_sim_stats(r.sim).drift_max;
      run_free(&r);
    }
    print_message("model %d: error %.1e, order %.2f; balance %.1e J, order %.2f\n", i, error[1],
                  log2(error[0] / error[1]), balance[1], log2(balance[0] / balance[1]));
    assert_near(log2(error[0] / error[1]), 2, 0.2);
    assert_true(log2(balance[0] / balance[1]) > 1.6);
    run_free(&reference_run);
  }
}

// forces that couple bodies: GMRES over the O(n) elimination keeps Newton's count
static void coupled_newton(void **state)
{
  (void)state;
  cardan_options o = options("svi", 0.01, 1);
  o.guess = "current";
  run r = run_text(forced[0], &o);
  run_start(&r);
  run_steps(&r, 100);
  print_message("iterations %.2f, most %d\n", cardan_sim_stats(r.sim).iterations_mean,
                cardan_sim_stats(r.sim).iterations_max);
  // from q_k: quadratic convergence needs 4, sometimes 5 evaluations for 12 digits
  assert_true(cardan_sim_stats(r.sim).iterations_max <= 5);
  run_free(&r);
}

/* ---- what is kept ---- */

// angular momentum of a floating arm without gravity about the axis of its plane is conserved by
// the step, to rounding that adds up over the steps, and so are its linear momenta
static void momenta(void **state)
{
  (void)state;
  const cardan_options o = options("svi", 0.01, 10);
  static const char text[] =
      "(system (tx \"x\" tz \"z\" ry \"a\" (mass 2 0.1 0.3 0.1) (tz -1 (ry \"b\" (tz -0.5 (mass 1 "
      "0.1 0.1 0.1)"
      " (tz -0.5 (ry \"c\" (tz -0.4 (mass 0.5 0.1 0.1 0.1)))))))) (spring \"a\" \"c\" 3 0.4)"
      " (initial (\"x\" 0 0.3) (\"a\" 0.2 1) (\"b\" 0.5 -2) (\"c\" 0 3)))";
  run r = run_text(text, &o);
  run_start(&r);
  const cardan_force start = cardan_total_momentum(r.model, cardan_sim_data(r.sim));
  run_steps(&r, 1000);
  const cardan_force end = cardan_total_momentum(r.model, cardan_sim_data(r.sim));
  // the root finder leaves 1e-12 of the momenta in each of 1000 steps, which add up as a walk at
  // most
  const double tol = 1000 * 1e-12 * 5;
  assert_near(end.f.x, start.f.x, tol);
  assert_near(end.f.z, start.f.z, tol);
  assert_near(end.t.y, start.t.y, tol);
  run_free(&r);
}

// midpoint is symmetric: a step back from (q, -p) undoes the steps
static void reversal(void **state)
{
  (void)state;
  const cardan_options o = options("svi", 0.01, 1);
  run r = run_load("closed-chain", NULL, &o);
  run_start(&r);
  double q0[16];
  memcpy(q0, r.data->q, (size_t)r.model->nq * sizeof *q0);
  run_steps(&r, 100);
  cardan_data *data = cardan_sim_data(r.sim);
  for (int k = 0; k < r.model->nv; k++) {
    data->v[k] = -data->v[k];
  }
  run_start(&r);
  run_steps(&r, 100);
  // assembling and 200 roots, each good to 1e-12, over two seconds of motion
  assert_near_vec(cardan_sim_data(r.sim)->q, q0, r.model->nq, 1e-8);
  run_free(&r);
}

/* ---- refusals and failures ---- */

static void refusals(void **state)
{
  (void)state;
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  cardan_report report = {.message = ""};
  cardan_options o = options("svi", 0.01, 1);
  assert_int_equal(cardan_model_load("top", NULL, 0, NULL, &model, &report), CARDAN_OK);
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
  assert_null(sim);
  assert_non_null(strstr(report.message, "rx"));
  assert_non_null(strstr(report.message, "top"));
  cardan_model_destroy(model);
  assert_int_equal(cardan_model_load("pendulum", NULL, 0, NULL, &model, &report), CARDAN_OK);
  o.solver = "newton-dense";
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
  o.solver = NULL;
  o.alpha = 1.5;
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_ARGUMENT);
  cardan_model_destroy(model);
  assert_int_equal(cardan_model_load("chain:1500", NULL, 0, NULL, &model, &report), CARDAN_OK);
  o.alpha = 0.5;
  o.eval = "tree";
  assert_int_equal(cardan_sim_create(model, &o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, "recursive"));
  cardan_model_destroy(model);
}

// a step that finds no root leaves t, q, v and says where
static void no_root(void **state)
{
  (void)state;
  cardan_options o = options("svi", 3, 30);
  o.max_iter = 6;
  o.guess = "euler"; // an extrapolated one is followed by others
  run r = run_load("pendulum:5", NULL, &o);
  cardan_report report = {.message = ""};
  run_start(&r);
  r.data->v[0] = 20;
  run_start(&r);
  cardan_status status = CARDAN_OK;
  double t = 0, q[5];
  for (int k = 0; k < 20 && status == CARDAN_OK; k++) {
    t = cardan_sim_data(r.sim)->t;
    memcpy(q, r.data->q, sizeof q);
    status = cardan_sim_step(r.sim, &report);
  }
  assert_int_equal(status, CARDAN_ERR_NO_ROOT);
  assert_true(r.data->t == t);
  assert_memory_equal(r.data->q, q, sizeof q);
  assert_non_null(strstr(report.message, "joint"));
  assert_non_null(strstr(report.message, "smaller dt"));
  assert_true(r.data->info.joint >= 0);
  run_free(&r);
}

static void steps_allocate_nothing(void **state)
{
  static const char *const models[] = {"closed-chain", "slider-crank", "spring", "kepler"};
  static const char *const solvers[] = {"newton", "broyden", "riqn"};
  (void)state;
  if (!support_alloc_counts()) {
    skip();
  }
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 6; k++) {
      cardan_options o = options("svi", 0.001, 1);
      o.solver = solvers[k % 3];
      o.eval = k < 3 ? "recursive" : "tree";
      run r = run_load(models[i], NULL, &o);
      run_start(&r);
      run_steps(&r, 1); // BLAS makes buffers of its own at its first call
      const long before = support_alloc_count();
      run_steps(&r, 20);
      assert_int_equal(support_alloc_count(), before);
      run_free(&r);
    }
  }
}

static cardan_status make_and_run(const cardan_allocator *allocator, void *user)
{
  cardan_sim *sim = NULL;
  cardan_report report = {.message = ""};
  const cardan_model *model = user;
  cardan_options o = options("svi", 0.01, 1);
  o.eval = "tree";
  cardan_status status = cardan_sim_create(model, &o, allocator, &sim, &report);
  if (status == CARDAN_OK) {
    status = cardan_sim_start(sim, &report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_step(sim, &report);
  }
  cardan_sim_destroy(sim);
  return status;
}

static void memory(void **state)
{
  (void)state;
  cardan_model *model = NULL;
  cardan_report report = {.message = ""};
  assert_int_equal(cardan_model_load("closed-chain", NULL, 0, NULL, &model, &report), CARDAN_OK);
  assert_true(support_fail_each(make_and_run, model) > 5);
  cardan_model_destroy(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),
      cmocka_unit_test(agrees_with_vi),
      cmocka_unit_test(one_motion),
      cmocka_unit_test(one_write),
      cmocka_unit_test(forces_and_drivers),
      cmocka_unit_test(coupled_newton),
      cmocka_unit_test(momenta),
      cmocka_unit_test(reversal),
      cmocka_unit_test(refusals),
      cmocka_unit_test(no_root),
      cmocka_unit_test(steps_allocate_nothing),
      cmocka_unit_test(memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
