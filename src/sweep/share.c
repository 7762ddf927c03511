// SPDX-License-Identifier: Apache-2.0
#include "sweep/share.h"

static int64_t group_of(int64_t count, int64_t shards)
{
  const int64_t fit = count / (16 * shards);
  return fit < 1 ? 1 : fit > 8 ? 8 : fit;
}

cardan__share cardan__share_of(int64_t count, int shard, int shards)
{
  cardan__share s = {.count = count, .group = 8, .shard = 0, .shards = 1, .cases = count};
  if (shards > 0) {
    s.shard = shard;
    s.shards = shards;
    s.group = group_of(count, shards);
    const int64_t round = s.group * shards, rest = count % round - s.group * shard;
    s.cases = count / round * s.group + (rest < 0 ? 0 : rest < s.group ? rest : s.group);
  }
  return s;
}

int64_t cardan__share_number(const cardan__share *share, int64_t j)
{
  return (j / share->group * share->shards + share->shard) * share->group + j % share->group;
}

int cardan__share_shard(int64_t count, int shards, int64_t number)
{
  return (int)(number / group_of(count, shards) % shards);
}
