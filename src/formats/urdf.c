// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "formats/formats.h"
#include "formats/xml.h"
#include "formats/xml_spec.h"
#include "model/names.h"
#include "model/spec.h"
#include "spatial/rotation.h"

/* URDF: links, and joints between them, that make a tree. A link is a frame of its name; what has
 * a place in it (mass, shapes, the joints that leave it) is placed there. */

typedef struct {
  const char *name;
  cardan__xml *xml;
  int frame;  // of the spec
  int parent; // joint that it hangs on, -1: none
  int joint;  // first of the joints that leave it, -1: none
} urdf_link;

typedef struct {
  const char *name;
  cardan__xml *xml;
  int parent, child; // links
  int next;          // of the same parent, -1: the last
} urdf_joint;

typedef struct {
  cardan_spec *spec;
  cardan__xml *robot;
  urdf_link *link;
  urdf_joint *joint;
  int nlink, njoint;
  bool free_base;
  cardan__names links, joints;
} urdf;

static int count_children(const cardan__xml *element, const char *name)
{
  int n = 0;
  for (cardan__xml *e = cardan__xml_child(element, name); e; e = cardan__xml_next(e, name)) {
    n++;
  }
  return n;
}

/* ---- what stands in the file ---- */

/* Keeps an element's name in a table; false when it is missing or taken. */
static bool take_name(urdf *u, cardan__xml *e, cardan__names *names, int index, const char **name)
{
  *name = cardan__xml_need(u->spec, e, "name");
  if (*name == NULL) {
    return false;
  }
  if (cardan__names_get(names, *name) >= 0) {
    cardan__xml_fail(u->spec, e, "there are two %ss \"%.60s\"", e->name, *name);
    return false;
  }
  if (cardan__names_set(names, *name, index) != CARDAN_OK) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return false;
  }
  return true;
}

static bool read_links(urdf *u)
{
  u->nlink = count_children(u->robot, "link");
  u->link = cardan__arena_take(&u->spec->arena, (size_t)u->nlink + 1, sizeof *u->link);
  if (u->link == NULL) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return false;
  }
  if (u->nlink == 0) {
    cardan__xml_fail(u->spec, u->robot, "the robot has no link");
    return false;
  }
  int i = 0;
  for (cardan__xml *e = cardan__xml_child(u->robot, "link"); e; e = cardan__xml_next(e, "link")) {
    urdf_link *link = &u->link[i];
    *link = (urdf_link){.xml = e, .parent = -1, .joint = -1};
    if (!take_name(u, e, &u->links, i++, &link->name)) {
      return false;
    }
  }
  return true;
}

/* Some files hang their robot on a link "world" that they do not have; -1 after a failure. */
static int add_world(urdf *u)
{
  cardan__xml *none = cardan__arena_take(&u->spec->arena, 1, sizeof *none);
  if (none == NULL || cardan__names_set(&u->links, "world", u->nlink) != CARDAN_OK) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return -1;
  }
  *none = (cardan__xml){.name = "link", .text = "", .pos = u->robot->pos};
  u->link[u->nlink] = (urdf_link){.name = "world", .xml = none, .parent = -1, .joint = -1};
  return u->nlink++;
}

/* The link that <parent> or <child> names; -1 after a failure. */
static int link_of(urdf *u, cardan__xml *joint, const char *which)
{
  cardan__xml *e = cardan__xml_need_child(u->spec, joint, which);
  const char *name = e != NULL ? cardan__xml_need(u->spec, e, "link") : NULL;
  if (name == NULL) {
    return -1;
  }
  const int link = cardan__names_get(&u->links, name);
  if (link < 0 && strcmp(name, "world") == 0 && strcmp(which, "parent") == 0) {
    return add_world(u);
  }
  if (link < 0) {
    const char *near = cardan__names_nearest(&u->links, name);
    cardan__xml_fail(u->spec, e, "there is no link \"%.60s\"%s%.60s%s", name,
                     near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                     near != NULL ? "\"?" : "");
  }
  return link;
}

static bool read_joints(urdf *u)
{
  u->njoint = count_children(u->robot, "joint");
  u->joint = cardan__arena_take(&u->spec->arena, (size_t)u->njoint, sizeof *u->joint);
  if (u->joint == NULL) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return false;
  }
  int i = 0;
  for (cardan__xml *e = cardan__xml_child(u->robot, "joint"); e; e = cardan__xml_next(e, "joint")) {
    urdf_joint *joint = &u->joint[i];
    *joint = (urdf_joint){.xml = e, .next = -1};
    if (!take_name(u, e, &u->joints, i, &joint->name)) {
      return false;
    }
    joint->parent = link_of(u, e, "parent");
    joint->child = joint->parent >= 0 ? link_of(u, e, "child") : -1;
    if (joint->child < 0) {
      return false;
    }
    urdf_link *child = &u->link[joint->child];
    if (child->parent >= 0) {
      cardan__xml_fail(u->spec, e,
                       "link \"%.60s\" is the child of two joints, \"%.60s\" and "
                       "\"%.60s\"",
                       child->name, u->joint[child->parent].name, joint->name);
      return false;
    }
    child->parent = i++;
  }
  for (i = u->njoint - 1; i >= 0; i--) { // in the order of the file
    u->joint[i].next = u->link[u->joint[i].parent].joint;
    u->link[u->joint[i].parent].joint = i;
  }
  return true;
}

/* The one link that no joint leads to; -1 after a failure. */
static int root_of(urdf *u)
{
  int root = -1;
  for (int i = 0; i < u->nlink; i++) {
    if (u->link[i].parent >= 0) {
      continue;
    }
    if (root >= 0) {
      cardan__xml_fail(u->spec, u->link[i].xml,
                       "no joint leads to \"%.60s\", nor to \"%.60s\"; expected one root link",
                       u->link[i].name, u->link[root].name);
      return -1;
    }
    root = i;
  }
  if (root < 0) {
    cardan__xml_fail(u->spec, u->robot, "the joints go round in a circle: no link is the root");
  }
  return root;
}

/* ---- into the spec ---- */

/* <origin xyz rpy>: a frame placed in another; that one itself where there is nothing to place. */
static int place_origin(urdf *u, int frame, const cardan__xml *element)
{
  cardan__xml *origin = cardan__xml_child(element, "origin");
  cardan__rotation turn = {.form = CARDAN__ROT_RPY};
  double xyz[3] = {0, 0, 0};
  if (origin == NULL) {
    return frame;
  }
  cardan_spec_at(u->spec, origin->pos);
  if (!cardan__xml_values(u->spec, origin, "xyz", xyz, 3) ||
      !cardan__xml_values(u->spec, origin, "rpy", turn.value, 3)) {
    return frame;
  }
  const bool turned = turn.value[0] != 0 || turn.value[1] != 0 || turn.value[2] != 0;
  if (!turned && xyz[0] == 0 && xyz[1] == 0 && xyz[2] == 0) {
    return frame;
  }
  return cardan__spec_place(u->spec, frame, (cardan_vec3){xyz[0], xyz[1], xyz[2]},
                            turned ? &turn : &(cardan__rotation){.form = CARDAN__ROT_NONE});
}

static void read_inertial(urdf *u, int frame, cardan__xml *link)
{
  cardan__xml *inertial = cardan__xml_child(link, "inertial");
  if (inertial == NULL) {
    return;
  }
  cardan__xml *mass = cardan__xml_need_child(u->spec, inertial, "mass");
  cardan__xml *inertia = cardan__xml_child(inertial, "inertia");
  cardan_mass m = {.m = 0};
  if (mass == NULL || !cardan__xml_values(u->spec, mass, "value", &m.m, 1)) {
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
    const int at = place_origin(u, frame, inertial);
    cardan_spec_at(u->spec, inertial->pos);
    cardan_spec_mass(u->spec, at, &m);
  }
}

/* #rrggbb of a <material>: its own colour, or that of the robot's material of its name. */
static bool color_of(urdf *u, cardan__xml *material, char text[8])
{
  cardan__xml *color = cardan__xml_child(material, "color");
  const char *name = cardan__xml_get(material, "name");
  for (cardan__xml *m = cardan__xml_child(u->robot, "material"); m && !color && name;
       m = cardan__xml_next(m, "material")) {
    const char *other = cardan__xml_get(m, "name");
    color = other != NULL && strcmp(other, name) == 0 ? cardan__xml_child(m, "color") : NULL;
  }
  double rgba[4] = {0.6, 0.6, 0.6, 1};
  if (color == NULL || !cardan__xml_values(u->spec, color, "rgba", rgba, 4)) {
    return false;
  }
  cardan__xml_color(rgba, text);
  return true;
}

/* A length of a shape that must be there. */
static bool size_of(urdf *u, cardan__xml *shape, const char *name, double *size, int n)
{
  return cardan__xml_need(u->spec, shape, name) != NULL &&
         cardan__xml_values(u->spec, shape, name, size, n);
}

static bool read_geometry(urdf *u, const cardan__xml *geometry, cardan_shape *shape)
{
  cardan__xml *e;
  if ((e = cardan__xml_child(geometry, "box")) != NULL) {
    shape->kind = CARDAN_SHAPE_BOX;
    return size_of(u, e, "size", shape->size, 3);
  }
  if ((e = cardan__xml_child(geometry, "sphere")) != NULL) {
    shape->kind = CARDAN_SHAPE_SPHERE;
    return size_of(u, e, "radius", shape->size, 1);
  }
  if ((e = cardan__xml_child(geometry, "cylinder")) != NULL ||
      (e = cardan__xml_child(geometry, "capsule")) != NULL) {
    shape->kind = strcmp(e->name, "capsule") == 0 ? CARDAN_SHAPE_CAPSULE : CARDAN_SHAPE_CYLINDER;
    return size_of(u, e, "radius", shape->size, 1) && size_of(u, e, "length", shape->size + 1, 1);
  }
  return false; // a mesh, or what is not known
}

static void read_visuals(urdf *u, int frame, const cardan__xml *link)
{
  for (cardan__xml *e = cardan__xml_child(link, "visual"); e; e = cardan__xml_next(e, "visual")) {
    cardan__xml_skip(e); // a look that is not understood is no loss; meshes are told below
    cardan__xml *geometry = cardan__xml_child(e, "geometry"),
                *material = cardan__xml_child(e, "material");
    cardan_shape shape = {.kind = CARDAN_SHAPE_BOX};
    char color[8];
    if (geometry == NULL || !read_geometry(u, geometry, &shape)) {
      cardan__xml *mesh = geometry != NULL ? cardan__xml_child(geometry, "mesh") : NULL;
      if (mesh != NULL) {
        mesh->read = false;
      }
      continue;
    }
    // a frame of its own: colours belong to frames
    const int at = cardan_spec_place(u->spec, place_origin(u, frame, e),
                                     &(cardan_xform){.R = cardan__mat3_identity()});
    cardan_spec_at(u->spec, e->pos);
    cardan_spec_shape(u->spec, at, &shape);
    if (material != NULL && color_of(u, material, color)) {
      cardan_spec_color(u->spec, at, color);
    }
  }
}

/* The kinds, by their words; continuous is a revolute joint without limits. */
static const struct {
  const char *word;
  cardan_joint_kind kind;
  bool limited;
} kinds[] = {
    {"revolute", CARDAN_JOINT_REVOLUTE, true},   {"continuous", CARDAN_JOINT_REVOLUTE, false},
    {"prismatic", CARDAN_JOINT_PRISMATIC, true}, {"fixed", CARDAN_JOINT_FIXED, false},
    {"floating", CARDAN_JOINT_FREE, false},      {"planar", CARDAN_JOINT_PLANAR, false}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int kind_of(urdf *u, const urdf_joint *joint)
{
  const char *words[KINDS], *type = cardan__xml_need(u->spec, joint->xml, "type");
  for (int i = 0; i < KINDS && type != NULL; i++) {
    words[i] = kinds[i].word;
    if (strcmp(type, words[i]) == 0) {
      return i;
    }
  }
  if (type != NULL) {
    const char *near = cardan__nearest(type, words, KINDS);
    cardan__xml_fail(u->spec, joint->xml,
                     "joint \"%.60s\" is of type \"%.40s\", expected revolute, continuous, "
                     "prismatic, fixed, floating or planar%s%s%s",
                     joint->name, type, near ? "; did you mean " : "", near ? near : "",
                     near ? "?" : "");
  }
  return -1;
}

static bool read_axis(urdf *u, const urdf_joint *joint, cardan_joint_def *def)
{
  double xyz[3] = {1, 0, 0};
  cardan__xml *axis = cardan__xml_child(joint->xml, "axis");
  if (axis != NULL && !cardan__xml_values(u->spec, axis, "xyz", xyz, 3)) {
    return false;
  }
  if (xyz[0] == 0 && xyz[1] == 0 && xyz[2] == 0) {
    cardan__xml_fail(u->spec, axis, "the axis of joint \"%.60s\" is 0 0 0, expected a direction",
                     joint->name);
    return false;
  }
  def->axis = (cardan_vec3){xyz[0], xyz[1], xyz[2]};
  return true;
}

static bool read_limit(urdf *u, const urdf_joint *joint, cardan_joint_def *def)
{
  cardan__xml *limit = cardan__xml_child(joint->xml, "limit");
  if (limit == NULL) {
    return true;
  }
  def->has_limit = cardan__xml_get(limit, "lower") || cardan__xml_get(limit, "upper");
  return cardan__xml_values(u->spec, limit, "lower", &def->limit[0], 1) &&
         cardan__xml_values(u->spec, limit, "upper", &def->limit[1], 1);
}

/* <dynamics damping>: a linear damper. */
static void read_dynamics(urdf *u, const urdf_joint *joint)
{
  cardan__xml *dynamics = cardan__xml_child(joint->xml, "dynamics");
  double damping = 0;
  if (dynamics != NULL && cardan__xml_values(u->spec, dynamics, "damping", &damping, 1) &&
      damping != 0) {
    cardan_spec_at(u->spec, dynamics->pos);
    cardan_spec_add(u->spec, &(cardan_element){.kind = CARDAN_ELEMENT_DAMPING,
                                               .var = {joint->name},
                                               .value = {damping}});
  }
}

/* A joint and the frame behind it; -1 after a failure. */
static int add_joint(urdf *u, const urdf_joint *joint)
{
  const int kind = kind_of(u, joint);
  if (kind < 0) {
    return -1;
  }
  cardan_joint_def def = {.kind = kinds[kind].kind, .name = joint->name};
  const bool has_axis = def.kind != CARDAN_JOINT_FIXED && def.kind != CARDAN_JOINT_FREE;
  if ((has_axis && !read_axis(u, joint, &def)) ||
      (kinds[kind].limited && !read_limit(u, joint, &def))) {
    return -1;
  }
  const int at = place_origin(u, u->link[joint->parent].frame, joint->xml);
  cardan_spec_at(u->spec, joint->xml->pos);
  if (def.kind == CARDAN_JOINT_FIXED) {
    cardan__xml_skip(joint->xml); // axis, limit and dynamics of a joint that does not move
    return cardan_spec_place(u->spec, at, &(cardan_xform){.R = cardan__mat3_identity()});
  }
  const int frame = cardan_spec_joint(u->spec, at, &def);
  read_dynamics(u, joint);
  return frame;
}

/* q = multiplier q' + offset, where both joints have one coordinate. */
static void read_mimic(urdf *u, const urdf_joint *joint)
{
  cardan__xml *mimic = cardan__xml_child(joint->xml, "mimic");
  double factor = 1, offset = 0;
  if (mimic == NULL || !cardan__xml_values(u->spec, mimic, "multiplier", &factor, 1) ||
      !cardan__xml_values(u->spec, mimic, "offset", &offset, 1)) {
    return;
  }
  const char *other = cardan__xml_need(u->spec, mimic, "joint");
  if (other == NULL) {
    return;
  }
  if (cardan__names_get(&u->joints, other) < 0) {
    cardan__xml_fail(u->spec, mimic, "there is no joint \"%.60s\" to mimic", other);
    return;
  }
  cardan_spec_at(u->spec, mimic->pos);
  cardan__xml_follow(u->spec, joint->name, other, factor, offset);
}

/* A link in its frame: the world is a link of that name at the root. */
static void add_link(urdf *u, urdf_link *link, int frame)
{
  link->frame = frame;
  cardan_spec_at(u->spec, link->xml->pos);
  if (frame > 0) {
    cardan_spec_frame_name(u->spec, frame, link->name);
  }
  read_inertial(u, frame, link->xml);
  read_visuals(u, frame, link->xml);
}

/* The frame of the root link: the world where it has that name, else fixed to it or free in it. */
static int add_base(urdf *u, const urdf_link *root)
{
  cardan_spec_at(u->spec, root->xml->pos);
  if (strcmp(root->name, "world") == 0) {
    return 0;
  }
  if (u->free_base) {
    const char *name = cardan__names_get(&u->joints, "base") < 0 ? "base" : "free_base";
    return cardan_spec_joint(u->spec, 0,
                             &(cardan_joint_def){.kind = CARDAN_JOINT_FREE, .name = name});
  }
  if (cardan__xml_child(root->xml, "inertial") != NULL) {
    cardan__spec_note(u->spec, root->xml->pos,
                      "the root link \"%.40s\" has a mass and is fixed to the world; option base "
                      "free lets it move",
                      root->name);
  }
  return cardan_spec_place(u->spec, 0, &(cardan_xform){.R = cardan__mat3_identity()});
}

/* Links and joints from the root on, parents first, with the links that wait in a list. */
static void add_tree(urdf *u, int root)
{
  int *wait = cardan__arena_take(&u->spec->arena, (size_t)u->nlink, sizeof *wait), n = 0, done = 0;
  if (wait == NULL) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return;
  }
  add_link(u, &u->link[root], add_base(u, &u->link[root]));
  for (wait[n++] = root; done < n && u->spec->status == CARDAN_OK; done++) {
    for (int j = u->link[wait[done]].joint; j >= 0; j = u->joint[j].next) {
      const int frame = add_joint(u, &u->joint[j]);
      if (frame < 0) {
        return;
      }
      add_link(u, &u->link[u->joint[j].child], frame);
      wait[n++] = u->joint[j].child;
    }
  }
  for (int i = 0; i < u->nlink && n < u->nlink && u->spec->status == CARDAN_OK; i++) {
    if (u->link[i].frame == 0 && i != root) {
      cardan__xml_fail(u->spec, u->link[i].xml,
                       "the joints to link \"%.60s\" go round in a circle: it does not hang on "
                       "\"%.60s\"",
                       u->link[i].name, u->link[root].name);
    }
  }
}

static void read_robot(urdf *u)
{
  const char *name = cardan__xml_get(u->robot, "name");
  if (strcmp(u->robot->name, "robot") != 0) {
    cardan__xml_fail(u->spec, u->robot, "found <%.40s>, expected <robot>", u->robot->name);
    return;
  }
  if (!cardan__xml_no_macros(u->spec, u->robot)) {
    return;
  }
  u->robot->read = true;
  for (int i = 0; i < u->robot->nattribute; i++) { // names of other vocabularies
    cardan__xml_attribute *a = &u->robot->attribute[i];
    a->read = a->read || strncmp(a->name, "xmlns", 5) == 0;
  }
  for (cardan__xml *e = cardan__xml_child(u->robot, "material"); e;
       e = cardan__xml_next(e, "material")) {
    cardan__xml_skip(e);
  }
  (void)cardan__xml_get(u->robot, "version");
  if (name != NULL && name[0] != '\0') {
    cardan_spec_name(u->spec, name);
  }
  cardan_spec_gravity(u->spec, (cardan_vec3){0, 0, -9.81});
  if (!read_links(u) || !read_joints(u)) {
    return;
  }
  const int root = root_of(u);
  if (root >= 0) {
    add_tree(u, root);
  }
  for (int i = 0; i < u->njoint && u->spec->status == CARDAN_OK; i++) {
    read_mimic(u, &u->joint[i]);
  }
  if (u->spec->status == CARDAN_OK) {
    cardan__xml_note_unread(u->spec, u->robot);
  }
}

static cardan_status read_urdf(cardan_spec *spec, const char *text, size_t length,
                               const cardan_setting *settings, int nsetting)
{
  urdf u = {.spec = spec};
  cardan_report report = {.message = ""};
  for (int i = 0; i < nsetting; i++) {
    if (strcmp(settings[i].name, "base") != 0) {
      cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT, "a URDF file defines no constant \"%.60s\"",
                        settings[i].name);
      return spec->status;
    }
    u.free_base = settings[i].value != 0;
  }
  const cardan_status status = cardan__xml_read(text, length, &spec->arena, &u.robot, &report);
  if (status != CARDAN_OK) {
    cardan__spec_fail_at(spec, status, report.pos, "%s", report.message);
    return status;
  }
  cardan__names_init(&u.links, spec->allocator);
  cardan__names_init(&u.joints, spec->allocator);
  read_robot(&u);
  cardan__names_free(&u.links);
  cardan__names_free(&u.joints);
  return spec->status != CARDAN_OK ? spec->status : cardan__spec_check(spec, &spec->report);
}

const cardan__format cardan__format_urdf = {
    .ending = ".urdf", .help = "robots of ROS", .read = read_urdf};
