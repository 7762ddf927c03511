// SPDX-License-Identifier: Apache-2.0
#include "expr/expr.h"
#include "forces/forces.h"

/* How forces change when the state does: the directional derivative of every element.
 *
 * A body moves by the twist z (body coordinates), its twist's components V change by dV. Then for a
 * point fixed in it at r, with R = R_WB and u = V.v + V.w x r its velocity in body axes,
 *   dp = R (z.v + z.w x r)                                                              (E1)
 *   d(velocity) = R (z.w x u + dV.v + dV.w x r)                                         (E2)
 * and a world force f at the point, R^T f in body axes, changes there by
 *   d(R^T f) = R^T (df - w x f),   w = R z.w                                            (E3)
 * so that the change of a load is a load of its own. The elements' forces are those of elastic.c,
 * passive.c, applied.c and coulomb.c; here stands the product rule of each. */

typedef struct {
  const cardan_model *model;
  const cardan__view *view;
  const cardan__change *change;
  cardan__loads *to;
} context;

/* A world vector and its change. */
typedef struct {
  cardan_vec3 x, dx;
} slope;

/* Origin of a frame: (E1). */
static slope point_of(const context *c, int frame)
{
  const cardan_frame *f = &c->model->frame[frame];
  const cardan_motion z = c->change->X[f->body];
  const cardan_mat3 *R = &c->view->X_W[f->body].R;
  slope p;
  cardan__frame_point(f, c->view, &p.x, NULL, NULL);
  p.dx = cardan__mat3_mulv(R, cardan__vec3_add(z.v, cardan__vec3_cross(z.w, f->X_BF.p)));
  return p;
}

/* Velocity of a frame's origin: (E2). */
static slope velocity_of(const context *c, int frame)
{
  const cardan_frame *f = &c->model->frame[frame];
  const cardan_vec3 r = f->X_BF.p;
  const cardan_motion z = c->change->X[f->body], V = c->view->V[f->body];
  const cardan_mat3 *R = &c->view->X_W[f->body].R;
  const cardan_vec3 u = cardan__vec3_add(V.v, cardan__vec3_cross(V.w, r));
  cardan_vec3 du = cardan__vec3_cross(z.w, u);
  if (c->change->V) {
    const cardan_motion dV = c->change->V[f->body];
    du = cardan__vec3_add(du, cardan__vec3_add(dV.v, cardan__vec3_cross(dV.w, r)));
  }
  return (slope){cardan__mat3_mulv(R, u), cardan__mat3_mulv(R, du)};
}

static slope slope_sub(slope a, slope b)
{
  return (slope){cardan__vec3_sub(a.x, b.x), cardan__vec3_sub(a.dx, b.dx)};
}

/* x . y and its change. */
static double slope_dot(slope a, slope b, double *change)
{
  *change = cardan__vec3_dot(a.dx, b.x) + cardan__vec3_dot(a.x, b.dx);
  return cardan__vec3_dot(a.x, b.x);
}

/* (E3): a force k d with change dk at a frame's origin, times sign. */
static void load_force(const context *c, int frame, double k, double dk, slope d)
{
  const int body = c->model->frame[frame].body;
  const cardan_vec3 f = cardan__vec3_scale(k, d.x);
  const cardan_vec3 df = cardan__vec3_axpy(dk, d.x, cardan__vec3_scale(k, d.dx));
  const cardan_vec3 w = cardan__mat3_mulv(&c->view->X_W[body].R, c->change->X[body].w);
  const cardan_vec3 seen = cardan__vec3_sub(df, cardan__vec3_cross(w, f));
  cardan__load_point(c->model, c->view, c->to, frame, seen);
}

/* A pull k d on frame A, its opposite on B. */
static void load_pull(const context *c, const cardan_force_element *e, double k, double dk, slope d)
{
  load_force(c, e->frame[0], k, dk, d);
  load_force(c, e->frame[1], -k, -dk, d);
}

static slope between(const context *c, const cardan_force_element *e)
{
  return slope_sub(point_of(c, e->frame[1]), point_of(c, e->frame[0]));
}

/* k (1 - x0 / l) d */
static void spring_slope(const context *c, const cardan_force_element *e)
{
  const double k = e->value[0], x0 = e->value[1];
  const slope d = between(c, e);
  double dl2;
  const double l2 = slope_dot(d, d, &dl2), l = sqrt(l2);
  if (x0 == 0.0) {
    load_pull(c, e, k, 0.0, d);
  } else if (l > 0.0) {
    load_pull(c, e, k * (1.0 - x0 / l), 0.5 * k * x0 * dl2 / (l2 * l), d);
  }
}

/* G m m / l^3 d */
static void newton_slope(const context *c, const cardan_force_element *e)
{
  const slope d = between(c, e);
  double dl2;
  const double l2 = slope_dot(d, d, &dl2);
  const double k = e->value[0] * e->value[1] * e->value[2] / (l2 * sqrt(l2));
  load_pull(c, e, k, -1.5 * k * dl2 / l2, d);
}

/* c (d . d') / l^2 d */
static void damper_slope(const context *c, const cardan_force_element *e)
{
  const slope d = between(c, e);
  const slope u = slope_sub(velocity_of(c, e->frame[1]), velocity_of(c, e->frame[0]));
  double dl2, drate;
  const double l2 = slope_dot(d, d, &dl2), rate = slope_dot(d, u, &drate);
  if (l2 > 0.0) {
    const double k = e->value[0] * rate / l2;
    load_pull(c, e, k, e->value[0] * drate / l2 - k * dl2 / l2, d);
  }
}

static void damping_slope(const context *c, const cardan_force_element *e)
{
  int first = 0, n = c->model->nv;
  if (!c->change->v) {
    return;
  }
  if (e->dof >= 0) {
    first = e->dof;
    n = 1;
  } else if (e->joint >= 0) {
    first = c->model->joint[e->joint].vadr;
    n = c->model->joint[e->joint].nv;
  }
  for (int k = first; k < first + n; k++) {
    cardan__load_dof(c->to, k, -e->value[0] * c->change->v[k]);
  }
}

/* Change of coordinate iq. */
static double q_change(const context *c, int iq)
{
  double coef[6], sum = 0.0;
  int k0;
  const int n = cardan__q_rate(c->model, c->view->q, iq, &k0, coef);
  for (int k = 0; k < n; k++) {
    sum += coef[k] * c->change->q[k0 + k];
  }
  return sum;
}

/* The force -g on coordinate iq, with change dg: on the velocities that move it. */
static void load_q(const context *c, int iq, double g, double dg)
{
  double coef[6], dcoef[6];
  int k0;
  const int n = cardan__q_rate(c->model, c->view->q, iq, &k0, coef);
  cardan__q_rate_rate(c->model, c->view->q, c->change->q, iq, dcoef);
  for (int k = 0; k < n; k++) {
    cardan__load_dof(c->to, k0 + k, -dg * coef[k] - g * dcoef[k]);
  }
}

static void joint_spring_slope(const context *c, const cardan_force_element *e)
{
  const double k = e->value[0];
  load_q(c, e->var, k * (c->view->q[e->var] - e->value[1]), k * q_change(c, e->var));
}

/* Changes of an expression's leaves, dx: nleaf, out. */
static void leaf_changes(const context *c, const cardan_bound_expr *bound, double *dx)
{
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    switch (leaf->kind) {
    case CARDAN__LEAF_T:
      dx[i] = c->change->t;
      break;
    case CARDAN__LEAF_Q:
      dx[i] = q_change(c, leaf->index);
      break;
    case CARDAN__LEAF_V:
      dx[i] = c->change->v ? c->change->v[leaf->index] : 0.0;
      break;
    case CARDAN__LEAF_FRAME: {
      const cardan_vec3 dp = point_of(c, leaf->index).dx;
      dx[i] = leaf->axis == 0 ? dp.x : leaf->axis == 1 ? dp.y : dp.z;
      break;
    }
    }
  }
}

static void potential_slope(const context *c, const cardan_force_element *e)
{
  const cardan_bound_expr *bound = &c->model->expr[e->expr[0]];
  const int n = c->model->max_leaf;
  double *x = c->view->work, *dx = x + n, *g = dx + n, *dg = g + n, *work = x + 8 * n;
  cardan__leaf_values(c->model, c->view, bound, x, NULL, NULL);
  leaf_changes(c, bound, dx);
  cardan__expr_hessian_times(bound->expr, x, dx, work, g, dg);
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_FRAME) {
      const int axis = leaf->axis;
      const slope unit = {cardan__vec3(axis == 0, axis == 1, axis == 2), {0.0, 0.0, 0.0}};
      load_force(c, leaf->index, -g[i], -dg[i], unit);
    } else {
      load_q(c, leaf->index, g[i], dg[i]);
    }
  }
}

/* An expression's value and its change. */
static double expr_slope(const context *c, int index, double *change)
{
  const cardan_bound_expr *bound = &c->model->expr[index];
  const int n = c->model->max_leaf;
  double *x = c->view->work, *dx = x + n, *g = dx + n, *work = x + 8 * n;
  cardan__leaf_values(c->model, c->view, bound, x, NULL, NULL);
  leaf_changes(c, bound, dx);
  const double value = cardan__expr_gradient(bound->expr, x, work, g);
  *change = 0.0;
  for (int i = 0; i < bound->nleaf; i++) {
    *change += g[i] * dx[i];
  }
  return value;
}

static void torque_slope(const context *c, const cardan_force_element *e)
{
  double change;
  expr_slope(c, e->expr[0], &change);
  cardan__load_dof(c->to, e->dof, change);
}

static void wrench_slope(const context *c, const cardan_force_element *e)
{
  const cardan_frame *frame = &c->model->frame[e->frame[0]];
  double x[6] = {0.0}, dx[6] = {0.0};
  for (int i = 0; i < 6; i++) {
    if (e->expr[i] >= 0) {
      x[i] = expr_slope(c, e->expr[i], &dx[i]);
    }
  }
  cardan_force dw = {.t = {dx[3], dx[4], dx[5]}, .f = {dx[0], dx[1], dx[2]}};
  if (e->in_world) {
    // (E3) for both parts, then to the frame's axes
    const cardan_mat3 *R = &c->view->X_W[frame->body].R, *R_BF = &frame->X_BF.R;
    const cardan_vec3 w = cardan__mat3_mulv(R, c->change->X[frame->body].w);
    const cardan_vec3 t = {x[3], x[4], x[5]}, f = {x[0], x[1], x[2]};
    dw.t = cardan__vec3_sub(dw.t, cardan__vec3_cross(w, t));
    dw.f = cardan__vec3_sub(dw.f, cardan__vec3_cross(w, f));
    dw.t = cardan__mat3_tmulv(R_BF, cardan__mat3_tmulv(R, dw.t));
    dw.f = cardan__mat3_tmulv(R_BF, cardan__mat3_tmulv(R, dw.f));
  }
  cardan__load_body(c->to, frame->body, cardan__force_to_parent(&frame->X_BF, dw));
}

static void (*const slopes[])(const context *c, const cardan_force_element *e) = {
    [CARDAN_ELEMENT_SPRING] = spring_slope,
    [CARDAN_ELEMENT_JOINT_SPRING] = joint_spring_slope,
    [CARDAN_ELEMENT_POTENTIAL] = potential_slope,
    [CARDAN_ELEMENT_NEWTON_GRAVITY] = newton_slope,
    [CARDAN_ELEMENT_DAMPING] = damping_slope,
    [CARDAN_ELEMENT_DAMPER] = damper_slope,
    [CARDAN_ELEMENT_TORQUE] = torque_slope,
    [CARDAN_ELEMENT_WRENCH] = wrench_slope,
    [CARDAN_ELEMENT_FRICTION] = NULL,
};

void cardan__forces_add_slope(const cardan_model *model, const cardan__view *view,
                              const cardan__change *change, int without, cardan__loads *to)
{
  const context c = {model, view, change, to};
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (!(e->flags & without) && slopes[e->kind]) {
      slopes[e->kind](&c, e);
    }
  }
}

void cardan__forces_add_potential_slope(const cardan_model *model, const cardan__view *view,
                                        const cardan__change *change, cardan__loads *to)
{
  const context c = {model, view, change, to};
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->flags & CARDAN_FORCE_POTENTIAL) {
      slopes[e->kind](&c, e);
    }
  }
}

/* ---- what a joint's own coordinate and velocity do ---- */

/* Is this coordinate that of the joint with velocity dof, and its only one? */
static bool is_own(const cardan_model *model, int iq, int dof)
{
  const cardan_body *b = &model->body[model->q_body[iq]];
  return b->nv == 1 && b->vadr == dof;
}

static bool torque_couples(const cardan_model *model, const cardan_force_element *e)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  bool couples = false;
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    couples = couples || leaf->kind == CARDAN__LEAF_FRAME ||
              (leaf->kind == CARDAN__LEAF_Q && !is_own(model, leaf->index, e->dof)) ||
              (leaf->kind == CARDAN__LEAF_V && leaf->index != e->dof);
  }
  return couples;
}

static bool potential_couples(const cardan_model *model, const cardan_force_element *e)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  return bound->nleaf > 1 ||
         (bound->nleaf == 1 && (bound->leaf[0].kind == CARDAN__LEAF_FRAME ||
                                model->body[model->q_body[bound->leaf[0].index]].nv > 1));
}

bool cardan__forces_couple(const cardan_model *model)
{
  bool couple = false;
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    switch (e->kind) {
    case CARDAN_ELEMENT_DAMPING:
      break;
    case CARDAN_ELEMENT_JOINT_SPRING:
      couple = couple || model->body[model->q_body[e->var]].nv > 1;
      break;
    case CARDAN_ELEMENT_TORQUE:
      couple = couple || torque_couples(model, e);
      break;
    case CARDAN_ELEMENT_POTENTIAL:
      couple = couple || potential_couples(model, e);
      break;
    default:
      couple = true;
      break;
    }
  }
  return couple;
}

static void torque_diagonal(const cardan_model *model, const cardan__view *view,
                            const cardan_force_element *e, double *tau_q, double *tau_v)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  double *x = view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, view, bound, x, NULL, NULL);
  cardan__expr_gradient(bound->expr, x, work, g);
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_V && leaf->index == e->dof) {
      tau_v[e->dof] += g[i];
    } else if (leaf->kind == CARDAN__LEAF_Q && is_own(model, leaf->index, e->dof)) {
      tau_q[e->dof] += g[i];
    }
  }
}

/* The Hessian's diagonal in coordinates of joints with one velocity. */
static void potential_diagonal(const cardan_model *model, const cardan__view *view,
                               const cardan_force_element *e, double *tau_q)
{
  const cardan_bound_expr *bound = &model->expr[e->expr[0]];
  const int n = model->max_leaf;
  double *x = view->work, *dx = x + n, *g = dx + n, *dg = g + n, *work = x + 8 * n;
  cardan__leaf_values(model, view, bound, x, NULL, NULL);
  for (int i = 0; i < bound->nleaf; i++) {
    dx[i] = 0.0;
  }
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_Q && model->body[model->q_body[leaf->index]].nv == 1) {
      dx[i] = 1.0;
      cardan__expr_hessian_times(bound->expr, x, dx, work, g, dg);
      dx[i] = 0.0;
      tau_q[model->body[model->q_body[leaf->index]].vadr] -= dg[i];
    }
  }
}

void cardan__forces_diagonal(const cardan_model *model, const cardan__view *view, double *tau_q,
                             double *tau_v)
{
  for (int k = 0; k < model->nv; k++) {
    tau_q[k] = tau_v[k] = 0.0;
  }
  for (int i = 0; i < model->nforce; i++) {
    const cardan_force_element *e = &model->force[i];
    if (e->kind == CARDAN_ELEMENT_DAMPING) {
      const int first = e->dof >= 0 ? e->dof : e->joint >= 0 ? model->joint[e->joint].vadr : 0;
      const int n = e->dof >= 0 ? 1 : e->joint >= 0 ? model->joint[e->joint].nv : model->nv;
      for (int k = first; k < first + n; k++) {
        tau_v[k] -= e->value[0];
      }
    } else if (e->kind == CARDAN_ELEMENT_JOINT_SPRING &&
               model->body[model->q_body[e->var]].nv == 1) {
      tau_q[model->body[model->q_body[e->var]].vadr] -= e->value[0];
    } else if (e->kind == CARDAN_ELEMENT_TORQUE) {
      torque_diagonal(model, view, e, tau_q, tau_v);
    } else if (e->kind == CARDAN_ELEMENT_POTENTIAL) {
      potential_diagonal(model, view, e, tau_q);
    }
  }
}
