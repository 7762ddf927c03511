/* SPDX-License-Identifier: Apache-2.0
 * contact/core.h - convex solids as a core with a ball moved about in it, and their distance.
 *
 * A solid is all points at most `radius` from its core, a closed convex set:
 *   point, sphere   a point                     capsule    a segment
 *   hull            the hull less its rounding  ellipsoid  its inner parallel surface
 *   cylinder        itself, radius 0; or less a rounding
 *   box             itself, radius 0; or less a rounding
 * Two solids that touch are then apart by the two radii in their cores, and their normal is sure.
 * The pair decides which solid is rounded: if neither would have a radius, one of them is
 * (cardan__core_pair); its faces stay in place, its edges are round, by CARDAN__CORE_ROUND of its
 * smallest extent. An ellipsoid's surface is not changed by this: less a radius up to the smallest
 * radius of its curvature and grown again by it, it is the same.
 *
 *   core.c           supports and projections
 *   gjk.c            the distance of two cores with corners, exact in a few steps
 *   core_distance.c  of any two, of round ones by Newton's method on projections; and overlaps
 *
 * Coordinates are those of the first solid, unless they are noted as the core's own. Nothing here
 * allocates or fails. */
#pragma once
#include "contact/solid_pairs.h"

#define CARDAN__CORE_ROUND 0.01

typedef enum {
  CARDAN__CORE_POINT,
  CARDAN__CORE_SEGMENT,   // along z, half[2]
  CARDAN__CORE_BOX,       // half
  CARDAN__CORE_HULL,      // hull
  CARDAN__CORE_CYLINDER,  // along z, radius half[0], half[2]
  CARDAN__CORE_ELLIPSOID, // semi-axes half, less inner along the normal
} cardan__core_kind;

typedef struct {
  cardan__core_kind kind;
  double half[3];
  double inner; // ELLIPSOID: = radius
  const cardan_hull *hull;
  double radius; // of the ball
} cardan__core;

static inline bool cardan__core_is_round(const cardan__core *core)
{
  return core->kind == CARDAN__CORE_CYLINDER || core->kind == CARDAN__CORE_ELLIPSOID;
}

/* The cores of a pair. */
void cardan__core_pair(const cardan__placed *a, const cardan__placed *b, cardan__core core[2]);

/* The core's farthest point along d (any length but 0), in its own coordinates; id, out: number of
 * the corner, -1: of a round surface. */
cardan_vec3 cardan__core_support(const cardan__core *core, cardan_vec3 d, int *id);

/* The point of the core nearest to y, in its own coordinates; D (may be NULL) out: its derivative
 * by y. Of a y inside: y itself, and the identity. */
cardan_vec3 cardan__core_project(const cardan__core *core, cardan_vec3 y, cardan_mat3 *D);

/* What GJK ends with: the nearest points a of A and b of B, w = a - b. */
typedef struct {
  cardan_vec3 a, b, w;
  double distance; // |w|
  double bound;    // no two points are closer than this
  bool overlap;    // 0 to rounding: the rest is of no use
  int n;           // of the simplex: 1 to 3 corners that span the place
  cardan_vec3 corner_a[4], corner_b[4];
  double weight[4];
  int id[4][2]; // of the corners
  int iterations;
} cardan__gjk;

/* Distance of A and B, B placed by X_AB. Ends when |w| is within tol * size of the distance, as the
 * bound tells; tol 0: exact to rounding. */
void cardan__gjk_run(const cardan__core *A, const cardan__core *B, const cardan_xform *X_AB,
                     double tol, cardan__gjk *out);

/* The same for any two cores; of overlapping ones distance is minus the way out, with the normal
 * along which it is short. */
typedef struct {
  double distance;  // [m]
  cardan_vec3 a, b; // points of the cores on the common normal
  cardan_vec3 n;    // unit, from B to A
  int iterations;   // of GJK and Newton, together
  // cores with corners: those of each that span its point, 1 or 2, and their numbers; 0: more
  int ncorner[2], id[2][2];
  cardan_vec3 corner[2][2];
} cardan__span;

void cardan__core_distance(const cardan__core *A, const cardan__core *B, const cardan_xform *X_AB,
                           cardan__span *out);

/* Separation of the two along the unit vector n: no two points of them are closer, in this
 * direction. a, b: the points of each that are farthest towards the other. */
double cardan__core_separation(const cardan__core *A, const cardan__core *B,
                               const cardan_xform *X_AB, cardan_vec3 n, cardan_vec3 *a,
                               cardan_vec3 *b);
