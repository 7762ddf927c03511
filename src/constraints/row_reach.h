/* SPDX-License-Identifier: Apache-2.0
 * constraints/row_reach.h - which part of a mechanism rows act on, and products over it.
 *
 * A row is a vector of nv numbers that is 0 outside of two ranges. Without loops of the model, its
 * responses are 0 outside of the trees that its bodies belong to. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* tree   bodies next to the world below which the row acts, 0: none; -1: more than two
 * range  rows are 0 outside of the velocities range[.][0] .. range[.][1] - 1 */
typedef struct {
  int tree[2];
  int range[2][2];
} cardan__row_reach;

/* A tree, as ranges of bodies and of velocities. tip: rows are 0 there but on the way from this
 * body to the world, 0: anywhere. */
typedef struct {
  int body[2], v[2], tip;
} cardan__tree_part;

/* May f and g act on one tree? Else a response to one moves nothing of the other, without loops. */
bool cardan__reaches_meet(const cardan__row_reach *f, const cardan__row_reach *g);

/* row . x, and x += r row */
double cardan__reach_dot(const cardan__row_reach *reach, const double *row, const double *x);
void cardan__reach_axpy(const cardan__row_reach *reach, double r, const double *row, double *x);
