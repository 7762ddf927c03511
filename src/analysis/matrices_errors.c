// SPDX-License-Identifier: Apache-2.0
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/matrices.h"

/* How far the entries of Cr and Kr may be off. They are sums
 *   Kr = N^T (K + d(M a)/dq + Kc) N + N^T Rv P + N^T M bq,   Cr = N^T Rv N + N^T M bv
 * (matrices_true.c, E4) whose terms may cancel to nothing: of a tree that falls freely K and
 * d(M a)/dq do. Each term is known to a rounding of itself, so that
 *   Ke = eps (|N|^T (|K| + |d(M a)/dq| + |Kc|) |N| + |N|^T |Rv| |P| + |N|^T |M| |bq|)
 *        + |N|^T |M| |S^-1 e|                                                              (E1)
 * where e is how far apart two differences of gamma are (0 where there are none). Products of three
 * and more factors are some more roundings: whoever asks takes a few of these. O(nv^2 n), less
 * where N chooses columns. With rows of velocity level W is in the place of N, but for that of
 * x. */

/* R (nw x columns) += factor |W|^T |X| |Y|, X: nv x nv, Y: nv x columns */
static void add_sizes(const cardan_matrices *m, cardan__matrices_work *w, double factor,
                      const double *X, const double *Y, int columns, double *R)
{
  const size_t nv = (size_t)m->nv, nw = (size_t)m->nw, n = (size_t)columns;
  memset(w->T, 0, nv * n * sizeof *w->T);
  for (size_t k = 0; k < nv; k++) {
    for (size_t j = 0; j < n; j++) {
      const double f = fabs(Y[k * n + j]);
      for (size_t i = 0; f != 0.0 && i < nv; i++) {
        w->T[i * n + j] += fabs(X[i * nv + k]) * f;
      }
    }
  }
  for (size_t k = 0; k < nv; k++) {
    for (size_t i = 0; i < nw; i++) {
      const double f = factor * fabs(m->W[k * nw + i]);
      for (size_t j = 0; f != 0.0 && j < n; j++) {
        R[i * n + j] += f * w->T[k * n + j];
      }
    }
  }
}

/* R += |W|^T |M| |S^-1 e|, e the same for all rows of a column */
static void add_differences(const cardan_matrices *m, cardan__matrices_work *w, const double *e,
                            int columns, double *X, double *R)
{
  const size_t n = (size_t)columns;
  for (size_t r = 0; r < (size_t)m->nrow; r++) {
    memcpy(w->T + r * n, e, n * sizeof *w->T);
  }
  cardan__matrices_solve_rows(m, w, w->T, columns, X);
  add_sizes(m, w, 1, m->M, X, columns, R);
}

void cardan__matrices_errors(cardan_matrices *m, cardan__matrices_work *w)
{
  const size_t n = (size_t)m->n, nw = (size_t)m->nw, size = (size_t)m->nv * (size_t)m->nv;
  memset(m->Ke, 0, nw * n * sizeof *m->Ke);
  memset(m->Ce, 0, nw * nw * sizeof *m->Ce);
  for (size_t i = 0; i < size; i++) { // d(M a)/dq is what remains of Rq
    const double Kc = m->nrow > 0 ? m->Kc[i] : 0;
    w->square[i] = fabs(m->K[i]) + fabs(w->Rq[i] - Kc - m->K[i]) + fabs(Kc);
  }
  add_sizes(m, w, DBL_EPSILON, w->square, m->N, m->n, m->Ke); // (E1)
  add_sizes(m, w, DBL_EPSILON, w->Rv, m->W, m->nw, m->Ce);
  if (w->nrank > 0 && n > 0) {
    add_sizes(m, w, DBL_EPSILON, w->Rv, w->P, m->n, m->Ke);
    add_sizes(m, w, DBL_EPSILON, m->M, w->bq, m->n, m->Ke);
    add_sizes(m, w, DBL_EPSILON, m->M, w->bv, m->nw, m->Ce);
    add_differences(m, w, w->apart, m->n, w->square, m->Ke);
    add_differences(m, w, w->apart + n, m->nw, w->square, m->Ce);
  }
}
