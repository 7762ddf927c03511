// SPDX-License-Identifier: Apache-2.0
#include "spatial/inertia.h"

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

/* One Jacobi rotation that makes the off-diagonal entry *pq zero. p, q: the two diagonal entries;
 * pr, qr: the entries that couple them to the third axis. */
static void annihilate(double *p, double *q, double *pq, double *pr, double *qr)
{
  if (*pq == 0.0) {
    return;
  }
  // t = tan of the smaller of the two angles; hypot cannot overflow where theta^2 would
  const double theta = (*q - *p) / (2.0 * *pq);
  const double t = copysign(1.0, theta) / (fabs(theta) + hypot(theta, 1.0));
  const double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
  const double a = *pr, b = *qr;

  *p -= t * *pq;
  *q += t * *pq;
  *pq = 0.0;
  *pr = c * a - s * b;
  *qr = s * a + c * b;
}

static void sort2(double *a, double *b)
{
  if (*a > *b) {
    const double t = *a;
    *a = *b;
    *b = t;
  }
}

/* Cyclic Jacobi converges quadratically; 3 x 3 matrices are diagonal to the last bit after at most
 * 5 or 6 sweeps, and a sweep over a diagonal matrix does nothing, so 12 are run as a bound. */
void cardan__sym3_eigenvalues(const cardan__sym3 *S, double lambda[3])
{
  cardan__sym3 D = *S;
  for (int sweep = 0; sweep < 12 && (D.xy != 0.0 || D.xz != 0.0 || D.yz != 0.0); sweep++) {
    annihilate(&D.xx, &D.yy, &D.xy, &D.xz, &D.yz);
    annihilate(&D.xx, &D.zz, &D.xz, &D.xy, &D.yz);
    annihilate(&D.yy, &D.zz, &D.yz, &D.xy, &D.xz);
  }
  sort2(&D.xx, &D.yy);
  sort2(&D.yy, &D.zz);
  sort2(&D.xx, &D.yy);
  lambda[0] = D.xx;
  lambda[1] = D.yy;
  lambda[2] = D.zz;
}

static bool is_finite(const cardan_inertia *G)
{
  return isfinite(G->m) && isfinite(G->h.x) && isfinite(G->h.y) && isfinite(G->h.z) &&
         isfinite(G->xx) && isfinite(G->yy) && isfinite(G->zz) && isfinite(G->xy) &&
         isfinite(G->xz) && isfinite(G->yz);
}

cardan__inertia_fault cardan__inertia_check(const cardan_inertia *G, double moments[3])
{
  double lambda[3];
  if (!is_finite(G)) {
    return CARDAN__INERTIA_NOT_FINITE;
  }
  if (G->m < 0.0) {
    return CARDAN__INERTIA_MASS;
  }
  if (G->m == 0.0 && (G->h.x != 0.0 || G->h.y != 0.0 || G->h.z != 0.0)) {
    return CARDAN__INERTIA_FIRST_MOMENT;
  }

  const cardan__sym3 Ic = cardan__inertia_about_com(G);
  cardan__sym3_eigenvalues(&Ic, lambda);
  if (moments != NULL) {
    moments[0] = lambda[0];
    moments[1] = lambda[1];
    moments[2] = lambda[2];
  }

  // J lost up to a few eps of its size to the shift, and Jacobi a few eps more
  const double largest = fmax(fmax(fabs(G->xx), fabs(G->yy)), fabs(G->zz));
  const double slack = 64.0 * DBL_EPSILON * fmax(largest, fabs(lambda[2]));
  if (lambda[0] < -slack) {
    return CARDAN__INERTIA_MOMENT;
  }
  if (lambda[2] > lambda[0] + lambda[1] + slack) {
    return CARDAN__INERTIA_TRIANGLE;
  }
  return CARDAN__INERTIA_OK;
}
