// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run/estimate.h"

/* Errors that sampled steps do not show, from the ways of the coordinates in each step:
 *
 * stops    Dry friction stops a joint at some moment within a step, and methods do not know when:
 * the
 *          place is uncertain by half of the way of the last step without the stop. A step in which
 *          the way of the joint falls below half of that of the step before counts as one that
 *          stops it; so does strong damping, whose error is of that size, too.
 * strikes  An impact that acts at the end of its step is up to a step late: half of what the way
 *          changes by.
 * kick     The forces of the start act over all of the first step, not over half of it: velocities
 *          are off by half of what the first step changes them by. */

static const double falls = 0.5;

static bool has_dry_friction(const cardan_force_element *e)
{
  return e->kind == CARDAN_ELEMENT_DRY_FRICTION && e->value[0] > 0;
}

void cardan__estimate_begin_ways(cardan__estimate *e, const cardan_model *model, const double *q,
                                 const double *v, double h)
{
  if (e->way == NULL) {
    return;
  }
  cardan__estimate_change(model, e->start, q, e->place);
  cardan__estimate_rates(model, q, v, e->half, e->way);
  for (int k = 0; k < model->nv; k++) {
    e->way[k] *= h;
  }
}

static void add_stops(cardan__estimate *e, const cardan_model *model)
{
  for (int i = 0; i < model->nforce; i++) {
    if (has_dry_friction(&model->force[i])) {
      const int k = model->force[i].dof;
      const double way = e->change[k] - e->place[k], before = fabs(e->way[k]);
      e->stops[k] += fabs(way) < falls * before ? 0.5 * before : 0;
    }
  }
}

void cardan__estimate_add_ways(cardan__estimate *e, const cardan_model *model, int64_t step,
                               bool struck, const double *q)
{
  if (e->way == NULL) {
    return;
  }
  cardan__estimate_change(model, e->start, q, e->change);
  if (e->dry) {
    add_stops(e, model);
  }
  for (int k = 0; k < model->nv; k++) {
    const double way = e->change[k] - e->place[k], turn = 0.5 * fabs(way - e->way[k]);
    e->strikes[k] += struck ? turn : 0;
    e->kick[k] = step == 1 ? turn : e->kick[k];
    e->way[k] = way;
  }
  memcpy(e->place, e->change, (size_t)model->nv * sizeof *e->place);
}

/* A velocity that is off moves a coordinate away for as long as the motion, or as a swing lasts. */
double cardan__estimate_ways(const cardan__estimate *e, int k, double time, double h)
{
  if (e->way == NULL) {
    return 0;
  }
  const double speed = sqrt(e->motion[k] / e->sums.weight), range = e->high[k] - e->low[k];
  const double lasts = speed * time > range ? range / speed : time;
  return e->stops[k] + e->strikes[k] + (e->kicks ? e->kick[k] / h * lasts : 0);
}
