/* SPDX-License-Identifier: Apache-2.0
 * expr/let.h - the names of (let ((x a) (y b)) ..) while an expression is read.
 *
 * The last one bound counts; names go as their lists end, the last first. A hash table, so that a
 * text of many names is read in time linear in it. */
#pragma once
#include "cardan/base.h"

typedef struct {
  const char *name; // in the tree's text
  int value;        // instruction
  int before;       // of the same bucket, -1: none
} cardan__let;

typedef struct {
  cardan__let *let;
  int n, capacity;
  int *bucket;   // last name of each, -1: none
  unsigned mask; // buckets less 1
} cardan__lets;

/* The instruction that a word stands for, case apart; -1: it is no such name. */
int cardan__let_find(const cardan__lets *lets, const char *word);

/* Binds a name. most: of names that there can be, the same at each call.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__let_bind(cardan__lets *lets, const cardan_allocator *alloc, size_t most,
                               const char *name, int value) CARDAN_MUST_USE;

/* Forgets all but the first n names. */
void cardan__let_drop(cardan__lets *lets, int n);

void cardan__let_free(cardan__lets *lets, const cardan_allocator *alloc);
