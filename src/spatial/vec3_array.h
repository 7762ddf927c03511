/* SPDX-License-Identifier: Apache-2.0
 * spatial/vec3_array.h - vectors inside arrays of numbers. */
#pragma once
#include "cardan/spatial.h"

static inline cardan_vec3 cardan__vec3_of(const double x[3])
{
  return (cardan_vec3){x[0], x[1], x[2]};
}

static inline void cardan__vec3_put(cardan_vec3 a, double to[3])
{
  to[0] = a.x;
  to[1] = a.y;
  to[2] = a.z;
}
