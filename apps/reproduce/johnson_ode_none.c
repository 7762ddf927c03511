// SPDX-License-Identifier: Apache-2.0
#include "reproduce/johnson_ode.h"

#include <math.h>
#include <stddef.h>

bool cardan__ode_here(void)
{
  return false;
}

cardan__ode *cardan__ode_open(const cardan__ode_plan *plan, cardan__ode_way way,
                              const cardan_allocator *allocator)
{
  (void)plan, (void)way, (void)allocator;
  return NULL;
}

void cardan__ode_close(cardan__ode *ode)
{
  (void)ode;
}

void cardan__ode_step(cardan__ode *ode, double dt)
{
  (void)ode, (void)dt;
}

double cardan__ode_energy(const cardan__ode *ode)
{
  (void)ode;
  return NAN;
}

double cardan__ode_turn(const cardan__ode *ode, int body)
{
  (void)ode, (void)body;
  return NAN;
}
