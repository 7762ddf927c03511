/* SPDX-License-Identifier: Apache-2.0
 * output/text_output.h - pieces of the texts of cardan/describe.h. */
#pragma once
#include "base/text.h"
#include "cardan/describe.h"

/* Appends a number with 6 significant digits, for people. */
void cardan__text_output_number(cardan__text *out, double value);

/* Appends a name as it is, control characters as '?': a file's names must not steer a terminal. */
void cardan__text_output_name(cardan__text *out, const char *name);

/* Appends "\n" and a label in a column of its own: the start of a line of a summary. */
void cardan__text_output_label(cardan__text *out, const char *label);

/* Hands over the finished text, its last line ended; or CARDAN_ERR_MEMORY and *text NULL. */
cardan_status cardan__text_output_finish(cardan__text *out, char **text);

/* Velocities that are solved for: all but the prescribed ones. */
int cardan__text_output_dof(const cardan_model *model);

/* How a run is computed: words of the options and their defaults; "" where the method has none. */
typedef struct {
  char method[64], solver[64], integrator[64];
} cardan__how;
cardan__how cardan__text_output_how(const cardan_options *options);
