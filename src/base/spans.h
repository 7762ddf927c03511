/* SPDX-License-Identifier: Apache-2.0
 * base/spans.h - pieces of memory that together are a state: what a save copies out and a restore
 * copies back. Who owns the pieces lists them, in the same order and sizes every time. */
#pragma once
#include <stddef.h>

#include "base/assert.h"

enum { CARDAN__SPANS_MOST = 96 };

typedef struct {
  int n;
  struct {
    void *at;
    size_t bytes;
  } span[CARDAN__SPANS_MOST];
} cardan__spans;

/* Another piece: count things of size bytes. */
static inline void cardan__spans_add(cardan__spans *list, void *at, size_t count, size_t size)
{
  CARDAN_ASSERT(list->n < CARDAN__SPANS_MOST);
  list->span[list->n].at = at;
  list->span[list->n++].bytes = count * size;
}

/* The one thing that x names. */
#define CARDAN__SPANS_ONE(list, x) cardan__spans_add(list, &(x), 1, sizeof(x))
