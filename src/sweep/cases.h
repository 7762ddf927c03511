/* SPDX-License-Identifier: Apache-2.0
 * sweep/cases.h - a case of a sweep, from its number to its results.
 *
 * A case has the same bits as `cardan run MODEL --set .. --init .. --OPTION ..` with its values; in
 * lanes with others (sweep/case_lanes.h) it is the same to round-off. A worker keeps a model and a
 * sim for the next case if that can use them. */
#pragma once
#include <stdatomic.h>

#include "base/arena.h"
#include "cardan/output.h"
#include "cardan/sampler.h"
#include "cardan/signals.h"
#include "cardan/sweep.h"
#include "sweep/collect.h"
#include "sweep/plan.h"

/* What has to be created again if a number of a case differs from the case before; the first kinds
 * include the later ones. */
typedef enum {
  CARDAN__ANEW_TEXT,  // the text is read again: (define ..), parameters that are in such places
  CARDAN__ANEW_MODEL, // a copy of the model: parameters, options keyframe, rank-tol and closing
  CARDAN__ANEW_SIM,   // the other options
  CARDAN__ANEW_START  // start values, inputs
} cardan__anew;

/* What a number of the plan sets. */
typedef struct {
  cardan__anew anew;
  int at;     // of a name: index into the sweep's setting; of a start value or input: into initial
  bool fixed; // the same in all cases
} cardan__slot;

/* The model of the text with some values, and the indices of the plan's names in it. */
typedef struct {
  cardan__arena arena;
  cardan_model *model;
  cardan_signals *signals; // NULL: none
  cardan_options options;  // the base's, except those that (simulate ..) sets by these values
  cardan_place *place;     // ninitial
  int *parameter;          // nvaried: index of the model's parameter, -1: none
  int *column;             // by source of the collector: column in rows with `add`
} cardan__worker_setup;

/* A sweep: a model's text with options, settings, start values and inputs, and a plan over them.
 * Constant once made; shared by workers. */
struct cardan_sweep {
  cardan__arena arena; // for all that has no owner below
  cardan_record base;  // a copy of the sweep's own
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
  bool texts, copies;           // some number requires the text to be read, the model copied again
  int add;                      // CARDAN_ADD_..: of the columns that collects follow
  cardan__collector *collector; // for its sources; workers have their own
  cardan__worker_setup setup;   // with the base's values
};

/* Finds what every number of the plan sets, and checks that all names exist: fills the fields after
 * `plan` above, except `column`.
 * returns CARDAN_ERR_ARGUMENT with the place in the plan; what reading the model's text returns */
cardan_status cardan__sweep_bind(cardan_sweep *sweep, cardan_report *report) CARDAN_MUST_USE;

/* _read   reads the text into *out; on failure there is nothing to free
 * _add    finds the sweep's `add`
 * _names  the other fields of a setup; needs the sweep's slots, lists and `add`
 * returns CARDAN_ERR_ARGUMENT, with the place in the plan, for a start value, an input or a column
 *         that the model does not have; what reading the text returns; CARDAN_ERR_MEMORY */
cardan_status cardan__worker_setup_read(const cardan_sweep *sweep, const cardan_setting *setting,
                                        int nsetting, const cardan_allocator *alloc,
                                        cardan__worker_setup *out,
                                        cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__worker_setup_add(const cardan_sweep *sweep, const cardan_model *model,
                                       int *add, cardan_report *report) CARDAN_MUST_USE;
cardan_status cardan__worker_setup_names(const cardan_sweep *sweep, cardan__worker_setup *setup,
                                         cardan_report *report) CARDAN_MUST_USE;

/* Reduces base.given to the options for which the base's text has the given value, but a case's
 * text could have another one, in the order of options: equal sweeps have equal lists, and a sweep
 * that needs none has none. Needs the setup and the slots. */
cardan_status cardan__worker_setup_given(cardan_sweep *sweep,
                                         cardan_report *report) CARDAN_MUST_USE;
void cardan__worker_setup_free(cardan__worker_setup *setup);

/* Options of a case: the setup's, or those that apply to its method if the method varies, and the
 * values of the case. returns CARDAN_ERR_UNSUPPORTED and a message for an option that the method
 * does not have, CARDAN_ERR_ARGUMENT for an invalid value; all others are set nevertheless */
cardan_status cardan__case_options(const cardan_sweep *sweep, const cardan__worker_setup *setup,
                                   const double *value, cardan_options *options,
                                   cardan_report *report) CARDAN_MUST_USE;

/* Writes start values and inputs of a case over those in q, v and u, which are the model's. */
void cardan__case_start(const cardan_sweep *sweep, const cardan__worker_setup *setup,
                        const double *value, double *q, double *v, double *u);

/* Steps of dt within the time; -1: more than can be counted. */
int64_t cardan__case_steps(const cardan_options *options);

/* When cases have to stop: on request, or when their time is over. */
typedef struct {
  double seconds;         // time that a case may take
  double until;           // end of that time by the clock; HUGE_VAL: no limit
  const atomic_int *stop; // may be NULL
} cardan__limit;

/* returns CARDAN_ERR_STOPPED and a message, or CARDAN_OK */
cardan_status cardan__limit_check(const cardan__limit *limit,
                                  cardan_report *report) CARDAN_MUST_USE;

/* How a case ended. */
typedef struct {
  int64_t number;
  cardan_status status;
  char message[512]; // why it failed; otherwise its warning, or ""
  double *value;     // ncollect; if it failed: of the motion before, or NaN; if it was stopped: NaN
} cardan__case;

typedef struct cardan__worker cardan__worker;

/* A worker is for one thread. alloc: the thread's own, NULL: malloc; not the sweep's, which only
 * one thread may use at a time.
 * returns CARDAN_ERR_MEMORY */
cardan_status cardan__worker_create(const cardan_sweep *sweep, const cardan_allocator *alloc,
                                    cardan__worker **out, cardan_report *report) CARDAN_MUST_USE;
void cardan__worker_destroy(cardan__worker *worker); // NULL is fine

/* Number of cases that run at once: fewer do not take less time. At least 1. */
int cardan__worker_grain(const cardan__worker *worker);

/* Runs cases first .. first + n - 1: out, n of them with room for their values. A case's failure is
 * in out; if the call fails, no case of it counts. The results do not depend on n, nor on what the
 * worker did before.
 * seconds  time that a case may take, 0: any; after it the case has status CARDAN_ERR_STOPPED
 * stop     read after each step, may be NULL; when it is set, the call returns CARDAN_ERR_STOPPED
 * returns CARDAN_ERR_MEMORY too */
cardan_status cardan__worker_run(cardan__worker *worker, int64_t first, int n, double seconds,
                                 const atomic_int *stop, cardan__case *out,
                                 cardan_report *report) CARDAN_MUST_USE;

/* Runs one case by itself, with its motion to the sinks of a cardan_run. out: all but the values.
 * */
cardan_status cardan__worker_motion(cardan__worker *worker, int64_t number,
                                    const cardan_sink *sinks, int nsink, cardan__case *out,
                                    cardan_report *report) CARDAN_MUST_USE;
