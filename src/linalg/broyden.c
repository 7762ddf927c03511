// SPDX-License-Identifier: Apache-2.0
#include <stddef.h>

#include "linalg/linalg.h"
#include "linalg/small.h"

/* Broyden's method without a matrix.
 * [1] C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM 1995, section 7.3.
 *
 * The inverse of the updated Jacobian is a product of rank-1 updates that the steps s_0, s_1, ..
 * alone determine. From z = -B_0^-1 F(x):
 *   for j = 0 .. n-1:  z += s_{j+1} (s_j . z) / |s_j|^2;     s_{n+1} = z / (1 - s_n . z / |s_n|^2)
 *   (E1) */

void cardan__broyden(int n, int count, double *steps)
{
  const size_t size = (size_t)n;
  double *z = steps + (size_t)count * size;
  for (int j = 0; j + 1 < count; j++) {
    const double *s = steps + (size_t)j * size, *next = s + size;
    const double k = cardan__dot(n, s, z) / cardan__dot(n, s, s);
    for (size_t i = 0; i < size; i++) {
      z[i] += k * next[i];
    }
  }
  if (count > 0) {
    const double *last = z - size;
    const double k = 1 / (1 - cardan__dot(n, last, z) / cardan__dot(n, last, last));
    for (size_t i = 0; i < size; i++) {
      z[i] *= k;
    }
  }
}
