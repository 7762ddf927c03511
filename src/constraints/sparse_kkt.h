/* SPDX-License-Identifier: Apache-2.0
 * constraints/sparse_kkt.h - the equations of motion of a mechanism with many loops, in linear
 * time.
 *
 * A tree with loops is a KKT system: bodies with mass, held together by joints and by constraints.
 * At one configuration, with G the constraint rows over the tree's velocities, it solves
 *   M x - G^T lambda = f,   G x + delta lambda = g                                        (W1)
 * by a sparse factorisation over the joints and constraints (sparse_kkt.c), O(nbody + nrow) where
 * the mechanism is long and narrow, like a ladder. Redundant rows stay in the system: delta > 0,
 * far below the pivot of an independent row, then selects the lambda of minimum norm, and iterative
 * refinement removes its effect on x; without redundant rows delta = 0. delta is a fraction of each
 * row's diagonal entry, so the norm is weighted by these entries; that of dynamics/schur.c is not.
 * Prescribed coordinates are locked: their x is 0. */
#pragma once
#include "cardan/data.h"

typedef struct cardan__sparse_kkt cardan__sparse_kkt;

/* Does the model have so many rows that this is faster than a dense matrix? */
bool cardan__sparse_kkt_suits(const cardan_model *model);

/* The structure for a model. locked: nv, velocities that are 0 besides the prescribed ones, all of
 * a joint or none, to be kept as long as the KKT system; NULL: none. *out is NULL, with CARDAN_OK,
 * where the model has no such form: a body whose inertia is not positive definite (a point mass),
 * joints without a body between them that branch. Nothing else here allocates. */
cardan_status cardan__sparse_kkt_create(const cardan_model *model, const bool *locked,
                                        const cardan_allocator *allocator,
                                        cardan__sparse_kkt **out) CARDAN_MUST_USE;
void cardan__sparse_kkt_destroy(cardan__sparse_kkt *kkt); // NULL is fine

/* Factors (W1) at data's configuration.
 * needs   cardan_joints and data->rows.w, c at the same q
 * returns CARDAN_ERR_NOT_POSDEF and the body in data->info where a joint is in gimbal lock: one of
 *         its velocities moves nothing */
cardan_status cardan__sparse_kkt_factor(cardan__sparse_kkt *kkt, cardan_data *data) CARDAN_MUST_USE;

/* (W1) as factored. f: nv, NULL is 0; g: nrow, NULL is 0; x: nv, out; lambda: nrow, out. f and x,
 * g and lambda may be the same. */
void cardan__sparse_kkt_solve(cardan__sparse_kkt *kkt, const double *f, const double *g, double *x,
                              double *lambda);

/* (W1) with delta = 0, by refinement against the tree itself at data's configuration, which the
 * factorisation is of or near to. f and g are not changed.
 * needs   as _factor; writes data->A
 * returns what the last correction of x was, relative to x: a large one says that the rows have
 *         lost their rank */
double cardan__sparse_kkt_refine(cardan__sparse_kkt *kkt, cardan_data *data, const double *f,
                                 const double *g, double *x, double *lambda);

/* The same for f = 0, onto what is there: y (nrow): g in, lambda out; x (nv) += M^-1 G^T lambda. */
void cardan__sparse_kkt_correct(cardan__sparse_kkt *kkt, cardan_data *data, double *y, double *x);

/* How near to a singular position the last factorisation was: the smallest relative pivot of a row
 * that is not redundant everywhere, the square of a sine; 0 where fewer rows are independent than
 * model->rank. *row: which; for a row of a joint, a constraint row that holds the same. */
double cardan__sparse_kkt_residual(const cardan__sparse_kkt *kkt, int *row);

/* Rank of the rows as the last factorisation found it: a row counts if its relative pivot is above
 * limit^2. _redundant: which do not count (nrow, out); where joints and constraints hold the
 * same thing it is a row of the constraints. */
int cardan__sparse_kkt_rank(const cardan__sparse_kkt *kkt, double limit);
void cardan__sparse_kkt_redundant(const cardan__sparse_kkt *kkt, double limit, bool *redundant);
