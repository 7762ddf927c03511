/* SPDX-License-Identifier: Apache-2.0
 * linalg/semidefinite.h - dense symmetric systems whose rank may be less than their size: the dense
 * backend of every saddle-point system [M J^T; J 0] that is solved by way of S = J M^-1 J^T. The
 * sparse backend is linalg/blocks.h.
 *
 * S (n x n) is positive semidefinite. Three factorisations, and one solve for all of them:
 *   all       rows are independent: S = L L^T, in their order
 *   basic     as many rows as are independent at a tolerance; the unknowns of the others are 0
 *   shortest  rows of a known rank; the shortest solution
 * For the last, with the basic rows B and the others D, which are T times the basic ones,
 *   S = [1; T] S_BB [1; T]^T,   S_BB = L L^T.
 * The shortest y of those that bring S y nearest to b follows without squaring a condition number:
 *   c = G^-1 (b_B + T^T b_D),   z = G^-1 S_BB^-1 c,   y = [z; T z],   G = 1 + T^T T
 * since entries of T stay about 1 by the choice of B. All O(n^3), no allocation, same bits on every
 * run. Matrices are row-major and packed. */
#pragma once
#include "base/arena.h"
#include "linalg/rank_monitor.h"

typedef enum { CARDAN__SHORTEST, CARDAN__ALL_ROWS, CARDAN__BASIC_ROWS } cardan__semidefinite_kind;

typedef struct {
  int n, rank;
  cardan__semidefinite_kind kind; // of the last factorisation
  double *S;         // n x n: lower triangle in; L of S_BB (rank x rank; basic: n x n) out
  double *T;         // shortest: n x n: row i of those in D is that row of T (rank long)
  double *G;         // shortest: n x n: Cholesky factor of G (rank x rank)
  int *order;        // n: the basic rows in the order of choice, then the others; unused by all
  double *size;      // n: what a diagonal entry counts as much, for each row; 0: it is nothing
  double *left;      // shortest: n: what each row has left of its diagonal entry
  double *x;         // n: work of the solve; unused by all
  double last, next; // shortest: smallest pivot ratio of a basic row; largest of the others
} cardan__semidefinite;

/* Lays out all of f's arrays for a matrix of n rows; n 0: none. */
void cardan__semidefinite_carve(cardan__semidefinite *f, int n, cardan__carver *c);

/* The same from an arena, for all and basic factorisations alone; false: no memory. */
bool cardan__semidefinite_take(cardan__semidefinite *f, int n, cardan__arena *arena);

/* Factors f->S where all rows are to count; pivot ratios to rank.
 * least   smallest pivot that is accepted, of its diagonal entry
 * returns -1, or the first row whose pivot is smaller; f cannot be used then */
int cardan__semidefinite_factor_all(cardan__semidefinite *f, double least,
                                    cardan__rank_monitor *rank);

/* Factors as many rows as are independent; pivot ratios to rank, also of the rows that are dropped:
 * order[f->rank] .. order[n - 1]. All sizes are > 0.
 * least   a row whose pivot ratio is at most this is dropped
 * returns the rank */
int cardan__semidefinite_factor_basic(cardan__semidefinite *f, double least,
                                      cardan__rank_monitor *rank);

/* Factors f->S, which is spoilt. The row that adds most, relative to its size, is taken next:
 * scales of rows do not matter, and a row that is nothing but rounding adds nothing.
 * most    rank at most
 * least   smallest part of its size that a row may add
 * returns the rank, also in f->rank: less than most when every other row would add less */
int cardan__semidefinite_factor(cardan__semidefinite *f, int most, double least);

/* y (n) <- the solution for the right-hand side y, as the kind of the factorisation has it; of the
 * shortest: |S y - b| is least. */
void cardan__semidefinite_solve(const cardan__semidefinite *f, double *y);
