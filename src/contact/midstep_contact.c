// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "contact/between.h"
#include "contact/contacts.h"
#include "spatial/spatial.h"

/* Gaps that are open at both ends of a step and were not between (contact/between.h).
 *
 * With the rate of a gap at the node the parabola to its end says whether it dips below 0. Rates
 * are known where velocities are, after impacts and while something is closed. Else those of limits
 * and bounds come from the gap at the node before; those of solids, whose features are not the same
 * from node to node, are asked for where their gap is so small that it may have turned round:
 *   |phi''| h^2 / 8,   |phi''| h^2 = (free fall) + sum of way^2 / radius                      (D1)
 * A step that dips is taken again, to the place where the gap is least. */

static const double within = 1e-3; // of the step: what is so near to an end is the end

void cardan__contacts_remember(cardan__contacts *c, double h)
{
  memcpy(c->gaps.last, c->gaps.gap, (size_t)c->gaps.nfixed * sizeof *c->gaps.last);
  c->gaps.last_h = h;
}

/* May the gap of a spot have turned round? (D1), twice as much */
static bool may_turn(const cardan__contacts *c, const cardan_model *model, int i)
{
  const int *solid = model->pair[c->gaps.feature[i].pair].solid;
  double turn = c->gaps.min_reach; // 2 g dt^2
  for (int side = 0; side < 2; side++) {
    const cardan_solid *s = &model->solid[solid[side]];
    const double way = c->gaps.moved[s->body], radius = fmax(s->radius, 0.1 * c->size);
    turn += way > 0 && radius < HUGE_VAL ? way * way / radius : 0;
  }
  return fmin(c->gaps.gap[i], c->gaps.next[i]) < 0.25 * turn;
}

/* Of an open feature: when it is least and passed, 0: it is not. rate: at the node */
static double dip_of(const cardan__contacts *c, int i, double rate, double h)
{
  double least;
  const double s = cardan__gap_valley(c->gaps.gap[i], rate, h, c->gaps.next[i], &least);
  return least < -cardan__contact_tolerance(c, i) && s > within * h && s < (1 - within) * h ? s : 0;
}

bool cardan__contacts_midstep(cardan__contacts *c, const cardan_data *end, double *when)
{
  const double h = end->t - c->trial.from;
  double first = HUGE_VAL;
  bool ask = false;
  for (int i = 0; i < c->gaps.n; i++) {
    if (c->gaps.closure[i] != CARDAN__OPEN || c->gaps.active[i]) {
      continue;
    }
    double s = 0;
    if (!c->trial.stale) {
      s = dip_of(c, i, c->gaps.rate[i], h);
    } else if (i >= c->gaps.nfixed) {
      ask = ask || may_turn(c, end->model, i);
    } else if (c->gaps.last_h > 0) {
      s = dip_of(
          c, i,
          cardan__gap_rate(c->gaps.last_h, c->gaps.last[i], c->gaps.gap[i], h, c->gaps.next[i]), h);
    }
    first = s > 0 && s < first ? s : first;
  }
  if (first < HUGE_VAL || ask) {
    *when = ask ? c->trial.from : c->trial.from + first;
    return true;
  }
  return false;
}

bool cardan__contacts_passes(cardan__contacts *c, const double *q, const double *dq,
                             cardan_data *end, double *when)
{
  const double part =
      cardan__pairs_between(end->model, q, c->gaps.X, dq, end, c->gaps.nwatch, c->gaps.watch,
                            c->gaps.width, CARDAN__WATCHED, c->gaps.fast, NULL);
  if (part > 0) {
    *when = c->trial.from + part * (end->t - c->trial.from);
  }
  return part > 0;
}

/* The place where a disc touches runs round its rim the faster the flatter it lies: one that passes
 * nearly flat has it run by half a turn in no time, with large forces. So has an edge that lies
 * down on a face. With steps in which it runs, in parts of the size (of a rim: rad), by at most
 *   0.1 max(1, g dt / v),   at most 1,   v the speed of that size, up and down                (D2)
 * what they lose is about the same for all v: a disc that comes to lie is not followed through
 * every turn of its wobble. */
bool cardan__contacts_turns(cardan__contacts *c, const cardan_data *end, double dt, double *length)
{
  const double h = end->t - c->trial.from, shortest = dt / 1024;
  const double slow = cardan__vec3_norm(end->model->gravity) * dt * h; // a way in h
  double most = 0;                                                     // of what (D2) allows
  for (int j = 0; j < c->cones.n; j++) {
    const cardan__feature *f = &c->gaps.feature[c->cones.index[j]];
    double way = 0, run = 0;
    if (f->kind == CARDAN__SPOT) {
      run = cardan__spot_run(end->model, &f->spot, c->gaps.X, end->X_W, &way);
    }
    const double may = slow < 10 * way ? 0.1 * fmax(1, slow / way) : 1;
    most = fmax(most, run / may);
  }
  if (!(most > 1 && h > 1.5 * shortest)) {
    return false;
  }
  *length = fmax(h * fmax(0.6 / most, 0.1), shortest);
  return true;
}
