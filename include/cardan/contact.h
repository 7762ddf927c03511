/* SPDX-License-Identifier: Apache-2.0
 * cardan/contact.h - contacts at a node of a run, and distances between solids. docs/contact.md
 */
#pragma once
#include <stdint.h>

#include "cardan/data.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_sim cardan_sim; // sim.h

/* Statistics of contacts and limits in a run (option contacts). */
typedef struct {
  int64_t impacts, plastic; // plastic: impacts without restitution, since a step had too many
  int64_t guarded; // impacts with reduced restitution: the full one would have added energy
  double lost;     // kinetic energy dissipated by impacts [J]
  double friction; // energy dissipated by friction at contacts [J]
  double overlap;  // deepest penetration at a node [m or rad]
  int events;      // largest number of events in one step
  int closed;      // closed contacts at the current node
  double gap;      // smallest gap at the current node [m or rad], HUGE_VAL: none in range
  int64_t solves, sweeps, newtons; // cone problems; their Gauss-Seidel sweeps and Newton steps
  int64_t attempts; // of steps: more than steps, where impacts are located or bodies land
  int64_t steps_located, steps_step; // steps whose impacts were located; were at the end of a step
                                     // (option impacts)
  double error; // largest error of a cone problem [m/s]; for substeps the displacement over dt
} cardan_contact_stats;

typedef enum { CARDAN_TOUCH_OPEN, CARDAN_TOUCH_STICKS, CARDAN_TOUCH_SLIDES } cardan_touch_state;

/* A contact that is closed, or that may close in the next step. */
typedef struct {
  int pair;          // index into model->pair; -1: a limit or a bound
  int joint, bound;  // index into model->joint of a limit; into model->bound; -1: neither
  int id;            // feature of the pair (corner, edge, ..); the same from node to node
  cardan_vec3 x, n;  // point and unit normal from B to A, world axes; 0 for limits and bounds
  cardan_vec3 force; // on A, world axes [N]; 0 for limits and bounds
  double gap;        // [m or rad]
  double normal;     // force along n, or of the limit [N | N m]
  double friction;   // |tangential force| [N]
  double slip;       // |tangential velocity| [m/s]
  cardan_touch_state state;
} cardan_touching;

/* Contacts of the current node: writes at most `most` of them to out.
 * returns the number of contacts */
CARDAN_API int cardan_sim_touching(cardan_sim *sim, cardan_touching *out, int most);

/* Gap between the solids of two frames [m], the smallest if they have several; the model need not
 * have a contact for them. HUGE_VAL if a frame has no solid.
 * Positive: the distance. Edges of hulls are rounded by one percent, and so are edges of cylinders,
 * and of boxes against cylinders, if neither solid is round (docs/shapes.md).
 * Negative: minus the penetration depth: the shortest translation that separates the two, across a
 * face or a pair of edges if both solids have them.
 * needs  poses
 * a, b   out: nearest points on the first and on the second solid, world axes; may be NULL */
CARDAN_API double cardan_distance(const cardan_model *model, const cardan_data *data, int first,
                                  int second, cardan_vec3 *a, cardan_vec3 *b);

/* Smallest gap over all pairs of solids that the model has contacts for.
 * needs  poses
 * pair   out: index of that pair, -1 if there is none; may be NULL */
CARDAN_API double cardan_smallest_gap(const cardan_model *model, const cardan_data *data,
                                      int *pair);

#ifdef __cplusplus
}
#endif
