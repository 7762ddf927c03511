/* SPDX-License-Identifier: Apache-2.0
 * dynamics/row_slopes.h - how the rows of the constraints turn as the mechanism moves: second
 * derivatives of Phi, exact.
 *
 *   H = d(G^T sigma)/dq, nv x nv, what multipliers add to a stiffness (less, by their sign)
 *   R = the rate of G along velocities x, nrow x nv
 * Directions of q are those of cardan_q_move. Nothing here allocates. */
#pragma once
#include "base/arena.h"
#include "cardan/data.h"

typedef struct {
  const cardan_model *model;
  cardan_force *w_rate, *w_still, *f_rate; // nrow_body, nrow_body, nbody
  double *c_rate, *c_still;                // nrow_dof
  double *sigma, *column;                  // nrow, nv
} cardan__row_slopes;

/* Its arrays from a carver; model is set before. */
void cardan__row_slopes_layout(cardan__row_slopes *s, cardan__carver *c);

/* Before the calls below: data's t and q are those of the state; writes X, X_W, rows, v, V. The
 * velocities of data are lost. */
void cardan__row_slopes_begin(cardan__row_slopes *s, cardan_data *data);

/* H += d(G^T sigma)/dq; sigma: nrow. O(nv (nbody + entries)) */
void cardan__row_slopes_force(cardan__row_slopes *s, cardan_data *data, const double *sigma,
                              double *H);

/* R (out): the rate of G along x (nv), what comes from t left out; x NULL: that alone, dG/dt.
 * O(nrow nbody) */
void cardan__row_slopes_along(cardan__row_slopes *s, cardan_data *data, const double *x, double *R);

/* D (nrow x nv, out): d(Phi_t)/dq. Of rows of positions it is dG/dt; those of velocity level have
 * -b for Phi_t, the value of their expression with all velocities 0. Kinematics of data are then
 * those at velocities 0: _begin comes again before the next call. */
void cardan__row_slopes_of_time(cardan__row_slopes *s, cardan_data *data, double *D);
