// SPDX-License-Identifier: Apache-2.0
#include "formats/sdf.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "formats/formats.h"
#include "spatial/spatial.h"

/* SDF: models of links and joints, in a world or alone, with models inside models and models of
 * other files; joints may make loops. */

static bool collect(cardan__sdf *s, int scope, cardan__xml *container, int version);

/* A new node at the end of its scope's list; -1 after a failure. */
static int add_node(cardan__sdf *s, const cardan__sdf_node *node)
{
  if (cardan__grow(s->spec->allocator, (void **)&s->node, &s->cap_node, s->nnode + 1,
                   sizeof *s->node) != CARDAN_OK) {
    cardan__spec_memory(s->spec, CARDAN_ERR_MEMORY);
    return -1;
  }
  const int i = s->nnode++;
  s->node[i] = *node;
  s->node[i].first = s->node[i].last = s->node[i].next = s->node[i].half = s->node[i].body = -1;
  if (node->scope >= 0) {
    cardan__sdf_node *scope = &s->node[node->scope];
    s->node[i].depth = scope->depth + 1;
    if (scope->last >= 0) {
      s->node[scope->last].next = i;
    } else {
      scope->first = i;
    }
    scope->last = i;
  }
  return i;
}

/* A link, joint or frame: an element with a name and perhaps a pose. */
static bool collect_one(cardan__sdf *s, int scope, cardan__sdf_kind kind, cardan__xml *e,
                        int version)
{
  const char *name = cardan__xml_need(s->spec, e, "name");
  const int node = name == NULL
                       ? -1
                       : add_node(s, &(cardan__sdf_node){.kind = kind,
                                                         .name = name,
                                                         .xml = e,
                                                         .pose = cardan__xml_child(e, "pose"),
                                                         .version = version,
                                                         .scope = scope});
  s->njoint += kind == CARDAN__SDF_JOINT;
  return node >= 0 && cardan__sdf_enter_name(s, node);
}

/* A model; include: what is in <include>, and counts before what the model says; else NULL. */
static bool collect_model(cardan__sdf *s, int scope, cardan__xml *e, cardan__xml *include,
                          int version)
{
  const cardan__xml *name = include != NULL ? cardan__xml_child(include, "name") : NULL;
  const cardan__xml *frame = include != NULL ? cardan__xml_child(include, "placement_frame") : NULL;
  cardan__xml *pose = include != NULL ? cardan__xml_child(include, "pose") : NULL;
  const char *placement = cardan__xml_get(e, "placement_frame"), *own = cardan__xml_get(e, "name");
  cardan__sdf_node model = {.kind = CARDAN__SDF_MODEL,
                            .xml = e,
                            .name = name != NULL && name->text[0] != '\0' ? name->text : own,
                            .pose = cardan__xml_child(e, "pose"),
                            .version = version,
                            .scope = scope,
                            .is_static = cardan__sdf_flag(s, e, "static", false),
                            .placement = placement};
  if (include != NULL) {
    model.is_static = cardan__sdf_flag(s, include, "static", model.is_static);
    model.merged = cardan__xml_flag(s->spec, include, cardan__xml_get(include, "merge"), false);
    model.placement = frame != NULL ? frame->text : pose != NULL ? NULL : placement;
    model.pose = pose != NULL ? pose : model.pose;
  }
  model.placement = model.placement != NULL && model.placement[0] != '\0' ? model.placement : NULL;
  if (model.name == NULL) {
    return cardan__xml_need(s->spec, e, "name") != NULL;
  }
  if (s->node[scope].depth >= CARDAN__SDF_DEPTH) {
    cardan__xml_fail(s->spec, e, "models are nested too deep, expected at most %d",
                     CARDAN__SDF_DEPTH);
    return false;
  }
  const int node = add_node(s, &model);
  s->ntop += scope == 0;
  cardan__sdf_skip_no(s, e);
  return node >= 0 && cardan__sdf_enter_name(s, node) && collect(s, node, e, version);
}

/* Version of a file's root, 1.10 as 110; -1 after a failure: it is another format, or too old. */
static int version_of(cardan__sdf *s, cardan__xml *sdf)
{
  if (strcmp(sdf->name, "sdf") != 0) {
    cardan__xml_fail(s->spec, sdf, "found <%.40s>, expected <sdf>", sdf->name);
    return -1;
  }
  const char *text = cardan__xml_need(s->spec, sdf, "version");
  char *end = NULL;
  const long major = text != NULL ? strtol(text, &end, 10) : 0;
  const long minor = text != NULL && *end == '.' ? strtol(end + 1, &end, 10) : -1;
  const bool known = major == 1 && minor >= CARDAN__SDF_OLDEST - 100 && minor <= 99;
  if (text != NULL && (!known || *end != '\0')) {
    cardan__xml_fail(s->spec, sdf, "version is \"%.40s\", expected 1.2 to 1.12", text);
    return -1;
  }
  return text != NULL ? (int)(100 * major + minor) : -1;
}

/* ---- other files ---- */

/* Which file a model's folder means: what model.config names last, else model.sdf. */
static const char *file_of_folder(cardan__sdf *s, const char *folder)
{
  const char *name = cardan__sdf_join(s, NULL, folder, "/model.config"), *file = "/model.sdf";
  cardan__xml *config = NULL;
  char *data = NULL;
  size_t size = 0;
  if (name == NULL) {
    return NULL;
  }
  if (cardan__spec_try_open(s->spec, name, &data, &size)) {
    const cardan_status status = cardan__xml_read(data, size, &s->spec->arena, &config, NULL);
    cardan__spec_close(s->spec, data);
    if (status == CARDAN_ERR_MEMORY) {
      cardan__spec_memory(s->spec, status);
      return NULL;
    }
  }
  for (cardan__xml *e = config != NULL ? cardan__xml_child(config, "sdf") : NULL; e != NULL;
       e = cardan__xml_next(e, "sdf")) {
    file = cardan__sdf_join(s, NULL, "/", e->text);
  }
  return file != NULL ? cardan__sdf_join(s, NULL, folder, file) : NULL;
}

static bool has_ending(const char *name, const char *ending)
{
  const size_t n = strlen(name), m = strlen(ending);
  return n >= m && strcmp(name + n - m, ending) == 0;
}

/* Two that nearly every world has, and few files come with: a light, and a plane to stand on;
 * model://NAME, or on a server, https://HOST/../models/NAME. */
static bool is_scenery(cardan__sdf *s, const char *uri, const char *file)
{
  const bool far = strncmp(uri, "https://", 8) == 0 || strncmp(uri, "http://", 7) == 0;
  const char *models = far ? strstr(uri, "/models/") : NULL;
  const char *name = models != NULL ? models + 8 : strncmp(uri, "model://", 8) == 0 ? uri + 8 : "";
  char *data = NULL;
  size_t size = 0;
  const bool known = strcasecmp(name, "sun") == 0 || strcasecmp(name, "ground_plane") == 0 ||
                     strcasecmp(name, "ground plane") == 0;
  const bool there = known && cardan__spec_try_open(s->spec, file, &data, &size);
  cardan__spec_close(s->spec, data);
  return known && !there;
}

/* A model of another file, which then hangs below <include> with the rest of the text. */
static bool collect_include(cardan__sdf *s, int scope, cardan__xml *include)
{
  const cardan__xml *uri = cardan__xml_need_child(s->spec, include, "uri");
  const char *name = uri != NULL ? cardan__sdf_join(s, include->file, uri->text, "") : NULL;
  if (name != NULL && !has_ending(name, ".sdf") && !has_ending(name, ".world")) {
    name = file_of_folder(s, name);
  }
  if (name != NULL && is_scenery(s, uri->text, name)) {
    cardan__xml_note(s->spec, uri, "%s is not there, and not used", uri->text);
    return true;
  }
  cardan__xml *sdf = name != NULL ? cardan__xml_open(s->spec, uri, name) : NULL;
  const int version = sdf != NULL ? version_of(s, sdf) : -1;
  cardan__xml *model = version >= 0 ? cardan__xml_child(sdf, "model") : NULL;
  if (version >= 0 && model == NULL &&
      (cardan__xml_peek(sdf, "light") != NULL || cardan__xml_peek(sdf, "actor") != NULL)) {
    cardan__xml_note(s->spec, uri, "%.80s has no model, and is not used", uri->text);
    return true;
  }
  if (version < 0 || (model == NULL && cardan__xml_need_child(s->spec, sdf, "model") == NULL)) {
    return false;
  }
  const bool good = collect_model(s, scope, model, include, version);
  sdf->read = true;
  sdf->next = include->child;
  include->child = sdf;
  return good;
}

/* ---- scopes ---- */

/* Everything with a frame that is in a model or world, in the order of the text. */
static bool collect(cardan__sdf *s, int scope, cardan__xml *container, int version)
{
  container->read = true;
  for (cardan__xml *e = container->child; e != NULL; e = e->next) {
    bool good = true;
    if (strcmp(e->name, "link") == 0 && scope > 0) {
      good = collect_one(s, scope, CARDAN__SDF_LINK, e, version);
    } else if (strcmp(e->name, "joint") == 0) {
      good = collect_one(s, scope, CARDAN__SDF_JOINT, e, version);
    } else if (strcmp(e->name, "frame") == 0) {
      good = collect_one(s, scope, CARDAN__SDF_FRAME, e, version);
    } else if (strcmp(e->name, "model") == 0) {
      good = collect_model(s, scope, e, NULL, version);
    } else if (strcmp(e->name, "include") == 0) {
      good = collect_include(s, scope, e);
    } else {
      continue;
    }
    e->read = true;
    if (!good) {
      return false;
    }
  }
  return true;
}

/* Gravity is in the world; before 1.6 in its physics. */
static bool read_gravity(cardan__sdf *s, const cardan__xml *world)
{
  double g[3] = {0, 0, -9.8};
  const cardan__xml *physics = cardan__xml_peek(world, "physics"),
                    *e = cardan__xml_child(world, "gravity");
  if (e == NULL && physics != NULL) {
    e = cardan__xml_child(physics, "gravity");
  }
  if (e != NULL && cardan__xml_numbers(e->text, g, 3) != 3) {
    cardan__xml_fail(s->spec, e, "<gravity> is \"%.60s\", expected 3 numbers", e->text);
    return false;
  }
  s->gravity = cardan__vec3(g[0], g[1], g[2]);
  return true;
}

/* The first world of the file, and the models beside it. */
static bool collect_file(cardan__sdf *s, cardan__xml *sdf)
{
  const int version = cardan__xml_no_macros(s->spec, sdf) ? version_of(s, sdf) : -1;
  if (version < 0) {
    return false;
  }
  sdf->read = true;
  cardan__xml *world = cardan__xml_child(sdf, "world");
  cardan__xml *model = cardan__xml_child(sdf, "model");
  const int root = add_node(s, &(cardan__sdf_node){.kind = CARDAN__SDF_WORLD,
                                                   .name = "",
                                                   .xml = sdf,
                                                   .version = version,
                                                   .scope = -1,
                                                   .T = cardan__xform_identity()});
  if (root < 0 || (world != NULL && !read_gravity(s, world))) {
    return false;
  }
  if (world == NULL && model == NULL && cardan__xml_child(sdf, "include") == NULL) {
    cardan__xml_fail(s->spec, sdf, "found <sdf> without <world> or <model>; expected one");
    return false;
  }
  cardan__xml *first = world != NULL ? world : model != NULL ? model : sdf;
  const char *name = cardan__xml_get(first, "name");
  cardan__xml_at(s->spec, first);
  if (name != NULL && name[0] != '\0') {
    cardan_spec_name(s->spec, name);
  }
  return (world == NULL || collect(s, 0, world, version)) && collect(s, 0, sdf, version);
}

static void read_file(cardan__sdf *s, cardan__xml *sdf)
{
  s->gravity = cardan__vec3(0, 0, -9.8);
  if (!collect_file(s, sdf) || !cardan__sdf_solve(s) || !cardan__sdf_read_joints(s)) {
    return;
  }
  cardan_spec_gravity(s->spec, s->gravity);
  cardan__sdf_add_tree(s);
  cardan__sdf_add_contacts(s);
  cardan__sdf_add_notes(s);
  cardan__mesh_remarks_note(s->spec, &s->meshes);
  if (s->spec->status == CARDAN_OK) {
    cardan__xml_note_unread(s->spec, sdf);
  }
}

static cardan_status read_sdf(cardan_spec *spec, const char *text, size_t length,
                              const cardan_setting *settings, int nsetting)
{
  cardan__sdf s = {.spec = spec, .base = -1};
  cardan__xml *root = NULL;
  cardan_report report = {.message = ""};
  for (int i = 0; i < nsetting; i++) {
    bool used;
    if (!cardan__collision_setting(spec, &settings[i], &s.meshes.convex, &used)) {
      return spec->status;
    }
    if (used) {
      continue;
    }
    if (strcmp(settings[i].name, "base") != 0) {
      cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT, "an SDF file defines no constant \"%.60s\"",
                        settings[i].name);
      return spec->status;
    }
    s.base = settings[i].value != 0;
  }
  const cardan_status status = cardan__xml_read(text, length, &spec->arena, &root, &report);
  if (status != CARDAN_OK) {
    cardan__spec_fail_at(spec, status, report.pos, "%s", report.message);
    return status;
  }
  cardan__names_init(&s.names, spec->allocator);
  cardan__text_init(&s.key, spec->allocator);
  cardan__xml_at(spec, root);
  read_file(&s, root);
  cardan__names_free(&s.names);
  cardan__text_free(&s.key);
  cardan__resize(spec->allocator, s.node, 0);
  cardan__resize(spec->allocator, s.touch, 0);
  return spec->status != CARDAN_OK ? spec->status : cardan__spec_check(spec, &spec->report);
}

const cardan__format cardan__format_sdf = {
    .ending = ".sdf", .help = "models and worlds of Gazebo", .read = read_sdf};
const cardan__format cardan__format_world = {
    .ending = ".world", .help = "the same", .read = read_sdf};
