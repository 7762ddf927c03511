/* SPDX-License-Identifier: Apache-2.0
 * analysis/sensitivity.h - which of the numbers that differ between cases move a result, and how.
 *
 *   cardan__moments      mean, deviation and quantiles of a column
 *   cardan__saltelli     first and total order indices of a design made for them
 *   cardan__effect       the share of a variance that groups of cases explain: by levels of a grid,
 *                        or, with bins of a drawn number, its first order index
 *   cardan__correlation  of ranks (Spearman), or of anything
 *
 * With Y = f(X_1 .. X_d), X_i independent, V = Var Y:
 *   S_i  = Var(E[Y | X_i]) / V        first order: what X_i does by itself
 *   ST_i = E[Var(Y | X_~i)] / V       total order: and together with others
 * [1] A. Saltelli et al., Variance based sensitivity analysis of model output. Design and estimator
 *     for the total sensitivity index, Comput. Phys. Commun. 181 (2010) 259-270.
 * [2] M. J. W. Jansen, Analysis of variance designs for model output, Comput. Phys. Commun. 117
 *     (1999) 35-43.
 * These calls allocate. They have no state and may run at the same time. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"

/* Quantiles that are kept of a column. */
enum { CARDAN__QUANTILES = 5 };
extern const double cardan__quantile[CARDAN__QUANTILES]; // 0.05, 0.25, 0.5, 0.75, 0.95

/* Of the finite numbers of a column, n of them; NaN where n is too small to say: 0, for sd 1. */
typedef struct {
  int64_t n;
  double mean, sd, min, max; // sd: with n - 1
  double quantile[CARDAN__QUANTILES];
} cardan__moments;

/* x is put in order, its finite numbers first. Between order statistics quantiles are linear, as
 * numpy's. */
cardan__moments cardan__moments_of(double *x, int64_t n);

/* An estimate and the ends of its 95 % confidence interval; NaN where there is none. */
typedef struct {
  double value, low, high;
} cardan__index;

/* First and total order indices, by [1], Table 2 (b), (c) and (f); see sensitivity.c.
 * y      npoint x nblock x (nd + 2): at each point of a grid the blocks f(A_j), f(B_j), f(AB_j^1),
 *        .., f(AB_j^nd), where AB^i is A with number i of B. A block in which one is not finite
 *        counts nowhere
 * first, total  out: nd
 * used   out: blocks that count
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__saltelli(const double *y, int64_t npoint, int64_t nblock, int nd,
                               const cardan_allocator *allocator, cardan__index *first,
                               cardan__index *total, int64_t *used) CARDAN_MUST_USE;

/* Ranks from 0, of equals their mean: rank out, n. x: finite.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__ranks(const double *x, int64_t n, const cardan_allocator *allocator,
                            double *rank) CARDAN_MUST_USE;

/* Numbers of groups, from ranks: of bins with equally many, and, exactly, of equal values.
 * group  out: n
 * returns how many groups there are */
int cardan__bins(const double *rank, int64_t n, int32_t *group);
int cardan__levels(const double *rank, int64_t n, const cardan_allocator *allocator,
                   int32_t *group);

/* The share of Var y that lies between groups.
 * sampled  y is drawn: the share that chance gives means of groups is taken off, and there is a
 *          confidence interval, by leaving out parts of the cases; else a grid is all there is
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__effect(const double *y, const int32_t *group, int64_t n, int ngroup,
                             bool sampled, const cardan_allocator *allocator,
                             cardan__index *out) CARDAN_MUST_USE;

/* Pearson's, of ranks Spearman's; NaN where one of them is constant. */
double cardan__correlation(const double *x, const double *y, int64_t n);
