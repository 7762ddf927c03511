/* SPDX-License-Identifier: Apache-2.0
 * batch/lanes/limits.h - which copies may come to a limit of a joint in a step.
 *
 * From q by d in a step, and with what else the coordinate may swing between the nodes, b,
 *   min(g, g') > |d| + b + CARDAN__LIMIT_CLOSED,   g, g' the gaps at both ends              (L1)
 * says that the limit stays open: then the scalar code sees nothing in this step either
 * (contact/contact_skip.c has the same test without b). Where (L1) fails, the copy leaves its lane
 * at the node before: node_q and node_v. What b is:
 *   semi-implicit, rk4  h (|v| + |v'|): the control points of the cubic through both ends
 *   vi                  |d - d_last|: the parabola through the last three nodes */
#pragma once
#include "batch/lanes/semi_implicit.h"

#define CARDAN__LIMIT_CLOSED 1e-9 // as contact/contacts.h has it

/* Lanes where (L1) fails for one limit. */
static inline mask may_meet(const cardan__lanes_limit *l, real q, real d, real swing)
{
  const real middle = madd(real_of(0.5), d, q), size = magnitude(d);
  const real need = madd(real_of(1.5), size, swing + real_of(CARDAN__LIMIT_CLOSED));
  return ~(is_less(need, middle - real_of(l->low)) & is_less(need, real_of(l->high) - middle));
}

/* Before a step that has velocities for its state: the node. */
static inline void keep_node(const cardan__lanes_model *m, const cardan__lanes *lanes)
{
  if (m->nlimit > 0) {
    memcpy(lanes->node_q, lanes->q, (size_t)m->nq * sizeof(real));
    memcpy(lanes->node_v, lanes->v, (size_t)m->nv * sizeof(real));
    memcpy(lanes->node_done, lanes->done, sizeof(real));
  }
}

/* Copies that leave: their lanes are masked out from here on. */
static inline void leave(cardan__lanes *lanes, mask met)
{
  mask *left = (mask *)(void *)lanes->left;
  met &= ~*left;
  *(mask *)(void *)lanes->met = met;
  *left |= met;
}

/* After such a step of length h. */
static inline void leave_at_limits(const cardan__lanes_model *m, cardan__lanes *lanes, double h)
{
  const real *q = reals(lanes->q), *v = reals(lanes->v);
  const real *from = reals(lanes->node_q), *before = reals(lanes->node_v);
  mask met = mask_of(0);
  for (int k = 0; k < m->nlimit; k++) {
    const cardan__lanes_limit *l = &m->limit[k];
    const real swing = real_of(h) * (magnitude(v[l->dof]) + magnitude(before[l->dof]));
    met |= may_meet(l, from[l->var], q[l->var] - from[l->var], swing);
  }
  if (m->nlimit > 0) {
    leave(lanes, met);
  }
}
