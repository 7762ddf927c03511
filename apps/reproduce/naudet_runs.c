// SPDX-License-Identifier: Apache-2.0
#include "reproduce/naudet_runs.h"

#include <math.h>
#include <string.h>

#include "cardan/constraints.h"
#include "cardan/load.h"
#include "cardan/run.h"
#include "methods/continuous/continuous.h"
#include "run/sim_access.h"

enum { FREE = CARDAN__BIPED_FREE, COORDINATES = 5, MOST = 2 * COORDINATES };

/* A biped under way. */
typedef struct {
  cardan_model *model;
  cardan_sim *sim;
  cardan__continuous *continuous;
  const cardan__biped_watch *watch;
  cardan__biped_run *out;
  int64_t evaluations; // up to the last row
} biped;

static cardan_options options_of(int formulation, const cardan__biped_options *given)
{
  cardan_options o = cardan_options_defaults();
  o.method = formulation == CARDAN__ACCELERATIONS ? "aba" : "hamilton";
  o.form = formulation == CARDAN__ACCELERATIONS ? NULL : "reduced";
  o.integrator = given->integrator;
  o.error_control = given->control;
  o.stabilise = "none";
  o.dt = given->dt;
  o.time = cardan__biped_end;
  o.rtol = given->tol;
  o.atol = given->tol;
  return o;
}

static void close_biped(biped *b)
{
  cardan_sim_destroy(b->sim);
  cardan_model_destroy(b->model);
}

static cardan_status open_biped(biped *b, const cardan_options *o, cardan_report *report)
{
  cardan_status status = cardan_model_load("biped", NULL, 0, NULL, &b->model, report);
  if (status == CARDAN_OK) {
    status = cardan_sim_create(b->model, o, NULL, &b->sim, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_sim_start(b->sim, report);
  }
  if (status == CARDAN_OK) {
    b->continuous = (cardan__continuous *)cardan__sim_stepper(b->sim);
  }
  return status;
}

static double mean_abs(const double *x)
{
  double sum = 0;
  for (int k = 0; k < FREE; k++) {
    sum += fabs(x[k]) / FREE;
  }
  return sum;
}

/* After a step: its local errors, where they are estimated, into the means; a row for the watch. */
static cardan_status look(void *user, cardan_sim *sim, const cardan_run_state *at,
                          cardan_report *report)
{
  biped *b = user;
  double e_q[COORDINATES], e_v[COORDINATES], e_p[COORDINATES];
  (void)report;
  if (at->status != CARDAN_OK) {
    return CARDAN_OK;
  }
  if (at->steps > 1 && cardan__continuous_errors(cardan__sim_stepper(sim), e_q, e_v, e_p)) {
    b->out->truncation += mean_abs(e_q) / (double)at->steps;
    b->out->conjugate += mean_abs(b->continuous->form->momenta ? e_p : e_v) / (double)at->steps;
  }
  if (b->watch != NULL) {
    cardan_data *data = cardan_sim_data(sim);
    const cardan__ode *ode = b->continuous->ode;
    b->watch->row(b->watch->user, data->t, ode->counters.evaluations - b->evaluations, data->q,
                  data->v, ode->y + b->continuous->nq, cardan_constraint_max(b->model, data));
    b->evaluations = ode->counters.evaluations;
  }
  return CARDAN_OK;
}

static void finish(const biped *b, const cardan__biped_reference *ref)
{
  const cardan__ode_counters *counters = &b->continuous->ode->counters;
  double off[FREE];
  for (int k = 0; k < FREE; k++) {
    off[k] = b->continuous->ode->y[k] - ref->q[k];
  }
  b->out->end = mean_abs(off);
  b->out->violation = cardan_sim_stats(b->sim).constraint_max;
  b->out->evaluations = counters->evaluations;
  b->out->jacobian = counters->jacobian_evaluations;
}

static cardan_status run(const cardan__biped_reference *ref, const cardan_options *o,
                         const cardan__biped_watch *watch, cardan__biped_run *out,
                         cardan_report *report)
{
  biped b = {.watch = watch, .out = out};
  const cardan_sink sink = {.user = &b, .step = look};
  *out = (cardan__biped_run){.end = 0};
  cardan_status status = open_biped(&b, o, report);
  if (status == CARDAN_OK) {
    status = cardan_run(b.sim, lround(cardan__biped_end / o->dt), &sink, 1, NULL, report);
  }
  if (status == CARDAN_OK) {
    finish(&b, ref);
    out->rejected = b.continuous->ode->counters.rejected;
  }
  close_biped(&b);
  return status;
}

static void keep_end(void *user, double t, int64_t evaluations, const double *q, const double *v,
                     const double *x, double violation)
{
  cardan__biped_reference *ref = user;
  (void)t, (void)evaluations, (void)v, (void)x, (void)violation;
  memcpy(ref->q, q, sizeof ref->q);
}

cardan_status cardan__biped_begin(cardan__biped_reference *ref, cardan_report *report)
{
  const cardan__biped_options tight = {.integrator = "dopri5", .dt = cardan__biped_end};
  const cardan__biped_watch watch = {.user = ref, .row = keep_end};
  cardan__biped_run out;
  cardan_options o = options_of(CARDAN__ACCELERATIONS, &tight);
  o.stabilise = "project";
  o.rtol = 1e-14;
  o.atol = 1e-15;
  *ref = (cardan__biped_reference){.q = {0}};
  return run(&(const cardan__biped_reference){.q = {0}}, &o, &watch, &out, report);
}

cardan_status cardan__biped_run_one(const cardan__biped_reference *ref, int formulation,
                                    const cardan__biped_options *o,
                                    const cardan__biped_watch *watch, cardan__biped_run *out,
                                    cardan_report *report)
{
  const cardan_options options = options_of(formulation, o);
  return run(ref, &options, watch, out, report);
}

/* Largest estimated error of the last step, of what is allowed. */
static double error_of(const cardan__ode *ode, const cardan__biped_options *o, int nq)
{
  const bool partial = o->control != NULL && strcmp(o->control, "partial") == 0;
  double worst = 0;
  for (int k = 0; k < (partial ? nq : ode->n); k++) {
    worst = fmax(worst, fabs(ode->error[k]) / (o->tol * fmax(1, fabs(ode->y[k]))));
  }
  return worst;
}

/* One interval from t: as many parts as it needs, *parts and more. */
static cardan_status run_interval(biped *b, const cardan__biped_options *o, double t, int *parts,
                                  double *errors)
{
  cardan__ode *ode = b->continuous->ode;
  double start[MOST + 1];
  cardan_status status = CARDAN_OK;
  memcpy(start, ode->y, (size_t)ode->n * sizeof *start);
  *errors = 0;
  for (int k = 0; k < *parts && status == CARDAN_OK; k++) {
    status = cardan__ode_advance(ode, t + o->dt * (k + 1) / *parts);
    *errors += mean_abs(ode->error);
    if (status == CARDAN_OK && error_of(ode, o, b->continuous->nq) > 1) {
      status = cardan__ode_restart(ode, t, start);
      b->out->rejected++;
      ++*parts;
      *errors = 0;
      k = -1;
    }
  }
  return status;
}

cardan_status cardan__biped_run_parts(const cardan__biped_reference *ref, int formulation,
                                      const cardan__biped_options *o, cardan__biped_run *out,
                                      cardan_report *report)
{
  biped b = {.out = out};
  const cardan_options options = options_of(formulation, o);
  int parts = 1, steps = 0;
  double errors;
  *out = (cardan__biped_run){.end = 0};
  cardan_status status = open_biped(&b, &options, report);
  for (int k = 0; k < CARDAN__BIPED_ROWS && status == CARDAN_OK; k++) {
    status = run_interval(&b, o, o->dt * k, &parts, &errors);
    out->truncation += errors;
    steps += parts;
  }
  if (status == CARDAN_OK) {
    finish(&b, ref);
    out->truncation /= steps;
  }
  close_biped(&b);
  return status;
}
