// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "kinematics/joint.h"
#include "kinematics/joint_screw.h"
#include "steppers/vi/vi.h"

/* Residual of the discrete Euler-Lagrange equations by the discrete recursive Newton-Euler
 * algorithm, O(nbody).  [1] Algorithm 2, equations (19) to (22).
 *
 *   dT_i = T_{l,i}^-1 dT_l T_{l,i} Exp(S_i dq_i)                                         (19)
 *   x_i  = log dT_i,  mu_i = dlog_{x_i}^T G_i x_i / h                                    (21b)
 *   F_i  = mu_i - B_i + sum over children of Ad_{T_{i,c}^-1}^T F_c                       (21a)
 *   f_i  = S_i^T F_i - c_i                                                               (22)
 *
 * B_i holds the momentum of the step before, gravity, which (21a) of [1] lacks, and other wrenches
 * at the node; c_i what acts on the joint. Departures from [1]: the unknown is dq, not q^{k+1},
 * and dT_i is a dual quaternion (spatial/screw.h): no transform at k+1, no matrix logarithm, and no
 * difference of two nearly equal poses divided by h. So the residual can be brought to 1e-14 of
 * the momenta in play. */

/* Displacement of body i from its parent's. */
static inline cardan__screw displacement(const cardan__vi *s, const cardan_body *b, int i,
                                         cardan__screw parent)
{
  const cardan__screw Q = cardan__screw_to_child(&s->base.node->X[i], &parent);
  return cardan__joint_displace(b, Q, s->base.x.dq[b->vadr], s->base.x.joint,
                                s->base.node->multi_of[i]);
}

/* The recursion alone: what follows it is each body's own, and may overlap from body to body. */
static void displace(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan__screw Q = cardan__screw_identity(); // of body i - 1, mostly the parent
  s->body[0] = (cardan__vi_body){.Q = Q};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    Q = displacement(s, b, i, b->parent == i - 1 ? Q : s->body[b->parent].Q); // (19)
    s->body[i].Q = Q;
  }
}

/* Displacements of bodies first .. first + 7 to lanes; the identity where there is none. */
static inline void to_lanes(const cardan__vi *s, int first, cardan__vi_lanes *o)
{
  for (int l = 0; l < CARDAN__LANES; l++) {
    const int i = first + l;
    const cardan__screw Q = i < s->base.model->nbody ? s->body[i].Q : cardan__screw_identity();
    o->Q[0][l] = Q.r.w;
    o->Q[1][l] = Q.r.x;
    o->Q[2][l] = Q.r.y;
    o->Q[3][l] = Q.r.z;
    o->Q[4][l] = Q.d.w;
    o->Q[5][l] = Q.d.x;
    o->Q[6][l] = Q.d.y;
    o->Q[7][l] = Q.d.z;
  }
}

static inline cardan_force force_at(cardan__lane F[6], int l)
{
  return (cardan_force){{F[0][l], F[1][l], F[2][l]}, {F[3][l], F[4][l], F[5][l]}};
}

void cardan__vi_lanes_of(cardan__vi *s, int first)
{
  to_lanes(s, first, s->lanes);
  cardan__lanes_momenta(&s->inertia[first / CARDAN__LANES], 1 / s->base.h, s->lanes); // (21b)
}

static void outward(cardan__vi *s)
{
  const int nbody = s->base.model->nbody;
  displace(s);
  for (int first = 0; first < nbody; first += CARDAN__LANES) {
    cardan__vi_lanes_of(s, first);
    for (int l = 0; l < CARDAN__LANES && first + l < nbody; l++) {
      cardan__vi_body *o = &s->body[first + l];
      o->F = cardan__force_sub(force_at(s->lanes->mu, l), o->B); // (21a)
    }
  }
}

void cardan__vi_finish(cardan__vi *s)
{
  const int nbody = s->base.model->nbody;
  cardan__vi_lanes *o = s->lanes;
  for (int first = 0; first < nbody; first += CARDAN__LANES) {
    cardan__vi_lanes_of(s, first);
    for (int l = 0; l < CARDAN__LANES && first + l < nbody; l++) {
      s->end[first + l] = (cardan__vi_end){
          .x = {{o->x[0][l], o->x[1][l], o->x[2][l]}, {o->x[3][l], o->x[4][l], o->x[5][l]}},
          .mu = force_at(o->mu, l),
          .next = force_at(o->next, l)};
    }
  }
}

static void inward(cardan__vi *s)
{
  const cardan_model *model = s->base.model;
  cardan_force up = {.t = {0, 0, 0}}; // what body i + 1 hands to its parent
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    double *f = s->base.r + b->vadr;
    const double *c = s->c + b->vadr;
    cardan_force F = s->body[i].F;
    if (s->kin[i] & CARDAN__VI_CHAIN) {
      F = cardan__force_add(F, up); // (21a)
    } else if (!(s->kin[i] & CARDAN__VI_LEAF)) {
      F = cardan__force_add(F, s->b[i]);
    }
    cardan__joint_project(b, F, f);
    for (int k = 0; k < b->nv; k++) {
      f[k] -= c[k]; // (22)
    }
    up = cardan__force_to_parent(&s->base.node->X[i], F);
    if (!(s->kin[b->parent] & CARDAN__VI_CHAIN)) {
      cardan_force *to = &s->b[b->parent];
      *to = s->kin[i] & CARDAN__VI_FIRST ? up : cardan__force_add(*to, up);
    }
  }
}

void cardan__vi_residual(cardan__vi *s)
{
  outward(s);
  inward(s);
}

static inline double size1(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* Vector parts of Q are half of a turn and of a way. */
void cardan__vi_scale(cardan__vi *s, double *scale)
{
  const cardan_model *model = s->base.model;
  const double half = 0.5 * fabs(s->base.h);
  for (int i = 1; i < model->nbody; i++) {
    const cardan__vi_body *o = &s->body[i];
    const cardan_force mu = cardan__force_add(o->F, o->B);
    s->base.size[i] = (cardan__size){.turn = size1(cardan__vec3(o->Q.r.x, o->Q.r.y, o->Q.r.z)),
                                     .way = size1(cardan__vec3(o->Q.d.x, o->Q.d.y, o->Q.d.z)),
                                     .force = size1(o->B.f) + size1(mu.f),
                                     .torque = size1(o->B.t) + size1(mu.t)};
  }
  for (int k = 0; k < model->nv; k++) {
    scale[k] = fabs(s->c0[k]) + half * fabs(s->Q[k]);
  }
  for (int k = 0; k < model->nv && model->has_armature; k++) {
    scale[k] += fabs(model->armature[k] * s->base.x.dq[k] / s->base.h);
  }
  cardan__sizes_rows(&s->base, s->base.node->X, 2, scale);
}
