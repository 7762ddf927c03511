// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "linalg/small.h"

/* Generalised minimal residuals with a preconditioner on the right.
 * [1] Y. Saad, Iterative Methods for Sparse Linear Systems, SIAM 2003, algorithm 9.5.
 *
 * Arnoldi: w = A P v_j, h_ij = w . v_i, by modified Gram-Schmidt; Givens rotations keep H
 * triangular, so that the residual's size is known at every step. Without restarts: P is meant to
 * be so near to the inverse that a few products are enough. */

size_t cardan__gmres_work(int n, int most)
{
  return ((size_t)most + 2) * (size_t)n;
}

static void add(int n, double k, const double *x, double *y)
{
  for (int i = 0; i < n; i++) {
    y[i] += k * x[i];
  }
}

/* One column of H and the next basis vector (w, in place); returns the subdiagonal entry. */
static double orthogonalise(int n, int j, const double *basis, double *w, double *column)
{
  for (int i = 0; i <= j; i++) {
    const double *v = basis + (size_t)i * (size_t)n;
    column[i] = cardan__dot(n, w, v);
    add(n, -column[i], v, w);
  }
  const double size = sqrt(cardan__dot(n, w, w));
  if (size > 0) {
    for (int k = 0; k < n; k++) {
      w[k] /= size;
    }
  }
  return size;
}

/* x = P V y, y from the triangular system that is left. */
static void combine(const cardan__operator *A, int n, int used, double (*H)[CARDAN__GMRES_MOST],
                    double *g, const double *basis, double *x)
{
  for (int i = used - 1; i >= 0; i--) {
    for (int j = i + 1; j < used; j++) {
      g[i] -= H[j][i] * g[j];
    }
    g[i] /= H[i][i];
  }
  memset(x, 0, (size_t)n * sizeof *x);
  for (int i = 0; i < used; i++) {
    add(n, g[i], basis + (size_t)i * (size_t)n, x);
  }
  A->precondition(A->context, x, x);
}

/* No x: one that is left at 0 would look like a solution to a caller that needs a correction. */
static int not_finite(int n, double *x)
{
  for (int i = 0; i < n; i++) {
    x[i] = NAN;
  }
  return -1;
}

int cardan__gmres(const cardan__operator *A, int n, const double *b, double *x, double tol,
                  int most, double *work)
{
  double H[CARDAN__GMRES_MOST][CARDAN__GMRES_MOST], g[CARDAN__GMRES_MOST + 1]; // H[j]: column j
  double c[CARDAN__GMRES_MOST], s[CARDAN__GMRES_MOST];
  double *basis = work, *z = work + ((size_t)most + 1) * (size_t)n;
  const double size = sqrt(cardan__dot(n, b, b));
  int j = 0;
  memset(x, 0, (size_t)n * sizeof *x);
  if (size == 0) {
    return 0;
  }
  if (!isfinite(size)) {
    return not_finite(n, x);
  }
  for (int k = 0; k < n; k++) {
    basis[k] = b[k] / size;
  }
  g[0] = size;
  bool enough = false;
  while (j < most && !enough) {
    double *w = basis + (size_t)(j + 1) * (size_t)n;
    A->precondition(A->context, basis + (size_t)j * (size_t)n, z);
    A->apply(A->context, z, w);
    const double below = orthogonalise(n, j, basis, w, H[j]);
    for (int i = 0; i < j; i++) {
      const double u = H[j][i], v = H[j][i + 1];
      H[j][i] = c[i] * u + s[i] * v;
      H[j][i + 1] = c[i] * v - s[i] * u;
    }
    const double r = hypot(H[j][j], below);
    if (!isfinite(r)) {
      return not_finite(n, x);
    }
    if (r == 0) {
      return -1;
    }
    c[j] = H[j][j] / r;
    s[j] = below / r;
    H[j][j] = r;
    g[j + 1] = -s[j] * g[j];
    g[j] *= c[j];
    j++;
    enough = fabs(g[j]) <= tol * size || below == 0;
  }
  combine(A, n, j, H, g, basis, x);
  return enough ? j : -1;
}
