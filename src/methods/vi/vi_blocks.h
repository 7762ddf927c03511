/* SPDX-License-Identifier: Apache-2.0
 * vi/vi_blocks.h - what is each body's own in a step, for eight bodies at once.
 *
 * Momenta and their derivative of one body do not depend on another's. Written as loops over lanes,
 * the compiler turns them into vector instructions; the mathematics stays in kernel.h and screw.h.
 * All that is of a body in a step stays in lanes, body i in lane i % 8 of block i / 8: the
 * recursions read and write its numbers there, and nothing is copied in between. */
#pragma once
#include "methods/discrete/vector.h"
#include "methods/vi/kernel.h"
#include "spatial/body_blocks.h"

/* Constants of 8 bodies (model/central.h), 0 where there is none. */
typedef struct {
  cardan__lane m, k, c[3], s[3], J[6];
} cardan__central_lanes;

static inline cardan__central cardan__lane_central(const cardan__central_lanes *b, int l)
{
  return (cardan__central){.m = b->m.at[l],
                           .k = b->k.at[l],
                           .c = cardan__lane_vec3(b->c, l),
                           .s = cardan__lane_vec3(b->s, l),
                           .J = {b->J[0].at[l], b->J[1].at[l], b->J[2].at[l], b->J[3].at[l],
                                 b->J[4].at[l], b->J[5].at[l]}};
}

/* 8 bodies in a step, in their axes at node k but for next: inputs and outputs. */
typedef struct {
  cardan__lane g[3];           // gravity's field
  cardan__lane B[6];           // P + h/2 (W + f_in): what mu has to be if the body were free
  cardan__lane Q[8];           // displacement: r, d. The identity where there is no body
  cardan__lane x[6];           // theta and the way of the centre (S1); of `se3` the logarithm
  cardan__lane half[2];        // sin and cos of half of what the joint turns by
  cardan__lane mu[6], next[6]; // momentum as the step begins; as it ends, in the axes at node k+1
} cardan__vi_lanes;

/* A 6 x 6 matrix that takes twists to wrenches, by its 3 x 3 blocks side by side: tw, tv, fw,
 * fv. */
typedef struct {
  cardan__vec4 m[3][3];
} cardan__quad;

/* The derivatives of 8 bodies' momenta as such matrices, two bodies to a vector; and z of their
 * axes at node k+1 as a line, seen at node k: Ad_dT (z; 0). */
typedef struct {
  union {
    cardan__vec8 both;
    cardan__vec4 one[2];
  } K[4][9];
  cardan__lane S[6];
} cardan__slope_lanes;

static inline cardan__screw cardan__lane_screw(const cardan__lane Q[8], int l)
{
  return (cardan__screw){.r = {Q[0].at[l], Q[1].at[l], Q[2].at[l], Q[3].at[l]},
                         .d = {Q[4].at[l], Q[5].at[l], Q[6].at[l], Q[7].at[l]}};
}

static inline void cardan__lane_set_screw(cardan__lane Q[8], int l, cardan__screw a)
{
  Q[0].at[l] = a.r.w;
  Q[1].at[l] = a.r.x;
  Q[2].at[l] = a.r.y;
  Q[3].at[l] = a.r.z;
  Q[4].at[l] = a.d.w;
  Q[5].at[l] = a.d.x;
  Q[6].at[l] = a.d.y;
  Q[7].at[l] = a.d.z;
}

/* Entry k = 3 row + column of the derivative of body l is at [2 k]. */
static inline const cardan__vec4 *cardan__slope_lane(const cardan__slope_lanes *o, int l)
{
  const int pair = 2 * (l & 1) + (l >> 2);
  return &o->K[pair][0].one[(l >> 1) & 1];
}

/* vi_blocks.c
 * _turns    half from the joints' displacements dq
 * _momenta  x, mu and next from Q and the bodies
 * _slopes   K and S from Q, x and mu
 * _weights  W from g and the inertias */
void cardan__lanes_turns(const double dq[CARDAN__LANES], cardan__vi_lanes *o);
void cardan__lanes_momenta(const cardan__central_lanes *restrict b, double inv_h,
                           cardan__vi_lanes *restrict o);
void cardan__lanes_slopes(const cardan__central_lanes *restrict b, double inv_h,
                          const cardan__vi_lanes *restrict o, cardan__slope_lanes *restrict out);
void cardan__lanes_weights(const cardan__inertia_lanes *restrict G, const cardan__lane *restrict g,
                           cardan__force_lanes *restrict W);
/* S, and K from its entries in lanes, by blocks tw, tv, fw, fv. */
void cardan__lanes_put_slopes(const cardan__lane K[36], const cardan__vi_lanes *restrict o,
                              cardan__slope_lanes *restrict out);

/* vi_se3.c: the same for the kinetic energy of `se3` */
void cardan__lanes_momenta_se3(const cardan__inertia_lanes *restrict G, double inv_h,
                               cardan__vi_lanes *restrict o);
void cardan__lanes_slopes_se3(const cardan__inertia_lanes *restrict G, double inv_h,
                              const cardan__vi_lanes *restrict o,
                              cardan__slope_lanes *restrict out);

/* Entries of M in lane l of K. */
static inline void cardan__lane_set_mat3(cardan__lane K[9], int l, const cardan_mat3 *M)
{
  for (int e = 0; e < 9; e++) {
    K[e].at[l] = M->m[e / 3][e % 3];
  }
}
