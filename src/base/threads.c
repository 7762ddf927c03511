// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // sched_getaffinity
#include "base/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/assert.h"

typedef struct {
  void (*work)(void *user, int k);
  void *user;
  int k;
  pthread_t thread;
} job;

int cardan__cores(void)
{
  cpu_set_t mine;
  const long n = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine)
                                                               : sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > CARDAN__MAX_THREADS ? CARDAN__MAX_THREADS : (int)n;
}

int cardan__jobs(int asked)
{
  return asked > 0 ? asked : cardan__cores();
}

static void *run(void *argument)
{
  const job *j = argument;
  j->work(j->user, j->k);
  return NULL;
}

void cardan__on_threads(int n, void (*work)(void *user, int k), void *user)
{
  job jobs[CARDAN__MAX_THREADS];
  sigset_t all, before;
  int started = 1;
  CARDAN_ASSERT(n >= 1 && n <= CARDAN__MAX_THREADS);
  // handlers of the program run in its own threads
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (bool more = true; more && started < n; started += more) {
    jobs[started] = (job){.work = work, .user = user, .k = started};
    more = pthread_create(&jobs[started].thread, NULL, run, &jobs[started]) == 0;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  work(user, 0);
  for (int k = started; k < n; k++) {
    work(user, k);
  }
  for (int k = 1; k < started; k++) {
    pthread_join(jobs[k].thread, NULL);
  }
}
