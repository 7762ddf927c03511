// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/bracket.h"
#include "expr/tape.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "run/sim.h"
#include "run/switches.h"

/* Comparisons that read the state.
 *
 * The whole step is attempted first. Where a side is another one at its end, the moment is located
 * by steps of other lengths from the same node (base/bracket.h), on g = a - b of a < b. The step is
 * cut at the first moment behind the change, so that the next part begins on the new side, and
 * continues from there. A comparison that changes and changes back within a step is looked for in
 * the middle of the step, where it is near at an end of it.
 *
 * Internal steps of an adaptive integrator end where the step does: one that ended beyond a change
 * would be interpolated, with evaluations of both sides, into nodes before it.
 *
 * A force that pushes back across its own switch, as dry friction written with (if (> v 0) ..),
 * would be cut without end. A comparison is cut at most CUTS times in a step; one that changes once
 * more, or in each of CARDAN__SWITCH_TRIALS steps on end, is not located in this step and in
 * CARDAN__SWITCH_REST steps that follow, which the warning says. */

enum { CUTS = 2, HALVINGS = 20, PARTS = 200, MOST_TRIES = 200, MIDDLES = 4 };

static const double KAPPA = 1e-9, // of dt: nearer to an end of the step is there
    LEAP = 1e-10,                 // of dt
    MOST_OF = 0.99, CLOSE = 1e-5, // of the way to a change; of dt
    TOUCH = 1e-12,                // of the change over a step
    SHORTEST = 1e-7,              // of dt: parts of steps of order 4 and 6
    LEAD = 4e-9;                  // of dt: beyond any change that counts as being at the node

static const cardan__switch *item_at(const cardan_sim *sim, int k)
{
  return &sim->switches.item[sim->switches.ntime + k];
}

/* g of comparison k at a view; its side is the instruction's value. */
static double value_at(const cardan_sim *sim, const cardan__view *view, int k, bool *side)
{
  const cardan_model *model = sim->model;
  const cardan__switch *s = item_at(sim, k);
  const cardan_bound_expr *e = &model->expr[s->expr];
  const cardan__ins *ins = &cardan__expr_tape(e->expr)[s->ins];
  double *x = view->work, *w = x + 8 * model->max_leaf;
  cardan__leaf_values(model, view, e, x, NULL, NULL);
  (void)cardan__expr_forward(e->expr, x, w);
  *side = w[s->ins] != 0.0;
  const double g = ins->op == CARDAN__OP_STEP ? -w[ins->a] : w[ins->a] - w[ins->b];
  // below 0 on side 1: a number that shows the side where g is 0 to rounding, too
  return *side ? fmin(g, -DBL_MIN) : fmax(g, DBL_MIN);
}

/* All of them at the node, whose velocities and kinematics are made first. */
static cardan_status evaluate_switches(cardan_sim *sim, double *g)
{
  const cardan_status status = cardan__sim_update_node(sim);
  if (status != CARDAN_OK) {
    return status;
  }
  const cardan__view view = cardan__data_view(sim->model, sim->data);
  for (int k = 0; k < sim->switches.nstate; k++) {
    bool side;
    g[k] = value_at(sim, &view, k, &side);
  }
  return CARDAN_OK;
}

static bool is_sought(const cardan_sim *sim, int k)
{
  return sim->switches.rest[k] <= 0 && sim->switches.cuts[k] < CUTS;
}

static bool any_changed(const cardan_sim *sim, const double *from, const double *to)
{
  bool any = false;
  for (int k = 0; k < sim->switches.nstate; k++) {
    any = any || (is_sought(sim, k) && (from[k] < 0.0) != (to[k] < 0.0));
  }
  return any;
}

/* The earliest change between the ends of the bracket. */
static double first_root(const cardan_sim *sim, const cardan__bracket *b)
{
  double t = b->point[1].t;
  for (int k = 0; k < sim->switches.nstate; k++) {
    const double before = b->point[0].value[k], behind = b->point[1].value[k];
    if (is_sought(sim, k) && (before < 0.0) != (behind < 0.0)) {
      t = fmin(t, cardan__bracket_crossing(b, k));
    }
  }
  return t;
}

/* From the node that is kept to t. */
static cardan_status advance_again(cardan_sim *sim, double t)
{
  cardan__snapshot_restore(sim, &sim->switches.before);
  if (sim->stepper->stops) { // what it has computed beyond the node is not used
    const cardan_status status = sim->stepper->method->switched(sim->stepper, sim->data);
    if (status != CARDAN_OK) {
      return status;
    }
  }
  return cardan__sim_advance_whole(sim, t);
}

/* The same, and the values there. */
static cardan_status try_to(cardan_sim *sim, double t, double *g)
{
  const cardan_status status = advance_again(sim, t);
  return status == CARDAN_OK ? evaluate_switches(sim, g) : status;
}

/* An implicit step may have no solution across a switch, whose force undoes what led there. An
 * integrator that chooses its steps has tried shorter ones. */
static bool may_be_shorter(const cardan_sim *sim, cardan_status status)
{
  return !cardan__sim_adaptive(sim) &&
         (status == CARDAN_ERR_NO_CONVERGENCE || status == CARDAN_ERR_NO_ROOT ||
          status == CARDAN_ERR_STEP_TOO_SMALL);
}

/* No step ends just behind the change, and `to` is of one that ends far behind: comparisons that
 * are farther from their change than the first one keep the side they have. */
static void keep_farther_sides(cardan_sim *sim)
{
  cardan__switches *s = &sim->switches;
  double least = HUGE_VAL;
  for (int turn = 0; turn < 2; turn++) {
    for (int k = 0; k < s->nstate; k++) {
      if ((s->from[k] < 0.0) == (s->to[k] < 0.0)) {
        continue;
      }
      const double part = fabs(s->from[k]) / fabs(s->to[k] - s->from[k]);
      if (turn == 0 && is_sought(sim, k)) {
        least = fmin(least, part);
      } else if (turn == 1 && part > fmax(1e-6, 2 * least)) {
        s->to[k] = s->from[k];
      }
    }
  }
}

/* Between the node that is kept, at t0, and *t something changes: *t becomes the first moment
 * behind that, or for methods of the old side the last one before it. */
static cardan_status locate(cardan_sim *sim, double t0, double *t)
{
  cardan__switches *s = &sim->switches;
  const size_t bytes = (size_t)s->nstate * sizeof *s->now;
  const bool old_side = sim->stepper->method->old_side, stages = sim->options.order > 2;
  // integrators that choose their steps have a shortest one; what is nearer to t0 is there (KAPPA)
  const double shortest =
      cardan__sim_adaptive(sim) ? 64 * DBL_EPSILON * fmax(fabs(*t), sim->options.dt) : 0;
  bool failed = false;
  cardan__bracket b = {.point = {{t0, s->from}, {*t, s->to}, {t0, s->third}}};
  cardan__bracket_begin(&b, 4 * DBL_EPSILON * fmax(fabs(*t), sim->options.dt));
  while (b.tries < MOST_TRIES && b.point[1].t - b.point[0].t > b.tol &&
         b.point[1].t - t0 > shortest) {
    const double at = fmax(cardan__bracket_next(&b, first_root(sim, &b)), t0 + shortest);
    sim->stepper->locates = true;
    const cardan_status status = try_to(sim, at, s->now);
    sim->stepper->locates = false;
    const bool none = may_be_shorter(sim, status);
    if (none && !old_side && !stages) {
      break; // no step ends between here and the first that is known to end behind the change
    }
    if (status != CARDAN_OK && !none) {
      return status;
    }
    if (none) { // forces of neither side lead to their own side: beyond the last that end before;
                // stages that go back in time have such steps far behind the change only
      memcpy(s->now, b.point[1].value, bytes);
      failed = true;
    }
    const bool behind = none || any_changed(sim, b.point[0].value, s->now);
    cardan__bracket_narrow(&b, behind, at);
    memcpy(b.point[behind].value, s->now, bytes);
  }
  const bool before = old_side && b.point[1].t - b.point[0].t <= b.tol;
  *t = b.point[before ? 0 : 1].t;
  s->from = b.point[0].value;
  s->to = b.point[1].value;
  s->third = b.point[2].value;
  if (before && failed) {
    keep_farther_sides(sim);
  }
  return CARDAN_OK;
}

/* Counts the cuts at what has changed from `from` to `to`; what does so too often rests. */
static void count_cuts(cardan_sim *sim, const double *from, const double *to)
{
  cardan__switches *s = &sim->switches;
  for (int k = 0; k < s->nstate; k++) {
    const bool changed = (from[k] < 0.0) != (to[k] < 0.0);
    s->cuts[k] += changed && s->rest[k] <= 0;
  }
}

/* The step is done: comparisons that changed once more than they may be cut rest, and those that
 * changed in each of CARDAN__SWITCH_TRIALS steps. */
static void end_step(cardan_sim *sim, double t0)
{
  cardan__switches *s = &sim->switches;
  for (int k = 0; k < s->nstate; k++) {
    int *rest = &s->rest[k];
    if (*rest > 0) {
      --*rest;
      continue;
    }
    *rest = s->cuts[k] > 0 ? *rest - 1 : 0;
    if (s->cuts[k] > CUTS || *rest <= -CARDAN__SWITCH_TRIALS) {
      *rest = CARDAN__SWITCH_REST;
      s->unlocated_t = s->unlocated == 0 ? t0 : s->unlocated_t;
      s->unlocated = s->unlocated == 0 ? s->ntime + k + 1 : s->unlocated;
    }
  }
}

/* An adaptive integrator may give up at a change after a number of ever shorter steps, and pass it
 * in a step that begins near. */
static bool may_be_divided(const cardan_sim *sim, cardan_status status)
{
  return status == CARDAN_ERR_STEP_TOO_SMALL || may_be_shorter(sim, status);
}

/* To *t, or as far towards it as there is a step: half of it, a quarter, .. */
static cardan_status attempt(cardan_sim *sim, double t0, double *t, int *iterations)
{
  cardan_status status = cardan__sim_advance_whole(sim, *t);
  *iterations += sim->stepper->iterations;
  for (int i = 0; i < HALVINGS && may_be_divided(sim, status); i++) {
    *t = t0 + 0.5 * (*t - t0);
    status = advance_again(sim, *t);
    *iterations += sim->stepper->iterations;
  }
  return status == CARDAN_OK ? evaluate_switches(sim, sim->switches.to) : status;
}

/* To the change at t and past it. Where evaluations at the end of a step count (of integrators), it
 * ends LEAP dt before the change, with all of them on the old side, and one of 2 LEAP dt leads past
 * it; if that does not, and for other methods, the step ends at t. */
static cardan_status cross(cardan_sim *sim, double t0, double t)
{
  cardan__switches *s = &sim->switches;
  const double leap = LEAP * sim->options.dt;
  if (sim->stepper->method->states && t - t0 > 4 * leap) {
    cardan_status status = try_to(sim, t - leap, s->now);
    status = status == CARDAN_OK ? cardan__sim_advance_whole(sim, t + leap) : status;
    status = status == CARDAN_OK ? evaluate_switches(sim, s->now) : status;
    bool same = true;
    for (int k = 0; k < s->nstate; k++) {
      same = same && (s->now[k] < 0.0) == (s->to[k] < 0.0);
    }
    if (status == CARDAN_OK && same) {
      return CARDAN_OK;
    }
  }
  return try_to(sim, t, s->now);
}

/* Does the step of an integrator from t0 to t_end end at a change to rounding, which was located at
 * t, or on the old side? Evaluations at its end may be on the new one then. */
static bool is_at_end(const cardan_sim *sim, double t0, double t, double t_end, bool changed)
{
  const cardan__switches *s = &sim->switches;
  const double near = KAPPA * sim->options.dt;
  if (!sim->stepper->method->states || t_end - t0 < 4 * near) {
    return false;
  }
  if (changed) {
    return t_end - t < near;
  }
  bool any = false;
  for (int k = 0; k < s->nstate; k++) {
    any = any || (is_sought(sim, k) && fabs(s->to[k]) < TOUCH * fabs(s->to[k] - s->from[k]));
  }
  return any;
}

/* To t_end, where there is a change to rounding: evaluations at the end, which may be on the new
 * side, count over LEAP dt alone. */
static cardan_status end_at_change(cardan_sim *sim, double t_end)
{
  cardan__switches *s = &sim->switches;
  cardan_status status = try_to(sim, t_end - LEAP * sim->options.dt, s->now);
  status = status == CARDAN_OK ? cardan__sim_advance_whole(sim, t_end) : status;
  status = status == CARDAN_OK ? evaluate_switches(sim, s->to) : status;
  return status == CARDAN_OK ? cardan__switches_pass(sim, t_end) : status;
}

/* Steps from a change that is at the node to rounding. The new sides apply from there on; methods
 * that evaluate at the ends of a step would still have the old side, so a short step goes past
 * it. */
static cardan_status step_past_switch(cardan_sim *sim, double t, double t_next)
{
  const double leap = fmax(LEAP * sim->options.dt, 8 * DBL_EPSILON * fabs(t));
  cardan__snapshot_restore(sim, &sim->switches.before);
  return sim->stepper->method->states && t + leap < t_next
             ? try_to(sim, t + leap, sim->switches.now)
             : CARDAN_OK;
}

/* The node, reached from t0, is at a change, and before: still on the old side of it. From t on the
 * new side acts. Integrators that are before it take a short step instead (step_past_switch). */
static cardan_status pass(cardan_sim *sim, double t0, double t, bool before)
{
  const cardan__method *method = sim->stepper->method;
  if (sim->data->t <= t0 && (method->states || !before)) {
    return CARDAN_OK;
  }
  before = before && !method->states;
  sim->stepper->lead = before ? fmax(LEAD * sim->options.dt, 64 * DBL_EPSILON * fabs(t)) : 0;
  const cardan_status status = cardan__switches_pass(sim, t);
  sim->stepper->lead = 0;
  return status;
}

/* Steps of order 4 and 6 have stages that go back in time: behind a change they pull the end of the
 * step back to the old side, or push it farther, and neither shows when the change is. May the
 * step, of this length, have such stages? Then a comparison has changed, or is nearer to its change
 * than it moved, in this step or, for the length of this one, in the one before. */
static bool may_hide_change(const cardan_sim *sim, double length)
{
  const cardan__switches *s = &sim->switches;
  const double part = length / sim->options.dt;
  bool any = false;
  for (int k = 0; k < s->nstate && part > SHORTEST; k++) {
    const double from = s->from[k], to = s->to[k], before = part * (s->begun[k] - s->last[k]);
    any = any || (is_sought(sim, k) && ((from < 0.0) != (to < 0.0) || fabs(to) < fabs(to - from) ||
                                        fabs(from) < 2 * fabs(before)));
  }
  return any;
}

/* Half of the step from t0 to *t, and of that, .. until it has no such stages, or is so short that
 * what they do is little. The parts grow again behind it, by s->pace. */
static cardan_status divide(cardan_sim *sim, double t0, double *t, int *iterations)
{
  cardan__switches *s = &sim->switches;
  cardan_status status = CARDAN_OK;
  while (status == CARDAN_OK && may_hide_change(sim, *t - t0)) {
    *t = t0 + 0.5 * (*t - t0);
    cardan__snapshot_restore(sim, &s->before);
    status = attempt(sim, t0, t, iterations);
  }
  s->pace = any_changed(sim, s->from, s->to) ? HUGE_VAL : 2 * (*t - t0);
  return status;
}

/* locate, and no change and back before it, as far as the middles of the way there show. */
static cardan_status locate_first(cardan_sim *sim, double t0, double *t)
{
  cardan__switches *s = &sim->switches;
  cardan_status status = locate(sim, t0, t);
  for (int i = 0; i < MIDDLES && status == CARDAN_OK; i++) {
    const double middle = t0 + 0.5 * (*t - t0);
    if (middle - t0 < KAPPA * sim->options.dt || try_to(sim, middle, s->now) != CARDAN_OK ||
        !any_changed(sim, s->from, s->now)) {
      return CARDAN_OK;
    }
    memcpy(s->to, s->now, (size_t)s->nstate * sizeof *s->to);
    *t = middle;
    status = locate(sim, t0, t);
  }
  return status;
}

/* Is a comparison that has not changed in the step so near that it may have changed to and fro, for
 * a way as long as that of this step or of the one before? */
static bool may_have_returned(const cardan_sim *sim, double length)
{
  const cardan__switches *s = &sim->switches;
  const double part = length / sim->options.dt;
  bool any = false;
  for (int k = 0; k < s->nstate; k++) {
    const double before = part * fabs(s->begun[k] - s->last[k]), now = fabs(s->to[k] - s->from[k]);
    any = any || (is_sought(sim, k) && fmin(fabs(s->from[k]), fabs(s->to[k])) < fmax(now, before));
  }
  return any;
}

/* The step to *t changed nothing. Where its middle did, it becomes the end. */
static cardan_status look_midway(cardan_sim *sim, double t0, double *t)
{
  cardan__switches *s = &sim->switches;
  const double middle = t0 + 0.5 * (*t - t0);
  if (!may_have_returned(sim, *t - t0)) {
    return CARDAN_OK;
  }
  if (try_to(sim, middle, s->now) == CARDAN_OK && any_changed(sim, s->from, s->now)) {
    memcpy(s->to, s->now, (size_t)s->nstate * sizeof *s->to);
    *t = middle;
    return CARDAN_OK;
  }
  return try_to(sim, *t, s->to);
}

/* Most of the way to the change at t, for integrators of fixed steps: evaluations near the end of a
 * step may lie beyond the change before its end does, and the shorter the last step before the
 * change is, the less they count. false: it is short enough, or there is no such step. */
static bool approach(cardan_sim *sim, double t0, double t)
{
  cardan__switches *s = &sim->switches;
  if (!sim->stepper->method->states || cardan__sim_adaptive(sim) ||
      t - t0 < CLOSE * sim->options.dt ||
      try_to(sim, t0 + MOST_OF * (t - t0), s->now) != CARDAN_OK ||
      any_changed(sim, s->from, s->now)) {
    return false;
  }
  memcpy(s->from, s->now, (size_t)s->nstate * sizeof *s->from);
  return true;
}

/* A part of the step from the node on: to t_next, or up to the next change. */
static cardan_status go_on(cardan_sim *sim, double t_next, int *iterations)
{
  cardan__switches *s = &sim->switches;
  const size_t bytes = (size_t)s->nstate * sizeof *s->from;
  const double t0 = sim->data->t, near = KAPPA * sim->options.dt;
  double t_end = sim->options.order > 2 ? fmin(t_next, t0 + s->pace) : t_next;
  cardan__snapshot_save(sim, &s->before);
  cardan_status status = attempt(sim, t0, &t_end, iterations);
  if (status == CARDAN_OK && sim->options.order > 2) {
    status = divide(sim, t0, &t_end, iterations);
  }
  if (status == CARDAN_OK && !any_changed(sim, s->from, s->to)) {
    status = look_midway(sim, t0, &t_end);
  }
  const bool changed = status == CARDAN_OK && any_changed(sim, s->from, s->to);
  double t = t_end;
  if (changed) {
    status = locate_first(sim, t0, &t);
  }
  if (status != CARDAN_OK) {
    return status;
  }
  if (changed && approach(sim, t0, t)) {
    return CARDAN_OK;
  }
  count_cuts(sim, s->from, s->to);
  const bool leaves = changed && t - t0 < near, last = t_next - t < near;
  const bool old_side = sim->stepper->method->old_side;
  if (leaves) {
    status = step_past_switch(sim, t, t_next);
  } else if (is_at_end(sim, t0, t, t_end, changed)) {
    status = end_at_change(sim, t_end);
  } else if (changed) {
    status = !last || old_side ? cross(sim, t0, t) : try_to(sim, t_end, s->now);
  }
  memcpy(s->from, s->to, bytes);
  if (changed && s->crossings < CARDAN__SWITCH_TRIALS) { // more of them may blow the motion up
    s->crossings++;
    cardan__switches_passed(s);
  }
  return status == CARDAN_OK && changed
             ? pass(sim, t0, old_side && last ? t_next : sim->data->t, leaves || old_side)
             : status;
}

/* Values at the node that the step begins from; those of the step before are kept for messages. */
static cardan_status begin_step(cardan_sim *sim)
{
  cardan__switches *s = &sim->switches;
  const size_t bytes = (size_t)s->nstate * sizeof *s->from;
  const cardan_status status = evaluate_switches(sim, s->from);
  memcpy(s->last, s->begun, bytes);
  memcpy(s->begun, s->from, bytes);
  return status;
}

/* The whole step, for an integrator that must not be started just behind a switch. */
static cardan_status go_over(cardan_sim *sim, double t)
{
  cardan__switches *s = &sim->switches;
  const double t0 = sim->data->t;
  cardan_status status = s->unlocated == 0 ? begin_step(sim) : CARDAN_OK;
  status = status == CARDAN_OK ? cardan__sim_advance_whole(sim, t) : status;
  if (status == CARDAN_OK && s->unlocated == 0) {
    status = evaluate_switches(sim, s->to);
    for (int k = 0; k < s->nstate && status == CARDAN_OK && s->unlocated == 0; k++) {
      s->unlocated = (s->from[k] < 0.0) != (s->to[k] < 0.0) ? s->ntime + k + 1 : 0;
      s->unlocated_t = t0;
    }
  }
  return status;
}

/* The step cut at the changes on the way. */
static cardan_status go_by_parts(cardan_sim *sim, double t)
{
  cardan__switches *s = &sim->switches;
  const double t0 = sim->data->t;
  const bool stops = sim->stepper->stops;
  int iterations = 0, n = 0;
  memset(s->cuts, 0, (size_t)s->nstate * sizeof *s->cuts);
  cardan_status status = begin_step(sim);
  sim->stepper->stops = cardan__sim_adaptive(sim);
  s->pace = HUGE_VAL;
  for (; status == CARDAN_OK && sim->data->t < t; n++) {
    if (n == 1) { // what the first part began from
      const cardan__snapshot first = s->before;
      s->before = s->node;
      s->node = first;
    }
    status = n < PARTS ? go_on(sim, t, &iterations) : cardan__sim_advance_whole(sim, t);
  }
  if (status != CARDAN_OK && n > 0) {
    cardan__snapshot_restore(sim, n > 1 ? &s->node : &s->before);
    sim->settled = false;
  }
  if (n > 1 && sim->advance_begin.bytes != NULL) { // which later parts have saved as theirs
    memcpy(sim->advance_begin.bytes, s->node.bytes, s->node.size);
  }
  if (status == CARDAN_OK) {
    end_step(sim, t0);
  }
  sim->stepper->iterations = iterations;
  sim->stepper->stops = stops;
  return status;
}

cardan_status cardan__sim_advance(cardan_sim *sim, double t)
{
  return sim->switches.nstate == 0 ? cardan__sim_advance_whole(sim, t)
         : sim->switches.locates   ? go_by_parts(sim, t)
                                   : go_over(sim, t);
}
