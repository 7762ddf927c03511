// SPDX-License-Identifier: Apache-2.0
#include "methods/discrete/extrapolate.h"

#include <stdbool.h>
#include <string.h>

#include "methods/discrete/vector.h"

enum { ORDERS = CARDAN__EXTRAPOLATE_ORDERS, LANES = 8 };

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
  const size_t n = (size_t)e->n, order = (size_t)best_order(e);
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    cardan__vec8 sum, D;
    memcpy(&sum, e->D + i, sizeof sum);
    for (size_t j = 1; j < order; j++) {
      memcpy(&D, e->D + j * n + i, sizeof D);
      sum += D;
    }
    memcpy(x + i, &sum, sizeof sum);
  }
  for (; i < n; i++) {
    x[i] = e->D[i];
    for (size_t j = 1; j < order; j++) {
      x[i] += e->D[j * n + i];
    }
  }
}

/* Numbers from .. n - 1 of the vector that came; squares: of the differences, added to. */
static void remember_rest(cardan__extrapolation *e, const double *x, size_t from, size_t orders,
                          double *squares)
{
  const size_t n = (size_t)e->n;
  for (size_t i = from; i < n; i++) {
    double now = x[i];
    for (size_t j = 0; j < orders; j++) {
      const double old = e->D[j * n + i];
      e->D[j * n + i] = now;
      squares[j] += now * now;
      now -= old;
    }
  }
}

void cardan__extrapolate_remember(cardan__extrapolation *e, const double *x)
{
  const size_t n = (size_t)e->n, orders = (size_t)(e->have + 1 < ORDERS ? e->have + 1 : ORDERS);
  cardan__vec8 squares[ORDERS] = {{0}};
  size_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    cardan__vec8 now, old;
    memcpy(&now, x + i, sizeof now);
    for (size_t j = 0; j < orders; j++) {
      double *D = e->D + j * n + i;
      memcpy(&old, D, sizeof old);
      memcpy(D, &now, sizeof now);
      squares[j] += now * now;
      now -= old;
    }
  }
  for (size_t j = 0; j < ORDERS; j++) {
    const cardan__vec8 a = squares[j];
    e->size2[j] = ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
  }
  remember_rest(e, x, i, orders, e->size2);
  e->have = (int)orders;
  // three that are larger than the one before them: what is beyond would cost and not help
  const int beyond = best_order(e) + 3;
  e->have = e->have > beyond ? beyond : e->have;
  e->settled += e->settled < ORDERS;
}

/* Row k of W: the curve at -k ratio, from what it gains in the steps before it,
 *   X(s) = sum over j of C(s + j, j + 1) D_j,  X(0) = 0        (Newton's backward formula)    (E1)
 * and the new D: what it gains from X(-(k + 1) ratio) to X(-k ratio), and its differences. Longer
 * steps reach beyond what is known, where the curve is a guess. Guesses made of guesses grow where
 * steps of two lengths take turns: of a history that was itself carried over, only the steps within
 * it count, or the velocity alone where there is none. */
void cardan__extrapolate_rescale(cardan__extrapolation *e, double ratio)
{
  const bool carried = ratio > 1.0 && e->settled < e->have;
  const int within = carried ? (int)((e->have + 1e-6) / ratio) : e->have;
  e->have = within > 0 || e->have == 0 ? e->have : 1;
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
  e->have = within > 0 ? within : e->have;
  e->settled = 0;
}
