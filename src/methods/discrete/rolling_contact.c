// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "constraints/held_rows.h"
#include "linalg/small.h"
#include "methods/discrete/rolling.h"

/* Contacts, limits and dry friction beside rows of velocity level, A v = b.
 *
 * An impulse J^T r at a node acts together with the impulse of the rows that keeps A v = b:
 *   P^T J^T r,   P = 1 - M_G^-1 A^T S^-1 A,   S = A M_G^-1 A^T                               (C1)
 * both where a step begins (r^-) and where one ends (r^+, impacts, landings). So a node's momentum
 * is on the rows before and after an impact, and the kicks of a step (rolling.c) stay O(h^2): rows
 * in the middle of the step do not have to answer to what acts at its ends. Backwards the same
 * equations hold with r^+ and r^- in turn, so the step is symmetric, and of order 2. J v and the
 * Delassus matrix J P M_G^-1 J^T are those of velocities on the rows.
 *
 * With K = A^T S^-1/2 and B = S^-1/2 A M_G^-1 of the node, P^T = 1 - K^T B (rows), and what moves
 * the rows does the work
 *   -(B J^T r) . S^-1/2 b                                                                  (C2) */

static const double held = 1e-12; // of a row: what the rows leave of it is rounding

/* y -= K^T B y. returns the work (C2) of y. */
static double take_share(const cardan__discrete *d, const double *y, double *out)
{
  const cardan__rolling_node *at = &d->rolling->at[0];
  const int nv = d->model->nv;
  double work = 0;
  memcpy(out, y, (size_t)nv * sizeof *out);
  for (int i = 0; i < d->rolling->n; i++) {
    const size_t row = (size_t)i * (size_t)nv;
    const double share = cardan__dot(nv, at->B + row, y);
    for (int k = 0; k < nv; k++) {
      out[k] -= share * at->K[row + (size_t)k];
    }
    work -= share * at->b[i];
  }
  if (cardan__dot(nv, out, out) <= held * held * cardan__dot(nv, y, y)) {
    memset(out, 0, (size_t)nv * sizeof *out);
  }
  return work;
}

void cardan__rolling_hold(cardan__discrete *d)
{
  cardan__rolling *s = d->rolling;
  const cardan__held_rows *set = d->base.held;
  const size_t nv = (size_t)d->model->nv;
  for (int j = 0; j < d->border.n - d->border.nequal; j++) {
    s->driven[j] = take_share(d, set->J + (size_t)j * nv, s->J + (size_t)j * nv);
  }
  d->border.J = s->J;
}

const double *cardan__rolling_share(cardan__discrete *d, const double *dp)
{
  d->ledger.now.work += take_share(d, dp, d->rolling->dp);
  return d->rolling->dp;
}

void cardan__rolling_driven(cardan__discrete *d)
{
  const cardan__border *b = &d->border;
  for (int j = b->nequal; j < b->n; j++) {
    d->ledger.now.work += b->lambda[j] * d->rolling->driven[j - b->nequal];
  }
}
