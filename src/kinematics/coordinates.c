// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "model/joint_table.h"

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

void cardan_q_interpolate(const cardan_model *model, const double *q0, const double *q1,
                          double part, double *q_out)
{
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan__joint_ops *ops = cardan__joint_ops_of(b->kind);
    double dq[6];
    ops->difference(b, q0 + b->qadr, q1 + b->qadr, dq);
    ops->move(b, q0 + b->qadr, dq, part, q_out + b->qadr);
  }
}

/* splitmix64: 53 random bits as a number in [0, 1). */
static double random_unit(uint64_t *state)
{
  uint64_t z = *state += 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return (double)((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

/* A unit quaternion, even over SO(3).
 * [1] K. Shoemake, Uniform random rotations, Graphics Gems III, 1992. */
static void random_quat(uint64_t *state, double *Q)
{
  const double turn = 6.283185307179586;
  const double u = random_unit(state), a = turn * random_unit(state), b = turn * random_unit(state);
  const double r1 = sqrt(1 - u), r2 = sqrt(u);
  Q[0] = r2 * cos(b);
  Q[1] = r1 * sin(a);
  Q[2] = r1 * cos(a);
  Q[3] = r2 * sin(b);
}

void cardan_q_random(const cardan_model *model, uint64_t seed, double *q)
{
  const double half_turn = 3.141592653589793;
  uint64_t state = seed;
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    const cardan_joint *joint = &model->joint[b->joint];
    const int quat = cardan__quat_offset(b), n = quat >= 0 ? quat : b->nq;
    const bool limited = joint->has_limit && joint->nv == 1;
    for (int k = 0; k < n; k++) {
      // what stands before a quaternion is a place
      const bool slides = quat >= 0 || cardan__link_slides(b, k);
      const double size = slides ? 1 : half_turn;
      const double low = limited ? joint->limit[0] : -size;
      const double high = limited ? joint->limit[1] : size;
      q[b->qadr + k] = low + (high - low) * random_unit(&state);
    }
    if (quat >= 0) {
      random_quat(&state, q + b->qadr + quat);
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
  int first = 0; // of the velocities behind the last joint of several, which are rates themselves
  for (int i = 1, multi = 0; i < model->nbody && multi < model->nmulti; i++) {
    const cardan_body *b = &model->body[i];
    if (b->nv > 1) {
      cardan__joint_ops_of(b->kind)->rate(b, q + b->qadr, v + b->vadr, qdot + b->qadr);
      first = b->vadr + b->nv;
      multi++;
    } else if (b->nv == 1) {
      qdot[b->qadr] = v[b->vadr];
    }
  }
  memcpy(qdot + first + model->nq - model->nv, v + first,
         (size_t)(model->nv - first) * sizeof *qdot);
}

bool cardan_q_normalize(const cardan_model *model, double *q)
{
  for (int i = 1, multi = 0; i < model->nbody && multi < model->nmulti; i++) {
    const cardan_body *b = &model->body[i];
    const int k = cardan__quat_offset(b);
    if (k < 0) {
      continue;
    }
    multi++;
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
