/* SPDX-License-Identifier: Apache-2.0
 * kinematics/link.h - twists and wrenches between a body and its parent, for the recursions.
 *
 * T_PB = (R, p). Axes of neighbours are mostly parallel or at right angles, R = Rx(alpha) Rz(..),
 * and offsets lie along an axis: then entries of R and p are 0, in every position. The body's flags
 * (CARDAN_LINK_RIGHT, ..) know, and what is 0 is not multiplied. */
#pragma once
#include "base/inline.h"
#include "cardan/model.h"
#include "spatial/twist.h"

/* a b + c, rounded once where the processor can. Compilers may fuse either product of a sum, by
 * what stands around it; what two recursions find of one thing has to be the same bits. */
CARDAN__INLINE double cardan__fused(double a, double b, double c)
{
#if defined(__FP_FAST_FMA) && !defined(CARDAN_DETERMINISTIC)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/* How a joint's axis lies to that of the joint before it. */
typedef enum { CARDAN__AXES_ANYHOW, CARDAN__AXES_RIGHT, CARDAN__AXES_PARALLEL } cardan__axes;

/* R^T x: parent coordinates to the body's. axes: a constant of the caller's */
CARDAN__INLINE cardan_vec3 cardan__axes_in(const cardan_mat3 *R, const cardan__axes axes,
                                           cardan_vec3 x)
{
  const double(*m)[3] = R->m;
  switch (axes) {
  case CARDAN__AXES_RIGHT:
    return (cardan_vec3){cardan__fused(m[2][0], x.z, m[0][0] * x.x),
                         cardan__fused(m[2][1], x.z, m[0][1] * x.x), m[1][2] * x.y};
  case CARDAN__AXES_PARALLEL:
    return (cardan_vec3){cardan__fused(m[1][0], x.y, m[0][0] * x.x),
                         cardan__fused(m[1][1], x.y, m[0][1] * x.x), x.z};
  default:
    return (cardan_vec3){cardan__fused(m[2][0], x.z, cardan__fused(m[1][0], x.y, m[0][0] * x.x)),
                         cardan__fused(m[2][1], x.z, cardan__fused(m[1][1], x.y, m[0][1] * x.x)),
                         cardan__fused(m[2][2], x.z, cardan__fused(m[1][2], x.y, m[0][2] * x.x))};
  }
}

/* R x */
CARDAN__INLINE cardan_vec3 cardan__axes_out(const cardan_mat3 *R, const cardan__axes axes,
                                            cardan_vec3 x)
{
  const double(*m)[3] = R->m;
  switch (axes) {
  case CARDAN__AXES_RIGHT:
    return (cardan_vec3){m[0][0] * x.x + m[0][1] * x.y, m[1][2] * x.z,
                         m[2][0] * x.x + m[2][1] * x.y};
  case CARDAN__AXES_PARALLEL:
    return (cardan_vec3){m[0][0] * x.x + m[0][1] * x.y, m[1][0] * x.x + m[1][1] * x.y, x.z};
  default:
    return cardan__mat3_mulv(R, x);
  }
}

/* R^T x and R x of a body with these flags. */
CARDAN__INLINE cardan_vec3 cardan__link_in(int flags, const cardan_mat3 *R, cardan_vec3 x)
{
  return flags & CARDAN_LINK_RIGHT      ? cardan__axes_in(R, CARDAN__AXES_RIGHT, x)
         : flags & CARDAN_LINK_PARALLEL ? cardan__axes_in(R, CARDAN__AXES_PARALLEL, x)
                                        : cardan__axes_in(R, CARDAN__AXES_ANYHOW, x);
}

CARDAN__INLINE cardan_vec3 cardan__link_out(int flags, const cardan_mat3 *R, cardan_vec3 x)
{
  return flags & CARDAN_LINK_RIGHT      ? cardan__axes_out(R, CARDAN__AXES_RIGHT, x)
         : flags & CARDAN_LINK_PARALLEL ? cardan__axes_out(R, CARDAN__AXES_PARALLEL, x)
                                        : cardan__mat3_mulv(R, x);
}

/* v - p x w: the velocity of the body's origin from that of the parent's. */
CARDAN__INLINE cardan_vec3 cardan__link_velocity(int flags, cardan_vec3 p, cardan_twist V)
{
  const cardan_vec3 w = V.w;
  cardan_vec3 v = V.v;
  if (flags & CARDAN_LINK_ALONG_X) {
    v.y = cardan__fused(w.z, p.x, v.y);
    v.z = cardan__fused(-w.y, p.x, v.z);
  }
  if (flags & CARDAN_LINK_ALONG_Y) {
    v.z = cardan__fused(w.x, p.y, v.z);
    v.x = cardan__fused(-w.z, p.y, v.x);
  }
  if (flags & CARDAN_LINK_ALONG_Z) {
    v.x = cardan__fused(w.y, p.z, v.x);
    v.y = cardan__fused(-w.x, p.z, v.y);
  }
  return v;
}

/* A.v + alpha x p + w x (w x p): the same of accelerations. */
CARDAN__INLINE cardan_vec3 cardan__link_acceleration(int flags, cardan_vec3 p, cardan_vec3 w,
                                                     cardan_twist A)
{
  const cardan_vec3 alpha = A.w;
  cardan_vec3 a = A.v;
  if (flags & CARDAN_LINK_ALONG_X) {
    a.x -= p.x * (w.y * w.y + w.z * w.z);
    a.y += p.x * (w.x * w.y + alpha.z);
    a.z += p.x * (w.x * w.z - alpha.y);
  }
  if (flags & CARDAN_LINK_ALONG_Y) {
    a.x += p.y * (w.x * w.y - alpha.z);
    a.y -= p.y * (w.x * w.x + w.z * w.z);
    a.z += p.y * (w.y * w.z + alpha.x);
  }
  if (flags & CARDAN_LINK_ALONG_Z) {
    a.x += p.z * (w.x * w.z + alpha.y);
    a.y += p.z * (w.y * w.z - alpha.x);
    a.z -= p.z * (w.x * w.x + w.y * w.y);
  }
  return a;
}

/* A wrench about a point that is l behind along an axis. */
CARDAN__INLINE cardan_force cardan__force_shift_x(double l, cardan_force F)
{
  return (cardan_force){{F.t.x, F.t.y - l * F.f.z, F.t.z + l * F.f.y}, F.f};
}

CARDAN__INLINE cardan_force cardan__force_shift_y(double l, cardan_force F)
{
  return (cardan_force){{F.t.x + l * F.f.z, F.t.y, F.t.z - l * F.f.x}, F.f};
}

CARDAN__INLINE cardan_force cardan__force_shift_z(double l, cardan_force F)
{
  return (cardan_force){{F.t.x - l * F.f.y, F.t.y + l * F.f.x, F.t.z}, F.f};
}

/* cardan__twist_to_child of a body with these flags. */
CARDAN__INLINE cardan_twist cardan__link_twist(int flags, const cardan_xform *X, cardan_twist V)
{
  const cardan_mat3 *R = &X->R;
  const cardan_vec3 w = V.w, v = cardan__link_velocity(flags, X->p, V);
  cardan_twist o;
  if (flags & CARDAN_LINK_RIGHT) {
    o.w = cardan__axes_in(R, CARDAN__AXES_RIGHT, w);
    o.v = cardan__axes_in(R, CARDAN__AXES_RIGHT, v);
  } else if (flags & CARDAN_LINK_PARALLEL) {
    o.w = cardan__axes_in(R, CARDAN__AXES_PARALLEL, w);
    o.v = cardan__axes_in(R, CARDAN__AXES_PARALLEL, v);
  } else {
    o.w = cardan__axes_in(R, CARDAN__AXES_ANYHOW, w);
    o.v = cardan__axes_in(R, CARDAN__AXES_ANYHOW, v);
  }
  return o;
}

/* cardan__force_to_parent of the same. */
CARDAN__INLINE cardan_force cardan__link_force(int flags, const cardan_xform *X, cardan_force F)
{
  const cardan_mat3 *R = &X->R;
  cardan_force o;
  if (flags & CARDAN_LINK_RIGHT) {
    o.t = cardan__axes_out(R, CARDAN__AXES_RIGHT, F.t);
    o.f = cardan__axes_out(R, CARDAN__AXES_RIGHT, F.f);
  } else if (flags & CARDAN_LINK_PARALLEL) {
    o.t = cardan__axes_out(R, CARDAN__AXES_PARALLEL, F.t);
    o.f = cardan__axes_out(R, CARDAN__AXES_PARALLEL, F.f);
  } else {
    o.t = cardan__mat3_mulv(R, F.t);
    o.f = cardan__mat3_mulv(R, F.f);
  }
  if (flags & CARDAN_LINK_ALONG_X) {
    o = cardan__force_shift_x(X->p.x, o);
  }
  if (flags & CARDAN_LINK_ALONG_Y) {
    o = cardan__force_shift_y(X->p.y, o);
  }
  if (flags & CARDAN_LINK_ALONG_Z) {
    o = cardan__force_shift_z(X->p.z, o);
  }
  return o;
}
