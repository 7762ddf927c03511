/* SPDX-License-Identifier: Apache-2.0
 * kinematics/closing_angle.h - angles of closing joints, counted over turns.
 *
 * Poses tell an angle but for whole turns. Expressions count it from data->half_turn, a multiple of
 * pi, and have it right, and smooth, up to half a turn on both sides of that. Whoever goes from one
 * state to the next moves it along: from coordinates q0 to q1 the joint cannot have turned by more
 * than the joints of the tree between its two frames did. */
#pragma once
#include "cardan/data.h"

/* Angle number k at coordinates q, from -pi to pi. O(depth of its frames). */
double cardan__closing_angle_at(const cardan_model *model, int k, const double *q);

/* By how much the joints between its frames turned from q0 to q1, in all, in a time h that began
 * with velocities v0. */
double cardan__closing_angle_way(const cardan_model *model, int k, const double *q0,
                                 const double *q1, const double *v0, double h);

/* The angle with as many whole turns as are nearest to the other. */
double cardan__closing_angle_near(double angle, double to);

/* Counts angle number k, which is q over turns, from the half turn nearest to it. */
void cardan__closing_angle_count(cardan_data *data, int k, double q);

/* From coordinates q0, at which they are counted, to data->q: a way of less than half a turn. */
void cardan__closing_angle_follow(const cardan_model *model, cardan_data *data, const double *q0);

/* The angles at a start, at data's t and q, over the turns that the model says, to data->half_turn;
 * q out, nturning: the angles; may be NULL. needs data->q of prescribed coordinates */
void cardan__closing_angle_start(const cardan_model *model, cardan_data *data, double *q);
