// SPDX-License-Identifier: Apache-2.0
// Copies on threads are what a plain loop makes of each, to the bit: whatever the method, the
// number of threads, and what the copy before it on the same thread did. The thread sanitizer runs
// this in `make test`.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/linalg.h"
#include "run.h"

/* One call, with room for what comes out of it. */
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

static batch make_batch(const cardan_model *model, const cardan_options *options, int nbatch,
                        int64_t nstep)
{
  batch b = {.model = model, .options = *options, .nbatch = nbatch, .nstep = nstep};
  b.nrow = nstep / options->every + 1;
  b.q = numbers(nbatch * b.nrow * model->nq);
  b.v = numbers(nbatch * b.nrow * model->nv);
  b.y = numbers(nbatch * b.nrow * model->ny);
  b.status = malloc((size_t)(nbatch + 1) * sizeof *b.status);
  assert_non_null(b.status);
  return b;
}

/* Room for the same call's results beside it. */
static batch beside(const batch *b)
{
  batch other = make_batch(b->model, &b->options, b->nbatch, b->nstep);
  other.q0 = b->q0, other.v0 = b->v0, other.u = b->u, other.param = b->param;
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
  return cardan_rollout(b->model, &b->options, nthread, b->nbatch, b->nstep, b->q0, b->v0, b->u,
                        b->param, b->q, b->v, b->y, b->status, report);
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
  const cardan_status status = cardan_sim_row(sim, 0, row);
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

static void expect_bits(const char *what, const double *a, const double *b, int64_t n, int nthread)
{
  for (int64_t k = 0; k <= n; k++) { // the one behind the last as well: nobody writes there
    if (memcmp(&a[k], &b[k], sizeof *a) != 0) {
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
  cardan_options_fit(&o);
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

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain),
      cmocka_unit_test(test_closed_chain),
      cmocka_unit_test(test_humanoid),
      cmocka_unit_test(test_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
