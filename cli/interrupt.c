// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stddef.h>

/* The one thing that changes and belongs to nobody: a signal handler is given no pointer. */
static volatile sig_atomic_t caught;

static void note(int signal)
{
  caught = signal;
}

void cli_interrupt_begin(void)
{
  struct sigaction action = {.sa_handler = note};
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, NULL);   // may come twice, to the process and to its group
  action.sa_flags = (int)SA_RESETHAND; // a second Ctrl-C means: at once
  sigaction(SIGINT, &action, NULL);
}

int cli_interrupted(void)
{
  return caught;
}
