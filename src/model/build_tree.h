/* SPDX-License-Identifier: Apache-2.0
 * model/build_tree.h - frames of a spec to bodies of a model. */
#pragma once
#include "model/build.h"

/* One elementary joint before body frames are chosen. The raw frame of a link is the frame of the file
 * that its joint carries; T0 takes raw coordinates at q = 0 to the parent's raw coordinates. */
typedef struct {
  int parent;      // link, 0: world
  int first_child; // first link below with an axis of its own, 0: none
  cardan_link_kind kind;
  int joint;
  bool kinematic;
  cardan_xform T0;
  cardan_vec3 axis; // raw coordinates, unit
  cardan_mat3 C;    // raw coordinates from body coordinates (z on the axis)
} cardan__raw_link;

/* Bodies that a joint becomes, and the whole spec's count of them (the world included), of joints,
 * coordinates and velocities. */
int cardan__joint_links(cardan_joint_kind kind);
typedef struct {
  int link, joint, nq, nv;
} cardan__tree_counts;
cardan__tree_counts cardan__count_tree(const cardan_spec *spec);

/* Fills body, joint, frame and names of build->model. raw has room for all links. */
cardan_status cardan__fill_tree(cardan__build *build, cardan__raw_link *raw) CARDAN_MUST_USE;

/* model->planar and plane_normal (plane.c). needs cardan__fill_tree; spoils raw[].C */
void cardan__fill_plane(cardan_model *model, cardan__raw_link *raw);

/* Suffix of the k-th coordinate or velocity of a joint: "", ".a", ".qw", .. */
const char *cardan__q_suffix(cardan_joint_kind kind, int k);
const char *cardan__v_suffix(cardan_joint_kind kind, int k);
