/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/vi_feet.h - contacts of points and balls with a plane that is fixed to the world, in
 * a variational step in lanes: those that stay closed and stick, as rows of (H1) of
 * methods/discrete/border_held.c without cones.
 *
 * A foot is a ball of radius R about c in its body (R may be 0). With n the plane's normal and t
 * across it in the body's axes at node k, and D, w, r the displacement of the step there (rotation,
 * quaternion), dc the way of c,
 *   gap' = gap + n . dc,     Phi_0 = kappa gap + n . dc,   kappa = h / (5 dt)              (F1)
 *   Phi_t = t . (dc - 4 R g w r x n),   g = b / sin 2b,   sin b = |r x n|                    (F2)
 * (F2) is (F4) of contact/feature.h: the point whose way this is is c - R g (n + D^T n)
 * (contact/feature_arc.c for a flat B). Impulses act at c - R n, which touches at the node.
 *
 * Directions are those of RIQN with rows of the node: with G these rows, S = G M^-1 G^T,
 *   S sigma = -Phi + G M^-1 f,   x + M^-1 (G^T sigma - f),   lambda + sigma                  (F3)
 * and S comes from inward passes along the path to the world alone: with u_i the impulses that a
 * row leaves to joint i and D_i its pivot, S_ab = sum over common joints of u_a D^-1 u_b. So the
 * same S serves r^+ of the node before and the directions of the step. Contacts may depend on one
 * another: S + eps 1 is factored, and what that leaves is corrected by the next direction.
 *
 * Where rows depend on one another, impulses are not unique, and which feet hold may depend on
 * them: such a lane falls back if they use more than half of a cone, or if dry friction holds a
 * joint too.
 *
 * A lane falls back if a foot that is closed is pulled or would slide, and if an open one may close
 * (limits.h), or a solid that is no foot comes near (its bounding sphere). */
#pragma once
#include "batch/lanes/vi_limits.h"

#define CARDAN__FOOT_CLOSED 1e-8    // as contact/contacts.h has it
#define CARDAN__FOOT_NEAR 1e-6      // [m] an open gap that a lane may have
#define CARDAN__FOOT_WIDE 0.015     // largest sin^2 b for the series of g
#define CARDAN__FOOT_EPS 1e-10      // eps of (F3), of the largest entry of S
#define CARDAN__FOOT_REDUNDANT 1e-6 // a pivot of S is one of a row that others make redundant
#define CARDAN__FOOT_SHARE 0.5      // of a cone, which impulses of such rows may use

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

/* Gaps and directions of the node, whose joints are placed. */
CARDAN__WHOLE void place_feet(const vi_lanes *s)
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
    f->n = s->normal[is->body];
    f->gap = dot3_add(f->n, c, s->height[is->body]) - R;
    f->at = less3(R, f->n, c);
    make_across(f->n, f->t);
  }
}

/* Feet that are closed in a lane that is in use; their matrix is made again where others are. */
static void list_feet(vi_lanes *s)
{
  vi_head *h = s->head;
  int n = 0;
  s->standing = mask_of(0);
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

/* In the lanes of a mask: which feet are closed, and the rates of the gaps. After start_momenta. */
static void start_feet(const vi_lanes *s, mask on)
{
  const real h = real_of(2 * s->e), none = real_of(0);
  for (int j = 0; j < place_count(s->model); j++) {
    const cardan__lanes_foot *is = &s->model->foot[j];
    vi_foot *f = &s->foot[j];
    const real6 V = s->pass.link[is->body].A;
    const real3 v = cross3_add(V.w, real3_of(is->c), V.v);
    const mask near = is_most(f->gap, real_of(CARDAN__FOOT_CLOSED));
    f->closed = (near & on) | (f->closed & ~on);
    f->way = choose(on, h * dot3(f->n, v), f->way);
    for (int k = 0; k < 3; k++) {
      f->lambda[k] = choose(on, none, f->lambda[k]);
    }
  }
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
  const double kappa = fmin(0.4 * s->e / s->head->dt, 1);
  real3 way = swing_way(Q->r.w, Q->r.v, Q->d.w, Q->d.v, real3_of(is->c));
  const real3 turn = cross3(Q->r.v, f->n);
  const real sigma = dot3(turn, turn),
             g = real_of(2 * is->radius) * (real_of(1) + swing_phi(sigma));
  phi[0] = madd(real_of(kappa), f->gap, dot3(f->n, way));
  way = less3(g * Q->r.w, turn, way);
  phi[1] = dot3(f->t[0], way);
  phi[2] = dot3(f->t[1], way);
  return is->radius > 0 ? ~is_less(sigma, real_of(CARDAN__FOOT_WIDE)) & f->closed : mask_of(0);
}

/* All Phi, to s->phi. returns the largest over its tolerance; lanes that turn too far are near */
CARDAN__WHOLE real measure_feet(vi_lanes *s)
{
  real largest = real_of(0);
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    real *phi = &s->phi[3 * i];
    s->near |= foot_values(s, j, phi) & ~*s->left;
    for (int k = 0; k < 3; k++) {
      phi[k] = choose(row_counts(s, j, k), phi[k], real_of(0));
      largest = larger(magnitude(phi[k]), largest);
    }
  }
  return real_of(1 / (CARDAN__FOOT_TOL * (1 + s->model->length))) * largest;
}

/* ---- S ---- */

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

/* What a wrench on body i leaves to its joint, to u (nv of the model); returns what the
 * parent gets, in its frame. */
static inline real6 respond_joint(const vi_lanes *s, int i, real6 W, real *u)
{
  const cardan__lanes_body *b = &s->model->body[i];
  const link *l = &s->pass.link[i];
  if (is_z(b)) {
    u[b->vadr] = project(b, W);
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

/* u of all rows of active foot i. */
static inline void respond_foot(const vi_lanes *s, int i)
{
  const int j = s->head->active[i], nv = s->model->nv;
  const vi_foot *f = &s->foot[j];
  for (int k = 0; k < 3; k++) {
    const real3 d = row_direction(f, k);
    real6 W = {cross3(f->at, d), d};
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
  const int ja = s->head->active[a], jb = s->head->active[b], n = 3 * s->head->nactive;
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

/* S of the node and its factor, after those of M. returns lanes where there is none */
CARDAN__WHOLE mask factor_feet(const vi_lanes *s)
{
  const int n = 3 * s->head->nactive;
  real most = real_of(0);
  mask bad = mask_of(0), redundant = mask_of(0);
  for (int a = 0; a < s->head->nactive; a++) {
    respond_foot(s, a);
    for (int b = 0; b <= a; b++) {
      product_of(s, a, b);
    }
    for (int k = 0; k < 3; k++) {
      const mask counts = row_counts(s, s->head->active[a], k);
      most = choose(counts, larger(most, s->S[(3 * a + k) * (n + 1)]), most);
    }
  }
  const real eps = real_of(CARDAN__FOOT_EPS) * most;
  for (int j = 0; j < n; j++) {
    for (int i = j; i < n; i++) {
      real x = s->S[i * n + j];
      x = i == j ? x + eps : x;
      for (int k = 0; k < j; k++) {
        x = nmadd(s->L[i * n + k], s->L[j * n + k], x);
      }
      if (i == j) {
        redundant |= ~is_less(real_of(CARDAN__FOOT_REDUNDANT) * s->S[j * (n + 1)], x);
        bad |= ~is_less(real_of(0), x);
      }
      s->L[i * n + j] = i == j ? real_of(1) / root(x) : x * s->L[j * n + j];
    }
  }
  *s->redundant = redundant & s->standing;
  return bad & s->standing;
}

/* x := (S + eps)^-1 x */
static inline void solve_feet(const vi_lanes *s, real *x)
{
  const int n = 3 * s->head->nactive;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) {
      x[j] = nmadd(s->L[j * n + k], x[k], x[j]);
    }
    x[j] = x[j] * s->L[j * n + j];
  }
  for (int j = n - 1; j >= 0; j--) {
    for (int k = j + 1; k < n; k++) {
      x[j] = nmadd(s->L[k * n + j], x[k], x[j]);
    }
    x[j] = x[j] * s->L[j * n + j];
  }
}

/* Adds -G V to b (rows), V the twists that solve_mass left. */
static inline void subtract_rates(const vi_lanes *s, real *b)
{
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    const vi_foot *f = &s->foot[j];
    const real6 V = s->pass.link[s->model->foot[j].body].A;
    const real3 v = cross3_add(V.w, f->at, V.v);
    for (int k = 0; k < 3; k++) {
      const real rate = dot3(row_direction(f, k), v);
      b[3 * i + k] = b[3 * i + k] - choose(row_counts(s, j, k), rate, real_of(0));
    }
  }
}

/* G^T r as joint forces to z: nv, r: 3 of each active foot. Spoils F of the bodies. */
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
  project_all(s, z);
}

/* y: nv, = M^-1 (G^T sigma + y), (F3): sigma to s->sigma. refine: to rounding. z is overwritten */
static void solve_with_feet(const vi_lanes *s, const real *phi, bool refine, real *y, real *z)
{
  const int nv = s->model->nv, n = 3 * s->head->nactive;
  real *b = s->rest, *x = s->sigma;
  memcpy(z, y, (size_t)nv * sizeof *y);
  solve_mass(s, y);
  for (int k = 0; k < n; k++) {
    b[k] = phi != NULL ? -phi[k] : real_of(0);
  }
  subtract_rates(s, b);
  memcpy(x, b, (size_t)n * sizeof *x);
  solve_feet(s, x);
  for (int round = 0; round < 2 && refine; round++) {
    real *rest = s->rest + n;
    for (int i = 0; i < n; i++) {
      rest[i] = b[i];
      for (int k = 0; k < n; k++) {
        rest[i] = nmadd(s->S[i * n + k], x[k], rest[i]);
      }
    }
    solve_feet(s, rest);
    for (int i = 0; i < n; i++) {
      x[i] = x[i] + rest[i];
    }
  }
  pull_feet(s, x, y);
  for (int k = 0; k < nv; k++) {
    y[k] = y[k] + z[k];
  }
  solve_mass(s, y);
}

/* lambda + sigma in the lanes of a mask. */
static void add_impulses(const vi_lanes *s, mask on)
{
  for (int i = 0; i < 3 * s->head->nactive; i++) {
    real *lambda = &s->foot[s->head->active[i / 3]].lambda[i % 3];
    *lambda = *lambda + choose(on, s->sigma[i], real_of(0));
  }
}

/* ---- the end of a step ---- */

/* Closed feet whose impulses r (3 of each) are not within their cones, with friction to spare. */
static inline mask leaves_cone(const vi_lanes *s, int j, const real *r)
{
  const double mu = s->model->foot[j].mu;
  const real grip = choose(*s->redundant, real_of(CARDAN__FOOT_SHARE * mu), real_of(mu)) * r[0];
  const mask held = is_most(real_of(0), r[0]) & is_most(madd(r[1], r[1], r[2] * r[2]), grip * grip);
  return s->foot[j].closed & ~held;
}

/* Before a step is accepted: lanes that are to fall back. Stores how far gaps have changed. */
CARDAN__WHOLE mask check_step_feet(const vi_lanes *s)
{
  const cardan__lanes_model *m = s->model;
  mask near = mask_of(0);
  for (int j = 0; j < place_count(m); j++) {
    const cardan__lanes_foot *is = &m->foot[j];
    vi_foot *f = &s->foot[j];
    const screw *Q = &s->body[is->body].Q;
    const real d = dot3(f->n, swing_way(Q->r.w, Q->r.v, Q->d.w, Q->d.v, real3_of(is->c)));
    const real least = smaller(f->gap, f->gap + d);
    const real need = magnitude(d) + (magnitude(d - f->way) + real_of(CARDAN__FOOT_NEAR));
    near |= ~is_less(need, least) & ~f->closed;
    f->way = d;
    if (j < m->nfoot) {
      near |= leaves_cone(s, j, f->lambda);
    }
  }
  return near;
}

/* r^+ of a node, h times it in s->sigma, becomes momentum. returns lanes that are to fall back */
static mask join_feet(const vi_lanes *s)
{
  mask near = mask_of(0);
  for (int i = 0; i < s->head->nactive; i++) {
    const int j = s->head->active[i];
    const vi_foot *f = &s->foot[j];
    real6 *N = &s->body[s->model->foot[j].body].N;
    *N = add6(*N, foot_wrench(f, &s->sigma[3 * i]));
    near |= leaves_cone(s, j, &s->sigma[3 * i]);
    near |= f->closed & ~is_most(magnitude(f->gap), real_of(CARDAN__FOOT_CLOSED));
  }
  return near;
}
