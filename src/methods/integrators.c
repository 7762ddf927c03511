// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "methods/continuous/ode.h"
#include "methods/method.h"

/* The integrators of option `integrator`, by index. */

const char *cardan_integrator_name(int index)
{
  return index >= 0 && index < cardan__ode_method_count()
             ? cardan__ode_method_name(cardan__ode_method_at(index))
             : NULL;
}

int cardan_integrator_order(int index)
{
  return cardan__ode_method_order(cardan__ode_method_at(index));
}

bool cardan_integrator_adaptive(int index)
{
  return cardan__ode_method_adaptive(cardan__ode_method_at(index));
}

bool cardan__integrator_foreign(int index)
{
  return cardan__ode_method_foreign(cardan__ode_method_at(index));
}

bool cardan__integrator_iterates(int index)
{
  static const char *const names[] = {"trapezoid", "midpoint", "gauss4"};
  bool found = false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    found = found || strcmp(cardan_integrator_name(index), names[i]) == 0;
  }
  return found;
}
