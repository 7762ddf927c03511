/* SPDX-License-Identifier: Apache-2.0
 * small_cones.h - small cone problems without a mechanism, and the law of their solutions. */
#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cones/ncp.h"
#include "support.h"

enum { MOST = 48, SPACE = 2 * MOST * MOST + 40 * MOST };

typedef struct {
  int n, m;
  cardan__cone cone[MOST];
  double G[MOST * MOST], b[MOST], r[MOST], u[MOST], work[SPACE];
  int iwork[MOST * MOST + 12 * MOST];
} small;

static inline cardan__ncp ncp_of(small *p)
{
  assert_true(cardan__ncp_work(p->n, p->m) <= SPACE);
  assert_true(cardan__ncp_iwork(p->n, p->m) <= MOST * MOST + 12 * MOST);
  return (cardan__ncp){.n = p->n,
                       .m = p->m,
                       .cone = p->cone,
                       .G = p->G,
                       .b = p->b,
                       .r = p->r,
                       .u = p->u,
                       .tol = 1e-13,
                       .work = p->work,
                       .iwork = p->iwork};
}

static inline double length(int n, const double *x)
{
  double sum = 0;
  for (int k = 0; k < n; k++) {
    sum += x[k] * x[k];
  }
  return sqrt(sum);
}

/* (N) as the law has it, to an error of e in velocities: r in its cone; u_n >= 0, 0 where it
 * pushes; and r_g . u_g + mu r_n |u_g|, which is never below 0, at most what e makes of it. */
static inline void assert_law(const cardan__cone *c, const double *r, const double *u,
                              const double *G, int m, double e)
{
  const double rn = r[c->row], un = u[c->row],
               weight = G[(size_t)c->row * (size_t)m + (size_t)c->row];
  assert_true(rn >= 0);
  assert_true(un >= -e);
  assert_true(fmin(rn * weight, un) <= e);
  for (int g = 0, t = c->row + 1; g < c->ngroup; t += c->size[g], g++) {
    const double limit = c->mu[g] * rn, speed = length(c->size[g], u + t);
    double power = limit * speed;
    for (int k = 0; k < c->size[g]; k++) {
      power += r[t + k] * u[t + k];
    }
    assert_true(length(c->size[g], r + t) <= limit * (1 + 1e-14));
    assert_true(power <= 4 * limit * e + 1e-15 * limit * speed);
  }
}
