/* SPDX-License-Identifier: Apache-2.0
 * reproduce/fang.h - the parts of fang.c. */
#pragma once
#include "reproduce/paper.h"

/* ---- fang_orders.c: Figs. 2 and 3 ---- */

cardan_status cardan__fang_orders(cardan__job *job);
cardan_status cardan__fang_energy(cardan__job *job);

/* ---- fang_times.c: Figs. 4 to 6 and 8 ---- */

cardan_status cardan__fang_pendulum(cardan__job *job);
cardan_status cardan__fang_slider_crank(cardan__job *job);
cardan_status cardan__fang_four_link(cardan__job *job);
cardan_status cardan__fang_scaling(cardan__job *job);

/* ---- fang_torque.c: Fig. 9 ---- */

cardan_status cardan__fang_torque(cardan__job *job);
