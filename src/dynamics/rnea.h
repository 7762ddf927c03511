/* SPDX-License-Identifier: Apache-2.0
 * dynamics/rnea.h - inverse dynamics with the applied wrenches of the caller's choice. */
#pragma once
#include "cardan/data.h"
#include "spatial/body_blocks.h"

/* As cardan_rnea, with f_ext (nbody) in place of data->f_ext. */
void cardan__rnea(const cardan_model *model, cardan_data *data, const cardan_force *f_ext,
                  const double *a, double *tau);

/* The wrench that the motion of body i alone calls for, as the last of the calls here found it. */
static inline cardan_force cardan__own_wrench(const cardan_data *data, int i)
{
  return cardan__lane_force(data->own[cardan__block_of(i)].F, cardan__lane_of(i));
}

/* The bodies' accelerations with a = 0, but for kinematic joints, to data->Ag, and the wrenches
 * that keep each body alone in that motion to data->own. reads X
 * _wrenches           needs cardan_velocities; a: nv, read for kinematic joints
 * _wrenches_given     the same, read for all joints
 * _twists_and_biases  makes X and V too, from q and v: cardan_joints and cardan_velocities in one
 *                     outward pass. Does not set fresh */
void cardan__bias_wrenches(const cardan_model *model, cardan_data *data, const double *a);
void cardan__bias_wrenches_given(const cardan_model *model, cardan_data *data, const double *a);
void cardan__twists_and_biases(const cardan_model *model, cardan_data *data);

/* After a and lambda are found: wrench through every body's joint, constraints counted among the
 * applied ones, to data->f; joint forces S^T f less J^T lambda to tau (nv, out). writes A, p, u */
void cardan__joint_wrenches(const cardan_model *model, cardan_data *data, double *tau);
