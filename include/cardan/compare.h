/* SPDX-License-Identifier: Apache-2.0
 * cardan/compare.h - compares several methods on the same motion: error, drift and cost.
 *
 * Each contender runs from the same start to the same time. The reference is one of the methods at
 * a tight tolerance; the error of a contender is the distance of its bodies from those of the
 * reference at common times. These calls allocate and take as long as the runs do. */
#pragma once
#include "cardan/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One method at one step size. Fill options; the rest is written by cardan_compare. */
typedef struct {
  cardan_options options;
  char label[64]; // of cardan_options_label
  bool refused;   // the method does not support the model; message says why
  cardan_status status;
  char message[512]; // why it was refused or ended early; "": neither
  char warning[384]; // the warning of its run (cardan_sim_warning); "": none
  cardan_stats stats;
  double wall_seconds; // time of the steps alone; for runs below 0.1 s the minimum of three
  double error_final;  // at the last common time [m]; NaN: not known
  double error_max;    // over all common times [m]; NaN: not known
  double parted;       // from this common time on the motion is another one: the error was above a
                       // tenth of the model's length ever after; NaN: it never was [s]
  double order;        // of error_max, fitted over the contenders of this label; NaN: too few
} cardan_contender;

/* Callbacks during a comparison. contender -1 is the reference.
 * begin   called with each sim before its start; may write up to CARDAN_COMPARE_SINKS sinks to
 *         `sinks` and their number to *nsink (0 before the call)
 * error   called with the error of a contender at each common time [m], at most
 *         CARDAN_COMPARE_TIMES times; NULL: not called
 * Any status other than CARDAN_OK from begin or from such a sink ends the comparison and is
 * returned. */
enum { CARDAN_COMPARE_SINKS = 4, CARDAN_COMPARE_TIMES = 1000 };
typedef struct {
  void *user;
  cardan_status (*begin)(void *user, int contender, cardan_sim *sim, cardan_sink *sinks, int *nsink,
                         cardan_report *report);
  void (*error)(void *user, int contender, double t, double error);
} cardan_compare_hooks;

/* Errors over time of n contenders, as a page shows them. create: *out is NULL on failure.
 * put     appends an error of a contender; `errors` is the result of create, so that put can be
 *         the hook `error` */
typedef struct {
  int n;
  int *count;    // n: number of errors of each contender; fewer if its run ended early
  double *time;  // CARDAN_COMPARE_TIMES; the first max(count) are set [s]
  double *error; // n x CARDAN_COMPARE_TIMES [m]
  cardan_allocator allocator;
} cardan_compare_errors;
CARDAN_API cardan_status cardan_compare_errors_create(int n, const cardan_allocator *allocator,
                                                      cardan_compare_errors **out) CARDAN_MUST_USE;
CARDAN_API void cardan_compare_errors_destroy(cardan_compare_errors *errors); // NULL is fine
CARDAN_API void cardan_compare_errors_put(void *errors, int contender, double t, double error);

/* Options of a reference run: those of `like` that the method has, with method and integrator from
 * name ("aba/dopri5" for NULL), at tolerances of 1e-12 if the integrator is adaptive, otherwise at
 * 1/8 of the smallest dt. */
CARDAN_API cardan_status cardan_reference_options(const cardan_options *like, const char *name,
                                                  const cardan_contender *contender, int n,
                                                  cardan_options *options,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Sets method and integrator from "METHOD" or "METHOD/INTEGRATOR". */
CARDAN_API cardan_status cardan_options_set_label(cardan_options *options, const char *name,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Runs the reference, then the contenders in order. All must have the same time, and their steps
 * must divide the largest step.
 * The error of a body is sqrt(d^2 + (L r)^2): d its distance from the reference [m], r the angle of
 * rotation between the two [rad], L the model's typical length. The error of a mechanism is that of
 * its worst body.
 * q, v    start values, NULL: the model's own
 * report  why there is no reference (status CARDAN_OK: the errors are then NaN), or the failure
 * returns CARDAN_ERR_ARGUMENT, CARDAN_ERR_MEMORY, or what a hook returned */
CARDAN_API cardan_status cardan_compare(const cardan_model *model, const double *q, const double *v,
                                        const cardan_options *reference,
                                        cardan_contender *contender, int n,
                                        const cardan_compare_hooks *hooks,
                                        const cardan_allocator *allocator,
                                        cardan_report *report) CARDAN_MUST_USE;

/* The results as a table or as one JSON object; free the text with cardan_free_text.
 * reference  label of the reference
 * run        for each contender the index of its motion on a page; NULL: none */
CARDAN_API cardan_status cardan_describe_comparison(const cardan_contender *contender, int n,
                                                    const char *model, const char *reference,
                                                    const int *run, bool json,
                                                    const cardan_allocator *allocator,
                                                    char **text) CARDAN_MUST_USE;

/* The JSON object for cardan_page.comparison. It also has "times", "errors" (one list for each
 * contender that was not refused) and "reference_run" (index of the reference's motion on the page,
 * -1: not on the page). */
CARDAN_API cardan_status cardan_describe_comparison_page(
    const cardan_contender *contender, int n, const char *model, const char *reference,
    const int *run, const cardan_compare_errors *errors, int reference_run,
    const cardan_allocator *allocator, char **text) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
