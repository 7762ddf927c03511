/* SPDX-License-Identifier: Apache-2.0
 * continue.h - cardan run FILE --continue: which file, which options, and where the sim then is. */
#pragma once
#include "cardan/continue.h"
#include "run_job.h"

enum { CLI_PATH_SIZE = 4096 };

/* Seconds from one state to the next, unless --checkpoint says otherwise. */
#define CLI_CHECKPOINT 10.0

typedef struct {
  bool asked;                                   // --continue
  char from[CLI_PATH_SIZE], out[CLI_PATH_SIZE]; // the file to continue; its name at the end
  double checkpoint;                            // --checkpoint [s]
  cardan_continuation at;
} cli_continue;

/* "r.partial.h5" for "r.h5": a table under way. returns false where there is no room for it, or the
 * name has no ending */
bool cli_partial_name(const char *out, char *name, size_t size);

/* Reads --continue and --checkpoint, finds the file, and refuses what does not go with them. Says
 * what is wrong; returns an exit status. */
int cli_continue_read(cli_continue *resume, const cli_args *args);

/* Brings the job's sim to where the file ends, and says how. sink: the observer.
 * returns an exit status */
int cli_continue_sim(cli_continue *resume, cli_job *job, const cardan_sink *sink);

/* Is everything there already, in a file that has its name? */
bool cli_continue_done(const cli_continue *resume, int64_t steps);
