/* SPDX-License-Identifier: Apache-2.0
 * spatial/sincos.h - cosines and sines of many angles at once, and angles of many of these.
 *
 * Loops without branches, which compilers turn into vector code: several times faster than one
 * call of the C library after another, and the same bits wherever arithmetic is the same. */
#pragma once

/* c[i] = cos x[i], s[i] = sin x[i], within 1 ulp of 1; angles beyond 2^20 quarter turns, and what
 * is not finite, go to the C library. The arrays must not overlap. */
void cardan__sincos(int n, const double *x, double *c, double *s);

/* x[i] with (c[i], s[i]) along (cos x[i], sin x[i]), of any length, in [-pi, pi]: atan2(s[i], c[i])
 * within 2 eps of itself. 0 of (0, 0), NaN of what is not finite. The arrays must not overlap. */
void cardan__angles(int n, const double *s, const double *c, double *x);
