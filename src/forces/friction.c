// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "forces/forces.h"

/* Friction that agrees with the reactions it makes, by fixed-point iteration on its limits
 * x_e = mu |N_e|.
 *
 *   tau(x) = tau_0 + sum over e of x_e d_e(v)                (E1)   coulomb.c
 *   a, lambda from tau(x);  reactions from a, lambda         (E2)   the system's own
 *   x_e <- mu |N_e|                                          (E3)
 *
 * (E2) is affine in x, and (E3) shrinks differences by a factor proportional to mu: the iteration
 * converges linearly while friction does not lock the mechanism. It starts from x = 0 at every
 * call, so the result depends on the state alone. Where it does not converge, friction as large as
 * this has no consistent reaction, or none that is unique (Painleve's paradox): that is reported,
 * not hidden. */

enum { MAX_ITERATIONS = 200 };

/* Relative to the largest force in any joint: 4500 rounding errors, 1e-12 of what presses. */
static const double tolerance = 1e-12;

static double largest_force(const cardan_model *model, const cardan_force *f)
{
  double largest = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    largest = fmax(largest, cardan__vec3_norm(f[i].f));
  }
  return largest;
}

/* (E3), and (E1) by the change alone; returns the largest change of x, in *joint where it is. */
static double update(const cardan_model *model, const cardan__friction_system *s,
                     const cardan_force *f, int *joint)
{
  double largest = -1.0;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->flags & CARDAN_FORCE_REACTION) {
      const double x = cardan__friction_limit(model, e, f), change = x - s->limit[i];
      if (s->to != NULL) {
        cardan__friction_element(model, s->view, e, change, s->to);
      }
      s->limit[i] = x;
      // written so that a change which is not a number is the largest
      if (!(fabs(change) <= largest)) {
        largest = fabs(change);
        *joint = e->joint;
      }
    }
  }
  return largest;
}

cardan_status cardan__friction_agree(const cardan_model *model, const cardan__friction_system *s,
                                     cardan_info *info)
{
  double change = 0.0;
  int joint = -1;
  for (int i = 0; i < MAX_ITERATIONS; i++) {
    const cardan_force *f = s->wrenches(s->self);
    change = update(model, s, f, &joint);
    if (!isfinite(change)) {
      break;
    }
    if (change <= tolerance * largest_force(model, f)) {
      return CARDAN_OK;
    }
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
