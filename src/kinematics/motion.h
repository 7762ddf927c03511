/* SPDX-License-Identifier: Apache-2.0
 * kinematics/motion.h - pieces of the kinematic recursions that the dynamics share. */
#pragma once
#include "cardan/data.h"

/* data->c: what the velocities alone add to the acceleration from parent to body.
 * needs cardan_velocities */
void cardan__velocity_products(const cardan_model *model, cardan_data *data);
