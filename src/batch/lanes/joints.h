/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/joints.h - joints in lanes: where they take a body, how it turns.
 *
 * Vectors go through a joint about or along z by plane rotations, Rz(phi) Rx(alpha) Rz(q + psi);
 * phi is 0 for most. Spherical and free joints have a matrix. */
#pragma once
#include "batch/lanes/lanes.h"
#include "kernels/space.h"

/* A body in the passes. */
typedef struct {
  real c, s;     // of the joint's angle, about z
  real3 w;       // angular velocity, body coordinates
  real6 A;       // what velocities add to the acceleration; then the acceleration (classical)
  real6 U;       // forward: IA S; inverse: the wrench through the joint
  real inv_d, u; // forward: 1 / (S^T U + armature); tau - S^T p
} link;

/* A spherical or free joint. */
typedef struct {
  mat3 R; // of T_PB
  real3 p;
  real L[21]; // forward: Cholesky factor of its inertia, rows; 1 / L_kk on the diagonal
  mat3 B;     // forward, spherical
  real u[6];
} multi_link;

/* What children hand on to a body, its own inertia with it. */
typedef struct {
  abi I;
  real6 f;
} handed;

/* The work space: link (nbody), multi_link (nmulti), handed (nslot). */
typedef struct {
  link *link;
  multi_link *multi;
  handed *slot;
} passes;

static inline size_t passes_size(const cardan__lanes_model *m)
{
  const size_t bytes = (size_t)m->nbody * sizeof(link) + (size_t)m->nmulti * sizeof(multi_link) +
                       (size_t)m->nslot * sizeof(handed);
  return bytes / sizeof(double);
}

static inline passes passes_in(const cardan__lanes_model *m, double *work)
{
  passes s;
  s.link = (link *)(void *)work;
  s.multi = (multi_link *)(void *)(s.link + m->nbody);
  s.slot = (handed *)(void *)(s.multi + m->nmulti);
  return s;
}

static inline real *reals(double *x)
{
  return (real *)(void *)x;
}

static inline int is_z(const cardan__lanes_body *b)
{
  return b->multi < 0;
}

static inline sym3 own_tensor(const cardan__lanes_body *b)
{
  return (sym3){real_of(b->J[0]), real_of(b->J[1]), real_of(b->J[2]),
                real_of(b->J[3]), real_of(b->J[4]), real_of(b->J[5])};
}

/* Origin of the body in its parent. */
static inline real3 origin_of(const cardan__lanes_body *b, const passes *s, const real *q)
{
  switch (b->kind) {
  case CARDAN_LINK_PRISMATIC:
    return axpy3(q[b->qadr], real3_of(b->axis), real3_of(b->p));
  case CARDAN_LINK_HELICAL:
    return axpy3(real_of(b->pitch) * q[b->qadr], real3_of(b->axis), real3_of(b->p));
  case CARDAN_LINK_FREE:
    return s->multi[b->multi].p;
  default:
    return real3_of(b->p);
  }
}

/* p x f + c, c - p x f and w x (w x p), p along such an axis. */
static inline real3 arm_add(cardan__lanes_shift axis, real3 p, real3 f, real3 c)
{
  switch (axis) {
  case CARDAN__SHIFT_NONE:
    return c;
  case CARDAN__SHIFT_X:
    return (real3){c.x, nmadd(p.x, f.z, c.y), madd(p.x, f.y, c.z)};
  case CARDAN__SHIFT_Y:
    return (real3){madd(p.y, f.z, c.x), c.y, nmadd(p.y, f.x, c.z)};
  case CARDAN__SHIFT_Z:
    return (real3){nmadd(p.z, f.y, c.x), madd(p.z, f.x, c.y), c.z};
  default:
    return cross3_add(p, f, c);
  }
}

static inline real3 arm_sub(cardan__lanes_shift axis, real3 p, real3 f, real3 c)
{
  return axis == CARDAN__SHIFT_ANY ? cross3_sub(p, f, c)
                                   : arm_add(axis, (real3){-p.x, -p.y, -p.z}, f, c);
}

static inline real3 centripetal(cardan__lanes_shift axis, real3 w, real3 p)
{
  const real xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  switch (axis) {
  case CARDAN__SHIFT_NONE:
    return (real3){real_of(0), real_of(0), real_of(0)};
  case CARDAN__SHIFT_X:
    return (real3){-(p.x * (yy + zz)), (p.x * w.x) * w.y, (p.x * w.x) * w.z};
  case CARDAN__SHIFT_Y:
    return (real3){(p.y * w.y) * w.x, -(p.y * (xx + zz)), (p.y * w.y) * w.z};
  case CARDAN__SHIFT_Z:
    return (real3){(p.z * w.z) * w.x, (p.z * w.z) * w.y, -(p.z * (xx + yy))};
  default:
    return cross3(w, cross3(w, p));
  }
}

/* Rx(alpha) a, and back. */
static inline real3 tilt(const cardan__lanes_body *b, real3 a)
{
  return b->tilt == CARDAN__TILT_NONE      ? a
         : b->tilt == CARDAN__TILT_QUARTER ? (real3){a.x, -a.z, a.y}
                                           : rot_x(real_of(b->cos_alpha), real_of(b->sin_alpha), a);
}

static inline real3 tilt_back(const cardan__lanes_body *b, real3 a)
{
  return b->tilt == CARDAN__TILT_NONE ? a
         : b->tilt == CARDAN__TILT_QUARTER
             ? (real3){a.x, a.z, -a.y}
             : rot_x_back(real_of(b->cos_alpha), real_of(b->sin_alpha), a);
}

/* Parent's axes to the body's; and back. */
static inline real3 to_child(const cardan__lanes_body *b, const passes *s, const link *l, real3 a)
{
  if (!is_z(b)) {
    return mat3_tmul(&s->multi[b->multi].R, a);
  }
  if (b->flags & CARDAN__LANES_TURNED) {
    a = rot_z_back(real_of(b->cos_phi), real_of(b->sin_phi), a);
  }
  return rot_z_back(l->c, l->s, tilt_back(b, a));
}

static inline real3 to_parent(const cardan__lanes_body *b, const passes *s, const link *l, real3 a)
{
  if (!is_z(b)) {
    return mat3_mul(&s->multi[b->multi].R, a);
  }
  a = tilt(b, rot_z(l->c, l->s, a));
  return b->flags & CARDAN__LANES_TURNED ? rot_z(real_of(b->cos_phi), real_of(b->sin_phi), a) : a;
}

/* An acceleration to the body's frame, without what velocities add; a wrench to the parent's. */
static inline real6 acceleration_to_child(const cardan__lanes_body *b, const passes *s,
                                          const link *l, real3 p, real6 A)
{
  return (real6){to_child(b, s, l, A.w), to_child(b, s, l, arm_sub(b->shift, p, A.w, A.v))};
}

static inline real6 wrench_to_parent(const cardan__lanes_body *b, const passes *s, const link *l,
                                     real3 p, real6 F)
{
  const real3 f = to_parent(b, s, l, F.v);
  return (real6){arm_add(b->shift, p, f, to_parent(b, s, l, F.w)), f};
}

/* Where the joint stands: c and s, or R and p. returns lanes whose angle is too large */
static inline mask place_joint(const cardan__lanes_body *b, const passes *s, link *l, const real *q)
{
  q += b->qadr;
  if (is_z(b)) {
    if (b->kind != CARDAN_LINK_PRISMATIC) {
      return cos_sin(q[0] + real_of(b->psi), &l->c, &l->s);
    }
    l->c = real_of(b->cos_psi);
    l->s = real_of(b->sin_psi);
    return mask_of(0);
  }
  multi_link *m = &s->multi[b->multi];
  const int k = b->kind == CARDAN_LINK_FREE ? 3 : 0;
  const mat3 X = {real3_of(b->R), real3_of(b->R + 3), real3_of(b->R + 6)};
  const mat3 Q = mat3_of_quat(q[k], (real3){q[k + 1], q[k + 2], q[k + 3]});
  m->R = mat3_mul_mat3(&X, &Q);
  m->p = real3_of(b->p);
  if (k > 0) {
    m->p = mat3_mul_add(&X, (real3){q[0], q[1], q[2]}, m->p);
  }
  return mask_of(0);
}

/* w of the body, and what velocities add to its acceleration; w_p, xi: angular velocity of the
 * parent and w_p x (w_p x p), turned into the body's axes (kinematics/recursions.c, E3). */
static inline void move_joint(const cardan__lanes_body *b, link *l, const real *v, real3 w_p,
                              real3 xi)
{
  const real zero = real_of(0), two = real_of(2);
  v += b->vadr;
  l->w = w_p;
  l->A.w = (real3){zero, zero, zero};
  l->A.v = xi;
  if (b->kind == CARDAN_LINK_REVOLUTE || b->kind == CARDAN_LINK_HELICAL) {
    l->w.z = w_p.z + v[0];
    l->A.w = (real3){w_p.y * v[0], -(w_p.x * v[0]), zero};
  }
  if (b->kind == CARDAN_LINK_PRISMATIC || b->kind == CARDAN_LINK_HELICAL) {
    const real along = b->kind == CARDAN_LINK_HELICAL ? real_of(b->pitch) * v[0] : v[0];
    const real k = two * along;
    l->A.v.x = madd(w_p.y, k, xi.x);
    l->A.v.y = nmadd(w_p.x, k, xi.y);
  }
  if (!is_z(b)) {
    const real3 w = {v[0], v[1], v[2]};
    l->w = add3(w_p, w);
    l->A.w = cross3(w_p, w);
    if (b->kind == CARDAN_LINK_FREE) {
      const real3 u = {v[3], v[4], v[5]};
      l->A.v = cross3_add(axpy3(two, w_p, w), u, xi);
    }
  }
}

/* Root to leaf: joints, angular velocities, and what velocities add to accelerations.
 * returns lanes whose angles are too large */
static inline mask velocities(const cardan__lanes_model *m, const passes *s, const real *q,
                              const real *v)
{
  const real zero = real_of(0);
  mask left = mask_of(0);
  s->link[0].w = (real3){zero, zero, zero};
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    link *l = &s->link[i];
    const real3 w_p = s->link[b->parent].w;
    left |= place_joint(b, s, l, q);
    real3 xi = centripetal(b->shift, w_p, origin_of(b, s, q));
    if (b->shift != CARDAN__SHIFT_NONE) {
      xi = to_child(b, s, l, xi);
    }
    move_joint(b, l, v, to_child(b, s, l, w_p), xi);
  }
  return left;
}

/* (w x J w; w x (w x h)) + F */
static inline real6 gyroscopic_add(const cardan__lanes_body *b, real3 w, real6 F)
{
  if (b->flags & CARDAN__LANES_LIGHT) {
    return F;
  }
  if (b->flags & CARDAN__LANES_DIAGONAL) {
    const real3 D = real3_of(b->D);
    F.w = (real3){madd(D.x, w.y * w.z, F.w.x), madd(D.y, w.z * w.x, F.w.y),
                  madd(D.z, w.x * w.y, F.w.z)};
  } else {
    const sym3 J = own_tensor(b);
    F.w = cross3_add(w, sym3_mul(&J, w), F.w);
  }
  if (b->lever != CARDAN__SHIFT_NONE) {
    F.v = add3(F.v, centripetal(b->lever, w, real3_of(b->h)));
  }
  return F;
}
