/* SPDX-License-Identifier: Apache-2.0
 * formats/mesh_pieces.h - concave meshes as convex pieces (approximate convex decomposition).
 *
 *   mesh_split.c    cuts a surface by planes into parts
 *   mesh_merge.c    joins parts whose common hull is hardly larger than theirs
 *   mesh_pieces.c   both, and what differs from the mesh
 *
 * The measure is a length: how deep the surface of the mesh lies inside of the convex hulls that
 * touch in its place, at the corners, edge midpoints and centres of its triangles. It is 0 of a
 * convex mesh, and needs no closed surface. */
#pragma once
#include "formats/mesh.h"

/* Most convex pieces of a mesh that can be requested. */
enum { CARDAN__CONVEX_MOST = 64 };
/* A mesh of more triangles is not cut. */
enum { CARDAN__CONVEX_FACES = 250000 };
/* A depth that is left unless it is given: part of the largest extent. */
#define CARDAN__CONVEX_DEPTH 0.005

/* What is requested. */
typedef struct {
  int most;     // pieces; 0 and 1: the convex hull
  double depth; // [m] that may be left; 0: CARDAN__CONVEX_DEPTH of the largest extent
} cardan__convex;

typedef struct {
  cardan__mesh_shell *piece; // npiece, notes empty
  int npiece;                // 1: its convex hull
  double depth;              // how far the surface of the pieces is from the mesh [m]
  char note[384];            // for a warning; "": as close as requested
} cardan__mesh_pieces;

/* The convex pieces of a mesh, in the arena: as many as the depth needs, and no more than
 * requested. Of a mesh whose hull is as close as that it is the hull. The same mesh gives the same
 * pieces.
 * factor   as of cardan__mesh_hull
 * returns  as cardan__mesh_hull */
cardan_status cardan__mesh_decompose(const cardan__mesh *mesh, const double factor[3],
                                     const cardan__convex *convex, cardan__arena *arena,
                                     cardan__mesh_pieces *pieces,
                                     cardan_report *report) CARDAN_MUST_USE;
