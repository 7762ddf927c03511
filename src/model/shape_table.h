/* SPDX-License-Identifier: Apache-2.0
 * model/shape_table.h - what a kind of shape is: its word, its sizes, and where it may stand. */
#pragma once
#include "cardan/spec.h"

typedef struct {
  const char *word;
  const char *shape, *as_solid; // how a text writes it, "(shape box x y z)", for messages
  int nsize;                    // numbers of its size that a text has and that are more than 0
  bool seen, solid;             // may be a visual shape; may be a solid
} cardan__shape_type;

enum { CARDAN__NSHAPE_KIND = CARDAN_SHAPE_HEIGHT_FIELD + 1 };

/* NULL: there is no such kind. */
const cardan__shape_type *cardan__shape_type_of(cardan_shape_kind kind);
