/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/rk4.h - a step of method aba with integrator rk4, in lanes
 * (methods/continuous/explicit_rk.c):
 *   k_i   = f(y + c_i h k_{i-1}),   c = 0, 1/2, 1/2, 1
 *   y_new = y + h (k_1 + 2 k_2 + 2 k_3 + k_4) / 6
 * with y = (q, v, work). In the stages quaternions are plain numbers, and count as normalised for
 * all but their own rates. Velocities of floating bodies are those in axes of the world within a
 * step (semi_implicit.h). */
#pragma once
#include "batch/lanes/limits.h"

/* Behind the passes in work: the node, the sums of rates, and the rates of q. */
typedef struct {
  real *q, *v;         // nq, nv
  real *q_sum, *v_sum; // nq, nv
  real *q_dot;         // nq
  real *power_sum;     // 1
} rk4_work;

static inline size_t rk4_size(const cardan__lanes_model *m)
{
  return passes_size(m) + (size_t)(3 * m->nq + 2 * m->nv + 1) * CARDAN__WIDTH;
}

static inline rk4_work rk4_in(const cardan__lanes_model *m, double *work)
{
  rk4_work w;
  w.q = reals(work + passes_size(m));
  w.v = w.q + m->nq;
  w.q_sum = w.v + m->nv;
  w.v_sum = w.q_sum + m->nq;
  w.q_dot = w.v_sum + m->nv;
  w.power_sum = w.q_dot + m->nq;
  return w;
}

/* q' of a spherical or free joint, from a quaternion of any length, which is then normalised; the
 * velocity of a floating body becomes its own. */
static inline mask rate_multi(const cardan__lanes_body *b, real *q, real *velocity, real *q_dot)
{
  const int k = b->kind == CARDAN_LINK_FREE ? 3 : 0;
  real *e = q + b->qadr + k, *rate = q_dot + b->qadr + k;
  const real half = real_of(0.5);
  const real *v = velocity + b->vadr;
  const real x = half * v[0], y = half * v[1], z = half * v[2];
  rate[0] = nmadd(e[3], z, nmadd(e[2], y, -(e[1] * x)));
  rate[1] = nmadd(e[3], y, madd(e[2], z, e[0] * x));
  rate[2] = nmadd(e[1], z, madd(e[3], x, e[0] * y));
  rate[3] = nmadd(e[2], x, madd(e[1], y, e[0] * z));
  const mask left = normalise(e);
  if (k > 0) {
    const mat3 R = mat3_of_quat(e[0], (real3){e[1], e[2], e[3]});
    const real3 u = {v[3], v[4], v[5]};
    const real3 d = floats(b) ? sub3(u, mat3_mul(&R, arm_rate(b, v))) : mat3_mul(&R, u);
    put_real3(d, q_dot + b->qadr);
  }
  if (floats(b)) {
    float_to_body(b, q, velocity);
  }
  return left;
}

/* Rates of q at the stage that lanes are at; its quaternions are normalised for what follows. */
static inline mask rate_all(const cardan__lanes_model *m, cardan__lanes *lanes, const rk4_work *w)
{
  real *q = reals(lanes->q);
  real *v = reals(lanes->v);
  mask left = mask_of(0);
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    if (is_z(b)) {
      w->q_dot[b->qadr] = v[b->vadr];
    } else {
      left |= rate_multi(b, q, v, w->q_dot);
    }
  }
  return left;
}

/* to = y + h k */
static inline void add_scaled(int n, const real *y, double h, const real *k, real *to)
{
  for (int i = 0; i < n; i++) {
    to[i] = madd(real_of(h), k[i], y[i]);
  }
}

/* sum += weight k; of the first stage it becomes that. */
static inline void gather_rates(int n, int stage, const real *k, real *sum)
{
  const real weight = real_of(stage == 1 || stage == 2 ? 2 : 1);
  for (int i = 0; i < n; i++) {
    sum[i] = stage == 0 ? k[i] : madd(weight, k[i], sum[i]);
  }
}

/* Before the first stage. */
static inline void begin_rk4(const cardan__lanes_model *m, const cardan__lanes *lanes)
{
  const rk4_work w = rk4_in(m, lanes->work);
  for (int i = 1; i < m->nbody; i++) {
    if (floats(&m->body[i])) {
      float_to_world(&m->body[i], reals(lanes->q), reals(lanes->v));
    }
  }
  memcpy(w.q, lanes->q, (size_t)m->nq * sizeof(real));
  memcpy(w.v, lanes->v, (size_t)m->nv * sizeof(real));
}

/* After the accelerations of a stage: on to the next, or to the new node. */
static inline void move_rk4(const cardan__lanes_model *m, cardan__lanes *lanes, int stage, double h)
{
  const rk4_work w = rk4_in(m, lanes->work);
  real *q = reals(lanes->q), *v = reals(lanes->v);
  real *a = reals(lanes->a);
  for (int i = 1; i < m->nbody; i++) {
    if (floats(&m->body[i])) {
      float_rates(&m->body[i], q, v, a);
    }
  }
  gather_rates(m->nq, stage, w.q_dot, w.q_sum);
  gather_rates(m->nv, stage, a, w.v_sum);
  gather_rates(1, stage, reals(lanes->power), w.power_sum);
  if (stage < 3) {
    const double part = stage < 2 ? 0.5 * h : h;
    add_scaled(m->nq, w.q, part, w.q_dot, q);
    add_scaled(m->nv, w.v, part, a, v);
    return;
  }
  mask left = is_out_of_range(1, w.power_sum);
  add_scaled(m->nq, w.q, h / 6, w.q_sum, q);
  add_scaled(m->nv, w.v, h / 6, w.v_sum, v);
  add_scaled(1, reals(lanes->done), h / 6, w.power_sum, reals(lanes->done));
  for (int i = 1; i < m->nbody; i++) {
    const cardan__lanes_body *b = &m->body[i];
    left |= is_z(b) ? left : normalise(q + b->qadr + (b->kind == CARDAN_LINK_FREE ? 3 : 0));
    if (floats(b)) {
      float_to_body(b, q, v);
    }
  }
  *(mask *)(void *)lanes->left |= left | is_out_of_range(m->nq, q) | is_out_of_range(m->nv, v);
}
