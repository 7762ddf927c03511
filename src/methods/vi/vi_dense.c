// SPDX-License-Identifier: Apache-2.0
#include <string.h>

#include "kinematics/joint.h"
#include "methods/vi/vi.h"

/* The Jacobian of the discrete Euler-Lagrange equations as a matrix, one column at a time, O(n^2).
 * [1] Algorithm 4.
 *
 *   zeta_i = Ad_{T_{l,i}^-1} zeta_l + S'_i delta_ij          variation of dT_i       lines 3 to 5
 *   dF_i   = K_i zeta_i + sum over children of X_c^T dF_c                           lines 8, 9
 *   df_i / dq_j = S_i^T dF_i - slope_i delta_ij - sum of beta_i alpha_j             line 10
 *
 * Line 8 of [1] needs the derivative of dlog^T and gives none: K of kernel.h has it. This shares K
 * with vi_newton.c and nothing else, so that each checks the other. */

/* Column of velocity j, which is number k of body ij. */
static void column(cardan__vi *s, int ij, int k, double *J)
{
  const cardan_model *model = s->base.model;
  const size_t nv = (size_t)model->nv, j = (size_t)model->body[ij].vadr + (size_t)k;
  const cardan_twist still = {.w = {0, 0, 0}};
  for (int i = 0; i < ij; i++) {
    s->zeta[i] = still;
    s->b[i] = (cardan_force){.t = {0, 0, 0}};
  }
  for (int i = ij; i < model->nbody; i++) {
    const cardan__screw Q = cardan__vi_displaced(s, i);
    s->zeta[i] = i == ij
                     ? cardan__screw_carry(&Q, cardan__joint_axis(&model->body[i], k))
                     : cardan__twist_to_child(&s->base.node->X[i], s->zeta[model->body[i].parent]);
    s->b[i] = cardan__quad_mul(&s->A[i], s->zeta[i]);
  }
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    double part[6] = {0};
    cardan__joint_project(b, s->b[i], part);
    for (int r = 0; r < b->nv; r++) {
      J[(size_t)(b->vadr + r) * nv + j] = part[r];
    }
    s->b[b->parent] =
        cardan__force_add(s->b[b->parent], cardan__force_to_parent(&s->base.node->X[i], s->b[i]));
  }
  J[j * nv + j] -= s->slope[j];
}

static void lock(const cardan_model *model, double *J)
{
  const size_t nv = (size_t)model->nv;
  for (size_t j = 0; j < nv; j++) {
    if (model->body[model->v_body[j]].flags & CARDAN_LINK_KINEMATIC) {
      for (size_t i = 0; i < nv; i++) {
        J[i * nv + j] = J[j * nv + i] = i == j;
      }
    }
  }
}

/* J -= beta alpha^T of the force channels. */
static void subtract_channels(const cardan__vi *s, double *J)
{
  const size_t nv = (size_t)s->base.model->nv;
  for (int c = 0; c < s->nchannel; c++) {
    const double *alpha = s->alpha + (size_t)c * nv, *beta = s->beta + (size_t)c * nv;
    for (size_t i = 0; i < nv; i++) {
      for (size_t j = 0; j < nv; j++) {
        J[i * nv + j] -= beta[i] * alpha[j];
      }
    }
  }
}

void cardan__vi_jacobian(cardan__vi *s, double *J)
{
  const cardan_model *model = s->base.model;
  for (int i = 1; i < model->nbody; i++) {
    const cardan__mat6 K = cardan__vi_kinetic_slope(s, i);
    for (int e = 0; e < 9; e++) {
      s->A[i].m[e / 3][e % 3] = (cardan__vec4){K.tw.m[e / 3][e % 3], K.tv.m[e / 3][e % 3],
                                               K.fw.m[e / 3][e % 3], K.fv.m[e / 3][e % 3]};
    }
  }
  for (int i = 1; i < model->nbody && s->has_elastic; i++) {
    for (int e = 0; e < 9 && s->elastic.tied[i]; e++) {
      s->A[i].m[e / 3][e % 3] += s->elastic.K[i].m[e / 3][e % 3];
    }
  }
  for (int i = 1; i < model->nbody; i++) {
    for (int k = 0; k < model->body[i].nv; k++) {
      column(s, i, k, J);
    }
  }
  if (s->has_elastic) {
    cardan__elastic_add_blocks(s, J);
  }
  subtract_channels(s, J);
  lock(model, J);
}
