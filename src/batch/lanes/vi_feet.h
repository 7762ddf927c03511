/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_feet.h - contacts of points and balls with a plane that is fixed to the world, in
 * a variational step in lanes: what is closed, and its rows. vi_cones.h has their law.
 *
 * A foot is a ball of radius R about c in its body (R may be 0). With n the plane's normal and t
 * across it in the body's axes at node k, and D, w, r the displacement of the step there (rotation,
 * quaternion), dc the way of c,
 *   gap' = gap + n . dc,     Phi_0 = kappa gap + n . dc,   kappa = h / (5 dt)              (F1)
 *   Phi_t = t . (dc - 4 R g w r x n),   g = b / sin 2b,   sin b = |r x n|                    (F2)
 * (F2) is (F4) of contact/feature.h: the point whose way this is is c - R g (n + D^T n)
 * (contact/feature_arc.c for a flat B). Impulses act at c - R n, which touches at the node.
 *
 * With G the rows of the node, S = G M^-1 G^T comes from inward passes along the path to the world
 * alone (vi_loops.h). So the same S serves r^+ of the node before and the directions of the step.
 * Its rows are three of each foot that is closed, then those of loops.
 *
 * A foot that slides fast at a node has its friction of the first half of the step along the
 * direction of sliding there, t_0 (slide of run/contact_step.c). What "fast" is depends on its
 * normal impulse in the step before and on the trace of S over its tangents at the node: s->past,
 * which copies take along between lanes and the scalar code. */
#pragma once
#include "batch/lanes/vi_loops.h"

#define CARDAN__FOOT_CLOSED 1e-8 // as contact/contacts.h has it
#define CARDAN__FOOT_NEAR 1e-6   // [m] an open gap that a lane may have
#define CARDAN__FOOT_WIDE 0.015  // largest sin^2 b for the series of g
#define CARDAN__FOOT_SLIDES 1e-9 // [m/s] a speed that counts, at a node
#define CARDAN__FOOT_FAST 4      // of what friction can do to a speed in half a step

/* ---- the node ---- */

/* Two directions across a unit vector. */
static inline void make_across(real3 n, real3 *t)
{
  const real one = real_of(1), sign = of_bits(bits_of(one) | (bits_of(n.z) & mask_of(INT64_MIN)));
  const real a = real_of(-1) / (sign + n.z), b = (n.x * n.y) * a;
  t[0] = (real3){madd(sign * a, n.x * n.x, one), sign * b, -(sign * n.x)};
  t[1] = (real3){b, madd(a, n.y * n.y, sign), -n.y};
}

static inline int place_count(const cardan__lanes_model *m)
{
  return m->nfoot + m->nguard;
}

/* Impulses of a foot, from the tangents before to those of now. */
static inline void turn_tangents(vi_foot *f, const real3 *t)
{
  const real3 across = axpy3(f->lambda[1], f->t[0], scale3(f->lambda[2], f->t[1]));
  for (int k = 0; k < 2; k++) {
    f->t[k] = t[k];
    f->lambda[k + 1] = dot3(t[k], across);
  }
}

enum { VI_FOOT_NUMBERS = offsetof(vi_foot, closed) / sizeof(real) };

/* Gaps and directions of the node, whose joints are placed, in the lanes of a mask. */
CARDAN__WHOLE void place_feet(const vi_lanes *s, mask on)
{
  const cardan__lanes_model *m = s->model;
  s->normal[0] = real3_of(m->plane_normal);
  s->height[0] = real_of(-m->plane_offset);
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    const real3 n = s->normal[b->parent];
    s->normal[i] = to_child(b, &s->pass, &s->pass.link[i], n);
    s->height[i] = dot3_add(n, origin_of(b, &s->pass, s->q), s->height[b->parent]);
  }
  for (int j = 0; j < place_count(m); j++) {
    const cardan__lanes_foot *is = &m->foot[j];
    vi_foot *f = &s->foot[j];
    const real3 c = real3_of(is->c);
    const real R = real_of(is->radius);
    const vi_foot before = *f;
    f->n = s->normal[is->body];
    f->gap = dot3_add(f->n, c, s->height[is->body]) - R;
    f->at = less3(R, f->n, c);
    real3 t[2];
    make_across(f->n, t);
    turn_tangents(f, t);
    renew_lanes(~on, VI_FOOT_NUMBERS, (const real *)&before, (real *)f);
  }
}

/* Feet that are closed in a lane that is in use; their matrix is made again where others are. */
static void list_feet(vi_lanes *s)
{
  vi_head *h = s->head;
  int n = 0;
  s->standing = s->model->nrow > 0 ? ~*s->left : mask_of(0);
  for (int j = 0; j < s->model->nfoot; j++) {
    const mask closed = s->foot[j].closed & ~*s->left;
    if (any(closed)) {
      h->factored = n < h->nactive && h->active[n] == j ? h->factored : VI_NO_PIVOTS;
      h->active[n++] = j;
      s->standing |= closed;
    }
  }
  h->factored = n == h->nactive ? h->factored : VI_NO_PIVOTS;
  h->nactive = n;
}

/* Of a closed foot at a node, whose body has the twist V there: does it slide fast? t_0 is then
 * where to. Its speed along t, to rate. */
static inline void turn_to_sliding(const vi_lanes *s, int j, real6 V)
{
  const cardan__lanes_foot *is = &s->model->foot[j];
  vi_foot *f = &s->foot[j];
  const real *past = s->past + 2 * j, none = real_of(0), one = real_of(1);
  const real3 v = cross3_add(V.w, f->at, V.v);
  const real u[2] = {dot3(f->t[0], v), dot3(f->t[1], v)};
  const real speed = root(madd(u[0], u[0], u[1] * u[1]));
  const real least = real_of(CARDAN__FOOT_FAST * is->mu) * past[1] * past[0];
  f->fast = is_less(real_of(CARDAN__FOOT_SLIDES), speed) & is_less(least, speed);
  f->fast &= is->rows > 1 ? f->closed : mask_of(0);
  const real c = choose(f->fast, u[0] / speed, one), d = choose(f->fast, u[1] / speed, none);
  const real3 t[2] = {axpy3(c, f->t[0], scale3(d, f->t[1])),
                      axpy3(c, f->t[1], scale3(-d, f->t[0]))};
  turn_tangents(f, t);
  f->rate[0] = choose(f->fast, speed, u[0]);
  f->rate[1] = choose(f->fast, none, u[1]);
}

/* In the lanes of a mask: which feet are closed, the rates of the gaps, and what slides. After
 * start_momenta, with s->past. */
static void start_feet(const vi_lanes *s, mask on)
{
  const real h = real_of(2 * s->e), none = real_of(0);
  for (int j = 0; j < place_count(s->model); j++) {
    const cardan__lanes_foot *is = &s->model->foot[j];
    vi_foot *f = &s->foot[j];
    const real6 V = s->pass.link[is->body].A;
    const real3 v = cross3_add(V.w, real3_of(is->c), V.v);
    const mask near = is_most(f->gap, real_of(CARDAN__FOOT_CLOSED));
    const vi_foot before = *f;
    f->closed = (near & on) | (f->closed & ~on);
    f->way = choose(on, h * dot3(f->n, v), f->way);
    if (j >= s->model->nfoot) {
      continue;
    }
    f->lambda[0] = h * s->past[2 * j];
    f->lambda[1] = f->lambda[2] = f->rho[0] = f->rho[1] = none;
    turn_to_sliding(s, j, V);
    renew_lanes(~on, VI_FOOT_NUMBERS, (const real *)&before, (real *)f);
    f->fast = (f->fast & on) | (before.fast & ~on);
  }
}

/* kappa of (F1): 0 where a landing left a closed foot overlapping (run/contact_locate.c). */
static real find_kappa(const vi_lanes *s)
{
  mask over = mask_of(0);
  for (int j = 0; j < s->model->nfoot; j++) {
    over |= s->foot[j].closed & is_less(s->foot[j].gap, real_of(-CARDAN__FOOT_CLOSED));
  }
  return choose(over, real_of(0), real_of(fmin(0.4 * s->e / s->head->dt, 1)));
}

/* ---- rows ---- */

/* Row k counts in these lanes. */
static inline mask row_counts(const vi_lanes *s, int j, int k)
{
  return k < s->model->foot[j].rows ? s->foot[j].closed : mask_of(0);
}

static inline real3 row_direction(const vi_foot *f, int k)
{
  return k == 0 ? f->n : f->t[k - 1];
}

/* Phi of a foot to phi: 3. returns lanes that turn too far for (F2) */
static inline mask foot_values(const vi_lanes *s, int j, real *phi)
{
  const cardan__lanes_foot *is = &s->model->foot[j];
  const vi_foot *f = &s->foot[j];
  const screw *Q = &s->body[is->body].Q;
  real3 way = swing_way(Q->r.w, Q->r.v, Q->d.w, Q->d.v, real3_of(is->c));
  const real3 turn = cross3(Q->r.v, f->n);
  const real sigma = dot3(turn, turn),
             g = real_of(2 * is->radius) * (real_of(1) + swing_phi(sigma));
  phi[0] = madd(s->kappa, f->gap, dot3(f->n, way));
  way = less3(g * Q->r.w, turn, way);
  phi[1] = dot3(f->t[0], way);
  phi[2] = dot3(f->t[1], way);
  return is->radius > 0 ? ~is_less(sigma, real_of(CARDAN__FOOT_WIDE)) & f->closed : mask_of(0);
}

/* All Phi, to s->phi; lanes that turn too far are near. */
CARDAN__WHOLE void value_feet(vi_lanes *s)
{
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    real *phi = &s->phi[3 * i];
    s->near |= foot_values(s, j, phi) & ~*s->left;
    for (int k = 0; k < 3; k++) {
      phi[k] = choose(row_counts(s, j, k), phi[k], real_of(0));
    }
  }
  for (int j = 0; j < s->model->nrow; j++) {
    s->phi[3 * s->head->nactive + j] = row_value(s, &s->model->row[j]);
  }
}

/* ---- S ---- */

/* Rows of S. */
static inline int count_rows(const vi_lanes *s)
{
  return 3 * s->head->nactive + s->model->nrow;
}

/* u of all rows of active foot i. */
static inline void respond_foot(const vi_lanes *s, int i)
{
  const int j = s->head->active[i], nv = s->model->nv;
  const vi_foot *f = &s->foot[j];
  for (int k = 0; k < 3; k++) {
    const real3 d = row_direction(f, k);
    real6 W = {cross3(f->at, d), d};
    for (int v = 0; v < nv; v++) {
      s->U[(3 * i + k) * nv + v] = real_of(0);
    }
    for (int body = s->model->foot[j].body; body > 0; body = s->model->body[body].parent) {
      W = respond_joint(s, body, W, &s->U[(3 * i + k) * nv]);
    }
  }
}

/* Adds what a body's joint adds to S of the rows of two active feet, to S: 3 x 3. */
static inline void add_products(const vi_lanes *s, int body, const real *ua, const real *ub,
                                real *S)
{
  const cardan__lanes_body *b = &s->model->body[body];
  const int nv = s->model->nv;
  for (int v = b->vadr; v < b->vadr + joint_nv(b); v++) {
    for (int k = 0; k < 3; k++) {
      const real u = is_z(b) ? s->pass.link[body].inv_d * ua[k * nv + v] : ua[k * nv + v];
      for (int l = 0; l < 3; l++) {
        S[3 * k + l] = madd(u, ub[l * nv + v], S[3 * k + l]);
      }
    }
  }
}

/* Block (a, b) of S, b <= a. */
static inline void product_of(const vi_lanes *s, int a, int b)
{
  const cardan__lanes_model *m = s->model;
  const int ja = s->head->active[a], jb = s->head->active[b], n = count_rows(s);
  int x = m->foot[ja].body, y = m->foot[jb].body;
  real S[9];
  for (int k = 0; k < 9; k++) {
    S[k] = real_of(0);
  }
  while (x != y) {
    if (x > y) {
      x = m->body[x].parent;
    } else {
      y = m->body[y].parent;
    }
  }
  for (; x > 0; x = m->body[x].parent) {
    add_products(s, x, &s->U[3 * a * m->nv], &s->U[3 * b * m->nv], S);
  }
  for (int k = 0; k < 3; k++) {
    for (int l = 0; l < 3; l++) {
      const mask both = row_counts(s, ja, k) & row_counts(s, jb, l);
      const real other = real_of(a == b && k == l ? 1 : 0);
      s->S[(3 * a + k) * n + 3 * b + l] = choose(both, S[3 * k + l], other);
      s->S[(3 * b + l) * n + 3 * a + k] = choose(both, S[3 * k + l], other);
    }
  }
}

/* Trace of S over the tangents of active foot i. */
static inline real trace_of(const vi_lanes *s, int i)
{
  const int n = count_rows(s), row = 3 * i + 1;
  return s->S[row * (n + 1)] + s->S[(row + 1) * (n + 1)];
}

/* 1 / the trace of S over the normal and over the tangents of active foot i, to rho: 2. */
static inline void scale_foot(const vi_lanes *s, int i, real *rho)
{
  const real trace[2] = {s->S[3 * i * (count_rows(s) + 1)], trace_of(s, i)};
  for (int k = 0; k < 2; k++) {
    rho[k] = choose(is_less(real_of(0), trace[k]), real_of(1) / trace[k], real_of(1));
  }
}

/* Rows of S of the loops. */
static inline void multiply_loops(const vi_lanes *s)
{
  const int n = count_rows(s), feet = 3 * s->head->nactive, nv = s->model->nv;
  for (int a = 0; a < s->model->nrow; a++) {
    const real *own = &s->U[(feet + a) * nv];
    respond_row(s, a, &s->U[(feet + a) * nv]);
    for (int c = 0; c <= feet + a; c++) {
      const mask counts = c < feet ? row_counts(s, s->head->active[c / 3], c % 3) : mask_of(-1);
      const real x = choose(counts, row_product(s, a, own, &s->U[c * nv]), real_of(0));
      s->S[(feet + a) * n + c] = s->S[c * n + feet + a] = x;
    }
  }
}

/* S of the node, after the factor of M. Scales of feet that have none are those of this S. */
CARDAN__WHOLE void make_products(const vi_lanes *s)
{
  for (int a = 0; a < s->head->nactive; a++) {
    respond_foot(s, a);
    for (int b = 0; b <= a; b++) {
      product_of(s, a, b);
    }
    vi_foot *f = &s->foot[s->head->active[a]];
    const mask fresh = is_most(f->rho[0], real_of(0));
    real rho[2];
    scale_foot(s, a, rho);
    for (int k = 0; k < 2; k++) {
      f->rho[k] = choose(fresh, rho[k], f->rho[k]);
    }
  }
  multiply_loops(s);
}

/* Adds G V to b (rows), with the velocities y (nv) and twists that solve_mass left. */
static inline void add_rates(const vi_lanes *s, const real *y, real *b)
{
  for (int j = 0; j < s->model->nrow; j++) {
    real *own = &b[3 * s->head->nactive + j];
    *own = *own + row_rate(s, j, y);
  }
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    const vi_foot *f = &s->foot[j];
    const real6 V = s->pass.link[s->model->foot[j].body].A;
    const real3 v = cross3_add(V.w, f->at, V.v);
    for (int k = 0; k < 3; k++) {
      const real rate = dot3(row_direction(f, k), v);
      b[3 * i + k] = b[3 * i + k] + choose(row_counts(s, j, k), rate, real_of(0));
    }
  }
}

/* G^T r as joint forces to z: nv, r: of all rows. Spoils F of the bodies. */
static void pull_feet(const vi_lanes *s, const real *r, real *z)
{
  const real none = real_of(0);
  for (int i = 1; i < s->model->nbody; i++) {
    s->body[i].F = (real6){{none, none, none}, {none, none, none}};
  }
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    real6 *F = &s->body[s->model->foot[j].body].F;
    *F = add6(*F, foot_wrench(&s->foot[j], r + 3 * i));
  }
  const real *loops = r + 3 * s->head->nactive;
  for (int j = 0; j < s->model->nrow; j++) {
    add_row_wrench(s, j, loops[j]);
  }
  project_all(s, z);
  add_row_forces(s, loops, z);
}
