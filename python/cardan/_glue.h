/* SPDX-License-Identifier: Apache-2.0
 * What the package sees of C: the public headers, and a few calls of its own over them, where one
 * call from Python should do what would take several. build_cardan.py reads this file. */
#pragma once
#include "_glue_env.h"
#include "_glue_sim.h"
#include "cardan/cardan.h"

/* returns index of the first of n numbers that is not finite, -1: all are */
int64_t cardan_py_not_finite(const double *x, int64_t n);

/* Gives the quaternions of n rows of q the length 1, where they have not got it up to rounding: one
 * that has keeps its bits. returns false: one has length 0, and stays */
bool cardan_py_unit(const cardan_model *model, int64_t n, double *q);

/* Makes positions, twists and bias accelerations of data's t, q, v (cardan_kinematics) unless they
 * are of these already.
 * seen  1 + nq + nv numbers: t, q, v that they were made of; NaN at first
 * returns -1; else the index among t, q, v of one that is not finite, or of a quaternion of length
 *         0, and nothing was made */
int64_t cardan_py_fresh(const cardan_model *model, cardan_data *data, double *seen);

/* Inverse dynamics from t, q, v: tau = M a + c, outside forces left out.
 * a  nv;  tau  nv, out: must not lie over a
 * returns as cardan_py_fresh; nq + nv + 1 + k where a[k] is not finite */
int64_t cardan_py_inverse(const cardan_model *model, cardan_data *data, const double *a,
                          double *tau);

/* The same less the forces of the model's elements, f_in and tau_in: a drive must supply the rest.
 * needs what cardan_py_fresh makes; must not lie over a */
void cardan_py_inverse_forced(const cardan_model *model, cardan_data *data, const double *a,
                              double *tau);

/* World pose of a frame, 4 x 4 row-major, out; relative to another, where reference is not 0.
 * needs what cardan_py_fresh makes */
void cardan_py_pose(const cardan_model *model, const cardan_data *data, int reference, int frame,
                    double *pose);

/* Six numbers of a frame's motion, out; they need what cardan_py_fresh makes. */
void cardan_py_twist(const cardan_model *model, const cardan_data *data, int reference, int frame,
                     cardan_axes axes, double *twist);
void cardan_py_acceleration(const cardan_model *model, const cardan_data *data, int frame,
                            cardan_axes axes, double *rate);
void cardan_py_bias(const cardan_model *model, const cardan_data *data, int frame, cardan_axes axes,
                    double *rate);
