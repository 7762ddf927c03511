// SPDX-License-Identifier: Apache-2.0
#include "reproduce/thin.h"

#include <math.h>

cardan__thin cardan__thin_begin(cardan__outcome *out, cardan__curve *curve, double from, double to,
                                int parts)
{
  return (cardan__thin){.out = out, .curve = curve, .from = from, .width = (to - from) / parts};
}

void cardan__thin_end(cardan__thin *thin)
{
  if (thin->seen == 0) {
    return;
  }
  const bool rising = thin->low[0] < thin->high[0];
  const double *first = rising ? thin->low : thin->high, *second = rising ? thin->high : thin->low;
  cardan__curve_point(thin->out, thin->curve, first[0], first[1]);
  if (first[0] < second[0]) {
    cardan__curve_point(thin->out, thin->curve, second[0], second[1]);
  }
  thin->seen = 0;
}

void cardan__thin_add(cardan__thin *thin, double x, double y)
{
  const long part = (long)floor((x - thin->from) / thin->width);
  if (part != thin->part) {
    cardan__thin_end(thin);
    thin->part = part;
  }
  if (thin->seen == 0 || y < thin->low[1]) {
    thin->low[0] = x, thin->low[1] = y;
  }
  if (thin->seen == 0 || y > thin->high[1]) {
    thin->high[0] = x, thin->high[1] = y;
  }
  thin->seen++;
}
