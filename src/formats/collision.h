/* SPDX-License-Identifier: Apache-2.0
 * formats/collision.h - solids of robots: what readers of their formats share. */
#pragma once
#include "formats/heights.h"
#include "formats/mesh_pieces.h"
#include "formats/xml_spec.h"

/* Friction that Gazebo writes as -1: infinite. A contact with this one sticks up to slopes of 84
 * degrees. */
#define CARDAN__FRICTION_INFINITE 10.0

/* The name of a material with this surface: one that the spec has, else a new one, "surface1", ..;
 * NULL after a failure. */
const char *cardan__collision_material(cardan_spec *spec, const cardan_surface *surface);

/* Notes on collision meshes, one for each kind: the first mesh, and how many more there are. */
typedef enum {
  CARDAN__MESH_MISSING,
  CARDAN__MESH_UNFIT,  // another kind of file, flat, ..
  CARDAN__MESH_DIFFERS // from its hull
} cardan__mesh_remark;
enum { CARDAN__MESH_REMARKS = CARDAN__MESH_DIFFERS + 1 };

typedef struct {
  const cardan__xml *first[CARDAN__MESH_REMARKS];
  int count[CARDAN__MESH_REMARKS];
  char text[CARDAN__MESH_REMARKS][384];
  cardan__convex convex; // what is requested of all meshes
} cardan__mesh_remarks;

void cardan__mesh_remark_add(cardan__mesh_remarks *remarks, cardan__mesh_remark kind,
                             const cardan__xml *at, const char *file, const char *why);
void cardan__mesh_remarks_note(cardan_spec *spec, const cardan__mesh_remarks *remarks);

/* The convex pieces of a mesh as solids of a frame, collision_pieces.c.
 * solid  its material and the rounding; whether it is hidden */
void cardan__collision_pieces(cardan_spec *spec, int frame, const cardan_solid_def *solid,
                              const cardan__mesh_pieces *pieces);

/* The heights of a file that an element names, collision_heights.c; false: there are none, and a
 * note says why, or a failure. */
bool cardan__collision_heights(cardan_spec *spec, const cardan__xml *at, const char *file,
                               cardan__heights *heights);

/* A shape as a solid of a frame. That of a mesh is its convex hull, or convex pieces; where there
 * are none, a remark says why.
 * at        where it stands
 * material  NULL: none
 * convex    what is requested of a mesh
 * returns   false: there is no solid, or a failure */
bool cardan__collision_add(cardan_spec *spec, const cardan__xml *at, int frame,
                           const cardan_shape *shape, const char *material,
                           const cardan__convex *convex, cardan__mesh_remarks *remarks);

/* The setting `convex` of robots, most pieces of each mesh; *used is false for another setting.
 * returns false after a failure: it is no whole number from 1 to CARDAN__CONVEX_MOST */
bool cardan__collision_setting(cardan_spec *spec, const cardan_setting *setting,
                               cardan__convex *convex, bool *used);
