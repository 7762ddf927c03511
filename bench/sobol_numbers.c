// SPDX-License-Identifier: Apache-2.0
// Chooses the initial numbers of Sobol' sequences: writes src/sweep/sobol_chosen.c.
//   build/bench/sobol_numbers > src/sweep/sobol_chosen.c
// A minute or two. Each dimension in turn takes, of many random sets of initial numbers, the one
// with the least
//   sum over dimensions e before it, m = 1 .. PLANE of 2^t(e, m)
// where t is that of the first 2^m points in the plane of both: every rectangle of 2^-a x 2^-b,
// a + b = m - t, has 2^t of them. The first SPACE dimensions add the same of all spaces of three.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sample.h"

enum {
  PLANE = 12,
  SPACE = 20,
  TRIES = 300,
  MORE_TRIES = 4000,
  FEW = 64,
  N = CARDAN__SOBOL_DIMENSIONS
};

/* Rows of a generator matrix: bit k of row r is bit r, from the top, of direction number k. */
typedef struct {
  unsigned row[PLANE];
} matrix;

static matrix matrix_of(const cardan__sobol *dimension)
{
  matrix a = {{0}};
  for (int r = 0; r < PLANE; r++) {
    for (int k = 0; k < PLANE; k++) {
      a.row[r] |= (unsigned)(dimension->direction[k] >> (CARDAN__SOBOL_BITS - 1 - r) & 1) << k;
    }
  }
  return a;
}

/* Adds a row to independent ones, each with a lowest bit of its own; 0: it depends on them. */
static int add_row(unsigned *pivot, unsigned row)
{
  while (row != 0) {
    const int low = __builtin_ctz(row);
    if (pivot[low] == 0) {
      pivot[low] = row;
      return 1;
    }
    row ^= pivot[low];
  }
  return 0;
}

/* Lowers *least to the largest rho so that any first rows of n matrices, with those that pivot
 * holds, are independent as long as they are no more than rho. used: those of pivot. */
static void lower(const matrix *const *set, int n, int m, const unsigned *pivot, int used,
                  int *least)
{
  unsigned own[PLANE];
  memcpy(own, pivot, sizeof own);
  for (int r = 0; used + r < *least; r++) {
    if (n > 1) {
      lower(set + 1, n - 1, m, own, used + r, least);
    }
    if (used + r < *least && !add_row(own, set[0]->row[r] & ((1U << m) - 1))) {
      *least = used + r;
    }
  }
}

/* sum over m of 2^t of n dimensions together. */
static double badness(const matrix *const *set, int n)
{
  double sum = 0;
  for (int m = 1; m <= PLANE; m++) {
    const unsigned none[PLANE] = {0};
    int strength = m;
    lower(set, n, m, none, 0, &strength);
    sum += ldexp(1, m - strength);
  }
  return sum;
}

/* The sum above, up to where it is no less than enough. */
static double badness_of(const matrix *before, int d, const matrix *a, double enough)
{
  double sum = 0;
  for (int e = d - 1; e >= 0 && sum < enough; e--) {
    const matrix *set[3] = {a, &before[e], NULL};
    sum += badness(set, 2);
    for (int f = e - 1; f >= 0 && sum < enough && d < SPACE; f--) {
      set[2] = &before[f];
      sum += badness(set, 3);
    }
  }
  return sum;
}

int main(void)
{
  static matrix before[N];
  cardan__sobol dimension;
  cardan__sobol_make(&dimension, 1);
  before[0] = matrix_of(&dimension);
  printf("// SPDX-License-Identifier: Apache-2.0\n"
         "// written by build/bench/sobol_numbers\n"
         "#include \"sweep/sample.h\"\n\n"
         "const uint16_t cardan__sobol_chosen[CARDAN__SOBOL_DIMENSIONS] = {\n"
         "    // clang-format off\n    0");
  unsigned polynomial = 0;
  for (int d = 1; d < N; d++) {
    unsigned best = 0;
    double least = 1e300;
    polynomial = cardan__sobol_polynomial(polynomial);
    for (unsigned choice = 0; choice < (d < FEW ? MORE_TRIES : TRIES); choice++) {
      cardan__sobol_one(&dimension, d, polynomial, choice);
      const matrix a = matrix_of(&dimension);
      const double bad = badness_of(before, d, &a, least);
      if (bad < least) {
        least = bad;
        best = choice;
        before[d] = a;
      }
    }
    printf(d % 16 == 0 ? ",\n    %u" : ", %u", best);
    fflush(stdout);
  }
  printf("};\n");
  return EXIT_SUCCESS;
}
