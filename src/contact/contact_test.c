// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>

#include "contact/between.h"
#include "contact/contacts.h"
#include "spatial/spatial.h"

/* The test of a trial's end: is a gap passed, and is the event that is searched for found? */

static const double located = 1e-12;  // of a gap, relative to 1 and its bound or size [m or rad]
static const double vanished = 1e-10; // of the largest force that holds
static const double fast = 0.2, fast_to_world = 0.5; // of the thinner solid: a way that is cut

double cardan__contact_tolerance(const cardan__contacts *c, int i)
{
  if (i >= c->gaps.room) {
    return CARDAN__WATCHED;
  }
  if (c->gaps.active[i] && !c->by_cones) {
    return vanished * c->cones.force;
  }
  return located * (1 + (c->gaps.feature[i].k >= 0 ? fabs(c->gaps.feature[i].bound) : c->size));
}

/* [m] What of a gap may be passed where one is sought. A feature of cones that was clearly open is
 * found to rounding, that of the time too: more would be pushed out again, and leave its speed. */
static double allowed_overlap(const cardan__contacts *c, int i)
{
  const double tol = cardan__contact_tolerance(c, i);
  if (!c->by_cones || i >= c->gaps.room || c->gaps.gap[i] < CARDAN__CLOSED) {
    return tol;
  }
  const double blur =
      fmin(fabs(c->trial.from * c->gaps.rate[i]), 0.1 * CARDAN__CLOSED / DBL_EPSILON);
  return DBL_EPSILON * (16 * (1 + c->size) + blur);
}

bool cardan__contact_sought(const cardan__contacts *c, int i)
{
  return (c->gaps.active[i] || c->gaps.closure[i] < CARDAN__HELD) &&
         c->trial.bracket.point[1].value[i] < -allowed_overlap(c, i);
}

/* Values of all entries at the end, to next: gaps, counted from that of the node where it is below
 * 0. A spot may be passed beside where the solids end: while its pair is apart nothing is, and as
 * that closes such a spot goes with it, without a jump. Where the step was cut at a spot and
 * nothing met there (a corner beside an edge, which is another corner at every node), the pair's
 * own gap says what is passed in the rest of it; but not of a spot that has just left a pair which
 * is deep already, or every small bounce would sink by what is passed. */
static void evaluate_gaps(cardan__contacts *c, cardan_data *end, const double *of_held)
{
  cardan__contacts_gaps(c, end, c->gaps.next);
  for (int i = c->gaps.nfixed; i < c->gaps.n; i++) {
    const double gap = c->gaps.next[c->gaps.room + c->gaps.owner[i]], own = c->gaps.next[i];
    const bool beside = own < gap - 2 * CARDAN__WATCHED;
    c->gaps.next[i] = gap > 2 * CARDAN__WATCHED || beside ? fmax(own, gap) : own;
  }
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.next[i] -= fmin(0, c->gaps.gap[i]);
  }
  for (int i = c->gaps.nfixed; i < c->gaps.n && c->impacts.nhit > 0; i++) {
    const int w = c->gaps.owner[i];
    const bool deep =
        c->gaps.closure[i] == CARDAN__FLYING && c->gaps.base[w] < -3 * CARDAN__WATCHED;
    if (!c->gaps.active[i] && !deep && cardan__contacts_missed(c, c->gaps.feature[i].pair)) {
      c->gaps.next[i] = fmax(c->gaps.next[i], c->gaps.next[c->gaps.room + w] - c->gaps.base[w]);
    }
  }
  for (int w = 0; w < c->gaps.nwatch; w++) {
    c->gaps.next[c->gaps.room + w] -= c->gaps.base[w];
  }
  for (int j = 0; j < c->held.n && of_held != NULL; j++) {
    c->gaps.next[c->cones.index[j]] =
        c->gaps.feature[c->cones.index[j]].pinned ? fabs(of_held[j]) : of_held[j];
  }
}

/* A gap that is not a number (an expression beyond where it has a value) is passed: what closes
 * before it ceases to be one is found so. */
static void mark_nan_as_passed(cardan__contacts *c)
{
  c->gaps.any_nan = false;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (isnan(c->gaps.next[i])) {
      c->gaps.next[i] = -fmax(c->gaps.gap[i], 1e-6 * (1 + c->size));
      c->gaps.any_nan = true;
    }
  }
}

/* Returns whether entry i of the bracket is at its bound. For pairs that touch already, the bound
 * is where another of their spots touches, which is deeper. */
static bool is_at_bound(const cardan__contacts *c, int i, double tol)
{
  const double at = i < c->gaps.room ? fmax(tol, allowed_overlap(c, i))
                                     : tol + (c->gaps.gap[i] > 1.05 * tol ? 1e-8 : -1e-8);
  return c->trial.seek && c->gaps.next[i] <= at && cardan__contact_sought(c, i);
}

/* Of the pair of entry i: how far its solids moved against one another in the attempt, whatever
 * both fall together; the thinner of them, and how far they may [m]. */
static double travel_of(const cardan__contacts *c, const cardan_data *end, int i, double *width,
                        double *allowed)
{
  const cardan_model *model = end->model;
  const int pair = i < c->gaps.room ? c->gaps.feature[i].pair : c->gaps.watch[i - c->gaps.room];
  cardan_vec3 shift = {0, 0, 0};
  double travel = 0;
  bool fixed = false;
  *width = HUGE_VAL;
  for (int side = 0; side < 2 && pair >= 0; side++) {
    const int solid = model->pair[pair].solid[side], body = model->solid[solid].body;
    const cardan_solid *own = &model->solid[solid];
    const double thick = c->gaps.width[solid];
    *width = thick > 0 ? fmin(*width, thick) : *width; // points have no width
    fixed = fixed || body == 0;
    travel += cardan__solid_way(own, &c->gaps.X[body], &end->X_W[body], shift);
    shift = cardan__solid_shift(own, &c->gaps.X[body], &end->X_W[body]);
    travel -= side == 0 ? cardan__vec3_norm(shift) : 0;
  }
  *allowed = (fixed ? fast_to_world : fast) * *width;
  return travel;
}

/* Impacts at nodes: is something passed that was open? Solids that moved against one another by
 * more than a fifth of the thinner one may be deep in one another, where normals are not those of
 * the moment of contact: the step is cut close behind where they meet. Faces of the world do not
 * turn: there half of it may pass. */
static cardan__attempt find_passed(cardan__contacts *c, const cardan_data *end)
{
  const double h = end->t - c->trial.from;
  double length = h;
  c->landing.passed = false;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    const double tol = i < c->gaps.room ? CARDAN__LANDED : CARDAN__WATCHED;
    if (c->gaps.active[i] || !(c->gaps.next[i] < -tol)) {
      continue;
    }
    double width, allowed;
    const double travel = travel_of(c, end, i, &width, &allowed);
    c->landing.passed = true;
    if (travel > allowed) {
      length = fmin(length, h * (fmax(c->gaps.gap[i], 0) + 0.05 * width) / travel);
    }
  }
  return length < 0.9 * h && !c->held.given
             ? cardan__attempt_refused(CARDAN__MIDSTEP, -1, c->trial.from + length)
             : cardan__attempt_of(CARDAN_OK);
}

cardan__attempt cardan__contacts_judge(cardan__contacts *c, cardan_data *end, const double *of_held)
{
  double over_worst = 0, when = 0;
  int worst = -1;
  bool met = false, any_closed = false;
  if (c->landing.blind) {
    return cardan__attempt_of(CARDAN_OK);
  }
  cardan__contacts_place(c, end);
  const int known = c->gaps.n;
  if (c->gaps.room_watch > 0 && !cardan__contacts_ways(c, end->model, end->X_W) &&
      !cardan__contacts_extend(c, end->model)) {
    return cardan__attempt_refused(CARDAN__MOVED, -1, 0); // the node says what there is no room for
  }
  evaluate_gaps(c, end, of_held);
  mark_nan_as_passed(c);
  for (int i = known; i < c->gaps.n; i++) {
    c->gaps.rate[i] = (c->gaps.next[i] - c->gaps.gap[i]) / (end->t - c->trial.from);
  }
  if (c->landing.on && !c->gaps.any_nan) {
    return find_passed(c, end);
  }
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (c->gaps.active[i] && c->by_cones) {
      continue; // (N) sees to it
    }
    const double tol = cardan__contact_tolerance(c, i),
                 over = c->trial.seek ? allowed_overlap(c, i) : tol;
    const bool closed =
        c->gaps.closure[i] >= CARDAN__HELD; // what is closed comes before what closes
    const bool more = worst < 0 || closed != any_closed ? closed || !any_closed
                                                        : c->gaps.next[i] + over < over_worst;
    if (c->gaps.next[i] < -over && more) {
      over_worst = c->gaps.next[i] + over;
      worst = i;
      any_closed = closed;
    }
    if (!met && is_at_bound(c, i, tol)) {
      c->trial.found = i < c->gaps.room ? c->gaps.feature[i].pair : -1;
      met = true;
    }
  }
  if (worst >= 0) {
    return cardan__attempt_refused(CARDAN__CROSSED, worst, 0);
  }
  if (c->trial.seek && !met) {
    return cardan__attempt_refused(CARDAN__TOO_SHORT, -1, 0);
  }
  return c->by_cones && c->trial.check_midstep && cardan__contacts_midstep(c, end, &when)
             ? cardan__attempt_refused(CARDAN__MIDSTEP, -1, when)
             : cardan__attempt_of(CARDAN_OK);
}
