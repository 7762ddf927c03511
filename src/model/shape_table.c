// SPDX-License-Identifier: Apache-2.0
#include "model/shape_table.h"

#include <stddef.h>

static const cardan__shape_type types[CARDAN__NSHAPE_KIND] = {
    [CARDAN_SHAPE_BOX] = {"box", " x y z", 3, true, true},
    [CARDAN_SHAPE_SPHERE] = {"sphere", " r", 1, true, true},
    [CARDAN_SHAPE_CYLINDER] = {"cylinder", " r h", 2, true, true},
    [CARDAN_SHAPE_CAPSULE] = {"capsule", " r h", 2, true, true},
    [CARDAN_SHAPE_MESH] = {"mesh", " \"file.stl\" sx sy sz", 0, true, false},
    [CARDAN_SHAPE_ELLIPSOID] = {"ellipsoid", " a b c", 3, true, true},
    [CARDAN_SHAPE_POINT] = {"point", "", 0, false, true},
    [CARDAN_SHAPE_PLANE] = {"plane", "", 0, false, true},
    [CARDAN_SHAPE_HULL] = {"hull", " (x y z) (x y z) ..", 0, false, true},
};

const cardan__shape_type *cardan__shape_type_of(cardan_shape_kind kind)
{
  return (int)kind >= 0 && (int)kind < CARDAN__NSHAPE_KIND ? &types[kind] : NULL;
}
