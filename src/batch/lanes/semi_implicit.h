/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/semi_implicit.h - a step of method aba with integrator semi-implicit, in lanes
 * (methods/continuous/semi_implicit.c):
 *   v_new = v + h a(q, v),   q_new = q + h q'(q, v_new),   quaternions normalised
 * and the work of what has no potential, + h power(q, v). */
#pragma once
#include "batch/lanes/forward.h"

/* A state beyond this is the scalar code's to judge: squares of it still have room. */
#define CARDAN__LANES_LARGEST 1e100

/* u within its bounds. */
static inline real clamp(real x, double low, double high)
{
  const real a = real_of(low), b = real_of(high);
  return choose(is_less(x, a), a, choose(is_less(b, x), b, x));
}

/* Joint forces of springs, damping and actuators (forces/elastic.c, passive.c, applied.c), and the
 * power of those that have no potential. */
static inline void joint_loads(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  const real *q = reals(lanes->q), *v = reals(lanes->v), *u = reals(lanes->u);
  real *tau = reals(lanes->tau), power = real_of(0);
  for (int k = 0; k < m->nv; k++) {
    tau[k] = m->damped ? real_of(-m->damping[k]) * v[k] : real_of(0);
    power = madd(tau[k], v[k], power);
  }
  for (int k = 0; k < m->nspring; k++) {
    const cardan__lanes_spring *e = &m->spring[k];
    tau[e->dof] = nmadd(real_of(e->k), q[e->var] - real_of(e->rest), tau[e->dof]);
  }
  for (int k = 0; k < m->nactuator; k++) {
    const cardan__lanes_actuator *e = &m->actuator[k];
    const real gear = real_of(e->gear);
    real F = clamp(u[e->input], m->input[e->input].low, m->input[e->input].high);
    if (e->servo) {
      F = nmadd(real_of(e->kd) * gear, v[e->dof], real_of(e->kp) * nmadd(gear, q[e->var], F));
    }
    F = gear * clamp(F, e->low, e->high);
    tau[e->dof] = tau[e->dof] + F;
    power = madd(F, v[e->dof], power);
  }
  *reals(lanes->power) = power;
}

/* e / |e| of a quaternion. returns lanes where it has no length */
static inline mask normalise(real *e)
{
  const real n = root(madd(e[3], e[3], madd(e[2], e[2], madd(e[1], e[1], e[0] * e[0]))));
  for (int k = 0; k < 4; k++) {
    e[k] = e[k] / n;
  }
  return ~(is_less(real_of(0), n) & is_most(n, real_of(CARDAN__LANES_LARGEST)));
}

/* Floating bodies: velocities are integrated in axes of the world, those of centres of mass
 * (methods/continuous/floating.h has the equations). */
static inline int floats(const cardan__lanes_body *b)
{
  return b->kind == CARDAN_LINK_FREE && (b->flags & CARDAN__LANES_ROOT);
}

/* w x c */
static inline real3 arm_rate(const cardan__lanes_body *b, const real *w)
{
  const double scale = b->m > 0 ? 1 / b->m : 0;
  const real3 c = {real_of(scale * b->h[0]), real_of(scale * b->h[1]), real_of(scale * b->h[2])};
  return cross3((real3){w[0], w[1], w[2]}, c);
}

static inline mat3 rotation_of(const cardan__lanes_body *b, const real *q)
{
  const real *e = q + b->qadr + 3;
  return mat3_of_quat(e[0], (real3){e[1], e[2], e[3]});
}

static inline void put_real3(real3 a, real *to)
{
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}

/* (F1) and (F2) of one body: v (the model's) in place; quaternions are of unit length. */
static inline void float_to_world(const cardan__lanes_body *b, const real *q, real *v)
{
  const mat3 R = rotation_of(b, q);
  real *w = v + b->vadr, *u = w + 3;
  put_real3(mat3_mul(&R, add3((real3){u[0], u[1], u[2]}, arm_rate(b, w))), u);
}

static inline void float_to_body(const cardan__lanes_body *b, const real *q, real *v)
{
  const mat3 R = rotation_of(b, q);
  real *w = v + b->vadr, *u = w + 3;
  put_real3(sub3(mat3_tmul(&R, (real3){u[0], u[1], u[2]}), arm_rate(b, w)), u);
}

/* (F3) of one body: a (the model's) in place. */
static inline void float_rates(const cardan__lanes_body *b, const real *q, const real *v, real *a)
{
  const mat3 R = rotation_of(b, q);
  const real *w = v + b->vadr;
  real *alpha = a + b->vadr, *rate = alpha + 3;
  const real3 u = add3((real3){w[3], w[4], w[5]}, arm_rate(b, w));
  const real3 bent = cross3_add((real3){w[0], w[1], w[2]}, u, arm_rate(b, alpha));
  put_real3(mat3_mul(&R, add3((real3){rate[0], rate[1], rate[2]}, bent)), rate);
}

/* q + h q'(q, v) of a spherical or free joint; of a floating body v is x_v of (F1), and becomes its
 * own velocity at the new place. */
static inline mask move_multi(const cardan__lanes_body *b, real h, real *q, real *velocity)
{
  const int k = b->kind == CARDAN_LINK_FREE ? 3 : 0;
  real *e = q + b->qadr + k, *at = q + b->qadr;
  const real *v = velocity + b->vadr;
  const real half = real_of(0.5) * h;
  const real x = half * v[0], y = half * v[1], z = half * v[2];
  const real a = e[0], i = e[1], j = e[2], l = e[3];
  if (k > 0) {
    const mat3 R = mat3_of_quat(a, (real3){i, j, l});
    const real3 u = {v[3], v[4], v[5]};
    const real3 d = floats(b) ? sub3(u, mat3_mul(&R, arm_rate(b, v))) : mat3_mul(&R, u);
    at[0] = madd(h, d.x, at[0]);
    at[1] = madd(h, d.y, at[1]);
    at[2] = madd(h, d.z, at[2]);
  }
  e[0] = nmadd(l, z, nmadd(j, y, nmadd(i, x, a)));
  e[1] = nmadd(l, y, madd(j, z, madd(a, x, i)));
  e[2] = nmadd(i, z, madd(l, x, madd(a, y, j)));
  e[3] = nmadd(j, x, madd(i, y, madd(a, z, l)));
  const mask left = normalise(e);
  if (floats(b)) {
    float_to_body(b, q, velocity);
  }
  return left;
}

/* Lanes where one of n numbers is not finite, or they are too large together. */
static inline mask is_out_of_range(int n, const real *x)
{
  real sum = real_of(0);
  for (int k = 0; k < n; k++) {
    sum = sum + magnitude(x[k]);
  }
  return ~is_most(sum, real_of(CARDAN__LANES_LARGEST));
}

/* A start, of any method: quaternions of unit length, no work done yet. */
static inline void start_state(const cardan__lanes_model *m, cardan__lanes *lanes)
{
  real *q = reals(lanes->q);
  mask left = mask_of(0);
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    left |= is_z(b) ? left : normalise(q + b->qadr + (b->kind == CARDAN_LINK_FREE ? 3 : 0));
  }
  *reals(lanes->done) = real_of(0);
  *(mask *)(void *)lanes->left |=
      left | is_out_of_range(m->nq, q) | is_out_of_range(m->nv, reals(lanes->v));
}

/* After forward dynamics: the new state. */
static inline void move_semi_implicit(const cardan__lanes_model *m, cardan__lanes *lanes, double dt)
{
  real *q = reals(lanes->q), *v = reals(lanes->v);
  real *a = reals(lanes->a);
  const real h = real_of(dt);
  mask left = is_out_of_range(1, reals(lanes->power));
  for (int i = 1; i < m->nbody; i++) {
    if (floats(&m->body[i])) {
      float_rates(&m->body[i], q, v, a);
      float_to_world(&m->body[i], q, v);
    }
  }
  *reals(lanes->done) = madd(h, *reals(lanes->power), *reals(lanes->done));
  for (int k = 0; k < m->nv; k++) {
    v[k] = madd(h, a[k], v[k]);
  }
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    if (is_z(b)) {
      q[b->qadr] = madd(h, v[b->vadr], q[b->qadr]);
    } else {
      left |= move_multi(b, h, q, v);
    }
  }
  *(mask *)(void *)lanes->left |= left | is_out_of_range(m->nq, q) | is_out_of_range(m->nv, v);
}
