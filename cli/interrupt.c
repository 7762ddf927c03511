// SPDX-License-Identifier: Apache-2.0
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(int) == sizeof(sig_atomic_t), "a handler writes an int at once");

/* Seconds that a step may continue after a signal, below the one that a user is promised. */
static const long grace_ns = 700000000L;

/* What a signal handler reads; it is given no pointer, so these are global.
 * The text is made before it is needed: a handler cannot make one. */
static volatile int caught;          // 0: none came; one that a handler can write at once
static volatile sig_atomic_t polite; // a loop polls `caught`, or files are being closed
static volatile sig_atomic_t held;   // a file is being made, and its name is not known here yet
static volatile sig_atomic_t timed;  // and must do so soon
static timer_t watchdog;
static bool has_watchdog;
static char inside[1024];
static const char at_once[] = "cardan: stopped by a signal; no file was written\n";
static const char *volatile word = at_once;

/* Files that have nothing in them yet. */
enum { MOST_DROPS = 2, DROP_SIZE = 4096 };
static char drop[MOST_DROPS][DROP_SIZE];
static volatile sig_atomic_t ndrop;

/* Ends the process as it is. Tables under way keep what is on disk. */
static void give_up(int signal)
{
  const char *text = word;
  const ssize_t written = write(STDERR_FILENO, text, strlen(text));
  (void)written;
  for (int i = 0; i < ndrop; i++) {
    unlink(drop[i]);
  }
  _exit(128 + signal);
}

static void too_late(int signal)
{
  (void)signal;
  give_up(caught);
}

static void note(int signal)
{
  const int before = caught, error = errno;
  const struct itimerspec grace = {.it_value = {.tv_nsec = grace_ns}};
  if ((!polite && !held) || (before == SIGINT && signal == SIGINT)) {
    give_up(signal);
  }
  caught = signal;
  if (before == 0 && timed) { // SIGTERM may come twice, to the process and to its group
    timer_settime(watchdog, 0, &grace, NULL);
  }
  errno = error;
}

static void listen_to(int signal)
{
  struct sigaction action = {.sa_handler = note}, old;
  sigemptyset(&action.sa_mask);
  const bool hangs_up = signal == SIGHUP; // a shell ignores Ctrl-C for a job of a script, too
  if (sigaction(signal, NULL, &old) == 0 && !(hangs_up && old.sa_handler == SIG_IGN)) {
    sigaction(signal, &action, NULL);
  }
}

void cli_interrupt_ready(void)
{
  struct sigaction action = {.sa_handler = too_late};
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  sigemptyset(&action.sa_mask);
  sigaction(SIGALRM, &action, NULL);
  has_watchdog = has_watchdog || timer_create(CLOCK_MONOTONIC, &event, &watchdog) == 0;
  listen_to(SIGINT);
  listen_to(SIGTERM);
  listen_to(SIGHUP);
}

void cli_interrupt_drop(const char *path)
{
  const size_t length = strlen(path);
  if (ndrop < MOST_DROPS && length < DROP_SIZE) {
    memcpy(drop[ndrop], path, length + 1);
    ndrop++;
  }
}

void cli_interrupt_hold(bool hold)
{
  held = hold; // not a mask: a signal may come to any thread
  if (!hold && caught != 0 && !polite) {
    give_up(caught);
  }
}

void cli_interrupt_begin(const char *left)
{
  ndrop = 0;
  snprintf(inside, sizeof inside, "cardan: stopped by a signal inside a step: %.900s\n",
           left ? left : "nothing was kept");
  polite = 1;
  timed = left != NULL && has_watchdog;
  word = inside;
  cli_interrupt_ready(); // of a program that did not begin with it
}

void cli_interrupt_end(void)
{
  const struct itimerspec never = {0};
  timed = 0;
  if (has_watchdog) {
    timer_settime(watchdog, 0, &never, NULL);
  }
  word = "cardan: stopped by a signal while its files were written\n";
}

void cli_interrupt_leave(void)
{
  word = "cardan: stopped by a signal after its files were written\n";
  ndrop = 0;
  held = polite = 0;
}

int cli_interrupted(void)
{
  return caught;
}

const volatile int *cli_interrupt_flag(void)
{
  return &caught;
}
