// SPDX-License-Identifier: Apache-2.0
#include "kinematics/joint.h"

/* Joints of one coordinate with S(q), by the table. */

cardan_twist cardan__general_twist(const cardan_body *body, const double *q, const double *v)
{
  return cardan__twist_scale(v[0], cardan__joint_ops_of(body->kind)->axis(body, q, 0));
}

void cardan__general_project(const cardan_body *body, const double *q, cardan_force F, double *out)
{
  out[0] = cardan__power(cardan__joint_ops_of(body->kind)->axis(body, q, 0), F);
}

cardan_force cardan__general_push(const cardan_body *body, const double *q, const cardan__abi *I,
                                  double *d, double *scale)
{
  const cardan_twist S = cardan__joint_ops_of(body->kind)->axis(body, q, 0);
  const cardan_force U = cardan__abi_mul(I, S);
  *d = cardan__power(S, U);
  *scale = cardan__vec3_dot(S.w, S.w) * (I->A.xx + I->A.yy + I->A.zz) +
           cardan__vec3_dot(S.v, S.v) * (I->C.xx + I->C.yy + I->C.zz);
  return U;
}
