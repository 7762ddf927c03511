// SPDX-License-Identifier: Apache-2.0
#include "steppers/discrete/extrapolate.h"

#include <string.h>

// numbers at a time: a piece of every difference then stays in the fastest memory
enum { PIECE = 256, ORDERS = CARDAN__EXTRAPOLATE_ORDERS };

static int best_order(const cardan__extrapolation *e)
{
  int best = 1;
  // D_m is known for m < have
  for (int m = 2; m < e->have && m < ORDERS; m++) {
    best = e->size2[m] < e->size2[best] ? m : best;
  }
  return e->have < 2 ? e->have : best;
}

void cardan__extrapolate(const cardan__extrapolation *e, double *x)
{
  const int order = best_order(e);
  for (int first = 0; first < e->n; first += PIECE) {
    const int n = e->n - first < PIECE ? e->n - first : PIECE;
    double *to = x + first;
    memcpy(to, e->D + first, (size_t)n * sizeof *to);
    for (int j = 1; j < order; j++) {
      const double *D = e->D + (size_t)j * (size_t)e->n + first;
      for (int k = 0; k < n; k++) {
        to[k] += D[k];
      }
    }
  }
}

void cardan__extrapolate_remember(cardan__extrapolation *e, const double *x)
{
  const int orders = e->have + 1 < ORDERS ? e->have + 1 : ORDERS;
  memset(e->size2, 0, sizeof e->size2);
  for (int first = 0; first < e->n; first += PIECE) {
    const int n = e->n - first < PIECE ? e->n - first : PIECE;
    double now[PIECE];
    memcpy(now, x + first, (size_t)n * sizeof *now);
    for (int j = 0; j < orders; j++) {
      double *D = e->D + (size_t)j * (size_t)e->n + first, sum = 0;
      for (int k = 0; k < n; k++) {
        const double old = D[k];
        D[k] = now[k];
        sum += now[k] * now[k];
        now[k] -= old;
      }
      e->size2[j] += sum;
    }
  }
  e->have = e->have < ORDERS ? e->have + 1 : e->have;
}

/* Row k of W: the curve at -k ratio, from what it gains in the steps before it,
 *   X(s) = sum over j of C(s + j, j + 1) D_j,  X(0) = 0        (Newton's backward formula)    (E1)
 * and D anew: what it gains from X(-(k + 1) ratio) to X(-k ratio), and its differences. */
void cardan__extrapolate_rescale(cardan__extrapolation *e, double ratio)
{
  double W[ORDERS + 1][ORDERS];
  for (int k = 0; k <= e->have; k++) {
    const double s = -k * ratio;
    double c = s;
    for (int j = 0; j < e->have; j++, c *= (s + j) / (j + 1)) {
      W[k][j] = c; // (E1)
    }
  }
  for (int order = 0; order < e->have; order++) { // differences of rows
    for (int k = e->have; k > order; k--) {
      for (int j = 0; j < e->have; j++) {
        W[k][j] = W[k - 1][j] - W[k][j];
      }
    }
  }
  memset(e->size2, 0, sizeof e->size2);
  for (int i = 0; i < e->n; i++) {
    double now[ORDERS] = {0};
    for (int k = 0; k < e->have; k++) {
      for (int j = 0; j < e->have; j++) {
        now[k] += W[k + 1][j] * e->D[(size_t)j * (size_t)e->n + (size_t)i];
      }
    }
    for (int k = 0; k < e->have; k++) {
      e->D[(size_t)k * (size_t)e->n + (size_t)i] = now[k];
      e->size2[k] += now[k] * now[k];
    }
  }
}
