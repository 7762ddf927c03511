// SPDX-License-Identifier: Apache-2.0
// What samples are exactly: nets of Sobol' points, scrambled or not, strata and permutations of
// Latin hypercubes.
#include <math.h>

#include "batch/random.h"
#include "support.h"
#include "sweep/sample.h"

enum { ALL = CARDAN__SOBOL_DIMENSIONS };

static const cardan__sobol *dimensions(void)
{
  static cardan__sobol all[ALL];
  cardan__sobol_make(all, ALL);
  return all;
}

// phi(2^s - 1) / s of them have degree s
static void test_polynomials(void **state)
{
  static const int expected[] = {0, 1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176};
  unsigned p = 0;
  (void)state;
  for (unsigned s = 1; s < sizeof expected / sizeof *expected; s++) {
    for (int k = 0; k < expected[s]; k++) {
      p = cardan__sobol_polynomial(p);
      assert_int_equal(p >> s, 1);
    }
  }
  assert_int_equal(cardan__sobol_polynomial(p) >> 12, 1);
  // x + 1, x^2 + x + 1, x^3 + x + 1, x^3 + x^2 + 1, x^4 + x + 1
  static const unsigned first[] = {3, 7, 11, 13, 19};
  p = 0;
  for (int k = 0; k < 5; k++) {
    p = cardan__sobol_polynomial(p);
    assert_int_equal(p, first[k]);
  }
}

/* Coordinate of point j; key 0: as it is, else scrambled. */
static uint64_t coordinate(const cardan__sobol *s, uint64_t key, uint64_t j)
{
  const uint64_t x = cardan__sobol_bits(s, j);
  return key != 0 ? cardan__owen(x, key) : x;
}

// 2^m points from a multiple of 2^m on: one in each interval of 2^-m, of every dimension
static void test_intervals(void **state)
{
  const cardan__sobol *all = dimensions();
  (void)state;
  for (int d = 0; d < ALL; d++) {
    for (int m = 1; m <= 9; m += 4) {
      for (uint64_t first = 0; first < 4U << m; first += 3U << m) {
        for (uint64_t key = 0; key < 2; key++) {
          bool hit[1 << 9] = {false};
          for (uint64_t j = 0; j < 1U << m; j++) {
            const uint64_t at = coordinate(&all[d], key * (uint64_t)(d + 1), first + j) >> (52 - m);
            assert_false(hit[at]);
            hit[at] = true;
          }
        }
      }
    }
  }
}

/* Do 2^m points have as many in each box of 2^-a x 2^-b, for all a + b = m - t? */
static bool is_net(const cardan__sobol *x, const cardan__sobol *y, uint64_t key, int m, int t)
{
  for (int a = 0; a <= m - t; a++) {
    int count[1 << 10] = {0};
    const int b = m - t - a;
    for (uint64_t j = 0; j < 1U << m; j++) {
      const uint64_t i = coordinate(x, key, j) >> (52 - a);
      count[i << b | coordinate(y, key != 0 ? key + 1 : 0, j) >> (52 - b)]++;
    }
    for (int i = 0; i < 1 << (m - t); i++) {
      if (count[i] != 1 << t) {
        return false;
      }
    }
  }
  return true;
}

// the first two dimensions have one point in each box, whatever its shape; scrambling keeps it
static void test_net_of_two(void **state)
{
  const cardan__sobol *all = dimensions();
  (void)state;
  for (int m = 1; m <= 10; m++) {
    assert_true(is_net(&all[0], &all[1], 0, m, 0));
    assert_true(is_net(&all[0], &all[1], 77, m, 0));
  }
}

// what the search for initial numbers was for: no plane of the first 20 dimensions in which 1024
// points leave a box of 1/64 empty or too full, which random initial numbers do somewhere
static void test_planes(void **state)
{
  const cardan__sobol *all = dimensions();
  (void)state;
  for (int d = 1; d < 20; d++) {
    for (int e = 0; e < d; e++) {
      if (!is_net(&all[e], &all[d], 0, 10, 4)) {
        fail_msg("dimensions %d and %d", e, d);
      }
    }
  }
}

// two numbers that agree in b bits, and differ in the next, do so when scrambled; the bits below
// are as if drawn for each alone: of 20,000 keys half agree, within 4.5 deviations of sqrt(n) / 2
static void test_owen_is_nested(void **state)
{
  enum { KEYS = 20000 };
  int same[CARDAN__SOBOL_BITS] = {0}, flipped[CARDAN__SOBOL_BITS] = {0};
  (void)state;
  for (uint64_t key = 0; key < KEYS; key++) {
    const uint64_t x = cardan__random_bits(1, 2, key) >> 12;
    const int b = (int)(key % 8);
    const uint64_t y = x ^ (uint64_t)1 << (51 - b);
    const uint64_t u = cardan__owen(x, cardan__random_bits(1, 3, key));
    const uint64_t both = u ^ cardan__owen(y, cardan__random_bits(1, 3, key));
    assert_true(both >> (51 - b) == 1);
    for (int k = 0; k < CARDAN__SOBOL_BITS; k++) {
      flipped[k] += (int)((u ^ x) >> (51 - k) & 1);
      same[k] += k > 7 && (both >> (51 - k) & 1) == 0;
    }
  }
  for (int k = 0; k < CARDAN__SOBOL_BITS; k++) {
    assert_near(flipped[k], 0.5 * KEYS, 4.5 * sqrt(KEYS) / 2);
    if (k > 7) {
      assert_near(same[k], 0.5 * KEYS, 4.5 * sqrt(KEYS) / 2);
    }
  }
}

// distinct points at the ends of the range of indices, inside 0 .. 1
static void test_far_points(void **state)
{
  const cardan__sobol *all = dimensions();
  const uint64_t last = ((uint64_t)1 << CARDAN__SOBOL_INDEX) - 1;
  (void)state;
  for (int d = 0; d < ALL; d += 15) {
    const double p = cardan__sobol_at(&all[d], 5, last), q = cardan__sobol_at(&all[d], 5, last - 1);
    assert_true(p > 0 && p < 1 && q > 0 && q < 1 && p != q);
    // of neighbours j, j + 1, j even, each half has one
    assert_true((p < 0.5) != (q < 0.5));
  }
}

/* ---- Latin hypercube ---- */

static void test_permutations(void **state)
{
  enum { MOST = 1000 };
  (void)state;
  for (uint64_t n = 1; n <= MOST; n++) {
    bool hit[MOST] = {false};
    for (uint64_t i = 0; i < n; i++) {
      const uint64_t to = cardan__permuted(3, n, n, i);
      assert_true(to < n && !hit[to]);
      hit[to] = true;
    }
  }
}

// where a permutation of n sends 0 and 1: n (n - 1) pairs, all as likely. Chi squared of f = n (n -
// 1) - 1 freedoms has mean f and variance 2 f: within 5 deviations, for a fixed seed
static void test_permutations_are_even(void **state)
{
  enum { DRAWS = 6000, MOST = 9 };
  (void)state;
  for (uint64_t n = 2; n <= MOST; n++) {
    int count[MOST][MOST] = {{0}};
    double chi = 0;
    const double cells = (double)(n * (n - 1)), expected = DRAWS / cells;
    for (uint64_t stream = 0; stream < DRAWS; stream++) {
      count[cardan__permuted(1, stream, n, 0)][cardan__permuted(1, stream, n, 1)]++;
    }
    for (uint64_t i = 0; i < n * n; i++) {
      const int found = count[i / n][i % n];
      chi += i / n != i % n ? (found - expected) * (found - expected) / expected : 0;
    }
    assert_near(chi, cells - 1, 5 * sqrt(2 * (cells - 1)));
  }
}

// one point in each of n intervals, for few points and for very many
static void test_strata(void **state)
{
  static const uint64_t numbers[] = {1, 2, 3, 7, 64, 100, 999};
  (void)state;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    const uint64_t n = numbers[k];
    bool hit[999] = {false};
    for (uint64_t j = 0; j < n; j++) {
      const double p = cardan__latin_at(1, 2, n, j);
      const uint64_t at = (uint64_t)floor(p * (double)n);
      assert_true(p > 0 && p < 1 && at < n && !hit[at]);
      hit[at] = true;
    }
  }
  for (uint64_t n = ((uint64_t)1 << 40) - 1; n > 1; n /= 3) {
    for (uint64_t j = 0; j < n && j < 20; j++) {
      const double p = cardan__latin_at(1, 2, n, j);
      // between the rounded ends of its interval
      const double low = (double)cardan__permuted(1, 2, n, j);
      assert_true(p > 0 && p < 1 && p >= low / (double)n && p <= (low + 1) / (double)n);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_polynomials),    cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_net_of_two),     cmocka_unit_test(test_planes),
      cmocka_unit_test(test_owen_is_nested), cmocka_unit_test(test_far_points),
      cmocka_unit_test(test_permutations),   cmocka_unit_test(test_permutations_are_even),
      cmocka_unit_test(test_strata),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
