/* SPDX-License-Identifier: Apache-2.0
 * model/build_tree.h - frames of a spec to bodies of a model. */
#pragma once
#include "model/build.h"

/* One elementary joint before body frames are chosen. The raw frame of a link is the frame of the
 * file that its joint carries; T0 takes raw coordinates at q = 0 to the parent's raw
 * coordinates. */
typedef struct {
  int parent;      // link, 0: world
  int first_child; // first link below with an axis of its own, 0: none
  int last_child;  // last link below that is not the next one, 0: none
  bool has_axis;
  cardan_xform T0;
  cardan_vec3 axis; // raw coordinates, unit
  cardan_mat3 C;    // raw coordinates from body coordinates (z on the axis)
} cardan__raw_link;

/* A spec's bodies (the world included), joints, coordinates and velocities. */
typedef struct {
  int link, joint, nq, nv;
} cardan__tree_counts;
cardan__tree_counts cardan__count_tree(const cardan_spec *spec);

/* Fills body, joint, frame and names of build->model. raw has room for all links. */
void cardan__fill_tree(cardan__build *build, cardan__raw_link *raw);

/* What of the model the numbers of its frames decide: placements, body frames, masses. from: the
 * spec's frames, nframe of the model's; raw: with what cardan__fill_tree left in parent,
 * first_child and axes. */
void cardan__tree_numbers(cardan_model *model, const cardan__spec_frame *from,
                          cardan__raw_link *raw);

/* model->planar and plane_normal (plane.c). needs cardan__fill_tree; spoils raw[].C */
void cardan__fill_plane(cardan_model *model, cardan__raw_link *raw);
