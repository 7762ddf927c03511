// SPDX-License-Identifier: Apache-2.0
#include "model/elements.h"

static const cardan__element *const kinds[] = {
#define KIND(kind, id, word) [kind] = &cardan__element_##id,
    CARDAN_ELEMENT_LIST(KIND)
#undef KIND
};

const cardan__element *cardan__element_of(cardan_element_kind kind)
{
  return kinds[kind];
}
