// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "steppers/variational/vi.h"

/* Broyden's method without a matrix.
 * [2] C. T. Kelley, Iterative Methods for Linear and Nonlinear Equations, SIAM 1995, section 7.3.
 *
 * The inverse of the updated Jacobian is a product of rank-1 updates that the steps s_0, s_1, ..
 * alone determine. From z = -B_0^-1 F(x), with B_0 = M(q^k) / h (and the loops over it):
 *   for j = 0 .. n-1:  z += s_{j+1} (s_j . z) / |s_j|^2; s_{n+1} = z / (1 - s_n . z / |s_n|^2) (Q1)
 * Vectors are (dq, lambda), lambda in the units that make a multiplier and a coordinate
 * comparable: its own response |Y_j|. A step starts without updates: the Jacobian changes from
 * node to node. */

static double product(const double *a, const double *b, size_t n)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) {
    sum += a[k] * b[k];
  }
  return sum;
}

/* Size of the coordinates' change that a unit of multiplier j makes; 1 where there is none. */
static double unit_of(const cardan__vi *s, int j)
{
  const size_t nv = (size_t)s->base.model->nv;
  const double *Y = s->Y + (size_t)j * nv;
  const double size = sqrt(product(Y, Y, nv));
  return size > 0 ? size : 1;
}

void cardan__vi_broyden(cardan__vi *s)
{
  const size_t nv = (size_t)s->base.model->nv, n = nv + (size_t)s->nborder;
  if (s->nbroyden == s->max_broyden) {
    s->nbroyden = 0; // full: start over
  }
  double *z = s->broyden + (size_t)s->nbroyden * n;
  memcpy(z, s->step, nv * sizeof *z);
  for (int j = 0; j < s->nborder; j++) {
    z[nv + (size_t)j] = s->sigma[j] * unit_of(s, j);
  }
  for (int j = 0; j + 1 < s->nbroyden; j++) { // (Q1)
    const double *sj = s->broyden + (size_t)j * n, *next = sj + n;
    const double k = product(sj, z, n) / product(sj, sj, n);
    for (size_t i = 0; i < n; i++) {
      z[i] += k * next[i];
    }
  }
  if (s->nbroyden > 0) {
    const double *last = z - n;
    const double k = 1 / (1 - product(last, z, n) / product(last, last, n));
    for (size_t i = 0; i < n; i++) {
      z[i] *= k;
    }
  }
  memcpy(s->step, z, nv * sizeof *z);
  for (int j = 0; j < s->nborder; j++) {
    s->sigma[j] = z[nv + (size_t)j] / unit_of(s, j);
  }
  s->nbroyden++;
}
