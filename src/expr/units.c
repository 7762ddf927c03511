// SPDX-License-Identifier: Apache-2.0
#include "expr/units.h"

#include <stddef.h>

#include "expr/sexpr.h"

static const cardan__unit units[] = {
#define UNIT(word, divides, factor) {word, divides, factor},
    CARDAN__UNIT_LIST(UNIT)
#undef UNIT
};
enum { NUNIT = sizeof units / sizeof units[0] };

const cardan__unit *cardan__unit_at(int i)
{
  return i < NUNIT ? &units[i] : NULL;
}

const cardan__unit *cardan__unit_of(const char *word)
{
  for (int i = 0; i < NUNIT; i++) {
    if (cardan__same_word(word, units[i].word)) {
      return &units[i];
    }
  }
  return NULL;
}
