/* SPDX-License-Identifier: Apache-2.0
 * trace.h - --trace: the residual of every evaluation of a root finder, as CSV. */
#pragma once
#include <stdio.h>

#include "args.h"
#include "cardan/sim.h"

typedef struct {
  const char *path; // NULL: not asked for
  FILE *file;
} cli_trace;

/* Opens the file that --trace names, if it does. returns an exit status, after saying what is
 * wrong */
int cli_trace_open(cli_trace *trace, const cli_args *args);
/* The evaluations of the step just taken, or that failed: its number, and when it began. */
void cli_trace_step(cli_trace *trace, const cardan_sim *sim, long long step, double t);
/* returns status, or CLI_USAGE when the file could not be written */
int cli_trace_close(cli_trace *trace, int status);
