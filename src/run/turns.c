// SPDX-License-Identifier: Apache-2.0
#include "run/turns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "cardan/kinematics.h"
#include "kinematics/turns.h"
#include "run/sim.h"

/* A closing joint's angle, from a node to the next. With w the way of the joints between its frames
 * over the step, it turned by less than w: for w < pi there is one angle of that pose which it can
 * have (T1), and expressions had that one throughout the step if it is less than pi from the half
 * turn they counted from (T2): after a step that half turn is the nearest, so that a quarter of a
 * turn is always allowed. What is longer is not guessed at. */

cardan_status cardan__turns_create(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  const size_t n = (size_t)model->nq + (size_t)model->nturning;
  if (model->nturning == 0) {
    return CARDAN_OK;
  }
  sim->turns.q = cardan__zeros(&sim->allocator, n * sizeof *sim->turns.q);
  sim->turns.angle = sim->turns.q != NULL ? sim->turns.q + model->nq : NULL;
  return sim->turns.q != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

cardan_status cardan__turns_ready(cardan_sim *sim)
{
  return sim->turns.q != NULL ? cardan__snapshot_create(sim, &sim->turns.kept) : CARDAN_OK;
}

void cardan__turns_destroy(cardan_sim *sim)
{
  cardan__snapshot_destroy(sim, &sim->turns.kept);
  cardan__resize(&sim->allocator, sim->turns.q, 0);
  sim->turns.q = NULL;
}

void cardan__turns_spans(cardan_sim *sim, cardan__spans *list)
{
  if (sim->turns.q != NULL) {
    const size_t n = (size_t)sim->model->nq + (size_t)sim->model->nturning;
    cardan__spans_add(list, sim->turns.q, n, sizeof *sim->turns.q);
  }
}

void cardan__turns_start(cardan_sim *sim)
{
  const cardan_model *model = sim->model;
  cardan__turns *turns = &sim->turns;
  if (turns->q == NULL) {
    return;
  }
  cardan_prescribe(model, sim->data);
  if (!turns->known) {
    cardan__turning_start(model, sim->data, turns->angle);
  }
  for (int k = 0; k < model->nturning && turns->known; k++) {
    const double angle = cardan__turning_angle(model, k, sim->data->q);
    turns->angle[k] = cardan__turning_near(angle, turns->angle[k]);
    cardan__turning_count(sim->data, k, turns->angle[k]);
  }
  memcpy(turns->q, sim->data->q, (size_t)model->nq * sizeof *turns->q);
  turns->known = true;
}

/* (T1), (T2) for the node that was reached. */
static cardan_status follow(cardan_sim *sim)
{
  static const double pi = 3.14159265358979323846;
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  cardan__turns *turns = &sim->turns;
  cardan_prescribe(model, data);
  for (int k = 0; k < model->nturning; k++) {
    const double angle =
        cardan__turning_near(cardan__turning_angle(model, k, data->q), turns->angle[k]);
    const double way = cardan__turning_way(model, k, turns->q, data->q);
    if (!(way < pi) || !(fabs(angle - data->half_turn[k]) < pi)) {
      data->info = (cardan_info){.body = -1, .joint = -1, .row = -1, .whole = true};
      snprintf(data->info.message, sizeof data->info.message,
               "the closing joint of \"%.60s\" may have gone half a turn in one step, in which its "
               "turns cannot be counted (joints along it turned by %.3g rad); try a smaller dt",
               model->turning[k].name, way);
      return CARDAN_ERR_STEP_TOO_SMALL;
    }
    turns->angle[k] = angle;
    cardan__turning_count(data, k, angle);
  }
  memcpy(turns->q, data->q, (size_t)model->nq * sizeof *turns->q);
  return CARDAN_OK;
}

cardan_status cardan__turns_step(cardan_sim *sim, double t,
                                 cardan_status (*move)(cardan_sim *, double))
{
  cardan__snapshot_save(sim, &sim->turns.kept);
  cardan_status status = move(sim, t);
  if (status != CARDAN_OK) {
    return status;
  }
  status = follow(sim);
  if (status != CARDAN_OK) {
    const cardan_info info = sim->data->info;
    cardan__snapshot_restore(sim, &sim->turns.kept);
    sim->data->info = info;
    sim->settled = false;
  }
  return status;
}
