// SPDX-License-Identifier: Apache-2.0
// The tree's derivatives: kept ones against walked ones, walked ones against differences, the sums
// of the Lagrangian against the recursions, and the continuous equations of motion against aba.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "forces/forces.h"
#include "linalg/linalg.h"
#include "methods/svi/mid.h"
#include "methods/svi/tree/svi_tree.h"
#include "random_tree.h"

static const double step = 1e-3; // of differences of order 4: h^4 f^(5)/30 + 1.5 eps f/h
static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};

static cardan__tree *make_tree(const fixture *f, bool cache)
{
  cardan__tree *tree = NULL;
  assert_int_equal(cardan__tree_create(f->model, NULL, cache, &tree), CARDAN_OK);
  cardan__tree_write(tree, f->data->q, f->data->v);
  return tree;
}

static void motion_numbers(cardan_twist V, double x[6])
{
  const double y[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
  memcpy(x, y, sizeof y);
}

static void xform_numbers(cardan_xform X, double x[12])
{
  memcpy(x, X.R.m, 9 * sizeof *x);
  x[9] = X.p.x;
  x[10] = X.p.y;
  x[11] = X.p.z;
}

/* What a walk gives for one body and up to two levels: V, V_dq, V_dv, V_dqdq.., 12 numbers at most.
 * */
typedef void value(const cardan__tree *t, int k, int i, int j, double *x);

static void walk_V(const cardan__tree *t, int k, int i, int j, double *x)
{
  (void)i, (void)j;
  motion_numbers(cardan__tree_walk_V(t, k), x);
}
static void walk_V_dq(const cardan__tree *t, int k, int i, int j, double *x)
{
  (void)j;
  motion_numbers(cardan__tree_walk_V_dq(t, k, i), x);
}
static void walk_V_dv(const cardan__tree *t, int k, int i, int j, double *x)
{
  (void)j;
  motion_numbers(cardan__tree_walk_V_dv(t, k, i), x);
}
static void walk_V_dqdq(const cardan__tree *t, int k, int i, int j, double *x)
{
  motion_numbers(cardan__tree_walk_V_dqdq(t, k, i > j ? i : j, i > j ? j : i), x);
}
static void walk_V_dqdv(const cardan__tree *t, int k, int i, int j, double *x)
{
  motion_numbers(cardan__tree_walk_V_dqdv(t, k, i, j), x);
}
static void walk_g(const cardan__tree *t, int k, int i, int j, double *x)
{
  (void)i, (void)j;
  xform_numbers(cardan__tree_walk_g(t, k), x);
}
static void walk_g_dq(const cardan__tree *t, int k, int i, int j, double *x)
{
  (void)j;
  xform_numbers(cardan__tree_walk_g_dq(t, k, i), x);
}
static void walk_g_dqdq(const cardan__tree *t, int k, int i, int j, double *x)
{
  xform_numbers(cardan__tree_walk_g_dqdq(t, k, i, j), x);
}

/* d of a value by the coordinate or velocity at a level of body k. */
static void difference(cardan__tree *t, value *of, int k, int i, int by_level, bool by_q, int n,
                       double *out)
{
  double q[TREE_NMAX], v[TREE_NMAX], x[12];
  const size_t size = (size_t)t->model->nv * sizeof(double);
  const int dof = t->body[k].dof[by_level];
  memcpy(q, t->q, size);
  memcpy(v, t->v, size);
  memset(out, 0, (size_t)n * sizeof *out);
  for (int s = 0; s < 4; s++) {
    double *moved = by_q ? &q[dof] : &v[dof];
    const double kept = *moved;
    *moved = kept + at[s] * step;
    cardan__tree_write(t, q, v);
    of(t, k, i, i, x);
    *moved = kept;
    for (int c = 0; c < n; c++) {
      out[c] += weight[s] * x[c] / (12 * step);
    }
  }
  cardan__tree_write(t, q, v);
}

static void compare(cardan__tree *t, value *derivative, value *of, int k, int i, int j, bool by_q,
                    int n)
{
  double exact[12], fd[12];
  derivative(t, k, i, j, exact);
  // the value at level j (or none) by the variable at level i
  difference(t, of, k, j, i, by_q, n, fd);
  // values are products of rotations and lengths of a few metres; fifth derivatives are no larger
  // than 1e3 of them, and 1e-9 is ten times what that leaves
  assert_near_vec(exact, fd, n, 1e-9 * (10 + support_max_abs(exact, n)));
}

// (3), (4), (6), (7), (8), (10) against differences of (2), (3), (5), (6), (5), (8)
static void walks_are_derivatives(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    fixture f = scalar_tree(8, false, seed);
    cardan__tree *t = make_tree(&f, false);
    for (int k = f.model->nbody - 2; k < f.model->nbody; k++) {
      for (int i = 0; i < t->body[k].depth; i++) {
        compare(t, walk_g_dq, walk_g, k, i, i, true, 12);
        compare(t, walk_V_dq, walk_V, k, i, i, true, 6);
        compare(t, walk_V_dv, walk_V, k, i, i, false, 6);
        for (int j = 0; j < t->body[k].depth; j++) {
          compare(t, walk_g_dqdq, walk_g_dq, k, i, j, true, 12);
          compare(t, walk_V_dqdq, walk_V_dq, k, i, j, true, 6);
          compare(t, walk_V_dqdv, walk_V_dv, k, i, j, true, 6);
        }
      }
    }
    cardan__tree_destroy(t);
    fixture_free(&f);
  }
}

static void expect_kept(const double *kept, int count, int index, int n, value *walk,
                        const cardan__tree *t, int k, int i, int j)
{
  double x[12], y[12];
  for (int c = 0; c < n; c++) {
    x[c] = kept[c * count + index];
  }
  walk(t, k, i, j, y);
  // products of up to 40 transforms of a few dozen roundings each
  assert_near_vec(x, y, n, 100 * DBL_EPSILON * t->body[k].depth * (1 + support_max_abs(y, n)));
}

// the cache holds what a walk finds
static void kept_are_walked(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    fixture f = scalar_tree(4 * (int)seed, false, seed);
    cardan__tree *t = make_tree(&f, true);
    cardan__tree_need(t, CARDAN__TREE_V_DD | CARDAN__TREE_G_DQDQ);
    for (int k = 1; k < f.model->nbody; k++) {
      const cardan__tree_body *b = &t->body[k];
      const int d = b->depth, n = d * (d + 1) / 2;
      for (int i = 0; i < d; i++) {
        expect_kept(b->g_dq, d, i, 12, walk_g_dq, t, k, i, i);
        expect_kept(b->V_dq, d, i, 6, walk_V_dq, t, k, i, i);
        expect_kept(b->V_dv, d, i, 6, walk_V_dv, t, k, i, i);
        for (int j = 0; j <= i; j++) {
          const int pair = i * (i + 1) / 2 + j;
          expect_kept(b->g_dqdq, n, pair, 12, walk_g_dqdq, t, k, i, j);
          expect_kept(b->V_dqdq, n, pair, 6, walk_V_dqdq, t, k, i, j);
          expect_kept(b->V_dqdv, n, pair, 6, walk_V_dqdv, t, k, i, j);
        }
      }
    }
    cardan__tree_destroy(t);
    fixture_free(&f);
  }
}

// each part is computed once between two writes: poisoned values stay poisoned until a write
static void values_are_kept(void **state)
{
  (void)state;
  fixture f = scalar_tree(6, false, 2);
  cardan__tree *t = make_tree(&f, true);
  double a[TREE_NMAX], b[TREE_NMAX], c[TREE_NMAX];
  const int last = f.model->nbody - 1;
  cardan__tree_first(t, a, b);
  const double good = t->body[last].V_dq[0];
  t->body[last].V_dq[0] = good + 1;
  cardan__tree_first(t, c, b);
  assert_true(memcmp(a, c, (size_t)f.model->nv * sizeof *a) != 0);
  assert_int_equal(t->writes, 1);
  cardan__tree_write(t, f.data->q, f.data->v);
  cardan__tree_first(t, c, b);
  assert_memory_equal(a, c, (size_t)f.model->nv * sizeof *a);
  assert_int_equal(t->writes, 2);
  cardan__tree_destroy(t);
  fixture_free(&f);
}

typedef struct {
  double *qq, *qv, *vv;
} hessians;

static hessians make_hessians(int nv)
{
  hessians h;
  h.qq = calloc(3 * (size_t)nv * (size_t)nv, sizeof(double));
  assert_non_null(h.qq);
  h.qv = h.qq + nv * nv;
  h.vv = h.qv + nv * nv;
  return h;
}

// (23) to (27) and the forces' derivatives against the recursions of mid.c, with and without a
// cache
static void sums_are_recursions(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    fixture f = scalar_tree(7 + (int)seed, seed % 2 == 0, seed);
    const cardan_model *model = f.model;
    const int nv = model->nv;
    double a[TREE_NMAX], b[TREE_NMAX], L_q[TREE_NMAX], L_v[TREE_NMAX];
    double dq[TREE_NMAX], dv[TREE_NMAX], da[TREE_NMAX], db[TREE_NMAX], x[TREE_NMAX], y[TREE_NMAX];
    cardan__mid mid;
    assert_int_equal(cardan__mid_create(model, true, NULL, &mid), CARDAN_OK);
    memcpy(mid.data->q, f.data->q, (size_t)nv * sizeof(double));
    memcpy(mid.data->v, f.data->v, (size_t)nv * sizeof(double));
    mid.data->t = f.data->t;
    cardan__mid_eval(&mid, a, b);
    support_rng rng = {seed};
    support_random_vec(&rng, dq, nv, 1);
    support_random_vec(&rng, dv, nv, 1);
    cardan__mid_slope(&mid, dq, dv, da, db);
    for (int cache = 0; cache < 2; cache++) {
      cardan__tree *t = make_tree(&f, cache == 1);
      hessians h = make_hessians(nv), fs = make_hessians(nv);
      cardan__tree_first(t, L_q, L_v);
      cardan__tree_forces(t, mid.data->f_ext, mid.data->tau, L_q);
      const double first = support_max_abs(b, nv) + support_max_abs(a, nv);
      assert_near_vec(L_v, a, nv, 100 * DBL_EPSILON * model->nbody * first);
      assert_near_vec(L_q, b, nv, 100 * DBL_EPSILON * model->nbody * first);
      cardan__tree_second(t, h.qq, h.qv, h.vv);
      cardan__tree_forces_second(t, mid.data, NULL, fs.qq, fs.vv);
      for (int i = 0; i < nv; i++) {
        x[i] = y[i] = 0;
        for (int j = 0; j < nv; j++) {
          x[i] += h.qv[j * nv + i] * dq[j] + h.vv[i * nv + j] * dv[j];
          y[i] += (h.qq[i * nv + j] + fs.qq[i * nv + j]) * dq[j] +
                  (h.qv[i * nv + j] + fs.vv[i * nv + j]) * dv[j];
        }
      }
      const double second = support_max_abs(da, nv) + support_max_abs(db, nv);
      assert_near_vec(x, da, nv, 100 * DBL_EPSILON * model->nbody * second);
      assert_near_vec(y, db, nv, 100 * DBL_EPSILON * model->nbody * second);
      free(h.qq);
      free(fs.qq);
      cardan__tree_destroy(t);
    }
    cardan__mid_destroy(&mid, NULL);
    fixture_free(&f);
  }
}

// (28), (29): L_vv a = L_q + f - L_qv^T v, against the articulated-body algorithm
// tolerance: 1e-10 of the largest acceleration; L_vv of these trees has condition numbers to 1e5
static void lagrange_is_aba(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    fixture f = scalar_tree(7 + (int)seed, seed % 2 == 0, seed);
    const int nv = f.model->nv;
    double L_q[TREE_NMAX], L_v[TREE_NMAX];
    hessians h = make_hessians(nv);
    cardan__tree *t = make_tree(&f, true);
    cardan__tree_first(t, L_q, L_v);
    cardan__tree_second(t, h.qq, h.qv, h.vv);
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    cardan__tree_forces(t, f.data->f_ext, f.data->tau, L_q);
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) {
        L_q[i] -= h.qv[j * nv + i] * f.data->v[j]; // the transpose that [1] (28) leaves out
      }
    }
    assert_int_equal(cardan__cholesky(nv, h.vv, 0), -1);
    cardan__cholesky_solve(nv, h.vv, L_q);
    assert_near_vec(L_q, f.data->a, nv, 1e-10 * support_max_abs(f.data->a, nv));
    free(h.qq);
    cardan__tree_destroy(t);
    fixture_free(&f);
  }
}

// (36): the same with constraints, [L_vv -G^T; G 0] (a, lambda) = (L_q + f - L_qv^T v, gamma),
// where gamma is minus the second derivative of the constraints along v
static void constrained_lagrange_is_aba(void **state)
{
  static const char *const models[] = {"closed-chain", "scissor:3", "biped", "cam", "gear"};
  (void)state;
  for (int m = 0; m < 5; m++) {
    fixture f = {NULL, NULL};
    cardan_report report = {.message = ""};
    assert_int_equal(cardan_model_load(models[m], NULL, 0, NULL, &f.model, &report), CARDAN_OK);
    assert_int_equal(cardan_data_create(f.model, NULL, &f.data), CARDAN_OK);
    for (int k = 0; k < f.model->nv; k++) {
      f.data->v[k] = sin(k + 1);
    }
    assert_int_equal(cardan_assemble(f.model, f.data, NULL, &report), CARDAN_OK);
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    const int nv = f.model->nv, n = nv + f.model->nrow;
    double L_v[TREE_NMAX], x[2 * TREE_NMAX];
    int pivot[2 * TREE_NMAX];
    hessians h = make_hessians(nv);
    double *K = calloc((size_t)n * (size_t)n, sizeof *K);
    assert_non_null(K);
    cardan__tree *t = make_tree(&f, true);
    cardan__tree_first(t, x, L_v);
    cardan__tree_second(t, h.qq, h.qv, h.vv);
    cardan__tree_forces(t, f.data->f_ext, f.data->tau, x);
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) {
        x[i] -= h.qv[j * nv + i] * f.data->v[j];
        K[i * n + j] = h.vv[i * nv + j];
      }
    }
    for (int r = 0; r < f.model->nrow; r++) {
      const cardan_row *row = &f.model->row[r];
      double G[TREE_NMAX] = {0};
      assert_false(f.model->row_redundant[r]);
      for (int i = row->badr; i < row->badr + row->nb; i++) {
        cardan__tree_pull_one(t, f.model->row_body[i], f.data->rows.w[i], 1, G);
      }
      for (int i = row->dadr; i < row->dadr + row->nd; i++) {
        G[f.model->row_dof[i]] += f.data->rows.c[i];
      }
      for (int k = 0; k < nv; k++) {
        K[k * n + nv + r] = -G[k];
        K[(nv + r) * n + k] = G[k];
      }
      x[nv + r] = f.data->rows.gamma[r];
    }
    assert_int_equal(cardan__lu(n, K, pivot), -1);
    cardan__lu_solve(n, K, pivot, x);
    // as above; the matrices of these mechanisms have condition numbers to 1e5
    assert_near_vec(x, f.data->a, nv, 1e-10 * support_max_abs(f.data->a, nv));
    const double force = support_max_abs(f.data->lambda, f.model->nrow);
    assert_near_vec(x + nv, f.data->lambda, f.model->nrow, 1e-10 * force);
    free(K);
    free(h.qq);
    cardan__tree_destroy(t);
    fixture_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(walks_are_derivatives), cmocka_unit_test(kept_are_walked),
      cmocka_unit_test(values_are_kept),       cmocka_unit_test(sums_are_recursions),
      cmocka_unit_test(lagrange_is_aba),       cmocka_unit_test(constrained_lagrange_is_aba),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
