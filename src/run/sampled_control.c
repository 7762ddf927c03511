// SPDX-License-Identifier: Apache-2.0
#include "run/sampled_control.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "dynamics/outputs.h"
#include "run/sim.h"

/* Sampled values: at t_k = t0 + k T, which is computed and never summed, an input becomes what its
 * controller says, and a memory its next value; both are held until t_{k+1}. A step that goes past
 * a sample is cut there. All that is due at one time reads what was there before it. */

static const double MOST = 1e6; // samples in a step

/* Fraction of T within which two times are the same but for rounding. */
static double time_tolerance(double t, double every)
{
  return fmax(1e-6, 8 * DBL_EPSILON * fabs(t) / every);
}

/* The shortest sample time, HUGE_VAL: nothing is sampled. */
static double shortest_sample_time(const cardan_model *model)
{
  double every = HUGE_VAL;
  for (int i = 0; i < model->ncontroller; i++) {
    every = fmin(every, model->controller[i].every);
  }
  for (int i = 0; i < model->nz; i++) {
    every = model->state[i].every > 0.0 ? fmin(every, model->state[i].every) : every;
  }
  return every;
}

cardan_status cardan__sampled_control_check(const cardan_model *model,
                                            const cardan_options *options, cardan_report *report)
{
  const double every = shortest_sample_time(model);
  return options->dt <= MOST * every
             ? CARDAN_OK
             : cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                           "dt is %g s and a sample time %g s: expected at most %g samples in a "
                           "step",
                           options->dt, every, MOST);
}

cardan_status cardan__sampled_control_create(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const size_t n = (size_t)model->ncontroller + (size_t)model->nz;
  if (model->ncontroller == 0 && model->nz == model->nrate) {
    return CARDAN_OK;
  }
  sim->sampled_control.value =
      cardan__resize(&sim->allocator, NULL, n * sizeof *sim->sampled_control.value);
  return sim->sampled_control.value != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__sampled_control_destroy(cardan_sim *sim)
{
  cardan__resize(&sim->allocator, sim->sampled_control.value, 0);
  sim->sampled_control.value = NULL;
}

/* The last sample at or before t, by its number. */
static double sample_of(const cardan_sim *sim, double every, double t)
{
  return floor((t - sim->sampled_control.t0) / every + time_tolerance(t, every));
}

/* Was there a sample since the node before? It counts once, however near to it steps end. */
static bool is_sample_due(const cardan_sim *sim, double every)
{
  return every > 0.0 && !(sample_of(sim, every, sim->data->t) <=
                          sample_of(sim, every, sim->sampled_control.before));
}

/* *first: the next sample of this time after the node, where that is earlier and before t. */
static void look_ahead(const cardan_sim *sim, double every, double t, double *first)
{
  const double t0 = sim->sampled_control.t0, tol = time_tolerance(t, every);
  if (every > 0.0) {
    const double k = sample_of(sim, every, sim->data->t) + 1.0;
    const double next = t0 + k * every;
    if (k < (t - t0) / every - tol && next > sim->data->t) {
      *first = fmin(*first, next);
    }
  }
}

static cardan_status not_finite(const cardan_sim *sim, const char *what, const char *name,
                                cardan_pos pos, cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_NOT_FINITE, pos,
                     "at t = %.6g: the %s of \"%.60s\" (line %d) is not finite", sim->data->t, what,
                     name, pos.line);
}

/* What is due, to samples.value: controllers, then memories. */
static cardan_status find_values(cardan_sim *sim, cardan_report *report)
{
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  double *value = sim->sampled_control.value;
  for (int i = 0; i < model->ncontroller; i++, value++) {
    const cardan_controller *c = &model->controller[i];
    if (is_sample_due(sim, c->every)) {
      *value = cardan__sensed(model, data, c->expr);
      if (!isfinite(*value)) {
        return not_finite(sim, "controller", model->input[c->input].name, c->pos, report);
      }
    }
  }
  for (int i = 0; i < model->nz; i++, value++) {
    const cardan_aux_state *z = &model->state[i];
    if (is_sample_due(sim, z->every)) {
      *value = cardan__sensed(model, data, z->expr);
      if (!isfinite(*value)) {
        return not_finite(sim, "next value", z->name, z->pos, report);
      }
    }
  }
  return CARDAN_OK;
}

static bool any_due(const cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  bool any = false;
  for (int i = 0; i < model->ncontroller; i++) {
    any = any || is_sample_due(sim, model->controller[i].every);
  }
  for (int i = 0; i < model->nz; i++) {
    any = any || is_sample_due(sim, model->state[i].every);
  }
  return any;
}

cardan_status cardan__sampled_control_take(cardan_sim *sim, cardan_report *report)
{
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  if (sim->sampled_control.value == NULL || !any_due(sim)) {
    return CARDAN_OK;
  }
  cardan_status status = cardan_sim_observe(sim);
  if (status != CARDAN_OK) {
    return cardan__sim_explain(sim, status, report);
  }
  status = find_values(sim, report);
  const double *value = sim->sampled_control.value;
  for (int i = 0; i < model->ncontroller && status == CARDAN_OK; i++, value++) {
    if (is_sample_due(sim, model->controller[i].every)) {
      data->u[model->controller[i].input] = *value;
    }
  }
  for (int i = 0; i < model->nz && status == CARDAN_OK; i++, value++) {
    if (is_sample_due(sim, model->state[i].every)) {
      data->z[i] = *value;
    }
  }
  return status;
}

cardan_status cardan__sampled_control_walk(cardan_sim *sim, double t,
                                           cardan_status (*go)(cardan_sim *, double,
                                                               cardan_report *),
                                           cardan_report *report)
{
  const cardan_model *model = sim->model;
  int iterations = 0;
  cardan_status status = CARDAN_OK;
  while (status == CARDAN_OK && sim->data->t < t) {
    double next = t;
    for (int i = 0; i < model->ncontroller; i++) {
      look_ahead(sim, model->controller[i].every, t, &next);
    }
    for (int i = 0; i < model->nz; i++) {
      look_ahead(sim, model->state[i].every, t, &next);
    }
    sim->sampled_control.before = sim->data->t;
    status = go(sim, next, report);
    iterations += sim->stepper->iterations;
    if (status == CARDAN_OK) {
      sim->data->fresh = 0; // q is new
      sim->settled = false;
      status = cardan__sampled_control_take(sim, report);
    }
  }
  sim->stepper->iterations = iterations;
  return status;
}
