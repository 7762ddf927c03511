/* SPDX-License-Identifier: Apache-2.0
 * constraints/row_kind.h - what a kind of row is: the table that rows.h evaluates.
 *
 * A kind is a cardan__row_kind beside its functions (row_frames.c, row_coordinates.c); the list of
 * kinds in cardan/elements.h makes the table, so that a kind without one does not link.
 * docs/extending.md walks through a new one. Below: what kinds are written with. */
#pragma once
#include "constraints/rows.h"
#include "expr/expr.h"
#include "model/build.h"
#include "spatial/spatial.h"

/* One row where it is evaluated. */
typedef struct {
  const cardan__rowset *set;
  const cardan__view *view;
  const cardan_row *row;
} cardan__row_at;

/* Where a row's entries go: wrenches on its bodies, factors of its velocities. All 0 at first. */
typedef struct {
  cardan_force *w;
  double *c;
} cardan__entries;

/* value   Phi
 * row     adds the row's entries: dPhi/dt = sum w . V + sum c v + Phi_t
 * rates   Phi_t, and gamma where it is not NULL: J a = gamma keeps d2Phi/dt2 = 0
 * change  adds the rates of the entries, dJ/dt; NULL: they are constant */
typedef struct {
  double (*value)(const cardan__row_at *at);
  void (*row)(const cardan__row_at *at, const cardan__entries *to);
  void (*rates)(const cardan__row_at *at, double *phi_t, double *gamma);
  void (*change)(const cardan__row_at *at, const cardan__entries *to);
} cardan__row_kind;

#define CARDAN__ROW_KIND(kind, id) extern const cardan__row_kind cardan__row_kind_##id;
CARDAN_ROW_LIST(CARDAN__ROW_KIND)
#undef CARDAN__ROW_KIND

/* f, f', f'' of a row's expression of time. */
static inline void cardan__row_time_jet(const cardan__row_at *at, double f[3])
{
  const cardan_model *model = at->set->model;
  const double t[1] = {at->view->t}, one[1] = {1.0}, zero[1] = {0.0};
  cardan__expr_jet(model->expr[at->row->expr].expr, t, one, zero,
                   at->view->work + 8 * model->max_leaf, f);
}

/* Adds what leaf makes of a row's rate: g the derivative of the row's expression by it, g1 its
 * rate. */
typedef void cardan__leaf_change(const cardan__row_at *at, const cardan__entries *to,
                                 const cardan__leaf_ref *leaf, double g, double g1);

/* Calls add for each leaf of the row's expression. */
static inline void cardan__row_change_leaves(const cardan__row_at *at, const cardan__entries *to,
                                             cardan__leaf_change *add)
{
  const cardan_model *model = at->set->model;
  const cardan_bound_expr *bound = &model->expr[at->row->expr];
  double *x = at->view->work, *x1 = x + model->max_leaf, *x2 = x1 + model->max_leaf;
  double *g = x2 + model->max_leaf, *g1 = g + model->max_leaf, *work = x + 8 * model->max_leaf;
  cardan__leaf_values(model, at->view, bound, x, x1, x2);
  cardan__expr_hessian_times(bound->expr, x, x1, work, g, g1);
  for (int i = 0; i < bound->nleaf; i++) {
    add(at, to, &bound->leaf[i], g[i], g1[i]);
  }
}

/* ---- entries ---- */

/* Adds a wrench to the row's entry for a body; the world needs none. */
static inline void cardan__row_add_wrench(const cardan__row_at *at, const cardan__entries *to,
                                          int body, cardan_force F)
{
  const int *bodies = &at->set->row_body[at->row->badr];
  for (int i = 0; i < at->row->nb; i++) {
    if (bodies[i] == body) {
      to->w[i] = cardan__force_add(to->w[i], F);
    }
  }
}

/* Force f (world axes) at a frame's origin. */
static inline void cardan__row_add_force(const cardan__row_at *at, const cardan__entries *to,
                                         int frame, cardan_vec3 f)
{
  const cardan_frame *on = &at->set->frame[frame];
  cardan__row_add_wrench(at, to, on->body, cardan__frame_wrench(on, at->view, f));
}

/* Torque t (world axes) on a frame's body. */
static inline void cardan__row_add_torque(const cardan__row_at *at, const cardan__entries *to,
                                          int frame, cardan_vec3 t)
{
  const int body = at->set->frame[frame].body;
  const cardan_force F = {.t = cardan__mat3_tmulv(&at->view->X_W[body].R, t)};
  cardan__row_add_wrench(at, to, body, F);
}

/* Adds to the row's entry for a velocity. */
static inline void cardan__row_add_dof(const cardan__row_at *at, const cardan__entries *to, int dof,
                                       double value)
{
  const int *dofs = &at->set->row_dof[at->row->dadr];
  for (int i = 0; i < at->row->nd; i++) {
    if (dofs[i] == dof) {
      to->c[i] += value;
    }
  }
}

/* ---- rates of entries ----
 * An entry is a force f at a point fixed in a body, or a torque t on it, in the body's coordinates.
 * With f and its rate f' in world axes and w the body's angular velocity,
 *   d/dt (R^T f) = R^T (f' - w x f)                                                      (E1)
 * so the rate of an entry is the entry of another force, f' - w x f, at the same point. */

/* A world vector and its rate. */
typedef struct {
  cardan_vec3 x, dx;
} cardan__rate;

/* (E1), world axes */
static inline cardan_vec3 cardan__row_seen_from(const cardan__row_at *at, int body, cardan__rate f)
{
  const cardan_vec3 w = cardan__mat3_mulv(&at->view->X_W[body].R, at->view->V[body].w);
  return cardan__vec3_sub(f.dx, cardan__vec3_cross(w, f.x));
}

static inline void cardan__row_change_force(const cardan__row_at *at, const cardan__entries *to,
                                            int frame, cardan__rate f)
{
  const int body = at->set->frame[frame].body;
  cardan__row_add_force(at, to, frame, cardan__row_seen_from(at, body, f));
}

static inline void cardan__row_change_torque(const cardan__row_at *at, const cardan__entries *to,
                                             int frame, cardan__rate t)
{
  const int body = at->set->frame[frame].body;
  cardan__row_add_torque(at, to, frame, cardan__row_seen_from(at, body, t));
}
