// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/linalg.h"
#include "linalg/sparse.h"
#include "support.h"

/* A random m x n matrix of unit rows with `each` entries a row, near its diagonal. */
typedef struct {
  cardan__sparse A;
  double *dense; // m x n
} sparse_fixture;

static sparse_fixture make(support_rng *rng, int m, int n, int each)
{
  sparse_fixture f = {.A = {.m = m, .n = n}};
  f.A.start = calloc((size_t)m + 1, sizeof(int));
  f.A.column = calloc((size_t)m * (size_t)each, sizeof(int));
  f.A.value = calloc((size_t)m * (size_t)each, sizeof(double));
  f.dense = calloc((size_t)m * (size_t)n, sizeof(double));
  assert_true(f.A.start && f.A.column && f.A.value && f.dense);
  for (int i = 0, at = 0; i < m; i++) {
    double square = 0;
    for (int k = 0; k < each; k++, at++) {
      f.A.column[at] = (i + 3 * k) % n;
      support_random_vec(rng, &f.A.value[at], 1, 1.0);
      square += f.A.value[at] * f.A.value[at];
    }
    f.A.start[i + 1] = at;
    for (int k = f.A.start[i]; k < at; k++) {
      f.A.value[k] /= sqrt(square);
    }
  }
  return f;
}

static void fill_dense(sparse_fixture *f)
{
  memset(f->dense, 0, (size_t)f->A.m * (size_t)f->A.n * sizeof(double));
  for (int i = 0; i < f->A.m; i++) {
    for (int k = f->A.start[i]; k < f->A.start[i + 1]; k++) {
      f->dense[i * f->A.n + f->A.column[k]] += f->A.value[k];
    }
  }
}

static void release(sparse_fixture *f)
{
  free(f->A.start);
  free(f->A.column);
  free(f->A.value);
  free(f->dense);
}

/* By QR with pivoting. */
static int dense_rank(sparse_fixture *f)
{
  double *work = calloc(cardan__independent_work(f->A.m, f->A.n), sizeof *work);
  int *order = calloc((size_t)f->A.m, sizeof *order);
  assert_true(work && order);
  fill_dense(f);
  const int rank = cardan__independent(f->A.m, f->A.n, f->dense, 1e-9, order, NULL, work);
  free(work);
  free(order);
  return rank;
}

// yes exactly where pivoted QR finds full rank; a row made equal to another is never a yes
static void agrees_with_dense_rank(void **state)
{
  (void)state;
  support_rng rng = {.state = 7};
  for (int round = 0; round < 20; round++) {
    sparse_fixture f = make(&rng, 40 + round, 70, 4);
    assert_int_equal(dense_rank(&f), f.A.m);
    assert_int_equal(cardan__sparse_independent(&f.A, NULL), 1);
    const int to = 4 * (round + 5), from = 4 * (2 * round + 1) % (4 * f.A.m);
    memcpy(f.A.column + to, f.A.column + from, 4 * sizeof(int));
    memcpy(f.A.value + to, f.A.value + from, 4 * sizeof(double));
    if (to != from) {
      assert_int_equal(dense_rank(&f), f.A.m - 1);
      assert_int_equal(cardan__sparse_independent(&f.A, NULL), 0);
    }
    release(&f);
  }
}

// a row within 1e-5 of others is recognised, within 1e-7 it cannot be
static void near_dependence(void **state)
{
  (void)state;
  int start[] = {0, 1, 2, 5}, column[] = {0, 1, 0, 1, 2};
  for (int k = 0; k < 2; k++) {
    const double off = k == 0 ? 1e-5 : 1e-7;
    double value[] = {1, 1, sqrt(0.5), sqrt(0.5), off};
    const cardan__sparse A = {.m = 3, .n = 3, .start = start, .column = column, .value = value};
    assert_int_equal(cardan__sparse_independent(&A, NULL), k == 0);
  }
}

static cardan_status ask(const cardan_allocator *alloc, void *user)
{
  const sparse_fixture *f = user;
  const int answer = cardan__sparse_independent(&f->A, alloc);
  assert_int_not_equal(answer, 0);
  return answer > 0 ? CARDAN_OK : CARDAN_ERR_MEMORY;
}

static void says_when_there_is_no_memory(void **state)
{
  (void)state;
  support_rng rng = {.state = 3};
  sparse_fixture f = make(&rng, 300, 400, 4);
  assert_true(support_fail_each(ask, &f) > 1);
  release(&f);
}

// a column that every row has an entry in makes A A^T dense: not tried
static void a_dense_column_is_left_alone(void **state)
{
  (void)state;
  support_rng rng = {.state = 5};
  sparse_fixture f = make(&rng, 300, 400, 4);
  for (int i = 0; i < f.A.m; i++) {
    f.A.column[4 * i] = 399;
  }
  assert_int_equal(dense_rank(&f), f.A.m);
  assert_int_equal(cardan__sparse_independent(&f.A, NULL), 0);
  release(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_dense_rank),
      cmocka_unit_test(near_dependence),
      cmocka_unit_test(says_when_there_is_no_memory),
      cmocka_unit_test(a_dense_column_is_left_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
