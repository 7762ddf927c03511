/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_loops.h - constraints that close loops, in a variational step in lanes: rows of
 * constraints/row_frames.c and row_coordinates.c that do not depend on time.
 *
 * A row has wrenches W on up to three bodies, in their axes about their origins, or factors c of
 * two velocities:
 *   Phi(q^{k+1}) = 0,   G v = sum of W . V + sum of c v,   impulses G_k^T lambda              (L1)
 * The velocities of a node are those with G v = 0; the impulses that this takes stay out of the
 * node's momentum, since the next step has the same rows there.
 *
 * S = G M^-1 G^T, of these rows and of feet: with u_i the impulses that a row leaves to joint i and
 * D_i its pivot, S_ab = sum over joints of u_a D^-1 u_b. */
#pragma once
#include "batch/lanes/vi_limits.h"

/* ---- responses ---- */

/* L^-1 x of a factor of joints of several velocities. */
static inline void forward_solve(int n, const real *L, real *x)
{
  for (int j = 0; j < n; j++) {
    const real *row = L + j * (j + 1) / 2;
    for (int k = 0; k < j; k++) {
      x[j] = nmadd(row[k], x[k], x[j]);
    }
    x[j] = x[j] * row[j];
  }
}

/* What a wrench on body i, and what is in u of its joint, leave to that joint, to u (nv of the
 * model); returns what the parent gets, in its frame. */
static inline real6 respond_joint(const vi_lanes *s, int i, real6 W, real *u)
{
  const cardan__lanes_body *b = &s->model->body[i];
  const link *l = &s->pass.link[i];
  if (is_z(b)) {
    u[b->vadr] = u[b->vadr] + project(b, W);
    W = axpy6(-(l->inv_d * u[b->vadr]), l->U, W);
  } else {
    const multi_link *M = &s->pass.multi[b->multi];
    const real none = real_of(0);
    const real3 zero = {none, none, none};
    real x[6];
    to_array(W, x);
    forward_solve(joint_nv(b), M->L, x);
    memcpy(u + b->vadr, x, (size_t)joint_nv(b) * sizeof *x);
    W.v = b->kind == CARDAN_LINK_FREE
              ? zero
              : mat3_tmul_add(&M->B, scale3(real_of(-1), solve3(M->L, W.w)), W.v);
    W.w = zero;
  }
  return b->flags & CARDAN__LANES_ROOT ? W : force_up(s, b, i, W);
}

/* ---- places ---- */

/* World axes in those of the bodies, and origins, at the node. */
CARDAN__WHOLE void place_bodies(const vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  const real none = real_of(0), one = real_of(1);
  if (m->nrow == 0) {
    return;
  }
  s->place[0] =
      (vi_place){{{one, none, none}, {none, one, none}, {none, none, one}}, {none, none, none}};
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    const vi_place *l = &s->place[b->parent];
    const real3 p = origin_of(b, &s->pass, s->q);
    vi_place *to = &s->place[i];
    for (int k = 0; k < 3; k++) {
      to->axis[k] = to_child(b, &s->pass, &s->pass.link[i], l->axis[k]);
    }
    to->p = (real3){dot3_add(l->axis[0], p, l->p.x), dot3_add(l->axis[1], p, l->p.y),
                    dot3_add(l->axis[2], p, l->p.z)};
  }
}

/* A vector of a body in world axes, and back. */
static inline real3 to_world(const vi_place *at, real3 a)
{
  return (real3){dot3(at->axis[0], a), dot3(at->axis[1], a), dot3(at->axis[2], a)};
}

static inline real3 to_body(const vi_place *at, real3 a)
{
  return axpy3(a.x, at->axis[0], axpy3(a.y, at->axis[1], scale3(a.z, at->axis[2])));
}

/* Point c and direction u of body i in the world: at the node, or where the step ends. */
static inline real3 world_point(const vi_lanes *s, int i, bool end, const double *c)
{
  const vi_place *at = &s->place[i];
  real3 a = real3_of(c);
  if (end && i > 0) {
    const screw *Q = &s->body[i].Q;
    a = add3(a, swing_way(Q->r.w, Q->r.v, Q->d.w, Q->d.v, a));
  }
  return add3(at->p, to_world(at, a));
}

static inline real3 world_axis(const vi_lanes *s, int i, bool end, const double *u)
{
  const real3 a = real3_of(u);
  return to_world(&s->place[i], end && i > 0 ? quat_rotate(s->body[i].Q.r, a) : a);
}

/* What a row is made of: axes, and d from its first point to its second. */
typedef struct {
  real3 u, w, d;
} vi_parts;

static inline vi_parts parts_of(const vi_lanes *s, const cardan__lanes_row *r, bool end)
{
  return (vi_parts){
      world_axis(s, r->body[r->kind == CARDAN_ROW_POINT ? 2 : 0], end, r->u),
      world_axis(s, r->body[1], end, r->w),
      sub3(world_point(s, r->body[1], end, r->at[1]), world_point(s, r->body[0], end, r->at[0]))};
}

/* Phi where the step ends. */
static inline real row_value(const vi_lanes *s, const cardan__lanes_row *r)
{
  if (r->kind == CARDAN_ROW_COORD) {
    real sum = real_of(-r->value);
    for (int k = 0; k < 2; k++) {
      sum = madd(real_of(r->coef[k]), s->q[r->var[k]] + s->x[r->dof[k]], sum);
    }
    return sum;
  }
  const vi_parts at = parts_of(s, r, true);
  switch (r->kind) {
  case CARDAN_ROW_POINT:
    return -dot3(at.u, at.d);
  case CARDAN_ROW_DOT:
    return dot3(at.u, at.w) - real_of(r->value);
  case CARDAN_ROW_OFFSET:
    return dot3(at.u, at.d) - real_of(r->value);
  default: // a wire
    return real_of(0.5 / r->value) * (dot3(at.d, at.d) - real_of(r->value * r->value));
  }
}

/* ---- rows at the node ---- */

/* Force f (world axes) at a place of body k of a row, and torque t. */
static inline void put_wrench(const vi_lanes *s, int row, int k, real3 f, real3 t)
{
  const cardan__lanes_row *r = &s->model->row[row];
  const vi_place *at = &s->place[r->body[k]];
  const real3 own = to_body(at, f);
  s->row[row].W[k] = (real6){cross3_add(real3_of(r->at[k]), own, to_body(at, t)), own};
}

CARDAN__WHOLE void place_rows(const vi_lanes *s)
{
  const real none = real_of(0);
  const real3 zero = {none, none, none};
  for (int j = 0; j < s->model->nrow; j++) {
    const cardan__lanes_row *r = &s->model->row[j];
    const bool offset = r->kind == CARDAN_ROW_OFFSET;
    if (r->kind == CARDAN_ROW_COORD) {
      continue;
    }
    const vi_parts at = parts_of(s, r, false);
    const real3 f = r->kind == CARDAN_ROW_POINT  ? scale3(real_of(-1), at.u)
                    : r->kind == CARDAN_ROW_DOT  ? zero
                    : r->kind == CARDAN_ROW_WIRE ? scale3(real_of(1 / r->value), at.d)
                                                 : at.u;
    const real3 t = r->kind == CARDAN_ROW_DOT ? cross3(at.u, at.w)
                    : offset                  ? cross3(at.u, at.d)
                                              : zero;
    const real minus = real_of(-1);
    put_wrench(s, j, 0, scale3(minus, f), t);
    put_wrench(s, j, 1, f, r->kind == CARDAN_ROW_DOT ? scale3(minus, t) : zero);
    put_wrench(s, j, 2, zero,
               r->kind == CARDAN_ROW_POINT ? scale3(minus, cross3(at.u, at.d)) : zero);
  }
}

/* Adds r times the wrenches of a row to F of its bodies. */
static inline void add_row_wrench(const vi_lanes *s, int row, real r)
{
  const cardan__lanes_row *of = &s->model->row[row];
  for (int k = 0; k < 3 && of->kind != CARDAN_ROW_COORD; k++) {
    real6 *F = &s->body[of->body[k]].F;
    *F = axpy6(r, s->row[row].W[k], *F);
  }
}

/* Adds G^T r of rows on coordinates to z: nv. */
static inline void add_row_forces(const vi_lanes *s, const real *r, real *z)
{
  for (int j = 0; j < s->model->nrow; j++) {
    const cardan__lanes_row *of = &s->model->row[j];
    for (int k = 0; k < 2 && of->kind == CARDAN_ROW_COORD; k++) {
      z[of->dof[k]] = madd(real_of(of->coef[k]), r[j], z[of->dof[k]]);
    }
  }
}

/* G V of a row: V the twists and y (nv) the velocities that solve_mass left. */
static inline real row_rate(const vi_lanes *s, int row, const real *y)
{
  const cardan__lanes_row *of = &s->model->row[row];
  real sum = real_of(0);
  for (int k = 0; k < 2 && of->kind == CARDAN_ROW_COORD; k++) {
    sum = madd(real_of(of->coef[k]), y[of->dof[k]], sum);
  }
  for (int k = 0; k < 3 && of->kind != CARDAN_ROW_COORD; k++) {
    sum =
        sum + (of->body[k] > 0 ? dot6(s->row[row].W[k], s->pass.link[of->body[k]].A) : real_of(0));
  }
  return sum;
}

/* u of a row, to u: nv. Spoils F of the bodies. */
static inline void respond_row(const vi_lanes *s, int row, real *u)
{
  const cardan__lanes_model *m = s->model;
  const cardan__lanes_row *of = &m->row[row];
  const real none = real_of(0);
  for (int k = 0; k < m->nv; k++) {
    u[k] = none;
  }
  for (int i = 0; i < m->nbody; i++) {
    s->body[i].F = (real6){{none, none, none}, {none, none, none}};
  }
  for (int k = 0; k < 2 && of->kind == CARDAN_ROW_COORD; k++) {
    u[of->dof[k]] = u[of->dof[k]] + real_of(of->coef[k]);
  }
  add_row_wrench(s, row, real_of(1));
  for (int i = of->last; i > 0; i--) {
    real6 *up = &s->body[m->body[i].parent].F;
    if (of->path[i]) {
      *up = add6(*up, respond_joint(s, i, s->body[i].F, u));
    }
  }
}

/* S of a row and of u: nv of another. */
static inline real row_product(const vi_lanes *s, int row, const real *ua, const real *ub)
{
  const cardan__lanes_model *m = s->model;
  real sum = real_of(0);
  for (int i = 1; i <= m->row[row].last; i++) {
    const cardan__lanes_body *b = &m->body[i];
    for (int v = b->vadr; m->row[row].path[i] && v < b->vadr + joint_nv(b); v++) {
      const real u = is_z(b) ? s->pass.link[i].inv_d * ua[v] : ua[v];
      sum = madd(u, ub[v], sum);
    }
  }
  return sum;
}

/* Places and rows of the node; after place_node. */
static void place_loops(const vi_lanes *s)
{
  place_bodies(s);
  place_rows(s);
}

/* Lanes of a mask begin without impulses. */
static void start_loops(const vi_lanes *s, mask on)
{
  for (int j = 0; j < s->model->nrow; j++) {
    s->row[j].lambda = choose(on, real_of(0), s->row[j].lambda);
  }
}
