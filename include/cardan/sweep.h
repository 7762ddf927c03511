/* SPDX-License-Identifier: Apache-2.0
 * cardan/sweep.h - many runs by a plan, on threads and on many machines, and not one lost.
 *
 *   cardan_sweep_create -> cardan_sweep_run -> FILE.h5
 *
 * A plan (docs/sweep.md) says what differs between cases, how, and what is kept of each. A case
 * depends on the model, the options, the plan and its number alone; so which thread computes it,
 * in which order, and after how many restarts, leaves no trace: the file is the same to the byte.
 *
 * Until all cases are done they are in FILE.h5.parts, a folder: the sweep itself, and for each
 * worker a journal to which it appends a record with a checksum as a case ends. What was written
 * before a process was killed counts when the sweep is resumed. The end of it all is a merge into
 * FILE.h5 in the order of numbers; then the folder goes. Several processes, on several machines
 * that share the folder, may work on one sweep: by shards, or by handing out numbers. */
#pragma once
#include <stdint.h>

#include "cardan/output.h"
#include "cardan/sweep_summary.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_sweep cardan_sweep;

/* The methods that a plan's (option method ..) names, once each, in the order of
 * cardan_method_name; of a plan that has none or cannot be read, which cardan_sweep_create says,
 * none. Where there are some, the options of all cases are meant for several methods: taken as
 * they are (cardan_options_apply_model), they count for the cases whose method has them.
 * method  out, so many as are returned */
enum { CARDAN_SWEEP_PLAN_METHODS = 32 };
CARDAN_API int cardan_sweep_plan_methods(const char *plan, size_t length,
                                         const cardan_allocator *allocator,
                                         const char *method[CARDAN_SWEEP_PLAN_METHODS]);

/* base  model text, options, settings, start values and inputs that all cases have, over which the
 *       plan's values go; copied. An option that (simulate ..) of the text gives another value in
 *       a case, (simulate (dt h)) with an h that differs, has it there if the base has the text's
 *       own and does not name the option in `given`
 * plan  its text, length bytes;  file: for messages
 * returns CARDAN_ERR_SYNTAX or CARDAN_ERR_ARGUMENT for the plan, with file and place: names that
 *         the model or its table of motion does not have, an option that no method has;
 *         what reading the model's text returns; CARDAN_ERR_MEMORY. *out is then NULL */
CARDAN_API cardan_status cardan_sweep_create(const cardan_record *base, const char *plan,
                                             size_t length, const char *file,
                                             const cardan_allocator *allocator, cardan_sweep **out,
                                             cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sweep_destroy(cardan_sweep *sweep); // NULL is fine

CARDAN_API int64_t cardan_sweep_case_count(const cardan_sweep *sweep); // cases

/* What could be better about the plan, a sentence; NULL: nothing. */
CARDAN_API const char *cardan_sweep_note(const cardan_sweep *sweep);

/* The columns of the result: case, status, what differs, what is kept. */
CARDAN_API int cardan_sweep_column_count(const cardan_sweep *sweep);
CARDAN_API const char *cardan_sweep_column(const cardan_sweep *sweep, int k);

/* How far a sweep is. */
enum { CARDAN_SWEEP_STATUSES = 17 };
typedef struct {
  int64_t cases, done, failed; // of this process: its shard; done: those that failed among them
  int64_t resumed;             // of those done, found in journals at the start
  int64_t torn;                // journals that broke off: what they lost is done again
  int64_t by_status[CARDAN_SWEEP_STATUSES]; // of those done, by -status
  int64_t first;                            // number of the first case that failed, -1: none
  char message[512];                        // its sentence
  double seconds;                           // since the call
  bool merged;                              // the result is there, made now or before
} cardan_sweep_progress;

/* How to run one. Start from {0} and set what is needed. */
typedef struct {
  const char *out;   // FILE.h5, or FILE.csv for the table alone
  int jobs;          // threads; 0: as many as there are cores
  int shard, shards; // every shards-th case alone, or group of up to 8; shards 0: all of them
  bool resume;       // continue what FILE.h5.parts has; else it must not exist
  double timeout;    // of a case by the clock [s]; 0: none
  /* Motions that the merge keeps, by running those cases again: "none" (NULL), "all", or
   * "worst:N", "worst:N:COLUMN": the cases that failed, then those with the largest number in that
   * column of the result (drift), the smaller number of a case first where they are equal. Not
   * those that have no motion, since they cannot start, or that were too slow for `timeout`. */
  const char *keep;
  /* Called now and then by a thread of its own: any status but CARDAN_OK stops the sweep, which
   * can be resumed. May be NULL. */
  cardan_status (*look)(void *user, const cardan_sweep_progress *at);
  /* Numbers handed out elsewhere, to several processes at once: adds n to a counter that starts at
   * 0, and returns what it was. Called by each of the jobs; with one job in the caller's thread.
   * shard and shards are then the process's number and how many there are; one of them has called
   * cardan_sweep_begin, and the merge is the caller's. NULL: this process has all of its cases. */
  int64_t (*next)(void *user, int64_t n);
  void *user;
} cardan_sweep_run_options;

/* Makes FILE.h5.parts, or looks whether what is there is this sweep: what cardan_sweep_run does
 * first. For programs of several processes: one calls it, then all run with resume.
 * returns as cardan_sweep_run */
CARDAN_API cardan_status cardan_sweep_begin(const cardan_sweep *sweep,
                                            const cardan_sweep_run_options *how,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Runs the cases that are not done, and, unless it is a shard, merges. FILE.h5 must not be there;
 * with resume it may be this sweep's, which is then done.
 * end  out: how far it came; may be NULL
 * returns CARDAN_OK also where cases failed; CARDAN_ERR_ARGUMENT for a `how` that cannot be, for a
 *         folder of another sweep, one that is there without resume, or that another process works
 *         on; CARDAN_ERR_IO; CARDAN_ERR_STOPPED; CARDAN_ERR_MEMORY. What was done stays in the
 *         journals in any case */
CARDAN_API cardan_status cardan_sweep_run(const cardan_sweep *sweep,
                                          const cardan_sweep_run_options *how,
                                          cardan_sweep_progress *end,
                                          cardan_report *report) CARDAN_MUST_USE;

/* Writes FILE.h5 of what the journals have, and removes them. Nothing is done where FILE.h5 is this
 * sweep's already.
 * end  out: how all cases ended; may be NULL
 * returns CARDAN_ERR_ARGUMENT, and in report how many and which are missing, unless all are there;
 *         otherwise as cardan_sweep_run */
CARDAN_API cardan_status cardan_sweep_merge(const cardan_sweep *sweep,
                                            const cardan_sweep_run_options *how,
                                            cardan_sweep_progress *end,
                                            cardan_report *report) CARDAN_MUST_USE;

/* What became of it, as a text for people or as one JSON object; *text is to be given back with
 * cardan_free_text.
 * summary  of the result, whose description (cardan/sweep_summary.h) follows, as JSON under the key
 *         "study"; NULL: none
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sweep_describe(const cardan_sweep *sweep,
                                               const cardan_sweep_run_options *how,
                                               const cardan_sweep_progress *end,
                                               const cardan_sweep_summary *summary, bool json,
                                               const cardan_allocator *allocator,
                                               char **text) CARDAN_MUST_USE;

/* The sweep that a result is of, or that a folder of journals is of.
 * returns CARDAN_ERR_IO for a file that cannot be read, CARDAN_ERR_ARGUMENT for a result of
 *         something else, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sweep_open(const char *path, const cardan_allocator *allocator,
                                           cardan_sweep **out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* What case number i is as a run by itself: options, settings, start values. What it points to is
 * the record's own memory, to be given back, or the sweep's.
 * returns CARDAN_ERR_ARGUMENT for a number that there is not; CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sweep_case(const cardan_sweep *sweep, int64_t number,
                                           cardan_record *out,
                                           cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sweep_case_free(const cardan_sweep *sweep, cardan_record *record);

#ifdef __cplusplus
}
#endif
