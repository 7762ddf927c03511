// SPDX-License-Identifier: Apache-2.0
#include "analysis/naudet.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/load.h"
#include "cardan/run.h"
#include "steppers/continuous/continuous.h"
#include "steppers/sim.h"

/* The biped of the paper's Fig. 4 (docs/methods/hamilton.md says how it was identified): five
 * links, three degrees of freedom, from rest, 0.85 s. */

static const double END = 0.85;
enum { FREE = 3 }; // q1, q2, q3: what the paper's means are over

typedef struct {
  cardan_model *model;
  double q[FREE]; // reference at the end
} reference;

typedef struct {
  double end[FREE];
  double truncation, conjugate, violation;
  cardan__ode_counters counters;
} outcome;

static cardan_options options_of(int which, const char *integrator, double dt)
{
  cardan_options o = cardan_options_defaults();
  o.method = which == CARDAN__NAUDET_ACC ? "aba" : "hamilton";
  o.form = which == CARDAN__NAUDET_ACC ? NULL : "reduced";
  o.integrator = integrator;
  o.stabilise = "none";
  o.dt = dt;
  o.time = END;
  return o;
}

static double mean_abs(const double *x)
{
  double sum = 0;
  for (int k = 0; k < FREE; k++) {
    sum += fabs(x[k]) / FREE;
  }
  return sum;
}

/* The local errors of the step just taken, where they are estimated, added to the means of out. */
static cardan_status add_errors(void *user, cardan_sim *sim, const cardan_run_state *at,
                                cardan_report *report)
{
  enum { N = 5 }; // coordinates of the biped
  outcome *out = user;
  const cardan__continuous *s = (const cardan__continuous *)sim->stepper;
  double e_q[N], e_v[N], e_p[N];
  (void)report;
  if (at->steps > 1 && cardan__continuous_errors(sim->stepper, e_q, e_v, e_p)) {
    out->truncation += mean_abs(e_q) / (double)at->steps;
    out->conjugate += mean_abs(s->form->momenta ? e_p : e_v) / (double)at->steps;
  }
  return CARDAN_OK;
}

static cardan_status simulate(const cardan_model *model, const cardan_options *o, outcome *out,
                              cardan_report *report)
{
  cardan_sim *sim = NULL;
  const cardan_sink sink = {.user = out, .step = add_errors};
  *out = (outcome){.truncation = 0};
  cardan_status status = cardan_sim_create(model, o, NULL, &sim, report);
  if (status == CARDAN_OK) {
    status = cardan_sim_start(sim, report);
  }
  if (status == CARDAN_OK) {
    status = cardan_run(sim, lround(END / o->dt), &sink, 1, NULL, report);
  }
  if (status == CARDAN_OK) {
    memcpy(out->end, cardan_sim_data(sim)->q, sizeof out->end);
    out->violation = cardan_sim_stats(sim).constraint_max;
    out->counters = ((const cardan__continuous *)sim->stepper)->ode->counters;
  }
  cardan_sim_destroy(sim);
  return status;
}

/* Accelerations at tolerances near rounding. */
static cardan_status begin(reference *ref, cardan_report *report)
{
  outcome out;
  cardan_options o = options_of(CARDAN__NAUDET_ACC, "dopri5", END);
  o.stabilise = "project";
  o.rtol = 1e-14;
  o.atol = 1e-15;
  *ref = (reference){.model = NULL};
  cardan_status status = cardan_model_load("biped", NULL, 0, NULL, &ref->model, report);
  if (status == CARDAN_OK) {
    status = simulate(ref->model, &o, &out, report);
  }
  if (status == CARDAN_OK) {
    memcpy(ref->q, out.end, sizeof ref->q);
  }
  return status;
}

static cardan_status both(const reference *ref, const char *integrator, double dt, double tol,
                          const char *control, cardan__naudet_runs *runs, cardan_report *report)
{
  for (int k = 0; k < 2; k++) {
    cardan_options o = options_of(k, integrator, dt);
    outcome out;
    o.rtol = tol;
    o.atol = tol;
    o.error_control = control;
    const cardan_status status = simulate(ref->model, &o, &out, report);
    if (status != CARDAN_OK) {
      return status;
    }
    for (int i = 0; i < FREE; i++) {
      out.end[i] -= ref->q[i];
    }
    runs->end[k] = mean_abs(out.end);
    runs->truncation[k] = out.truncation;
    runs->conjugate[k] = out.conjugate;
    runs->violation[k] = out.violation;
    runs->evaluations[k] = out.counters.evaluations;
    runs->jacobian[k] = out.counters.jacobian_evaluations;
    runs->accepted[k] = out.counters.accepted;
    runs->rejected[k] = out.counters.rejected;
  }
  return CARDAN_OK;
}

cardan_status cardan__naudet_table1(cardan__naudet_row1 *rows, cardan_report *report)
{
  static const cardan__naudet_row1 paper[CARDAN__NAUDET_ROWS1] = {
      {.dt = 0.01, .end = {2.8e-03, 1.2e-03}, .truncation = {1.6e-06, 9.7e-07}},
      {.dt = 0.005, .end = {1.9e-04, 5.4e-05}, .truncation = {4.3e-08, 3.9e-08}},
      {.dt = 0.001, .end = {4.5e-08, 1.2e-08}, .truncation = {1.4e-11, 1.3e-11}},
      {.dt = 0.0005, .end = {1.1e-09, 3.8e-10}, .truncation = {4.4e-13, 4.2e-13}},
      {.dt = 0.0001, .end = {3.8e-11, 2.9e-11}, .truncation = {1.4e-16, 1.3e-16}}};
  reference ref;
  cardan_status status = begin(&ref, report);
  memcpy(rows, paper, sizeof paper);
  for (int i = 0; i < CARDAN__NAUDET_ROWS1 && status == CARDAN_OK; i++) {
    status = both(&ref, "rkf45-fixed", rows[i].dt, 1e-6, NULL, &rows[i].ours, report);
  }
  cardan_model_destroy(ref.model);
  return status;
}

cardan_status cardan__naudet_table2(cardan__naudet_row2 *rows, cardan_report *report)
{
  static const cardan__naudet_row2 paper[CARDAN__NAUDET_ROWS2] = {
      {.tol = 1e-04, .integrator = "ode45", .end = 1e-02, .evaluations = {313, 206}},
      {.tol = 1e-05, .integrator = "ode45", .end = 4e-04, .evaluations = {457, 320}},
      {.tol = 1e-06, .integrator = "ode45", .end = 1e-05, .evaluations = {661, 434}},
      {.tol = 1e-09, .integrator = "ode45", .end = 4e-09, .evaluations = {2545, 1646}},
      {.tol = 1e-12, .integrator = "ode45", .end = 2e-11, .evaluations = {10135, 6560}},
      {.tol = 1e-13, .integrator = "ode45", .end = 2e-11, .evaluations = {16063, 10400}},
      {.tol = 1e-03, .integrator = "bdf", .evaluations = {336, 235}},
      {.tol = 1e-06, .integrator = "bdf", .evaluations = {682, 460}},
      {.tol = 1e-09, .integrator = "bdf", .evaluations = {1542, 998}},
      {.tol = 1e-12, .integrator = "bdf", .evaluations = {7916, 4815}}};
  reference ref;
  cardan_status status = begin(&ref, report);
  memcpy(rows, paper, sizeof paper);
  for (int i = 0; i < CARDAN__NAUDET_ROWS2 && status == CARDAN_OK; i++) {
    status = both(&ref, rows[i].integrator, END, rows[i].tol, NULL, &rows[i].ours, report);
  }
  cardan_model_destroy(ref.model);
  return status;
}

cardan_status cardan__naudet_table3(cardan__naudet_row3 *rows, cardan_report *report)
{
  static const cardan__naudet_row3 paper[CARDAN__NAUDET_ROWS3] = {{.control = "full",
                                                                   .end = {1.4e-05, 2.0e-05},
                                                                   .truncation = {4.2e-09, 4.4e-08},
                                                                   .evaluations = {1578, 1177}},
                                                                  {.control = "partial",
                                                                   .end = {4.8e-05, 2.1e-05},
                                                                   .truncation = {4.7e-08, 4.7e-08},
                                                                   .evaluations = {1164, 1159}}};
  reference ref;
  cardan_status status = begin(&ref, report);
  memcpy(rows, paper, sizeof paper);
  for (int i = 0; i < CARDAN__NAUDET_ROWS3 && status == CARDAN_OK; i++) {
    status = both(&ref, "rkf45", 0.01, 1e-6, rows[i].control, &rows[i].ours, report);
  }
  cardan_model_destroy(ref.model);
  return status;
}
