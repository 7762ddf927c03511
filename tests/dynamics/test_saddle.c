// SPDX-License-Identifier: Apache-2.0
// The dense and the sparse solver of a saddle-point system against one another: of S = J M^-1 J^T
// itself, and of the tree's equations with rows, some redundant, and with locked coordinates.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/constraints.h"
#include "constraints/rows.h"
#include "constraints/sparse_kkt.h"
#include "dynamics/loops.h"
#include "dynamics/schur.h"
#include "linalg/blocks.h"
#include "linalg/semidefinite.h"
#include "linalg/small.h"
#include "loops.h"
#include "model/data.h"
#include "random_loops.h"

enum { N = 12 };

/* S = B B^T of r independent directions; the last row is twice the first where r < N. */
static void fill(support_rng *rng, int r, double *S)
{
  double B[N][N] = {{0}};
  for (int i = 0; i < N; i++) {
    support_random_vec(rng, B[i], r, 1);
  }
  for (int k = 0; k < r && r < N; k++) {
    B[N - 1][k] = 2 * B[0][k];
  }
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      S[i * N + j] = 0;
      for (int k = 0; k < r; k++) {
        S[i * N + j] += B[i][k] * B[j][k];
      }
    }
  }
}

static void times(const double *S, const double *y, double *b)
{
  for (int i = 0; i < N; i++) {
    b[i] = 0;
    for (int j = 0; j < N; j++) {
      b[i] += S[i * N + j] * y[j];
    }
  }
}

/* All rows in one node each, all of which meet: what sparse matrices are made of. */
static cardan__blocks *make_blocks(const double *S)
{
  cardan__blocks *b = NULL;
  int size[N], start[2] = {0, N}, member[N], stride;
  for (int i = 0; i < N; i++) {
    size[i] = 1;
    member[i] = i;
  }
  assert_int_equal(cardan__blocks_create(N, size, 1, start, member, NULL, &b), CARDAN_OK);
  cardan__blocks_clear(b);
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) {
      if (cardan__blocks_after(b, i, j)) {
        cardan__blocks_values(b)[cardan__blocks_place(b, i, j, &stride)] = S[i * N + j];
      }
    }
  }
  return b;
}

static double apart(const double *x, const double *y, int n)
{
  double largest = 0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, fabs(x[i] - y[i]));
  }
  return largest / fmax(support_max_abs(y, n), 1e-300);
}

// 200 random matrices, half of them of lower rank: every factorisation finds the same rank, and
// meets the same right-hand sides; where all rows count, by the same solution
static void dense_and_blocks(void **state)
{
  (void)state;
  for (int seed = 0; seed < 200; seed++) {
    support_rng rng = {(uint64_t)seed + 1};
    const int r = seed % 2 ? N : N - 1 - seed % 4;
    double S[N * N], L[N * N], T[N * N], G[N * N], size[N], left[N], x[N], tol[N];
    double y[N], b[N], by[3][N], met[N];
    int order[N];
    cardan__rank_monitor rank = {.row = 0};
    cardan__semidefinite f = {
        .n = N, .S = L, .T = T, .G = G, .order = order, .size = size, .left = left, .x = x};
    fill(&rng, r, S);
    support_random_vec(&rng, y, N, 1);
    times(S, y, b);
    for (int i = 0; i < N; i++) {
      size[i] = S[i * N + i];
      tol[i] = 1e-11;
    }
    for (int k = 0; k < 3; k++) {
      memcpy(by[k], b, sizeof b);
    }
    cardan__rank_begin(&rank);
    memcpy(L, S, sizeof L);
    assert_int_equal(cardan__semidefinite_factor_basic(&f, 1e-11, &rank), r);
    assert_true(rank.ratio > 1e-11 && rank.dropped <= 1e-11);
    cardan__semidefinite_solve(&f, by[0]);
    memcpy(L, S, sizeof L);
    assert_int_equal(cardan__semidefinite_factor(&f, N, 1e-11), r);
    // the same pivots in the same order, with sums in another
    assert_near(f.last / rank.ratio, 1, 1e-13 / rank.ratio);
    cardan__semidefinite_solve(&f, by[1]);
    cardan__blocks *blocks = make_blocks(S);
    cardan__blocks_factor_rank(blocks, tol);
    int found = 0;
    for (int i = 0; i < N; i++) {
      found += cardan__blocks_left(blocks)[i] > tol[i];
    }
    assert_int_equal(found, r);
    cardan__blocks_solve(blocks, by[2]);
    cardan__blocks_destroy(blocks);
    for (int k = 0; k < 3; k++) { // solutions are large where pivots are small
      times(S, by[k], met);
      assert_near(apart(met, b, N), 0, 1e-13 * (1 + support_max_abs(by[k], N)) / rank.ratio);
    }
    if (r == N) {
      cardan__rank_monitor all = {.row = 0};
      cardan__rank_begin(&all);
      memcpy(L, S, sizeof L);
      assert_int_equal(cardan__semidefinite_factor_all(&f, 1e-13, &all), -1);
      memcpy(by[1], b, sizeof b);
      cardan__semidefinite_solve(&f, by[1]);
      assert_near(apart(by[1], by[0], N), 0, 1e-13 / all.ratio / rank.ratio);
      assert_near(apart(by[2], by[0], N), 0, 1e-13 / all.ratio / rank.ratio);
    }
  }
}

/* x and lambda of (S lambda = y, x = M^-1 J^T lambda) by what loops has. */
static cardan_status solve(fixture *f, const double *g, double *x, double *lambda)
{
  const cardan_model *model = f->model;
  const cardan_status status = cardan__schur_factor(model, f->data);
  memcpy(lambda, g, (size_t)model->nrow * sizeof *g);
  memset(x, 0, (size_t)model->nv * sizeof *x);
  if (status == CARDAN_OK) {
    cardan__schur_solve(model, f->data, lambda, x);
  }
  return status;
}

/* Both solvers at one state, for right-hand sides J y, which redundant rows do not contradict: x,
 * and where rows are independent lambda, to `limit`. Of redundant rows lambda is not unique: the
 * dense solver has the shortest, the sparse one the shortest in a norm with weights. Returns
 * whether there was something to compare. */
static bool expect_same(const char *text, support_rng *rng, double limit)
{
  fixture f = fixture_load(text);
  const cardan_model *model = f.model;
  cardan__sparse_kkt *kkt = NULL;
  bool compared = false;
  assert_int_equal(cardan_forward_reserve(model, f.data), CARDAN_OK);
  assert_int_equal(cardan__sparse_kkt_create(model, NULL, NULL, &kkt), CARDAN_OK);
  const size_t nv = (size_t)model->nv, nrow = (size_t)model->nrow;
  double *y = calloc(3 * nv + 3 * nrow + 1, sizeof *y), *x = y + nv, *g = x + 2 * nv;
  double *lambda = g + nrow;
  assert_non_null(y);
  cardan_kinematics(model, f.data);
  cardan_constraints(model, f.data);
  if (kkt != NULL && nrow > 0 && f.data->loops->kkt == NULL &&
      cardan_factor(model, f.data) == CARDAN_OK) {
    const cardan__rowset set = cardan__model_rows(model);
    for (size_t k = 0; k < nv; k++) {
      const bool locked = model->body[model->v_body[k]].flags & CARDAN_LINK_KINEMATIC;
      y[k] = locked ? 0 : support_random_in(rng, -1, 1);
    }
    cardan__tree_twists(model, f.data, y, true, f.data->A);
    cardan__rows_apply(&set, &f.data->rows, f.data->A, y, g);
    const cardan_status dense = solve(&f, g, x, lambda);
    const double ratio = f.data->loops->rank.ratio;
    f.data->loops->kkt = kkt; // the same calls, with the other solver
    const cardan_status sparse = solve(&f, g, x + nv, lambda + nrow);
    f.data->loops->kkt = NULL;
    compared = dense == CARDAN_OK && sparse == CARDAN_OK && ratio > 1e-6;
    if (compared) {
      assert_near(apart(x + nv, x, model->nv), 0, limit);
      if (model->rank == model->nrow) {
        assert_near(apart(lambda + nrow, lambda, model->nrow), 0, limit);
      } else {
        const double shortest = cardan__dot(model->nrow, lambda, lambda);
        assert_true(shortest <=
                    (1 + 1e-6) * cardan__dot(model->nrow, lambda + nrow, lambda + nrow));
      }
    }
  }
  cardan__sparse_kkt_destroy(kkt);
  free(y);
  fixture_free(&f);
  return compared;
}

// 70 random mechanisms with loops, closed once or several times over
static void tree_dense_and_sparse(void **state)
{
  (void)state;
  int compared = 0;
  for (uint64_t seed = 0; seed < 70; seed++) {
    loops_kind kind;
    support_rng rng = {seed + 3};
    char *text = loops_random_text(seed, &kind);
    compared += expect_same(text, &rng, 1e-10);
    free(text);
  }
  print_message("%d of 70 mechanisms compared\n", compared);
  assert_true(compared >= 35);
}

// locked coordinates: drivers turn one crank and lift another frame
static void locked(void **state)
{
  (void)state;
  static const char driven[] =
      "(system (tz (k \"lift\") (name \"stage\"))"
      "  (at \"stage\" (rx \"a\" tz -1 (name \"A\") (mass 1 0.1 0.2 0.3)))"
      "  (at \"A\" (ry \"b\" tz -1 (name \"B\") (mass 1 0.1 0.1 0.2)))"
      "  (tx 1 (rx (k \"crank\") tz -0.5 (name \"C\") (mass 1 0.1 0.1 0.1)))"
      "  (at \"C\" (joint spherical \"s\" (name \"D\") (mass 1 0.1 0.2 0.1)))"
      "  (equation (+ q.a (* 0.5 q.b))) (equation (+ (* 2 q.a) q.b))"
      "  (motion \"lift\" (sin t)) (motion \"crank\" (* 0.2 t)))";
  support_rng rng = {5};
  assert_true(expect_same(driven, &rng, 1e-12));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(dense_and_blocks),
                                     cmocka_unit_test(tree_dense_and_sparse),
                                     cmocka_unit_test(locked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
