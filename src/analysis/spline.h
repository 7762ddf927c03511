/* SPDX-License-Identifier: Apache-2.0
 * analysis/spline.h - a spline of degree 5 through points, with its derivatives.
 *
 * s(t) = sum c_i B_i(t), with one coefficient c_i for each point. The knots are the times of the
 * points, without two next to each end (not-a-knot). The errors of s, s' and s'' are of order 6, 5
 * and 4 in the distance of points. Nothing here allocates. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { CARDAN__SPLINE_DEGREE = 5 };

typedef struct {
  int n, degree;       // points; 5, or n - 1 where there are fewer than 6
  const double *knot;  // n + degree + 1
  const double *value; // n: c
} cardan__spline;

/* Size of the array of knots for n points. */
size_t cardan__spline_knots(int n);

/* Computes the knots for points at n >= 1 increasing times t. knot: out. returns the degree */
int cardan__spline_begin(int n, const double *t, double *knot);

/* Computes the coefficients c (n, out) of the spline through values y at times t: solves a system
 * of band width 2 degree + 1 by elimination without pivoting, which is stable since the matrix is
 * totally positive. work: cardan__spline_work(n) numbers. returns false if a c is not finite */
bool cardan__spline_fit(int n, int degree, const double *t, const double *knot, const double *y,
                        double *c, double *work);
size_t cardan__spline_work(int n);

/* s, s', s'' at t; outside of the points, at the nearest of them. out: 3 */
void cardan__spline_at(const cardan__spline *s, double t, double out[3]);
