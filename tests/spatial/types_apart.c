// SPDX-License-Identifier: Apache-2.0
// Twists and wrenches are different types. This file compiles as it is, and must not when
// ADD_WRENCH_TO_TWIST is defined; it is only compiled, never run.
#include "spatial/spatial.h"

cardan_twist cardan__test_sum(cardan_twist V, cardan_force F);

cardan_twist cardan__test_sum(cardan_twist V, cardan_force F)
{
#ifdef ADD_WRENCH_TO_TWIST
  return cardan__twist_add(V, F);
#else
  return cardan__twist_scale(cardan__power(V, F), V);
#endif
}
