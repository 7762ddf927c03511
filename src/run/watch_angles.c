// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "expr/expr.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "run/sim.h"

/* Checks the angles of a model's expressions, `angle` and `atan2`: does one come to half a turn,
 * where it jumps from pi to -pi, and a force with it (expr/wrap.c)? No balance need show that: what
 * a spring of such an angle stores is the same on both sides. If a model has such angles every node
 * is checked. */

/* Would a jump of the expression act on the motion? *slopes: also one of its slope, as in energies
 * and rows. Memories may jump, and outputs have no effect on the motion. */
static bool may_jump(const cardan_model *model, int index, bool *slopes)
{
  bool found = false;
  *slopes = false;
  for (int i = 0; i < model->nforce; i++) {
    for (int k = 0; k < 6; k++) {
      const bool own = model->force[i].expr[k] == index;
      found = found || own;
      *slopes = *slopes || (own && model->force[i].kind == CARDAN_ELEMENT_POTENTIAL);
    }
  }
  for (int r = 0; r < model->nrow; r++) {
    *slopes = *slopes || model->row[r].expr == index;
  }
  for (int i = 0; i < model->nbound; i++) {
    *slopes = *slopes || model->bound_row[model->bound[i].row].expr == index;
  }
  for (int k = 0; k < model->nz; k++) {
    found = found || (model->state[k].every <= 0.0 && model->state[k].expr == index);
  }
  for (int k = 0; k < model->ncontroller; k++) {
    found = found || model->controller[k].expr == index;
  }
  return found || *slopes;
}

bool cardan__angles_may_wrap(const cardan_model *model)
{
  bool found = false, slopes;
  for (int i = 0; i < model->nexpr; i++) {
    found = found || (cardan__expr_has_angles(model->expr[i].expr) && may_jump(model, i, &slopes));
  }
  return found;
}

/* The same for expression i, at the view; h: of a step. */
static bool wraps(const cardan_model *model, const cardan__view *view, int i, double h,
                  double angle[2])
{
  const int n = model->max_leaf;
  const cardan_bound_expr *e = &model->expr[i];
  double *x = view->work, *x1 = x + n, *x2 = x1 + n;
  bool slopes;
  if (!cardan__expr_has_angles(e->expr)) {
    return false;
  }
  cardan__leaf_values(model, view, e, x, x1, x2);
  const cardan__wrap wrap = cardan__expr_wraps(e->expr, x, x1, x2, h, x + 8 * n, angle);
  return wrap != CARDAN__WRAP_NONE && may_jump(model, i, &slopes) &&
         (slopes || wrap == CARDAN__WRAP_VALUE);
}

void cardan__watch_angles(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const cardan_model *model = sim->model;
  if (!sim->angles_wrap || w->wrapped > 0) {
    return;
  }
  if (!(sim->data->fresh & CARDAN_FRESH_BIAS) && sim->stepper->method->kinematics == NULL) {
    cardan_bias_accelerations(model, sim->data);
  }
  const cardan__view view = cardan__data_view(model, sim->data);
  const double h = w->looks > 0 ? fmax(sim->options.dt, view.t - w->t) : sim->options.dt;
  double angle[2];
  for (int i = 0; i < model->nexpr && w->wrapped == 0; i++) {
    if (wraps(model, &view, i, h, angle)) {
      w->wrapped = i + 1;
      w->wrapped_at[0] = view.t;
      w->wrapped_at[1] = angle[0];
      w->wrapped_at[2] = angle[1];
    }
  }
}

void cardan__watch_angles_end(cardan_sim *sim)
{
  cardan__watch *w = &sim->watch;
  const size_t size = sizeof sim->watch_text, used = strlen(sim->watch_text);
  if (w->wrapped == 0 || w->angle_reported) {
    return;
  }
  w->angle_reported = true;
  char named[256];
  cardan__expr_named(sim, w->wrapped - 1, named, sizeof named);
  snprintf(sim->watch_text + used, size - used,
           "%sat t = %.6g the angle of %s is %.3g rad, at %.3g rad/s: at half a turn it jumps from "
           "pi to -pi, and what it moves with it",
           used > 0 ? "; " : "", w->wrapped_at[0], named, w->wrapped_at[1], w->wrapped_at[2]);
}
