// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>

#include "cones/ncp.h"

/* One contact, W = G_ii. b_n >= 0: r = 0. Else, with the normal eliminated,
 *   S = W_tt - W_tn W_nt / W_nn,   c = b_t - W_tn b_n / W_nn,
 *   x(l) = -(S + l)^-1 c,   r_n(l) = -(b_n + W_nt x(l)) / W_nn                               (O1)
 * it sticks with r_t = x(0) where |x(0)| <= mu r_n(0); else it slides with the l > 0 at which
 *   |x(l)| = mu r_n(l) = a + q . x(l)                                                        (O2)
 * since u_t = S x + c = -l x. The left side less the right is > 0 at l = 0 and < 0 as l grows (x
 * goes to 0, a is > 0): a root is there whatever mu and W are. A disc of a given radius (spin,
 * roll, once r_n is known) is (O2) with q = 0.
 *
 * Directions in which S is 0 get the impulse 0 where c has nothing along them: l is never below
 * `flat` of W_tt where S is singular. S need not be symmetric. */

static const double flat = 1e-13;     // of W_tt: what S is where it is 0 but for rounding
static const double singular = 1e-10; // S below this of W_tt gets it

enum { MOST = 80, INNER = 30 }; // steps of a root; rounds over the groups of one contact

typedef struct {
  double S[2][2], c[2], a, q[2];
  double size; // of S before anything was taken from it
} disc;

/* x(l) and x'(l) = -(S + l)^-1 x. */
static void at(const disc *d, double l, double *x, double *dx)
{
  const double s00 = d->S[0][0] + l, s11 = d->S[1][1] + l, s01 = d->S[0][1], s10 = d->S[1][0];
  const double f = 1 / (s00 * s11 - s01 * s10);
  x[0] = -f * (s11 * d->c[0] - s01 * d->c[1]);
  x[1] = -f * (s00 * d->c[1] - s10 * d->c[0]);
  dx[0] = -f * (s11 * x[0] - s01 * x[1]);
  dx[1] = -f * (s00 * x[1] - s10 * x[0]);
}

/* Impulses are far from where squares overflow; hypot took a fifth of the time of a pile. */
static double length_of(const double *x)
{
  return sqrt(x[0] * x[0] + x[1] * x[1]);
}

static double bound(const disc *d, const double *x)
{
  return d->a + d->q[0] * x[0] + d->q[1] * x[1];
}

/* (O2) of two rows, from a bracket: Newton's method on 1/|x| - 1/bound, which is nearly straight;
 * halving where that leaves the bracket. */
static void root(const disc *d, double low, double *x)
{
  double dx[2], high = fmax(d->size, 2 * low);
  at(d, high, x, dx);
  for (int k = 0; k < MOST && !(length_of(x) <= bound(d, x)); k++) {
    low = high;
    high *= 16;
    at(d, high, x, dx);
  }
  double l = high;
  for (int k = 0; k < MOST; k++) {
    const double length = length_of(x), limit = bound(d, x);
    if (fabs(length - limit) <= 2 * DBL_EPSILON * length || high - low <= 2 * DBL_EPSILON * high) {
      break;
    }
    *(length > limit ? &low : &high) = l;
    const double slope = -(x[0] * dx[0] + x[1] * dx[1]) / (length * length * length) +
                         (d->q[0] * dx[0] + d->q[1] * dx[1]) / (limit * limit);
    const double next = l - (1 / length - 1 / limit) / slope;
    const double middle = low > 0 && high > 4 * low ? sqrt(low * high) : 0.5 * (low + high);
    l = limit > 0 && next > low && next < high ? next : middle;
    at(d, l, x, dx);
  }
}

static void solve_two(const disc *d, double *x)
{
  const double det = d->S[0][0] * d->S[1][1] - d->S[0][1] * d->S[1][0];
  const double low = det > singular * d->size * d->size ? 0 : flat * d->size;
  double dx[2];
  at(d, low, x, dx);
  if (!(length_of(x) <= bound(d, x))) {
    root(d, low, x);
  }
}

/* (O2) of one row is linear in |x|. */
static void solve_one(const disc *d, double *x)
{
  const double s = d->S[0][0] > singular * d->size ? d->S[0][0] : d->S[0][0] + flat * d->size;
  x[0] = -d->c[0] / s;
  x[1] = 0;
  if (!(fabs(x[0]) <= bound(d, x))) {
    const double to = d->c[0] > 0 ? -1 : 1;
    x[0] = to * d->a / (1 - d->q[0] * to);
  }
}

/* Least change of x (size rows) that brings it into the disc of radius most. */
static void clip(int size, double most, double *x)
{
  const double length = size > 1 ? length_of(x) : fabs(x[0]);
  if (length > most) {
    const double f = most / length;
    x[0] *= f;
    x[size - 1] *= size > 1 ? f : 1;
  }
}

/* Normal and group g, whose rows are at t, with b as all other groups leave it. */
static void normal_and(const cardan__cone *cone, int g, int t, const double *W, int ld,
                       const double *b, double *r)
{
  const int size = cone->size[g];
  const double mu = cone->mu[g], w = W[0];
  disc d = {.a = -mu * b[0] / w};
  for (int i = 0; i < size; i++) {
    const double wn = W[(t + i) * ld];
    d.c[i] = b[t + i] - wn * b[0] / w;
    d.q[i] = -mu * W[t + i] / w;
    for (int j = 0; j < size; j++) {
      d.S[i][j] = W[(t + i) * ld + t + j] - wn * W[t + j] / w;
    }
    d.size += W[(t + i) * ld + t + i];
  }
  double x[2] = {0, 0};
  if (mu > 0 && d.size > 0) {
    (size > 1 ? solve_two : solve_one)(&d, x);
  }
  double pull = b[0];
  for (int i = 0; i < size; i++) {
    r[t + i] = x[i];
    pull += W[t + i] * x[i];
  }
  r[0] = fmax(-pull / w, 0);
  clip(size, mu * r[0], r + t);
}

/* Group g alone, with r_n known and c its velocity without its own impulse. */
static void solve_disc(const cardan__cone *cone, int g, int t, const double *W, int ld,
                       const double *c, double *r)
{
  const int size = cone->size[g];
  disc d = {.a = cone->mu[g] * r[0]};
  double x[2] = {0, 0};
  for (int i = 0; i < size; i++) {
    d.c[i] = c[i];
    for (int j = 0; j < size; j++) {
      d.S[i][j] = W[(t + i) * ld + t + j];
    }
    d.size += W[(t + i) * ld + t + i];
  }
  if (d.a > 0 && d.size > 0) {
    (size > 1 ? solve_two : solve_one)(&d, x);
    clip(size, d.a, x);
  }
  for (int i = 0; i < size; i++) {
    r[t + i] = x[i];
  }
}

/* y = b_i + W_ij r_j over all rows j but those from skip to skip + count. */
static double without(const double *W, double b, int rows, int skip, int count, const double *r)
{
  double y = b;
  for (int j = 0; j < rows; j++) {
    y += j < skip || j >= skip + count ? W[j] * r[j] : 0;
  }
  return y;
}

/* Several groups: normal and tangents exactly, then each other group, in turns. There is no closed
 * form; what the turns leave is Newton's (ncp_newton.c). */
static void solve_groups_in_turn(const cardan__cone *cone, const double *W, int ld, const double *b,
                                 double *r)
{
  const int rows = cardan__cone_rows(cone), first = 1 + cone->size[0];
  bool settled = false;
  for (int k = 0; k < INNER && !settled; k++) {
    double left[CARDAN__CONE_ROWS] = {0}, moved = 0, size = 0;
    for (int i = 0; i < first; i++) {
      left[i] = without(W + i * ld, b[i], rows, 0, first, r);
    }
    const double before = r[0];
    if (left[0] < 0) {
      normal_and(cone, 0, 1, W, ld, left, r);
    } else {
      for (int i = 0; i < first; i++) {
        r[i] = 0;
      }
    }
    moved = fabs(r[0] - before);
    size = r[0];
    for (int g = 1, t = first; g < cone->ngroup; t += cone->size[g], g++) {
      double old[2] = {r[t], r[t + cone->size[g] - 1]};
      for (int i = 0; i < cone->size[g]; i++) {
        left[i] = without(W + (t + i) * ld, b[t + i], rows, t, cone->size[g], r);
      }
      solve_disc(cone, g, t, W, ld, left, r);
      moved = fmax(moved, fmax(fabs(r[t] - old[0]), fabs(r[t + cone->size[g] - 1] - old[1])));
      size = fmax(size, fabs(r[t]));
    }
    settled = moved <= 4 * DBL_EPSILON * size;
  }
}

void cardan__cone_solve(const cardan__cone *cone, const double *W, int ld, const double *b,
                        double *r)
{
  const int rows = cardan__cone_rows(cone);
  if (cone->bound > 0) {
    r[0] = W[0] > 0 ? fmax(-cone->bound, fmin(cone->bound, -b[0] / W[0])) : 0;
  } else if (!(W[0] > 0) || b[0] >= 0) {
    for (int i = 0; i < rows; i++) {
      r[i] = 0;
    }
  } else if (cone->ngroup == 0) {
    r[0] = -b[0] / W[0];
  } else if (cone->ngroup == 1) {
    normal_and(cone, 0, 1, W, ld, b, r);
  } else {
    solve_groups_in_turn(cone, W, ld, b, r);
  }
}
