/* SPDX-License-Identifier: Apache-2.0
 * run/result_rows.h - groups of columns of the table of motion that have a file of their own. */
#pragma once
#include "cardan/sim.h"

/* How many columns, the name of one (cut to size), their values at the node: of what impacts and
 * friction at contacts took, and of what touches (result_rows_contact.c). None in a model that has
 * nothing to touch. */
int cardan__lost_count(const cardan_model *model);
void cardan__lost_name(const cardan_model *model, int k, char *name, size_t size);
void cardan__lost_fill(cardan_sim *sim, double *out);

int cardan__contact_count(const cardan_model *model);
void cardan__contact_name(const cardan_model *model, int k, char *name, size_t size);
const char *cardan__contact_unit(const cardan_model *model, int k);
void cardan__contact_fill(cardan_sim *sim, double *out);

/* The same of slip and forces of tyres (result_rows_tyre.c). */
int cardan__tyre_count(const cardan_model *model);
void cardan__tyre_name(const cardan_model *model, int k, char *name, size_t size);
const char *cardan__tyre_unit(const cardan_model *model, int k);
void cardan__tyre_fill(cardan_sim *sim, double *out);

/* Units of the columns of each group (result_rows_units.c), of a stop or the like, of a joint's
 * limit. */
const char *cardan__unit_time(const cardan_model *model, int k);
const char *cardan__unit_q(const cardan_model *model, int k);
const char *cardan__unit_v(const cardan_model *model, int k);
const char *cardan__unit_measure(const cardan_model *model, int k);
const char *cardan__unit_output(const cardan_model *model, int k);
const char *cardan__unit_state(const cardan_model *model, int k);
const char *cardan__unit_none(const cardan_model *model, int k);
const char *cardan__unit_momentum(const cardan_model *model, int k);
const char *cardan__unit_driver(const cardan_model *model, int k);
const char *cardan__unit_reaction(const cardan_model *model, int k);
const char *cardan__unit_multiplier(const cardan_model *model, int k);
const char *cardan__unit_energy(const cardan_model *model, int k);
const char *cardan__unit_error(const cardan_model *model, int k);
const char *cardan__unit_bound(const cardan_model *model, int bound);
const char *cardan__unit_limit(const cardan_model *model, const cardan_joint *joint);

/* Of a column that only known motions have: a.NAME, tau.NAME, and p, pd, pdd, w, wd of frames; "":
 * it is none. O(nv) */
const char *cardan__unit_known(const cardan_model *model, const char *name);

/* Units of columns by their names, n of them as a table has them: groups in the order of tables,
 * some left out. What is no column of the model has "". O(n) for tables of this library. */
void cardan__column_units(const cardan_model *model, const char *const *column, int n,
                          const char **unit);
