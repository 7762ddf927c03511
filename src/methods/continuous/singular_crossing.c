// SPDX-License-Identifier: Apache-2.0
#include "methods/continuous/singular_crossing.h"

#include <math.h>
#include <string.h>

/* NEAR: above it no step of an integrator is in danger. SMALL: states are on the constraints to
 * 1e-12, on their branch then to 1e-12 / d, which is to be a small part of d itself; over SMALL a
 * Taylor series has no error that shows; and positions that miss a singular one by less (a branch
 * that bends away at that distance) cannot be distinguished from it: 1e-12 leaves sqrt(1e-12). */
static const double NEAR = 0.1;
static const double SMALL = 1e-5;
static const double ALONE = 1e-4; // below it an integrator that is not led is lost
static const double ahead = 1e-7; // a difference in d: this far [rad, or sizes of the mechanism]

static const double BEND = 0.05;    // parts of a bend, of the time that it takes
static const double EARLIER = 20.0; // steps before d = 0: 1 / BEND, beyond which no part is shorter

enum {
  MOST = 1000, // parts of an advance, two for every halving of d and more
  TRIES = 5    // at one of them
};

void cardan__singular_crossing_open(cardan__singular_crossing *p, cardan__ode *ode,
                                    const cardan__singular_crossing_rows *rows)
{
  p->ode = ode;
  p->rows = *rows;
  cardan__singular_crossing_begin(p);
}

void cardan__singular_crossing_begin(cardan__singular_crossing *p)
{
  cardan__rank_begin_step(&p->rank);
  p->rank.ratio = HUGE_VAL;
  p->rate = p->t_near = p->t_land = p->t_crossed = 0;
  p->under_way = p->careful = p->ends = false;
  p->slow = HUGE_VAL;
  p->pace = (cardan__pace){.t = HUGE_VAL, .t_end = HUGE_VAL};
}

/* Does d fall to 0 within the next h, at its rate over the last step? With fixed steps the answer
 * is yes earlier, and stays yes after a bend until h is short enough for the bend. */
static bool expects(const cardan__singular_crossing *p, double h)
{
  const bool fixed = !cardan__ode_method_adaptive(p->ode->method);
  const bool falls = p->rate < 0 && p->rank.ratio + (fixed ? EARLIER : 1.25) * p->rate * h < 0;
  return p->rank.ratio < NEAR && (falls || (fixed && p->pace.bends && p->pace.part < fabs(h)));
}

/* Was there a dip of d within the advance that began at d = before? */
static bool dipped(const cardan__singular_crossing *p, double before)
{
  const double largest = isfinite(before) ? fmax(before, p->rank.ratio) : p->rank.ratio;
  return p->rank.smallest < NEAR && p->rank.smallest < 0.5 * largest;
}

/* What is seen from the integrator's state. */
typedef struct {
  double d, rate; // the part that is left, and how fast it changes [1/s]
  double fast;    // largest speed
} sight;

static cardan_status measure_distance(const cardan__singular_crossing *p, sight *at)
{
  const cardan__singular_crossing_rows *rows = &p->rows;
  const double t = p->ode->t, *y = p->ode->y;
  double beyond = 0;
  at->fast = rows->fast(rows->self, t, y);
  at->rate = 0;
  cardan_status status = rows->pivot_ratio(rows->self, t, y, 0, &at->d);
  if (status == CARDAN_OK && at->fast > 0) {
    status = rows->pivot_ratio(rows->self, t, y, ahead / at->fast, &beyond);
    at->rate = (beyond - at->d) * at->fast / ahead;
  }
  return status;
}

/* Steps that the integrator has taken since its begin. */
static int64_t taken(const cardan__ode *ode)
{
  return ode->counters.accepted + ode->counters.rejected;
}

static void beware(cardan__singular_crossing *p, double danger)
{
  p->danger = danger;
  p->evaluations = p->ode->counters.evaluations;
}

/* By one advance that nothing looks beyond, with the steps that are left. */
static cardan_status advance_to(cardan__singular_crossing *p, double t)
{
  cardan__ode *ode = p->ode;
  const double t_final = ode->t_final;
  const int max_steps = ode->options.max_steps;
  const int64_t left = p->last_step - taken(ode);
  if (left <= 0) {
    return CARDAN_ERR_NO_CONVERGENCE;
  }
  ode->t_final = t;
  ode->options.max_steps = (int)left;
  const cardan_status status = cardan__ode_advance(ode, t);
  ode->options.max_steps = max_steps;
  ode->t_final = t_final;
  return status;
}

/* Lands where the crossing leads, or ends at a row on the way. */
static cardan_status land_behind(cardan__singular_crossing *p, double t_target)
{
  cardan__ode *ode = p->ode;
  const size_t n = (size_t)ode->n;
  const bool land = p->t_land <= t_target;
  const double t = land ? p->t_land : t_target;
  memcpy(ode->y, p->y_near, n * sizeof *ode->y);
  cardan_status status = p->rows.cross(p->rows.self, p->t_near, t - p->t_near, land, ode->y);
  p->under_way = !land;
  return status == CARDAN_OK ? cardan__ode_restart(ode, t, ode->y) : status;
}

static cardan_status start_crossing(cardan__singular_crossing *p, const sight *at, double t_target)
{
  cardan__ode *ode = p->ode;
  const double way = t_target > ode->t ? 1 : -1, rate = at->rate;
  // a state with no speed, or none that leads away, does not say where to
  if (!(fabs(rate) > 0) || !isfinite(SMALL / rate)) {
    p->t_crossed = ode->t;
    return CARDAN_ERR_SINGULAR;
  }
  const double to_zero = rate * way < 0 ? at->d / fabs(rate) : 0;
  p->t_crossed = ode->t + way * to_zero;
  p->t_near = ode->t;
  p->t_land = ode->t + way * (to_zero + 1.5 * SMALL / fabs(rate));
  memcpy(p->y_near, ode->y, (size_t)ode->n * sizeof *ode->y);
  return land_behind(p, t_target);
}

/* What a step may fail by that is too long. */
static bool too_long(cardan_status status)
{
  return status == CARDAN_ERR_STEP_TOO_SMALL || status == CARDAN_ERR_NOT_FINITE ||
         status == CARDAN_ERR_NO_CONVERGENCE || status == CARDAN_ERR_SINGULAR ||
         status == CARDAN_ERR_NOT_POSDEF; // at a state that an iteration went astray to
}

/* Time until the speeds grow without bound, which they do where a driver moves into a dead point:
 * there v ~ (t_end - t)^(-1/2), so that two samples of w = 1 / v^2 give
 *   t_end - t = (t - t_last) w / (w_last - w)                                              (P2)
 * HUGE_VAL where they do not grow. */
static double until_end(const cardan__pace *pc, double t, double w)
{
  const double fall = pc->w - w;
  return fall > 0 && isfinite(pc->t) ? fabs(t - pc->t) * w / fall : HUGE_VAL;
}

/* One sample of d: how long the next part may be. Near its minimum g
 *   d^2 = g^2 + c^2 (t - t_min)^2,   d d' = c^2 (t - t_min)                              (P1)
 * so that two samples give c and g. Where d goes through 0 the motion is smooth, and halving the
 * way is enough; where it does not, the motion bends within g / c, and that is to be resolved. At a
 * dead point (P2) d falls as the root of the time left, and the time to 0 is less than it seems.
 * p->t_crossed out: when d will be 0, if it falls. */
static void learn(cardan__singular_crossing *p, const sight *at, double way)
{
  cardan__pace *pc = &p->pace;
  const double t = p->ode->t, d = at->d, rate = at->rate, w = 1 / (at->fast * at->fast);
  const double c2 = (d * rate - pc->product) / (t - pc->t); // (P1)
  const double end = until_end(pc, t, w), zero = d / fabs(rate);
  const bool known = isfinite(c2) && c2 > 0, approaches = rate * way < 0;
  pc->bends = pc->bends || (known && d * d * c2 - d * rate * d * rate > 0.02 * d * d * c2);
  pc->t = t;
  pc->product = d * rate;
  pc->w = w;
  const bool soon = approaches && !pc->bends && end < 0.75 * zero;
  const double left = soon ? end : zero;
  pc->dead = soon && fabs(t + way * end - pc->t_end) < 0.1 * end;
  pc->t_end = soon ? t + way * end : HUGE_VAL;
  p->t_crossed = approaches && isfinite(left) ? t + way * left : p->t_crossed;
  pc->part = pc->bends ? BEND * d / (known ? fmax(sqrt(c2), fabs(rate)) : fabs(rate))
                       : (approaches ? 0.5 : 1.0) * left;
}

/* One part of the way from the integrator's state, of at most that time. Where an iteration does
 * not converge over it, smaller ones are tried. */
static cardan_status approach_or_leave(cardan__singular_crossing *p, const sight *at, double most,
                                       double t_target)
{
  cardan__ode *ode = p->ode;
  const double way = t_target > ode->t ? 1 : -1, t = ode->t;
  double part = fmin(p->pace.part, most);
  cardan_status status = CARDAN_ERR_NO_CONVERGENCE;
  for (int i = 0; i < TRIES && too_long(status) && ode->t == t; i++, part *= 0.25) {
    beware(p, 0.1 * at->d);
    status = advance_to(p, part < fabs(t_target - t) ? t + way * part : t_target);
  }
  return too_long(status) && ode->t != t ? CARDAN_OK : status; // some of it was gone
}

/* Are speeds beyond what forces can have made of those where the advance, or the run, began? A
 * start from rest that has moved by a radian has not grown. */
static bool grown(const cardan__singular_crossing *p, double fast)
{
  return fast > 10 * fmax(p->slow, 1 / fabs(p->ode->t - p->ode->t_begin));
}

/* From the integrator's state, which is in y_start too, to t_target; t_failed: where the integrator
 * alone failed. If the motion turns out to bend on the way, or at its end, the parts up to there
 * were too long for the bend: they are computed again. All parts together take no more steps than
 * one advance may. */
static cardan_status go_with_care(cardan__singular_crossing *p, double t_failed, double t_target)
{
  cardan__ode *ode = p->ode;
  const double t = ode->t, way = t_target > t ? 1 : -1;
  cardan_status status = CARDAN_OK;
  sight at = {.d = 0};
  p->careful = true;
  p->last_step = taken(ode) + ode->options.max_steps;
  p->t_crossed = t;
  for (int i = 0; i < MOST && status == CARDAN_OK && !p->under_way; i++) {
    const bool bent = p->pace.bends;
    status = measure_distance(p, &at);
    if (status == CARDAN_OK && at.d >= SMALL && ode->t != p->pace.t) {
      learn(p, &at, way);
    }
    if (status == CARDAN_OK && p->pace.bends && !bent && ode->t != t) {
      p->pace.t = HUGE_VAL;
      status = cardan__ode_restart(ode, t, p->y_start);
    } else if (ode->t == t_target) {
      break;
    } else if (status == CARDAN_OK && p->pace.dead && grown(p, at.fast)) {
      status = CARDAN_ERR_SINGULAR;
    } else if (status == CARDAN_OK && at.d < SMALL) {
      status = start_crossing(p, &at, t_target);
    } else if (status == CARDAN_OK) {
      const double most = ode->t == t && t_failed != t ? 0.5 * fabs(t_failed - t) : HUGE_VAL;
      status = approach_or_leave(p, &at, most, t_target);
    }
  }
  p->careful = false;
  // a failure at such small steps is caused by the singular position
  const bool stuck = (status == CARDAN_OK && ode->t != t_target) || too_long(status);
  p->ends = stuck && grown(p, at.fast);
  const bool far = fabs(p->t_crossed - ode->t) > fabs(t_target - t); // d hardly fell
  p->t_crossed = (p->ends && !p->pace.dead) || far ? ode->t : p->t_crossed;
  return stuck && at.d < NEAR ? CARDAN_ERR_SINGULAR : status;
}

cardan_status cardan__singular_crossing_advance(cardan__singular_crossing *p, double t_target)
{
  cardan__ode *ode = p->ode;
  const double t = ode->t, before = p->rank.ratio, h = t_target - t, landed = p->t_land;
  double t_failed = t;
  cardan_status status = CARDAN_OK;
  bool care = p->under_way || before < SMALL || expects(p, h);
  if (p->under_way) {
    status = land_behind(p, t_target);
  }
  memcpy(p->y_start, ode->y, (size_t)ode->n * sizeof *ode->y);
  if (!care) {
    const cardan__pace none = {.t = HUGE_VAL, .t_end = HUGE_VAL};
    p->pace = before < NEAR ? p->pace : none;
    cardan__rank_begin_step(&p->rank);
    beware(p, ALONE);
    status = cardan__ode_advance(ode, t_target);
    care = status == CARDAN_OK ? dipped(p, before) : p->rank.smallest < NEAR;
    t_failed = status == CARDAN_OK ? t : ode->t;
    if (care) {
      status = cardan__ode_restart(ode, t, p->y_start);
    }
  }
  if (care && status == CARDAN_OK && ode->t != t_target) {
    status = go_with_care(p, t_failed, t_target);
  }
  p->rate = p->t_land == landed && isfinite(before) ? (p->rank.ratio - before) / h : 0;
  return status;
}

void cardan__singular_crossing_spans(cardan__singular_crossing *p, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, p->rank.ratio);
  CARDAN__SPANS_ONE(list, p->rate);
  CARDAN__SPANS_ONE(list, p->t_near);
  CARDAN__SPANS_ONE(list, p->t_land);
  CARDAN__SPANS_ONE(list, p->t_crossed);
  cardan__spans_flag(list, &p->under_way);
  CARDAN__SPANS_ONE(list, p->pace.t);
  CARDAN__SPANS_ONE(list, p->pace.product);
  CARDAN__SPANS_ONE(list, p->pace.part);
  CARDAN__SPANS_ONE(list, p->pace.w);
  cardan__spans_flag(list, &p->pace.bends);
  CARDAN__SPANS_ONE(list, p->pace.t_end);
  cardan__spans_flag(list, &p->pace.dead);
  cardan__spans_add(list, p->y_near, (size_t)p->ode->n, sizeof *p->y_near);
}
