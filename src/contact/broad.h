/* SPDX-License-Identifier: Apache-2.0
 * contact/broad.h - which pairs of solids may meet: boxes around them, sorted along an axis.
 *
 * A pair is near when the boxes along the world's axes around its solids, each grown by the reach
 * of its body, overlap, and the balls around them too; with a plane, when the solid's own box
 * comes to it. That depends on the poses alone: how the boxes are searched does not show in the
 * answer. O(n log n + answers) for n solids spread out along one axis or more. */
#pragma once
#include <stdint.h>

#include "base/arena.h"
#include "cardan/model.h"

/* Room for a search, and what is known of the model. */
typedef struct {
  cardan_vec3 *middle, *half; // nsolid: box of a solid in its own coordinates [m]
  cardan_vec3 *low, *high;    // nsolid: in the world, grown
  cardan_xform *X;            // nsolid: its coordinates to world
  double *grown;              // nsolid: reach and slack
  double *key;                // nsolid: low along the axis
  int *order, *spare;         // nmoving: solids but planes, by key
  int *first;                 // nsolid + 1: the pairs of solid[0] = i begin here
  int *plane;                 // nplane: pairs with a plane
  uint64_t *near;             // npair bits
  int nmoving, nplane;
  bool sweep; // else all pairs are looked at, where they are few
} cardan__broad;

/* The pieces of a block, and what they begin with. */
void cardan__broad_carve(cardan__broad *broad, const cardan_model *model, cardan__carver *carver);
void cardan__broad_init(cardan__broad *broad, const cardan_model *model);

/* The pairs that are near at these poses, rising.
 * reach    nbody: how far each may have moved [m];  slack  that much more for all
 * pair     out: the first `most` of them
 * returns  how many there are */
int cardan__near_pairs(cardan__broad *broad, const cardan_model *model, const cardan_xform *X_W,
                       const double *reach, double slack, int *pair, int most);
