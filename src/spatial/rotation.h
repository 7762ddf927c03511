/* SPDX-License-Identifier: Apache-2.0
 * spatial/rotation.h - kernels on vectors, 3 x 3 matrices and unit quaternions.
 *
 * A rotation R_AB or quaternion q_AB takes coordinates in B (child) to A (parent): x_A = R x_B.
 * Matrix-vector calls end in v: mulv is A x, tmulv is A^T x. */
#pragma once
#include <math.h>

#include "cardan/spatial.h"

/* ---- vec3 ---- */

static inline cardan_vec3 cardan__vec3(double x, double y, double z)
{
  return (cardan_vec3){x, y, z};
}

static inline cardan_vec3 cardan__vec3_add(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline cardan_vec3 cardan__vec3_sub(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline cardan_vec3 cardan__vec3_neg(cardan_vec3 a)
{
  return (cardan_vec3){-a.x, -a.y, -a.z};
}

static inline cardan_vec3 cardan__vec3_scale(double k, cardan_vec3 a)
{
  return (cardan_vec3){k * a.x, k * a.y, k * a.z};
}

/* k x + y */
static inline cardan_vec3 cardan__vec3_axpy(double k, cardan_vec3 x, cardan_vec3 y)
{
  return (cardan_vec3){k * x.x + y.x, k * x.y + y.y, k * x.z + y.z};
}

static inline double cardan__vec3_dot(cardan_vec3 a, cardan_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline cardan_vec3 cardan__vec3_cross(cardan_vec3 a, cardan_vec3 b)
{
  return (cardan_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* Length; components beyond 1e154 overflow and below 1e-162 count as zero. */
static inline double cardan__vec3_norm(cardan_vec3 a)
{
  return sqrt(cardan__vec3_dot(a, a));
}

/* a / |a|; a must not be zero. */
static inline cardan_vec3 cardan__vec3_normalize(cardan_vec3 a)
{
  return cardan__vec3_scale(1.0 / cardan__vec3_norm(a), a);
}

/* The direction from which angles about the unit vector n count: the axis that n is furthest from,
 * less its part along n. */
static inline cardan_vec3 cardan__vec3_across(cardan_vec3 n)
{
  const bool x = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z);
  const bool y = !x && fabs(n.y) <= fabs(n.z);
  const cardan_vec3 e = cardan__vec3(x, y, !x && !y);
  return cardan__vec3_normalize(cardan__vec3_axpy(-cardan__vec3_dot(e, n), n, e));
}

/* ---- mat3 ---- */

static inline cardan_mat3 cardan__mat3_identity(void)
{
  return (cardan_mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

/* [a b c]: the three vectors become columns. */
static inline cardan_mat3 cardan__mat3_from_columns(cardan_vec3 a, cardan_vec3 b, cardan_vec3 c)
{
  return (cardan_mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

/* a^, so that a^ b = a x b. */
static inline cardan_mat3 cardan__mat3_skew(cardan_vec3 a)
{
  return (cardan_mat3){{{0.0, -a.z, a.y}, {a.z, 0.0, -a.x}, {-a.y, a.x, 0.0}}};
}

static inline cardan_mat3 cardan__mat3_transpose(const cardan_mat3 *A)
{
  return (cardan_mat3){{{A->m[0][0], A->m[1][0], A->m[2][0]},
                        {A->m[0][1], A->m[1][1], A->m[2][1]},
                        {A->m[0][2], A->m[1][2], A->m[2][2]}}};
}

static inline cardan_vec3 cardan__mat3_column(const cardan_mat3 *A, int j)
{
  return (cardan_vec3){A->m[0][j], A->m[1][j], A->m[2][j]};
}

static inline cardan_vec3 cardan__mat3_row(const cardan_mat3 *A, int i)
{
  return (cardan_vec3){A->m[i][0], A->m[i][1], A->m[i][2]};
}

/* A x */
static inline cardan_vec3 cardan__mat3_mulv(const cardan_mat3 *A, cardan_vec3 x)
{
  return (cardan_vec3){A->m[0][0] * x.x + A->m[0][1] * x.y + A->m[0][2] * x.z,
                       A->m[1][0] * x.x + A->m[1][1] * x.y + A->m[1][2] * x.z,
                       A->m[2][0] * x.x + A->m[2][1] * x.y + A->m[2][2] * x.z};
}

/* A^T x */
static inline cardan_vec3 cardan__mat3_tmulv(const cardan_mat3 *A, cardan_vec3 x)
{
  return (cardan_vec3){A->m[0][0] * x.x + A->m[1][0] * x.y + A->m[2][0] * x.z,
                       A->m[0][1] * x.x + A->m[1][1] * x.y + A->m[2][1] * x.z,
                       A->m[0][2] * x.x + A->m[1][2] * x.y + A->m[2][2] * x.z};
}

/* A B */
static inline cardan_mat3 cardan__mat3_mul(const cardan_mat3 *A, const cardan_mat3 *B)
{
  return cardan__mat3_from_columns(cardan__mat3_mulv(A, cardan__mat3_column(B, 0)),
                                   cardan__mat3_mulv(A, cardan__mat3_column(B, 1)),
                                   cardan__mat3_mulv(A, cardan__mat3_column(B, 2)));
}

/* A^T B */
static inline cardan_mat3 cardan__mat3_tmul(const cardan_mat3 *A, const cardan_mat3 *B)
{
  return cardan__mat3_from_columns(cardan__mat3_tmulv(A, cardan__mat3_column(B, 0)),
                                   cardan__mat3_tmulv(A, cardan__mat3_column(B, 1)),
                                   cardan__mat3_tmulv(A, cardan__mat3_column(B, 2)));
}

/* A B^T */
static inline cardan_mat3 cardan__mat3_mult(const cardan_mat3 *A, const cardan_mat3 *B)
{
  return cardan__mat3_from_columns(cardan__mat3_mulv(A, cardan__mat3_row(B, 0)),
                                   cardan__mat3_mulv(A, cardan__mat3_row(B, 1)),
                                   cardan__mat3_mulv(A, cardan__mat3_row(B, 2)));
}

/* Rotation about the unit vector a by theta, with c = cos theta, s = sin theta. */
static inline cardan_mat3 cardan__mat3_axis_cs(cardan_vec3 a, double c, double s)
{
  const cardan_vec3 b = cardan__vec3_scale(1.0 - c, a), n = cardan__vec3_scale(s, a);
  return (cardan_mat3){{{c + b.x * a.x, b.x * a.y - n.z, b.x * a.z + n.y},
                        {b.y * a.x + n.z, c + b.y * a.y, b.y * a.z - n.x},
                        {b.z * a.x - n.y, b.z * a.y + n.x, c + b.z * a.z}}};
}

/* Rotation about the unit vector a by theta [rad]. */
static inline cardan_mat3 cardan__mat3_axis_angle(cardan_vec3 a, double theta)
{
  return cardan__mat3_axis_cs(a, cos(theta), sin(theta));
}

/* The rotation that takes z to a direction of any length, by the shortest way. */
static inline cardan_mat3 cardan__mat3_z_to(cardan_vec3 direction)
{
  const cardan_vec3 d = cardan__vec3_normalize(direction), z = {0, 0, 1};
  const cardan_vec3 n = cardan__vec3_cross(z, d);
  const double s = cardan__vec3_norm(n);
  if (s < 1e-10) { // half a turn about x, exactly
    const double c = d.z > 0 ? 1 : -1;
    return (cardan_mat3){{{1, 0, 0}, {0, c, 0}, {0, 0, c}}};
  }
  return cardan__mat3_axis_cs(cardan__vec3_scale(1 / s, n), d.z, s);
}

/* R Rz(theta), c = cos theta, s = sin theta: 12 products. */
static inline cardan_mat3 cardan__mat3_mul_rot_z(const cardan_mat3 *R, double c, double s)
{
  const cardan_vec3 x = cardan__mat3_column(R, 0), y = cardan__mat3_column(R, 1);
  return cardan__mat3_from_columns(cardan__vec3_axpy(c, x, cardan__vec3_scale(s, y)),
                                   cardan__vec3_axpy(c, y, cardan__vec3_scale(-s, x)),
                                   cardan__mat3_column(R, 2));
}

/* Roll, pitch, yaw [rad] about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll). */
static inline cardan_mat3 cardan__mat3_from_rpy(double roll, double pitch, double yaw)
{
  const double cr = cos(roll), sr = sin(roll), cp = cos(pitch), sp = sin(pitch);
  const double cy = cos(yaw), sy = sin(yaw);
  return (cardan_mat3){{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                        {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                        {-sp, cp * sr, cp * cr}}};
}

/* ---- quat ---- */

/* a b: q_AC = q_AB q_BC. */
static inline cardan_quat cardan__quat_mul(cardan_quat a, cardan_quat b)
{
  return (cardan_quat){
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/* Conjugate: the inverse of a unit quaternion. */
static inline cardan_quat cardan__quat_conj(cardan_quat q)
{
  return (cardan_quat){q.w, -q.x, -q.y, -q.z};
}

static inline double cardan__quat_norm(cardan_quat q)
{
  return sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

/* q / |q|; q must not be zero. */
static inline cardan_quat cardan__quat_normalize(cardan_quat q)
{
  const double k = 1.0 / cardan__quat_norm(q);
  return (cardan_quat){k * q.w, k * q.x, k * q.y, k * q.z};
}

/* Rotation matrix of a unit quaternion. */
static inline cardan_mat3 cardan__quat_to_mat3(cardan_quat q)
{
  const double x2 = q.x + q.x, y2 = q.y + q.y, z2 = q.z + q.z;
  const double xx = q.x * x2, yy = q.y * y2, zz = q.z * z2;
  const double xy = q.x * y2, xz = q.x * z2, yz = q.y * z2;
  const double wx = q.w * x2, wy = q.w * y2, wz = q.w * z2;
  return (cardan_mat3){{{1.0 - (yy + zz), xy - wz, xz + wy},
                        {xy + wz, 1.0 - (xx + zz), yz - wx},
                        {xz - wy, yz + wx, 1.0 - (xx + yy)}}};
}

/* Unit quaternion of a rotation matrix, w >= 0 or not: divides by the largest of the four
 * components, which is at least 1/2 (Shepperd 1978), so no rotation is badly conditioned.
 * Four-way branch. The result has norm 1 when R is orthonormal; it is normalised in any case. */
static inline cardan_quat cardan__quat_from_mat3(const cardan_mat3 *R)
{
  const double xx = R->m[0][0], yy = R->m[1][1], zz = R->m[2][2];
  const double ax = R->m[2][1] - R->m[1][2], sx = R->m[2][1] + R->m[1][2];
  const double ay = R->m[0][2] - R->m[2][0], sy = R->m[0][2] + R->m[2][0];
  const double az = R->m[1][0] - R->m[0][1], sz = R->m[1][0] + R->m[0][1];
  const double trace = xx + yy + zz;
  cardan_quat q; // 4 times (largest component) times the quaternion

  if (trace >= xx && trace >= yy && trace >= zz) {
    q = (cardan_quat){1.0 + trace, ax, ay, az};
  } else if (xx >= yy && xx >= zz) {
    q = (cardan_quat){ax, 1.0 + xx - yy - zz, sz, sy};
  } else if (yy >= zz) {
    q = (cardan_quat){ay, sz, 1.0 + yy - xx - zz, sx};
  } else {
    q = (cardan_quat){az, sy, sx, 1.0 + zz - xx - yy};
  }
  return cardan__quat_normalize(q);
}

/* R(q) a, without forming the matrix: a + 2 w (u x a) + 2 u x (u x a). */
static inline cardan_vec3 cardan__quat_rotate(cardan_quat q, cardan_vec3 a)
{
  const cardan_vec3 u = {q.x, q.y, q.z};
  const cardan_vec3 t = cardan__vec3_scale(2.0, cardan__vec3_cross(u, a));
  return cardan__vec3_add(cardan__vec3_axpy(q.w, t, a), cardan__vec3_cross(u, t));
}

/* exp(r): the unit quaternion of rotation vector r [rad], any length. One select, no loop.
 * sin(t/2)/t needs no series: both are accurate to an ulp down to t = 0, where the limit is 1/2. */
static inline cardan_quat cardan__quat_from_rotvec(cardan_vec3 r)
{
  const double t = cardan__vec3_norm(r), half = 0.5 * t;
  const double k = t > 0.0 ? sin(half) / t : 0.5;
  return (cardan_quat){cos(half), k * r.x, k * r.y, k * r.z};
}

/* Time derivative: qdot = 1/2 q (0, w), w the angular velocity in child coordinates [rad/s]. */
static inline cardan_quat cardan__quat_deriv(cardan_quat q, cardan_vec3 w)
{
  const cardan_vec3 h = cardan__vec3_scale(0.5, w);
  return (cardan_quat){-q.x * h.x - q.y * h.y - q.z * h.z, q.w * h.x + q.y * h.z - q.z * h.y,
                       q.w * h.y + q.z * h.x - q.x * h.z, q.w * h.z + q.x * h.y - q.y * h.x};
}

/* Exact drift: q exp(h w), for w constant in child coordinates over time h. */
static inline cardan_quat cardan__quat_drift(cardan_quat q, cardan_vec3 w, double h)
{
  return cardan__quat_mul(q, cardan__quat_from_rotvec(cardan__vec3_scale(h, w)));
}
