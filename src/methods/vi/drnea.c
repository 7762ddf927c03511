// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "kinematics/joint.h"
#include "kinematics/joint_screw.h"
#include "kinematics/link.h"
#include "methods/vi/vi.h"

/* Residual of the discrete Euler-Lagrange equations by the discrete recursive Newton-Euler
 * algorithm, O(nbody).  [1] Algorithm 2, equations (19) to (22).
 *
 *   dT_i = T_{l,i}^-1 dT_l T_{l,i} Exp(S_i dq_i)                                         (19)
 *   x_i  = log dT_i,  mu_i = dlog_{x_i}^T G_i x_i / h                                    (21b)
 *   F_i  = mu_i - B_i + sum over children of Ad_{T_{i,c}^-1}^T F_c                       (21a)
 *   f_i  = S_i^T F_i - c_i                                                               (22)
 *
 * B_i holds the momentum of the step before, gravity, which (21a) of [1] lacks, and other wrenches
 * at the node; c_i what acts on the joint. (21b) is that of option kinetic = se3; by default mu_i
 * is that of another discrete kinetic energy (kernels/swing_step.h). Further departures from [1]:
 * the unknown is dq, not q^{k+1}, and dT_i is a dual quaternion (spatial/screw.h): no transform at
 * k+1, no matrix logarithm, and no difference of two nearly equal poses divided by h. So the
 * residual can be brought to 1e-14 of the momenta in play. */

/* Displacement of body i, whose joint does not simply turn, in place of its parent's. */
static CARDAN__NOINLINE void displace_other(const cardan__vi *s, int i, cardan__lane *Q)
{
  const cardan_body *b = &s->base.model->body[i];
  const int l = cardan__lane_of(i);
  const cardan__screw parent = cardan__lane_screw(Q, l);
  const cardan__screw moved = cardan__screw_to_child(&s->base.node->X[i], &parent);
  cardan__lane_set_screw(Q, l,
                         cardan__joint_displace(b, moved, s->base.x.dq[b->vadr], s->base.x.joint,
                                                s->base.node->multi_of[i]));
}

/* Sines and cosines of what the joints turn by. */
static void take_turns(cardan__vi *s)
{
  const int nbody = s->base.model->nbody;
  for (int k = 0; k < s->nblock; k++) {
    if (s->turns[k] == CARDAN__VI_NONE_TURNS) {
      continue;
    }
    const double *dq = s->base.x.dq + s->turns[k];
    double own[CARDAN__LANES] = {0};
    if (s->apart[k]) {
      const int first = k * CARDAN__LANES;
      for (int l = 0; l < CARDAN__LANES && first + l < nbody; l++) {
        const cardan__vi_kin kin = s->kin[first + l];
        own[l] = kin.flags & CARDAN__VI_TURNS ? s->base.x.dq[kin.vadr] : 0;
      }
      dq = own;
    }
    cardan__lanes_turns(dq, &s->lanes[k]);
  }
}

/* cardan__screw_to_child of a revolute joint. */
CARDAN__INLINE cardan__screw through_link(int flags, const cardan_xform *X, cardan__screw Q)
{
  const cardan_twist u = {{Q.r.x, Q.r.y, Q.r.z}, {Q.d.x, Q.d.y, Q.d.z}};
  const cardan_twist c = cardan__link_twist(flags, X, u);
  return (cardan__screw){{Q.r.w, c.w.x, c.w.y, c.w.z}, {Q.d.w, c.v.x, c.v.y, c.v.z}};
}

/* The recursion alone: what follows it is each body's own. Along a chain the displacement stays in
 * registers. balls: a constant of the caller's, are there ball joints? */
CARDAN__INLINE void displace(cardan__vi *s, const bool balls)
{
  const cardan_xform *X = s->base.node->X;
  cardan__screw Q = cardan__screw_identity(); // of body i - 1, mostly the parent
  for (int i = 1; i < s->base.model->nbody; i++) {
    const cardan__vi_kin kin = s->kin[i];
    cardan__vi_lanes *o = &s->lanes[cardan__block_of(i)];
    const int l = cardan__lane_of(i);
    if (!(kin.flags & CARDAN__VI_FOLLOWS)) {
      Q = cardan__vi_displaced(s, kin.parent);
    }
    if (kin.flags & CARDAN__VI_TURNS) {
      Q = cardan__screw_turned_z(through_link(kin.link, &X[i], Q), o->half[0].at[l],
                                 o->half[1].at[l]); // (19)
      cardan__lane_set_screw(o->Q, l, Q);
    } else if (balls && (kin.flags & CARDAN__VI_BALL)) {
      const cardan_quat turn = s->base.x.joint[s->base.node->multi_of[i]].r;
      const cardan__screw moved = cardan__screw_to_child(&X[i], &Q);
      Q = (cardan__screw){cardan__quat_mul(moved.r, turn), cardan__quat_mul(moved.d, turn)};
      cardan__lane_set_screw(o->Q, l, Q);
    } else {
      cardan__lane_set_screw(o->Q, l, Q);
      displace_other(s, i, o->Q);
      Q = cardan__lane_screw(o->Q, l);
    }
  }
}

/* mu - B of body i: what its joint has to give if it had no children. */
CARDAN__INLINE cardan_force own_force(const cardan__vi *s, int i)
{
  const cardan__vi_lanes *o = &s->lanes[cardan__block_of(i)];
  const int l = cardan__lane_of(i);
  return cardan__force_sub(cardan__lane_force(o->mu, l), cardan__lane_force(o->B, l));
}

/* to + Ad_T^-T F, summed so that the recursion waits for as little as can be: three products and,
 * in f, one sum. */
CARDAN__INLINE cardan_force add_to_parent(const cardan_xform *T, cardan_force F, cardan_force to)
{
  const double(*r)[3] = T->R.m;
  const cardan_vec3 f = cardan__mat3_mulv(&T->R, F.f), t = F.t;
  const cardan_vec3 m = cardan__vec3_add(to.t, cardan__vec3_cross(T->p, f));
  return (cardan_force){{r[0][0] * t.x + (r[0][1] * t.y + (r[0][2] * t.z + m.x)),
                         r[1][0] * t.x + (r[1][1] * t.y + (r[1][2] * t.z + m.y)),
                         r[2][0] * t.x + (r[2][1] * t.y + (r[2][2] * t.z + m.z))},
                        cardan__vec3_add(to.f, f)};
}

/* (22) of a body that does not simply turn. */
static CARDAN__NOINLINE void project_other(const cardan__vi *s, int i, const cardan_force *F)
{
  const cardan_body *b = &s->base.model->body[i];
  double f[6] = {0};
  cardan__joint_project(b, *F, f);
  for (int k = 0; k < b->nv; k++) {
    s->base.r[b->vadr + k] = f[k] - s->c[b->vadr + k];
  }
}

/* balls: as above */
CARDAN__INLINE void inward(cardan__vi *s, const bool balls)
{
  const cardan_xform *X = s->base.node->X;
  const cardan_force zero = {.t = {0, 0, 0}};
  cardan_force F = zero; // of body i + 1, and then of body i where it is of a chain
  for (int i = s->base.model->nbody - 1; i > 0; i--) {
    const cardan__vi_kin kin = s->kin[i];
    if (kin.flags & CARDAN__VI_LEAF) {
      F = own_force(s, i);
    } else if (!(kin.flags & CARDAN__VI_CHAIN)) {
      F = cardan__force_add(own_force(s, i), s->b[i]);
    }
    if (kin.flags & CARDAN__VI_TURNS) {
      s->base.r[kin.vadr] = F.t.z - s->c[kin.vadr]; // (22)
    } else if (balls && (kin.flags & CARDAN__VI_BALL)) {
      const double *c = s->c + kin.vadr;
      double *r = s->base.r + kin.vadr;
      r[0] = F.t.x - c[0];
      r[1] = F.t.y - c[1];
      r[2] = F.t.z - c[2];
    } else {
      const cardan_force copy = F; // so that F itself has no address
      project_other(s, i, &copy);
    }
    cardan_force to = zero;
    if (!(kin.flags & CARDAN__VI_SHARES)) {
      to = own_force(s, i - 1);
    } else if (!(kin.flags & CARDAN__VI_FIRST)) {
      to = s->b[kin.parent];
    }
    if (kin.flags & CARDAN__VI_TURNS) { // (21a)
      F = cardan__force_add(to, cardan__link_force(kin.link, &X[i], F));
    } else {
      F = add_to_parent(&X[i], F, to);
    }
    if (kin.flags & CARDAN__VI_SHARES) {
      s->b[kin.parent] = F;
    }
  }
}

/* The loops with ball joints and without: the second has registers to spare for hinges. */
static CARDAN__NOINLINE void displace_balls(cardan__vi *s)
{
  displace(s, true);
}

static CARDAN__NOINLINE void inward_balls(cardan__vi *s)
{
  inward(s, true);
}

void cardan__vi_residual(cardan__vi *s)
{
  take_turns(s);
  if (s->has_balls) {
    displace_balls(s);
  } else {
    displace(s, false);
  }
  cardan__vi_kinetic_momenta(s); // (21b)
  if (s->has_elastic) {
    cardan__elastic_act(s);
  }
  if (s->has_balls) {
    inward_balls(s);
  } else {
    inward(s, false);
  }
}

static inline double size1(cardan_vec3 a)
{
  return fabs(a.x) + fabs(a.y) + fabs(a.z);
}

/* Vector parts of Q are half of a turn and of a way. */
void cardan__vi_sizes(cardan__discrete *d, double *scale)
{
  cardan__vi *s = (cardan__vi *)d;
  const cardan_model *model = s->base.model;
  const double half = 0.5 * fabs(s->base.h);
  for (int i = 1; i < model->nbody; i++) {
    const cardan__screw Q = cardan__vi_displaced(s, i);
    const cardan_force mu = cardan__vi_mu(s, i);
    const cardan_force B = cardan__lane_force(s->lanes[cardan__block_of(i)].B, cardan__lane_of(i));
    s->base.size[i] = (cardan__size){.turn = size1(cardan__vec3(Q.r.x, Q.r.y, Q.r.z)),
                                     .way = size1(cardan__vec3(Q.d.x, Q.d.y, Q.d.z)),
                                     .force = size1(B.f) + size1(mu.f),
                                     .torque = size1(B.t) + size1(mu.t)};
  }
  for (int k = 0; k < model->nv; k++) {
    scale[k] = fabs(s->c0[k]) + half * fabs(s->Q[k]);
  }
  for (int k = 0; k < model->nv && model->has_armature; k++) {
    scale[k] += fabs(model->armature[k] * s->base.x.dq[k] / s->base.h);
  }
  if (cardan__vi_acts(s)) {
    cardan__vi_force_sizes(s, scale);
  }
  if (s->has_elastic) {
    cardan__elastic_sizes(s, scale);
  }
  cardan__sizes_rows(&s->base, s->base.node->X, 2, scale);
}
