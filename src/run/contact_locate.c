// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run/contact_run.h"
#include "run/sim.h"

/* When does a gap close?
 *
 * The step that would pass it is tried again from the same node with other lengths s, until it
 * ends where phi(s) = 0 within tolerance: each try is a step of the method, so the event has the
 * method's own order. A feature that has just left its stop has phi(0) = 0; there the root at s = 0
 * is divided out, f = phi / s, f(0) = u. Of several the first counts. With f at three points of
 * time, the ends of the bracket and the end before that, the next s is the root of the parabola
 * through them; the first has the rate u at the node in place of the third point. Where the bracket
 * does not shrink by half in two tries, it is halved. */

enum { MOST_TRIES = 80 };

/* f of feature i at a point. */
static double value_at(const cardan__contacts *c, const cardan_data *data,
                       const cardan__contact_point *p, int i)
{
  const double s = p->t - data->t;
  if (c->gaps.closure[i] != CARDAN__FLYING) {
    return p->value[i];
  }
  return s > 0 ? p->value[i] / s : fmax(c->gaps.rate[i], 0);
}

/* Root between 0 and b of the parabola with f(0) = f0, f(b) = fb and f[0, b, x] = curve; f0 > 0 >
 * fb. */
static double parabola(double b, double f0, double fb, double curve)
{
  const double slope = (fb - f0) / b - curve * b; // at 0
  const double square = slope * slope - 4 * curve * f0;
  if (square < 0) {
    return b * f0 / (f0 - fb);
  }
  // both forms of the roots, without cancellation
  const double w = -0.5 * (slope + copysign(sqrt(square), slope));
  const double first = w != 0 ? f0 / w : b, second = curve != 0 ? w / curve : b;
  const double x = first > 0 && first < b ? first : second;
  return x > 0 && x < b ? x : b * f0 / (f0 - fb);
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

/* Where between the ends of the bracket (points 0 and 1) feature i is met. */
static double forecast(const cardan__contacts *c, const cardan_data *data, int tries, int i)
{
  const cardan__contact_point *p = c->trial.point;
  const double b = p[1].t - p[0].t;
  const double f0 = value_at(c, data, &p[0], i), fb = value_at(c, data, &p[1], i);
  double curve = 0;
  if (!(f0 > 0) || !(fb < 0)) {
    return p[0].t + 0.5 * b;
  }
  if (tries == 0 && c->gaps.closure[i] == CARDAN__OPEN && i < c->gaps.room) {
    curve = ((fb - f0) / b - c->gaps.rate[i]) / b;
  } else if (tries > 0) {
    const double x = p[2].t - p[0].t, fx = value_at(c, data, &p[2], i);
    curve = x != 0 && x != b ? ((fx - f0) / x - (fb - f0) / b) / (x - b) : 0;
  }
  return p[0].t + parabola(b, f0, fb, curve);
}

/* The first of those that are passed at the end of the bracket. */
static double first_of(const cardan__contacts *c, const cardan_data *data, int tries)
{
  double t = c->trial.point[1].t;
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    if (cardan__contact_sought(c, i)) {
      t = fmin(t, forecast(c, data, tries, i));
    }
  }
  return t;
}

/* The end of a try becomes an end of the bracket; the one it replaces is the third point. */
static void narrow(cardan__contacts *c, int side, double t)
{
  const cardan__contact_point old = c->trial.point[2];
  c->trial.point[2] = c->trial.point[side];
  c->trial.point[side] = old;
  c->trial.point[side].t = t;
  memcpy(c->trial.point[side].value, c->gaps.next, (size_t)c->gaps.n * sizeof *c->gaps.next);
  memcpy(c->trial.point[side].value + c->gaps.room, c->gaps.next + c->gaps.room,
         (size_t)c->gaps.nwatch * sizeof *c->gaps.next);
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
  cardan_data *data = sim->data;
  double width[2] = {HUGE_VAL, HUGE_VAL};
  cardan__attempt attempt = cardan__attempt_of(cardan__contacts_velocities(sim));
  if (attempt.status != CARDAN_OK) {
    return attempt;
  }
  for (int i = cardan__contacts_entry(c, -1); i >= 0; i = cardan__contacts_entry(c, i)) {
    c->trial.point[0].value[i] = c->gaps.active[i] ? c->cones.here[i] : fmax(c->gaps.gap[i], 0);
  }
  c->trial.point[0].t = c->trial.point[2].t = data->t;
  narrow(c, 1, t_end);
  attempt.why = CARDAN__CROSSED;
  c->trial.seek = true;
  c->trial.found = -1;
  for (int tries = 0; tries < MOST_TRIES && is_open(attempt); tries++) {
    const double a = c->trial.point[0].t, b = c->trial.point[1].t;
    double t = first_of(c, data, tries);
    if (b - a > 0.5 * width[tries & 1]) {
      t = 0.5 * (a + b);
    }
    width[tries & 1] = b - a;
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
