// SPDX-License-Identifier: Apache-2.0
#include "spatial/sincos.h"

#include <math.h>
#include <stdbool.h>

/* x = k pi/2 + r, |r| <= pi/4 (E1); sin r and cos r by their power series (E2), which at pi/4 need
 * terms to r^17 and r^16 for what is left out to be under 1e-17; then turned by k quarter turns
 * (E3). pi/2 is kept in three parts; k times the first two is exact for |k| <= 2^20, since they
 * have 33 bits each: r has an absolute error of about eps |r|, also next to a multiple of pi/2. */
static const double two_over_pi = 0x1.45f306dc9c883p-1;
static const double half_pi[3] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
static const double round_to_int = 0x1.8p52; // adding and taking it off rounds to an integer
static const double k_max = 0x1p20;

static inline void sincos_one(double x, double *c, double *s)
{
  const double k = (x * two_over_pi + round_to_int) - round_to_int;
  const double r = ((x - k * half_pi[0]) - k * half_pi[1]) - k * half_pi[2]; // (E1)
  const double z = r * r;
  const double sin_tail =
      -1.0 / 6 +
      z * (1.0 / 120 + z * (-1.0 / 5040 +
                            z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                                     z * (1.0 / 6227020800.0 +
                                                          z * (-1.0 / 1307674368000.0 +
                                                               z * (1.0 / 355687428096000.0)))))));
  const double cos_tail =
      1.0 / 24 +
      z * (-1.0 / 720 +
           z * (1.0 / 40320 +
                z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200.0 +
                                                                  z * (1.0 / 20922789888000.0))))));
  const double sin_r = r + r * z * sin_tail; // (E2)
  const double half_z = 0.5 * z, w = 1 - half_z;
  const double cos_r = w + (((1 - w) - half_z) + z * z * cos_tail);
  // (E3): m = k mod 4 in {-2, .., 2}; odd quarters swap the two, the signs follow
  const double m = k - 4 * ((k * 0.25 + round_to_int) - round_to_int);
  const double odd = m * m == 1 ? 1.0 : 0.0;
  const double sin_sign = m == 2 || m == -2 || m == -1 ? -1.0 : 1.0;
  const double cos_sign = m == 2 || m == -2 || m == 1 ? -1.0 : 1.0;
  *s = sin_sign * (odd != 0 ? cos_r : sin_r);
  *c = cos_sign * (odd != 0 ? sin_r : cos_r);
}

void cardan__sincos(int n, const double *restrict x, double *restrict c, double *restrict s)
{
  bool large = false;
  for (int i = 0; i < n; i++) {
    sincos_one(x[i], &c[i], &s[i]);
  }
  for (int i = 0; i < n; i++) {
    large |= !(fabs(x[i] * two_over_pi) <= k_max);
  }
  for (int i = 0; large && i < n; i++) {
    if (!(fabs(x[i] * two_over_pi) <= k_max)) {
      c[i] = cos(x[i]);
      s[i] = sin(x[i]);
    }
  }
}

/* Of the octant, a = min(|s|, |c|) and b = max, the angle is r in [0, pi/4]; with the nearest of 0,
 * pi/8, pi/4, whose tangent is k,
 *   tan(r - atan k) = t = (a - k b) / (b + k a),   |t| <= tan(pi/16)                          (E4)
 *   atan t = t - t^3/3 + t^5/5 - ..                                                            (E5)
 * of which terms to t^23 leave out under 1e-17. Then r, or what it leaves to pi/2 and to pi. */
static inline double angle_one(double s, double c)
{
  const double pi = 0x1.921fb54442d18p+1, eighth = 0.125 * pi;
  const double tan_16th = 0.19891236737965800, tan_8th = 0x1.a827999fcef32p-2,
               tan_3_16th = 0.66817863791929891;
  const double y = fabs(s), x = fabs(c), a = y <= x ? y : x, b = y <= x ? x : y;
  const double k = a > tan_3_16th * b ? 1.0 : a > tan_16th * b ? tan_8th : 0.0;
  const double of_k = a > tan_3_16th * b ? 2 * eighth : a > tan_16th * b ? eighth : 0.0;
  const double below = b + k * a, t = below == 0 ? 0.0 : (a - k * b) / below; // (E4)
  const double z = t * t;
  const double high =
      1.0 / 13 +
      z * (-1.0 / 15 + z * (1.0 / 17 + z * (-1.0 / 19 + z * (1.0 / 21 + z * (-1.0 / 23)))));
  const double tail =
      z * (-1.0 / 3 + z * (1.0 / 5 + z * (-1.0 / 7 + z * (1.0 / 9 + z * (-1.0 / 11 + z * high)))));
  const double r = of_k + (t + t * tail); // (E5)
  const double quadrant = y <= x ? r : 0.5 * pi - r;
  const double half = c < 0 ? pi - quadrant : quadrant;
  return s < 0 ? -half : half;
}

void cardan__angles(int n, const double *restrict s, const double *restrict c, double *restrict x)
{
  for (int i = 0; i < n; i++) {
    x[i] = angle_one(s[i], c[i]);
  }
}
