/* SPDX-License-Identifier: Apache-2.0
 * dynamics/outputs.h - outputs of a model at a node whose accelerations are there. */
#pragma once
#include "cardan/dynamics.h"

/* Do outputs read accelerations, multipliers or driver forces? */
bool cardan__outputs_need_forward(const cardan_model *model);

/* Value of the expression model->expr[index], which may read senses but none that need forces.
 * needs   cardan_kinematics, or what stands for it */
double cardan__sensed(const cardan_model *model, cardan_data *data, int index);

/* Derivatives of the expression model->expr[index], exact, by directions of q, by v, and by inputs
 * and auxiliary states: y_dq, y_dv (nv, out), y_du (ninput + nz, out; may be NULL). Sets data's
 * kinematics.
 * returns false where one of its senses has none */
bool cardan__expr_slopes(const cardan_model *model, cardan_data *data, int index, double *y_dq,
                         double *y_dv, double *y_du);

/* data->y from what is there: kinematics and, where they are needed, a and lambda. driver: forces
 * of the joints' drivers, njoint; read only where they are needed. */
void cardan__outputs(const cardan_model *model, cardan_data *data, const double *driver);
