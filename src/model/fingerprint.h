/* SPDX-License-Identifier: Apache-2.0
 * model/fingerprint.h - a hash of all numbers of a model that can change a number of a run. */
#pragma once
#include <stdint.h>

#include "cardan/model.h"

/* The same for a model, its copies, and the model that another text with the same numbers gives;
 * model_fields.h lists what is hashed, and what is not: names, places in the text, pictures.
 * Of this build and machine. O(size of the model). */
uint64_t cardan__model_fingerprint(const cardan_model *model);
