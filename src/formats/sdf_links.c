// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "formats/mbs_write.h"
#include "formats/sdf.h"
#include "spatial/spatial.h"

/* What a link has: its mass, its weight, its looks. A link without <inertial> has 1 kg and the unit
 * tensor, one without <inertia> the unit tensor: the format says so. */

/* ---- notes, one for each kind ---- */

static const char *const notes[CARDAN__SDF_NOTES] = {
    [CARDAN__SDF_NOTE_INERTIAL] = "a link without <inertial> has 1 kg and moments of 1 kg m^2",
    [CARDAN__SDF_NOTE_INERTIA] = "an <inertial> without <inertia> has moments of 1 kg m^2",
    [CARDAN__SDF_NOTE_AUTO] = "inertial auto: masses are not found from collision shapes",
    [CARDAN__SDF_NOTE_AXIS] = "a joint without axis: z of its frame is taken",
    [CARDAN__SDF_NOTE_LIMIT] = "a limit whose lower end is above its upper one is not used",
    [CARDAN__SDF_NOTE_LOCKED] = "a joint with limits 0 and 0 is taken as fixed",
    [CARDAN__SDF_NOTE_NEGATIVE] = "damping, friction or stiffness below 0 is not used",
    [CARDAN__SDF_NOTE_CLOSED] = "a joint that closes a loop: its limit, dynamics or mimic is lost",
    [CARDAN__SDF_NOTE_TURNED] = "a ball joint met from its child: its coordinates are the parent's",
    [CARDAN__SDF_NOTE_GEARBOX] = "a gearbox without two hinges at its reference body is not used",
    [CARDAN__SDF_NOTE_SHAPE] = "a visual that is neither box, sphere, cylinder nor capsule"};

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

/* ---- mass ---- */

/* say: what is taken where nothing is given */
static bool read_inertia(cardan__sdf *s, cardan__xml *inertial, bool say, cardan_mass *m)
{
  const cardan__xml *e = cardan__xml_child(inertial, "inertia");
  if (!cardan__xml_child_values(s->spec, inertial, "mass", &m->m, 1)) {
    return false;
  }
  if (say && cardan__xml_flag(cardan__xml_get(inertial, "auto"), false)) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_AUTO, inertial);
  } else if (say && e == NULL) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_INERTIA, inertial);
  }
  if (e == NULL) {
    return true;
  }
  return cardan__xml_child_values(s->spec, e, "ixx", &m->xx, 1) &&
         cardan__xml_child_values(s->spec, e, "iyy", &m->yy, 1) &&
         cardan__xml_child_values(s->spec, e, "izz", &m->zz, 1) &&
         cardan__xml_child_values(s->spec, e, "ixy", &m->xy, 1) &&
         cardan__xml_child_values(s->spec, e, "ixz", &m->xz, 1) &&
         cardan__xml_child_values(s->spec, e, "iyz", &m->yz, 1);
}

/* Weight taken off: the potential m g . p of its centre of mass, which is minus that of gravity. */
static void lift(cardan__sdf *s, int link, int frame, double m)
{
  const char *name = cardan__sdf_keep_path(s, link, ".mass");
  const double g[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
  cardan__text text;
  cardan_spec_frame_name(s->spec, frame, name);
  cardan__text_init(&text, s->spec->allocator);
  cardan__text_printf(&text, "(+");
  for (int i = 0; i < 3; i++) {
    if (g[i] != 0) {
      cardan__text_printf(&text, " (* ");
      cardan__text_number(&text, m * g[i]);
      cardan__text_printf(&text, " (p%c ", "xyz"[i]);
      cardan__mbs_put_quoted(&text, name);
      cardan__text_printf(&text, "))");
    }
  }
  cardan__text_printf(&text, ")");
  if (cardan__spec_memory(s->spec, text.failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
    cardan_spec_add(s->spec,
                    &(cardan_element){.kind = CARDAN_ELEMENT_POTENTIAL, .expr = {text.data}});
  }
  cardan__text_free(&text);
}

bool cardan__sdf_can_share(const cardan__sdf *s, int link)
{
  static const char *const names[] = {"ixx", "iyy", "izz"};
  const cardan__xml *inertial = cardan__xml_peek(s->node[link].xml, "inertial"),
                    *mass = inertial != NULL ? cardan__xml_peek(inertial, "mass") : NULL,
                    *inertia = inertial != NULL ? cardan__xml_peek(inertial, "inertia") : NULL;
  double value = 1;
  bool can = mass == NULL || (cardan__xml_numbers(mass->text, &value, 1) == 1 && value > 0);
  for (int i = 0; i < 3 && inertia != NULL; i++) {
    const cardan__xml *e = cardan__xml_peek(inertia, names[i]);
    can = can && (e == NULL || (cardan__xml_numbers(e->text, &value, 1) == 1 && value > 0));
  }
  return can;
}

void cardan__sdf_add_mass(cardan__sdf *s, int link, int frame)
{
  const cardan__sdf_node *n = &s->node[link];
  cardan__xml *inertial = cardan__xml_child(n->xml, "inertial");
  const cardan__xml *gravity = cardan__xml_child(n->xml, "gravity");
  const bool own = frame == n->frame;
  cardan_mass m = {.m = 1, .xx = 1, .yy = 1, .zz = 1};
  cardan_xform T = cardan__xform_identity();
  if (inertial == NULL) {
    if (own) {
      cardan__sdf_say(s, CARDAN__SDF_NOTE_INERTIAL, n->xml);
    }
  } else if (!cardan__sdf_pose(s, cardan__xml_child(inertial, "pose"), &T) ||
             !read_inertia(s, inertial, own, &m)) {
    return;
  }
  if (m.m == 0 && m.xx == 0 && m.yy == 0 && m.zz == 0) {
    return;
  }
  const double k = 1.0 / (1 + n->copies);
  const cardan_mass part = {k * m.m, k * m.xx, k * m.yy, k * m.zz, k * m.xy, k * m.xz, k * m.yz};
  cardan__xml_at(s->spec, inertial != NULL ? inertial : n->xml);
  const int at = cardan__sdf_place(s, frame, &T);
  cardan_spec_mass(s->spec, at, &part);
  const bool falls = s->gravity.x != 0 || s->gravity.y != 0 || s->gravity.z != 0;
  const bool pulled = cardan__xml_flag(gravity != NULL ? gravity->text : NULL, true);
  if (own && !pulled && falls && m.m > 0 && s->spec->status == CARDAN_OK) {
    lift(s, link, at, m.m);
  }
}

/* ---- looks ---- */

/* The shape of a visual, in the first of these words that it has. */
static bool read_shape(cardan__sdf *s, const cardan__xml *geometry, cardan_shape *shape)
{
  const cardan__xml *e;
  if ((e = cardan__xml_child(geometry, "box")) != NULL) {
    shape->kind = CARDAN_SHAPE_BOX;
    return cardan__xml_child_values(s->spec, e, "size", shape->size, 3);
  }
  if ((e = cardan__xml_child(geometry, "sphere")) != NULL) {
    shape->kind = CARDAN_SHAPE_SPHERE;
    return cardan__xml_child_values(s->spec, e, "radius", shape->size, 1);
  }
  if ((e = cardan__xml_child(geometry, "ellipsoid")) != NULL) { // the ball of its volume
    double radii[3] = {1, 1, 1};
    const bool good = cardan__xml_child_values(s->spec, e, "radii", radii, 3);
    shape->kind = CARDAN_SHAPE_SPHERE;
    shape->size[0] = cbrt(radii[0] * radii[1] * radii[2]);
    return good;
  }
  if ((e = cardan__xml_child(geometry, "cylinder")) != NULL ||
      (e = cardan__xml_child(geometry, "capsule")) != NULL) {
    shape->kind = strcmp(e->name, "capsule") == 0 ? CARDAN_SHAPE_CAPSULE : CARDAN_SHAPE_CYLINDER;
    return cardan__xml_child_values(s->spec, e, "radius", shape->size, 1) &&
           cardan__xml_child_values(s->spec, e, "length", shape->size + 1, 1);
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
  cardan_shape shape = {.kind = CARDAN_SHAPE_BOX, .size = {1, 1, 1}};
  cardan_xform T;
  char color[8];
  if (geometry == NULL || !read_shape(s, geometry, &shape) || !cardan__sdf_pose(s, pose, &T)) {
    return;
  }
  const char *given = cardan__sdf_pose_base(pose);
  if (given != NULL) {
    const int base = cardan__sdf_need(s, n->scope, given, pose);
    if (base < 0) {
      return;
    }
    const cardan_xform T_base = cardan__sdf_between(s, link, base);
    T = cardan__xform_mul(&T_base, &T);
  }
  // a frame of its own: colours belong to frames
  const int at = cardan__sdf_place(s, n->frame, &T);
  cardan__xml_at(s->spec, geometry);
  cardan_spec_shape(s->spec, at, &shape);
  if (material != NULL && color_of(s, material, color)) {
    cardan_spec_color(s->spec, at, color);
  }
}

void cardan__sdf_skip_no(const cardan__xml *e)
{
  static const char *const names[] = {"self_collide", "kinematic", "enable_wind",
                                      "must_be_base_link"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    cardan__xml *child = cardan__xml_child(e, names[i]);
    if (child != NULL) {
      child->read = !cardan__xml_flag(child->text, false);
    }
  }
  (void)cardan__xml_child(e, "allow_auto_disable"); // of a simulator that lets things sleep
}

void cardan__sdf_add_link(cardan__sdf *s, int link)
{
  const cardan__sdf_node *n = &s->node[link];
  (void)cardan__xml_child(n->xml, "gravity");
  cardan__sdf_skip_no(n->xml);
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
}
