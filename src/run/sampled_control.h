/* SPDX-License-Identifier: Apache-2.0
 * run/sampled_control.h - controllers and memories: what happens at t0 + k T, T a sample time and
 * t0 the start of the run. */
#pragma once
#include "cardan/sim.h"

typedef struct {
  double *value; // ncontroller + nz: what a sample found; NULL: nothing is sampled
  double t0;     // when the run began
  double before; // t of the node before; NAN: there is none, the run begins
} cardan__sampled_control;

/* Is there no end of samples in a step? returns CARDAN_ERR_ARGUMENT and a sentence */
cardan_status cardan__sampled_control_check(const cardan_model *model,
                                            const cardan_options *options,
                                            cardan_report *report) CARDAN_MUST_USE;

cardan_status cardan__sampled_control_create(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__sampled_control_destroy(cardan_sim *sim);

/* The samples that are due at the node, to data's u and z.
 * returns CARDAN_ERR_NOT_FINITE and a sentence; nothing is written then */
cardan_status cardan__sampled_control_take(cardan_sim *sim, cardan_report *report) CARDAN_MUST_USE;

/* From the node to t by go, cut at every sample on the way; those at t are taken too. After a
 * failure the sim stands at the last sample, or where the step began. */
cardan_status cardan__sampled_control_walk(cardan_sim *sim, double t,
                                           cardan_status (*go)(cardan_sim *, double,
                                                               cardan_report *),
                                           cardan_report *report) CARDAN_MUST_USE;
