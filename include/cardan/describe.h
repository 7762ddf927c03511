/* SPDX-License-Identifier: Apache-2.0
 * cardan/describe.h - texts for users: summaries of runs, batches, models and of the library.
 *
 * Each call returns one text, for people or (json) one JSON object with a newline at its end:
 * UTF-8, strings escaped, numbers that read back to the same bits, null for values that are not
 * finite. *text is allocated by allocator; free it with cardan_free_text.
 * Calls allocate; they may run at the same time on one model. */
#pragma once
#include <stdint.h>

#include "cardan/choose.h"
#include "cardan/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Facts about a run that its sim does not have. */
typedef struct {
  const char *model;          // as the user named it; used if the model has no name
  double wall_seconds;        // time of the steps alone
  int64_t wall_steps;         // number of steps that were timed; 0: all of the run
  const char *const *warning; // nwarning sentences
  int nwarning;
  const char *table; // file of the rows, NULL: none
  int64_t rows;
  const cardan_choice *choice; // how method and step were chosen; NULL: they were given
  cardan_status status;        // how the run ended; CARDAN_OK: it is complete
  const char *error;           // the error message; NULL: the text of the status
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

/* Results of a batch (cardan_rollout). */
typedef struct {
  const char *model; // its name
  const cardan_options *options;
  int64_t copies, steps;              // number of copies, and of steps of each
  int64_t failed, noted;              // copies that failed; other copies that have a note
  const cardan_copy_failure *failure; // nfailure: the first failures
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
  const char *const *varied; // nvaried: names of the values that differ between copies
  int nvaried;
  const char *const *warning; // nwarning sentences
  int nwarning;
  const char *table; // file of the rows, NULL: none
  int64_t rows;
  const cardan_choice *choice; // as in cardan_run_notes
} cardan_batch_notes;

/* The summary of a batch. JSON keys: model, method, solver, integrator, dt, steps, copies, failed,
 * noted, failures [{copy, status, message}], varied [], threads, wall_seconds, steps_a_second,
 * max_drift, max_drift_copy, estimated_error (as of a run, with copy; null: not known), rows,
 * warnings [].
 * returns CARDAN_ERR_MEMORY, *text NULL */
CARDAN_API cardan_status cardan_describe_batch(const cardan_batch_notes *notes, bool json,
                                               const cardan_allocator *allocator,
                                               char **text) CARDAN_MUST_USE;

/* Summary of a model: bodies, joints, degrees of freedom, constraints, loops, rank, start, methods
 * that support it, data that no method uses, warnings.
 * name    as the user named it;  model  from cardan_model_load or cardan_model_from_text
 * returns CARDAN_ERR_MEMORY, or what assembling the start returns, with a sentence in report;
 *         *text is then NULL */
CARDAN_API cardan_status cardan_describe_model(const cardan_model *model, const char *name,
                                               bool json, const cardan_allocator *allocator,
                                               char **text, cardan_report *report) CARDAN_MUST_USE;

/* The matrices of a model at a data's state (cardan/matrices.h). JSON keys: model, mass, com,
 * velocities, t, q, v, M, C, K, gravity, rows, G; a, lambda, Kc, dofs, N, reduced {M, C, K},
 * states, inputs, outputs, A, B, Cy, D, exact, output_error, equilibrium, if these are defined;
 * notes.
 * returns as cardan_matrices_create; *text is then NULL */
CARDAN_API cardan_status cardan_describe_matrices(const cardan_model *model, cardan_data *data,
                                                  const char *name, bool json,
                                                  const cardan_allocator *allocator, char **text,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* The first count modes, 0: all. JSON keys: model, t, q, velocities, dof, equilibrium,
 * unstable, count, modes [{kind, frequency, damping, eigenvalue [re, im], error, residual,
 * unstable, doubtful, shape [], quarter []}], notes.
 * returns CARDAN_ERR_MEMORY, *text NULL */
typedef enum { CARDAN_MODES_TEXT, CARDAN_MODES_JSON, CARDAN_MODES_CSV } cardan_modes_form;
CARDAN_API cardan_status cardan_describe_modes(const cardan_modes *modes, const char *name,
                                               int count, cardan_modes_form form,
                                               const cardan_allocator *allocator,
                                               char **text) CARDAN_MUST_USE;

/* The built-in models, the methods with the kinds of models that each supports (tested with small
 * models), and the integrators. */
CARDAN_API cardan_status cardan_describe_library(bool json, const cardan_allocator *allocator,
                                                 char **text,
                                                 cardan_report *report) CARDAN_MUST_USE;

/* "Did you mean": the word of list (n words) closest to word, NULL if none is similar. */
CARDAN_API const char *cardan_nearest(const char *word, const char *const *list, int n);

#ifdef __cplusplus
}
#endif
