/* SPDX-License-Identifier: Apache-2.0
 * cardan/contact.h - what touches at a node of a run, and how far solids are apart. docs/contact.md
 */
#pragma once
#include <stdint.h>

#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_sim cardan_sim; // sim.h

/* Effort of a run for contacts and limits (option contacts), and what they took. */
typedef struct {
  int64_t impacts, plastic; // plastic: without restitution, since a step had too many
  int64_t guarded;          // impacts whose restitution was lessened: they would have gained energy
  double lost;              // kinetic energy that impacts took [J]
  double friction;          // energy that friction at contacts took [J]
  double overlap;           // deepest of a node [m or rad]
  int events;               // most in one step
  int closed;               // contacts at the node
  double gap;               // smallest there [m or rad], HUGE_VAL: none in reach
  int64_t solves, sweeps, newtons; // cone problems, and what they took
  double error; // largest that one was left with [m/s]; of parts of a step the way, over dt
} cardan_contact_stats;

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

/* The gap between the solids of two frames, the smallest where they have several, whether the model
 * has a contact for them or not; HUGE_VAL where one has none [m].
 * It is their distance when they are apart; edges of hulls, and where neither of the two is round
 * those of cylinders and of boxes against them, are rounded by one percent (docs/shapes.md). Below
 * 0: how far one must be moved to come free, across a face or a pair of edges where both have such.
 * needs  poses
 * a, b   out: points on the first and on the second, world axes, that far apart; may be NULL */
CARDAN_API double cardan_distance(const cardan_model *model, const cardan_data *data, int first,
                                  int second, cardan_vec3 *a, cardan_vec3 *b);

/* The same of all pairs that the model has contacts for: the smallest.
 * needs  poses
 * pair   out: which one, -1 where there is none; may be NULL */
CARDAN_API double cardan_smallest_gap(const cardan_model *model, const cardan_data *data,
                                      int *pair);

#ifdef __cplusplus
}
#endif
