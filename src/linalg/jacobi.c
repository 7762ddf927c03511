// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "linalg/small.h"

/* Singular values by plane rotations of rows, and inertia by pivots on the diagonal.
 * [1] M. R. Hestenes, Inversion of matrices by biorthogonalization and related results, J. SIAM 6,
 *     1958: rows p and q become orthogonal by the rotation of tangent
 *       t = sign(z) / (|z| + sqrt(1 + z^2)),   z = (|q|^2 - |p|^2) / (2 p . q)              (E1)
 *     and sweeps over all pairs converge quadratically. Small values have as many correct digits as
 *     large ones. */

enum { SWEEPS = 40 };

/* x <- c x - s y, y <- s x + c y */
static void rotate(int n, double c, double s, double *x, double *y)
{
  for (int k = 0; k < n; k++) {
    const double a = x[k], b = y[k];
    x[k] = c * a - s * b;
    y[k] = s * a + c * b;
  }
}

/* (E1) for all pairs; returns whether one of them was rotated. square: m, scratch: |row|^2, which a
 * rotation changes by t p . q. */
static bool sweep(int m, int n, double *A, double *U, double nothing, double *square)
{
  bool rotated = false;
  for (int p = 0; p < m; p++) {
    square[p] = cardan__dot(n, A + (size_t)p * (size_t)n, A + (size_t)p * (size_t)n);
  }
  for (int p = 0; p < m; p++) {
    for (int q = p + 1; q < m; q++) {
      double *x = A + (size_t)p * (size_t)n, *y = A + (size_t)q * (size_t)n;
      const double xx = square[p], yy = square[q], xy = cardan__dot(n, x, y);
      if (!(fabs(xy) > DBL_EPSILON * sqrt(xx) * sqrt(yy)) || fmin(xx, yy) <= nothing) {
        continue;
      }
      const double z = (yy - xx) / (2 * xy);
      const double t = (z >= 0 ? 1 : -1) / (fabs(z) + sqrt(1 + z * z)), c = 1 / sqrt(1 + t * t);
      rotate(n, c, c * t, x, y);
      rotate(m, c, c * t, U + (size_t)p * (size_t)m, U + (size_t)q * (size_t)m);
      square[p] = fmax(0, xx - t * xy);
      square[q] = yy + t * xy;
      rotated = true;
    }
  }
  return rotated;
}

static void exchange(int n, double *x, double *y)
{
  rotate(n, 0, 1, x, y);
}

void cardan__orthogonal_rows(int m, int n, double *A, double *U, double *size)
{
  const size_t rows = (size_t)m, columns = (size_t)n;
  const double square = cardan__dot(m * n, A, A);
  memset(U, 0, rows * rows * sizeof *U);
  for (size_t i = 0; i < rows; i++) {
    U[i * rows + i] = 1;
  }
  for (int i = 0; i < SWEEPS && sweep(m, n, A, U, DBL_EPSILON * DBL_EPSILON * square, size); i++) {
  }
  for (size_t i = 0; i < rows; i++) {
    size[i] = sqrt(cardan__dot(n, A + i * columns, A + i * columns));
  }
  for (size_t i = 0; i < rows; i++) {
    size_t largest = i;
    for (size_t j = i + 1; j < rows; j++) {
      largest = size[j] > size[largest] ? j : largest;
    }
    if (largest != i) {
      const double swap = size[i];
      size[i] = size[largest];
      size[largest] = swap;
      exchange(n, A + i * columns, A + largest * columns);
      exchange(m, U + i * rows, U + largest * rows);
    }
  }
}

int cardan__negative(int n, double *A)
{
  const size_t size = (size_t)n;
  int negative = 0;
  for (size_t done = 0; done < size; done++) {
    size_t p = done;
    for (size_t i = done; i < size; i++) {
      p = fabs(A[i * size + i]) > fabs(A[p * size + p]) ? i : p;
    }
    for (size_t k = 0; k < size && p != done; k++) { // rows, then columns p and done
      const double swap = A[p * size + k];
      A[p * size + k] = A[done * size + k];
      A[done * size + k] = swap;
    }
    for (size_t k = 0; k < size && p != done; k++) {
      const double swap = A[k * size + p];
      A[k * size + p] = A[k * size + done];
      A[k * size + done] = swap;
    }
    const double pivot = A[done * size + done];
    negative += pivot < 0;
    for (size_t i = done + 1; i < size && pivot != 0; i++) {
      const double part = A[i * size + done] / pivot;
      for (size_t j = done + 1; j < size; j++) {
        A[i * size + j] -= part * A[done * size + j];
      }
    }
  }
  return negative;
}
