/* SPDX-License-Identifier: Apache-2.0
 * methods/maximal/kkt.h - one linear system for every maximal method:
 *
 *   [ M  J^T ] [ x      ]   [ f ]
 *   [ J   0  ] [ lambda ] = [ g ]
 *
 * M is the bodies' constant mass matrix, J the rows at the place where cardan__mx_jacobian was
 * called last before factor. All rows are in it. One that the others give at that place, so that
 * its pivot is lost against its diagonal in J M^-1 J^T, is passed over by this factorisation: its
 * multiplier is 0, and its right-hand side is not looked at.
 *
 *   tree    block LDL^T along a spanning tree, auxiliary rows by anticipation   O(n k + k^3)
 *   sparse  block Cholesky of J M^-1 J^T                               O(n) for ladders of loops
 *   dense   LDL^T of all of it, in the order of the tree                                  O(n^3)
 *   schur   Cholesky of J M^-1 J^T (LAPACK)                                               O(n^3)
 * All memory is taken by create. */
#pragma once
#include <stdint.h>

#include "linalg/semidefinite.h"
#include "methods/maximal/graph.h"

typedef enum {
  CARDAN__KKT_AUTO, // tree, unless there are many auxiliary rows: then sparse. Known after create
  CARDAN__KKT_TREE,
  CARDAN__KKT_SPARSE,
  CARDAN__KKT_DENSE,
  CARDAN__KKT_SCHUR
} cardan__kkt_kind;

typedef struct cardan__mx_tree cardan__mx_tree; // maximal_tree.c
typedef struct cardan__mx_articulated cardan__mx_articulated;
typedef struct cardan__mx_blocks cardan__mx_blocks; // maximal_blocks.c
typedef struct cardan__mx_sparse cardan__mx_sparse; // maximal_sparse.c
typedef struct cardan__mx_dense cardan__mx_dense;   // maximal_dense.c

typedef struct {
  const cardan__maximal *mx;
  cardan__kkt_kind kind;
  cardan__mx_graph graph;
  double *diagonal; // neq: of J M^-1 J^T; tree: of auxiliary rows
  bool *idle;       // neq: passed over by the last factorisation
  int nidle;
  cardan__rank_monitor rank; // of J M^-1 J^T, over as many rows as should count
  cardan__mx_tree *tree;
  cardan__mx_blocks *blocks;  // sparse, unless a body has very many rows:
  cardan__mx_sparse *sparse;  // then this
  cardan__mx_dense *dense;    // dense and schur
  cardan__semidefinite aux;   // tree: S of the auxiliary rows
  double *mu;                 // tree: naux
  double *x, *lambda, *f, *g; // tree: scratch
  double *zero;               // nx
  int64_t factorisations;
  cardan__arena arena;
} cardan__kkt;

/* NULL allocator: malloc. returns CARDAN_ERR_MEMORY */
cardan_status cardan__kkt_create(const cardan__maximal *mx, cardan__kkt_kind kind,
                                 const cardan_allocator *allocator,
                                 cardan__kkt **out) CARDAN_MUST_USE;
void cardan__kkt_destroy(cardan__kkt *kkt); // NULL is fine

/* Do factorisations and solves read mx->J? If not they read the poses of mx, as factor finds
 * them: every row belongs to a pair of the tree. */
bool cardan__kkt_reads_rows(const cardan__kkt *kkt);

/* Writes idle, nidle.
 * returns CARDAN_ERR_SINGULAR and a row of the set in *row when more rows are lost than the model's
 *         redundant ones: a singular position, or a way along which they are redundant too. The
 *         factorisation can be used all the same.
 *         CARDAN_ERR_NOT_FINITE: it cannot */
cardan_status cardan__kkt_factor(cardan__kkt *kkt, int *row) CARDAN_MUST_USE;

/* f: nx, g: neq (NULL: 0, either); x: nx, out; lambda: neq, out, or NULL where no rows are read.
 * Outputs may be the inputs. */
void cardan__kkt_solve(cardan__kkt *kkt, const double *f, const double *g, double *x,
                       double *lambda);

/* The same where no rows are read and none is idle, without g.
 *   accelerate  g = gamma of velocities vel (nx) that keep the rows, which are closed; for pairs
 *               that hold a point, and turns altogether, about all but one axis, or not (else
 *               knows_products is false)
 *   keep        f = 0, g = -J vel */
bool cardan__kkt_knows_products(const cardan__kkt *kkt);
void cardan__kkt_accelerate(cardan__kkt *kkt, const double *f, const double *vel, double *x);
void cardan__kkt_keep(cardan__kkt *kkt, const double *vel, double *x);

/* Does x of a solve keep M x + J^T lambda = f to rounding, whatever the pivots are? */
bool cardan__kkt_keeps_forces(const cardan__kkt *kkt);

/* By how much less equation e counts than its diagonal entry of J M^-1 J^T says. Where rows
 * contradict one another, by their data or off the constraints, the bodies go where the rows that
 * count say, and must not go back and forth with a choice of rows: those that the model has as
 * redundant count less, and so come last. */
static inline double cardan__kkt_aside(const cardan__maximal *mx, int e)
{
  const int own = mx->row[e] - mx->row_model;
  return own >= 0 && mx->model->row_redundant[own] ? 10 : 1;
}

/* lambda (neq) out of J^T lambda = f (nx), where no rows are read. */
void cardan__kkt_multipliers(cardan__kkt *kkt, const double *f, double *lambda);

/* ---- maximal_tree.c ---- */

cardan__mx_tree *cardan__mx_tree_make(const cardan__maximal *mx, const cardan__mx_graph *graph,
                                      cardan__arena *arena);
/* All factorisations: an equation is lost when its pivot is at most tol of its diagonal; idle
 * (neq, false before) gets true there, and rank (cardan__rank_begin before) the pivots. Returns how
 * many are lost, or -1 when a number is not one. */

/* Factor and solve with the rows of the tree alone; lambda and g are indexed by equation. */
int cardan__mx_tree_factor(cardan__mx_tree *tree, double tol, bool *idle);
void cardan__mx_tree_solve(cardan__mx_tree *tree, const double *f, const double *g, double *x,
                           double *lambda);
void cardan__mx_tree_multipliers(cardan__mx_tree *tree, const double *f, double *lambda);
bool cardan__mx_tree_reads_rows(const cardan__mx_tree *tree);
cardan__mx_articulated *cardan__mx_tree_pairs(const cardan__mx_tree *tree); // NULL: it reads rows
/* Blocks of L below the diagonal, as factor made them: one for each node but the roots. */
int cardan__mx_tree_blocks(const cardan__mx_tree *tree);

/* ---- articulated.c: the same where every edge is one pair in space ---- */

/* *out: NULL where an edge is none. returns CARDAN_ERR_MEMORY */
cardan_status cardan__mx_articulated_make(const cardan__maximal *mx, const cardan__mx_graph *graph,
                                          cardan__arena *arena,
                                          cardan__mx_articulated **out) CARDAN_MUST_USE;
int cardan__mx_articulated_factor(cardan__mx_articulated *t, double tol, bool *idle);
void cardan__mx_articulated_solve(cardan__mx_articulated *t, const double *f, const double *g,
                                  double *x, double *lambda);
void cardan__mx_articulated_multipliers(cardan__mx_articulated *t, const double *f, double *lambda);
/* As cardan__kkt_knows_products and so on. */
bool cardan__mx_articulated_products(const cardan__mx_articulated *t);
void cardan__mx_articulated_accelerate(cardan__mx_articulated *t, const double *f,
                                       const double *vel, double *x);
void cardan__mx_articulated_keep(cardan__mx_articulated *t, const double *vel, double *x);

/* ---- maximal_blocks.c, maximal_sparse.c, maximal_dense.c ----
 * Outputs of a solve may be its inputs. */

cardan__mx_blocks *cardan__mx_blocks_make(const cardan__maximal *mx, cardan__arena *arena);
void cardan__mx_blocks_close(cardan__mx_blocks *m); // NULL is fine
/* given: rows that the model has as redundant are passed over, whatever is left of them. */
int cardan__mx_blocks_factor(cardan__mx_blocks *m, bool given, double tol, bool *idle,
                             cardan__rank_monitor *rank);
void cardan__mx_blocks_solve(cardan__mx_blocks *m, const double *f, const double *g, double *x,
                             double *lambda);

cardan__mx_sparse *cardan__mx_sparse_make(const cardan__maximal *mx, cardan__arena *arena);
int cardan__mx_sparse_factor(cardan__mx_sparse *s, const double *diagonal, double tol, bool *idle,
                             cardan__rank_monitor *rank);
void cardan__mx_sparse_solve(cardan__mx_sparse *s, const double *f, const double *g, double *x,
                             double *lambda);

cardan__mx_dense *cardan__mx_dense_make(const cardan__maximal *mx, const cardan__mx_graph *graph,
                                        bool schur, cardan__arena *arena);
int cardan__mx_dense_factor(cardan__mx_dense *d, const double *diagonal, double tol, bool *idle,
                            cardan__rank_monitor *rank);
void cardan__mx_dense_solve(cardan__mx_dense *d, const double *f, const double *g, double *x,
                            double *lambda);
