/* SPDX-License-Identifier: Apache-2.0
 * kinematics/joint_screw.h - what a joint adds to a displacement over one step. */
#pragma once
#include "cardan/model.h"
#include "spatial/screw.h"

/* Q exp(S dq): computed here for a joint about or along z; for any other the caller has computed
 * the exponential, others[i]. */
static inline cardan__screw cardan__joint_displace(const cardan_body *b, cardan__screw Q, double dq,
                                                   const cardan__screw *others, int i)
{
  switch (b->kind) {
  case CARDAN_LINK_REVOLUTE:
    return cardan__screw_turn_z(Q, 0.5 * dq);
  case CARDAN_LINK_PRISMATIC:
    return cardan__screw_slide_z(Q, 0.5 * dq);
  case CARDAN_LINK_HELICAL:
    return cardan__screw_slide_z(cardan__screw_turn_z(Q, 0.5 * dq), 0.5 * b->pitch * dq);
  case CARDAN_LINK_SPHERICAL:
    return (cardan__screw){cardan__quat_mul(Q.r, others[i].r), cardan__quat_mul(Q.d, others[i].r)};
  default:
    return cardan__screw_mul(Q, others[i]);
  }
}
