// SPDX-License-Identifier: Apache-2.0
#include "expr/expr.h"
#include "forces/kind.h"

/* How forces change when the state does: the directional derivative of every element.
 *
 * A body moves by the twist z (body coordinates), its twist's components V change by dV. Then for a
 * point fixed in it at r, with R = R_WB and u = V.v + V.w x r its velocity in body axes,
 *   dp = R (z.v + z.w x r)                                                              (E1)
 *   d(velocity) = R (z.w x u + dV.v + dV.w x r)                                         (E2)
 * and a world force f at the point, R^T f in body axes, changes there by
 *   d(R^T f) = R^T (df - w x f),   w = R z.w                                            (E3)
 * so that the change of a load is a load of its own. The product rule of each kind is beside
 * its force, in elastic.c, passive.c, applied.c and coulomb.c; here is what they share. */

cardan_vec3 cardan__force_between(const cardan_model *model, const cardan__view *view,
                                  const cardan_force_element *e, double *length)
{
  cardan_vec3 pA, pB;
  cardan__frame_point(&model->frame[e->frame[0]], view, &pA, NULL, NULL);
  cardan__frame_point(&model->frame[e->frame[1]], view, &pB, NULL, NULL);
  const cardan_vec3 d = cardan__vec3_sub(pB, pA);
  *length = cardan__vec3_norm(d);
  return d;
}

void cardan__force_pull(const cardan_model *model, const cardan__view *view,
                        const cardan_force_element *e, cardan_vec3 f, cardan__loads *to)
{
  cardan__load_point(model, view, to, e->frame[0], f);
  cardan__load_point(model, view, to, e->frame[1], cardan__vec3_neg(f));
}

/* (E1) */
cardan__slope cardan__slope_point(const cardan__slope_at *at, int frame)
{
  const cardan_frame *f = &at->model->frame[frame];
  const cardan_twist z = at->change->X[f->body];
  const cardan_mat3 *R = &at->view->X_W[f->body].R;
  cardan__slope p;
  cardan__frame_point(f, at->view, &p.x, NULL, NULL);
  p.dx = cardan__mat3_mulv(R, cardan__vec3_add(z.v, cardan__vec3_cross(z.w, f->X_BF.p)));
  return p;
}

/* A direction fixed in a frame's body, x in world axes: it turns with the body. */
static cardan__slope fixed_in(const cardan__slope_at *at, int frame, cardan_vec3 x)
{
  const int body = at->model->frame[frame].body;
  const cardan_vec3 w = cardan__mat3_mulv(&at->view->X_W[body].R, at->change->X[body].w);
  return (cardan__slope){x, cardan__vec3_cross(w, x)};
}

cardan__slope cardan__slope_direction(const cardan__slope_at *at, int frame, cardan_vec3 u)
{
  cardan_vec3 x;
  cardan__frame_axis(&at->model->frame[frame], at->view, u, &x, NULL, NULL);
  return fixed_in(at, frame, x);
}

/* (E2) */
cardan__slope cardan__slope_velocity(const cardan__slope_at *at, int frame)
{
  const cardan_frame *f = &at->model->frame[frame];
  const cardan_vec3 r = f->X_BF.p;
  const cardan_twist z = at->change->X[f->body], V = at->view->V[f->body];
  const cardan_mat3 *R = &at->view->X_W[f->body].R;
  const cardan_vec3 u = cardan__vec3_add(V.v, cardan__vec3_cross(V.w, r));
  cardan_vec3 du = cardan__vec3_cross(z.w, u);
  if (at->change->V) {
    const cardan_twist dV = at->change->V[f->body];
    du = cardan__vec3_add(du, cardan__vec3_add(dV.v, cardan__vec3_cross(dV.w, r)));
  }
  return (cardan__slope){cardan__mat3_mulv(R, u), cardan__mat3_mulv(R, du)};
}

/* Angular velocity of a frame, R V.w: its change is R (z.w x V.w + dV.w). */
cardan__slope cardan__slope_turning(const cardan__slope_at *at, int frame)
{
  const int body = at->model->frame[frame].body;
  const cardan_mat3 *R = &at->view->X_W[body].R;
  const cardan_vec3 w = at->view->V[body].w;
  cardan_vec3 dw = cardan__vec3_cross(at->change->X[body].w, w);
  if (at->change->V) {
    dw = cardan__vec3_add(dw, at->change->V[body].w);
  }
  return (cardan__slope){cardan__mat3_mulv(R, w), cardan__mat3_mulv(R, dw)};
}

static cardan__slope slope_sub(cardan__slope a, cardan__slope b)
{
  return (cardan__slope){cardan__vec3_sub(a.x, b.x), cardan__vec3_sub(a.dx, b.dx)};
}

cardan__slope cardan__slope_between(const cardan__slope_at *at, const cardan_force_element *e)
{
  return slope_sub(cardan__slope_point(at, e->frame[1]), cardan__slope_point(at, e->frame[0]));
}

cardan__slope cardan__slope_rate(const cardan__slope_at *at, const cardan_force_element *e)
{
  return slope_sub(cardan__slope_velocity(at, e->frame[1]),
                   cardan__slope_velocity(at, e->frame[0]));
}

/* (E3) of k d at a frame, a force or a torque. */
static cardan_vec3 seen(const cardan__slope_at *at, int frame, double k, double dk, cardan__slope d)
{
  const int body = at->model->frame[frame].body;
  const cardan_vec3 f = cardan__vec3_scale(k, d.x);
  const cardan_vec3 df = cardan__vec3_axpy(dk, d.x, cardan__vec3_scale(k, d.dx));
  const cardan_vec3 w = cardan__mat3_mulv(&at->view->X_W[body].R, at->change->X[body].w);
  return cardan__vec3_sub(df, cardan__vec3_cross(w, f));
}

void cardan__slope_force(const cardan__slope_at *at, int frame, double k, double dk,
                         cardan__slope d)
{
  cardan__load_point(at->model, at->view, at->to, frame, seen(at, frame, k, dk, d));
}

void cardan__slope_torque(const cardan__slope_at *at, int frame, double k, double dk,
                          cardan__slope d)
{
  cardan__load_torque(at->model, at->view, at->to, frame, seen(at, frame, k, dk, d));
}

void cardan__slope_pull(const cardan__slope_at *at, const cardan_force_element *e, double k,
                        double dk, cardan__slope d)
{
  cardan__slope_force(at, e->frame[0], k, dk, d);
  cardan__slope_force(at, e->frame[1], -k, -dk, d);
}

double cardan__slope_coordinate(const cardan__slope_at *at, int iq)
{
  double coef[6], sum = 0.0;
  int k0;
  const int n = cardan__q_rate(at->model, at->view->q, iq, &k0, coef);
  for (int k = 0; k < n; k++) {
    sum += coef[k] * at->change->q[k0 + k];
  }
  return sum;
}

void cardan__slope_load_q(const cardan__slope_at *at, int iq, double g, double dg)
{
  double coef[6], dcoef[6];
  int k0;
  const int n = cardan__q_rate(at->model, at->view->q, iq, &k0, coef);
  cardan__q_rate_rate(at->model, at->view->q, at->change->q, iq, dcoef);
  for (int k = 0; k < n; k++) {
    cardan__load_dof(at->to, k0 + k, -dg * coef[k] - g * dcoef[k]);
  }
}

double cardan__slope_input(const cardan__slope_at *at, int input)
{
  if (input >= at->model->ninput + at->model->nz) { // a half turn
    return 0.0;
  }
  const double u = at->view->u[input];
  const bool free = cardan__input_at(at->model, at->view, input) == u; // else its limit holds it
  return at->change->u && free ? at->change->u[input] : 0.0;
}

static double vec3_part(cardan_vec3 a, int k)
{
  return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

void cardan__slope_leaves(const cardan__slope_at *at, const cardan_bound_expr *bound, double *dx)
{
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    switch (leaf->kind) {
    case CARDAN__LEAF_T:
      dx[i] = at->change->t;
      break;
    case CARDAN__LEAF_U:
      dx[i] = cardan__slope_input(at, leaf->index);
      break;
    case CARDAN__LEAF_Q:
      dx[i] = cardan__slope_coordinate(at, leaf->index);
      break;
    case CARDAN__LEAF_V:
      dx[i] = at->change->v ? at->change->v[leaf->index] : 0.0;
      break;
    case CARDAN__LEAF_FRAME:
      dx[i] = vec3_part(cardan__slope_point(at, leaf->index).dx, leaf->axis);
      break;
    case CARDAN__LEAF_TWIST:
      dx[i] = vec3_part((leaf->axis < 3 ? cardan__slope_velocity(at, leaf->index)
                                        : cardan__slope_turning(at, leaf->index))
                            .dx,
                        leaf->axis % 3);
      break;
    case CARDAN__LEAF_TURN: {
      cardan_vec3 axis, along;
      cardan__turn_moment(&at->model->frame[leaf->index], at->view, leaf->axis, &axis, &along);
      dx[i] = cardan__vec3_dot(fixed_in(at, leaf->index, axis).dx, along);
      break;
    }
    case CARDAN__LEAF_Z: // a U by now
    case CARDAN__LEAF_PARAMETER:
    case CARDAN__LEAF_SENSE: // only outputs have it
      dx[i] = 0.0;
      break;
    }
  }
}

double cardan__slope_expr(const cardan__slope_at *at, int index, double *change)
{
  const cardan_bound_expr *bound = &at->model->expr[index];
  const int n = at->model->max_leaf;
  double *x = at->view->work, *dx = x + n, *g = dx + n, *work = x + 8 * n;
  cardan__leaf_values(at->model, at->view, bound, x, NULL, NULL);
  cardan__slope_leaves(at, bound, dx);
  const double value = cardan__expr_gradient(bound->expr, x, work, g);
  *change = 0.0;
  for (int i = 0; i < bound->nleaf; i++) {
    *change += g[i] * dx[i];
  }
  if (at->change->parameter != NULL) {
    *change = cardan__expr_change(bound->expr, x, dx, at->change->parameter, work, g, g + n);
  }
  return value;
}

void cardan__force_leaf(const cardan_model *model, const cardan__view *view,
                        const cardan__leaf_ref *leaf, double g, cardan__loads *to)
{
  cardan_vec3 axis, along;
  if (leaf->kind == CARDAN__LEAF_FRAME) {
    along = cardan__vec3(leaf->axis == 0, leaf->axis == 1, leaf->axis == 2);
    cardan__load_point(model, view, to, leaf->index, cardan__vec3_scale(g, along));
  } else if (leaf->kind == CARDAN__LEAF_TURN) {
    const cardan_vec3 m =
        cardan__turn_moment(&model->frame[leaf->index], view, leaf->axis, &axis, &along);
    cardan__load_torque(model, view, to, leaf->index, cardan__vec3_scale(g, m));
  } else if (leaf->kind == CARDAN__LEAF_Q) {
    double coef[6];
    int k0;
    const int n = cardan__q_rate(model, view->q, leaf->index, &k0, coef);
    for (int k = 0; k < n; k++) {
      cardan__load_dof(to, k0 + k, g * coef[k]);
    }
  }
}

void cardan__slope_leaf(const cardan__slope_at *at, const cardan__leaf_ref *leaf, double g,
                        double dg)
{
  cardan_vec3 axis, along;
  if (leaf->kind == CARDAN__LEAF_FRAME) {
    along = cardan__vec3(leaf->axis == 0, leaf->axis == 1, leaf->axis == 2);
    cardan__slope_force(at, leaf->index, g, dg, (cardan__slope){along, {0.0, 0.0, 0.0}});
  } else if (leaf->kind == CARDAN__LEAF_TURN) {
    // the moment d x e changes as d does
    cardan__slope m;
    m.x = cardan__turn_moment(&at->model->frame[leaf->index], at->view, leaf->axis, &axis, &along);
    m.dx = cardan__vec3_cross(fixed_in(at, leaf->index, axis).dx, along);
    cardan__slope_torque(at, leaf->index, g, dg, m);
  } else if (leaf->kind == CARDAN__LEAF_Q) {
    cardan__slope_load_q(at, leaf->index, -g, -dg);
  }
}

const double *cardan__force_expr_gradient(const cardan_model *model, const cardan__view *view,
                                          int index)
{
  const cardan_bound_expr *bound = &model->expr[index];
  double *x = view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, view, bound, x, NULL, NULL);
  cardan__expr_gradient(bound->expr, x, work, g);
  return g;
}
