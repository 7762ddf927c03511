/* SPDX-License-Identifier: Apache-2.0
 * svi/svi.h - the inside of method `svi`, the midpoint variational integrator in joint
 * coordinates. [1] E. Johnson, T. Murphey, Scalable variational integrators for constrained
 * mechanical systems in
 *     generalized coordinates, IEEE Transactions on Robotics 25(6), 2009.   docs/methods/tree.md
 *
 *   mid.c          L_v, L_q and their changes by recursion
 *   svi_sweep.c        the exact Newton direction in O(n)
 *   middle.c       [1] (45), whatever evaluates L_v and L_q
 *   recursive.c    the equation of a step by these               --eval recursive
 *   tree/          [1] (2)-(10) and the equation of a step by them   --eval tree
 *   svi.c          the method behind the interface of methods/method.h
 *   svi_linearize.c    derivatives of a step
 *
 * A node is q_k and p_k. With d = q_{k+1} - q_k, q = q_k + alpha d, v = d / h, a = L_v, b = L_q + f
 * there, the equation that discrete/ solves is
 *   r = a - p_k - (1 - alpha) h b = G_k^T lambda,   Phi(q_{k+1}) = 0                   [1] (45)
 *   p_{k+1} = a + alpha h b                                                            [1] (21)
 * d, and not q_{k+1}, is the unknown: then v = d / h has no cancellation. lambda is the impulse of
 * the constraints' forces at node k, with the sign that makes it h times the multiplier of
 * M a = .. + G^T lambda; [1] has the opposite. */
#pragma once
#include "methods/discrete/discrete.h"
#include "methods/svi/mid.h"

typedef struct {
  cardan__discrete base;
  double alpha;
  cardan__mid mid;             // the middle of the step
  const cardan_xform *X, *X_W; // placements, poses and twists there, by whatever evaluates
  const cardan_twist *V;
  double *p;                      // nv: momentum of the node
  double *a, *b;                  // nv
  double *work_q, *work_v, *work; // nv: scratch
} cardan__svi;

/* middle.c
 * _enter_middle  mid's t, q, v, and friction's limits there
 * _combine       r from a and b
 * _weights       of the operator d -> kb db - da, which is -dr/dd */
cardan_status cardan__svi_enter_middle(cardan__svi *s) CARDAN_MUST_USE;
void cardan__svi_combine(cardan__svi *s, double *r);
cardan__mid_weights cardan__svi_weights(const cardan__svi *s);

/* What both equations have of a cardan__equation (svi.c, middle.c, svi_linearize.c). */
void cardan__svi_read(cardan__discrete *d);
void cardan__svi_layout(cardan__discrete *d, cardan__carver *c);
cardan_status cardan__svi_make(cardan__discrete *d) CARDAN_MUST_USE;
void cardan__svi_close(cardan__discrete *d);
cardan_status cardan__svi_start(cardan__discrete *d) CARDAN_MUST_USE;
void cardan__svi_enter(cardan__discrete *d);
void cardan__svi_begin(cardan__discrete *d);
void cardan__svi_sizes(cardan__discrete *d, double *scale);
double cardan__svi_work(cardan__discrete *d);
void cardan__svi_accept(cardan__discrete *d);
bool cardan__svi_momentum(cardan__discrete *d, cardan_force *P, double *p);
void cardan__svi_push(cardan__discrete *d, const double *p);
void cardan__svi_state(cardan__discrete *d, cardan__spans *list);
cardan_status cardan__svi_slopes(cardan__discrete *d, cardan__slopes *out) CARDAN_MUST_USE;
#define CARDAN__SVI_ENTRIES                                                                 \
  .read = cardan__svi_read, .start = cardan__svi_start, .enter = cardan__svi_enter,         \
  .begin = cardan__svi_begin, .sizes = cardan__svi_sizes, .work = cardan__svi_work,         \
  .accept = cardan__svi_accept, .momentum = cardan__svi_momentum, .push = cardan__svi_push, \
  .state = cardan__svi_state, .slopes = cardan__svi_slopes

extern const cardan__equation cardan__equation_svi; // recursive.c
