// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "formats/sdf.h"
#include "formats/text_rounding.h"
#include "spatial/spatial.h"

/* Names, poses and attachments.
 *
 * A pose is given in a frame of its own scope, which may be in a model inside it ("arm::hand").
 * Scopes are solved from the inside out: when a scope's turn comes, every T inside its models is
 * known, so that each of its own nodes hangs on another of them, or on the scope, by a constant
 * offset. These chains are followed with marks, not by recursion: they may be as long as the text.
 * placement_frame p of a model M:  T_M = T_base pose T_Mp^-1. */

/* ---- names ---- */

/* The scope whose names a scope shares. */
static int name_scope(const cardan__sdf *s, int scope)
{
  while (s->node[scope].merged) {
    scope = s->node[scope].scope;
  }
  return scope;
}

/* "3nbase"; NULL without memory. */
static const char *key_of(cardan__sdf *s, int scope, char space, const char *name, size_t length)
{
  s->key.length = 0;
  cardan__text_printf(&s->key, "%d%c", name_scope(s, scope), space);
  cardan__text_add(&s->key, name, length);
  return cardan__spec_memory(s->spec, s->key.failed ? CARDAN_ERR_MEMORY : CARDAN_OK) ? s->key.data
                                                                                     : NULL;
}

/* Spaces of names, in the order in which a name is looked for. */
static const char spaces[] = {[CARDAN__SDF_WORLD] = 'w',
                              [CARDAN__SDF_MODEL] = 'm',
                              [CARDAN__SDF_LINK] = 'l',
                              [CARDAN__SDF_JOINT] = 'j',
                              [CARDAN__SDF_FRAME] = 'f'};

/* A node of one kind by its name; -1: none. */
static int find_kind(cardan__sdf *s, int scope, cardan__sdf_kind kind, const char *name,
                     size_t length)
{
  const char *key =
      s->spec->status == CARDAN_OK ? key_of(s, scope, spaces[kind], name, length) : NULL;
  return key != NULL ? cardan__names_get(&s->names, key) : -1;
}

/* A name without "::" that counts. */
static int find_one(cardan__sdf *s, int scope, const char *name, size_t length)
{
  static const cardan__sdf_kind order[] = {CARDAN__SDF_LINK, CARDAN__SDF_MODEL, CARDAN__SDF_FRAME,
                                           CARDAN__SDF_JOINT};
  int found = -1;
  for (int i = 0; i < 4 && found < 0; i++) {
    found = find_kind(s, scope, order[i], name, length);
  }
  if (found < 0 && scope > 0 && length == 9 && memcmp(name, "__model__", 9) == 0) {
    return scope;
  }
  return found < 0 && scope == 0 && length == 5 && memcmp(name, "world", 5) == 0 ? 0 : found;
}

/* A node whose name a new one must not have; -1: none. A joint may have the name of another kind of
 * node, and up to version 1.6 all kinds may. */
static int find_conflict(cardan__sdf *s, const cardan__sdf_node *n)
{
  const size_t length = strlen(n->name);
  int found = find_kind(s, n->scope, n->kind, n->name, length);
  if (found < 0 && n->kind != CARDAN__SDF_JOINT && n->version >= CARDAN__SDF_1_7) {
    found = find_one(s, n->scope, n->name, length);
    found = found > 0 && s->node[found].kind != CARDAN__SDF_JOINT ? found : -1;
  }
  return found;
}

bool cardan__sdf_enter_name(cardan__sdf *s, int node)
{
  const cardan__sdf_node *n = &s->node[node];
  const int before = find_conflict(s, n);
  if (before >= 0) {
    const cardan__xml *other = s->node[before].xml;
    cardan__xml_fail(s->spec, n->xml, "the name \"%.60s\" is already that of a <%.40s>%s", n->name,
                     other->name, cardan__cite(other->pos).text);
    return false;
  }
  const char *key = s->spec->status == CARDAN_OK
                        ? key_of(s, n->scope, spaces[n->kind], n->name, strlen(n->name))
                        : NULL;
  const char *kept = key != NULL ? cardan__arena_text(&s->spec->arena, key, s->key.length) : NULL;
  const cardan_status status =
      kept != NULL ? cardan__names_set(&s->names, kept, node) : CARDAN_ERR_MEMORY;
  return cardan__spec_memory(s->spec, status);
}

int cardan__sdf_find_joint(cardan__sdf *s, int scope, const char *name)
{
  int found = find_kind(s, scope, CARDAN__SDF_JOINT, name, strlen(name));
  found = found < 0 ? cardan__sdf_find(s, scope, name) : found; // in a model inside
  return found >= 0 && s->node[found].kind == CARDAN__SDF_JOINT ? found : -1;
}

bool cardan__sdf_has_namesake(cardan__sdf *s, int joint)
{
  const cardan__sdf_node *n = &s->node[joint];
  const size_t length = strlen(n->name);
  return find_kind(s, n->scope, CARDAN__SDF_LINK, n->name, length) >= 0 ||
         find_kind(s, n->scope, CARDAN__SDF_FRAME, n->name, length) >= 0;
}

int cardan__sdf_find(cardan__sdf *s, int scope, const char *name)
{
  // as a whole first: names may have "::" in them
  int found = find_one(s, scope, name, strlen(name));
  while (found < 0 && s->spec->status == CARDAN_OK) {
    const char *end = strstr(name, "::");
    const int model =
        end != NULL ? find_kind(s, scope, CARDAN__SDF_MODEL, name, (size_t)(end - name)) : -1;
    if (model < 0) {
      return -1;
    }
    scope = model;
    name = end + 2;
    found = find_one(s, scope, name, strlen(name));
  }
  return found;
}

/* Is a node inside a scope, or the scope itself? */
static bool is_inside(const cardan__sdf *s, int node, int scope)
{
  while (node >= 0 && node != scope) {
    node = s->node[node].scope;
  }
  return node == scope;
}

int cardan__sdf_need(cardan__sdf *s, int scope, const char *name, const cardan__xml *at)
{
  const char *own = s->node[scope].name;
  const size_t length = strlen(own);
  int found = cardan__sdf_find(s, scope, name);
  if (found < 0 && length > 0 && strncmp(name, own, length) == 0 &&
      strncmp(name + length, "::", 2) == 0) { // with the model's own name in front
    found = cardan__sdf_find(s, scope, name + length + 2);
  }
  if (found >= 0 && is_inside(s, found, scope)) {
    return found;
  }
  if (s->spec->status == CARDAN_OK) {
    cardan__xml_fail(
        s->spec, at, "found no \"%.60s\" here; expected a link, joint, frame or model of %s%.60s%s",
        name, scope == 0 ? "the world" : "model \"", s->node[scope].name, scope == 0 ? "" : "\"");
  }
  return -1;
}

const char *cardan__sdf_path(cardan__sdf *s, int node, const char *tail)
{
  int chain[CARDAN__SDF_DEPTH + 2], n = 0;
  for (int i = node; i > 0; i = s->node[i].scope) {
    const bool only = s->node[i].scope == 0 && s->ntop == 1 && i != node;
    if (!only && !(s->node[i].merged && i != node)) {
      chain[n++] = i;
    }
  }
  s->key.length = 0;
  while (n-- > 0) {
    const char *name = s->node[chain[n]].name;
    cardan__text_add(&s->key, name, strlen(name));
    cardan__text_add(&s->key, n > 0 ? "::" : tail, n > 0 ? 2 : strlen(tail));
  }
  return cardan__spec_memory(s->spec, s->key.failed ? CARDAN_ERR_MEMORY : CARDAN_OK) ? s->key.data
                                                                                     : "";
}

const char *cardan__sdf_keep_path(cardan__sdf *s, int node, const char *tail)
{
  const char *path = cardan__sdf_path(s, node, tail);
  const char *kept = cardan__arena_text(&s->spec->arena, path, strlen(path));
  return cardan__spec_memory(s->spec, kept != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY) ? kept : "";
}

/* ---- poses ---- */

bool cardan__sdf_pose(cardan__sdf *s, cardan__xml *pose, cardan_xform *T)
{
  double v[7] = {0};
  *T = cardan__xform_identity();
  if (pose == NULL || pose->text[0] == '\0') {
    return true;
  }
  const char *format = cardan__xml_get(pose, "rotation_format");
  const bool quat = format != NULL && strcmp(format, "quat_xyzw") == 0;
  const bool degrees = cardan__xml_flag(s->spec, pose, cardan__xml_get(pose, "degrees"), false);
  const int n = quat ? 7 : 6;
  if (format != NULL && !quat && strcmp(format, "euler_rpy") != 0) {
    cardan__xml_fail(s->spec, pose, "rotation_format is \"%.40s\", expected euler_rpy or quat_xyzw",
                     format);
    return false;
  }
  if (cardan__xml_numbers(pose->text, v, n) != n) {
    cardan__xml_fail(s->spec, pose, "<pose> is \"%.60s\", expected %d numbers", pose->text, n);
    return false;
  }
  cardan__digits_of(s->spec, pose->text, 1);
  const double unit = degrees ? acos(-1.0) / 180 : 1;
  cardan__rotation turn = {CARDAN__ROT_RPY, {unit * v[3], unit * v[4], unit * v[5]}};
  if (quat) {
    turn = (cardan__rotation){CARDAN__ROT_QUAT, {v[6], v[3], v[4], v[5]}};
  }
  cardan__xml_at(s->spec, pose);
  T->p = cardan__vec3(v[0], v[1], v[2]);
  return cardan__spec_rotation(s->spec, &turn, &T->R);
}

const char *cardan__sdf_pose_base(cardan__xml *pose)
{
  const char *name = pose != NULL ? cardan__xml_get(pose, "relative_to") : NULL;
  if (pose != NULL && name == NULL) {
    name = cardan__xml_get(pose, "frame"); // before 1.7
  }
  return name != NULL && name[0] != '\0' ? name : NULL;
}

/* T of a node in the frame of a scope around it. */
static cardan_xform pose_in(const cardan__sdf *s, int node, int scope)
{
  cardan_xform T = cardan__xform_identity();
  for (; node != scope; node = s->node[node].scope) {
    T = cardan__xform_mul(&s->node[node].T, &T);
  }
  return T;
}

cardan_xform cardan__sdf_between(const cardan__sdf *s, int a, int b)
{
  int x = a, y = b; // up to the smallest scope that has both
  while (x != y) {
    if (s->node[x].depth >= s->node[y].depth) {
      x = s->node[x].scope;
    } else {
      y = s->node[y].scope;
    }
  }
  const cardan_xform T_a = pose_in(s, a, x), T_b = pose_in(s, b, x);
  return cardan__xform_inv_mul(&T_a, &T_b);
}

/* The text of <parent> or <child>; NULL after a failure. */
static const char *end_of(cardan__sdf *s, const cardan__xml *joint, const char *which)
{
  const cardan__xml *e = cardan__xml_need_child(s->spec, joint, which);
  return e != NULL ? e->text : NULL;
}

/* What a node hangs on when its pose does not say it, and what it is fixed to: both by name, or
 * its scope. false after a failure */
static bool default_base(cardan__sdf *s, int node, int *base)
{
  cardan__sdf_node *n = &s->node[node];
  *base = n->scope;
  n->attach = n->kind == CARDAN__SDF_LINK ? node : n->scope;
  const char *name = NULL;
  if (n->kind == CARDAN__SDF_JOINT) {
    name = end_of(s, n->xml, "child");
    if (name == NULL) {
      return false;
    }
    if (strcmp(name, "world") == 0 && cardan__sdf_find(s, n->scope, name) < 0) {
      n->attach = 0;
      return true;
    }
  } else if (n->kind == CARDAN__SDF_FRAME) {
    name = cardan__xml_get(n->xml, "attached_to");
  }
  if (name != NULL && name[0] != '\0') {
    *base = n->attach = cardan__sdf_need(s, n->scope, name, n->xml);
  }
  return *base >= 0;
}

/* The link that moves with a model: named, else the first, else that of its first model. */
static bool attach_model(cardan__sdf *s, int node)
{
  cardan__sdf_node *n = &s->node[node];
  const char *name = cardan__xml_get(n->xml, "canonical_link");
  if (n->is_static) {
    n->attach = 0;
    return true;
  }
  if (name != NULL && name[0] != '\0') {
    n->attach = cardan__sdf_need(s, node, name, n->xml);
    return n->attach >= 0;
  }
  int link = -1, model = -1;
  for (int i = n->first; i >= 0; i = s->node[i].next) {
    link = link < 0 && s->node[i].kind == CARDAN__SDF_LINK ? i : link;
    model = model < 0 && s->node[i].kind == CARDAN__SDF_MODEL ? i : model;
  }
  n->attach = link >= 0 ? link : model >= 0 ? model : n->scope;
  return true;
}

/* The node that a pose is given in, where it says one. Before 1.7 the attribute was frame, which
 * meant nothing yet: names that there are not are passed over. */
static bool given_base(cardan__sdf *s, int scope, cardan__xml *pose, int *base)
{
  const char *name = cardan__sdf_pose_base(pose);
  if (name == NULL) {
    return true;
  }
  if (cardan__xml_get(pose, "relative_to") == NULL && cardan__sdf_find(s, scope, name) < 0) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_FRAME, pose);
    return s->spec->status == CARDAN_OK;
  }
  *base = cardan__sdf_need(s, scope, name, pose);
  return *base >= 0;
}

/* Computes base and offset of a node. */
static bool place_node(cardan__sdf *s, int node)
{
  cardan__sdf_node *n = &s->node[node];
  int base;
  cardan_xform raw;
  if (!default_base(s, node, &base) || !cardan__sdf_pose(s, n->pose, &raw) ||
      (n->kind == CARDAN__SDF_MODEL && !attach_model(s, node))) {
    return false;
  }
  if (!given_base(s, n->scope, n->pose, &base)) {
    return false;
  }
  if (n->kind == CARDAN__SDF_MODEL && n->placement != NULL) {
    const int p = cardan__sdf_need(s, node, n->placement, n->xml);
    if (p < 0) {
      return false;
    }
    const cardan_xform T_Mp = pose_in(s, p, node), T_pM = cardan__xform_inverse(&T_Mp);
    raw = cardan__xform_mul(&raw, &T_pM);
  }
  n->base = base;
  n->offset = raw;
  while (base != n->scope && s->node[base].scope != n->scope) { // out of the models inside
    n->offset = cardan__xform_mul(&s->node[base].T, &n->offset);
    n->base = base = s->node[base].scope;
  }
  return true;
}

bool cardan__sdf_pose_in_link(cardan__sdf *s, int link, cardan__xml *pose, cardan_xform *T)
{
  int base = link;
  if (!cardan__sdf_pose(s, pose, T) || !given_base(s, s->node[link].scope, pose, &base)) {
    return false;
  }
  const cardan_xform T_base = cardan__sdf_between(s, link, base);
  *T = cardan__xform_mul(&T_base, T);
  return true;
}

/* T of a node and of those that it hangs on: up the chain, then back. */
static bool solve_chain(cardan__sdf *s, int node, int *stack)
{
  const int scope = s->node[node].scope;
  int n = 0;
  for (int i = node; i != scope && !s->node[i].known; i = s->node[i].base) {
    if (s->node[i].busy) {
      cardan__xml_fail(s->spec, s->node[i].pose != NULL ? s->node[i].pose : s->node[i].xml,
                       "the pose of \"%.60s\" is relative to itself, round in a circle",
                       s->node[i].name);
      return false;
    }
    s->node[i].busy = true;
    stack[n++] = i;
  }
  while (n-- > 0) {
    cardan__sdf_node *i = &s->node[stack[n]];
    i->T = i->base == scope ? i->offset : cardan__xform_mul(&s->node[i->base].T, &i->offset);
    i->known = true;
  }
  return true;
}

/* The link that a node is fixed in: along attach, to a link or the world. */
static bool find_body(cardan__sdf *s, int node)
{
  int end = node;
  for (int steps = 0; s->node[end].body < 0; steps++) {
    if (steps > s->nnode) {
      cardan__xml_fail(s->spec, s->node[node].xml,
                       "what \"%.60s\" is attached to goes round in a circle", s->node[node].name);
      return false;
    }
    end = s->node[end].attach;
  }
  const int body = s->node[end].body;
  for (int i = node; s->node[i].body < 0;) {
    s->node[i].body = body;
    i = s->node[i].attach;
  }
  return true;
}

/* A joint whose child is the world has its pose there, which is known when all others are. */
static void move_to_world(cardan__sdf *s, int node)
{
  cardan__sdf_node *n = &s->node[node];
  if (n->kind == CARDAN__SDF_JOINT && n->attach == 0 && cardan__sdf_pose_base(n->pose) == NULL) {
    const cardan_xform T = pose_in(s, n->scope, 0);
    n->T = cardan__xform_inv_mul(&T, &n->offset);
  }
}

static bool is_static(const cardan__sdf *s, int node)
{
  bool fixed = false;
  for (int i = s->node[node].scope; i > 0; i = s->node[i].scope) {
    fixed = fixed || s->node[i].is_static;
  }
  return fixed;
}

bool cardan__sdf_solve(cardan__sdf *s)
{
  int *stack = cardan__arena_take(&s->spec->arena, (size_t)s->nnode, sizeof *stack);
  if (!cardan__spec_memory(s->spec, stack != NULL ? CARDAN_OK : CARDAN_ERR_MEMORY)) {
    return false;
  }
  s->node[0].body = 0;
  for (int scope = s->nnode - 1; scope >= 0; scope--) { // inner scopes stand behind outer ones
    for (int i = s->node[scope].first; i >= 0; i = s->node[i].next) {
      if (!place_node(s, i)) {
        return false;
      }
    }
    for (int i = s->node[scope].first; i >= 0; i = s->node[i].next) {
      if (!solve_chain(s, i, stack)) {
        return false;
      }
    }
  }
  for (int i = 1; i < s->nnode; i++) {
    if (s->node[i].kind == CARDAN__SDF_LINK) {
      s->node[i].body = is_static(s, i) ? 0 : i;
    }
  }
  for (int i = 1; i < s->nnode; i++) {
    if (!find_body(s, i)) {
      return false;
    }
    move_to_world(s, i);
  }
  return true;
}
