/* SPDX-License-Identifier: Apache-2.0
 * reproduce/huang.h - the parts of huang.c. */
#pragma once
#include "reproduce/paper.h"

/* ---- huang_motions.c: Figs. 3 to 5 ---- */

cardan_status cardan__huang_ring(cardan__job *job);
cardan_status cardan__huang_arm(cardan__job *job);
cardan_status cardan__huang_tree(cardan__job *job);
