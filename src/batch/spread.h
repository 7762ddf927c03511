/* SPDX-License-Identifier: Apache-2.0
 * batch/spread.h - what readers of spreads share. */
#pragma once
#include "cardan/vary.h"

/* What is wrong with the numbers of a spread, as what was expected of them: "a standard deviation
 * above 0"; NULL: nothing. */
const char *cardan__spread_expected(const cardan_spread *spread);
