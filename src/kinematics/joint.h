/* SPDX-License-Identifier: Apache-2.0
 * kinematics/joint.h - what an elementary joint does, in the coordinates of the body it carries.
 *
 *   revolute   S = (z; 0)      helical  S = (z; pitch z)      spherical  S = (1; 0)
 *   prismatic  S = (0; z)                                     free       S = 1 (6 x 6)
 * S is constant in body coordinates for every joint, so S-dot is 0. */
#pragma once
#include "cardan/model.h"
#include "spatial/spatial.h"

/* S v */
static inline cardan_motion cardan__joint_motion(const cardan_body *body, const double *v)
{
  switch (body->kind) {
  case CARDAN_LINK_REVOLUTE:
    return (cardan_motion){.w = {0, 0, v[0]}};
  case CARDAN_LINK_PRISMATIC:
    return (cardan_motion){.v = {0, 0, v[0]}};
  case CARDAN_LINK_HELICAL:
    return (cardan_motion){.w = {0, 0, v[0]}, .v = {0, 0, body->pitch * v[0]}};
  case CARDAN_LINK_SPHERICAL:
    return (cardan_motion){.w = {v[0], v[1], v[2]}};
  case CARDAN_LINK_FREE:
    return (cardan_motion){.w = {v[0], v[1], v[2]}, .v = {v[3], v[4], v[5]}};
  case CARDAN_LINK_WORLD:
    break;
  }
  return (cardan_motion){.w = {0, 0, 0}};
}

/* out = S^T F; out has nv entries */
static inline void cardan__joint_project(const cardan_body *body, cardan_force F, double *out)
{
  switch (body->kind) {
  case CARDAN_LINK_REVOLUTE:
    out[0] = F.t.z;
    break;
  case CARDAN_LINK_PRISMATIC:
    out[0] = F.f.z;
    break;
  case CARDAN_LINK_HELICAL:
    out[0] = F.t.z + body->pitch * F.f.z;
    break;
  case CARDAN_LINK_FREE:
    out[3] = F.f.x;
    out[4] = F.f.y;
    out[5] = F.f.z;
    // fall through
  case CARDAN_LINK_SPHERICAL:
    out[0] = F.t.x;
    out[1] = F.t.y;
    out[2] = F.t.z;
    break;
  case CARDAN_LINK_WORLD:
    break;
  }
}

/* Column k of S. */
static inline cardan_motion cardan__joint_axis(const cardan_body *body, int k)
{
  double e[6] = {0, 0, 0, 0, 0, 0};
  e[k] = 1;
  return cardan__joint_motion(body, e);
}

static inline cardan_quat cardan__quat_at(const double *q)
{
  return (cardan_quat){q[0], q[1], q[2], q[3]};
}

/* Offset of the quaternion among a body's coordinates: spherical 0, free 3, others -1. */
static inline int cardan__quat_offset(const cardan_body *body)
{
  return body->kind == CARDAN_LINK_SPHERICAL ? 0 : body->kind == CARDAN_LINK_FREE ? 3 : -1;
}
