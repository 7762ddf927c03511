/* SPDX-License-Identifier: Apache-2.0
 * dynamics/aba.h - parts of cardan_aba. */
#pragma once
#include "cardan/data.h"
#include "dynamics/columns.h"

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

/* Kinematic joints in a solve. */
typedef enum {
  CARDAN__LOCKED, // their entries of the result are 0
  CARDAN__DRIVEN, // their entries are accelerations, which the bodies' wrenches know of already
  CARDAN__MOVING  // their entries are velocities, which the bodies' wrenches know of already
} cardan__given;

/* The sweeps of cardan_factor_solve: a (nv) from tau (nv, NULL: 0) and what the bodies need,
 * data->p, and the bodies' part of it to A (nbody). needs cardan_factor; writes p, rest */
void cardan__factor_sweeps(const cardan_model *model, cardan_data *data, cardan__given given,
                           const double *tau, double *a, cardan_twist *A);

/* The last sweep of cardan_aba, after cardan__factor_reduce: a (nv) from data->rest, kinematic
 * entries read; the bodies' part of it to data->A. */
void cardan__aba_finish(const cardan_model *model, cardan_data *data, double *a);
