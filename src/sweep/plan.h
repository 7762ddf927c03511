/* SPDX-License-Identifier: Apache-2.0
 * sweep/plan.h - a plan of many runs: what differs between them, how, and what is kept of each.
 *
 * A plan is one S-expression (docs/sweep.md). Its cases are numbered
 *   i = g n + j,   0 <= g < points of the grid,  0 <= j < n samples (1 where nothing is drawn)
 * where g counts through the axes, the first written slowest, and the drawn numbers are those of
 * sample j: the same samples at each point of the grid, so that points can be compared. With
 * (sensitivity) each sample is nd + 2 cases, nd drawn numbers: A_j, B_j, and A_j with one number
 * of B_j after the other [A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270].
 * A case depends on the plan and its number alone. A plan that has been read is constant and may be
 * shared by threads. */
#pragma once
#include <stdint.h>

#include "cardan/base.h"

typedef struct cardan__plan cardan__plan;

/* What a number of a case is given to. */
typedef enum {
  CARDAN__VARIED_NAME,  // a (parameter ..) or (define ..) of the model
  CARDAN__VARIED_START, // "q.J", "v.J": a start value
  CARDAN__VARIED_INPUT, // "u.NAME": an input, held over the run
  CARDAN__VARIED_OPTION // an option of the run: "dt", "method", "keyframe"
} cardan__varied_kind;

typedef struct {
  cardan__varied_kind kind;
  const char *name;        // "M", "q.a", "u.push", "dt"
  const char *column;      // of results: "M", "start.q.a", "u.push", "dt"
  bool drawn;              // random, Sobol or Latin hypercube; else of the grid
  const char *const *word; // values are words, the number of a case is the index: nword of them
  int nword;               // 0: values are numbers
  cardan_pos pos;          // in the plan
} cardan__varied;

/* What is kept of the motion of a case. */
typedef enum {
  CARDAN__COLLECT_END,         // (end COLUMN): at the last row
  CARDAN__COLLECT_START,       // (start COLUMN)
  CARDAN__COLLECT_MIN,         // (min COLUMN)
  CARDAN__COLLECT_MAX,         // (max COLUMN)
  CARDAN__COLLECT_MEAN,        // (mean COLUMN): integral over the length of the run
  CARDAN__COLLECT_RMS,         // (rms COLUMN)
  CARDAN__COLLECT_INTEGRAL,    // (integral COLUMN)
  CARDAN__COLLECT_AT,          // (at T COLUMN)
  CARDAN__COLLECT_CROSS,       // (cross COLUMN LEVEL [up|down]): first time, NaN: never
  CARDAN__COLLECT_DRIFT,       // drift: largest of the energy balance [J]
  CARDAN__COLLECT_ERROR,       // error: estimated of a coordinate, at the end [m or rad]
  CARDAN__COLLECT_CONSTRAINT,  // constraint: largest violation
  CARDAN__COLLECT_ITERATIONS,  // iterations: mean of a step
  CARDAN__COLLECT_EVALUATIONS, // evaluations
  CARDAN__COLLECT_STEPS,       // steps
  CARDAN__COLLECT_REACHED      // time: how far it came [s]
} cardan__collect_kind;

typedef struct {
  cardan__collect_kind kind;
  const char *source; // column of the table of motion; NULL: the kind needs none
  double at;          // AT: time; CROSS: level
  int direction;      // CROSS: 1 up, -1 down, 0 either
  const char *column; // of results: "end.q.a", "at.1.5.y.tip", "drift", or what (as ..) says
  cardan_pos pos;
} cardan__collect;

/* Reads a plan. file: for messages. *out is NULL on failure.
 * returns CARDAN_ERR_SYNTAX for a text that is no plan, CARDAN_ERR_ARGUMENT for one that cannot be
 *         (no cases, more than 2^53, a name twice, ends the wrong way round), with file and place;
 *         CARDAN_ERR_MEMORY */
cardan_status cardan__plan_read(const char *text, size_t length, const char *file,
                                const cardan_allocator *allocator, cardan__plan **out,
                                cardan_report *report) CARDAN_MUST_USE;
void cardan__plan_destroy(cardan__plan *plan); // NULL is fine

int64_t cardan__plan_count(const cardan__plan *plan);   // cases
int64_t cardan__plan_samples(const cardan__plan *plan); // n above
bool cardan__plan_sensitivity(const cardan__plan *plan);

/* What could be better about it, a sentence; NULL: nothing. */
const char *cardan__plan_note(const cardan__plan *plan);

/* In the order written; NULL after the last. */
const cardan__varied *cardan__plan_varied(const cardan__plan *plan, int k);
const cardan__collect *cardan__plan_collect(const cardan__plan *plan, int k);
int cardan__plan_nvaried(const cardan__plan *plan);
int cardan__plan_ncollect(const cardan__plan *plan);
/* Which of them is the option "method"; -1: all cases have the same. */
int cardan__plan_method(const cardan__plan *plan);

/* Value of number k at a point of its own axis, from 0, into *value; false behind the last point,
 * and where k is drawn. */
bool cardan__plan_value(const cardan__plan *plan, int k, int64_t point, double *value);

/* Values of case i, 0 <= i < count: value out, nvaried; of words their index. No memory, no state,
 * O(nvaried). */
void cardan__plan_values(const cardan__plan *plan, int64_t i, double *value);
