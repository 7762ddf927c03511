// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "formats/sdf.h"
#include "formats/text_rounding.h"
#include "spatial/spatial.h"

/* Joints: what is in the file about them, and what acts on their coordinates. */

/* revolute2 is two hinges in a row at one point, which is what a universal joint is here. */
static const cardan__sdf_joint_kind kinds[] = {
    {"revolute", CARDAN_JOINT_REVOLUTE, 1, true, false},
    {"continuous", CARDAN_JOINT_REVOLUTE, 1, false, false},
    {"prismatic", CARDAN_JOINT_PRISMATIC, 1, true, false},
    {"fixed", CARDAN_JOINT_FIXED, 0, false, false},
    {"ball", CARDAN_JOINT_SPHERICAL, 0, false, false},
    {"universal", CARDAN_JOINT_UNIVERSAL, 2, true, false},
    {"revolute2", CARDAN_JOINT_UNIVERSAL, 2, true, false},
    {"screw", CARDAN_JOINT_HELICAL, 1, true, false},
    {"piston", CARDAN_JOINT_CYLINDRICAL, 1, false, false},
    {"gearbox", CARDAN_JOINT_FIXED, 2, false, true}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const cardan__sdf_joint_kind *kind_of(cardan__sdf *s, const cardan__sdf_node *n)
{
  const char *words[KINDS];
  for (int i = 0; i < KINDS; i++) {
    words[i] = kinds[i].word;
  }
  const int kind = cardan__xml_joint_type(s->spec, n->xml, n->name, words, KINDS);
  return kind >= 0 ? &kinds[kind] : NULL;
}

/* The link that a child of a joint names, 0: the world; -1 after a failure. */
static int link_of(cardan__sdf *s, const cardan__sdf_node *n, const char *which)
{
  const cardan__xml *e = cardan__xml_need_child(s->spec, n->xml, which);
  if (e == NULL) {
    return -1;
  }
  if (strcmp(e->text, "world") == 0 && cardan__sdf_find(s, n->scope, e->text) < 0) {
    return 0;
  }
  const int node = cardan__sdf_need(s, n->scope, e->text, e);
  return node >= 0 ? s->node[node].body : -1;
}

/* ---- axes ---- */

/* The frame that an axis is given in: the joint's own where nothing else is given; -1 after a
 * failure. Up to 1.4 it was the model's. */
static int axis_frame(cardan__sdf *s, int joint, cardan__xml *axis, cardan__xml *xyz)
{
  const cardan__sdf_node *n = &s->node[joint];
  const char *given = xyz != NULL ? cardan__xml_get(xyz, "expressed_in") : NULL;
  if (given != NULL && given[0] != '\0') {
    return cardan__sdf_need(s, n->scope, given, xyz);
  }
  const bool in_model = cardan__sdf_flag(s, axis, "use_parent_model_frame", false);
  return in_model || n->version < CARDAN__SDF_1_5 ? n->scope : joint;
}

static bool read_direction(cardan__sdf *s, int joint, cardan__sdf_axis *a)
{
  double v[3] = {0, 0, 1};
  cardan__xml *xyz = cardan__xml_child(a->xml, "xyz");
  const int frame = axis_frame(s, joint, a->xml, xyz);
  if (frame < 0 || !cardan__xml_child_values(s->spec, a->xml, "xyz", v, 3)) {
    return false;
  }
  if (v[0] == 0 && v[1] == 0 && v[2] == 0) {
    cardan__xml_fail(s->spec, xyz, "the axis of joint \"%.60s\" is 0 0 0, expected a direction",
                     s->node[joint].name);
    return false;
  }
  if (xyz != NULL) {
    cardan__digits_of(s->spec, xyz->text, 1);
  }
  a->xyz = cardan__vec3(v[0], v[1], v[2]);
  if (frame != joint) {
    const cardan_xform T = cardan__sdf_between(s, joint, frame);
    a->xyz = cardan__mat3_mulv(&T.R, a->xyz);
  }
  return true;
}

/* A limit: none where it is not there, infinite, or as large as the format's word for that. */
static bool read_end(cardan__sdf *s, const cardan__xml *limit, const char *name, double *value,
                     bool *given)
{
  const cardan__xml *e = cardan__xml_child(limit, name);
  const char *text = e != NULL ? e->text : "inf";
  text += *text == '-' || *text == '+';
  if (strcasecmp(text, "inf") == 0 || strcasecmp(text, "infinity") == 0) {
    return true;
  }
  const double none = *value;
  if (!cardan__xml_child_values(s->spec, limit, name, value, 1)) {
    return false;
  }
  if (fabs(*value) >= fabs(none)) {
    *value = none;
  } else {
    *given = true;
  }
  return true;
}

/* What only matters where it is set: marks the children of these names as read if they are not
 * positive, or infinite. */
static void skip_unset(const cardan__xml *e, const char *const *names, int n)
{
  for (int i = 0; i < n; i++) {
    cardan__xml *child = cardan__xml_child(e, names[i]);
    double value = 0;
    if (child != NULL) {
      child->read = cardan__xml_numbers(child->text, &value, 1) != 1 || value <= 0 || value >= 1e16;
    }
  }
}

static bool read_limit(cardan__sdf *s, cardan__sdf_axis *a)
{
  static const char *const unset[] = {"effort", "velocity"};
  const cardan__xml *limit = cardan__xml_child(a->xml, "limit");
  a->limit[0] = -1e16;
  a->limit[1] = 1e16;
  if (limit == NULL) {
    return true;
  }
  skip_unset(limit, unset, 2);
  if (!read_end(s, limit, "lower", &a->limit[0], &a->has_limit) ||
      !read_end(s, limit, "upper", &a->limit[1], &a->has_limit)) {
    return false;
  }
  if (a->limit[0] > a->limit[1]) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_LIMIT, limit);
    a->has_limit = false;
  }
  return true;
}

static bool read_dynamics(cardan__sdf *s, cardan__sdf_axis *a)
{
  const cardan__xml *d = cardan__xml_child(a->xml, "dynamics");
  if (d == NULL) {
    return true;
  }
  if (!cardan__xml_child_values(s->spec, d, "damping", &a->damping, 1) ||
      !cardan__xml_child_values(s->spec, d, "friction", &a->friction, 1) ||
      !cardan__xml_child_values(s->spec, d, "spring_stiffness", &a->stiffness, 1) ||
      !cardan__xml_child_values(s->spec, d, "spring_reference", &a->reference, 1)) {
    return false;
  }
  if (a->damping < 0 || a->friction < 0 || a->stiffness < 0) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_NEGATIVE, d);
    a->damping = fmax(a->damping, 0);
    a->friction = fmax(a->friction, 0);
    a->stiffness = fmax(a->stiffness, 0);
  }
  return true;
}

/* Has an axis more than a direction and limits? */
static bool has_dynamics(const cardan__sdf_axis *a)
{
  return a->damping > 0 || a->friction > 0 || a->stiffness > 0 || a->armature != 0;
}

/* A rotor behind a gear, as Drake writes it, is an inertia on the coordinate. */
static bool read_rotor(cardan__sdf *s, cardan__sdf_axis *a)
{
  double inertia = 0, gear = 1;
  const bool good = cardan__xml_child_values(s->spec, a->xml, "drake:rotor_inertia", &inertia, 1) &&
                    cardan__xml_child_values(s->spec, a->xml, "drake:gear_ratio", &gear, 1);
  a->armature = inertia * gear * gear;
  return good;
}

static bool read_axis(cardan__sdf *s, cardan__sdf_joint *j, int i)
{
  const cardan__sdf_node *n = &s->node[j->node];
  cardan__sdf_axis *a = &j->axis[i];
  a->xml = cardan__xml_child(n->xml, i == 0 ? "axis" : "axis2");
  a->xyz = cardan__vec3(0, 0, 1);
  if (a->xml == NULL) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_AXIS, n->xml);
    return true;
  }
  if (!read_direction(s, j->node, a) || !read_dynamics(s, a) || !read_rotor(s, a) ||
      (j->kind->limited && !read_limit(s, a))) {
    return false;
  }
  const bool mimic = cardan__xml_child(a->xml, "mimic") != NULL;
  j->needs_tree = j->needs_tree || mimic || a->has_limit || has_dynamics(a);
  return true;
}

/* Metres for a radian. thread_pitch: radians for a metre, of a left-handed thread;
 * screw_thread_pitch: metres for a turn. */
static bool read_pitch(cardan__sdf *s, cardan__sdf_joint *j)
{
  const cardan__sdf_node *n = &s->node[j->node];
  const bool is_new = n->version >= CARDAN__SDF_1_10;
  double old = 1, turn = 1;
  if (!cardan__xml_child_values(s->spec, n->xml, "thread_pitch", &old, 1) ||
      !cardan__xml_child_values(s->spec, n->xml, "screw_thread_pitch", &turn, 1)) {
    return false;
  }
  const bool has_old = cardan__xml_child(n->xml, "thread_pitch") != NULL,
             has_turn = cardan__xml_child(n->xml, "screw_thread_pitch") != NULL;
  if (has_turn || (is_new && !has_old)) {
    j->pitch = turn / (2 * acos(-1.0));
  } else {
    j->pitch = -1 / old;
  }
  if (!isfinite(j->pitch) || j->pitch == 0) {
    cardan__xml_fail(s->spec, n->xml, "the thread of joint \"%.60s\" has the pitch 0", n->name);
    return false;
  }
  return true;
}

/* Does the file want the loop cut here? */
static bool wants_cut(cardan__sdf *s, const cardan__xml *joint)
{
  const cardan__xml *e = cardan__xml_peek(joint, "physics");
  e = e != NULL ? cardan__xml_peek(e, "simbody") : NULL;
  e = e != NULL ? cardan__xml_peek(e, "must_be_loop_joint") : NULL;
  return cardan__xml_flag(s->spec, e, e != NULL ? e->text : NULL, false);
}

/* A hinge that its limits hold at 0 was the way to fix links before there were fixed joints. */
static void see_locked(cardan__sdf *s, cardan__sdf_joint *j)
{
  static const cardan__sdf_joint_kind locked = {"fixed", CARDAN_JOINT_FIXED, 0, false, false};
  const cardan__sdf_axis *a = &j->axis[0];
  if (j->kind->naxis == 1 && a->has_limit && a->limit[0] == 0 && a->limit[1] == 0) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_LOCKED, a->xml);
    j->kind = &locked;
    j->needs_tree = false;
  }
}

static bool read_joint(cardan__sdf *s, int node, cardan__sdf_joint *j)
{
  const cardan__sdf_node *n = &s->node[node];
  *j = (cardan__sdf_joint){.node = node, .kind = kind_of(s, n)};
  if (j->kind == NULL) {
    return false;
  }
  j->parent = link_of(s, n, "parent");
  j->child = j->parent >= 0 ? link_of(s, n, "child") : -1;
  if (j->child < 0) {
    return false;
  }
  if (j->parent == j->child && j->parent > 0) {
    cardan__xml_fail(s->spec, n->xml, "joint \"%.60s\" joins link \"%.60s\" to itself", n->name,
                     s->node[j->child].name);
    return false;
  }
  for (int i = 0; i < j->kind->naxis; i++) {
    if (!read_axis(s, j, i)) {
      return false;
    }
  }
  if (j->kind->naxis == 0) { // an axis says nothing about a joint that has none
    for (int i = 0; i < 2; i++) {
      cardan__xml *axis = cardan__xml_child(n->xml, i == 0 ? "axis" : "axis2");
      if (axis != NULL) {
        cardan__xml_skip(axis);
      }
    }
  }
  if (j->kind->kind == CARDAN_JOINT_HELICAL && !read_pitch(s, j)) {
    return false;
  }
  j->must_close = wants_cut(s, n->xml);
  see_locked(s, j);
  return true;
}

/* ---- equations between joints ---- */

typedef struct {
  cardan__sdf_joint *joint;
  int axis;
} leader;

/* The axis that <mimic> follows; joint NULL after a failure. */
static leader leader_of(cardan__sdf *s, const cardan__sdf_joint *j, cardan__xml *mimic)
{
  const char *name = cardan__xml_need(s->spec, mimic, "joint");
  const char *axis = cardan__xml_get(mimic, "axis");
  const int node = name != NULL ? cardan__sdf_find_joint(s, s->node[j->node].scope, name) : -1;
  if (name == NULL) {
    return (leader){NULL, 0};
  }
  const leader found = {node >= 0 ? &s->joint[s->node[node].joint] : NULL,
                        axis != NULL && strcmp(axis, "axis2") == 0};
  if (found.joint == NULL || found.axis >= found.joint->kind->naxis || found.joint->kind->gearbox) {
    cardan__xml_fail(s->spec, mimic, "there is no %s of a joint \"%.60s\" to mimic",
                     found.axis == 0 ? "axis" : "axis2", name);
    return (leader){NULL, 0};
  }
  return found;
}

/* Name of a pair of links among the names; NULL without memory. */
static const char *pair_of(cardan__sdf *s, int a, int b)
{
  s->key.length = 0;
  cardan__text_printf(&s->key, "pair %d %d", a < b ? a : b, a < b ? b : a);
  return cardan__spec_memory(s->spec, s->key.failed ? CARDAN_ERR_MEMORY : CARDAN_OK) ? s->key.data
                                                                                     : NULL;
}

/* Enters the first hinge between each two links, where gearboxes ask for them. */
static bool enter_hinges(cardan__sdf *s)
{
  bool asked = false, ok = true;
  for (int i = 0; i < s->njoint; i++) {
    asked = asked || s->joint[i].kind->gearbox;
  }
  for (int i = 0; i < s->njoint && asked && ok; i++) {
    const cardan__sdf_joint *j = &s->joint[i];
    const char *key = j->kind->kind == CARDAN_JOINT_REVOLUTE ? pair_of(s, j->parent, j->child) : "";
    if (key == NULL || key[0] == '\0' || cardan__names_get(&s->names, key) >= 0) {
      ok = key != NULL;
      continue;
    }
    const char *kept = cardan__arena_text(&s->spec->arena, key, s->key.length);
    ok = cardan__spec_memory(s->spec, kept != NULL ? cardan__names_set(&s->names, kept, i)
                                                   : CARDAN_ERR_MEMORY);
  }
  return ok;
}

/* The hinge between a gearbox's reference body and one of its ends; NULL: none. */
static cardan__sdf_joint *hinge_between(cardan__sdf *s, int reference, int link)
{
  const char *key = pair_of(s, reference, link);
  const int found = key != NULL ? cardan__names_get(&s->names, key) : -1;
  return found >= 0 ? &s->joint[found] : NULL;
}

/* The two hinges that a gearbox couples; -1 after a failure, 0: it has none. */
static int gears_of(cardan__sdf *s, const cardan__sdf_joint *j, cardan__sdf_joint *gear[2])
{
  const cardan__sdf_node *n = &s->node[j->node];
  const int body = link_of(s, n, "gearbox_reference_body");
  if (body < 0) {
    return -1;
  }
  gear[0] = hinge_between(s, body, j->parent);
  gear[1] = hinge_between(s, body, j->child);
  return gear[0] != NULL && gear[1] != NULL && gear[0] != gear[1];
}

/* Marks the joints whose coordinates couplings need. */
static bool mark_coupled(cardan__sdf *s, const cardan__sdf_joint *j)
{
  if (j->kind->gearbox) {
    cardan__sdf_joint *gear[2];
    const int found = gears_of(s, j, gear);
    if (found > 0) {
      gear[0]->needs_tree = gear[1]->needs_tree = true;
    }
    return found >= 0;
  }
  for (int i = 0; i < j->kind->naxis; i++) {
    cardan__xml *mimic = j->axis[i].xml != NULL ? cardan__xml_child(j->axis[i].xml, "mimic") : NULL;
    if (mimic != NULL) {
      const leader l = leader_of(s, j, mimic);
      if (l.joint == NULL) {
        return false;
      }
      l.joint->needs_tree = true;
    }
  }
  return true;
}

bool cardan__sdf_read_joints(cardan__sdf *s)
{
  s->joint = cardan__arena_take(&s->spec->arena, (size_t)s->njoint, sizeof *s->joint);
  if (s->joint == NULL) {
    return cardan__spec_memory(s->spec, CARDAN_ERR_MEMORY);
  }
  int n = 0;
  for (int i = 1; i < s->nnode; i++) {
    if (s->node[i].kind == CARDAN__SDF_JOINT) {
      s->node[i].joint = n;
      if (!read_joint(s, i, &s->joint[n++])) {
        return false;
      }
    }
  }
  if (!enter_hinges(s)) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (!mark_coupled(s, &s->joint[i])) {
      return false;
    }
  }
  return true;
}

const char *cardan__sdf_coordinate(cardan__sdf *s, const cardan__sdf_joint *joint, int axis)
{
  const bool slides = joint->kind->kind == CARDAN_JOINT_CYLINDRICAL;
  const char *tail = slides ? ".d" : joint->kind->naxis == 1 ? "" : axis == 0 ? ".a" : ".b";
  return cardan__sdf_keep_path(s, joint->node, tail);
}

/* ---- into the spec ---- */

void cardan__sdf_add_dynamics(cardan__sdf *s, const cardan__sdf_joint *joint)
{
  for (int i = 0; i < joint->kind->naxis; i++) {
    const cardan__sdf_axis *a = &joint->axis[i];
    if (!cardan__sdf_has_coordinates(joint)) {
      if (has_dynamics(a) || a->has_limit) {
        cardan__sdf_say(s, CARDAN__SDF_NOTE_CLOSED, a->xml);
      }
      continue;
    }
    if (!has_dynamics(a)) {
      continue;
    }
    const char *q = cardan__sdf_coordinate(s, joint, i);
    cardan__xml_at(s->spec, a->xml);
    if (a->damping > 0) {
      cardan_spec_add(
          s->spec,
          &(cardan_element){.kind = CARDAN_ELEMENT_DAMPING, .var = {q}, .value = {a->damping}});
    }
    if (a->stiffness > 0) {
      cardan_spec_add(s->spec, &(cardan_element){.kind = CARDAN_ELEMENT_JOINT_SPRING,
                                                 .var = {q},
                                                 .value = {a->stiffness, a->reference}});
    }
    if (a->armature != 0) {
      cardan_spec_armature(s->spec, q, a->armature);
    }
    if (a->friction > 0) {
      cardan_spec_add(s->spec, &(cardan_element){.kind = CARDAN_ELEMENT_DRY_FRICTION,
                                                 .var = {q},
                                                 .value = {a->friction}});
    }
  }
}

/* follower = multiplier (leader - reference) + offset */
static void add_mimic(cardan__sdf *s, const cardan__sdf_joint *j, int axis)
{
  cardan__xml *mimic = cardan__xml_child(j->axis[axis].xml, "mimic");
  double factor = 1, offset = 0, reference = 0;
  const leader l = leader_of(s, j, mimic);
  if (l.joint == NULL || !cardan__xml_child_values(s->spec, mimic, "multiplier", &factor, 1) ||
      !cardan__xml_child_values(s->spec, mimic, "offset", &offset, 1) ||
      !cardan__xml_child_values(s->spec, mimic, "reference", &reference, 1)) {
    return;
  }
  if (!cardan__sdf_has_coordinates(j) || !cardan__sdf_has_coordinates(l.joint)) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_CLOSED, mimic);
    return;
  }
  cardan__xml_at(s->spec, mimic);
  cardan__xml_follow(s->spec, cardan__sdf_coordinate(s, j, axis),
                     cardan__sdf_coordinate(s, l.joint, l.axis), factor,
                     offset - factor * reference);
}

/* Sense of a hinge's coordinate as the angle of a link from the reference body about the gearbox's
 * axis; 0: they are not parallel. */
static int relative_sense(const cardan__sdf *s, const cardan__sdf_joint *gearbox, int axis,
                          const cardan__sdf_joint *hinge, int link)
{
  const cardan_xform T = cardan__sdf_between(s, gearbox->node, hinge->node);
  const cardan_vec3 a = cardan__vec3_normalize(gearbox->axis[axis].xyz),
                    b = cardan__vec3_normalize(cardan__mat3_mulv(&T.R, hinge->axis[0].xyz));
  const double along = cardan__vec3_dot(a, b);
  if (fabs(along) < 0.99) {
    return 0;
  }
  return (along > 0) == (hinge->child == link) ? 1 : -1;
}

/* theta2 = -ratio theta1, both angles from the reference body: of the parent, of the child. */
static void add_gearbox(cardan__sdf *s, const cardan__sdf_joint *j)
{
  const cardan__sdf_node *n = &s->node[j->node];
  cardan__sdf_joint *gear[2];
  double ratio = 1;
  const int found = gears_of(s, j, gear);
  if (found < 0 || !cardan__xml_child_values(s->spec, n->xml, "gearbox_ratio", &ratio, 1)) {
    return;
  }
  const int sign =
      found > 0 && cardan__sdf_has_coordinates(gear[0]) && cardan__sdf_has_coordinates(gear[1])
          ? relative_sense(s, j, 0, gear[0], j->parent) * relative_sense(s, j, 1, gear[1], j->child)
          : 0;
  if (sign == 0) {
    cardan__sdf_say(s, CARDAN__SDF_NOTE_GEARBOX, n->xml);
    return;
  }
  cardan__xml_at(s->spec, n->xml);
  cardan__xml_follow(s->spec, cardan__sdf_coordinate(s, gear[1], 0),
                     cardan__sdf_coordinate(s, gear[0], 0), -ratio * sign, 0);
}

void cardan__sdf_add_couplings(cardan__sdf *s)
{
  for (int k = 0; k < s->njoint && s->spec->status == CARDAN_OK; k++) {
    const cardan__sdf_joint *j = &s->joint[k];
    if (j->kind->gearbox) {
      add_gearbox(s, j);
      continue;
    }
    for (int i = 0; i < j->kind->naxis; i++) {
      if (j->axis[i].xml != NULL && cardan__xml_child(j->axis[i].xml, "mimic") != NULL) {
        add_mimic(s, j, i);
      }
    }
  }
}
