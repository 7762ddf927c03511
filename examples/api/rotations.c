// SPDX-License-Identifier: Apache-2.0
// Rotations and poses by themselves: quaternions, matrices, rotation vectors, screws, and how
// points, directions, twists and wrenches change from frame to frame.
#include <math.h>
#include <stdio.h>

#include "cardan/cardan.h"

static double apart(cardan_vec3 a, cardan_vec3 b)
{
  return fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z);
}

static double dot(cardan_vec3 a, cardan_vec3 b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* A rotation vector w as a quaternion and as a matrix, and back: the largest error. */
static double rotate(cardan_vec3 w, cardan_vec3 x)
{
  const cardan_quat q = cardan_quat_exp(w);
  const cardan_mat3 R = cardan_so3_exp(w), Q = cardan_quat_to_mat3(q);
  const cardan_quat same = cardan_quat_from_mat3(&R);
  const cardan_quat none = cardan_quat_mul(cardan_quat_conj(q), same); // the identity, or minus it
  const cardan_xform T = {.R = Q};
  double error = fmax(apart(cardan_quat_log(q), w), apart(cardan_so3_log(&R), w));
  error = fmax(error, 1 - fabs(none.w));
  return fmax(error, apart(cardan_quat_rotate(q, x), cardan_xform_vector(&T, x)));
}

/* A screw of a frame B from A, its inverse, and the power of a wrench in both frames. */
static double screw(cardan_twist x, cardan_twist V_B, cardan_force F_B)
{
  const cardan_xform T = cardan_se3_exp(x);
  const cardan_twist back = cardan_se3_log(&T);
  const cardan_twist V_A = cardan_xform_twist(&T, V_B);
  const cardan_force F_A = cardan_xform_force(&T, F_B);
  const double power_B = dot(V_B.w, F_B.t) + dot(V_B.v, F_B.f);
  const double power_A = dot(V_A.w, F_A.t) + dot(V_A.v, F_A.f);
  printf("power %.6f W in frame A, %.6f W in frame B\n", power_A, power_B);
  return fmax(fabs(power_A - power_B), fmax(apart(back.w, x.w), apart(back.v, x.v)));
}

int main(void)
{
  const cardan_vec3 w = {0.3, -1.1, 0.7}, x = {1, 2, 3};
  const cardan_twist step = {.w = {0.2, 0.4, -0.6}, .v = {1, 0, 2}};
  const cardan_twist twist = {.w = {1, -2, 0.5}, .v = {0.3, 0.1, -0.2}};
  const cardan_force wrench = {.t = {0.4, 0, -1}, .f = {5, -3, 2}};
  const double error = fmax(rotate(w, x), screw(step, twist, wrench));
  printf("largest error %.1e\n", error);
  return error < 1e-13 ? 0 : 1;
}
