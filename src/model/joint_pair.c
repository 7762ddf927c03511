// SPDX-License-Identifier: Apache-2.0
#include "model/joint_table.h"
#include "spatial/spatial.h"

/* What follows from the table of joints: elementary joints, and pairs. */

cardan_joint_kind cardan__transform_joint(cardan_transform transform)
{
  return transform < CARDAN_TRANSFORM_RX ? CARDAN_JOINT_PRISMATIC : CARDAN_JOINT_REVOLUTE;
}

const cardan__link_type *cardan__link_type_of(cardan_link_kind kind)
{
  static const cardan__link_type links[] = {
      [CARDAN_LINK_WORLD] = {.word = "world"},
      [CARDAN_LINK_REVOLUTE] = {"revolute", 1, 1, true, false, 1, 0},
      [CARDAN_LINK_PRISMATIC] = {"prismatic", 1, 1, true, false, 0, 1},
      [CARDAN_LINK_HELICAL] = {"helical", 1, 1, true, true, 1, 0},
      [CARDAN_LINK_SPHERICAL] = {"spherical", 4, 3, false, false, 3, 0},
      [CARDAN_LINK_FREE] = {"free", 7, 6, false, false, 3, 3},
  };
  return kind < CARDAN_LINK_GENERAL
             ? &links[kind]
             : &cardan__joint_type_of((cardan_joint_kind)(kind - CARDAN_LINK_GENERAL))->general;
}

bool cardan__joint_type_slides(const cardan__joint_type *type, int k)
{
  for (int i = 0; i < type->npart; i++) {
    const cardan__link_type *link = cardan__link_type_of(type->part[i].link);
    const int own = k - type->part[i].coordinate;
    if (own >= 0 && own < link->nv) {
      return own >= link->nturn;
    }
  }
  return false;
}

bool cardan__joint_type_has_one_axis(const cardan__joint_type *type)
{
  for (int i = 0; i < type->npart; i++) {
    const cardan_link_kind link = type->part[i].link;
    if (type->part[i].axis != CARDAN__PART_AXIS || link >= CARDAN_LINK_GENERAL ||
        !cardan__link_type_of(link)->has_axis) {
      return false;
    }
  }
  return type->npart > 0;
}

cardan_vec3 cardan__part_direction(const cardan__joint_type *type, int part, cardan_vec3 axis,
                                   cardan_vec3 axis2)
{
  switch (type->part[part].axis) {
  case CARDAN__PART_AXIS2:
    return axis2;
  case CARDAN__PART_X:
    return cardan__vec3(1, 0, 0);
  case CARDAN__PART_Y:
    return cardan__vec3(0, 1, 0);
  case CARDAN__PART_Z:
    return cardan__vec3(0, 0, 1);
  case CARDAN__PART_AXIS:
    break;
  }
  return axis;
}

cardan__pair cardan__joint_pair(cardan_joint_kind kind, cardan_vec3 axis, cardan_vec3 axis2,
                                double pitch)
{
  const cardan__joint_type *type = cardan__joint_type_of(kind);
  cardan__pair pair = {.nturn = 0};
  for (int i = 0; i < type->npart; i++) {
    const cardan__link_type *link = cardan__link_type_of(type->part[i].link);
    const cardan_vec3 a = cardan__part_direction(type, i, axis, axis2);
    if (type->part[i].link >= CARDAN_LINK_GENERAL) {
      pair.general = true;
    }
    for (int k = 0; k < link->nv; k++) {
      const int e = k % 3; // joints without an axis: about and along x, y, z
      const cardan_vec3 d = link->has_axis ? a : cardan__vec3(e == 0, e == 1, e == 2);
      if (k < link->nturn) {
        pair.turn[pair.nturn++] = d;
      } else {
        pair.slide[pair.nslide++] = d;
      }
    }
    if (link->screw) {
      pair.screw = true;
      pair.pitch = pitch;
      pair.slide[pair.nslide++] = a;
    }
  }
  return pair;
}
