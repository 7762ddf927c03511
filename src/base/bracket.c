// SPDX-License-Identifier: Apache-2.0
#include "base/bracket.h"

#include <math.h>

void cardan__bracket_begin(cardan__bracket *b, double tol)
{
  b->width[0] = b->width[1] = HUGE_VAL;
  b->tol = tol;
  b->tries = b->same = 0;
  b->side = -1;
  b->point[2].t = b->point[0].t;
}

/* Root between 0 and b of the parabola with f(0) = f0, f(b) = fb and f[0, b, x] = curve; f0 > 0 >
 * fb. */
static double parabola(double b, double f0, double fb, double curve)
{
  const double slope = (fb - f0) / b - curve * b; // at 0
  const double square = slope * slope - 4 * curve * f0;
  if (square < 0) {
    return b * f0 / (f0 - fb);
  }
  // both forms of the roots, without cancellation
  const double w = -0.5 * (slope + copysign(sqrt(square), slope));
  const double first = w != 0 ? f0 / w : b, second = curve != 0 ? w / curve : b;
  const double x = first > 0 && first < b ? first : second;
  return x > 0 && x < b ? x : b * f0 / (f0 - fb);
}

double cardan__bracket_root(const cardan__bracket *b, double f0, double f1, double f2,
                            const double *curve)
{
  const cardan__event_point *p = b->point;
  const double width = p[1].t - p[0].t, x = p[2].t - p[0].t;
  if (f0 == 0 && b->tol > 0) {
    return p[0].t;
  }
  if (!(f0 > 0) || !(f1 < 0)) {
    return p[0].t + 0.5 * width;
  }
  const bool known = b->tries > 0 && x != 0 && x != width;
  const double third = known ? ((f2 - f0) / x - (f1 - f0) / width) / (x - width) : 0;
  return p[0].t + parabola(width, f0, f1, curve != NULL ? *curve : third);
}

double cardan__bracket_next(cardan__bracket *b, double root)
{
  const double low = b->point[0].t, high = b->point[1].t, width = high - low;
  const double away = b->same < 60 ? ldexp(0.5 * b->tol, b->same) : width;
  const bool at_end = root - low <= 8 * away || high - root <= 8 * away; // the root has converged
  const bool slow = width > 0.5 * b->width[b->tries & 1] && !(b->tol > 0 && at_end);
  double t = slow ? 0.5 * (low + high) : root;
  if (b->tol > 0) {
    t = 2 * away < width ? fmin(fmax(t, low + away), high - away) : 0.5 * (low + high);
  }
  b->width[b->tries & 1] = width;
  b->tries++;
  return t;
}

void cardan__bracket_narrow(cardan__bracket *b, int side, double t)
{
  const cardan__event_point old = b->point[2];
  b->point[2] = b->point[side];
  b->point[side] = old;
  b->point[side].t = t;
  b->same = side == b->side ? b->same + 1 : 0;
  b->side = side;
}
