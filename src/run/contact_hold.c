// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "run/contact_run.h"
#include "run/sim.h"

/* One step of the run by a method that holds rows (continuous time), to t_next:
 *   C = what is HELD; a step with rows that keep C closed, to t_next
 *   one of C pulls: from there without it; another one that is closed is passed: with it      (T1)
 *   an open gap is passed: the step is cut where that closes (contact_locate.c)
 *   there, and where a gap closes at the end of a step by itself: contact_strike.c
 *   until t_next
 * From its 8th impact in a step on a stop has no restitution (option max-impacts), so that what
 * bounces for ever comes to rest; more than 200 events are an error.
 *
 * A row that is held has the gap (1 - kappa) phi_k at the end of its step, kappa = h / (5 dt) <= 1:
 * what the location left of a gap decays, in no less than some steps. */

static const double vanished = 1e-10; // of the largest force that holds
static const double at_once = 1e-8;   // the same: what is less at a node has ended there

/* Does a gap close and open again between the node at t and data's? With velocities at both. */
static bool dips(cardan_sim *sim, double t, double *when)
{
  cardan__contacts *c = sim->contacts;
  const double h = sim->data->t - t;
  bool any = false;
  for (int i = 0; i < c->gaps.n; i++) {
    const double gap[2] = {c->gaps.gap[i], c->gaps.next[i]};
    const double rate[2] = {c->gaps.rate[i],
                            cardan__feature_rate(&c->gaps.feature[i], sim->data->v)};
    double least;
    if (c->gaps.closure[i] == CARDAN__OPEN && rate[0] < 0 && rate[1] > 0) {
      const double s = cardan__contact_valley(h, gap, rate, &least);
      if (least < -cardan__contact_tolerance(c, i) && s > 0 && s < h) {
        *when = any ? fmin(*when, t + s) : t + s;
        any = true;
      }
    }
  }
  return any;
}

/* The step to t_end, tested. */
static cardan__attempt step_once(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const double t = data->t;
  cardan__contact_set_targets(sim, t_end);
  for (int i = 0; i < c->gaps.n; i++) {
    c->gaps.rate[i] = cardan__feature_rate(&c->gaps.feature[i], data->v);
  }
  cardan__snapshot_save(sim, &sim->trial_begin);
  cardan__attempt attempt = sim->stepper->method->step(sim->stepper, data, t_end);
  double when = 0;
  c->trial.iterations += sim->stepper->iterations;
  if (attempt.status != CARDAN_OK) {
    return attempt;
  }
  if (c->held.n > 0) {
    data->fresh = 0;
    attempt = cardan__attempt_of(cardan__contacts_forward(c, data, 0, 0, c->held.impulse));
    for (int j = 0; j < c->held.n; j++) {
      c->cones.force = fmax(c->cones.force, fabs(c->held.impulse[j]));
    }
  }
  if (attempt.status == CARDAN_OK) {
    attempt = cardan__contacts_judge(c, data, c->held.impulse);
  }
  if (cardan__attempt_accepted(attempt) && c->trial.check_midstep && dips(sim, t, &when)) {
    attempt = cardan__attempt_refused(CARDAN__MIDSTEP, -1, when);
  }
  if (!cardan__attempt_accepted(attempt)) {
    cardan__snapshot_restore(sim, &sim->trial_begin);
  }
  return attempt;
}

/* At the node, for methods whose forces are read: its velocities stay unchanged. */
static cardan_status release(cardan_sim *sim, int i)
{
  cardan__contacts *c = sim->contacts;
  cardan__contacts_let_go(c, i);
  c->gaps.closure[i] = CARDAN__FLYING;
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  return sim->stepper->method->push(sim->stepper, sim->data, c->impacts.dp);
}

cardan__attempt cardan__contact_try_rows(cardan_sim *sim, double t_end)
{
  cardan__contacts *c = sim->contacts;
  int i = -1;
  for (int round = 0; round < 4 * c->impacts.most + 8; round++) {
    const cardan__attempt attempt = step_once(sim, t_end);
    if (attempt.status != CARDAN_OK || attempt.why != CARDAN__CROSSED) {
      return attempt;
    }
    i = attempt.where;
    if (c->gaps.active[i] && c->cones.here[i] <= at_once * c->cones.force) {
      const cardan_status status = release(sim, i); // (T1)
      if (status != CARDAN_OK) {
        return cardan__attempt_of(status);
      }
    } else if (!c->gaps.active[i] && c->gaps.closure[i] >= CARDAN__HELD &&
               c->held.n < c->impacts.most) {
      cardan__contacts_hold_one(c, i);
    } else {
      return attempt;
    }
  }
  return cardan__attempt_of(cardan__contact_fail(sim, i, "is held and let go without end"));
}

/* ---- the step ---- */

/* What the next step is to hold. What would pull is let go. */
static cardan_status take_hold(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  bool left = false;
  cardan__contacts_hold(c);
  if (c->held.n == 0) {
    return CARDAN_OK;
  }
  data->fresh = 0;
  cardan_status status = cardan__contacts_settle(c, data, 0, 0);
  for (int j = 0; j < c->held.n; j++) {
    c->cones.here[c->cones.index[j]] = c->held.impulse[j];
    c->cones.force = fmax(c->cones.force, fabs(c->held.impulse[j]));
  }
  for (int i = 0; i < c->gaps.n; i++) {
    if (c->gaps.closure[i] == CARDAN__HELD && !c->gaps.active[i]) {
      c->gaps.closure[i] = CARDAN__FLYING;
      left = true;
    }
  }
  memset(c->impacts.dp, 0, (size_t)c->nv * sizeof *c->impacts.dp);
  return status == CARDAN_OK && left ? sim->stepper->method->push(sim->stepper, data, c->impacts.dp)
                                     : status;
}

/* Gaps and closures at the node that was reached; does something meet there? */
static bool look(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  bool meets = false, left = false;
  sim->data->fresh = 0;
  c->ledger.stats.closed = 0;
  c->ledger.stats.gap = HUGE_VAL;
  for (int i = 0; i < c->gaps.n; i++) {
    const double gap = c->gaps.gap[i] = cardan__feature_gap(&c->gaps.feature[i], sim->data->q);
    const bool closed = gap <= CARDAN__CLOSED;
    c->ledger.stats.overlap = -gap > c->ledger.stats.overlap ? -gap : c->ledger.stats.overlap;
    c->ledger.stats.gap = fmin(c->ledger.stats.gap, gap);
    c->ledger.stats.closed += closed;
    const double none = vanished * c->cones.force;
    const bool ended = c->gaps.active[i] && !c->gaps.feature[i].pinned && c->gaps.next[i] <= none &&
                       c->cones.here[i] > none; // what pushes and pulls by nothing stays
    if ((c->gaps.closure[i] == CARDAN__HELD && !c->gaps.active[i]) || ended) {
      c->gaps.closure[i] = CARDAN__FLYING;
      left = true;
    }
    meets = meets || (c->gaps.closure[i] == CARDAN__OPEN && closed);
    c->gaps.closure[i] = closed ? c->gaps.closure[i] : CARDAN__OPEN;
  }
  for (int i = 0; i < c->gaps.n && left; i++) {
    meets = meets || c->gaps.closure[i] == CARDAN__SPARE; // may be needed now
  }
  return meets;
}

cardan_status cardan__contact_step_rows(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = CARDAN_OK;
  int events = 0;
  while (data->t < t_next && status == CARDAN_OK) {
    if (cardan__stepper_stopped(sim->stepper)) {
      return CARDAN_ERR_STOPPED;
    }
    double t_end = t_next;
    status = take_hold(sim);
    c->trial.check_midstep = true;
    cardan__attempt attempt =
        status == CARDAN_OK ? cardan__contact_try(sim, t_end) : cardan__attempt_of(status);
    c->trial.check_midstep = false;
    if (attempt.status == CARDAN_OK && attempt.why == CARDAN__MIDSTEP) {
      t_end = attempt.value;
      attempt = cardan__contact_try(sim, t_end);
    }
    const bool cut = attempt.status == CARDAN_OK && attempt.why == CARDAN__CROSSED;
    status = cut ? cardan__contact_locate(sim, t_end).status : attempt.status;
    if (status == CARDAN_OK && (look(sim) || cut)) {
      events++;
      status = cardan__contact_strike(sim, events);
    }
  }
  c->ledger.stats.events = events > c->ledger.stats.events ? events : c->ledger.stats.events;
  return status;
}
