/* SPDX-License-Identifier: Apache-2.0
 * kinematics/recursions.h - pieces of the kinematic recursions that the dynamics share. */
#pragma once
#include "base/inline.h"
#include "cardan/data.h"
#include "kinematics/joint.h"

/* Outward passes may go block by block: parents come first, so a block's joints, twists and
 * accelerations can be done before the next block is touched, while all of it is in the first
 * cache. */
enum { CARDAN__BLOCK = 32 }; // and ends at multiples of it

static inline int cardan__block_end(const cardan_model *model, int from)
{
  const int end = (from / CARDAN__BLOCK + 1) * CARDAN__BLOCK;
  return end < model->nbody ? end : model->nbody;
}

/* cardan_joints for bodies from .. to - 1, at most CARDAN__BLOCK of them; _angles leaves the
 * rotation of revolute joints to cardan__hinge_turn. */
void cardan__joints_range(const cardan_model *model, cardan_data *data, int from, int to);
void cardan__angles_range(const cardan_model *model, cardan_data *data, int from, int to);

/* R = Rz(phi) Rx(alpha) Rz(theta) from the cosine and sine of theta; its last column is constant,
 * and was there before. */
CARDAN__INLINE void cardan__hinge_turn(const cardan_body *b, double c, double s, cardan_mat3 *R)
{
  const double ca = b->cos_alpha, sa = b->sin_alpha;
  if (b->flags & CARDAN_LINK_TURNED) {
    const double cp = b->cos_phi, sp = b->sin_phi;
    const double y0 = -sp * ca, y1 = cp * ca; // second column of Rz(phi) Rx(alpha): (y0, y1, sa)
    R->m[0][0] = cp * c + y0 * s;
    R->m[0][1] = y0 * c - cp * s;
    R->m[1][0] = sp * c + y1 * s;
    R->m[1][1] = y1 * c - sp * s;
  } else {
    R->m[0][0] = c;
    R->m[0][1] = -s;
    R->m[1][0] = ca * s;
    R->m[1][1] = ca * c;
  }
  R->m[2][0] = sa * s;
  R->m[2][1] = sa * c;
}

/* What the velocities alone add to the acceleration from parent to body (recursions.c, E3): w_p and
 * w are the angular velocities of parent and body, each in its own coordinates, q and v the joint's
 * coordinates and velocities. */
static inline cardan_twist cardan__velocity_product(const cardan_body *b, const cardan_xform *X,
                                                    cardan_vec3 w_p, cardan_vec3 w, const double *q,
                                                    const double *v)
{
  const cardan_twist r = cardan__joint_twist_at(b, q, v);
  const cardan_vec3 w_before = cardan__vec3_sub(w, r.w);
  const cardan_vec3 centripetal = cardan__vec3_cross(w_p, cardan__vec3_cross(w_p, X->p));
  cardan_twist c = {.w = cardan__vec3_cross(w_before, r.w),
                    .v = cardan__mat3_tmulv(&X->R, centripetal)};
  if (b->kind != CARDAN_LINK_REVOLUTE && b->kind != CARDAN_LINK_SPHERICAL) {
    c.v = cardan__vec3_add(c.v, cardan__vec3_cross(cardan__vec3_axpy(2, w_before, r.w), r.v));
    if (!cardan__joint_is_constant(b)) {
      c = cardan__twist_axpy(v[0] * v[0], cardan__joint_ops_of(b->kind)->slope(b, q), c);
    }
  }
  return c;
}

/* Velocity part of the wrench that a body's motion calls for: (w x J w; w x (w x h)). */
static inline cardan_force cardan__gyroscopic(const cardan_inertia *I, cardan_vec3 w)
{
  const cardan__sym3 J = cardan__inertia_tensor(I);
  return (cardan_force){.t = cardan__vec3_cross(w, cardan__sym3_mulv(&J, w)),
                        .f = cardan__vec3_cross(w, cardan__vec3_cross(w, I->h))};
}
