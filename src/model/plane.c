// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "model/build_tree.h"
#include "spatial/spatial.h"

/* Motion in a plane. Joints alone decide it: when every rotation is about one direction n of the
 * world and every translation across it, no body can leave its plane or turn out of it, whatever
 * acts on it; what would take it out is taken up by the joints. Since rotations about n leave n
 * where it is, the directions at q = 0 are those of every configuration. */

static const double parallel = 1e-9; // sine that counts as rounding

/* Directions of the joints met so far. */
typedef struct {
  cardan_vec3 axis, slide;
  bool has_axis, has_slide;
} directions;

static double sine(cardan_vec3 a, cardan_vec3 b)
{
  return cardan__vec3_norm(cardan__vec3_cross(a, b));
}

/* Adds a rotation about z, or a translation along it; false: no plane contains all motions. */
static bool add_direction(directions *d, cardan_vec3 z, bool slides)
{
  if (!slides) {
    if (d->has_axis && sine(d->axis, z) > parallel) {
      return false;
    }
    d->axis = d->has_axis ? d->axis : z;
    d->has_axis = true;
  } else if (!d->has_slide) {
    d->slide = z;
    d->has_slide = true;
  } else if (!d->has_axis && sine(d->slide, z) > parallel) {
    d->axis = cardan__vec3_normalize(cardan__vec3_cross(d->slide, z));
    d->has_axis = true;
  }
  return true;
}

/* Goes once through the tree at q = 0, world orientations to raw[].C, which is free by now. With
 * check, every translation must be across d->axis. */
static bool walk(const cardan_model *model, cardan__raw_link *raw, directions *d, bool check)
{
  raw[0].C = cardan__mat3_identity();
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan__link_type *type = cardan__link_type_of(b->kind);
    const bool slides = type->nslide > 0;
    raw[i].C = cardan__mat3_mul(&raw[b->parent].C, &b->X.R);
    const cardan_vec3 z = cardan__mat3_column(&raw[i].C, 2);
    if (!type->has_axis || type->screw) {
      return false;
    }
    if (check) {
      if (slides && fabs(cardan__vec3_dot(z, d->axis)) > parallel) {
        return false;
      }
    } else if (!add_direction(d, z, slides)) {
      return false;
    }
  }
  return true;
}

void cardan__fill_plane(cardan_model *model, cardan__raw_link *raw)
{
  directions d = {.has_axis = false};
  model->planar = false;
  model->plane_normal = cardan__vec3(0, 0, 0);
  if (model->nbody < 2 || !walk(model, raw, &d, false)) {
    return;
  }
  if (!d.has_axis) {
    // translations along one line: any plane through the line, the one of gravity if there is one
    const cardan_vec3 across =
        fabs(d.slide.y) < 0.9 ? cardan__vec3(0, 1, 0) : cardan__vec3(1, 0, 0);
    cardan_vec3 n = cardan__vec3_cross(d.slide, model->gravity);
    if (cardan__vec3_norm(n) <= 1e-6 * cardan__vec3_norm(model->gravity)) {
      n = cardan__vec3_cross(d.slide, across);
    }
    d.axis = cardan__vec3_normalize(n);
  }
  model->planar = walk(model, raw, &d, true);
  model->plane_normal = d.axis;
}
