/* SPDX-License-Identifier: Apache-2.0
 * spatial/twist.h - kernels on rigid transforms, twists (motion) and wrenches (force).
 *
 * With T = T_AB = (R, p), A the parent and B the child frame:
 *   Ad_T = [R 0; p^R R],   ad_x = [w^ 0; v^ w^],   twists [w; v], wrenches [t; f].
 *   motion_to_parent  Ad_T          motion_to_child  Ad_T^-1
 *   force_to_parent   Ad_T^-T       force_to_child   Ad_T^T
 * Power is the same in both frames: <F_A, V_A> = <F_B, V_B>. */
#pragma once
#include "spatial/rotation.h"

/* ---- xform ---- */

static inline cardan_xform cardan__xform_identity(void)
{
  return (cardan_xform){cardan__mat3_identity(), {0.0, 0.0, 0.0}};
}

/* T_AC = T_AB T_BC */
static inline cardan_xform cardan__xform_mul(const cardan_xform *T_AB, const cardan_xform *T_BC)
{
  return (cardan_xform){cardan__mat3_mul(&T_AB->R, &T_BC->R),
                        cardan__vec3_add(cardan__mat3_mulv(&T_AB->R, T_BC->p), T_AB->p)};
}

/* T_BC = T_AB^-1 T_AC */
static inline cardan_xform cardan__xform_inv_mul(const cardan_xform *T_AB, const cardan_xform *T_AC)
{
  return (cardan_xform){cardan__mat3_tmul(&T_AB->R, &T_AC->R),
                        cardan__mat3_tmulv(&T_AB->R, cardan__vec3_sub(T_AC->p, T_AB->p))};
}

/* T_BA = T_AB^-1 */
static inline cardan_xform cardan__xform_inverse(const cardan_xform *T_AB)
{
  return (cardan_xform){cardan__mat3_transpose(&T_AB->R),
                        cardan__vec3_neg(cardan__mat3_tmulv(&T_AB->R, T_AB->p))};
}

/* A point's coordinates in A from those in B: R x + p. */
static inline cardan_vec3 cardan__xform_point(const cardan_xform *T_AB, cardan_vec3 x_B)
{
  return cardan__vec3_add(cardan__mat3_mulv(&T_AB->R, x_B), T_AB->p);
}

/* A point's coordinates in B from those in A: R^T (x - p). */
static inline cardan_vec3 cardan__xform_inv_point(const cardan_xform *T_AB, cardan_vec3 x_A)
{
  return cardan__mat3_tmulv(&T_AB->R, cardan__vec3_sub(x_A, T_AB->p));
}

/* Position p and roll, pitch, yaw [rad]: R = Rz(yaw) Ry(pitch) Rx(roll). */
static inline cardan_xform cardan__xform_from_rpy(cardan_vec3 p, double roll, double pitch,
                                                  double yaw)
{
  return (cardan_xform){cardan__mat3_from_rpy(roll, pitch, yaw), p};
}

/* Rotation about the unit vector a through the origin by theta [rad]. */
static inline cardan_xform cardan__xform_rot(cardan_vec3 a, double theta)
{
  return (cardan_xform){cardan__mat3_axis_angle(a, theta), {0.0, 0.0, 0.0}};
}

static inline cardan_xform cardan__xform_from_quat(cardan_quat q, cardan_vec3 p)
{
  return (cardan_xform){cardan__quat_to_mat3(q), p};
}

/* ---- motion ---- */

static inline cardan_twist cardan__twist_add(cardan_twist a, cardan_twist b)
{
  return (cardan_twist){cardan__vec3_add(a.w, b.w), cardan__vec3_add(a.v, b.v)};
}

static inline cardan_twist cardan__twist_sub(cardan_twist a, cardan_twist b)
{
  return (cardan_twist){cardan__vec3_sub(a.w, b.w), cardan__vec3_sub(a.v, b.v)};
}

static inline cardan_twist cardan__twist_neg(cardan_twist a)
{
  return (cardan_twist){cardan__vec3_neg(a.w), cardan__vec3_neg(a.v)};
}

static inline cardan_twist cardan__twist_scale(double k, cardan_twist a)
{
  return (cardan_twist){cardan__vec3_scale(k, a.w), cardan__vec3_scale(k, a.v)};
}

/* k x + y */
static inline cardan_twist cardan__twist_axpy(double k, cardan_twist x, cardan_twist y)
{
  return (cardan_twist){cardan__vec3_axpy(k, x.w, y.w), cardan__vec3_axpy(k, x.v, y.v)};
}

/* a x b = ad_a b = (a.w x b.w, a.w x b.v + a.v x b.w) */
static inline cardan_twist cardan__twist_cross(cardan_twist a, cardan_twist b)
{
  return (cardan_twist){
      cardan__vec3_cross(a.w, b.w),
      cardan__vec3_add(cardan__vec3_cross(a.w, b.v), cardan__vec3_cross(a.v, b.w))};
}

/* Ad_T V: child coordinates to parent coordinates. */
static inline cardan_twist cardan__twist_to_parent(const cardan_xform *T, cardan_twist V)
{
  const cardan_vec3 w = cardan__mat3_mulv(&T->R, V.w);
  return (cardan_twist){
      w, cardan__vec3_add(cardan__mat3_mulv(&T->R, V.v), cardan__vec3_cross(T->p, w))};
}

/* Ad_T^-1 V: parent coordinates to child coordinates. */
static inline cardan_twist cardan__twist_to_child(const cardan_xform *T, cardan_twist V)
{
  const cardan_vec3 v = cardan__vec3_sub(V.v, cardan__vec3_cross(T->p, V.w));
  return (cardan_twist){cardan__mat3_tmulv(&T->R, V.w), cardan__mat3_tmulv(&T->R, v)};
}

/* ---- force ---- */

static inline cardan_force cardan__force_add(cardan_force a, cardan_force b)
{
  return (cardan_force){cardan__vec3_add(a.t, b.t), cardan__vec3_add(a.f, b.f)};
}

static inline cardan_force cardan__force_sub(cardan_force a, cardan_force b)
{
  return (cardan_force){cardan__vec3_sub(a.t, b.t), cardan__vec3_sub(a.f, b.f)};
}

static inline cardan_force cardan__force_neg(cardan_force a)
{
  return (cardan_force){cardan__vec3_neg(a.t), cardan__vec3_neg(a.f)};
}

static inline cardan_force cardan__force_scale(double k, cardan_force a)
{
  return (cardan_force){cardan__vec3_scale(k, a.t), cardan__vec3_scale(k, a.f)};
}

/* k x + y */
static inline cardan_force cardan__force_axpy(double k, cardan_force x, cardan_force y)
{
  return (cardan_force){cardan__vec3_axpy(k, x.t, y.t), cardan__vec3_axpy(k, x.f, y.f)};
}

/* <F, V> = t.w + f.v [W] */
static inline double cardan__power(cardan_twist V, cardan_force F)
{
  return cardan__vec3_dot(V.w, F.t) + cardan__vec3_dot(V.v, F.f);
}

/* V x* F = -ad_V^T F = (w x t + v x f, w x f): the rate of a wrench carried along by V. */
static inline cardan_force cardan__twist_cross_force(cardan_twist V, cardan_force F)
{
  return (cardan_force){
      cardan__vec3_add(cardan__vec3_cross(V.w, F.t), cardan__vec3_cross(V.v, F.f)),
      cardan__vec3_cross(V.w, F.f)};
}

/* ad_V^T F = (t x w + f x v, f x w) = -(V x* F) */
static inline cardan_force cardan__twist_ad_transpose(cardan_twist V, cardan_force F)
{
  return (cardan_force){
      cardan__vec3_add(cardan__vec3_cross(F.t, V.w), cardan__vec3_cross(F.f, V.v)),
      cardan__vec3_cross(F.f, V.w)};
}

/* Ad_T^-T F: child coordinates to parent coordinates. */
static inline cardan_force cardan__force_to_parent(const cardan_xform *T, cardan_force F)
{
  const cardan_vec3 f = cardan__mat3_mulv(&T->R, F.f);
  return (cardan_force){
      cardan__vec3_add(cardan__mat3_mulv(&T->R, F.t), cardan__vec3_cross(T->p, f)), f};
}

/* Ad_T^T F: parent coordinates to child coordinates. */
static inline cardan_force cardan__force_to_child(const cardan_xform *T, cardan_force F)
{
  const cardan_vec3 t = cardan__vec3_sub(F.t, cardan__vec3_cross(T->p, F.f));
  return (cardan_force){cardan__mat3_tmulv(&T->R, t), cardan__mat3_tmulv(&T->R, F.f)};
}
