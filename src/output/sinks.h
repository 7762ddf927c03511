/* SPDX-License-Identifier: Apache-2.0
 * output/sinks.h - what the sinks of cardan/output.h and cardan/page.h share. */
#pragma once
#include "base/arena.h"
#include "cardan/sim.h"

/* Names of the columns of cardan_sim_columns(sim, add), in the arena; NULL: no memory. */
const char *const *cardan__column_names(const cardan_model *model, int add, cardan__arena *arena);
