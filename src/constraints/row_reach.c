// SPDX-License-Identifier: Apache-2.0
#include "constraints/row_reach.h"

#include "linalg/small.h"

bool cardan__reaches_meet(const cardan__row_reach *f, const cardan__row_reach *g)
{
  const int *a = f->tree, *b = g->tree;
  return a[0] < 0 || a[1] < 0 || b[0] < 0 || b[1] < 0 ||
         (a[0] > 0 && (a[0] == b[0] || a[0] == b[1])) ||
         (a[1] > 0 && (a[1] == b[0] || a[1] == b[1]));
}

double cardan__reach_dot(const cardan__row_reach *reach, const double *row, const double *x)
{
  double sum = 0;
  for (int side = 0; side < 2; side++) {
    const int from = reach->range[side][0];
    sum += cardan__dot(reach->range[side][1] - from, row + from, x + from);
  }
  return sum;
}

/* A block of 3 x 3 of them over numbers from .. to - 1, added to sum: every number is read once. */
static void add_block(const double *row, const double *x, size_t stride, int from, int to,
                      double sum[9])
{
  double own[9] = {0};
  for (int k = from; k < to; k++) {
    const double a[3] = {row[k], row[k + (int)stride], row[k + 2 * (int)stride]};
    const double b[3] = {x[k], x[k + (int)stride], x[k + 2 * (int)stride]};
    for (int l = 0; l < 9; l++) {
      own[l] += a[l / 3] * b[l % 3];
    }
  }
  for (int l = 0; l < 9; l++) {
    sum[l] += own[l];
  }
}

void cardan__reach_products(int nv, const cardan__row_reach *reach, int nrow, const double *row,
                            int nx, const double *x, double *out, size_t stride)
{
  const size_t n = (size_t)nv;
  if (nrow == 3 && nx == 3) {
    double sum[9] = {0};
    for (int side = 0; side < 2; side++) {
      add_block(row, x, n, reach->range[side][0], reach->range[side][1], sum);
    }
    for (size_t l = 0; l < 9; l++) {
      out[l / 3 * stride + l % 3] = sum[l];
    }
    return;
  }
  for (size_t i = 0; i < (size_t)nrow; i++) {
    for (size_t j = 0; j < (size_t)nx; j++) {
      out[i * stride + j] = cardan__reach_dot(reach, row + i * n, x + j * n);
    }
  }
}

void cardan__reach_axpy(const cardan__row_reach *reach, double r, const double *row, double *x)
{
  for (int side = 0; side < 2 && r != 0; side++) {
    for (int k = reach->range[side][0]; k < reach->range[side][1]; k++) {
      x[k] += r * row[k];
    }
  }
}
