/* SPDX-License-Identifier: Apache-2.0
 * dynamics/composite.h - each body with everything below it, as one rigid body. */
#pragma once
#include "cardan/data.h"

/* data->Ic, all nbody of them; Ic[0] is everything that moves, in the world. needs cardan_joints;
 * O(nbody) */
void cardan__composites(const cardan_model *model, cardan_data *data);
