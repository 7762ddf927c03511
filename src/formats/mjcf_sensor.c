// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <string.h>

#include "formats/mbs_write.h"
#include "formats/mjcf.h"
#include "spatial/twist.h"

/* Sensors as outputs, one for each number: NAME, or NAME.x, NAME.y, .. */

typedef enum { SCALAR, VECTOR, QUATERNION } shape;

static const char *const endings[][4] = {
    [SCALAR] = {""}, [VECTOR] = {".x", ".y", ".z"}, [QUATERNION] = {".w", ".x", ".y", ".z"}};
static const int counts[] = {[SCALAR] = 1, [VECTOR] = 3, [QUATERNION] = 4};

/* The sensor's name with a number for each that has none. */
static const char *name_of(cardan__mjcf *m, cardan__xml *xml)
{
  const char *name = cardan__xml_get(xml, "name");
  char made[64];
  snprintf(made, sizeof made, "%.40s%d", xml->name, ++m->nsensor);
  return cardan__mjcf_unique(m, &m->outputs, name != NULL && name[0] != '\0' ? name : made, "_");
}

/* One output of a sensor; the text is freed. */
static void put_output(cardan__mjcf *m, const cardan__xml *xml, const char *name,
                       const char *ending, cardan__text *text)
{
  const char *full = name != NULL ? cardan__mjcf_join(m, name, strlen(name), ending) : NULL;
  if (full != NULL && cardan__spec_memory(m->spec, text->failed ? CARDAN_ERR_MEMORY : CARDAN_OK)) {
    cardan__xml_at(m->spec, xml);
    cardan_spec_output(m->spec, full, text->data);
  }
  cardan__text_free(text);
}

/* Outputs (leaf frame), of a vector or a quaternion, less an offset. */
static void put_leaves(cardan__mjcf *m, cardan__xml *xml, shape s, const char *const *leaf,
                       const char *frame, const double *less)
{
  const char *name = name_of(m, xml);
  for (int i = 0; i < counts[s]; i++) {
    cardan__text text;
    cardan__text_init(&text, m->spec->allocator);
    if (less != NULL && less[i] != 0) {
      cardan__text_printf(&text, "(- ");
    }
    cardan__mjcf_put_leaf(&text, leaf[i], frame);
    if (less != NULL && less[i] != 0) {
      cardan__text_printf(&text, " ");
      cardan__text_number(&text, less[i]);
      cardan__text_printf(&text, ")");
    }
    put_output(m, xml, name, endings[s][i], &text);
  }
}

static bool not_used(cardan__xml *xml)
{
  xml->read = false;
  return true;
}

/* ---- joints and tendons ---- */

static bool add_joint(cardan__mjcf *m, cardan__xml *xml)
{
  const char *name = cardan__xml_need(m->spec, xml, "joint");
  const int i = name ? cardan__mjcf_find(m, xml, "joint", &m->joints, name) : -1;
  const bool velocity = strcmp(xml->name, "jointvel") == 0;
  if (i < 0) {
    return false;
  }
  const cardan__mjcf_joint *j = &m->joint[i];
  if (j->kind < CARDAN__MJCF_SLIDE) {
    cardan__xml_fail(m->spec, xml, "joint \"%.60s\" of a sensor is no hinge or slide", name);
    return false;
  }
  const double less[4] = {velocity ? 0 : -j->ref};
  put_leaves(m, xml, SCALAR, (const char *[]){velocity ? "v" : "q"}, j->name, less);
  return true;
}

static bool add_ball(cardan__mjcf *m, cardan__xml *xml)
{
  static const char *const parts[2][4] = {{".qw", ".qx", ".qy", ".qz"}, {".wx", ".wy", ".wz"}};
  const char *joint = cardan__xml_need(m->spec, xml, "joint");
  const int i = joint ? cardan__mjcf_find(m, xml, "joint", &m->joints, joint) : -1;
  const bool velocity = strcmp(xml->name, "ballangvel") == 0;
  const shape s = velocity ? VECTOR : QUATERNION;
  if (i < 0) {
    return false;
  }
  if (m->joint[i].kind != CARDAN__MJCF_BALL) {
    cardan__xml_fail(m->spec, xml, "joint \"%.60s\" of a sensor is no ball", joint);
    return false;
  }
  const char *name = name_of(m, xml);
  for (int k = 0; k < counts[s]; k++) {
    cardan__text text;
    cardan__text_init(&text, m->spec->allocator);
    const char *var = cardan__mjcf_join(m, joint, strlen(joint), parts[velocity][k]);
    cardan__mjcf_put_leaf(&text, velocity ? "v" : "q", var != NULL ? var : "");
    put_output(m, xml, name, endings[s][k], &text);
  }
  return true;
}

static bool add_tendon(cardan__mjcf *m, cardan__xml *xml)
{
  const char *name = cardan__xml_need(m->spec, xml, "tendon");
  const int i = name ? cardan__mjcf_find(m, xml, "tendon", &m->tendons, name) : -1;
  const bool velocity = strcmp(xml->name, "tendonvel") == 0;
  if (i < 0) {
    return false;
  }
  const cardan__mjcf_tendon *t = &m->tendon[i];
  if (t->wrapped || (velocity && t->spatial)) {
    return not_used(xml);
  }
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  if (velocity) {
    cardan__mjcf_put_rate(m, &text, t);
  } else {
    cardan__mjcf_put_length(m, &text, t, 0);
  }
  put_output(m, xml, name_of(m, xml), "", &text);
  return true;
}

static bool add_actuator(cardan__mjcf *m, cardan__xml *xml)
{
  const char *name = cardan__xml_need(m->spec, xml, "actuator");
  const int i = name ? cardan__mjcf_find(m, xml, "actuator", &m->actuators, name) : -1;
  if (i < 0) {
    return false;
  }
  const char *expr = strcmp(xml->name, "actuatorpos") == 0   ? m->act[i].length
                     : strcmp(xml->name, "actuatorvel") == 0 ? m->act[i].rate
                                                             : m->act[i].force;
  if (expr == NULL) {
    return not_used(xml);
  }
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  cardan__text_printf(&text, "%s", expr);
  put_output(m, xml, name_of(m, xml), "", &text);
  return true;
}

/* ---- frames ---- */

static const struct {
  const char *word;
  const char *leaf[4];
  shape shape;
  bool heavy; // gravity is taken off
} frames[] = {{"framepos", {"px", "py", "pz"}, VECTOR, false},
              {"framequat", {"qw", "qx", "qy", "qz"}, QUATERNION, false},
              {"framelinvel", {"vx", "vy", "vz"}, VECTOR, false},
              {"frameangvel", {"wx", "wy", "wz"}, VECTOR, false},
              {"framelinacc", {"ax", "ay", "az"}, VECTOR, true},
              {"gyro", {"gyro-x", "gyro-y", "gyro-z"}, VECTOR, false},
              {"velocimeter", {"vel-x", "vel-y", "vel-z"}, VECTOR, false},
              {"accelerometer", {"acc-x", "acc-y", "acc-z"}, VECTOR, false},
              {"subtreecom", {"comx", "comy", "comz"}, VECTOR, false}};
enum { FRAMES = sizeof frames / sizeof frames[0] };

/* A frame of its own, where an object has none. */
static const char *frame_at(cardan__mjcf *m, const cardan__xml *xml, int body,
                            const cardan_xform *pose, const char *name, const char *ending)
{
  const char *base = cardan__mjcf_join(m, name, strlen(name), ending);
  const char *label = base != NULL ? cardan__mjcf_label(m, base, "_") : NULL;
  if (label != NULL) {
    cardan__xml_at(m->spec, xml);
    cardan_spec_frame_name(m->spec, cardan_spec_place(m->spec, m->body[body].frame, pose), label);
  }
  return label;
}

/* The frame that a sensor names; NULL: it has none here, or a failure. */
static const char *object_frame(cardan__mjcf *m, cardan__xml *xml)
{
  const char *site = cardan__xml_get(xml, "site"), *body = cardan__xml_get(xml, "body");
  const char *kind = cardan__xml_get(xml, "objtype"), *name = cardan__xml_get(xml, "objname");
  kind = site != NULL ? "site" : body != NULL ? "xbody" : kind;
  name = site != NULL ? site : body != NULL ? body : name;
  if (kind == NULL || name == NULL) {
    cardan__xml_fail(m->spec, xml,
                     "<%.40s> says not of what; expected a site or body, or objtype "
                     "and objname",
                     xml->name);
    return NULL;
  }
  if (strcmp(kind, "site") == 0) {
    const int i = cardan__mjcf_find(m, xml, "site", &m->sites, name);
    return i >= 0 ? m->site[i].label : NULL;
  }
  if (strcmp(kind, "geom") == 0) {
    const int i = cardan__mjcf_find(m, xml, "geom", &m->geoms, name);
    const bool own = i >= 0 && m->geom[i].kind < CARDAN__MJCF_MESH;
    return own ? frame_at(m, xml, m->geom[i].body, &m->geom[i].pose, name, ".geom") : NULL;
  }
  if (strcmp(kind, "body") != 0 && strcmp(kind, "xbody") != 0) {
    return NULL;
  }
  const int i = cardan__mjcf_find(m, xml, "body", &m->bodies, name);
  if (i <= 0) {
    return i == 0 ? frame_at(m, xml, 0, &m->body[0].pose, "world", ".frame") : NULL;
  }
  return strcmp(kind, "xbody") == 0 ? m->body[i].label
                                    : frame_at(m, xml, i, &m->body[i].center, name, ".inertial");
}

/* Does the spec mean the same by what hangs on a body? Not where it is fixed to another. */
static bool has_subtree(const cardan__mjcf *m, const cardan__xml *xml, const char *body)
{
  const int i = body != NULL ? cardan__names_get(&m->bodies, body) : -1;
  return strcmp(xml->name, "subtreecom") != 0 || (i > 0 && m->body[i].njoint > 0);
}

static bool add_frame(cardan__mjcf *m, cardan__xml *xml)
{
  int i = 0;
  while (i < FRAMES && strcmp(frames[i].word, xml->name) != 0) {
    i++;
  }
  const char *label = object_frame(m, xml);
  if (m->spec->status != CARDAN_OK) {
    return false;
  }
  if (label == NULL || cardan__xml_get(xml, "refname") != NULL ||
      !has_subtree(m, xml, cardan__xml_get(xml, "body"))) {
    return not_used(xml);
  }
  const double g[4] = {m->gravity.x, m->gravity.y, m->gravity.z};
  put_leaves(m, xml, frames[i].shape, frames[i].leaf, label, frames[i].heavy ? g : NULL);
  return true;
}

/* ---- the whole ---- */

static bool add_plain(cardan__mjcf *m, cardan__xml *xml)
{
  cardan__text text;
  cardan__text_init(&text, m->spec->allocator);
  cardan__text_printf(&text, "%s",
                      strcmp(xml->name, "clock") == 0       ? "t"
                      : strcmp(xml->name, "e_kinetic") == 0 ? "(kinetic)"
                                                            : "(potential)");
  put_output(m, xml, name_of(m, xml), "", &text);
  return true;
}

static const struct {
  const char *word;
  bool (*add)(cardan__mjcf *m, cardan__xml *xml);
} words[] = {
    {"jointpos", add_joint},       {"jointvel", add_joint},       {"ballquat", add_ball},
    {"ballangvel", add_ball},      {"tendonpos", add_tendon},     {"tendonvel", add_tendon},
    {"actuatorpos", add_actuator}, {"actuatorvel", add_actuator}, {"actuatorfrc", add_actuator},
    {"framepos", add_frame},       {"framequat", add_frame},      {"framelinvel", add_frame},
    {"frameangvel", add_frame},    {"framelinacc", add_frame},    {"gyro", add_frame},
    {"velocimeter", add_frame},    {"accelerometer", add_frame},  {"subtreecom", add_frame},
    {"clock", add_plain},          {"e_kinetic", add_plain},      {"e_potential", add_plain}};
enum { WORDS = sizeof words / sizeof words[0] };

void cardan__mjcf_build_sensors(cardan__mjcf *m)
{
  for (cardan__xml *s = cardan__xml_child(m->root, "sensor"); s;
       s = cardan__xml_next(s, "sensor")) {
    for (cardan__xml *e = s->child; e != NULL; e = e->next) {
      for (int i = 0; i < WORDS && m->spec->status == CARDAN_OK; i++) {
        if (strcmp(e->name, words[i].word) == 0) {
          (void)cardan__xml_get(e, "noise");
          (void)cardan__xml_get(e, "user");
          e->read = true;
          (void)words[i].add(m, e);
        }
      }
    }
  }
}
