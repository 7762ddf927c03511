// SPDX-License-Identifier: Apache-2.0
// Sparse Cholesky by blocks against the dense one.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/blocks.h"
#include "linalg/linalg.h"
#include "support.h"

enum { NODES = 24, CLIQUES = 30, MOST = NODES * CARDAN__BLOCK_MOST };

/* A sum of squares over random cliques of two to four nodes: positive semidefinite, definite with
 * what is added to its diagonal. */
typedef struct {
  int size[NODES], adr[NODES + 1], start[CLIQUES + 1], member[4 * CLIQUES];
  double A[MOST * MOST];
} matrix;

static void random_matrix(support_rng *rng, matrix *m)
{
  memset(m, 0, sizeof *m);
  for (int i = 0; i < NODES; i++) {
    m->size[i] = support_random_int(rng, 1, CARDAN__BLOCK_MOST);
    m->adr[i + 1] = m->adr[i] + m->size[i];
  }
  const int n = m->adr[NODES];
  for (int c = 0; c < CLIQUES; c++) {
    double row[MOST] = {0};
    int *member = m->member + m->start[c], k = support_random_int(rng, 2, 4);
    for (int i = 0; i < k; i++) {
      member[i] = (c * 5 + i * support_random_int(rng, 1, 5)) % NODES;
      for (int j = 0; j < i; j++) {
        if (member[j] == member[i]) { // no clique names a node twice
          k = i;
        }
      }
    }
    m->start[c + 1] = m->start[c] + k;
    for (int i = 0; i < k; i++) {
      support_random_vec(rng, row + m->adr[member[i]], m->size[member[i]], 1);
    }
    for (int i = 0; i < n * n; i++) {
      m->A[i] += row[i / n] * row[i % n];
    }
  }
  for (int i = 0; i < n; i++) {
    m->A[i * n + i] += 0.1;
  }
}

static void fill(const matrix *m, cardan__blocks *b)
{
  const int n = m->adr[NODES];
  cardan__blocks_clear(b);
  for (int i = 0; i < NODES; i++) {
    for (int j = 0; j < NODES; j++) {
      int stride = 0;
      const ptrdiff_t place =
          cardan__blocks_after(b, i, j) ? cardan__blocks_place(b, i, j, &stride) : -1;
      for (int r = 0; r < m->size[i] && place >= 0; r++) {
        for (int c = 0; c < m->size[j]; c++) {
          cardan__blocks_values(b)[place + r * stride + c] =
              m->A[(m->adr[i] + r) * n + m->adr[j] + c];
        }
      }
    }
  }
}

// the same solution; least eigenvalue 0.1, largest below 100: 1e3 eps for each of n rows
static void like_dense(void **state)
{
  (void)state;
  static matrix m;
  for (uint64_t seed = 1; seed <= 50; seed++) {
    support_rng rng = {seed};
    cardan__blocks *b = NULL;
    double x[MOST], y[MOST];
    random_matrix(&rng, &m);
    const int n = m.adr[NODES];
    assert_int_equal(cardan__blocks_create(NODES, m.size, CLIQUES, m.start, m.member, NULL, &b),
                     CARDAN_OK);
    fill(&m, b);
    support_random_vec(&rng, x, n, 1);
    memcpy(y, x, sizeof y);
    cardan__blocks_factor(b, 1e-12);
    cardan__blocks_solve(b, x);
    assert_int_equal(cardan__cholesky(n, m.A, 0), -1);
    cardan__cholesky_solve(n, m.A, y);
    assert_near_vec(x, y, n, 1e3 * DBL_EPSILON * n);
    cardan__blocks_destroy(b);
  }
}

/* Rows (1 0), (1 0), (0.5 0.5) of a matrix with unit weights, times themselves: two nodes. */
static cardan__blocks *repeating(void)
{
  static const double A[3][3] = {{1, 1, 0.5}, {1, 1, 0.5}, {0.5, 0.5, 0.5}};
  const int size[2] = {2, 1}, start[2] = {0, 2}, member[2] = {0, 1}, adr[2] = {0, 2};
  cardan__blocks *b = NULL;
  assert_int_equal(cardan__blocks_create(2, size, 1, start, member, NULL, &b), CARDAN_OK);
  cardan__blocks_clear(b);
  for (int i = 0; i < 2; i++) {
    for (int j = 0; j < 2; j++) {
      int stride = 0;
      const ptrdiff_t place =
          cardan__blocks_after(b, i, j) ? cardan__blocks_place(b, i, j, &stride) : -1;
      for (int r = 0; r < size[i] && place >= 0; r++) {
        for (int c = 0; c < size[j]; c++) {
          cardan__blocks_values(b)[place + r * stride + c] = A[adr[i] + r][adr[j] + c];
        }
      }
    }
  }
  return b;
}

// a row that repeats another has nothing left; what the two give together is as if there were one
static void repeated_row(void **state)
{
  (void)state;
  cardan__blocks *b = repeating();
  cardan__blocks_factor(b, 1e-13);
  const double *left = cardan__blocks_left(b);
  assert_true(left[2] > 0.1 && fmin(left[0], left[1]) < 1e-15 && fmax(left[0], left[1]) > 0.1);
  double x[3] = {2, 2, 1.5};
  cardan__blocks_solve(b, x);
  assert_near(x[0] + x[1], 1, 10 * DBL_EPSILON);
  assert_near(x[2], 2, 10 * DBL_EPSILON);
  cardan__blocks_destroy(b);
}

// the same row passed over: its unknown is 0, and its right-hand side is not read; so is a row
// whose own limit is higher than the rest of it
static void passed_over(void **state)
{
  (void)state;
  cardan__blocks *b = repeating();
  const double limit[3] = {1e-13, 1e-13, 1e-13};
  cardan__blocks_factor_rank(b, limit);
  const double *left = cardan__blocks_left(b);
  const int lost = left[0] > limit[0] ? 1 : 0;
  double x[3] = {2, 2, 1.5};
  assert_true(left[lost] <= limit[lost] && left[1 - lost] > 0.1 && left[2] > 0.1);
  x[lost] = 7;
  cardan__blocks_solve(b, x);
  assert_true(x[lost] == 0);
  assert_near(x[1 - lost], 1, 10 * DBL_EPSILON);
  assert_near(x[2], 2, 10 * DBL_EPSILON);
  cardan__blocks_destroy(b);

  b = repeating();
  const double high[3] = {1e-13, 1e-13, 2};
  double y[3] = {2, 2, 7};
  cardan__blocks_factor_rank(b, high);
  cardan__blocks_solve(b, y);
  assert_near(y[0] + y[1], 2, 10 * DBL_EPSILON);
  assert_true(y[2] == 0);
  cardan__blocks_destroy(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(like_dense), cmocka_unit_test(repeated_row),
                                     cmocka_unit_test(passed_over)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
