/* SPDX-License-Identifier: Apache-2.0
 * dynamics/friction_boxes.h - accelerations with dry friction of given size that holds joints. */
#pragma once
#include "cardan/data.h"

/* Is friction of data a set of boxes (forces/friction_prediction.h) that look ahead? */
bool cardan__friction_has_boxes(const cardan_data *data);

/* Accelerations at data's state, in place of cardan__factor_reduce and cardan__aba_finish.
 * needs   joints, velocities; f_ext, and tau without friction
 * reads   prediction: its boxes, and which joints they held last
 * writes  a, friction, friction_tau; adds friction to tau. The factor is not that of M after it,
 *         and not fresh
 * returns CARDAN_ERR_NO_CONVERGENCE with the joint in data->info, or what the factor returns */
cardan_status cardan__friction_box_accelerations(const cardan_model *model,
                                                 cardan_data *data) CARDAN_MUST_USE;
