/* SPDX-License-Identifier: Apache-2.0
 * dynamics/friction.h - accelerations with Coulomb friction that agrees with its own reactions. */
#pragma once
#include "cardan/data.h"

/* a, lambda and friction of a model with has_friction, at data's state.
 * needs   kinematics, forces (tau and f_ext, friction not in them), cardan_factor, constraint rows
 * kq, kv  Baumgarte feedback, as in cardan_forward
 * writes  a, lambda, friction (nforce: mu |N| of each friction element), A, f, p, u; adds friction to tau
 * returns CARDAN_ERR_NO_CONVERGENCE with the joint in data->info, or what the loops return */
cardan_status cardan__friction_solve(const cardan_model *model, cardan_data *data, double kq, double kv)
    CARDAN_MUST_USE;
