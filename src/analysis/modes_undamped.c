// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/modes_work.h"
#include "linalg/linalg.h"

/* Modes of F = C = 0 where K is not symmetric, as about a state that accelerates: of mu, K y =
 * mu y, s = +-sqrt(-mu). Norms say little of these: where a long chain begins to fall its end is
 * all but free, and mu goes down over ten orders, as the entries do that matter there, and what
 * those may be off by. With x = L^-T y and z = L^-T u of the right and the left vector, to first
 * order,
 *   |mu - its exact value| <= (|z^H (Kr - mu Mr) x| + |z|^T (Ke + eps |mu| |Mr|) |x|) / |z^H Mr x|
 *                                                                                          (E4)
 * entry by entry: the first term is what the iteration has left. Where every mu is further from 0
 * than few times that, there is no 0 to be taken out, and these are the modes. Else they are not
 * for here (modes_general.c): a 0 twice has no such bound. O(n^3). */

typedef struct {
  double re, im;
} number;

static number times(number a, number b)
{
  return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Row i of a real matrix times x + i x2. */
static number row_times(size_t n, const double *row, const double *x, const double *x2)
{
  number sum = {0, 0};
  for (size_t j = 0; j < n; j++) {
    sum.re += row[j] * x[j];
    sum.im += row[j] * x2[j];
  }
  return sum;
}

/* x + i x2 of vector k of a list of rows, in the coordinates of Mr. */
static void expand_vector(const cardan__modes_work *w, const double *rows, int k, double *x,
                          double *x2)
{
  const size_t n = (size_t)w->n, at = (size_t)k * n;
  cardan__modes_back(w, rows + at, x);
  memset(x2, 0, n * sizeof *x2);
  if (w->im[k] > 0) {
    cardan__modes_back(w, rows + at + n, x2);
  }
}

/* (E4) of value k. */
static double error_of(const cardan__modes_work *w, const double *left, int k)
{
  const cardan_matrices *m = w->m;
  const size_t n = (size_t)w->n;
  const number mu = {w->re[k], w->im[k]};
  const double size = hypot(mu.re, mu.im);
  number rest = {0, 0}, c = {0, 0};
  double off = 0;
  expand_vector(w, w->V, k, w->x, w->x2);
  expand_vector(w, left, k, w->y, w->y2);
  for (size_t i = 0; i < n; i++) {
    const number z = {w->y[i], -w->y2[i]};
    const number Kx = row_times(n, m->Kr + i * n, w->x, w->x2);
    const number Mx = row_times(n, m->Mr + i * n, w->x, w->x2), muMx = times(mu, Mx);
    const number left_over = times(z, (number){Kx.re - muMx.re, Kx.im - muMx.im});
    const number own = times(z, Mx);
    double e = 0;
    for (size_t j = 0; j < n; j++) {
      e += (m->Ke[i * n + j] + DBL_EPSILON * size * fabs(m->Mr[i * n + j])) *
           hypot(w->x[j], w->x2[j]);
    }
    off += hypot(z.re, z.im) * e;
    rest = (number){rest.re + left_over.re, rest.im + left_over.im};
    c = (number){c.re + own.re, c.im + own.im};
  }
  return (hypot(rest.re, rest.im) + off) / hypot(c.re, c.im);
}

/* |K y - mu y| over the sizes of its terms. */
static double residual_of(cardan__modes_work *w, int k)
{
  const size_t n = (size_t)w->n;
  const double *y = w->V + (size_t)k * n, *y2 = w->im[k] > 0 ? y + n : w->y2;
  const number mu = {w->re[k], w->im[k]};
  double sum = 0, length = 0;
  memset(w->y2, 0, n * sizeof *w->y2);
  for (size_t i = 0; i < n; i++) {
    const number a = row_times(n, w->K + i * n, y, y2), b = times(mu, (number){y[i], y2[i]});
    sum += (a.re - b.re) * (a.re - b.re) + (a.im - b.im) * (a.im - b.im);
    length += y[i] * y[i] + y2[i] * y2[i];
  }
  const double terms = hypot(mu.re, mu.im) + cardan__modes_norm(n * n, w->K) + w->Ke / DBL_EPSILON;
  return sqrt(sum / length) / terms;
}

/* s and -s of a real mu: a swing, or a way back and one that falls away. */
static void add_real(cardan_modes *modes, cardan__modes_work *w, double mu, double error,
                     const double *y)
{
  const double s = sqrt(fabs(mu));
  memset(w->y2, 0, (size_t)w->n * sizeof *w->y2);
  if (mu > 0) {
    cardan__modes_add(modes, w, 0, s, 0.5 * error / s, y, w->y2);
  } else {
    cardan__modes_add(modes, w, -s, 0, 0.5 * error / s, y, NULL);
    cardan__modes_add(modes, w, s, 0, 0.5 * error / s, y, NULL);
  }
}

/* The same of a pair, with vector y + i y2 of im > 0: s^2 = -mu are (-+p +-i q)^2, p, q > 0. */
static void add_pair(cardan_modes *modes, cardan__modes_work *w, double re, double im, double error,
                     const double *y)
{
  const size_t n = (size_t)w->n;
  const double size = hypot(re, im), most = sqrt(0.5 * (size + fabs(re))), least = 0.5 * im / most;
  const double p = re > 0 ? least : most, q = re > 0 ? most : least, e = 0.5 * error / sqrt(size);
  cardan__modes_add(modes, w, -p, q, e, y, y + n);
  for (size_t i = 0; i < n; i++) {
    w->y2[i] = -y[n + i];
  }
  cardan__modes_add(modes, w, p, q, e, y, w->y2);
}

/* Value k, and of a pair the next. One whose im is no more than rounding is a real value twice:
 * both parts of its vector are a shape. */
static void add_value(cardan_modes *modes, cardan__modes_work *w, int k)
{
  const size_t n = (size_t)w->n;
  const double *y = w->V + (size_t)k * n, error = w->error[k], residual = residual_of(w, k);
  const int first = modes->n;
  if (w->im[k] > cardan__modes_few * error) {
    add_pair(modes, w, w->re[k], w->im[k], error, y);
  } else {
    add_real(modes, w, w->re[k], error, y);
    if (w->im[k] > 0) {
      add_real(modes, w, w->re[k], error, y + n);
    }
  }
  for (int i = first; i < modes->n; i++) {
    modes->mode[i].residual = residual;
  }
}

/* The eigenvalue after k, or after the pair that k begins. */
static int next_eigenvalue(const cardan__modes_work *w, int k)
{
  return k + (w->im[k] > 0 ? 2 : 1);
}

bool cardan__modes_undamped(cardan_modes *modes, cardan__modes_work *w)
{
  const size_t n = (size_t)w->n;
  const double *left = w->work;
  memcpy(w->A0, w->K, n * n * sizeof *w->A0);
  if (!cardan__eigen(w->n, w->A0, w->re, w->im, w->V, w->error, w->work)) {
    return false;
  }
  for (int k = 0; k < w->n; k = next_eigenvalue(w, k)) {
    w->error[k] = error_of(w, left, k);
    if (!(hypot(w->re[k], w->im[k]) > cardan__modes_few * w->error[k])) {
      return false;
    }
  }
  for (int k = 0; k < w->n; k = next_eigenvalue(w, k)) {
    add_value(modes, w, k);
  }
  return true;
}
