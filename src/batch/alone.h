/* SPDX-License-Identifier: Apache-2.0
 * batch/alone.h - a copy of a batch by itself, in a sim. */
#pragma once
#include "batch/batch.h"

/* _start     copy i, at its start. needs the sim at that of the model
 * _end_step  the node after step k, where it has a row or is looked at; the inputs of the next step
 *            are there afterwards. returns why the node is not one, or what the watch says */
cardan_status cardan__alone_start(const cardan__batch *b, cardan_sim *sim, int i,
                                  cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__alone_end_step(const cardan__batch *b, cardan_sim *sim, int i, int64_t k,
                                     cardan_report *report) CARDAN_MUST_USE;
