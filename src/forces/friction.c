// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forces/friction_prediction.h"

/* Friction consistent with the reactions that it changes, by fixed-point iteration on its limits
 * x_e = mu |N_e|.
 *
 *   tau(x) = tau_0 + sum over e of x_e d_e(v)                (E1)   coulomb.c
 *   a, lambda from tau(x);  reactions from a, lambda         (E2)   s->solve, s->wrenches
 *   x_e <- mu |N_e|                                          (E3)
 *
 * (E2) is affine in x, and (E3) shrinks differences by a factor proportional to mu: the iteration
 * converges linearly while friction does not lock the mechanism; where changes grow, it is
 * under-relaxed. It starts from x = 0 at every call, so that the result depends on the state alone.
 * Where it does not converge, friction of this size has no consistent reaction, or several
 * (Painleve's paradox); the status reports that.
 *
 * With a prediction (friction_prediction.h), elements that may come to rest within a step act
 * against the velocities that they themselves lead to, d_e(v + ahead a). Every round solves for
 * these elements together, at the current limits (stick.c). A first solve in which all elements
 * slide shows whether there are any. */

enum { MAX_ITERATIONS = 400 };

/* Of a change of limits, relative to the largest joint force: 4500 rounding errors. */
static const double tolerance = 1e-12;
/* Relaxation factors are not halved below this. */
static const double min_relaxation = 0.3;
/* The same tolerance, for the first solve with all elements sliding. */
static const double first_tolerance = 1e-2;

/* Largest joint force, or dry friction, which needs no normal force [N]. */
static double compute_largest_force(const cardan_model *model, const cardan_force *f)
{
  double largest = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    largest = fmax(largest, cardan__vec3_norm(f[i].f));
  }
  for (int i = 0; i < model->nforce; i++) {
    if (model->force[i].kind == CARDAN_ELEMENT_DRY_FRICTION) {
      largest = fmax(largest, model->force[i].value[0]);
    }
  }
  return largest;
}

/* Adds to the friction forces what a change of the limit of the sliding element e changes, (E1). */
static void apply_limit_change(const cardan_model *model, const cardan__friction_system *s,
                               const cardan_force_element *e, double change)
{
  static cardan_force none; // f_ext non-NULL selects forces, not power; friction adds no wrench
  cardan__loads to = {.f_ext = &none, .tau = s->force};
  cardan__friction_element(model, s->view, e, change, &to);
  if (s->tau != NULL) {
    to.tau = s->tau;
    cardan__friction_element(model, s->view, e, change, &to);
  }
}

/* (E3), under-relaxed, and (E1) for sliding elements. returns the largest full change of a sliding
 * element's limit; *joint: its joint. holds: some elements hold, and are skipped */
static double update_limits(const cardan_model *model, const cardan__friction_system *s, bool holds,
                            double relaxation, const cardan_force *f, int *joint)
{
  double largest = -1.0;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->flags & CARDAN_FORCE_FRICTION) {
      const bool given = s->dry_given && e->kind == CARDAN_ELEMENT_DRY_FRICTION;
      const double x = given ? 0 : cardan__friction_limit(model, e, f), change = x - s->limit[i];
      s->limit[i] += relaxation * change;
      if (holds && s->prediction->part[i] >= 0) {
        continue;
      }
      apply_limit_change(model, s, e, relaxation * change);
      // written so that NaN counts as the largest
      if (!(fabs(change) <= largest)) {
        largest = fabs(change);
        *joint = e->joint;
      }
    }
  }
  return largest;
}

/* Iterates (E1) to (E3) until the limits change by less than tol. holds: with elements that hold */
static cardan_status iterate_limits(const cardan_model *model, const cardan__friction_system *s,
                                    bool holds, double tol, cardan_info *info)
{
  double change = 0.0, last_change = HUGE_VAL, relaxation = 1.0;
  int joint = -1;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    const cardan_force *f = s->wrenches(s->self);
    const double size = compute_largest_force(model, f);
    change = update_limits(model, s, holds, relaxation, f, &joint);
    if (holds && !isnan(change)) {
      int held_joint = joint;
      const double held_change = cardan__friction_prediction_hold(model, s, &held_joint);
      joint = held_change <= change ? joint : held_joint;
      change = held_change <= change ? change : held_change;
    }
    if (!isfinite(change)) {
      break;
    }
    // holding friction is stiff: iterate to rounding, as implicit integrators need
    if (change <= tol * size && (!holds || change >= 0.5 * last_change || change == 0)) {
      return CARDAN_OK;
    }
    // damp oscillations
    relaxation =
        change > last_change && relaxation > min_relaxation ? 0.5 * relaxation : relaxation;
    last_change = change;
    s->solve(s->self);
  }
  *info = (cardan_info){.body = model->joint[joint].last,
                        .joint = joint,
                        .row = -1,
                        .residual = change,
                        .iterations = MAX_ITERATIONS};
  snprintf(
      info->message, sizeof info->message,
      "friction in joint \"%.60s\" did not converge to a consistent reaction in %d iterations "
      "(the last change was %.3g N): its coefficient may be large enough to lock the mechanism",
      model->joint[joint].name, MAX_ITERATIONS, change);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* Sets all friction forces and limits to 0, and solves without them. */
static void remove_friction(const cardan_model *model, const cardan__friction_system *s)
{
  for (int k = 0; k < model->nv && s->tau != NULL; k++) {
    s->tau[k] -= s->force[k];
  }
  memset(s->force, 0, (size_t)model->nv * sizeof *s->force);
  memset(s->limit, 0, (size_t)model->nforce * sizeof *s->limit);
  s->solve(s->self);
}

/* Solves with all elements sliding: first to a loose tolerance, which shows which elements may
 * hold; if none, to the full tolerance, and checks again. returns whether some element may hold */
static bool solve_sliding(const cardan_model *model, const cardan__friction_system *s,
                          cardan_status *status, cardan_info *info)
{
  s->see(s->self, s->prediction->without);
  cardan__friction_prediction_clear(model, s->prediction);
  *status = iterate_limits(model, s, false, first_tolerance, info);
  if (*status == CARDAN_OK && !cardan__friction_prediction_find(model, s, false)) {
    s->solve(s->self);
    *status = iterate_limits(model, s, false, tolerance, info);
    return *status == CARDAN_OK && cardan__friction_prediction_find(model, s, false);
  }
  return *status == CARDAN_OK;
}

cardan_status cardan__friction_agree(const cardan_model *model, const cardan__friction_system *s,
                                     cardan_info *info)
{
  const cardan_info saved = *info;
  cardan_status status;
  if (s->prediction == NULL || !(s->prediction->ahead > 0)) {
    return iterate_limits(model, s, false, tolerance, info);
  }
  const bool may_hold = solve_sliding(model, s, &status, info);
  if (status == CARDAN_OK && !may_hold) {
    return CARDAN_OK;
  }
  *info = saved;
  if (status != CARDAN_OK) {
    remove_friction(model, s);
    cardan__friction_prediction_find(model, s, true);
  }
  // elements that stop may make others stop: repeat until no more are found
  do {
    cardan__friction_prediction_probe(model, s);
    status = iterate_limits(model, s, true, tolerance, info);
  } while (status == CARDAN_OK && cardan__friction_prediction_find(model, s, s->prediction->all));
  return status;
}
