// SPDX-License-Identifier: Apache-2.0
#include "constraints/rows.h"

#include <math.h>
#include <string.h>

#include "expr/expr.h"
#include "model/build.h"
#include "spatial/spatial.h"

/* The elementary constraints. u is fixed in frame A, w in frame B, n in a third frame;
 * d = p_B - p_A, e = p_A - p_B. A dash is a time derivative, two dashes the second one at zero
 * joint acceleration. u' = w_A x u with w_A the angular velocity of A, so that x.u' = w_A.(u x x):
 * a row has the torque u x x on A.
 *
 *           Phi                   row: forces at points, torques              gamma
 *   POINT   n.e                   n at A, -n at B, torque n x e on n's frame  -(n.e)''
 *   DOT     u.w - k               torque u x w on A, its opposite on B        -(u.w)''
 *   OFFSET  u.d - k               u at B, -u at A, torque u x d on A          -(u.d)''
 *   WIRE    (d.d - L^2) / (2 L)   d/L at B, -d/L at A                         see there
 *   SCREW   u.d - h theta         OFFSET's and the angle's                    see there
 *   COORD   c0 q0 + c1 q1 - k     c0, c1                                      0
 *   MOTION  q - f(t)              1                                           f''
 *   EXPR    E(q, p, t)            its gradient                                -E''
 * where (x.y)'' = x''.y + 2 x'.y' + x.y''. DOT, OFFSET, WIRE and POINT are what books call the
 * basic constraints dot-1, dot-2, distance and coordinate difference. */

typedef struct {
  const cardan__rowset *set;
  const cardan__view *view;
  const cardan_row *row;
} context;

/* Where a row's entries go: wrenches on its bodies, factors of its velocities. All 0 at first. */
typedef struct {
  cardan_force *w;
  double *c;
} entries;

/* ---- time and expressions ---- */

/* f, f', f'' of a row's expression of time. */
static void time_jet(const context *c, double f[3])
{
  const cardan_bound_expr *e = &c->set->model->expr[c->row->expr];
  const double t[1] = {c->view->t}, one[1] = {1.0}, zero[1] = {0.0};
  cardan__expr_jet(e->expr, t, one, zero, c->view->work + 8 * c->set->model->max_leaf, f);
}

/* ---- points, axes and what they add to a row ---- */

/* p_B - p_A, and its rates where not NULL. */
static cardan_vec3 between(const context *c, int A, int B, cardan_vec3 *d1, cardan_vec3 *d2)
{
  cardan_vec3 pA, pB, vA, vB, aA, aB;
  cardan__frame_point(&c->set->frame[A], c->view, &pA, d1 ? &vA : NULL, d2 ? &aA : NULL);
  cardan__frame_point(&c->set->frame[B], c->view, &pB, d1 ? &vB : NULL, d2 ? &aB : NULL);
  if (d1) {
    *d1 = cardan__vec3_sub(vB, vA);
  }
  if (d2) {
    *d2 = cardan__vec3_sub(aB, aA);
  }
  return cardan__vec3_sub(pB, pA);
}

static cardan_vec3 axis(const context *c, int frame, cardan_vec3 u, cardan_vec3 *u1,
                        cardan_vec3 *u2)
{
  cardan_vec3 d;
  cardan__frame_axis(&c->set->frame[frame], c->view, u, &d, u1, u2);
  return d;
}

/* Adds a wrench to the row's entry for a body; the world needs none. */
static void add_wrench(const context *c, const entries *to, int body, cardan_force F)
{
  const int *bodies = &c->set->row_body[c->row->badr];
  for (int i = 0; i < c->row->nb; i++) {
    if (bodies[i] == body) {
      to->w[i] = cardan__force_add(to->w[i], F);
    }
  }
}

/* Force f (world axes) at a frame's origin. */
static void add_force(const context *c, const entries *to, int frame, cardan_vec3 f)
{
  const cardan_frame *at = &c->set->frame[frame];
  add_wrench(c, to, at->body, cardan__frame_wrench(at, c->view, f));
}

/* Torque t (world axes) on a frame's body. */
static void add_torque(const context *c, const entries *to, int frame, cardan_vec3 t)
{
  const int body = c->set->frame[frame].body;
  const cardan_force F = {.t = cardan__mat3_tmulv(&c->view->X_W[body].R, t)};
  add_wrench(c, to, body, F);
}

/* Rates of x . y. */
static double dot1(cardan_vec3 x, cardan_vec3 x1, cardan_vec3 y, cardan_vec3 y1)
{
  return cardan__vec3_dot(x1, y) + cardan__vec3_dot(x, y1);
}

static double dot2(cardan_vec3 x, cardan_vec3 x1, cardan_vec3 x2, cardan_vec3 y, cardan_vec3 y1,
                   cardan_vec3 y2)
{
  return cardan__vec3_dot(x2, y) + 2.0 * cardan__vec3_dot(x1, y1) + cardan__vec3_dot(x, y2);
}

/* ---- POINT ---- */

static double point_value(const context *c)
{
  const int *f = c->row->frame;
  return cardan__vec3_dot(axis(c, f[2], c->row->u, NULL, NULL), between(c, f[1], f[0], NULL, NULL));
}

static void point_row(const context *c, const entries *to)
{
  const int *f = c->row->frame;
  const cardan_vec3 n = axis(c, f[2], c->row->u, NULL, NULL);
  add_force(c, to, f[0], n);
  add_force(c, to, f[1], cardan__vec3_neg(n));
  if (c->set->frame[f[2]].body != 0) {
    add_torque(c, to, f[2], cardan__vec3_cross(n, between(c, f[1], f[0], NULL, NULL)));
  }
}

static void point_rates(const context *c, double *phi_t, double *gamma)
{
  const int *f = c->row->frame;
  cardan_vec3 n1, n2, e1, e2;
  *phi_t = 0.0;
  if (gamma) {
    const cardan_vec3 n = axis(c, f[2], c->row->u, &n1, &n2), e = between(c, f[1], f[0], &e1, &e2);
    *gamma = -dot2(n, n1, n2, e, e1, e2);
  }
}

/* ---- DOT ---- */

static double dot_value(const context *c)
{
  const cardan_row *r = c->row;
  return cardan__vec3_dot(axis(c, r->frame[0], r->u, NULL, NULL),
                          axis(c, r->frame[1], r->w, NULL, NULL)) -
         r->value;
}

static void dot_row(const context *c, const entries *to)
{
  const cardan_row *r = c->row;
  const cardan_vec3 torque = cardan__vec3_cross(axis(c, r->frame[0], r->u, NULL, NULL),
                                                axis(c, r->frame[1], r->w, NULL, NULL));
  add_torque(c, to, r->frame[0], torque);
  add_torque(c, to, r->frame[1], cardan__vec3_neg(torque));
}

static void dot_rates(const context *c, double *phi_t, double *gamma)
{
  const cardan_row *r = c->row;
  cardan_vec3 u1, u2, w1, w2;
  *phi_t = 0.0;
  if (gamma) {
    const cardan_vec3 u = axis(c, r->frame[0], r->u, &u1, &u2),
                      w = axis(c, r->frame[1], r->w, &w1, &w2);
    *gamma = -dot2(u, u1, u2, w, w1, w2);
  }
}

/* ---- OFFSET ---- */

static double offset_value(const context *c)
{
  const cardan_row *r = c->row;
  return cardan__vec3_dot(axis(c, r->frame[0], r->u, NULL, NULL),
                          between(c, r->frame[0], r->frame[1], NULL, NULL)) -
         r->value;
}

static void offset_row(const context *c, const entries *to)
{
  const int *f = c->row->frame;
  const cardan_vec3 u = axis(c, f[0], c->row->u, NULL, NULL);
  add_force(c, to, f[1], u);
  add_force(c, to, f[0], cardan__vec3_neg(u));
  add_torque(c, to, f[0], cardan__vec3_cross(u, between(c, f[0], f[1], NULL, NULL)));
}

static void offset_rates(const context *c, double *phi_t, double *gamma)
{
  const int *f = c->row->frame;
  cardan_vec3 u1, u2, d1, d2;
  *phi_t = 0.0;
  if (gamma) {
    const cardan_vec3 u = axis(c, f[0], c->row->u, &u1, &u2), d = between(c, f[0], f[1], &d1, &d2);
    *gamma = -dot2(u, u1, u2, d, d1, d2);
  }
}

/* ---- WIRE ----
 * Phi = s / (2 L) - L / 2, s = d.d: smooth where |d| - L is not, with the same slope at d.d = L^2.
 *   Phi_L = -s / (2 L^2) - 1/2,   Phi_LL = s / L^3,   Phi_Ls s' = -d.d' / L^2
 *   Phi'' = (d'.d' + d.d'') / L - 2 d.d' L' / L^2 + Phi_LL L'^2 + Phi_L L'' */

static double wire_value(const context *c)
{
  const cardan_vec3 d = between(c, c->row->frame[0], c->row->frame[1], NULL, NULL);
  double L[3];
  time_jet(c, L);
  return (cardan__vec3_dot(d, d) - L[0] * L[0]) / (2.0 * L[0]);
}

static void wire_row(const context *c, const entries *to)
{
  const int *f = c->row->frame;
  double L[3];
  time_jet(c, L);
  const cardan_vec3 n = cardan__vec3_scale(1.0 / L[0], between(c, f[0], f[1], NULL, NULL));
  add_force(c, to, f[1], n);
  add_force(c, to, f[0], cardan__vec3_neg(n));
}

static void wire_rates(const context *c, double *phi_t, double *gamma)
{
  const int *f = c->row->frame;
  cardan_vec3 d1, d2;
  double L[3];
  time_jet(c, L);
  const cardan_vec3 d = between(c, f[0], f[1], &d1, gamma ? &d2 : NULL);
  const double s = cardan__vec3_dot(d, d), k = 1.0 / L[0], phi_L = -0.5 * (s * k * k + 1.0);
  *phi_t = phi_L * L[1];
  if (gamma) {
    *gamma = -k * (cardan__vec3_dot(d1, d1) + cardan__vec3_dot(d, d2)) +
             2.0 * k * k * cardan__vec3_dot(d, d1) * L[1] - s * k * k * k * L[1] * L[1] -
             phi_L * L[2];
  }
}

/* ---- SCREW ----
 * theta turns e1 of A into g of B about u: with e2 = u x e1, C = e1.g, S = e2.g, R = C^2 + S^2,
 *   theta = atan2(S, C),   theta' = (C S' - S C') / R,
 *   theta'' = (C S'' - S C'') / R - 2 theta' (C C' + S S') / R
 * Turns are counted by the distance itself: of the angles atan2 + 2 pi n the one nearest to d / h.
 * So the row needs no memory, and is smooth as long as it is violated by less than half a pitch. */

typedef struct {
  cardan_vec3 e[2], e1[2], e2[2], g, g1, g2; // world axes and their rates
  double C, S, R;
} screw;

static screw screw_axes(const context *c, int order)
{
  const cardan_row *r = c->row;
  const cardan_vec3 local[2] = {r->w2, cardan__vec3_cross(r->u, r->w2)};
  screw s;
  for (int i = 0; i < 2; i++) {
    s.e[i] =
        axis(c, r->frame[0], local[i], order > 0 ? &s.e1[i] : NULL, order > 1 ? &s.e2[i] : NULL);
  }
  s.g = axis(c, r->frame[1], r->w, order > 0 ? &s.g1 : NULL, order > 1 ? &s.g2 : NULL);
  s.C = cardan__vec3_dot(s.e[0], s.g);
  s.S = cardan__vec3_dot(s.e[1], s.g);
  s.R = s.C * s.C + s.S * s.S;
  return s;
}

static double screw_value(const context *c)
{
  const double pi2 = 6.283185307179586, h = c->row->coef[0], x = offset_value(c);
  const screw s = screw_axes(c, 0);
  double theta = atan2(s.S, s.C);
  if (h != 0.0) {
    theta += pi2 * round((x / h - theta) / pi2);
  }
  return x - h * theta;
}

static void screw_row(const context *c, const entries *to)
{
  const screw s = screw_axes(c, 0);
  const double h = c->row->coef[0];
  // C dS - S dC: a torque (C e2 - S e1) x g on A, its opposite on B
  const cardan_vec3 n = cardan__vec3_axpy(s.C, s.e[1], cardan__vec3_scale(-s.S, s.e[0]));
  const cardan_vec3 torque = cardan__vec3_scale(-h / s.R, cardan__vec3_cross(n, s.g));
  offset_row(c, to);
  add_torque(c, to, c->row->frame[0], torque);
  add_torque(c, to, c->row->frame[1], cardan__vec3_neg(torque));
}

static void screw_rates(const context *c, double *phi_t, double *gamma)
{
  offset_rates(c, phi_t, gamma);
  if (gamma) {
    const screw s = screw_axes(c, 2);
    const double C1 = dot1(s.e[0], s.e1[0], s.g, s.g1), S1 = dot1(s.e[1], s.e1[1], s.g, s.g1);
    const double C2 = dot2(s.e[0], s.e1[0], s.e2[0], s.g, s.g1, s.g2);
    const double S2 = dot2(s.e[1], s.e1[1], s.e2[1], s.g, s.g1, s.g2);
    const double theta1 = (s.C * S1 - s.S * C1) / s.R;
    const double theta2 = (s.C * S2 - s.S * C2 - 2.0 * theta1 * (s.C * C1 + s.S * S1)) / s.R;
    *gamma += c->row->coef[0] * theta2;
  }
}

/* ---- COORD, MOTION ---- */

/* The row's entry for the velocity of a scalar coordinate. */
static void add_dof(const context *c, const entries *to, int dof, double value)
{
  const int *dofs = &c->set->row_dof[c->row->dadr];
  for (int i = 0; i < c->row->nd; i++) {
    if (dofs[i] == dof) {
      to->c[i] += value;
    }
  }
}

static int dof_of(const cardan_model *model, int iq)
{
  return model->body[model->q_body[iq]].vadr;
}

/* Acceleration of a scalar coordinate that is not solved for. */
static double prescribed(const context *c, int iq)
{
  const cardan_body *b = &c->set->model->body[c->set->model->q_body[iq]];
  return (b->flags & CARDAN_LINK_KINEMATIC) && c->view->a_prescribed
             ? c->view->a_prescribed[b->vadr]
             : 0.0;
}

static double coord_value(const context *c)
{
  const cardan_row *r = c->row;
  return r->coef[0] * c->view->q[r->var[0]] + r->coef[1] * c->view->q[r->var[1]] - r->value;
}

static void coord_row(const context *c, const entries *to)
{
  for (int i = 0; i < 2; i++) {
    add_dof(c, to, dof_of(c->set->model, c->row->var[i]), c->row->coef[i]);
  }
}

static void coord_rates(const context *c, double *phi_t, double *gamma)
{
  const cardan_row *r = c->row;
  *phi_t = 0.0;
  if (gamma) {
    *gamma = -r->coef[0] * prescribed(c, r->var[0]) - r->coef[1] * prescribed(c, r->var[1]);
  }
}

static double motion_value(const context *c)
{
  double f[3];
  time_jet(c, f);
  return c->view->q[c->row->var[0]] - f[0];
}

static void motion_row(const context *c, const entries *to)
{
  add_dof(c, to, dof_of(c->set->model, c->row->var[0]), 1.0);
}

static void motion_rates(const context *c, double *phi_t, double *gamma)
{
  double f[3];
  time_jet(c, f);
  *phi_t = -f[1];
  if (gamma) {
    *gamma = f[2];
  }
}

/* ---- EXPR ---- */

static double expr_value(const context *c)
{
  return cardan__expr_at(c->set->model, c->view, c->row->expr);
}

static void expr_row(const context *c, const entries *to)
{
  const cardan_model *model = c->set->model;
  const cardan_bound_expr *bound = &model->expr[c->row->expr];
  double *x = c->view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, c->view, bound, x, NULL, NULL);
  cardan__expr_gradient(bound->expr, x, work, g);
  for (int i = 0; i < bound->nleaf; i++) {
    const cardan__leaf_ref *leaf = &bound->leaf[i];
    if (leaf->kind == CARDAN__LEAF_FRAME) {
      const cardan_vec3 f = {leaf->axis == 0 ? g[i] : 0.0, leaf->axis == 1 ? g[i] : 0.0,
                             leaf->axis == 2 ? g[i] : 0.0};
      add_force(c, to, leaf->index, f);
    } else if (leaf->kind == CARDAN__LEAF_Q) {
      double rate[6];
      int vadr;
      const int n = cardan__q_rate(model, c->view->q, leaf->index, &vadr, rate);
      for (int k = 0; k < n; k++) {
        add_dof(c, to, vadr + k, g[i] * rate[k]);
      }
    }
  }
}

static void expr_rates(const context *c, double *phi_t, double *gamma)
{
  const cardan_model *model = c->set->model;
  const cardan_bound_expr *bound = &model->expr[c->row->expr];
  double *x = c->view->work, *x1 = x + model->max_leaf, *x2 = x1 + model->max_leaf;
  double *g = x2 + model->max_leaf, *work = x + 8 * model->max_leaf, E[3];
  *phi_t = 0.0;
  if (bound->expr->uses & CARDAN__LEAVES_T) {
    cardan__leaf_values(model, c->view, bound, x, NULL, NULL);
    cardan__expr_gradient(bound->expr, x, work, g);
    for (int i = 0; i < bound->nleaf; i++) {
      *phi_t += bound->leaf[i].kind == CARDAN__LEAF_T ? g[i] : 0.0;
    }
  }
  if (gamma) {
    cardan__leaf_values(model, c->view, bound, x, x1, x2);
    cardan__expr_jet(bound->expr, x, x1, x2, work, E);
    *gamma = -E[2];
  }
}

/* ---- all rows ---- */

typedef struct {
  double (*value)(const context *c);
  void (*row)(const context *c, const entries *to);
  void (*rates)(const context *c, double *phi_t, double *gamma);
} row_kind;

/* A new kind of row is one line here, its functions, and a case in model/build_constraints.c. */
static const row_kind kinds[] = {
    [CARDAN_ROW_POINT] = {point_value, point_row, point_rates},
    [CARDAN_ROW_DOT] = {dot_value, dot_row, dot_rates},
    [CARDAN_ROW_OFFSET] = {offset_value, offset_row, offset_rates},
    [CARDAN_ROW_WIRE] = {wire_value, wire_row, wire_rates},
    [CARDAN_ROW_SCREW] = {screw_value, screw_row, screw_rates},
    [CARDAN_ROW_COORD] = {coord_value, coord_row, coord_rates},
    [CARDAN_ROW_MOTION] = {motion_value, motion_row, motion_rates},
    [CARDAN_ROW_EXPR] = {expr_value, expr_row, expr_rates},
};

void cardan__rows_value(const cardan__rowset *set, const cardan__view *view, double *phi)
{
  for (int i = 0; i < set->n; i++) {
    const context c = {set, view, &set->row[i]};
    phi[i] = kinds[c.row->kind].value(&c);
  }
}

void cardan__rows_jacobian(const cardan__rowset *set, const cardan__view *view, cardan_rows *rows)
{
  memset(rows->w, 0, (size_t)set->nrow_body * sizeof *rows->w);
  memset(rows->c, 0, (size_t)set->nrow_dof * sizeof *rows->c);
  for (int i = 0; i < set->n; i++) {
    const context c = {set, view, &set->row[i]};
    const entries to = {rows->w + c.row->badr, rows->c + c.row->dadr};
    kinds[c.row->kind].row(&c, &to);
  }
}

void cardan__rows_rates(const cardan__rowset *set, const cardan__view *view, double *phi_t,
                        double *gamma)
{
  for (int i = 0; i < set->n; i++) {
    const context c = {set, view, &set->row[i]};
    kinds[c.row->kind].rates(&c, &phi_t[i], gamma ? &gamma[i] : NULL);
  }
}
