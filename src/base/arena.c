// SPDX-License-Identifier: Apache-2.0
#include "base/arena.h"

#include <limits.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

enum {
  PIECE_ALIGN = 16,        // of arena pieces: any C type
  CHUNK_FIRST = 4096,      // bytes of an arena's first chunk
  CHUNK_LARGEST = 1 << 20, // chunks double up to here; a larger piece gets a chunk of its own
};

struct cardan__chunk {
  alignas(PIECE_ALIGN) cardan__chunk *older;
  size_t size; // bytes behind this header
};

_Static_assert(sizeof(cardan__chunk) % PIECE_ALIGN == 0, "pieces start aligned behind the header");

void *cardan__resize(const cardan_allocator *alloc, void *old, size_t size)
{
  if (alloc && alloc->resize) {
    return alloc->resize(alloc->user, old, size);
  }
  if (size == 0) {
    free(old);
    return NULL;
  }
  return realloc(old, size);
}

cardan_status cardan__no_memory(cardan_report *report)
{
  return cardan_fail(report, CARDAN_ERR_MEMORY, (cardan_pos){0, 0}, "out of memory");
}

void *cardan__zeros(const cardan_allocator *alloc, size_t size)
{
  if (alloc == NULL || alloc->resize == NULL) {
    return calloc(1, size);
  }
  void *block = alloc->resize(alloc->user, NULL, size);
  return block != NULL ? memset(block, 0, size) : NULL;
}

cardan_status cardan__grow_bare(const cardan_allocator *alloc, void **items, int *capacity,
                                int need, size_t item_size)
{
  CARDAN_ASSERT(need >= 0 && item_size > 0);
  if (need <= *capacity) {
    return CARDAN_OK;
  }

  // half as much again, so that n pushes copy O(n) items
  int wanted = *capacity <= INT_MAX - *capacity / 2 - 8 ? *capacity + *capacity / 2 + 8 : INT_MAX;
  if (wanted < need) {
    wanted = need;
  }
  if ((size_t)wanted > SIZE_MAX / item_size) {
    return CARDAN_ERR_MEMORY;
  }

  // the caller's pointer has its own type: its bytes are copied, not read as a void *
  char *old;
  memcpy(&old, items, sizeof(old));
  char *grown = cardan__resize(alloc, old, (size_t)wanted * item_size);
  if (!grown) {
    return CARDAN_ERR_MEMORY;
  }
  memcpy(items, &grown, sizeof(grown));
  *capacity = wanted;
  return CARDAN_OK;
}

cardan_status cardan__grow(const cardan_allocator *alloc, void **items, int *capacity, int need,
                           size_t item_size)
{
  const int before = *capacity;
  const cardan_status status = cardan__grow_bare(alloc, items, capacity, need, item_size);
  if (*capacity > before) {
    char *grown;
    memcpy(&grown, items, sizeof grown);
    memset(grown + (size_t)before * item_size, 0, (size_t)(*capacity - before) * item_size);
  }
  return status;
}

void cardan__arena_init(cardan__arena *arena, const cardan_allocator *alloc)
{
  *arena = (cardan__arena){0};
  if (alloc) {
    arena->alloc = *alloc;
  }
}

void cardan__arena_free(cardan__arena *arena)
{
  while (arena->chunks) {
    cardan__chunk *older = arena->chunks->older;
    cardan__resize(&arena->alloc, arena->chunks, 0);
    arena->chunks = older;
  }
  arena->next = NULL;
  arena->left = 0;
}

/* A new chunk with room for at least bytes, in front of the others. */
static bool add_chunk(cardan__arena *arena, size_t bytes)
{
  size_t size = CHUNK_FIRST;
  if (arena->chunks) {
    size = arena->chunks->size < CHUNK_LARGEST / 2 ? 2 * arena->chunks->size : CHUNK_LARGEST;
  }
  if (size < bytes) {
    size = bytes;
  }
  if (size > SIZE_MAX - sizeof(cardan__chunk)) {
    return false;
  }
  cardan__chunk *chunk = cardan__resize(&arena->alloc, NULL, sizeof(cardan__chunk) + size);
  if (!chunk) {
    return false;
  }
  chunk->older = arena->chunks;
  chunk->size = size;
  arena->chunks = chunk;
  arena->next = (char *)(chunk + 1);
  arena->left = size;
  return true;
}

void *cardan__arena_take(cardan__arena *arena, size_t count, size_t size)
{
  if (size > 0 && count > (SIZE_MAX - PIECE_ALIGN) / size) {
    return NULL;
  }
  // rounded up, so that the next piece starts aligned; at least one unit, so that no two are equal
  size_t bytes = count * size;
  bytes = bytes == 0 ? PIECE_ALIGN : (bytes + PIECE_ALIGN - 1) / PIECE_ALIGN * PIECE_ALIGN;
  if (bytes > arena->left && !add_chunk(arena, bytes)) {
    return NULL;
  }
  void *piece = arena->next;
  arena->next += bytes;
  arena->left -= bytes;
  return memset(piece, 0, bytes);
}

char *cardan__arena_text(cardan__arena *arena, const char *text, size_t length)
{
  if (length == SIZE_MAX) {
    return NULL;
  }
  char *copy = cardan__arena_take(arena, length + 1, 1);
  if (copy && length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

void *cardan__carve(cardan__carver *carver, size_t count, size_t size)
{
  // the largest multiple of the alignment that leaves room for cardan__carver_size's slack
  const size_t limit = (SIZE_MAX - CARDAN__ALIGN) / CARDAN__ALIGN * CARDAN__ALIGN;
  if (carver->used > limit || (size > 0 && count > (limit - carver->used) / size)) {
    carver->used = SIZE_MAX;
    return NULL;
  }
  void *piece = carver->base ? carver->base + carver->used : NULL;
  carver->used += (count * size + CARDAN__ALIGN - 1) / CARDAN__ALIGN * CARDAN__ALIGN;
  return piece;
}

size_t cardan__carver_size(const cardan__carver *carver)
{
  return carver->used == SIZE_MAX ? 0 : carver->used + CARDAN__ALIGN - 1;
}

cardan__carver cardan__carver_over(void *memory)
{
  CARDAN_ASSERT(memory != NULL);
  const size_t past = (uintptr_t)memory % CARDAN__ALIGN;
  return (cardan__carver){.base = (char *)memory + (past == 0 ? 0 : CARDAN__ALIGN - past)};
}

void *cardan__carve_block(const cardan_allocator *alloc,
                          void (*layout)(void *what, cardan__carver *carver), void *what)
{
  cardan__carver carver = {0};
  layout(what, &carver);
  const size_t size = cardan__carver_size(&carver);
  void *block = size > 0 ? cardan__zeros(alloc, size) : NULL;
  if (block != NULL) {
    carver = cardan__carver_over(block);
    layout(what, &carver);
  }
  return block;
}

void cardan_free_text(const cardan_allocator *allocator, char *text)
{
  cardan__resize(allocator, text, 0);
}
