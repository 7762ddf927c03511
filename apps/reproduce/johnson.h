/* SPDX-License-Identifier: Apache-2.0
 * reproduce/johnson.h - what the items of Johnson and Murphey share. */
#pragma once
#include "reproduce/johnson_ode.h"
#include "reproduce/motion.h"
#include "reproduce/paper.h"

#define CARDAN__PI 3.14159265358979323846

/* johnson_worlds.c: the mechanisms in the Open Dynamics Engine, at rest at their start.
 * returns CARDAN_ERR_MEMORY; what a model returns */
enum { CARDAN__LIFT_ROWS = 32 };
cardan_status cardan__world_pendulum(cardan__ode_way way, cardan__ode **out,
                                     cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__world_closed_chain(cardan__ode_way way, cardan__ode **out,
                                         cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__world_lift(int rows, cardan__ode_way way, cardan__ode **out,
                                 cardan_report *report) CARDAN_MUST_USE;

/* johnson_energy.c, johnson_cache.c, johnson_swing.c, johnson_equal.c, johnson_size.c:
 * the items. */
cardan_status cardan__johnson_fig_1(cardan__job *job) CARDAN_MUST_USE;
cardan_status cardan__johnson_fig_7(cardan__job *job) CARDAN_MUST_USE;
cardan_status cardan__johnson_fig_8(cardan__job *job) CARDAN_MUST_USE;
cardan_status cardan__johnson_fig_11(cardan__job *job) CARDAN_MUST_USE;
cardan_status cardan__johnson_fig_12(cardan__job *job) CARDAN_MUST_USE;
cardan_status cardan__johnson_fig_13(cardan__job *job) CARDAN_MUST_USE;
cardan_status cardan__johnson_lift_size(cardan__job *job) CARDAN_MUST_USE;
