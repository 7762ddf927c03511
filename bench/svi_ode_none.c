// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "svi.h"

void bench_ode(void)
{
  printf("  ODE was not found when this was built\n");
}
