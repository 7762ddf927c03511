// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "forces/friction_prediction.h"

/* Friction that agrees with the reactions it makes, by fixed-point iteration on its limits
 * x_e = mu |N_e|.
 *
 *   tau(x) = tau_0 + sum over e of x_e d_e(v)                (E1)   coulomb.c
 *   a, lambda from tau(x);  reactions from a, lambda         (E2)   the system's own
 *   x_e <- mu |N_e|                                          (E3)
 *
 * (E2) is affine in x, and (E3) shrinks differences by a factor proportional to mu: the iteration
 * converges linearly while friction does not lock the mechanism; where changes grow they are
 * halved. It starts from x = 0 at every call, so the result depends on the state alone. Where it
 * does not converge, friction as large as this has no consistent reaction, or none that is unique
 * (Painleve's paradox): that is reported, not hidden.
 *
 * With a prediction (friction_prediction.h) elements that may come to rest within a step act
 * against velocities that depend on what they do themselves, d_e(v + ahead a): in every round these
 * are solved for together at the limits there are (stick.c). Whether there are any shows when
 * sliding is solved for. */

enum { MAX_ITERATIONS = 400 };

/* Relative to the largest force in any joint: 4500 rounding errors, 1e-12 of what presses. */
static const double tolerance = 1e-12;
/* Of a change of limits, where they do not settle. */
static const double smallest_part = 0.3;
/* Of the first look at what slides. */
static const double roughly = 1e-2;

/* What presses anywhere, or rubs without. */
static double largest_force(const cardan_model *model, const cardan_force *f)
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

/* (E1) of element e by a change of its limit, where it slides. */
static void slide_by(const cardan_model *model, const cardan__friction_system *s,
                     const cardan_force_element *e, double change)
{
  static cardan_force none; // that there are wrenches makes loads of forces; none is added
  cardan__loads to = {.f_ext = &none, .tau = s->force};
  cardan__friction_element(model, s->view, e, change, &to);
  if (s->tau != NULL) {
    to.tau = s->tau;
    cardan__friction_element(model, s->view, e, change, &to);
  }
}

/* (E3), by that part of the change, and (E1) of what slides; returns the largest change of such an
 * x, the whole of it, in *joint where it is. holds: some elements hold. */
static double update(const cardan_model *model, const cardan__friction_system *s, bool holds,
                     double part, const cardan_force *f, int *joint)
{
  double largest = -1.0;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->flags & CARDAN_FORCE_FRICTION) {
      const double x = cardan__friction_limit(model, e, f), change = x - s->limit[i];
      s->limit[i] += part * change;
      if (holds && s->prediction->part[i] >= 0) {
        continue;
      }
      slide_by(model, s, e, part * change);
      // written so that a change which is not a number is the largest
      if (!(fabs(change) <= largest)) {
        largest = fabs(change);
        *joint = e->joint;
      }
    }
  }
  return largest;
}

static cardan_status iterate(const cardan_model *model, const cardan__friction_system *s,
                             bool holds, double tol, cardan_info *info)
{
  double change = 0.0, before = HUGE_VAL, part = 1.0;
  int joint = -1;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    const cardan_force *f = s->wrenches(s->self);
    const double size = largest_force(model, f);
    change = update(model, s, holds, part, f, &joint);
    if (holds && !isnan(change)) {
      int held = joint;
      const double more = cardan__friction_prediction_hold(model, s, &held);
      joint = more <= change ? joint : held;
      change = more <= change ? change : more;
    }
    if (!isfinite(change)) {
      break;
    }
    // what holds is stiff: it continues to rounding, for the iterations of implicit integrators
    if (change <= tol * size && (!holds || change >= 0.5 * before || change == 0)) {
      return CARDAN_OK;
    }
    // what swings to and fro is held back
    part = change > before && part > smallest_part ? 0.5 * part : part;
    before = change;
    s->solve(s->self);
  }
  *info = (cardan_info){.body = model->joint[joint].last,
                        .joint = joint,
                        .row = -1,
                        .residual = change,
                        .iterations = MAX_ITERATIONS};
  snprintf(
      info->message, sizeof info->message,
      "friction in joint \"%.60s\" found no reaction that agrees with it in %d iterations "
      "(the last change was %.3g N): its coefficient may be large enough to lock the mechanism",
      model->joint[joint].name, MAX_ITERATIONS, change);
  return CARDAN_ERR_NO_CONVERGENCE;
}

/* Back to no friction at all. */
static void let_go(const cardan_model *model, const cardan__friction_system *s)
{
  for (int k = 0; k < model->nv && s->tau != NULL; k++) {
    s->tau[k] -= s->force[k];
  }
  memset(s->force, 0, (size_t)model->nv * sizeof *s->force);
  memset(s->limit, 0, (size_t)model->nforce * sizeof *s->limit);
  s->solve(s->self);
}

/* Sliding: first roughly, which shows what may hold; to the end where nothing does, and then once
 * more. Returns whether something may. */
static bool slide(const cardan_model *model, const cardan__friction_system *s,
                  cardan_status *status, cardan_info *info)
{
  s->see(s->self, s->prediction->without);
  cardan__friction_prediction_clear(model, s->prediction);
  *status = iterate(model, s, false, roughly, info);
  if (*status == CARDAN_OK && !cardan__friction_prediction_find(model, s, false)) {
    s->solve(s->self);
    *status = iterate(model, s, false, tolerance, info);
    return *status == CARDAN_OK && cardan__friction_prediction_find(model, s, false);
  }
  return *status == CARDAN_OK;
}

cardan_status cardan__friction_agree(const cardan_model *model, const cardan__friction_system *s,
                                     cardan_info *info)
{
  const cardan_info before = *info;
  cardan_status status;
  if (s->prediction == NULL || !(s->prediction->ahead > 0)) {
    return iterate(model, s, false, tolerance, info);
  }
  const bool may_hold = slide(model, s, &status, info);
  if (status == CARDAN_OK && !may_hold) {
    return CARDAN_OK;
  }
  *info = before;
  if (status != CARDAN_OK) {
    let_go(model, s);
    cardan__friction_prediction_find(model, s, true);
  }
  // what stops may stop others, which did not look like it
  do {
    cardan__friction_prediction_probe(model, s);
    status = iterate(model, s, true, tolerance, info);
  } while (status == CARDAN_OK && cardan__friction_prediction_find(model, s, s->prediction->all));
  return status;
}
