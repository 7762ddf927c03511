/* SPDX-License-Identifier: Apache-2.0
 * linalg/blocks.h - L L^T of a symmetric sparse matrix of small dense blocks.
 *
 * The structure is given once, as a graph of nodes with a few rows each, and put in an order that
 * leaves little fill-in (SuiteSparse: AMD). Then values go to their places, are factored and solved
 * with as often as one likes: none of that allocates. O(entries of L) memory, O(their squares by
 * columns) work: linear for graphs that are long and narrow. */
#pragma once
#include "cardan/base.h"

enum { CARDAN__BLOCK_MOST = 6 }; // rows of a node

typedef struct cardan__blocks cardan__blocks;

/* The matrix over n nodes of size[i] rows, 1 to CARDAN__BLOCK_MOST, in which all nodes of a clique
 * meet: member[start[c]] .. member[start[c + 1] - 1] for c < nclique. Numbers of members are below
 * n and no clique names one twice.
 * returns CARDAN_ERR_MEMORY, also when the factor would be larger than any machine's */
cardan_status cardan__blocks_create(int n, const int *size, int nclique, const int *start,
                                    const int *member, const cardan_allocator *allocator,
                                    cardan__blocks **out) CARDAN_MUST_USE;
void cardan__blocks_destroy(cardan__blocks *b); // NULL is fine

/* Is node i eliminated after node j, or the same? */
bool cardan__blocks_after(const cardan__blocks *b, int i, int j);

/* Place of block (i, j), i after j: size[i] x size[j] row-major from cardan__blocks_values + place
 * on, rows *stride numbers apart; of (i, i) the lower triangle counts. -1: no clique has both. */
ptrdiff_t cardan__blocks_place(const cardan__blocks *b, int i, int j, int *stride);

/* The values, all 0 after _clear; factored in place. */
double *cardan__blocks_values(cardan__blocks *b);
void cardan__blocks_clear(cardan__blocks *b);

/* A = L L^T. A row of which the earlier ones leave less than tol of its diagonal is given that
 * much; the unknown of a row of zeros is 0. _left: what was left of every row, over its diagonal,
 * in the order of a vector. */
void cardan__blocks_factor(cardan__blocks *b, double tol);
/* The same, but a row of which no more is left than tol (of each row, in the order of a vector) is
 * passed over: its unknown is 0, and solve does not read its right-hand side. */
void cardan__blocks_factor_rank(cardan__blocks *b, const double *tol);
const double *cardan__blocks_left(const cardan__blocks *b);

/* Row k of a node as the earlier rows make it up, where nothing of it was left: z (all rows, in the
 * order of a vector), out: sum over i of z_i A_i = 0. */
void cardan__blocks_make_up(const cardan__blocks *b, int node, int k, double *z);

/* x <- A^-1 x; x: the nodes' rows one after the other, in the order of their numbers. */
void cardan__blocks_solve(const cardan__blocks *b, double *x);
