/* SPDX-License-Identifier: Apache-2.0
 * sweep/share.h - the cases of a process: all of them, or a shard.
 *
 * Cases are distributed in groups of g: case i belongs to shard (i / g) mod N. g is up to 8, so
 * that neighbours can run together, and smaller if shards would get fewer than 16 groups each. */
#pragma once
#include <stdint.h>

typedef struct {
  int64_t count; // cases of the sweep
  int64_t group, shard, shards;
  int64_t cases; // of this share
} cardan__share;

/* shards 0: all cases */
cardan__share cardan__share_of(int64_t count, int shard, int shards);

/* The number of its j-th case, 0 <= j < cases; ascending. */
int64_t cardan__share_number(const cardan__share *share, int64_t j);
/* The shard of a case. */
int cardan__share_shard(int64_t count, int shards, int64_t number);
