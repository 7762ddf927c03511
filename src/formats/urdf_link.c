// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "formats/urdf.h"
#include "spatial/rotation.h"

void cardan__urdf_add_inertial(cardan__urdf *u, int frame, cardan__xml *link)
{
  cardan__xml *inertial = cardan__xml_child(link, "inertial");
  if (inertial == NULL) {
    return;
  }
  cardan__xml *mass = cardan__xml_need_child(u->spec, inertial, "mass");
  cardan__xml *inertia = cardan__xml_child(inertial, "inertia");
  cardan_mass m = {.m = 0};
  if (mass == NULL || cardan__xml_need(u->spec, mass, "value") == NULL ||
      !cardan__xml_values(u->spec, mass, "value", &m.m, 1)) {
    return;
  }
  if (inertia != NULL && !(cardan__xml_values(u->spec, inertia, "ixx", &m.xx, 1) &&
                           cardan__xml_values(u->spec, inertia, "iyy", &m.yy, 1) &&
                           cardan__xml_values(u->spec, inertia, "izz", &m.zz, 1) &&
                           cardan__xml_values(u->spec, inertia, "ixy", &m.xy, 1) &&
                           cardan__xml_values(u->spec, inertia, "ixz", &m.xz, 1) &&
                           cardan__xml_values(u->spec, inertia, "iyz", &m.yz, 1))) {
    return;
  }
  const bool none = m.m == 0 && m.xx == 0 && m.yy == 0 && m.zz == 0;
  if (none) {
    cardan__xml_skip(inertial);
  } else {
    const int at = cardan__urdf_place(u, frame, inertial);
    cardan_spec_at(u->spec, inertial->pos);
    cardan_spec_mass(u->spec, at, &m);
  }
}

/* #rrggbb of a <material>: its own colour, or that of the robot's material of its name. */
static bool color_of(cardan__urdf *u, cardan__xml *material, char text[8])
{
  cardan__xml *color = cardan__xml_child(material, "color");
  const char *name = cardan__xml_get(material, "name");
  const int named = color == NULL && name != NULL ? cardan__names_get(&u->materials, name) : -1;
  color = named >= 0 ? cardan__xml_child(u->material[named], "color") : color;
  double rgba[4] = {0.6, 0.6, 0.6, 1};
  const char *numbers = color != NULL ? cardan__xml_get(color, "rgba") : NULL;
  if (numbers == NULL || cardan__xml_numbers(numbers, rgba, 4) < 3) {
    return false;
  }
  cardan__xml_color(rgba, text);
  return true;
}

/* Are there n lengths of a shape, none of them 0? Many files give a link without looks a box of
 * 0 0 0. */
static bool size_of(cardan__xml *shape, const char *name, double *size, int n)
{
  const char *text = cardan__xml_get(shape, name);
  bool ok = text != NULL && cardan__xml_numbers(text, size, n) == n;
  for (int i = 0; i < n && ok; i++) {
    ok = size[i] != 0;
  }
  return ok;
}

static bool read_mesh(cardan__xml *mesh, cardan_shape *shape)
{
  const char *scale = cardan__xml_get(mesh, "scale");
  shape->kind = CARDAN_SHAPE_MESH;
  shape->file = cardan__xml_get(mesh, "filename");
  return shape->file != NULL && cardan__xml_file_kept(shape->file) &&
         (scale == NULL || cardan__xml_numbers(scale, shape->size, 3) == 3);
}

/* false: it cannot be drawn */
static bool read_geometry(const cardan__xml *geometry, cardan_shape *shape)
{
  cardan__xml *e;
  if ((e = cardan__xml_child(geometry, "box")) != NULL) {
    shape->kind = CARDAN_SHAPE_BOX;
    return size_of(e, "size", shape->size, 3);
  }
  if ((e = cardan__xml_child(geometry, "sphere")) != NULL) {
    shape->kind = CARDAN_SHAPE_SPHERE;
    return size_of(e, "radius", shape->size, 1);
  }
  if ((e = cardan__xml_child(geometry, "cylinder")) != NULL ||
      (e = cardan__xml_child(geometry, "capsule")) != NULL) {
    shape->kind = strcmp(e->name, "capsule") == 0 ? CARDAN_SHAPE_CAPSULE : CARDAN_SHAPE_CYLINDER;
    return size_of(e, "radius", shape->size, 1) && size_of(e, "length", shape->size + 1, 1);
  }
  e = cardan__xml_child(geometry, "mesh");
  return e != NULL && read_mesh(e, shape);
}

void cardan__urdf_add_visuals(cardan__urdf *u, int frame, const cardan__xml *link)
{
  for (cardan__xml *e = cardan__xml_child(link, "visual"); e; e = cardan__xml_next(e, "visual")) {
    cardan__xml_skip(e); // an unknown visual is ignored; shapes not drawn are reported
    cardan__xml *geometry = cardan__xml_child(e, "geometry"),
                *material = cardan__xml_child(e, "material");
    cardan_shape shape = {.kind = CARDAN_SHAPE_BOX};
    char color[8];
    if (geometry == NULL || !read_geometry(geometry, &shape)) {
      if (geometry != NULL && geometry->child != NULL) {
        geometry->child->read = false;
      }
      continue;
    }
    // a frame of its own: colours belong to frames
    const int at = cardan_spec_place(u->spec, cardan__urdf_place(u, frame, e),
                                     &(cardan_xform){.R = cardan__mat3_identity()});
    cardan_spec_at(u->spec, e->pos);
    cardan_spec_shape(u->spec, at, &shape);
    if (material != NULL && color_of(u, material, color)) {
      cardan_spec_color(u->spec, at, color);
    }
  }
}

/* ---- what touches ---- */

bool cardan__urdf_read_frictions(cardan__urdf *u)
{
  for (cardan__xml *e = u->robot->child; e != NULL; e = e->next) {
    const cardan__xml *mu1 = strcmp(e->name, "gazebo") == 0 ? cardan__xml_peek(e, "mu1") : NULL;
    const char *name = mu1 != NULL ? cardan__xml_get(e, "reference") : NULL;
    const int link = name != NULL ? cardan__names_get(&u->links, name) : -1;
    double mu = 0;
    if (link < 0) {
      continue;
    }
    e->read = true; // but for what else is in it
    const char *value = cardan__xml_get(cardan__xml_child(e, "mu1"), "value");
    if (cardan__xml_numbers(value != NULL ? value : mu1->text, &mu, 1) != 1 ||
        !(mu >= 0 || mu == -1)) {
      cardan__xml_fail(u->spec, mu1,
                       "mu1 of link \"%.60s\" is no friction; expected 0 or more, or -1 for "
                       "infinite friction",
                       name);
      return false;
    }
    if (mu == -1) {
      cardan__xml_note(u->spec, mu1, "friction -1 is infinite in Gazebo: it is taken as %g",
                       CARDAN__FRICTION_INFINITE);
      mu = CARDAN__FRICTION_INFINITE;
    }
    u->link[link].mu = mu;
    u->link[link].has_mu = true;
  }
  return true;
}

static void add_collision(cardan__urdf *u, const cardan__urdf_link *link, cardan__xml *e,
                          cardan__xml *geometry)
{
  const cardan_surface surface = {.friction = link->mu, .has_friction = true};
  cardan_shape shape = {.kind = CARDAN_SHAPE_BOX};
  cardan__xml_skip(e);
  if (!read_geometry(geometry, &shape)) {
    e->read = false;
    return;
  }
  shape.hidden = cardan__xml_peek(link->xml, "visual") != NULL;
  const int at = cardan_spec_place(u->spec, cardan__urdf_place(u, link->frame, e),
                                   &(cardan_xform){.R = cardan__mat3_identity()});
  const char *material = link->has_mu ? cardan__collision_material(u->spec, &surface) : NULL;
  (void)cardan__collision_add(u->spec, e, at, &shape, material, &u->meshes.convex, &u->meshes);
}

void cardan__urdf_add_collisions(cardan__urdf *u, const cardan__urdf_link *link)
{
  for (cardan__xml *e = link->xml->child; e != NULL; e = e->next) {
    if (strcmp(e->name, "collision") == 0 && cardan__xml_peek(e, "geometry") != NULL) {
      add_collision(u, link, e, cardan__xml_child(e, "geometry"));
    }
  }
}
