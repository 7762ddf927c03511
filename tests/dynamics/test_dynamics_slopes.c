// SPDX-License-Identifier: Apache-2.0
// Derivatives of inverse and forward dynamics against differences of order 8, on random trees with
// all kinds of joints, with forces of all kinds, and with prescribed motions.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cardan/dynamics.h"
#include "model/data.h"
#include "random_tree.h"

/* What is differentiated: from q, v of the data (and tau_in) to nv numbers. */
typedef void function(const fixture *f, const double *a, double *out);

static void inverse(const fixture *f, const double *a, double *out)
{
  cardan_inverse(f->model, f->data, a, out);
}

static void forward(const fixture *f, const double *a, double *out)
{
  (void)a;
  assert_int_equal(cardan_forward(f->model, f->data, 0, 0), CARDAN_OK);
  memcpy(out, f->data->a, (size_t)f->model->nv * sizeof *out);
}

/* c(q, v) - Q(q, v) = -M a of the accelerations that there are. */
static void rest(const fixture *f, const double *a, double *out)
{
  const int nv = f->model->nv;
  double *M = calloc((size_t)nv * (size_t)nv, sizeof *M);
  (void)a;
  assert_non_null(M);
  assert_int_equal(cardan_forward(f->model, f->data, 0, 0), CARDAN_OK);
  cardan_crba(f->model, f->data, M);
  for (int i = 0; i < nv; i++) {
    out[i] = 0;
    for (int j = 0; j < nv; j++) {
      out[i] -= M[i * nv + j] * f->data->a[j];
    }
  }
  free(M);
}

enum { BY_Q, BY_V, BY_TAU };

/* Moves entry j of one of the three by s from where it was. */
static void move(const fixture *f, int by, int j, double s, const double *q, double *unit)
{
  unit[j] = 1.0;
  if (by == BY_Q) {
    cardan_q_move(f->model, q, unit, s, f->data->q);
  } else {
    (by == BY_V ? f->data->v : f->data->tau_in)[j] += s;
  }
  unit[j] = 0.0;
}

/* Column j, by the central difference of order 8: the error is h^8/630 of the ninth derivative. */
static void difference(const fixture *f, function *of, const double *a, int by, int j, double h,
                       double *column)
{
  static const double c[5] = {0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const size_t nv = (size_t)f->model->nv, nq = (size_t)f->model->nq;
  double *work = calloc(2 * nv + nq, sizeof *work);
  double *unit = work + nv, *q = unit + nv;
  assert_non_null(work);
  memcpy(q, f->data->q, nq * sizeof *q);
  memset(column, 0, nv * sizeof *column);
  for (int k = -4; k <= 4; k++) {
    if (k != 0) {
      move(f, by, j, k * h, q, unit);
      of(f, a, work);
      move(f, by, j, by == BY_Q ? 0.0 : -k * h, q, unit);
      for (size_t i = 0; i < nv; i++) {
        column[i] += (k > 0 ? c[k] : -c[-k]) * work[i] / h;
      }
    }
  }
  memcpy(f->data->q, q, nq * sizeof *q);
  free(work);
}

/* Largest error of a matrix of derivatives, relative to its largest entry and 1. */
static double compare(const fixture *f, function *of, const double *a, int by, double h,
                      const double *D)
{
  const int nv = f->model->nv;
  double *column = calloc((size_t)nv, sizeof *column), size = 1.0, worst = 0.0;
  assert_non_null(column);
  for (int j = 0; j < nv; j++) {
    difference(f, of, a, by, j, h, column);
    for (int i = 0; i < nv; i++) {
      size = fmax(size, fabs(D[i * nv + j]));
      worst = fmax(worst, fabs(D[i * nv + j] - column[i]));
    }
  }
  free(column);
  return worst / size;
}

/* Of one coordinate inverse dynamics is a polynomial of sine and cosine, of degree 2, and of one
 * velocity a polynomial of degree 2: with h = 0.02 truncation is 2e-14 of its size, and rounding
 * eps / h of it. */
static double check_inverse(const fixture *f, const double *a)
{
  const int nv = f->model->nv;
  const size_t square = (size_t)nv * (size_t)nv;
  double *D = calloc(4 * square, sizeof *D), worst = 0.0, size = 1.0;
  assert_non_null(D);
  cardan_kinematics(f->model, f->data);
  assert_int_equal(cardan_inverse_slopes(f->model, f->data, a, D, D + square, D + 2 * square),
                   CARDAN_OK);
  cardan_crba(f->model, f->data, D + 3 * square);
  for (size_t i = 0; i < square; i++) {
    size = fmax(size, fabs(D[3 * square + i]));
    worst = fmax(worst, fabs(D[3 * square + i] - D[2 * square + i]));
  }
  worst = fmax(worst / size, compare(f, inverse, a, BY_Q, 0.02, D));
  worst = fmax(worst, compare(f, inverse, a, BY_V, 0.5, D + square));
  free(D);
  return worst;
}

static double check_forward(const fixture *f, double h)
{
  const int nv = f->model->nv;
  const size_t square = (size_t)nv * (size_t)nv;
  double *D = calloc(3 * square, sizeof *D), worst = 0.0;
  assert_non_null(D);
  assert_int_equal(cardan_forward(f->model, f->data, 0, 0), CARDAN_OK);
  assert_int_equal(cardan_forward_slopes(f->model, f->data, D, D + square, D + 2 * square),
                   CARDAN_OK);
  for (int by = BY_Q; by <= BY_TAU; by++) {
    worst =
        fmax(worst, compare(f, forward, NULL, by, by == BY_TAU ? 1.0 : h, D + (size_t)by * square));
  }
  free(D);
  return worst;
}

static void test_inverse(void **state)
{
  double worst = 0.0, *tau;
  (void)state;
  for (int seed = 0; seed < 40; seed++) {
    fixture f = tree_loaded(seed, 25, 0, &tau);
    const double error = check_inverse(&f, tau);
    worst = fmax(worst, error);
    assert_true(error < 1e-11);
    free(tau);
    fixture_free(&f);
  }
  print_message("largest error of d tau, relative: %.2g\n", worst);
}

/* Accelerations are quotients: the ninth derivative is as large as the worst conditioned joint
 * makes it, hence the wider bound and the smaller h. */
static void test_forward(void **state)
{
  double worst = 0.0, *tau;
  (void)state;
  for (int seed = 0; seed < 40; seed++) {
    fixture f = tree_loaded(seed, 12, 0, &tau);
    memcpy(f.data->tau_in, tau, (size_t)f.model->nv * sizeof *tau);
    memcpy(f.data->f_in, f.data->f_ext, (size_t)f.model->nbody * sizeof *f.data->f_in);
    const double error = check_forward(&f, 0.005);
    worst = fmax(worst, error);
    assert_true(error < 1e-9);
    free(tau);
    fixture_free(&f);
  }
  print_message("largest error of da, relative: %.2g\n", worst);
}

static double check_stiffness(const fixture *f, double h)
{
  const size_t square = (size_t)f->model->nv * (size_t)f->model->nv;
  double *K = calloc(2 * square, sizeof *K);
  assert_non_null(K);
  cardan_kinematics(f->model, f->data);
  assert_int_equal(cardan_stiffness(f->model, f->data, K, K + square), CARDAN_OK);
  const double worst =
      fmax(compare(f, rest, NULL, BY_Q, h, K), compare(f, rest, NULL, BY_V, h, K + square));
  free(K);
  return worst;
}

static void test_forces(void **state)
{
  support_rng rng = {.state = 5};
  cardan_spec *spec = tree_spec(12, &rng);
  (void)state;
  tree_add_potentials(spec);
  fixture f = fixture_build(spec);
  tree_random_state(&f, &rng);
  assert_true(check_forward(&f, 0.002) < 1e-9);
  assert_true(check_stiffness(&f, 0.002) < 1e-9);
  fixture_free(&f);
  f = scalar_tree(16, true, 3);
  assert_true(check_forward(&f, 0.002) < 1e-9);
  assert_true(check_stiffness(&f, 0.002) < 1e-9);
  fixture_free(&f);
}

/* Springs, dampers and torques that stay within their joints go by the diagonal. */
static const char own[] =
    "(system (gravity 0 0 -9.81) (rx \"a\" (tz -1 (mass 1 0.1 0.2 0.3) (ry \"b\" (tz -0.5 (mass 2)"
    " (tx \"c\" (tz -0.2 (mass 0.3 1 1 1)))))))"
    " (joint-spring \"a\" 3 0.2) (damping 0.4) (torque \"b\" (* q.b (sin v.b)))"
    " (initial (\"a\" 0.4 1) (\"b\" 0.7 -2) (\"c\" 0.1 3)))";

/* A prescribed motion in the middle: its own acceleration does not change. */
static const char driven[] =
    "(system (gravity 0 0 -9.81) (joint free \"base\" (mass 3 1 1 2) (rx (k \"a\") (tz -1"
    " (mass 1 0.1 0.2 0.3) (joint universal \"b\" (tz -0.5 (mass 2 0.1 0.1 0.1) (rx (k \"c\")"
    " (tz -0.2 (mass 0.3 1 1 1))))))))"
    " (motion \"a\" (sin (* 3 t))) (motion \"c\" (* t t))"
    " (initial (\"base\" (0 0 1 1 0 0 0) (1 2 3 4 5 6)) (\"b\" (0.7 0.2) (-2 1))))";

static void test_own_and_driven(void **state)
{
  (void)state;
  fixture f = fixture_load(own);
  assert_true(check_forward(&f, 0.005) < 1e-10);
  fixture_free(&f);
  f = fixture_load(driven);
  f.data->t = 0.4;
  cardan_prescribe(f.model, f.data);
  const int nv = f.model->nv;
  const size_t square = (size_t)nv * (size_t)nv;
  double *D = calloc(3 * square + (size_t)nv, sizeof *D), *column = D + 3 * square;
  assert_non_null(D);
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  assert_int_equal(cardan_forward_slopes(f.model, f.data, D, D + square, D + 2 * square),
                   CARDAN_OK);
  for (int j = 0; j < nv; j++) {
    const bool solved = !(f.model->body[f.model->v_body[j]].flags & CARDAN_LINK_KINEMATIC);
    for (int by = BY_Q; by <= BY_TAU && solved; by++) { // forward sets q and v of the others itself
      difference(&f, forward, NULL, by, j, 0.005, column);
      for (int i = 0; i < nv; i++) {
        assert_near(D[(size_t)by * square + (size_t)(i * nv + j)], column[i], 1e-9 * 100);
      }
    }
    for (int i = 0; i < nv && !solved; i++) {
      assert_true(D[j * nv + i] == 0.0 && D[2 * square + (size_t)(j * nv + i)] == 0.0);
    }
  }
  free(D);
  fixture_free(&f);
}

/* n bodies in a row, every seventh on a prescribed joint, with a branch of m bodies at the
 * middle. */
static fixture long_model(int n, int m)
{
  enum { ROOM = 1 << 16 };
  static const char *const joint[] = {"rx", "ry", "tz", "rz"};
  char *text = calloc(ROOM, 1);
  size_t used = 0;
  assert_non_null(text);
  used += (size_t)sprintf(text, "(system (gravity 0 1 -9.81)");
  for (int i = 0; i < n; i++) {
    used += (size_t)sprintf(text + used, " (%s %s \"j%d\"%s (tx 0.3 (mass %g 0.02 0.03 0.04)",
                            joint[i % 4], i % 7 == 3 ? "(k" : "", i, i % 7 == 3 ? ")" : "",
                            1 + 0.1 * (i % 5));
    for (int k = 0; i == n / 2 && k < m; k++) {
      used += (size_t)sprintf(text + used, " (ry \"b%d\" (tz -0.2 (mass 0.7 1 1 2)", k);
    }
    for (int k = 0; i == n / 2 && k < m; k++) {
      used += (size_t)sprintf(text + used, "))");
    }
  }
  for (int i = 0; i < n; i++) {
    used += (size_t)sprintf(text + used, "))");
  }
  for (int i = 3; i < n; i += 7) {
    used += (size_t)sprintf(text + used, " (motion \"j%d\" (sin (* %d t)))", i, i);
  }
  sprintf(text + used, ")");
  const fixture f = fixture_load(text);
  free(text);
  return f;
}

/* Large matrices are solved by LAPACK where they have few zeros, others along the branches: both
 * give the same to rounding times the condition of M, some 1e5 here. */
static void test_dense_and_by_branches(void **state)
{
  (void)state;
  const struct {
    int n, m;
    bool dense;
  } cases[] = {{70, 0, true}, {70, 20, true}, {6, 40, false}, {30, 20, false}, {63, 0, false}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    fixture f = long_model(cases[c].n, cases[c].m);
    const size_t nv = (size_t)f.model->nv, size = 3 * nv * nv;
    double *D = calloc(2 * size, sizeof *D), largest[3] = {0};
    assert_non_null(D);
    f.data->t = 0.3;
    for (size_t k = 0; k < nv; k++) {
      f.data->q[k] = sin(1.0 + (double)k);
      f.data->v[k] = cos(3.0 * (double)k);
    }
    cardan_prescribe(f.model, f.data);
    assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
    assert_int_equal(cardan_slopes_reserve(f.model, f.data), CARDAN_OK);
    assert_int_equal(f.data->slopes->dense, cases[c].dense);
    for (int dense = 0; dense < 2; dense++) {
      double *to = D + (size_t)dense * size;
      f.data->slopes->dense = dense;
      assert_int_equal(cardan_forward_slopes(f.model, f.data, to, to + nv * nv, to + 2 * nv * nv),
                       CARDAN_OK);
    }
    for (size_t i = 0; i < size; i++) {
      largest[i / (nv * nv)] = fmax(largest[i / (nv * nv)], fabs(D[i]));
    }
    for (size_t i = 0; i < size; i++) {
      assert_near(D[i], D[size + i], 1e-10 * largest[i / (nv * nv)]);
    }
    free(D);
    fixture_free(&f);
  }
}

static void test_refused(void **state)
{
  (void)state;
  fixture f = fixture_load("closed-chain");
  const int nv = f.model->nv;
  double *D = calloc(3 * (size_t)nv * (size_t)nv, sizeof *D);
  assert_non_null(D);
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  assert_int_equal(cardan_forward_slopes(f.model, f.data, D, D + nv * nv, D + 2 * nv * nv),
                   CARDAN_ERR_UNSUPPORTED);
  assert_non_null(strstr(f.data->info.message, "constraints"));
  free(D);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_inverse),
      cmocka_unit_test(test_forward),
      cmocka_unit_test(test_forces),
      cmocka_unit_test(test_own_and_driven),
      cmocka_unit_test(test_dense_and_by_branches),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
