// SPDX-License-Identifier: Apache-2.0
#include "steppers/extrapolate.h"

#include <string.h>

static int best_order(const cardan__extrapolation *e)
{
  int best = 1;
  // D_m is known for m < have
  for (int m = 2; m < e->have && m < CARDAN__EXTRAPOLATE_ORDERS; m++) {
    best = e->size2[m] < e->size2[best] ? m : best;
  }
  return e->have < 2 ? e->have : best;
}

void cardan__extrapolate(const cardan__extrapolation *e, double *x)
{
  const int order = best_order(e), n = e->n;
  memcpy(x, e->D, (size_t)n * sizeof *x);
  for (int j = 1; j < order; j++) {
    const double *D = e->D + (size_t)j * (size_t)n;
    for (int k = 0; k < n; k++) {
      x[k] += D[k];
    }
  }
}

void cardan__extrapolate_remember(cardan__extrapolation *e, const double *x, double *work)
{
  const int n = e->n, known = e->have + 1;
  const int orders = known < CARDAN__EXTRAPOLATE_ORDERS ? known : CARDAN__EXTRAPOLATE_ORDERS;
  memcpy(work, x, (size_t)n * sizeof *work);
  for (int j = 0; j < orders; j++) {
    double *D = e->D + (size_t)j * (size_t)n, sum = 0;
    for (int k = 0; k < n; k++) {
      const double old = D[k];
      D[k] = work[k];
      sum += work[k] * work[k];
      work[k] -= old;
    }
    e->size2[j] = sum;
  }
  e->have = e->have < CARDAN__EXTRAPOLATE_ORDERS ? e->have + 1 : e->have;
}
