// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "expr/expr.h"
#include "forces/kind.h"

/* Forces given by expressions of t, q, v, frames and inputs: a torque (or force) on one velocity, a
 * wrench at a frame's origin with components in the frame's axes or the world's, and a force along
 * the line between two frames; and
 * actuators, which an input drives through a gear, as a motor or a servo; and what a program
 * computes. */

/* Time and inputs are what the state does not change. */
static bool is_outside(const cardan__leaf_ref *leaf)
{
  return leaf->kind == CARDAN__LEAF_T || leaf->kind == CARDAN__LEAF_U;
}

/* One leaf's part of a gradient, as loads. Of a frame's velocity that by v counts alone: how it
 * changes with q is of first order in v, and left out. */
static void load_leaf(const cardan_model *model, const cardan__view *view,
                      const cardan__leaf_ref *leaf, double by_q, double by_v, cardan__loads *to)
{
  if (leaf->kind == CARDAN__LEAF_V) {
    cardan__load_dof(to, leaf->index, by_v);
  } else if (leaf->kind == CARDAN__LEAF_TWIST) {
    const int axis = leaf->axis % 3;
    const cardan_vec3 along = cardan__vec3(axis == 0, axis == 1, axis == 2);
    const cardan_vec3 f = cardan__vec3_scale(by_v, along);
    if (leaf->axis < 3) {
      cardan__load_point(model, view, to, leaf->index, f);
    } else {
      cardan__load_torque(model, view, to, leaf->index, f);
    }
  } else {
    cardan__force_leaf(model, view, leaf, by_q, to);
  }
}

/* ---- torque ---- */

static void torque_apply(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, cardan__loads *to)
{
  cardan__load_dof(to, e->dof, cardan__expr_at(model, view, e->expr[0]));
}

static void torque_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  double change;
  cardan__slope_expr(at, e->expr[0], &change);
  cardan__load_dof(at->to, e->dof, change);
}

/* Is a leaf of a torque's expression the torque's own coordinate or velocity? */
static bool own_leaf(const cardan_model *model, const cardan_force_element *e,
                     const cardan__leaf_ref *leaf)
{
  return (leaf->kind == CARDAN__LEAF_V && leaf->index == e->dof) ||
         (leaf->kind == CARDAN__LEAF_Q && cardan__is_own(model, leaf->index, e->dof));
}

static void torque_diagonal(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e, double *tau_q, double *tau_v)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  const double *g = cardan__force_expr_gradient(model, view, e->expr[0]);
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (own_leaf(model, e, leaf)) {
      *(leaf->kind == CARDAN__LEAF_V ? &tau_v[e->dof] : &tau_q[e->dof]) += g[i];
    }
  }
}

/* Does leaf move with more than the torque's own joint? A torque that has such leaves is a channel:
 * its expression, without what depends on its own coordinate and velocity. */
static bool foreign_leaf(const cardan_model *model, const cardan_force_element *e,
                         const cardan__leaf_ref *leaf)
{
  return !is_outside(leaf) && !own_leaf(model, e, leaf);
}

static bool torque_couples(const cardan_model *model, const cardan_force_element *e)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  for (int i = 0; i < bound->nleaf; i++) {
    if (foreign_leaf(model, e, &bound->leaf[i])) {
      return true;
    }
  }
  return false;
}

static bool torque_channel(const cardan_model *model, const cardan_force_element *e, int part)
{
  return part == 0 && torque_couples(model, e);
}

static void torque_direction(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e, int part, cardan__loads *to)
{
  (void)model;
  (void)view;
  (void)part;
  cardan__load_dof(to, e->dof, 1);
}

static void torque_gradient(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e, int part, double by_q, double by_v,
                            cardan__loads *to)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[part]];
  const double *g = cardan__force_expr_gradient(model, view, e->expr[part]);
  for (int i = 0; i < bound->nleaf; i++) {
    if (foreign_leaf(model, e, &bound->leaf[i])) {
      load_leaf(model, view, &bound->leaf[i], by_q * g[i], by_v * g[i], to);
    }
  }
}

const cardan__force_kind cardan__force_torque = {.apply = torque_apply,
                                                 .slope = torque_slope,
                                                 .couples = torque_couples,
                                                 .diagonal = torque_diagonal,
                                                 .channel = torque_channel,
                                                 .direction = torque_direction,
                                                 .gradient = torque_gradient};

/* ---- wrench ---- */

static void wrench_apply(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, cardan__loads *to)
{
  const cardan_frame *frame = &model->frame[e->frame[0]];
  double x[6];
  for (int i = 0; i < 6; i++) {
    x[i] = e->expr[i] >= 0 ? cardan__expr_at(model, view, e->expr[i]) : 0.0;
  }
  cardan_force w = {.t = {x[3], x[4], x[5]}, .f = {x[0], x[1], x[2]}};
  if (e->in_world) {
    // to the frame's axes: by way of the body's
    const cardan_mat3 *R_WB = &view->X_W[frame->body].R;
    w.t = cardan__mat3_tmulv(&frame->X_BF.R, cardan__mat3_tmulv(R_WB, w.t));
    w.f = cardan__mat3_tmulv(&frame->X_BF.R, cardan__mat3_tmulv(R_WB, w.f));
  }
  cardan__load_body(to, frame->body, cardan__force_to_parent(&frame->X_BF, w));
}

static void wrench_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const cardan_frame *frame = &at->model->frame[e->frame[0]];
  double x[6] = {0.0}, dx[6] = {0.0};
  for (int i = 0; i < 6; i++) {
    if (e->expr[i] >= 0) {
      x[i] = cardan__slope_expr(at, e->expr[i], &dx[i]);
    }
  }
  cardan_force dw = {.t = {dx[3], dx[4], dx[5]}, .f = {dx[0], dx[1], dx[2]}};
  if (e->in_world) {
    // (E3) for both parts, then to the frame's axes
    const cardan_mat3 *R = &at->view->X_W[frame->body].R, *R_BF = &frame->X_BF.R;
    const cardan_vec3 w = cardan__mat3_mulv(R, at->change->X[frame->body].w);
    const cardan_vec3 t = {x[3], x[4], x[5]}, f = {x[0], x[1], x[2]};
    dw.t = cardan__vec3_sub(dw.t, cardan__vec3_cross(w, t));
    dw.f = cardan__vec3_sub(dw.f, cardan__vec3_cross(w, f));
    dw.t = cardan__mat3_tmulv(R_BF, cardan__mat3_tmulv(R, dw.t));
    dw.f = cardan__mat3_tmulv(R_BF, cardan__mat3_tmulv(R, dw.f));
  }
  cardan__load_body(at->to, frame->body, cardan__force_to_parent(&frame->X_BF, dw));
}

/* Every component that depends on the state is a channel. */
static bool wrench_channel(const cardan_model *model, const cardan_force_element *e, int part)
{
  const cardan_bound_expr *bound = e->expr[part] >= 0 ? &model->expr[e->expr[part]] : NULL;
  for (int i = 0; bound != NULL && i < bound->nleaf; i++) {
    if (!is_outside(&bound->leaf[i])) {
      return true;
    }
  }
  return false;
}

/* A unit of component `part` (fx fy fz tx ty tz). */
static void wrench_direction(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e, int part, cardan__loads *to)
{
  const cardan_frame *frame = &model->frame[e->frame[0]];
  const cardan_vec3 unit = cardan__vec3(part % 3 == 0, part % 3 == 1, part % 3 == 2);
  cardan_vec3 u = unit;
  if (e->in_world) {
    u = cardan__mat3_tmulv(&frame->X_BF.R, cardan__mat3_tmulv(&view->X_W[frame->body].R, unit));
  }
  const cardan_vec3 zero = {0, 0, 0};
  const cardan_force w = {.t = part < 3 ? zero : u, .f = part < 3 ? u : zero};
  cardan__load_body(to, frame->body, cardan__force_to_parent(&frame->X_BF, w));
}

static void wrench_gradient(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e, int part, double by_q, double by_v,
                            cardan__loads *to)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[part]];
  const double *g = cardan__force_expr_gradient(model, view, e->expr[part]);
  for (int i = 0; i < bound->nleaf; i++) {
    load_leaf(model, view, &bound->leaf[i], by_q * g[i], by_v * g[i], to);
  }
}

const cardan__force_kind cardan__force_wrench = {.apply = wrench_apply,
                                                 .slope = wrench_slope,
                                                 .channel = wrench_channel,
                                                 .direction = wrench_direction,
                                                 .gradient = wrench_gradient};

/* ---- force ----
 *
 *   f_B = F d/l = -f_A,   d = p_B - p_A,  l = |d|,  F the expression: positive pushes apart   (F1)
 * At l = 0 it has no direction: the result is not a number, and methods stop there. */

static void line_apply(const cardan_model *model, const cardan__view *view,
                       const cardan_force_element *e, cardan__loads *to)
{
  double l;
  const double F = cardan__expr_at(model, view, e->expr[0]);
  const cardan_vec3 d = cardan__force_between(model, view, e, &l);
  cardan__force_pull(model, view, e, cardan__vec3_scale(-F / l, d), to); // (F1)
}

/* -F / l d */
static void line_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const cardan__slope d = cardan__slope_between(at, e);
  double dF, dl2;
  const double F = cardan__slope_expr(at, e->expr[0], &dF);
  const double l2 = cardan__slope_dot(d, d, &dl2), l = sqrt(l2);
  cardan__slope_pull(at, e, -F / l, -dF / l + 0.5 * F * dl2 / (l2 * l), d);
}

/* One channel: the expression, along the line. */
static bool line_channel(const cardan_model *model, const cardan_force_element *e, int part)
{
  return part == 0 && wrench_channel(model, e, part);
}

static void line_direction(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, int part, cardan__loads *to)
{
  double l;
  const cardan_vec3 d = cardan__force_between(model, view, e, &l);
  (void)part;
  cardan__force_pull(model, view, e, cardan__vec3_scale(-1.0 / l, d), to);
}

const cardan__force_kind cardan__force_force = {.apply = line_apply,
                                                .slope = line_slope,
                                                .channel = line_channel,
                                                .direction = line_direction,
                                                .gradient = wrench_gradient};

/* ---- program ---- */

static void program_apply(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, cardan__loads *to)
{
  (void)e;
  if (view->program == NULL) {
    return;
  }
  const cardan_instant at = {model, view->t, view->q, view->v, view->u, view->X_W, view->V};
  memset(view->program_f, 0, (size_t)model->nbody * sizeof *view->program_f);
  memset(view->program_tau, 0, (size_t)model->nv * sizeof *view->program_tau);
  view->program->force(view->program->user, &at, view->program_f, view->program_tau);
  for (int i = 1; i < model->nbody; i++) {
    cardan__load_body(to, i, view->program_f[i]);
  }
  for (int k = 0; k < model->nv; k++) {
    cardan__load_dof(to, k, view->program_tau[k]);
  }
}

const cardan__force_kind cardan__force_program = {.apply = program_apply};

/* ---- actuator ----
 *
 *   tau = g clamp(F, lo, hi),   F = u, or of a servo  F = kp (u - g q) - kd g v             (A1)
 * u clamped to its own limit first. Where F is clamped the slopes are 0, as those of min and max
 * are. */

enum { GEAR, KP, KD, LOW, HIGH };

static bool is_servo(const cardan_force_element *e)
{
  return e->value[KP] != 0.0 || e->value[KD] != 0.0;
}

/* (A1); *clamped: does its limit hold F? */
static double actuator_force(const cardan_model *model, const cardan__view *view,
                             const cardan_force_element *e, bool *clamped)
{
  const double *value = e->value;
  double F = cardan__input_at(model, view, e->input);
  if (is_servo(e)) {
    F = value[KP] * (F - value[GEAR] * view->q[e->var]) - value[KD] * value[GEAR] * view->v[e->dof];
  }
  const bool below = value[LOW] < value[HIGH] && F < value[LOW];
  const bool above = value[LOW] < value[HIGH] && F > value[HIGH];
  *clamped = below || above;
  return value[GEAR] * (below ? value[LOW] : above ? value[HIGH] : F);
}

static void actuator_apply(const cardan_model *model, const cardan__view *view,
                           const cardan_force_element *e, cardan__loads *to)
{
  bool clamped;
  cardan__load_dof(to, e->dof, actuator_force(model, view, e, &clamped));
}

static void actuator_diagonal(const cardan_model *model, const cardan__view *view,
                              const cardan_force_element *e, double *tau_q, double *tau_v)
{
  const double g2 = e->value[GEAR] * e->value[GEAR];
  bool clamped = true;
  if (is_servo(e)) {
    actuator_force(model, view, e, &clamped);
  }
  if (!clamped) {
    tau_q[e->dof] -= g2 * e->value[KP];
    tau_v[e->dof] -= g2 * e->value[KD];
  }
}

static void actuator_slope(const cardan__slope_at *at, const cardan_force_element *e)
{
  const double g = e->value[GEAR], du = cardan__slope_input(at, e->input);
  bool clamped;
  actuator_force(at->model, at->view, e, &clamped);
  if (!clamped && is_servo(e)) {
    const double dv = at->change->v ? at->change->v[e->dof] : 0.0;
    const double dq = at->change->q[e->dof];
    const double change = e->value[KP] * (du - g * dq) - e->value[KD] * g * dv;
    cardan__load_dof(at->to, e->dof, g * change);
  } else if (!clamped) {
    cardan__load_dof(at->to, e->dof, g * du);
  }
}

static bool actuator_couples(const cardan_model *model, const cardan_force_element *e)
{
  (void)model;
  (void)e;
  return false;
}

const cardan__force_kind cardan__force_actuator = {.apply = actuator_apply,
                                                   .slope = actuator_slope,
                                                   .couples = actuator_couples,
                                                   .diagonal = actuator_diagonal};
