// SPDX-License-Identifier: Apache-2.0
#include "hybrid.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* One step by extrapolation of the modified midpoint rule with 2, 4, .. 2 COLUMNS substeps, order
 * 2 COLUMNS. E. Hairer, S. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.9:
 *   z1 = x + h f(x),  z(m+1) = z(m-1) + 2 h f(z(m)),  S = (z(n-1) + 2 z(n) + z(n+1)) / 4
 *   T(j,k+1) = T(j,k) + (T(j,k) - T(j-1,k)) / ((n_j / n_(j-k))^2 - 1) */
enum { COLUMNS = 6 };

static void midpoint(const hybrid *h, double H, int n, const double *x, double *S)
{
  double a[HYBRID_MOST], b[HYBRID_MOST], f[HYBRID_MOST];
  const double step = H / n;
  h->rate(h, x, f);
  memcpy(a, x, (size_t)h->n * sizeof *a);
  for (int i = 0; i < h->n; i++) {
    b[i] = x[i] + step * f[i];
  }
  for (int m = 1; m <= n; m++) {
    h->rate(h, b, f);
    for (int i = 0; i < h->n; i++) {
      const double next = a[i] + 2 * step * f[i];
      S[i] = 0.25 * (a[i] + 2 * b[i] + next);
      a[i] = b[i];
      b[i] = next;
    }
  }
}

static void advance(const hybrid *h, double H, const double *x, double *out)
{
  double T[COLUMNS][HYBRID_MOST];
  for (int j = 0; j < COLUMNS; j++) {
    midpoint(h, H, 2 * (j + 1), x, T[j]);
    // T[k] holds T(j, j - k) of the row before until this row's overwrites it
    for (int k = j - 1; k >= 0; k--) {
      const double ratio = (double)(j + 1) / (double)(k + 1), over = ratio * ratio - 1;
      for (int i = 0; i < h->n; i++) {
        T[k][i] = T[k + 1][i] + (T[k + 1][i] - T[k][i]) / over;
      }
    }
  }
  memcpy(out, T[0], (size_t)h->n * sizeof *out);
}

/* The first event within a step of H from x: its number and length *cut, -1: none. Each is a root
 * of its value over the length of one step, by bisection and the secant in turn. */
static int first_event(const hybrid *h, double H, const double *x, double *cut)
{
  double at[HYBRID_MOST];
  int found = -1;
  *cut = H;
  for (int k = 0; k < h->nevent; k++) {
    double low = 0, high = *cut, g0 = h->event(h, k, x);
    advance(h, high, x, at);
    double g1 = h->event(h, k, at);
    if (!(g1 < 0 && g1 < g0) || g0 == HUGE_VAL) {
      continue;
    }
    for (int i = 0; i < 200 && high - low > 1e-16 * H; i++) {
      const double secant = low + (high - low) * fmax(g0, 0) / (fmax(g0, 0) - g1);
      const bool inside = i % 3 < 2 && secant > low && secant < high;
      const double s = inside ? secant : 0.5 * (low + high);
      advance(h, s, x, at);
      const double g = h->event(h, k, at);
      if (g < 0) {
        high = s;
        g1 = g;
      } else {
        low = s;
        g0 = g;
      }
    }
    found = k;
    *cut = high;
  }
  return found;
}

void hybrid_run(hybrid *h, double T, int steps, double *x)
{
  assert(h->n <= HYBRID_MOST);
  h->events = 0;
  for (int i = 0; i < steps; i++) {
    double rest = T / steps;
    while (rest > 0) {
      double cut, to[HYBRID_MOST];
      const int k = first_event(h, rest, x, &cut);
      advance(h, k >= 0 ? cut : rest, x, to);
      memcpy(x, to, (size_t)h->n * sizeof *x);
      rest = k >= 0 ? rest - cut : 0;
      if (k >= 0) {
        h->events++;
        assert(h->events < 1000);
        h->jump(h, k, x);
      }
    }
  }
}
