/* SPDX-License-Identifier: Apache-2.0
 * run_job.h - one simulation, from its command line to the moment before the first step. */
#pragma once
#include "args.h"
#include "cardan/choose.h"
#include "cardan/output.h"
#include "cardan/signals.h"
#include "pairs.h"
#include "source.h"

enum { CLI_WARNING_SIZE = 512 };

/* More steps than a double counts exactly. */
#define CLI_MOST_STEPS 9007199254740992.0

typedef struct {
  const char *out; // NULL: no table
  bool json, quiet;
  int add, beside; // columns that were requested, and those beside them (cardan_record)
  cli_pairs settings, initial;
  cli_source source;
  cardan_options options;
  cardan_model *model;
  cardan_sim *sim;
  const char *input; // the table of inputs, input_length bytes; NULL: none
  char *input_text;  // the same, to give back; NULL: the result's
  size_t input_length;
  bool input_linear;
  cardan_signals *signals;
  double accuracy;       // of --method auto; 0: the method is given
  cardan_choice *choice; // NULL: none was made
  char note[256];        // on it, for results
  char (*warning)[CLI_WARNING_SIZE];
  int nwarning;
  cardan_status status; // of the start, and then of the end of the run
  char error[512];      // why it failed, "": it did not
} cli_job;

/* Has the model contacts, ropes or inequalities, and are they on? Then vi is the method that is
 * sure to hold them. */
bool cli_touches(const cardan_model *model, const cardan_options *options);

/* What decides on methods with --method auto. */
#define CLI_ACCURACY_OPTION                                                                  \
  {                                                                                          \
    "accuracy", "E", "of method auto: estimated error of a coordinate over the run, at most" \
  }

/* Everything up to a sim whose start values are set: reads the command line, loads the model, takes
 * the options in the order defaults, model, result, command line. Says what is wrong.
 * method  in place of the one that the options name, which are then those of several; "": any that
 *         takes the model; NULL: that one
 * returns an exit status; cli_job_free is needed either way */
int cli_job_prepare(cli_job *job, const cli_args *args, const char *method);
void cli_job_free(cli_job *job);

/* Starts the sim. Says what is wrong, where the loops do not close at their place in the text.
 * returns an exit status */
int cli_job_start(cli_job *job);

/* Steps of dt within the time requested; warns where that is no whole number of them. -1 and a
 * message when there are too many. */
int64_t cli_job_steps(cli_job *job);

/* What a result keeps of the job, for a table; what it points to is the job's. */
cardan_record cli_job_record(const cli_job *job);

/* Does the table go to the standard output, so that the summary does not? */
bool cli_job_taken(const cli_job *job);

/* Says why a step, a start or a row failed. returns it as an exit status */
int cli_job_failed(cardan_status status, const cardan_report *report, bool starting);

/* Keeps a warning, and prints it unless `--quiet` is set. */
void cli_job_warn(cli_job *job, const char *format, ...) CARDAN_PRINTF(2, 3);
