/* SPDX-License-Identifier: Apache-2.0
 * touch_fixture.h - two solids on two bodies, without a mechanism, for tests of
 * contact/touch.h. */
#pragma once
#include "base/arena.h"
#include "contact/touch.h"
#include "spatial/spatial.h"
#include "support.h"

/* Bodies 0 (the world, at rest) and 1, 2; solid 0 on body 1, solid 1 on body 2, one pair. */
typedef struct {
  cardan_model model;
  cardan_solid solid[2];
  cardan_hull hull[4]; // of each: as given, and its core
  cardan_pair pair;
  cardan_xform X_W[3];
} touch_scene;

/* Wires the model to the parts; after the scene was copied or filled in. */
void touch_wire(touch_scene *scene);

/* Radius of a ball about the origin that holds it. */
double touch_radius(const cardan_solid *solid);

/* A solid of sizes in [0.1, 1.2], anywhere in its body. A hull has no points yet. */
cardan_solid touch_solid(support_rng *rng, cardan_shape_kind kind);

/* Makes solid i the hull of n points, rounded by default; arrays are in the arena. */
void touch_give_hull(touch_scene *scene, int i, const cardan_vec3 *point, int n,
                     cardan__arena *arena);

/* The same of n random points, within a box of the solid's sizes. */
void touch_random_hull(touch_scene *scene, int i, int n, support_rng *rng, cardan__arena *arena);

cardan_xform touch_pose(support_rng *rng, double distance);

/* Two of these kinds, at random poses up to distance apart. */
touch_scene touch_random(support_rng *rng, cardan_shape_kind a, cardan_shape_kind b,
                         double distance);

/* Moves body i by h times the world twist (w, v of the point that is at the world's origin). */
void touch_move(touch_scene *scene, int i, cardan_vec3 w, cardan_vec3 v, double h);

/* (T1): the rate of gap by the twists of both bodies (w1, v1, w2, v2) at a touch. */
double touch_rate(const cardan__touch *at, const cardan_vec3 twist[4]);

/* Gap of the spot, or of the pair where that is NULL, with both bodies moved by h times their
 * twists. */
double touch_gap_after(const touch_scene *scene, const cardan__spot *spot,
                       const cardan_vec3 twist[4], double h);
