/* SPDX-License-Identifier: Apache-2.0
 * dynamics/integrable.h - rows of velocity level that constraints on positions could replace. */
#pragma once
#include "cardan/data.h"

/* Which constraints have rows of velocity level that are rates of a relation of positions, by
 * Frobenius' theorem, at data's q and some positions around it: to integrable (nconstraint, out).
 * Either all such rows together leave only what their brackets leave, or the rows of a constraint
 * do by themselves, beside those of positions. Rows that depend on time or on drivers are taken for
 * none. data: scratch, with q and t
 * Models with nv^2 nrow above 4e6 are not looked at.
 * returns how many, or -1 when there is no memory; O(nv^2 nrow) at each position */
int cardan__integrable(const cardan_model *model, cardan_data *data, bool *integrable);
