/* SPDX-License-Identifier: Apache-2.0
 * contact/pairs.h - what the files of pairs share: solids in their places, and one row of functions
 * for each kind of pair. touch.c has the table. */
#pragma once
#include <math.h>

#include "contact/touch.h"
#include "spatial/spatial.h"

/* A solid where it is. */
typedef struct {
  const cardan_solid *solid;
  const cardan_hull *hull; // HULL, else NULL
  cardan_xform X_WS;       // its coordinates to world
} cardan__placed;

/* One kind of pair. The table holds each once: of a pair whose kinds stand the other way round, B
 * goes in as a, and touch.c turns what comes out.
 * gap    n from b to a, x on a's surface
 * spots  those with a gap up to margin, as if a were A; pair is set by touch.c. -1: most is too few
 * most   how many spots there can be; X_WS is not read */
typedef struct {
  void (*gap)(const cardan__placed *a, const cardan__placed *b, cardan__touch *at);
  int (*spots)(const cardan__placed *a, const cardan__placed *b, double margin, cardan__spot *spot,
               int most);
  int (*most)(const cardan__placed *a, const cardan__placed *b);
} cardan__pair_ops;

extern const cardan__pair_ops cardan__plane_ops; // a: any but a plane, b: plane
