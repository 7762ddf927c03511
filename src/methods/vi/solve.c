// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kinematics/joint.h"
#include "kinematics/link.h"
#include "methods/vi/vi.h"
#include "methods/vi/vi_ball.h"
#include "model/body_paths.h"

/* The solve of J dq = r over the factors of vi_newton.c, O(nbody):
 *   u_i = r_i - S_i^T b_i,   b_l += X_i^T (b_i + U_i D_i^-1 u_i)         leaf to root          (N5)
 *   z = X_i zeta_l,  dq_i = D_i^-1 (u_i - W_i z),  zeta_i = z + S'_i dq_i   root to leaf       (N6)
 * Factors of joints of one velocity hold U and W / D in the parent's axes. So with k = u / D
 *   b_l += X_i^T b_i + U k,   dq_i = k - W zeta_l                                              (N7)
 * and what a body waits for is a turn or a product, not one after the other. Along a chain b and
 * zeta stay in registers. u holds k for these joints. */

/* x = D^-1 y of a joint of several velocities */
static inline void multi_solve(const cardan__vi_multi *f, int n, const double *y, double *x)
{
  for (int i = 0; i < n; i++) {
    double sum = 0;
    for (int j = 0; j < n; j++) {
      sum += f->inv_D[i * n + j] * y[j];
    }
    x[i] = sum;
  }
}

/* (N7): F += k U */
CARDAN__INLINE cardan_force add_U(const cardan__vi_factor *f, double k, cardan_force F)
{
  const double(*u)[4] = f->UW;
  return (cardan_force){{F.t.x + k * u[0][0], F.t.y + k * u[1][0], F.t.z + k * u[2][0]},
                        {F.f.x + k * u[0][1], F.f.y + k * u[1][1], F.f.z + k * u[2][1]}};
}

/* W zeta / D */
CARDAN__INLINE double W_of(const cardan__vi_factor *f, cardan_twist z)
{
  const double(*w)[4] = f->UW;
  return (w[0][2] * z.w.x + w[1][2] * z.w.y + w[2][2] * z.w.z) +
         (w[0][3] * z.v.x + w[1][3] * z.v.y + w[2][3] * z.v.z);
}

/* (N5) of one body that does not simply turn: its u, and what it hands to its parent, in place. */
static CARDAN__NOINLINE void reduce_other(const cardan__vi *s, int i, const double *r,
                                          cardan_force *force)
{
  const cardan_body *b = &s->base.model->body[i];
  const cardan_xform *X = &s->base.node->X[i];
  double *u = s->u + b->vadr, Sb[6] = {0}, x[6];
  const cardan__vi_multi *f = b->nv > 1 ? &s->multi[s->base.node->multi_of[i]] : NULL;
  if (f != NULL && f->is_free) {
    *force = cardan__vi_ball_reduce(&f->ball, X, r + b->vadr, *force, u);
    return;
  }
  cardan__joint_project(b, *force, Sb);
  for (int k = 0; k < b->nv; k++) {
    u[k] = r[b->vadr + k] - Sb[k];
  }
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    *force = cardan__force_to_parent(X, *force);
  } else if (b->nv == 1) {
    u[0] *= s->factor[i].inv_d;
    *force = add_U(&s->factor[i], u[0], cardan__force_to_parent(X, *force));
  } else {
    multi_solve(f, b->nv, u, x);
    for (int k = 0; k < b->nv; k++) {
      *force = cardan__force_axpy(x[k], f->U[k], *force);
    }
    *force = cardan__force_to_parent(X, *force);
  }
}

/* (N5) of one body; returns what it hands to its parent. */
CARDAN__INLINE cardan_force reduce(const cardan__vi *s, int i, cardan__vi_kin kin, const double *r,
                                   cardan_force force)
{
  if (kin.flags & CARDAN__VI_TURNS) {
    const cardan__vi_factor *f = &s->factor[i];
    const double k = f->inv_d * (r[kin.vadr] - force.t.z);
    s->u[kin.vadr] = k;
    return add_U(f, k, cardan__link_force(kin.link, &s->base.node->X[i], force));
  }
  cardan_force copy = force; // so that force itself has no address
  reduce_other(s, i, r, &copy);
  return copy;
}

/* (N6) of one body that does not simply turn, from its parent's zeta to its own. */
static CARDAN__NOINLINE void expand_other(const cardan__vi *s, int i, double *x, cardan_twist *z)
{
  const cardan_body *b = &s->base.model->body[i];
  const double *u = s->u + b->vadr;
  double *dq = x + b->vadr, y[6];
  const cardan_twist parent = *z;
  *z = cardan__twist_to_child(&s->base.node->X[i], parent);
  if (b->flags & CARDAN_LINK_KINEMATIC) {
    dq[0] = 0;
  } else if (b->nv == 1) {
    const cardan__vi_factor *f = &s->factor[i];
    dq[0] = u[0] - W_of(f, parent);
    *z = cardan__twist_axpy(dq[0], f->S, *z);
  } else {
    const cardan__vi_multi *f = &s->multi[s->base.node->multi_of[i]];
    if (f->is_free) {
      *z = cardan__vi_ball_expand(&f->ball, u, *z, dq);
      return;
    }
    for (int k = 0; k < b->nv; k++) {
      y[k] = u[k] - cardan__power(*z, f->W[k]);
    }
    multi_solve(f, b->nv, y, dq);
    for (int k = 0; k < b->nv; k++) {
      *z = cardan__twist_axpy(dq[k], f->S[k], *z);
    }
  }
}

static void expand_all(cardan__vi *s, int from, int to, double *x)
{
  const cardan_xform *X = s->base.node->X;
  cardan_twist z = {.w = {0, 0, 0}}; // zeta of body i - 1, mostly the parent
  s->zeta[0] = z;
  for (int i = from; i < to; i++) {
    const cardan__vi_kin kin = s->kin[i];
    if (!(kin.flags & CARDAN__VI_FOLLOWS)) {
      z = s->zeta[kin.parent];
    }
    if (kin.flags & CARDAN__VI_TURNS) {
      const cardan__vi_factor *f = &s->factor[i];
      const double dq = s->u[kin.vadr] - W_of(f, z); // (N7)
      x[kin.vadr] = dq;
      z = cardan__twist_axpy(dq, f->S, cardan__link_twist(kin.link, &X[i], z));
    } else {
      cardan_twist copy = z; // so that z itself has no address
      expand_other(s, i, x, &copy);
      z = copy;
    }
    if (!(kin.flags & CARDAN__VI_CHAIN)) {
      s->zeta[i] = z; // for children that come later
    }
  }
}

void cardan__vi_solve(cardan__vi *s, int from, int to, const double *r, double *x)
{
  cardan_force up = {.t = {0, 0, 0}}; // what body i + 1 hands to its parent
  for (int i = to - 1; i >= from; i--) {
    const cardan__vi_kin kin = s->kin[i];
    if (kin.flags & CARDAN__VI_LEAF) {
      up = (cardan_force){.t = {0, 0, 0}};
    } else if (!(kin.flags & CARDAN__VI_CHAIN)) {
      up = s->b[i];
    }
    up = reduce(s, i, kin, r, up);
    if (kin.flags & CARDAN__VI_SHARES) {
      cardan_force *sum = &s->b[kin.parent];
      *sum = kin.flags & CARDAN__VI_FIRST ? up : cardan__force_add(*sum, up);
    }
  }
  expand_all(s, from, to, x);
}

void cardan__vi_solve_along(cardan__vi *s, int from, int to, int tip, const double *r, double *x)
{
  const cardan_model *model = s->base.model;
  int v[2];
  cardan_force force = {.t = {0, 0, 0}};
  cardan__velocity_range(model, from, to, v);
  memset(s->u + v[0], 0, (size_t)(v[1] - v[0]) * sizeof *s->u);
  for (int i = tip; i > 0; i = s->kin[i].parent) {
    force = reduce(s, i, s->kin[i], r, force);
  }
  expand_all(s, from, to, x);
}

void cardan__vi_link(const void *factors, int body, cardan__link *link)
{
  const cardan__vi *s = factors;
  const cardan_body *b = &s->base.model->body[body];
  const cardan__vi_factor *f = &s->factor[body];
  const cardan__vi_multi *m = b->nv > 1 ? &s->multi[s->base.node->multi_of[body]] : NULL;
  link->X = &s->base.node->X[body];
  link->locked = b->flags & CARDAN_LINK_KINEMATIC;
  link->U = m != NULL ? m->U : &s->raw[body].U;
  link->W = m != NULL ? m->W : &s->raw[body].W;
  link->S = m != NULL ? m->S : &f->S;
  link->inv_D = m != NULL ? m->inv_D : &f->inv_d;
  link->A[0] = (cardan_twist){.w = {0, 0, 1}};
  for (int k = 0; k < b->nv && !cardan__joint_is_hinge(b); k++) {
    link->A[k] = cardan__joint_axis(b, k);
  }
}
