/* SPDX-License-Identifier: Apache-2.0
 * steppers/rows.h - groups of columns of the table of motion that have a file of their own. */
#pragma once
#include "cardan/sim.h"

/* How many columns, the name of one (cut to size), their values at the node: of what impacts and
 * friction at contacts took, and of what touches (rows_contact.c). None in a model that has nothing
 * to touch. */
int cardan__lost_count(const cardan_model *model);
void cardan__lost_name(const cardan_model *model, int k, char *name, size_t size);
void cardan__lost_fill(cardan_sim *sim, double *out);

int cardan__contact_count(const cardan_model *model);
void cardan__contact_name(const cardan_model *model, int k, char *name, size_t size);
void cardan__contact_fill(cardan_sim *sim, double *out);
