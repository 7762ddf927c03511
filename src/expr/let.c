// SPDX-License-Identifier: Apache-2.0
#include "expr/let.h"

#include <string.h>

#include "base/arena.h"
#include "expr/sexpr.h"

// FNV-1a of the word in small letters
static unsigned bucket_of(const cardan__lets *lets, const char *word)
{
  unsigned hash = 2166136261u;

  for (; *word; word++) {
    const unsigned char c = (unsigned char)*word;
    hash = (hash ^ (c >= 'A' && c <= 'Z' ? c + 0x20u : c)) * 16777619u;
  }
  return (hash ^ (hash >> 16)) & lets->mask;
}

int cardan__let_find(const cardan__lets *lets, const char *word)
{
  if (lets->n == 0) {
    return -1;
  }
  int i = lets->bucket[bucket_of(lets, word)];
  while (i >= 0 && !cardan__same_word(lets->let[i].name, word)) {
    i = lets->let[i].before;
  }
  return i >= 0 ? lets->let[i].value : -1;
}

cardan_status cardan__let_bind(cardan__lets *lets, const cardan_allocator *alloc, size_t most,
                               const char *name, int value)
{
  if (!lets->bucket) {
    size_t n = 8;
    while (n < most && n < (size_t)1 << 24) {
      n *= 2;
    }
    lets->bucket = cardan__resize(alloc, NULL, n * sizeof lets->bucket[0]);
    if (!lets->bucket) {
      return CARDAN_ERR_MEMORY;
    }
    memset(lets->bucket, -1, n * sizeof lets->bucket[0]);
    lets->mask = (unsigned)n - 1;
  }
  const cardan_status status =
      cardan__grow(alloc, (void **)&lets->let, &lets->capacity, lets->n + 1, sizeof lets->let[0]);
  if (status == CARDAN_OK) {
    int *bucket = &lets->bucket[bucket_of(lets, name)];
    lets->let[lets->n] = (cardan__let){name, value, *bucket};
    *bucket = lets->n++;
  }
  return status;
}

void cardan__let_drop(cardan__lets *lets, int n)
{
  while (lets->n > n) {
    const cardan__let *last = &lets->let[--lets->n];
    lets->bucket[bucket_of(lets, last->name)] = last->before;
  }
}

void cardan__let_free(cardan__lets *lets, const cardan_allocator *alloc)
{
  cardan__resize(alloc, lets->let, 0);
  cardan__resize(alloc, lets->bucket, 0);
  *lets = (cardan__lets){0};
}
