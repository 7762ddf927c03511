// SPDX-License-Identifier: Apache-2.0
// The linear system of the maximal methods: the factorisation along the tree, and the others,
// against a dense solve of the same matrix.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/linalg.h"
#include "maximal_fixture.h"

/* [M J^T; J 0] in full, by columns of unit vectors: uses nothing of the solvers. */
static double *full_matrix(const mechanism *f)
{
  const cardan__maximal *mx = f->mx;
  const int n = mx->nx, m = mx->neq, N = n + m;
  double *A = calloc((size_t)N * (size_t)N, sizeof *A);
  double *x = calloc((size_t)N, sizeof *x), *y = calloc((size_t)N, sizeof *y);
  assert_true(A && x && y);
  for (int k = 0; k < n; k++) {
    memset(x, 0, (size_t)N * sizeof *x);
    x[k] = 1;
    cardan__mx_mass_mul(mx, x, y);
    cardan__mx_apply(mx, x, y + n);
    for (int i = 0; i < N; i++) {
      A[i * N + k] = y[i];
      A[k * N + i] = y[i];
    }
  }
  free(x);
  free(y);
  return A;
}

/* Magnification of an error in the right-hand side by the matrix that was factored: its condition
 * number in the largest norm, with the inverse's rows sampled by random signs. */
static double condition(int N, const double *A, const double *LU, const int *pivot,
                        support_rng *rng)
{
  double *x = calloc((size_t)N, sizeof *x), rows = 0, inverse = 0;
  assert_non_null(x);
  for (int i = 0; i < N; i++) {
    double sum = 0;
    for (int j = 0; j < N; j++) {
      sum += fabs(A[i * N + j]);
    }
    rows = fmax(rows, sum);
  }
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < N; i++) {
      x[i] = support_random_int(rng, 0, 1) ? 1 : -1;
    }
    cardan__lu_solve(N, LU, pivot, x);
    inverse = fmax(inverse, support_max_abs(x, N));
  }
  free(x);
  return rows * inverse;
}

/* Largest error of a solve relative to the largest number of the dense one; *limit: 50 rounding
 * errors times the condition of the matrix. */
static double error_of(mechanism *f, cardan__kkt_kind kind, support_rng *rng, int *blocks,
                       int *naux, double *limit)
{
  const cardan__maximal *mx = f->mx;
  const int n = mx->nx, m = mx->neq, N = n + m;
  cardan__kkt *kkt = NULL;
  int row = -1, *pivot = calloc((size_t)N + 1, sizeof *pivot);
  double *A = full_matrix(f), *b = calloc((size_t)N, sizeof *b), *x = calloc((size_t)N, sizeof *x);
  assert_true(pivot && b && x);
  assert_int_equal(cardan__kkt_create(mx, kind, NULL, &kkt), CARDAN_OK);
  assert_int_equal(cardan__kkt_factor(kkt, &row), CARDAN_OK);
  support_random_vec(rng, b, N, 1);
  cardan__kkt_solve(kkt, b, b + n, x, x + n);
  double *LU = malloc((size_t)N * (size_t)N * sizeof *LU);
  assert_non_null(LU);
  memcpy(LU, A, (size_t)N * (size_t)N * sizeof *LU);
  assert_int_equal(cardan__lu(N, LU, pivot), -1);
  cardan__lu_solve(N, LU, pivot, b);
  *limit = 50 * DBL_EPSILON * condition(N, A, LU, pivot, rng);
  free(LU);
  const double size = support_max_abs(b, N);
  for (int i = 0; i < N; i++) {
    x[i] -= b[i];
  }
  const double error = support_max_abs(x, N) / size;
  if (kind == CARDAN__KKT_TREE) {
    *blocks = cardan__mx_tree_blocks(kkt->tree);
    *naux = kkt->graph.naux;
  }
  cardan__kkt_destroy(kkt);
  free(pivot);
  free(A);
  free(b);
  free(x);
  return error;
}

static const cardan__kkt_kind kinds[] = {CARDAN__KKT_TREE, CARDAN__KKT_SPARSE, CARDAN__KKT_DENSE,
                                         CARDAN__KKT_SCHUR};

// trees of all joints, hung up and floating, in space and in a plane: every solver against a dense
// LU, within 1e-12 of the largest number; one block of L for every node but the roots
static void trees(void **state)
{
  (void)state;
  double worst[2] = {0, 0};
  for (int i = 0; i < 60; i++) {
    const bool planar = i % 2, floating = i % 3 == 0;
    support_rng rng = {1000 + (uint64_t)i};
    mechanism f = random_mechanism((uint64_t)i, 2 + i / 2, planar, floating, 0);
    shake_mechanism(&f, &rng, 0.7);
    assert_int_equal(f.mx->dof, planar ? 3 : 6);
    cardan__mx_jacobian(f.mx);
    for (int k = 0; k < 4; k++) {
      int blocks = 0, naux = 0;
      double limit;
      const double error = error_of(&f, kinds[k], &rng, &blocks, &naux, &limit);
      worst[planar] = fmax(worst[planar], error);
      assert_near(error, 0, 1e-12);
      if (kinds[k] == CARDAN__KKT_TREE) {
        // nodes: bodies and joints that hold something; roots: edges to the world, floating bodies
        int nodes = f.mx->nbody, roots = 0;
        for (int b = 0; b < f.mx->nbody; b++) {
          nodes += f.mx->joint[b].nrow > 0;
          roots += f.mx->joint[b].parent < 0 || f.mx->joint[b].nrow == 0;
        }
        assert_int_equal(naux, 0);
        assert_int_equal(blocks, nodes - roots);
      }
    }
    free_mechanism(&f);
  }
  print_message("trees: largest relative error %.1e in space, %.1e in a plane\n", worst[0],
                worst[1]);
}

/* Every body apart by random turns and displacements: joints are open. */
static void pull_apart(mechanism *f, support_rng *rng, double size)
{
  cardan__maximal *mx = f->mx;
  double *x = calloc((size_t)mx->nx, sizeof *x);
  assert_non_null(x);
  support_random_vec(rng, x, mx->nx, size);
  cardan__mx_drift(mx, f->cfg, x, f->cfg);
  cardan__mx_place(mx, f->cfg, NULL);
  cardan__mx_coordinates(mx, true);
  cardan__mx_jacobian(mx);
  free(x);
}

// the same with joints that are open, by up to a third of a radian and of a metre
// tolerance: 50 roundings times the condition
static void open_joints(void **state)
{
  (void)state;
  for (int i = 0; i < 40; i++) {
    const bool planar = i % 4 == 3;
    support_rng rng = {3000 + (uint64_t)i};
    mechanism f = random_mechanism(200 + (uint64_t)i, 2 + i / 4, planar, i % 3 == 0, 0);
    shake_mechanism(&f, &rng, 0.7);
    pull_apart(&f, &rng, 0.3);
    for (int k = 0; k < 2; k++) {
      int blocks = 0, naux = 0;
      double limit;
      const double error = error_of(&f, kinds[k], &rng, &blocks, &naux, &limit);
      assert_near(error, 0, limit);
    }
    free_mechanism(&f);
  }
}

// one tree: nodes - 1 blocks, in space and in a plane
static void one_block_less(void **state)
{
  (void)state;
  static const char *const models[] = {"chain:20", "chain-planar:20", "bintree:4",
                                       "spherical-chain:9"};
  for (int i = 0; i < 4; i++) {
    support_rng rng = {7};
    mechanism f = load_mechanism(models[i], NULL, true);
    int blocks = 0, naux = 0, nodes = f.mx->nbody;
    double limit;
    for (int b = 0; b < f.mx->nbody; b++) {
      nodes += f.mx->joint[b].nrow > 0;
    }
    cardan__mx_jacobian(f.mx);
    assert_near(error_of(&f, CARDAN__KKT_TREE, &rng, &blocks, &naux, &limit), 0, 1e-12);
    assert_int_equal(blocks, nodes - 1);
    free_mechanism(&f);
  }
}

/* Solves with a right-hand side that the rows can meet, g = J y, after a factorisation: the largest
 * of the residual of both equations, relative to their sizes. x: nx, out. Idle rows have no
 * multiplier, whatever its right-hand side. */
static double left_over(const cardan__maximal *mx, cardan__kkt *kkt, double *x)
{
  const size_t n = (size_t)mx->nx, m = (size_t)mx->neq;
  support_rng rng = {11};
  double *f = calloc(3 * n + 3 * m, sizeof *f), *y = f + n, *r = y + n, *g = r + n, *l = g + m;
  assert_non_null(f);
  support_random_vec(&rng, f, mx->nx, 1);
  support_random_vec(&rng, y, mx->nx, 1);
  cardan__mx_apply(mx, y, g);
  for (int e = 0; e < mx->neq; e++) {
    l[e] = kkt->idle[e] ? 7 : g[e];
  }
  cardan__kkt_solve(kkt, f, l, x, l);
  cardan__mx_mass_mul(mx, x, r);
  cardan__mx_transpose(mx, 1, l, r);
  double worst = 0;
  for (size_t i = 0; i < n; i++) {
    worst = fmax(worst, fabs(r[i] - f[i]) / support_max_abs(l, mx->neq));
  }
  for (int e = 0; e < mx->neq; e++) {
    assert_true(!kkt->idle[e] || l[e] == 0);
  }
  cardan__mx_apply(mx, x, l);
  for (size_t e = 0; e < m; e++) {
    worst = fmax(worst, fabs(l[e] - g[e]) / support_max_abs(x, mx->nx));
  }
  free(f);
  return worst;
}

static double left_over_of(const mechanism *f, cardan__kkt_kind kind)
{
  double *x = calloc((size_t)f->mx->nx, sizeof *x);
  cardan__kkt *kkt = NULL;
  int row = -1;
  assert_non_null(x);
  assert_int_equal(cardan__kkt_create(f->mx, kind, NULL, &kkt), CARDAN_OK);
  assert_int_equal(cardan__kkt_factor(kkt, &row), CARDAN_OK);
  const double error = left_over(f->mx, kkt, x);
  cardan__kkt_destroy(kkt);
  free(x);
  return error;
}

// loops by constraint anticipation and by SuiteSparse against the dense KKT matrix
// tolerance: loops of random shape may be near to singular; 50 roundings times the condition. Some
// hold a ball on an axis that is held already: rows too many, where the loop is closed
static void loops(void **state)
{
  (void)state;
  double worst = 0, largest = 0;
  int too_many = 0, with_auxiliary = 0; // a pair between neighbours may join their edge instead
  for (int i = 0; i < 30; i++) {
    const bool planar = i % 2;
    support_rng rng = {2000 + (uint64_t)i};
    const int n = 8 + i;
    mechanism f = random_mechanism(100 + (uint64_t)i, n, planar, i % 3 == 0, 1 + i % 3);
    if (f.mx->nredundant == 0) {
      shake_mechanism(&f, &rng, 0.2);
    }
    cardan__mx_jacobian(f.mx);
    too_many += f.mx->nredundant;
    for (int k = 0; k < 4; k++) {
      int blocks = 0, naux = 0;
      double limit;
      if (f.mx->nredundant > 0) {
        assert_near(left_over_of(&f, kinds[k]), 0, 1e-12);
        continue;
      }
      const double error = error_of(&f, kinds[k], &rng, &blocks, &naux, &limit);
      worst = fmax(worst, error / limit * 50 * DBL_EPSILON);
      largest = fmax(largest, error);
      assert_near(error, 0, limit);
      with_auxiliary += naux > 0;
    }
    free_mechanism(&f);
  }
  print_message(
      "loops: largest relative error %.1e, over the condition %.1e; %d of 30 with auxiliary rows\n",
      largest, worst, with_auxiliary);
  assert_true(with_auxiliary >= 15);
  assert_true(too_many > 0);
}

// rows that the others give: every solver passes over as many as there are, and meets all of them.
// A door on three hinges in a line, and a four-bar closed by two hinges, in space
static void redundant(void **state)
{
  (void)state;
  static const struct {
    const char *text;
    int redundant;
  } cases[] = {
      {"(system \"door\" (rz \"q\" (tx 0.4 tz 1 (mass 20 2 2 3)) (tz 1 (name \"d1\"))"
       " (tz 2 (name \"d2\"))) (tz 1 (name \"w1\")) (tz 2 (name \"w2\"))"
       " (close revolute \"d1\" \"w1\" (axis 0 0 1)) (close revolute \"d2\" \"w2\" (axis 0 0 1))"
       " (initial (\"q\" 0.7)))",
       10},
      {"(system \"bars\" (rz \"a\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (rz \"b\" (tx 1"
       " (mass 1 0.1 0.1 0.1)) (tx 2 (name \"b1\")) (tx 2 tz 0.3 (name \"b2\")))))"
       " (tx 2 (rz \"c\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (name \"c1\"))"
       " (tx 1 tz 0.3 (name \"c2\"))))"
       " (close revolute \"b1\" \"c1\" (axis 0 0 1)) (close revolute \"b2\" \"c2\" (axis 0 0 1))"
       " (initial (\"a\" 1) (\"b\" -1) (\"c\" 1)))",
       8}};
  for (int i = 0; i < 2; i++) {
    mechanism f = load_mechanism(cases[i].text, NULL, false);
    double x[2][18]; // three bodies at most
    memcpy(f.data->q, f.model->q0, (size_t)f.model->nq * sizeof *f.data->q);
    look_at_mechanism(&f);
    cardan__mx_jacobian(f.mx);
    assert_int_equal(f.mx->nredundant, cases[i].redundant);
    for (int k = 0; k < 4; k++) {
      cardan__kkt *kkt = NULL;
      int row = -1;
      assert_int_equal(cardan__kkt_create(f.mx, kinds[k], NULL, &kkt), CARDAN_OK);
      assert_int_equal(cardan__kkt_factor(kkt, &row), CARDAN_OK);
      assert_int_equal(kkt->nidle, cases[i].redundant);
      // 1e-13: some tens of roundings, of numbers of size 1
      assert_near(left_over(f.mx, kkt, x[k > 0]), 0, 1e-13);
      assert_near_vec(x[k > 0], x[0], f.mx->nx, 1e-13);
      cardan__kkt_destroy(kkt);
    }
    free_mechanism(&f);
  }
}

// a parallelogram that lies flat: every solver says singular, names one of its rows, and can be
// used with the others
static void singular(void **state)
{
  (void)state;
  const char *flat =
      "(system \"flat\" (ry \"a\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (name \"a1\")))"
      " (at \"a1\" (ry \"b\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (name \"b1\"))))"
      " (tx 1 ry \"c\" (tx 0.5 (mass 1 0.1 0.1 0.1)) (tx 1 (name \"c1\")))"
      " (point-constraint \"b1\" \"c1\" 1 0 0) (point-constraint \"b1\" \"c1\" 0 0 1))";
  mechanism f = load_mechanism(flat, NULL, true);
  f.data->q[0] = f.data->q[1] = f.data->q[2] = 0;
  look_at_mechanism(&f);
  cardan__mx_jacobian(f.mx);
  assert_int_equal(f.mx->neq, 8);
  for (int k = 0; k < 4; k++) {
    cardan__kkt *kkt = NULL;
    double x[9];
    int row = -1;
    assert_int_equal(cardan__kkt_create(f.mx, kinds[k], NULL, &kkt), CARDAN_OK);
    assert_int_equal(cardan__kkt_factor(kkt, &row), CARDAN_ERR_SINGULAR);
    assert_in_range(row, 0, 7);
    assert_int_equal(kkt->nidle, 1);
    assert_near(left_over(f.mx, kkt, x), 0, 1e-13);
    cardan__kkt_destroy(kkt);
  }
  free_mechanism(&f);
}

// a hinge whose axes are a right angle apart: both rows of its direction are one there, and every
// solver passes over one of them
static void right_angle(void **state)
{
  (void)state;
  const char *two = "(system \"two\" (ry \"a\" (tx 0.5 (mass 1 0.1 0.2 0.3)) (tx 1 (name \"tip\")))"
                    " (at \"tip\" (rx \"b\" (tz 0.5 (mass 1 0.1 0.2 0.3)))))";
  mechanism f = load_mechanism(two, NULL, true);
  double turn[12] = {0};
  turn[6] = turn[7] = acos(0) * sqrt(0.5); // across the axis of b, z of its frame
  cardan__mx_drift(f.mx, f.cfg, turn, f.cfg);
  cardan__mx_place(f.mx, f.cfg, NULL);
  cardan__mx_jacobian(f.mx);
  for (int k = 0; k < 4; k++) {
    cardan__kkt *kkt = NULL;
    double x[12];
    int row = -1;
    assert_int_equal(cardan__kkt_create(f.mx, kinds[k], NULL, &kkt), CARDAN_OK);
    assert_int_equal(cardan__kkt_factor(kkt, &row), CARDAN_ERR_SINGULAR);
    assert_in_range(row, 5, 9); // of b
    assert_int_equal(kkt->nidle, 1);
    assert_near(left_over(f.mx, kkt, x), 0, 1e-13);
    cardan__kkt_destroy(kkt);
  }
  free_mechanism(&f);
}

// many rows on one body: a wheel of pendulums, tied to one another. The sparse solver then orders
// as it likes, and refinement takes back what that costs
static void wheel(void **state)
{
  (void)state;
  char text[16384];
  int at =
      snprintf(text, sizeof text, "(system \"wheel\" (ry \"hub\" (name \"hub\") (mass 5 1 1 1))");
  enum { SPOKES = 60 };
  for (int i = 0; i < SPOKES; i++) {
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "(at \"hub\" (ry %.17g tx 1 ry \"q%d\" (name \"b%d\") (mass 1 0.1 0.1 0.1)))",
                   0.1 * i, i, i);
  }
  for (int i = 1; i < SPOKES; i++) { // wires between neighbours, about as long as they are apart
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "(at \"b%d\" (tz 0.5 (name \"A%d\")))(at \"b%d\" (tz 0.5 (name \"B%d\")))"
                   "(wire \"A%d\" \"B%d\" %.17g)",
                   i - 1, i, i, i, i, i, 2 * sin(0.05) * hypot(1, 0.5));
  }
  snprintf(text + at, sizeof text - (size_t)at, ")");
  support_rng rng = {5};
  mechanism f = load_mechanism(text, NULL, true);
  shake_mechanism(&f, &rng, 0.3);
  cardan__mx_jacobian(f.mx);
  for (int k = 0; k < 4; k++) {
    int blocks = 0, naux = 0;
    double limit;
    const double error = error_of(&f, kinds[k], &rng, &blocks, &naux, &limit);
    assert_near(error, 0, limit);
  }
  free_mechanism(&f);
}

/* Largest difference of two vectors relative to the larger numbers of the second. */
static double apart(int n, const double *x, const double *y)
{
  double most = 0, size = 0;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i] - y[i]));
    size = fmax(size, fabs(y[i]));
  }
  return most / size;
}

// gamma and J v, which the pairs of a tree make of velocities themselves, against the rows'; and
// which pairs do not know gamma. Both ways end in the same factors: 100 rounding errors of 20
// bodies
static void velocities(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    bool products;
  } cases[] = {{"chain:10", true},
               {"humanoid", true},
               {"spherical-chain:8", true},
               {"(system \"s\" (ry \"a\" (name \"A\") (mass 1 .1 .2 .3))"
                "(at \"A\" (tx 1 rx \"b\" tx .3 (name \"B\") (mass 1 .1 .1 .2)))"
                "(at \"B\" (tx 1 rz \"c\" tz .2 (mass 2 .3 .1 .1))))",
                true},
               {"(system \"s\" (ry \"a\" (name \"A\") (mass 1 .1 .2 .3))"
                "(at \"A\" (tx 1 tz \"b\" (mass 1 .1 .1 .2))))",
                false}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    support_rng rng = {70 + i};
    mechanism f = load_mechanism(cases[i].name, NULL, false);
    shake_mechanism(&f, &rng, 0.7);
    const int n = f.mx->nx, m = f.mx->neq;
    double *x = calloc(4 * (size_t)n, sizeof *x), *g = calloc((size_t)m, sizeof *g);
    double *y = x + n, *load = y + n, *vel = load + n;
    cardan__kkt *kkt = NULL;
    int row = -1;
    assert_true(x && g);
    assert_int_equal(cardan__kkt_create(f.mx, CARDAN__KKT_TREE, NULL, &kkt), CARDAN_OK);
    cardan__mx_jacobian(f.mx);
    assert_int_equal(cardan__kkt_factor(kkt, &row), CARDAN_OK);
    assert_int_equal(cardan__kkt_knows_products(kkt), cases[i].products);
    support_random_vec(&rng, load, n, 1);
    if (cases[i].products) {
      cardan__mx_rates_of_rows(f.mx, true);
      cardan__mx_equations(f.mx, 1, f.mx->rows.gamma, g);
      cardan__kkt_solve(kkt, load, g, x, NULL);
      cardan__kkt_accelerate(kkt, load, f.vel, y);
      assert_near(apart(n, y, x), 0, 100 * 20 * DBL_EPSILON);
    }
    support_random_vec(&rng, vel, n, 1); // do not keep the rows
    cardan__mx_apply(f.mx, vel, g);
    for (int e = 0; e < m; e++) {
      g[e] = -g[e];
    }
    cardan__kkt_solve(kkt, NULL, g, x, NULL);
    cardan__kkt_keep(kkt, vel, y);
    assert_near(apart(n, y, x), 0, 100 * 20 * DBL_EPSILON);
    cardan__kkt_destroy(kkt);
    free(x);
    free(g);
    free_mechanism(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees),          cmocka_unit_test(open_joints),
      cmocka_unit_test(one_block_less), cmocka_unit_test(loops),
      cmocka_unit_test(redundant),      cmocka_unit_test(singular),
      cmocka_unit_test(right_angle),    cmocka_unit_test(wheel),
      cmocka_unit_test(velocities),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
