/* SPDX-License-Identifier: Apache-2.0
 * spatial/sincos.h - cosines and sines of many angles at once.
 *
 * One loop without branches, which compilers turn into vector code: several times faster than one
 * call of the C library after another, and the same bits wherever arithmetic is the same. */
#pragma once

/* c[i] = cos x[i], s[i] = sin x[i], within 1 ulp of 1; angles beyond 2^20 quarter turns, and what
 * is not finite, go to the C library. The arrays must not overlap. */
void cardan__sincos(int n, const double *x, double *c, double *s);
