// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "cardan/dynamics.h"
#include "dynamics/loops.h"
#include "methods/continuous/continuous.h"

/* Method aba: x = v (of floating bodies in axes of the world), x' = a(t, q, v) from the
 * articulated-body algorithm, loops by multipliers over it (cardan_forward). continuous.c has the
 * rest. */

static cardan_status aba_nothing(cardan__continuous *s)
{
  (void)s;
  return CARDAN_OK;
}

static void aba_no_memory(cardan__continuous *s)
{
  (void)s;
}

static cardan_status aba_pack(cardan__continuous *s, double *x)
{
  memcpy(x, s->own->v, (size_t)s->nx * sizeof *x);
  cardan__floating_place(s->nfloating, s->floating, s->own->q);
  cardan__floating_to_world(s->nfloating, s->floating, x);
  return CARDAN_OK;
}

static cardan_status aba_velocities(cardan__continuous *s, double t, const double *y)
{
  cardan__continuous_load(s, t, y);
  memcpy(s->own->v, y + s->nq, (size_t)s->nx * sizeof *y);
  cardan__floating_place(s->nfloating, s->floating, y);
  cardan__floating_to_body(s->nfloating, s->floating, s->own->v);
  return CARDAN_OK;
}

static cardan_status aba_slope(cardan__continuous *s, double t, const double *y, double *xdot)
{
  aba_velocities(s, t, y);
  const cardan_status status =
      cardan__continuous_held(s)
          ? s->base.held->calls->forward(s->base.held, s->own, s->kq, s->kv, NULL)
          : cardan_forward(s->base.model, s->own, s->kq, s->kv);
  if (status == CARDAN_OK && xdot != NULL) {
    memcpy(xdot, s->own->a, (size_t)s->nx * sizeof *xdot);
    cardan__floating_rates(s->nfloating, s->floating, s->own->v, xdot);
  }
  return status;
}

static cardan_status aba_momenta(cardan__continuous *s, double t, const double *y, double *out)
{
  aba_velocities(s, t, y);
  cardan_joints(s->base.model, s->own);
  cardan_velocities(s->base.model, s->own);
  cardan_momenta(s->base.model, s->own, out);
  return CARDAN_OK;
}

static const cardan__formulation accelerations = {
    .size = sizeof(cardan__continuous),
    .holds = true,
    .passes = true,
    .floats = true,
    .create = aba_nothing,
    .destroy = aba_no_memory,
    .pack = aba_pack,
    .velocities = aba_velocities,
    .slope = aba_slope,
    .conjugate = aba_momenta,
};

static cardan_status aba_accepts(const cardan_model *model, const cardan_options *options,
                                 cardan_report *report)
{
  (void)model;
  (void)options;
  (void)report;
  return CARDAN_OK; // every model that builds
}

static cardan_status aba_create(const cardan_model *model, const cardan_options *options,
                                const cardan__held_room *room, const cardan_allocator *allocator,
                                cardan__stepper **out)
{
  (void)room;
  return cardan__continuous_create(&cardan__method_aba, &accelerations, model, options, allocator,
                                   out);
}

static cardan_status aba_publish(cardan__stepper *stepper, cardan_data *data)
{
  cardan__continuous *s = (cardan__continuous *)stepper;
  cardan__loops_sizes(stepper->model, s->own, data);
  const cardan_status status = cardan__continuous_forward(s, data, s->kq, s->kv);
  cardan_poses(stepper->model, data);
  return status;
}

const cardan__method cardan__method_aba = {
    .name = "aba",
    .help = "accelerations by the articulated-body algorithm, loops by multipliers, any integrator",
    .options = {cardan__continuous_table},
    .any_joint = true,
    .velocity_rows = true,
    .states = true,
    .longest = cardan__integrator_longest,
    .accepts = aba_accepts,
    .create = aba_create,
    .destroy = cardan__continuous_destroy,
    .start = cardan__continuous_start,
    .step = cardan__continuous_step,
    .publish = aba_publish,
    .work = cardan__continuous_work,
    .errors = cardan__continuous_errors,
    .spans = cardan__continuous_spans,
    .rejoin = cardan__continuous_rejoin,
    .push = cardan__continuous_push,
    .switched = cardan__continuous_switched,
};
