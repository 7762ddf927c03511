// SPDX-License-Identifier: Apache-2.0
#include "formats/collision.h"

void cardan__collision_pieces(cardan_spec *spec, int frame, const cardan_solid_def *solid,
                              const cardan__mesh_pieces *pieces)
{
  cardan_solid_def def = *solid;
  def.shape = (cardan_shape){.kind = CARDAN_SHAPE_HULL, .hidden = solid->shape.hidden};
  for (int i = 0; i < pieces->npiece && spec->status == CARDAN_OK; i++) {
    def.point = pieces->piece[i].point;
    def.npoint = pieces->piece[i].npoint;
    cardan_spec_solid(spec, frame, &def);
    if (spec->status == CARDAN_OK && pieces->npiece > 1) {
      cardan__spec_shape *added = &spec->shape[spec->frame[frame].last_shape];
      added->pieces = pieces->npiece;
      added->off = pieces->depth;
    }
  }
}
