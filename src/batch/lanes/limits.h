/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/limits.h - which copies may reach a limit of a joint in a step.
 *
 * A step that moves a coordinate by d, with gaps g and g' of a limit at its ends, keeps the limit
 * open if
 *   min(g, g') > |d| + b + CARDAN__LIMIT_CLOSED                                             (L1)
 * where b bounds how far the coordinate may leave the range between its two values on the way:
 *   semi-implicit, rk4  h (|v| + |v'|): the control points of the cubic with the rates at both ends
 *   vi                  |d - d_last|: the parabola through the last three nodes
 * The scalar code then finds no event in the step either (contact/contact_test.c; contact_skip.c
 * has the same test without b). If (L1) fails, the lane is masked out, and the copy stays at the
 * node before: node_q and node_v. */
#pragma once
#include "batch/lanes/semi_implicit.h"

#define CARDAN__LIMIT_CLOSED 1e-9 // as contact/contacts.h has it
#define CARDAN__FOOT_TOL 1e-12    // of Phi of a step, relative to 1 m and the mechanism's size

/* Lanes where (L1) fails for one limit. */
static inline mask may_reach(const cardan__lanes_limit *l, real q, real d, real swing)
{
  const real middle = madd(real_of(0.5), d, q), size = magnitude(d);
  const real need = madd(real_of(1.5), size, swing + real_of(CARDAN__LIMIT_CLOSED));
  return ~(is_less(need, middle - real_of(l->low)) & is_less(need, real_of(l->high) - middle));
}

/* Before a step whose state has velocities: the node. No lane is masked out yet. */
static inline void store_node(const cardan__lanes_model *m, const cardan__lanes *lanes)
{
  if (cardan__lanes_may_fall_back(m)) {
    memcpy(lanes->node_q, lanes->q, (size_t)m->nq * sizeof(real));
    memcpy(lanes->node_v, lanes->v, (size_t)m->nv * sizeof(real));
    memcpy(lanes->node_done, lanes->done, sizeof(real));
    memcpy(lanes->node_foot, lanes->foot, 2 * (size_t)m->nfoot * sizeof(real));
    *(mask *)(void *)lanes->fallback = mask_of(0);
  }
}

/* Masks out lanes, for the scalar code to continue. */
static inline void mask_out(cardan__lanes *lanes, mask on)
{
  mask *left = (mask *)(void *)lanes->left;
  on &= ~*left;
  *(mask *)(void *)lanes->fallback |= on;
  *left |= on;
}

/* After such a step of length h. */
static inline void check_limits(const cardan__lanes_model *m, cardan__lanes *lanes, double h)
{
  const real *q = reals(lanes->q), *v = reals(lanes->v);
  const real *from = reals(lanes->node_q), *before = reals(lanes->node_v);
  mask near = mask_of(0);
  for (int k = 0; k < m->nlimit; k++) {
    const cardan__lanes_limit *l = &m->limit[k];
    const real swing = real_of(h) * (magnitude(v[l->dof]) + magnitude(before[l->dof]));
    near |= may_reach(l, from[l->var], q[l->var] - from[l->var], swing);
  }
  if (m->nlimit > 0) {
    mask_out(lanes, near);
  }
}
