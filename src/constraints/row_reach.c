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

void cardan__reach_axpy(const cardan__row_reach *reach, double r, const double *row, double *x)
{
  for (int side = 0; side < 2 && r != 0; side++) {
    for (int k = reach->range[side][0]; k < reach->range[side][1]; k++) {
      x[k] += r * row[k];
    }
  }
}
