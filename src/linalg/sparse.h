/* SPDX-License-Identifier: Apache-2.0
 * linalg/sparse.h - a question that loading asks of large sparse matrices (SuiteSparse: AMD, LDL).
 */
#pragma once
#include "cardan/base.h"

/* m x n by rows: entries of row i are start[i] .. start[i + 1] - 1, in any order. */
typedef struct {
  int m, n;
  int *start;    // m + 1
  int *column;   // start[m]
  double *value; // start[m]
} cardan__sparse;

/* Are the rows of A, each of length 1, independent beyond doubt? By L D L^T of A A^T, whose pivots
 * are squares of what each row adds to those before it: a clear yes is one, for a no or an answer
 * within rounding an orthogonal factorisation has to be asked (cardan__independent). O(entries of
 * L); not tried where A A^T is dense.
 * returns 1: yes; 0: it cannot be decided; -1: no memory */
int cardan__sparse_independent(const cardan__sparse *A, const cardan_allocator *allocator);
