/* SPDX-License-Identifier: Apache-2.0
 * linalg/small.h - what is too small for a call. */
#pragma once

/* a . b of n numbers. */
static inline double cardan__dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}
