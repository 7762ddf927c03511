// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/mjcf.h"
#include "spatial/twist.h"

/* Bodies and what is in them, in the order of the text: parents before children, a body's
 * joints together. <frame> and <replicate> have no body of their own: what is in them is moved
 * into the body around them. */

enum { MOST = 1000000 }; // bodies, joints, geoms, sites together: <replicate> multiplies

/* Where an element stands. */
typedef struct {
  int body, class;
  cardan_xform in_body; // of the frames around it
  const char *suffix;   // of names, by <replicate>; NULL: none
} place;

static bool gather(cardan__mjcf *m, const cardan__xml *outer, const place *at, bool bodies);

static bool check_element_count(cardan__mjcf *m, const cardan__xml *xml)
{
  if (m->n.body + m->n.joint + m->n.geom + m->n.site + m->n.copy >= MOST) {
    cardan__xml_fail(m->spec, xml, "there are more than %d elements in bodies", MOST);
  }
  return m->spec->status == CARDAN_OK;
}

/* An element's name in the model; NULL: it has none, or a failure. */
static const char *full_name(cardan__mjcf *m, cardan__xml *xml, const place *at)
{
  const char *name = cardan__xml_get(xml, "name");
  if (name == NULL || name[0] == '\0' || at->suffix == NULL) {
    return name != NULL && name[0] != '\0' ? name : NULL;
  }
  return cardan__mjcf_join(m, name, strlen(name), at->suffix);
}

/* A pose of the text as one in the body. */
static cardan_xform in_body(const cardan__mjcf *m, const place *at, const cardan_xform *pose)
{
  return m->global ? cardan__xform_inv_mul(&m->body[at->body].world, pose)
                   : cardan__xform_mul(&at->in_body, pose);
}

/* ---- joints ---- */

static bool read_joint(cardan__mjcf *m, cardan__mjcf_joint *j, const place *at)
{
  static const char *const kinds[] = {"free", "ball", "slide", "hinge"};
  const bool free_joint = strcmp(j->item.xml->name, "freejoint") == 0;
  const int kind = free_joint
                       ? CARDAN__MJCF_FREE
                       : cardan__mjcf_word(m, &j->item, "type", kinds, 4, CARDAN__MJCF_HINGE);
  double pos[3] = {0}, axis[3] = {0, 0, 1}, ref = 0;
  if (kind < 0 || !cardan__mjcf_values(m, &j->item, "pos", pos, 3) ||
      !cardan__mjcf_values(m, &j->item, "axis", axis, 3) ||
      !cardan__mjcf_values(m, &j->item, "ref", &ref, 1)) {
    return false;
  }
  j->kind = (cardan__mjcf_joint_kind)kind;
  const cardan_xform text = {.R = cardan__mat3_identity(), .p = {pos[0], pos[1], pos[2]}};
  const cardan_xform here = in_body(m, at, &text);
  j->pos = here.p;
  j->axis = cardan__mat3_mulv(&here.R, (cardan_vec3){axis[0], axis[1], axis[2]});
  j->ref = kind == CARDAN__MJCF_HINGE ? cardan__mjcf_angle(m, ref)
                                      : (kind == CARDAN__MJCF_SLIDE ? ref : 0);
  if (!(cardan__vec3_norm(j->axis) > 1e-14)) {
    cardan__xml_fail(m->spec, j->item.xml, "the axis of the joint is 0 0 0; expected a direction");
    return false;
  }
  return true;
}

static bool add_joint(cardan__mjcf *m, cardan__xml *xml, const place *at)
{
  cardan__mjcf_body *body = &m->body[at->body];
  cardan__mjcf_joint j = {.body = at->body};
  if (!check_element_count(m, xml) ||
      !cardan__mjcf_grow(m, (void **)&m->joint, &m->room.joint, m->n.joint, sizeof *m->joint) ||
      !cardan__mjcf_open(m, xml, NULL, at->class, &j.item) || !read_joint(m, &j, at)) {
    return false;
  }
  if (at->body == 0) {
    cardan__xml_fail(m->spec, xml, "the world has a joint; expected it in a body");
    return false;
  }
  const bool after_free = body->njoint > 0 && m->joint[body->joint].kind == CARDAN__MJCF_FREE;
  if (after_free || (j.kind == CARDAN__MJCF_FREE && (body->njoint > 0 || body->parent != 0))) {
    cardan__xml_fail(m->spec, xml,
                     "a free joint must be the only joint of its body, a child of the world; "
                     "expected another kind");
    return false;
  }
  cardan__mjcf_digits(m, &j.item);
  j.name = full_name(m, xml, at);
  j.named = j.name != NULL;
  body->njoint++;
  m->joint[m->n.joint] = j;
  return cardan__mjcf_enter(m, xml, "joint", &m->joints, j.name, m->n.joint++);
}

/* ---- geoms, sites, inertia ---- */

static bool add_geom(cardan__mjcf *m, cardan__xml *xml, const place *at)
{
  cardan__mjcf_geom g = {.body = at->body};
  if (!check_element_count(m, xml) ||
      !cardan__mjcf_grow(m, (void **)&m->geom, &m->room.geom, m->n.geom, sizeof *m->geom) ||
      !cardan__mjcf_open(m, xml, NULL, at->class, &g.item) || !cardan__mjcf_read_geom(m, &g)) {
    return false;
  }
  g.pose = in_body(m, at, &g.pose);
  g.name = full_name(m, xml, at);
  m->geom[m->n.geom] = g;
  m->body[at->body].ngeom++;
  return cardan__mjcf_enter(m, xml, "geom", &m->geoms, g.name, m->n.geom++);
}

/* A site between two points stands at their middle. */
static bool site_pose(cardan__mjcf *m, cardan__mjcf_site *s)
{
  static const char *const looks[] = {"type", "size", "group", "rgba", "material", "user"};
  double ends[6];
  for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
    (void)cardan__mjcf_get(m, &s->item, looks[i]);
  }
  if (!cardan__mjcf_pose(m, &s->item, &s->pose) ||
      !cardan__mjcf_values(m, &s->item, "fromto", ends, 6)) {
    return false;
  }
  if (cardan__mjcf_get(m, &s->item, "fromto") != NULL) {
    const cardan_vec3 a = {ends[0], ends[1], ends[2]}, b = {ends[3], ends[4], ends[5]};
    const cardan_vec3 d = cardan__vec3_sub(a, b);
    s->pose.p = cardan__vec3_scale(0.5, cardan__vec3_add(a, b));
    s->pose.R = cardan__vec3_norm(d) > 1e-14 ? cardan__mat3_z_to(d) : cardan__mat3_identity();
  }
  return true;
}

static bool add_site(cardan__mjcf *m, cardan__xml *xml, const place *at)
{
  cardan__mjcf_site s = {.body = at->body};
  if (!check_element_count(m, xml) ||
      !cardan__mjcf_grow(m, (void **)&m->site, &m->room.site, m->n.site, sizeof *m->site) ||
      !cardan__mjcf_open(m, xml, NULL, at->class, &s.item) || !site_pose(m, &s)) {
    return false;
  }
  cardan__mjcf_digits(m, &s.item);
  s.pose = in_body(m, at, &s.pose);
  s.name = full_name(m, xml, at);
  m->site[m->n.site] = s;
  m->body[at->body].nsite++;
  return cardan__mjcf_enter(m, xml, "site", &m->sites, s.name, m->n.site++);
}

static bool add_inertial(cardan__mjcf *m, cardan__xml *xml, const place *at)
{
  cardan__mjcf_body *body = &m->body[at->body];
  if (body->given != NULL) {
    cardan__xml_fail(m->spec, xml, "this is the body's second <inertial>; expected one");
    return false;
  }
  xml->read = true;
  body->given = xml;
  body->at = in_body(m, at, &(cardan_xform){.R = cardan__mat3_identity()});
  return true;
}

/* ---- bodies ---- */

/* The class of what is in an element, where it says one; false: there is no such class. */
static bool find_childclass(cardan__mjcf *m, cardan__xml *xml, int *class)
{
  const char *name = cardan__xml_get(xml, "childclass");
  if (name != NULL) {
    *class = cardan__mjcf_find(m, xml, "default class", &m->classes, name);
  }
  return *class >= 0;
}

static bool read_body(cardan__mjcf *m, cardan__mjcf_body *b, const place *at)
{
  static const char *const words[] = {"false", "true"};
  const int mocap = cardan__mjcf_word(m, &b->item, "mocap", words, 2, 0);
  if (mocap < 0 || !cardan__mjcf_pose(m, &b->item, &b->pose) ||
      !cardan__mjcf_values(m, &b->item, "gravcomp", &b->lift, 1)) {
    return false;
  }
  if (mocap == 1) {
    cardan__xml_note(m->spec, b->item.xml, "the mocap body \"%.60s\" is fixed where it is drawn",
                     b->name ? b->name : "");
  }
  if (m->global && cardan__xml_get(b->item.xml, "pos") == NULL) {
    cardan__xml_fail(m->spec, b->item.xml,
                     "found a body without \"pos\" in global coordinates; expected one");
    return false;
  }
  cardan__mjcf_digits(m, &b->item);
  b->pose = in_body(m, at, &b->pose);
  b->world = cardan__xform_mul(&m->body[at->body].world, &b->pose);
  return true;
}

static bool add_body(cardan__mjcf *m, cardan__xml *xml, const place *at)
{
  cardan__mjcf_body b = {
      .parent = at->body, .joint = m->n.joint, .geom = m->n.geom, .site = m->n.site};
  b.item = (cardan__mjcf_item){.xml = xml, .kind = "body", .class = at->class};
  b.name = full_name(m, xml, at);
  xml->read = true;
  if (!check_element_count(m, xml) || !read_body(m, &b, at) ||
      !cardan__mjcf_grow(m, (void **)&m->body, &m->room.body, m->n.body, sizeof *m->body)) {
    return false;
  }
  place in = {.body = m->n.body, .class = at->class, .suffix = at->suffix};
  in.in_body = (cardan_xform){.R = cardan__mat3_identity()};
  m->body[m->n.body] = b;
  return find_childclass(m, xml, &in.class) &&
         cardan__mjcf_enter(m, xml, "body", &m->bodies, b.name, m->n.body++) &&
         gather(m, xml, &in, false) && gather(m, xml, &in, true);
}

/* ---- frames and copies ---- */

static bool enter_frame(cardan__mjcf *m, cardan__xml *xml, const place *at, bool bodies)
{
  const cardan__mjcf_item item = {.xml = xml, .kind = "frame", .class = 0};
  cardan_xform pose;
  place in = *at;
  (void)cardan__xml_get(xml, "name");
  xml->read = true;
  if (!find_childclass(m, xml, &in.class) || !cardan__mjcf_pose(m, &item, &pose)) {
    return false;
  }
  cardan__mjcf_digits(m, &item);
  in.in_body = cardan__xform_mul(&at->in_body, &pose);
  return gather(m, xml, &in, bodies);
}

/* The ending of a copy's names: the separator, a number of as many digits as the count has, and the
 * ending by what is around it. */
static const char *copy_suffix(cardan__mjcf *m, const place *at, const char *between, int i,
                               int count)
{
  char text[300];
  const int digits = snprintf(NULL, 0, "%d", count);
  snprintf(text, sizeof text, "%.60s%0*d%.100s", between, digits, i, at->suffix ? at->suffix : "");
  const char *kept = cardan__arena_text(&m->spec->arena, text, strlen(text));
  cardan__spec_memory(m->spec, kept != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY);
  return kept;
}

/* Copy i is turned by i times the angles, and moved from the one before by offset in its axes. */
static bool enter_copies(cardan__mjcf *m, cardan__xml *xml, const place *at, bool bodies)
{
  const char *between = cardan__xml_get(xml, "sep");
  double count = 0, offset[3] = {0}, angle[3] = {0};
  xml->read = true;
  if (cardan__xml_need(m->spec, xml, "count") == NULL ||
      !cardan__xml_values(m->spec, xml, "count", &count, 1) ||
      !cardan__xml_values(m->spec, xml, "offset", offset, 3) ||
      !cardan__xml_values(m->spec, xml, "euler", angle, 3)) {
    return false;
  }
  if (!(count >= 0 && count <= MOST && floor(count) == count)) {
    cardan__xml_fail(m->spec, xml, "found a count of %g copies; expected 0 to %d", count, MOST);
    return false;
  }
  place in = *at;
  if (!find_childclass(m, xml, &in.class)) {
    return false;
  }
  cardan_vec3 p = {0, 0, 0};
  for (int i = 0; i < (int)count; i++) {
    in.suffix = copy_suffix(m, at, between ? between : "", i, (int)count);
    const double turn[3] = {i * angle[0], i * angle[1], i * angle[2]};
    const cardan_xform copy = {.R = cardan__mjcf_euler(m, turn), .p = p};
    in.in_body = cardan__xform_mul(&at->in_body, &copy);
    p = cardan__xform_point(&copy, (cardan_vec3){offset[0], offset[1], offset[2]});
    m->n.copy++;
    if (!check_element_count(m, xml) || !gather(m, xml, &in, bodies)) {
      return false;
    }
  }
  return true;
}

static bool refuse(cardan__mjcf *m, const cardan__xml *xml, const place *at)
{
  (void)at;
  cardan__xml_fail(m->spec, xml,
                   "<%.40s> makes bodies, and is not taken here; expected them "
                   "written out",
                   xml->name);
  return false;
}

/* ---- the walk ---- */

static const struct {
  const char *word;
  bool body; // in the pass over bodies
  bool (*add)(cardan__mjcf *m, cardan__xml *xml, const place *at);
} words[] = {{"joint", false, add_joint},       {"freejoint", false, add_joint},
             {"geom", false, add_geom},         {"site", false, add_site},
             {"inertial", false, add_inertial}, {"body", true, add_body}};
enum { WORDS = sizeof words / sizeof words[0] };

static const char *const makers[] = {"composite", "flexcomp"};
enum { MAKERS = sizeof makers / sizeof makers[0] };

/* What is in an element, its bodies or the rest. */
static bool gather(cardan__mjcf *m, const cardan__xml *outer, const place *at, bool bodies)
{
  bool ok = true;
  for (cardan__xml *e = outer->child; e != NULL && ok; e = e->next) {
    m->n.copy += at->suffix != NULL;
    ok = check_element_count(m, e);
    for (int i = 0; i < WORDS && ok; i++) {
      ok = words[i].body != bodies || strcmp(e->name, words[i].word) != 0 || words[i].add(m, e, at);
    }
    for (int i = 0; i < MAKERS && ok; i++) {
      ok = strcmp(e->name, makers[i]) != 0 || refuse(m, e, at);
    }
    if (ok && strcmp(e->name, "frame") == 0) {
      ok = enter_frame(m, e, at, bodies);
    } else if (ok && strcmp(e->name, "replicate") == 0) {
      ok = enter_copies(m, e, at, bodies);
    }
  }
  return ok;
}

/* Names for joints without one: that of the body, and frames: bodies first, then sites. */
static bool name_all(cardan__mjcf *m)
{
  for (int i = 0; i < m->n.joint; i++) {
    cardan__mjcf_joint *j = &m->joint[i];
    const char *body = m->body[j->body].name, *base = body != NULL ? body : "joint";
    int k = body != NULL ? i - m->body[j->body].joint + 1 : i + 1;
    char text[CARDAN__NAME_MAX + 20];
    snprintf(text, sizeof text, k == 1 ? "%.*s" : "%.*s_%d", CARDAN__NAME_MAX, base, k);
    while (!j->named && cardan__names_get(&m->joints, text) >= 0) {
      snprintf(text, sizeof text, "%.*s_%d", CARDAN__NAME_MAX, base, ++k);
    }
    if (!j->named) {
      j->name = cardan__arena_text(&m->spec->arena, text, strlen(text));
      if (j->name == NULL || cardan__names_set(&m->joints, j->name, i) != CARDAN_OK) {
        return cardan__spec_memory(m->spec, CARDAN_ERR_MEMORY);
      }
    }
  }
  for (int i = 1; i < m->n.body; i++) {
    m->body[i].label = m->body[i].name ? cardan__mjcf_label(m, m->body[i].name, ".body") : NULL;
  }
  for (int i = 0; i < m->n.site; i++) {
    m->site[i].label = m->site[i].name ? cardan__mjcf_label(m, m->site[i].name, ".site") : NULL;
  }
  return m->spec->status == CARDAN_OK;
}

bool cardan__mjcf_gather(cardan__mjcf *m)
{
  const place top = {.in_body = {.R = cardan__mat3_identity()}};
  if (!cardan__mjcf_grow(m, (void **)&m->body, &m->room.body, 0, sizeof *m->body) ||
      !cardan__mjcf_enter(m, m->root, "body", &m->bodies, "world", 0)) {
    return false;
  }
  m->body[m->n.body++] =
      (cardan__mjcf_body){.name = "world", .parent = -1, .world = top.in_body, .pose = top.in_body};
  for (int pass = 0; pass < 2; pass++) {
    for (cardan__xml *e = cardan__xml_child(m->root, "worldbody"); e;
         e = cardan__xml_next(e, "worldbody")) {
      if (!gather(m, e, &top, pass == 1)) {
        return false;
      }
    }
  }
  return name_all(m);
}
