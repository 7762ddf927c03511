/* SPDX-License-Identifier: Apache-2.0
 * batch/scalar_copy.h - one copy of a batch in a sim, by the scalar code. */
#pragma once
#include "batch/batch.h"

/* _start     copy i at its start; needs the sim at the model's start
 * _end_step  the node after step k: its row, the watch, and the inputs of the next step
 *            returns why the node has no velocities or outputs, or what the watch reports */
cardan_status cardan__scalar_copy_start(const cardan__batch *b, cardan_sim *sim, int i,
                                        cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__scalar_copy_end_step(const cardan__batch *b, cardan_sim *sim, int i,
                                           int64_t k, cardan_report *report) CARDAN_MUST_USE;
