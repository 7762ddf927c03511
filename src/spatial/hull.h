/* SPDX-License-Identifier: Apache-2.0
 * spatial/hull.h - convex hulls of points (cardan_hull of cardan/spatial.h).
 *
 *   cardan__hull_make    the hull of points, by Qhull
 *   cardan__hull_core    the same less a radius on every face
 *   cardan__hull_thin    the same with fewer vertices
 *   cardan__hull_points_volume   the volume alone, faster
 *   cardan__hull_carve, _copy   into one block, as models have it
 *
 * Qhull works in memory of its own (malloc), which it gives back; what it says and how it fails
 * stays in here. Two threads may make hulls at the same time. */
#pragma once
#include "base/arena.h"
#include "cardan/spatial.h"

/* Most points of a hull that can be requested. */
enum { CARDAN__HULL_POINTS = 1000000 };

/* Coplanar means: to within this part of the size. Points of files with the digits of float, and of
 * texts with six or more, keep their flat faces whole. */
#define CARDAN__HULL_FLAT 1e-6

/* The convex hull of n points, in the arena. Triangles that are coplanar to flat times the largest
 * extent are one face; planes are moved out to the outermost vertex, so that all vertices have
 * normal . x <= offset (to rounding) for all faces. Vertices are in the order of the points.
 * O(n log n + vertices * faces).
 * flat    CARDAN__HULL_FLAT, for points from a file
 * returns CARDAN_ERR_MODEL with a sentence for fewer than four points, a point that is not finite,
 *         and points that lie in a plane or on a line, to within flat;
 *         CARDAN_ERR_MEMORY. *hull is then {0} */
cardan_status cardan__hull_make(const cardan_vec3 *point, int n, double flat, cardan__arena *arena,
                                cardan_hull *hull, cardan_report *report) CARDAN_MUST_USE;

/* The hull with every face moved inwards by round [m], in the arena: normal . x <= offset - round.
 * Faces that vanish by that are removed; the others keep their normals. A ball of that radius
 * rolled about the core gives back the hull's faces in their place, with round edges and corners: a
 * corner of a cube loses (sqrt 3 - 1) round.
 * returns CARDAN_ERR_MODEL when round is not below the distance of the hull's centre of volume from
 *         its nearest face; that of a hull of smallest extent w is w / 4 at least */
cardan_status cardan__hull_core(const cardan_hull *hull, double round, cardan__arena *arena,
                                cardan_hull *core, cardan_report *report) CARDAN_MUST_USE;

/* What a hull of fewer vertices lacks. */
typedef struct {
  int nvertex;  // of the whole hull
  double depth; // how far the farthest vertex that was left out is outside of a face [m], 0: none
} cardan__hull_loss;

/* The hull of n points with at most `most` (>= 5) vertices: of these, the first are those of the
 * large tetrahedron that Qhull begins with, each next the one that is farthest outside. loss: out.
 * The same statuses as cardan__hull_make. */
cardan_status cardan__hull_thin(const cardan_vec3 *point, int n, int most, cardan__arena *arena,
                                cardan_hull *thin, cardan__hull_loss *loss,
                                cardan_report *report) CARDAN_MUST_USE;

/* Volume of the hull of n points [m^3], to about CARDAN__HULL_FLAT of it; 0 where there is no hull.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__hull_points_volume(const cardan_vec3 *point, int n,
                                         const cardan_allocator *allocator, double *volume,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Volume [m^3], and its centre, out (may be NULL). */
double cardan__hull_volume(const cardan_hull *hull, cardan_vec3 *centre);

/* Smallest extent across one of its faces [m]. */
double cardan__hull_width(const cardan_hull *hull);

/* How far the point is inside: distance to the nearest face's plane [m]; negative: outside. */
double cardan__hull_depth(const cardan_hull *hull, cardan_vec3 point);

/* The arrays of a hull as pieces of a block: its counts are nvertex, nface, nedge and ncorner =
 * first[nface] of from. to gets the counts and the pieces (NULL while counting). */
void cardan__hull_carve(const cardan_hull *from, cardan__carver *carver, cardan_hull *to);

/* Fills pieces that were carved for from. */
void cardan__hull_copy(const cardan_hull *from, cardan_hull *to);

/* Of a polygon with these corners, in order: normal times twice its area. */
cardan_vec3 cardan__polygon_area(const cardan_vec3 *vertex, const int *corner, int n);
