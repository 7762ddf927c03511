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

/* Root between 0 and b of the parabola with f(0) = f0 > 0, f(b) = fb < 0 and divided difference
 * f[0, b, x] = curve. */
static double find_parabola_root(double b, double f0, double fb, double curve)
{
  const double slope = (fb - f0) / b - curve * b; // at 0
  const double square = slope * slope - 4 * curve * f0;
  if (square < 0) {
    return b * f0 / (f0 - fb);
  }
  // both roots, without cancellation
  const double w = -0.5 * (slope + copysign(sqrt(square), slope));
  const double root1 = w != 0 ? f0 / w : b, root2 = curve != 0 ? w / curve : b;
  const double x = root1 > 0 && root1 < b ? root1 : root2;
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
  const bool has_third_point = b->tries > 0 && x != 0 && x != width;
  const double difference = has_third_point ? ((f2 - f0) / x - (f1 - f0) / width) / (x - width) : 0;
  return p[0].t + find_parabola_root(width, f0, f1, curve != NULL ? *curve : difference);
}

double cardan__bracket_crossing(const cardan__bracket *b, int k)
{
  const double sign = b->point[1].value[k] < 0.0 ? 1.0 : -1.0;
  return cardan__bracket_root(b, sign * b->point[0].value[k], sign * b->point[1].value[k],
                              sign * b->point[2].value[k], NULL);
}

double cardan__bracket_next(cardan__bracket *b, double root)
{
  const double low = b->point[0].t, high = b->point[1].t, width = high - low;
  const double margin = b->same < 60 ? ldexp(0.5 * b->tol, b->same) : width;
  const bool at_end =
      root - low <= 8 * margin || high - root <= 8 * margin; // the root has converged
  const bool slow = width > 0.5 * b->width[b->tries & 1] && !(b->tol > 0 && at_end);
  double t = slow ? 0.5 * (low + high) : root;
  if (b->tol > 0) {
    t = 2 * margin < width ? fmin(fmax(t, low + margin), high - margin) : 0.5 * (low + high);
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
