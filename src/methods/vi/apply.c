// SPDX-License-Identifier: Apache-2.0
#include "kinematics/joint.h"
#include "linalg/small.h"
#include "methods/vi/vi.h"

/* Products with J = dr/dx, O(nbody): (N1) and (N2) of vi_newton.c, for a direction x.
 *   zeta_i = X_i zeta_l + Ad_{dT_i} S_i x_i                                          outward
 *   dF_i = K_i zeta_i + sum over children of X_c^T dF_c,   y_i = S_i^T dF_i - slope_i x_i  inward
 * and -beta (alpha . x) of every force channel (vi_equation.c). */

cardan_status cardan__vi_linearise(cardan__discrete *d)
{
  cardan__vi *s = (cardan__vi *)d;
  const cardan_status status = cardan__vi_joint_slopes(s);
  cardan__vi_kernels(s);
  return status;
}

static void sweep_outward(cardan__vi *s, const double *x)
{
  const cardan_model *model = s->base.model;
  s->zeta[0] = (cardan_twist){.w = {0, 0, 0}};
  s->b[0] = (cardan_force){.t = {0, 0, 0}};
  for (int i = 1; i < model->nbody; i++) {
    const cardan_body *b = &model->body[i];
    cardan_twist z = cardan__twist_to_child(&s->base.node->X[i], s->zeta[b->parent]);
    if (!(b->flags & CARDAN_LINK_KINEMATIC)) {
      const cardan_twist own = cardan__joint_twist(b, x + b->vadr);
      const cardan__screw Q = cardan__vi_displaced(s, i);
      z = cardan__twist_add(z, cardan__screw_carry(&Q, own));
    }
    s->zeta[i] = z;
    s->b[i] = cardan__quad_mul(&s->A[i], z);
  }
}

static void sweep_inward(cardan__vi *s, const double *x, double *y)
{
  const cardan_model *model = s->base.model;
  for (int i = model->nbody - 1; i > 0; i--) {
    const cardan_body *b = &model->body[i];
    double part[6] = {0};
    cardan__joint_project(b, s->b[i], part);
    for (int k = 0; k < b->nv; k++) {
      const int v = b->vadr + k;
      y[v] = b->flags & CARDAN_LINK_KINEMATIC ? x[v] : part[k] - s->slope[v] * x[v];
    }
    s->b[b->parent] =
        cardan__force_add(s->b[b->parent], cardan__force_to_parent(&s->base.node->X[i], s->b[i]));
  }
}

void cardan__vi_apply(cardan__discrete *d, const double *x, double *y)
{
  cardan__vi *s = (cardan__vi *)d;
  const size_t nv = (size_t)d->model->nv;
  sweep_outward(s, x);
  if (s->has_elastic) {
    cardan__elastic_apply_bodies(s, x);
  }
  sweep_inward(s, x, y);
  if (s->has_elastic) {
    cardan__elastic_apply_joints(s, x, y);
  }
  for (int j = 0; j < s->nchannel; j++) {
    const double *alpha = s->alpha + (size_t)j * nv, *beta = s->beta + (size_t)j * nv;
    double change = 0;
    for (int k = 0; k < d->model->nv; k++) {
      change += cardan__prescribed(d->model, k) ? 0 : alpha[k] * x[k];
    }
    for (int k = 0; k < d->model->nv; k++) {
      y[k] -= cardan__prescribed(d->model, k) ? 0 : change * beta[k];
    }
  }
}
