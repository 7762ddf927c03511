// SPDX-License-Identifier: Apache-2.0
#include "batch/random.h"
#include "sweep/sample.h"

/* Bits that it takes to write all of 0 .. n - 1. */
static int bits_for(uint64_t n)
{
  int bits = 0;
  while (bits < 64 && n > (uint64_t)1 << bits) {
    bits++;
  }
  return bits;
}

/* A permutation of 0 .. 2^bits - 1: rounds in which one half is mixed with a random function of the
 * other [M. Luby, C. Rackoff, SIAM J. Comput. 17 (1988) 373-386]. Four are known to do for wide
 * halves; functions of one bit or two need many until all permutations are as likely. The halves
 * may have unequal bits. */
static uint64_t feistel(uint64_t seed, uint64_t stream, int bits, uint64_t x)
{
  const uint64_t nround = bits < 6 ? 32 : 8;
  const int low = bits / 2, high = bits - low;
  uint64_t half[2] = {x & (((uint64_t)1 << low) - 1), x >> low};
  const uint64_t mask[2] = {((uint64_t)1 << low) - 1, ((uint64_t)1 << high) - 1};
  for (uint64_t round = 0; round < nround; round++) {
    const int to = round % 2 == 0;
    half[to] ^= cardan__random_bits(seed, stream, round << 56 | half[1 - to]) & mask[to];
  }
  return half[1] << low | half[0];
}

/* What leaves 0 .. n - 1 is sent on until it is back: the way through the cycle of a permutation of
 * up to 2 n numbers, less than two steps on average. */
uint64_t cardan__permuted(uint64_t seed, uint64_t stream, uint64_t n, uint64_t i)
{
  const int bits = bits_for(n);
  do {
    i = feistel(seed, stream, bits, i);
  } while (i >= n);
  return i;
}

double cardan__latin_at(uint64_t seed, uint64_t stream, uint64_t n, uint64_t j)
{
  // as many bits of the place in the interval as leave its sum with the interval's number exact
  const int bits = 51 - bits_for(n);
  const uint64_t place = cardan__random_bits(seed, ~stream, j) >> (64 - bits);
  const double inside = ((double)place + 0.5) / (double)((uint64_t)1 << bits);
  return ((double)cardan__permuted(seed, stream, n, j) + inside) / (double)n;
}
