// SPDX-License-Identifier: Apache-2.0
// What the engine of discrete mechanics does for every equation: compositions, old factorisations,
// and the state after a failure.
#include <math.h>
#include <string.h>

#include "methods/discrete/discrete.h"
#include "run.h"
#include "run/sim.h"

static cardan__discrete *engine(const run *r)
{
  return (cardan__discrete *)r->sim->stepper;
}

/* ---- order 4 and 6, by the equation that vi's own tests do not measure ---- */

static double error_at(const char *name, const char *eval, int order, double T, int steps,
                       const double *reference)
{
  cardan_options o = run_options("svi", T / steps, T);
  double worst = 0;
  o.order = order;
  o.eval = eval;
  run r = run_begin(name, NULL, &o);
  run_steps(&r, steps);
  for (int k = 0; k < r.model->nq; k++) {
    worst = fmax(worst, fabs(r.data->q[k] - reference[k]));
  }
  run_free(&r);
  return worst;
}

/* The error falls by 2^order from steps to 2 steps; band: what its next term leaves. */
static void expect_order(const char *name, const char *eval, int order, double T, int steps,
                         double band)
{
  const cardan_options tight = run_options("aba:dopri5", T, T);
  run r = run_begin(name, NULL, &tight);
  run_steps(&r, 1);
  const double coarse = error_at(name, eval, order, T, steps, r.data->q);
  const double fine = error_at(name, eval, order, T, 2 * steps, r.data->q);
  print_message("svi %-10s %-12s order %d: measured %.2f, error %.1e at dt %.2g\n", eval, name,
                order, log2(coarse / fine), fine, T / (2 * steps));
  assert_near(log2(coarse / fine), order, band);
  run_free(&r);
}

static void test_orders(void **state)
{
  (void)state;
  expect_order("pendulum:5", "recursive", 4, 0.5, 50, 0.2);
  expect_order("pendulum:5", "recursive", 6, 0.5, 20, 0.4);
  expect_order("pendulum:5", "tree", 4, 0.5, 50, 0.2);
  expect_order("biped", "recursive", 4, 0.4, 40, 0.3);
  expect_order("biped", "recursive", 6, 0.4, 20, 0.5);
  expect_order("biped", "tree", 6, 0.4, 20, 0.5);
  expect_order("closed-chain", "recursive", 4, 1, 100, 0.3);
}

static void expect_refused(const char *name, const char *set, const cardan_options *o,
                           const char *why)
{
  cardan_model *model = NULL;
  cardan_sim *sim = NULL;
  cardan_report report = {.message = ""};
  const cardan_setting setting = {.name = set != NULL ? set : "", .value = 0.2};
  assert_int_equal(cardan_model_load(name, &setting, set != NULL, NULL, &model, &report),
                   CARDAN_OK);
  assert_int_equal(cardan_sim_create(model, o, NULL, &sim, &report), CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(report.message, why));
  cardan_model_destroy(model);
}

static void test_refusals(void **state)
{
  (void)state;
  cardan_options o = run_options("svi", 1e-3, 1);
  o.order = 4;
  expect_refused("slider-crank", "mu", &o, "backwards in time");
  o.alpha = 0.4;
  expect_refused("pendulum", NULL, &o, "symmetric");
}

/* ---- an old factorisation ---- */

/* With dt = 0.001, from t = 4 on, most differences t_{k+1} - t_k are not the one before to the bit;
 * a factorisation of the step before serves all the same. */
static void test_old_factors(void **state)
{
  static const char *const methods[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cardan_options o = run_options(methods[i], 1e-3, 1);
    run r = run_load("chain:10", NULL, &o);
    int old = 0, unequal = 0;
    double before = 0;
    r.data->t = 4;
    run_start(&r);
    for (int k = 0; k < 1000; k++) {
      run_steps(&r, 1);
      old += engine(&r)->root.age > 0;
      unequal += engine(&r)->h != before;
      before = engine(&r)->h;
    }
    print_message("%s: %d of 1000 steps are not as long as the one before, %d took a factorisation "
                  "from before\n",
                  methods[i], unequal, old);
    assert_true(unequal > 500);
    assert_true(old > 500);
    run_free(&r);
  }
}

/* ---- failures ---- */

/* A parallelogram that lies flat has no unique velocity but by the way that it came: without one,
 * the velocity before stays. */
static const char flat[] =
    "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 .1 .1 .1) (ry \"b\" (tx 2 (mass 1 .1 .1 "
    ".1) (name \"B\"))))) (tx 2 (ry \"c\" (tz -1 (mass 1 .1 .1 .1) (name \"C\"))))"
    " (point-constraint \"B\" \"C\" (1 0 1)) (point-constraint \"B\" \"C\" (-1 0 1))"
    " (initial (\"a\" 0.3 1) (\"b\" -0.3 -1) (\"c\" 0.3 1)))";

static void test_velocity_stays(void **state)
{
  static const char *const methods[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = run_options(methods[i % 2], 1e-3, 1);
    const bool came = i >= 2;
    run r = run_begin(flat, NULL, &o);
    run_steps(&r, came ? 10 : 0);
    cardan__discrete *d = engine(&r);
    const double q[3] = {1.5707963267948966, -1.5707963267948966, 1.5707963267948966};
    double v[3];
    memcpy(v, r.data->v, sizeof v);
    memcpy(d->node->q, q, sizeof q);
    cardan__node_enter(d);
    cardan__border_enter(d);
    const cardan_status status = cardan__discrete_velocity(&d->base, r.data);
    assert_int_equal(status, came ? CARDAN_OK : CARDAN_ERR_SINGULAR);
    // on the branch, to what rounding makes of rows that are taken 1e-4 of a step further on: the
    // sine of the angle between them is 1e-7 there, and S, with its square, good to 1e-2
    if (came) {
      assert_near(r.data->v[0] + r.data->v[1], 0, 1e-5);
      assert_near(r.data->v[0] - r.data->v[2], 0, 1e-5);
      assert_true(fabs(r.data->v[0]) > 0.1);
    } else {
      assert_memory_equal(r.data->v, v, sizeof v);
    }
    run_free(&r);
  }
}

/* A composition that fails on its way leaves the node, its momentum and its work as they were. */
static int until_failure; // evaluations
static const cardan__equation *whole;

static cardan_status fails_later(cardan__discrete *d, double *r)
{
  const cardan_status status = whole->residual(d, r);
  return until_failure-- > 0 ? status : CARDAN_ERR_NOT_FINITE;
}

static void test_composition_fails(void **state)
{
  static const char *const methods[] = {"vi", "svi"};
  (void)state;
  for (int i = 0; i < 2; i++) {
    cardan_options o = run_options(methods[i], 1e-3, 1);
    o.order = 4;
    cardan_report report = {.message = ""};
    run plain = run_begin("four-link", "driven=0", &o), r = run_begin("four-link", "driven=0", &o);
    run_steps(&plain, 20);
    run_steps(&r, 10);
    const double t = r.data->t;
    double q[8];
    memcpy(q, r.data->q, (size_t)r.model->nq * sizeof *q);
    whole = engine(&r)->equation;
    cardan__equation failing = *whole;
    failing.residual = fails_later;
    until_failure = 6; // enough for the first stages: two or three each
    engine(&r)->equation = &failing;
    assert_int_equal(cardan_sim_step(r.sim, &report), CARDAN_ERR_NOT_FINITE);
    assert_true(r.data->t == t && engine(&r)->node->t == t);
    assert_memory_equal(r.data->q, q, (size_t)r.model->nq * sizeof *q);
    assert_memory_equal(engine(&r)->node->q, q, (size_t)r.model->nq * sizeof *q);
    engine(&r)->equation = whole;
    run_steps(&r, 10);
    // other guesses, so other rounding, amplified over ten steps
    for (int k = 0; k < r.model->nq; k++) {
      assert_near(r.data->q[k], plain.data->q[k], 1e-11);
    }
    run_free(&plain);
    run_free(&r);
  }
}

/* A step that finds no root leaves everything as it was: the next one is, to the bit, the one that
 * a run without it takes. */
static void test_failed_step_leaves_no_trace(void **state)
{
  static const char *const methods[] = {"vi", "svi"};
  static const struct {
    const char *model;
    int order, dof;
    double push;
  } cases[] = {{"wire", 2, 1, 1e5},
               {"wire", 4, 1, 1e5},
               {"scissor:3", 2, 4, 1e5},
               {"scissor:3", 4, 4, 1e5},
               {"slider-crank", 2, 0, 1e20}};
  (void)state;
  for (int i = 0; i < 10; i++) {
    cardan_options o = run_options(methods[i % 2], 0.01, 1);
    cardan_report report = {.message = ""};
    const char *model = cases[i / 2].model;
    o.order = cases[i / 2].order;
    run clean = run_begin(model, NULL, &o), r = run_begin(model, NULL, &o);
    run_steps(&clean, 8);
    run_steps(&r, 7);
    r.data->tau_in[cases[i / 2].dof] = cases[i / 2].push;
    if (cardan_sim_step(r.sim, &report) == CARDAN_OK) {
      fail_msg("%s takes a push of %g", model, cases[i / 2].push);
    }
    r.data->tau_in[cases[i / 2].dof] = 0;
    run_steps(&r, 1);
    for (int k = 0; k < r.model->nq; k++) {
      assert_true(r.data->q[k] == clean.data->q[k]);
    }
    run_free(&clean);
    run_free(&r);
  }
}

/* What cannot be met is named: here a constraint, not a joint. */
static void test_open_constraint_is_named(void **state)
{
  static const char text[] =
      "(system (gravity 0 0 -9.81) (ry \"a\" (tz -1 (name \"A\") (mass 1 .1 .1 .1)))"
      " (ry \"b\" (tz -1 (name \"B\") (mass 1 .1 .1 .1)))"
      " (wire \"A\" \"B\" (+ 1 t) (name \"leash\")) (initial (\"a\" 0.5) (\"b\" -0.5)))";
  (void)state;
  cardan_options o = run_options("vi", 0.01, 2);
  cardan_report report = {.message = ""};
  run r = run_begin(text, NULL, &o);
  cardan_status status = CARDAN_OK;
  for (int k = 0; k < 200 && status == CARDAN_OK; k++) {
    status = cardan_sim_step(r.sim, &report);
  }
  print_message("%s\n", report.message);
  assert_int_equal(status, CARDAN_ERR_NO_ROOT);
  assert_non_null(strstr(report.message, "leash"));
  assert_int_equal(r.data->info.row, 0);
  run_free(&r);
}

/* Derivatives of a step are no step: trace and impulses stay those of the last one. */
static void test_slopes_leave_the_node(void **state)
{
  (void)state;
  const cardan_options o = run_options("vi", 0.01, 1);
  cardan_report report = {.message = ""};
  run r = run_begin("closed-chain", NULL, &o);
  cardan_linearization *l = NULL;
  run_steps(&r, 3);
  int before = 0, after = 0;
  double lambda[8];
  const cardan__border *b = &engine(&r)->border;
  assert_true(b->n <= 8);
  (void)cardan_sim_trace(r.sim, &before);
  memcpy(lambda, b->lambda, (size_t)b->n * sizeof *lambda);
  assert_int_equal(cardan_linearize(r.sim, NULL, &l, &report), CARDAN_OK);
  (void)cardan_sim_trace(r.sim, &after);
  assert_int_equal(before, after);
  assert_memory_equal(lambda, b->lambda, (size_t)b->n * sizeof *lambda);
  cardan_linearization_destroy(l);
  run_free(&r);
}

/* Sizes of momenta are kept for some steps: what is accepted by those of an earlier step is below
 * the tolerance by its own too. */
static int made; // sizes
static double worst_accepted;

static void count_sizes(cardan__discrete *d, double *scale)
{
  made++;
  whole->sizes(d, scale);
}

static void measure_accepted(cardan__discrete *d)
{
  double scale[16];
  whole->sizes(d, scale);
  for (int k = 0; k < d->model->nv; k++) {
    worst_accepted = fmax(worst_accepted, fabs(d->r[k]) / (d->root.tol * scale[k]));
  }
  whole->accept(d);
}

static void test_kept_sizes(void **state)
{
  static const char *const methods[] = {"vi", "svi"}, *const models[] = {"chain:10", "pendulum:5"};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const cardan_options o = run_options(methods[i % 2], 1e-3, 1);
    run r = run_begin(models[i / 2], NULL, &o);
    whole = engine(&r)->equation;
    cardan__equation watched = *whole;
    watched.sizes = count_sizes;
    watched.accept = measure_accepted;
    engine(&r)->equation = &watched;
    made = 0;
    worst_accepted = 0;
    run_steps(&r, 1000);
    print_message("%s, %s: sizes made in %d of 1000 steps, residual %.2f of the tolerance\n",
                  models[i / 2], methods[i % 2], made, worst_accepted);
    assert_true(made < 500);
    assert_true(worst_accepted > 0 && worst_accepted <= 1);
    engine(&r)->equation = whole;
    run_free(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_orders),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_old_factors),
      cmocka_unit_test(test_velocity_stays),
      cmocka_unit_test(test_composition_fails),
      cmocka_unit_test(test_kept_sizes),
      cmocka_unit_test(test_failed_step_leaves_no_trace),
      cmocka_unit_test(test_open_constraint_is_named),
      cmocka_unit_test(test_slopes_leave_the_node),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
