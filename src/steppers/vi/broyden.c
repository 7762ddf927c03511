// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "linalg/linalg.h"
#include "steppers/vi/vi.h"

/* Broyden's method without a matrix (linalg/broyden.c), over B_0 = M(q^k) / h and the loops over
 * it. Vectors are (dq, lambda), lambda in the units that make a multiplier and a coordinate
 * comparable: its own response |Y_j|. A step starts without updates: the Jacobian changes from node
 * to node. */

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
  cardan__broyden((int)n, s->nbroyden, s->broyden);
  memcpy(s->step, z, nv * sizeof *z);
  for (int j = 0; j < s->nborder; j++) {
    s->sigma[j] = z[nv + (size_t)j] / unit_of(s, j);
  }
  s->nbroyden++;
}
