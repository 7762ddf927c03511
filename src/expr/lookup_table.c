// SPDX-License-Identifier: Apache-2.0
#include "expr/lookup_table.h"

#include <math.h>

/* A cubic spline by its curvatures M_k at the points x_0 .. x_{n-1}. With h_k = x_{k+1} - x_k,
 * d_k = (y_{k+1} - y_k) / h_k, and in interval k, a = (x_{k+1} - x) / h_k, b = (x - x_k) / h_k:
 *
 *   f   = a y_k + b y_{k+1} + ((a^3 - a) M_k + (b^3 - b) M_{k+1}) h_k^2 / 6                 (E1)
 *   f'  = d_k + ((3 b^2 - 1) M_{k+1} - (3 a^2 - 1) M_k) h_k / 6                             (E2)
 *   f'' = a M_k + b M_{k+1}                                                                 (E3)
 *   f' continuous:
 *     h_{k-1} M_{k-1} + 2 (h_{k-1} + h_k) M_k + h_k M_{k+1} = 6 (d_k - d_{k-1})             (E4)
 *   f''' continuous at x_1:   M_0 = (1 + r) M_1 - r M_2,   r = h_0 / h_1                    (E5)
 *
 * and at x_{n-2} likewise [1, ch. IV]. (E5) in (E4) leaves a tridiagonal system for the inner
 * points whose diagonal dominates, so that elimination without pivoting is stable. O(n) to make,
 * O(log n) to evaluate: no state, so that the order of evaluations does not matter.
 * [1] C. de Boor, A Practical Guide to Splines, Springer 1978. */

size_t cardan__table_size(int n)
{
  return sizeof(cardan__table) + 3 * (size_t)n * sizeof(double);
}

static double slope(const double *x, const double *y, int k)
{
  return (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
}

/* (E4) for the inner points, (E5) at both ends, by elimination; up: n. */
static void solve(const double *x, const double *y, int n, double *M, double *up)
{
  for (int k = 1; k < n - 1; k++) {
    const double h = x[k] - x[k - 1], next = x[k + 1] - x[k];
    double low = h, diagonal = 2.0 * (h + next), high = next;
    if (k == 1) {
      diagonal += h * (1.0 + h / next);
      high -= h * (h / next);
    }
    if (k == n - 2) {
      diagonal += next * (1.0 + next / h);
      low -= next * (next / h);
    }
    const double right = 6.0 * (slope(x, y, k) - slope(x, y, k - 1));
    const double pivot = k == 1 ? diagonal : diagonal - low * up[k - 1];
    up[k] = high / pivot;
    M[k] = (k == 1 ? right : right - low * M[k - 1]) / pivot;
  }
  for (int k = n - 3; k >= 1; k--) {
    M[k] -= up[k] * M[k + 1];
  }
  const double r = (x[1] - x[0]) / (x[2] - x[1]);
  const double s = (x[n - 1] - x[n - 2]) / (x[n - 2] - x[n - 3]);
  M[0] = (1.0 + r) * M[1] - r * M[2];
  M[n - 1] = (1.0 + s) * M[n - 2] - s * M[n - 3];
}

bool cardan__table_finish(cardan__table *table, double *work)
{
  const int n = table->n;
  double *x = cardan__table_numbers(table), *y = x + n, *M = y + n;
  bool finite = true;
  for (int k = 0; k < n; k++) {
    M[k] = 0.0;
  }
  if (!(table->way & CARDAN__TABLE_LINEAR) && n == 3) {
    M[0] = M[1] = M[2] = 2.0 * (slope(x, y, 1) - slope(x, y, 0)) / (x[2] - x[0]);
  } else if (!(table->way & CARDAN__TABLE_LINEAR) && n > 3) {
    solve(x, y, n, M, work);
  }
  for (int k = 0; k < n; k++) {
    finite = finite && isfinite(M[k]) && (k == n - 1 || isfinite(slope(x, y, k)));
  }
  return finite;
}

/* The interval of an x within the range: x_k <= x < x_{k+1}, at the end the last one. */
static int interval(const double *at, int n, double x)
{
  int low = 0, high = n - 1;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (x < at[middle]) {
      high = middle;
    } else {
      low = middle;
    }
  }
  return low;
}

static void inside(const cardan__table *table, double x, double f[3])
{
  const int n = table->n, k = interval(cardan__table_x(table), n, x);
  const double *at = cardan__table_x(table) + k, *y = at + n, *M = y + n;
  const double h = at[1] - at[0], a = (at[1] - x) / h, b = (x - at[0]) / h;
  f[0] = a * y[0] + b * y[1] + (a * (a * a - 1.0) * M[0] + b * (b * b - 1.0) * M[1]) * h * h / 6.0;
  f[1] = (y[1] - y[0]) / h + ((3.0 * b * b - 1.0) * M[1] - (3.0 * a * a - 1.0) * M[0]) * h / 6.0;
  f[2] = a * M[0] + b * M[1]; // (E1) to (E3)
}

void cardan__table_at(const cardan__table *table, double x, double f[3])
{
  const double *at = cardan__table_x(table);
  const double first = at[0], last = at[table->n - 1];
  const double near = x < first ? first : x > last ? last : x;
  inside(table, near, f);
  if (near != x) { // also where x is not a number
    f[1] = table->way & CARDAN__TABLE_HOLD ? 0.0 : f[1];
    f[0] += f[1] == 0.0 && !isnan(x) ? 0.0 : f[1] * (x - near);
    f[2] = 0.0;
  }
}
