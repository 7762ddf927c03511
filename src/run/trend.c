// SPDX-License-Identifier: Apache-2.0
#include "run/trend.h"

#include <math.h>

/* Least-squares line through all values x(t), by sums that are updated (Welford):
 *   rate = S_tx / S_tt,   S_tx = sum (t - <t>) (x - <x>),   S_tt = sum (t - <t>)^2        (L1)
 * Values of an oscillation that follow one another are not independent, and n of them say less than
 * n independent ones. So the standard error comes from blocks, in whose means fast oscillations
 * average out: with r_b the deviation of a block's mean from the line, over m blocks,
 *   error = sqrt( sum r_b^2 / ((m - 2) sum (t_b - <t_b>)^2) )                               (L2)
 * The band is the difference of the highest and the lowest x - rate t. A block keeps its extremes
 * and their times, so that it is exact but for the trend within one block. Blocks are merged in
 * pairs when there is no room for another one. */

static void merge_pairs(cardan__trend *trend)
{
  for (int b = 0; b < trend->nblock / 2; b++) {
    const cardan__trend_block *one = &trend->block[2 * b], *two = one + 1;
    cardan__trend_block both = *one;
    both.t = 0.5 * (one->t + two->t);
    both.x = 0.5 * (one->x + two->x);
    if (two->low < one->low) {
      both.low = two->low;
      both.t_low = two->t_low;
    }
    if (two->high > one->high) {
      both.high = two->high;
      both.t_high = two->t_high;
    }
    trend->block[b] = both;
  }
  trend->nblock /= 2;
  trend->per_block *= 2;
  trend->in_last = trend->per_block;
}

void cardan__trend_add(cardan__trend *trend, double t, double x)
{
  const double dt = t - trend->t, dx = x - trend->x, n = (double)++trend->n;
  trend->t += dt / n;
  trend->x += dx / n;
  trend->tt += dt * (t - trend->t);
  trend->tx += dt * (x - trend->x);
  trend->per_block = trend->per_block > 0 ? trend->per_block : 1;
  if (trend->nblock == CARDAN__TREND_BLOCKS && trend->in_last == trend->per_block) {
    merge_pairs(trend);
  }
  if (trend->nblock == 0 || trend->in_last == trend->per_block) {
    trend->block[trend->nblock++] =
        (cardan__trend_block){.t = t, .x = x, .t_low = t, .t_high = t, .low = x, .high = x};
    trend->in_last = 1;
    return;
  }
  cardan__trend_block *b = &trend->block[trend->nblock - 1];
  const double m = (double)++trend->in_last;
  b->t += (t - b->t) / m;
  b->x += (x - b->x) / m;
  if (x < b->low) {
    b->low = x;
    b->t_low = t;
  }
  if (x > b->high) {
    b->high = x;
    b->t_high = t;
  }
}

void cardan__trend_spans(cardan__trend *trend, cardan__spans *list)
{
  CARDAN__SPANS_ONE(list, trend->n);
  CARDAN__SPANS_ONE(list, trend->per_block);
  CARDAN__SPANS_ONE(list, trend->in_last);
  CARDAN__SPANS_ONE(list, trend->t);
  CARDAN__SPANS_ONE(list, trend->x);
  CARDAN__SPANS_ONE(list, trend->tt);
  CARDAN__SPANS_ONE(list, trend->tx);
  cardan__spans_ints(list, &trend->nblock, 1, 0, CARDAN__TREND_BLOCKS);
  CARDAN__SPANS_ONE(list, trend->block);
}

/* (L2), over the full blocks. */
static double standard_error(const cardan__trend *trend, double rate)
{
  const int m = trend->nblock - (trend->in_last < trend->per_block);
  double middle = 0, squares = 0, spread = 0;
  if (m < 3) {
    return HUGE_VAL;
  }
  for (int b = 0; b < m; b++) {
    middle += trend->block[b].t / m;
  }
  for (int b = 0; b < m; b++) {
    const cardan__trend_block *at = &trend->block[b];
    const double r = at->x - trend->x - rate * (at->t - trend->t);
    squares += r * r;
    spread += (at->t - middle) * (at->t - middle);
  }
  return sqrt(squares / ((m - 2) * spread));
}

cardan__trend_fit cardan__trend_find(const cardan__trend *trend)
{
  cardan__trend_fit fit = {.error = HUGE_VAL};
  if (trend->n < 2 || !(trend->tt > 0)) {
    return fit;
  }
  fit.rate = trend->tx / trend->tt;
  fit.error = standard_error(trend, fit.rate);
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (int b = 0; b < trend->nblock; b++) {
    const cardan__trend_block *at = &trend->block[b];
    low = fmin(low, at->low - fit.rate * (at->t_low - trend->t));
    high = fmax(high, at->high - fit.rate * (at->t_high - trend->t));
  }
  fit.band = high - low;
  return fit;
}
