/* SPDX-License-Identifier: Apache-2.0
 * cardan/choose.h - selects the method, order or integrator, and the step or tolerance, that reach
 * a requested accuracy at the least cost.
 *
 * Error: the largest difference of a coordinate [rad, m, entries of quaternions] over all rows
 * between a run and a tighter run. The tighter run has at most 1/100 of the tolerances of an
 * adaptive integrator, or 1/4 of a fixed step; for models with contacts, whose errors decrease
 * unevenly, 1/1000 and 1/8. The error must be at most 0.6 of the accuracy; the rest allows for the
 * error of the tighter run.
 * Cost: evaluations of the equations of motion, weighted by the cost of one evaluation relative to
 * aba. It is counted, not timed, so the same call always makes the same choice.
 *
 * A trial over the first part of the run ranks the candidates that support the model. The best
 * candidate then runs to the end, once as it is and once tighter. Its level is raised while the
 * error is above the accuracy, and lowered if the next lower level is accurate enough. All this
 * costs about five times the run, with contacts fifteen times. */
#pragma once
#include "cardan/signals.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One candidate at one level. */
typedef struct {
  char label[64];      // "aba/dop853 at rtol 1e-08", "vi of order 6 at dt 0.0025"
  bool whole;          // true: the whole run; false: the trial
  double error;        // estimated error; NaN: not known, see why
  int64_t evaluations; // of this run
  double cost;         // in evaluations by aba
  char why[200];       // why the candidate was rejected; "": it was not
} cardan_try;

enum { CARDAN_TRIES = 64 };

typedef struct {
  cardan_options options; // chosen: rows at the requested times
  double accuracy;        // requested
  double error, cost;     // of the whole run with these options
  double spent;           // total cost of all runs that were made to choose
  double trial;           // length of the trial [s]
  cardan_try tries[CARDAN_TRIES];
  int ntry, chosen; // chosen: index of the selected try
} cardan_choice;

/* Selects options for a run.
 * start     start of the run: q, v, u, q_given and v_given
 * signals   inputs over time; NULL: none
 * like      options that all candidates share: time, and the times of rows by dt and every. The
 *           chosen fixed step divides this dt, and the chosen `every` is larger by the same factor.
 *           Method, integrator, order, rtol and atol are ignored; each candidate uses those of the
 *           other options that its method has
 * accuracy  > 0
 * out       its tries are written also if no candidate was chosen
 * returns CARDAN_ERR_ARGUMENT for an accuracy that is not positive and finite, or a time without a
 *         step; CARDAN_ERR_UNSUPPORTED if no candidate supports the model;
 *         CARDAN_ERR_NO_CONVERGENCE if none reaches the accuracy (the report names the best);
 *         CARDAN_ERR_MEMORY; if all candidates fail with the same status, that status */
CARDAN_API cardan_status cardan_choose(const cardan_model *model, const cardan_data *start,
                                       const cardan_signals *signals, const cardan_options *like,
                                       double accuracy, const cardan_allocator *allocator,
                                       cardan_choice *out, cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
