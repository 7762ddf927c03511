// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "formats/urdf.h"

/* ---- mimic ---- */

/* The joint that is to be followed; -1 after a failure. */
static int find_leader(cardan__urdf *u, cardan__xml *mimic, const cardan__urdf_joint *joint)
{
  const char *name = cardan__xml_need(u->spec, mimic, "joint");
  if (name == NULL) {
    return -1;
  }
  const int other = cardan__names_get(&u->joints, name);
  if (other < 0) {
    cardan__xml_fail(u->spec, mimic, "there is no joint \"%.60s\" to mimic", name);
  } else if (u->joint[other].nq > 1 || joint->nq > 1) {
    cardan__xml_fail(u->spec, mimic,
                     "joint \"%.60s\" has more than one coordinate, expected a revolute, "
                     "continuous or prismatic joint to mimic another",
                     joint->nq > 1 ? joint->name : name);
    return -1;
  }
  return other;
}

/* q = multiplier q' + offset, where both joints have one coordinate. */
static void add_mimic(cardan__urdf *u, int index)
{
  cardan__urdf_joint *joint = &u->joint[index];
  cardan__xml *mimic = joint->nq > 0 ? cardan__xml_child(joint->xml, "mimic") : NULL;
  double factor = 1, offset = 0;
  if (mimic == NULL || !cardan__xml_values(u->spec, mimic, "multiplier", &factor, 1) ||
      !cardan__xml_values(u->spec, mimic, "offset", &offset, 1)) {
    return;
  }
  joint->follows = find_leader(u, mimic, joint);
  if (joint->follows < 0) {
    return;
  }
  const cardan__urdf_joint *other = &u->joint[joint->follows];
  cardan_spec_at(u->spec, mimic->pos);
  cardan__xml_follow(u->spec, joint->name, other->nq > 0 ? other->name : NULL, factor, offset);
}

/* Each chain of those that follow is walked once, from a joint that was not seen yet: one that it
 * meets was seen in another walk, or the chain is a circle. */
static void check_circles(cardan__urdf *u)
{
  for (int i = 0; i < u->njoint; i++) {
    int at = i;
    while (at >= 0 && u->joint[at].walk == 0) {
      u->joint[at].walk = i + 1;
      at = u->joint[at].follows;
    }
    if (at >= 0 && u->joint[at].walk == i + 1) {
      cardan__xml_fail(u->spec, cardan__xml_child(u->joint[at].xml, "mimic"),
                       "joint \"%.60s\" mimics itself, or one that mimics it", u->joint[at].name);
      return;
    }
  }
}

void cardan__urdf_add_mimics(cardan__urdf *u)
{
  for (int i = 0; i < u->njoint && u->spec->status == CARDAN_OK; i++) {
    add_mimic(u, i);
  }
  if (u->spec->status == CARDAN_OK) {
    check_circles(u);
  }
}

/* ---- transmissions ---- */

/* The number in <mechanicalReduction>, of the actuator, of the joint or, in old files, beside them;
 * 1 where there is none. false after a failure */
static bool read_reduction(cardan__urdf *u, const cardan__xml *transmission, double *gear)
{
  static const char word[] = "mechanicalReduction";
  const cardan__xml *actuator = cardan__xml_child(transmission, "actuator"),
                    *joint = cardan__xml_child(transmission, "joint");
  cardan__xml *e = actuator != NULL ? cardan__xml_child(actuator, word) : NULL;
  e = e == NULL && joint != NULL ? cardan__xml_child(joint, word) : e;
  e = e == NULL ? cardan__xml_child(transmission, word) : e;
  *gear = 1;
  if (e != NULL && e->text[0] != '\0' &&
      (cardan__xml_numbers(e->text, gear, 1) != 1 || *gear == 0)) {
    cardan__xml_fail(u->spec, e, "%s is \"%.60s\", expected a number that is not 0", word, e->text);
    return false;
  }
  return true;
}

/* Is it one joint and one actuator with a gear between? Files without a type mean that. */
static bool is_simple(cardan__xml *transmission)
{
  const cardan__xml *e = cardan__xml_child(transmission, "type");
  const cardan__xml *joint = cardan__xml_child(transmission, "joint");
  const char *type = e != NULL ? e->text : cardan__xml_get(transmission, "type");
  return joint != NULL && cardan__xml_next(joint, "joint") == NULL &&
         (type == NULL || type[0] == '\0' || strstr(type, "SimpleTransmission") != NULL);
}

/* An input of the joint's name and the motor that it drives: force on q = gear u, as much as the
 * joint's effort allows. */
static void add_motor(cardan__urdf *u, cardan__xml *transmission, cardan__urdf_joint *joint)
{
  double gear;
  if (!read_reduction(u, transmission, &gear)) {
    return;
  }
  const double most = joint->effort / fabs(gear);
  cardan_spec_at(u->spec, transmission->pos);
  cardan_spec_input(u->spec, &(cardan_input_def){.name = joint->name});
  cardan_spec_add(u->spec, &(cardan_element){.kind = CARDAN_ELEMENT_ACTUATOR,
                                             .name = joint->name,
                                             .var = {joint->name, joint->name},
                                             .value = {gear, 0, 0, -most, most}});
  joint->driven = true;
  cardan__xml_skip(transmission);
}

void cardan__urdf_add_transmissions(cardan__urdf *u)
{
  for (cardan__xml *e = cardan__xml_child(u->robot, "transmission");
       e != NULL && u->spec->status == CARDAN_OK; e = cardan__xml_next(e, "transmission")) {
    cardan__xml *part = cardan__xml_child(e, "joint");
    const char *name = part != NULL ? cardan__xml_get(part, "name") : NULL;
    const int j = name != NULL ? cardan__names_get(&u->joints, name) : -1;
    if (!is_simple(e) || j < 0 || u->joint[j].nq != 1 || u->joint[j].driven) {
      e->read = false; // what is not used is reported
      continue;
    }
    add_motor(u, e, &u->joint[j]);
  }
}
