/* SPDX-License-Identifier: Apache-2.0
 * output/state_file.h - the state of a run that is under way, beside its table: r.partial.h5.state
 * for r.partial.h5. It is written under another name and renamed, so that whatever ends the process
 * leaves the one before or the new one, whole. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "cardan/base.h"

typedef struct {
  const void *bytes;
  size_t size;
  int64_t row, step; // how many there were
} cardan__state;

/* The name for a table's file; NULL: no memory. */
char *cardan__state_name(const char *partial, const cardan_allocator *alloc);

cardan_status cardan__state_write(const char *name, const cardan__state *state,
                                  const cardan_allocator *alloc,
                                  cardan_report *report) CARDAN_MUST_USE;

/* bytes: in the arena; size 0 when there is none, or a damaged one.
 * returns false: no memory */
bool cardan__state_read(const char *name, cardan__arena *arena, cardan__state *state);
