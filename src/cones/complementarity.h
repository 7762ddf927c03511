/* SPDX-License-Identifier: Apache-2.0
 * cones/complementarity.h - impulses of one-sided rows without friction, on plain arrays.
 *
 * Rows with friction cones: ncp.h. The caller computes G = J A J^T (dynamics/mobility.h). Nothing
 * here allocates. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Impulses r and velocities u after them (n each, out) of
 *   u = G r + b,   r >= 0,   u >= 0,   r u = 0                                               (N)
 * for a symmetric, positive semidefinite G (n x n row-major), also a singular one: rows that depend
 * on others get 0 where the others do. tol: a velocity above -tol counts as none.
 * work  cardan__complementarity_work(n) doubles;  set  n
 * returns false when no r brings some u up to 0: a row that nothing can move */
bool cardan__complementarity(int n, const double *G, const double *b, double tol, double *r,
                             double *u, int *set, double *work);
size_t cardan__complementarity_work(int n);
