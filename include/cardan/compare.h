/* SPDX-License-Identifier: Apache-2.0
 * cardan/compare.h - the same motion by several methods: error, drift and cost side by side.
 *
 * Each contender runs from the same start to the same time. A reference, one of the methods at a
 * tight tolerance, says where the mechanism should be; the error of a contender is how far its
 * bodies are from there, at common times. These calls allocate and take as long as the runs do. */
#pragma once
#include "cardan/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One method at one step size. Fill options; the rest is written by cardan_compare. */
typedef struct {
  cardan_options options;
  char label[64]; // of cardan_options_label
  bool refused;   // the method cannot take the model; message says why
  cardan_status status;
  char message[512]; // "" or why it was refused, or ended early
  char warning[384]; // "" or what the checks of the motion found (cardan_sim_warning)
  cardan_stats stats;
  double wall_seconds; // of the stepping alone; of runs below 0.1 s the least of three
  double error_final;  // at the last common time [m]; NaN: not known
  double error_max;    // over all common times [m]; NaN: not known
  double parted;       // from this common time on the motion is another one: the error was above a
                       // tenth of the model's length ever after; NaN: it never was [s]
  double order;        // of error_max, fitted over the contenders of this label; NaN: too few
} cardan_contender;

/* What a caller may want of the runs. contender -1 is the reference.
 * begin   a sim before its start; puts sinks of its own for the run into sinks (room for
 *         CARDAN_COMPARE_SINKS), and how many into *nsink (0 before)
 * error   the error of a contender at a common time [m], of which there are at most
 *         CARDAN_COMPARE_TIMES; NULL: not reported
 * Any status but CARDAN_OK, of begin or of such a sink, ends everything and is returned. */
enum { CARDAN_COMPARE_SINKS = 4, CARDAN_COMPARE_TIMES = 1000 };
typedef struct {
  void *user;
  cardan_status (*begin)(void *user, int contender, cardan_sim *sim, cardan_sink *sinks, int *nsink,
                         cardan_report *report);
  void (*error)(void *user, int contender, double t, double error);
} cardan_compare_hooks;

/* Errors over time of n contenders, as a page shows them. create: *out is NULL on failure.
 * put     the next error of a contender; errors: what create made. Also as the hook `error` */
typedef struct {
  int n;
  int *count;    // n: errors that each has; one that ended early has fewer
  double *time;  // CARDAN_COMPARE_TIMES, as many as the largest count are known [s]
  double *error; // n x CARDAN_COMPARE_TIMES [m]
  cardan_allocator allocator;
} cardan_compare_errors;
CARDAN_API cardan_status cardan_compare_errors_create(int n, const cardan_allocator *allocator,
                                                      cardan_compare_errors **out) CARDAN_MUST_USE;
CARDAN_API void cardan_compare_errors_destroy(cardan_compare_errors *errors); // NULL is fine
CARDAN_API void cardan_compare_errors_put(void *errors, int contender, double t, double error);

/* The options of a reference: what it has of `like`, method and integrator as given ("aba/dopri5"
 * for NULL), at tolerances of 1e-12 where the integrator is adaptive, else at an eighth of the
 * smallest dt. */
CARDAN_API cardan_status cardan_reference_options(const cardan_options *like, const char *name,
                                                  const cardan_contender *contender, int n,
                                                  cardan_options *options,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Sets method and integrator from "METHOD" or "METHOD/INTEGRATOR". */
CARDAN_API cardan_status cardan_options_set_label(cardan_options *options, const char *name,
                                                  cardan_report *report) CARDAN_MUST_USE;

/* Runs the reference, then the contenders in order. Their times must be one, and their steps must
 * divide the largest of them.
 * q, v    start values, NULL: the model's own
 * error   of a body: its distance from the reference, and its turn times the model's typical
 *         length, as the root of the sum of squares; of a mechanism: that of its worst body
 * report  why there is no reference (status CARDAN_OK: the errors are then NaN), or the failure
 * returns CARDAN_ERR_ARGUMENT, CARDAN_ERR_MEMORY, or what a hook returned */
CARDAN_API cardan_status cardan_compare(const cardan_model *model, const double *q, const double *v,
                                        const cardan_options *reference,
                                        cardan_contender *contender, int n,
                                        const cardan_compare_hooks *hooks,
                                        const cardan_allocator *allocator,
                                        cardan_report *report) CARDAN_MUST_USE;

/* The results as a table or as one JSON object; the text goes back with cardan_free_text (load.h).
 * reference  its label;  run  of each contender the index of its motion on a page; NULL: none */
CARDAN_API cardan_status cardan_describe_comparison(const cardan_contender *contender, int n,
                                                    const char *model, const char *reference,
                                                    const int *run, bool json,
                                                    const cardan_allocator *allocator,
                                                    char **text) CARDAN_MUST_USE;

/* The JSON object for a page, cardan_page.comparison: with "times", "errors", a list for each
 * contender that was not refused, and "reference_run", the index of the reference's motion on the
 * page, -1: it is not there. */
CARDAN_API cardan_status cardan_describe_comparison_page(
    const cardan_contender *contender, int n, const char *model, const char *reference,
    const int *run, const cardan_compare_errors *errors, int reference_run,
    const cardan_allocator *allocator, char **text) CARDAN_MUST_USE;

#ifdef __cplusplus
}
#endif
