/* SPDX-License-Identifier: Apache-2.0
 * dynamics/reduced.h - loops by elimination of the bodies that close them, at the level of momenta.
 *
 * Each loop ends on one body, whose m independent rows see no other moving body; that body and the
 * m - 1 before it on the way to the root are the dependent ones: their joints move so that the loop
 * stays closed. The momenta of all other joints are the variables. docs/methods/hamilton.md has the
 * equations. The calls allocate nothing but _create. */
#pragma once
#include "cardan/data.h"

typedef struct {
  int n; // independent velocities that are not prescribed: momenta of the reduced system
  int ndependent;
  int *dof;         // n: v index of each momentum
  int *slot;        // nbody: index of a dependent body in s, -1 for the others
  int *row;         // ndependent: the rows that count, loop by loop
  int *tip, *count; // ndependent: of each loop its last body and its number of rows; nloop are used
  int nloop;
  int *end, *nend, *pick;   // nrow, ndependent, nrow: all rows of loops, how many, and scratch
  cardan_force *E;          // nrow: the same on their way up
  cardan_force *s, *s_rate; // ndependent: C = 1 - S s^T of [1] (22), (23), and its rate
  cardan_force *R, *R_rate; // ndependent: rows on their way up, what remains of them
  cardan_force *R0;         // and all of them
  cardan_force *w_rate;     // nrow_body
  double *c_rate;           // nrow_dof
  double sign; // of the pivots' product: changes where the dependent links come into line
  void *memory;
  cardan_allocator allocator;
} cardan__reduced;

/* CARDAN_OK, or CARDAN_ERR_UNSUPPORTED and a sentence: what this form cannot eliminate. */
cardan_status cardan__reduced_accepts(const cardan_model *model,
                                      cardan_report *report) CARDAN_MUST_USE;

/* For a model that is accepted. */
cardan_status cardan__reduced_create(const cardan_model *model, const cardan_allocator *allocator,
                                     cardan__reduced *r) CARDAN_MUST_USE;
void cardan__reduced_destroy(cardan__reduced *r);

/* Which rows count, of loops that have more than they need (a hinge in space closes a four-bar in a
 * plane): those that the dependent joints move most here. They count until the next call. Returns
 * whether they are others now. needs cardan_joints, data->rows.w; writes r->row */
bool cardan__reduced_choose(const cardan_model *model, const cardan_data *data, cardan__reduced *r);

/* C of the dependent bodies, and the articulated inertias through them.
 * needs   cardan_joints, data->rows.w       writes data->factor, multi; r->s, sign
 * returns CARDAN_ERR_SINGULAR (data->info: the row) where dependent links are in line */
cardan_status cardan__reduced_factor(const cardan_model *model, cardan_data *data,
                                     cardan__reduced *r) CARDAN_MUST_USE;

/* Says in data->info that the links were in line between two states: the sign has changed.
 * returns CARDAN_ERR_SINGULAR */
cardan_status cardan__reduced_passed(const cardan_model *model, cardan_data *data,
                                     const cardan__reduced *r) CARDAN_MUST_USE;

/* All velocities from the momenta p (n); kinematic entries of data->v are read.
 * needs   _factor                           writes data->v, V, p, u */
void cardan__reduced_velocities(const cardan_model *model, cardan_data *data,
                                const cardan__reduced *r, const double *p);

/* Momenta p (n, out) of data's V, which respects the loops. needs _factor; writes P */
void cardan__reduced_momenta(const cardan_model *model, cardan_data *data, const cardan__reduced *r,
                             double *p);

/* Rates of the momenta, pdot (n, out).
 * needs   _factor, poses, v and V, f_ext; tau (nv)     writes P, g, T, r->s_rate */
void cardan__reduced_rates(const cardan_model *model, cardan_data *data, cardan__reduced *r,
                           const double *tau, double *pdot);
