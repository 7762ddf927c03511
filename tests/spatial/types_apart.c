// SPDX-License-Identifier: Apache-2.0
// Twists and wrenches are different types. This file compiles as it is, and must not when
// ADD_WRENCH_TO_TWIST is defined; it is only compiled, never run.
#include "spatial/spatial.h"

cardan_motion cardan__test_sum(cardan_motion V, cardan_force F);

cardan_motion cardan__test_sum(cardan_motion V, cardan_force F)
{
#ifdef ADD_WRENCH_TO_TWIST
  return cardan__motion_add(V, F);
#else
  return cardan__motion_scale(cardan__power(V, F), V);
#endif
}
