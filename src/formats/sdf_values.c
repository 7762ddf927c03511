// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/text.h"
#include "formats/sdf.h"

/* Values of elements: flags, names of files, shapes; switches that are off. */

bool cardan__sdf_flag(cardan__sdf *s, const cardan__xml *e, const char *name, bool otherwise)
{
  const cardan__xml *child = cardan__xml_child(e, name);
  return cardan__xml_flag(s->spec, child, child != NULL ? child->text : NULL, otherwise);
}

const char *cardan__sdf_join(cardan__sdf *s, const char *base, const char *name, const char *tail)
{
  const char *slash = base != NULL && strstr(name, "://") == NULL ? strrchr(base, '/') : NULL;
  s->key.length = 0;
  cardan__text_add(&s->key, base, slash != NULL ? (size_t)(slash - base) + 1 : 0);
  cardan__text_add(&s->key, name, strlen(name));
  cardan__text_add(&s->key, tail, strlen(tail));
  const char *kept =
      s->key.failed ? NULL : cardan__arena_text(&s->spec->arena, s->key.data, s->key.length);
  cardan__spec_memory(s->spec, kept != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY);
  return kept;
}

bool cardan__sdf_shape(cardan__sdf *s, const cardan__xml *geometry, cardan_shape *shape)
{
  const cardan__xml *e;
  *shape = (cardan_shape){.kind = CARDAN_SHAPE_BOX, .size = {1, 1, 1}};
  if ((e = cardan__xml_child(geometry, "box")) != NULL) {
    shape->kind = CARDAN_SHAPE_BOX;
    return cardan__xml_child_values(s->spec, e, "size", shape->size, 3);
  }
  if ((e = cardan__xml_child(geometry, "sphere")) != NULL) {
    shape->kind = CARDAN_SHAPE_SPHERE;
    return cardan__xml_child_values(s->spec, e, "radius", shape->size, 1);
  }
  if ((e = cardan__xml_child(geometry, "cylinder")) != NULL ||
      (e = cardan__xml_child(geometry, "capsule")) != NULL) {
    shape->kind = strcmp(e->name, "capsule") == 0 ? CARDAN_SHAPE_CAPSULE : CARDAN_SHAPE_CYLINDER;
    return cardan__xml_child_values(s->spec, e, "radius", shape->size, 1) &&
           cardan__xml_child_values(s->spec, e, "length", shape->size + 1, 1);
  }
  return false;
}

bool cardan__sdf_ellipsoid(cardan__sdf *s, const cardan__xml *geometry, double radii[3])
{
  const cardan__xml *e = cardan__xml_child(geometry, "ellipsoid");
  radii[0] = radii[1] = radii[2] = 1;
  return e != NULL && cardan__xml_child_values(s->spec, e, "radii", radii, 3);
}

bool cardan__sdf_mesh(cardan__sdf *s, const cardan__xml *geometry, cardan_shape *shape)
{
  const cardan__xml *e = cardan__xml_child(geometry, "mesh");
  const cardan__xml *uri = e != NULL ? cardan__xml_child(e, "uri") : NULL;
  *shape = (cardan_shape){.kind = CARDAN_SHAPE_MESH, .size = {1, 1, 1}};
  if (uri == NULL || cardan__xml_peek(e, "submesh") != NULL) {
    return false;
  }
  shape->file = cardan__sdf_join(s, e->file, uri->text, "");
  return shape->file != NULL && cardan__xml_file_kept(shape->file) &&
         cardan__xml_child_values(s->spec, e, "scale", shape->size, 3);
}

bool cardan__sdf_heightmap(cardan__sdf *s, const cardan__xml *geometry, cardan_solid_def *def,
                           cardan_vec3 *pos)
{
  const cardan__xml *e = cardan__xml_child(geometry, "heightmap");
  const cardan__xml *uri = e != NULL ? cardan__xml_child(e, "uri") : NULL;
  double size[3] = {1, 1, 1}, p[3] = {0, 0, 0};
  cardan__heights heights;
  if (uri == NULL) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_COLLISION, geometry);
    return false;
  }
  if (!cardan__xml_child_values(s->spec, e, "size", size, 3) ||
      !cardan__xml_child_values(s->spec, e, "pos", p, 3)) {
    return false;
  }
  const char *file = cardan__sdf_join(s, e->file, uri->text, "");
  if (file == NULL || !cardan__collision_heights(s->spec, e, file, &heights)) {
    return false;
  }
  def->shape =
      (cardan_shape){.kind = CARDAN_SHAPE_HEIGHT_FIELD, .size = {size[0], size[1], size[2]}};
  def->rows = heights.rows;
  def->columns = heights.columns;
  def->height = heights.height;
  *pos = (cardan_vec3){p[0], p[1], p[2]};
  return true;
}

/* Is there no number but 0 in an element? */
static bool is_zero(const cardan__xml *e)
{
  double value = 0;
  bool zero = e->text[0] == '\0' || (cardan__xml_numbers(e->text, &value, 1) == 1 && value == 0);
  for (const cardan__xml *child = e->child; child != NULL; child = child->next) {
    zero = zero && is_zero(child);
  }
  return zero;
}

void cardan__sdf_skip_no(cardan__sdf *s, const cardan__xml *e)
{
  static const char *const names[] = {"self_collide", "kinematic", "enable_wind",
                                      "must_be_base_link"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    cardan__xml *child = cardan__xml_child(e, names[i]);
    if (child != NULL) {
      child->read = !cardan__xml_flag(s->spec, child, child->text, false);
    }
  }
  (void)cardan__xml_child(e, "allow_auto_disable"); // of a simulator that lets things sleep
  const cardan__xml *decay = cardan__xml_peek(e, "velocity_decay");
  if (decay != NULL && is_zero(decay)) {
    cardan__xml_skip(cardan__xml_child(e, "velocity_decay"));
  }
}

int cardan__sdf_place(cardan__sdf *s, int frame, const cardan_xform *T)
{
  return cardan_spec_place(s->spec, frame, T);
}
