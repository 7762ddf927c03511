/* SPDX-License-Identifier: Apache-2.0
 * dynamics/schur.h - the tree's equations with all constraint rows:
 *   [M -J^T; J 0][x; lambda] = [f; g]
 * from x_0 = M^-1 f, which cardan_factor_solve or cardan_aba gives:
 *   S lambda = g - J x_0,   x = x_0 + M^-1 J^T lambda,   S = J M^-1 J^T
 * All rows count at every position, also those that depend on others there: lambda is then the
 * shortest of the many that give the same x (by sparse_kkt.h: with weights), and a right-hand side
 * that rows contradict each other in is met as nearly as can be. How S is kept and solved is known
 * to schur.c alone: as a matrix, or, for many rows, not at all (sparse_kkt.h). */
#pragma once
#include "base/arena.h"
#include "cardan/data.h"

/* Work space: _layout takes S out of a block (NULL base: counts only), none where there is a kkt;
 * _open makes that first, for the models that it suits.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__schur_open(const cardan_model *model, const cardan_allocator *allocator,
                                 cardan_loops *loops) CARDAN_MUST_USE;
void cardan__schur_layout(cardan__carver *c, const cardan_model *model, cardan_loops *loops);

/* S at data's q, factored. While loops->positions is set, rows of velocity level are decoupled in
 * S: with 0 for their right-hand sides solutions are those of the other rows.
 * needs   cardan_factor and data->rows.w, c at the same q; data->loops
 * writes  data->p, u, A, loops, CARDAN_FRESH_LOOPS, and how near to a singular position this is:
 *         loops->rank.ratio, the square of a sine, 0 where the rows have lost rank
 * returns CARDAN_ERR_SINGULAR, and the row and a sentence in data->info, where the rows have lost
 *         rank: fewer are independent than model->rank */
cardan_status cardan__schur_factor(const cardan_model *model, cardan_data *data) CARDAN_MUST_USE;

/* S itself, k x k, both triangles, out; nothing is factored.
 * needs as _factor; writes data->p, rest, A, tau_work */
void cardan__schur_matrix(const cardan_model *model, cardan_data *data, double *S);

/* y (nrow): g - J x_0 in, lambda out;  x (nv) += M^-1 J^T lambda, kinematic entries as they are.
 * needs cardan__schur_factor, here or, for a chord, at a q near by; writes loops */
void cardan__schur_solve(const cardan_model *model, cardan_data *data, double *y, double *x);
