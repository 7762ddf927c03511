/* SPDX-License-Identifier: Apache-2.0
 * batch/distribution.h - the check that all readers of distributions use. */
#pragma once
#include "cardan/sampler.h"

/* Checks the numbers of a distribution. Returns NULL if they are valid; otherwise what is expected
 * of them, as the end of a message: "a standard deviation above 0". */
const char *cardan__distribution_expected(const cardan_distribution *distribution);
