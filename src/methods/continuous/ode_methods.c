// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "base/assert.h"
#include "methods/continuous/ode_method.h"

/* The table of integrators: the file above all of them. */

static const cardan__ode_method *const METHODS[] = {
#define METHOD(name) &cardan__ode_##name,
    CARDAN__ODE_LIST(METHOD)
#undef METHOD
};

int cardan__ode_method_count(void)
{
  return (int)(sizeof(METHODS) / sizeof(METHODS[0]));
}

const cardan__ode_method *cardan__ode_method_at(int index)
{
  CARDAN_ASSERT(index >= 0 && index < cardan__ode_method_count());
  return METHODS[index];
}

const cardan__ode_method *cardan__ode_method_find(const char *name)
{
  for (int i = 0; i < cardan__ode_method_count(); i++) {
    if (strcmp(METHODS[i]->name, name) == 0) {
      return METHODS[i];
    }
  }
  return NULL;
}
