/* SPDX-License-Identifier: Apache-2.0
 * What the package sees of C: the public headers, and a few calls of its own over them, where one
 * call from Python should do what would take several. build_cardan.py reads this file. */
#pragma once
#include "cardan/cardan.h"

/* n steps; *done, out: how many went well. returns as cardan_sim_step */
cardan_status cardan_py_steps(cardan_sim *sim, int64_t n, int64_t *done, cardan_report *report);

/* Makes positions, twists and bias accelerations of data's t, q, v (cardan_kinematics) unless they
 * are of these already.
 * seen  1 + nq + nv numbers: t, q, v that they were made of; NaN at first */
void cardan_py_fresh(const cardan_model *model, cardan_data *data, double *seen);
