/* SPDX-License-Identifier: Apache-2.0
 * expr/lookup_table.h - a function given by points (x_k, y_k): value, slope and curvature anywhere.
 *
 *   cubic    the spline through the points with a continuous curvature; its third derivative is
 *            continuous at the second and the last but one point as well ("not a knot"), so that
 *            points of a cubic give back the cubic. Two points: a line, three: a parabola
 *   linear   a line from point to point; the slope at a point is that on its right
 * Beyond the first and last point it continues in a straight line, or, with HOLD, at the last
 * value. A table is one constant block: the head, then x, y and the curvatures, n doubles each. */
#pragma once
#include "cardan/base.h"

enum { CARDAN__TABLE_LINEAR = 1, CARDAN__TABLE_HOLD = 2 };

/* Rows of one table, and of all tables of an expression. */
enum { CARDAN__TABLE_MOST = 10000000 };

typedef struct {
  int n;   // points, at least 2, x increasing
  int way; // CARDAN__TABLE_*
} cardan__table;

static inline double *cardan__table_numbers(cardan__table *table)
{
  return (double *)(void *)(table + 1);
}

static inline const double *cardan__table_x(const cardan__table *table)
{
  return (const double *)(const void *)(table + 1);
}

/* Bytes of a table of n points. */
size_t cardan__table_size(int n);

/* The curvatures of a table whose x and y are written.
 * work    n doubles
 * returns false when they are not finite: points that lie too close or too far */
bool cardan__table_finish(cardan__table *table, double *work) CARDAN_MUST_USE;

/* f(x), f'(x), f''(x). */
void cardan__table_at(const cardan__table *table, double x, double f[3]);
