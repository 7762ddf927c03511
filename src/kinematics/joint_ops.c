// SPDX-License-Identifier: Apache-2.0
#include <math.h>

#include "kinematics/joint.h"
#include "spatial/screw.h"
#include "spatial/se3.h"

/* The table of elementary joints.
 *
 * Spherical and free joints: a quaternion e (child to parent) and, if free, a position x in the
 * joint's frame are the transform J = (e, x). With a change dq = (w, u) in body axes, and the
 * exponential of a twist as a dual quaternion:
 *   move         e1 = e r,  x1 = x + e p e*,   (r, p) = exp(part dq)                        (E1)
 *   difference   w = log(e0* e1),   u = dlog_w (e0* (x1 - x0) e0)                           (E2)
 *   rate         e' = e (0, w) / 2,   x' = e u e*                                           (E3)
 * (E2) is the logarithm of SE(3) without forming a matrix: it keeps small turns to full relative
 * precision, holds up to half a turn, and e and -e give the same. */

/* ---- what several share ---- */

static cardan_twist constant_axis(const cardan_body *b, const double *q, int k)
{
  (void)q;
  return cardan__joint_axis(b, k);
}

static cardan_twist no_slope(const cardan_body *b, const double *q)
{
  (void)b;
  (void)q;
  return (cardan_twist){.w = {0, 0, 0}};
}

void cardan__scalar_move(const cardan_body *b, const double *q, const double *dq, double part,
                         double *q_out)
{
  (void)b;
  q_out[0] = q[0] + part * dq[0];
}

void cardan__scalar_difference(const cardan_body *b, const double *q0, const double *q1, double *dq)
{
  (void)b;
  dq[0] = q1[0] - q0[0];
}

void cardan__scalar_rate(const cardan_body *b, const double *q, const double *v, double *qdot)
{
  (void)b;
  (void)q;
  qdot[0] = v[0];
}

/* ---- about and along z ---- */

static cardan_xform place_revolute(const cardan_body *b, const double *q)
{
  return (cardan_xform){.R = cardan__mat3_mul_rot_z(&b->X.R, cos(q[0]), sin(q[0])), .p = b->X.p};
}

static cardan_xform place_prismatic(const cardan_body *b, const double *q)
{
  const cardan_vec3 z = cardan__mat3_column(&b->X.R, 2);
  return (cardan_xform){.R = b->X.R, .p = cardan__vec3_axpy(q[0], z, b->X.p)};
}

static cardan_xform place_helical(const cardan_body *b, const double *q)
{
  const cardan_vec3 z = cardan__mat3_column(&b->X.R, 2);
  return (cardan_xform){.R = cardan__mat3_mul_rot_z(&b->X.R, cos(q[0]), sin(q[0])),
                        .p = cardan__vec3_axpy(b->pitch * q[0], z, b->X.p)};
}

static void invert_turn(const cardan_body *b, const cardan_xform *T_PB, double *q)
{
  const double turn = 6.283185307179586;
  const cardan_mat3 J = cardan__mat3_tmul(&b->X.R, &T_PB->R);
  const double angle = atan2(J.m[1][0] - J.m[0][1], J.m[0][0] + J.m[1][1]);
  q[0] = angle + turn * round((q[0] - angle) / turn);
}

static void invert_slide(const cardan_body *b, const cardan_xform *T_PB, double *q)
{
  q[0] = cardan__vec3_dot(cardan__mat3_column(&b->X.R, 2), cardan__vec3_sub(T_PB->p, b->X.p));
}

/* ---- with a quaternion ---- */

static cardan_xform place_quat(const cardan_body *b, const double *q)
{
  const int k = cardan__quat_offset(b);
  const cardan_mat3 Q = cardan__quat_to_mat3(cardan__quat_normalize(cardan__quat_at(q + k)));
  cardan_xform T = {.R = cardan__mat3_mul(&b->X.R, &Q), .p = b->X.p};
  if (k > 0) {
    T.p = cardan__vec3_add(T.p, cardan__mat3_mulv(&b->X.R, cardan__vec3(q[0], q[1], q[2])));
  }
  return T;
}

static void set_quat(double *q, cardan_quat e)
{
  q[0] = e.w;
  q[1] = e.x;
  q[2] = e.y;
  q[3] = e.z;
}

static void move_quat(const cardan_body *b, const double *q, const double *dq, double part,
                      double *q_out)
{
  const int k = cardan__quat_offset(b);
  const cardan__screw D = cardan__screw_exp(cardan__twist_scale(part, cardan__joint_twist(b, dq)));
  const cardan_quat e = cardan__quat_at(q + k);
  if (k > 0) {
    const cardan_vec3 p =
        cardan__quat_rotate(cardan__quat_normalize(e), cardan__screw_translation(&D));
    q_out[0] = q[0] + p.x;
    q_out[1] = q[1] + p.y;
    q_out[2] = q[2] + p.z;
  }
  set_quat(q_out + k, cardan__quat_normalize(cardan__quat_mul(e, D.r))); // (E1)
}

static void quat_difference(const cardan_body *b, const double *q0, const double *q1, double *dq)
{
  const int k = cardan__quat_offset(b);
  const cardan_quat back = cardan__quat_conj(cardan__quat_at(q0 + k));
  const cardan_vec3 w = cardan_quat_log(cardan__quat_mul(back, cardan__quat_at(q1 + k))); // (E2)
  dq[0] = w.x;
  dq[1] = w.y;
  dq[2] = w.z;
  if (k > 0) {
    const cardan_vec3 x = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    const cardan_vec3 p = cardan__quat_rotate(cardan__quat_normalize(back), x);
    const cardan_vec3 u = cardan__so3_dlog_mulv(w, p);
    dq[3] = u.x;
    dq[4] = u.y;
    dq[5] = u.z;
  }
}

static void rate_quat(const cardan_body *b, const double *q, const double *v, double *qdot)
{
  const int k = cardan__quat_offset(b);
  const cardan_quat e = cardan__quat_at(q + k);
  if (k > 0) {
    const cardan_vec3 dx =
        cardan__quat_rotate(cardan__quat_normalize(e), cardan__vec3(v[3], v[4], v[5]));
    qdot[0] = dx.x;
    qdot[1] = dx.y;
    qdot[2] = dx.z;
  }
  set_quat(qdot + k, cardan__quat_deriv(e, cardan__vec3(v[0], v[1], v[2]))); // (E3)
}

static void invert_quat(const cardan_body *b, const cardan_xform *T_PB, double *q)
{
  const int k = cardan__quat_offset(b);
  const cardan_xform J = cardan__xform_inv_mul(&b->X, T_PB);
  const cardan_quat e = cardan__quat_from_mat3(&J.R);
  if (k > 0) {
    q[0] = J.p.x;
    q[1] = J.p.y;
    q[2] = J.p.z;
  }
  const double *was = q + k;
  const double same = was[0] * e.w + was[1] * e.x + was[2] * e.y + was[3] * e.z;
  set_quat(q + k, same < 0 ? (cardan_quat){-e.w, -e.x, -e.y, -e.z} : e);
}

/* ---- the table ---- */

#define SCALAR \
  .move = cardan__scalar_move, .difference = cardan__scalar_difference, .rate = cardan__scalar_rate
#define CONSTANT .axis = constant_axis, .slope = no_slope
#define QUAT                                                                                \
  .place = place_quat, .move = move_quat, .difference = quat_difference, .rate = rate_quat, \
  .invert = invert_quat

const cardan__joint_ops *cardan__joint_ops_of(cardan_link_kind kind)
{
  static const cardan__joint_ops table[] = {
      [CARDAN_LINK_REVOLUTE] = {.place = place_revolute, CONSTANT, SCALAR, .invert = invert_turn},
      [CARDAN_LINK_PRISMATIC] = {.place = place_prismatic,
                                 CONSTANT,
                                 SCALAR,
                                 .invert = invert_slide},
      [CARDAN_LINK_HELICAL] = {.place = place_helical, CONSTANT, SCALAR, .invert = invert_turn},
      [CARDAN_LINK_SPHERICAL] = {CONSTANT, QUAT},
      [CARDAN_LINK_FREE] = {CONSTANT, QUAT},
  };
  return &table[kind];
}
