/* SPDX-License-Identifier: Apache-2.0
 * spatial/body_blocks.h - eight bodies side by side, for what is each body's own.
 *
 * Body i is in lane i % 8 of block i / 8. A loop over lanes without branches becomes vector
 * instructions; recursions read and write their body's numbers there, one by one. A vector that is
 * read right after its numbers were written waits until they have landed: some bodies should be
 * between. */
#pragma once
#include "spatial/inertia.h"

enum { CARDAN__LANES = 8 };

/* One component of 8 bodies. */
typedef struct {
  double at[CARDAN__LANES];
} cardan__lane;

/* Inertias of 8 bodies in a row, zero where there is none. */
typedef struct cardan__inertia_lanes {
  cardan__lane m, h[3], J[6];
} cardan__inertia_lanes;

/* Wrenches of 8 bodies. */
typedef struct cardan__force_lanes {
  cardan__lane F[6];
} cardan__force_lanes;

static inline int cardan__block_of(int i)
{
  return (int)((unsigned)i / CARDAN__LANES);
}

static inline int cardan__lane_of(int i)
{
  return (int)((unsigned)i % CARDAN__LANES);
}

/* Blocks for n bodies. */
static inline int cardan__blocks(int n)
{
  return cardan__block_of(n + CARDAN__LANES - 1);
}

static inline cardan_vec3 cardan__lane_vec3(const cardan__lane x[3], int l)
{
  return (cardan_vec3){x[0].at[l], x[1].at[l], x[2].at[l]};
}

static inline cardan_twist cardan__lane_twist(const cardan__lane V[6], int l)
{
  return (cardan_twist){{V[0].at[l], V[1].at[l], V[2].at[l]}, {V[3].at[l], V[4].at[l], V[5].at[l]}};
}

static inline cardan_force cardan__lane_force(const cardan__lane F[6], int l)
{
  return (cardan_force){{F[0].at[l], F[1].at[l], F[2].at[l]}, {F[3].at[l], F[4].at[l], F[5].at[l]}};
}

static inline void cardan__lane_set_vec3(cardan__lane x[3], int l, cardan_vec3 a)
{
  x[0].at[l] = a.x;
  x[1].at[l] = a.y;
  x[2].at[l] = a.z;
}

static inline void cardan__lane_set_pair(cardan__lane x[6], int l, cardan_vec3 a, cardan_vec3 b)
{
  cardan__lane_set_vec3(x, l, a);
  cardan__lane_set_vec3(x + 3, l, b);
}

static inline void cardan__lane_set_twist(cardan__lane V[6], int l, cardan_twist a)
{
  cardan__lane_set_pair(V, l, a.w, a.v);
}

static inline void cardan__lane_set_force(cardan__lane F[6], int l, cardan_force a)
{
  cardan__lane_set_pair(F, l, a.t, a.f);
}

static inline cardan_inertia cardan__lane_inertia(const cardan__inertia_lanes *G, int l)
{
  return (cardan_inertia){G->m.at[l],    {G->h[0].at[l], G->h[1].at[l], G->h[2].at[l]},
                          G->J[0].at[l], G->J[1].at[l],
                          G->J[2].at[l], G->J[3].at[l],
                          G->J[4].at[l], G->J[5].at[l]};
}

static inline void cardan__lane_set_inertia(cardan__inertia_lanes *G, int l,
                                            const cardan_inertia *I)
{
  const double J[6] = {I->xx, I->yy, I->zz, I->xy, I->xz, I->yz};
  G->m.at[l] = I->m;
  cardan__lane_set_vec3(G->h, l, I->h);
  for (int k = 0; k < 6; k++) {
    G->J[k].at[l] = J[k];
  }
}
