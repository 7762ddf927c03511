// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "formats/sdf.h"
#include "spatial/spatial.h"

/* What a link has. */

/* ---- looks ---- */

/* Has a shape any size? The numbers that its kind does not have are those of a box. */
static bool is_seen(const cardan_shape *shape)
{
  return shape->size[0] != 0 && shape->size[1] != 0 && shape->size[2] != 0;
}

/* The shape of a visual. */
static bool read_look(cardan__sdf *s, const cardan__xml *geometry, cardan_shape *shape)
{
  double radii[3];
  if ((cardan__sdf_shape(s, geometry, shape) && is_seen(shape)) ||
      cardan__sdf_mesh(s, geometry, shape)) {
    return true;
  }
  if (cardan__sdf_ellipsoid(s, geometry, radii)) {
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_ELLIPSOID, .size = {radii[0], radii[1], radii[2]}};
    return true;
  }
  cardan__sdf_say(s, CARDAN__SDF_NOTE_SHAPE, geometry);
  return false;
}

/* #rrggbb of a <material>: what it shows in light that falls on it, or all around. */
static bool color_of(cardan__sdf *s, const cardan__xml *material, char text[8])
{
  const cardan__xml *e = cardan__xml_child(material, "diffuse");
  e = e != NULL ? e : cardan__xml_child(material, "ambient");
  double rgba[4] = {0};
  const int n = e != NULL ? cardan__xml_numbers(e->text, rgba, 4) : 0;
  if (e != NULL && n != 3 && n != 4) {
    cardan__xml_fail(s->spec, e, "<%s> is \"%.60s\", expected 3 or 4 numbers", e->name, e->text);
  }
  cardan__xml_color(rgba, text);
  return n == 3 || n == 4;
}

static void add_visual(cardan__sdf *s, int link, cardan__xml *visual)
{
  cardan__xml_skip(visual); // an unknown visual is ignored
  const cardan__sdf_node *n = &s->node[link];
  const cardan__xml *geometry = cardan__xml_child(visual, "geometry"),
                    *material = cardan__xml_child(visual, "material");
  cardan__xml *pose = cardan__xml_child(visual, "pose");
  cardan_shape shape;
  cardan_xform T;
  char color[8];
  if (geometry == NULL || !read_look(s, geometry, &shape) ||
      !cardan__sdf_pose_in_link(s, link, pose, &T)) {
    return;
  }
  // a frame of its own: colours belong to frames
  const int at = cardan__sdf_place(s, n->frame, &T);
  cardan__xml_at(s->spec, geometry);
  cardan_spec_shape(s->spec, at, &shape);
  if (material != NULL && color_of(s, material, color)) {
    cardan_spec_color(s->spec, at, color);
  }
}

void cardan__sdf_add_link(cardan__sdf *s, int link)
{
  const cardan__sdf_node *n = &s->node[link];
  (void)cardan__xml_child(n->xml, "gravity");
  cardan__sdf_skip_no(s, n->xml);
  if (n->fixed) {
    cardan__xml *inertial = cardan__xml_child(n->xml, "inertial");
    if (inertial != NULL) {
      cardan__xml_skip(inertial);
    }
  } else {
    cardan__sdf_add_mass(s, link, n->frame);
  }
  for (cardan__xml *e = cardan__xml_child(n->xml, "visual"); e != NULL;
       e = cardan__xml_next(e, "visual")) {
    add_visual(s, link, e);
  }
  cardan__sdf_add_collisions(s, link);
}
