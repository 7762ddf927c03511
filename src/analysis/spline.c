// SPDX-License-Identifier: Apache-2.0
#include "analysis/spline.h"

#include <math.h>
#include <string.h>

/* B-splines by the recursion of de Boor and Cox [C. de Boor, A Practical Guide to Splines, 1978,
 * ch. X]:
 *   B_i,0 = 1 in knot_i <= t < knot_i+1,
 *   B_i,k = (t - knot_i) / (knot_i+k - knot_i) B_i,k-1
 *         + (knot_i+k+1 - t) / (knot_i+k+1 - knot_i+1) B_i+1,k-1                             (E1)
 *   s' = sum over i of k (c_i - c_i-1) / (knot_i+k - knot_i) B_i,k-1  (E2) */

enum { MOST = CARDAN__SPLINE_DEGREE + 1, BAND = 2 * CARDAN__SPLINE_DEGREE + 1 };

size_t cardan__spline_knots(int n)
{
  return (size_t)n + MOST;
}

size_t cardan__spline_work(int n)
{
  return (size_t)n * BAND;
}

int cardan__spline_begin(int n, const double *t, double *knot)
{
  const int k = n > CARDAN__SPLINE_DEGREE ? CARDAN__SPLINE_DEGREE : n - 1;
  const int skip =
      (k + 1) / 2; // points at each end that are not inner knots, the end point included
  for (int i = 0; i <= k; i++) {
    knot[i] = t[0];
    knot[n + i] = t[n - 1];
  }
  for (int i = k + 1; i < n; i++) { // the n - k - 1 inner knots, symmetric if k is odd
    knot[i] = t[i - k - 1 + skip];
  }
  return k;
}

/* Index j of the last knot <= t whose interval [knot_j, knot_j+1] is not empty: degree .. n - 1. */
static int find_interval(int n, int degree, const double *knot, double t)
{
  int low = degree, high = n - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (knot[middle] <= t) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

/* Evaluates the degree + 1 B-splines that are not 0 in interval j, B_j-degree .. B_j, by (E1). */
static void evaluate_basis(int degree, const double *knot, int j, double t, double B[MOST])
{
  B[0] = 1.0;
  for (int k = 1; k <= degree; k++) {
    double saved = 0.0;
    for (int r = 0; r < k; r++) {
      const double right = knot[j + r + 1], left = knot[j + 1 - k + r];
      const double part = B[r] / (right - left);
      B[r] = saved + (right - t) * part;
      saved = (t - left) * part;
    }
    B[k] = saved;
  }
}

bool cardan__spline_fit(int n, int degree, const double *t, const double *knot, const double *y,
                        double *c, double *work)
{
  const int width = BAND, middle = CARDAN__SPLINE_DEGREE;
  bool finite = true;
  memset(work, 0, (size_t)n * BAND * sizeof *work);
  for (int i = 0; i < n; i++) { // row i of the band, with entry (i, i + o) at middle + o
    const int j = find_interval(n, degree, knot, t[i]);
    double B[MOST];
    evaluate_basis(degree, knot, j, t[i], B);
    for (int r = 0; r <= degree; r++) {
      const int o = j - degree + r - i;
      if (o >= -middle && o <= middle) {
        work[i * width + middle + o] = B[r];
      }
    }
    c[i] = y[i];
  }
  for (int i = 0; i < n; i++) {
    const double *row = work + (size_t)i * BAND;
    for (int k = i + 1; k < n && k <= i + middle; k++) {
      double *below = work + (size_t)k * BAND;
      const double factor = below[middle + i - k] / row[middle];
      for (int o = 0; factor != 0 && o <= middle && i + o < n; o++) {
        below[middle + i - k + o] -= factor * row[middle + o];
      }
      c[k] -= factor * c[i];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *row = work + (size_t)i * BAND;
    for (int o = 1; o <= middle && i + o < n; o++) {
      c[i] -= row[middle + o] * c[i + o];
    }
    c[i] /= row[middle];
    finite = finite && isfinite(c[i]);
  }
  return finite;
}

void cardan__spline_at(const cardan__spline *s, double t, double out[3])
{
  const double *knot = s->knot;
  const double clamped = fmin(fmax(t, knot[s->degree]), knot[s->n]);
  const int k = s->degree, j = find_interval(s->n, k, knot, clamped);
  double c[MOST], B[MOST];
  memcpy(c, s->value + j - k, (size_t)(k + 1) * sizeof *c);
  for (int d = 0; d < 3; d++) {
    out[d] = 0.0;
    if (d > k) {
      continue;
    }
    if (d > 0) {
      for (int r = k; r >= d; r--) { // (E2), of degree k - d + 1
        const int i = j - k + r;
        c[r] = (k - d + 1) * (c[r] - c[r - 1]) / (knot[i + k - d + 1] - knot[i]);
      }
    }
    evaluate_basis(k - d, knot, j, clamped, B);
    for (int r = 0; r <= k - d; r++) {
      out[d] += c[d + r] * B[r];
    }
  }
}
