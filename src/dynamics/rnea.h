/* SPDX-License-Identifier: Apache-2.0
 * dynamics/rnea.h - inverse dynamics with the applied wrenches of the caller's choice. */
#pragma once
#include "cardan/data.h"

/* As cardan_rnea, with f_ext (nbody) in place of data->f_ext. */
void cardan__rnea(const cardan_model *model, cardan_data *data, const cardan_force *f_ext,
                  const double *a, double *tau);

/* The bodies' accelerations with a = 0, but for kinematic joints, to data->Ag, and the wrenches
 * that keep them in that motion, less those applied, to data->p: each body's own. reads X, f_ext
 * _wrenches           needs cardan_velocities; a: nv, read for kinematic joints
 * _twists_and_biases  makes X and V too, from q and v: cardan_joints and cardan_velocities in one
 *                     outward pass. Does not set fresh */
void cardan__bias_wrenches(const cardan_model *model, cardan_data *data, const double *a);
void cardan__twists_and_biases(const cardan_model *model, cardan_data *data);

/* After a and lambda are found: wrench through every body's joint, constraints counted among the
 * applied ones, to data->f; joint forces S^T f less J^T lambda to tau (nv, out). writes A, p, u */
void cardan__joint_wrenches(const cardan_model *model, cardan_data *data, double *tau);
