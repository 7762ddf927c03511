// SPDX-License-Identifier: Apache-2.0
#include <lapack.h>
#include <math.h>

#include "linalg/linalg.h"

static void swap_rows(double *a, double *b, int n)
{
  for (int k = 0; k < n; k++) {
    const double t = a[k];
    a[k] = b[k];
    b[k] = t;
  }
}

/* Gaussian elimination with partial pivoting, by rows. */
static int lu_small(int n, double *A, int *pivot)
{
  for (int j = 0; j < n; j++) {
    double *row = A + (size_t)j * (size_t)n;
    int best = j;
    for (int i = j + 1; i < n; i++) {
      if (fabs(A[(size_t)i * (size_t)n + (size_t)j]) >
          fabs(A[(size_t)best * (size_t)n + (size_t)j])) {
        best = i;
      }
    }
    pivot[j] = best;
    if (best != j) {
      swap_rows(row, A + (size_t)best * (size_t)n, n);
    }
    if (!(fabs(row[j]) > 0.0)) {
      return j;
    }
    for (int i = j + 1; i < n; i++) {
      double *a = A + (size_t)i * (size_t)n;
      a[j] /= row[j];
      for (int k = j + 1; k < n; k++) {
        a[k] -= a[j] * row[k];
      }
    }
  }
  return -1;
}

static void lu_small_solve(int n, const double *A, const int *pivot, double *x)
{
  for (int i = 0; i < n; i++) {
    const double t = x[i];
    x[i] = x[pivot[i]];
    x[pivot[i]] = t;
  }
  for (int i = 0; i < n; i++) {
    const double *a = A + (size_t)i * (size_t)n;
    for (int k = 0; k < i; k++) {
      x[i] -= a[k] * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *a = A + (size_t)i * (size_t)n;
    for (int k = i + 1; k < n; k++) {
      x[i] -= a[k] * x[k];
    }
    x[i] /= a[i];
  }
}

// LAPACK sees A^T and factors that; its solve with the transpose of A^T is then ours with A

int cardan__lu(int n, double *A, int *pivot)
{
  if (n < CARDAN__DENSE) {
    return lu_small(n, A, pivot);
  }
  lapack_int info = 0;
  cardan__lapack_begin((size_t)n * (size_t)n);
  LAPACK_dgetrf(&n, &n, A, &n, pivot, &info);
  cardan__lapack_end((size_t)n * (size_t)n);
  return info == 0 ? -1 : info > 0 ? (int)info - 1 : 0;
}

// LAPACK counts rows from 1
int cardan__lu_first(int n)
{
  return n < CARDAN__DENSE ? 0 : 1;
}

void cardan__lu_solve(int n, const double *A, const int *pivot, double *x)
{
  if (n < CARDAN__DENSE) {
    lu_small_solve(n, A, pivot, x);
  } else {
    const lapack_int one = 1;
    lapack_int info = 0;
    cardan__lapack_begin((size_t)n * (size_t)n);
    LAPACK_dgetrs("T", &n, &one, A, &n, pivot, x, &n, &info);
    cardan__lapack_end((size_t)n * (size_t)n);
  }
}

/* x -= f y, of n numbers. */
static void subtract(int n, double f, const double *y, double *x)
{
  for (int i = 0; i < n; i++) {
    x[i] -= f * y[i];
  }
}

/* The same as lu_small_solve, a row of all right-hand sides at a time. */
static void lu_small_solve_many(int n, const double *A, const int *pivot, int m, double *X)
{
  for (int i = 0; i < n; i++) {
    if (pivot[i] != i) {
      swap_rows(X + (size_t)i * (size_t)m, X + (size_t)pivot[i] * (size_t)m, m);
    }
  }
  for (int i = 0; i < n; i++) {
    const double *a = A + (size_t)i * (size_t)n;
    for (int k = 0; k < i; k++) {
      subtract(m, a[k], X + (size_t)k * (size_t)m, X + (size_t)i * (size_t)m);
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    const double *a = A + (size_t)i * (size_t)n;
    double *x = X + (size_t)i * (size_t)m;
    for (int k = i + 1; k < n; k++) {
      subtract(m, a[k], X + (size_t)k * (size_t)m, x);
    }
    for (int j = 0; j < m; j++) {
      x[j] /= a[i];
    }
  }
}

void cardan__lu_solve_many(int n, const double *A, const int *pivot, int m, double *X, double *work)
{
  if (n < CARDAN__DENSE) {
    lu_small_solve_many(n, A, pivot, m, X);
    return;
  }
  for (int j = 0; j < m; j++) {
    for (int i = 0; i < n; i++) {
      work[i] = X[(size_t)i * (size_t)m + (size_t)j];
    }
    cardan__lu_solve(n, A, pivot, work);
    for (int i = 0; i < n; i++) {
      X[(size_t)i * (size_t)m + (size_t)j] = work[i];
    }
  }
}
