// SPDX-License-Identifier: Apache-2.0
#include "forces/channels.h"

#include "expr/expr.h"

/* ---- on a joint's own velocity ---- */

/* Is leaf i of a torque's expression the torque's own coordinate or velocity? */
static bool own_leaf(const cardan_model *model, const cardan_force_element *e,
                     const cardan__leaf_ref *leaf)
{
  const cardan_body *b = &model->body[model->v_body[e->dof]];
  return (leaf->kind == CARDAN__LEAF_V && leaf->index == e->dof) ||
         (leaf->kind == CARDAN__LEAF_Q && b->nv == 1 && leaf->index == b->qadr);
}

/* Gradient of an expression, in the view's work: valid until the next one. */
static const double *gradient(const cardan_model *model, const cardan__view *view, int index)
{
  const cardan_bound_expr *bound = &model->expr[index];
  double *x = view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, view, bound, x, NULL, NULL);
  cardan__expr_gradient(bound->expr, x, work, g);
  return g;
}

static void torque_slopes(const cardan_model *model, const cardan__view *view,
                          const cardan_force_element *e, double *slope_q, double *slope_v)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  const double *g = gradient(model, view, e->expr[0]);
  for (int i = 0; i < bound->nleaf; i++) {
    if (own_leaf(model, e, &bound->leaf[i])) {
      *(bound->leaf[i].kind == CARDAN__LEAF_V ? &slope_v[e->dof] : &slope_q[e->dof]) += g[i];
    }
  }
}

static void damping_slopes(const cardan_model *model, const cardan_force_element *e,
                           double *slope_v)
{
  int first = 0, n = model->nv;
  if (e->dof >= 0) {
    first = e->dof;
    n = 1;
  } else if (e->joint >= 0) {
    first = model->joint[e->joint].vadr;
    n = model->joint[e->joint].nv;
  }
  for (int k = first; k < first + n; k++) {
    slope_v[k] -= e->value[0];
  }
}

void cardan__forces_slopes(const cardan_model *model, const cardan__view *view, double *slope_q,
                           double *slope_v)
{
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->kind == CARDAN_ELEMENT_DAMPING) {
      damping_slopes(model, e, slope_v);
    } else if (e->kind == CARDAN_ELEMENT_TORQUE) {
      torque_slopes(model, view, e, slope_q, slope_v);
    }
  }
}

/* ---- channels ---- */

/* The expression of part c, -1 when it has none. */
static int part_expr(const cardan_force_element *e, int part)
{
  const bool has =
      (e->kind == CARDAN_ELEMENT_WRENCH) || (e->kind == CARDAN_ELEMENT_TORQUE && part == 0);
  return has ? e->expr[part] : -1;
}

bool cardan__force_channel(const cardan_model *model, int c)
{
  const cardan_force_element *e = &model->force[c / CARDAN__FORCE_PARTS];
  const int part = c % CARDAN__FORCE_PARTS, expr = part_expr(e, part);
  if (e->kind == CARDAN_ELEMENT_DAMPER) {
    return part == 0;
  }
  for (int i = 0; expr >= 0 && i < model->expr[expr].nleaf; i++) {
    const cardan__leaf_ref *leaf = &model->expr[expr].leaf[i];
    if (leaf->kind != CARDAN__LEAF_T &&
        !(e->kind == CARDAN_ELEMENT_TORQUE && own_leaf(model, e, leaf))) {
      return true;
    }
  }
  return false;
}

/* A damper's channel: its pull, along the unit vector from A to B; false without a direction. */
static bool damper_axis(const cardan_model *model, const cardan__view *view,
                        const cardan_force_element *e, cardan_vec3 *n)
{
  cardan_vec3 pA, pB;
  cardan__frame_point(&model->frame[e->frame[0]], view, &pA, NULL, NULL);
  cardan__frame_point(&model->frame[e->frame[1]], view, &pB, NULL, NULL);
  const cardan_vec3 d = cardan__vec3_sub(pB, pA);
  const double l = cardan__vec3_norm(d);
  *n = cardan__vec3_scale(l > 0 ? 1 / l : 0, d);
  return l > 0;
}

static void load_between(const cardan_model *model, const cardan__view *view,
                         const cardan_force_element *e, cardan_vec3 f, cardan__loads *to)
{
  cardan__load_point(model, view, to, e->frame[0], f);
  cardan__load_point(model, view, to, e->frame[1], cardan__vec3_neg(f));
}

/* A unit of component `part` (fx fy fz tx ty tz) of a wrench. */
static void unit_wrench(const cardan_model *model, const cardan__view *view,
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

void cardan__force_direction(const cardan_model *model, const cardan__view *view, int c,
                             cardan__loads *to)
{
  const cardan_force_element *e = &model->force[c / CARDAN__FORCE_PARTS];
  cardan_vec3 n;
  if (e->kind == CARDAN_ELEMENT_DAMPER) {
    if (damper_axis(model, view, e, &n)) {
      load_between(model, view, e, n, to);
    }
  } else if (e->kind == CARDAN_ELEMENT_TORQUE) {
    cardan__load_dof(to, e->dof, 1);
  } else {
    unit_wrench(model, view, e, c % CARDAN__FORCE_PARTS, to);
  }
}

/* One leaf's part of a gradient. */
static void load_leaf(const cardan_model *model, const cardan__view *view,
                      const cardan__leaf_ref *leaf, double by_q, double by_v, cardan__loads *to)
{
  if (leaf->kind == CARDAN__LEAF_V) {
    cardan__load_dof(to, leaf->index, by_v);
  } else if (leaf->kind == CARDAN__LEAF_FRAME) {
    const cardan_vec3 axis = cardan__vec3(leaf->axis == 0, leaf->axis == 1, leaf->axis == 2);
    cardan__load_point(model, view, to, leaf->index, cardan__vec3_scale(by_q, axis));
  } else if (leaf->kind == CARDAN__LEAF_Q) {
    double coef[6];
    int k0;
    const int n = cardan__q_rate(model, view->q, leaf->index, &k0, coef);
    for (int k = 0; k < n; k++) {
      cardan__load_dof(to, k0 + k, by_q * coef[k]);
    }
  }
}

void cardan__force_gradient(const cardan_model *model, const cardan__view *view, int c, double by_q,
                            double by_v, cardan__loads *to)
{
  const cardan_force_element *e = &model->force[c / CARDAN__FORCE_PARTS];
  cardan_vec3 n;
  if (e->kind == CARDAN_ELEMENT_DAMPER) {
    // pull = c l', l' = n . (v_B - v_A)
    if (damper_axis(model, view, e, &n)) {
      load_between(model, view, e, cardan__vec3_scale(-by_v * e->value[0], n), to);
    }
    return;
  }
  const int expr = part_expr(e, c % CARDAN__FORCE_PARTS);
  const cardan_bound_expr *bound = &model->expr[expr];
  const double *g = gradient(model, view, expr);
  for (int i = 0; i < bound->nleaf; i++) {
    if (!(e->kind == CARDAN_ELEMENT_TORQUE && own_leaf(model, e, &bound->leaf[i]))) {
      load_leaf(model, view, &bound->leaf[i], by_q * g[i], by_v * g[i], to);
    }
  }
}
