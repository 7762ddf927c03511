/* SPDX-License-Identifier: Apache-2.0
 * formats/mesh_cut.h - triangles cut by planes.
 *
 * The convex hull of what a closed surface encloses on one side of a plane is that of the surface
 * on that side: the section lies in the hull of its own contour. So parts of a surface need no caps
 * where they are cut, and surfaces with holes, or that cross themselves, are cut like all
 * others. */
#pragma once
#include "base/arena.h"
#include "cardan/spatial.h"

typedef struct {
  cardan_vec3 v[3]; // counter-clockwise from outside
} cardan__triangle;

/* A list of triangles, in a block of its own. */
typedef struct {
  cardan__triangle *tri;
  int n, capacity;
} cardan__triangles;

/* All x with normal . x = offset. */
typedef struct {
  cardan_vec3 normal; // unit
  double offset;      // [m]
} cardan__cut_plane;

/* The parts of triangles below (side[0]) and above (side[1]) a plane. A corner closer than tol to
 * it is in the plane; a triangle in the plane goes to the side that it is the surface of, which is
 * behind it.
 * side     out, given back by cardan__triangles_free also after a failure
 * returns  CARDAN_ERR_MEMORY */
cardan_status cardan__triangles_cut(const cardan__triangles *from, const cardan__cut_plane *plane,
                                    double tol, const cardan_allocator *allocator,
                                    cardan__triangles side[2]) CARDAN_MUST_USE;
void cardan__triangles_free(const cardan_allocator *allocator, cardan__triangles *triangles);
