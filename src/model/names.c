// SPDX-License-Identifier: Apache-2.0
#include "model/names.h"

#include <limits.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "base/text.h"

enum { FIRST_CAPACITY = 16 };

void cardan__names_init(cardan__names *names, const cardan_allocator *alloc)
{
  *names = (cardan__names){0};
  if (alloc) {
    names->alloc = *alloc;
  }
}

void cardan__names_free(cardan__names *names)
{
  if (names->slot) {
    cardan__resize(&names->alloc, names->slot, 0);
  }
  *names = (cardan__names){.alloc = names->alloc};
}

/* FNV-1a of all but the last character, with a final mix, and that one added: names that follow one
 * another in a file, q1, q2, .., stand side by side, ten in a few lines of the cache, and the next
 * ten anywhere else. */
static uint32_t hash_of(const char *name, size_t length)
{
  uint32_t h = 2166136261U;
  for (size_t i = 0; i + 1 < length; i++) {
    h = (h ^ (unsigned char)name[i]) * 16777619U;
  }
  h ^= h >> 16;
  h *= 0x85ebca6bU;
  h ^= h >> 13;
  return h + (length > 0 ? (unsigned char)name[length - 1] & 15U : 0U);
}

/* The slot that holds the name, or the free one where it would go. The table is never full. */
static int find_slot(const cardan__names *names, const char *name, size_t length, uint32_t hash)
{
  const uint32_t mask = (uint32_t)names->capacity - 1U;
  uint32_t i = hash & mask;
  while (names->slot[i].name) {
    const cardan__name_slot *slot = &names->slot[i];
    if (slot->hash == hash && strncmp(slot->name, name, length) == 0 && !slot->name[length]) {
      break;
    }
    i = (i + 1U) & mask;
  }
  return (int)i;
}

int cardan__names_get_part(const cardan__names *names, const char *name, size_t length)
{
  if (names->count == 0) {
    return -1;
  }
  const int i = find_slot(names, name, length, hash_of(name, length));
  return names->slot[i].name ? names->slot[i].value : -1;
}

int cardan__names_get(const cardan__names *names, const char *name)
{
  return cardan__names_get_part(names, name, strlen(name));
}

static cardan_status double_table(cardan__names *names)
{
  if (names->capacity > INT_MAX / 2) {
    return CARDAN_ERR_MEMORY;
  }
  cardan__names larger = {.alloc = names->alloc, .count = names->count};
  larger.capacity = names->capacity > 0 ? 2 * names->capacity : FIRST_CAPACITY;
  const size_t bytes = (size_t)larger.capacity * sizeof(*larger.slot);
  larger.slot = cardan__zeros(&names->alloc, bytes);
  if (!larger.slot) {
    return CARDAN_ERR_MEMORY;
  }

  // all names differ, so the first free slot is the right one
  const uint32_t mask = (uint32_t)larger.capacity - 1U;
  for (int k = 0; k < names->capacity; k++) {
    if (names->slot[k].name) {
      uint32_t i = names->slot[k].hash & mask;
      while (larger.slot[i].name) {
        i = (i + 1U) & mask;
      }
      larger.slot[i] = names->slot[k];
    }
  }
  cardan__names_free(names);
  *names = larger;
  return CARDAN_OK;
}

cardan_status cardan__names_set(cardan__names *names, const char *name, int value)
{
  CARDAN_ASSERT(value >= 0);
  if (names->count >= names->capacity / 2) {
    const cardan_status status = double_table(names);
    if (status) {
      return status;
    }
  }
  const size_t length = strlen(name);
  const uint32_t hash = hash_of(name, length);
  const int i = find_slot(names, name, length, hash);
  if (names->slot[i].name) {
    names->slot[i].value = value;
  } else {
    names->slot[i] = (cardan__name_slot){name, hash, value};
    names->count++;
  }
  return CARDAN_OK;
}

const char *cardan__names_nearest(const cardan__names *names, const char *name)
{
  // cardan__nearest of a list of two keeps the closer one; the first of equals in table order
  const char *best = NULL;
  for (int i = 0; i < names->capacity; i++) {
    const char *pair[2] = {best ? best : names->slot[i].name, names->slot[i].name};
    if (pair[1]) {
      best = cardan__nearest(name, pair, 2);
    }
  }
  return best;
}
