/* SPDX-License-Identifier: Apache-2.0
 * dynamics/aba.h - cardan_aba in two parts, for callers that pass over the bodies anyway. */
#pragma once
#include "cardan/data.h"
#include "dynamics/columns.h"

/* c and the bodies' own bias wrenches p, for bodies from .. to - 1. needs X, V, f_ext of those */
void cardan__aba_bias(const cardan_model *model, cardan_data *data, int from, int to);

/* cardan_factor_solve for a wrench on one body (its coordinates) and forces in its joint alone:
 * M^-1 (tau + J_i^T F), with half of the sweeps. tau: nv, read on the way to the root; NULL: none.
 * a: nv, out, may be tau; the bodies' response is in data->A. needs cardan_factor; writes as
 * cardan_factor_solve */
void cardan__factor_push(const cardan_model *model, cardan_data *data, int body, cardan_force F,
                         const double *tau, double *a);

/* cardan_factor_solve without wrenches, over the bodies body[0] .. body[1] - 1, which are whole
 * trees with velocities of their own: of tau and a nothing else is read or written. tip: tau is 0
 * but on the way from this body to the world; 0: it need not be. */
void cardan__factor_solve_part(const cardan_model *model, cardan_data *data, const int body[2],
                               int tip, const double *tau, double *a);

/* What columns.h needs of a body, factors: a data with cardan_factor. */
cardan__link_of cardan__factor_link;

/* The rest of cardan_aba, after all biases. */
void cardan__aba_solve(const cardan_model *model, cardan_data *data, const double *tau, double *a);
