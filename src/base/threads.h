/* SPDX-License-Identifier: Apache-2.0
 * base/threads.h - the same work on several threads. */
#pragma once

/* More than this are never started. */
enum { CARDAN__MAX_THREADS = 256 };

/* Cores that the calling thread may run on, at least 1. */
int cardan__cores(void);
/* As many at a time as requested; 0, or less: as there are cores. */
int cardan__jobs(int asked);

/* Calls work(user, k) for k = 0 .. n - 1, 1 <= n <= CARDAN__MAX_THREADS: k = 0 in the calling
 * thread, each other one in a thread of its own, which takes no signals; returns when all are done.
 * What the system has no thread for, the caller's does in the end. */
void cardan__on_threads(int n, void (*work)(void *user, int k), void *user);
