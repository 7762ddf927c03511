/* SPDX-License-Identifier: Apache-2.0
 * batch/aside.h - copies that step aside: what happens to them is not for lanes.
 *
 * A copy that may come to a limit of a joint in a step leaves its lane at the node before. There
 * the scalar code takes it on by itself, to a node at which all limits are far and lanes may be
 * entered again, or to its end. It does so at once, before the others go on: what the copy is then
 * is kept until they are there. A copy that starts on a limit begins in this way. */
#pragma once
#include "batch/batch.h"
#include "run/estimate.h"
#include "run/sim_access.h"

enum { CARDAN__NOTE_TEXT = 768 };

typedef struct {
  int64_t *until;                  // width: the node it comes back at; 0: it is in its lane, or
                                   // failed; beyond the last step: it is at its end
  double *q, *v;                   // width x nq, nv: there
  double *work;                    // width: done until there [J]
  char (*note)[CARDAN__NOTE_TEXT]; // width: what its start had to change, or ""
  int64_t *on;                     // width: lanes that are entered
  double *here;                    // nq + nv + ninput: scratch
  void *block;
} cardan__aside;

/* A copy that steps aside, and where to.
 * sim   of b's model and options, of which everything is overwritten
 * seen  what was seen of the copy; estimate: its estimate; NULL: none */
typedef struct {
  cardan__aside *aside;
  const cardan__batch *b;
  cardan_sim *sim;
  int lane, copy;
  cardan__watched_copy *seen;
  cardan__estimate *estimate;
} cardan__aside_call;

bool cardan__aside_create(cardan__aside *a, const cardan__batch *b); // false: no memory
void cardan__aside_destroy(cardan__aside *a);

/* Is the start of a copy too near to a limit for a lane? */
bool cardan__aside_starts(const cardan__batch *b, const double *q, const double *v);

/* _start  the copy from its start; _go: from node k, at which it left its lane
 *         writes its rows, and until, q, v and work of its lane
 *         returns false where the copy failed */
bool cardan__aside_start(const cardan__aside_call *call);
bool cardan__aside_go(const cardan__aside_call *call, const cardan__lanes *lanes, int64_t k);
