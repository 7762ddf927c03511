/* SPDX-License-Identifier: Apache-2.0
 * output/film_columns.h - films that no sim makes: columns t, q and v, and rows of a data. */
#pragma once
#include "base/arena.h"
#include "cardan/data.h"

/* Names of the 1 + nq + nv columns, in the arena; NULL: no memory. */
const char **cardan__film_names(const cardan_model *model, cardan__arena *arena);
/* The row of a data's q and v at t. */
void cardan__film_state(const cardan_data *data, double t, double *row);
