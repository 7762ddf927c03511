// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <strings.h>

#include "formats/urdf.h"
#include "spatial/rotation.h"

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

static int kind_of(cardan__urdf *u, const cardan__urdf_joint *joint)
{
  const char *words[KINDS];
  for (int i = 0; i < KINDS; i++) {
    words[i] = kinds[i].word;
  }
  return cardan__xml_joint_type(u->spec, joint->xml, joint->name, words, KINDS);
}

static bool read_axis(cardan__urdf *u, const cardan__urdf_joint *joint, cardan_joint_def *def)
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

/* A number of <limit>, or infinity. false after a failure */
static bool read_end(cardan__urdf *u, cardan__xml *limit, const char *name, double *value)
{
  const char *text = cardan__xml_get(limit, name);
  const bool minus = text != NULL && *text == '-';
  if (text != NULL && strcasecmp(text + (minus || *text == '+'), "inf") == 0) {
    *value = minus ? -HUGE_VAL : HUGE_VAL;
    return true;
  }
  return cardan__xml_values(u->spec, limit, name, value, 1);
}

/* <limit>: its ends where the kind has any, and what a drive of the joint gives; an infinite one is
 * none. */
static bool read_limit(cardan__urdf *u, const cardan__urdf_joint *joint, bool limited,
                       cardan_joint_def *def)
{
  cardan__xml *limit = cardan__xml_child(joint->xml, "limit");
  if (limit == NULL) {
    return true;
  }
  def->has_limit = limited && (cardan__xml_get(limit, "lower") || cardan__xml_get(limit, "upper"));
  if (!read_end(u, limit, "effort", &def->effort) ||
      (def->has_limit && (!read_end(u, limit, "lower", &def->limit[0]) ||
                          !read_end(u, limit, "upper", &def->limit[1])))) {
    return false;
  }
  def->effort = isfinite(def->effort) ? fabs(def->effort) : 0;
  if (def->has_limit && def->limit[0] > def->limit[1]) {
    cardan__xml_note(u->spec, limit, "the limit of joint \"%.60s\" does not rise, and is not used",
                     joint->name);
    def->has_limit = false;
  }
  def->has_limit = def->has_limit && (isfinite(def->limit[0]) || isfinite(def->limit[1]));
  for (int i = 0; i < 2; i++) {
    def->limit[i] = !def->has_limit ? 0 : fmax(-1e16, fmin(1e16, def->limit[i]));
  }
  return true;
}

/* <dynamics damping friction>: a linear damper, dry friction. */
static void read_dynamics(cardan__urdf *u, const cardan__urdf_joint *joint)
{
  static const struct {
    const char *word;
    cardan_element_kind kind;
  } parts[] = {{"damping", CARDAN_ELEMENT_DAMPING}, {"friction", CARDAN_ELEMENT_DRY_FRICTION}};
  cardan__xml *dynamics = cardan__xml_child(joint->xml, "dynamics");
  for (int i = 0; i < 2 && dynamics != NULL && joint->nq == 1; i++) {
    double value = 0;
    if (cardan__xml_values(u->spec, dynamics, parts[i].word, &value, 1) && value < 0) {
      cardan__xml_fail(u->spec, dynamics, "the %s of joint \"%.60s\" is %g, expected none below 0",
                       parts[i].word, joint->name, value);
    } else if (value > 0) {
      cardan_spec_at(u->spec, dynamics->pos);
      cardan_spec_add(u->spec, &(cardan_element){
                                   .kind = parts[i].kind, .var = {joint->name}, .value = {value}});
    }
  }
}

/* A planar joint moves across its axis, here across z: the turn that takes z to the axis n about
 * the direction half way, quaternion (1 + n_z, -n_y, n_x, 0), and back behind the joint. */
static int add_planar(cardan__urdf *u, int at, cardan_joint_def *def)
{
  const cardan_vec3 n = cardan__vec3_normalize(def->axis);
  cardan__rotation turn = {.form = CARDAN__ROT_QUAT, .value = {1 + n.z, -n.y, n.x, 0}};
  const cardan_vec3 none = {0, 0, 0};
  def->axis = none;
  if (n.z == 1) {
    return cardan_spec_joint(u->spec, at, def);
  }
  if (1 + n.z < 1e-8) {
    turn = (cardan__rotation){.form = CARDAN__ROT_QUAT, .value = {0, 1, 0, 0}};
  }
  const int frame = cardan_spec_joint(u->spec, cardan__spec_place(u->spec, at, none, &turn), def);
  turn.value[0] = -turn.value[0];
  return cardan__spec_place(u->spec, frame, none, &turn);
}

int cardan__urdf_add_joint(cardan__urdf *u, cardan__urdf_joint *joint)
{
  const int kind = kind_of(u, joint);
  if (kind < 0) {
    return -1;
  }
  cardan_joint_def def = {.kind = kinds[kind].kind, .name = joint->name};
  const bool scalar = def.kind == CARDAN_JOINT_REVOLUTE || def.kind == CARDAN_JOINT_PRISMATIC;
  if (((scalar || def.kind == CARDAN_JOINT_PLANAR) && !read_axis(u, joint, &def)) ||
      (scalar && !read_limit(u, joint, kinds[kind].limited, &def))) {
    return -1;
  }
  const int at = cardan__urdf_place(u, u->link[joint->parent].frame, joint->xml);
  cardan_spec_at(u->spec, joint->xml->pos);
  if (def.kind == CARDAN_JOINT_FIXED) {
    cardan__xml_skip(joint->xml); // axis, limit and dynamics of a joint that does not move
    return cardan_spec_place(u->spec, at, &(cardan_xform){.R = cardan__mat3_identity()});
  }
  joint->nq = cardan__joint_type_of(def.kind)->nq;
  joint->effort = def.effort;
  const int frame = def.kind == CARDAN_JOINT_PLANAR ? add_planar(u, at, &def)
                                                    : cardan_spec_joint(u->spec, at, &def);
  read_dynamics(u, joint);
  return frame;
}
