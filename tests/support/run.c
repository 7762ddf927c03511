// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "run/sim.h"

const char *run_method(int i)
{
  static const char *const plain[] = {"vi", "svi", "rattle", "half-implicit", "fully-implicit"};
  static const char *const over[] = {"aba", "hamilton", "baraff"};
  enum { NPLAIN = sizeof plain / sizeof *plain, NOVER = sizeof over / sizeof *over };
  static char text[64];
  if (i < NPLAIN) {
    return plain[i];
  }
  const char *integrator = cardan_integrator_name((i - NPLAIN) / NOVER);
  if (integrator == NULL) {
    return NULL;
  }
  snprintf(text, sizeof text, "%s:%s", over[(i - NPLAIN) % NOVER], integrator);
  return text;
}

cardan_options run_options(const char *method, double dt, double time)
{
  cardan_options o = cardan_options_defaults();
  static const char *const over[] = {"aba", "hamilton", "baraff"};
  o.method = method;
  for (int i = 0; i < 3; i++) {
    const size_t n = strlen(over[i]);
    if (strncmp(method, over[i], n) == 0 && method[n] == ':') {
      o.method = over[i];
      o.integrator = method + n + 1;
    }
  }
  o.dt = dt;
  o.time = time > 0 ? time : 1e9;
  if (cardan_method_has_option(o.method, "rtol", NULL) == CARDAN_OK) {
    o.rtol = 1e-12;
    o.atol = 1e-13;
  }
  return o;
}

run run_load(const char *model, const char *setting, const cardan_options *options)
{
  cardan_report report = {.message = ""};
  run r = {.model = load_model(model, setting)};
  expect_ok(cardan_sim_create(r.model, options, NULL, &r.sim, &report), &report, model);
  r.data = cardan_sim_data(r.sim);
  return r;
}

void run_start(run *r)
{
  cardan_report report = {.message = ""};
  expect_ok(cardan_sim_start(r->sim, &report), &report, r->model->name);
  r->data = cardan_sim_data(r->sim);
}

void run_steps(run *r, int n)
{
  cardan_report report = {.message = ""};
  for (int i = 0; i < n; i++) {
    expect_ok(cardan_sim_step(r->sim, &report), &report, r->model->name);
    if (r->sim->stepper->method->node == NULL) { // the node has velocities: drift counts there too
      expect_ok(cardan_sim_observe(r->sim), NULL, r->model->name);
    }
  }
  r->data = cardan_sim_data(r->sim);
}

void run_free(run *r)
{
  cardan_sim_destroy(r->sim);
  cardan_model_destroy(r->model);
}

run run_begin(const char *model, const char *setting, const cardan_options *options)
{
  run r = run_load(model, setting, options);
  run_start(&r);
  return r;
}

run run_whole(const char *model, const char *setting, const cardan_options *options)
{
  run r = run_begin(model, setting, options);
  run_steps(&r, (int)floor(options->time / options->dt + 1e-9));
  return r;
}

void run_end(const char *model, const char *setting, const cardan_options *options, double T,
             int steps, double *q)
{
  cardan_options o = *options;
  o.dt = T / steps;
  run r = run_begin(model, setting, &o);
  run_steps(&r, steps);
  memcpy(q, r.data->q, (size_t)r.model->nq * sizeof *q);
  run_free(&r);
}

double run_q(const run *r, const char *name)
{
  const int k = cardan_model_q(r->model, name);
  assert_true(k >= 0);
  return r->data->q[k];
}

double run_v(const run *r, const char *name)
{
  const int k = cardan_model_v(r->model, name);
  assert_true(k >= 0);
  return r->data->v[k];
}

double run_energy(const run *r)
{
  return cardan_kinetic(r->model, r->data) + cardan_potential(r->model, r->data);
}

double run_column(run *r, int add, const char *name)
{
  const int n = cardan_sim_columns(r->sim, add);
  double *row = calloc((size_t)n, sizeof *row), value = (double)NAN;
  char column[64];
  assert_non_null(row);
  assert_int_equal(cardan_sim_row(r->sim, add, row), CARDAN_OK);
  for (int k = 0; k < n; k++) {
    cardan_sim_column(r->sim, add, k, column, sizeof column);
    if (strcmp(column, name) == 0) {
      value = row[k];
    }
  }
  free(row);
  if (isnan(value)) {
    fail_msg("no column \"%s\"", name);
  }
  return value;
}

static cardan_status hash_steps(cardan_sim *sim, int steps, uint64_t *hash)
{
  const int add = CARDAN_ADD_MOMENTUM | CARDAN_ADD_REACTIONS | CARDAN_ADD_MULTIPLIERS |
                  CARDAN_ADD_WORK | CARDAN_ADD_CONTACTS;
  const size_t size = (size_t)cardan_sim_columns(sim, add) * sizeof(double);
  double *row = malloc(size);
  cardan_status status = row != NULL ? cardan_sim_start(sim, NULL) : CARDAN_ERR_MEMORY;
  *hash = CARDAN__HASH_START;
  for (int k = 0; k <= steps && status == CARDAN_OK; k++) {
    status = k > 0 ? cardan_sim_step(sim, NULL) : CARDAN_OK;
    if (status == CARDAN_OK) {
      status = cardan_sim_row(sim, add, row);
    }
    if (status == CARDAN_OK) {
      *hash = cardan__fnv1a(*hash, row, size);
    }
  }
  free(row);
  return status;
}

cardan_status run_hash(const cardan_model *model, const cardan_options *options, int steps,
                       uint64_t *hash)
{
  cardan_sim *sim = NULL;
  cardan_status status = cardan_sim_create(model, options, NULL, &sim, NULL);
  if (status == CARDAN_OK) {
    status = hash_steps(sim, steps, hash);
  }
  cardan_sim_destroy(sim);
  return status;
}
