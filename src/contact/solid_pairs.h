/* SPDX-License-Identifier: Apache-2.0
 * contact/solid_pairs.h - what the files of pairs share: solids in their places, and one row of
 * functions for each kind of pair. touch.c has the table. */
#pragma once
#include <math.h>

#include "contact/touch.h"
#include "spatial/spatial.h"

/* A solid where it is. */
typedef struct {
  const cardan_solid *solid;
  const cardan_hull *hull;          // HULL, else NULL: as given,
  const cardan_hull *core;          // and what a ball of solid->round is moved about in
  const cardan_height_field *field; // HEIGHT_FIELD, else NULL
  cardan_xform X_WS;                // its coordinates to world
} cardan__placed;

/* One kind of pair. The table has each once: for a pair with its kinds in the other order, touch.c
 * passes B as a and swaps the sides of the result.
 * gap    n from b to a, x on a's surface
 * spots  those with a gap up to margin, as if a were A; pair is set by touch.c. -1: most is too few
 * most   how many spots there can be; X_WS is not read */
typedef struct {
  void (*gap)(const cardan__placed *a, const cardan__placed *b, cardan__touch *at);
  int (*spots)(const cardan__placed *a, const cardan__placed *b, double margin, cardan__spot *spot,
               int most);
  int (*most)(const cardan__placed *a, const cardan__placed *b);
} cardan__pair_ops;

extern const cardan__pair_ops cardan__plane_ops;     // a: any but a plane, b: plane
extern const cardan__pair_ops cardan__round_ops;     // a: point, sphere, capsule, b: not a point
extern const cardan__pair_ops cardan__round_box_ops; // a: sphere, capsule, b: box
extern const cardan__pair_ops cardan__point_box_ops;
extern const cardan__pair_ops cardan__box_ops;   // two boxes
extern const cardan__pair_ops cardan__field_ops; // a: any but a plane, b: height field
extern const cardan__pair_ops
    cardan__hull_ops; // any two of which one is a hull, cylinder, ellipsoid

/* Two points closer than this have no direction from one to the other [m]. */
#define CARDAN__NO_WAY 1e-150
/* Below this sine a capsule lies along an edge, an axis or a face. */
#define CARDAN__ALONG 0.2
/* Gaps that differ by less, relative to the sizes, are one. */
#define CARDAN__AS_LOW 1e-9

/* A unit vector across e, the same each time; any where e is 0. */
static inline cardan_vec3 cardan__across(cardan_vec3 e)
{
  const cardan_vec3 axis = fabs(e.z) <= fabs(e.x) || fabs(e.z) <= fabs(e.y) ? cardan__vec3(0, 0, 1)
                                                                            : cardan__vec3(1, 0, 0);
  const double e2 = cardan__vec3_dot(e, e);
  return e2 > 0
             ? cardan__vec3_normalize(cardan__vec3_axpy(-cardan__vec3_dot(axis, e) / e2, e, axis))
             : axis;
}

/* Points of the rim of a cylinder that are fixed in it, */
enum { CARDAN__RIM_POINTS = 8 };
/* and the one at i eighths of a turn, of a rim of radius r at height z. */
static inline cardan_vec3 cardan__rim_point(int i, double r, double z)
{
  static const double half = 0.70710678118654752440; // sqrt(1/2)
  const double c[CARDAN__RIM_POINTS] = {1, half, 0, -half, -1, -half, 0, half};
  return cardan__vec3(r * c[i], r * c[(i + 6) % CARDAN__RIM_POINTS], z);
}

/* The same spot with A and B in each other's part. */
static inline void cardan__spot_turn(cardan__spot *s)
{
  const cardan_vec3 p = s->p[0], n = s->n[0];
  s->p[0] = s->p[1];
  s->p[1] = p;
  s->n[0] = s->n[1];
  s->n[1] = n;
  s->side = 1 - s->side;
  if (s->kind == CARDAN__SPOT_EDGES) {
    s->up = cardan__vec3_neg(s->up);
  } else if (s->kind == CARDAN__SPOT_BARS) {
    s->up = cardan__vec3(s->up.y, s->up.x, 0);
  }
}

static inline void cardan__half_sizes(const cardan__placed *box, double h[3])
{
  for (int k = 0; k < 3; k++) {
    h[k] = 0.5 * box->solid->size[k];
  }
}

/* A ball about the world point c against b: any solid but a plane. */
void cardan__ball_gap(cardan_vec3 c, double radius, const cardan__placed *b, cardan__touch *at);
void cardan__ball_box(cardan_vec3 c, double radius, const cardan__placed *b, cardan__touch *at);
void cardan__ball_core(cardan_vec3 c, double radius, const cardan__placed *b, cardan__touch *at);

/* A spot, and its gap where it is made. */
typedef struct {
  cardan__spot spot;
  double gap;
} cardan__end;

/* A ball of the capsule a at c + t e of its axis against b; side: 0 where a is A, else 1. */
cardan__end cardan__ball_end(const cardan__placed *a, const cardan__placed *b, double t, int side);

/* Two bars c + t e, |t| <= 1, with these radii, in the world. */
void cardan__bars_gap(const cardan_vec3 c[2], const cardan_vec3 e[2], const double radius[2],
                      cardan__touch *at);

/* Spots of a round a whose pair has the touch whole: there, the half of a capsule about it. Of a
 * capsule that lies along b, end (2, else NULL) are those of the ends of the part where it does;
 * the other then only where it is lower than both. returns as cardan__pair_spots */
int cardan__along_spots(const cardan__placed *a, const cardan__touch *whole, const cardan__end *end,
                        double margin, cardan__spot *spot, int most);

/* Two boxes whose gap is below this have a spot, whatever lies over what: they are held to touch
 * within it, and it is above what the engine takes for closed. r: radii of balls that hold them;
 * also what one axis must beat another by, a tenth of it. */
static inline double cardan__box_touches(double r_a, double r_b)
{
  return 1e-6 * fmin(1, r_a + r_b);
}

/* Largest separation of two boxes with half sizes h_a, h_b (0 will do) by one of the 15 axes. */
void cardan__box_separation(const cardan_xform *X_a, const double h_a[3], const cardan_xform *X_b,
                            const double h_b[3], cardan__touch *at);
