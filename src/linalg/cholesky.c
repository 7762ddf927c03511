// SPDX-License-Identifier: Apache-2.0
#include <lapacke.h>
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
  const lapack_int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, A, n);
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
