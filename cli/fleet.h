/* SPDX-License-Identifier: Apache-2.0
 * fleet.h - several processes at one command line, as `mpirun cardan-mpi sweep ..` starts them.
 *
 * All of them read the same command line and do the same up to the cases, which they share. What a
 * process other than the first writes to the standard error is kept, and is reported only if it is
 * the first in which something went wrong: each message once. Its standard output goes nowhere. */
#pragma once
#include <stdint.h>

typedef struct {
  int rank, size; // 0 <= rank < size
  /* Adds n to a counter that all share and that starts at 0: what it was. Any thread may call. */
  int64_t (*next)(void *user, int64_t n);
  /* Waits until all are here: the exit status of the first that has one other than CLI_DONE. The
   * others need not continue then, and are not waited for again. Numbers handed out from the moment
   * that one comes with such a status are beyond all cases, so that the others come soon. */
  int (*agree)(void *user, int exit);
  void *user;
} cli_fleet;
