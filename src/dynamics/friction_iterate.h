/* SPDX-License-Identifier: Apache-2.0
 * dynamics/friction_iterate.h - accelerations with Coulomb friction that agrees with its own
 * reactions. */
#pragma once
#include "cardan/data.h"

/* Goes from a and lambda without friction to those with it, at data's state.
 * needs   everything that cardan_forward does before: a and lambda of the forces in tau and f_ext
 * kq, kv  Baumgarte feedback, as in cardan_forward
 * reads   prediction: NULL, friction is that of v; else of v ahead (forces/friction_prediction.h)
 * writes  a, lambda, friction (nforce: mu |N| of each friction element), friction_tau (nv), A, f,
 *         p, u, tau_work; adds friction to tau
 * returns CARDAN_ERR_NO_CONVERGENCE with the joint in data->info */
cardan_status cardan__friction_iterate(const cardan_model *model, cardan_data *data, double kq,
                                       double kv) CARDAN_MUST_USE;
