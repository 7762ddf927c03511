/* SPDX-License-Identifier: Apache-2.0
 * evenness.h - how evenly the points of a plan fill the unit cube, and what follows: for the tests
 * of samples and for bench/samples.c, which prints the same figures. */
#pragma once
#include <stdint.h>

typedef enum { POINTS_RANDOM, POINTS_LATIN, POINTS_SOBOL, POINTS_KINDS } points_kind;
extern const char *const points_word[POINTS_KINDS]; // as in a plan

/* Values of n cases of (plan (WORD x0 ARGUMENTS) (WORD x1 ..) .. (count n) (seed S) ..): x out,
 * n x d numbers. arguments: "0 1", "(normal 0 1)". Ends the program for a plan that is none. */
void points_make(points_kind kind, const char *arguments, uint64_t seed, int n, int d, double *x);

/* Discrepancy from the origin, root mean square over all boxes [0, b) of the unit cube of the part
 * of the points in it less its volume: exact, O(n^2 d)
 * [T. Warnock, Applications of Number Theory to Numerical Analysis, 1972].
 *   D^2 = 3^-d - 2^(1-d) / n sum prod (1 - x_ik^2) + 1 / n^2 sum sum prod (1 - max(x_ik, x_jk))
 * Of independent points D^2 is (2^-d - 3^-d) / n on average. */
double points_discrepancy(const double *x, int n, int d);

/* Error of the mean of exp(sum_k x_k / (k + 1)) over n points of d dimensions as its integral, by
 * that: root mean square over seeds 1 .. nseed. */
double points_error(points_kind kind, int n, int d, int nseed);

/* Slope of log y over log x by least squares. */
double points_slope(const double *x, const double *y, int n);

/* A distribution with its moments in closed form. */
typedef struct {
  const char *form; // as in a plan
  double moment[7]; // mean of x^k
} points_law;
enum { POINTS_LAWS = 7 };
void points_laws(points_law law[POINTS_LAWS]);

/* Of n samples of a law: how far its mean, variance and third central moment are from their closed
 * forms, in standard errors of n independent samples (z, 3). */
void points_moments(const points_law *law, points_kind kind, uint64_t seed, int n, double z[3]);

/* Mean, variance and skewness in closed form. */
void points_shape(const points_law *law, double shape[3]);
