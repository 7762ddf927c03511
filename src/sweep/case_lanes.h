/* SPDX-License-Identifier: Apache-2.0
 * sweep/case_lanes.h - cases side by side, in the lanes of vector registers (batch/group.h).
 *
 * They go there where only start values and inputs differ, what is collected is of t, q, v and
 * outputs, and copies of the model by its method can (cardan/rollout.h). A case's bits depend on
 * neither its neighbours nor how many there are; to a run of it alone they are equal to round-off,
 * which grows as motions do. */
#pragma once
#include "sweep/cases.h"

typedef struct cardan__case_lanes cardan__case_lanes;

/* As far as the plan tells. */
bool cardan__case_lanes_takes(const cardan_sweep *sweep);

/* sim: of any case. *out is NULL also where its cases cannot go side by side. The rest must outlive
 * it. returns CARDAN_ERR_MEMORY */
cardan_status cardan__case_lanes_create(const cardan_sweep *sweep,
                                        const cardan__worker_setup *setup, const cardan_sim *sim,
                                        cardan__collector *collector, const cardan_allocator *alloc,
                                        cardan__case_lanes **out) CARDAN_MUST_USE;
void cardan__case_lanes_destroy(cardan__case_lanes *side); // NULL is fine
int cardan__case_lanes_width(const cardan__case_lanes *side);

/* Cases first .. first + n - 1, n at most the width: out, n.
 * sim    its data and statistics are used
 * limit  of all of them: when the time is over they are stopped
 * alone  out: a bit for each case that is to be run by itself
 * returns CARDAN_ERR_STOPPED where limit->stop said so */
cardan_status cardan__case_lanes_run(cardan__case_lanes *side, cardan_sim *sim, int64_t first,
                                     int n, const cardan__limit *limit, cardan__case *out,
                                     unsigned *alone) CARDAN_MUST_USE;
