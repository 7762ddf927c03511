// SPDX-License-Identifier: Apache-2.0
// What iterations are made of: GMRES, Broyden's updates, extrapolation.
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/linalg.h"
#include "methods/discrete/extrapolate.h"
#include "support.h"

enum { N = 40, RANK = 3 };

/* A = D + sum of RANK terms u v^T, with D known and a diagonal. */
typedef struct {
  double d[N], u[RANK][N], v[RANK][N];
  int products;
} low_rank;

static void apply(void *context, const double *x, double *y)
{
  low_rank *A = context;
  A->products++;
  for (int i = 0; i < N; i++) {
    y[i] = A->d[i] * x[i];
  }
  for (int r = 0; r < RANK; r++) {
    double dot = 0;
    for (int i = 0; i < N; i++) {
      dot += A->v[r][i] * x[i];
    }
    for (int i = 0; i < N; i++) {
      y[i] += A->u[r][i] * dot;
    }
  }
}

static void divide(void *context, const double *x, double *y)
{
  const low_rank *A = context;
  for (int i = 0; i < N; i++) {
    y[i] = x[i] / A->d[i];
  }
}

// what differs from the preconditioner by RANK terms takes RANK + 1 products
static void gmres(void **state)
{
  static double work[64 * N];
  (void)state;
  assert_true(cardan__gmres_work(N, 20) <= sizeof work / sizeof *work);
  for (uint64_t seed = 1; seed <= 20; seed++) {
    support_rng rng = {seed};
    low_rank A = {.products = 0};
    double b[N], x[N], y[N];
    for (int i = 0; i < N; i++) {
      A.d[i] = support_random_in(&rng, 1, 100);
    }
    for (int r = 0; r < RANK; r++) {
      support_random_vec(&rng, A.u[r], N, 1);
      support_random_vec(&rng, A.v[r], N, 1);
    }
    support_random_vec(&rng, b, N, 1);
    const cardan__operator op = {apply, divide, &A};
    const int used = cardan__gmres(&op, N, b, x, 1e-12, 20, work);
    assert_true(used >= 1 && used <= RANK + 1);
    assert_int_equal(used, A.products);
    apply(&A, x, y);
    assert_near_vec(y, b, N, 1e-11);
  }
  // b = 0, and too few products
  low_rank A = {.products = 0};
  double zero[N] = {0}, x[N], b[N];
  support_rng rng = {7};
  for (int i = 0; i < N; i++) {
    A.d[i] = 1;
  }
  for (int r = 0; r < RANK; r++) {
    support_random_vec(&rng, A.u[r], N, 1);
    support_random_vec(&rng, A.v[r], N, 1);
  }
  support_random_vec(&rng, b, N, 1);
  const cardan__operator op = {apply, divide, &A};
  assert_int_equal(cardan__gmres(&op, N, zero, x, 1e-12, 20, work), 0);
  assert_near_vec(x, zero, N, 0);
  assert_int_equal(cardan__gmres(&op, N, b, x, 1e-12, 2, work), -1);
  // what is not a number is not solved by 0
  b[N / 2] = NAN;
  assert_int_equal(cardan__gmres(&op, N, b, x, 1e-12, 20, work), -1);
  assert_true(isnan(x[0]) && isnan(x[N - 1]));
}

/* x + small nonlinear terms = c */
static void residual(const double *x, double *f)
{
  for (int i = 0; i < 4; i++) {
    f[i] = 2 * x[i] + 0.5 * sin(x[(i + 1) % 4]) + 0.2 * x[i] * x[(i + 2) % 4] - (1 + i);
  }
}

static double largest(const double *f)
{
  return support_max_abs(f, 4);
}

// from B_0 = 2, Broyden needs far fewer evaluations than the fixed iteration it improves
static void broyden(void **state)
{
  double steps[21 * 4], x[4] = {0}, f[4];
  int count = 0, plain = 0;
  (void)state;
  residual(x, f);
  while (largest(f) > 1e-12 && count < 20) {
    double *z = steps + 4 * count;
    for (int i = 0; i < 4; i++) {
      z[i] = -f[i] / 2;
    }
    cardan__broyden(4, count, steps);
    for (int i = 0; i < 4; i++) {
      x[i] += z[i];
    }
    count++;
    residual(x, f);
  }
  assert_true(largest(f) <= 1e-12);
  memset(x, 0, sizeof x);
  residual(x, f);
  while (largest(f) > 1e-12 && plain < 500) {
    for (int i = 0; i < 4; i++) {
      x[i] -= f[i] / 2;
    }
    plain++;
    residual(x, f);
  }
  print_message("Broyden %d, fixed %d iterations\n", count, plain);
  assert_true(count <= 12 && 2 * count < plain);
}

// a polynomial of degree 5 is followed exactly once six values are known
static void extrapolation(void **state)
{
  enum { SIZE = 700 }; // more than the pieces it works in
  static double D[CARDAN__EXTRAPOLATE_ORDERS * SIZE], x[SIZE], y[SIZE];
  cardan__extrapolation e = {.n = SIZE, .D = D};
  (void)state;
  for (int k = 0; k < 12; k++) {
    for (int i = 0; i < SIZE; i++) {
      const double t = 0.1 * k + 0.001 * i;
      x[i] = 1 + t - 2 * t * t + 0.3 * pow(t, 5);
    }
    if (k > 0) {
      cardan__extrapolate(&e, y);
    }
    if (k > 7) {
      // rounding of a value, doubled by each of six differences
      assert_near_vec(y, x, SIZE, 64 * 4 * DBL_EPSILON * support_max_abs(x, SIZE));
    }
    cardan__extrapolate_remember(&e, x);
  }
}

/* What a quartic gains from t - h to t. */
static double gain(double t, double h)
{
  const double u = t - h;
  return (1 + t - 2 * t * t + 0.3 * pow(t, 4)) - (1 + u - 2 * u * u + 0.3 * pow(u, 4));
}

// steps of another length continue where the old ones ended: parts of a step, and whole ones again
static void another_length(void **state)
{
  double D[CARDAN__EXTRAPOLATE_ORDERS], x, y;
  cardan__extrapolation e = {.n = 1, .D = D};
  double t = 0, h = 0.1;
  (void)state;
  for (int k = 0; k < 24; k++) {
    if (k % 8 == 7) {
      const double ratio = k == 7 ? 0.25 : k == 15 ? 4 : 0.3;
      cardan__extrapolate_rescale(&e, ratio);
      h *= ratio;
    }
    t += h;
    x = gain(t, h);
    if (k > 6) {
      cardan__extrapolate(&e, &y);
      // rounding of a value, doubled by each of six differences; going back over seven steps of
      // four times the length magnifies it by the numbers of (E1), 1e4 or so
      assert_near(y, x, (k > 14 ? 1e4 : 1) * 64 * 4 * DBL_EPSILON);
    }
    cardan__extrapolate_remember(&e, &x);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gmres),
      cmocka_unit_test(broyden),
      cmocka_unit_test(extrapolation),
      cmocka_unit_test(another_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
