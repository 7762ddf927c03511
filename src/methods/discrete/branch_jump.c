// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "constraints/branch_gap.h"
#include "methods/discrete/discrete.h"

/* Did a step jump over a gap between branches (constraints/branch_gap.h)? Its root is a good one,
 * of another motion.
 *
 * A position between two nodes at which rows become dependent shows in the smallest pivot. With d
 * the distance to it, the pivot is d_k d_{k+1} or d_{k+1} in S = G_n Y of border.c, as the rows
 * are, and d_k^2 at the node in border_sparse.c. In the step that passes the position the pivot is
 * at most 0.33, 0.5 and 0.79 (order 2, 4, 6) of the largest of the four before. Steps with a larger
 * one are not checked, unless they are longer than the last one, or among the first. */

static double fallen(const cardan__discrete *d)
{
  return d->stages.n == 1 ? 0.5 : d->stages.n == 5 ? 0.65 : 0.85;
}

/* May the step under way pass a singular position? */
static bool may_pass(cardan__discrete *d)
{
  cardan__border_update_rank(d);
  return cardan__rank_fell(&d->border.rank, fallen(d)) ||
         (d->stages.n == 1 && fabs(d->h) > (1 + 1e-6) * fabs(d->branch_jump.h));
}

cardan_status cardan__branch_jump_check(cardan__discrete *d)
{
  cardan__branch_jump *jump = &d->branch_jump;
  cardan__branch_gap_found found;
  if (may_pass(d) &&
      cardan__branch_gap_jumped(jump->gap, d->t, d->node->q, d->t_end, d->x.dq, &found)) {
    return cardan__branch_gap_describe(d->model, &found, d->t, d->h, &d->node->info);
  }
  cardan__rank_accept(&d->border.rank);
  jump->h = d->h;
  return CARDAN_OK;
}
