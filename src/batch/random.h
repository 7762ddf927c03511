/* SPDX-License-Identifier: Apache-2.0
 * batch/random.h - random numbers without state, below those of cardan/sampler.h. */
#pragma once
#include <stdint.h>

/* Word `index` of a stream: the first 64 bits of Philox4x32-10 of (index, stream) under the key
 * seed. */
uint64_t cardan__random_bits(uint64_t seed, uint64_t stream, uint64_t index);

/* The stream of a name, whatever else there is: FNV-1a. */
uint64_t cardan__random_stream(const char *name);
