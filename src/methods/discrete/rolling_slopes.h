/* SPDX-License-Identifier: Apache-2.0
 * discrete/rolling_slopes.h - derivatives of a step with rows of velocity level. */
#pragma once
#include "methods/discrete/discrete.h"

/* As the equation's slopes, of the step of length h that would come next, with the kicks of
 * rolling.c; out->kicks has its arrays. The state of the run stays as it is. needs inputs taken */
cardan_status cardan__rolling_slopes(cardan__discrete *d, double h,
                                     cardan__slopes *out) CARDAN_MUST_USE;
