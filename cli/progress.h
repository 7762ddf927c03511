/* SPDX-License-Identifier: Apache-2.0
 * progress.h - a bar with the time left, on a terminal, for work longer than a second. */
#pragma once
#include <stdbool.h>

typedef struct {
  bool on;            // the standard error is a terminal, and `--quiet` is not set
  bool shown;         // a bar stands on the terminal
  double start, last; // cli_seconds
  long long failed;   // how many did so far, of work that is of many parts
} cli_progress;

void cli_progress_begin(cli_progress *progress, bool quiet);
/* now: cli_seconds; fraction done, 0 to 1. Cheap when there is nothing to show yet. */
void cli_progress_show(cli_progress *progress, double now, double fraction);
/* Wipes the bar off. */
void cli_progress_end(cli_progress *progress);
