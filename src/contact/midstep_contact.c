// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "contact/between.h"
#include "contact/contacts.h"
#include "contact/feature_rows.h"
#include "spatial/spatial.h"

/* Gaps that are open at both ends of a step but closed in between (contact/between.h).
 *
 * A parabola through the gap and its rate at the node, and the gap at the end of the step, shows
 * whether the gap becomes negative. The rate is known where velocities are: after impacts, and
 * while a contact is closed. Otherwise:
 *   limits, bounds  their rate comes from the gap at the previous node
 *   solids          their features change from node to node; velocities are computed only if the
 *                   gap is so small that its rate may have changed sign within the step: below
 *                   |phi''| h^2 / 8,   |phi''| h^2 = (free fall) + sum of displacement^2 / radius
 *                                                                                             (D1)
 * A step in which a gap closes is repeated up to the time at which the gap is least. */

enum { MOST_JUMPS = 8 }; // in a step dt
static const double part_of_step =
    1.0 / 1024;                        // of dt: no step is cut shorter for a place that runs
static const double end_margin = 1e-3; // fraction of the step: minima closer to an end are ignored

void cardan__contacts_remember(cardan__contacts *c, double h)
{
  memcpy(c->gaps.last, c->gaps.gap, (size_t)c->gaps.nfixed * sizeof *c->gaps.last);
  c->gaps.last_h = h;
}

/* May the rate of the gap of spot i have changed sign within the step: (D1) with a factor of 2? */
static bool may_have_reversed(const cardan__contacts *c, const cardan_model *model, int i)
{
  const int *solid = model->pair[c->gaps.feature[i].pair].solid;
  double bound = c->gaps.min_reach; // 2 g dt^2
  for (int side = 0; side < 2; side++) {
    const cardan_solid *s = &model->solid[solid[side]];
    const double displacement = c->gaps.moved[s->body], radius = fmax(s->radius, 0.1 * c->size);
    bound += displacement > 0 && radius < HUGE_VAL ? displacement * displacement / radius : 0;
  }
  return fmin(c->gaps.gap[i], c->gaps.next[i]) < 0.25 * bound;
}

/* Time from the node at which the gap of open feature i is least, if it is negative there; 0: the
 * gap stays open. rate: at the node */
static double find_closing_time(const cardan__contacts *c, int i, double rate, double h)
{
  double least;
  const double s = cardan__gap_valley(c->gaps.gap[i], rate, h, c->gaps.next[i], &least);
  return least < -cardan__contact_tolerance(c, i) && s > end_margin * h && s < (1 - end_margin) * h
             ? s
             : 0;
}

bool cardan__contacts_midstep(cardan__contacts *c, const cardan_data *end, double *when)
{
  const double h = end->t - c->trial.from;
  double earliest = HUGE_VAL;
  bool need_velocities = false;
  for (int i = 0; i < c->gaps.n; i++) {
    if (c->gaps.closure[i] != CARDAN__OPEN || c->gaps.active[i]) {
      continue;
    }
    double s = 0;
    if (!c->trial.stale) {
      s = find_closing_time(c, i, c->gaps.rate[i], h);
    } else if (i >= c->gaps.nfixed) {
      need_velocities = need_velocities || may_have_reversed(c, end->model, i);
    } else if (c->gaps.last_h > 0) {
      s = find_closing_time(
          c, i,
          cardan__gap_rate(c->gaps.last_h, c->gaps.last[i], c->gaps.gap[i], h, c->gaps.next[i]), h);
    }
    earliest = s > 0 && s < earliest ? s : earliest;
  }
  if (earliest < HUGE_VAL || need_velocities) {
    *when = need_velocities ? c->trial.from : c->trial.from + earliest;
    return true;
  }
  return false;
}

bool cardan__contacts_passes(cardan__contacts *c, const double *q, const double *dq,
                             cardan_data *end, double *when)
{
  memset(c->gaps.fast, 0, (size_t)c->gaps.nwatch * sizeof *c->gaps.fast);
  for (int i = c->gaps.nfixed; i < c->gaps.n; i++) {
    c->gaps.fast[c->gaps.owner[i]] |= c->gaps.active[i];
  }
  const double fraction =
      cardan__pairs_between(end->model, q, c->gaps.X, dq, end, c->gaps.nwatch, c->gaps.watch,
                            c->gaps.width, CARDAN__WATCHED, c->gaps.fast, NULL);
  if (fraction > 0) {
    *when = c->trial.from + fraction * (end->t - c->trial.from);
  }
  return fraction > 0;
}

/* The contact point of a disc travels around its rim, faster the flatter the disc lies: as a disc
 * passes through an almost flat position, the point travels half a turn in a very short time, with
 * large forces. The same happens as an edge settles on a face. Steps are cut so that the point
 * travels, relative to the size of the feature (for a rim: in rad), by at most
 *   0.1 max(1, g dt / v),   at most 1,   v the speed of the rim by tilting                   (D2)
 * The energy lost is then about the same for all v, and steps do not resolve every turn of the
 * wobble of a disc that comes to rest. */
bool cardan__contacts_turns(cardan__contacts *c, const cardan_data *end, double dt, double *length)
{
  const double h = end->t - c->trial.from, shortest = part_of_step * dt;
  const double fall = cardan__vec3_norm(end->model->gravity) * dt * h; // g dt h: displacement in h
  double worst = 0;                                                    // relative to the bound (D2)
  for (int j = 0; j < c->held.n; j++) {
    const cardan__feature *f = &c->gaps.feature[c->cones.index[j]];
    double tilt_displacement = 0, travel = 0;
    if (f->kind == CARDAN__SPOT) {
      travel = cardan__spot_run(end->model, &f->spot, c->gaps.X, end->X_W, &tilt_displacement);
    }
    const double allowed =
        fall < 10 * tilt_displacement ? 0.1 * fmax(1, fall / tilt_displacement) : 1;
    worst = fmax(worst, travel / allowed);
  }
  if (!(worst > 1 && h > 1.5 * shortest)) {
    return false;
  }
  *length = fmax(h * fmax(0.6 / worst, 0.1), shortest);
  return true;
}

/* How far the place of f at the node, as A and B have it, came apart over the step. */
static double came_apart(const cardan__contacts *c, const cardan_data *end,
                         const cardan__feature *f)
{
  cardan__feature frozen = *f;
  frozen.frozen = true;
  return cardan__feature_look(c->model, end, &frozen, NULL) - f->gap;
}

/* Where two lines come to be parallel, or a disc comes to lie, the place jumps from one end to the
 * other, which approaches: no step is short enough to follow it. An impulse along the row of the
 * node that keeps the gap of the other end has both come apart at the node's place, with the speed
 * of an impact, and works on both: it gains energy. Such a place is kept as it was over the step,
 * and at its end the other one is met, by an impact. A place that moves smoothly comes apart by
 * the part w h / 4 of the ways of its bodies in a step in which its normal turns by w h. What rocks
 * to and fro between two ends comes to rest: its later jumps in a step dt count no more. */
bool cardan__contacts_jump(cardan__contacts *c, const cardan_data *end, double dt)
{
  const double part = 0.01; // of the ways of both bodies: no smooth place in such a step
  bool any = false;
  if (end->t - c->trial.from > 1.5 * part_of_step * dt || c->cones.jumps == MOST_JUMPS) {
    return false;
  }
  for (int j = 0; j < c->held.n; j++) {
    const cardan__feature *f = &c->cones.feature[j];
    if (f->kind == CARDAN__SPOT && !f->frozen && c->held.impulse[c->held.cone[j].row] > 0) {
      const int *solid = c->model->pair[f->pair].solid;
      const double way = c->gaps.moved[c->model->solid[solid[0]].body] +
                         c->gaps.moved[c->model->solid[solid[1]].body];
      if (came_apart(c, end, f) > part * way + CARDAN__CLOSED) {
        c->cones.jumped[c->cones.index[j]] = any = true;
      }
    }
  }
  c->cones.jumps += any;
  return any;
}
