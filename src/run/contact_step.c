// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "linalg/small.h"
#include "run/contact_run.h"
#include "run/sim.h"
#include "spatial/spatial.h"

/* One step of the run by a method of discrete mechanics, to t_next:
 *   C = what is closed, but for what flies away; a step in which the impulses r^- of C, with gaps
 *       and slips over the step, satisfy (N) of cones/ncp.h (discrete/border_held.c)
 *   what is not in C is passed: the step is cut where that closes (contact_locate.c)
 *   at its end r^+ of what was in C and is closed brings velocities into (N), without restitution
 *   there, where the step was cut, and where something closes at the end by itself and approaches:
 *       an impact (contact_strike.c)
 *   until t_next
 * Lift-off, stick and slip are part of (N): none of them is located. A contact that slides at the
 * node has its friction of the first half along the direction of sliding there, one row; that of
 * the second half follows the direction at the end: the trapezoidal rule, which is symmetric.
 * From its 8th impact in a step on a contact has no restitution (option max-impacts), so that what
 * bounces for ever comes to rest; more than 200 events are an error. A step whose equations are not
 * solved is halved; where those of a node are not, all is taken again in shorter ones (contact.c).
 * Rows at an iterate far off may have no impulses at all, which takes the solver longest to find
 * out: after one such search in a step there is no other, as long as halving is left.
 *
 * The target of a gap is (1 - kappa) phi_k, kappa = h / (5 dt): linear in phi_k, so that contacts
 * that depend on one another do not contradict one another; what the location left of a gap decays
 * in some steps. Friction takes r_t^- . u_t as a step begins and r_t^+ . u_t as it ends, with the
 * velocities of the nodes: the trapezoidal rule. In the same way a bound that depends on time (a
 * winch) does the work of its driver: u = J v + u_0 = 0 while it is closed, and
 *   J^T r . v = -r u_0                                                                      (T2) */

enum { MOST_HALVINGS = 10, MOST_LOOKS = 40 };
enum { MOST_LOCATED = 4, MOST_TRIES = 12 }; // events and attempts of a step, impacts auto
enum { MANY_FRESH = 4 };                    // contacts that close in a step: more will follow
static const double leaving = 1e-9;         // [m/s, rad/s]: faster is flying, or sliding
static const double sliding = 4;            // of what friction can do to a velocity in half a step

/* ---- C ---- */

/* The friction of a contact that slides or rolls as the step begins is along the way it does. rows:
 * those of f at the node. Returns whether it slides at all. */
static bool slide(const cardan__contacts *c, const cardan_data *data,
                  const cardan__contact_record *g, const double *rows, cardan__feature *f)
{
  const cardan__cone cone = cardan__feature_cone(data->model, f, 0, false);
  double r[CARDAN__FEATURE_ROWS] = {0};
  bool slides = false;
  if (g != NULL) {
    cardan__feature_local(f, g->minus[0], g->minus[1], r);
  }
  for (int k = f->ngroup - 1, first = f->dim; k >= 0; k--) { // from behind: rows before stay
    double u[2] = {0, 0};
    first -= f->size[k];
    for (int j = 0; j < f->size[k]; j++) {
      u[j] = cardan__reach_dot(&f->reach, rows + (size_t)(first + j) * (size_t)c->nv, data->v);
    }
    const double speed = sqrt(u[0] * u[0] + u[1] * u[1]);
    const bool moves = speed > leaving;
    slides = slides || (moves && f->group[k] == CARDAN__SLIP);
    if (moves && g != NULL && speed > sliding * cone.mu[k] * g->slack[f->group[k]] * r[0]) {
      cardan__feature_slide(f, f->group[k], u);
    }
  }
  return slides;
}

/* Does static friction hold a contact that does not slide? */
static bool has_static(const cardan_model *model, const cardan__feature *f)
{
  return f->ngroup > 0 && model->pair[f->pair].statical > model->pair[f->pair].friction;
}

/* Feature i becomes one of C. */
static cardan_status hold(cardan__contacts *c, cardan_data *data, int i)
{
  const int j = c->held.n;
  const cardan__contact_record *g = cardan__contacts_record(c, &c->gaps.feature[i]);
  if (j == c->impacts.most - c->ndry ||
      c->held.nrow + c->gaps.feature[i].dim > c->impacts.most_rows - c->ndry) {
    return cardan__contacts_too_many(c, data);
  }
  cardan__feature *f = &c->cones.feature[j];
  *f = c->gaps.feature[i];
  f->frozen = c->cones.jumped[i];
  double *rows = c->held.J + (size_t)c->held.nrow * (size_t)c->nv;
  cardan__feature_rows(data->model, data, f, rows);
  const int dim = f->dim;
  const bool slides = slide(c, data, g, rows, f);
  if (f->dim != dim) {
    cardan__feature_rows(data->model, data, f, rows);
  }
  double *start = c->held.start + c->held.nrow; // impulses per second
  memset(start, 0, (size_t)f->dim * sizeof *start);
  if (g != NULL && c->ledger.h > 0) {
    cardan__feature_local(f, cardan__vec3_scale(1 / c->ledger.h, g->minus[0]),
                          cardan__vec3_scale(1 / c->ledger.h, g->minus[1]), start);
  }
  for (int k = 0; k < f->dim; k++) {
    c->held.level[c->held.nrow + k] = k == 0 ? CARDAN__POSITION_LEVEL : CARDAN__VELOCITY_LEVEL;
    c->held.target[c->held.nrow + k] = 0;
    c->held.speed[c->held.nrow + k] =
        cardan__reach_dot(&f->reach, rows + (size_t)k * (size_t)c->nv, data->v);
  }
  if (f->kind == CARDAN__BOUND) {
    c->held.speed[c->held.nrow] = -cardan__contact_drift(data, f);
  }
  c->cones.sticks[j] = !slides && !c->cones.broke[i] && has_static(data->model, f);
  c->held.cone[j] = cardan__feature_cone(data->model, f, c->held.nrow, c->cones.sticks[j]);
  c->held.reach[j] = f->reach;
  c->held.nparts[j] = cardan__contacts_parts(c, f, c->held.part[j]);
  c->held.nrow += f->dim;
  c->cones.index[c->held.n++] = i;
  c->gaps.active[i] = true;
  return CARDAN_OK;
}

/* Dry friction of joints, behind C: it counts what the joint moves from the node on. */
static void hold_dry(cardan__contacts *c, const cardan_data *data)
{
  if (c->ndry > 0) {
    memcpy(c->cones.node, data->v, (size_t)c->nv * sizeof *data->v);
  }
  for (int i = 0; i < c->ndry; i++) {
    const int j = c->held.n++, row = c->held.nrow++;
    cardan__feature *f = &c->cones.feature[j];
    *f = c->gaps.feature[c->gaps.room + i];
    f->bound = data->q[f->q];
    cardan__feature_row(f, c->nv, c->held.J + (size_t)row * (size_t)c->nv);
    const cardan__contact_record *g = cardan__contacts_record(c, f);
    c->held.start[row] = g != NULL && c->ledger.h > 0 ? g->minus[0].x / c->ledger.h : 0;
    c->held.level[row] = CARDAN__VELOCITY_LEVEL;
    c->held.target[row] = 0;
    c->held.speed[row] = cardan__feature_rate(f, data->v);
    c->held.cone[j] = cardan__contacts_cone(c, f, row, false, 2); // _set_targets has h
    c->held.reach[j] = f->reach;
    c->held.nparts[j] = cardan__contacts_parts(c, f, c->held.part[j]);
    c->cones.sticks[j] = false;
    c->cones.index[j] = c->gaps.room + i;
  }
}

/* C of the step from the node, which had so many events before. Behind steps at rest velocities of
 * the node are not known yet. */
static cardan_status take_hold(cardan_sim *sim, int events)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const bool any = c->trial.stale && c->ledger.stats.closed + c->ndry > 0;
  cardan_status status = any ? cardan__contacts_velocities(sim) : CARDAN_OK;
  c->held.n = c->held.nrow = 0;
  if (c->gaps.needs_poses) {
    cardan__contacts_pose(sim->model, data);
  }
  for (int i = 0; i < c->gaps.n && status == CARDAN_OK; i++) {
    const cardan__feature *f = &c->gaps.feature[i];
    const cardan__contact_record *g =
        cardan__contacts_closed(c, i) ? cardan__contacts_record(c, f) : NULL;
    const bool bounces = events > 0 ? !cardan__contacts_tired(c, f, 0, events) : f->restitution > 0;
    const bool leaves = !f->pinned && c->gaps.rate[i] > leaving && bounces;
    c->gaps.active[i] = false;
    c->gaps.closure[i] = !cardan__contacts_closed(c, i)      ? CARDAN__OPEN
                         : leaves || (g != NULL && g->stuck) ? CARDAN__FLYING
                                                             : CARDAN__HELD;
    if (c->gaps.closure[i] == CARDAN__HELD) {
      status = hold(c, data, i);
    }
  }
  hold_dry(c, data);
  return status;
}

/* Does something that is closed approach? fresh: was something not closed before? */
static bool meets(cardan__contacts *c, const cardan_data *data, bool *fresh)
{
  const double still = fmax(cardan__contacts_still(data), 2 * c->ledger.node_error);
  bool any = false;
  *fresh = false;
  for (int i = 0; i < c->gaps.n; i++) {
    if (cardan__contacts_closed(c, i)) {
      any = any || c->gaps.rate[i] < -still;
      *fresh = *fresh || cardan__contacts_record(c, &c->gaps.feature[i]) == NULL;
    }
  }
  return any;
}

/* The end of a step of length h becomes the node. event: an impact is to follow */
static cardan_status arrive(cardan_sim *sim, double h, bool cut, bool *event)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  const int held = c->held.n;
  bool fresh = false;
  *event = false;
  cardan__contact_end_step(sim, h);
  cardan_status status = cardan__contact_enter_node(sim, held);
  if (status != CARDAN_OK || c->ledger.stats.closed + c->ndry == 0) {
    return status;
  }
  status = cardan__contact_settle(sim, false);
  *event = status == CARDAN_OK && (meets(c, data, &fresh) || cut);
  return status == CARDAN_OK && fresh && !*event ? cardan__contact_settle(sim, true) : status;
}

/* ---- the step ---- */

/* More pairs, since a body moves farther than was looked: at the same node. */
static cardan_status look_farther(cardan_sim *sim)
{
  cardan__contacts *c = sim->contacts;
  sim->data->fresh = 0;
  const cardan_status status = cardan__contacts_enter(c, sim->model, sim->data);
  if (status == CARDAN_OK && !c->trial.stale) {
    cardan__contacts_rates(c, sim->model, sim->data);
  }
  return status;
}

/* Places where solids touch stay as they are over the next attempt; false: they do already. Where a
 * place jumps from one end of a line to the other, rows at the end of the shortest step still
 * contradict those of the node. */
static bool freeze_places(cardan__contacts *c)
{
  bool any = false;
  for (int j = 0; j < c->held.n; j++) {
    if (c->cones.feature[j].kind == CARDAN__SPOT && !c->cones.feature[j].frozen) {
      c->cones.jumped[c->cones.index[j]] = any = true;
    }
  }
  return any;
}

/* Is the step to be attempted again from the node? The attempt's reason is then one that another
 * attempt can react to; *t_end may be nearer. *status: of the reaction, or of the attempt. */
static bool again(cardan_sim *sim, cardan__attempt attempt, cardan_status *status, double *t_end,
                  int *halvings)
{
  cardan__contacts *c = sim->contacts;
  const double t = sim->data->t;
  const bool needs_velocities = attempt.value <= t;
  *status = attempt.status;
  if (attempt.status != CARDAN_OK) {
    const bool more = attempt.status != CARDAN_ERR_UNSUPPORTED && c->held.n > 0;
    const bool halve = more && *halvings < MOST_HALVINGS;
    *halvings += halve;
    *t_end = halve ? t + 0.5 * (*t_end - t) : *t_end;
    return halve || (more && freeze_places(c));
  }
  switch (attempt.why) {
  case CARDAN__MOVED:
    *status = look_farther(sim);
    return *status == CARDAN_OK;
  case CARDAN__MIDSTEP:
    *status = needs_velocities ? cardan__contacts_velocities(sim) : CARDAN_OK;
    *t_end = needs_velocities ? *t_end : attempt.value;
    c->trial.check_midstep = needs_velocities;
    return *status == CARDAN_OK;
  case CARDAN__RAN:
    c->trial.pace = attempt.value;
    *t_end = t + attempt.value;
    return true;
  case CARDAN__SLIPPED:
  case CARDAN__JUMPED:
  case CARDAN__WOKE:
    return true;
  default:
    return false;
  }
}

/* Impacts of the rest of the step act at its end. Long searches for impulses cost more there than a
 * shorter step: there are none, as long as halving is left. */
static void begin_landing(cardan_sim *sim)
{
  sim->contacts->landing.on = true;
  sim->contacts->held.long_searches++;
  cardan__contact_save_node(sim);
}

/* Is locating what closes given up in this step? */
static bool has_used_budget(const cardan__contacts *c, int events)
{
  return c->landing.mode == CARDAN__IMPACTS_AUTO && !c->landing.on &&
         (events >= MOST_LOCATED || c->landing.tries >= MOST_TRIES);
}

/* A step to t_end or to where something closes, or not so far; *cut: it was. */
static cardan_status step_or_cut(cardan_sim *sim, double t_end, int events, bool *cut)
{
  cardan__contacts *c = sim->contacts;
  int halvings = 0, worst = 0;
  bool woke = false;
  c->trial.from = sim->data->t;
  c->trial.check_midstep = true;
  for (int looks = 0; looks < MOST_LOOKS; looks++) {
    const double h = t_end - sim->data->t;
    const bool rests = cardan__contact_still_rests(c, h);
    c->held.may_shorten = halvings < MOST_HALVINGS;
    cardan_status status = CARDAN_OK;
    if (rests) {
      cardan__contact_set_resting(c);
    } else {
      status = take_hold(sim, events);
    }
    c->held.rest = rests                                               ? CARDAN__REST_ONLY
                   : !woke && cardan__contact_may_rest(sim, h, events) ? CARDAN__REST_FIRST
                                                                       : CARDAN__REST_NO;
    cardan__attempt attempt =
        status == CARDAN_OK ? cardan__contact_try(sim, t_end) : cardan__attempt_of(status);
    *cut = attempt.status == CARDAN_OK && attempt.why == CARDAN__CROSSED;
    worst = *cut ? attempt.where : worst;
    if (*cut && has_used_budget(c, events)) {
      begin_landing(sim);
      continue;
    }
    woke = woke || (attempt.status == CARDAN_OK && attempt.why == CARDAN__WOKE);
    attempt = *cut ? cardan__contact_locate(sim, t_end) : attempt;
    if (!again(sim, attempt, &status, &t_end, &halvings)) {
      return status;
    }
  }
  return cardan__contact_fail(sim, worst, "is attempted without end");
}

static void begin_step(cardan__contacts *c)
{
  cardan__landing *l = &c->landing;
  l->on = l->mode == CARDAN__IMPACTS_STEP || (l->mode == CARDAN__IMPACTS_AUTO && l->wait > 0);
  l->tries = l->fresh = 0;
}

/* How the step was made, and what the next ones will be (impacts auto). */
static void end_step(cardan__contacts *c)
{
  cardan__landing *l = &c->landing;
  c->ledger.stats.steps_step += l->on;
  c->ledger.stats.steps_located += !l->on;
  if (l->mode == CARDAN__IMPACTS_AUTO && l->on) {
    const bool more = l->wait == 0 || l->fresh >= MANY_FRESH;
    l->wait = more ? CARDAN__IMPACTS_WAIT : l->wait - 1;
  }
  l->on = false;
}

cardan_status cardan__contact_step_cones(cardan_sim *sim, double t_next)
{
  cardan__contacts *c = sim->contacts;
  cardan_data *data = sim->data;
  cardan_status status = CARDAN_OK;
  int events = 0;
  c->impacts.too_many_events = false;
  c->held.long_searches = 0;
  c->cones.jumps = 0;
  begin_step(c);
  while (data->t < t_next && status == CARDAN_OK) {
    if (cardan__stepper_stopped(sim->stepper)) {
      return CARDAN_ERR_STOPPED;
    }
    const double t = data->t;
    bool cut = false, event = false;
    c->trial.pace *= 2;
    if (c->landing.on || has_used_budget(c, events)) {
      begin_landing(sim);
    }
    status = step_or_cut(sim, fmin(t_next, t + c->trial.pace), events, &cut);
    if (status == CARDAN_OK && c->held.rested) {
      cardan__contact_rest(sim, data->t - t);
      continue;
    }
    if (status == CARDAN_OK && c->landing.on) {
      status = cardan__contact_land(sim, data->t - t);
      continue;
    }
    status = status == CARDAN_OK ? arrive(sim, data->t - t, cut, &event) : status;
    if (status == CARDAN_OK && event) {
      events++;
      const int64_t before = c->ledger.stats.impacts;
      status = cardan__contact_strike(sim, events);
      if (cut && c->ledger.stats.impacts == before && c->trial.found >= 0) {
        cardan__contacts_miss(c, c->trial.found);
      }
    }
  }
  c->ledger.stats.events = events > c->ledger.stats.events ? events : c->ledger.stats.events;
  end_step(c);
  return status;
}
