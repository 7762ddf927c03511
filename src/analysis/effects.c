// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/sensitivity.h"
#include "base/arena.h"

/* What columns of cases say without a design made for it: moments, ranks, shares of a variance. */

const double cardan__quantile[CARDAN__QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Moves the finite numbers to the front, in any order. returns how many */
static int64_t gather_finite(double *x, int64_t n)
{
  int64_t finite = 0;
  for (int64_t i = 0; i < n; i++) {
    if (isfinite(x[i])) {
      const double value = x[i];
      x[i] = x[finite];
      x[finite++] = value;
    }
  }
  return finite;
}

cardan__moments cardan__moments_of(double *x, int64_t n)
{
  const double none = (double)NAN;
  cardan__moments m = {
      .n = gather_finite(x, n), .mean = none, .sd = none, .min = none, .max = none};
  n = m.n;
  for (int k = 0; k < CARDAN__QUANTILES; k++) {
    m.quantile[k] = none;
  }
  if (n == 0) {
    return m;
  }
  qsort(x, (size_t)n, sizeof *x, compare);
  m.min = x[0];
  m.max = x[n - 1];
  // from the median, so that squares do not cancel
  const double shift = x[n / 2];
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < n; i++) {
    sum += x[i] - shift;
  }
  const double mean = sum / (double)n;
  m.mean = shift + mean;
  for (int64_t i = 0; i < n; i++) {
    const double d = (x[i] - shift) - mean;
    squares += d * d;
  }
  m.sd = n > 1 ? sqrt(squares / (double)(n - 1)) : none;
  for (int k = 0; k < CARDAN__QUANTILES; k++) {
    const double at = cardan__quantile[k] * (double)(n - 1);
    const int64_t i = (int64_t)at < n - 1 ? (int64_t)at : n - 1, next = i < n - 1 ? i + 1 : i;
    m.quantile[k] = x[i] + (at - (double)i) * (x[next] - x[i]);
  }
  return m;
}

typedef struct {
  double value;
  int64_t at;
} entry;

static int compare_entries(const void *a, const void *b)
{
  const entry *x = a, *y = b;
  const int by_value = (x->value > y->value) - (x->value < y->value);
  return by_value != 0 ? by_value : (x->at > y->at) - (x->at < y->at);
}

cardan_status cardan__ranks(const double *x, int64_t n, const cardan_allocator *allocator,
                            double *rank)
{
  entry *order = cardan__resize(allocator, NULL, ((size_t)n + 1) * sizeof *order);
  if (order == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (int64_t i = 0; i < n; i++) {
    order[i] = (entry){x[i], i};
  }
  qsort(order, (size_t)n, sizeof *order, compare_entries);
  for (int64_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && order[end].value == order[i].value; end++) {
    }
    for (int64_t k = i; k < end; k++) {
      rank[order[k].at] = 0.5 * (double)(i + end - 1);
    }
  }
  cardan__resize(allocator, order, 0);
  return CARDAN_OK;
}

/* The root of n, from 4 to 64: a mean of a bin has some 1/sqrt(n) of the cases, and what a curve
 * does within a bin, which is lost, is of the order of 1 over the square of their number. */
int cardan__bins(const double *rank, int64_t n, int32_t *group)
{
  const int most = (int)fmin(64, fmax(4, floor(sqrt((double)n))));
  for (int64_t i = 0; i < n; i++) {
    const int bin = (int)(rank[i] * most / (double)n);
    group[i] = bin < most ? bin : most - 1;
  }
  return most;
}

/* Equal values have equal ranks, of which there are at most 2 n - 1. */
int cardan__levels(const double *rank, int64_t n, const cardan_allocator *allocator, int32_t *group)
{
  int32_t *number = cardan__zeros(allocator, ((size_t)n * 2 + 1) * sizeof *number);
  int count = 0;
  if (number == NULL) {
    return -1;
  }
  for (int64_t i = 0; i < n; i++) {
    number[(int64_t)(2 * rank[i])] = 1;
  }
  for (int64_t r = 0; r < 2 * n; r++) {
    if (number[r] != 0) {
      number[r] = ++count;
    }
  }
  for (int64_t i = 0; i < n; i++) {
    group[i] = number[(int64_t)(2 * rank[i])] - 1;
  }
  cardan__resize(allocator, number, 0);
  return count;
}

/* ---- shares of a variance ---- */

/* One-way analysis of variance: with n_g cases and mean m_g in group g, of G that have any,
 *   between = sum n_g (m_g - m)^2,  all = sum (y - m)^2                          (E1)
 * and the share between / all. Means of groups differ by chance, too, by (G - 1) times the mean
 * square within, so of drawn numbers the share is
 *   (between - (G - 1) within / (n - G)) / all,   within = all - between         (E2)
 * [T. L. Kelley, An unbiased correlation ratio measure, PNAS 21 (1935) 554-559].
 * Its interval is 1.96 standard errors to each side, by leaving out one of PARTS stretches of the
 * cases after the other (jackknife). Where groups have fewer than PER_GROUP cases, as levels of a
 * long axis do, there is none: memory is PARTS cells for each group. */

enum { PARTS = 50, PER_GROUP = 5 };

typedef struct {
  double n, sum;
} cell;

/* The share of the variance that groups explain, over all parts but `without` (-1: all).
 * squares: sum of y^2 of each part. */
static double explained_share(const cell *cells, const double *squares, int nparts, int ngroup,
                              int without, bool sampled)
{
  double n = 0, sum = 0, square = 0, means = 0, groups = 0;
  for (int p = 0; p < nparts; p++) {
    square += p == without ? 0 : squares[p];
  }
  for (int g = 0; g < ngroup; g++) {
    cell all = {0, 0};
    for (int p = 0; p < nparts; p++) {
      const cell *c = &cells[(size_t)g * (size_t)nparts + (size_t)p];
      all.n += p == without ? 0 : c->n;
      all.sum += p == without ? 0 : c->sum;
    }
    if (all.n > 0) {
      n += all.n;
      sum += all.sum;
      means += all.sum * all.sum / all.n;
      groups += 1;
    }
  }
  const double whole = square - sum * sum / n, between = means - sum * sum / n; // (E1)
  if (!(whole > 0) || (sampled && n <= groups)) {
    return (double)NAN;
  }
  const double chance = sampled ? (groups - 1) * (whole - between) / (n - groups) : 0; // (E2)
  return (between - chance) / whole;
}

static void set_interval(const cell *cells, const double *squares, int ngroup, cardan__index *out)
{
  double left[PARTS], mean = 0, sum = 0;
  for (int p = 0; p < PARTS; p++) {
    left[p] = explained_share(cells, squares, PARTS, ngroup, p, true);
    mean += left[p] / PARTS;
  }
  for (int p = 0; p < PARTS; p++) {
    sum += (left[p] - mean) * (left[p] - mean);
  }
  const double error = sqrt(sum * (PARTS - 1) / PARTS);
  out->low = out->value - 1.96 * error;
  out->high = out->value + 1.96 * error;
}

cardan_status cardan__effect(const double *y, const int32_t *group, int64_t n, int ngroup,
                             bool sampled, const cardan_allocator *allocator, cardan__index *out)
{
  const bool enough = sampled && n >= 2 * PARTS && n / PER_GROUP >= ngroup;
  const int nparts = enough ? PARTS : 1;
  double squares[PARTS] = {0}, mean = 0;
  *out = (cardan__index){(double)NAN, (double)NAN, (double)NAN};
  cell *cells = cardan__zeros(allocator, ((size_t)ngroup * (size_t)nparts + 1) * sizeof *cells);
  if (cells == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  for (int64_t i = 0; i < n; i++) {
    mean += (y[i] - y[0]) / (double)n;
  }
  mean += n > 0 ? y[0] : 0;
  for (int64_t i = 0; i < n; i++) {
    const int p = (int)(i * nparts / n);
    cell *c = &cells[(size_t)group[i] * (size_t)nparts + (size_t)p];
    c->n += 1;
    c->sum += y[i] - mean;
    squares[p] += (y[i] - mean) * (y[i] - mean);
  }
  if (n > 1) {
    out->value = explained_share(cells, squares, nparts, ngroup, -1, sampled);
  }
  if (nparts == PARTS && isfinite(out->value)) {
    set_interval(cells, squares, ngroup, out);
  }
  cardan__resize(allocator, cells, 0);
  return CARDAN_OK;
}

double cardan__correlation(const double *x, const double *y, int64_t n)
{
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (int64_t i = 0; i < n; i++) {
    mean_x += (x[i] - x[0]) / (double)n;
    mean_y += (y[i] - y[0]) / (double)n;
  }
  for (int64_t i = 0; i < n; i++) {
    const double a = x[i] - x[0] - mean_x, b = y[i] - y[0] - mean_y;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : (double)NAN;
}
