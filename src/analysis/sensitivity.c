// SPDX-License-Identifier: Apache-2.0
#include "analysis/sensitivity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Indices of a design of blocks [1] (sensitivity.h, which has the references).
 *
 *   V_i   = 1/N sum_j f(B)_j (f(AB^i)_j - f(A)_j)          (E1)   [1] Table 2 (b)
 *   V_i   = V - 1/2N sum_j (f(B)_j - f(AB^i)_j)^2          (E2)   [1] Table 2 (c), [2]
 *   VT_i  = 1/2N sum_j (f(A)_j - f(AB^i)_j)^2              (E3)   [1] Table 2 (f), [2]
 *   V     = 1/2N sum_j f(A)_j^2 + f(B)_j^2                 (E4)
 *   S_i   = V_i / V,  ST_i = VT_i / V
 *
 * Terms of (E1) vanish where a number does nothing, those of (E2) where it does everything: of the
 * two the one with the narrower interval is taken.
 * f is taken from its mean over all A and B at a point of the grid: a constant does not change
 * (E1) in the limit, but it does its variance. Over several points sums are added up before they
 * are divided: the indices are those of the mean variance.
 *
 * Confidence: percentiles of RESAMPLES bootstrap estimates, by blocks as a whole [1, section 5],
 * with numbers of a fixed seed. Of more than GROUPS blocks, groups of neighbours are drawn instead:
 * their sums are all that is needed, so the cost is that of (E1) to (E4), O(N nd). */

enum { RESAMPLES = 500, GROUPS = 2048, TERMS = 3 };

static uint64_t next_random(uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15u); // splitmix64
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static bool is_whole(const double *block, int n)
{
  for (int i = 0; i < n; i++) {
    if (!isfinite(block[i])) {
      return false;
    }
  }
  return true;
}

/* Mean over A and B of the whole blocks at a point of the grid. */
static double center(const double *y, int64_t nblock, int width)
{
  double sum = 0, shift = 0;
  int64_t n = 0;
  for (int64_t j = 0; j < nblock; j++) {
    const double *block = y + j * width;
    if (is_whole(block, width)) {
      shift = n == 0 ? block[0] : shift;
      sum += (block[0] - shift) + (block[1] - shift);
      n += 2;
    }
  }
  return n > 0 ? shift + sum / (double)n : 0;
}

/* Adds a block to the sums of its group: 2 V, then, of each number, 2 V_i by (E1) and by (E2), and
 * 2 VT_i. */
static void add_block(const double *block, double mean, int nd, double *sum)
{
  const double a = block[0] - mean, b = block[1] - mean, v = a * a + b * b;
  sum[0] += v; // (E4)
  for (int i = 0; i < nd; i++) {
    const double ab = block[2 + i] - mean;
    double *term = sum + 1 + TERMS * i;
    term[0] += 2 * b * (ab - a);        // (E1)
    term[1] += v - (b - ab) * (b - ab); // (E2)
    term[2] += (a - ab) * (a - ab);     // (E3)
  }
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The ends of the middle 95 % of n numbers, which are put in order. */
static void set_interval(double *x, int n, cardan__index *index)
{
  qsort(x, (size_t)n, sizeof *x, compare);
  index->low = x[(int)(0.025 * (n - 1) + 0.5)];
  index->high = x[(int)(0.975 * (n - 1) + 0.5)];
}

/* Ratios of one sum of the groups to the first, as an index. group: ngroup x width. */
static void estimate(const double *group, int ngroup, int width, int k, const double *resampled,
                     double *work, cardan__index *out)
{
  double top = 0, bottom = 0;
  for (int g = 0; g < ngroup; g++) {
    bottom += group[g * width];
    top += group[g * width + k];
  }
  *out = (cardan__index){(double)NAN, (double)NAN, (double)NAN};
  if (!(bottom > 0)) {
    return; // constant
  }
  out->value = top / bottom;
  int n = 0;
  for (int r = 0; r < RESAMPLES && ngroup > 1; r++) {
    const double *sum = resampled + (size_t)r * (size_t)width;
    if (sum[0] > 0) {
      work[n++] = sum[k] / sum[0];
    }
  }
  if (n > 0) {
    set_interval(work, n, out);
  }
}

/* Sums over as many groups as there are, drawn with replacement: RESAMPLES x width, out. */
static void resample(const double *group, int ngroup, int width, double *out)
{
  uint64_t state = 20100259; // [1]
  memset(out, 0, (size_t)RESAMPLES * (size_t)width * sizeof *out);
  for (int r = 0; r < RESAMPLES; r++) {
    double *sum = out + (size_t)r * (size_t)width;
    for (int g = 0; g < ngroup; g++) {
      const double *from = group + (size_t)(next_random(&state) % (uint64_t)ngroup) * (size_t)width;
      for (int k = 0; k < width; k++) {
        sum[k] += from[k];
      }
    }
  }
}

cardan_status cardan__saltelli(const double *y, int64_t npoint, int64_t nblock, int nd,
                               const cardan_allocator *allocator, cardan__index *first,
                               cardan__index *total, int64_t *used)
{
  const int width = nd + 2, nsum = 1 + TERMS * nd;
  const int ngroup = nblock < GROUPS ? (int)nblock : GROUPS;
  const size_t size = ((size_t)ngroup + RESAMPLES) * (size_t)nsum + RESAMPLES;
  double *group = cardan__zeros(allocator, size * sizeof *group);
  *used = 0;
  if (group == NULL) {
    return CARDAN_ERR_MEMORY;
  }
  double *resampled = group + (size_t)ngroup * (size_t)nsum;
  double *work = resampled + (size_t)RESAMPLES * (size_t)nsum;
  for (int64_t p = 0; p < npoint; p++) {
    const double *at = y + p * nblock * width, mean = center(at, nblock, width);
    for (int64_t j = 0; j < nblock; j++) {
      if (is_whole(at + j * width, width)) {
        const int64_t g = j * ngroup / nblock;
        add_block(at + j * width, mean, nd, group + g * nsum);
        ++*used;
      }
    }
  }
  resample(group, ngroup, nsum, resampled);
  for (int i = 0; i < nd; i++) {
    cardan__index other;
    const int term = 1 + TERMS * i;
    estimate(group, ngroup, nsum, term, resampled, work, &first[i]);
    estimate(group, ngroup, nsum, term + 1, resampled, work, &other);
    estimate(group, ngroup, nsum, term + 2, resampled, work, &total[i]);
    first[i] = other.high - other.low < first[i].high - first[i].low ? other : first[i];
  }
  cardan__resize(allocator, group, 0);
  return CARDAN_OK;
}
