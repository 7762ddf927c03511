/* SPDX-License-Identifier: Apache-2.0
 * cardan/describe.h - what to tell a user: what a run did, what a model is, what the library has.
 *
 * Each call makes one text, for people or (json) one JSON object with a newline at its end: UTF-8,
 * strings escaped, numbers that read back to the same bits, null where there is no finite number.
 * *text comes from allocator and goes back with cardan_free_text (cardan/load.h).
 * Calls allocate; they may run at the same time on one model. */
#pragma once
#include <stdint.h>

#include "cardan/choose.h"
#include "cardan/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a sim does not know about its own run. */
typedef struct {
  const char *model;          // as the user named it: for models without a name of their own
  double wall_seconds;        // of the stepping alone
  int64_t wall_steps;         // steps that took these; 0: all of the run
  const char *const *warning; // nwarning sentences
  int nwarning;
  const char *table; // where the rows went, NULL: nowhere
  int64_t rows;
  const cardan_choice *choice; // how method and step were chosen; NULL: they were given
  cardan_status status;        // why it ended; CARDAN_OK: it is done
  const char *error;           // and the sentence; NULL: that of the status
} cardan_run_notes;

/* The summary of a run, up to the sim's current node. JSON keys: model, method, solver, integrator,
 * dt, steps, time (reached), wall_seconds, dof (velocities that are solved for), energy {initial,
 * final, max_drift, band, trend, trend_error} (of the trend in J per hour), constraint_max,
 * iterations {mean, std, max}, evaluations, estimated_error (null, or {coordinate, value, unit,
 * range, samples, uncertain: null or why}), warnings [], error
 * (null, or {status (a word), message, t, step}: where a run that ended early stood); auto
 * {accuracy, error, cost, spent, trial, chosen, tries [{label, whole, error, evaluations, cost,
 * why}]} with a choice.
 * returns CARDAN_ERR_MEMORY, *text NULL */
CARDAN_API cardan_status cardan_describe_run(cardan_sim *sim, const cardan_run_notes *notes,
                                             bool json, const cardan_allocator *allocator,
                                             char **text) CARDAN_MUST_USE;

/* A copy of a batch that failed. */
typedef struct {
  int64_t copy;
  cardan_status status;
  char message[512];
} cardan_copy_failure;

/* What became of a batch (cardan_rollout). */
typedef struct {
  const char *model; // its name
  const cardan_options *options;
  int64_t copies, steps;              // that were run; of each
  int64_t failed, noted;              // of the copies; noted: others that have a note
  const cardan_copy_failure *failure; // nfailure: the first of them
  int nfailure;
  cardan_copy_failure note;    // the first of those, and what it says
  double drift;                // largest of a copy's energy balance at its rows [J]; NaN: not known
  int64_t drift_copy;          // whose
  cardan_error_estimate error; // estimated, the largest of a copy
  const char *error_name;      // of its coordinate; NULL: not known
  const char *error_unit;
  int64_t error_copy; // whose
  int threads;        // 0: as many as there are cores
  double wall_seconds;
  const char *const *varied; // nvaried: names of what differs
  int nvaried;
  const char *const *warning; // nwarning sentences
  int nwarning;
  const char *table; // where the rows went, NULL: nowhere
  int64_t rows;
  const cardan_choice *choice; // as of a run
} cardan_batch_notes;

/* The summary of a batch. JSON keys: model, method, solver, integrator, dt, steps, copies, failed,
 * noted, failures [{copy, status, message}], varied [], threads, wall_seconds, steps_a_second,
 * max_drift, max_drift_copy, estimated_error (as of a run, with copy; null: not known), rows,
 * warnings [].
 * returns CARDAN_ERR_MEMORY, *text NULL */
CARDAN_API cardan_status cardan_describe_batch(const cardan_batch_notes *notes, bool json,
                                               const cardan_allocator *allocator,
                                               char **text) CARDAN_MUST_USE;

/* What a model is: bodies, joints, freedom, constraints, loops, rank, start, methods that take it,
 * what is kept and used by none, warnings.
 * name    as the user named it;  model  from cardan_model_load or cardan_model_from_text
 * returns CARDAN_ERR_MEMORY, or what assembling the start returns, with a sentence in report;
 *         *text is then NULL */
CARDAN_API cardan_status cardan_describe_model(const cardan_model *model, const char *name,
                                               bool json, const cardan_allocator *allocator,
                                               char **text, cardan_report *report) CARDAN_MUST_USE;

/* The matrices of a model at a data's state (cardan/matrices.h). JSON keys: model, mass, com,
 * velocities, t, q, v, M, C, K, gravity, rows, G; a, lambda, Kc, dofs, N, reduced {M, C, K},
 * states, inputs, outputs, A, B, Cy, D, exact, output_error, equilibrium, where these are defined;
 * notes.
 * returns as cardan_matrices_create; *text is then NULL */
CARDAN_API cardan_status cardan_describe_matrices(const cardan_model *model, cardan_data *data,
                                                  const char *name, bool json,
                                                  const cardan_allocator *allocator, char **text,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Modes: the first count of them, 0: all. JSON keys: model, t, q, velocities, dof, equilibrium,
 * unstable, count, modes [{kind, frequency, damping, eigenvalue [re, im], error, residual,
 * unstable, doubtful, shape [], quarter []}], notes.
 * returns CARDAN_ERR_MEMORY, *text NULL */
typedef enum { CARDAN_MODES_TEXT, CARDAN_MODES_JSON, CARDAN_MODES_CSV } cardan_modes_form;
CARDAN_API cardan_status cardan_describe_modes(const cardan_modes *modes, const char *name,
                                               int count, cardan_modes_form form,
                                               const cardan_allocator *allocator,
                                               char **text) CARDAN_MUST_USE;

/* The built-in models, the methods with what each can take (asked of the methods themselves, with
 * small models), and the integrators. */
CARDAN_API cardan_status cardan_describe_library(bool json, const cardan_allocator *allocator,
                                                 char **text,
                                                 cardan_report *report) CARDAN_MUST_USE;

/* "Did you mean": the word of list (n words) nearest to word, NULL when all are too far. */
CARDAN_API const char *cardan_nearest(const char *word, const char *const *list, int n);

#ifdef __cplusplus
}
#endif
