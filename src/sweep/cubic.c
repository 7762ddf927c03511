// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "sweep/collect.h"

/* Newton's form over the ends, s = 0 and 1, and then the other rows at s2 and s3:
 *   p(s) = y_a + s d1 + s (s - 1) d2 + s (s - 1) (s - s2) d3          (C1)
 *   d1 = y_b - y_a,   e_k = ((y_k - y_a) / s_k - d1) / (s_k - 1)
 *   d2 = e_2,         d3 = (e_3 - e_2) / (s3 - s2)                    (C2)
 * so that p(0) is the row's value to the bit. */
cardan__cubic cardan__cubic_through(const double *t, const double *y, int n, int a)
{
  const double h = t[a + 1] - t[a], d1 = y[a + 1] - y[a];
  double s[2] = {0, 0}, e[2] = {0, 0};
  int others = 0;
  for (int k = 0; k < n; k++) {
    if (k != a && k != a + 1) {
      s[others] = (t[k] - t[a]) / h;
      e[others] = ((y[k] - y[a]) / s[others] - d1) / (s[others] - 1);
      others++;
    }
  }
  const double d2 = e[0], d3 = others == 2 ? (e[1] - e[0]) / (s[1] - s[0]) : 0;  // (C2)
  return (cardan__cubic){{y[a], d1 - d2 + s[0] * d3, d2 - (1 + s[0]) * d3, d3}}; // (C1)
}

double cardan__cubic_at(const cardan__cubic *p, double s)
{
  return p->c[0] + s * (p->c[1] + s * (p->c[2] + s * p->c[3]));
}

double cardan__cubic_mean(const cardan__cubic *p)
{
  return p->c[0] + p->c[1] / 2 + p->c[2] / 3 + p->c[3] / 4;
}

double cardan__cubic_mean_square(const cardan__cubic *p)
{
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) {
      sum += p->c[i] * p->c[k] / (i + k + 1);
    }
  }
  return sum;
}

/* Roots of c1 + 2 c2 s + 3 c3 s^2, the one that does not cancel first. */
int cardan__cubic_turns(const cardan__cubic *p, double s[2])
{
  const double a = 3 * p->c[3], b = p->c[2], c = p->c[1];
  const double square = b * b - a * c;
  int n = 0;
  if (!(square >= 0)) {
    return 0;
  }
  const double w = -(b + copysign(sqrt(square), b));
  const double root[2] = {w != 0 ? c / w : -1, a != 0 ? w / a : -1};
  for (int i = 0; i < 2; i++) {
    if (root[i] > 0 && root[i] < 1) {
      s[n++] = root[i];
    }
  }
  if (n == 2 && s[0] > s[1]) {
    const double first = s[1];
    s[1] = s[0];
    s[0] = first;
  }
  return n;
}

/* The root in a piece in which p goes one way, from one side of the level to it or across. */
static double cross_within(const cardan__cubic *p, double level, double from, double to)
{
  const bool below = cardan__cubic_at(p, from) < level;
  while (true) {
    const double middle = from + (to - from) / 2;
    if (middle <= from || middle >= to) {
      return to;
    }
    const double y = cardan__cubic_at(p, middle);
    if (below ? y < level : y > level) {
      from = middle;
    } else {
      to = middle;
    }
  }
}

double cardan__cubic_cross(const cardan__cubic *p, double end, double level, int direction)
{
  double s[4] = {0};
  const int turns = cardan__cubic_turns(p, s + 1);
  s[turns + 1] = 1;
  double before = p->c[0];
  for (int i = 1; i <= turns + 1; i++) {
    const double here = i <= turns ? cardan__cubic_at(p, s[i]) : end;
    const bool up = before < level && here >= level, down = before > level && here <= level;
    if ((up && direction >= 0) || (down && direction <= 0)) {
      return cross_within(p, level, s[i - 1], s[i]);
    }
    before = here;
  }
  return -1;
}
