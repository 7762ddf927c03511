// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cardan/kinematics.h"
#include "constraints/rows.h"
#include "expr/expr.h"
#include "forces/tyre.h"
#include "kinematics/view.h"
#include "model/build.h"
#include "model/elements.h"
#include "run/sim.h"

/* Which expression of the model is not a number? A NaN goes through all that a step computes, and
 * shows where it is noticed, not where it began. So the expressions themselves are evaluated, once
 * a step has failed: at the node that it began from, and at a few places on the way that the node's
 * velocities lead, to the end of the step. First for values, then for slopes, which methods need
 * too. Cost: some evaluations of every expression, in failed steps alone. */

/* Names the element that the expression belongs to. */
static void name_owner(const cardan_model *model, int index, char *text, size_t size)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    for (int k = 0; k < 6; k++) {
      if (e->expr[k] == index) {
        snprintf(text, size, "%s \"%.60s\"", cardan__element_word(e->kind), e->name);
        return;
      }
    }
  }
  for (int r = 0; r < model->nrow; r++) {
    if (model->row[r].expr == index) {
      const cardan_constraint *c = &model->constraint[model->row[r].constraint];
      snprintf(text, size, "%s \"%.60s\"", cardan__element_word(c->kind), c->name);
      return;
    }
  }
  for (int i = 0; i < model->nbound; i++) {
    if (model->bound_row[model->bound[i].row].expr == index) {
      snprintf(text, size, "%s \"%.60s\"", cardan__element_word(model->bound[i].kind),
               model->bound[i].name);
      return;
    }
  }
  for (int i = 0; i < model->nprescribed; i++) {
    if (model->prescribed[i].expr == index) {
      const int joint = model->body[model->prescribed[i].body].joint;
      snprintf(text, size, "the motion of \"%.60s\"", model->joint[joint].name);
      return;
    }
  }
  for (int k = 0; k < model->nz; k++) {
    if (model->state[k].expr == index) {
      snprintf(text, size, "%s \"%.60s\"", model->state[k].every > 0.0 ? "memory" : "state",
               model->state[k].name);
      return;
    }
  }
  for (int k = 0; k < model->ncontroller; k++) {
    if (model->controller[k].expr == index) {
      snprintf(text, size, "the controller of \"%.60s\"",
               model->input[model->controller[k].input].name);
      return;
    }
  }
  for (int k = 0; k < model->ny; k++) {
    if (model->output[k].expr == index) {
      snprintf(text, size, "output \"%.60s\"", model->output[k].name);
      return;
    }
  }
  snprintf(text, size, "an expression");
}

static bool all_finite(const double *x, int n)
{
  bool finite = true;
  for (int i = 0; i < n; i++) {
    finite = finite && isfinite(x[i]);
  }
  return finite;
}

/* Is it a number at the view, with slopes: its slopes too? Those of a function of time alone are
 * its rates. What reads sensors is an output, and moves nothing. */
static bool is_defined(const cardan_model *model, const cardan__view *view, int index, bool slopes,
                       double *value)
{
  const cardan_bound_expr *e = &model->expr[index];
  const size_t n = (size_t)model->max_leaf;
  double *x = view->work, *g = x + n, *work = x + 8 * n;
  if (e->expr->uses & CARDAN__LEAVES_SENSE) {
    return true;
  }
  cardan__leaf_values(model, view, e, x, NULL, NULL);
  if (!slopes) {
    *value = cardan__expr_value(e->expr, x, work);
    return isfinite(*value);
  }
  if (e->expr->uses == CARDAN__LEAVES_T) {
    const double one = 1.0, zero = 0.0;
    double jet[3];
    cardan__expr_jet(e->expr, x, &one, &zero, work, jet);
    return all_finite(jet, 3);
  }
  *value = cardan__expr_gradient(e->expr, x, work, g);
  return all_finite(g, e->nleaf);
}

void cardan__expr_named(const cardan_sim *sim, int index, char *text, size_t size)
{
  const cardan_bound_expr *e = &sim->model->expr[index];
  char owner[96], line[32] = "";
  cardan__text printed;
  cardan__text_init(&printed, &sim->allocator);
  cardan__expr_print(e->expr, &printed);
  name_owner(sim->model, index, owner, sizeof owner);
  if (e->pos.line > 0) {
    snprintf(line, sizeof line, ", line %d", e->pos.line);
  }
  const bool whole = printed.data != NULL && !printed.failed && printed.length <= 80;
  snprintf(text, size, "%s%s%s%s%s", whole ? printed.data : "", whole ? " (" : "", owner, line,
           whole ? ")" : "");
  cardan__text_free(&printed);
}

/* At data's t, q and v. */
static bool look_here(const cardan_sim *sim, bool slopes, char *text, size_t size)
{
  const cardan_model *model = sim->model;
  const cardan__view view = cardan__data_view(model, sim->data);
  for (int i = 0; i < model->nexpr; i++) {
    double value = (double)NAN;
    if (!is_defined(model, &view, i, slopes, &value)) {
      char named[256];
      cardan__expr_named(sim, i, named, sizeof named);
      if (slopes) {
        snprintf(text, size, "the slope of %s is not finite at t = %.6g", named, view.t);
      } else {
        snprintf(text, size, "%s is %s at t = %.6g", named,
                 isnan(value) ? "not a number" : "infinite", view.t);
      }
      return true;
    }
  }
  return false;
}

/* A force along a line whose ends are at one place has no direction. */
static bool look_at_lines(const cardan_sim *sim, char *text, size_t size)
{
  const cardan_model *model = sim->model;
  const cardan__view view = cardan__data_view(model, sim->data);
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    cardan_vec3 a, b;
    if (e->kind != CARDAN_ELEMENT_FORCE) {
      continue;
    }
    cardan__frame_point(&model->frame[e->frame[0]], &view, &a, NULL, NULL);
    cardan__frame_point(&model->frame[e->frame[1]], &view, &b, NULL, NULL);
    if (a.x == b.x && a.y == b.y && a.z == b.z) {
      snprintf(text, size,
               "the force \"%.60s\" has no direction at t = %.6g: its frames are at one place",
               e->name, view.t);
      return true;
    }
  }
  return false;
}

/* A disc that lies has no lowest point to roll on (constraints/row_velocities.c). */
static bool look_at_discs(const cardan_sim *sim, double h, char *text, size_t size)
{
  const cardan_model *model = sim->model;
  const int row = cardan__lying_disc(model, sim->data, 2.0 * h); // iterates go beyond the end
  if (row >= 0) {
    snprintf(
        text, size,
        "the disc of roll \"%.60s\" would lie flat about the end of this step at its velocity, "
        "where it has no lowest point; end the run before, or use (contact ..) instead",
        model->constraint[model->row[row].constraint].name);
    return true;
  }
  const cardan__view view = cardan__data_view(model, sim->data);
  const int tyre = cardan__lying_tyre(model, &view, 2.0 * h);
  if (tyre >= 0) {
    snprintf(
        text, size,
        "the disc of tyre \"%.60s\" would lie flat about the end of this step at its velocity, "
        "where it has no lowest point; end the run before",
        model->force[tyre].name);
  }
  return tyre >= 0;
}

bool cardan__node_undefined(const cardan_sim *sim, char *text, size_t size)
{
  return look_at_lines(sim, text, size) || look_here(sim, false, text, size) ||
         look_here(sim, true, text, size);
}

/* Poses of the tree at data's q, in a step's part of the way along data's v. */
static bool move_poses(const cardan_sim *sim, const double *q, double t, double part)
{
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  const double h = part * sim->options.dt;
  memcpy(data->q, q, (size_t)model->nq * sizeof *q);
  data->t = t + h;
  if (part > 0.0) {
    cardan_q_move(model, data->q, data->v, h, data->q);
  }
  data->fresh = 0;
  if (!all_finite(data->q, model->nq)) {
    return false;
  }
  cardan_prescribe(model, data);
  if (!all_finite(data->q, model->nq)) { // a motion's own expression
    memcpy(data->q, q, (size_t)model->nq * sizeof *q);
  }
  cardan_joints(model, data);
  cardan_poses(model, data);
  cardan_velocities(model, data);
  return true;
}

bool cardan__sim_undefined(cardan_sim *sim, char *text, size_t size)
{
  static const double parts[] = {0.0, 0.5, 1.0};
  const cardan_model *model = sim->model;
  cardan_data *data = sim->data;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv;
  const double t = data->t;
  bool found = false;
  double *kept = model->nexpr > 0 || model->nvelocity_row > 0 || model->nforce > 0
                     ? cardan__resize(&sim->allocator, NULL, (nq + nv + 1) * sizeof *kept)
                     : NULL;
  if (kept == NULL) {
    return false;
  }
  memcpy(kept, data->q, nq * sizeof *kept);
  memcpy(kept + nq, data->v, nv * sizeof *kept);
  for (int i = 0; i < 6 && !found && all_finite(kept, (int)nq); i++) {
    for (size_t k = 0; k < nv; k++) {
      data->v[k] = isfinite(kept[nq + k]) ? kept[nq + k] : 0.0;
    }
    if (!move_poses(sim, kept, t, parts[i % 3])) {
      continue;
    }
    if (i == 0 && look_at_discs(sim, sim->options.dt, text, size)) {
      found = true;
    } else if (look_at_lines(sim, text, size) || look_here(sim, i >= 3, text, size)) {
      const size_t end = strlen(text);
      snprintf(text + end, size - end, "; try a start, a time or a function for which it is one");
      found = true;
    }
  }
  data->t = t;
  memcpy(data->q, kept, nq * sizeof *kept);
  memcpy(data->v, kept + nq, nv * sizeof *kept);
  cardan__resize(&sim->allocator, kept, 0);
  data->fresh = 0;
  if (sim->started && sim->settled) {
    cardan__sim_refresh(sim);
  }
  return found;
}
