// SPDX-License-Identifier: Apache-2.0
#include "methods/discrete/kicks.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"

bool cardan__kick_root(int n, int rank, double *S, const double *size, double *eigen, double *root)
{
  const size_t rows = (size_t)n;
  for (size_t i = 0; i < rows; i++) {
    for (size_t j = 0; j <= i; j++) {
      S[j * rows + i] = S[i * rows + j] = S[i * rows + j] * size[i] * size[j];
    }
  }
  if (!cardan__eigen_symmetric(n, S, eigen, eigen + rows)) {
    return false;
  }
  memset(root, 0, rows * rows * sizeof *root);
  for (int k = n - 1; k >= 0 && k >= n - rank; k--) { // the largest are the last
    const double *u = S + (size_t)k * rows;
    for (size_t i = 0; i < rows && eigen[k] > DBL_EPSILON; i++) {
      for (size_t j = 0; j < rows; j++) {
        root[i * rows + j] += u[i] * u[j] / sqrt(eigen[k]) * size[j];
      }
    }
  }
  return true;
}

double cardan__kick_least(int n, int rank, const double *S, const double *eigen, int *row)
{
  const double *u = S + (size_t)(n - rank) * (size_t)n;
  int most = 0;
  for (int i = 0; i < n && rank > 0; i++) {
    most = fabs(u[i]) >= fabs(u[most]) ? i : most;
  }
  *row = most;
  return rank > 0 ? eigen[n - rank] : 1;
}

void cardan__kick_guess(int n, int have, const double *history, double *nu)
{
  for (int i = 0; i < n; i++) {
    nu[i] = have == 0 ? 0 : have == 1 ? history[i] : 2 * history[i] - history[n + i];
  }
}

void cardan__kick_remember(int n, const double *e, int *have, double *history)
{
  const size_t rows = (size_t)n;
  memcpy(history + rows, history, rows * sizeof *history);
  memcpy(history, e, rows * sizeof *history);
  *have += *have < 2;
}

double cardan__kick_difference(int n, const double *e, const double *nu, double *f)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    f[i] = e[i] - nu[i];
    largest = fabs(f[i]) <= largest ? largest : fabs(f[i]);
  }
  return largest;
}

void cardan__kick_improve(int n, int round, const double *f, double *nu, double *f_old,
                          double *nu_old)
{
  double dd = 0, df = 0;
  for (int i = 0; i < n && round > 0; i++) {
    const double change = f[i] - f_old[i];
    dd += change * change;
    df += change * f[i];
  }
  const double part = dd > 0 ? df / dd : 0;
  for (int i = 0; i < n; i++) {
    const double now = nu[i];
    nu[i] += 0.5 * f[i];
    if (round > 0) {
      nu[i] -= part * (now - nu_old[i] + 0.5 * (f[i] - f_old[i]));
    }
    nu_old[i] = now;
    f_old[i] = f[i];
  }
}
