// SPDX-License-Identifier: Apache-2.0
#include "batch/lane_estimate.h"

#include <string.h>

#include "base/arena.h"
#include "methods/method.h"

/* All lanes are saved and put back as one block of memory: what a stepper keeps from step to step
 * is in there, too. */

cardan_status cardan__lane_estimate_create(cardan__lane_estimate *e, const cardan__batch *b,
                                           const cardan__lanes *lanes)
{
  const int width = b->kernels->width;
  const int order = cardan__estimate_order(cardan__method_of(&b->options), &b->options);
  *e = (cardan__lane_estimate){.width = width};
  if (!b->watched || b->model->nv == 0) {
    return CARDAN_OK;
  }
  e->copy = cardan__zeros(NULL, (size_t)width * sizeof *e->copy);
  e->good = cardan__zeros(NULL, (size_t)width * sizeof *e->good);
  e->saved = cardan__resize(NULL, NULL, lanes->size);
  e->here = cardan__zeros(NULL, (size_t)(b->model->nq + b->model->nv) * sizeof *e->here);
  cardan_status status = e->copy && e->good && e->saved && e->here ? CARDAN_OK : CARDAN_ERR_MEMORY;
  for (int l = 0; l < width && status == CARDAN_OK; l++) {
    const bool ways = cardan__lanes_may_fall_back(b->flat);
    status = cardan__estimate_take(&e->copy[l], b->model, order, ways, NULL);
    e->copy[l].dry = b->flat->ndry > 0;
  }
  return status;
}

void cardan__lane_estimate_destroy(cardan__lane_estimate *e)
{
  for (int l = 0; l < e->width && e->copy != NULL; l++) {
    cardan__resize(NULL, e->copy[l].block, 0);
  }
  cardan__resize(NULL, e->copy, 0);
  cardan__resize(NULL, e->good, 0);
  cardan__resize(NULL, e->saved, 0);
  cardan__resize(NULL, e->here, 0);
}

void cardan__lane_estimate_begin(cardan__lane_estimate *e, const cardan__batch *b,
                                 const cardan__lanes *lanes)
{
  e->clock = (cardan__estimate){.next_sample = 0};
  for (int l = 0; l < e->width && e->copy != NULL; l++) {
    cardan__lanes_get(lanes->q, e->width, l, e->copy[l].before, b->model->nq);
    cardan__estimate_begin(&e->copy[l], b->model, e->copy[l].before, 0);
    if (e->copy[l].dry) {
      double *v = e->here + b->model->nq;
      cardan__lanes_get(lanes->v, e->width, l, v, b->model->nv);
      cardan__estimate_begin_ways(&e->copy[l], b->model, e->copy[l].before, v, b->options.dt);
    }
  }
}

bool cardan__lane_estimate_halves(cardan__lane_estimate *e, const cardan__batch *b,
                                  cardan__lanes *lanes, int64_t step, double h)
{
  if (e->copy == NULL || !cardan__estimate_is_sample(&e->clock, step)) {
    return false;
  }
  memcpy(e->saved, lanes, lanes->size);
  for (int l = 0; l < e->width; l++) {
    cardan__lanes_get(lanes->q, e->width, l, e->copy[l].before, b->model->nq);
  }
  b->stepper->step(b->flat, lanes, 0.5 * h);
  b->stepper->step(b->flat, lanes, 0.5 * h);
  for (int l = 0; l < e->width; l++) {
    cardan__lanes_get(lanes->q, e->width, l, e->copy[l].half, b->model->nq);
    e->good[l] = lanes->left[l] == 0;
  }
  memcpy(lanes, e->saved, lanes->size);
  return true;
}

bool cardan__lane_estimate_add(cardan__lane_estimate *e, const cardan__batch *b,
                               const cardan__lanes *lanes, int lane, int64_t step, double h)
{
  cardan__estimate *one = &e->copy[lane];
  if (!e->good[lane] || lanes->left[lane] != 0) {
    one->sums.missed++;
    return false;
  }
  cardan__lanes_get(lanes->q, e->width, lane, e->here, b->model->nq);
  cardan__estimate_add(one, b->model, step, h, e->here);
  return true;
}

void cardan__lane_estimate_range(cardan__lane_estimate *e, const cardan__batch *b,
                                 const cardan__lanes *lanes, int64_t step)
{
  for (int l = 0; l < e->width && e->copy != NULL; l++) {
    cardan__estimate *one = &e->copy[l];
    if (lanes->left[l] != 0 || (step < one->next_look && !one->dry)) {
      continue;
    }
    cardan__lanes_get(lanes->q, e->width, l, e->here, b->model->nq);
    cardan__estimate_add_range(one, b->model, step, e->here);
    if (one->dry) {
      cardan__estimate_add_ways(one, b->model, step, false, e->here);
    }
  }
}
