/* SPDX-License-Identifier: Apache-2.0
 * contact/touch.h - where two solids touch: poses in, numbers out. docs/shapes.md
 *
 * Of a pair (A, B) there are two things to know, both at the poses X_W of the bodies (nbody, body
 * coordinates to world):
 *   the gap      [m], positive exactly when the two are apart: cardan__pair_gap
 *   its spots    features that can come to touch first (corners, edges, rims, ..), each with a gap
 *                of its own, valid for itself at any poses: cardan__pair_spots
 * A spot is frozen: which corner stands over which face is decided when it is made, and holds for a
 * step. cardan__spot_look gives its gap at other poses, and
 *   d gap / dt = n . (v_A(x) - v_B(x))                                                      (T1)
 * exactly, n the unit normal from B to A and x the point of A's surface on the common normal.
 * No gap of a spot of the pair that is not made for the poses is watched: the gap of the pair is.
 *
 *   plane_pairs.c   everything against a half-space
 *   round_pairs.c   points, spheres, capsules
 *   box_pairs.c     boxes against these
 *   box_box.c       two boxes
 *   field_pairs.c   everything against a height field
 *   hull_pairs.c    all others
 *
 * Nothing here allocates, remembers, or fails; every answer is finite for finite poses. */
#pragma once
#include "cardan/model.h"

typedef struct {
  double gap;       // [m]
  cardan_vec3 x, n; // world: point on A's surface, unit normal from B to A
} cardan__touch;

typedef enum {
  CARDAN__SPOT_POINT, // a point of one body, with a radius about it, over a plane of the other
  CARDAN__SPOT_RIM,   // the lowest point of half a circle of one, over a plane of the other
  CARDAN__SPOT_EDGES, // two straight lines, with a radius about one of them
  CARDAN__SPOT_BALL,  // a ball about a point of one, against all of the other
  CARDAN__SPOT_WHOLE, // the pair itself, where it touches in one place that moves smoothly
  CARDAN__SPOT_PART,  // a part of a capsule, cylinder or box, against all of the other
  CARDAN__SPOT_BARS   // two straight bars with round ends, or balls: edges and corners of cores
} cardan__spot_kind;

/* One feature of a pair, in the axes of A's body [0] and of B's [1].
 * A spot stays where it was made: a rim is followed around by less than a quarter of a turn, a
 * capsule along less than a quarter of it. What tips over onto its other side then meets a spot
 * there, and an impact, in place of a step that hands the load over. */
typedef struct {
  int pair, id; // id: the same number for the same feature at every node
  cardan__spot_kind kind;
  int side;         // whose point, radius, circle or part it is, 0: A's, 1: B's
  cardan_vec3 p[2]; // point, centre, point of the line; point of the plane; middle of the bar
  cardan_vec3 n[2]; // EDGES: n[0] x n[1] points from B to A; RIM: axis; plane's outer normal;
                    // BARS: half of its length, 0: a ball; PART of a box: half of its sizes
  cardan_vec3 up;   // EDGES: the normal as it was, world, for when it is lost; RIM: the plane's
                    // normal as it was, less what is along the axis, in the body; any length;
                    // BARS: radii of A's and B's, 0
  double radius;    // about the point or line; of the circle; PART: half of its length [m]
  double round;     // RIM: of a ball that follows the circle; PART of a box: of its edges [m]
  int part;         // of a height field, BALL, WHOLE, PART: which part of it (field.h), else 0
} cardan__spot;

/* The spots of a pair whose gap is at most margin, out.
 * most     room of spot
 * returns  how many; -1: most is too few. No more than cardan__pair_most, ever */
int cardan__pair_spots(const cardan_model *model, int pair, const cardan_xform *X_W, double margin,
                       cardan__spot *spot, int most);
int cardan__pair_most(const cardan_model *model, int pair);

/* A spot at these poses, out: at those that it was made for, what it was made of. */
void cardan__spot_look(const cardan_model *model, const cardan__spot *spot, const cardan_xform *X_W,
                       cardan__touch *at);

/* How far the place of a spot has run from poses X_0 to X_W, of the size of the rim or of the
 * smaller solid: least of its ways seen from A and from B, in their axes and in those of the world
 * (of a ball or a wheel that rolls it stays below the centre: none). way: out, how far this size
 * has moved up and down as the two tilted [m]. 0 of points, balls, edges, which stay where they are
 * or slide, and of a rim that has come to lie flat. */
double cardan__spot_run(const cardan_model *model, const cardan__spot *spot,
                        const cardan_xform *X_0, const cardan_xform *X_W, double *way);

/* The gap of a pair: no spot that can be made here has a smaller one, but for 1e-9 of the sizes.
 * Distance of the two where one of them is round; of two boxes, and of a box and a point, the
 * largest separation by an axis of the 15 that matter, which is positive when the distance is, and
 * at most the distance. Overlap: minus the least way out along such an axis.
 * at  out: the place; may be NULL */
double cardan__pair_gap(const cardan_model *model, int pair, const cardan_xform *X_W,
                        cardan__touch *at);

/* The same of any two solids, A and B, also of such that are no pair; HUGE_VAL of two planes, and
 * of two points. */
double cardan__solids_gap(const cardan_model *model, const int solid[2], const cardan_xform *X_W,
                          cardan__touch *at);
