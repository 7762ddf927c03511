// SPDX-License-Identifier: Apache-2.0
#include "constraints/row_kind.h"

/* Rows on coordinates, and on whatever an expression reads.
 *
 *           Phi                   row           gamma     rate of the row
 *   COORD   c0 q0 + c1 q1 - k     c0, c1        0         0
 *   MOTION  q - f(t)              1             f''       0
 *   EXPR    E(q, p, t)            its gradient  -E''      g' = H x', and that of dx/dv */

/* ---- COORD, MOTION ---- */

static int dof_of(const cardan_model *model, int iq)
{
  return model->body[model->q_body[iq]].vadr;
}

/* Acceleration of a scalar coordinate that is not solved for. */
static double prescribed(const cardan__row_at *at, int iq)
{
  const cardan_body *b = &at->set->model->body[at->set->model->q_body[iq]];
  return (b->flags & CARDAN_LINK_KINEMATIC) && at->view->a_prescribed
             ? at->view->a_prescribed[b->vadr]
             : 0.0;
}

static double coord_value(const cardan__row_at *at)
{
  const cardan_row *r = at->row;
  return r->coef[0] * at->view->q[r->var[0]] + r->coef[1] * at->view->q[r->var[1]] - r->value;
}

static void coord_row(const cardan__row_at *at, const cardan__entries *to)
{
  for (int i = 0; i < 2; i++) {
    cardan__row_add_dof(at, to, dof_of(at->set->model, at->row->var[i]), at->row->coef[i]);
  }
}

static void coord_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  const cardan_row *r = at->row;
  *phi_t = 0.0;
  if (gamma) {
    *gamma = -r->coef[0] * prescribed(at, r->var[0]) - r->coef[1] * prescribed(at, r->var[1]);
  }
}

const cardan__row_kind cardan__row_kind_coord = {coord_value, coord_row, coord_rates, NULL};

static double motion_value(const cardan__row_at *at)
{
  double f[3];
  cardan__row_time_jet(at, f);
  return at->view->q[at->row->var[0]] - f[0];
}

static void motion_row(const cardan__row_at *at, const cardan__entries *to)
{
  cardan__row_add_dof(at, to, dof_of(at->set->model, at->row->var[0]), 1.0);
}

static void motion_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  double f[3];
  cardan__row_time_jet(at, f);
  *phi_t = -f[1];
  if (gamma) {
    *gamma = f[2];
  }
}

const cardan__row_kind cardan__row_kind_motion = {motion_value, motion_row, motion_rates, NULL};

/* ---- EXPR ---- */

static double expr_value(const cardan__row_at *at)
{
  return cardan__expr_at(at->set->model, at->view, at->row->expr);
}

static void expr_row(const cardan__row_at *at, const cardan__entries *to)
{
  const cardan_model *model = at->set->model;
  const cardan_bound_expr *bound = &model->expr[at->row->expr];
  double *x = at->view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, at->view, bound, x, NULL, NULL);
  cardan__expr_gradient(bound->expr, x, work, g);
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_FRAME) {
      const cardan_vec3 f = {leaf->axis == 0 ? g[i] : 0.0, leaf->axis == 1 ? g[i] : 0.0,
                             leaf->axis == 2 ? g[i] : 0.0};
      cardan__row_add_force(at, to, leaf->index, f);
    } else if (leaf->kind == CARDAN__LEAF_TURN) {
      cardan_vec3 axis, along;
      const cardan_vec3 m =
          cardan__turn_moment(&at->set->frame[leaf->index], at->view, leaf->axis, &axis, &along);
      cardan__row_add_torque(at, to, leaf->index, cardan__vec3_scale(g[i], m));
    } else if (leaf->kind == CARDAN__LEAF_Q) {
      double rate[6];
      int vadr;
      const int n = cardan__q_rate(model, at->view->q, leaf->index, &vadr, rate);
      for (int k = 0; k < n; k++) {
        cardan__row_add_dof(at, to, vadr + k, g[i] * rate[k]);
      }
    }
  }
}

static void expr_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  const cardan_model *model = at->set->model;
  const cardan_bound_expr *bound = &model->expr[at->row->expr];
  double *x = at->view->work, *x1 = x + model->max_leaf, *x2 = x1 + model->max_leaf;
  double *g = x2 + model->max_leaf, *work = x + 8 * model->max_leaf, E[3];
  *phi_t = 0.0;
  if (bound->expr->uses & CARDAN__LEAVES_T) {
    cardan__leaf_values(model, at->view, bound, x, NULL, NULL);
    cardan__expr_gradient(bound->expr, x, work, g);
    for (int i = 0; i < bound->nleaf; i++) {
      *phi_t += bound->leaf[i].kind == CARDAN__LEAF_T ? g[i] : 0.0;
    }
  }
  if (gamma) {
    cardan__leaf_values(model, at->view, bound, x, x1, x2);
    cardan__expr_jet(bound->expr, x, x1, x2, work, E);
    *gamma = -E[2];
  }
}

/* A coordinate as a leaf: its entries are g dq/dv, and dq/dv itself changes for quaternions and for
 * the position of a free joint. */
static void add_coordinate(const cardan__row_at *at, const cardan__entries *to, int iq, double g,
                           double g1)
{
  double coef[6], coef1[6];
  int vadr;
  const int n = cardan__q_rate(at->set->model, at->view->q, iq, &vadr, coef);
  cardan__q_rate_rate(at->set->model, at->view->q, at->view->v, iq, coef1);
  for (int k = 0; k < n; k++) {
    cardan__row_add_dof(at, to, vadr + k, g1 * coef[k] + g * coef1[k]);
  }
}

/* An entry of a frame's rotation: a torque g m, m = d x e, where d turns with the frame. */
static void change_turn(const cardan__row_at *at, const cardan__entries *to,
                        const cardan__leaf_ref *leaf, double g, double g1)
{
  const int body = at->set->frame[leaf->index].body;
  const cardan_vec3 w = cardan__mat3_mulv(&at->view->X_W[body].R, at->view->V[body].w);
  cardan_vec3 axis, along;
  const cardan_vec3 m =
      cardan__turn_moment(&at->set->frame[leaf->index], at->view, leaf->axis, &axis, &along);
  const cardan_vec3 m1 = cardan__vec3_cross(cardan__vec3_cross(w, axis), along);
  const cardan_vec3 rate = cardan__vec3_axpy(g1, m, cardan__vec3_scale(g, m1));
  cardan__row_change_torque(at, to, leaf->index, (cardan__rate){cardan__vec3_scale(g, m), rate});
}

static void change_leaf(const cardan__row_at *at, const cardan__entries *to,
                        const cardan__leaf_ref *leaf, double g, double g1)
{
  if (leaf->kind == CARDAN__LEAF_FRAME) {
    const cardan_vec3 e = {leaf->axis == 0, leaf->axis == 1, leaf->axis == 2};
    const cardan__rate f = {cardan__vec3_scale(g, e), cardan__vec3_scale(g1, e)};
    cardan__row_change_force(at, to, leaf->index, f);
  } else if (leaf->kind == CARDAN__LEAF_TURN) {
    change_turn(at, to, leaf, g, g1);
  } else if (leaf->kind == CARDAN__LEAF_Q) {
    add_coordinate(at, to, leaf->index, g, g1);
  }
}

static void expr_change(const cardan__row_at *at, const cardan__entries *to)
{
  cardan__row_change_leaves(at, to, change_leaf);
}

const cardan__row_kind cardan__row_kind_expr = {expr_value, expr_row, expr_rates, expr_change};
