// SPDX-License-Identifier: Apache-2.0
#include "formats/mjcf.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "formats/formats.h"

/* MJCF: the text as a whole. */

/* ---- <compiler> and <option> ---- */

static bool read_switch(cardan__mjcf *m, cardan__xml *e, const char *attribute, const char *off,
                        const char *on, bool *value)
{
  const cardan__mjcf_item item = {.xml = e, .kind = "", .class = -1};
  const char *const words[] = {off, on};
  const int word = cardan__mjcf_word(m, &item, attribute, words, 2, *value);
  *value = word == 1;
  return word >= 0;
}

static bool read_euler(cardan__mjcf *m, cardan__xml *e)
{
  const char *text = cardan__xml_get(e, "eulerseq");
  if (text == NULL) {
    return true;
  }
  if (strlen(text) != 3 || strspn(text, "xyzXYZ") != 3) {
    cardan__xml_fail(m->spec, e, "eulerseq is \"%.40s\", expected three of x, y, z, X, Y, Z", text);
    return false;
  }
  memcpy(m->euler, text, 3);
  return true;
}

static bool read_compiler(cardan__mjcf *m, cardan__xml *e)
{
  static const char *const looks[] = {"texturedir", "discardvisual", "convexhull",  "usethread",
                                      "fitaabb",    "alignfree",     "saveinertial"};
  static const char *const from[] = {"auto", "true", "false"};
  const cardan__mjcf_item item = {.xml = e, .kind = "", .class = -1};
  bool autolimits = !m->no_autolimits;
  double range[2] = {m->group_range[0], m->group_range[1]};
  const char *dir = cardan__xml_get(e, "meshdir"), *all = cardan__xml_get(e, "assetdir");
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    (void)cardan__xml_get(e, looks[i]);
  }
  m->inertia_from = cardan__mjcf_word(m, &item, "inertiafromgeom", from, 3, m->inertia_from);
  if (m->inertia_from < 0 || !read_switch(m, e, "angle", "degree", "radian", &m->radian) ||
      !read_switch(m, e, "coordinate", "local", "global", &m->global) ||
      !read_switch(m, e, "autolimits", "false", "true", &autolimits) ||
      !read_switch(m, e, "balanceinertia", "false", "true", &m->balance) ||
      !read_switch(m, e, "fusestatic", "false", "true", &m->fuse) ||
      !read_switch(m, e, "strippath", "false", "true", &m->strip_path) ||
      !read_switch(m, e, "exactmeshinertia", "false", "true", &m->exact_mesh) ||
      !cardan__xml_values(m->spec, e, "boundmass", &m->bound_mass, 1) ||
      !cardan__xml_values(m->spec, e, "boundinertia", &m->bound_inertia, 1) ||
      !cardan__xml_values(m->spec, e, "settotalmass", &m->total_mass, 1) ||
      !cardan__xml_values(m->spec, e, "inertiagrouprange", range, 2) || !read_euler(m, e)) {
    return false;
  }
  m->no_autolimits = !autolimits;
  m->group_range[0] = range[0] > 0 ? (int)fmin(range[0], 100) : 0;
  m->group_range[1] = range[1] > 0 ? (int)fmin(range[1], 100) : 0;
  m->mesh_dir = dir != NULL ? dir : (all != NULL ? all : m->mesh_dir);
  return true;
}

/* <flag>: what is switched off. */
static bool read_flags(cardan__mjcf *m, cardan__xml *flag, bool *no_gravity)
{
  bool constraint = false, passive = false;
  const struct {
    const char *word;
    bool *off;
  } flags[] = {{"gravity", no_gravity},
               {"constraint", &constraint},
               {"limit", &m->off_limit},
               {"equality", &m->off_equality},
               {"frictionloss", &m->off_friction},
               {"passive", &passive},
               {"spring", &m->off_spring},
               {"damper", &m->off_damper},
               {"actuation", &m->off_actuation},
               {"contact", &m->off_contact},
               {"filterparent", &m->off_filter}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    if (!read_switch(m, flag, flags[i].word, "enable", "disable", flags[i].off)) {
      return false;
    }
  }
  m->off_limit = m->off_limit || constraint;
  m->off_equality = m->off_equality || constraint;
  m->off_friction = m->off_friction || constraint;
  m->off_contact = m->off_contact || constraint;
  m->off_spring = m->off_spring || passive;
  m->off_damper = m->off_damper || passive;
  cardan__xml_skip(flag); // the others: warm starts, checks
  return true;
}

static bool read_option(cardan__mjcf *m, cardan__xml *e, bool *no_gravity)
{
  static const char *const fluid[] = {"density", "viscosity"};
  static const char *const solver[] = {
      "integrator",       "cone",           "jacobian",      "solver",         "iterations",
      "tolerance",        "impratio",       "ls_iterations", "ls_tolerance",   "noslip_iterations",
      "noslip_tolerance", "ccd_iterations", "ccd_tolerance", "mpr_iterations", "mpr_tolerance",
      "apirate",          "magnetic",       "wind",          "sdf_iterations", "sdf_initpoints",
      "o_margin",         "o_solref",       "o_solimp",      "o_friction"};
  static const char *const collisions[] = {"all", "predefined", "dynamic"};
  const cardan__mjcf_item item = {.xml = e, .kind = "", .class = -1};
  const int collision = cardan__mjcf_word(m, &item, "collision", collisions, 3, (int)m->collision);
  double g[3] = {m->gravity.x, m->gravity.y, m->gravity.z}, dt = 0;
  cardan__xml *flag = cardan__xml_child(e, "flag");
  for (size_t i = 0; i < sizeof solver / sizeof *solver; i++) {
    (void)cardan__xml_get(e, solver[i]);
  }
  for (int i = 0; i < 2; i++) {
    double value = 0;
    if (!cardan__xml_values(m->spec, e, fluid[i], &value, 1)) {
      return false;
    }
    if (value != 0) {
      cardan__xml_note(m->spec, e, "the %s of the medium is not used: bodies move in a vacuum",
                       fluid[i]);
    }
  }
  if (collision < 0 || !cardan__xml_values(m->spec, e, "gravity", g, 3) ||
      !cardan__xml_values(m->spec, e, "timestep", &dt, 1) ||
      (flag != NULL && !read_flags(m, flag, no_gravity))) {
    return false;
  }
  m->gravity = (cardan_vec3){g[0], g[1], g[2]};
  m->collision = (cardan__mjcf_collision)collision;
  if (cardan__xml_get(e, "timestep") != NULL && !(dt > 0)) {
    cardan__xml_fail(m->spec, e, "the time step is %g s; expected one above 0", dt);
    return false;
  }
  m->dt = dt > 0 ? dt : m->dt;
  return true;
}

static bool read_settings(cardan__mjcf *m)
{
  bool no_gravity = false, ok = true;
  for (cardan__xml *e = cardan__xml_child(m->root, "compiler"); e && ok;
       e = cardan__xml_next(e, "compiler")) {
    ok = read_compiler(m, e);
  }
  for (cardan__xml *e = cardan__xml_child(m->root, "option"); e && ok;
       e = cardan__xml_next(e, "option")) {
    ok = read_option(m, e, &no_gravity);
  }
  if (no_gravity) {
    m->gravity = (cardan_vec3){0, 0, 0};
  }
  if (ok) {
    char text[CARDAN__NUMBER_SIZE];
    cardan_spec_gravity(m->spec, m->gravity);
    cardan__format_number(text, m->dt, 0);
    cardan_spec_default(m->spec, "dt", text);
  }
  return ok;
}

/* ---- the text ---- */

/* Sections that only concern looks and the program that reads the file. */
static void skip_looks(cardan__mjcf *m)
{
  static const char *const looks[] = {"visual", "statistic", "size"};
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    for (cardan__xml *e = cardan__xml_child(m->root, looks[i]); e;
         e = cardan__xml_next(e, looks[i])) {
      cardan__xml_skip(e);
    }
  }
  for (cardan__xml *a = cardan__xml_child(m->root, "asset"); a; a = cardan__xml_next(a, "asset")) {
    for (cardan__xml *e = a->child; e != NULL; e = e->next) {
      if (strcmp(e->name, "texture") == 0 || strcmp(e->name, "material") == 0) {
        cardan__xml_skip(e);
      }
    }
  }
}

static void read_model(cardan__mjcf *m)
{
  const char *name = cardan__xml_get(m->root, "model");
  m->root->read = true;
  if (name != NULL && name[0] != '\0') {
    cardan_spec_name(m->spec, name);
  }
  if (!cardan__mjcf_include(m, m->root) || !cardan__mjcf_attach(m) || !read_settings(m) ||
      !cardan__mjcf_read_classes(m) || !cardan__mjcf_read_meshes(m) ||
      !cardan__mjcf_read_materials(m) || !cardan__mjcf_gather(m) ||
      !cardan__mjcf_read_contacts(m) || !cardan__mjcf_inertias(m) ||
      !cardan__mjcf_read_tendons(m)) {
    return;
  }
  cardan__mjcf_build(m);
  cardan__mjcf_build_equalities(m);
  cardan__mjcf_build_tendons(m);
  cardan__mjcf_build_actuators(m);
  cardan__mjcf_build_sensors(m);
  cardan__mjcf_build_keys(m);
  cardan__mjcf_build_contacts(m);
  skip_looks(m);
  cardan__mjcf_skip_defaults(m);
  if (m->spec->status == CARDAN_OK && m->undrawn != NULL) {
    cardan__xml_note(m->spec, m->undrawn, "meshes are not drawn");
  }
  cardan__mesh_remarks_note(m->spec, &m->remarks);
  if (m->spec->status == CARDAN_OK && m->unlike != NULL) {
    cardan__xml_note(m->spec, m->unlike, "sdf and shapes fitted to a mesh do not touch here");
  }
  if (m->spec->status == CARDAN_OK) {
    cardan__xml_note_unread(m->spec, m->root);
  }
}

enum { TABLES = 14 };

static void tables_of(cardan__mjcf *m, cardan__names *names[TABLES])
{
  cardan__names *const all[TABLES] = {
      &m->classes, &m->bodies,   &m->joints, &m->geoms,    &m->sites,  &m->tendons, &m->actuators,
      &m->inputs,  &m->elements, &m->labels, &m->included, &m->meshes, &m->outputs, &m->materials};
  memcpy(names, all, sizeof all);
}

static void free_all(cardan__mjcf *m)
{
  cardan__names *names[TABLES];
  void *const items[] = {m->class, m->body, m->joint, m->geom,     m->site,  m->tendon,
                         m->term,  m->act,  m->mesh,  m->material, m->couple};
  tables_of(m, names);
  for (int i = 0; i < TABLES; i++) {
    cardan__names_free(names[i]);
  }
  for (size_t i = 0; i < sizeof items / sizeof *items; i++) {
    cardan__resize(m->spec->allocator, items[i], 0);
  }
}

static cardan_status read_mjcf(cardan_spec *spec, const char *text, size_t length,
                               const cardan_setting *settings, int nsetting)
{
  cardan__mjcf m = {.spec = spec,
                    .total_mass = -1,
                    .group_range = {0, 5},
                    .euler = "xyz",
                    .gravity = {0, 0, -9.81},
                    .dt = 0.002};
  cardan_report report = {.message = ""};
  const cardan_status status = cardan__xml_read(text, length, &spec->arena, &m.root, &report);
  if (status != CARDAN_OK) {
    cardan__spec_fail_at(spec, status, report.pos, "%s", report.message);
    return status;
  }
  if (strcmp(m.root->name, "robot") == 0) {
    return cardan__format_urdf.read(spec, text, length, settings, nsetting);
  }
  if (strcmp(m.root->name, "sdf") == 0) {
    return cardan__format_sdf.read(spec, text, length, settings, nsetting);
  }
  if (strcmp(m.root->name, "mujoco") != 0) {
    cardan__xml_fail(spec, m.root, "found <%.40s>, expected <mujoco>, <robot> of a URDF, or <sdf>",
                     m.root->name);
    return spec->status;
  }
  for (int i = 0; i < nsetting; i++) {
    bool used;
    if (!cardan__collision_setting(spec, &settings[i], &m.remarks.convex, &used)) {
      return spec->status;
    }
    if (!used) {
      const bool base = strcmp(settings[i].name, "base") == 0;
      cardan__spec_fail(spec, CARDAN_ERR_ARGUMENT,
                        base ? "option %s is for URDF and SDF files: in an MJCF file a body moves "
                               "freely if it has a <freejoint/>, and is fixed if it has no joint"
                             : "an MJCF file defines no constant \"%.60s\"",
                        settings[i].name);
      return spec->status;
    }
  }
  cardan__names *names[TABLES];
  tables_of(&m, names);
  for (int i = 0; i < TABLES; i++) {
    cardan__names_init(names[i], spec->allocator);
  }
  cardan__xml_at(spec, m.root);
  read_model(&m);
  free_all(&m);
  return spec->status != CARDAN_OK ? spec->status : cardan__spec_check(spec, &spec->report);
}

const cardan__format cardan__format_mjcf = {
    .ending = ".xml", .help = "robots of MuJoCo", .read = read_mjcf, .write = cardan__mjcf_write};
