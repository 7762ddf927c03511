// SPDX-License-Identifier: Apache-2.0
#include <lapack.h>
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"

/* Orthogonal factorisations for loading, all by LAPACK. A row-major m x n matrix is, to LAPACK, its
 * transpose n x m by columns: QR of that has one column for each of our rows. */

enum {
  BLOCK = 64
}; // columns that LAPACK treats at once; more work space than this it does not use

static int min_int(int a, int b)
{
  return a < b ? a : b;
}

static int max_int(int a, int b)
{
  return a > b ? a : b;
}

static bool all_finite(const double *a, size_t n)
{
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) {
    sum += a[i] * 0.0;
  }
  return sum == 0.0; // 0 times infinity or NaN is NaN
}

/* tau and LAPACK's own, for QR of an n x m matrix with pivoting. */
size_t cardan__independent_work(int m, int n)
{
  return (size_t)min_int(m, n) + 2 * (size_t)m + ((size_t)m + 1) * BLOCK;
}

int cardan__independent(int m, int n, double *A, double rcond, int *order, double *spread,
                        double *work)
{
  const int k = min_int(m, n);
  double *tau = work;
  const lapack_int lwork = (lapack_int)(cardan__independent_work(m, n) - (size_t)k);
  lapack_int info = 0;
  int rank = 0;

  if (spread) {
    *spread = 1.0;
  }
  for (int i = 0; i < m; i++) {
    order[i] = i;
  }
  if (k == 0 || !all_finite(A, (size_t)m * (size_t)n)) {
    return 0;
  }
  memset(order, 0, (size_t)m * sizeof *order); // 0: free to be exchanged
  cardan__lapack_begin((size_t)m * (size_t)n);
  LAPACK_dgeqp3(&n, &m, A, &n, order, tau, work + k, &lwork, &info);
  cardan__lapack_end((size_t)m * (size_t)n);
  for (int i = 0; i < m; i++) {
    order[i]--;
  }
  // |R_ii| falls: each is what the best remaining row adds to those before
  const double first = fabs(A[0]);
  while (rank < k && fabs(A[(size_t)rank * (size_t)n + (size_t)rank]) > rcond * first) {
    rank++;
  }
  if (spread && rank > 0) {
    *spread = fabs(A[(size_t)(rank - 1) * (size_t)n + (size_t)(rank - 1)]) / first;
  }
  return rank;
}

bool cardan__rows_independent(int m, int n, double *A, double rcond, double *work)
{
  const lapack_int lwork = (lapack_int)(cardan__independent_work(m, n) - (size_t)m);
  lapack_int info = 0;
  if (m == 0) {
    return true;
  }
  if (m > n || !all_finite(A, (size_t)m * (size_t)n)) {
    return false;
  }
  cardan__lapack_begin((size_t)m * (size_t)n);
  LAPACK_dgeqrf(&n, &m, A, &n, work, work + m, &lwork, &info);
  cardan__lapack_end((size_t)m * (size_t)n);
  // column i of R has the length of our row i, and R_ii is its part outside the earlier rows
  for (int i = 0; i < m; i++) {
    const double *r = A + (size_t)i * (size_t)n;
    double square = 0.0;
    for (int j = 0; j <= i; j++) {
      square += r[j] * r[j];
    }
    if (!(fabs(r[i]) > rcond * sqrt(square))) {
      return false;
    }
  }
  return true;
}

size_t cardan__min_norm_work(int m, int n)
{
  const size_t lapack = (size_t)min_int(m, n) + 3 * (size_t)n + ((size_t)n + 2) * BLOCK;
  return (size_t)m * (size_t)n + (size_t)max_int(m, n) + lapack;
}

int cardan__min_norm(int m, int n, const double *A, const double *b, double rcond, double *x,
                     double *work, int *index)
{
  double *At = work, *y = At + (size_t)m * (size_t)n, *rest = y + max_int(m, n);
  const lapack_int lwork = (lapack_int)(cardan__min_norm_work(m, n) - (size_t)(rest - work));
  const lapack_int one = 1, longest = max_int(m, n);
  lapack_int rank = 0, info = 0;

  memset(x, 0, (size_t)n * sizeof *x);
  if (m == 0 || n == 0) {
    return 0;
  }
  if (!all_finite(A, (size_t)m * (size_t)n) || !all_finite(b, (size_t)m)) {
    return -1;
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      At[(size_t)j * (size_t)m + (size_t)i] = A[(size_t)i * (size_t)n + (size_t)j];
    }
  }
  memcpy(y, b, (size_t)m * sizeof *y);
  memset(index, 0, (size_t)n * sizeof *index);
  cardan__lapack_begin((size_t)m * (size_t)n);
  LAPACK_dgelsy(&m, &n, &one, At, &m, y, &longest, index, &rcond, &rank, rest, &lwork, &info);
  cardan__lapack_end((size_t)m * (size_t)n);
  memcpy(x, y, (size_t)n * sizeof *x);
  return (int)rank;
}

size_t cardan__solutions_work(int m, int n)
{
  return cardan__independent_work(m, n) + ((size_t)n + 1) * (BLOCK + 1);
}

int cardan__solutions(int m, int n, double *A, const double *b, double tol, double *x, double *N,
                      int *order, double *work)
{
  const int k = min_int(m, n);
  double *tau = work, *y = work + n, *rest = y + k;
  const lapack_int lwork = (lapack_int)(cardan__solutions_work(m, n) - (size_t)(rest - work));
  lapack_int info = 0;
  int rank = 0;
  if (!all_finite(A, (size_t)m * (size_t)n) || !all_finite(b, (size_t)m)) {
    return -1;
  }
  if (k > 0) {
    memset(order, 0, (size_t)m * sizeof *order); // 0: free to be exchanged
    cardan__lapack_begin((size_t)m * (size_t)n);
    LAPACK_dgeqp3(&n, &m, A, &n, order, tau, rest, &lwork, &info);
    cardan__lapack_end((size_t)m * (size_t)n);
  }
  // row i of A, as chosen, is sum over j <= i of R_ji Q_j: forward substitution for y = Q^T x
  for (int i = 0; i < k && fabs(A[(size_t)i * (size_t)n + (size_t)i]) > tol; i++, rank++) {
    const double *r = A + (size_t)i * (size_t)n;
    double sum = b[order[i] - 1];
    for (int j = 0; j < i; j++) {
      sum -= r[j] * y[j];
    }
    y[i] = sum / r[i];
  }
  memset(N, 0, (size_t)n * (size_t)n * sizeof *N);
  memcpy(N, A, (size_t)rank * (size_t)n * sizeof *N);
  if (n > 0) {
    cardan__lapack_begin((size_t)n * (size_t)n);
    LAPACK_dorgqr(&n, &n, &rank, N, &n, tau, rest, &lwork, &info);
    cardan__lapack_end((size_t)n * (size_t)n);
  }
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = 0; i < rank; i++) {
    for (int j = 0; j < n; j++) {
      x[j] += y[i] * N[(size_t)i * (size_t)n + (size_t)j];
    }
  }
  return rank;
}

size_t cardan__damped_work(int m, int n)
{
  const size_t rows = (size_t)m + (size_t)n;
  return rows * (size_t)m + rows + (size_t)m + ((size_t)m + 1) * BLOCK;
}

bool cardan__damped(int m, int n, const double *A, const double *b, double mu, double *x,
                    double *work)
{
  const size_t rows = (size_t)m + (size_t)n;
  double *B = work, *y = B + rows * (size_t)m, *rest = y + rows;
  const lapack_int lwork = (lapack_int)(cardan__damped_work(m, n) - (size_t)(rest - work));
  const lapack_int one = 1, tall = (lapack_int)rows;
  lapack_int info = 0;

  memset(x, 0, (size_t)n * sizeof *x);
  if (m == 0 || n == 0) {
    return true;
  }
  if (!all_finite(A, (size_t)m * (size_t)n) || !all_finite(b, (size_t)m)) {
    return false;
  }
  memset(B, 0, rows * (size_t)m * sizeof *B);
  for (int i = 0; i < m; i++) {
    double *column = B + (size_t)i * rows;
    memcpy(column, A + (size_t)i * (size_t)n, (size_t)n * sizeof *column);
    column[n + i] = mu;
  }
  memset(y, 0, rows * sizeof *y);
  memcpy(y, b, (size_t)m * sizeof *y);
  cardan__lapack_begin(rows * (size_t)m);
  LAPACK_dgels("T", &tall, &m, &one, B, &tall, y, &tall, rest, &lwork, &info);
  cardan__lapack_end(rows * (size_t)m);
  memcpy(x, y, (size_t)n * sizeof *x);
  return true;
}
