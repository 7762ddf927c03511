// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "say.h"

enum { BAR = 30 };

/* Seconds before the first bar, and between one and the next. */
static const double patience = 1, interval = 0.1;

void cli_progress_begin(cli_progress *progress, bool quiet)
{
  *progress = (cli_progress){.on = !quiet && isatty(STDERR_FILENO)};
  progress->start = progress->last = cli_seconds();
}

void cli_progress_show(cli_progress *progress, double now, double fraction)
{
  const double elapsed = now - progress->start;
  if (!progress->on || elapsed < patience || now - progress->last < interval || !(fraction > 0)) {
    return;
  }
  char bar[BAR + 1];
  for (int i = 0; i < BAR; i++) {
    bar[i] = i < fraction * BAR ? '#' : '.';
  }
  bar[BAR] = '\0';
  const double left = elapsed * (1 - fraction) / fraction;
  const long seconds = left < 1e8 ? (long)(left + 0.5) : 100000000L;
  char failed[40] = "";
  if (progress->failed > 0) {
    snprintf(failed, sizeof failed, ", %lld failed", progress->failed);
  }
  fprintf(stderr, "\r[%s] %3d%%, %ld:%02ld:%02ld left%s \033[K", bar, (int)(100 * fraction),
          seconds / 3600, seconds / 60 % 60, seconds % 60, failed);
  progress->last = now;
  progress->shown = true;
}

void cli_progress_end(cli_progress *progress)
{
  if (progress->shown) {
    fprintf(stderr, "\r\033[K");
    progress->shown = false;
  }
}
