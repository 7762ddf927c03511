// SPDX-License-Identifier: Apache-2.0
#include <stdbool.h>

#include "batch/random.h"
#include "sweep/sample.h"

/* Sobol' sequence by index, O(bits) a coordinate.
 * [1] I. Sobol', USSR Comput. Math. Math. Phys. 7 (1967) 86-112.
 * [2] A. Owen, Randomly permuted (t,m,s)-nets and (t,s)-sequences, MCQMC 1994, 299-317.
 *
 *   x_j = j_0 v_0 xor j_1 v_1 xor ..,   j = sum j_k 2^k,   v_k = m_k 2^-(k + 1)      (E1)
 *   m_k = 2 a_1 m_(k-1) xor 4 a_2 m_(k-2) xor .. xor 2^s m_(k-s) xor m_(k-s)          (E2)
 *
 * with a primitive polynomial x^s + a_1 x^(s-1) + .. + a_(s-1) x + 1 over GF(2) for each dimension,
 * and initial numbers m_0 .. m_(s-1), odd, m_k < 2^(k + 1). The first dimension has m_k = 1: bits
 * in reverse. Polynomials are computed in the order of their numbers. Initial numbers are random
 * ones; of many, those are chosen whose points are spread best in all planes with the dimensions
 * before (bench/sobol_numbers.c, which writes the table). */

/* Degree of a polynomial, the place of its highest bit. */
static int degree_of(unsigned p)
{
  int degree = 0;
  while (p >> (degree + 1) != 0) {
    degree++;
  }
  return degree;
}

/* Are all polynomials of a lower degree, but 0, powers of x modulo p? */
static bool is_primitive(unsigned p)
{
  const int degree = degree_of(p);
  const unsigned all = (1U << degree) - 1;
  unsigned power = 1, order = 0;
  do {
    power <<= 1;
    power ^= power >> degree != 0 ? p : 0;
    order++;
  } while (power != 1 && order < all);
  return power == 1 && order == all;
}

unsigned cardan__sobol_polynomial(unsigned p)
{
  p = p == 0 ? 3 : p + 2; // with + 1 at its end: x would divide it else
  while (!is_primitive(p)) {
    p += 2;
  }
  return p;
}

void cardan__sobol_one(cardan__sobol *out, int index, unsigned polynomial, unsigned choice)
{
  const int s = degree_of(polynomial);
  uint64_t m[CARDAN__SOBOL_INDEX] = {0};
  for (int k = 0; k < CARDAN__SOBOL_INDEX; k++) {
    if (k < s) {
      m[k] = cardan__random_bits(choice, (uint64_t)index, (uint64_t)k) >> (63 - k) | 1;
    } else {
      m[k] = m[k - s]; // (E2): the coefficient 1 at the end once more
      for (int i = 1; i <= s; i++) {
        m[k] ^= (polynomial >> (s - i) & 1) != 0 ? m[k - i] << i : 0;
      }
    }
    out->direction[k] = m[k] << (CARDAN__SOBOL_BITS - 1 - k);
  }
}

void cardan__sobol_make(cardan__sobol *dimension, int n)
{
  unsigned polynomial = 0;
  for (int d = 0; d < n; d++) {
    if (d == 0) { // x + 1 with nothing to carry over would not do: bits in reverse
      for (int k = 0; k < CARDAN__SOBOL_INDEX; k++) {
        dimension[0].direction[k] = (uint64_t)1 << (CARDAN__SOBOL_BITS - 1 - k);
      }
      continue;
    }
    polynomial = cardan__sobol_polynomial(polynomial);
    cardan__sobol_one(&dimension[d], d, polynomial, cardan__sobol_chosen[d]);
  }
}

uint64_t cardan__sobol_bits(const cardan__sobol *dimension, uint64_t j)
{
  uint64_t x = 0;
  for (int k = 0; k < CARDAN__SOBOL_INDEX && j >> k != 0; k++) { // (E1)
    x ^= (j >> k & 1) != 0 ? dimension->direction[k] : 0;
  }
  return x;
}

/* A random bit for each number and key: the top one of splitmix64's mixed word. */
static uint64_t random_bit(uint64_t key, uint64_t number)
{
  uint64_t z = key + number * 0x9e3779b97f4a7c15U;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
  z = (z ^ z >> 27) * 0x94d049bb133111ebU;
  return (z ^ z >> 31) >> 63;
}

uint64_t cardan__owen(uint64_t x, uint64_t key)
{
  uint64_t flips = 0;
  for (int b = 0; b < CARDAN__SOBOL_BITS; b++) {
    // the bits above this one, with a 1 before them: a number for each node of the tree
    const uint64_t above = (x | (uint64_t)1 << CARDAN__SOBOL_BITS) >> (CARDAN__SOBOL_BITS - b);
    flips |= random_bit(key, above) << (CARDAN__SOBOL_BITS - 1 - b);
  }
  return x ^ flips;
}

double cardan__sobol_at(const cardan__sobol *dimension, uint64_t key, uint64_t j)
{
  return ((double)cardan__owen(cardan__sobol_bits(dimension, j), key) + 0.5) * 0x1p-52;
}
