// SPDX-License-Identifier: Apache-2.0
// Copies on threads, one by one, are what a plain loop makes of each, to the bit: whatever the
// method, the number of threads, and what the copy before it on the same thread did. The thread
// sanitizer runs this in `make test`.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "run/sim_access.h"

/* One call, with room for its results. */
typedef struct {
  const cardan_model *model;
  cardan_options options;
  int nbatch;
  int64_t nstep, nrow;
  double *q0, *v0, *u, *param; // what goes in; NULL: the model's own
  double *q, *v, *y;
  cardan_status *status;
} batch;

static double *numbers(int64_t n)
{
  double *x = malloc((size_t)(n + 1) * sizeof *x);
  assert_non_null(x);
  for (int64_t i = 0; i <= n; i++) {
    x[i] = -7.0; // not what any of these motions has
  }
  return x;
}

/* Room for the results of a call. */
static void make_room(batch *b)
{
  b->q = numbers(b->nbatch * b->nrow * b->model->nq);
  b->v = numbers(b->nbatch * b->nrow * b->model->nv);
  b->y = numbers(b->nbatch * b->nrow * b->model->ny);
  b->status = malloc((size_t)(b->nbatch + 1) * sizeof *b->status);
  assert_non_null(b->status);
}

static batch make_batch(const cardan_model *model, const cardan_options *options, int nbatch,
                        int64_t nstep)
{
  batch b = {.model = model, .options = *options, .nbatch = nbatch, .nstep = nstep};
  b.nrow = nstep / options->every + 1;
  make_room(&b);
  return b;
}

/* The same call, with room of its own. */
static batch beside(const batch *b)
{
  batch other = *b;
  make_room(&other);
  return other;
}

static void free_results(batch *b)
{
  free(b->q);
  free(b->v);
  free(b->y);
  free(b->status);
}

static void free_batch(batch *b)
{
  free(b->q0);
  free(b->v0);
  free(b->u);
  free(b->param);
  free_results(b);
}

/* Starts around the model's own, each copy another. */
static void scatter(batch *b, double size)
{
  const cardan_model *m = b->model;
  support_rng rng = {1};
  b->q0 = numbers(b->nbatch * m->nq);
  b->v0 = numbers(b->nbatch * m->nv);
  for (int i = 0; i < b->nbatch; i++) {
    double *v = b->v0 + (size_t)i * (size_t)m->nv;
    support_random_vec(&rng, v, m->nv, size);
    cardan_q_move(m, m->q0, v, 1.0, b->q0 + (size_t)i * (size_t)m->nq);
    support_random_vec(&rng, v, m->nv, size);
  }
}

static cardan_status call(batch *b, int nthread, cardan_report *report)
{
  return cardan_rollout(&(cardan_rollout_args){.model = b->model,
                                               .options = &b->options,
                                               .nthread = nthread,
                                               .nbatch = b->nbatch,
                                               .nstep = b->nstep,
                                               .q0 = b->q0,
                                               .v0 = b->v0,
                                               .u = b->u,
                                               .param = b->param,
                                               .q = b->q,
                                               .v = b->v,
                                               .y = b->y,
                                               .status = b->status},
                        report);
}

/* ---- the plain loop ---- */

static cardan_status plain_model(const batch *b, int i, cardan_model **out)
{
  cardan_status status = cardan_model_copy(b->model, NULL, out);
  for (int k = 0; b->param != NULL && k < b->model->nparameter && status == CARDAN_OK; k++) {
    const cardan_parameter *p = &b->model->parameter[k];
    if (!p->derived) {
      status = cardan_model_set(*out, p->name, b->param[i * b->model->nparameter + k], NULL);
    }
  }
  return status;
}

static void plain_inputs(const batch *b, int i, int64_t k, cardan_sim *sim)
{
  for (int j = 0; b->u != NULL && k < b->nstep && j < b->model->ninput; j++) {
    cardan_sim_data(sim)->u[j] = b->u[(i * b->nstep + k) * b->model->ninput + j];
  }
}

/* The row as tables have it. */
static cardan_status plain_row(batch *b, int i, int64_t r, cardan_sim *sim)
{
  const cardan_model *m = b->model;
  double *row = numbers(cardan_sim_columns(sim, 0));
  cardan_status status = cardan_sim_row(sim, 0, row);
  status = status == CARDAN_OK ? cardan__watch_heed(sim, NULL) : status;
  const int64_t at = i * b->nrow + r;
  for (int k = 0; k < m->nq && status == CARDAN_OK; k++) {
    b->q[at * m->nq + k] = cardan_sim_data(sim)->q[k];
  }
  for (int k = 0; k < m->nv && status == CARDAN_OK; k++) {
    b->v[at * m->nv + k] = cardan_sim_data(sim)->v[k];
  }
  for (int k = 0; k < m->ny && status == CARDAN_OK; k++) {
    char name[64] = "y.";
    strncat(name, m->output[k].name, 40);
    b->y[at * m->ny + k] = row[cardan_sim_find_column(sim, 0, name)];
  }
  free(row);
  return status;
}

static cardan_status plain_copy(batch *b, int i, cardan_model **model, cardan_sim **sim)
{
  const cardan_model *m = b->model;
  cardan_status status = plain_model(b, i, model);
  status = status ? status : cardan_sim_create(*model, &b->options, NULL, sim, NULL);
  if (status != CARDAN_OK) {
    return status;
  }
  cardan_data *data = cardan_sim_data(*sim);
  for (int k = 0; b->q0 != NULL && k < m->nq; k++) {
    data->q[k] = b->q0[i * m->nq + k];
  }
  for (int k = 0; b->v0 != NULL && k < m->nv; k++) {
    data->v[k] = b->v0[i * m->nv + k];
  }
  plain_inputs(b, i, 0, *sim);
  status = cardan_sim_start(*sim, NULL);
  for (int64_t k = 0; k <= b->nstep && status == CARDAN_OK; k++) {
    status = k > 0 ? cardan_sim_step(*sim, NULL) : CARDAN_OK;
    if (status == CARDAN_OK) {
      plain_inputs(b, i, k, *sim);
      status = k % b->options.every == 0 ? plain_row(b, i, k / b->options.every, *sim) : CARDAN_OK;
    }
  }
  return status;
}

/* All copies one after the other, each with a sim of its own; what is not written is NaN. */
static batch plain_loop(const batch *of)
{
  batch b = beside(of);
  for (int64_t k = 0; k < b.nbatch * b.nrow; k++) {
    for (int j = 0; j < b.model->nq; j++) {
      b.q[k * b.model->nq + j] = NAN;
    }
    for (int j = 0; j < b.model->nv; j++) {
      b.v[k * b.model->nv + j] = NAN;
    }
    for (int j = 0; j < b.model->ny; j++) {
      b.y[k * b.model->ny + j] = NAN;
    }
  }
  for (int i = 0; i < b.nbatch; i++) {
    cardan_model *model = NULL;
    cardan_sim *sim = NULL;
    b.status[i] = plain_copy(&b, i, &model, &sim);
    cardan_sim_destroy(sim);
    cardan_model_destroy(model);
  }
  return b;
}

/* ---- comparisons ---- */

static uint64_t bits(double x)
{
  uint64_t out;
  memcpy(&out, &x, sizeof out);
  return out;
}

static void expect_bits(const char *what, const double *a, const double *b, int64_t n, int nthread)
{
  for (int64_t k = 0; k <= n; k++) { // the one behind the last as well: no call writes there
    if (bits(a[k]) != bits(b[k])) {
      fail_msg("%s, %d threads: number %lld is %.17g, and %.17g by the plain loop", what, nthread,
               (long long)k, a[k], b[k]);
    }
  }
}

static void expect_same(const batch *a, const batch *b, const char *what, int nthread)
{
  const cardan_model *m = a->model;
  for (int i = 0; i < a->nbatch; i++) {
    if (a->status[i] != b->status[i]) {
      fail_msg("%s, %d threads: copy %d ended with %d, and with %d by the plain loop", what,
               nthread, i, (int)a->status[i], (int)b->status[i]);
    }
  }
  expect_bits(what, a->q, b->q, a->nbatch * a->nrow * m->nq, nthread);
  expect_bits(what, a->v, b->v, a->nbatch * a->nrow * m->nv, nthread);
  expect_bits(what, a->y, b->y, a->nbatch * a->nrow * m->ny, nthread);
}

/* The call on several numbers of threads against the plain loop; returns how many copies fail. */
static int expect_plain(batch *b, const char *what)
{
  static const int nthread[] = {1, 2, 3, 5, 0};
  batch plain = plain_loop(b);
  int failed = 0, first = -1;
  for (int i = b->nbatch - 1; i >= 0; i--) {
    failed += plain.status[i] != CARDAN_OK;
    first = plain.status[i] != CARDAN_OK ? i : first;
  }
  for (size_t t = 0; t < sizeof nthread / sizeof *nthread; t++) {
    batch threads = beside(b);
    cardan_report report = {.message = ""};
    const cardan_status status = call(&threads, nthread[t], &report);
    expect_same(&threads, &plain, what, nthread[t]);
    assert_int_equal(status, first < 0 ? CARDAN_OK : plain.status[first]);
    assert_int_equal(report.message[0] != '\0', first >= 0);
    free_results(&threads);
  }
  free_results(&plain);
  return failed;
}

/* ---- tests ---- */

enum { COPIES = 5, STEPS = 7, EVERY = 3 };

static cardan_options options_of(const char *method, double dt)
{
  cardan_options o = run_options(method, dt, 0);
  o.rtol = o.atol = 1e-7; // the default of run.h is finer than CVODE can go
  o.every = EVERY;
  o.lanes = "off"; // those in lanes agree to round-off (test_rollout_lanes)
  cardan_options_drop_unused(&o);
  return o;
}

static bool takes(const cardan_model *model, const cardan_options *options)
{
  cardan_sim *sim = NULL;
  const cardan_status status = cardan_sim_create(model, options, NULL, &sim, NULL);
  cardan_sim_destroy(sim);
  return status == CARDAN_OK;
}

/* Every method that takes the model; expected: at least so many. */
static void expect_methods(const char *name, double dt, double size, int least)
{
  cardan_model *model = load_model(name, NULL);
  int taken = 0;
  for (int i = 0; run_method(i) != NULL; i++) {
    char method[64];
    strncpy(method, run_method(i), sizeof method - 1);
    method[sizeof method - 1] = '\0';
    const cardan_options options = options_of(method, dt);
    if (takes(model, &options)) {
      batch b = make_batch(model, &options, COPIES, STEPS);
      scatter(&b, size);
      const int failed = expect_plain(&b, method);
      if (failed > 0) {
        fail_msg("%s by %s: %d copies failed", name, method, failed);
      }
      free_batch(&b);
      taken++;
    }
  }
  cardan_model_destroy(model);
  if (taken < least) {
    fail_msg("%d methods take %s, expected %d", taken, name, least);
  }
}

static void test_chain(void **state)
{
  (void)state;
  expect_methods("chain:5", 2e-3, 0.3, 30);
}

static void test_closed_chain(void **state)
{
  (void)state;
  expect_methods("closed-chain", 2e-3, 0.01, 20);
}

static void test_humanoid(void **state)
{
  (void)state;
  expect_methods("human", 2e-3, 0.1, 30);
}

/* Boxes and a ball that fall on the floor; arms that meet their limits. */
static void test_contacts(void **state)
{
  (void)state;
  expect_methods(
      "(system (gravity 0 0 -9.81) (place (0 0 0) (name \"ground\") (solid plane))"
      " (place (0 0 0.12) (joint free \"crate\" (mass 2 .02 .02 .02) (solid box .4 .3 .2)))"
      " (place (0.1 0 0.33) (joint free \"b\" (mass 1 .02 .02 .02) (solid box .2 .2 .2)))"
      " (place (1 0 0.12) (joint free \"c\" (mass 1 .004 .004 .004) (solid sphere 0.1)))"
      " (contact all (friction 0.3) (restitution 0.6)))",
      1e-2, 0.005, 1);
  expect_methods("(system (gravity 0 0 -9.81)"
                 " (joint revolute \"a\" (axis 0 1 0) (limit -0.2 0.05 (restitution 0.6))"
                 "  (tz -1 (mass 1)"
                 "   (joint revolute \"b\" (axis 0 1 0) (limit -0.3 0.7) (tz -0.8 (mass 1)))))"
                 " (initial (\"b\" 0.65)))",
                 2e-2, 0.02, 2);
}

/* Some methods, of each family one. */
static const char *const some[] = {"vi",      "svi",       "rattle",          "half-implicit",
                                   "aba:rk4", "aba:ode45", "hamilton:dopri5", NULL};

/* Other inputs in every step; outputs that see them, and accelerations. */
static void test_inputs(void **state)
{
  (void)state;
  cardan_model *model =
      load_model("(system (input \"f\" 2) (input \"g\") (gravity 0 0 -9.81)"
                 " (ry \"a\" (tz -1 (mass 1 1 1 1) (ry \"b\" (tz -1 (mass 1 1 1 1) (name \"E\")))))"
                 " (torque \"a\" (* 3 u.f)) (torque \"b\" u.g) (output \"f\" u.f)"
                 " (output \"x\" (px \"E\")) (output \"a\" (ax \"E\")))",
                 NULL);
  for (int k = 0; some[k] != NULL; k++) {
    const cardan_options options = options_of(some[k], 5e-3);
    batch b = make_batch(model, &options, COPIES, STEPS);
    scatter(&b, 0.3);
    assert_int_equal(expect_plain(&b, some[k]), 0); // the model's own inputs
    b.u = numbers(COPIES * STEPS * model->ninput);
    support_random_vec(&(support_rng){3}, b.u, COPIES * STEPS * model->ninput, 5.0);
    assert_int_equal(expect_plain(&b, some[k]), 0);
    // the output is the input of the step that begins at the row; at the last, of the last
    batch once = beside(&b);
    assert_int_equal(call(&once, 2, NULL), CARDAN_OK);
    for (int i = 0; i < COPIES; i++) {
      for (int r = 0; r < once.nrow; r++) {
        const int64_t step = r * EVERY < STEPS ? r * EVERY : STEPS - 1;
        assert_true(once.y[(i * once.nrow + r) * 3] == b.u[(i * STEPS + step) * 2]);
      }
    }
    free_results(&once);
    free_batch(&b);
  }
  cardan_model_destroy(model);
}

/* A table of inputs, held from row to row, with a row for each step and for the last node. */
static void test_table(void **state)
{
  (void)state;
  const double h = 1.0 / 128; // so that rows of the table lie on the nodes
  cardan_model *model =
      load_model("(system (input \"f\") (gravity 0 0 -9.81) (ry \"a\" (tz -1 (mass 1 1 1 1)"
                 " (name \"E\"))) (torque \"a\" u.f) (output \"f\" u.f) (output \"a\" (ax \"E\")))",
                 NULL);
  for (int k = 0; some[k] != NULL; k++) {
    const cardan_options options = options_of(some[k], h);
    batch b = make_batch(model, &options, 1, STEPS);
    char text[64 * (STEPS + 2)] = "t,u.f\n";
    b.u = numbers(STEPS);
    for (int i = 0; i <= STEPS; i++) {
      const int last = i < STEPS ? i : STEPS - 1;
      b.u[last] = 0.25 * (last * last % 7) - 1;
      snprintf(text + strlen(text), 64, "%.17g,%.17g\n", i * h, b.u[last]);
    }
    batch table = beside(&b);
    cardan_sim *sim = NULL;
    cardan_signals *signals = NULL;
    expect_ok(cardan_signals_read(model, text, strlen(text), "u.csv", false, NULL, &signals, NULL),
              NULL, "table");
    expect_ok(cardan_sim_create(model, &options, NULL, &sim, NULL), NULL, some[k]);
    cardan_sim_signals(sim, signals);
    expect_ok(cardan_sim_start(sim, NULL), NULL, some[k]);
    for (int i = 0; i <= STEPS; i++) {
      expect_ok(i > 0 ? cardan_sim_step(sim, NULL) : CARDAN_OK, NULL, some[k]);
      expect_ok(i % EVERY == 0 ? plain_row(&table, 0, i / EVERY, sim) : CARDAN_OK, NULL, some[k]);
    }
    assert_int_equal(call(&b, 1, NULL), CARDAN_OK);
    table.status[0] = CARDAN_OK;
    expect_same(&b, &table, some[k], 1);
    cardan_sim_destroy(sim);
    cardan_signals_destroy(signals);
    free_results(&table);
    free_batch(&b);
  }
  cardan_model_destroy(model);
}

/* A model of its own for each copy: masses and lengths, a loop among them; a value that none can
 * have. */
static void test_parameters(void **state)
{
  (void)state;
  cardan_model *model = load_model(
      "(system (parameter p 1) (parameter m 2) (define half (/ p 2)) (gravity 0 0 -9.81)"
      " (ry \"a\" (tz p (mass m 1 1 1) (ry \"b\" (tx 2 (mass half 1 1 1)"
      " (ry \"c\" (tz (- p) (mass 1 1 1 1) (name \"E\"))))))) (place (2 0 0) (name \"G\"))"
      " (coincide \"E\" \"G\") (initial (\"a\" 0.1)) (output \"z\" (pz \"E\")))",
      NULL);
  assert_int_equal(model->nparameter, 3);
  for (int k = 0; some[k] != NULL; k++) {
    const cardan_options options = options_of(some[k], 5e-3);
    batch b = make_batch(model, &options, COPIES, STEPS);
    b.param = numbers(COPIES * 3);
    for (int i = 0; i < COPIES; i++) {
      for (int j = 0; j < 3; j++) {
        const cardan_parameter *at = &model->parameter[j];
        b.param[3 * i + j] = at->derived ? (double)NAN : at->value + 0.1 * (i + j);
      }
    }
    assert_int_equal(expect_plain(&b, some[k]), 0);
    b.param[3 * 2 + cardan_model_parameter(model, "m")] = -1;
    assert_int_equal(expect_plain(&b, some[k]), 1);
    free_batch(&b);
  }
  cardan_model_destroy(model);
}

// lo = 3 with the model's hi = 2 is no limit, and neither is hi = -1 with its lo = 1
static void test_parameters_together(void **state)
{
  (void)state;
  cardan_model *model = load_model("(system (parameter lo 1) (parameter hi 2)"
                                   " (joint prismatic \"z\" (axis 0 0 1) (limit lo hi) (mass 1))"
                                   " (initial (\"z\" (/ (+ lo hi) 2))))",
                                   NULL);
  const cardan_options options = options_of("vi", 1e-2);
  batch b = make_batch(model, &options, 2, 3);
  static const double param[] = {3, 4, -2, -1};
  b.param = numbers(4);
  memcpy(b.param, param, sizeof param);
  assert_int_equal(call(&b, 1, NULL), CARDAN_OK);
  assert_true(b.q[0] == 3.5 && b.q[1] == 3.5 && b.q[2] == -1.5);
  free_batch(&b);
  cardan_model_destroy(model);
}

/* The same call with ends: the rows and statuses of `b`, a sentence for each copy that failed, and
 * how far the energy of the others went. */
static void expect_ends(const batch *b)
{
  cardan_rollout_end end[6];
  batch told = beside(b);
  assert_true(b->nbatch <= 6);
  const cardan_status status = cardan_rollout(&(cardan_rollout_args){.model = b->model,
                                                                     .options = &b->options,
                                                                     .nthread = 2,
                                                                     .nbatch = b->nbatch,
                                                                     .nstep = b->nstep,
                                                                     .q0 = b->q0,
                                                                     .v0 = b->v0,
                                                                     .u = b->u,
                                                                     .param = b->param,
                                                                     .q = told.q,
                                                                     .v = told.v,
                                                                     .y = told.y,
                                                                     .end = end},
                                              NULL);
  int first = -1;
  for (int i = b->nbatch - 1; i >= 0; i--) {
    told.status[i] = end[i].status;
    first = end[i].status != CARDAN_OK ? i : first;
    assert_int_equal(end[i].message[0] != '\0', end[i].status != CARDAN_OK);
    assert_true(end[i].status != CARDAN_OK || end[i].drift >= 0);
  }
  assert_int_equal(status, first < 0 ? CARDAN_OK : end[first].status);
  expect_same(&told, b, "with ends", 2);
  free_results(&told);
}

/* A robot that falls on its feet and stands at the end: with rows of both ends alone the watch sees
 * the nodes between them, and how fast it was there. */
static void test_looks(void **state)
{
  (void)state;
  cardan_model *model = load_model("quadruped", NULL);
  cardan_options options = options_of("vi", 2e-3);
  cardan_rollout_end end[2];
  options.every = 150;
  options.strict = true;
  assert_int_equal(cardan_rollout(&(cardan_rollout_args){.model = model,
                                                         .options = &options,
                                                         .nthread = 2,
                                                         .nbatch = 2,
                                                         .nstep = 150,
                                                         .end = end},
                                  NULL),
                   CARDAN_OK);
  assert_string_equal(end[0].note, "");
  cardan_model_destroy(model);
}

/* Copies that fail at once, on the way, and in the last step; those beside them do not notice. */
static void test_failures(void **state)
{
  (void)state;
  // its force has no value beyond s = 1
  cardan_model *model = load_model(
      "(system (tx \"s\" (mass 1 1 1 1)) (torque \"s\" (sqrt (- 1 q.s))) (output \"s\" q.s))",
      NULL);
  for (int k = 0; some[k] != NULL; k++) {
    cardan_options options = options_of(some[k], 1e-2);
    options.every = 1;
    batch b = make_batch(model, &options, 6, STEPS);
    static const double v0[] = {0.1, 30, 0, 1e9, -1, 17};
    b.v0 = numbers(6);
    memcpy(b.v0, v0, sizeof v0);
    assert_int_equal(expect_plain(&b, some[k]), 3);
    cardan_report report = {.message = ""};
    batch once = beside(&b);
    const cardan_status status = call(&once, 2, &report);
    assert_int_equal(status, once.status[1]);
    assert_memory_equal(report.message, "copy 1: at t = 0.0", 18);
    assert_non_null(strstr(report.message, "(3 of 6 failed)"));
    for (int64_t r = 0; r < once.nrow; r++) {
      assert_false(isnan(once.q[r]) || isnan(once.v[2 * once.nrow + r]));
      // forces of the old node let the first step go through
      assert_true(r == 1 || isnan(once.q[3 * once.nrow + r]) == (r > 0));
    }
    expect_ends(&once);
    const double *q = once.q + once.nrow, *y = once.y + once.nrow;
    assert_true(!isnan(q[1]) && isnan(q[once.nrow - 1]) && isnan(y[once.nrow - 1]));
    free_results(&once);
    free_batch(&b);
  }
  cardan_model_destroy(model);
}

/* A start that a chain cannot continue from, and one whose loop cannot be closed. */
static void test_failed_starts(void **state)
{
  (void)state;
  static const char *const names[] = {"chain:5", "closed-chain"};
  for (int k = 0; k < 2; k++) {
    cardan_model *model = load_model(names[k], NULL);
    const cardan_options options = options_of("vi", 2e-3);
    batch b = make_batch(model, &options, COPIES, STEPS);
    scatter(&b, 0.01);
    for (int j = 0; j < model->nv; j++) {
      b.v0[1 * model->nv + j] *= 1e9;
      b.v0[4 * model->nv + j] *= 1e200;
    }
    assert_int_equal(expect_plain(&b, names[k]), 2);
    free_batch(&b);
    cardan_model_destroy(model);
  }
}

/* ---- the call itself ---- */

static const char arm[] = "(system (parameter m 1) (parameter n 1) (input \"f\") (input \"g\" 0.5)"
                          " (joint revolute \"a\" (axis 0 n 0) (tz -1 (mass m)))"
                          " (torque \"a\" (+ u.f u.g)) (output \"a\" q.a)"
                          " (keyframe \"up\" (\"a\" 3 0.2) (input \"f\" 2)))";

/* A call that is refused, with a sentence that has such words, and leaves everything as it was. */
static void refuse(batch *b, int nthread, cardan_status status, const char *words)
{
  const cardan_model *m = b->model;
  batch before = beside(b);
  cardan_report report = {.message = ""};
  memset(b->status, 77, COPIES * sizeof *b->status);
  memset(before.status, 77, COPIES * sizeof *b->status);
  assert_int_equal(call(b, nthread, &report), status);
  if (strstr(report.message, words) == NULL) {
    fail_msg("found \"%s\", expected \"%s\"", report.message, words);
  }
  expect_bits("q", b->q, before.q, COPIES * b->nrow * m->nq, nthread);
  expect_bits("v", b->v, before.v, COPIES * b->nrow * m->nv, nthread);
  expect_bits("y", b->y, before.y, COPIES * b->nrow * m->ny, nthread);
  assert_memory_equal(b->status, before.status, COPIES * sizeof *b->status);
  free_results(&before);
}

/* The same for one number among those of an argument. */
static void refuse_number(batch *b, double *x, double wrong, const char *words)
{
  const double right = *x;
  *x = wrong;
  refuse(b, 2, CARDAN_ERR_ARGUMENT, words);
  *x = right;
}

static void test_arguments(void **state)
{
  (void)state;
  cardan_model *model = load_model(arm, NULL);
  const cardan_options options = options_of("vi", 1e-2);
  batch b = make_batch(model, &options, COPIES, STEPS);
  scatter(&b, 0.1);
  b.u = numbers(COPIES * STEPS * 2);
  b.param = numbers(COPIES * 2);
  for (int i = 0; i < 2 * COPIES; i++) {
    b.param[i] = 1;
  }
  refuse(&b, -1, CARDAN_ERR_ARGUMENT, "-1 threads");
  refuse_number(&b, &b.q0[3], NAN, "number 0 of q0 of copy 3");
  refuse_number(&b, &b.v0[4], INFINITY, "number 0 of v0 of copy 4");
  refuse_number(&b, &b.u[2 * STEPS + 5], NAN, "number 5 of u of copy 1");
  refuse_number(&b, &b.param[2], NAN, "parameter \"m\" of copy 1 is ");
  refuse_number(&b, &b.param[5], 2, "parameter \"n\" of copy 2 is 2, expected the model's 1");
  refuse_number(&b, &b.options.dt, 0, "dt");
  b.options.every = 0;
  refuse(&b, 2, CARDAN_ERR_ARGUMENT, "every");
  b.options.every = EVERY;
  strcpy(b.options.keyframe, "upp");
  refuse(&b, 2, CARDAN_ERR_ARGUMENT, "up");
  b.options.keyframe[0] = '\0';
  b.options.kq = 3;
  refuse(&b, 2, CARDAN_ERR_UNSUPPORTED, "kq");
  b.options.kq = options.kq;
  assert_int_equal(call(&b, 2, NULL), CARDAN_OK);
  assert_int_equal(
      cardan_rollout(
          &(cardan_rollout_args){
              .model = model, .options = &options, .nthread = 1, .nbatch = -1, .nstep = 3},
          NULL),
      CARDAN_ERR_ARGUMENT);
  assert_int_equal(
      cardan_rollout(
          &(cardan_rollout_args){
              .model = model, .options = &options, .nthread = 1, .nbatch = 2, .nstep = -3},
          NULL),
      CARDAN_ERR_ARGUMENT);
  free_batch(&b);
  cardan_model_destroy(model);
  // what no copy of the model can do is reported once
  model = load_model("closed-chain", NULL);
  b = make_batch(model, &options, COPIES, STEPS);
  b.options.method = "baraff";
  cardan_options_drop_unused(&b.options);
  b.options.integrator = "gauss4";
  if (!takes(model, &b.options)) {
    refuse(&b, 2, CARDAN_ERR_UNSUPPORTED, "");
  }
  free_batch(&b);
  cardan_model_destroy(model);
}

/* No copies; no steps; nothing requested; more threads than copies. */
static void test_nothing(void **state)
{
  (void)state;
  cardan_model *model = load_model(arm, NULL);
  const cardan_options options = options_of("aba:rk4", 1e-2);
  batch none = make_batch(model, &options, 0, STEPS);
  assert_int_equal(call(&none, 0, NULL), CARDAN_OK);
  assert_true(none.q[0] == -7.0);
  free_batch(&none);
  batch still = make_batch(model, &options, COPIES, 0);
  scatter(&still, 0.1);
  assert_int_equal(still.nrow, 1);
  assert_int_equal(expect_plain(&still, "no steps"), 0);
  free_batch(&still);
  assert_int_equal(
      cardan_rollout(
          &(cardan_rollout_args){
              .model = model, .options = &options, .nthread = 1000, .nbatch = 3, .nstep = 5},
          NULL),
      CARDAN_OK);
  cardan_model_destroy(model);
}

/* A keyframe among the options is the start, inputs included, and the model stays as it is. */
static void test_keyframe(void **state)
{
  (void)state;
  cardan_model *model = load_model(arm, NULL), *up = load_model(arm, NULL);
  cardan_options options = options_of("vi", 1e-2);
  expect_ok(cardan_model_set_start(up, "up", NULL), NULL, "keyframe");
  strcpy(options.keyframe, "up");
  batch b = make_batch(model, &options, 3, STEPS), other = make_batch(up, &options, 3, STEPS);
  assert_int_equal(call(&b, 2, NULL), CARDAN_OK);
  assert_true(b.q[0] == 3.0 && model->start < 0);
  assert_int_equal(expect_plain(&other, "keyframe"), 0);
  assert_int_equal(call(&other, 2, NULL), CARDAN_OK);
  expect_same(&b, &other, "keyframe", 2);
  free_batch(&b);
  free_batch(&other);
  cardan_model_destroy(model);
  cardan_model_destroy(up);
}

static long allocations(const cardan_model *model, const cardan_options *options, int64_t nstep)
{
  batch b = make_batch(model, options, 3, nstep);
  const long before = support_alloc_count();
  assert_int_equal(call(&b, 1, NULL), CARDAN_OK);
  const long taken = support_alloc_count() - before;
  free_batch(&b);
  return taken;
}

/* Memory is taken before the steps, and not again for the next copy. */
static void test_no_allocation(void **state)
{
  (void)state;
  static const char *const names[] = {"human", "closed-chain", "bouncing-ball"};
  if (!support_alloc_counts()) {
    skip();
  }
  for (int k = 0; k < 3; k++) {
    cardan_model *model = load_model(names[k], NULL);
    const cardan_options options = options_of("vi", 2e-3);
    assert_int_equal(allocations(model, &options, 5), allocations(model, &options, 300));
    cardan_model_destroy(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain),         cmocka_unit_test(test_closed_chain),
      cmocka_unit_test(test_humanoid),      cmocka_unit_test(test_contacts),
      cmocka_unit_test(test_inputs),        cmocka_unit_test(test_table),
      cmocka_unit_test(test_parameters),    cmocka_unit_test(test_parameters_together),
      cmocka_unit_test(test_looks),         cmocka_unit_test(test_failures),
      cmocka_unit_test(test_failed_starts), cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_nothing),       cmocka_unit_test(test_keyframe),
      cmocka_unit_test(test_no_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
