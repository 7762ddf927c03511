// SPDX-License-Identifier: Apache-2.0
#include "model/shape_table.h"

#include <stddef.h>

// its word, and the two ways to write it; numbers: as they follow the word
#define WRITTEN(word, numbers) word, "(shape " word numbers ")", "(solid " word numbers ")"

static const cardan__shape_type types[CARDAN__NSHAPE_KIND] = {
    [CARDAN_SHAPE_BOX] = {WRITTEN("box", " x y z"), 3, true, true},
    [CARDAN_SHAPE_SPHERE] = {WRITTEN("sphere", " r"), 1, true, true},
    [CARDAN_SHAPE_CYLINDER] = {WRITTEN("cylinder", " r h"), 2, true, true},
    [CARDAN_SHAPE_CAPSULE] = {WRITTEN("capsule", " r h"), 2, true, true},
    [CARDAN_SHAPE_MESH] = {WRITTEN("mesh", " \"file.stl\" sx sy sz"), 0, true, false},
    [CARDAN_SHAPE_ELLIPSOID] = {WRITTEN("ellipsoid", " a b c"), 3, true, true},
    [CARDAN_SHAPE_POINT] = {WRITTEN("point", ""), 0, false, true},
    [CARDAN_SHAPE_PLANE] = {WRITTEN("plane", ""), 0, false, true},
    [CARDAN_SHAPE_HULL] = {WRITTEN("hull", " (x y z) (x y z) .."), 0, false, true},
    [CARDAN_SHAPE_HEIGHT_FIELD] = {WRITTEN("height-field", " \"heights.csv\" x y z"), 3, false,
                                   true},
};

const cardan__shape_type *cardan__shape_type_of(cardan_shape_kind kind)
{
  return (int)kind >= 0 && (int)kind < CARDAN__NSHAPE_KIND ? &types[kind] : NULL;
}
