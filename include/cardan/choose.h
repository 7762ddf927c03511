/* SPDX-License-Identifier: Apache-2.0
 * cardan/choose.h - which method, order or integrator, and which step or tolerance, reaches an
 * accuracy at the least cost.
 *
 * The error of a run is estimated as the largest difference of a coordinate [rad, m, entries of
 * quaternions] over its rows from a run that is tighter: at a hundredth of the tolerances of an
 * adaptive integrator or less, so that it takes more evaluations; at a quarter of the step of a
 * method of fixed steps; where something can touch, and errors fall unevenly, at a thousandth and
 * an eighth. It is to be at most 0.6 of the accuracy, for the error of that run. Cost is counted,
 * not timed: evaluations of the equations of motion, times what one costs by that method beside one
 * by aba. So the same call makes the same choice, whatever else the machine does.
 *
 * A trial over the first part of the run ranks the candidates that take the model. The best then
 * runs to the end, and again tighter; where the error is above the accuracy the level is raised,
 * where a level less will do it is that. This costs some five times the run, where something can
 * touch fifteen times. */
#pragma once
#include "cardan/signals.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One candidate at one level. */
typedef struct {
  char label[64];      // "aba/dop853 at rtol 1e-08", "vi of order 6 at dt 0.0025"
  bool whole;          // over the whole run; else over the trial
  double error;        // estimated; NaN: not known, then why says more
  int64_t evaluations; // of this run
  double cost;         // in evaluations by aba
  char why[200];       // "" or why it is out
} cardan_try;

enum { CARDAN_TRIES = 64 };

typedef struct {
  cardan_options options; // chosen: rows at the requested times
  double accuracy;        // requested
  double error, cost;     // of the whole run, as of its try
  double spent;           // cost of all runs that it took to choose
  double trial;           // length of the trial [s]
  cardan_try tries[CARDAN_TRIES];
  int ntry, chosen; // chosen: which of them
} cardan_choice;

/* Chooses.
 * start     the run starts there: its q, v, u, and which of them are given
 * signals   inputs over time; NULL: none
 * like      what all candidates share: time, and dt and every, by which rows are. Where steps are
 *           fixed the dt chosen divides this dt, and every is so many times more. Method,
 *           integrator, order, rtol and atol are not looked at; of the rest each takes what it has
 * accuracy  above 0
 * out       tries are written also where nothing was chosen
 * returns CARDAN_ERR_ARGUMENT for an accuracy that is not above 0 and finite, or a time without a
 *         step; CARDAN_ERR_UNSUPPORTED when no candidate takes the model;
 *         CARDAN_ERR_NO_CONVERGENCE when none reaches the accuracy, and in report what came
 *         nearest; CARDAN_ERR_MEMORY; where all candidates fail for one reason, that */
CARDAN_API cardan_status cardan_choose(const cardan_model *model, const cardan_data *start,
                                       const cardan_signals *signals, const cardan_options *like,
                                       double accuracy, const cardan_allocator *allocator,
                                       cardan_choice *out, cardan_report *report) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
