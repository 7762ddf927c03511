/* SPDX-License-Identifier: Apache-2.0
 * cardan/sweep.h - runs many cases by a plan, on threads and machines, with resumption.
 *
 *   cardan_sweep_create -> cardan_sweep_run -> FILE.h5
 *
 * A plan (docs/sweep.md) defines what differs between cases and what is recorded of each. A case
 * depends only on the model, the options, the plan and its number. So the file has the same bytes
 * whichever threads computed the cases, in which order, and after how many restarts.
 *
 * Until all cases are done the folder FILE.h5.parts contains the sweep and one journal for each
 * worker, which appends a record with a checksum when a case ends. Records that were written before
 * a process was killed are used when the sweep is resumed. At the end the journals are merged into
 * FILE.h5 in the order of case numbers, and the folder is removed. Several processes, on machines
 * that share the folder, may work on one sweep: by shards, or by distributing case numbers. */
#pragma once
#include <stdint.h>

#include "cardan/output.h"
#include "cardan/sweep_summary.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cardan_sweep cardan_sweep;

/* Finds the methods that a plan's (option method ..) names, without repetition, in the order of
 * cardan_method_name. If there are some, the options of all cases are meant for several methods
 * (cardan_options_apply_model): each applies to the cases whose method has it.
 * method  out: as many as are returned
 * returns their number; 0 also for a plan that cannot be read, which cardan_sweep_create reports */
enum { CARDAN_SWEEP_PLAN_METHODS = 32 };
CARDAN_API int cardan_sweep_plan_methods(const char *plan, size_t length,
                                         const cardan_allocator *allocator,
                                         const char *method[CARDAN_SWEEP_PLAN_METHODS]);

/* Creates a sweep.
 * base  model text, options, settings, start values and inputs of all cases, which the plan's
 *       values
 *       override; copied. An option whose value in (simulate ..) of the text depends on the case,
 *       such as (simulate (dt h)) with an h that differs, has that value if base has the text's
 *       value and does not name the option in `given`
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

/* Advice on how to improve the plan, a sentence; NULL: none. */
CARDAN_API const char *cardan_sweep_note(const cardan_sweep *sweep);

/* The columns of the result: case, status, varied values, recorded values. */
CARDAN_API int cardan_sweep_column_count(const cardan_sweep *sweep);
CARDAN_API const char *cardan_sweep_column(const cardan_sweep *sweep, int k);

/* How far a sweep is. */
enum { CARDAN_SWEEP_STATUSES = 18 };
typedef struct {
  int64_t cases, done, failed;              // of this process (its shard); done includes failed
  int64_t resumed;                          // done cases that were found in journals at the start
  int64_t torn;                             // truncated journals, whose lost cases are run again
  int64_t by_status[CARDAN_SWEEP_STATUSES]; // done cases by -status
  int64_t first;                            // number of the first case that failed, -1: none
  char message[512];                        // its message
  double seconds;                           // since the call
  bool merged;                              // the result exists, merged now or before
} cardan_sweep_progress;

/* How to run a sweep. Initialise with {0} and set what is needed. */
typedef struct {
  const char *out;   // FILE.h5, or FILE.csv for the table alone
  int jobs;          // number of threads; 0: number of cores
  int shard, shards; // run only every shards-th case, or group of up to 8; shards 0: all of them
  bool resume;       // continue FILE.h5.parts; otherwise it must not exist
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
   * shard and shards are then the number of the process and the number of processes; one of them
   * must have called cardan_sweep_begin, and the caller merges. NULL: this process runs all cases
   * of its shard. */
  int64_t (*next)(void *user, int64_t n);
  void *user;
} cardan_sweep_run_options;

/* Creates FILE.h5.parts, or checks that an existing one belongs to this sweep. cardan_sweep_run
 * does this first. In programs of several processes one calls it, then all run with resume.
 * returns as cardan_sweep_run */
CARDAN_API cardan_status cardan_sweep_begin(const cardan_sweep *sweep,
                                            const cardan_sweep_run_options *options,
                                            cardan_report *report) CARDAN_MUST_USE;

/* Runs the cases that are not done, and merges unless it is a shard. FILE.h5 must not exist; with
 * resume it may be the result of this sweep, and nothing is left to run.
 * progress  out: the counts at the end; may be NULL
 * returns CARDAN_OK also if cases failed; CARDAN_ERR_ARGUMENT for an invalid `options`, a folder of
 *         another sweep, an existing folder without resume, or a folder that another process uses;
 *         CARDAN_ERR_IO; CARDAN_ERR_STOPPED; CARDAN_ERR_MEMORY. Finished cases remain in the
 *         journals in all cases */
CARDAN_API cardan_status cardan_sweep_run(const cardan_sweep *sweep,
                                          const cardan_sweep_run_options *options,
                                          cardan_sweep_progress *progress,
                                          cardan_report *report) CARDAN_MUST_USE;

/* Merges the journals into FILE.h5 and removes them. Does nothing if FILE.h5 is the result of this
 * sweep already.
 * progress  out: statistics of all cases; may be NULL
 * returns CARDAN_ERR_ARGUMENT if cases are missing (report says how many and which); otherwise as
 *         cardan_sweep_run */
CARDAN_API cardan_status cardan_sweep_merge(const cardan_sweep *sweep,
                                            const cardan_sweep_run_options *options,
                                            cardan_sweep_progress *progress,
                                            cardan_report *report) CARDAN_MUST_USE;

/* The outcome of a sweep as a text for people or as one JSON object; free *text with
 * cardan_free_text.
 * summary  of the result, whose description (cardan/sweep_summary.h) is appended, as JSON under the
 *         key "study"; NULL: none
 * returns CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sweep_describe(const cardan_sweep *sweep,
                                               const cardan_sweep_run_options *options,
                                               const cardan_sweep_progress *progress,
                                               const cardan_sweep_summary *summary, bool json,
                                               const cardan_allocator *allocator,
                                               char **text) CARDAN_MUST_USE;

/* Opens the sweep of a result or of a folder of journals.
 * returns CARDAN_ERR_IO for a file that cannot be read, CARDAN_ERR_ARGUMENT for a result that is
 * not
 *         of a sweep, CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sweep_open(const char *path, const cardan_allocator *allocator,
                                           cardan_sweep **out,
                                           cardan_report *report) CARDAN_MUST_USE;

/* Options, settings and start values of one case, to run it by itself. Pointers in the record are
 * to memory of the sweep, or of the record: free it with cardan_sweep_case_free.
 * returns CARDAN_ERR_ARGUMENT for a number out of range; CARDAN_ERR_MEMORY */
CARDAN_API cardan_status cardan_sweep_case(const cardan_sweep *sweep, int64_t number,
                                           cardan_record *out,
                                           cardan_report *report) CARDAN_MUST_USE;
CARDAN_API void cardan_sweep_case_free(const cardan_sweep *sweep, cardan_record *record);

#ifdef __cplusplus
}
#endif
