// SPDX-License-Identifier: Apache-2.0
#include <lapack.h>
#include <math.h>

#include "linalg/linalg.h"
#include "linalg/small.h"

/* Cholesky by rows, n^3 / 3: both factors of each product run along a row.
 *   L_ij = (A_ij - sum over k < j of L_ik L_jk) / L_jj      j < i     (E1)
 *   L_ii = sqrt(A_ii - sum over k < i of L_ik^2)                      (E2) */
static int cholesky_small(int n, double *A, double tol)
{
  for (int i = 0; i < n; i++) {
    double *a = A + (size_t)i * (size_t)n;
    for (int j = 0; j < i; j++) {
      const double *l = A + (size_t)j * (size_t)n;
      a[j] = (a[j] - cardan__dot(j, a, l)) / l[j]; // (E1)
    }
    const double pivot = a[i] - cardan__dot(i, a, a); // (E2)
    if (!(pivot > tol * a[i])) {
      return i;
    }
    a[i] = sqrt(pivot);
  }
  return -1;
}

/* LAPACK sees the transpose: our lower triangle is its upper one. */
static int cholesky_large(int n, double *A, double tol)
{
  lapack_int info = 0;
  cardan__lapack_begin((size_t)n * (size_t)n);
  LAPACK_dpotrf("U", &n, A, &n, &info);
  cardan__lapack_end((size_t)n * (size_t)n);
  if (info != 0) {
    return info > 0 ? (int)info - 1 : 0;
  }
  // a row of L has the length of the diagonal it came from
  for (int i = 0; i < n; i++) {
    const double *l = A + (size_t)i * (size_t)n;
    if (!(l[i] * l[i] > tol * cardan__dot(i + 1, l, l))) {
      return i;
    }
  }
  return -1;
}

int cardan__cholesky(int n, double *A, double tol)
{
  return n < CARDAN__DENSE ? cholesky_small(n, A, tol) : cholesky_large(n, A, tol);
}

static void swap(double *x, double *y)
{
  const double z = *x;
  *x = *y;
  *y = z;
}

/* Exchanges rows and columns i and j > i of the lower triangle; rows of L to the left go along. */
static void exchange(int n, double *A, int i, int j)
{
  double *a = A + (size_t)i * (size_t)n, *b = A + (size_t)j * (size_t)n;
  for (int k = 0; k < i; k++) {
    swap(&a[k], &b[k]);
  }
  for (int k = i + 1; k < j; k++) {
    swap(&A[(size_t)k * (size_t)n + (size_t)i], &b[k]);
  }
  for (int k = j + 1; k < n; k++) {
    double *c = A + (size_t)k * (size_t)n;
    swap(&c[i], &c[j]);
  }
  swap(&a[i], &b[j]);
}

/* Column by column, each time with the largest pivot of those left, relative to its diagonal: what
 * is lost then is rounding of the rows taken, not of the smallest pivot among them. */
int cardan__cholesky_pivoted(int n, double *A, const double *diagonal, int most, double tol,
                             int *order, double *last, double *next)
{
  *last = 1;
  *next = 0;
  for (int i = 0; i < n; i++) {
    order[i] = i;
  }
  for (int j = 0; j < n; j++) {
    double best = 0;
    int at = j;
    for (int i = j; i < n; i++) {
      const double size = diagonal[order[i]];
      const double pivot = size > 0 ? A[(size_t)i * (size_t)n + (size_t)i] / size : 0;
      at = pivot > best ? i : at;
      best = pivot > best ? pivot : best;
    }
    if (j == most || !(best > tol)) {
      *next = best;
      return j;
    }
    *last = fmin(*last, best);
    if (at > j) {
      const int row = order[j];
      order[j] = order[at];
      order[at] = row;
      exchange(n, A, j, at);
    }
    const double root = sqrt(A[(size_t)j * (size_t)n + (size_t)j]);
    A[(size_t)j * (size_t)n + (size_t)j] = root;
    for (int i = j + 1; i < n; i++) {
      double *a = A + (size_t)i * (size_t)n;
      a[j] /= root;
      for (int k = j + 1; k <= i; k++) {
        a[k] -= a[j] * A[(size_t)k * (size_t)n + (size_t)j];
      }
    }
  }
  return n;
}

int cardan__cholesky_rank(int n, double *A, const double *diagonal, double tol, int *order)
{
  double last, next;
  return cardan__cholesky_pivoted(n, A, diagonal, n, tol, order, &last, &next);
}

void cardan__cholesky_rank_solve(int n, int rank, const double *L, const int *order,
                                 const double *b, double *x)
{
  for (int i = 0; i < n; i++) {
    x[order[i]] = 0;
  }
  // L y = b over the rows taken; y_i is in x[order[i]]
  for (int i = 0; i < rank; i++) {
    const double *l = L + (size_t)i * (size_t)n;
    double sum = b[order[i]];
    for (int k = 0; k < i; k++) {
      sum -= l[k] * x[order[k]];
    }
    x[order[i]] = sum / l[i];
  }
  for (int i = rank - 1; i >= 0; i--) {
    const double *l = L + (size_t)i * (size_t)n;
    x[order[i]] /= l[i];
    for (int k = 0; k < i; k++) {
      x[order[k]] -= l[k] * x[order[i]];
    }
  }
}

void cardan__cholesky_solve(int n, const double *L, double *x)
{
  // L y = x
  for (int i = 0; i < n; i++) {
    const double *l = L + (size_t)i * (size_t)n;
    x[i] = (x[i] - cardan__dot(i, l, x)) / l[i];
  }
  // L^T x = y, by rows of L: take x_i out of all earlier equations
  for (int i = n - 1; i >= 0; i--) {
    const double *l = L + (size_t)i * (size_t)n;
    x[i] /= l[i];
    for (int k = 0; k < i; k++) {
      x[k] -= l[k] * x[i];
    }
  }
}
