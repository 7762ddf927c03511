// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "methods/maximal/stepper.h"
#include "model/joint_table.h"

/* Whole turns of joints over a step. Poses determine an angle but for whole turns; the velocities
 * of the bodies, over a step the displacement x, determine how many of them there are.
 *
 * A joint turns by no more than its two bodies do, |x_P| + |x_C| <= 2 sqrt(3) max |x_k|, in a plane
 * 2 max |x_k|. Where that is less than a quarter turn the angle nearest to the node's is the one
 * (T1). Else it is the one nearest to what x predicts (maximal_coordinates.c, E6), if the
 * pose agrees with that (T2): to a quarter turn where bodies moved along x, by methods that iterate
 * for it, so that only the way of the rows is unknown; to a quarter radian where poses and
 * velocities were integrated beside each other: what they differ by is then an error of every
 * step. */

static const double quarter = 1.5707963267948966, apart = 0.25; // [rad]

/* (T1) for all joints. */
static bool may_turn_far(const cardan__maximal *mx, const double *x)
{
  const int angles = mx->planar ? 1 : 3;
  double largest = 0;
  for (int b = 0; b < mx->nbody; b++, x += mx->dof) {
    for (int k = 0; k < angles; k++) {
      largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
    }
  }
  return 2 * sqrt(angles) * largest > quarter;
}

void cardan__mx_turns_begin(cardan__mx_stepper *s, const cardan_data *data)
{
  const size_t size = (size_t)s->base.model->nq * sizeof *s->mx->q;
  if (data != NULL) {
    memcpy(s->turns.q, data->q, size);
  }
  memcpy(s->mx->q, s->turns.q, size);
  s->turns.predicted = false;
}

void cardan__mx_turns_at(cardan__mx_stepper *s, const double *q, const double *x)
{
  if (may_turn_far(s->mx, x)) {
    cardan__mx_predict_turns(s->mx, q, x);
    s->turns.predicted = true;
  } else if (s->turns.predicted) {
    memcpy(s->mx->q, q, (size_t)s->base.model->nq * sizeof *q);
    s->turns.predicted = false;
  }
}

static cardan_status unknown_turns(const cardan__mx_stepper *s, cardan_data *data, int body,
                                   double h)
{
  const cardan_model *model = s->base.model;
  const int k = model->body[body].qadr;
  const double turned = s->turns.expected[k] - s->turns.q[k];
  data->info = (cardan_info){.body = body, .joint = model->body[body].joint, .row = -1};
  data->info.residual = s->mx->q[k] - s->turns.expected[k];
  data->info.whole = true;
  snprintf(data->info.message, sizeof data->info.message,
           "joint \"%.60s\" turns by %.3g rad in one step of %.3g s by its velocity, and by %.3g "
           "rad by its pose: its turns cannot be counted; use dt <= %.1g",
           model->joint[data->info.joint].name, turned, h, turned + data->info.residual,
           fabs(h / turned));
  return CARDAN_ERR_STEP_TOO_SMALL;
}

cardan_status cardan__mx_count_turns(cardan__mx_stepper *s, cardan_data *data, double t)
{
  cardan__maximal *mx = s->mx;
  const cardan_model *model = s->base.model;
  const double allowed = s->base.method->states && !mx->planar ? apart : quarter;
  cardan__mx_turns_at(s, s->turns.q, s->x);
  if (!s->turns.predicted) {
    return CARDAN_OK;
  }
  memcpy(s->turns.expected, mx->q, (size_t)model->nq * sizeof *mx->q);
  cardan__mx_place_again(mx, s->cfg_try, NULL);
  cardan__mx_coordinates(mx, true);
  for (int i = 1; i < model->nbody; i++) {
    const int k = model->body[i].qadr;
    if (cardan__body_turns(&model->body[i]) &&
        fabs(s->turns.expected[k] - s->turns.q[k]) > quarter &&
        !(fabs(mx->q[k] - s->turns.expected[k]) <= allowed)) { // (T2)
      return unknown_turns(s, data, i, t - data->t);
    }
  }
  return CARDAN_OK;
}
