/* SPDX-License-Identifier: Apache-2.0
 * sweep/share.h - which cases a process has: all of them, or a shard.
 *
 * Cases are dealt out in groups of g, as cards are: of case number i the shard is (i / g) mod N.
 * g is up to 8, so that neighbours can be run together, and less where shards would get fewer than
 * 16 groups each. */
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
/* Which shard of so many a case is in. */
int cardan__share_shard(int64_t count, int shards, int64_t number);
