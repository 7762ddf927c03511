/* SPDX-License-Identifier: Apache-2.0
 * Reading the reference tables, and measuring the largest error against them. */
#pragma once
#include "spatial_test.h"
#include "tables.h"

enum {
  NSCALAR = sizeof table_scalar / sizeof table_scalar[0],
  NGROUP = sizeof table_group / sizeof table_group[0],
};

/* One row of table_group. The 3 x 3 blocks: dexp = [dexp_ww 0; dexp_vw dexp_ww], dlog likewise. */
typedef struct {
  cardan_vec3 w, v;
  cardan_mat3 R;
  cardan_vec3 p;
  cardan_mat3 dexp_ww, dexp_vw, dlog_ww, dlog_vw;
} table_row;

static inline table_row table_read(int i)
{
  table_row row;
  double *to = (double *)&row;
  _Static_assert(sizeof(table_row) == sizeof table_group[0], "the row is the struct");
  for (size_t k = 0; k < sizeof row / sizeof(double); k++) {
    to[k] = table_group[i][k];
  }
  return row;
}

/* Largest error seen, in units of eps * scale. */
typedef struct {
  double worst;
  int at; // row of the table
} measure;

static inline void measure_add(measure *m, int row, const double *a, const double *b, int n,
                               double scale)
{
  const double e = test_distance(a, b, n);
  const double in_eps = e == 0.0 ? 0.0 : e / (DBL_EPSILON * scale);
  if (!(in_eps <= m->worst)) {
    m->worst = in_eps;
    m->at = row;
  }
}

/* Prints the figure, and fails when it is over the limit. */
static inline void measure_end(const measure *m, const char *what, double limit)
{
  print_message("             %-28s %5.2f eps of %g allowed (row %d)\n", what, m->worst, limit,
                m->at);
  assert_near(m->worst, 0.0, limit);
}

/* Diagonal and off-diagonal entries of a 3 x 3 matrix near 1 have different sizes. */
static inline void measure_matrix(measure *m, int row, const cardan_mat3 *A, const cardan_mat3 *B,
                                  double off_scale, double diagonal_scale)
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      measure_add(m, row, &A->m[i][j], &B->m[i][j], 1, i == j ? diagonal_scale : off_scale);
    }
  }
}
