// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"

/* The eigenvalue 0 taken out of a matrix whose entries are known to tol only, O(n^3) a stage.
 *
 * A defective 0 is spread by an error of size e over e^(1/k): what is computed of it are not zeros.
 * Its count is requested by ranks instead (V. N. Kublanovskaya, USSR Comput. Math. 6, 1966; G. H.
 * Golub and J. H. Wilkinson, SIAM Review 18, 1976, 578): directions z with |A z| <= tol are 0 of a
 * matrix that differs from A by rounding. With Z_1 their orthonormal basis and Y_1 its complement,
 *   [Y_1; Z_1] A [Y_1; Z_1]^T = [A_1 0; B_1 0]                                              (E1)
 * and A_1 is treated in the same way, until it is regular. Stage k has d_k directions, d_1 >= d_2
 * ..: as many Jordan blocks of 0 are of size k or more.
 * Eigenvectors of s that is not 0 follow from those of the regular part R, stages last to first:
 *   y_i = (sum over j before its stage of A_ij y_j) / s                                     (E2) */

/* X (m x m) <- N A: A with rows of length n */
static void from_left(size_t m, size_t n, const double *N, const double *A, double *X)
{
  memset(X, 0, m * m * sizeof *X);
  for (size_t i = 0; i < m; i++) {
    for (size_t k = 0; k < m; k++) {
      const double f = N[i * m + k];
      for (size_t j = 0; j < m && f != 0.0; j++) {
        X[i * m + j] += f * A[k * n + j];
      }
    }
  }
}

/* The first m columns of a row times N^T. */
static void row_from_right(size_t m, const double *N, const double *row, double *out)
{
  for (size_t j = 0; j < m; j++) {
    double sum = 0;
    for (size_t k = 0; k < m; k++) {
      sum += row[k] * N[j * m + k];
    }
    out[j] = sum;
  }
}

/* Applies (E1) with N to the leading m rows and columns of A; rows below are transformed too.
 * X  m x m, scratch */
static void apply_similarity(size_t n, size_t m, const double *N, double *A, double *X, double *row)
{
  from_left(m, n, N, A, X);
  for (size_t i = 0; i < n; i++) {
    row_from_right(m, N, i < m ? X + i * m : A + i * n, row);
    memcpy(A + i * n, row, m * sizeof *row);
  }
}

/* The leading m rows of Z <- N Z, by columns. */
static void turn_basis(size_t n, size_t m, const double *N, double *Z, double *column)
{
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < m; i++) {
      column[i] = Z[i * n + j];
    }
    for (size_t i = 0; i < m; i++) {
      double sum = 0;
      for (size_t k = 0; k < m; k++) {
        sum += N[i * m + k] * column[k];
      }
      Z[i * n + j] = sum;
    }
  }
}

size_t cardan__take_zeros_work(int n)
{
  return 3 * (size_t)n + cardan__solutions_work(n, n);
}

int cardan__take_zeros(int n, double *A, double tol, double *Z, int *stage, double *X, double *N,
                       int *order, double *work)
{
  const size_t size = (size_t)n;
  double *none = work, *x = none + size, *row = x + size, *rest = row + size;
  int m = n;
  memset(Z, 0, size * size * sizeof *Z);
  memset(stage, 0, (size + 1) * sizeof *stage);
  for (size_t i = 0; i < size; i++) {
    Z[i * size + i] = 1;
  }
  for (int k = 0; m > 0; k++) {
    for (size_t i = 0; i < (size_t)m; i++) {
      memcpy(X + i * (size_t)m, A + i * size, (size_t)m * sizeof *X);
    }
    memset(none, 0, size * sizeof *none);
    const int rank = cardan__solutions(m, m, X, none, tol, x, N, order, rest);
    if (rank < 0 || rank == m) {
      return rank < 0 ? -1 : m;
    }
    apply_similarity(size, (size_t)m, N, A, X, row);
    turn_basis(size, (size_t)m, N, Z, row);
    for (size_t i = 0; i < (size_t)m; i++) { // what is below tol is none
      memset(A + i * size + rank, 0, (size_t)(m - rank) * sizeof *A);
    }
    stage[k] = m - rank;
    m = rank;
  }
  return m;
}

void cardan__add_zeros(int n, int regular, const double *A, const int *stage, double re, double im,
                       double *y, double *y2)
{
  const size_t size = (size_t)n;
  const double square = re * re + im * im;
  int last = 0, begin = regular;
  while (stage[last] > 0) {
    last++;
  }
  for (int k = last - 1; k >= 0; k--) {
    const size_t end = (size_t)begin + (size_t)stage[k];
    for (size_t i = (size_t)begin; i < end; i++) {
      double sum = 0, sum2 = 0;
      for (size_t j = 0; j < (size_t)begin; j++) {
        sum += A[i * size + j] * y[j];
        sum2 += y2 != NULL ? A[i * size + j] * y2[j] : 0;
      }
      y[i] = (sum * re + sum2 * im) / square;
      if (y2 != NULL) {
        y2[i] = (sum2 * re - sum * im) / square;
      }
    }
    begin += stage[k];
  }
}
