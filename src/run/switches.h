/* SPDX-License-Identifier: Apache-2.0
 * run/switches.h - comparisons in the expressions of forces, and the moments at which they change.
 *
 * A comparison is (< a b), (<= a b), its mirror images, or (step a) within the expression of a
 * force or of the rate of an auxiliary state. Its value, 0 or 1, is its side. A step in which a
 * side changes is cut there: a force that acts for less than a step is not missed, and no step has
 * some of its evaluations on one side and some on the other. */
#pragma once
#include "base/spans.h"
#include "cardan/sim.h"
#include "run/snapshot.h"

typedef struct {
  int expr, ins; // model->expr, and the instruction on its tape
  bool affine;   // its operands are a + b t, so that it changes once at most
} cardan__switch;

typedef struct {
  cardan__switch *item; // ntime that read t and inputs alone, then nstate that read the state
  int ntime, nstate;
  void *block;          // of what follows
  double *from, *to;    // nstate: a - b before and behind a change
  double *now, *third;  // nstate: at the end of a trial; at the end of the bracket before
  double *begun, *last; // nstate: at the nodes from which this step began, and the one before
  int *rest;   // nstate: steps in which it is not located; below 0: that it went to and fro
  int *cuts;   // nstate: in this step
  double pace; // [s] longest next part of a step of order 4 or 6
  cardan__snapshot before; // where a trial of the search begins
  cardan__snapshot node;   // where an advance of several parts began
  int fresh;               // nodes until forces that switched have shown what they put in, 2 .. 0
  int crossings;           // of the state, since the start, as many as may be such a push
  bool locates;            // those of the state, too
  int unlocated;           // the first one that was not located, from 1; 0: none
  double unlocated_t;      // when [s]
  bool reported;           // the warning has it
} cardan__switches;

enum { CARDAN__SWITCH_TRIALS = 8, CARDAN__SWITCH_REST = 64 }; // steps

/* Finds the comparisons; no memory is taken for a model without. */
cardan_status cardan__switches_create(cardan_sim *sim) CARDAN_MUST_USE;
void cardan__switches_destroy(cardan_sim *sim);

/* A run starts: none rests, none was missed. */
void cardan__switches_start(cardan_sim *sim);

/* From the node to t by go, cut where sides that depend on time change. After a failure the sim is
 * at the node again, unless the step saved it: then it returns there (sim.c). */
cardan_status cardan__switches_walk(cardan_sim *sim, double t,
                                    cardan_status (*go)(cardan_sim *, double, cardan_report *),
                                    cardan_report *report) CARDAN_MUST_USE;

/* Forces have switched: what they put in, at this node and the next, counts as in play where the
 * energy balance is watched. */
static inline void cardan__switches_passed(cardan__switches *s)
{
  s->fresh = 2;
}

/* What a run remembers of them. */
static inline void cardan__switches_spans(cardan__switches *s, cardan__spans *list)
{
  if (s->item != NULL) {
    cardan__spans_ints(list, &s->fresh, 1, 0, 2);
    cardan__spans_ints(list, &s->crossings, 1, 0, CARDAN__SWITCH_TRIALS);
  }
  if (s->nstate > 0) {
    cardan__spans_ints(list, s->rest, (size_t)s->nstate, -CARDAN__SWITCH_TRIALS,
                       CARDAN__SWITCH_REST);
  }
}

/* After a step failed: is there a comparison of the state that changes within it, as far as the
 * step before tells? Then its sentence, of which force it is and what to write instead. */
bool cardan__switches_explain(const cardan_sim *sim, char *text, size_t size);

/* Adds what was not located to the warning. */
void cardan__switches_end(cardan_sim *sim);
