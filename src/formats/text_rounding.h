/* SPDX-License-Identifier: Apache-2.0
 * formats/text_rounding.h - what the numbers of a text are rounded to, as its digits show. */
#pragma once
#include "expr/sexpr.h"
#include "model/spec.h"

/* Numbers with space between them, lengths or angles that decide whether loops close: the finest
 * unit of a last digit counts for closing them (cardan_spec_rounding), the coarsest for what is
 * redundant (cardan_spec_coarsest). Those that are short enough to be meant as they are, or
 * doubles written out, do not. A reader calls it for each; the spec keeps both.
 * of  their unit [m, rad] */
void cardan__digits_of(cardan_spec *spec, const char *numbers, double of);

/* The same for an item of a model text, the last in the tree; a rounding that is given stays. */
void cardan__digits_of_mbs(cardan_spec *spec, const cardan__sexpr *tree, int item);
