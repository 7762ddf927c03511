/* SPDX-License-Identifier: Apache-2.0
 * batch/batch.h - one call of cardan_rollout, as its threads see it. */
#pragma once
#include <stdatomic.h>

#include "batch/lanes/lanes.h"
#include "cardan/rollout.h"

typedef struct {
  const cardan_model *model; // at the start that options name
  cardan_options options;
  int nbatch;
  int64_t nstep, nrow;
  const double *q0, *v0, *u, *param;
  double *q, *v, *y;
  cardan_status *status;
  cardan_rollout_end *end; // CARDAN_OK, "" and NAN before the first copy
  bool watched;            // warnings are checked: for ends, or for a caller that runs groups
  _Atomic int64_t next;    // copy that no thread has taken yet
  // copies in lanes; NULL: one by one
  cardan__lanes_model *flat;
  const cardan__lanes_kernels *kernels;
  const cardan__lanes_stepper *stepper;
  // of a caller that runs groups itself
  const double *u_held; // nbatch x ninput: inputs of the whole run; NULL: the model's, or u
  bool apart; // warnings are checked at every tenth node and the last, whichever nodes have rows
  bool (*halt)(void *user); // called periodically: true stops the batch; NULL: never
  void *user;
} cardan__batch;

/* Part of an array of rows: that of row r of copy i; n numbers in each. NULL stays NULL. */
static inline double *cardan__batch_row(const cardan__batch *b, double *rows, int i, int64_t r,
                                        int n)
{
  const size_t at = (size_t)i * (size_t)b->nrow + (size_t)r;
  return rows != NULL ? rows + at * (size_t)n : NULL;
}

/* Writes a copy's note and warning to its end; either may be "", and the note is cut if both are
 * too long. rollout.c */
void cardan__batch_note(cardan_rollout_end *end, const char *note, const char *watch);

/* Returns whether warnings are checked at the node after step k although it has no row, or whatever
 * rows there are (apart). The check compares the change of the energy balance with the kinetic
 * energy at both ends; if checked nodes are far apart, a motion at rest at both would count as a
 * jump. So nodes are checked as in cardan run, but in lanes, where a check costs several steps, at
 * most every tenth node. */
static inline bool cardan__batch_looks(const cardan__batch *b, int64_t k)
{
  const bool watched = b->watched || b->options.strict;
  const int stride = b->stepper == NULL && b->nstep < 1000 ? 1 : 10;
  return watched && (b->apart ? k % stride == 0 || k == b->nstep
                              : k % stride == 0 && k % b->options.every != 0);
}

/* Inputs of copy i in step k. needs b->u */
static inline const double *cardan__batch_inputs(const cardan__batch *b, int i, int64_t k)
{
  return b->u + ((size_t)i * (size_t)b->nstep + (size_t)k) * (size_t)b->model->ninput;
}
