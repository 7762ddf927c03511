// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/pairing.h"
#include "formats/sdf.h"
#include "spatial/rotation.h"
#include "spatial/spatial.h"

/* Collisions as solids, and which of them touch: those of different models (of the world), those of
 * one model only where both links collide with themselves (self_collide), and never those of links
 * that a joint joins. Of two surfaces the smaller friction and the smaller bounce count, as in
 * Gazebo with ODE. */

/* ---- one collision ---- */

static bool read_plane(cardan__sdf *s, const cardan__xml *geometry, cardan_mat3 *turn)
{
  const cardan__xml *plane = cardan__xml_child(geometry, "plane");
  double n[3] = {0, 0, 1};
  if (plane == NULL) {
    return false;
  }
  (void)cardan__xml_child(plane, "size"); // of its looks
  if (!cardan__xml_child_values(s->spec, plane, "normal", n, 3)) {
    return false;
  }
  const cardan_vec3 normal = {n[0], n[1], n[2]};
  if (!(cardan__vec3_norm(normal) > 1e-14)) {
    cardan__xml_fail(s->spec, plane, "the normal of the plane is 0 0 0; expected a direction");
    return false;
  }
  *turn = cardan__mat3_z_to(normal);
  return true;
}

/* The shape of a collision; turn: of a plane, from the collision's frame to its own. */
static bool read_shape(cardan__sdf *s, const cardan__xml *geometry, cardan_shape *shape,
                       cardan_mat3 *turn)
{
  double radii[3];
  *turn = cardan__mat3_identity();
  if (cardan__sdf_shape(s, geometry, shape)) {
    return shape->size[0] > 0 && shape->size[1] > 0 && shape->size[2] > 0;
  }
  if (cardan__sdf_ellipsoid(s, geometry, radii)) {
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_ELLIPSOID};
    memcpy(shape->size, radii, sizeof radii);
    return radii[0] > 0 && radii[1] > 0 && radii[2] > 0;
  }
  if (read_plane(s, geometry, turn)) {
    *shape = (cardan_shape){.kind = CARDAN_SHAPE_PLANE};
    return true;
  }
  return s->spec->status == CARDAN_OK && cardan__sdf_mesh(s, geometry, shape);
}

/* A number of surface, at a path of two or three elements. */
static bool read_number(cardan__sdf *s, const cardan__xml *e, const char *const path[3],
                        double *value)
{
  for (int i = 0; i < 2 && e != NULL; i++) {
    e = cardan__xml_child(e, path[i]);
  }
  return e == NULL || cardan__xml_child_values(s->spec, e, path[2], value, 1);
}

static bool read_surface(cardan__sdf *s, const cardan__xml *collision, cardan__sdf_touch *t)
{
  static const char *const mu[3] = {"friction", "ode", "mu"}, *const mu2[3] = {"friction", "ode",
                                                                               "mu2"};
  const cardan__xml *surface = cardan__xml_child(collision, "surface");
  double friction = 1, bounce = 0, bits = 65535, other;
  t->surface = (cardan_surface){.friction = 1, .has_friction = true};
  t->bits = 65535;
  if (surface == NULL) {
    return true;
  }
  const cardan__xml *b = cardan__xml_child(surface, "bounce");
  const cardan__xml *c = cardan__xml_child(surface, "contact");
  if (!read_number(s, surface, mu, &friction) ||
      (b != NULL && !cardan__xml_child_values(s->spec, b, "restitution_coefficient", &bounce, 1)) ||
      (c != NULL && !cardan__xml_child_values(s->spec, c, "collide_bitmask", &bits, 1))) {
    return false;
  }
  other = friction;
  if (!read_number(s, surface, mu2, &other)) {
    return false;
  }
  if (other != friction) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_MU, surface);
  }
  if (friction == -1) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_STICKS, surface);
    friction = CARDAN__FRICTION_INFINITE;
  }
  if (!(friction >= 0) || !(bounce >= 0 && bounce <= 1)) {
    cardan__xml_fail(
        s->spec, surface,
        "found friction %g and restitution %g; expected a friction not below 0, or -1 for "
        "infinite friction, and a restitution of 0 to 1",
        friction, bounce);
    return false;
  }
  t->surface = (cardan_surface){.friction = friction,
                                .has_friction = true,
                                .restitution = bounce,
                                .has_restitution = bounce > 0};
  t->bits = bits >= 0 && bits < 65536 ? (unsigned)bits : 65535;
  return true;
}

/* Frames of solids are "link.collision", where that is free. */
static void name_frame(cardan__sdf *s, const cardan__sdf_touch *t)
{
  char tail[200];
  const int n = snprintf(tail, sizeof tail, ".%s", t->name != NULL ? t->name : "collision");
  const char *path = n < (int)sizeof tail ? cardan__sdf_keep_path(s, t->link, tail) : "";
  if (path[0] != '\0' && cardan__spec_find_frame(s->spec, path) < 0) {
    cardan_spec_frame_name(s->spec, t->frame, path);
  }
}

/* How a mesh says that it touches: <mesh optimization="convex_decomposition"> with
 * <max_convex_hulls>, 16 by default. What the user requests of all meshes counts before that. */
static bool read_convex(cardan__sdf *s, const cardan__xml *geometry, cardan__convex *convex)
{
  cardan__xml *mesh = cardan__xml_child(geometry, "mesh");
  const char *word = mesh != NULL ? cardan__xml_get(mesh, "optimization") : NULL;
  const cardan__xml *options =
      mesh != NULL ? cardan__xml_child(mesh, "convex_decomposition") : NULL;
  double most = 16;
  if (word == NULL || strcmp(word, "convex_decomposition") != 0) {
    return true;
  }
  if (options != NULL &&
      !cardan__xml_child_values(s->spec, options, "max_convex_hulls", &most, 1)) {
    return false;
  }
  const int n = most >= 1 && most <= CARDAN__CONVEX_MOST ? (int)most : CARDAN__CONVEX_MOST;
  convex->most = convex->most > 0 ? convex->most : n;
  return true;
}

static void add_collision(cardan__sdf *s, int link, cardan__xml *collision, bool hidden)
{
  const cardan__xml *geometry = cardan__xml_child(collision, "geometry");
  cardan__xml *pose = cardan__xml_child(collision, "pose");
  cardan__sdf_touch t = {
      .link = link, .xml = collision, .name = cardan__xml_get(collision, "name")};
  cardan__convex convex = s->meshes.convex;
  cardan_solid_def def = {.round = 0};
  cardan_shape shape;
  cardan_xform T;
  cardan_mat3 turn;
  (void)cardan__xml_child(collision, "density");
  if (geometry == NULL || cardan__xml_child(geometry, "empty") != NULL ||
      !cardan__sdf_pose_in_link(s, link, pose, &T) || !read_surface(s, collision, &t)) {
    return;
  }
  if (!read_convex(s, geometry, &convex)) {
    return;
  }
  const bool field = cardan__xml_peek(geometry, "heightmap") != NULL;
  cardan_vec3 move = {0, 0, 0};
  turn = cardan__mat3_identity();
  if (field && !cardan__sdf_heightmap(s, geometry, &def, &move)) {
    return;
  }
  shape = def.shape;
  if (!field && !read_shape(s, geometry, &shape, &turn)) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_COLLISION, geometry);
    return;
  }
  T.p = cardan__xform_point(&T, move);
  T.R = cardan__mat3_mul(&T.R, &turn);
  shape.hidden = hidden;
  t.plane = shape.kind == CARDAN_SHAPE_PLANE;
  t.frame = cardan__sdf_place(s, s->node[link].frame, &T);
  def.shape = shape;
  def.material = cardan__collision_material(s->spec, &t.surface);
  if (field) {
    cardan__xml_at(s->spec, collision);
    cardan_spec_solid(s->spec, t.frame, &def);
  } else if (!cardan__collision_add(s->spec, collision, t.frame, &shape, def.material, &convex,
                                    &s->meshes)) {
    return;
  }
  if (cardan__spec_memory(s->spec, cardan__grow(s->spec->allocator, (void **)&s->touch,
                                                &s->cap_touch, s->ntouch + 1, sizeof t))) {
    s->touch[s->ntouch++] = t;
  }
}

void cardan__sdf_add_collisions(cardan__sdf *s, int link)
{
  const cardan__xml *xml = s->node[link].xml;
  const bool hidden = cardan__xml_peek(xml, "visual") != NULL;
  for (cardan__xml *e = cardan__xml_child(xml, "collision"); e != NULL;
       e = cardan__xml_next(e, "collision")) {
    add_collision(s, link, e, hidden);
  }
}

/* ---- which touch ---- */

/* The model of the world that a node is in. */
static int model_of(const cardan__sdf *s, int node)
{
  while (s->node[node].scope > 0) {
    node = s->node[node].scope;
  }
  return node;
}

/* Does a link touch others of its model? By its own flag, or by that of its model. */
static bool self_collides(cardan__sdf *s, int link)
{
  const cardan__sdf_node *n = &s->node[link];
  const bool model = cardan__sdf_flag(s, s->node[n->scope].xml, "self_collide", false);
  return cardan__sdf_flag(s, n->xml, "self_collide", model);
}

static bool find_pair_surface(const void *of, int a, int b, cardan_surface *surface)
{
  const cardan__sdf *s = of;
  const cardan__sdf_touch *x = &s->touch[a], *y = &s->touch[b];
  const bool apart = model_of(s, x->link) != model_of(s, y->link);
  if ((x->bits & y->bits) == 0 || !(apart || (x->self && y->self))) {
    return false;
  }
  surface->friction = fmin(x->surface.friction, y->surface.friction);
  surface->restitution = fmin(x->surface.restitution, y->surface.restitution);
  surface->has_friction = true;
  surface->has_restitution = x->surface.has_restitution || y->surface.has_restitution;
  return true;
}

void cardan__sdf_add_contacts(cardan__sdf *s)
{
  const int n = s->ntouch;
  if (n == 0 || s->spec->status != CARDAN_OK) {
    return;
  }
  if (n > CARDAN__PAIRING_MOST) {
    cardan__xml_note(s->spec, s->touch[n - 1].xml,
                     "contacts are not used: there are %d collisions, and pairs are made of %d at "
                     "most",
                     n, (int)CARDAN__PAIRING_MOST);
    return;
  }
  cardan__toucher *item = cardan__arena_take(&s->spec->arena, (size_t)n, sizeof *item);
  if (item == NULL) {
    cardan__spec_memory(s->spec, CARDAN_ERR_MEMORY);
    return;
  }
  for (int i = 0; i < n; i++) {
    cardan__sdf_touch *t = &s->touch[i];
    t->self = self_collides(s, t->link);
    name_frame(s, t);
    item[i] = (cardan__toucher){.frame = t->frame, .plane = t->plane, .xml = t->xml};
  }
  const cardan__pairing pairs = {
      .n = n, .item = item, .of = s, .want = find_pair_surface, .joined_never = true};
  if (cardan__pair_up(s->spec, &pairs) > 0) {
    cardan_spec_default(s->spec, "contacts", "auto");
  }
}
