// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "cardan/kinematics.h"
#include "methods/discrete/rolling.h"

/* Where the root finder starts.
 * [1] J. Lee, C. K. Liu, F. C. Park, S. S. Srinivasa, A linear-time variational integrator for
 *     multibody systems, Algorithmic Foundations of Robotics XII, 2020, section 3.3.
 *
 *   current      IG1   x = 0
 *   euler        IG2   x = x of the step before
 *   dynamics     IG3   x = x before + h^2 a(q^k, x before / h)
 *   zero               q^{k+1} = 0, as for [1] Fig. 4a
 *   extrapolate        from the steps before, by as many as follow it (extrapolate.h)
 *
 * In a composition each stage has its own differences: they are smooth from one step of the method
 * to the next. */

/* a at node k and velocities over * v, to trial->a. */
static cardan_status accelerate(cardan__discrete *d, const double *v, double over)
{
  const cardan_model *model = d->model;
  cardan_data *trial = d->trial;
  trial->t = d->t;
  memcpy(trial->q, d->node->q, (size_t)model->nq * sizeof *trial->q);
  for (int k = 0; k < model->nv; k++) {
    trial->v[k] = over * v[k];
  }
  memcpy(trial->tau_in, d->tau_in, (size_t)model->nv * sizeof *trial->tau_in);
  memcpy(trial->f_in, d->f_in, (size_t)model->nbody * sizeof *trial->f_in);
  return cardan_forward(model, trial, 0, 0);
}

/* The first step: from the node's velocity, x = h v + h^2 a / 2. A start at which accelerations
 * have no solution (a singular position) omits them. */
static void first_guess(cardan__discrete *d)
{
  const double *v = d->node->v;
  const bool known = accelerate(d, v, 1) == CARDAN_OK;
  for (int k = 0; k < d->model->nv; k++) {
    d->x.dq[k] = d->h * v[k] + (known ? 0.5 * d->h * d->h * d->trial->a[k] : 0);
  }
}

/* x that takes every coordinate to zero, every quaternion to the identity. */
static void to_zero(cardan__discrete *d)
{
  cardan_q_zero(d->model, d->trial->q);
  cardan_q_difference(d->model, d->node->q, d->trial->q, d->x.dq);
}

/* Displacements of the prescribed coordinates, which are known. */
static void prescribe(cardan__discrete *d)
{
  const cardan_model *model = d->model;
  if (model->nprescribed == 0) {
    return;
  }
  d->trial->t = d->t_end;
  cardan_prescribe(model, d->trial);
  for (int i = 0; i < model->nprescribed; i++) {
    const cardan_body *b = &model->body[model->prescribed[i].body];
    d->x.dq[b->vadr] = d->trial->q[b->qadr] - d->node->q[b->qadr];
  }
}

/* Beside contacts that hold a body still displacements below rounding are none: the next guess
 * would follow them, and the body creep by them. */
static void drop_rounding(const cardan__discrete *d, double *dq)
{
  const double least = DBL_EPSILON * (1 + d->base.held->size);
  for (int k = 0; k < d->model->nv; k++) {
    dq[k] = fabs(dq[k]) <= least ? 0 : dq[k];
  }
}

cardan_status cardan__guess_make(cardan__discrete *d, cardan__guess guess)
{
  const size_t nv = (size_t)d->model->nv;
  const cardan__extrapolation *history = &d->stages.history[d->stages.now];
  const double *before = history->D;
  double *dq = d->x.dq;
  cardan_status status = CARDAN_OK;
  if (d->rolling != NULL && d->rolling->again && guess == d->guess) {
    memcpy(dq, d->rolling->x, nv * sizeof *dq);
  } else if (guess == CARDAN__GUESS_ZERO) {
    to_zero(d);
  } else if (guess == CARDAN__GUESS_CURRENT) {
    memset(dq, 0, nv * sizeof *dq);
  } else if (history->have == 0) {
    first_guess(d);
  } else if (guess == CARDAN__GUESS_EULER) {
    memcpy(dq, before, nv * sizeof *dq);
  } else if (guess == CARDAN__GUESS_DYNAMICS) {
    status = accelerate(d, before, 1 / d->h);
    for (size_t k = 0; k < nv && status == CARDAN_OK; k++) {
      dq[k] = before[k] + d->h * d->h * d->trial->a[k];
    }
  } else {
    cardan__extrapolate(history, dq);
    if (cardan__has_cones(d)) {
      drop_rounding(d, dq);
    }
  }
  if (status != CARDAN_OK) {
    d->node->info = d->trial->info;
    return status;
  }
  prescribe(d);
  cardan__boxes_guess(d);
  cardan__displacement_set(d->model, &d->x);
  return CARDAN_OK;
}
