// SPDX-License-Identifier: Apache-2.0
#include "model/joint_table.h"

enum {
  AXIS = 1 << CARDAN__JOINT_AXIS,
  AXIS2 = 1 << CARDAN__JOINT_AXIS2,
  PITCH = 1 << CARDAN__JOINT_PITCH,
  LIMIT = 1 << CARDAN__JOINT_LIMIT,
  EFFORT = 1 << CARDAN__JOINT_EFFORT
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
                               .takes = AXIS | LIMIT | EFFORT,
                               .press = CARDAN__PRESS_ACROSS,
                               .part = {{CARDAN_LINK_REVOLUTE, CARDAN__PART_AXIS, 0}}},
    [CARDAN_JOINT_PRISMATIC] = {.word = "prismatic",
                                SCALAR,
                                .takes = AXIS | LIMIT | EFFORT,
                                .press = CARDAN__PRESS_ACROSS,
                                .part = {{CARDAN_LINK_PRISMATIC, CARDAN__PART_AXIS, 0}}},
    [CARDAN_JOINT_HELICAL] = {.word = "helical",
                              SCALAR,
                              .takes = AXIS | PITCH | LIMIT | EFFORT,
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

const cardan__joint_type *cardan__joint_type_of(cardan_joint_kind kind)
{
  return (size_t)kind < sizeof joints / sizeof *joints ? &joints[kind] : NULL;
}
