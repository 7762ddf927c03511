/* SPDX-License-Identifier: Apache-2.0
 * sweep/cases.h - a case of a sweep, from its number to what is kept of it.
 *
 * A case is what `cardan run MODEL --set .. --init .. --OPTION ..` with its values does, to the
 * same bits; side by side with others (sweep/case_lanes.h) to round-off. A worker keeps a model and
 * a sim from case to case where the next one can use them. */
#pragma once
#include <stdatomic.h>

#include "base/arena.h"
#include "cardan/output.h"
#include "cardan/sampler.h"
#include "cardan/signals.h"
#include "cardan/sweep.h"
#include "sweep/collect.h"
#include "sweep/plan.h"

/* What has to be made again where a number of a case is another than in the case before. */
typedef enum {
  CARDAN__ANEW_TEXT,  // the text is read again: (define ..), parameters that are in such places
  CARDAN__ANEW_MODEL, // a copy of the model: parameters, options keyframe, rank-tol and closing
  CARDAN__ANEW_SIM,   // the other options
  CARDAN__ANEW_START  // start values, inputs
} cardan__anew;

/* Where a number of the plan goes. */
typedef struct {
  cardan__anew anew;
  int at;     // of a name: index into the sweep's setting; of a start value or input: into initial
  bool fixed; // it is the same in all cases
} cardan__slot;

/* The model as the text has it with some values, and what the names of the plan are in it. */
typedef struct {
  cardan__arena arena;
  cardan_model *model;
  cardan_signals *signals; // NULL: none
  cardan_options options;  // the base's, but for what (simulate ..) says with these values alone
  cardan_place *place;     // ninitial
  int *parameter;          // nvaried: which parameter of the model, -1: none
  int *column;             // which column of rows with `add` those are that collects follow
} cardan__worker_setup;

/* A sweep: a model's text with options, settings, start values and inputs, and a plan over them.
 * Constant once made; shared by workers. */
struct cardan_sweep {
  cardan__arena arena; // of all that has no owner below
  cardan_record base;  // all of it the sweep's own copy
  const char *plan_text, *plan_file;
  size_t plan_length;
  cardan__plan *plan;
  const char **column; // ncolumn: of the result
  int ncolumn;
  cardan__slot *slot;      // nvaried
  cardan_setting *setting; // nsetting: the base's, those that the text is read for, parameters
  cardan_setting *initial; // ninitial: the base's start values and inputs, and those that differ
  int nsetting, ntext;     // ntext: settings without parameters
  int ninitial;
  bool texts, copies;           // some number makes the text, the model again
  int add;                      // CARDAN_ADD_..: of the columns that collects follow
  cardan__collector *collector; // for what it follows; workers have their own
  cardan__worker_setup ground;  // with the base's values
};

/* Finds out where every number of the plan goes, and whether all that it names is there: fills what
 * follows plan above, but column.
 * returns CARDAN_ERR_ARGUMENT with the place in the plan; what reading the model's text returns */
cardan_status cardan__sweep_bind(cardan_sweep *sweep, cardan_report *report) CARDAN_MUST_USE;

/* Reads the text; on failure there is nothing to free. Then the rest of a ground, when the sweep
 * has its slots, its lists and its `add`, which is what the second finds.
 * returns CARDAN_ERR_ARGUMENT, with the place in the plan, for a start value, an input or a column
 *         that the model does not have; what reading the text returns; CARDAN_ERR_MEMORY */
cardan_status cardan__worker_setup_read(const cardan_sweep *sweep, const cardan_setting *setting,
                                        int nsetting, const cardan_allocator *alloc,
                                        cardan__worker_setup *out,
                                        cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__worker_setup_add(const cardan_sweep *sweep, const cardan_model *model,
                                       int *add, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__worker_setup_names(const cardan_sweep *sweep, cardan__worker_setup *ground,
                                         cardan_report *report) CARDAN_MUST_USE;

/* When the ground and the slots are there: leaves in base.given the options that the text has the
 * same value for, where a case's text could have another, in the order of options; so that the same
 * sweep has the same list, and one that needs none has none. */
cardan_status cardan__worker_setup_given(cardan_sweep *sweep,
                                         cardan_report *report) CARDAN_MUST_USE;
void cardan__worker_setup_free(cardan__worker_setup *ground);

/* Options of a case: the ground's, of them its method's share where the method differs, and the
 * values. returns CARDAN_ERR_UNSUPPORTED and a sentence for one that its method does not have, and
 * CARDAN_ERR_ARGUMENT for a value that cannot be; the rest is set all the same */
cardan_status cardan__case_options(const cardan_sweep *sweep, const cardan__worker_setup *ground,
                                   const double *value, cardan_options *options,
                                   cardan_report *report) CARDAN_MUST_USE;

/* Start values and inputs of a case over those in q, v and u, which are a model's own. */
void cardan__case_start(const cardan_sweep *sweep, const cardan__worker_setup *ground,
                        const double *value, double *q, double *v, double *u);

/* Steps of dt within the time; -1: more than can be counted. */
int64_t cardan__case_steps(const cardan_options *options);

/* Was a stop requested, or is the time over? */
typedef struct {
  double seconds;         // that a case may take
  double until;           // when they are over by the clock; HUGE_VAL: never
  const atomic_int *stop; // may be NULL
} cardan__limit;

/* returns CARDAN_ERR_STOPPED and a sentence */
cardan_status cardan__limit_check(const cardan__limit *limit,
                                  cardan_report *report) CARDAN_MUST_USE;

/* How a case ended. */
typedef struct {
  int64_t number;
  cardan_status status;
  char message[512]; // "" or why it failed; of one that did not, what the watch saw
  double *value;     // ncollect; of a case that failed: up to where it came, else NaN; of one that
                     // was stopped: NaN
} cardan__case;

typedef struct cardan__worker cardan__worker;

/* For one thread. alloc: its own, NULL: malloc; the sweep's is one thread's at a time.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__worker_create(const cardan_sweep *sweep, const cardan_allocator *alloc,
                                    cardan__worker **out, cardan_report *report) CARDAN_MUST_USE;
void cardan__worker_destroy(cardan__worker *worker); // NULL is fine

/* Cases that go at once, so that fewer take no less time: at least 1. */
int cardan__worker_grain(const cardan__worker *worker);

/* Runs cases first .. first + n - 1: out, n of them with room for their values. A case's failure is
 * in out; the call's own means that no case of it counts. The results do not depend on n, or on
 * what the worker did before.
 * seconds  that one may take by the clock, 0: any: after them it has status CARDAN_ERR_STOPPED
 * stop     looked at after each step, may be NULL: when it is set, the call returns
 *          CARDAN_ERR_STOPPED
 * returns CARDAN_ERR_MEMORY too */
cardan_status cardan__worker_run(cardan__worker *worker, int64_t first, int n, double seconds,
                                 const atomic_int *stop, cardan__case *out,
                                 cardan_report *report) CARDAN_MUST_USE;

/* One case with its motion, alone: sinks as of cardan_run. out: all but its values, which are those
 * of a run of it. */
cardan_status cardan__worker_motion(cardan__worker *worker, int64_t number,
                                    const cardan_sink *sinks, int nsink, cardan__case *out,
                                    cardan_report *report) CARDAN_MUST_USE;
