/* SPDX-License-Identifier: Apache-2.0
 * forces/dual.h - a number or a vector and its change, for forces that compute both at once. */
#pragma once
#include <math.h>

#include "forces/kind.h"

typedef struct {
  double x, dx;
} cardan__dual;

static inline cardan__dual cardan__dual_add(cardan__dual a, cardan__dual b)
{
  return (cardan__dual){a.x + b.x, a.dx + b.dx};
}

static inline cardan__dual cardan__dual_sub(cardan__dual a, cardan__dual b)
{
  return (cardan__dual){a.x - b.x, a.dx - b.dx};
}

static inline cardan__dual cardan__dual_scale(double k, cardan__dual a)
{
  return (cardan__dual){k * a.x, k * a.dx};
}

static inline cardan__dual cardan__dual_mul(cardan__dual a, cardan__dual b)
{
  return (cardan__dual){a.x * b.x, a.dx * b.x + a.x * b.dx};
}

static inline cardan__dual cardan__dual_div(cardan__dual a, cardan__dual b)
{
  const double q = a.x / b.x;
  return (cardan__dual){q, (a.dx - q * b.dx) / b.x};
}

/* |a|, of change 0 where a is 0. */
static inline cardan__dual cardan__dual_abs(cardan__dual a)
{
  return a.x > 0.0 ? a : a.x < 0.0 ? (cardan__dual){-a.x, -a.dx} : (cardan__dual){0.0, 0.0};
}

/* sqrt(a^2 + b^2), of change 0 where both are 0. */
static inline cardan__dual cardan__dual_hypot(cardan__dual a, cardan__dual b)
{
  const double r = sqrt(a.x * a.x + b.x * b.x);
  return (cardan__dual){r, r > 0.0 ? (a.x * a.dx + b.x * b.dx) / r : 0.0};
}

/* atan2(a, b) */
static inline cardan__dual cardan__dual_atan2(cardan__dual a, cardan__dual b)
{
  const double r2 = a.x * a.x + b.x * b.x;
  return (cardan__dual){atan2(a.x, b.x), r2 > 0.0 ? (b.x * a.dx - a.x * b.dx) / r2 : 0.0};
}

static inline cardan__dual cardan__dual_atan(cardan__dual a)
{
  return (cardan__dual){atan(a.x), a.dx / (1.0 + a.x * a.x)};
}

static inline cardan__dual cardan__dual_sin(cardan__dual a)
{
  return (cardan__dual){sin(a.x), cos(a.x) * a.dx};
}

/* ---- vectors ---- */

static inline cardan__slope cardan__slope_add(cardan__slope a, cardan__slope b)
{
  return (cardan__slope){cardan__vec3_add(a.x, b.x), cardan__vec3_add(a.dx, b.dx)};
}

static inline cardan__slope cardan__slope_sub(cardan__slope a, cardan__slope b)
{
  return (cardan__slope){cardan__vec3_sub(a.x, b.x), cardan__vec3_sub(a.dx, b.dx)};
}

static inline cardan__slope cardan__slope_cross(cardan__slope a, cardan__slope b)
{
  return (cardan__slope){
      cardan__vec3_cross(a.x, b.x),
      cardan__vec3_add(cardan__vec3_cross(a.dx, b.x), cardan__vec3_cross(a.x, b.dx))};
}

static inline cardan__dual cardan__slope_times(cardan__slope a, cardan__slope b)
{
  cardan__dual d;
  d.x = cardan__slope_dot(a, b, &d.dx);
  return d;
}

/* k a */
static inline cardan__slope cardan__slope_scale(cardan__dual k, cardan__slope a)
{
  return (cardan__slope){cardan__vec3_scale(k.x, a.x),
                         cardan__vec3_axpy(k.dx, a.x, cardan__vec3_scale(k.x, a.dx))};
}
