// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/bracket.h"
#include "run/sim.h"

/* Events: where a program's values g_k cross zero within a step.
 *
 * The whole step is attempted first. If a value has changed its sign, the moment is located by
 * steps of other lengths from the same node (base/bracket.h), to rounding of t. The run then is at
 * the last moment before the crossing, and the program is called. A crossing nearer than kappa dt
 * to an end of the step counts as being there: no steps are as short as that.
 *
 * There a value that crossed is zero, and its sign is rounding. So it is evaluated a little later,
 * by a trial step: if it has its old sign again, as after a bounce, the next crossing counts; if it
 * has the new sign, this crossing does not count again. */

enum { MOST_EVENTS = 1000, MOST_TRIES = 200 };

static const double kappa = 1e-9, glance = 1e-6; // of dt; glance: how much later

cardan_status cardan_sim_hook(cardan_sim *sim, const cardan_hooks *hooks, cardan_report *report)
{
  cardan__hooked *h = &sim->hooked;
  const cardan_hooks none = {.user = NULL};
  const cardan_hooks *want = hooks != NULL ? hooks : &none;
  if (want->nevent < 0 || (want->nevent > 0 && (want->event == NULL || want->at_event == NULL))) {
    return cardan_fail(report, CARDAN_ERR_ARGUMENT, (cardan_pos){0, 0},
                       "%d events, expected at least 0, and functions event and at_event with them",
                       want->nevent);
  }
  cardan__resize(&sim->allocator, h->block, 0);
  *h = (cardan__hooked){.hooks = *want};
  if (want->nevent == 0) {
    return CARDAN_OK;
  }
  const size_t n = (size_t)want->nevent;
  h->t_from = NAN;
  h->block = cardan__resize(&sim->allocator, NULL, n * (4 * sizeof *h->block + sizeof *h->fires));
  cardan_status status = h->block != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY;
  if (status == CARDAN_OK && sim->advance_begin.bytes == NULL) {
    status = cardan__snapshot_create(sim, false, &sim->advance_begin);
  }
  if (status == CARDAN_OK && sim->step_begin.bytes == NULL) {
    status = cardan__snapshot_create(sim, true, &sim->step_begin);
  }
  if (status != CARDAN_OK) {
    h->hooks = none;
    return cardan__no_memory(report);
  }
  h->from = h->block;
  h->to = h->from + n;
  h->now = h->to + n;
  h->third = h->now + n;
  h->fires = (bool *)(h->third + n);
  return CARDAN_OK;
}

/* All values at the node that data is at; its velocities and kinematics are made first. */
static cardan_status evaluate_events(cardan_sim *sim, double *g)
{
  const cardan_hooks *hooks = &sim->hooked.hooks;
  const cardan_status status = cardan__sim_update_node(sim);
  if (status != CARDAN_OK) {
    return status;
  }
  for (int k = 0; k < hooks->nevent; k++) {
    g[k] = hooks->event(hooks->user, k, sim->data);
    if (!isfinite(g[k])) {
      snprintf(sim->data->info.message, sizeof sim->data->info.message,
               "the value of event %d is not finite", k);
      return CARDAN_ERR_NOT_FINITE;
    }
  }
  return CARDAN_OK;
}

static bool crossed(const cardan_hooks *hooks, int k, double from, double to)
{
  const int direction = hooks->direction != NULL ? hooks->direction[k] : 0;
  return (direction <= 0 && from >= 0.0 && to < 0.0) || (direction >= 0 && from <= 0.0 && to > 0.0);
}

static bool any_crossed(const cardan_hooks *hooks, const double *from, const double *to)
{
  bool any = false;
  for (int k = 0; k < hooks->nevent; k++) {
    any = any || crossed(hooks, k, from[k], to[k]);
  }
  return any;
}

/* The earliest crossing between the ends of the bracket. */
static double first_root(const cardan_hooks *hooks, const cardan__bracket *b)
{
  double t = b->point[1].t;
  for (int k = 0; k < hooks->nevent; k++) {
    const double before = b->point[0].value[k], behind = b->point[1].value[k];
    if (crossed(hooks, k, before, behind)) {
      t = fmin(t, cardan__bracket_crossing(b, k));
    }
  }
  return t;
}

/* From the node that is kept to t, and the values there to g. */
static cardan_status try_to(cardan_sim *sim, double t, double *g)
{
  cardan__snapshot_restore(sim, &sim->advance_begin);
  const cardan_status status = t > sim->data->t ? cardan__sim_advance(sim, t) : CARDAN_OK;
  return status == CARDAN_OK ? evaluate_events(sim, g) : status;
}

/* Between the node that is kept and *t something crosses: *t becomes the last moment before that;
 * from, to: the values on both sides of it. */
static cardan_status locate(cardan_sim *sim, double t0, double *t)
{
  cardan__hooked *h = &sim->hooked;
  const size_t bytes = (size_t)h->hooks.nevent * sizeof *h->now;
  cardan__bracket b = {.point = {{t0, h->from}, {*t, h->to}, {t0, h->third}}};
  cardan__bracket_begin(&b, 4 * DBL_EPSILON * fmax(fabs(*t), sim->options.dt));
  while (b.tries < MOST_TRIES && b.point[1].t - b.point[0].t > b.tol) {
    const double at = cardan__bracket_next(&b, first_root(&h->hooks, &b));
    const cardan_status status = try_to(sim, at, h->now);
    if (status != CARDAN_OK) {
      return status;
    }
    const bool behind = any_crossed(&h->hooks, b.point[0].value, h->now);
    cardan__bracket_narrow(&b, behind, at);
    memcpy(b.point[behind].value, h->now, bytes);
  }
  *t = b.point[0].t;
  h->from = b.point[0].value;
  h->to = b.point[1].value;
  h->third = b.point[2].value;
  return CARDAN_OK;
}

/* At the crossing: calls the program, and finds the sign that each value has after it. */
static cardan_status fire(cardan_sim *sim, cardan_report *report)
{
  cardan__hooked *h = &sim->hooked;
  const cardan_hooks *hooks = &h->hooks;
  for (int k = 0; k < hooks->nevent; k++) {
    h->fires[k] = crossed(hooks, k, h->from[k], h->to[k]);
  }
  sim->settled = false;
  cardan_status status = cardan_sim_observe(sim);
  if (status != CARDAN_OK) {
    return cardan__sim_explain(sim, status, report);
  }
  for (int k = 0; k < hooks->nevent && status == CARDAN_OK; k++) {
    if (h->fires[k]) {
      sim->stats.events++;
      status = hooks->at_event(hooks->user, k, sim, report);
    }
  }
  if (status != CARDAN_OK) {
    return status;
  }
  const double t = sim->data->t, later = t + glance * sim->options.dt;
  cardan__snapshot_save(sim, &sim->advance_begin);
  status = evaluate_events(sim, h->from);
  status = status == CARDAN_OK ? try_to(sim, later, h->now) : status;
  if (status != CARDAN_OK) {
    cardan__snapshot_restore(sim, &sim->advance_begin);
    return cardan__sim_explain(sim, status, report);
  }
  for (int k = 0; k < hooks->nevent; k++) {
    if (h->fires[k]) {
      h->from[k] = h->now[k];
    }
  }
  h->t_from = t;
  return try_to(sim, t, h->now);
}

cardan_status cardan__sim_advance_hooked(cardan_sim *sim, double t_next, cardan_report *report)
{
  cardan__hooked *h = &sim->hooked;
  const size_t bytes = (size_t)h->hooks.nevent * sizeof *h->now;
  const double least = kappa * sim->options.dt;
  int iterations = 0;
  cardan_status status = sim->data->t == h->t_from ? CARDAN_OK : evaluate_events(sim, h->from);
  for (int n = 0; n < MOST_EVENTS && status == CARDAN_OK; n++) {
    const double t0 = sim->data->t;
    double t = t_next;
    cardan__snapshot_save(sim, &sim->advance_begin);
    status = cardan__sim_advance(sim, t_next);
    iterations += sim->stepper->iterations;
    status = status == CARDAN_OK ? evaluate_events(sim, h->to) : status;
    if (status == CARDAN_OK && !any_crossed(&h->hooks, h->from, h->to)) {
      memcpy(h->from, h->to, bytes);
      h->t_from = t_next;
      sim->stepper->iterations = iterations;
      return CARDAN_OK;
    }
    status = status == CARDAN_OK ? locate(sim, t0, &t) : status;
    t = t - t0 < least ? t0 : t_next - t < least ? t_next : t;
    status = status == CARDAN_OK ? try_to(sim, t, h->now) : status;
    if (status != CARDAN_OK) {
      break;
    }
    status = fire(sim, report);
    if (status != CARDAN_OK || t == t_next) {
      sim->stepper->iterations = iterations;
      return status;
    }
  }
  if (status != CARDAN_OK) {
    cardan__snapshot_restore(sim, &sim->advance_begin);
    return cardan__sim_explain(sim, status, report);
  }
  return cardan_fail(report, CARDAN_ERR_NO_CONVERGENCE, (cardan_pos){0, 0},
                     "at t = %.6g: more than %d events in one step; a value that rests at zero is "
                     "no event",
                     sim->data->t, MOST_EVENTS);
}
