/* SPDX-License-Identifier: Apache-2.0
 * dynamics/mobility.h - what an impulse does to velocities, a force to accelerations:
 *   x = A g,   A = M^-1 - M^-1 J^T S^-1 J M^-1,   S = J M^-1 J^T
 * with J the rows of the constraints: O(n) on a tree. A is symmetric, and J A = 0. */
#pragma once
#include "cardan/data.h"

/* All that _of needs at data's q: X, X_W, rows, factors; what is fresh stays.
 * returns what cardan_factor and cardan__loops_factor return */
cardan_status cardan__mobility_prepare(const cardan_model *model,
                                       cardan_data *data) CARDAN_MUST_USE;

/* x (nv, out, not g) = A g; prescribed entries are 0. Where the constraints take all of
 * g . M^-1 g but for rounding, they hold g altogether: x = 0. writes data->p, u, A, loops */
void cardan__mobility_of(const cardan_model *model, cardan_data *data, const double *g, double *x);
