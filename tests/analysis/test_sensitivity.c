// SPDX-License-Identifier: Apache-2.0
// Sensitivity indices against closed forms: Ishigami's function, sums of levels, ranks by hand.
#include "analysis/sensitivity.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "support.h"

enum { ND = 3, WIDTH = ND + 2 };

static const double pi = 3.14159265358979323846;

/* sin x1 + a sin^2 x2 + b x3^4 sin x1, x_i even over -pi .. pi, a = 7, b = 0.1
 * [T. Ishigami, T. Homma, ISUMA 1990]. */
static double ishigami(const double x[ND])
{
  const double s = sin(x[1]);
  return sin(x[0]) + 7 * s * s + 0.1 * pow(x[2], 4) * sin(x[0]);
}

/* V_1 = (1 + b pi^4 / 5)^2 / 2, V_2 = a^2 / 8, V_13 = b^2 pi^8 (1/18 - 1/50), V their sum. */
static void ishigami_indices(double first[ND], double total[ND])
{
  const double a = 7, b = 0.1, p4 = pow(pi, 4);
  const double v1 = 0.5 * (1 + b * p4 / 5) * (1 + b * p4 / 5), v2 = a * a / 8;
  const double v13 = b * b * p4 * p4 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  const double s[ND] = {v1 / v, v2 / v, 0}, t[ND] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (int i = 0; i < ND; i++) {
    first[i] = s[i];
    total[i] = t[i];
  }
}

/* n blocks from a seed, and something that a result may have on top. */
static double *make_blocks(uint64_t seed, int n, double offset)
{
  support_rng rng = {seed};
  double *y = malloc((size_t)n * WIDTH * sizeof *y);
  assert_non_null(y);
  for (int j = 0; j < n; j++) {
    double a[ND], b[ND];
    support_random_vec(&rng, a, ND, pi);
    support_random_vec(&rng, b, ND, pi);
    y[j * WIDTH] = offset + ishigami(a);
    y[j * WIDTH + 1] = offset + ishigami(b);
    for (int i = 0; i < ND; i++) {
      const double own = a[i];
      a[i] = b[i];
      y[j * WIDTH + 2 + i] = offset + ishigami(a);
      a[i] = own;
    }
  }
  return y;
}

// The error falls as 1/sqrt(N). Of N terms of the size of V the mean has a deviation of some
// 2 / sqrt(N) of it; four of them.
static void test_ishigami(void **state)
{
  double s[ND], t[ND];
  (void)state;
  ishigami_indices(s, t);
  for (int n = 1000; n <= 100000; n *= 10) {
    cardan__index first[ND], total[ND];
    int64_t used;
    double *y = make_blocks(7, n, 1000);
    assert_int_equal(cardan__saltelli(y, 1, n, ND, NULL, first, total, &used), CARDAN_OK);
    assert_int_equal(used, n);
    for (int i = 0; i < ND; i++) {
      assert_near(first[i].value, s[i], 8 / sqrt(n));
      assert_near(total[i].value, t[i], 8 / sqrt(n));
      assert_true(first[i].low <= first[i].value && first[i].value <= first[i].high);
      assert_true(total[i].low <= total[i].value && total[i].value <= total[i].high);
    }
    free(y);
  }
}

// An interval of 95 % holds the truth in about 95 of 100 studies: of 6 x 60 intervals 342 on the
// average, and 18 less at four deviations of a binomial number; bootstrap percentiles are a little
// narrow for so few blocks, so another 18.
static void test_intervals_hold_what_they_promise(void **state)
{
  double s[ND], t[ND];
  int held = 0;
  (void)state;
  ishigami_indices(s, t);
  for (uint64_t seed = 0; seed < 60; seed++) {
    cardan__index first[ND], total[ND];
    int64_t used;
    double *y = make_blocks(1000 + seed, 500, 0);
    assert_int_equal(cardan__saltelli(y, 1, 500, ND, NULL, first, total, &used), CARDAN_OK);
    for (int i = 0; i < ND; i++) {
      held += first[i].low <= s[i] && s[i] <= first[i].high;
      held += total[i].low <= t[i] && t[i] <= total[i].high;
    }
    free(y);
  }
  assert_in_range(held, 306, 359);
}

// Blocks with a case that failed count nowhere: as if they had not been run.
static void test_failed_blocks_are_left_out(void **state)
{
  enum { N = 400 };
  cardan__index first[2][ND], total[2][ND];
  int64_t used[2];
  (void)state;
  double *y = make_blocks(3, N, 0);
  assert_int_equal(cardan__saltelli(y, 1, N, ND, NULL, first[0], total[0], &used[0]), CARDAN_OK);
  double *more = make_blocks(3, N + 2, 0);
  more[N * WIDTH] = (double)NAN;
  more[(N + 1) * WIDTH + 4] = (double)INFINITY;
  assert_int_equal(cardan__saltelli(more, 1, N + 2, ND, NULL, first[1], total[1], &used[1]),
                   CARDAN_OK);
  assert_int_equal(used[1], N);
  for (int i = 0; i < ND; i++) {
    assert_near(first[1][i].value, first[0][i].value, 100 * DBL_EPSILON);
    assert_near(total[1][i].value, total[0][i].value, 100 * DBL_EPSILON);
  }
  free(y);
  free(more);
}

// At two points of a grid, one twice as high: of the mean variance, so the indices are the same.
// Three times the same offset changes nothing. What does not vary has no indices.
static void test_points_of_a_grid(void **state)
{
  enum { N = 300 };
  cardan__index first[2][ND], total[2][ND];
  int64_t used;
  (void)state;
  double *y = make_blocks(5, N, 0), *both = malloc(2 * N * WIDTH * sizeof *both);
  assert_non_null(both);
  for (int i = 0; i < N * WIDTH; i++) {
    both[i] = y[i];
    both[N * WIDTH + i] = 2 * y[i] - 30;
  }
  assert_int_equal(cardan__saltelli(y, 1, N, ND, NULL, first[0], total[0], &used), CARDAN_OK);
  assert_int_equal(cardan__saltelli(both, 2, N, ND, NULL, first[1], total[1], &used), CARDAN_OK);
  assert_int_equal(used, 2 * N);
  for (int i = 0; i < ND; i++) {
    assert_near(first[1][i].value, first[0][i].value, 100 * DBL_EPSILON);
    assert_near(total[1][i].high, total[0][i].high, 100 * DBL_EPSILON);
  }
  for (int i = 0; i < N * WIDTH; i++) {
    y[i] = 4.5;
  }
  assert_int_equal(cardan__saltelli(y, 1, N, ND, NULL, first[0], total[0], &used), CARDAN_OK);
  assert_true(isnan(first[0][0].value) && isnan(total[0][2].value));
  free(y);
  free(both);
}

// First order by bins of drawn numbers: 64 bins of x over -pi .. pi lose some (pi / 32)^2 / 12 of
// the share; the rest is chance, as above.
static void test_first_order_by_bins(void **state)
{
  enum { N = 40000 };
  double s[ND], t[ND];
  support_rng rng = {11};
  (void)state;
  ishigami_indices(s, t);
  double *x = malloc(N * ND * sizeof *x), *y = malloc(N * sizeof *y), *rank = malloc(N * sizeof *y);
  int32_t *group = malloc(N * sizeof *group);
  assert_true(x && y && rank && group);
  for (int i = 0; i < N; i++) {
    double at[ND];
    support_random_vec(&rng, at, ND, pi);
    y[i] = ishigami(at);
    for (int k = 0; k < ND; k++) {
      x[k * N + i] = at[k];
    }
  }
  for (int k = 0; k < ND; k++) {
    cardan__index share;
    assert_int_equal(cardan__ranks(x + k * N, N, NULL, rank), CARDAN_OK);
    const int n = cardan__bins(rank, N, group);
    assert_int_equal(n, 64);
    assert_int_equal(cardan__effect(y, group, N, n, true, NULL, &share), CARDAN_OK);
    assert_near(share.value, s[k], 8 / sqrt(N) + 1e-3);
    assert_true(share.low < share.value && share.value < share.high &&
                share.high < share.low + 0.1);
  }
  free(x);
  free(y);
  free(rank);
  free(group);
}

// y = u_i + v_j over a grid: shares are Var u and Var v over their sum, exactly.
static void test_main_effects_of_a_grid(void **state)
{
  const double u[4] = {1, 2, 5, 9}, v[3] = {-1, 0, 7};
  const double var_u = 155.0 / 16, var_v = 114.0 / 9; // mean 17/4: 27.75 - 289/16; mean 2: 50/3 - 4
  double y[12], x[2][12], rank[12];
  (void)state;
  for (int i = 0; i < 12; i++) {
    x[0][i] = u[i / 3];
    x[1][i] = v[i % 3];
    y[i] = 1e6 + x[0][i] + x[1][i];
  }
  for (int k = 0; k < 2; k++) {
    int32_t group[12];
    cardan__index share;
    assert_int_equal(cardan__ranks(x[k], 12, NULL, rank), CARDAN_OK);
    const int n = cardan__levels(rank, 12, NULL, group);
    assert_int_equal(n, k == 0 ? 4 : 3);
    assert_int_equal(cardan__effect(y, group, 12, n, false, NULL, &share), CARDAN_OK);
    // y is rounded at 1e6
    assert_near(share.value, (k == 0 ? var_u : var_v) / (var_u + var_v), 100 * 1e6 * DBL_EPSILON);
    assert_true(isnan(share.low) && isnan(share.high));
  }
}

static void test_ranks_and_correlation(void **state)
{
  const double x[6] = {3, 1, 2, 2, 10, -5}, want[6] = {4, 1, 2.5, 2.5, 5, 0};
  double rank[6], up[6], other[6];
  (void)state;
  assert_int_equal(cardan__ranks(x, 6, NULL, rank), CARDAN_OK);
  assert_near_vec(rank, want, 6, 0);
  for (int i = 0; i < 6; i++) {
    up[i] = -exp(x[i]); // falls wherever x rises
  }
  assert_int_equal(cardan__ranks(up, 6, NULL, other), CARDAN_OK);
  assert_near(cardan__correlation(rank, other, 6), -1, 10 * DBL_EPSILON);
  const double constant[6] = {2, 2, 2, 2, 2, 2};
  assert_true(isnan(cardan__correlation(x, constant, 6)));
}

// 0 .. 100 around 1e8, some not finite: numpy has these quantiles, and sd^2 = n (n + 1) / 12.
static void test_moments(void **state)
{
  double x[103];
  (void)state;
  for (int i = 0; i <= 100; i++) {
    x[(i * 37) % 101 + (i * 37 % 101 > 50)] = 1e8 + i;
  }
  x[51] = (double)NAN;
  x[102] = (double)INFINITY;
  const cardan__moments m = cardan__moments_of(x, 103);
  assert_int_equal(m.n, 101);
  assert_near(m.mean, 1e8 + 50, 1e8 * DBL_EPSILON);
  assert_near(m.sd, sqrt(101.0 * 102 / 12), 100 * DBL_EPSILON * 30);
  assert_near(m.min, 1e8, 0);
  assert_near(m.max, 1e8 + 100, 0);
  for (int k = 0; k < CARDAN__QUANTILES; k++) {
    assert_near(m.quantile[k], 1e8 + 100 * cardan__quantile[k], 1e8 * DBL_EPSILON);
  }
  assert_true(isnan(cardan__moments_of(x, 0).mean));
  const cardan__moments one = cardan__moments_of(x, 1);
  assert_true(one.n == 1 && isnan(one.sd) && one.quantile[0] == x[0] && one.quantile[4] == x[0]);
}

static void test_memory(void **state)
{
  double *y = make_blocks(1, 100, 0), rank[100], value[100];
  int32_t group[100];
  (void)state;
  for (int i = 0; i < 100; i++) {
    value[i] = y[i * WIDTH];
  }
  support_memory memory = {.fail_at = 1, .fail_after = true};
  const cardan_allocator alloc = support_allocator(&memory);
  cardan__index first[ND], total[ND];
  int64_t used;
  assert_int_equal(cardan__saltelli(y, 1, 100, ND, &alloc, first, total, &used), CARDAN_ERR_MEMORY);
  assert_int_equal(cardan__ranks(value, 100, &alloc, rank), CARDAN_ERR_MEMORY);
  assert_int_equal(cardan__ranks(value, 100, NULL, rank), CARDAN_OK);
  assert_int_equal(cardan__levels(rank, 100, &alloc, group), -1);
  const int n = cardan__bins(rank, 100, group);
  assert_int_equal(cardan__effect(value, group, 100, n, true, &alloc, first), CARDAN_ERR_MEMORY);
  free(y);
}

/* Groups of two cases: a share, and no interval, which would take memory for each group. */
static void test_small_groups(void **state)
{
  enum { MANY = 400 };
  double y[MANY];
  int32_t group[MANY];
  cardan__index index;
  (void)state;
  for (int i = 0; i < MANY; i++) {
    group[i] = i / 2;
    y[i] = group[i] + 0.01 * (i % 2);
  }
  assert_int_equal(cardan__effect(y, group, MANY, MANY / 2, true, NULL, &index), CARDAN_OK);
  assert_near(index.value, 1, 1e-6); // within groups 0.005^2 of 100^2 / 3, more or less
  assert_true(isnan(index.low) && isnan(index.high));
  for (int i = 0; i < MANY; i++) {
    group[i] = i / 5;
  }
  assert_int_equal(cardan__effect(y, group, MANY, MANY / 5, true, NULL, &index), CARDAN_OK);
  assert_true(index.low <= index.value && index.value <= index.high);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_ishigami),
      cmocka_unit_test(test_intervals_hold_what_they_promise),
      cmocka_unit_test(test_failed_blocks_are_left_out),
      cmocka_unit_test(test_points_of_a_grid),
      cmocka_unit_test(test_first_order_by_bins),
      cmocka_unit_test(test_main_effects_of_a_grid),
      cmocka_unit_test(test_ranks_and_correlation),
      cmocka_unit_test(test_moments),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_small_groups),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
