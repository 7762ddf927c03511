/* SPDX-License-Identifier: Apache-2.0
 * linalg/short_rows.h - sums of rows of a matrix, for blocks of some ten numbers. */
#pragma once
#include <stddef.h>
#include <string.h>

/* Four numbers anywhere in an array of doubles. Pass by pointer: where the processor has no
 * registers of this width, calls by value are of another kind from one compiler option to the
 * next. */
typedef double cardan__four __attribute__((vector_size(32), aligned(8), may_alias));
#define CARDAN__FOUR_AT(x) (*(const cardan__four *)(x))

/* y += sum of x[k] times row k of A, count rows ld apart, in that order; n numbers. */
static inline void cardan__add_rows(int count, const double *restrict A, size_t ld,
                                    const double *restrict x, int n, double *restrict y)
{
  int j = 0;
  for (; j + 12 <= n; j += 12) {
    cardan__four a = CARDAN__FOUR_AT(y + j), b = CARDAN__FOUR_AT(y + j + 4),
                 c = CARDAN__FOUR_AT(y + j + 8);
    for (int k = 0; k < count; k++) {
      const double *row = A + (size_t)k * ld + j;
      a += x[k] * CARDAN__FOUR_AT(row);
      b += x[k] * CARDAN__FOUR_AT(row + 4);
      c += x[k] * CARDAN__FOUR_AT(row + 8);
    }
    memcpy(y + j, &a, sizeof a);
    memcpy(y + j + 4, &b, sizeof b);
    memcpy(y + j + 8, &c, sizeof c);
  }
  for (; j + 4 <= n; j += 4) {
    cardan__four a = CARDAN__FOUR_AT(y + j);
    for (int k = 0; k < count; k++) {
      a += x[k] * CARDAN__FOUR_AT(A + (size_t)k * ld + j);
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
    sum += CARDAN__FOUR_AT(a + j) * CARDAN__FOUR_AT(b + j);
  }
  for (; j < n; j++) {
    rest += a[j] * b[j];
  }
  return ((sum[0] + sum[2]) + (sum[1] + sum[3])) + rest;
}

/* sums: of the entries of each of four vectors, side by side */
static inline void cardan__four_sums(const cardan__four v[4], cardan__four *sums)
{
  const cardan__four ab = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6) +
                          __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7),
                     cd = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6) +
                          __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
  *sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* y += sign A x of count rows, ld apart, and n columns: four rows at a time. */
static inline void cardan__add_products(int count, int n, const double *restrict A, size_t ld,
                                        const double *restrict x, double sign, double *restrict y)
{
  for (int k = 0; k < count; k += 4, A += 4 * ld) {
    const int rows = count - k < 4 ? count - k : 4;
    const double *second = A + (rows > 1 ? ld : 0), *third = A + (rows > 2 ? 2 * ld : 0),
                 *fourth = A + (rows > 3 ? 3 * ld : 0);
    cardan__four parts[4] = {0}, sum;
    int j = 0;
    for (; j + 4 <= n; j += 4) {
      const cardan__four here = CARDAN__FOUR_AT(x + j);
      parts[0] += here * CARDAN__FOUR_AT(A + j);
      parts[1] += here * CARDAN__FOUR_AT(second + j);
      parts[2] += here * CARDAN__FOUR_AT(third + j);
      parts[3] += here * CARDAN__FOUR_AT(fourth + j);
    }
    cardan__four_sums(parts, &sum);
    for (; j < n; j++) {
      sum += x[j] * (cardan__four){A[j], second[j], third[j], fourth[j]};
    }
    for (int l = 0; l < rows; l++) {
      y[k + l] += sign * sum[l];
    }
  }
}
