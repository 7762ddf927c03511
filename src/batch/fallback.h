/* SPDX-License-Identifier: Apache-2.0
 * batch/fallback.h - copies in lanes that the scalar code steps for a while.
 *
 * If a copy may reach a limit of a joint in a step, its lane is masked out and the copy stays at
 * the node before. A sim continues from there, to a node that is far from all limits, or to the end
 * of the run. It does so at once, before the other lanes continue; the state it ends with is stored
 * until they arrive at that node. A copy that starts near a limit begins in the sim. A copy that
 * comes back to the sim soon stays there for longer, twice as long each time. */
#pragma once
#include "batch/batch.h"
#include "run/estimate.h"
#include "run/sim_access.h"

enum { CARDAN__NOTE_TEXT = 768, CARDAN__SHORTEST_STAY = 8, CARDAN__LONGEST_STAY = 256 };

typedef struct {
  int64_t *until;                  // width: node at which it returns to its lane; 0: it is there,
                                   // or it failed; beyond the last step: it is at its end
  double *q, *v;                   // width x nq, nv: the state there
  double *work;                    // width: work done until there [J]
  double *foot;                    // width x 2 nfoot: what lanes->foot has there
  int64_t *back, *stay;            // width: node at which it returned last; steps that it stays
  char (*note)[CARDAN__NOTE_TEXT]; // width: note of a start in the sim, or ""
  int64_t *on;                     // width: -1 in lanes that are entered
  void *block;
} cardan__fallback;

/* Which copy continues in a sim.
 * sim   of b's model and options; its whole state is overwritten
 * seen  what was seen of the copy so far; estimate: its estimate; NULL: none */
typedef struct {
  cardan__fallback *fallback;
  const cardan__batch *b;
  cardan_sim *sim;
  int lane, copy;
  cardan__watched_copy *seen;
  cardan__estimate *estimate;
} cardan__fallback_call;

bool cardan__fallback_create(cardan__fallback *f, const cardan__batch *b); // false: no memory
void cardan__fallback_destroy(cardan__fallback *f);

/* Is this start too close to a limit for a lane? */
bool cardan__fallback_start_is_near(const cardan__batch *b, const double *q, const double *v);

/* Run a copy in the sim: from its start, or from node k, at which its lane was masked out. Write
 * its rows, and until, q, v and work of its lane.
 * return  false if the copy failed */
bool cardan__fallback_from_start(const cardan__fallback_call *call);
bool cardan__fallback_from_node(const cardan__fallback_call *call, const cardan__lanes *lanes,
                                int64_t k);
