/* SPDX-License-Identifier: Apache-2.0
 * cardan/contact.h - what touches at a node of a run. docs/contact.md */
#pragma once
#include "cardan/sim.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CARDAN_TOUCH_OPEN, CARDAN_TOUCH_STICKS, CARDAN_TOUCH_SLIDES } cardan_touch_state;

/* A place where something touches, or may in the next step. */
typedef struct {
  int pair;          // index into model->pair; -1: a limit or a bound
  int joint, bound;  // whose limit; index into model->bound; -1: not that
  int id;            // which corner, edge, .. of the pair: the same from node to node
  cardan_vec3 x, n;  // point and unit normal from B to A, world axes; 0 for limits and bounds
  cardan_vec3 force; // on A, world axes [N]; 0 for limits and bounds
  double gap;        // [m or rad]
  double normal;     // force along n, or of the limit [N | N m]
  double friction;   // |tangential force| [N]
  double slip;       // |tangential velocity| [m/s]
  cardan_touch_state state;
} cardan_touching;

/* Those of the node: out gets the first most of them.
 * returns how many there are */
CARDAN_API int cardan_sim_touching(cardan_sim *sim, cardan_touching *out, int most);

#ifdef __cplusplus
}
#endif
