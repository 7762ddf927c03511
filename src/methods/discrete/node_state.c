// SPDX-License-Identifier: Apache-2.0
#include "methods/discrete/rolling.h"

/* The state of a node, which the next step reads, and a part of it that the ledger reads. A file of
 * its own: steps and their parts save and restore the state, and it calls none of them. */

void cardan__rolling_spans(cardan__rolling *s, cardan__spans *list)
{
  cardan__spans_ints(list, s->have, (size_t)s->nstage, 0, 2);
  cardan__spans_add(list, s->history, 2 * (size_t)s->nstage * (size_t)s->n, sizeof *s->history);
}

void cardan__compose_state(cardan__discrete *d, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, d->node->t);
  cardan__spans_add(list, d->node->q, (size_t)d->model->nq, sizeof *d->node->q);
  CARDAN__SPANS_ONE(list, d->ledger.now);
  cardan__spans_add(list, d->border.lambda, (size_t)d->border.nloop, sizeof *d->border.lambda);
  CARDAN__SPANS_ONE(list, d->stages.h);
  cardan__spans_ints(list, d->border.row, (size_t)d->border.nloop, 0, d->model->nrow - 1);
  for (int i = 0; i < d->stages.n; i++) {
    cardan__extrapolation *e = &d->stages.history[i];
    cardan__spans_ints(list, &e->have, 1, 0, CARDAN__EXTRAPOLATE_ORDERS);
    cardan__spans_ints(list, &e->settled, 1, 0, CARDAN__EXTRAPOLATE_ORDERS);
    CARDAN__SPANS_ONE(list, e->size2);
    cardan__spans_add(list, e->D, CARDAN__EXTRAPOLATE_ORDERS * (size_t)e->n, sizeof *e->D);
  }
  cardan__spans_ints(list, &d->border.rank.steps, 1, 0, CARDAN__RANK_HISTORY);
  CARDAN__SPANS_ONE(list, d->border.rank.history);
  CARDAN__SPANS_ONE(list, d->branch_jump.h);
  d->equation->state(d, list);
  if (d->rolling != NULL) {
    cardan__rolling_spans(d->rolling, list);
  }
}

double cardan__rolling_rate(const cardan__discrete *d, int row)
{
  return d->rolling->b[d->rolling->slot[row]];
}
