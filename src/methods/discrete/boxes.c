// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "constraints/held_rows.h"
#include "methods/discrete/discrete.h"

/* Dry friction of joints where nothing else is held: boxes of (N), cones/ncp.h, by guessed sides.
 *   held    x_k = 0, and the impulse r_k is what the residual asks for:  |r_k| <= bound      (X1)
 *   slides  r_k = -bound side:                                            side x_k >= 0      (X2)
 * With the sides given no rows are left: joints that are held drop out of the factorisation, the
 * impulse of the others is a constant, and the step costs what it would without friction. The
 * sides are those of the velocities at the node, and tested at the root; where one is wrong the
 * step is solved by rows (border_held.c), which find the same (N). */

static const double moving = 1e-9; // [m/s, rad/s]: a joint that does

/* Velocity of box j. */
static int velocity_of(const cardan__held_rows *held, int j)
{
  return held->reach[j].range[0][0];
}

bool cardan__boxes_begin(cardan__discrete *d)
{
  cardan__held_rows *held = d->base.held;
  cardan__border *b = &d->border;
  if (!d->equation->holds || b->room.dry == 0 || held->n != b->room.dry || held->given ||
      b->nequal > 0 || d->rolling != NULL || d->friction_acts || d->stages.n > 1 ||
      d->model->nprescribed > 0 || d->linear.kind != CARDAN__BY_EQUATION || d->linear.coupled ||
      d->linear.broyden != NULL || held->n > (int)(8 * sizeof b->sides)) {
    return false;
  }
  memset(b->sides, 0, sizeof b->sides);
  memset(b->held, 0, (size_t)d->model->nv * sizeof *b->held);
  for (int j = 0; j < held->n; j++) {
    const double v = held->speed[held->cone[j].row];
    held->side[j] = v > moving ? 1 : v < -moving ? -1 : 0;
    if (held->side[j] == 0) {
      b->held[velocity_of(held, j)] = true;
      b->sides[j / 64] |= (uint64_t)1 << (j % 64);
    }
  }
  b->nbox = held->n;
  b->n = b->nequal;
  return true;
}

void cardan__boxes_guess(cardan__discrete *d)
{
  for (int k = 0; k < d->model->nv && d->border.nbox > 0; k++) {
    d->x.dq[k] = d->border.held[k] ? 0 : d->x.dq[k];
  }
}

void cardan__boxes_subtract(cardan__discrete *d)
{
  const cardan__held_rows *held = d->base.held;
  const cardan__border *b = &d->border;
  for (int j = 0; j < b->nbox; j++) {
    const int k = velocity_of(held, j);
    double *r = &b->lambda[b->nequal + held->cone[j].row];
    *r = held->side[j] == 0 ? d->r[k] : -held->side[j] * held->cone[j].bound;
    d->r[k] = held->side[j] == 0 ? 0 : d->r[k] - *r;
  }
}

bool cardan__boxes_agree(cardan__discrete *d)
{
  cardan__held_rows *held = d->base.held;
  const cardan__border *b = &d->border;
  double *asked = cardan__cone_values(d);
  bool agree = true;
  for (int j = 0; j < b->nbox && agree; j++) {
    const int row = held->cone[j].row;
    asked[row] = d->x.dq[velocity_of(held, j)];
    agree = held->side[j] == 0 ? fabs(b->lambda[b->nequal + row]) <= held->cone[j].bound
                               : held->side[j] * asked[row] >= 0;
  }
  held->sided = agree;
  return agree;
}
