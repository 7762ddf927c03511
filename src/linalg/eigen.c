// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <lapack.h>
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"

/* Eigenvalues by LAPACK, those of small symmetric matrices by rotations, with a bound on how far
 * each may be off: of a symmetric matrix eps |A| (Weyl), of any other eps |A| / c with c = |y^H x|
 * of its right and left vectors of length 1, to first order (Bauer and Fike). LAPACK's own c is
 * that of the balanced matrix, whose small entries count as exact; ours are not, and c is that of A
 * as it is given. Of a k-fold value with one vector c is 0, and rounding moves it by eps^(1/k) |A|:
 * no bound is taken larger than that of k = 4. */

enum { BLOCK = 64 };

size_t cardan__eigen_symmetric_work(int n)
{
  return (BLOCK + 2) * (size_t)n + 1;
}

static double dot(size_t n, const double *x, const double *y)
{
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

/* Rotates rows and columns p and q of A, and rows of V, so that A_pq = 0 (Golub & Van Loan, Matrix
 * Computations, 8.5.2). */
static void rotate(size_t n, double *A, double *V, size_t p, size_t q)
{
  const double z = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
  const double t = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z));
  const double c = 1 / sqrt(1 + t * t), s = c * t, shift = t * A[p * n + q];
  A[p * n + p] -= shift;
  A[q * n + q] += shift;
  A[p * n + q] = A[q * n + p] = 0;
  for (size_t k = 0; k < n; k++) {
    const double x = A[p * n + k], y = A[q * n + k], v = V[p * n + k], w = V[q * n + k];
    if (k != p && k != q) {
      A[k * n + p] = A[p * n + k] = c * x - s * y;
      A[k * n + q] = A[q * n + k] = s * x + c * y;
    }
    V[p * n + k] = c * v - s * w;
    V[q * n + k] = s * v + c * w;
  }
}

/* By cyclic rotations, until nothing beside the diagonal is more than rounding of |A|. What
 * OpenBLAS makes of small matrices depends on its number of threads. V: n x n */
static bool eigen_small(size_t n, double *A, double *value, double *V)
{
  enum { SWEEPS = 40 };
  const double nothing = 0.1 * DBL_EPSILON * sqrt(dot(n * n, A, A));
  bool rotated = isfinite(nothing);
  const bool finite = rotated;
  for (size_t i = 0; i < n * n; i++) {
    V[i] = i % (n + 1) == 0;
  }
  for (int sweep = 0; sweep < SWEEPS && rotated; sweep++) {
    rotated = false;
    for (size_t p = 0; p < n; p++) {
      for (size_t q = p + 1; q < n; q++) {
        if (fabs(A[p * n + q]) > nothing) {
          rotate(n, A, V, p, q);
          rotated = true;
        }
      }
    }
  }
  for (size_t i = 0; i < n; i++) {
    value[i] = A[i * (n + 1)];
  }
  for (size_t i = 0; i < n; i++) { // the smallest of those left, with its vector
    size_t least = i;
    for (size_t j = i + 1; j < n; j++) {
      least = value[j] < value[least] ? j : least;
    }
    const double swap = value[i];
    value[i] = value[least];
    value[least] = swap;
    for (size_t k = 0; k < n; k++) {
      A[i * n + k] = V[least * n + k];
      V[least * n + k] = V[i * n + k];
    }
  }
  return finite && !rotated;
}

bool cardan__eigen_symmetric(int n, double *A, double *value, double *work)
{
  if (n < CARDAN__DENSE) {
    return eigen_small((size_t)n, A, value, work);
  }
  const lapack_int lwork = (lapack_int)cardan__eigen_symmetric_work(n), size = n;
  lapack_int info = 0;
  cardan__lapack_begin((size_t)n * (size_t)n);
  LAPACK_dsyev("V", "U", &size, A, &size, value, work, &lwork, &info);
  cardan__lapack_end((size_t)n * (size_t)n);
  return info == 0;
}

size_t cardan__eigen_work(int n)
{
  // left vectors, scales, conditions, and LAPACK's own
  return (size_t)n * (size_t)n + (size_t)n * (BLOCK + 16) + 1;
}

/* A <- A^T */
static void transpose(size_t n, double *A)
{
  for (size_t i = 0; i < n; i++) {
    for (size_t j = i + 1; j < n; j++) {
      const double swap = A[i * n + j];
      A[i * n + j] = A[j * n + i];
      A[j * n + i] = swap;
    }
  }
}

/* |y^H x| / (|x| |y|) of value k, vectors as rows; of a pair those of real and imaginary part. */
static double condition(size_t n, const double *X, const double *Y, size_t k, bool pair)
{
  const double *x = X + k * n, *y = Y + k * n;
  double re = dot(n, x, y), im = 0, xx = dot(n, x, x), yy = dot(n, y, y);
  if (pair) {
    const double *x2 = x + n, *y2 = y + n;
    re += dot(n, x2, y2);
    im = dot(n, x2, y) - dot(n, x, y2);
    xx += dot(n, x2, x2);
    yy += dot(n, y2, y2);
  }
  return hypot(re, im) / sqrt(fmax(xx * yy, DBL_MIN));
}

bool cardan__eigen(int n, double *A, double *re, double *im, double *V, double *error, double *work)
{
  const size_t size = (size_t)n;
  double *left = work, *scale = left + size * size, *none = scale + size, *rest = none + 2 * size;
  const lapack_int lwork = (lapack_int)(cardan__eigen_work(n) - size * size - 3 * size), order = n;
  const double norm = sqrt(dot(size * size, A, A)), most = sqrt(sqrt(DBL_EPSILON)) * norm;
  double balanced = 0;
  lapack_int info = 0, low = 0, high = 0, unused = 0;
  if (n == 0) {
    return true;
  }
  transpose(size, A); // LAPACK's are by columns
  cardan__lapack_begin(size * size);
  LAPACK_dgeevx("B", "V", "V", "N", &order, A, &order, re, im, left, &order, V, &order, &low, &high,
                scale, &balanced, none, none + size, rest, &lwork, &unused, &info);
  cardan__lapack_end(size * size);
  for (size_t k = 0; k < size && info == 0; k++) {
    const bool pair = im[k] > 0 && k + 1 < size;
    const double c = condition(size, V, left, k, pair);
    error[k] = fmin(DBL_EPSILON * norm / fmax(c, DBL_MIN), most);
    if (pair) {
      error[k + 1] = error[k];
      k++;
    }
  }
  return info == 0;
}

/* X <- L^-1 X L^-T, row by row and column by column: symmetric where X is. */
void cardan__congruent(int n, const double *L, double *X)
{
  const lapack_int size = n;
  lapack_int info = 0;
  if (n == 0) {
    return;
  }
  // our rows are LAPACK's columns: its solve works on each of them, as L^-1 on the columns of X^T
  cardan__lapack_begin((size_t)n * (size_t)n);
  for (int side = 0; side < 2; side++) {
    LAPACK_dtrtrs("U", "T", "N", &size, &size, L, &size, X, &size, &info);
    transpose((size_t)n, X);
  }
  cardan__lapack_end((size_t)n * (size_t)n);
}
