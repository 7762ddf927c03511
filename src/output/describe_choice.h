/* SPDX-License-Identifier: Apache-2.0
 * output/describe_choice.h - how method and step were chosen (cardan/choose.h), in summaries. */
#pragma once
#include "cardan/choose.h"
#include "output/json.h"

/* The entry "auto" of an object. */
void cardan__json_choice(cardan__json *j, const cardan_choice *choice);

/* Lines of a summary: what was chosen, and what was tried. */
void cardan__text_output_choice(cardan__text *out, const cardan_choice *choice);
