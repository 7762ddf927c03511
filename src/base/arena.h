/* SPDX-License-Identifier: Apache-2.0
 * base/arena.h - memory over a cardan_allocator: one block, many pieces, growing arrays, arenas.
 *
 *   cardan__resize     malloc, realloc and free behind the caller's allocator
 *   cardan__no_memory  the report where there was none
 *   cardan__grow       an array that grows by half of itself
 *   cardan__arena      many small pieces, all given back at once: what a spec is built in
 *   cardan__carver     one block cut into aligned arrays: how a model and its data are laid out
 *
 * Every size is checked against overflow; every failure is a NULL or CARDAN_ERR_MEMORY that leaves
 * what was there before. No globals: two threads may work on two different arenas. */
#pragma once
#include "cardan/base.h"

/* Alignment of carved arrays: a cache line, and the widest vector register [bytes]. */
#define CARDAN__ALIGN 64

/* As the allocator's resize; alloc NULL, or one without a function, means malloc, realloc, free.
 * size 0 frees old (which may be NULL) and returns NULL. */
void *cardan__resize(const cardan_allocator *alloc, void *old, size_t size);

/* What to say and to return where the allocator had nothing: "out of memory", of no line. */
cardan_status cardan__no_memory(cardan_report *report);

/* A new block of zeros. From the system large blocks are so, and what is never touched of them
 * takes no memory. */
void *cardan__zeros(const cardan_allocator *alloc, size_t size);

/* Makes room for at least `need` items: *items is an array of *capacity items of item_size bytes
 * (NULL and 0 at first), and both are updated. Old items keep their value, new ones are zero, or
 * in the second form whatever was there before.
 * Call as cardan__grow(alloc, (void **)&list->items, &list->capacity, list->n + 1, sizeof(item)).
 * returns CARDAN_ERR_MEMORY with everything as it was */
cardan_status cardan__grow(const cardan_allocator *alloc, void **items, int *capacity, int need,
                           size_t item_size) CARDAN_MUST_USE;
cardan_status cardan__grow_bare(const cardan_allocator *alloc, void **items, int *capacity,
                                int need, size_t item_size) CARDAN_MUST_USE;

typedef struct cardan__chunk cardan__chunk;

/* Pieces that live until the arena is freed. The allocator is kept by value. */
typedef struct {
  cardan_allocator alloc;
  cardan__chunk *chunks; // newest first
  char *next;            // first free byte of the newest chunk, aligned to 16
  size_t left;           // bytes from there to its end
} cardan__arena;

void cardan__arena_init(cardan__arena *arena, const cardan_allocator *alloc);

/* Gives every piece back; the arena is then as after init. An arena of zeros may be freed too. */
void cardan__arena_free(cardan__arena *arena);

/* count * size zero bytes, aligned to 16; a valid pointer also when that is 0 bytes.
 * returns NULL when there is no memory or the size overflows */
void *cardan__arena_take(cardan__arena *arena, size_t count, size_t size);

/* A copy of length bytes of text with a NUL behind them; NULL when there is no memory. */
char *cardan__arena_text(cardan__arena *arena, const char *text, size_t length);

/* A block being cut into arrays. The same function lays out twice: once over nothing, to learn the
 * size, once over the memory:
 *   cardan__carver c = {0};
 *   layout(model, &c);                                     // pieces are NULL, c.used counts
 *   size_t size = cardan__carver_size(&c);                 // 0: too large for this machine
 *   c = cardan__carver_over(memory_of_that_size);
 *   layout(model, &c); */
typedef struct {
  char *base;  // NULL: only count
  size_t used; // bytes so far, a multiple of CARDAN__ALIGN; SIZE_MAX after an overflow
} cardan__carver;

/* The next array of count items of size bytes, aligned to CARDAN__ALIGN, or NULL while counting
 * and after an overflow. The memory is not touched. */
void *cardan__carve(cardan__carver *carver, size_t count, size_t size);

/* The same for count items of a type, and as a pointer to it. */
#define CARDAN__CARVE(carver, count, type) \
  ((type *)cardan__carve(carver, (size_t)(count), sizeof(type)))

/* Bytes to ask for, with room to align a block that is aligned for 1 byte only; 0 on overflow. */
size_t cardan__carver_size(const cardan__carver *carver);

/* A carver whose base is the first aligned address in memory. */
cardan__carver cardan__carver_over(void *memory);

/* A new block of zeros with what lays out in it, both times; what: layout's own. Without a caller's
 * allocator, room that is never touched takes no memory: that for the worst case may be large.
 * returns NULL when there is no memory or the size overflows: pieces of what are then NULL */
void *cardan__carve_block(const cardan_allocator *alloc,
                          void (*layout)(void *what, cardan__carver *carver), void *what);
