/* SPDX-License-Identifier: Apache-2.0
 * analysis/sensitivity.h - influence of the varied quantities of a sweep on its results.
 *
 *   cardan__moments      mean, deviation and quantiles of a column
 *   cardan__saltelli     first and total order indices, from cases planned for them
 *   cardan__effect       the share of a variance that groups of cases explain: levels of a grid, or
 *                        bins of a random quantity, which gives its first order index
 *   cardan__correlation  of values (Pearson), or of ranks (Spearman)
 *
 * With Y = f(X_1 .. X_d), X_i independent, V = Var Y:
 *   S_i  = Var(E[Y | X_i]) / V        first order: the effect of X_i alone
 *   ST_i = E[Var(Y | X_~i)] / V       total order: with all its interactions
 * [1] A. Saltelli et al., Variance based sensitivity analysis of model output. Design and estimator
 *     for the total sensitivity index, Comput. Phys. Commun. 181 (2010) 259-270.
 * [2] M. J. W. Jansen, Analysis of variance designs for model output, Comput. Phys. Commun. 117
 *     (1999) 35-43.
 * These calls allocate. They have no state and may run at the same time. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"

/* The quantiles that a result contains for a column. */
enum { CARDAN__QUANTILES = 5 };
extern const double cardan__quantile[CARDAN__QUANTILES]; // 0.05, 0.25, 0.5, 0.75, 0.95

/* Of the n finite numbers of a column; NaN if n is too small: 0, and 1 for sd. */
typedef struct {
  int64_t n;
  double mean, sd, min, max; // sd: with n - 1
  double quantile[CARDAN__QUANTILES];
} cardan__moments;

/* Sorts x, with its finite numbers first. Quantiles are interpolated linearly between order
 * statistics, as by numpy. */
cardan__moments cardan__moments_of(double *x, int64_t n);

/* An estimate and the ends of its 95 % confidence interval; NaN where there is none. */
typedef struct {
  double value, low, high;
} cardan__index;

/* First and total order indices, by [1], Table 2 (b), (c) and (f); see sensitivity.c.
 * y      npoint x nblock x (nd + 2): at each point of a grid the blocks f(A_j), f(B_j), f(AB_j^1),
 *        .., f(AB_j^nd), where AB^i is A with coordinate i of B. A block with a value that is not
 *        finite is ignored
 * first, total  out: nd
 * used   out: number of blocks used
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__saltelli(const double *y, int64_t npoint, int64_t nblock, int nd,
                               const cardan_allocator *allocator, cardan__index *first,
                               cardan__index *total, int64_t *used) CARDAN_MUST_USE;

/* Ranks from 0; equal values have the mean of their ranks. rank: out, n. x: finite.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__ranks(const double *x, int64_t n, const cardan_allocator *allocator,
                            double *rank) CARDAN_MUST_USE;

/* Assigns each value to a group by its rank: to bins of equal size, or to groups of equal values.
 * group  out: n, the group of each value
 * returns the number of groups */
int cardan__bins(const double *rank, int64_t n, int32_t *group);
int cardan__levels(const double *rank, int64_t n, const cardan_allocator *allocator,
                   int32_t *group);

/* The share of Var y that lies between groups.
 * sampled  the cases are random: the share that random means of groups explain is subtracted, and a
 *          confidence interval is computed by omitting parts of the cases. Otherwise the cases are
 *          a complete grid
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__effect(const double *y, const int32_t *group, int64_t n, int ngroup,
                             bool sampled, const cardan_allocator *allocator,
                             cardan__index *out) CARDAN_MUST_USE;

/* Pearson's correlation; of ranks Spearman's. NaN if x or y is constant. */
double cardan__correlation(const double *x, const double *y, int64_t n);
