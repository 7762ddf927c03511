/* SPDX-License-Identifier: Apache-2.0
 * random_rolling.h - random mechanisms (random_loops.h) with one to three blades, rolling balls and
 * random rows on velocities, as model texts that can move. */
#pragma once
#include <stdint.h>

#include "cardan/model.h"
#include "support.h"

enum { RANDOM_ROLLING_TEXT = 16384 };

/* The model of that seed, and its text (RANDOM_ROLLING_TEXT characters); NULL: this seed has none.
 */
cardan_model *random_rolling_model(uint64_t seed, char *text);

/* Name of a random velocity of a joint of one degree of freedom, or of a random frame of a body;
 * NULL: none was found. */
const char *random_rolling_name(const cardan_model *m, support_rng *rng, bool velocity);

/* Writes the text of a model as SEED.mbs to the folder ROLLING_TEXTS, where that is set. */
void random_rolling_write(uint64_t seed, const char *text);

/* The largest difference of a coordinate. */
double random_rolling_difference(const cardan_model *model, const double *a, const double *b);
