// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "spatial/screw.h"

/* Configurations: moved, compared, their rates.
 *
 * A body with a quaternion e (child to parent) and, if free, a position x in the joint's frame is
 * the transform T = (e, x). With dq = (w, u) in body axes, exp of the twist as a dual quaternion:
 *   move         e1 = e r,  x1 = x + e p e*,   (r, p) = exp(part dq)                        (E1)
 *   difference   w = log(e0* e1),   u = dlog_w (e0* (x1 - x0) e0)                           (E2)
 * (E2) is the logarithm of SE(3) without forming a matrix: it keeps small turns to full relative
 * precision, holds up to half a turn, and e and -e give the same. */

/* The quaternion's part of a body's coordinates. */
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
  const cardan__screw D =
      cardan__screw_exp(cardan__motion_scale(part, cardan__joint_motion(b, dq)));
  const cardan_quat e = cardan__quat_at(q + k);
  if (b->kind == CARDAN_LINK_FREE) {
    const cardan_vec3 p =
        cardan__quat_rotate(cardan__quat_normalize(e), cardan__screw_translation(&D));
    q_out[0] = q[0] + p.x;
    q_out[1] = q[1] + p.y;
    q_out[2] = q[2] + p.z;
  }
  set_quat(q_out + k, cardan__quat_normalize(cardan__quat_mul(e, D.r))); // (E1)
}

void cardan_q_move(const cardan_model *model, const double *q, const double *dq, double part,
                   double *q_out)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv == 1) {
      q_out[b->qadr] = q[b->qadr] + part * dq[b->vadr];
    } else {
      move_quat(b, q + b->qadr, dq + b->vadr, part, q_out + b->qadr);
    }
  }
}

static void quat_difference(const cardan_body *b, const double *q0, const double *q1, double *dq)
{
  const int k = cardan__quat_offset(b);
  const cardan_quat back = cardan__quat_conj(cardan__quat_at(q0 + k));
  const cardan_vec3 w = cardan_quat_log(cardan__quat_mul(back, cardan__quat_at(q1 + k))); // (E2)
  dq[0] = w.x;
  dq[1] = w.y;
  dq[2] = w.z;
  if (b->kind == CARDAN_LINK_FREE) {
    const cardan_vec3 x = {q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
    const cardan_vec3 p = cardan__quat_rotate(cardan__quat_normalize(back), x);
    const cardan_vec3 u = cardan__so3_dlog_mulv(w, p);
    dq[3] = u.x;
    dq[4] = u.y;
    dq[5] = u.z;
  }
}

void cardan_q_difference(const cardan_model *model, const double *q0, const double *q1, double *dq)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv == 1) {
      dq[b->vadr] = q1[b->qadr] - q0[b->qadr];
    } else {
      quat_difference(b, q0 + b->qadr, q1 + b->qadr, dq + b->vadr);
    }
  }
}

void cardan_q_zero(const cardan_model *model, double *q)
{
  memset(q, 0, (size_t)model->nq * sizeof *q);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const int k = cardan__quat_offset(b);
    if (k >= 0) {
      q[b->qadr + k] = 1;
    }
  }
}

void cardan_q_dot(const cardan_model *model, const double *q, const double *v, double *qdot)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const double *qi = q + b->qadr, *vi = v + b->vadr;
    double *out = qdot + b->qadr;
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      out[0] = vi[0];
      continue;
    }
    const cardan_quat Q = cardan__quat_at(qi + k);
    const cardan_quat d = cardan__quat_deriv(Q, cardan__vec3(vi[0], vi[1], vi[2]));
    if (b->kind == CARDAN_LINK_FREE) {
      const cardan_vec3 dx =
          cardan__quat_rotate(cardan__quat_normalize(Q), cardan__vec3(vi[3], vi[4], vi[5]));
      out[0] = dx.x;
      out[1] = dx.y;
      out[2] = dx.z;
    }
    set_quat(out + k, d);
  }
}

bool cardan_q_normalize(const cardan_model *model, double *q)
{
  if (model->nmulti == 0) {
    return true;
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      continue;
    }
    double *Q = q + b->qadr + k;
    const double n = cardan__quat_norm(cardan__quat_at(Q));
    if (!(n > 0) || !isfinite(n)) {
      return false;
    }
    for (int j = 0; j < 4; j++) {
      Q[j] /= n;
    }
  }
  return true;
}
