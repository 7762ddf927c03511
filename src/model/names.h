/* SPDX-License-Identifier: Apache-2.0
 * model/names.h - a hash table from names to integers: open addressing, O(1) a call.
 *
 * The table keeps pointers to the names, not copies: they must outlive it. A table of zeros is an
 * empty one on malloc. One table belongs to one thread at a time. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"

typedef struct {
  const char *name; // NULL: free
  uint32_t hash;
  int value;
} cardan__name_slot;

typedef struct {
  cardan_allocator alloc;
  cardan__name_slot *slot; // capacity of them, a power of two; at most half are taken
  int count, capacity;
} cardan__names;

void cardan__names_init(cardan__names *names, const cardan_allocator *alloc); // NULL: malloc
void cardan__names_free(cardan__names *names);

/* Value of a name, -1 when it is not there. The second form takes a name without a final NUL. */
int cardan__names_get(const cardan__names *names, const char *name);
int cardan__names_get_part(const cardan__names *names, const char *name, size_t length);

/* Gives a name a value >= 0, adding it when it is not there yet.
 * returns CARDAN_ERR_MEMORY, with the table as it was */
cardan_status cardan__names_set(cardan__names *names, const char *name, int value) CARDAN_MUST_USE;

/* Closest name by spelling, NULL when none is close; see cardan__nearest. O(count). */
const char *cardan__names_nearest(const cardan__names *names, const char *name);
