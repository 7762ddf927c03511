// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "methods/maximal/stepper.h"

/* Steps that jump over a gap (constraints/branch_gap.h), by half-implicit, fully-implicit and
 * rattle.
 *
 * Where a singular position is passed, or nearly, d of crossing.c falls to 0 and rises again,
 * linearly in time. Each step factors the rows once at least, at one of its ends, and so shows d
 * for nothing. From a node to the next d changes by |d'| h; a step that passes the position has
 *   d <= |d'| h   at both of its ends                                                         (E1)
 * and is looked at. |d'| is the larger of what the last two steps show, and counts twice. Steps
 * over more than a radian resolve no motion of any kind, and rows that turn so far say nothing. */

static const double margin = 2;
static const double unknown = 0.1; // a first step is looked at when d is less
static const double longest = 1;   // [rad, or lengths of the mechanism]

void cardan__mx_gaps_begin(cardan__mx_stepper *s)
{
  s->gaps.d = -1;
  s->gaps.rate = 0;
}

/* (E1), of a step of length h; d (out) and its rate [1/s, out] are those of it. */
static bool may_jump(const cardan__mx_stepper *s, double h, double *d, double *rate)
{
  const double before = s->gaps.d;
  *d = cardan__mx_pivot_ratio(s);
  *rate = before >= 0 ? fabs(*d - before) / fabs(h) : 0;
  const double change = margin * fmax(*rate, s->gaps.rate) * fabs(h);
  const bool near = before >= 0 ? fmin(before, *d) < change : *d < unknown;
  return near && cardan__mx_size(s, s->x) < longest;
}

/* Is the step to cfg_try at t a jump? */
static bool is_jump(cardan__mx_stepper *s, const cardan_data *data, double t,
                    cardan__branch_gap_found *found)
{
  const cardan_model *model = s->base.model;
  double *q = s->mx->q; // what comes next starts from where it is
  s->mx->q = s->gaps.q;
  memcpy(s->mx->q, data->q, (size_t)model->nq * sizeof *q);
  cardan__mx_place(s->mx, s->cfg_try, NULL);
  cardan__mx_coordinates(s->mx, true);
  cardan_q_difference(model, data->q, s->mx->q, s->gaps.x);
  s->mx->q = q;
  return cardan__branch_gap_jumped(s->gaps.gap, data->t, data->q, t, s->gaps.x, found);
}

cardan_status cardan__mx_watch_gaps(cardan__mx_stepper *s, cardan_data *data, double t)
{
  cardan__branch_gap_found found;
  double d, rate;
  if (s->gaps.gap == NULL) {
    return CARDAN_OK;
  }
  if (may_jump(s, t - data->t, &d, &rate) && is_jump(s, data, t, &found)) {
    return cardan__branch_gap_describe(s->base.model, &found, data->t, t - data->t, &data->info);
  }
  s->gaps.d = d; // of steps that are taken: one that is refused is no less so when tried again
  s->gaps.rate = rate;
  return CARDAN_OK;
}
