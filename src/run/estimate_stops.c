// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "cardan/kinematics.h"
#include "run/estimate.h"

/* Dry friction stops a joint at some moment within a step, and methods whose friction is a force at
 * given instants do not know when: where the joint comes to rest is uncertain by half of the way
 * that the last step without the stop took. Sampled steps may miss the one in which it happens, and
 * the energy does not show it. A step in which the way of the joint falls below half of that of the
 * step before counts as one that stops it; so does strong damping, whose error is of that size,
 * too. */

static const double falls = 0.5;

static bool rubs(const cardan_force_element *e)
{
  return e->kind == CARDAN_ELEMENT_DRY_FRICTION && e->value[0] > 0;
}

void cardan__estimate_begin_stops(cardan__estimate *e, const cardan_model *model,
                                  const cardan_data *data, double h)
{
  for (int i = 0; i < model->nforce && e->stops != NULL; i++) {
    if (rubs(&model->force[i])) {
      const int k = model->force[i].dof;
      e->way[k] = data->v[k] * h;
    }
  }
}

void cardan__estimate_add_stops(cardan__estimate *e, const cardan_model *model, const double *q)
{
  if (e->stops == NULL) {
    return;
  }
  cardan_q_difference(model, e->start, q, e->change);
  for (int i = 0; i < model->nforce; i++) {
    if (rubs(&model->force[i])) {
      const int k = model->force[i].dof;
      const double way = e->change[k] - e->place[k], before = fabs(e->way[k]);
      e->stops[k] += fabs(way) < falls * before ? 0.5 * before : 0;
      e->place[k] = e->change[k];
      e->way[k] = way;
    }
  }
}
