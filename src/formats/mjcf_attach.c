// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mjcf.h"

/* <attach model body prefix>: a body of another file's model, with the defaults, assets, tendons,
 * equalities, actuators and sensors of that model, all names of which get the prefix. Its classes
 * hang below those of the model around it, with its class 0 as one of them. Options of the other
 * model do not count, and its compiler must say the same of angles. */

enum { MOST = 1000 };

static const char *const references[] = {
    "name",     "class",     "childclass", "joint",   "joint1",  "joint2",   "jointinparent",
    "body",     "body1",     "body2",      "site",    "site1",   "site2",    "geom",
    "geom1",    "geom2",     "tendon",     "tendon1", "tendon2", "actuator", "mesh",
    "material", "texture",   "hfield",     "target",  "objname", "refname",  "refsite",
    "sidesite", "cranksite", "slidersite"};
enum { REFERENCES = sizeof references / sizeof references[0] };

static const char *const sections[] = {"asset",    "contact",  "tendon",
                                       "equality", "actuator", "sensor"};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

/* ---- changes of a tree ---- */

static void set_attribute(cardan__mjcf *m, cardan__xml *e, const char *name, const char *value)
{
  for (int i = 0; i < e->nattribute; i++) {
    if (strcmp(e->attribute[i].name, name) == 0) {
      e->attribute[i].value = value;
      return;
    }
  }
  cardan__xml_attribute *more =
      cardan__arena_take(&m->spec->arena, (size_t)e->nattribute + 1, sizeof *more);
  if (more == NULL || value == NULL) {
    cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
    return;
  }
  memcpy(more, e->attribute, (size_t)e->nattribute * sizeof *more);
  more[e->nattribute++] = (cardan__xml_attribute){.name = name, .value = value, .read = true};
  e->attribute = more;
}

static const char *with_prefix(cardan__mjcf *m, const char *prefix, const char *name)
{
  const char *full = cardan__mjcf_join(m, prefix, strlen(prefix), name);
  return full != NULL ? full : name;
}

static void add_prefix(cardan__mjcf *m, cardan__xml *e, const char *prefix)
{
  for (int i = 0; i < e->nattribute; i++) {
    for (int k = 0; k < REFERENCES; k++) {
      if (strcmp(e->attribute[i].name, references[k]) == 0) {
        e->attribute[i].value = with_prefix(m, prefix, e->attribute[i].value);
      }
    }
  }
  for (cardan__xml *c = e->child; c != NULL; c = c->next) {
    add_prefix(m, c, prefix);
  }
}

static void append(cardan__xml *outer, cardan__xml *e)
{
  cardan__xml **end = &outer->child;
  while (*end != NULL) {
    end = &(*end)->next;
  }
  *end = e;
  e->next = NULL;
  e->parent = outer;
}

/* ---- the other model ---- */

/* The <model> of a name, or of a file so called. */
static cardan__xml *find_model(cardan__mjcf *m, const cardan__xml *root, const char *name)
{
  for (cardan__xml *a = cardan__xml_child(root, "asset"); a; a = cardan__xml_next(a, "asset")) {
    for (cardan__xml *e = cardan__xml_child(a, "model"); e; e = cardan__xml_next(e, "model")) {
      const char *file = cardan__xml_get(e, "file"), *own = cardan__xml_get(e, "name");
      own = own == NULL && file != NULL ? cardan__mjcf_stem(m, file) : own;
      if (own != NULL && strcmp(own, name) == 0) {
        return e;
      }
    }
  }
  return NULL;
}

/* The last word that a model's compilers have on something. */
static const char *compiler_says(const cardan__xml *root, const char *what, const char *absent)
{
  for (cardan__xml *e = cardan__xml_child(root, "compiler"); e;
       e = cardan__xml_next(e, "compiler")) {
    const char *value = cardan__xml_get(e, what);
    absent = value != NULL ? value : absent;
  }
  return absent;
}

static bool same_compiler(cardan__mjcf *m, const cardan__xml *attach, const cardan__xml *root,
                          const cardan__xml *other)
{
  static const char *const what[][2] = {{"angle", "degree"},
                                        {"eulerseq", "xyz"},
                                        {"coordinate", "local"},
                                        {"autolimits", "true"},
                                        {"inertiafromgeom", "auto"}};
  for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
    const char *here = compiler_says(root, what[i][0], what[i][1]);
    const char *there = compiler_says(other, what[i][0], what[i][1]);
    if (strcmp(here, there) != 0) {
      cardan__xml_fail(m->spec, attach,
                       "%s is \"%.20s\" in the model that is attached and \"%.20s\" here; expected "
                       "the same",
                       what[i][0], there, here);
      return false;
    }
  }
  return true;
}

/* Meshes remember their folder, and a name where their file gives it. */
static void settle_meshes(cardan__mjcf *m, const cardan__xml *root)
{
  const char *dir = compiler_says(root, "meshdir", compiler_says(root, "assetdir", ""));
  const char *slash = root->file != NULL ? strrchr(root->file, '/') : NULL;
  if (slash != NULL && dir[0] != '/') {
    dir = cardan__mjcf_join(m, root->file, (size_t)(slash - root->file) + 1, dir);
  }
  for (cardan__xml *a = cardan__xml_child(root, "asset"); a; a = cardan__xml_next(a, "asset")) {
    for (cardan__xml *e = cardan__xml_child(a, "mesh"); e; e = cardan__xml_next(e, "mesh")) {
      const char *file = cardan__xml_get(e, "file");
      set_attribute(m, e, "meshdir", dir);
      if (file != NULL && cardan__xml_get(e, "name") == NULL) {
        set_attribute(m, e, "name", cardan__mjcf_stem(m, file));
      }
    }
  }
}

/* The <body> of a name below an element; NULL: none. */
static cardan__xml *find_body(const cardan__xml *outer, const char *name)
{
  for (cardan__xml *e = outer->child; e != NULL; e = e->next) {
    const char *own = strcmp(e->name, "body") == 0 ? cardan__xml_get(e, "name") : NULL;
    if (own != NULL && strcmp(own, name) == 0) {
      return e;
    }
    cardan__xml *inner = find_body(e, name);
    if (inner != NULL) {
      return inner;
    }
  }
  return NULL;
}

/* ---- joining both ---- */

/* The other model's defaults below this one's; returns what its class 0 is called here. */
static const char *join_defaults(cardan__mjcf *m, cardan__xml *root, cardan__xml *other,
                                 const char *prefix)
{
  cardan__xml *top = cardan__xml_child(root, "default");
  cardan__xml *first = cardan__xml_child(other, "default");
  if (first == NULL) {
    return NULL;
  }
  for (cardan__xml *e = cardan__xml_next(first, "default"); e; e = cardan__xml_next(e, "default")) {
    cardan__mjcf_move_children(first, e);
  }
  const char *own = cardan__xml_get(first, "class");
  const char *name = own != NULL ? own : with_prefix(m, prefix, "main");
  char made[40];
  if (strcmp(name, "main") == 0) { // no prefix: not this model's
    snprintf(made, sizeof made, "main (attached %d)", ++m->nattach);
    name = cardan__mjcf_join(m, made, strlen(made), "");
  }
  set_attribute(m, first, "class", name);
  if (top == NULL) {
    top = cardan__arena_take(&m->spec->arena, 1, sizeof *top);
    if (top == NULL) {
      cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
      return NULL;
    }
    *top = (cardan__xml){.name = "default", .text = "", .pos = root->pos, .file = root->file};
    append(root, top);
  }
  cardan__mjcf_unlink(other, first);
  append(top, first);
  return name;
}

/* Sections of the other model behind those of this one; elements without a class get its own. */
static void join_sections(cardan__mjcf *m, cardan__xml *root, cardan__xml *other, const char *class)
{
  for (int i = 0; i < SECTIONS; i++) {
    cardan__xml *s;
    while ((s = cardan__xml_child(other, sections[i])) != NULL) {
      cardan__mjcf_unlink(other, s);
      append(root, s);
      s->read = false; // it is still to be read
      for (cardan__xml *e = s->child; e != NULL && class != NULL; e = e->next) {
        if (cardan__xml_get(e, "class") == NULL) {
          set_attribute(m, e, "class", class);
        }
      }
    }
  }
}

/* What is attached, out of its place; NULL after a failure. */
static cardan__xml *take_body(cardan__mjcf *m, cardan__xml *attach, cardan__xml *other)
{
  const char *name = cardan__xml_need(m->spec, attach, "body");
  for (cardan__xml *w = name ? cardan__xml_child(other, "worldbody") : NULL; w;
       w = cardan__xml_next(w, "worldbody")) {
    cardan__xml *body = find_body(w, name);
    if (body != NULL) {
      cardan__mjcf_unlink(body->parent, body);
      return body;
    }
  }
  if (name != NULL) {
    cardan__xml_fail(m->spec, attach, "the model that is attached has no body \"%.60s\"", name);
  }
  return NULL;
}

static bool attach_in(cardan__mjcf *m, cardan__xml *root, cardan__xml *outer);

/* The other model, with what it includes and attaches itself; NULL after a failure. */
static cardan__xml *open_model(cardan__mjcf *m, cardan__xml *attach, const cardan__xml *root)
{
  const char *name = cardan__xml_need(m->spec, attach, "model");
  cardan__xml *model = name != NULL ? find_model(m, root, name) : NULL;
  if (name != NULL && model == NULL && m->spec->status == CARDAN_OK) {
    cardan__xml_fail(m->spec, attach, "there is no model \"%.60s\" among the assets", name);
  }
  if (++m->nattach > MOST) {
    cardan__xml_fail(m->spec, attach, "there are more than %d attachments", MOST);
  }
  if (m->spec->status != CARDAN_OK || model == NULL) {
    return NULL;
  }
  const char *file = cardan__xml_need(m->spec, model, "file");
  const char *path = file != NULL ? cardan__mjcf_path(m, model, file) : NULL;
  cardan__xml *other = path != NULL ? cardan__xml_open(m->spec, attach, path) : NULL;
  if (other == NULL || !cardan__mjcf_include(m, other) || !attach_in(m, other, other)) {
    return NULL;
  }
  return other;
}

/* Puts a body in the place of *link, which is an <attach>. */
static bool replace(cardan__mjcf *m, cardan__xml *root, cardan__xml **link)
{
  cardan__xml *attach = *link, *other = open_model(m, attach, root);
  if (other == NULL || !same_compiler(m, attach, root, other)) {
    return false;
  }
  const char *prefix = cardan__xml_get(attach, "prefix");
  prefix = prefix != NULL ? prefix : "";
  settle_meshes(m, other);
  cardan__xml *body = take_body(m, attach, other);
  if (body == NULL) {
    return false;
  }
  add_prefix(m, other, prefix);
  add_prefix(m, body, prefix);
  const char *class = join_defaults(m, root, other, prefix);
  join_sections(m, root, other, class);
  if (class != NULL && cardan__xml_get(body, "childclass") == NULL) {
    set_attribute(m, body, "childclass", class);
  }
  if (cardan__xml_child(other, "keyframe") != NULL) {
    cardan__xml_note(m->spec, attach, "keyframes of the model that is attached are not used");
  }
  *link = body;
  body->next = attach->next;
  body->parent = attach->parent;
  return m->spec->status == CARDAN_OK;
}

static bool attach_in(cardan__mjcf *m, cardan__xml *root, cardan__xml *outer)
{
  for (cardan__xml **link = &outer->child; *link != NULL; link = &(*link)->next) {
    if (strcmp((*link)->name, "attach") == 0 ? !replace(m, root, link)
                                             : !attach_in(m, root, *link)) {
      return false;
    }
  }
  return true;
}

bool cardan__mjcf_attach(cardan__mjcf *m)
{
  return attach_in(m, m->root, m->root);
}
