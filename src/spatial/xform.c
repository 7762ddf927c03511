// SPDX-License-Identifier: Apache-2.0
#include "spatial/twist.h"

/* Rigid transforms as callers use them: the inline kernels of twist.h, as functions. */

cardan_xform cardan_xform_identity(void)
{
  return cardan__xform_identity();
}

cardan_xform cardan_xform_rpy(cardan_vec3 p, double roll, double pitch, double yaw)
{
  return cardan__xform_from_rpy(p, roll, pitch, yaw);
}

cardan_xform cardan_xform_quat(cardan_vec3 p, cardan_quat q)
{
  return cardan__xform_from_quat(q, p);
}

cardan_xform cardan_xform_mul(const cardan_xform *T_AB, const cardan_xform *T_BC)
{
  return cardan__xform_mul(T_AB, T_BC);
}

cardan_xform cardan_xform_inverse(const cardan_xform *T_AB)
{
  return cardan__xform_inverse(T_AB);
}

cardan_vec3 cardan_xform_point(const cardan_xform *T_AB, cardan_vec3 x_B)
{
  return cardan__xform_point(T_AB, x_B);
}

cardan_vec3 cardan_xform_vector(const cardan_xform *T_AB, cardan_vec3 u_B)
{
  return cardan__mat3_mulv(&T_AB->R, u_B);
}

cardan_twist cardan_xform_twist(const cardan_xform *T_AB, cardan_twist V_B)
{
  return cardan__twist_to_parent(T_AB, V_B);
}

cardan_force cardan_xform_force(const cardan_xform *T_AB, cardan_force F_B)
{
  return cardan__force_to_parent(T_AB, F_B);
}
