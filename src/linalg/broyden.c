// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "linalg/linalg.h"

/* Broyden's method without a matrix.
 * [1] C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM 1995, section 7.3.
 *
 * The inverse of the updated Jacobian is a product of rank-1 updates that the steps s_0, s_1, ..
 * alone determine. From z = -B_0^-1 F(x):
 *   for j = 0 .. n-1:  z += s_{j+1} (s_j . z) / |s_j|^2;     s_{n+1} = z / (1 - s_n . z / |s_n|^2)
 *   (E1) */

static double product(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

void cardan__broyden(int n, int count, double *steps)
{
  const size_t size = (size_t)n;
  double *z = steps + (size_t)count * size;
  for (int j = 0; j + 1 < count; j++) {
    const double *s = steps + (size_t)j * size, *next = s + size;
    const double k = product(s, z, size) / product(s, s, size);
    for (size_t i = 0; i < size; i++) {
      z[i] += k * next[i];
    }
  }
  if (count > 0) {
    const double *last = z - size;
    const double k = 1 / (1 - product(last, z, size) / product(last, last, size));
    for (size_t i = 0; i < size; i++) {
      z[i] *= k;
    }
  }
}
