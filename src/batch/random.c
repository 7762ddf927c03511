// SPDX-License-Identifier: Apache-2.0
#include "batch/random.h"

#include <string.h>

#include "base/hash.h"
#include "cardan/sampler.h"

/* One round: products of two words of the counter, their halves mixed with the others and the key.
 * Constants of Salmon et al., table 2. */
static void philox_round(uint32_t c[4], const uint32_t key[2])
{
  const uint64_t p = (uint64_t)0xD2511F53U * c[0], r = (uint64_t)0xCD9E8D57U * c[2];
  const uint32_t mixed[4] = {(uint32_t)(r >> 32) ^ c[1] ^ key[0], (uint32_t)r,
                             (uint32_t)(p >> 32) ^ c[3] ^ key[1], (uint32_t)p};
  memcpy(c, mixed, sizeof mixed);
}

uint64_t cardan__random_bits(uint64_t seed, uint64_t stream, uint64_t index)
{
  uint32_t c[4] = {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream,
                   (uint32_t)(stream >> 32)};
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  for (int k = 0; k < 10; k++) {
    philox_round(c, key);
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return (uint64_t)c[1] << 32 | c[0];
}

double cardan_random(uint64_t seed, uint64_t stream, uint64_t index)
{
  // 52 bits, in the middle of their interval: neither 0 nor 1
  return ((double)(cardan__random_bits(seed, stream, index) >> 12) + 0.5) * 0x1p-52;
}

uint64_t cardan__random_stream(const char *name)
{
  return cardan__fnv1a(CARDAN__HASH_START, name, strlen(name));
}
