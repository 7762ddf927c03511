/* SPDX-License-Identifier: Apache-2.0
 * dynamics/reactions.h - joint reactions from wrenches that are already known. */
#pragma once
#include "cardan/data.h"

/* reaction (njoint, out): the part of data->f, the wrench through each body's joint, that does no
 * work in the joint; in the child frame's axes and about its origin. needs cardan_joints */
void cardan__reactions_from(const cardan_model *model, const cardan_data *data,
                            cardan_force *reaction);
