/* SPDX-License-Identifier: Apache-2.0
 * batch/distribution.h - what readers of distributions share. */
#pragma once
#include "cardan/sampler.h"

/* What is wrong with the numbers of a distribution, as what was expected of them: "a standard
 * deviation above 0"; NULL: nothing. */
const char *cardan__distribution_expected(const cardan_distribution *distribution);
