/* SPDX-License-Identifier: Apache-2.0
 * base/hash.h - 64-bit hashes of bytes that guard against accidents, not against malice.
 *
 * cardan__hash_bytes: each word of 8 bytes is one step h -> f(h ^ word) with a bijection f, so two
 * inputs of one length that differ in one word never have the same hash. For what this build reads
 * again.
 * cardan__fnv1a: FNV-1a, byte by byte, the same on every machine. For what files and streams of
 * random numbers depend on.
 * Both start with CARDAN__HASH_START. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CARDAN__HASH_START 0xcbf29ce484222325U

static inline uint64_t cardan__fnv1a(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *at = data;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ at[i]) * 0x100000001b3U;
  }
  return hash;
}

static inline uint64_t cardan__hash_word(uint64_t hash, uint64_t word)
{
  hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32;
}

static inline uint64_t cardan__hash_bytes(uint64_t hash, const void *data, size_t size)
{
  const unsigned char *at = data;
  size_t left = size;
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    hash = cardan__hash_word(hash, word);
  }
  if (left > 0) {
    uint64_t word = 0;
    memcpy(&word, at, left);
    hash = cardan__hash_word(hash, word);
  }
  return hash;
}
