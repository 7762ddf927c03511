// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "formats/formats.h"
#include "formats/urdf.h"
#include "spatial/rotation.h"

static int count_children(const cardan__xml *element, const char *name)
{
  int n = 0;
  for (cardan__xml *e = cardan__xml_child(element, name); e; e = cardan__xml_next(e, name)) {
    n++;
  }
  return n;
}

/* ---- links, joints and materials of the file ---- */

/* Adds an element's name to a table; false if it is missing or a duplicate. */
static bool take_name(cardan__urdf *u, cardan__xml *e, cardan__names *names, int index,
                      const char **name)
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

/* The robot's materials that have a name; of those with the same, the first. */
static bool read_materials(cardan__urdf *u)
{
  static const char word[] = "material";
  const int most = count_children(u->robot, word);
  // NOLINTNEXTLINE(bugprone-sizeof-expression): an array of pointers
  u->material = cardan__arena_take(&u->spec->arena, (size_t)most, sizeof *u->material);
  bool memory = u->material != NULL;
  int n = 0;
  for (cardan__xml *e = cardan__xml_child(u->robot, word); e && memory;
       e = cardan__xml_next(e, word)) {
    const char *name = cardan__xml_get(e, "name");
    cardan__xml_skip(e);
    if (name != NULL && cardan__names_get(&u->materials, name) < 0) {
      u->material[n] = e;
      memory = cardan__names_set(&u->materials, name, n++) == CARDAN_OK;
    }
  }
  return cardan__spec_memory(u->spec, memory ? CARDAN_OK : CARDAN_ERR_MEMORY);
}

static bool read_links(cardan__urdf *u)
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
    cardan__urdf_link *link = &u->link[i];
    *link = (cardan__urdf_link){.xml = e, .parent = -1, .joint = -1};
    if (!take_name(u, e, &u->links, i++, &link->name)) {
      return false;
    }
  }
  return true;
}

/* Some files attach their robot to a link "world" that they do not define; -1 after a failure. */
static int add_world(cardan__urdf *u)
{
  cardan__xml *none = cardan__arena_take(&u->spec->arena, 1, sizeof *none);
  if (none == NULL || cardan__names_set(&u->links, "world", u->nlink) != CARDAN_OK) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return -1;
  }
  *none = (cardan__xml){.name = "link", .text = "", .pos = u->robot->pos};
  u->link[u->nlink] = (cardan__urdf_link){.name = "world", .xml = none, .parent = -1, .joint = -1};
  return u->nlink++;
}

/* The link that <parent> or <child> names; -1 after a failure. */
static int find_link(cardan__urdf *u, cardan__xml *joint, const char *which)
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

static bool read_joints(cardan__urdf *u)
{
  u->njoint = count_children(u->robot, "joint");
  u->joint = cardan__arena_take(&u->spec->arena, (size_t)u->njoint, sizeof *u->joint);
  if (u->joint == NULL) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return false;
  }
  int i = 0;
  for (cardan__xml *e = cardan__xml_child(u->robot, "joint"); e; e = cardan__xml_next(e, "joint")) {
    cardan__urdf_joint *joint = &u->joint[i];
    *joint = (cardan__urdf_joint){.xml = e, .next = -1, .follows = -1};
    if (!take_name(u, e, &u->joints, i, &joint->name)) {
      return false;
    }
    joint->parent = find_link(u, e, "parent");
    joint->child = joint->parent >= 0 ? find_link(u, e, "child") : -1;
    if (joint->child < 0) {
      return false;
    }
    cardan__urdf_link *child = &u->link[joint->child];
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
static int find_root(cardan__urdf *u)
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
    cardan__xml_fail(u->spec, u->robot, "the joints form a cycle: no link is the root");
  }
  return root;
}

/* ---- into the spec ---- */

int cardan__urdf_place(cardan__urdf *u, int frame, const cardan__xml *element)
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

/* A link in its frame: the world is a link of that name at the root. */
static void add_link(cardan__urdf *u, cardan__urdf_link *link, int frame)
{
  link->frame = frame;
  cardan_spec_at(u->spec, link->xml->pos);
  if (frame > 0) {
    cardan_spec_frame_name(u->spec, frame, link->name);
  }
  cardan__urdf_add_inertial(u, frame, link->xml);
  cardan__urdf_add_visuals(u, frame, link->xml);
  cardan__urdf_add_collisions(u, link);
}

/* The frame of the root link: the world where it has that name, else fixed to it or free in it. */
static int add_base(cardan__urdf *u, const cardan__urdf_link *root)
{
  cardan_spec_at(u->spec, root->xml->pos);
  if (strcmp(root->name, "world") == 0) {
    if (u->free_base) {
      cardan__spec_note(u->spec, root->xml->pos,
                        "option base free has no effect: the root link \"world\" is the world; "
                        "without that link and its joint the robot moves");
    }
    return 0;
  }
  if (u->free_base) {
    const char *name = cardan__names_get(&u->joints, "base") < 0 ? "base" : "free_base";
    return cardan_spec_joint(u->spec, 0,
                             &(cardan_joint_def){.kind = CARDAN_JOINT_FREE, .name = name});
  }
  if (!u->base_given && cardan__xml_child(root->xml, "inertial") != NULL) {
    cardan__spec_note(u->spec, root->xml->pos,
                      "the root link \"%.40s\" has a mass and is fixed to the world; option base "
                      "free lets it move",
                      root->name);
  }
  return cardan_spec_place(u->spec, 0, &(cardan_xform){.R = cardan__mat3_identity()});
}

/* Adds links and joints breadth first from the root, so that parents come first. */
static void add_tree(cardan__urdf *u, int root)
{
  int *queue = cardan__arena_take(&u->spec->arena, (size_t)u->nlink, sizeof *queue), n = 0,
      done = 0;
  if (queue == NULL) {
    cardan__spec_memory(u->spec, CARDAN_ERR_MEMORY);
    return;
  }
  add_link(u, &u->link[root], add_base(u, &u->link[root]));
  for (queue[n++] = root; done < n && u->spec->status == CARDAN_OK; done++) {
    for (int j = u->link[queue[done]].joint; j >= 0; j = u->joint[j].next) {
      const int frame = cardan__urdf_add_joint(u, &u->joint[j]);
      if (frame < 0) {
        return;
      }
      add_link(u, &u->link[u->joint[j].child], frame);
      queue[n++] = u->joint[j].child;
    }
  }
  for (int i = 0; i < u->nlink && n < u->nlink && u->spec->status == CARDAN_OK; i++) {
    if (u->link[i].frame == 0 && i != root) {
      cardan__xml_fail(u->spec, u->link[i].xml,
                       "the joints to link \"%.60s\" form a cycle: no joints lead to it from "
                       "\"%.60s\"",
                       u->link[i].name, u->link[root].name);
    }
  }
}

static void read_robot(cardan__urdf *u)
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
  for (int i = 0; i < u->robot->nattribute; i++) { // XML namespaces
    cardan__xml_attribute *a = &u->robot->attribute[i];
    a->read = a->read || strncmp(a->name, "xmlns", 5) == 0;
  }
  (void)cardan__xml_get(u->robot, "version");
  if (name != NULL && name[0] != '\0') {
    cardan_spec_name(u->spec, name);
  }
  cardan_spec_gravity(u->spec, (cardan_vec3){0, 0, -9.81});
  if (!read_materials(u) || !read_links(u) || !read_joints(u) || !cardan__urdf_read_frictions(u)) {
    return;
  }
  const int root = find_root(u);
  if (root >= 0) {
    add_tree(u, root);
  }
  if (u->spec->status == CARDAN_OK) {
    cardan__urdf_add_mimics(u);
  }
  if (u->spec->status == CARDAN_OK) {
    cardan__urdf_add_transmissions(u);
  }
  if (u->spec->status == CARDAN_OK && u->spec->nsolid > 0) {
    cardan_spec_default(u->spec, "contacts", "auto"); // for floors that are added
  }
  if (u->spec->status == CARDAN_OK) {
    cardan__mesh_remarks_note(u->spec, &u->meshes);
    cardan__xml_note_unread(u->spec, u->robot);
  }
}

static cardan_status read_urdf(cardan_spec *spec, const char *text, size_t length,
                               const cardan_setting *settings, int nsetting)
{
  cardan__urdf u = {.spec = spec};
  cardan_report report = {.message = ""};
  for (int i = 0; i < nsetting; i++) {
    bool used;
    if (!cardan__collision_setting(spec, &settings[i], &u.meshes.convex, &used)) {
      return spec->status;
    }
    if (used) {
      continue;
    }
    if (strcmp(settings[i].name, "base") != 0) {
      cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT, "a URDF file defines no constant \"%.60s\"",
                        settings[i].name);
      return spec->status;
    }
    u.free_base = settings[i].value != 0;
    u.base_given = true;
  }
  const cardan_status status = cardan__xml_read(text, length, &spec->arena, &u.robot, &report);
  if (status != CARDAN_OK) {
    cardan__spec_fail_at(spec, status, report.pos, "%s", report.message);
    return status;
  }
  cardan__names_init(&u.links, spec->allocator);
  cardan__names_init(&u.joints, spec->allocator);
  cardan__names_init(&u.materials, spec->allocator);
  cardan__xml_at(spec, u.robot);
  read_robot(&u);
  cardan__names_free(&u.links);
  cardan__names_free(&u.joints);
  cardan__names_free(&u.materials);
  return spec->status != CARDAN_OK ? spec->status : cardan__spec_check(spec, &spec->report);
}

const cardan__format cardan__format_urdf = {
    .ending = ".urdf", .help = "robots of ROS", .read = read_urdf, .write = cardan__urdf_write};
