// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "constraints/rows.h"
#include "expr/expr.h"
#include "model/build.h"
#include "spatial/spatial.h"

/* How the rows themselves change along the motion: d/dt of every entry of J.
 *
 * An entry is a force f at a point fixed in a body, or a torque t on it, in the body's coordinates.
 * With f and its rate f' in world axes and w the body's angular velocity,
 *   d/dt (R^T f) = R^T (f' - w x f)                                                      (E1)
 * so the rate of an entry is the entry of another force, f' - w x f, at the same point. The forces
 * and torques are those of the table in rows.c, their rates by the product rule:
 *
 *           force and rate                            torque and rate
 *   POINT   n at A, -n at B; n'                       n x e on n's frame; n' x e + n x e'
 *   DOT                                               u x w on A, -u x w on B; u' x w + u x w'
 *   OFFSET  u at B, -u at A; u'                       u x d on A; u' x d + u x d'
 *   WIRE    d/L at B, -d/L at A; d'/L - d L'/L^2
 *   SCREW   as OFFSET                                 -h/R (n x g), n = C e2 - S e1; see there
 *   EXPR    gradient g; g' = H x'                     (and g dx/dv of a quaternion, see there)
 * COORD and MOTION are constant. */

typedef struct {
  const cardan__rowset *set;
  const cardan__view *view;
  const cardan_row *row;
  cardan_force *w; // out: the row's entries for bodies
  double *c;       // and for velocities
} context;

/* A world vector and its rate. */
typedef struct {
  cardan_vec3 x, dx;
} rate;

static rate rate_neg(rate a)
{
  return (rate){cardan__vec3_neg(a.x), cardan__vec3_neg(a.dx)};
}

static rate rate_cross(rate a, rate b)
{
  return (rate){cardan__vec3_cross(a.x, b.x),
                cardan__vec3_add(cardan__vec3_cross(a.dx, b.x), cardan__vec3_cross(a.x, b.dx))};
}

/* k a, k a scalar with rate dk */
static rate rate_scale(double k, double dk, rate a)
{
  return (rate){cardan__vec3_scale(k, a.x),
                cardan__vec3_axpy(dk, a.x, cardan__vec3_scale(k, a.dx))};
}

static rate rate_sub(rate a, rate b)
{
  return (rate){cardan__vec3_sub(a.x, b.x), cardan__vec3_sub(a.dx, b.dx)};
}

static rate point_of(const context *c, int frame)
{
  rate p;
  cardan__frame_point(&c->set->frame[frame], c->view, &p.x, &p.dx, NULL);
  return p;
}

/* p_B - p_A */
static rate between(const context *c, int A, int B)
{
  return rate_sub(point_of(c, B), point_of(c, A));
}

static rate axis(const context *c, int frame, cardan_vec3 u)
{
  rate a;
  cardan__frame_axis(&c->set->frame[frame], c->view, u, &a.x, &a.dx, NULL);
  return a;
}

static void add_wrench(const context *c, int body, cardan_force F)
{
  const int *bodies = &c->set->row_body[c->row->badr];
  for (int i = 0; i < c->row->nb; i++) {
    if (bodies[i] == body) {
      c->w[i] = cardan__force_add(c->w[i], F);
    }
  }
}

/* (E1) for a force at a frame's origin and a torque on its body. */
static cardan_vec3 seen_from(const context *c, int body, rate f)
{
  const cardan_vec3 w = cardan__mat3_mulv(&c->view->X_W[body].R, c->view->V[body].w);
  return cardan__vec3_sub(f.dx, cardan__vec3_cross(w, f.x));
}

static void add_force(const context *c, int frame, rate f)
{
  const cardan_frame *at = &c->set->frame[frame];
  add_wrench(c, at->body, cardan__frame_wrench(at, c->view, seen_from(c, at->body, f)));
}

static void add_torque(const context *c, int frame, rate t)
{
  const int body = c->set->frame[frame].body;
  const cardan_vec3 moved = cardan__mat3_tmulv(&c->view->X_W[body].R, seen_from(c, body, t));
  add_wrench(c, body, (cardan_force){.t = moved});
}

static void point_rate(const context *c)
{
  const int *f = c->row->frame;
  const rate n = axis(c, f[2], c->row->u);
  add_force(c, f[0], n);
  add_force(c, f[1], rate_neg(n));
  if (c->set->frame[f[2]].body != 0) {
    add_torque(c, f[2], rate_cross(n, between(c, f[1], f[0])));
  }
}

static void dot_rate(const context *c)
{
  const cardan_row *r = c->row;
  const rate torque = rate_cross(axis(c, r->frame[0], r->u), axis(c, r->frame[1], r->w));
  add_torque(c, r->frame[0], torque);
  add_torque(c, r->frame[1], rate_neg(torque));
}

static void offset_rate(const context *c)
{
  const int *f = c->row->frame;
  const rate u = axis(c, f[0], c->row->u);
  add_force(c, f[1], u);
  add_force(c, f[0], rate_neg(u));
  add_torque(c, f[0], rate_cross(u, between(c, f[0], f[1])));
}

static void wire_rate(const context *c)
{
  const int *f = c->row->frame;
  const cardan_bound_expr *e = &c->set->model->expr[c->row->expr];
  const double t[1] = {c->view->t}, one[1] = {1.0}, zero[1] = {0.0};
  double L[3];
  cardan__expr_jet(e->expr, t, one, zero, c->view->work + 8 * c->set->model->max_leaf, L);
  const rate n = rate_scale(1.0 / L[0], -L[1] / (L[0] * L[0]), between(c, f[0], f[1]));
  add_force(c, f[1], n);
  add_force(c, f[0], rate_neg(n));
}

static double dot_rate_of(rate a, rate b)
{
  return cardan__vec3_dot(a.dx, b.x) + cardan__vec3_dot(a.x, b.dx);
}

/* rows.c has the angle: e1, e2 of A, g of B, C = e1.g, S = e2.g, R = C^2 + S^2. */
static void screw_rate(const context *c)
{
  const cardan_row *r = c->row;
  const rate e1 = axis(c, r->frame[0], r->w2);
  const rate e2 = axis(c, r->frame[0], cardan__vec3_cross(r->u, r->w2));
  const rate g = axis(c, r->frame[1], r->w);
  const double C = cardan__vec3_dot(e1.x, g.x), S = cardan__vec3_dot(e2.x, g.x), R = C * C + S * S;
  const double C1 = dot_rate_of(e1, g), S1 = dot_rate_of(e2, g), R1 = 2.0 * (C * C1 + S * S1);
  const rate n = rate_sub(rate_scale(C, C1, e2), rate_scale(S, S1, e1));
  const double h = r->coef[0];
  const rate torque = rate_scale(-h / R, h * R1 / (R * R), rate_cross(n, g));
  offset_rate(c);
  add_torque(c, r->frame[0], torque);
  add_torque(c, r->frame[1], rate_neg(torque));
}

static void add_dof(const context *c, int dof, double value)
{
  const int *dofs = &c->set->row_dof[c->row->dadr];
  for (int i = 0; i < c->row->nd; i++) {
    if (dofs[i] == dof) {
      c->c[i] += value;
    }
  }
}

/* A coordinate as a leaf: its entries are g dq/dv, and dq/dv itself changes for quaternions and for
 * the position of a free joint. */
static void add_coordinate(const context *c, int iq, double g, double g1)
{
  double coef[6], coef1[6];
  int vadr;
  const int n = cardan__q_rate(c->set->model, c->view->q, iq, &vadr, coef);
  cardan__q_rate_rate(c->set->model, c->view->q, c->view->v, iq, coef1);
  for (int k = 0; k < n; k++) {
    add_dof(c, vadr + k, g1 * coef[k] + g * coef1[k]);
  }
}

static void expr_rate(const context *c)
{
  const cardan_model *model = c->set->model;
  const cardan_bound_expr *bound = &model->expr[c->row->expr];
  double *x = c->view->work, *x1 = x + model->max_leaf, *x2 = x1 + model->max_leaf;
  double *g = x2 + model->max_leaf, *g1 = g + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, c->view, bound, x, x1, x2);
  cardan__expr_hessian_times(bound->expr, x, x1, work, g, g1);
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_FRAME) {
      const double e[3] = {leaf->axis == 0, leaf->axis == 1, leaf->axis == 2};
      const cardan_vec3 along = {e[0], e[1], e[2]};
      add_force(c, leaf->index,
                (rate){cardan__vec3_scale(g[i], along), cardan__vec3_scale(g1[i], along)});
    } else if (leaf->kind == CARDAN__LEAF_Q) {
      add_coordinate(c, leaf->index, g[i], g1[i]);
    }
  }
}

void cardan__rows_jacobian_rate(const cardan__rowset *set, const cardan__view *view,
                                cardan_force *w, double *c)
{
  static void (*const kinds[])(const context *c) = {
      [CARDAN_ROW_POINT] = point_rate,   [CARDAN_ROW_DOT] = dot_rate,
      [CARDAN_ROW_OFFSET] = offset_rate, [CARDAN_ROW_WIRE] = wire_rate,
      [CARDAN_ROW_SCREW] = screw_rate,   [CARDAN_ROW_COORD] = NULL,
      [CARDAN_ROW_MOTION] = NULL,        [CARDAN_ROW_EXPR] = expr_rate,
  };
  memset(w, 0, (size_t)set->nrow_body * sizeof *w);
  memset(c, 0, (size_t)set->nrow_dof * sizeof *c);
  for (int i = 0; i < set->n; i++) {
    const cardan_row *row = &set->row[i];
    const context at = {set, view, row, w + row->badr, c + row->dadr};
    if (kinds[row->kind] != NULL) {
      kinds[row->kind](&at);
    }
  }
}
