/* SPDX-License-Identifier: Apache-2.0
 * motion.h - a random tree on its way, so that rates can be held against differences. */
#pragma once
#include "random_tree.h"

enum { MOTION_MOST = 128 };

/* A random tree with gravity and some rotors, and the q, v of its motion at time 0; its
 * accelerations are data->a. */
typedef struct {
  fixture f;
  double q[MOTION_MOST], v[MOTION_MOST];
} motion;

motion motion_make(int seed);

/* The state at time s of a motion with these q, v and a, to third order in s; its joints, poses and
 * velocities are made. */
void motion_go(motion *m, double s);

/* Central differences over motion_step err by step^2 / 6 of a third derivative, which the cube of
 * the largest number met bounds, and by eps / step of the number. */
extern const double motion_step;
double motion_tol(double size);

/* The six numbers of a twist. */
void motion_six(cardan_twist x, double out[6]);
