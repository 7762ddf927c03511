/* SPDX-License-Identifier: Apache-2.0
 * linalg/semidefinite.h - symmetric systems of a known rank that may be less than their size.
 *
 * S (n x n) is positive semidefinite, as J M^-1 J^T of rows that depend on one another. With the
 * basic rows B and the others D, which are T times the basic ones,
 *   S = [1; T] S_BB [1; T]^T,   S_BB = L L^T.
 * The shortest y of those that bring S y nearest to b follows without squaring a condition number:
 *   c = G^-1 (b_B + T^T b_D),   z = G^-1 S_BB^-1 c,   y = [z; T z],   G = 1 + T^T T
 * since entries of T stay about 1 by the choice of B. All O(n^3), no allocation, same bits on every
 * run. Matrices are row-major and packed. */
#pragma once
#include "base/arena.h"

typedef struct {
  int n, rank;
  double *S;         // n x n: lower triangle in; L of S_BB (rank x rank) out
  double *T;         // n x n: row i of those in D is that row of T (rank long)
  double *G;         // n x n: Cholesky factor of G (rank x rank)
  int *order;        // n: the basic rows in the order of choice, then the others
  double *size;      // n: what a diagonal entry counts as much, for each row; 0: it is nothing
  double *left;      // n: what each row has left of its diagonal entry, work of the factorisation
  double *x;         // n: work of the solve
  double last, next; // smallest part that a basic row adds; largest that any other would add
} cardan__semidefinite;

/* Lays out all of f's arrays for a matrix of n rows; n 0: none. */
void cardan__semidefinite_carve(cardan__semidefinite *f, int n, cardan__carver *c);

/* Factors f->S, which is spoilt. The row that adds most, relative to its size, is taken next:
 * scales of rows do not matter, and a row that is nothing but rounding adds nothing.
 * most    rank at most
 * least   smallest part of its size that a row may add
 * returns the rank, also in f->rank: less than most when every other row would add less */
int cardan__semidefinite_factor(cardan__semidefinite *f, int most, double least);

/* y (n) <- the shortest y with |S y - b| least, b being y as given. */
void cardan__semidefinite_solve(const cardan__semidefinite *f, double *y);
