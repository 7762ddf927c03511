/* SPDX-License-Identifier: Apache-2.0
 * base/spans.h - pieces of memory that together are a state: what a save copies out and a restore
 * copies back. The owner of the pieces lists them, in the same order and sizes every time. */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/assert.h"

enum { CARDAN__SPANS_MOST = 192 };

/* What bytes of a piece may be, where not anything will do: they come from files, too. */
typedef enum { CARDAN__SPAN_ANY, CARDAN__SPAN_INTS, CARDAN__SPAN_FLAGS } cardan__span_kind;

typedef struct {
  int n;
  struct {
    void *at;
    size_t bytes;
    cardan__span_kind kind;
    int low, high; // of ints
  } span[CARDAN__SPANS_MOST];
} cardan__spans;

/* Another piece: count things of size bytes. */
static inline void cardan__spans_add(cardan__spans *list, void *at, size_t count, size_t size)
{
  CARDAN_ASSERT(list->n < CARDAN__SPANS_MOST);
  list->span[list->n].at = at;
  list->span[list->n].kind = CARDAN__SPAN_ANY;
  list->span[list->n++].bytes = count * size;
}

/* Whole numbers, each within low .. high: indices, counts, words. */
static inline void cardan__spans_ints(cardan__spans *list, int *at, size_t count, int low, int high)
{
  cardan__spans_add(list, at, count, sizeof *at);
  list->span[list->n - 1].kind = CARDAN__SPAN_INTS;
  list->span[list->n - 1].low = low;
  list->span[list->n - 1].high = high;
}

static inline void cardan__spans_flag(cardan__spans *list, bool *at)
{
  cardan__spans_add(list, at, 1, sizeof *at);
  list->span[list->n - 1].kind = CARDAN__SPAN_FLAGS;
}

/* May these bytes be in piece i? */
static inline bool cardan__spans_allow(const cardan__spans *list, int i, const char *bytes)
{
  bool good = true;
  for (size_t k = 0; k < list->span[i].bytes && list->span[i].kind == CARDAN__SPAN_FLAGS; k++) {
    good = good && (bytes[k] == 0 || bytes[k] == 1);
  }
  const size_t ints = list->span[i].kind == CARDAN__SPAN_INTS ? list->span[i].bytes : 0;
  for (size_t k = 0; k < ints; k += sizeof(int)) {
    int x;
    memcpy(&x, bytes + k, sizeof x);
    good = good && x >= list->span[i].low && x <= list->span[i].high;
  }
  return good;
}

/* Bytes of all pieces together. */
static inline size_t cardan__spans_size(const cardan__spans *list)
{
  size_t size = 0;
  for (int i = 0; i < list->n; i++) {
    size += list->span[i].bytes;
  }
  return size;
}

/* Copies all pieces to `saved`, or back from there; returns the end of the saved bytes. */
static inline char *cardan__spans_copy(const cardan__spans *list, char *saved, bool back)
{
  for (int i = 0; i < list->n; saved += list->span[i].bytes, i++) {
    void *at = list->span[i].at;
    memcpy(back ? at : saved, back ? saved : at, list->span[i].bytes);
  }
  return saved;
}

/* The one thing that x names; any bytes will do for it. */
#define CARDAN__SPANS_ONE(list, x) cardan__spans_add(list, &(x), 1, sizeof(x))
