// SPDX-License-Identifier: Apache-2.0
#include <lapack.h>

#include "linalg/linalg.h"

/* Symmetric matrices by LAPACK and BLAS, which see the transpose of everything: our lower triangle
 * is their upper one, and Y = S X is for them Y^T = X^T S. */

// lapack.h declares nothing of BLAS
#ifdef LAPACK_FORTRAN_STRLEN_END
#define STRING_LENGTHS , size_t, size_t
#define STRINGS_OF_ONE , 1, 1
#else
#define STRING_LENGTHS
#define STRINGS_OF_ONE
#endif
#define DSYMM LAPACK_GLOBAL(dsymm, DSYMM)
void DSYMM(const char *side, const char *uplo, const lapack_int *m, const lapack_int *n,
           const double *alpha, const double *A, const lapack_int *lda, const double *B,
           const lapack_int *ldb, const double *beta, double *C,
           const lapack_int *ldc STRING_LENGTHS);

int cardan__positive_inverse(int n, double *A)
{
  const size_t size = (size_t)n * (size_t)n;
  const lapack_int order = n;
  lapack_int info = 0;
  cardan__lapack_begin(size);
  LAPACK_dpotrf("U", &order, A, &order, &info);
  for (int i = 0; i < n && info == 0; i++) { // NaN on the diagonal passes some versions
    info = A[(size_t)i * (size_t)n + (size_t)i] > 0 ? 0 : i + 1;
  }
  if (info == 0) {
    LAPACK_dpotri("U", &order, A, &order, &info);
  }
  cardan__lapack_end(size);
  for (int i = 0; i < n && info == 0; i++) {
    for (int j = 0; j < i; j++) {
      A[(size_t)j * (size_t)n + (size_t)i] = A[(size_t)i * (size_t)n + (size_t)j];
    }
  }
  return info > 0 ? (int)info - 1 : info < 0 ? 0 : -1;
}

void cardan__symmetric_mul(int n, double scale, const double *S, const double *X, double *Y)
{
  const size_t size = (size_t)n * (size_t)n;
  const lapack_int order = n;
  const double none = 0;
  cardan__lapack_begin(size);
  DSYMM("R", "U", &order, &order, &scale, S, &order, X, &order, &none, Y, &order STRINGS_OF_ONE);
  cardan__lapack_end(size);
}
