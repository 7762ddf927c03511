/* SPDX-License-Identifier: Apache-2.0
 * picture_space.h - vectors and poses, for pictures. */
#pragma once
#include <math.h>

#include "cardan/spatial.h"

static inline cardan_vec3 add(cardan_vec3 a, double k, cardan_vec3 b)
{
  return (cardan_vec3){a.x + k * b.x, a.y + k * b.y, a.z + k * b.z};
}

static inline double dot(cardan_vec3 a, cardan_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cardan_vec3 cross(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline cardan_vec3 unit(cardan_vec3 a)
{
  const double n = sqrt(dot(a, a));
  return n > 0 ? (cardan_vec3){a.x / n, a.y / n, a.z / n} : (cardan_vec3){0, 0, 1};
}

static inline cardan_vec3 at(const cardan_xform *X, cardan_vec3 p)
{
  const double(*m)[3] = X->R.m;
  return (cardan_vec3){m[0][0] * p.x + m[0][1] * p.y + m[0][2] * p.z + X->p.x,
                       m[1][0] * p.x + m[1][1] * p.y + m[1][2] * p.z + X->p.y,
                       m[2][0] * p.x + m[2][1] * p.y + m[2][2] * p.z + X->p.z};
}
