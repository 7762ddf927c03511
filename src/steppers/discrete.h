/* SPDX-License-Identifier: Apache-2.0
 * steppers/discrete.h - what the variational methods share: both step from node to node by finding
 * a root. */
#pragma once
#include "steppers/method.h"

/* Options of both. */
extern const cardan__option cardan__discrete_options[];

/* Displacements of the prescribed coordinates from node to time t, to dq (nv; others are left).
 * writes  trial's t, q, v, a of those coordinates */
void cardan__prescribed_moves(const cardan_model *model, cardan_data *trial,
                              const cardan_data *node, double t, double *dq);

/* Fills info for a root that was not found: the joint with the largest residual relative to its
 * momentum (r and inv_scale: nv).
 * returns CARDAN_ERR_NO_CONVERGENCE, or CARDAN_ERR_NOT_FINITE when merit is not */
cardan_status cardan__no_root(const cardan_model *model, const double *r, const double *inv_scale,
                              double merit, int iterations, cardan_info *info) CARDAN_MUST_USE;

/* publish of method.h: multipliers, reactions and drivers are those of continuous time at the
 * node's state. */
cardan_status cardan__publish_node(cardan__stepper *stepper, cardan_data *data) CARDAN_MUST_USE;
