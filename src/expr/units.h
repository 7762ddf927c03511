/* SPDX-License-Identifier: Apache-2.0
 * expr/units.h - units that a number may be written in: (mm 30) is 0.03.
 *
 * A decimal fraction of a unit divides, so that (mm 30) has the bits of 0.03. Words are
 * case-insensitive, so that what differs by case alone (MN and mN) is not here, nor what is a word
 * already (min, t) or is taken for something else (g, nm). */
#pragma once
#include <stdbool.h>

#define CARDAN__PI 3.14159265358979323846

/* Word, 1: its number is divided, the factor. */
#define CARDAN__UNIT_LIST(X)      \
  X("deg", 0, CARDAN__PI / 180.0) \
  X("rpm", 0, CARDAN__PI / 30.0)  \
  X("hz", 0, 2.0 * CARDAN__PI)    \
  X("um", 1, 1e6)                 \
  X("mm", 1, 1e3)                 \
  X("cm", 1, 1e2)                 \
  X("km", 0, 1e3)                 \
  X("inch", 0, 0.0254)            \
  X("ft", 0, 0.3048)              \
  X("us", 1, 1e6)                 \
  X("ms", 1, 1e3)                 \
  X("kmh", 1, 3.6)                \
  X("gram", 1, 1e3)               \
  X("tonne", 0, 1e3)              \
  X("lb", 0, 0.45359237)          \
  X("kn", 0, 1e3)                 \
  X("lbf", 0, 4.4482216152605)    \
  X("bar", 0, 1e5)

typedef struct {
  const char *word;
  bool divides;
  double factor;
} cardan__unit;

/* Unit i of the list; NULL after the last. */
const cardan__unit *cardan__unit_at(int i);

/* The unit of this word, case apart; NULL: it is none. */
const cardan__unit *cardan__unit_of(const char *word);
