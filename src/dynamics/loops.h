/* SPDX-License-Identifier: Apache-2.0
 * dynamics/loops.h - constraint forces over the O(n) recursion, and projection on the constraints.
 *
 * All rows count; where some depend on others the multipliers are the shortest ones (schur.h).
 * The work space is data->loops: a data has it from its first call of cardan_forward_reserve on,
 * which those below that factor make themselves. Nothing else allocates. */
#pragma once
#include "base/spans.h"
#include "cardan/data.h"

/* S = J M^-1 J^T at data's q, factored: cardan__schur_factor, with the work space made.
 * returns CARDAN_ERR_MEMORY; CARDAN_ERR_SINGULAR as there */
cardan_status cardan__loops_factor(const cardan_model *model, cardan_data *data) CARDAN_MUST_USE;

/* Multipliers and what they add to the unconstrained accelerations:
 *   S lambda = gamma - J a - kv (J v + phi_t) - kq phi,   a += M^-1 J^T lambda
 * needs   cardan_constraints, cardan_velocities, and data->a from cardan_aba
 * writes  data->a, lambda, and as cardan__loops_factor, which _solve calls first. _again relies on
 *         the last one: the same q, other forces (friction's iteration) */
cardan_status cardan__loops_solve(const cardan_model *model, cardan_data *data, double kq,
                                  double kv) CARDAN_MUST_USE;
void cardan__loops_again(const cardan_model *model, cardan_data *data, double kq, double kv);

/* The same at velocity level: S sigma = J v + phi_t + alpha phi, v -= M^-1 J^T sigma, so that
 * J v = -phi_t less the feedback alpha phi. What is taken from v is the least in the mass metric.
 * needs   cardan__loops_factor, data->V and v, rows->phi_t, and phi when alpha is not 0
 * writes  data->v (V is then to be made again); sigma (nrow, out)
 * returns sigma^T S sigma: the square of J^T sigma in the metric of M^-1 */
double cardan__loops_velocities(const cardan_model *model, cardan_data *data, double alpha,
                                double *sigma);

/* Largest entry of x (nv), a change of the position or a velocity; lengths relative to the size of
 * the mechanism, or to 1 m where that is less. */
double cardan__loops_size(const cardan_model *model, const double *x);

/* Moves q, then v, back to the constraints by the least change in the mass metric:
 *   dq = -M^-1 J^T S^-1 phi until |phi| <= 1e-12 (1 + size_length)
 *   dv = -M^-1 J^T S^-1 (J v + phi_t)
 * For drift, which is small. Kinematic coordinates are set from their motions at data->t.
 * writes  q, v, X, X_W, V (of the new state), rows, factor, and as cardan__loops_factor
 * returns CARDAN_ERR_SINGULAR, CARDAN_ERR_NOT_POSDEF or CARDAN_ERR_NO_CONVERGENCE, and
 *         CARDAN_ERR_JUMP where rows contradict one another, with q and v as they were; data->info
 *         says which row, what remains of it, and how many iterations */
cardan_status cardan__project(const cardan_model *model, cardan_data *data) CARDAN_MUST_USE;

/* The same as closely as rounding allows: near a singular position what remains of phi is much, in
 * the direction that rows nearly lose. */
cardan_status cardan__project_closely(const cardan_model *model, cardan_data *data) CARDAN_MUST_USE;

/* The velocity part of it alone. needs cardan_poses */
cardan_status cardan__project_velocities(const cardan_model *model,
                                         cardan_data *data) CARDAN_MUST_USE;

/* What a factorisation depends on beside the position: sizes that the rows had so far, which decide
 * between equal pivots where rows are redundant. needs the work space, where there are rows
 * _forget  no row has a size yet
 * _sizes   to has those of from, and keeps them: reading results of a motion, and how often, must
 * not
 *          change what later answers are
 * _spans   they are part of a state */
void cardan__loops_forget(const cardan_model *model, cardan_data *data);
void cardan__loops_sizes(const cardan_model *model, const cardan_data *from, cardan_data *to);
void cardan__loops_spans(const cardan_model *model, cardan_data *data, cardan__spans *list);
