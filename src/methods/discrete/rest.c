// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "constraints/held_rows.h"
#include "methods/discrete/discrete.h"

/* A step at rest: x = 0, with the impulses of the step before, is the root to rounding,
 *   |r(0) - J^T r| <= tolerance,   error of (N) <= roundings of lengths                       (R1)
 * so that nothing has to be factored or solved. As the coordinates do not change by a bit, what
 * rests does not creep; and what (R1) leaves of the residual stays in the momentum of the node, so
 * that it cannot add up unseen: a later step that does not fulfil (R1) is solved for. */

// of the root finder's tolerance; beside dry friction nodes are solved less closely
static const double contacts_alone = 0.25, beside_dry = 10;
static const double gap_floor = 1e-3;      // of that of gaps: 4 roundings
static const double at_rest = DBL_EPSILON; // of lengths or rad, that the step before moved

/* Did the step before move anything? */
static bool moved_before(const cardan__discrete *d)
{
  const cardan__extrapolation *history = &d->stages.history[d->stages.now];
  double most = history->have > 0 ? 0 : HUGE_VAL;
  for (int k = 0; k < d->model->nv && history->have > 0; k++) {
    most = fmax(most, fabs(history->D[k]));
  }
  return most > at_rest * (1 + d->model->size_length);
}

/* Does something slide along a row that pushes? A belt under what rests does, and takes work. */
static bool slides(const cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  const double *asked = cardan__cone_values(d), *r = d->border.lambda + d->border.nequal;
  bool any = false;
  for (int k = 0; k < held->nrow && !any; k++) {
    any = r[k] != 0 && fabs(asked[k]) > gap_floor * d->border.phi_tol;
  }
  return any;
}

/* Rows of one coordinate (dry friction, limits) take the remainder of its residual, as far as they
 * may: then it is exact. */
static void settle_coordinates(cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  for (int j = 0; j < held->n; j++) {
    const cardan__cone *c = &held->cone[j];
    const cardan__row_reach *reach = &held->reach[j];
    const int k = reach->range[0][0];
    const double row = held->J[(size_t)c->row * (size_t)d->model->nv + (size_t)k];
    if (c->ngroup > 0 || reach->range[0][1] != k + 1 || reach->range[1][1] > reach->range[1][0] ||
        row == 0) {
      continue;
    }
    double *r = &d->border.lambda[d->border.nequal + c->row];
    const double to = *r + d->r[k] / row;
    if (c->bound > 0 ? fabs(to) <= c->bound : to >= 0) {
      *r = to;
      d->r[k] = 0;
    }
  }
}

cardan_status cardan__rest_try(cardan__discrete *d, bool *rests)
{
  cardan__held_rows *held = d->base.held;
  cardan__border *b = &d->border;
  const int m = b->n - b->nequal;
  *rests = false;
  held->rested = false;
  if (d->rolling != NULL || moved_before(d)) {
    return CARDAN_OK;
  }
  cardan_status status = cardan__guess_make(d, CARDAN__GUESS_CURRENT);
  for (int j = 0; j < m; j++) {
    b->lambda[b->nequal + j] = d->h * held->resting[j];
    b->rho[j] = 1; // decides which rows push, of impulses and of velocities that are 0
  }
  b->cones_factored = status == CARDAN_OK;
  status = status == CARDAN_OK ? cardan__root_evaluate(d, true) : status;
  *rests = status == CARDAN_OK && cardan__hold_error(d) <= gap_floor && !slides(d);
  b->cones_factored = false;
  if (*rests) {
    settle_coordinates(d);
  }
  const double floor = (b->room.dry > 0 ? beside_dry : contacts_alone) * d->root.tol;
  for (int k = 0; k < d->model->nv && *rests; k++) {
    *rests = fabs(d->r[k]) * d->root.inv_scale[k] <= floor;
  }
  if (!*rests) {
    cardan__border_restore(d);
  }
  held->rested = *rests;
  return status;
}
