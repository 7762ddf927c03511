/* SPDX-License-Identifier: Apache-2.0
 * analysis/statics.h - parts of cardan_statics_find. */
#pragma once
#include "analysis/statics_inside.h"

/* From data's q, closed, to a place in balance over the velocities that are not locked; rest is
 * left weighed there, with its slope. iterations, moved: added to. (statics.c) */
cardan_status cardan__statics_search(cardan__statics_point *rest,
                                     const cardan_statics_options *options, int *iterations,
                                     bool *moved, cardan_report *report) CARDAN_MUST_USE;

/* Refuses a place where shapes touch. */
cardan_status cardan__statics_apart(const cardan__statics_point *s,
                                    cardan_report *report) CARDAN_MUST_USE;

/* Friction at data's place, where the search ended (statics_friction.c): multipliers to
 * data->lambda, wrenches to data->f, needed and limit of each friction element to out. held:
 * velocities that friction may push on. The shortest pushes, each relative to its limit, where
 * there are many.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__statics_friction(cardan__statics_point *rest, const bool *held,
                                       cardan_statics_friction *out) CARDAN_MUST_USE;
