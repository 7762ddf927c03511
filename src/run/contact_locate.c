// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run/contact_run.h"
#include "run/sim.h"

/* An attempt of a step, and: when does a gap close?
 *
 * The step that would pass it is attempted again from the same node with other lengths s, until it
 * ends where phi(s) = 0 within tolerance (base/bracket.h): each attempt is a step of the method, so
 * the event has the method's own order. A feature that has just left its stop has phi(0) = 0; there
 * the root at s = 0 is divided out, f = phi / s, f(0) = u. The first parabola has the rate u at the
 * node in place of the third point. */

enum { MOST_TRIES = 80 };

static const double located = 1e-11; // [m or rad]: the location of an event leaves less

/* Is something held that a landing left overlapping? Contacts that depend on one another, as those
 * of a box that lies on two others, may overlap by amounts that no motion takes back at the same
 * time: rows that push them out contradict one another, impulses grow, and what rests does not come
 * to rest. Where that was seen (contact_end.c) small overlaps stay as well. */
static bool overlaps(const cardan__contacts *c)
{
  const double most = c->landing.contradicts ? located : CARDAN__LANDED;
  bool any = false;
  for (int j = 0; j < c->held.n - c->ndry && c->landing.landed; j++) {
    any = any || c->gaps.gap[c->cones.index[j]] < -most;
  }
  return any;
}

void cardan__contact_set_targets(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  const double kappa = overlaps(c) ? 0 : fmin(0.2 * (t_end - sim->data->t) / sim->options.dt, 1);
  const int ncontact = c->held.n > c->ndry ? c->held.n - c->ndry : 0;
  for (int j = 0; j < ncontact; j++) {
    const int row = c->by_cones ? c->held.cone[j].row : j;
    c->held.target[row] = (1 - kappa) * c->gaps.gap[c->cones.index[j]];
  }
  for (int j = ncontact; j < c->held.n; j++) {
    c->held.cone[j].bound = 0.5 * (t_end - sim->data->t) * c->cones.feature[j].force;
  }
}

cardan__attempt cardan__contact_try(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  c->ledger.stats.attempts++;
  if (!c->by_cones) {
    return cardan__contact_try_rows(sim, t_end);
  }
  cardan__contact_set_targets(sim, t_end);
  const cardan__attempt attempt = sim->stepper->method->step(sim->stepper, sim->data, t_end);
  c->trial.iterations += sim->stepper->iterations;
  c->landing.tries++;
  return attempt;
}

/* f of feature i at a point. */
static double value_at(const cardan__contacts *c, const cardan_data *data,
                       const cardan__event_point *p, int i)
{
  const double s = p->t - data->t;
  if (c->gaps.closure[i] != CARDAN__FLYING) {
    return p->value[i];
  }
  return s > 0 ? p->value[i] / s : fmax(c->gaps.rate[i], 0);
}

double cardan__contact_valley(double h, const double gap[2], const double rate[2], double *least)
{
  const double slope = (gap[1] - gap[0]) / h;
  const double c2 = (3 * slope - 2 * rate[0] - rate[1]) / h;
  const double c3 = (rate[0] + rate[1] - 2 * slope) / (h * h);
  // the cubic's rate rate[0] + 2 c2 s + 3 c3 s^2 has one root between its ends
  const double w = -(c2 + copysign(sqrt(fmax(c2 * c2 - 3 * c3 * rate[0], 0)), c2));
  const double first = w != 0 ? rate[0] / w : h, second = c3 != 0 ? w / (3 * c3) : h;
  const double s = first > 0 && first < h ? first : fmin(fmax(second, 0), h);
  *least = gap[0] + s * (rate[0] + s * (c2 + s * c3));
  return s;
}

/* When feature i is met, between the ends of the bracket. */
static double root_of(const cardan__contacts *c, const cardan_data *data, int i)
{
  const cardan__bracket *b = &c->trial.bracket;
  const cardan__event_point *p = b->point;
  const double f0 = value_at(c, data, &p[0], i), f1 = value_at(c, data, &p[1], i);
  if (b->tries == 0 && c->gaps.closure[i] == CARDAN__OPEN && i < c->gaps.room) {
    const double width = p[1].t - p[0].t;
    const double curve = ((f1 - f0) / width - c->gaps.rate[i]) / width;
    return cardan__bracket_root(b, f0, f1, 0, &curve);
  }
  return cardan__bracket_root(b, f0, f1, b->tries > 0 ? value_at(c, data, &p[2], i) : 0, NULL);
}

/* The earliest of the features that are passed at the end of the bracket. */
static double first_root(const cardan__contacts *c, const cardan_data *data)
{
  double t = c->trial.bracket.point[1].t;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (cardan__contact_sought(c, i)) {
      t = fmin(t, root_of(c, data, i));
    }
  }
  return t;
}

/* The end of the last attempt, at t, becomes an end of the bracket. */
static void narrow(cardan__contacts *c, int side, double t)
{
  cardan__bracket_narrow(&c->trial.bracket, side, t);
  double *value = c->trial.bracket.point[side].value;
  memcpy(value, c->gaps.next, (size_t)c->gaps.n * sizeof *value);
  memcpy(value + c->gaps.room, c->gaps.next + c->gaps.room, (size_t)c->gaps.nwatch * sizeof *value);
}

/* Is another trial needed? */
static bool is_open(cardan__attempt attempt)
{
  return attempt.status == CARDAN_OK &&
         (attempt.why == CARDAN__CROSSED || attempt.why == CARDAN__TOO_SHORT);
}

cardan__attempt cardan__contact_locate(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  cardan__bracket *bracket = &c->trial.bracket;
  cardan_data *data = sim->data;
  cardan__attempt attempt = cardan__attempt_of(cardan__contacts_velocities(sim));
  if (attempt.status != CARDAN_OK) {
    return attempt;
  }
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    bracket->point[0].value[i] = c->gaps.active[i] ? c->cones.here[i] : fmax(c->gaps.gap[i], 0);
  }
  bracket->point[0].t = data->t;
  narrow(c, 1, t_end);
  cardan__bracket_begin(bracket, 0);
  attempt.why = CARDAN__CROSSED;
  c->trial.seek = true;
  c->trial.found = -1;
  while (bracket->tries < MOST_TRIES && is_open(attempt)) {
    const double a = bracket->point[0].t, b = bracket->point[1].t;
    double t = cardan__bracket_next(bracket, first_root(c, data));
    if (!(t > a && t < b)) { // no time is left between them: gaps jump there, none is met
      c->trial.seek = false;
      c->trial.found = -1;
      t = a > data->t ? a : b;
    }
    attempt = cardan__contact_try(sim, t);
    if (is_open(attempt)) {
      narrow(c, attempt.why == CARDAN__CROSSED ? 1 : 0, t);
    }
  }
  c->trial.seek = false;
  return is_open(attempt) ? cardan__attempt_of(cardan__contact_fail(
                                sim, attempt.where >= 0 ? attempt.where : c->impacts.last_feature,
                                c->gaps.any_nan ? "is open, and then its gap is not a number"
                                                : "is met, and the moment is not found"))
                          : attempt;
}
