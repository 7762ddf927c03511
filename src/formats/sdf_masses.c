// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mbs_write.h"
#include "formats/sdf.h"
#include "formats/solid.h"
#include "spatial/spatial.h"

/* Masses of links. A link without <inertial> has 1 kg and the unit tensor, one without <inertia>
 * the unit tensor: by the format. <inertial auto> is the sum of the collision shapes. */

/* say: what is taken where nothing is given */
static bool read_inertia(cardan__sdf *s, cardan__xml *inertial, bool say, cardan_mass *m)
{
  const cardan__xml *e = cardan__xml_child(inertial, "inertia");
  if (!cardan__xml_child_values(s->spec, inertial, "mass", &m->m, 1)) {
    return false;
  }
  if (e == NULL) {
    if (say) {
      cardan__sdf_say(s, CARDAN__SDF_NOTE_INERTIA, inertial);
    }
    return true;
  }
  return cardan__xml_child_values(s->spec, e, "ixx", &m->xx, 1) &&
         cardan__xml_child_values(s->spec, e, "iyy", &m->yy, 1) &&
         cardan__xml_child_values(s->spec, e, "izz", &m->zz, 1) &&
         cardan__xml_child_values(s->spec, e, "ixy", &m->xy, 1) &&
         cardan__xml_child_values(s->spec, e, "ixz", &m->xz, 1) &&
         cardan__xml_child_values(s->spec, e, "iyz", &m->yz, 1);
}

/* Cancels the weight of a body by the potential m g . p of its centre of mass, minus that of
 * gravity. */
static void cancel_weight(cardan__sdf *s, int link, int frame, double m)
{
  char tail[32];
  snprintf(tail, sizeof tail, ".mass%d", frame);
  const char *name = cardan__sdf_keep_path(s, link, tail);
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

/* Is a link's mass that of its collision shapes? */
static bool is_auto(const cardan__sdf *s, const cardan__xml *inertial)
{
  const char *given = NULL;
  for (int i = 0; i < inertial->nattribute; i++) {
    given = strcmp(inertial->attribute[i].name, "auto") == 0 ? inertial->attribute[i].value : given;
  }
  return cardan__xml_flag(s->spec, inertial, given, false);
}

bool cardan__sdf_can_share(const cardan__sdf *s, int link)
{
  static const char *const names[] = {"ixx", "iyy", "izz"};
  const cardan__xml *inertial = cardan__xml_peek(s->node[link].xml, "inertial"),
                    *mass = inertial != NULL ? cardan__xml_peek(inertial, "mass") : NULL,
                    *inertia = inertial != NULL ? cardan__xml_peek(inertial, "inertia") : NULL;
  double value = 1;
  if (inertial != NULL && is_auto(s, inertial)) {
    return false;
  }
  bool can = mass == NULL || (cardan__xml_numbers(mass->text, &value, 1) == 1 && value > 0);
  for (int i = 0; i < 3 && inertia != NULL; i++) {
    const cardan__xml *e = cardan__xml_peek(inertia, names[i]);
    can = can && (e == NULL || (cardan__xml_numbers(e->text, &value, 1) == 1 && value > 0));
  }
  return can;
}

/* Puts a mass at a pose in a link's frame, or a copy's; weight: whether gravity pulls it. */
static void put_mass(cardan__sdf *s, int link, int frame, const cardan_xform *T,
                     const cardan_mass *m, bool weight)
{
  const double k = 1.0 / (1 + s->node[link].copies);
  const cardan_mass part = {k * m->m,  k * m->xx, k * m->yy, k * m->zz,
                            k * m->xy, k * m->xz, k * m->yz};
  const int at = cardan__sdf_place(s, frame, T);
  const bool falls = s->gravity.x != 0 || s->gravity.y != 0 || s->gravity.z != 0;
  cardan_spec_mass(s->spec, at, &part);
  if (frame == s->node[link].frame && !weight && falls && m->m > 0 &&
      s->spec->status == CARDAN_OK) {
    cancel_weight(s, link, at, m->m);
  }
}

/* ---- from shapes ---- */

/* The inertia of a solid of unit density about its middle; false: of a shape that is none. */
static bool solid(cardan__sdf *s, const cardan__xml *geometry, cardan_inertia *G)
{
  cardan_shape shape;
  double half[3];
  if (cardan__sdf_ellipsoid(s, geometry, half)) {
    *G = cardan__solid_ellipsoid(half);
    return true;
  }
  if (!cardan__sdf_shape(s, geometry, &shape)) {
    return false;
  }
  const double *a = shape.size;
  if (shape.kind == CARDAN_SHAPE_SPHERE) {
    *G = cardan__solid_ellipsoid((double[3]){a[0], a[0], a[0]});
  } else if (shape.kind == CARDAN_SHAPE_BOX) {
    *G = cardan__solid_box((double[3]){a[0] / 2, a[1] / 2, a[2] / 2});
  } else {
    *G = cardan__solid_bar(a[0], a[1] / 2, shape.kind == CARDAN_SHAPE_CAPSULE);
  }
  return true;
}

/* One collision's mass and pose; false: it has none that is known. */
static bool read_collision(cardan__sdf *s, int link, cardan__xml *collision, double density,
                           cardan_mass *m, cardan_xform *T)
{
  const cardan__xml *geometry = cardan__xml_child(collision, "geometry");
  cardan__xml *pose = cardan__xml_child(collision, "pose");
  cardan__xml_skip(collision);
  if (geometry == NULL || !cardan__xml_child_values(s->spec, collision, "density", &density, 1) ||
      !cardan__sdf_pose_in_link(s, link, pose, T)) {
    return false;
  }
  cardan_inertia G;
  const bool known = solid(s, geometry, &G);
  if (known) {
    *m = (cardan_mass){
        .m = density * G.m, .xx = density * G.xx, .yy = density * G.yy, .zz = density * G.zz};
  } else {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_AUTO, geometry);
  }
  return known;
}

/* The mass of a link as that of its collisions; of a mass that is given the same, scaled to it. */
static void add_collisions(cardan__sdf *s, int link, int frame, const cardan__xml *inertial,
                           bool weight)
{
  const cardan__xml *xml = s->node[link].xml;
  double density = 1000, given = 0, all = 0;
  if (!cardan__xml_child_values(s->spec, inertial, "density", &density, 1) ||
      !cardan__xml_child_values(s->spec, inertial, "mass", &given, 1)) {
    return;
  }
  for (int pass = 0; pass < 2; pass++) {
    for (cardan__xml *e = cardan__xml_child(xml, "collision"); e != NULL;
         e = cardan__xml_next(e, "collision")) {
      cardan_mass m;
      cardan_xform T;
      if (!read_collision(s, link, e, density, &m, &T)) {
        continue;
      }
      const double k = given > 0 && all > 0 ? given / all : 1;
      if (pass == 1) {
        m = (cardan_mass){.m = k * m.m, .xx = k * m.xx, .yy = k * m.yy, .zz = k * m.zz};
        cardan__xml_at(s->spec, e);
        put_mass(s, link, frame, &T, &m, weight);
      }
      all += pass == 0 ? m.m : 0;
    }
  }
}

/* ---- as given ---- */

void cardan__sdf_add_mass(cardan__sdf *s, int link, int frame)
{
  const cardan__sdf_node *n = &s->node[link];
  cardan__xml *inertial = cardan__xml_child(n->xml, "inertial");
  const bool own = frame == n->frame, weight = cardan__sdf_flag(s, n->xml, "gravity", true);
  cardan_mass m = {.m = 1, .xx = 1, .yy = 1, .zz = 1};
  cardan_xform T = cardan__xform_identity();
  if (inertial == NULL) {
    if (own) {
      cardan__sdf_say(s, CARDAN__SDF_NOTE_INERTIAL, n->xml);
    }
  } else if (is_auto(s, inertial)) {
    (void)cardan__xml_get(inertial, "auto");
    add_collisions(s, link, frame, inertial, weight);
    return;
  } else if (!cardan__sdf_pose(s, cardan__xml_child(inertial, "pose"), &T) ||
             !read_inertia(s, inertial, own, &m)) {
    return;
  }
  if (m.m != 0 || m.xx != 0 || m.yy != 0 || m.zz != 0) {
    cardan__xml_at(s->spec, inertial != NULL ? inertial : n->xml);
    put_mass(s, link, frame, &T, &m, weight);
  }
}
