/* SPDX-License-Identifier: Apache-2.0
 * random_loops.h - random mechanisms with loops, as model texts: closed where they start, by
 * construction. */
#pragma once
#include <stdint.h>

typedef enum {
  LOOPS_REGULAR, // a tree in space; pairs and wires between its bodies, unchanged
  LOOPS_DOUBLED, // the same, each closed twice or three times over
  LOOPS_PLANAR,  // a tree in a plane, closed by hinges in space: three rows too many each
  LOOPS_BENNETT, // four hinges in space that should not move, and do
  LOOPS_ROWS,    // cranks and couplers that pass flat positions
  LOOPS_FOURBAR, // four-bars that just, or just not, lie flat on their way
  LOOPS_RODS,    // plates under parallel rods, two of them enough
  LOOPS_NKIND
} loops_kind;

const char *loops_kind_name(loops_kind kind);

/* The text of model number `seed`; kinds take turns. To be freed. kind: out. */
char *loops_random_text(uint64_t seed, loops_kind *kind);
