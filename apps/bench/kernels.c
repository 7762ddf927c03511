// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "bench/bench.h"
#include "bench/peers.h"
#include "cardan/data.h"
#include "cardan/dynamics.h"
#include "cardan/linearize.h"
#include "cardan/load.h"
#include "reproduce/motion.h"

/* Single evaluations, each from q and v, as a caller would make them; and derivatives. */

typedef struct {
  cardan_model *model;
  cardan_data *data;
  double *out;           // nv, and room for three matrices nv x nv where derivatives are timed
  double *D[3];          // those
  cardan__motion motion; // of a linearised step
} subject;

static void close_subject(subject *s)
{
  cardan__resize(NULL, s->out, 0);
  cardan_data_destroy(s->data);
  cardan_model_destroy(s->model);
  cardan__motion_close(&s->motion);
}

static cardan_status open_subject(const char *name, bool slopes, subject *s, cardan_report *report)
{
  *s = (subject){.model = NULL};
  cardan_status status = cardan_model_load(name, NULL, 0, NULL, &s->model, report);
  if (status == CARDAN_OK) {
    status = cardan_data_create(s->model, NULL, &s->data);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  const size_t nv = (size_t)s->model->nv, matrices = slopes ? 3 * nv * nv : 0;
  s->out = cardan__resize(NULL, NULL, (nv + matrices + 1) * sizeof *s->out);
  if (s->out == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (size_t k = 0; k < nv; k++) {
    s->data->v[k] = 0.1 * sin((double)k);
  }
  for (int k = 0; k < 3; k++) {
    s->D[k] = slopes ? s->out + nv + (size_t)k * nv * nv : NULL;
  }
  return cardan_forward(s->model, s->data, 0, 0);
}

static cardan_status inverse(void *user, int n, cardan_report *report)
{
  const subject *s = user;
  (void)report;
  for (int i = 0; i < n; i++) {
    cardan_inverse(s->model, s->data, s->data->a, s->out);
  }
  return CARDAN_OK;
}

static cardan_status forward(void *user, int n, cardan_report *report)
{
  const subject *s = user;
  cardan_status status = CARDAN_OK;
  (void)report;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = cardan_forward(s->model, s->data, 0, 0);
  }
  return status;
}

static cardan_status solve(void *user, int n, cardan_report *report)
{
  const subject *s = user;
  (void)report;
  for (int i = 0; i < n; i++) {
    cardan_factor_solve(s->model, s->data, NULL, s->data->tau, s->out);
  }
  return CARDAN_OK;
}

static cardan_status inverse_slopes(void *user, int n, cardan_report *report)
{
  const subject *s = user;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = inverse(user, 1, report);
    status = status == CARDAN_OK
                 ? cardan_inverse_slopes(s->model, s->data, s->data->a, s->D[0], s->D[1], NULL)
                 : status;
  }
  return status;
}

static cardan_status forward_slopes(void *user, int n, cardan_report *report)
{
  const subject *s = user;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    status = forward(user, 1, report);
    status = status == CARDAN_OK
                 ? cardan_forward_slopes(s->model, s->data, s->D[0], s->D[1], s->D[2])
                 : status;
  }
  return status;
}

static cardan_status linearise(void *user, int n, cardan_report *report)
{
  subject *s = user;
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < n && status == CARDAN_OK; i++) {
    cardan_linearization *linear = NULL;
    status = cardan_linearize(s->motion.sim, NULL, &linear, report);
    cardan_linearization_destroy(linear);
  }
  return status;
}

typedef struct {
  const char *label, *how;
  cardan_status (*run)(void *user, int n, cardan_report *report);
} kernel;

/* One column: all kernels on one model. body: ns a body, else us. */
static cardan_status measure(cardan__bench *b, const char *name, const kernel *list, int n,
                             bool slopes, bool body, cardan__bench_table *t, int column,
                             cardan_report *report)
{
  cardan__bench_cases cases = {0};
  cardan__peer_subject theirs[CARDAN__CASES];
  subject s;
  cardan_status status = open_subject(name, slopes, &s, report);
  if (status == CARDAN_OK && slopes) {
    status = cardan__motion_open(name, "method=vi", 1e-3, &s.motion, report);
  }
  for (int k = 0; k < n && status == CARDAN_OK; k++) {
    cardan__bench_case *c = cardan__bench_case_new(&cases, list[k].label, list[k].how);
    if (c != NULL) {
      c->timed.subject = &s;
      c->timed.run = list[k].run;
    }
  }
  if (status == CARDAN_OK && !slopes) {
    static const char *const kinds[] = {"inverse", "forward"};
    for (int k = 0; k < 2; k++) {
      cardan__peers_add(b, s.model, name, s.data->q, s.data->v, kinds[k], 0, 0, theirs, &cases);
    }
  }
  if (status == CARDAN_OK) {
    status = cardan__bench_measure(b, &cases, t, column, body ? 1e9 / (s.model->nbody - 1) : 1e6);
  }
  close_subject(&s);
  return status;
}

cardan_status cardan__bench_kernels(cardan__bench *b, cardan_report *report)
{
  static const kernel list[] = {{"inverse dynamics (rnea)", "", inverse},
                                {"forward dynamics (aba)", "", forward},
                                {"M^-1 x (factor at hand)", "", solve}};
  static const char *const columns[] = {"n = 10", "n = 100", "n = 1000", "n = 10000",
                                        "growth 100 to 10000"};
  static const char *const models[] = {"humanoid", "human"};
  enum { SIZES = 4, KERNELS = sizeof list / sizeof list[0] };
  const int sizes = b->options->quick ? 3 : SIZES;
  cardan__bench_table *t = cardan__bench_table_new(
      b, "kernels-chain", "One evaluation on chain:n, ns a body",
      sizes < SIZES
          ? "From q and v."
          : "From q and v. growth: exponent of the time of a call from n = 100 to 10,000.",
      columns, sizes < SIZES ? sizes : SIZES + 1);
  cardan_status status = CARDAN_OK;
  for (int i = 0, n = 10; i < sizes && status == CARDAN_OK; i++, n *= 10) {
    char name[32];
    snprintf(name, sizeof name, "chain:%d", n);
    status = cardan__bench_progress(b, (double)i / (sizes + 1));
    if (status == CARDAN_OK) {
      status = measure(b, name, list, KERNELS, false, true, t, i, report);
    }
  }
  for (int r = 0; r < t->nrow && sizes == SIZES && status == CARDAN_OK; r++) {
    const double *ns = t->row[r].value;
    cardan__bench_set(b, t, r, SIZES, 1 + cardan__growth(ns[1], ns[3], 100, 1e4), NULL);
  }
  cardan__bench_table_done(b, t);
  t = cardan__bench_table_new(b, "kernels-models", "One evaluation, us", "", models, 2);
  for (int i = 0; i < 2 && status == CARDAN_OK; i++) {
    status = measure(b, models[i], list, KERNELS, false, false, t, i, report);
  }
  cardan__bench_table_done(b, t);
  return status;
}

cardan_status cardan__bench_derivatives(cardan__bench *b, cardan_report *report)
{
  static const kernel list[] = {
      {"forward dynamics", "", forward},
      {"inverse dynamics with derivatives", "by q and v", inverse_slopes},
      {"forward dynamics with derivatives", "by q and v and tau", forward_slopes},
      {"linearised step", "vi; dt 1 ms; A and B exact", linearise}};
  static const char *const models[] = {"humanoid", "chain:30", "chain:100"};
  cardan__bench_table *t =
      cardan__bench_table_new(b, "derivatives", "Derivatives, us", "", models, 3);
  cardan_status status = CARDAN_OK;
  for (int i = 0; i < 3 && status == CARDAN_OK; i++) {
    status = cardan__bench_progress(b, i / 3.0);
    if (status == CARDAN_OK) {
      status = measure(b, models[i], list, 4, true, false, t, i, report);
    }
  }
  cardan__bench_table_done(b, t);
  return status;
}
