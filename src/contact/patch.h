/* SPDX-License-Identifier: Apache-2.0
 * contact/patch.h - the flat part of a core that faces another core: a face, or a line. */
#pragma once
#include "contact/core.h"

/* Corners of a patch; those of a larger face are thinned to so many. */
enum { CARDAN__PATCH = 16 };

typedef enum {
  CARDAN__PATCH_NONE,
  CARDAN__PATCH_FACE,  // corners in order about normal
  CARDAN__PATCH_LINE,  // two points, a ball of the core's radius about each
  CARDAN__PATCH_BARREL // two points of the axis of a cylinder, which rolls about them
} cardan__patch_kind;

typedef struct {
  cardan__patch_kind kind;
  int n, face; // face: its number
  cardan_vec3 p[2 * CARDAN__PATCH];
  int id[2 * CARDAN__PATCH];
  cardan_vec3 normal; // FACE: outwards; BARREL: the axis
} cardan__patch;

/* That of a core along d (unit, in its own coordinates, as all of the patch). The rim of a cylinder
 * counts as eight corners. */
void cardan__patch_of(const cardan__core *core, cardan_vec3 d, cardan__patch *patch);

/* Into other coordinates. */
void cardan__patch_move(cardan__patch *patch, const cardan_xform *X);

/* What of the patch p (FACE, LINE or BARREL) stands over the FACE r, cut off by planes through its
 * sides, to within slack [m]; at most CARDAN__PATCH corners, those that matter most to its area.
 * Where a side is cut the new corner's id is made of those of its ends and of the cut. */
void cardan__patch_clip(cardan__patch *p, const cardan__patch *r, double slack);

/* One number from two, spread over 0 .. 2^30 - 1. */
static inline int cardan__patch_mix(int a, int b)
{
  unsigned x = (unsigned)a * 2654435761u ^ ((unsigned)b + 0x7f4a7c15u + ((unsigned)a << 6));
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return (int)(x & 0x3fffffffu);
}
