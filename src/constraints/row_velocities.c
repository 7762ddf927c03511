// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "constraints/row_kind.h"

/* Rows on velocities, A v = b, and the height of a rolling body, whose rate is such a row too.
 *
 * ROLL. A disc (centre c, axis a, radius r) or a ball on the plane z = 0 of frame B, with normal n.
 * It touches at X = c + rho:
 *   disc  m = n - (n.a) a,  rho = -r m/|m|,  rho' = -r (m'/|m| - m (m.m')/|m|^3)             (R1)
 *   ball  rho = -r n,       rho' = -r n'                                                      (R2)
 * The material of A at X moves against that of B by
 *   s = v_A + w_A x rho - v_B - w_B x d,  d = X - o_B,  d' = v_A + rho' - v_B                 (R3)
 *   HEIGHT  Phi = n.(c - o_B) - r |m| (ball: r);  dPhi/dt = n.s, exactly
 *   SLIP    e.s = 0, e the axis x or y of B
 *   SKATE   f.s = 0, f = n x u across the edge u of A, at X = c
 * All three are f.s for a force f at X on A and -f on B:
 *   row     f at c and the torque rho x f on A; -f at o_B and the torque -d x f on B
 *   gamma   -(f'.s + f.s') at zero joint accelerations, with
 *           s' = a_A + alpha_A x rho + w_A x rho' - a_B - alpha_B x d - w_B x d'              (R4)
 *   rate of the row, by the product rule
 * A disc that lies has no lowest point: where |m| < FLAT, within 0.6 degrees, the row is not a
 * number.
 *
 * VELOCITY. An expression E of velocities, in which it is linear (model/build_rolling.c has checked
 * that): A = dE/dv, b = -E at v = 0, gamma = -E' at zero joint accelerations. */

static const double FLAT = 1e-2;

/* A force at a point X of A and B: what a row on their relative velocity is. World axes. */
typedef struct {
  cardan__rate f, rho, d; // X - c, X - o_B
} slide;

static cardan__rate cross(cardan__rate a, cardan__rate b)
{
  return (cardan__rate){
      cardan__vec3_cross(a.x, b.x),
      cardan__vec3_add(cardan__vec3_cross(a.dx, b.x), cardan__vec3_cross(a.x, b.dx))};
}

static cardan__rate negative(cardan__rate a)
{
  return (cardan__rate){cardan__vec3_neg(a.x), cardan__vec3_neg(a.dx)};
}

static cardan__rate axis_of(const cardan__row_at *at, int frame, cardan_vec3 u, bool rates)
{
  cardan__rate a = {.dx = {0, 0, 0}};
  cardan__frame_axis(&at->set->frame[frame], at->view, u, &a.x, rates ? &a.dx : NULL, NULL);
  return a;
}

/* c - o_B */
static cardan__rate between(const cardan__row_at *at, bool rates)
{
  cardan_vec3 pA, pB, vA = {0, 0, 0}, vB = {0, 0, 0};
  cardan__frame_point(&at->set->frame[at->row->frame[0]], at->view, &pA, rates ? &vA : NULL, NULL);
  cardan__frame_point(&at->set->frame[at->row->frame[1]], at->view, &pB, rates ? &vB : NULL, NULL);
  return (cardan__rate){cardan__vec3_sub(pA, pB), cardan__vec3_sub(vA, vB)};
}

/* m of (R1) */
static cardan__rate across(cardan__rate n, cardan__rate a)
{
  const double na = cardan__vec3_dot(n.x, a.x);
  const double na1 = cardan__vec3_dot(n.dx, a.x) + cardan__vec3_dot(n.x, a.dx);
  return (cardan__rate){cardan__vec3_axpy(-na, a.x, n.x),
                        cardan__vec3_axpy(-na1, a.x, cardan__vec3_axpy(-na, a.dx, n.dx))};
}

/* (R1), without r; *length: |m|. */
static cardan__rate rim(cardan__rate n, cardan__rate a, double *length)
{
  const cardan__rate to = across(n, a);
  const cardan_vec3 m = to.x, m1 = to.dx;
  const double size = sqrt(cardan__vec3_dot(m, m)), k = size < FLAT ? (double)NAN : 1.0 / size;
  *length = size < FLAT ? (double)NAN : size;
  return (cardan__rate){
      cardan__vec3_scale(-k, m),
      cardan__vec3_axpy(k * k * k * cardan__vec3_dot(m, m1), m, cardan__vec3_scale(-k, m1))};
}

static slide find_slide(const cardan__row_at *at, bool rates)
{
  const cardan_row *r = at->row;
  const cardan__rate n = axis_of(at, r->frame[1], cardan__vec3(0, 0, 1), rates);
  const cardan__rate u = axis_of(at, r->frame[0], r->u, rates), c = between(at, rates);
  slide s = {.rho = {{0, 0, 0}, {0, 0, 0}}};
  double length;
  if (r->kind == CARDAN_ROW_SKATE) {
    s.f = cross(n, u);
  } else {
    const cardan__rate to = r->coef[1] > 0.0 ? negative(n) : rim(n, u, &length);
    s.f = r->kind == CARDAN_ROW_HEIGHT ? n : axis_of(at, r->frame[1], r->w, rates);
    s.rho =
        (cardan__rate){cardan__vec3_scale(r->coef[0], to.x), cardan__vec3_scale(r->coef[0], to.dx)};
  }
  s.d = (cardan__rate){cardan__vec3_add(c.x, s.rho.x), cardan__vec3_add(c.dx, s.rho.dx)};
  return s;
}

static void slide_row(const cardan__row_at *at, const cardan__entries *to)
{
  const int *frame = at->row->frame;
  const slide s = find_slide(at, false);
  cardan__row_add_force(at, to, frame[0], s.f.x);
  cardan__row_add_torque(at, to, frame[0], cardan__vec3_cross(s.rho.x, s.f.x));
  cardan__row_add_force(at, to, frame[1], cardan__vec3_neg(s.f.x));
  cardan__row_add_torque(at, to, frame[1], cardan__vec3_cross(s.f.x, s.d.x));
}

static void slide_change(const cardan__row_at *at, const cardan__entries *to)
{
  const int *frame = at->row->frame;
  const slide s = find_slide(at, true);
  cardan__row_change_force(at, to, frame[0], s.f);
  cardan__row_change_torque(at, to, frame[0], cross(s.rho, s.f));
  cardan__row_change_force(at, to, frame[1], negative(s.f));
  cardan__row_change_torque(at, to, frame[1], cross(s.f, s.d));
}

/* What the body of a frame gives to s and, with accelerations, to s': its origin's and its turn's
 * with x, a point less the origin. */
static void add_motion(const cardan__row_at *at, int frame, double sign, cardan__rate x,
                       cardan_vec3 *s, cardan_vec3 *s1)
{
  const cardan_frame *f = &at->set->frame[frame];
  const cardan_mat3 *R = &at->view->X_W[f->body].R;
  const cardan_vec3 w = cardan__mat3_mulv(R, at->view->V[f->body].w);
  const cardan_vec3 alpha = cardan__mat3_mulv(R, at->view->A0[f->body].w);
  cardan_vec3 v, a;
  cardan__frame_point(f, at->view, NULL, &v, &a);
  v = cardan__vec3_add(v, cardan__vec3_cross(w, x.x));
  a = cardan__vec3_add(a, cardan__vec3_cross(alpha, x.x));
  a = cardan__vec3_add(a, cardan__vec3_cross(w, x.dx));
  *s = cardan__vec3_axpy(sign, v, *s);
  *s1 = cardan__vec3_axpy(sign, a, *s1);
}

static void slide_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  *phi_t = 0.0;
  if (gamma) {
    const slide k = find_slide(at, true);
    cardan_vec3 s = {0, 0, 0}, s1 = {0, 0, 0};
    add_motion(at, at->row->frame[0], 1.0, k.rho, &s, &s1);
    add_motion(at, at->row->frame[1], -1.0, k.d, &s, &s1);
    *gamma = -cardan__vec3_dot(k.f.dx, s) - cardan__vec3_dot(k.f.x, s1); // (R4)
  }
}

static double height_value(const cardan__row_at *at)
{
  const cardan_row *r = at->row;
  const cardan__rate n = axis_of(at, r->frame[1], cardan__vec3(0, 0, 1), false);
  double length = 1.0;
  if (!(r->coef[1] > 0.0)) {
    rim(n, axis_of(at, r->frame[0], r->u, false), &length);
  }
  return cardan__vec3_dot(n.x, between(at, false).x) - r->coef[0] * length;
}

int cardan__lying_disc(const cardan_model *model, const cardan_data *data, double h)
{
  const cardan__rowset set = cardan__model_rows(model);
  const cardan__view view = cardan__data_view(model, data);
  for (int r = 0; r < model->nrow; r++) {
    const cardan__row_at at = {&set, &view, &model->row[r]};
    const cardan_row *row = at.row;
    if (row->kind != CARDAN_ROW_SLIP || row->coef[1] > 0.0) {
      continue;
    }
    const cardan__rate m = across(axis_of(&at, row->frame[1], cardan__vec3(0, 0, 1), h > 0.0),
                                  axis_of(&at, row->frame[0], row->u, h > 0.0));
    const double size = cardan__vec3_norm(m.x);
    const double fall = h > 0.0 ? h * cardan__vec3_dot(m.x, m.dx) / size : 0.0;
    if (size < FLAT || size + fall < FLAT) {
      return r;
    }
  }
  return -1;
}

cardan_status cardan__refuse_lying_disc(const cardan_model *model, int row, cardan_report *report)
{
  const cardan_constraint *c = &model->constraint[model->row[row].constraint];
  return cardan_fail(report, CARDAN_ERR_ASSEMBLY, c->pos,
                     "the disc of roll \"%.60s\" lies flat at the start and has no lowest point: "
                     "tilt it by more than 0.6 degrees, or use (contact ..) instead",
                     c->name);
}

/* Rows of velocity level hold at any position. */
static double no_value(const cardan__row_at *at)
{
  (void)at;
  return 0.0;
}

const cardan__row_kind cardan__row_kind_height = {height_value, slide_row, slide_rates,
                                                  slide_change};
const cardan__row_kind cardan__row_kind_slip = {no_value, slide_row, slide_rates, slide_change};
const cardan__row_kind cardan__row_kind_skate = {no_value, slide_row, slide_rates, slide_change};

/* ---- VELOCITY ---- */

static bool is_velocity(const cardan__leaf_ref *leaf)
{
  return leaf->kind == CARDAN__LEAF_V || leaf->kind == CARDAN__LEAF_TWIST;
}

/* An entry of the row, or of its rate, that comes from one velocity: g times it. */
static void add_velocity(const cardan__row_at *at, const cardan__entries *to,
                         const cardan__leaf_ref *leaf, double g)
{
  const int k = leaf->axis % 3;
  const cardan_vec3 f = {k == 0 ? g : 0.0, k == 1 ? g : 0.0, k == 2 ? g : 0.0};
  if (leaf->kind == CARDAN__LEAF_V) {
    cardan__row_add_dof(at, to, leaf->index, g);
  } else if (leaf->axis < 3) {
    cardan__row_add_force(at, to, leaf->index, f);
  } else {
    cardan__row_add_torque(at, to, leaf->index, f);
  }
}

static void velocity_row(const cardan__row_at *at, const cardan__entries *to)
{
  const cardan_model *model = at->set->model;
  const cardan_bound_expr *bound = &model->expr[at->row->expr];
  double *x = at->view->work, *g = x + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values_at_rest(model, at->view, bound, x);
  cardan__expr_gradient(bound->expr, x, work, g);
  for (int i = 0; i < bound->nleaf; i++) {
    if (is_velocity(&bound->leaf[i])) {
      add_velocity(at, to, &bound->leaf[i], g[i]);
    }
  }
}

static void velocity_rates(const cardan__row_at *at, double *phi_t, double *gamma)
{
  const cardan_model *model = at->set->model;
  const cardan_bound_expr *bound = &model->expr[at->row->expr];
  double *x = at->view->work, *x1 = x + model->max_leaf, *x2 = x1 + model->max_leaf;
  double *work = x + 8 * model->max_leaf, E[3];
  cardan__leaf_values_at_rest(model, at->view, bound, x);
  *phi_t = cardan__expr_value(bound->expr, x, work);
  if (gamma) {
    cardan__leaf_values(model, at->view, bound, x, x1, x2);
    cardan__expr_jet(bound->expr, x, x1, x2, work, E);
    *gamma = -E[1];
  }
}

static void change_velocity(const cardan__row_at *at, const cardan__entries *to,
                            const cardan__leaf_ref *leaf, double g, double g1)
{
  const int k = leaf->axis % 3;
  const cardan_vec3 e = {k == 0, k == 1, k == 2};
  const cardan__rate f = {cardan__vec3_scale(g, e), cardan__vec3_scale(g1, e)};
  if (leaf->kind == CARDAN__LEAF_V) {
    cardan__row_add_dof(at, to, leaf->index, g1);
  } else if (leaf->kind == CARDAN__LEAF_TWIST) {
    (leaf->axis < 3 ? cardan__row_change_force : cardan__row_change_torque)(at, to, leaf->index, f);
  }
}

static void velocity_change(const cardan__row_at *at, const cardan__entries *to)
{
  cardan__row_change_leaves(at, to, change_velocity);
}

const cardan__row_kind cardan__row_kind_velocity = {no_value, velocity_row, velocity_rates,
                                                    velocity_change};
