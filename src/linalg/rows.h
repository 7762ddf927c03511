/* SPDX-License-Identifier: Apache-2.0
 * linalg/rows.h - sums of rows of a matrix, for blocks of some ten numbers. */
#pragma once
#include <stddef.h>
#include <string.h>

typedef double cardan__four __attribute__((vector_size(32)));

static inline cardan__four cardan__four_at(const double *x)
{
  cardan__four v;
  memcpy(&v, x, sizeof v);
  return v;
}

/* y += sum of x[k] times row k of A, count rows ld apart, in that order; n numbers. */
static inline void cardan__add_rows(int count, const double *restrict A, size_t ld,
                                    const double *restrict x, int n, double *restrict y)
{
  int j = 0;
  for (; j + 12 <= n; j += 12) {
    cardan__four a = cardan__four_at(y + j), b = cardan__four_at(y + j + 4),
                 c = cardan__four_at(y + j + 8);
    for (int k = 0; k < count; k++) {
      const double *row = A + (size_t)k * ld + j;
      a += x[k] * cardan__four_at(row);
      b += x[k] * cardan__four_at(row + 4);
      c += x[k] * cardan__four_at(row + 8);
    }
    memcpy(y + j, &a, sizeof a);
    memcpy(y + j + 4, &b, sizeof b);
    memcpy(y + j + 8, &c, sizeof c);
  }
  for (; j + 4 <= n; j += 4) {
    cardan__four a = cardan__four_at(y + j);
    for (int k = 0; k < count; k++) {
      a += x[k] * cardan__four_at(A + (size_t)k * ld + j);
    }
    memcpy(y + j, &a, sizeof a);
  }
  for (; j < n; j++) {
    double a = y[j];
    for (int k = 0; k < count; k++) {
      a += x[k] * A[(size_t)k * ld + (size_t)j];
    }
    y[j] = a;
  }
}
