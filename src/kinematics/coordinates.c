// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/joint.h"

/* Configurations: moved, compared, their rates. A joint of one velocity is a number, and moves as
 * one; others by the table (joint_ops.c). */

void cardan_q_move(const cardan_model *model, const double *q, const double *dq, double part,
                   double *q_out)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv == 1) {
      q_out[b->qadr] = q[b->qadr] + part * dq[b->vadr];
    } else {
      cardan__joint_ops_of(b->kind)->move(b, q + b->qadr, dq + b->vadr, part, q_out + b->qadr);
    }
  }
}

void cardan_q_difference(const cardan_model *model, const double *q0, const double *q1, double *dq)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv == 1) {
      dq[b->vadr] = q1[b->qadr] - q0[b->qadr];
    } else {
      cardan__joint_ops_of(b->kind)->difference(b, q0 + b->qadr, q1 + b->qadr, dq + b->vadr);
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
    if (b->nv == 1) {
      qdot[b->qadr] = v[b->vadr];
    } else {
      cardan__joint_ops_of(b->kind)->rate(b, q + b->qadr, v + b->vadr, qdot + b->qadr);
    }
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
