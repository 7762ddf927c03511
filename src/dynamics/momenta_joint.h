/* SPDX-License-Identifier: Apache-2.0
 * dynamics/momenta_joint.h - one joint's part in the sweeps of momenta.c and reduced.c. */
#pragma once
#include "dynamics/factor.h"
#include "kinematics/joint.h"

/* D^-1 r of a joint with nv velocities. */
static inline void cardan__joint_solve(const cardan_factor_multi *m, int nv, const double *r,
                                       double *out)
{
  for (int k = 0; k < nv; k++) {
    out[k] = 0;
    for (int j = 0; j < nv; j++) {
      out[k] += m->inv_D[k * nv + j] * r[j];
    }
  }
}

/* D^-1 (r - U^T V): the joint's velocity from a momentum, its acceleration from a force. */
static inline void cardan__joint_respond(const cardan_body *b, const cardan_data *data, int i,
                                         const double *r, cardan_motion V, double *out)
{
  const cardan_factor_body *f = &data->factor[i];
  if (b->nv == 1) {
    out[0] = f->inv_d * (r[0] - cardan__power(V, f->U));
    return;
  }
  const cardan_factor_multi *m = &data->multi[data->multi_of[i]];
  double rest[6];
  for (int k = 0; k < b->nv; k++) {
    rest[k] = r[k] - cardan__power(V, m->U[k]);
  }
  cardan__joint_solve(m, b->nv, rest, out);
}

/* F + U D^-1 r */
static inline cardan_force cardan__joint_give_way(const cardan_body *b, const cardan_data *data,
                                                  int i, const double *r, cardan_force F)
{
  const cardan_factor_body *f = &data->factor[i];
  if (b->nv == 1) {
    return cardan__force_axpy(f->inv_d * r[0], f->U, F);
  }
  const cardan_factor_multi *m = &data->multi[data->multi_of[i]];
  double x[6];
  cardan__joint_solve(m, b->nv, r, x);
  for (int k = 0; k < b->nv; k++) {
    F = cardan__force_axpy(x[k], m->U[k], F);
  }
  return F;
}

/* r = p - S^T F */
static inline void cardan__joint_subtract(const cardan_body *b, const double *q, const double *p,
                                          cardan_force F, double *r)
{
  double part[6] = {0};
  cardan__joint_project_at(b, q, F, part);
  for (int k = 0; k < b->nv; k++) {
    r[k] = p[k] - part[k];
  }
}
