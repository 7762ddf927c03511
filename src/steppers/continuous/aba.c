// SPDX-License-Identifier: Apache-2.0
#include "steppers/continuous/aba.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/constraints.h"
#include "cardan/dynamics.h"
#include "dynamics/loops.h"
#include "steppers/continuous/ode.h"

/* Method aba: y = [q; v], y' = [q'(q, v); a(t, q, v)], a from the articulated-body algorithm, loops by
 * multipliers over it (cardan_forward). Quaternions are plain numbers to the integrator: they count as
 * normalised when a is evaluated, and are normalised between steps only where the integrator carries no
 * history. Where something does work, its integral is one more component of y, so that it has the
 * integrator's own accuracy. */

typedef struct {
  cardan__stepper base;
  cardan__ode *ode;
  cardan_data *data; // while a call is under way
  double *y;         // n, for start
  int nq, nv;        // of the model; y has one more when works
  bool works, project, fixed;
  double kq, kv;
  cardan_data *own; // evaluations happen here, so that the caller's node stays as it is
} aba_stepper;

static void load_state(aba_stepper *s, double t, const double *y)
{
  cardan_data *data = s->own;
  data->t = t;
  memcpy(data->q, y, (size_t)s->nq * sizeof *y);
  memcpy(data->v, y + s->nq, (size_t)s->nv * sizeof *y);
}

static cardan_status evaluate(aba_stepper *s, double t, const double *y)
{
  load_state(s, t, y);
  return cardan_forward(s->base.model, s->own, s->kq, s->kv);
}

static cardan_status rhs_vdot(void *ctx, double t, const double *y, double *vdot)
{
  aba_stepper *s = ctx;
  const cardan_status status = evaluate(s, t, y);
  if (status != CARDAN_OK) {
    return status;
  }
  memcpy(vdot, s->own->a, (size_t)s->nv * sizeof *vdot);
  if (s->works) {
    vdot[s->nv] = cardan__power_in(s->base.model, s->own);
  }
  return CARDAN_OK;
}

static cardan_status rhs_qdot(void *ctx, double t, const double *y, double *qdot)
{
  const aba_stepper *s = ctx;
  (void)t;
  cardan_q_dot(s->base.model, y, y + s->nq, qdot);
  return CARDAN_OK;
}

static cardan_status rhs(void *ctx, double t, const double *y, double *ydot)
{
  const aba_stepper *s = ctx;
  const cardan_status status = rhs_vdot(ctx, t, y, ydot + s->nq);
  // after the evaluation: prescribed velocities are then those of their motions
  cardan_q_dot(s->base.model, y, s->own->v, ydot);
  return status;
}

static cardan_status accepted(void *ctx, double t, double *y, bool *changed)
{
  aba_stepper *s = ctx;
  const cardan_model *model = s->base.model;
  if (s->project && model->nrow > 0) {
    load_state(s, t, y);
    const cardan_status status = cardan__project(model, s->own);
    if (status != CARDAN_OK) {
      return status;
    }
    memcpy(y, s->own->q, (size_t)s->nq * sizeof *y);
    memcpy(y + s->nq, s->own->v, (size_t)s->nv * sizeof *y);
    *changed = true;
  }
  if (s->fixed && !cardan_q_normalize(model, y)) {
    return CARDAN_ERR_NOT_FINITE;
  }
  return CARDAN_OK;
}

static cardan_status aba_accepts(const cardan_model *model, const cardan_options *options,
                                 cardan_report *report)
{
  (void)model;
  (void)options;
  (void)report;
  return CARDAN_OK; // every model that builds
}

static void aba_destroy(cardan__stepper *stepper)
{
  aba_stepper *s = (aba_stepper *)stepper;
  const cardan_allocator allocator = s->base.allocator;
  cardan__ode_destroy(s->ode);
  cardan_data_destroy(s->own);
  cardan__resize(&allocator, s->y, 0);
  cardan__resize(&allocator, s, 0);
}

static cardan_status make_ode(aba_stepper *s)
{
  const cardan_options *options = s->base.options;
  const char *name = options->integrator != NULL ? options->integrator : "rk4";
  const cardan__ode_method *method = cardan__ode_method_find(name);
  const cardan__ode_problem problem = {.nq = s->nq,
                                       .nv = s->nv + s->works,
                                       .ctx = s,
                                       .f = rhs,
                                       .qdot = rhs_qdot,
                                       .vdot = rhs_vdot,
                                       .accepted = accepted};
  cardan__ode_options ode = cardan__ode_defaults();
  ode.rtol = options->rtol;
  ode.atol = options->atol;
  ode.max_iter = options->max_iter;
  ode.iter_tol = options->tol;
  if (options->error_control != NULL && strcmp(options->error_control, "partial") == 0) {
    ode.error_control = CARDAN__ODE_PARTIAL;
  }
  s->fixed = !cardan__ode_method_adaptive(method);
  return cardan__ode_create(&s->base.allocator, method, &problem, &ode, &s->ode);
}

static cardan_status aba_create(const cardan_model *model, const cardan_options *options,
                                const cardan_allocator *allocator, cardan__stepper **out)
{
  const char *stabilise = options->stabilise != NULL ? options->stabilise : "project";
  aba_stepper *s = cardan__resize(allocator, NULL, sizeof *s);
  *out = NULL;
  if (s == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  *s = (aba_stepper){.base = {.method = &cardan__method_aba, .model = model, .options = options},
                     .nq = model->nq,
                     .nv = model->nv,
                     .works = cardan__model_works(model),
                     .project = strcmp(stabilise, "project") == 0};
  s->base.allocator = allocator != NULL ? *allocator : (cardan_allocator){0};
  if (strcmp(stabilise, "baumgarte") == 0) {
    s->kq = options->kq;
    s->kv = options->kv >= 0 ? options->kv : 2 * sqrt(options->kq);
  }
  s->y = cardan__resize(allocator, NULL, (size_t)(s->nq + s->nv + 1) * sizeof *s->y);
  cardan_status status = s->y != NULL ? cardan_data_create(model, allocator, &s->own) : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK) {
    status = make_ode(s);
  }
  if (status != CARDAN_OK) {
    aba_destroy(&s->base);
    return status;
  }
  *out = &s->base;
  return CARDAN_OK;
}

/* The caller's inputs and what went wrong pass between the node's data and the stepper's own. */
static void take_inputs(aba_stepper *s, const cardan_data *data)
{
  memcpy(s->own->tau_in, data->tau_in, (size_t)s->nv * sizeof *data->tau_in);
  memcpy(s->own->f_in, data->f_in, (size_t)s->base.model->nbody * sizeof *data->f_in);
}

static cardan_status aba_start(cardan__stepper *stepper, cardan_data *data)
{
  aba_stepper *s = (aba_stepper *)stepper;
  take_inputs(s, data);
  memcpy(s->y, data->q, (size_t)s->nq * sizeof *s->y);
  memcpy(s->y + s->nq, data->v, (size_t)s->nv * sizeof *s->y);
  s->y[s->nq + s->nv] = 0;
  const cardan_status status =
      cardan__ode_begin(s->ode, data->t, s->y, data->t + stepper->options->time, 0);
  data->info = s->own->info;
  return status;
}

static cardan_status aba_step(cardan__stepper *stepper, cardan_data *data, double t_next)
{
  aba_stepper *s = (aba_stepper *)stepper;
  const int64_t before = s->ode->counters.evaluations;
  take_inputs(s, data);
  s->own->info = (cardan_info){.body = -1, .joint = -1, .row = -1};
  const cardan_status status = cardan__ode_advance(s->ode, t_next);
  const cardan__ode_counters *n = &s->ode->counters;
  stepper->iterations = (int)(n->evaluations - before);
  stepper->evaluations = n->evaluations;
  stepper->accepted = n->accepted;
  stepper->rejected = n->rejected;
  stepper->restarts = n->restarts;
  if (status != CARDAN_OK) {
    data->info = s->own->info;
    return status;
  }
  data->t = t_next;
  memcpy(data->q, s->ode->y, (size_t)s->nq * sizeof *data->q);
  memcpy(data->v, s->ode->y + s->nq, (size_t)s->nv * sizeof *data->v);
  return cardan_q_normalize(s->base.model, data->q) ? CARDAN_OK : CARDAN_ERR_NOT_FINITE;
}

static cardan_status aba_publish(cardan__stepper *stepper, cardan_data *data)
{
  const aba_stepper *s = (aba_stepper *)stepper;
  const cardan_status status = cardan_forward(stepper->model, data, s->kq, s->kv);
  cardan_poses(stepper->model, data);
  return status;
}

static double aba_work(const cardan__stepper *stepper)
{
  const aba_stepper *s = (const aba_stepper *)stepper;
  return s->works ? s->ode->y[s->nq + s->nv] : 0;
}

const cardan__method cardan__method_aba = {
    .name = "aba",
    .help = "accelerations by the articulated-body algorithm, loops by multipliers, any integrator",
    .accepts = aba_accepts,
    .create = aba_create,
    .destroy = aba_destroy,
    .start = aba_start,
    .step = aba_step,
    .publish = aba_publish,
    .work = aba_work,
};
