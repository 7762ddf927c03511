// SPDX-License-Identifier: Apache-2.0
// The Lagrangian's derivatives by recursion against differences of kinetic minus potential energy
// and of themselves, and the O(n) Newton direction against the operator it inverts.
#include <float.h>
#include <math.h>
#include <string.h>

#include "methods/svi/mid.h"
#include "random_tree.h"

static const double step = 1e-3; // of differences of order 4: h^4 f^(5)/30 + 1.5 eps f/h
static const double weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};

static double lagrangian(fixture *f)
{
  cardan_kinematics(f->model, f->data);
  return cardan_kinetic(f->model, f->data) - cardan_potential(f->model, f->data);
}

/* dL/dx of the state's entry x, which comes back as it was. */
static double difference(fixture *f, double *x)
{
  const double x0 = *x;
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    *x = x0 + at[i] * step;
    sum += weight[i] * lagrangian(f) / (12 * step);
  }
  *x = x0;
  return sum;
}

static void copy_state(const fixture *f, cardan__mid *mid)
{
  memcpy(mid->data->q, f->data->q, (size_t)f->model->nq * sizeof(double));
  memcpy(mid->data->v, f->data->v, (size_t)f->model->nv * sizeof(double));
  mid->data->t = f->data->t;
}

// a = L_v, b = L_q + f, the forces f of elements without a potential from the forces' own room
static void first_derivatives(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    fixture f = scalar_tree(3 + 2 * (int)seed, seed > 2, seed);
    const int nv = f.model->nv;
    double a[TREE_NMAX], b[TREE_NMAX], a_fd[TREE_NMAX], b_fd[TREE_NMAX];
    cardan__mid mid;
    assert_true(nv <= TREE_NMAX);
    assert_int_equal(cardan__mid_create(f.model, true, NULL, &mid), CARDAN_OK);
    copy_state(&f, &mid);
    cardan__mid_eval(&mid, a, b);
    for (int k = 0; k < nv; k++) {
      a_fd[k] = difference(&f, &f.data->v[k]);
      b_fd[k] = difference(&f, &f.data->q[k]);
    }
    // by another recursion: joint momenta and their rates hold the same derivatives
    cardan_kinematics(f.model, f.data);
    cardan_forces(f.model, f.data);
    double p[TREE_NMAX], rate[TREE_NMAX];
    cardan_momenta(f.model, f.data, p);
    cardan_momenta_rates(f.model, f.data, f.data->tau, rate);
    const double scale = support_max_abs(b, nv) + support_max_abs(a, nv);
    assert_near_vec(a, p, nv, 50 * DBL_EPSILON * f.model->nbody * scale);
    assert_near_vec(b, rate, nv, 50 * DBL_EPSILON * f.model->nbody * scale);
    assert_near_vec(a, a_fd, nv, 1e-9 * scale);
    if (seed <= 2) {
      assert_near_vec(b, b_fd, nv, 1e-9 * scale);
    }
    cardan__mid_destroy(&mid, NULL);
    fixture_free(&f);
  }
}

/* a and b along (q + x dq, v + x dv), differentiated at x = 0. */
static void slope_difference(cardan__mid *mid, const double *dq, const double *dv, double *da,
                             double *db)
{
  const int nv = mid->model->nv;
  double q[TREE_NMAX], v[TREE_NMAX], a[TREE_NMAX], b[TREE_NMAX];
  memcpy(q, mid->data->q, (size_t)nv * sizeof *q);
  memcpy(v, mid->data->v, (size_t)nv * sizeof *v);
  memset(da, 0, (size_t)nv * sizeof *da);
  memset(db, 0, (size_t)nv * sizeof *db);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < nv; k++) {
      mid->data->q[k] = q[k] + at[i] * step * dq[k];
      mid->data->v[k] = v[k] + at[i] * step * dv[k];
    }
    cardan__mid_eval(mid, a, b);
    for (int k = 0; k < nv; k++) {
      da[k] += weight[i] * a[k] / (12 * step);
      db[k] += weight[i] * b[k] / (12 * step);
    }
  }
  memcpy(mid->data->q, q, (size_t)nv * sizeof *q);
  memcpy(mid->data->v, v, (size_t)nv * sizeof *v);
  cardan__mid_eval(mid, a, b);
}

static void second_derivatives(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 10; seed++) {
    fixture f = scalar_tree(7 + 2 * (int)seed, seed % 2 == 0, seed);
    const int nv = f.model->nv;
    support_rng rng = {seed + 100};
    double dq[TREE_NMAX], dv[TREE_NMAX], da[TREE_NMAX], db[TREE_NMAX], da_fd[TREE_NMAX],
        db_fd[TREE_NMAX];
    cardan__mid mid;
    assert_int_equal(cardan__mid_create(f.model, true, NULL, &mid), CARDAN_OK);
    copy_state(&f, &mid);
    support_random_vec(&rng, dq, nv, 1);
    support_random_vec(&rng, dv, nv, 1);
    slope_difference(&mid, dq, dv, da_fd, db_fd);
    cardan__mid_slope(&mid, dq, dv, da, db);
    assert_near_vec(da, da_fd, nv, 1e-8 * support_max_abs(da, nv));
    assert_near_vec(db, db_fd, nv, 1e-8 * support_max_abs(db, nv));
    cardan__mid_destroy(&mid, NULL);
    fixture_free(&f);
  }
}

// (kb db - da)(solve(r)) = r: two recursions that share no formula beyond the state's
// tolerance: the backward error of an elimination without pivoting over n bodies, relative to the
// sum of the terms; what is seen is printed
static void newton_direction(void **state)
{
  double worst = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    fixture f = scalar_tree(1 + (int)seed, false, seed);
    const int nv = f.model->nv;
    const double h = seed % 4 == 0 ? 0.05 : 0.01, alpha = seed % 3 == 0 ? 0.3 : 0.5;
    const cardan__mid_weights w = {.kb = (1 - alpha) * h, .kq = alpha, .kv = 1 / h};
    support_rng rng = {seed};
    double r[TREE_NMAX], x[TREE_NMAX], dq[TREE_NMAX], dv[TREE_NMAX], da[TREE_NMAX], db[TREE_NMAX];
    cardan__mid mid;
    assert_int_equal(cardan__mid_create(f.model, true, NULL, &mid), CARDAN_OK);
    copy_state(&f, &mid);
    support_random_vec(&rng, r, nv, 1);
    cardan__mid_eval(&mid, da, db);
    assert_int_equal(cardan__mid_factor(&mid, &w), CARDAN_OK);
    cardan__mid_solve(&mid, &w, r, x);
    for (int k = 0; k < nv; k++) {
      dq[k] = w.kq * x[k];
      dv[k] = w.kv * x[k];
    }
    cardan__mid_slope(&mid, dq, dv, da, db);
    const double size = support_max_abs(da, nv) + w.kb * support_max_abs(db, nv);
    for (int k = 0; k < nv; k++) {
      const double left = w.kb * db[k] - da[k] - r[k];
      worst = fmax(worst, fabs(left) / (DBL_EPSILON * f.model->nbody * size));
      assert_near(left, 0, 100 * DBL_EPSILON * f.model->nbody * size);
    }
    cardan__mid_destroy(&mid, NULL);
    fixture_free(&f);
  }
  print_message("largest residual of the O(n) direction: %.2g eps n (size of the terms)\n", worst);
}

enum { LONG = 1000 };

/* r = (kb db - da)(x) at mid's state. */
static void apply(cardan__mid *mid, const cardan__mid_weights *w, const double *x, double *r)
{
  double dq[LONG], dv[LONG], db[LONG];
  for (int k = 0; k < LONG; k++) {
    dq[k] = w->kq * x[k];
    dv[k] = w->kv * x[k];
  }
  cardan__mid_slope(mid, dq, dv, r, db);
  for (int k = 0; k < LONG; k++) {
    r[k] = w->kb * db[k] - r[k];
  }
}

/* The state that f's, at rest, has after a time, as long as its acceleration hardly changes. */
static void fall(const fixture *f, double t, cardan__mid *mid)
{
  double a[LONG], b[LONG];
  for (int k = 0; k < LONG; k++) {
    mid->data->q[k] = f->data->q[k] + 0.5 * t * t * f->data->a[k];
    mid->data->v[k] = t * f->data->a[k];
  }
  cardan__mid_eval(mid, a, b);
}

// A factorisation of the step before, in a long chain that falls: what one iteration leaves of r.
// tolerance: 1.4e-7 is seen; with the twists of the step before in place of those of now 1.8e-4,
// and x is off by half
static void old_factorisation(void **state)
{
  (void)state;
  fixture f = fixture_load("chain:1000");
  const double h = 1e-3, t = 0.05;
  const cardan__mid_weights w = {.kb = 0.5 * h, .kq = 0.5, .kv = 1 / h};
  double r[LONG], x[LONG], left[LONG];
  cardan__mid mid;
  assert_int_equal(f.model->nv, LONG);
  assert_int_equal(cardan_forward(f.model, f.data, 0, 0), CARDAN_OK);
  assert_int_equal(cardan__mid_create(f.model, true, NULL, &mid), CARDAN_OK);
  fall(&f, t, &mid);
  assert_int_equal(cardan__mid_factor(&mid, &w), CARDAN_OK);
  fall(&f, t + h, &mid);
  apply(&mid, &w, f.data->a, r);
  cardan__mid_solve(&mid, &w, r, x);
  for (int k = 0; k < LONG; k++) {
    x[k] -= f.data->a[k];
  }
  apply(&mid, &w, x, left);
  assert_near_vec(x, (double[LONG]){0}, LONG, 0.02 * support_max_abs(f.data->a, LONG));
  assert_near_vec(left, (double[LONG]){0}, LONG, 1e-5 * support_max_abs(r, LONG));
  cardan__mid_destroy(&mid, NULL);
  fixture_free(&f);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(first_derivatives),
      cmocka_unit_test(second_derivatives),
      cmocka_unit_test(newton_direction),
      cmocka_unit_test(old_factorisation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
