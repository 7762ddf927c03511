/* SPDX-License-Identifier: Apache-2.0
 * analysis/spline.h - a spline of degree 5 through points, with its derivatives.
 *
 * s(t) = sum c_i B_i(t), B-splines over knots that are the points' own but for two at each end
 * (not-a-knot), so that as many numbers are found as there are points. The error of s is of order
 * 6 in the distance of points, that of s' 5 and of s'' 4. Nothing here allocates. */
#pragma once
#include <stdbool.h>
#include <stddef.h>

enum { CARDAN__SPLINE_DEGREE = 5 };

typedef struct {
  int n, degree;       // points; 5, or n - 1 where there are fewer than 6
  const double *knot;  // n + degree + 1
  const double *value; // n: c
} cardan__spline;

/* Numbers that knots take. */
size_t cardan__spline_knots(int n);

/* Knots of n increasing times, n >= 1, out; returns the degree. */
int cardan__spline_begin(int n, const double *t, double *knot);

/* c (n, out) through values y at times t: a matrix of a band of width 2 degree + 1, by elimination
 * without exchanges, which is stable for it (it is totally positive). work: n (2 degree + 1)
 * returns false when a number is not finite */
bool cardan__spline_fit(int n, int degree, const double *t, const double *knot, const double *y,
                        double *c, double *work);
size_t cardan__spline_work(int n);

/* s, s', s'' at t, which is taken within the points. */
void cardan__spline_at(const cardan__spline *s, double t, double out[3]);
