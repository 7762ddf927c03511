// SPDX-License-Identifier: Apache-2.0
#include "cardan/kinematics.h"
#include "kinematics/joint.h"
#include "run/estimate.h"

/* The error of a free body's place is in the axes that its coordinates are in: the ways of a body
 * that spins go round in its own axes, where errors of one step after the other cancel though the
 * body falls behind, and where its range is none that a table shows. Its attitude, as that of any
 * quaternion, is in axes of the body. */

enum { TURNS = 3 }; // velocities of a free body: its turns come before its ways

static bool is_free(const cardan_body *b)
{
  return cardan__quat_offset(b) == TURNS;
}

void cardan__estimate_change(const cardan_model *model, const double *q0, const double *q1,
                             double *dq)
{
  cardan_q_difference(model, q0, q1, dq);
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    for (int k = 0; k < TURNS && is_free(b); k++) {
      dq[b->vadr + TURNS + k] = q1[b->qadr + k] - q0[b->qadr + k];
    }
  }
}

void cardan__estimate_rates(const cardan_model *model, const double *q, const double *v,
                            double *qdot, double *rates)
{
  cardan_q_dot(model, q, v, qdot);
  for (int k = 0; k < model->nv; k++) {
    rates[k] = v[k];
  }
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    for (int k = 0; k < TURNS && is_free(b); k++) {
      rates[b->vadr + TURNS + k] = qdot[b->qadr + k];
    }
  }
}

const char *cardan_error_coordinate(const cardan_model *model, int k)
{
  const cardan_body *b = &model->body[model->v_body[k]];
  const int way = k - b->vadr - TURNS;
  return is_free(b) && way >= 0 ? model->q_name[b->qadr + way] : model->v_name[k];
}
