/* SPDX-License-Identifier: Apache-2.0
 * reproduce/motion.h - what the papers' items share: a model with a sim on it, and what its steps
 * cost. */
#pragma once
#include "cardan/load.h"
#include "cardan/sim.h"

typedef struct {
  cardan_model *model;
  cardan_sim *sim;
} cardan__motion;

/* A sim of a built-in model, started. model: its name, and constants that it sets, such as "ring
 * fixed=1 assembled=0"; options: words such as "method=svi eval=tree no-cache"; time is without
 * end. *out is empty on failure. */
cardan_status cardan__motion_open(const char *model, const char *options, double dt,
                                  cardan__motion *out, cardan_report *report) CARDAN_MUST_USE;
void cardan__motion_close(cardan__motion *motion);

/* A column of the table of motion by its name, at the node; NaN when there is none, or no row.
 * add: CARDAN_ADD_.., what the column belongs to */
double cardan__twist_column(cardan__motion *motion, int add, const char *name);

/* Processor time of this thread [s]. */
double cardan__clock(void);

/* Seconds of a step: the mean over the first `steps` steps, each at its best in `runs` >= 2 runs,
 * so that other programs' share of the machine does not count. */
cardan_status cardan__step_seconds(const char *model, const char *options, double dt, int steps,
                                   int runs, double *seconds,
                                   cardan_report *report) CARDAN_MUST_USE;
