/* SPDX-License-Identifier: Apache-2.0
 * kinematics/joint.h - what an elementary joint does, in the coordinates of the body it carries.
 *
 *   revolute   S = (z; 0)      helical  S = (z; pitch z)      spherical  S = (1; 0)
 *   prismatic  S = (0; z)                                     free       S = 1 (6 x 6)
 * S is constant in body coordinates for these, so S-dot is 0. Any other elementary joint
 * (CARDAN_LINK_GENERAL and above) has one coordinate and S(q), from the table cardan__joint_ops.
 * The table has a row for every kind; what the recursions call for every body is here as well,
 * inline, as their fast path. Files outside this room and model/joint_table.c name no kind. */
#pragma once
#include "cardan/model.h"
#include "spatial/spatial.h"

/* One elementary joint. q, v, dq: the body's own coordinates, velocities, changes. */
typedef struct {
  /* T_PB(q) = X J(q). Quaternions count as normalised. */
  cardan_xform (*place)(const cardan_body *b, const double *q);
  /* Column k of S(q): V_B = Ad^-1 V_P + S v. */
  cardan_twist (*axis)(const cardan_body *b, const double *q, int k);
  /* dS/dq of a joint with one coordinate: S-dot = dS/dq v; 0 where S is constant. */
  cardan_twist (*slope)(const cardan_body *b, const double *q);
  /* Of kinematics.h, for one joint. q_out may be q. */
  void (*move)(const cardan_body *b, const double *q, const double *dq, double part, double *q_out);
  void (*difference)(const cardan_body *b, const double *q0, const double *q1, double *dq);
  void (*rate)(const cardan_body *b, const double *q, const double *v, double *qdot);
  /* q, in and out, from T_PB: angles and signs of quaternions near those before. */
  void (*invert)(const cardan_body *b, const cardan_xform *T_PB, double *q);
} cardan__joint_ops;

const cardan__joint_ops *cardan__joint_ops_of(cardan_link_kind kind);

/* move, difference and rate of a joint whose coordinate is a number with rate v. */
void cardan__scalar_move(const cardan_body *b, const double *q, const double *dq, double part,
                         double *q_out);
void cardan__scalar_difference(const cardan_body *b, const double *q0, const double *q1,
                               double *dq);
void cardan__scalar_rate(const cardan_body *b, const double *q, const double *v, double *qdot);

/* Is it the most common joint, for which the recursions have a path of its own? */
static inline bool cardan__joint_is_hinge(const cardan_body *b)
{
  return __builtin_expect(b->kind == CARDAN_LINK_REVOLUTE, 1);
}

/* Is it one with S = (1; 0)? It has a path of its own where that pays. */
static inline bool cardan__joint_is_ball(const cardan_body *b)
{
  return b->kind == CARDAN_LINK_SPHERICAL;
}

/* Has the joint an axis of its own, z, and one velocity about or along it? */
static inline bool cardan__joint_is_z(const cardan_body *b)
{
  return (unsigned)b->kind - (unsigned)CARDAN_LINK_REVOLUTE < 3U;
}

/* Is S constant in body coordinates? As a rule it is: the code for the others goes aside. */
static inline bool cardan__joint_is_constant(const cardan_body *b)
{
  return __builtin_expect(b->kind < CARDAN_LINK_GENERAL, 1);
}

/* Is velocity k of a joint with constant S a length per time, not an angle? (Of a screw it is an
 * angle; a joint without one has pitch 0.) */
static inline bool cardan__joint_slides(const cardan_body *b, int k)
{
  return b->kind == CARDAN_LINK_PRISMATIC || k >= 3;
}

/* How many coordinates of a joint with constant S are displacements: they come first, along the
 * last axes of its constant part X (z alone, or x, y and z). */
static inline int cardan__joint_nslide(const cardan_body *b)
{
  return b->kind == CARDAN_LINK_FREE ? 3 : b->kind == CARDAN_LINK_PRISMATIC ? 1 : 0;
}

/* S v, where S is constant. */
static inline cardan_twist cardan__joint_twist(const cardan_body *body, const double *v)
{
  switch (body->kind) {
  case CARDAN_LINK_REVOLUTE:
    return (cardan_twist){.w = {0, 0, v[0]}};
  case CARDAN_LINK_PRISMATIC:
    return (cardan_twist){.v = {0, 0, v[0]}};
  case CARDAN_LINK_HELICAL:
    return (cardan_twist){.w = {0, 0, v[0]}, .v = {0, 0, body->pitch * v[0]}};
  case CARDAN_LINK_SPHERICAL:
    return (cardan_twist){.w = {v[0], v[1], v[2]}};
  case CARDAN_LINK_FREE:
    return (cardan_twist){.w = {v[0], v[1], v[2]}, .v = {v[3], v[4], v[5]}};
  case CARDAN_LINK_WORLD:
  case CARDAN_LINK_GENERAL:
    break;
  }
  return (cardan_twist){.w = {0, 0, 0}};
}

/* out = S^T F, where S is constant; out has nv entries */
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
  case CARDAN_LINK_GENERAL:
    break;
  }
}

/* Column k of S, where it is constant. */
static inline cardan_twist cardan__joint_axis(const cardan_body *body, int k)
{
  double e[6] = {0, 0, 0, 0, 0, 0};
  e[k] = 1;
  return cardan__joint_twist(body, e);
}

/* The same for every joint. Those with S(q) go out of line, so that the others stay as they are;
 * revolute ones, most of all that there are, pass by both questions. */
cardan_twist cardan__general_twist(const cardan_body *body, const double *q, const double *v);
void cardan__general_project(const cardan_body *body, const double *q, cardan_force F, double *out);
cardan_force cardan__general_push(const cardan_body *body, const double *q, const cardan__abi *I,
                                  double *d, double *scale);

static inline cardan_twist cardan__joint_twist_at(const cardan_body *body, const double *q,
                                                  const double *v)
{
  if (__builtin_expect(body->kind == CARDAN_LINK_REVOLUTE, 1)) {
    return (cardan_twist){.w = {0, 0, v[0]}};
  }
  return cardan__joint_is_constant(body) ? cardan__joint_twist(body, v)
                                         : cardan__general_twist(body, q, v);
}

static inline void cardan__joint_project_at(const cardan_body *body, const double *q,
                                            cardan_force F, double *out)
{
  if (__builtin_expect(body->kind == CARDAN_LINK_REVOLUTE, 1)) {
    out[0] = F.t.z;
  } else if (cardan__joint_is_constant(body)) {
    cardan__joint_project(body, F, out);
  } else {
    cardan__general_project(body, q, F, out);
  }
}

static inline cardan_twist cardan__joint_axis_at(const cardan_body *body, const double *q, int k)
{
  return cardan__joint_is_constant(body) ? cardan__joint_axis(body, k)
                                         : cardan__joint_ops_of(body->kind)->axis(body, q, k);
}

/* S^T (T - V x* P) + S-dot^T P: the rate of S^T P when that of P, seen from the body, is
 * T - V x* P. out has nv entries; v: the joint's own velocities. */
static inline void cardan__joint_project_rate(const cardan_body *b, const double *q,
                                              const double *v, cardan_twist V, cardan_force P,
                                              cardan_force T, double *out)
{
  const double tz = T.t.z - (V.w.x * P.t.y - V.w.y * P.t.x + V.v.x * P.f.y - V.v.y * P.f.x);
  const double fz = T.f.z - (V.w.x * P.f.y - V.w.y * P.f.x);
  if (b->kind == CARDAN_LINK_REVOLUTE) {
    out[0] = tz;
  } else if (cardan__joint_is_z(b)) {
    out[0] = b->kind == CARDAN_LINK_PRISMATIC ? fz : tz + b->pitch * fz;
  } else {
    cardan__joint_project_at(b, q, cardan__force_sub(T, cardan__twist_cross_force(V, P)), out);
    if (!cardan__joint_is_constant(b)) {
      out[0] += v[0] * cardan__power(cardan__joint_ops_of(b->kind)->slope(b, q), P);
    }
  }
}

/* U = I S and d = S^T U of a joint with one velocity; scale: the inertia that d is a part of. */
static inline cardan_force cardan__joint_push(const cardan_body *b, const double *q,
                                              const cardan__abi *I, double *d, double *scale)
{
  const cardan_force Uw = {.t = {I->A.xz, I->A.yz, I->A.zz},
                           .f = {I->B.m[2][0], I->B.m[2][1], I->B.m[2][2]}};
  const cardan_force Uv = {.t = {I->B.m[0][2], I->B.m[1][2], I->B.m[2][2]},
                           .f = {I->C.xz, I->C.yz, I->C.zz}};
  const double turning = I->A.xx + I->A.yy + I->A.zz, sliding = I->C.xx + I->C.yy + I->C.zz;
  if (b->kind == CARDAN_LINK_REVOLUTE) {
    *d = I->A.zz;
    *scale = turning;
    return Uw;
  }
  if (b->kind == CARDAN_LINK_PRISMATIC) {
    *d = I->C.zz;
    *scale = sliding;
    return Uv;
  }
  if (b->kind == CARDAN_LINK_HELICAL) {
    const cardan_force U = cardan__force_axpy(b->pitch, Uv, Uw);
    *d = U.t.z + b->pitch * U.f.z;
    *scale = turning + b->pitch * b->pitch * sliding;
    return U;
  }
  return cardan__general_push(b, q, I, d, scale);
}

/* A wrench B_k with B_k . S_j = 1 for j = k, else 0: B_k . V is velocity k of a relative twist V,
 * and a force tau on that velocity is the wrench tau B_k. Of a screw it is a pure torque. */
static inline cardan_force cardan__joint_dual(const cardan_body *b, int k)
{
  if (cardan__joint_is_z(b)) {
    const bool slides = b->kind == CARDAN_LINK_PRISMATIC;
    return (cardan_force){.t = {0, 0, slides ? 0 : 1}, .f = {0, 0, slides ? 1 : 0}};
  }
  return (cardan_force){.t = {k == 0, k == 1, k == 2}, .f = {k == 3, k == 4, k == 5}};
}

static inline cardan_quat cardan__quat_at(const double *q)
{
  return (cardan_quat){q[0], q[1], q[2], q[3]};
}

/* Offset of the quaternion among a body's coordinates: spherical 0, free 3, others -1. */
static inline int cardan__quat_offset(const cardan_body *body)
{
  return body->nq > body->nv ? body->nq - 4 : -1;
}
