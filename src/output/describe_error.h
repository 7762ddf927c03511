/* SPDX-License-Identifier: Apache-2.0
 * output/describe_error.h - the estimated error of the coordinates (cardan_stats), in summaries. */
#pragma once
#include "cardan/sim.h"
#include "output/json.h"

typedef struct {
  const char *coordinate, *unit; // NULL: there is no estimate
} cardan__estimate_names;

cardan__estimate_names cardan__names_of_estimate(const cardan_model *model,
                                                 const cardan_error_estimate *error);

/* The entry "estimated_error" of an object: null where there is none; copy: of a batch, -1: of
 * none. */
void cardan__json_error(cardan__json *j, const cardan_error_estimate *error,
                        const cardan__estimate_names *names, int64_t copy);

/* The line of a summary, where there is an estimate. */
void cardan__text_output_error(cardan__text *out, const cardan_error_estimate *error,
                               const cardan__estimate_names *names, int64_t copy);
