// SPDX-License-Identifier: Apache-2.0
#include "run/angle_unwrap.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "kinematics/closing_angle.h"
#include "run/sim.h"

/* A closing joint's angle, from a node to the next. With w the way of the joints between its frames
 * over the step, it turned by less than w: for w < pi there is one angle of that pose which it can
 * have (T1), and expressions had that one throughout the step if it is less than pi from the half
 * turn they counted from (T2): after a step that half turn is the nearest, so that a quarter of a
 * turn is always allowed. What is longer is not guessed at. */

cardan_status cardan__angle_unwrap_create(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const size_t n = (size_t)model->nq + (size_t)model->nturning + (size_t)model->nv;
  if (model->nturning == 0) {
    return CARDAN_OK;
  }
  sim->angle_unwrap.q = cardan__zeros(&sim->allocator, n * sizeof *sim->angle_unwrap.q);
  sim->angle_unwrap.angle = sim->angle_unwrap.q != NULL ? sim->angle_unwrap.q + model->nq : NULL;
  sim->angle_unwrap.v =
      sim->angle_unwrap.q != NULL ? sim->angle_unwrap.angle + model->nturning : NULL;
  return sim->angle_unwrap.q != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

void cardan__angle_unwrap_destroy(cardan_sim *sim)
{
  cardan__resize(&sim->allocator, sim->angle_unwrap.q, 0);
  sim->angle_unwrap.q = NULL;
}

void cardan__angle_unwrap_spans(cardan_sim *sim, cardan__spans *list)
{
  if (sim->angle_unwrap.q != NULL) {
    const size_t n = (size_t)sim->model->nq + (size_t)sim->model->nturning;
    cardan__spans_add(list, sim->angle_unwrap.q, n, sizeof *sim->angle_unwrap.q);
  }
}

void cardan__angle_unwrap_start(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  cardan__angle_unwrap *turns = &sim->angle_unwrap;
  if (turns->q == NULL) {
    return;
  }
  cardan_prescribe(model, sim->data);
  if (!turns->known) {
    cardan__closing_angle_start(model, sim->data, turns->angle);
  }
  for (int k = 0; k < model->nturning && turns->known; k++) {
    const double angle = cardan__closing_angle_at(model, k, sim->data->q);
    turns->angle[k] = cardan__closing_angle_near(angle, turns->angle[k]);
    cardan__closing_angle_count(sim->data, k, turns->angle[k]);
  }
  memcpy(turns->q, sim->data->q, (size_t)model->nq * sizeof *turns->q);
  turns->known = true;
}

/* (T1), (T2) for the node that was reached after a time h. */
static cardan_status follow(cardan_sim *sim, double h)
{
  static const double pi = 3.14159265358979323846;
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  cardan__angle_unwrap *turns = &sim->angle_unwrap;
  cardan_prescribe(model, data);
  for (int k = 0; k < model->nturning; k++) {
    const double angle =
        cardan__closing_angle_near(cardan__closing_angle_at(model, k, data->q), turns->angle[k]);
    const double way = cardan__closing_angle_way(model, k, turns->q, data->q, turns->v, h);
    if (!(way < pi) || !(fabs(angle - data->half_turn[k]) < pi)) {
      data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .whole = true};
      snprintf(
          data->info.message, sizeof data->info.message,
          "the closing joint of \"%.60s\" may have moved by half a turn in one step, so that its "
          "turns cannot be counted (joints along it turned by %.3g rad); try a smaller dt",
          model->turning[k].name, way);
      return CARDAN_ERR_STEP_TOO_SMALL;
    }
    turns->angle[k] = angle;
    cardan__closing_angle_count(data, k, angle);
  }
  memcpy(turns->q, data->q, (size_t)model->nq * sizeof *turns->q);
  return CARDAN_OK;
}

cardan_status cardan__angle_unwrap_step(cardan_sim *sim, double t,
                                        cardan_status (*move)(cardan_sim *, double))
{
  const double h = t - sim->data->t;
  memcpy(sim->angle_unwrap.v, sim->data->v, (size_t)sim->model->nv * sizeof *sim->data->v);
  const cardan_status status = move(sim, t);
  return status == CARDAN_OK ? follow(sim, h) : status;
}
