// SPDX-License-Identifier: Apache-2.0
#include "model/joint_table.h"

#include "spatial/spatial.h"

enum {
  AXIS = 1 << CARDAN__JOINT_AXIS,
  AXIS2 = 1 << CARDAN__JOINT_AXIS2,
  PITCH = 1 << CARDAN__JOINT_PITCH,
  LIMIT = 1 << CARDAN__JOINT_LIMIT
};

#define ALONG_X \
  {             \
    1, 0, 0     \
  }
#define ALONG_Z \
  {             \
    0, 0, 1     \
  }
#define SCALAR .nq = 1, .nv = 1, .q_suffix = {""}, .v_suffix = {""}, .axis = ALONG_Z, .npart = 1

static const cardan__joint_type joints[] = {
    [CARDAN_JOINT_FIXED] = {.word = "fixed", .axis = ALONG_Z},
    [CARDAN_JOINT_REVOLUTE] = {.word = "revolute",
                               SCALAR,
                               .takes = AXIS | LIMIT,
                               .press = CARDAN__PRESS_ACROSS,
                               .part = {{CARDAN_LINK_REVOLUTE, CARDAN__PART_AXIS, 0}}},
    [CARDAN_JOINT_PRISMATIC] = {.word = "prismatic",
                                SCALAR,
                                .takes = AXIS | LIMIT,
                                .press = CARDAN__PRESS_ACROSS,
                                .part = {{CARDAN_LINK_PRISMATIC, CARDAN__PART_AXIS, 0}}},
    [CARDAN_JOINT_HELICAL] = {.word = "helical",
                              SCALAR,
                              .takes = AXIS | PITCH | LIMIT,
                              .part = {{CARDAN_LINK_HELICAL, CARDAN__PART_AXIS, 0}}},
    [CARDAN_JOINT_CYLINDRICAL] = {.word = "cylindrical",
                                  .nq = 2,
                                  .nv = 2,
                                  .q_suffix = {".a", ".d"},
                                  .v_suffix = {".a", ".d"},
                                  .takes = AXIS,
                                  .axis = ALONG_Z,
                                  .press = CARDAN__PRESS_ACROSS,
                                  .npart = 2,
                                  .part = {{CARDAN_LINK_PRISMATIC, CARDAN__PART_AXIS, 1},
                                           {CARDAN_LINK_REVOLUTE, CARDAN__PART_AXIS, 0}}},
    [CARDAN_JOINT_UNIVERSAL] = {.word = "universal",
                                .nq = 2,
                                .nv = 2,
                                .q_suffix = {".a", ".b"},
                                .v_suffix = {".a", ".b"},
                                .takes = AXIS | AXIS2,
                                .axis = ALONG_X,
                                .npart = 2,
                                .part = {{CARDAN_LINK_REVOLUTE, CARDAN__PART_AXIS, 0},
                                         {CARDAN_LINK_REVOLUTE, CARDAN__PART_AXIS2, 1}}},
    [CARDAN_JOINT_PLANAR] = {.word = "planar", // in the x-y plane of its frame
                             .nq = 3,
                             .nv = 3,
                             .q_suffix = {".x", ".y", ".a"},
                             .v_suffix = {".x", ".y", ".a"},
                             .axis = ALONG_Z,
                             .press = CARDAN__PRESS_ALONG,
                             .npart = 3,
                             .part = {{CARDAN_LINK_PRISMATIC, CARDAN__PART_X, 0},
                                      {CARDAN_LINK_PRISMATIC, CARDAN__PART_Y, 1},
                                      {CARDAN_LINK_REVOLUTE, CARDAN__PART_Z, 2}}},
    [CARDAN_JOINT_SPHERICAL] = {.word = "spherical",
                                .nq = 4,
                                .nv = 3,
                                .q_suffix = {".qw", ".qx", ".qy", ".qz"},
                                .v_suffix = {".wx", ".wy", ".wz"},
                                .axis = ALONG_Z,
                                .press = CARDAN__PRESS_ALL,
                                .npart = 1,
                                .part = {{CARDAN_LINK_SPHERICAL, CARDAN__PART_AXIS, 0}}},
    [CARDAN_JOINT_FREE] = {.word = "free",
                           .nq = 7,
                           .nv = 6,
                           .q_suffix = {".x", ".y", ".z", ".qw", ".qx", ".qy", ".qz"},
                           .v_suffix = {".wx", ".wy", ".wz", ".vx", ".vy", ".vz"},
                           .axis = ALONG_Z,
                           .npart = 1,
                           .part = {{CARDAN_LINK_FREE, CARDAN__PART_AXIS, 0}}},
};

const cardan__joint_type *cardan__joint_type_of(int kind)
{
  return kind >= 0 && kind < (int)(sizeof joints / sizeof *joints) ? &joints[kind] : NULL;
}

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
  return &links[kind];
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
