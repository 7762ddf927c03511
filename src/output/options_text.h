/* SPDX-License-Identifier: Apache-2.0
 * output/options_text.h - options as texts of the command line, to be saved and read back. */
#pragma once
#include "cardan/sim.h"

enum { CARDAN__OPTION_SIZE = 256 };

/* The option of an index as text. The method, its integrator and its kinetic energy by name also
 * where they are the defaults: a later version may have others, and the run is to be the same. */
void cardan__option_write(const cardan_options *options, int index, char text[CARDAN__OPTION_SIZE]);

/* Sets it again. A value equal to the one there is not set again: some defaults are not values
 * that a user may give. returns what cardan_options_set returns */
cardan_status cardan__option_read(cardan_options *options, const char *name,
                                  const char *text) CARDAN_MUST_USE;
