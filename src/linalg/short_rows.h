/* SPDX-License-Identifier: Apache-2.0
 * linalg/short_rows.h - sums of rows of a matrix, for blocks of some ten numbers. */
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

/* a . b of n numbers, four sums side by side. */
static inline double cardan__four_dot(int n, const double *a, const double *b)
{
  cardan__four sum = {0};
  double rest = 0;
  int j = 0;
  for (; j + 4 <= n; j += 4) {
    sum += cardan__four_at(a + j) * cardan__four_at(b + j);
  }
  for (; j < n; j++) {
    rest += a[j] * b[j];
  }
  return ((sum[0] + sum[2]) + (sum[1] + sum[3])) + rest;
}

/* sum of each of four vectors, side by side */
static inline cardan__four cardan__four_sums(cardan__four a, cardan__four b, cardan__four c,
                                             cardan__four d)
{
  const cardan__four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) +
                          __builtin_shufflevector(a, b, 1, 5, 3, 7),
                     cd = __builtin_shufflevector(c, d, 0, 4, 2, 6) +
                          __builtin_shufflevector(c, d, 1, 5, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* y += sign A x of count rows, ld apart, and n columns: four rows at a time. */
static inline void cardan__add_products(int count, int n, const double *restrict A, size_t ld,
                                        const double *restrict x, double sign, double *restrict y)
{
  for (int k = 0; k < count; k += 4, A += 4 * ld) {
    const int rows = count - k < 4 ? count - k : 4;
    const double *second = A + (rows > 1 ? ld : 0), *third = A + (rows > 2 ? 2 * ld : 0),
                 *fourth = A + (rows > 3 ? 3 * ld : 0);
    cardan__four a = {0}, b = {0}, c = {0}, d = {0};
    int j = 0;
    for (; j + 4 <= n; j += 4) {
      const cardan__four here = cardan__four_at(x + j);
      a += here * cardan__four_at(A + j);
      b += here * cardan__four_at(second + j);
      c += here * cardan__four_at(third + j);
      d += here * cardan__four_at(fourth + j);
    }
    cardan__four sum = cardan__four_sums(a, b, c, d);
    for (; j < n; j++) {
      sum += x[j] * (cardan__four){A[j], second[j], third[j], fourth[j]};
    }
    for (int l = 0; l < rows; l++) {
      y[k + l] += sign * sum[l];
    }
  }
}
