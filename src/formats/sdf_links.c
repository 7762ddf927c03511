// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/sdf.h"
#include "spatial/spatial.h"

/* What a link has, and what is said of a file. */

/* ---- notes, one for each kind ---- */

static const char *const notes[CARDAN__SDF_NOTES] = {
    [CARDAN__SDF_NOTE_INERTIAL] = "a link without <inertial> has 1 kg and moments of 1 kg m^2",
    [CARDAN__SDF_NOTE_INERTIA] = "an <inertial> without <inertia> has moments of 1 kg m^2",
    [CARDAN__SDF_NOTE_AUTO] =
        "inertial auto: the mass of a collision that is no simple solid is not known",
    [CARDAN__SDF_NOTE_FRAME] = "frame of a pose names nothing that is there, and is not used",
    [CARDAN__SDF_NOTE_AXIS] = "a joint without axis: z of its frame is taken",
    [CARDAN__SDF_NOTE_LIMIT] = "a limit whose lower end is above its upper one is not used",
    [CARDAN__SDF_NOTE_LOCKED] = "a joint with limits 0 and 0 is taken as fixed",
    [CARDAN__SDF_NOTE_NEGATIVE] = "damping, friction or stiffness below 0 is not used",
    [CARDAN__SDF_NOTE_CLOSED] = "a joint that closes a loop: its limit, dynamics or mimic is lost",
    [CARDAN__SDF_NOTE_TURNED] = "a ball joint met from its child: its coordinates are the parent's",
    [CARDAN__SDF_NOTE_GEARBOX] = "a gearbox without two hinges at its reference body is not used",
    [CARDAN__SDF_NOTE_SHAPE] =
        "a visual that is no solid, nor a whole mesh file in a known place, is not drawn",
    [CARDAN__SDF_NOTE_COLLISION] =
        "a collision that is no solid, plane, nor mesh file in a known place touches nothing",
    [CARDAN__SDF_NOTE_MU] = "friction is the same in all directions: mu2 is not used"};

void cardan__sdf_say(cardan__sdf *s, cardan__sdf_note note, const cardan__xml *at)
{
  if (s->said[note].count++ == 0) {
    s->said[note].first = at;
  }
}

void cardan__sdf_add_notes(cardan__sdf *s)
{
  for (int i = 0; i < CARDAN__SDF_NOTES; i++) {
    const int more = s->said[i].count - 1;
    if (more == 0) {
      cardan__xml_note(s->spec, s->said[i].first, "%s", notes[i]);
    } else if (more > 0) {
      cardan__xml_note(s->spec, s->said[i].first, "%s, here and in %d more place%s", notes[i], more,
                       more == 1 ? "" : "s");
    }
  }
}

/* ---- looks ---- */

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

/* Has a shape any size? The numbers that its kind does not have are those of a box. */
static bool is_seen(const cardan_shape *shape)
{
  return shape->size[0] != 0 && shape->size[1] != 0 && shape->size[2] != 0;
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
  cardan__xml_skip(visual); // a look that is not understood is no loss
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
