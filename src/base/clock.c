// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE // CLOCK_MONOTONIC_COARSE
#include "base/clock.h"

#include <time.h>

double cardan__seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double cardan__seconds_about(void)
{
  struct timespec now;
#ifdef CLOCK_MONOTONIC_COARSE
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
#else
  clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
